"""From the words that a user types to sources."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from ..cff.errors import SourceError
from .source import Source, shown
from .sources import git
from .sources.local import LocalSource

_TAKEN = "a folder, a file, a git URL (https://, ssh://, file://, git@host:path), or - for a list on stdin"


def understand(word: str) -> Source:
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
        return LocalSource(_absolute(path))
    if word.startswith("-"):
        raise SourceError(f"{shown(word)}: not understood: a source does not begin with -; name {_TAKEN}")
    if source := git.understand(word):
        return source
    if path.is_absolute() or word.startswith((".", "~")):
        return LocalSource(_absolute(path))
    if re.match(r"\w+::", word) or ":" in word:
        raise SourceError(f"{shown(git.without_password(word))}: not understood: name {_TAKEN}")
    raise SourceError(f"{shown(word)}: there is no such file or folder, and it is no URL: name {_TAKEN}")


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
    return LocalSource(_absolute(plain if os.path.lexists(plain) else decoded))


def _absolute(path: Path) -> Path:
    """Links of a folder are resolved; a named file keeps its name, whatever it links to."""
    try:
        return path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    except (OSError, RuntimeError):
        return path.absolute()
