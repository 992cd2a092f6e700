from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import pytest
from cffgraph.crawler.bodies import BrokenBody, read_body
from cffgraph.crawler.http import TooLarge
from hypothesis import given
from hypothesis import strategies as st


def raw_deflate(data: bytes) -> bytes:
    machine = zlib.compressobj(wbits=-15)
    return machine.compress(data) + machine.flush()


PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "": bytes, "utf-8": bytes}
LARGE = b"title: Tool\n" * 100_000


def read(
    data: bytes, encodings: str, max_bytes: int = 1 << 24, *, cut: bool = False, step: int = 1000
) -> bytes:
    return read_body((data[i : i + step] for i in range(0, len(data), step)), encodings, max_bytes, cut=cut)


@given(
    st.binary(max_size=3000),
    st.lists(st.sampled_from(sorted(PACK)), max_size=4),
    st.integers(min_value=1, max_value=500),
)
def test_what_was_packed_is_unpacked(data: bytes, names: list[str], step: int) -> None:
    packed = data
    for name in names:
        packed = PACK[name](packed)
    assert read(packed, ", ".join(names), step=step) == data


@given(st.binary(min_size=1, max_size=2000), st.sampled_from(["gzip", "deflate"]), st.data())
def test_half_of_it_is_told_from_the_whole(data: bytes, name: str, draw: st.DataObject) -> None:
    packed = PACK[name](data)
    end = draw.draw(st.integers(min_value=1, max_value=len(packed) - 1))
    with pytest.raises(BrokenBody):
        read(packed[:end], name)


@pytest.mark.parametrize(
    ("packed", "encodings", "data"),
    [
        (b"", "gzip", b""),
        (b"", "", b""),
        (b"x", "identity", b"x"),
        (b"x", "none", b"x"),
        (gzip.compress(LARGE), "GZIP", LARGE),
        (raw_deflate(LARGE), "deflate", LARGE),
        (gzip.compress(b"a") + gzip.compress(b"b"), "gzip", b"ab"),
        (gzip.compress(b"a") + bytes(5000), "gzip", b"a"),
        (gzip.compress(b"a") + b"\n", "gzip", b"a"),
        (zlib.compress(b"a") + b"rest", "deflate", b"a"),
        (gzip.compress(gzip.compress(LARGE)), "gzip, gzip", LARGE),
    ],
)
@pytest.mark.parametrize("step", [1, 2, 1000, 1 << 20])
def test_packed_in_odd_ways(packed: bytes, encodings: str, data: bytes, step: int) -> None:
    assert read(packed, encodings, step=step) == data


@pytest.mark.parametrize(
    ("packed", "encodings"),
    [
        (b"title: Tool", "gzip"),
        (b"\x1f\x8b garbage", "gzip"),
        (b"\x78\x9c garbage", "deflate"),
        (b"x", "br"),
        (b"x", "gzip, zstd"),
        (b"x", ", ".join(["gzip"] * 6)),
    ],
)
def test_packed_wrongly(packed: bytes, encodings: str) -> None:
    with pytest.raises(BrokenBody):
        read(packed, encodings)


@pytest.mark.parametrize("encodings", ["", "gzip", "deflate", "gzip, deflate"])
def test_no_more_than_was_asked_for(encodings: str) -> None:
    packed = LARGE
    for name in encodings.split(", "):
        packed = PACK[name](packed)
    assert read(packed, encodings, len(LARGE)) == LARGE
    with pytest.raises(TooLarge, match="more than 1,199,999 bytes"):
        read(packed, encodings, len(LARGE) - 1)
    assert read(packed, encodings, 100, cut=True) == LARGE[:100]
    assert read(packed, encodings, 0, cut=True) == b""


def test_what_is_small_and_unpacks_without_an_end_is_not_unpacked() -> None:
    bomb = bytes(1 << 24)
    for _ in range(2):
        bomb = gzip.compress(bomb)
    assert len(bomb) < 1000
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        for byte in bomb:
            taken += 1
            yield bytes([byte])
        while True:
            yield b"\x1f\x8b"

    with pytest.raises(TooLarge):
        read_body(pieces(), "gzip, gzip", 1 << 20, cut=False)
    assert taken <= len(bomb)
