"""Read the citation files of a git repository at HEAD, through one `git cat-file --batch`.

Raw objects are parsed here: three or four questions to one process are several times faster than a
process for each. Works for SHA-1 and SHA-256 repositories, and in a partial clone, where git fetches
what is asked for. (Formats: git's documentation, "cat-file", section "Batch output"; a tree is
`mode name NUL id`, repeated.)
"""

from __future__ import annotations

import functools
import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..cff.errors import SourceError
from ..cff.read import blob_id
from ..db.found import FoundFile, Known
from .git import Result
from .names import FOLDERS, choose, is_citation_file
from .source import Options, shown

_TREE, _LINK, _MODULE = b"40000", b"120000", b"160000"
_LINKS = 5
"""So many symbolic links are followed in a row."""
_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class Head:
    """What a repository holds at HEAD."""

    commit: str
    files: tuple[FoundFile, ...] = ()
    notes: tuple[str, ...] = ()
    unchanged: bool = False
    """The commit is the one that is known already: the files were not looked at."""


def read_head(
    git_dir: Path,
    known: Known | None,
    options: Options,
    *,
    protocols: str = "none",
    folder: Path | None = None,
) -> Head | None:
    """The citation files at HEAD of the repository with this git directory; None when HEAD names no commit.

    A blob that is `known` comes without content. `protocols` is what git may speak to fetch missing
    objects, and `folder` where it puts them. SourceError when the repository cannot be read.
    """
    variables = {"GIT_DIR": str(git_dir)}
    if protocols == "none":
        variables["GIT_NO_LAZY_FETCH"] = "1"
    with options.git.start(
        "cat-file",
        "--batch",
        protocols=protocols,
        timeout_s=options.timeout_s,
        folder=folder,
        max_bytes=options.max_clone_bytes,
        variables=variables,
    ) as process:
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        objects = _Objects(process.stdin, process.stdout)
        try:
            commit = objects.identify("HEAD^{commit}")
            if commit is None:
                return None
            if options.holds(known, commit):
                return Head(commit, unchanged=True)
            return _read_tree(objects, commit, known, options)
        except EOFError:
            process.kill()
            raise SourceError(_last_line(process.stderr.read())) from None


def read_blobs(
    git_dir: Path,
    shas: Sequence[str],
    options: Options,
    *,
    protocols: str = "none",
    folder: Path | None = None,
) -> dict[str, bytes]:
    """The contents of blobs by their ids, without those that are not to be had or are larger than allowed.

    In a partial clone the missing ones are fetched all at once first: git by itself asks for each.
    """
    if not shas:
        return {}
    variables = {"GIT_DIR": str(git_dir)}
    if protocols == "none":
        variables["GIT_NO_LAZY_FETCH"] = "1"
    start = functools.partial(
        options.git.start,
        protocols=protocols,
        variables=variables,
        folder=folder,
        max_bytes=options.max_clone_bytes,
        timeout_s=options.timeout_s,
    )
    if protocols != "none":
        words = "-c fetch.negotiationAlgorithm=noop fetch --quiet --no-tags --no-write-fetch-head"
        with start(*words.split(), "--filter=blob:none", "--stdin", "origin") as process:
            process.communicate("".join(f"{sha}\n" for sha in shas).encode())
    found = {}
    with start("cat-file", "--batch") as process:
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        objects = _Objects(process.stdin, process.stdout)
        for sha in shas:
            try:
                content = objects.content(sha, options.max_size_bytes)
            except SourceError:
                continue
            except EOFError:
                raise SourceError("git ended before it gave all versions of the file") from None
            if isinstance(content, bytes):
                found[sha] = content
    return found


def unborn_branch(git_dir: Path, options: Options) -> str | None:
    """The branch that HEAD names and that has no commit; None when HEAD names a commit that is not there."""

    def ask(*arguments: str) -> Result:
        return options.git.run(
            *arguments, protocols="none", timeout_s=options.timeout_s, variables={"GIT_DIR": str(git_dir)}
        )

    named = ask("symbolic-ref", "-q", "HEAD")
    branch = os.fsdecode(named.out.strip())
    if named.code or not branch or not ask("rev-parse", "-q", "--verify", branch).code:
        return None
    return shown(branch)


