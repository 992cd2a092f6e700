"""GitHub and GitHub Enterprise Server: a repository, all of an organisation or user, a topic, a search.

With a token a listing brings what its repositories hold in the same request, a hundred at a time, and
single repositories are joined to as many; what is known already costs no more than a look whether it has
changed. Without a token it is REST, and git: see github_rest.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, quote

from ...cff.errors import SourceError
from ..forge import walk
from ..forge_words import forge_word, parse_forge_word
from ..hosts import Host, Hosts
from ..http import FetchError
from ..links import parse_link
from ..remote import without_password
from ..source import NEW, Mark, Options, Past, Step, Trouble, shown
from .github_graphql import Graph
from .github_listing import (
    Cursor,
    GraphListing,
    NoListing,
    RestListing,
    hidden,
    rest_page,
    rest_units,
)
from .github_named import RepositorySource
from .github_rest import Rest
from .github_search import Window, rest_of, windows

_HOME = "github.com"
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,58}[A-Za-z0-9])?")
_NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}")
_TOPIC = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
_FILE = re.compile(r".*\.(?:(?i:cff)|txt|toml|lock|ya?ml|json|xml|zst|html|csv|md|db)")
"""Endings that make `o/r` a path which does not exist rather than a repository."""
_PAGES = frozenset(
    "about account apps codespaces collections contact customer-stories dashboard enterprise events explore"
    " features issues login logout marketplace new notifications pricing pulls security sessions settings"
    " signup site sponsors stars team trending".split()
)
"""First steps of pages of github.com that are no owner's."""


@dataclass(frozen=True, slots=True)
class OwnerSource:
    """All repositories of an organisation or user."""

    host: Host
    owner: str

    @property
    def spec(self) -> str:
        """`github:OWNER`, with the host where it is not github.com."""
        return forge_word(self.host, "github", self.owner, home=_HOME)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield its repositories, with a token those of a page together, and a mark after each page."""
        place = f"{self.host.web}/{self.owner}"
        unknown = f"{self.host.name} knows no such organisation or user"
        if not self.host.tokens():
            yield from walk(
                Rest(self.host, options.web),
                [f"{kind}/{quote(self.owner)}/repos?per_page=100" for kind in ("orgs", "users")],
                past,
                rest_page,
                lambda items: rest_units(self.host, items, options),
                lambda error: Trouble(place, unknown if error.state == "gone" else str(error)),
            )
            return
        listing = GraphListing(Graph(self.host, options.web), options, past.is_known and not options.refresh)
        cursor = Cursor.read(past.cursor)
        yield from listing.again(cursor.nodes)
        # Where the host refuses a cursor of an earlier crawl, from the beginning.
        for after in (cursor.after, None) if cursor.after else (None,):
            begun = False
            try:
                for page in listing.owned(self.owner, after):
                    begun = True
                    yield from page.units
                    yield from hidden(place, page)
                    if page.after is not None:
                        yield from listing.marks(Cursor(page.after))
                yield from listing.rest()
                return
            except NoListing:
                yield Trouble(place, unknown)
                return
            except FetchError as error:
                if begun or after is None:
                    yield from listing.rest()
                    yield Trouble(place, str(error))
                    return


@dataclass(frozen=True, slots=True)
class SearchSource:
    """All repositories that a search finds."""

    host: Host
    text: str
    topic: str = ""
    """When it is for a topic and nothing else."""

    @property
    def spec(self) -> str:
        """`github:topic/T` or `github:search/TEXT`, with the host where it is not github.com."""
        place = "" if self.host.name == _HOME else f"{self.host.name}/"
        return f"github:{place}{f'topic/{self.topic}' if self.topic else f'search/{self.text}'}"

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield what is found, window by window; Trouble for what is found and cannot be had."""
        # A search leaves forks out unless it is told otherwise; a topic means all that have it.
        text = f"{self.text} fork:true" if self.topic and options.forks else self.text
        listing: GraphListing | RestListing
        if self.host.tokens():
            light = past.is_known and not options.refresh
            listing = GraphListing(Graph(self.host, options.web), options, light)
        else:
            listing = RestListing(Rest(self.host, options.web), options)
        try:
            yield from self._units(text, listing, Cursor.read(past.cursor))
        except FetchError as error:
            yield from listing.rest()
            yield Trouble(self.spec, str(error))

    def _units(self, text: str, listing: GraphListing | RestListing, cursor: Cursor) -> Iterator[Step]:
        yield from listing.again(cursor.nodes)
        left: Window | None = cursor.window or Window()
        if cursor.after:
            # A cursor that is refused is no harm: the search begins anew.
            try:
                yield from self._window(text, cursor.window or Window(), cursor.after, listing)
                left = rest_of(text, cursor.window or Window())
            except FetchError:
                left = Window()
        if left is not None:
            for window, _ in windows(text, left, listing.count):
                yield from self._window(text, window, None, listing)
        yield from listing.rest()
        # With a mark at its end a crawl that went through all is not one that was cut off.
        yield Mark("")

    def _window(
        self, text: str, window: Window, after: str | None, listing: GraphListing | RestListing
    ) -> Iterator[Step]:
        search, met, total, is_whole = window.search(text), 0, 0, True
        for page in listing.searched(search, after):
            yield from page.units
            met, total, is_whole = met + page.size, page.total, is_whole and page.is_whole
            yield from hidden(self.spec, page)
            if page.after is not None:
                yield from listing.marks(Cursor(page.after, window=window))
        if not after and (met < total or not is_whole):
            named = f" of {window.search('').strip()}" if window.axis else ""
            yield Trouble(self.spec, f"{self.host.name} showed {met:,} of {total:,} results{named}")
        if (behind := rest_of(text, window)) is not None:
            yield from listing.marks(Cursor(window=behind))


