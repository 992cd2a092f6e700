"""From the words that a user types to sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from ..cff.errors import SourceError
from .addresses import AddressRefused
from .hosts import Hosts
from .packages.files import is_package_list
from .source import Source, shown
from .sources.local import LocalSource

PLUGINS = "cffgraph.sources"
"""Entry points of this group are sources of others: one called `forge` has the words `forge:...`, and is
a function like `understand` of a module in sources/."""

_TAKEN = (
    "a folder, a file, a URL, o/r of GitHub, github:ORG and its like, or - for a list on stdin:"
    " see `cffgraph crawl --help`"
)


class Module(Protocol):
    """What each module of sources/ offers."""

    def understand(self, word: str, hosts: Hosts) -> Source | None:
        """The source that a word names; None when it is none of this kind."""


def understand(word: str, hosts: Hosts) -> Source:
    """The source that a word names; what exists on this machine comes first.

    SourceError when it is not understood, with what would be. A path that does not exist is
    understood when it can be nothing else: the crawl says that it is not there.
    """
    if not word or "\0" in word:
        raise SourceError(f"an empty source: name {_TAKEN}")
    if word.lower().startswith("file://"):
        return _file_url(word)
    path = Path(word).expanduser()
    if os.path.lexists(path):
        return _on_disk(_absolute(path), hosts)
    if word.startswith("-"):
        raise SourceError(f"{shown(word)}: not understood: a source does not begin with -; name {_TAKEN}")
    if path.is_absolute() or word.startswith((".", "~")):
        return LocalSource(_absolute(path))
    if source := _elsewhere(word, hosts):
        return source
    if ":" in word:
        from .remote import without_password

        raise SourceError(f"{shown(without_password(word))}: not understood: name {_TAKEN}")
    raise SourceError(f"{shown(word)}: there is no such file or folder, and it is no URL: name {_TAKEN}")


def _on_disk(path: Path, hosts: Hosts) -> Source:
    if is_package_list(path) and path.is_file():
        from .sources import packages

        if source := packages.understand(str(path), hosts):
            return source
    return LocalSource(path)


def _elsewhere(word: str, hosts: Hosts) -> Source | None:
    # They and what they need are imported only for words that are no paths.
    from .sources import (
        bitbucket,
        forgejo,
        git,
        github,
        gitlab,
        opengrok,
        packages,
        swh,
        swh_blobs,
        url,
        web_listings,
    )

    modules: tuple[Module, ...] = (
        packages,
        swh_blobs,
        swh,
        # A page of OpenGrok may show a file, whose address ends as that of a file.
        opengrok,
        url,
        github,
        gitlab,
        forgejo,
        bitbucket,
        web_listings,
    )
    for module in modules:
        if (source := module.understand(word, hosts)) is not None:
            return source
    # To git any URL is one of a repository.
    return _plugin(word, hosts) or git.understand(word, hosts)


def _plugin(word: str, hosts: Hosts) -> Source | None:
    prefix, colon, rest = word.partition(":")
    if not colon or not prefix.isidentifier() or rest.startswith("//"):
        return None
    from importlib.metadata import entry_points

    for point in entry_points(group=PLUGINS, name=prefix):
        understand_theirs: Callable[[str, Hosts], Source | None] = point.load()
        return understand_theirs(word, hosts)
    return None


def listed(lines: Iterable[str]) -> Iterator[str]:
    """The words of a list of sources, one a line; blank lines and those that begin with # say nothing.

    >>> list(listed(["# ours", "", " ./tools ", "https://git.example/r"]))
    ['./tools', 'https://git.example/r']
    """
    for line in lines:
        word = line.strip()
        if word and not word.startswith("#"):
            yield word


def _file_url(word: str) -> LocalSource:
    rest = word[len("file://") :]
    host, slash, path = rest.partition("/")
    if host not in ("", "localhost") or not slash:
        raise SourceError(f"{shown(word)}: names no path of this machine: write file:///PATH")
    plain, decoded = Path("/" + path), Path("/" + unquote(path))
    found = _absolute(plain if os.path.lexists(plain) else decoded)
    if found.is_file() and found.suffix.lower() != ".cff":
        # A list from elsewhere may try to have any file of this machine read.
        raise AddressRefused(f"{shown(word)}: names a file: file:// is for folders and git repositories")
    return LocalSource(found)


def _absolute(path: Path) -> Path:
    """Links of a folder are resolved; a named file keeps its name, whatever it links to."""
    try:
        return path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    except (OSError, RuntimeError):
        return path.absolute()
