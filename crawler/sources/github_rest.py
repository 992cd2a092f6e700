"""GitHub's REST interface: all there is without a token, and the bytes that GraphQL does not give.

Without a token a machine has sixty requests an hour. So a repository costs two to five of them the
first time and one afterwards, files come from where they are not counted, and once the hour's requests
are used up, single repositories are fetched with git, which counts nothing. (GitHub, "REST API
endpoints" for repositories, git trees and git blobs; "Rate limits for the REST API".)
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from ...cff.identifiers import repository_url
from ...cff.read import blob_id
from ...db.found import Found, Known
from ..forge import Facts, Interface, empty, failed, filled, unchanged
from ..hosts import Host
from ..http import MAX_BYTES, Answer, FetchError, TooLarge, Web
from ..listing import KIND_OF_MODE, Entry
from ..remote import fetch_remote
from ..source import Options
from .github_query import named

_JSON = "application/vnd.github+json"
_RAW = "application/vnd.github.raw+json"
_BEARABLE_WAIT_S = 90.0
"""A longer wait of those who have no token is for the hour's end."""
_RAW_HOST = "https://raw.githubusercontent.com"
"""Where the files of github.com are for all, uncounted."""


class LimitReached(FetchError):
    """No more requests for those who have no token, for longer than is waited."""


class Rest(Interface):
    """The REST interface of one host, through the polite session."""

    def get(self, at: str, *, accept: str = _JSON, max_bytes: int = MAX_BYTES, validator: str = "") -> Answer:
        """The answer at an address; FetchError when there is none, LimitReached when it comes too late."""
        url = f"{self.host.api}/{at}"
        if self.host.tokens():
            return self.web.get(url, accept=accept, max_bytes=max_bytes, validator=validator)
        try:
            answer = self.web.get(url, accept=accept, max_bytes=max_bytes, validator=validator, patient=False)
            if answer.status < 500:
                return answer
        except TooLarge:
            raise
        except FetchError as error:
            if error.state != "failed":
                raise
            resets = [q.reset for q in self.web.quotas() if q.host == self.host.name and q.remaining == 0]
            reset = max((reset for reset in resets if reset is not None), default=0.0)
            if reset - time.time() > _BEARABLE_WAIT_S:
                raise self._limit(reset) from None
        # Without patience nothing was tried again: neither after a short wait nor after a fault.
        return self.web.get(url, accept=accept, max_bytes=max_bytes, validator=validator)

    def _limit(self, reset: float) -> LimitReached:
        until = time.strftime("%H:%M", time.localtime(reset))
        names = " or ".join(self.host.token_names)
        return LimitReached(
            f"{self.host.name}: its limit for requests without a token is reached until {until}"
            + (f": set {names}" if names else "")
        )

    def tree(self, path: str, tree: str) -> tuple[str, list[Entry]]:
        """(id of what was asked for, its entries); FetchError, whose state is `empty` where nothing is."""
        answer = self.get(f"repos/{quote(path)}/git/trees/{tree}")
        if answer.status == 409:
            raise FetchError("has no commit", "empty")
        if not answer.is_ok:
            raise answer.refusal()
        told = answer.json()
        try:
            entries = [
                Entry(
                    line["path"],
                    KIND_OF_MODE.get(line["mode"], "file"),
                    line.get("sha") or "",
                    line.get("size"),
                )
                for line in told["tree"]
            ]
            return str(told["sha"]), entries
        except (LookupError, TypeError, AttributeError):
            raise FetchError(f"{self.host.name} answered with something else than a tree") from None

    def blob(self, path: str, sha: str, most: int) -> bytes:
        """The bytes of a blob; TooLarge when there are more than `most`."""
        answer = self.get(f"repos/{quote(path)}/git/blobs/{sha}", accept=_RAW, max_bytes=most)
        if not answer.is_ok:
            raise FetchError(f"{self.host.name} lists a citation file and answers {answer.status} for it")
        return answer.content


class RestShelf:
    """A repository as REST gives it, folder by folder."""

    def __init__(self, rest: Rest, path: str, at: str = "HEAD") -> None:
        self.head = ""
        """What HEAD is, once the root was asked for."""
        self._rest, self._path, self._at = rest, path, at
        self._seen: dict[str, list[Entry]] = {}

    def folder(self, path: str) -> Sequence[Entry]:
        """What a folder holds; FetchError when there is none."""
        if path in self._seen:
            return self._seen[path]
        if not path:
            self.head, entries = self._rest.tree(self._path, self._at)
        else:
            above, _, name = path.rpartition("/")
            there = [e for e in self.folder(above) if e.name == name and e.kind == "folder"]
            if not there:
                raise FetchError(f"has no folder {path}")
            _, entries = self._rest.tree(self._path, there[0].sha)
        self._seen[path] = entries
        return entries

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        """The bytes of a file or the target of a link; TooLarge when there are more than `most`."""
        if self._rest.host.name == "github.com" and not self._rest.host.tokens():
            url = f"{_RAW_HOST}/{quote(self._path)}/HEAD/{quote(path)}"
            answer = self._rest.web.get(url, max_bytes=most)
            # For some minutes it may still be what was there before.
            if answer.is_ok and blob_id(answer.content) == entry.sha:
                return answer.content
        return self._rest.blob(self._path, entry.sha, most)