class _Objects:
    """The conversation with one `git cat-file --batch`."""

    def __init__(self, to: IO[bytes], answers: IO[bytes]) -> None:
        self._to, self._answers = to, answers

    def identify(self, name: str) -> str | None:
        """The id of an object by any of its names; None when it is not there."""
        header = self._ask(name)
        if header is None:
            return None
        self._content(header[1])
        return header[0]

    def content(self, name: str, most: int | None = None) -> bytes | int:
        """The content of an object; its size when that is more than `most`."""
        header = self._ask(name)
        if header is None:
            raise SourceError(f"object {name} is missing or damaged: try `git fsck`")
        if most is not None and header[1] > most:
            self._skip(header[1] + 1)
            return header[1]
        return self._content(header[1])

    def _ask(self, name: str) -> tuple[str, int] | None:
        try:
            self._to.write(name.encode() + b"\n")
            self._to.flush()
        except BrokenPipeError:
            raise EOFError from None
        header = self._answers.readline()
        if not header:
            raise EOFError
        words = header.split()
        if len(words) != 3 or not words[2].isdigit():
            return None
        return words[0].decode(), int(words[2])

    def _content(self, size: int) -> bytes:
        data = self._answers.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return data[:-1]

    def _skip(self, size: int) -> None:
        while size:
            skipped = len(self._answers.read(min(size, 1 << 20)))
            if not skipped:
                raise EOFError
            size -= skipped


def _read_tree(objects: _Objects, commit: str, known: Known | None, options: Options) -> Head:
    width = len(commit) // 2
    places, notes = _places(objects, f"{commit}^{{tree}}", width, options)
    files = []
    for path, oid, is_link in places:
        if is_link and (target := _target(objects, f"{commit}^{{tree}}", path, oid, width)):
            oid = target
        # Blob ids of a SHA-256 repository are not those by which the database knows a content.
        if known and oid in known.shas and not options.refresh:
            files.append(FoundFile(path, oid))
            continue
        content = objects.content(oid, options.max_size_bytes)
        if isinstance(content, int):
            refused = f"has {content:,} bytes, more than the {options.max_size_bytes:,} of --max-size"
            files.append(FoundFile(path, "", refused=refused))
            continue
        files.append(FoundFile(path, oid if width == 20 else blob_id(content), content))
    return Head(commit, tuple(files), tuple(notes))


def _places(
    objects: _Objects, root: str, width: int, options: Options
) -> tuple[list[tuple[str, str, bool]], list[str]]:
    """[(path, blob id, it is a symbolic link)] of the citation files of a tree, and what was left out."""
    places: list[tuple[str, str, bool]] = []
    notes: list[str] = []
    todo = [("", root)]
    while todo:
        folder, tree = todo.pop()
        data = objects.content(tree)
        assert isinstance(data, bytes)  # noqa: S101
        named: dict[str, tuple[str, bool]] = {}
        for mode, raw, oid in _entries(data, width):
            if mode == _TREE:
                inner = os.fsdecode(raw)
                if options.nested or (not folder and inner in FOLDERS):
                    todo.append((f"{folder}{inner}/", oid))
            elif len(raw) == 12 and mode != _MODULE and is_citation_file(raw.decode("latin-1")):
                named[raw.decode("latin-1")] = (oid, mode == _LINK)
        taken, others = choose(named)
        if taken:
            places.append((shown(folder + taken), *named[taken]))
        notes += [
            f"{shown(folder + other)} left out: {shown(folder)}{taken} stands beside it" for other in others
        ]
    return sorted(places, key=lambda place: (place[0].count("/"), place[0])), notes


def _target(objects: _Objects, root: str, path: str, oid: str, width: int) -> str | None:
    """The blob that a symbolic link of the tree leads to, in the same tree; None when it leads elsewhere."""
    for _ in range(_LINKS):
        link = objects.content(oid, _LONGEST_PATH)
        if isinstance(link, int) or not link:
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), os.fsdecode(link)))
        if path.startswith(("/", "../")) or path in (".", ".."):
            return None
        entry = _entry(objects, root, path, width)
        if entry is None:
            return None
        mode, oid = entry
        if mode != _LINK:
            return None if mode in (_TREE, _MODULE) else oid
    return None


def _entry(objects: _Objects, root: str, path: str, width: int) -> tuple[bytes, str] | None:
    """(mode, id) of what a tree holds at a path."""
    mode, oid = _TREE, root
    for step in path.split("/"):
        if mode != _TREE:
            return None
        data = objects.content(oid)
        assert isinstance(data, bytes)  # noqa: S101
        here = {raw: (kind, inner) for kind, raw, inner in _entries(data, width)}
        if os.fsencode(step) not in here:
            return None
        mode, oid = here[os.fsencode(step)]
    return mode, oid


def _entries(data: bytes, width: int) -> Iterator[tuple[bytes, bytes, str]]:
    """(mode, name, id) of each entry of a raw tree, whose ids have `width` bytes."""
    at = 0
    while at < len(data):
        blank = data.find(b" ", at)
        zero = data.find(b"\0", blank)
        end = zero + 1 + width
        if blank < 0 or zero < 0 or end > len(data):
            raise SourceError("a tree is damaged: try `git fsck`")
        yield data[at:blank], data[blank + 1 : zero], data[zero + 1 : end].hex()
        at = end


def _last_line(raw: bytes) -> str:
    lines = shown(raw.replace(b"\n", b"\x1e")).split("\\x1e")
    said = [line for line in lines if line.strip()]
    return said[-1].removeprefix("fatal: ") if said else "git ended without an answer"
