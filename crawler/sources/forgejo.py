"""Forgejo, Gitea and Gogs, so Codeberg too: repositories, owners, topics, whole hosts.

What has not changed costs nothing beyond its listing: `updated_at` of a repository moves with every
push, to whichever branch, and with its settings, so with the default branch it says whether a file may
have changed. (Of a mirror it is the date of its newest commit, which an older one that comes to the
default branch does not move; there the time of its last update counts too.) A repository that has
changed is asked for the folders that may hold a citation file (`git/trees`, which names its commit and
blobs), then for the file.

(Interface: the `/api/swagger` of any such host; Gogs, "API Documentation". Gogs sends no `Link` header
and searches for nothing but a word: its `_` stands for any letter.)
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import parse_qsl, quote, urlencode

from ...cff.errors import SourceError
from ...cff.read import blob_id
from ...db.found import Found
from ..forge import (
    Facts,
    ForgeRepository,
    Interface,
    Page,
    empty,
    field,
    flag,
    inner,
    one,
    place_trouble,
    repositories,
    rows,
    text,
)
from ..forge_words import forge_word, parse_forge_word
from ..hosts import Host, Hosts
from ..http import Answer, FetchError, TooLarge, Web
from ..listing import KIND_OF_MODE, Entry
from ..source import NEW, Options, Past, Step, shown

_PAGE = 50
"""The most that a host gives at once, unless it was set up otherwise (`MAX_RESPONSE_ITEMS`)."""
_SETTLES_S = 60
"""How long after a change another one may bear the same time, which is told in seconds."""
_NO_OWNERS = frozenset(
    "admin api assets attachments avatars captcha debug error explore favicon.ico ghost issues login"
    " manifest.json metrics milestones new notifications org pulls raw repo robots.txt search"
    " serviceworker.js swagger.v1.json user users v2".split()
)
"""First steps that are pages of the host's own (names that Forgejo reserves)."""


