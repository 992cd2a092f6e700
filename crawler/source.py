"""What a source is: the seam at which a new kind of place is added (one file in sources/).

A source finds units of work, and a unit fetches one or more repositories. Finding happens in one
thread; units are fetched in many at once, each with what the database knows of its repositories, so
that what has not changed is not fetched. Neither touches the database.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, runtime_checkable

from ..db.found import Found, Known
from .git import Git
from .hosts import Hosts
from .http import Web

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Options:
    """What a crawl may do and how far it may go."""

    git: Git
    web: Web = field(default_factory=Web)
    nested: bool = False
    """Take citation files below the root of a repository too."""
    history: bool = False
    """Take every version of a citation file, not the newest alone."""
    forks: bool = True
    """Take forks too, where a source can tell them."""
    archived: bool = True
    """Take archived repositories too, where a source can tell them."""
    refresh: bool = False
    """Fetch even what has not changed."""
    timeout_s: float = 120
    """For all that is done for one repository."""
    max_size_bytes: int = 4 << 20
    """Of a citation file; a larger one is refused."""
    max_clone_bytes: int = 512 << 20
    """Of what git may write for one repository: a host without partial clone sends everything."""

    @property
    def hosts(self) -> Hosts:
        """What is known of hosts."""
        return self.web.hosts

    def holds(self, known: Known | None, head: str | None) -> bool:
        """Whether the database holds all that is to be taken of a repository that stands at `head`."""
        return (
            known is not None
            and known.is_at(head, history=self.history)
            and not (self.refresh or self.nested)
        )

    def wants(self, found: Found) -> bool:
        """Whether a repository is to be taken at all, by what its forge says of it."""
        return (self.forks or not found.is_fork) and (self.archived or not found.is_archived)


def remembered(options: Options) -> str:
    """The options that belong to a source and are kept with it, as words; `recalled` reads them."""
    said = {
        "nested": options.nested,
        "history": options.history,
        "no-forks": not options.forks,
        "no-archived": not options.archived,
    }
    return " ".join(word for word, is_said in said.items() if is_said)


def recalled(options: Options, words: str) -> Options:
    """`options`, and those that a source was crawled with before."""
    said = set(words.split())
    return replace(
        options,
        nested=options.nested or "nested" in said,
        history=options.history or "history" in said,
        forks=options.forks and "no-forks" not in said,
        archived=options.archived and "no-archived" not in said,
    )


@dataclass(frozen=True, slots=True)
class Past:
    """What the database knows of a source before it is crawled."""

    is_known: bool = False
    """It was crawled to its end before: most of its repositories will be known, and unchanged."""
    cursor: str = ""
    """The last Mark of a crawl that was interrupted: go on behind it. Empty: from the beginning."""


NEW = Past()


@dataclass(frozen=True, slots=True)
class Trouble:
    """A place of a source that could not be looked into; the crawl goes on without it."""

    place: str
    reason: str
    state: str = "place"
    """As a repository's state when the place is one (gone, private, blocked, failed)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a source has come: once all that it yielded before is written, a crawl may go on from here."""

    cursor: str
    """The source's own word for it, as the next page's address."""


class Unit(Protocol):
    """A piece of work for one thread."""

    @property
    def urls(self) -> Sequence[str]:
        """Canonical URLs of the repositories in it."""

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield each repository. What fails is a Found with state and reason, not an exception.

        `known` is keyed by the unit's own `urls`. A Found tells in `asked` under which of them it was
        asked for when its URL is another one.
        """


@runtime_checkable
class Joinable(Protocol):
    """A unit that costs less together with others, of other sources too: a forge answers for many at once."""

    @property
    def urls(self) -> Sequence[str]:
        """As of a Unit."""

    @property
    def group(self) -> Hashable:
        """Units of the same group can be joined."""

    @property
    def most(self) -> int:
        """So many in one."""

    def join(self, others: Sequence[Joinable]) -> Unit:
        """One unit in place of this and others of its group."""

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """As of a Unit."""


Step: TypeAlias = Unit | Trouble | Mark


class Source(Protocol):
    """What the user named."""

    @property
    def spec(self) -> str:
        """What is remembered in the database: absolute, without password, understood again later."""

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the units of work, each place that could not be looked into, and marks between them.

        After a Trouble the source counts as seen in part: what it held before is not taken as gone.
        """


def shown(raw: str | bytes) -> str:
    r"""A name from outside as text that can be stored and printed.

    Bytes that are no UTF-8, and control characters, become escapes, so that two names stay two.

    >>> shown(b"caf\xe9"), shown("a\x1bb")
    ('caf\\xe9', 'a\\x1bb')
    """
    data = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogateescape")
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", data.decode("utf-8", "backslashreplace"))
