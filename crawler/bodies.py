"""Read the body of an answer, decompressed piece by piece and no further than it may go.

What is small on the wire may be huge when it is unpacked, and packed data that end before their end
are half an answer that looks like a whole one. (RFC 9110, section 8.4; RFC 1950 to 1952.)
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from .answers import TooLarge

PIECE = 1 << 16
"""Bytes that are read, and unpacked, at once."""
_NESTED = 5
_GZIP, _ZLIB, _RAW = 31, 15, -15
_REFUSED = frozenset({"br", "zstd", "compress", "x-compress", "dcb", "dcz"})


class BrokenBody(ValueError):
    """A body that does not hold what its headers say."""


def read_body(pieces: Iterable[bytes], encodings: str, max_bytes: int, *, cut: bool) -> bytes:
    """A whole body, unpacked; `encodings` is its `Content-Encoding`.

    What is longer than `max_bytes` ends there with `cut`, else it is TooLarge. BrokenBody for packed data
    that are damaged, end too early, or are packed as nobody asked for.
    """
    found: list[bytes] = []
    size = 0
    for piece in _unpacked(pieces, encodings):
        found.append(piece)
        size += len(piece)
        if size > max_bytes:
            if not cut:
                raise too_large(max_bytes)
            break
    return b"".join(found)[:max_bytes]


def too_large(max_bytes: int) -> TooLarge:
    """What is raised for a body that is longer than that."""
    return TooLarge(f"has more than {max_bytes:,} bytes")


def _unpacked(pieces: Iterable[bytes], encodings: str) -> Iterable[bytes]:
    names = [name.strip().lower() for name in encodings.split(",")]
    packed = [name for name in names if name in ("gzip", "x-gzip", "deflate")]
    if len(packed) > _NESTED or not _REFUSED.isdisjoint(names):
        raise BrokenBody("packed in a way that was not asked for")
    # Other words name no packing: servers write `identity`, `none` and `utf-8` there.
    for name in reversed(packed):
        pieces = _inflate(pieces, is_gzip=name != "deflate")
    return pieces


def _inflate(pieces: Iterable[bytes], *, is_gzip: bool) -> Iterator[bytes]:
    machine = None
    is_later = False
    data = b""
    for piece in pieces:
        data += piece
        while True:
            if machine is None:
                if len(data) < 2:
                    break
                if is_later and not data.startswith(b"\x1f\x8b"):
                    return  # padding behind the last member
                machine = zlib.decompressobj(_GZIP if is_gzip else _ZLIB if _is_zlib(data) else _RAW)
            try:
                out = machine.decompress(data, PIECE)
            except zlib.error:
                raise BrokenBody("its packed data are damaged") from None
            if out:
                yield out
            data = machine.unused_data if machine.eof else machine.unconsumed_tail
            if machine.eof:
                if not is_gzip:
                    return
                machine, is_later = None, True  # a gzip file may have several members
            elif not data and len(out) < PIECE:
                break
    if machine is not None or (data and not is_later):
        raise BrokenBody("its packed data end too early")


def _is_zlib(data: bytes) -> bool:
    """Whether `deflate` has the frame that it should have; some servers leave it out."""
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
