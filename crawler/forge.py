"""What crawling a forge is, whichever it is: ask its interface, walk its listings, fetch a repository.

An address of the interface is written here without what stands before it: a page's link to the next
one is taken by its path and query alone, so it leads nowhere else, and a host that stands behind a
proxy and names itself wrongly is crawled all the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias
from urllib.parse import urljoin, urlsplit

from ..db.found import Found, Known
from .hosts import Host
from .http import Answer, FetchError, Web
from .listing import Shelf, with_files
from .source import Mark, Options, Past, Step, Trouble

Facts: TypeAlias = Mapping[str, Any]
"""What a forge says of one repository, as JSON."""

_JSON_BYTES = 32 << 20
_FOLDER_PAGES = 50
"""Of a hundred lines or more each; a folder is read no further."""
_CURSOR_REFUSED = (400, 404, 405, 410, 422)


class Interface:
    """The interface of one host, through the polite session."""

    def __init__(self, host: Host, web: Web) -> None:
        self.host, self.web = host, web

    def get(self, at: str, *, accept: str = "application/json", max_bytes: int = _JSON_BYTES) -> Answer:
        """The answer at an address, as `projects/7?x=1`; FetchError when there is none."""
        return self.web.get(f"{self.host.api}/{at}", accept=accept, max_bytes=max_bytes)

    def ask(self, at: str) -> Any:
        """The JSON at an address; FetchError when the answer is another one."""
        return _good(self.get(at)).json()

    def facts(self, at: str) -> Facts:
        """As `ask`, for one object."""
        return one(self.ask(at))

    def content(self, at: str, most: int) -> bytes:
        """The bytes of a file; TooLarge when there are more than `most`."""
        answer = self.get(at, accept="*/*", max_bytes=most)
        if answer.status == 404:
            # Not the repository is gone: its listing was read a moment ago.
            raise FetchError("the host lists a citation file and does not have it")
        return _good(answer).content

    def lines(self, at: str, read: Callable[[str, Answer], Page], what: str) -> Iterator[Facts]:
        """The lines of a folder, from all its pages, as `read` reads one; FetchError.

        `what` is what a host that knows no such folder does not show.
        """
        for _ in range(_FOLDER_PAGES):
            answer = self.get(at)
            if answer.status == 404:
                raise FetchError(f"{self.host.name} does not show {what}")
            page = read(at, _good(answer))
            yield from page.items
            if page.link is None:
                return
            at = self.within(page.link, at)

    def within(self, link: str, at: str) -> str:
        """The address that a link on the page `at` means, by its path and query."""
        base = urlsplit(self.host.api).path
        parts = urlsplit(urljoin(f"{self.host.api}/{at}", link))
        path = parts.path
        path = path[len(base) + 1 :] if path.startswith(f"{base}/") else at.partition("?")[0]
        return f"{path}?{parts.query}" if parts.query else path


def _good(answer: Answer) -> Answer:
    if not answer.is_ok:
        raise answer.refusal()
    return answer


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing."""

    items: Sequence[Facts]
    link: str | None
    """To the next one."""


def rows(told: Any, *keys: str) -> list[Facts]:
    """The objects of a page: the JSON itself, or what it holds under one of these keys; FetchError."""
    for key in keys:
        if isinstance(told, dict) and key in told:
            told = told[key]
            break
    if not isinstance(told, list) or not all(isinstance(item, dict) for item in told):
        raise FetchError("the host answered with something else than a listing")
    return told


def one(told: Any) -> Facts:
    """JSON as an object; FetchError when it is something else."""
    if not isinstance(told, dict):
        raise FetchError("the host answered with something else than was asked for")
    return told


def field(facts: Facts, name: str) -> str:
    """A text or number that a forge always tells, as text; FetchError when it does not."""
    value = facts.get(name)
    if not isinstance(value, (str, int)) or value == "":
        raise FetchError(f"the host answered without the {name} of a repository")
    return str(value)


def text(facts: Facts, name: str) -> str | None:
    """A text that a forge tells; None when there is none."""
    value = facts.get(name)
    return value if isinstance(value, str) and value else None


def flag(facts: Facts, name: str) -> bool | None:
    """Whether a forge says so; None when it does not tell."""
    value = facts.get(name)
    return value if isinstance(value, bool) else None


def inner(facts: Facts, name: str) -> Facts:
    """An object inside; an empty one when there is none."""
    value = facts.get(name)
    return value if isinstance(value, dict) else {}


def walk(
    interface: Interface,
    starts: Sequence[str],
    past: Past,
    read: Callable[[str, Answer], Page],
    units: Callable[[Sequence[Facts]], Iterable[Step]],
    otherwise: Callable[[FetchError], Step],
) -> Iterator[Step]:
    """The units of all pages of the first of the `starts` that the host knows, and a mark after each page.

    Begins behind the cursor of the past, if the host still takes it. What cannot be listed becomes the
    step that `otherwise` makes of it, and ends the walk.
    """
    ways = list(starts)
    known_ways = {start.partition("?")[0] for start in starts}
    cursor = past.cursor if past.cursor.partition("?")[0] in known_ways else ""
    at, last = cursor or ways.pop(0), None
    begun = bool(cursor)
    while True:
        try:
            answer = interface.get(at)
            if at == cursor and answer.status in _CURSOR_REFUSED:
                at, cursor, begun = ways.pop(0), "", False
                continue
            if answer.status == 404 and not begun and ways:
                at = ways.pop(0)
                continue
            page = read(at, _good(answer))
            if page.items and page.items == last:
                raise FetchError(f"{interface.host.name} gives the same page of its listing again and again")
            made = list(units(page.items))
        except FetchError as error:
            yield otherwise(error)
            return
        begun, last = True, page.items
        yield from made
        if page.link is None:
            return
        at = interface.within(page.link, at)
        yield Mark(at)


