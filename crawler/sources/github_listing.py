"""Walk GitHub's listings: page by page, resumable, with little asked for of each repository on the way.

A page brings what its repositories hold; those of which something more is to be asked for are held back
until there are enough of them for one request. When most repositories are known, a page brings facts
alone, and ten pages are one unit: what has changed in them is asked for together.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from ...db.found import Found, Known
from ..forge import Facts, Page, rows
from ..hosts import Host
from ..http import Answer, FetchError
from ..source import Mark, Options, Trouble, Unit
from . import github_query as query
from .github_fetch import complete, missing_blobs
from .github_graphql import MOST, Fault, Graph, TooMuch
from .github_query import Snapshot
from .github_rest import Rest, RestRepository, parse_facts
from .github_search import Window

JOINED = 1000
"""Repositories in one unit when all that is asked first is whether they have changed."""


class NoListing(Exception):
    """There is nothing of the name whose repositories were asked for."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a listing has come."""

    after: str | None = None
    """The end of the last page that was taken."""
    nodes: tuple[str, ...] = ()
    """GitHub's ids of repositories that were listed and are still held back."""
    window: Window | None = None
    """Of a search: in which part `after` is a place; all that is left, when there is no `after`."""

    def write(self) -> str:
        """It as text."""
        window = self.window
        said = {
            "after": self.after,
            "nodes": self.nodes,
            "window": [window.axis, window.low, window.high] if window and window.axis else None,
        }
        return json.dumps({name: value for name, value in said.items() if value}, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Cursor:
        """It from text; the beginning when that is no cursor."""
        try:
            said = json.loads(text or "{}")
            after, window = said.get("after"), said.get("window")
            return cls(
                str(after) if after else None,
                tuple(str(node) for node in said.get("nodes", ())),
                Window(str(window[0]), int(window[1]), int(window[2])) if window else None,
            )
        except (ValueError, TypeError, LookupError, AttributeError):
            return cls()


@dataclass(frozen=True, slots=True)
class Listed:
    """A unit of repositories that a listing showed."""

    host: Host
    snapshots: tuple[Snapshot, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        """Their canonical URLs."""
        return tuple(snapshot.found.url for snapshot in self.snapshots)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield each; most are at hand."""
        return complete(self.host, self.snapshots, known, options)


@dataclass(frozen=True, slots=True)
class Result:
    """A page of a listing."""

    units: Iterable[Unit]
    """Of what it shows, and of what was held back before it."""
    after: str | None
    """Where the next page begins; None for the last."""
    size: int
    """Repositories on it."""
    total: int
    """On all pages, as the host says."""
    hidden: int = 0
    """Of its repositories, those that the token may not see."""
    is_whole: bool = True
    """Whether the host looked through everything."""


# --- With a token -----------------------------------------------------------------------------------


@dataclass(slots=True)
class GraphListing:
    """Listings through GraphQL."""

    graph: Graph
    options: Options
    light: bool
    """Most of the repositories are known."""
    _seen: set[str] = field(default_factory=set)
    _held_back: list[Snapshot] = field(default_factory=list)

    def owned(self, owner: str, after: str | None) -> Iterator[Result]:
        """The pages of an owner's repositories. FetchError; NoListing when there is no such owner."""

        def write(*, light: bool) -> str:
            return query.of_owner(self.options, light=light)

        return self._pages(write, {"login": owner}, ("repositoryOwner", "repositories"), after)

    def searched(self, text: str, after: str | None) -> Iterator[Result]:
        """The pages of what a search finds. FetchError."""
        return self._pages(query.of_search, {"search": text}, ("search",), after)

    def count(self, searches: Sequence[str]) -> list[int]:
        """How many repositories each search finds. FetchError."""
        counted = []
        for _, said in self.graph.each(searches, query.counts):
            if isinstance(said, FetchError):
                raise said
            counted.append(int(said["repositoryCount"]))
        return counted

    def again(self, nodes: Sequence[str]) -> Iterator[Unit]:
        """What was held back when an earlier crawl was interrupted, without what is gone since."""
        for _, said in self.graph.each(nodes, query.by_nodes):
            shown = query.parse_repository(said, self.graph.host)
            if isinstance(shown, Snapshot):
                yield from self._take([shown])

    def rest(self) -> Iterator[Unit]:
        """What is held back."""
        if self._held_back:
            yield Listed(self.graph.host, tuple(self._held_back))
            self._held_back = []

    def marks(self, cursor: Cursor) -> Iterator[Mark]:
        """A mark behind what was taken; what is held back is named in it, if that is less than it brings."""
        if not self.light or not self._held_back:
            nodes = tuple(snapshot.node for snapshot in self._held_back)
            yield Mark(dataclasses.replace(cursor, nodes=nodes).write())

    def _pages(
        self,
        write: Callable[..., str],
        variables: Mapping[str, Any],
        at: tuple[str, ...],
        after: str | None,
    ) -> Iterator[Result]:
        while True:
            connection, faults = self._page(write, {**variables, "after": after}, at)
            if connection is None:
                if faults:
                    raise faults[0].error
                raise NoListing
            nodes, page = connection.get("nodes") or (), connection.get("pageInfo") or {}
            after = page.get("endCursor") if page.get("hasNextPage") else None
            shown = [query.parse_repository(node, self.graph.host) for node in nodes if node]
            snapshots = [each for each in shown if isinstance(each, Snapshot)]
            total = connection.get("totalCount") or connection.get("repositoryCount") or 0
            yield Result(self._take(snapshots), after, len(nodes), total, len(nodes) - len(snapshots))
            if after is None:
                return

    def _page(
        self, write: Callable[..., str], variables: Mapping[str, Any], at: tuple[str, ...]
    ) -> tuple[Mapping[str, Any] | None, list[Fault]]:
        try:
            try:
                return self.graph.page(write(light=self.light), variables, *at)
            except TooMuch:
                if self.light:
                    raise
                # One that the host does not bear with its content is listed without, and asked for later.
                return self.graph.page(write(light=True), variables, *at, most=1)
        except TooMuch as error:
            raise FetchError(f"{self.graph.host.name} cannot list it: {error}") from error

    def _take(self, snapshots: Iterable[Snapshot]) -> Iterator[Unit]:
        """The units that can be made now."""
        ready: list[Snapshot] = []
        for snapshot in snapshots:
            if snapshot.node in self._seen or not self.options.wants(snapshot.found):
                continue
            self._seen.add(snapshot.node)
            is_at_hand = not self.light and self._missing(snapshot) == 0
            (ready if is_at_hand else self._held_back).append(snapshot)
        if ready:
            yield Listed(self.graph.host, tuple(ready))
        if self.light:
            is_enough = len(self._held_back) >= JOINED
        else:
            is_enough = sum(map(self._missing, self._held_back)) >= MOST
        if is_enough:
            yield from self.rest()

    def _missing(self, snapshot: Snapshot) -> int:
        return 1 if snapshot.folders is None else missing_blobs(snapshot, self.options)


def hidden(place: str, page: Result) -> Iterator[Trouble]:
    """Trouble for repositories of a page that the host did not show."""
    if page.hidden:
        yield Trouble(place, f"{page.hidden} of its repositories are not shown to this token", "private")


# --- Without ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class RestListing:
    """Searches through REST."""

    rest_api: Rest
    options: Options
    _seen: set[str] = field(default_factory=set)

    def searched(self, text: str, after: str | None) -> Iterator[Result]:
        """The pages of what a search finds. FetchError."""
        start = f"search/repositories?q={quote(text)}&per_page=100"
        at: str | None = after if after and after.startswith("search/repositories?") else start
        while at is not None:
            answer = self._get(at)
            told, link = answer.json(), answer.next_url()
            items = _repositories(told)
            following = self.rest_api.within(link, at) if link else None
            is_whole = not told.get("incomplete_results")
            yield Result(
                self._units(items), following, len(items), int(told.get("total_count") or 0), 0, is_whole
            )
            at = following

    def count(self, searches: Sequence[str]) -> list[int]:
        """How many repositories each search finds. FetchError."""
        at = "search/repositories?q={}&per_page=1"
        counted = []
        for text in searches:
            told = self._get(at.format(quote(text))).json()
            _repositories(told)
            counted.append(int(told.get("total_count") or 0))
        return counted

    def again(self, nodes: Sequence[str]) -> Iterator[Unit]:
        """Nothing is ever held back."""
        return iter(())

    def rest(self) -> Iterator[Unit]:
        """Nothing is ever held back."""
        return iter(())

    def marks(self, cursor: Cursor) -> Iterator[Mark]:
        """A mark behind what was taken."""
        yield Mark(cursor.write())

    def _get(self, at: str) -> Answer:
        answer = self.rest_api.get(at)
        if not answer.is_ok:
            raise answer.refusal()
        return answer

    def _units(self, items: Iterable[Facts]) -> Iterator[Unit]:
        for unit in rest_units(self.rest_api.host, items, self.options):
            if unit.path not in self._seen:
                self._seen.add(unit.path)
                yield unit


def rest_units(host: Host, items: Iterable[Facts], options: Options) -> Iterator[RestRepository]:
    """A unit for each repository of a page, without those that are not wanted."""
    for facts in items:
        if options.wants(parse_facts(facts, host)):
            yield RestRepository(host, facts["full_name"], facts)


def _repositories(told: Any) -> list[Facts]:
    """The repositories of a page; FetchError when it is something else."""
    items = rows(told, "items")
    if not all(isinstance(facts.get("full_name"), str) for facts in items):
        raise FetchError("the host answered with something else than repositories")
    return items


def rest_page(at: str, answer: Answer) -> Page:
    """A page of an owner's repositories. Its link names the owner by number: only its query is taken."""
    following = answer.next_url()
    return Page(_repositories(answer.json()), f"?{urlsplit(following).query}" if following else None)
