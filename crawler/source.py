"""What a source is: the seam at which a new kind of place is added (one file in sources/).

A source finds units of work, and a unit fetches one or more repositories. Finding happens in one
thread; units are fetched in many at once, each with what the database knows of its repositories, so
that what has not changed is not fetched. Neither touches the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..db.found import Found, Known
from .git import Git

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Options:
    """What a crawl may do and how far it may go."""

    git: Git
    nested: bool = False
    """Take citation files below the root of a repository too."""
    refresh: bool = False
    """Fetch even what has not changed."""
    timeout_s: float = 120
    """For all that is done for one repository."""
    max_size_bytes: int = 4 << 20
    """Of a citation file; a larger one is refused."""
    max_clone_bytes: int = 512 << 20
    """Of what git may write for one repository: a host without partial clone sends everything."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A place of a source that could not be looked into; the crawl goes on without it."""

    place: str
    reason: str


class Unit(Protocol):
    """A piece of work for one thread."""

    @property
    def urls(self) -> Sequence[str]:
        """Canonical URLs of the repositories in it."""

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield each repository. What fails is a Found with state and reason, not an exception."""


class Source(Protocol):
    """What the user named."""

    @property
    def spec(self) -> str:
        """What is remembered in the database: absolute, without password, understood again later."""

    def units(self, options: Options) -> Iterator[Unit | Trouble]:
        """Yield the units of work, and each place that could not be looked into.

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