def place_trouble(place: str, host: Host, what: str, error: FetchError) -> Trouble:
    """What could not be listed, as a step; `what` is what a host without it does not know."""
    if error.state == "gone":
        return Trouble(place, f"{host.name} knows no {what} of this name", "gone")
    return Trouble(place, str(error), error.state)


@dataclass(frozen=True, slots=True)
class Told:
    """A unit whose repository needs no fetching: what there is to say of it is known."""

    found: Found

    @property
    def urls(self) -> tuple[str, ...]:
        """Its URL."""
        return (self.found.url,)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Say it."""
        yield self.found


# --- One repository ---------------------------------------------------------------------------------


def failed(found: Found, error: FetchError) -> Found:
    """`found` with what went wrong; what was known of its files stays."""
    return dataclasses.replace(found, state=error.state, reason=str(error), files=None)


def empty(found: Found, reason: str = "has no commit") -> Found:
    """`found` as a repository that holds nothing."""
    return dataclasses.replace(found, state="empty", reason=reason, files=())


def unchanged(found: Found, known: Known | None, options: Options) -> Found | None:
    """`found` as unchanged, when the database knows it as it stands by its head, or else by its validator."""
    if known is None or known.head is None or known.state not in ("ok", "no-file", "unreadable"):
        return None
    if not found.head and found.validator and found.validator == known.validator:
        found = dataclasses.replace(found, head=known.head)
    return dataclasses.replace(found, unchanged=True) if options.holds(known, found.head) else None


def filled(found: Found, shelf: Shelf, known: Known | None, options: Options) -> Found:
    """`found` with its files, and with its history or what lies below, if that is wanted; FetchError.

    History and folders below the root are git's matter: one clone instead of a request for each commit
    or folder. Where git is not let in, as with a token that is for the interface alone, the files at
    the head come from the interface, with a note.
    """
    if not (options.history or options.nested):
        return with_files(found, shelf, known, options)
    from .remote import fetch_remote

    cloned = fetch_remote(found, f"{found.url}.git", known, options)
    if cloned.state in ("ok", "empty"):
        # What was refused must be looked at again, so such a repository has no head.
        validator = found.validator if cloned.head else ""
        return dataclasses.replace(
            cloned, url=found.url, name=found.name, host=found.host, asked=found.asked, validator=validator
        )
    found = with_files(found, shelf, known, options)
    what = "its history" if options.history else "what lies below its root"
    reason = f": {cloned.reason}" if cloned.reason else ""
    return dataclasses.replace(
        found, notes=(*found.notes, f"{found.url}: {what} was not looked into{reason}")
    )


class Forge(Protocol):
    """What a forge with one question for each repository has of its own."""

    @property
    def host(self) -> Host:
        """Where it stands."""

    def ask(self, web: Web, path: str) -> Facts:
        """What it says of the repository with this path; FetchError."""

    def found(self, facts: Facts) -> Found:
        """That as a Found without files: with a validator, or empty."""

    def shelf(self, web: Web, facts: Facts) -> tuple[Shelf, str]:
        """The repository as it stands, and the commit that this is; FetchError."""


@dataclass(frozen=True, slots=True)
class ForgeRepository:
    """A unit of one repository at such a forge."""

    forge: Forge
    path: str
    facts: Facts | None = None
    """What a listing has said of it already."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Its canonical URL by this path."""
        return (self.forge.host.repository(self.path),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield it, unless the user wants none of its sort."""
        (url,) = self.urls
        before = known.get(url)
        found = Found(url, self.path.rpartition("/")[2], host=self.forge.host.name)
        try:
            facts = self.facts or self.forge.ask(options.web, self.path)
            found = self.forge.found(facts)
            if found.url != url:
                found = dataclasses.replace(found, asked=url)
            if not options.wants(found):
                return
            if found.state == "ok":
                found = unchanged(found, before, options) or self._changed(found, facts, before, options)
        except FetchError as error:
            found = failed(found, error)
        yield found

    def _changed(self, found: Found, facts: Facts, known: Known | None, options: Options) -> Found:
        shelf, head = self.forge.shelf(options.web, facts)
        found = dataclasses.replace(found, head=head)
        # It may have been touched in another way than by a commit.
        still = unchanged(found, known, options)
        return still or filled(found, shelf, known, options)


def repositories(
    forge: Forge,
    web: Web,
    starts: Sequence[str],
    past: Past,
    read: Callable[[str, Answer], Page],
    otherwise: Callable[[FetchError], Step],
) -> Iterator[Step]:
    """A unit for each repository of a listing at such a forge; otherwise as `walk`."""

    def units(items: Sequence[Facts]) -> Iterator[Step]:
        for facts in items:
            yield ForgeRepository(forge, field(facts, "full_name"), facts)

    return walk(Interface(forge.host, web), starts, past, read, units, otherwise)