@dataclass(frozen=True, slots=True)
class RestRepository:
    """A unit of one repository, asked for without a token."""

    host: Host
    path: str
    facts: Facts | None = None
    """What a listing has said of it already."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Its canonical URL by this path."""
        return (self.host.repository(self.path),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield it, unless the user wants none of its sort."""
        (url,) = self.urls
        found, rest = named(self.host, self.path), Rest(self.host, options.web)
        before = known.get(url)
        try:
            told = self.facts or self._ask(rest, found, before, options)
            if isinstance(told, Found):
                yield told
                return
            found = self._parse(told)
            if not options.wants(found):
                return
            if found.state == "ok":
                found = _still(found, before, options) or self._changed(rest, told, before, options)
        except LimitReached as limit:
            found = self._with_git(found, limit, before, options)
        except FetchError as error:
            found = empty(found) if error.state == "empty" else failed(found, error)
        yield found

    def _ask(self, rest: Rest, found: Found, known: Known | None, options: Options) -> Facts | Found:
        """What the host says of it; it itself when that is the same as the last time."""
        at, etag = f"repos/{quote(self.path)}", ""
        still = unchanged(dataclasses.replace(found, head=known.head), known, options) if known else None
        # An answer that says no more than "not changed" does not tell of what sort it is.
        if known and still and options.forks and options.archived:
            etag = known.validator.partition(" ")[2].partition(" ")[2]
        answer = rest.get(at, validator=etag)
        if answer.status == 304:
            if still and urlsplit(answer.url).path.endswith(f"/{at}"):
                return still
            answer = rest.get(at)  # it has another name now, and the answer does not tell which
        if not answer.is_ok:
            raise answer.refusal()
        facts = answer.json()
        if not isinstance(facts, dict) or not isinstance(facts.get("full_name"), str):
            raise FetchError(f"{self.host.name} answered with something else than was asked for")
        return {**facts, "etag": answer.headers.get("ETag", "")}

    def _parse(self, facts: Facts) -> Found:
        (url,) = self.urls
        found = parse_facts(facts, self.host)
        return dataclasses.replace(found, asked=url) if url != found.url else found

    def _changed(self, rest: Rest, facts: Facts, known: Known | None, options: Options) -> Found:
        found = self._parse(facts)
        if found.is_fork and found.parent_url is None and self.facts:
            # Of what it is a fork a listing does not tell.
            told = self._ask(rest, found, None, options)
            found = self._parse(told) if not isinstance(told, Found) else found
        shelf = RestShelf(rest, facts["full_name"])
        shelf.folder("")
        found = dataclasses.replace(found, head=shelf.head)
        # It may have been pushed to elsewhere than on its default branch.
        return unchanged(found, known, options) or filled(found, shelf, known, options)

    def _with_git(self, found: Found, limit: LimitReached, known: Known | None, options: Options) -> Found:
        fetched = fetch_remote(found, f"{self.host.web}/{self.path}.git", known, options)
        if _is_first(options.web, self.host):
            note = f"{limit}; until then repositories are fetched with git"
            fetched = dataclasses.replace(fetched, notes=(*fetched.notes, note))
        return fetched


def _still(found: Found, known: Known | None, options: Options) -> Found | None:
    """A repository as unchanged, when nobody has pushed to it since the database knows it."""
    if known is None or not found.validator or found.validator.startswith("-"):
        return None
    if found.validator.split(" ")[:2] != known.validator.split(" ")[:2]:
        return None
    return unchanged(dataclasses.replace(found, head=known.head), known, options)


_TOLD: WeakKeyDictionary[Web, set[str]] = WeakKeyDictionary()
_TOLD_LOCK = threading.Lock()


def _is_first(web: Web, host: Host) -> bool:
    """Whether nothing was said yet of the limit of a host in the crawl of this session."""
    with _TOLD_LOCK:
        told = _TOLD.setdefault(web, set())
        first = host.name not in told
        told.add(host.name)
        return first


def parse_facts(facts: Mapping[str, Any], host: Host) -> Found:
    """What REST says of a repository, without files; the validator changes with each push.

    It is when it was pushed to, the default branch, and the ETag of the answer, if it was of this one
    repository.
    """
    path, parent, mirrored = facts["full_name"], facts.get("parent"), facts.get("mirror_url")
    number, branch = facts.get("id"), facts.get("default_branch")
    found = Found(
        host.repository(path),
        path.rpartition("/")[2],
        host=host.name,
        default_branch=branch,
        forge_id=str(number) if number is not None else None,
        is_fork=facts.get("fork"),
        is_mirror=bool(mirrored),
        is_archived=facts.get("archived"),
        parent_url=host.repository(parent["full_name"])
        if parent
        else repository_url(mirrored)
        if mirrored
        else None,
        validator=f"{facts.get('pushed_at') or '-'} {branch or '-'} {facts.get('etag', '')}",
    )
    if facts.get("disabled"):
        return dataclasses.replace(found, state="blocked", reason=f"{host.name} has disabled it")
    return found