# --- Words ------------------------------------------------------------------------------------------


def understand(word: str, hosts: Hosts) -> RepositorySource | OwnerSource | SearchSource | None:
    """The source that a word names; None when it is none of GitHub's. SourceError for one that is wrong."""
    if match := re.fullmatch(r"github:(?:([^/]+)/)?(topic|search)/(.+)", word, re.IGNORECASE):
        place = parse_forge_word(
            f"github:{match[1]}/x" if match[1] else "github:x", hosts, "github", home=_HOME
        )
        if place is not None and place.path == "x":
            return _search(word, place.host, match[2].lower(), match[3])
    if ":" not in word:
        owner, _, name = word.partition("/")
        name = re.sub(r"\.git$", "", name, flags=re.IGNORECASE)
        if not _OWNER.fullmatch(owner) or not _NAME.fullmatch(name) or _FILE.fullmatch(name):
            return None
        return RepositorySource(hosts.at(_HOME), f"{owner}/{name}")
    found = parse_forge_word(
        re.sub("^git://", "https://", word, flags=re.IGNORECASE), hosts, "github", home=_HOME
    )
    if found is None:
        return None
    host, steps = found.host, found.steps
    if found.form == "page" and steps:
        link, first = parse_link(word), steps[0].lower()
        if first == "search" and link is not None and (texts := parse_qs(link.query).get("q")):
            return _search(word, host, "search", texts[0])
        if first == "topics" and len(steps) == 2:
            return _search(word, host, "topic", steps[1])
        if first in ("orgs", "users") and len(steps) > 1:
            steps = steps[1:2]
        elif first in _PAGES:
            raise SourceError(f"{_named(word)}: a page of {host.name} that is no repository and no owner")
        steps = steps[:2]
    if not 1 <= len(steps) <= 2 or (found.form == "git" and len(steps) != 2):
        raise SourceError(f"{_named(word)}: names no repository and no owner: write OWNER/NAME or OWNER")
    if not _OWNER.fullmatch(steps[0]) or not all(_NAME.fullmatch(step) for step in steps[1:]):
        raise SourceError(f"{_named(word)}: not a name that {host.name} gives to a repository or its owner")
    if len(steps) == 1:
        return OwnerSource(host, steps[0])
    is_ssh = not re.match(r"(git\+)?https?:|git:|github:", word, re.IGNORECASE)
    address = without_password(re.sub(r"^git\+", "", word, flags=re.IGNORECASE)) if is_ssh else ""
    return RepositorySource(host, "/".join(steps), address)


def _search(word: str, host: Host, kind: str, text: str) -> SearchSource:
    if kind == "topic":
        topic = text.strip().lower()
        if not _TOPIC.fullmatch(topic):
            raise SourceError(f"{_named(word)}: not a topic: small letters, digits and hyphens")
        return SearchSource(host, f"topic:{topic}", topic)
    if re.search(r"[\x00-\x1f\x7f]", text) or not text.strip():
        raise SourceError(f"{_named(word)}: not a search")
    return SearchSource(host, text.strip())


def _named(word: str) -> str:
    return shown(without_password(word))