@dataclass(frozen=True, slots=True)
class ForgejoSource:
    """A repository, all of an owner or of a topic, or all of a host."""

    host: Host
    kind: Literal["repository", "owner", "topic", "host"]
    name: str = ""
    """Path of the repository, name of the owner, or topic."""

    @property
    def spec(self) -> str:
        """The address of a repository; `forgejo:HOST/…` for all else."""
        if self.kind == "repository":
            return self.host.repository(self.name)
        return forge_word(self.host, "forgejo", f"topic/{self.name}" if self.kind == "topic" else self.name)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield a unit for each repository, page after page."""
        forge = _Forgejo(self.host)
        if self.kind == "repository":
            yield ForgeRepository(forge, self.name)
            return

        def otherwise(error: FetchError) -> Step:
            return place_trouble(self.spec, self.host, self.kind, error)

        yield from repositories(forge, options.web, self._starts(), past, _page, otherwise)

    def _starts(self) -> list[str]:
        name = quote(self.name, safe="")
        if self.kind == "owner":
            return [f"orgs/{name}/repos?page=1&limit={_PAGE}", f"users/{name}/repos?page=1&limit={_PAGE}"]
        wanted = {"q": self.name, "topic": "true"} if self.kind == "topic" else {"q": ""}
        # In the order in which they were made, what is added meanwhile comes last.
        fields = {**wanted, "sort": "id", "order": "asc", "page": 1, "limit": _PAGE}
        return [f"repos/search?{urlencode(fields)}"]


def understand(word: str, hosts: Hosts) -> ForgejoSource | None:
    """The source that a word names.

    `forgejo:HOST`, `forgejo:HOST/OWNER`, `forgejo:HOST/topic/NAME`, or an address at a host of this kind.
    SourceError for one that is Forgejo's and names nothing that can be crawled.
    """
    named = parse_forge_word(word, hosts, "forgejo")
    if named is None:
        return None
    host, steps = named.host, named.steps
    if named.form == "kind" and len(steps) == 2 and steps[0].lower() == "topic":
        return ForgejoSource(host, "topic", steps[1].lower())
    if named.form == "page" and steps[:2] == ("explore", "repos"):
        steps = ()
    if named.form == "page" and steps[:1] == ("org",) and len(steps) > 1:
        steps = steps[1:2]
    if len(steps) >= 2 and steps[0] not in _NO_OWNERS:
        return ForgejoSource(host, "repository", "/".join(steps[:2]))
    if not steps:
        return ForgejoSource(host, "host")
    if len(steps) > 1 or named.form == "git" or steps[0].lower() in _NO_OWNERS:
        raise SourceError(f"{shown(word)}: a page of the host's own, and no repository or owner")
    return ForgejoSource(host, "owner", steps[0].lower())


def _page(at: str, answer: Answer) -> Page:
    items = rows(answer.json(), "data")
    if "Link" in answer.headers:
        return Page(items, answer.next_url())
    way, _, query = at.partition("?")
    fields = dict(parse_qsl(query, keep_blank_values=True))
    number = int(fields.get("page", 1))
    total = answer.headers.get("X-Total-Count", "")
    if not items and number == 1 and fields.get("q") == "" and total in ("", "0"):
        return Page(items, f"/{way}?{urlencode({**fields, 'q': '_'})}")
    if not items or (total.isdigit() and number * len(items) >= int(total)):
        return Page(items, None)
    return Page(items, f"?{urlencode({**fields, 'page': number + 1})}")


@dataclass(frozen=True, slots=True)
class _Forgejo:
    host: Host

    def ask(self, web: Web, path: str) -> Facts:
        return Interface(self.host, web).facts(f"repos/{quote(path)}")

    def found(self, facts: Facts) -> Found:
        path, parent = field(facts, "full_name"), text(inner(facts, "parent"), "full_name")
        branch = text(facts, "default_branch")
        found = Found(
            self.host.repository(path),
            path.rpartition("/")[2],
            host=self.host.name,
            forge_id=field(facts, "id"),
            default_branch=branch,
            is_fork=flag(facts, "fork"),
            is_mirror=flag(facts, "mirror"),
            is_archived=flag(facts, "archived"),
            parent_url=self.host.repository(parent) if parent else None,
            validator=_validator(facts),
        )
        return empty(found) if facts.get("empty") else found

    def shelf(self, web: Web, facts: Facts) -> tuple[_Shelf, str]:
        shelf = _Shelf(Interface(self.host, web), f"repos/{quote(field(facts, 'full_name'))}")
        return shelf, shelf.open(text(facts, "default_branch") or "HEAD")


def _validator(facts: Facts) -> str:
    """What changes whenever a file may have changed; empty while that cannot be told."""
    marks = [str(facts.get("updated_at") or "")]
    if facts.get("mirror"):
        marks.append(str(facts.get("mirror_updated") or ""))
    try:
        newest = max(datetime.fromisoformat(mark) for mark in marks)
        is_settled = (datetime.now(UTC) - newest).total_seconds() > _SETTLES_S
    except (ValueError, TypeError):
        return ""
    return " ".join([*marks, str(facts.get("default_branch"))]) if is_settled else ""


class _Shelf:
    """A repository at the head of its default branch."""

    def __init__(self, interface: Interface, at: str) -> None:
        self._interface, self._at = interface, at
        self._head = ""
        self._folders: dict[str, list[Entry]] = {}

    def open(self, branch: str) -> str:
        """Read the root; the commit that it stands at."""
        self._head, self._folders[""] = self._tree(branch)
        return self._head

    def folder(self, path: str) -> Sequence[Entry]:
        if path not in self._folders:
            above, _, name = path.rpartition("/")
            inner = next((e for e in self.folder(above) if e.name == name and e.kind == "folder"), None)
            self._folders[path] = self._tree(inner.sha)[1] if inner else []
        return self._folders[path]

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        at = f"{self._at}/raw/{quote(path, errors='surrogateescape')}?ref={self._head}"
        answer = self._interface.get(at, accept="*/*", max_bytes=most)
        if answer.is_ok and blob_id(answer.content) == entry.sha:
            return answer.content
        # Gogs has another address for the file, and some versions put what LFS keeps in place of the blob.
        blob = self._interface.facts(f"{self._at}/git/blobs/{entry.sha}")
        try:
            content = base64.b64decode(str(blob["content"]))
        except (KeyError, binascii.Error) as error:
            name = self._interface.host.name
            raise FetchError(f"{name} lists a citation file and does not give it") from error
        if len(content) > most:
            raise TooLarge(f"has more than {most:,} bytes")
        return content

    def _tree(self, name: str) -> tuple[str, list[Entry]]:
        at = f"{self._at}/git/trees/{quote(name, safe='')}?per_page=1000"
        shas: list[str] = []

        def read(_: str, answer: Answer) -> Page:
            told = one(answer.json())
            listed = rows(told, "tree")
            shas.append(text(told, "sha") or "")
            following = f"?per_page=1000&page={len(shas) + 1}"
            return Page(listed, following if told.get("truncated") and listed else None)

        entries = [
            Entry(
                str(line.get("path", "")),
                KIND_OF_MODE.get(str(line.get("mode")), "file"),
                str(line.get("sha", "")),
                size if isinstance(size := line.get("size"), int) else None,
            )
            for line in self._interface.lines(at, read, f"the files of its branch {name}")
        ]
        if not shas[0]:
            raise FetchError(f"{self._interface.host.name} does not say which commit it shows")
        return shas[0], entries
