"""gitweb and cgit: hosts that list their repositories on pages and have no interface.

What differs between the two stands in a table: the addresses of their pages, and what a line of
them looks like. A repository is fetched by plain git from the address that its page announces, and
from its pages when it announces none or that one does not answer: the log or summary page (which
commit), the page of its root folder and of those folders that may hold a citation file, the file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote, unquote_plus, urljoin, urlsplit

from ...cff.errors import SourceError
from ...cff.identifiers import repository_url
from ...db.found import Found, Known
from ..hosts import Host, Hosts
from ..http import Answer, FetchError
from ..links import Link, parse_link
from ..listing import Entry, EntryKind, with_files
from ..page_dialects import CGIT, GITWEB, Dialect
from ..source import NEW, Mark, Options, Past, Step, Trouble, shown

_PAGE_BYTES = 8 << 20
_TOP_BYTES = 64 << 10
"""Of a page that is read for its beginning: where to clone from, and the newest commit."""


_KINDS: Mapping[str, EntryKind] = {"-": "file", "l": "link", "d": "folder"}
"""By the first letter of a mode as `ls -l` writes it; submodules are left out."""


@dataclass(frozen=True, slots=True)
class ListingSource:
    """All repositories that a host lists."""

    dialect: Dialect
    host: Host
    base: str
    """The address that all others begin with, without a slash at the end."""

    @property
    def spec(self) -> str:
        """Its address."""
        return self.dialect.home.format(base=self.base)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the repositories in the order of the host's list, and a Mark after each page of it."""
        start = int(past.cursor) if past.cursor.isdigit() else 0
        while True:
            address = self.dialect.index.format(base=self.base, start=start)
            try:
                answer = _page(options, address)
                names = self._names(answer)
            except FetchError as error:
                state = "place" if error.state == "failed" else error.state
                yield Trouble(self.base, str(error), state)
                return
            for name in names:
                yield _Repository(self.dialect, self.host, self.base, name)
            pattern = self.dialect.next_start
            found = pattern.findall(_text(answer)) if pattern and names else []
            later = [int(number) for number in found if int(number) > start]
            if not later:
                return
            start = min(later)
            yield Mark(str(start))

    def _names(self, answer: Answer) -> list[str]:
        text = _text(answer)
        is_list = self.dialect.next_start is None
        if is_list and text.lstrip().startswith("<"):
            raise FetchError(f"this is no list of {self.dialect.kind}'s")
        names: dict[str, None] = {}
        for found in self.dialect.listed.finditer(text):
            if found["name"]:
                names[unquote_plus(found["name"])] = None
                continue
            address = urljoin(answer.url, html.unescape(found["address"]))
            if address.startswith(f"{self.base}/"):
                names[unquote(address[len(self.base) + 1 :].partition("?")[0]).strip("/")] = None
        if not names and not is_list and "No repositories found" not in text:
            raise FetchError(f"this is no list of {self.dialect.kind}'s")
        return [name for name in names if name and not _ODD_NAME.search(name)]


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """One repository of such a host, named by itself."""

    unit: _Repository

    @property
    def spec(self) -> str:
        """The address of its page."""
        return self.unit.page

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield it."""
        yield self.unit


@dataclass(frozen=True, slots=True)
class _Repository:
    dialect: Dialect
    host: Host
    base: str
    name: str

    @property
    def page(self) -> str:
        return self.address(self.dialect.repository)

    @property
    def urls(self) -> tuple[str, ...]:
        # cgit answers git at the address of its page, so the page has the name that git's URL has.
        return ((not urlsplit(self.page).query and repository_url(self.page)) or self.page,)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        (url,) = self.urls
        name = self.name.rstrip("/").rpartition("/")[2].removesuffix(".git")
        found = Found(url, shown(name), host=self.host.name)
        try:
            yield self._fetch(found, known.get(url), options)
        except FetchError as error:
            yield replace(found, state=error.state, reason=str(error))
        except SourceError as error:
            yield replace(found, state="failed", reason=str(error))

    def _fetch(self, found: Found, known: Known | None, options: Options) -> Found:
        try:
            top = self._top(options)
        except FetchError:
            # Its pages may be closed to robots, or not be there; git is answered at the same address.
            fetched = self._by_git(self.page, found, known, options) if "?" not in self.page else None
            if fetched is None:
                raise
            return fetched
        clones = _clone_addresses(self.dialect.clone.findall(top), options.hosts, secure=self._is_secure)
        commit = match[1] if (match := self.dialect.commit.search(top)) else ""
        found = replace(found, remote=repository_url(clones[0]) if clones else None)
        if found.remote == found.url:
            found = replace(found, remote=None)
        if not commit:
            return replace(found, state="empty", reason="has no commit", files=())
        if options.holds(known, commit):
            return replace(found, head=commit, unchanged=True)
        fetched = self._by_git(clones[0], found, known, options) if clones else None
        if fetched is None:
            return self._from_pages(found, commit, known, options)
        # Where git was sent on to is no new place of the page.
        return replace(fetched, url=found.url, name=found.name, host=found.host, asked="")

    def _top(self, options: Options) -> str:
        text = _text(_page(options, self.address(self.dialect.top), cut=True))
        if not self.dialect.commit.search(text) and not self.dialect.empty.search(text):
            raise FetchError(f"its page is none of {self.dialect.kind}'s")
        return text

    def _by_git(self, address: str, found: Found, known: Known | None, options: Options) -> Found | None:
        """It as plain git gives it; None when git is not answered there."""
        from ..remote import fetch_remote

        fetched = fetch_remote(found, address, known, options)
        return fetched if fetched.state in ("ok", "empty") else None

    def _from_pages(self, found: Found, commit: str, known: Known | None, options: Options) -> Found:
        found = replace(found, head=commit)
        if options.history or options.nested:
            said = "it is read from pages: neither its history nor the folders below were looked into"
            found = replace(found, notes=(f"{found.url}: {said}",))
        return with_files(found, _Pages(self, commit, options), known, options)

    @property
    def _is_secure(self) -> bool:
        return self.base.startswith("https:")

    def address(self, template: str, commit: str = "", path: str = "") -> str:
        """One of the dialect's addresses."""
        # A plus is a blank in a query, and itself in a path.
        name = quote(self.name, safe="/~,@:!$" if "?p=" in template else "/~,@:!$+")
        file = quote(path, errors="surrogateescape")
        address = template.format(base=self.base, name=name, commit=commit, path=file)
        return address.replace(";f=;", ";")


