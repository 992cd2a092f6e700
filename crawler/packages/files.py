"""Which files are lists of packages, told by their names, and who reads each."""

from __future__ import annotations

import dataclasses
import importlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from .package import MAX_BYTES, MAX_FILES, Content, Entry, Fault, Package, Reader, Unreadable

# Name in lower case -> (module, function). The first that fits.
_READERS: tuple[tuple[str, str, str], ...] = (
    (
        r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)|requirements\w*\.(?:txt|in)",
        "requirements",
        "read",
    ),
    (r"pyproject\.toml", "pyproject_toml", "read"),
    (r"uv\.lock", "locks", "read_uv"),
    (r"poetry\.lock", "locks", "read_poetry"),
    (r"pylock(?:\.[^.]+)?\.toml", "locks", "read_pylock"),
    (r"environment(?:[-_.].*)?\.ya?ml", "conda", "read"),
    (r"package-lock\.json|npm-shrinkwrap\.json", "npm", "read"),
    (
        r".*\.spdx(?:\.json)?|.*\.cdx\.(?:json|xml)|(?:.*[-_.])?s?bom\.(?:json|xml)|sbom.*\.json",
        "sbom",
        "read",
    ),
)


def is_package_list(path: str | os.PathLike[str]) -> bool:
    """Whether a path is one of a list of packages, by its name alone.

    >>> [is_package_list(n) for n in ("requirements-dev.txt", "a/uv.lock", "tool.cdx.json", "notes.txt")]
    [True, True, True, False]
    """
    return _reader_of(os.path.basename(path)) is not None


def _reader_of(name: str) -> tuple[str, str] | None:
    for pattern, module, function in _READERS:
        if re.fullmatch(pattern, name, re.IGNORECASE):
            return module, function
    return None


def read_list(path: Path) -> Iterator[Entry]:
    """Yield the packages of a list, and what of it could not be read. Nothing is raised.

    Files that it includes are read when they lie in its folder or below, each once.
    """
    named = _reader_of(path.name)
    if named is None:
        yield Fault(str(path), "is no list of packages that is known by its name")
        return
    read: Reader = getattr(importlib.import_module(f".{named[0]}", __package__), named[1])
    try:
        yield from read(_Folder(path).open())
    except Unreadable as error:
        yield Fault(str(path), str(error))


def merged(entries: Iterator[Entry]) -> tuple[list[Package], list[Fault]]:
    """(packages, faults): each package once, by purl, with what the list says of it anywhere."""
    packages: dict[str, Package] = {}
    faults = []
    for entry in entries:
        if isinstance(entry, Fault):
            faults.append(entry)
            continue
        before = packages.setdefault(entry.purl, entry)
        if (
            before is not entry
            and not before.address
            and (entry.address or (before.nowhere and not entry.nowhere))
        ):
            packages[entry.purl] = entry
        elif before.version != entry.version and before.version and not before.address:
            # Of several versions none is fixed: the newest is asked for.
            packages[entry.purl] = dataclasses.replace(before, version="")
    return [packages[purl] for purl in sorted(packages)], faults


class _Folder:
    """The folder of a list: what the list includes is read from there and from nowhere else."""

    def __init__(self, path: Path) -> None:
        self._path, self._root = path, path.parent.resolve()
        self._opened: set[Path] = set()

    def open(self) -> Content:
        """The list itself."""
        self._opened.add(self._path.resolve())
        return Content(_read(self._path), self._path, self._beside)

    def _beside(self, name: str, origin: Path) -> Content | None:
        if not name or "\0" in name:
            raise Unreadable("is no name of a file")
        path = origin.parent / name.replace("\\", "/")
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:
            raise Unreadable("cannot be followed: a link leads to itself") from error
        if not real.is_relative_to(self._root):
            raise Unreadable("lies outside of the folder of the list: name it as a source of its own")
        if real in self._opened:
            return None
        if len(self._opened) >= MAX_FILES:
            raise Unreadable(f"is one more than the {MAX_FILES} files that a list may include")
        self._opened.add(real)
        return Content(_read(real), real, self._beside)


def _read(path: Path) -> bytes:
    try:
        # Never wait for a pipe that bears the name.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as opened:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise Unreadable("is not a file")
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise Unreadable(f"has more than {MAX_BYTES:,} bytes")
    return data
