"""Folders and files on this machine: git repositories at HEAD, and folders that hold a CITATION.cff."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...cff.errors import SourceError
from ...cff.identifiers import repository_url
from ...cff.read import blob_id
from ...db.found import Found, FoundFile, Known
from ..history import read_history
from ..names import FOLDERS, NOT_ENTERED, choose, is_citation_file
from ..objects import read_head, unborn_branch
from ..source import NEW, Options, Past, Step, Trouble, Unit, shown

_FOLDERS_A_UNIT = 64
"""A file is read faster than a unit is passed from thread to thread."""


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A folder with all that lies below it, or one file."""

    path: Path
    """Absolute, its own symbolic links resolved."""

    @property
    def spec(self) -> str:
        """The path."""
        return shown(str(self.path))

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield git repositories one by one and other folders in batches.

        Not walked into: git repositories, hidden folders, folders of other people's packages
        (`NOT_ENTERED`, virtual environments), and symbolic links.
        """
        try:
            mode = self.path.stat().st_mode
        except OSError as error:
            yield Trouble(self.spec, f"cannot be read: {error.strerror}")
            return
        if stat.S_ISREG(mode):
            yield _File(self.path)
        elif not stat.S_ISDIR(mode):
            yield Trouble(self.spec, "is neither a file nor a folder")
        else:
            yield from _walk(self.path)


@dataclass(frozen=True, slots=True)
class _GitFolder:
    """A git repository: a work tree, or a bare one."""

    path: Path
    git_dir: Path

    @property
    def urls(self) -> tuple[str, ...]:
        return (_url(self.path),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        url, name = _url(self.path), shown(self.path.name)
        before = known.get(url)
        try:
            head = read_head(self.git_dir, before, options)
            if head is None:
                branch = unborn_branch(self.git_dir, options)
                if branch is None:
                    raise SourceError("the commit that HEAD names is not there: try `git fsck`")
                reason = f"{branch} has no commit" + (f", {_UNCOMMITTED}" if _lies_in(self.path) else "")
                yield Found(url, name, state="empty", reason=reason, files=())
                return
            take = options.history and not head.unchanged
            history, left_out = read_history(self.git_dir, before, options) if take else (None, ())
        except SourceError as error:
            yield Found(url, name, state="failed", reason=str(error))
            return
        if head.unchanged:
            yield Found(url, name, head=head.commit, unchanged=True)
            return
        remote, branch = _settings(self.git_dir)
        # What was refused must be looked at again, whatever the commit.
        commit = None if any(f.refused for f in head.files) else head.commit
        unchanged = (
            before is not None
            and before.head == head.commit
            and all(f.sha in before.shas for f in head.files)
            and not options.refresh
        )
        notes = [f"{url}: {note}" for note in (*head.notes, *left_out)]
        if not head.files and _lies_in(self.path):
            notes.append(f"{url}: {_UNCOMMITTED}")
        yield Found(
            url,
            (remote or url).rsplit("/", 1)[-1].removesuffix(".git"),
            head=commit,
            remote=remote,
            default_branch=branch,
            files=head.files,
            unchanged=unchanged,
            history=history,
            notes=tuple(notes),
        )


_UNCOMMITTED = "its CITATION.cff is not committed, and only what HEAD holds counts: commit it"


def _lies_in(work_tree: Path) -> bool:
    """Whether a citation file lies in a work tree itself."""
    try:
        return any(is_citation_file(name) for name in os.listdir(work_tree))
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class _Folders:
    """Folders outside git, each a repository, with the paths of their citation files."""

    folders: tuple[tuple[Path, tuple[str, ...], tuple[str, ...]], ...]
    """(folder, files to take, files left out)"""

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(_url(folder) for folder, _, _ in self.folders)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        for folder, paths, others in self.folders:
            url = _url(folder)
            files = tuple(_read(folder / path, path, known.get(url), options) for path in paths)
            notes = tuple(f"{url}: {shown(o)} left out: another spelling stands beside it" for o in others)
            yield _found(url, shown(folder.name), files, known.get(url), options, notes)


@dataclass(frozen=True, slots=True)
class _File:
    """One file that the user named: a repository of its own, as nothing around it was named."""

    path: Path

    @property
    def urls(self) -> tuple[str, ...]:
        return (_url(self.path),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        url, name = _url(self.path), self.path.name
        files = (_read(self.path, name, known.get(url), options, follow=True),)
        title = self.path.parent.name if is_citation_file(name) else name
        yield _found(url, shown(title or name), files, known.get(url), options)


def _walk(top: Path) -> Iterator[Unit | Trouble]:
    batch: list[tuple[Path, tuple[str, ...], tuple[str, ...]]] = []
    # (folder, its citation files belong to the folder above)
    todo = [(top, False)]
    while todo:
        folder, inner = todo.pop()
        try:
            entries = _entries(folder)
        except OSError as error:
            yield Trouble(_url(folder).removeprefix("file://"), f"cannot be read: {error.strerror}")
            continue
        git_dir = _git_dir(folder, entries)
        if git_dir is not None:
            yield _GitFolder(folder, git_dir)
            continue
        if "pyvenv.cfg" in entries and folder != top:
            continue
        paths, others = ([], []) if inner else _citations(folder, entries)
        if paths:
            batch.append((folder, tuple(paths), tuple(others)))
            if len(batch) >= _FOLDERS_A_UNIT:
                yield _Folders(tuple(batch))
                batch = []
        below = sorted(
            (n for n, e in entries.items() if n[0] != "." and n not in NOT_ENTERED and _is_folder(e)),
            reverse=True,
        )
        todo += [(folder / name, name in FOLDERS) for name in below]
    if batch:
        yield _Folders(tuple(batch))


def _entries(folder: Path) -> dict[str, os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return {entry.name: entry for entry in entries}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _git_dir(folder: Path, entries: Mapping[str, os.DirEntry[str]]) -> Path | None:
    """The git directory of a folder that is a work tree or a bare repository."""
    if ".git" in entries:
        return folder / ".git"
    if "HEAD" in entries and all(n in entries and _is_folder(entries[n]) for n in ("objects", "refs")):
        return folder
    return None


def _citations(folder: Path, entries: Mapping[str, os.DirEntry[str]]) -> tuple[list[str], list[str]]:
    """(paths to take, paths left out) of a folder outside git: its own, and those in its inner folders."""
    paths, others = [], []
    for inner in ("", *FOLDERS):
        listed = entries
        if inner:
            if inner not in entries or not _is_folder(entries[inner]):
                continue
            try:
                listed = _entries(folder / inner)
            except OSError:
                continue  # met again on the walk, or hidden
            if _git_dir(folder / inner, listed) is not None:
                continue
        names = (n for n, e in listed.items() if len(n) == 12 and is_citation_file(n) and not _is_folder(e))
        taken, rest = choose(names)
        prefix = f"{inner}/" if inner else ""
        paths += [prefix + taken] if taken else []
        others += [prefix + name for name in rest]
    return paths, others


def _read(file: Path, path: str, known: Known | None, options: Options, *, follow: bool = False) -> FoundFile:
    """A file as a FoundFile; a symbolic link is taken as git takes it, as a file that holds its target."""
    try:
        if not follow and file.is_symlink():
            data = os.fsencode(os.readlink(file))
        else:
            # Never wait for a pipe that bears the name.
            descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(descriptor, "rb") as opened:
                facts = os.fstat(descriptor)
                if not stat.S_ISREG(facts.st_mode):
                    return FoundFile(shown(path), "", refused="is not a file")
                if facts.st_size > options.max_size_bytes:
                    size = (
                        f"has {facts.st_size:,} bytes, more than the {options.max_size_bytes:,} of --max-size"
                    )
                    return FoundFile(shown(path), "", refused=size)
                data = opened.read()
    except OSError as error:
        return FoundFile(shown(path), "", refused=f"cannot be read: {error.strerror}")
    sha = blob_id(data)
    if known and sha in known.shas and not options.refresh:
        return FoundFile(shown(path), sha)
    return FoundFile(shown(path), sha, data)


def _found(
    url: str,
    name: str,
    files: tuple[FoundFile, ...],
    known: Known | None,
    options: Options,
    notes: tuple[str, ...] = (),
) -> Found:
    """A folder or file outside git; its head is a digest of what it holds."""
    listing = "".join(f"{f.path}\0{f.sha or f.refused}\n" for f in files)
    head = hashlib.sha1(listing.encode(), usedforsecurity=False).hexdigest()
    if known and known.head == head and not options.refresh and not any(f.refused for f in files):
        return Found(url, name, head=head, unchanged=True, notes=notes)
    return Found(url, name, head=head, files=files, notes=notes)


def _url(path: Path) -> str:
    return f"file://{shown(str(path))}"


_ORIGIN = re.compile(r'^\s*\[remote "origin"\]\s*$((?:\n(?!\s*\[).*)*)', re.MULTILINE)
_ADDRESS = re.compile(r"^\s*url\s*=\s*(.*?)\s*$", re.MULTILINE)
_BRANCH = re.compile(r"ref: refs/heads/(.+)\n?")


def _settings(git_dir: Path) -> tuple[str | None, str | None]:
    """(canonical URL of the remote `origin`, branch of HEAD), read straight from their two small files.

    A process more for each repository would double the time of a crawl.
    """
    try:
        if git_dir.is_file():  # a linked work tree or a submodule: `gitdir: PATH`
            git_dir = git_dir.parent / git_dir.read_text("utf-8", "surrogateescape").partition(":")[2].strip()
        common = git_dir / "commondir"
        shared = (
            git_dir / common.read_text("utf-8", "surrogateescape").strip() if common.is_file() else git_dir
        )
        config = (shared / "config").read_text("utf-8", "replace")
        branch = _BRANCH.fullmatch((git_dir / "HEAD").read_text("utf-8", "replace"))
    except OSError:
        return None, None
    origin = _ORIGIN.search(config)
    address = _ADDRESS.search(origin[1]) if origin else None
    remote = repository_url(address[1].strip('"')) if address else None
    return remote, branch[1] if branch and branch[1] != ".invalid" else None
