"""What a crawl hands to the store, and what the store tells it in return: immutable values."""

from __future__ import annotations

from collections.abc import Iterator
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
class Version:
    """One version of a citation file, current or past, from the history of its repository."""

    path: str
    sha: str
    """Its blob id."""
    commit: str
    """That brought it."""
    since: str
    """When that commit was made: ISO 8601, UTC."""
    until: str | None = None
    """When the next version replaced it, or the file was removed; None while it stands."""
    content: bytes | None = None
    """None when the database holds this blob already."""


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
    forge_id: str | None = None
    """The forge's own number: the same after a rename, another one when the name went to another."""
    asked: str = ""
    """Under which URL it was asked for, when that is another one: an older name of it, or a short one."""
    is_fork: bool | None = None
    is_mirror: bool | None = None
    is_archived: bool | None = None
    parent_url: str | None = None
    """Of a fork or mirror: canonical URL of what it is a copy of."""
    validator: str = ""
    """What the source wants to be told the next time, as an ETag."""
    files: tuple[FoundFile, ...] | None = None
    """All that it holds now; None when that is not known (it could not be reached) or has not
    changed: what was known then stays."""
    unchanged: bool = False
    history: tuple[Version, ...] | None = None
    """Every version of its citation files, when that was asked for."""
    notes: tuple[str, ...] = ()
    """What a person should hear about it, as a second file that was left out."""

    def contents(self) -> Iterator[tuple[str, bytes | None]]:
        """(blob id, content) of its files and of their versions; no content where it is held already."""
        for file in self.files or ():
            if file.sha:
                yield file.sha, file.content
        for version in self.history or ():
            yield version.sha, version.content


@dataclass(frozen=True, slots=True)
class Known:
    """What the database knows of a repository before it is crawled again."""

    head: str | None
    state: str
    shas: frozenset[str]
    """Of the blobs that it holds now, and held once: their content need not be fetched."""
    validator: str = ""
    """As the source gave it the last time."""
    history_head: str | None = None
    """The head up to which its history was taken."""

    def is_at(self, head: str | None, *, history: bool = False) -> bool:
        """Whether nothing is to be fetched of a repository that stands at `head` now."""
        return head is not None and head == self.head and (not history or head == self.history_head)


@dataclass(frozen=True, slots=True)
class Begun:
    """A crawl of one source that has begun, or goes on."""

    number: int
    """Of the source."""
    run: int
    is_known: bool
    """It was crawled to its end before."""
    cursor: str
    """Where it was cut off; empty at the beginning."""


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
