"""From the folders of a repository, as a forge lists them, to its citation files.

A forge differs from the next in how a folder is asked for and how a file's bytes are had: that is a
Shelf. Which files are taken, which of them the database holds already, what is too large, where a
symbolic link leads, and whether the bytes are those that were listed, is the same everywhere.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from ..cff.read import blob_id
from ..db.found import Found, FoundFile, Known
from .http import FetchError, TooLarge
from .names import FOLDERS, is_citation_file, pick
from .source import Options, shown

EntryKind: TypeAlias = Literal["file", "link", "folder", "module"]

KIND_OF_MODE: Mapping[str, EntryKind] = {"120000": "link", "040000": "folder", "160000": "module"}
"""By git's modes; all others are of files."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a folder."""

    name: str
    kind: EntryKind
    sha: str = ""
    """Its object id; empty where the forge does not tell."""
    size: int | None = None
    """In bytes; None where the forge does not tell."""


class Shelf(Protocol):
    """One repository at one commit, as its forge gives it. Each method raises FetchError."""

    def folder(self, path: str) -> Sequence[Entry]:
        """What a folder holds; `""` is the root."""

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        """The bytes of a file, or the target of a link; TooLarge when there are more than `most`."""


def held_folders(root: Sequence[Entry]) -> list[str]:
    """Those of the folders that may hold a citation file which a root has."""
    there = {entry.name for entry in root if entry.kind == "folder"}
    return [name for name in FOLDERS if name in there]


def chosen(folders: Mapping[str, Sequence[Entry]]) -> tuple[dict[str, Entry], list[str]]:
    """(the citation files to take by path, notes on those left out) of folders by their paths."""
    entries = {
        f"{folder}/{entry.name}" if folder else entry.name: entry
        for folder, listed in folders.items()
        for entry in listed
        if entry.kind in ("file", "link") and is_citation_file(entry.name)
    }
    names: dict[str, list[str]] = {folder: [] for folder in folders}
    for path, entry in entries.items():
        names[posixpath.dirname(path)].append(entry.name)
    paths, notes = pick(names)
    return {path: entries[path] for path in paths}, notes


def with_files(found: Found, shelf: Shelf, known: Known | None, options: Options) -> Found:
    """`found` with the citation files of its root and of the folders that may hold one; FetchError."""
    root = shelf.folder("")
    folders = {"": root, **{name: shelf.folder(name) for name in held_folders(root)}}
    entries, notes = chosen(folders)
    files = tuple(_file(shelf, path, entry, known, options) for path, entry in entries.items())
    if any(file.refused for file in files):
        # What was refused must be looked at again, whatever the commit.
        found = dataclasses.replace(found, head=None, validator="")
    notes = [f"{found.url}: {shown(note)}" for note in notes]
    return dataclasses.replace(found, files=files, notes=(*found.notes, *notes))


def _file(shelf: Shelf, path: str, entry: Entry, known: Known | None, options: Options) -> FoundFile:
    held = known.shas if known and not options.refresh else frozenset()
    most = options.max_size_bytes
    try:
        where = path
        if entry.kind == "link":
            text = shelf.content(path, entry, most)
            target = _target(shelf, path, text)
            if target is None:
                return FoundFile(shown(path), blob_id(text), text)
            where, entry = target
        if entry.sha in held:
            return FoundFile(shown(path), entry.sha)
        if entry.size is not None and entry.size > most:
            size = f"has {entry.size:,} bytes, more than the {most:,} of --max-size"
            return FoundFile(shown(path), "", refused=size)
        content = shelf.content(where, entry, most)
    except TooLarge:
        return FoundFile(shown(path), "", refused=f"has more than the {most:,} bytes of --max-size")
    sha = blob_id(content)
    # The ids of a SHA-256 repository are longer; a content is known by its SHA-1 id all the same.
    if len(entry.sha) == len(sha) and entry.sha != sha:
        raise FetchError(f"the host sent other bytes for {shown(path)} than it lists")
    return FoundFile(shown(path), sha, None if sha in held else content)


def _target(shelf: Shelf, path: str, text: bytes) -> tuple[str, Entry] | None:
    """Where a symbolic link leads, if that is a plain file of the same repository."""
    link = text.decode("utf-8", "surrogateescape")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    if not link or link.startswith("/") or target.split("/")[0] == ".." or "\0" in link:
        return None
    folder, name = posixpath.split(target)
    try:
        listed = shelf.folder(folder)
    except FetchError:  # it leads nowhere
        return None
    return next(((target, e) for e in listed if e.name == name and e.kind == "file"), None)
