"""The files of Software Heritage's citation-blobs, packed as downloaded or unpacked: contents and tables.

The tarball is read as a stream: nothing is written to disk, and no name in it is followed.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import importlib
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from ..cff.errors import SourceError
from .git import Stopped
from .source import Options, shown

TARBALLS = ("blobs.tar.zst", "blobs-sample20k.tar.zst", "blobs.tar")
"""Names of a tarball, the first that is there counts."""
_MEMBER = re.compile(rb"(?:\./)?(?:[\w.-]+/)?(?:[0-9a-f]{2}/[0-9a-f]{2}/)?([0-9a-f]{40})")
_BLOCK = 512
_READ_BYTES = 1 << 20

_Errors: TypeAlias = tuple[type[Exception], ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A content in the data set, not read yet."""

    key: bytes
    """Its SHA-1."""
    size_bytes: int
    read: Callable[[], bytes]
    """Only before the next one is asked for."""


class Contents:
    """The contents, from the tarball or from the unpacked folder; can be gone through again and again."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SourceError(f"{shown(str(folder))}: there is no such folder")
        self._tarball = next((folder / name for name in TARBALLS if (folder / name).is_file()), None)
        inside = folder / "blobs"
        self._folder = inside if inside.is_dir() else folder
        if self._tarball is None and not any(_shards(self._folder)):
            raise SourceError(
                f"holds neither {TARBALLS[0]} nor the folder blobs: download the data set there"
            )

    def members(self, options: Options) -> Iterator[Member]:
        """All of them. SourceError where they cannot be read; Stopped when the crawl is stopped."""
        for member in _tar_members(self._tarball) if self._tarball else _folder_members(self._folder):
            if options.git.stopped.is_set():
                raise Stopped
            yield member


def _tar_members(path: Path) -> Iterator[Member]:
    """The contents in a tarball, in its order.

    `tarfile` takes longer for a header than it takes to unpack what follows, and keeps every member in
    memory. All that is needed of a header is name, size and type (POSIX pax, "ustar Interchange
    Format"); whether the content is right, its hash tells.
    """
    broken = _errors(path)
    with _named(path, broken), open(path, "rb") as raw, _decompressed(path, raw) as unbuffered:
        stream = io.BufferedReader(unbuffered, _READ_BYTES)
        while (header := _exactly(stream, _BLOCK)).strip(b"\0"):
            size = _octal(header[124:136])
            match = _MEMBER.fullmatch(header[:100].rstrip(b"\0"))
            # What is not read of it, and the padding behind it.
            left = [size, -size % _BLOCK]
            if match and header[156:157] in (b"0", b"\0"):
                read = functools.partial(_read_content, path, broken, stream, left)
                yield Member(bytes.fromhex(match[1].decode()), size, read)
            _skip(stream, sum(left))


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not re.fullmatch(b"[0-7]+", digits):
        raise ValueError("what should be the size of a file is none")
    return int(digits, 8)


def _read_content(path: Path, broken: _Errors, stream: IO[bytes], left: list[int]) -> bytes:
    with _named(path, broken):
        data, left[0] = _exactly(stream, left[0]), 0
        return data


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError("it ends within a file")
    return data


def _skip(stream: IO[bytes], size: int) -> None:
    while size:
        size -= len(_exactly(stream, min(size, _READ_BYTES)))


def _folder_members(folder: Path) -> Iterator[Member]:
    for shard in _shards(folder):
        with _named(shard, ()), os.scandir(shard) as entries:
            found = sorted(
                (entry.name, entry.path, entry.stat(follow_symlinks=False).st_size)
                for entry in entries
                if re.fullmatch("[0-9a-f]{40}", entry.name) and entry.is_file(follow_symlinks=False)
            )
        for name, place, size in found:
            yield Member(bytes.fromhex(name), size, functools.partial(_read_file, Path(place)))


def _read_file(path: Path) -> bytes:
    with _named(path, ()):
        return path.read_bytes()


def _shards(folder: Path) -> Iterator[Path]:
    """The folders of an unpacked data set that hold blobs: `86/24`, and the folder itself."""
    shard = re.compile("[0-9a-f]{2}")
    for first in sorted(p for p in folder.iterdir() if shard.fullmatch(p.name) and p.is_dir()):
        yield from sorted(p for p in first.iterdir() if shard.fullmatch(p.name) and p.is_dir())
    if any(re.fullmatch("[0-9a-f]{40}", p.name) for p in folder.iterdir()):
        yield folder


def rows_of(folder: Path, name: str, columns: Sequence[str]) -> Iterator[Sequence[str]] | None:
    """The rows of a table, compressed or not; None when it is not there."""
    path = next((p for p in (folder / f"{name}.zst", folder / name) if p.is_file()), None)
    return None if path is None else _read_rows(path, columns)


def _read_rows(path: Path, columns: Sequence[str]) -> Iterator[Sequence[str]]:
    with _named(path, _errors(path)), open(path, "rb") as raw, _decompressed(path, raw) as stream:
        # Some origins are no UTF-8.
        rows = csv.reader(io.TextIOWrapper(stream, "utf-8", "backslashreplace", newline=""))
        if next(rows, None) != list(columns):
            raise SourceError(f"{path.name} does not begin with {','.join(columns)}")
        for row in rows:
            if len(row) == len(columns):
                yield row


def _decompressed(path: Path, raw: IO[bytes]) -> Any:
    return zstd().ZstdFile(raw) if path.suffix == ".zst" else raw


def zstd() -> Any:
    """The module that unpacks zstd. SourceError when there is none, naming what brings it."""
    for name in ("compression.zstd", "backports.zstd"):  # in Python from 3.14 on
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise SourceError("the data set is packed with zstd: pip install backports.zstd to read it")


def _errors(path: Path) -> _Errors:
    """What reading a file raises that is broken."""
    errors = (ValueError, EOFError, csv.Error)
    return (*errors, zstd().ZstdError) if path.suffix == ".zst" else errors


@contextlib.contextmanager
def _named(path: Path, broken: _Errors) -> Iterator[None]:
    """What goes wrong while a file of the data set is read, as SourceError with its name."""
    try:
        yield
    except OSError as error:
        raise SourceError(f"{shown(str(path))}: cannot be read: {error.strerror or error}") from error
    except broken as error:
        raise SourceError(f"{path.name} is broken or ends too early: download it again ({error})") from error


def hash_of(text: str) -> bytes:
    """The hash in a SWHID or alone; empty when it is none."""
    text = text.rpartition(":")[2]
    return bytes.fromhex(text) if re.fullmatch("[0-9a-f]{40}", text) else b""
