"""What a crawl hands to the store, and what the store tells it in return: immutable values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "no-file", "gone", "private", "blocked", "empty", "failed", "unreadable"]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One citation file that a repository holds now."""

    path: str
    """In the repository, as spelled there."""
    sha: str
    """Its blob id; empty when the file was refused before it was read."""
    content: bytes | None = None
    """None when the database holds this blob already, or when the file was refused."""
    refused: str = ""
    """Why the file was not taken, as too large."""


@dataclass(frozen=True, slots=True)
class Found:
    """One repository as a source found it."""

    url: str
    """Canonical; `file://` and the absolute path for a folder; never with a user name or password."""
    name: str
    host: str = ""
    """Host and port, lower-case; empty for a local one."""
    state: State = "ok"
    """`ok` when the files below are all there are, or unchanged; the store works out `no-file` and
    `unreadable` from it. Any other word stays as it is."""
    reason: str = ""
    head: str | None = None
    remote: str | None = None
    default_branch: str | None = None
    files: tuple[FoundFile, ...] | None = None
    """All that it holds now; None when that is not known (it could not be reached) or has not
    changed: what was known then stays."""
    unchanged: bool = False
    notes: tuple[str, ...] = ()
    """What a person should hear about it, as a second file that was left out."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the database knows of a repository before it is crawled again."""

    head: str | None
    state: str
    shas: frozenset[str]
    """Of the blobs that it holds now: their content need not be fetched."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that a repository holds now, as the report tells of it."""

    path: str
    outcome: str
    """ok, ok-warn or error."""
    line: int = 1
    column: int = 1
    message: str = ""
    """Of the first error, when the outcome is error."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A repository after it was written: the final state, and the files it holds."""

    found: Found
    state: str
    reason: str
    files: tuple[StoredFile, ...]