@dataclass(frozen=True, slots=True)
class _Pages:
    """A repository at one commit, as its pages show it: a Shelf."""

    repository: _Repository
    commit: str
    options: Options
    listed: dict[str, list[Entry]] = field(default_factory=dict)
    """Folders that were looked at."""

    def folder(self, path: str) -> list[Entry]:
        if path not in self.listed:
            dialect = self.repository.dialect
            address = self.repository.address(dialect.tree, self.commit, path)
            self.listed[path] = [
                Entry(html.unescape(m["name"]), _KINDS[m["mode"][0]], m["sha"] or "")
                for m in dialect.entry.finditer(_text(_page(self.options, address)))
                if m["name"] != ".."
            ]
        return self.listed[path]

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        address = self.repository.address(self.repository.dialect.plain, self.commit, path)
        return _page(self.options, address, max_bytes=most).content


_DIALECTS = {dialect.kind: dialect for dialect in (GITWEB, CGIT)}
_ODD_NAME = re.compile(r"[\x00-\x1f\x7f]|(?:^|/)\.\.(?:/|$)")
_CGIT_PAGES = re.compile(
    r"/(?:about|atom|blame|blob|commit|diff|log|patch|plain|rawdiff|refs|snapshot|stats|summary|tag|tree)"
    r"(?:/.*)?$"
)
_CGIT_BASE = re.compile(r"(.*?/cgit(?:\.cgi)?(?:/cgit\.cgi)?)(?:/|$)")
_GITWEB_BASE = re.compile(r"(.*?/(?:gitweb(?:\.cgi|\.perl)?))(?:/|$)")


def understand(word: str, hosts: Hosts) -> ListingSource | ListedRepository | None:
    """The host or repository that an address names; None when it is of neither kind.

    A host is told by its description, or by its address: gitweb's `?p=…` and `?a=project_list`, a path
    with `gitweb` or `cgit` in it. SourceError for an address that is not safe.
    """
    link = parse_link(word)
    if link is None:
        return None
    host = link.described(hosts)
    fields = dict(field.partition("=")[::2] for field in re.split("[;&]", link.query))
    if host.kind not in (*_DIALECTS, "git"):
        return None
    is_gitweb = "p" in fields or fields.get("a") in ("project_list", "project_index", "opml")
    if host.kind == "gitweb" or (host.kind == "git" and (is_gitweb or _GITWEB_BASE.match(link.path))):
        base = link.place + link.path.rstrip("/") if is_gitweb else _base(link, host, _GITWEB_BASE)
        below = unquote((link.place + link.path)[len(base) :]).strip("/")
        name = unquote_plus(fields.get("p", "")) or re.sub(r"(\.git)/.*", r"\1", below)
        # A query needs a path before it.
        base = base if urlsplit(base).path else f"{base}/"
        return _named(GITWEB, link, host, base, name, hosts)
    if host.kind == "cgit" or _CGIT_BASE.match(link.path):
        base = _base(link, host, _CGIT_BASE)
        below = unquote((link.place + link.path)[len(base) :])
        return _named(CGIT, link, host, base, _CGIT_PAGES.sub("", below).strip("/"), hosts)
    return None


def _named(
    dialect: Dialect, link: Link, host: Host, base: str, name: str, hosts: Hosts
) -> ListingSource | ListedRepository:
    link.refuse_unsafe(hosts)
    if _ODD_NAME.search(name):
        raise SourceError(f"{shown(link.public_url)}: not the name of a repository")
    if not name:
        return ListingSource(dialect, host, base)
    return ListedRepository(_Repository(dialect, host, base, name))


def _base(link: Link, host: Host, pattern: re.Pattern[str]) -> str:
    """Where the host's pages begin: as described, else as the address shows, else at its root."""
    whole = link.place + link.path
    described = host.api.rstrip("/")
    if described and f"{whole}/".startswith(f"{described}/"):
        return described
    match = pattern.match(link.path)
    return link.place + (match[1] if match else "")


def _page(options: Options, address: str, *, max_bytes: int = _PAGE_BYTES, cut: bool = False) -> Answer:
    most = _TOP_BYTES if cut else max_bytes
    answer = options.web.get(address, max_bytes=most, cut=cut, page=True)
    if not answer.is_ok:
        raise answer.refusal()
    return answer


def _text(answer: Answer) -> str:
    return answer.content.decode("utf-8", "surrogateescape")


def _clone_addresses(said: list[Any], hosts: Hosts, *, secure: bool) -> list[str]:
    """The addresses that git may be given, https first."""
    found = []
    for text in said:
        for word in re.split(r"[\s,]+", html.unescape(re.sub(r"<[^>]*>", " ", text))):
            link = parse_link(word)
            if link is None:
                continue
            if link.scheme == "http" and secure:
                link = replace(link, scheme="https")
            try:
                link.refuse_unsafe(hosts)
            except SourceError:
                continue
            found.append(link.url.rstrip("/"))
    return sorted(dict.fromkeys(found), key=lambda address: not address.startswith("https:"))
