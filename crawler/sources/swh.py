"""Software Heritage's archive: an origin as it was last visited, or any object by its SWHID.

An archived copy is a place of its own: its canonical URL is the archive's page of it, and the origin
is its `remote`. So a repository that is gone from its forge is found here again, as a place of the
same software, while the forge's own entry goes on saying `gone`; and crawling both never makes one
overwrite what the other holds.

An origin costs a request when the archive has no newer snapshot of it; else one each for snapshot,
revision, root folder, inner folders that it has, and files that are not known. The archive names a
content by git's blob id, so known ones are told by the listing. What a SWHID names never changes: it
is fetched once. (The interface: archive.softwareheritage.org/api/1/; SWHIDs: ISO/IEC 18670.)
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, quote, unquote

from ...cff.errors import SourceError
from ...cff.identifiers import repository_url
from ...cff.read import blob_id
from ...db.found import Found, FoundFile, Known
from ..hosts import Host, Hosts
from ..http import FetchError, TooLarge
from ..links import parse_link
from ..listing import Entry, EntryKind, with_files
from ..names import CITATION_FILE
from ..source import NEW, Options, Past, Step, shown

_SWHID = re.compile(r"swh:1:(cnt|dir|rev|rel|snp):([0-9a-f]{40})(;.*)?", re.IGNORECASE)
_TYPES = {"cnt": "content", "dir": "directory", "rev": "revision", "rel": "release", "snp": "snapshot"}
_HEADS = ("HEAD", "refs/heads/main", "refs/heads/master", "refs/heads/trunk")
"""Branches that stand for a repository; subversion and packages have HEAD in the archive too."""
_SYMLINK = 0o120000
_ENTRIES: Mapping[str, EntryKind] = {"file": "file", "dir": "folder", "rev": "module"}
_MOST_STEPS = 8
"""From name to name to object; more is a circle."""


@dataclass(frozen=True, slots=True)
class SwhSource:
    """An origin, or an object."""

    host: Host
    origin: str
    """Its URL as the archive knows it; of an object, where it was seen, if the SWHID says."""
    kind: str = ""
    """content, directory, revision, release or snapshot; empty for an origin."""
    id: str = ""
    path: str = ""
    """Of a content: where it stood, if the SWHID says."""

    @property
    def spec(self) -> str:
        """The word that names it, in its one form."""
        if not self.kind:
            return f"swh:{self.origin}"
        qualifiers = (("origin", self.origin), ("path", self.path))
        return self.swhid + "".join(f";{name}={_qualifier(value)}" for name, value in qualifiers if value)

    @property
    def swhid(self) -> str:
        """Of an object, without qualifiers."""
        short = next(short for short, long in _TYPES.items() if long == self.kind)
        return f"swh:1:{short}:{self.id}"

    @property
    def urls(self) -> tuple[str, ...]:
        """The archive's page of it."""
        page = content_page(self.host, self.swhid) if self.kind else origin_page(self.host, self.origin)
        return (page,)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield it: it is its one unit."""
        yield self

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield the one place."""
        (url,) = self.urls
        name = origin_name(self.origin) or (self.path.rpartition("/")[2] if self.kind == "content" else "")
        remote = origin_remote(self.origin) if self.origin else None
        found = Found(url, shown(name or self.swhid), host=self.host.name, remote=remote)
        try:
            yield _Reader(self.host, options, known.get(url)).read(self, found)
        except FetchError as error:
            yield replace(found, state=error.state, reason=str(error))


def understand(word: str, hosts: Hosts) -> SwhSource | None:
    """What a word names in the archive; None when it says nothing of it. SourceError for a broken one.

    `swh:` and the URL of an origin, a SWHID with or without qualifiers, or the archive's page of one.
    """
    link = parse_link(word)
    if link is not None:
        host = link.described(hosts)
        if host.kind != "swh":
            return None
        origins = parse_qs(link.query).get("origin_url", [])
        named = unquote(re.sub(r"^/(?:browse/)?", "", link.path))
        named = named if ";" in named else named.rstrip("/")
        if link.path.startswith("/browse/origin/") and origins:
            named = f"swh:{origins[0]}"
        if not named.lower().startswith("swh:"):
            raise SourceError(f"{shown(word)}: not understood: name an origin as swh:URL, or a SWHID")
        return _source(named, host)
    if not word.lower().startswith("swh:"):
        return None
    # One that the user described stands behind the known one.
    return _source(word, hosts.of_kind("swh")[-1])


def origin_page(host: Host, origin: str) -> str:
    """The archive's page of an origin: the canonical URL of the archived copy."""
    return f"{host.web}/browse/origin/?origin_url={quote(origin, safe='/:~@')}"


def content_page(host: Host, swhid: str) -> str:
    """The archive's page of an object: its permanent address."""
    return f"{host.web}/{swhid}"


def origin_name(origin: str) -> str:
    """What an archived copy is called.

    >>> origin_name("https://forge.example/o/Tool.git/")
    'Tool'
    """
    return unquote(origin.rstrip("/")).rpartition("/")[2].removesuffix(".git")


def origin_remote(origin: str) -> str:
    """The origin as the canonical URL of the repository that it is, where it can be one."""
    return repository_url(origin) or shown(origin)


def _source(word: str, host: Host) -> SwhSource:
    match = _SWHID.fullmatch(word)
    if match is not None:
        fields = dict(field.partition("=")[::2] for field in (match[3] or "").split(";") if field)
        path = unquote(fields.get("path", "")).strip("/")
        return SwhSource(
            host, _origin(unquote(fields.get("origin", ""))), _TYPES[match[1].lower()], match[2].lower(), path
        )
    origin = _origin(word[len("swh:") :])
    if re.match(r"1:", origin) or not re.fullmatch(
        r"[a-z][a-z0-9+.-]*://[^/\s][^\s]*", origin, re.IGNORECASE
    ):
        raise SourceError(f"{shown(word)}: not understood: name an origin as swh:URL, or a SWHID")
    return SwhSource(host, origin)


def _origin(text: str) -> str:
    """An origin's URL without a user's name and password: the archive knows none with them."""
    return re.sub(r"(?<=://)[^/@\s]*@", "", text.strip()).partition("#")[0]


def _qualifier(value: str) -> str:
    return value.replace("%", "%25").replace(";", "%3B")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one place; all questions to the archive are asked here."""

    host: Host
    options: Options
    known: Known | None

    def read(self, source: SwhSource, found: Found) -> Found:
        """`found` with what the archive holds. FetchError when it cannot be had."""
        kind, oid = source.kind, source.id
        if kind and self._is_at(oid):
            return replace(found, head=oid, unchanged=True)
        if not kind:
            oid = self._snapshot_of(source.origin)
            if self.known and oid == self.known.validator and self._is_at(self.known.head):
                return replace(found, head=self.known.head, validator=oid, unchanged=True)
            found = replace(found, validator=oid)
            kind = "snapshot"
        if kind == "content":
            file = self._file(source.path.rpartition("/")[2] or CITATION_FILE, oid)
            return replace(found, head=None if file.refused else oid, files=(file,))
        branch, kind, target = self._resolve(kind, oid)
        found = replace(found, default_branch=branch)
        if not kind:
            return replace(found, state="empty", reason="the archive holds no branch of it", files=())
        if not source.kind and self._is_at(target):
            return replace(found, head=target, unchanged=True)
        found = replace(found, head=source.id or target)
        if self.options.history or self.options.nested:
            said = "it is read from the archive: neither its history nor folders below were looked into"
            found = replace(found, notes=(f"{found.url}: {said}",))
        return with_files(found, _Tree(self, self._root(kind, target)), self.known, self.options)

    def _is_at(self, head: str | None) -> bool:
        return self.known is not None and self.known.is_at(head) and not self.options.refresh

    def _snapshot_of(self, origin: str) -> str:
        path = f"origin/{quote(origin, safe='/:~@+,=')}/visit/latest/?require_snapshot=true"
        snapshot = self._ask(path, "no visit of this origin").get("snapshot")
        if not isinstance(snapshot, str):
            raise FetchError("the archive has visited it, and got nothing", "gone")
        return snapshot

    def _resolve(self, kind: str, oid: str) -> tuple[str | None, str, str]:
        """(branch, kind, id) of the revision or folder that an object stands for; kind is empty for none."""
        branch = None
        for _ in range(_MOST_STEPS):
            if kind == "snapshot":
                branch, kind, oid = self._head(oid)
            elif kind == "release":
                said = self._ask(f"release/{oid}/", "no such release")
                kind, oid = str(said.get("target_type")), str(said.get("target"))
            else:
                break
        if kind not in ("revision", "directory", ""):
            raise FetchError(f"what it stands for is a {shown(kind)}, and neither a revision nor a folder")
        return branch, kind, oid

    def _head(self, snapshot: str) -> tuple[str | None, str, str]:
        """(name, kind, id) of the branch that stands for a snapshot; nothing when it has none."""
        # The archive's own order is that of the names, and few come before HEAD and refs/heads.
        branches = self._branches(snapshot, "HEAD")
        name = next((name for name in _HEADS if branches.get(name)), "") or next(
            (name for name, branch in sorted(branches.items()) if branch and name.startswith("refs/heads/")),
            "",
        )
        for _ in range(_MOST_STEPS):
            if not name:
                break
            branch = branches.get(name) or self._branches(snapshot, name, count=1).get(name)
            if not branch:
                break
            target = str(branch.get("target"))
            if branch.get("target_type") != "alias":
                return shown(name.removeprefix("refs/heads/")), str(branch.get("target_type")), target
            name = target
        return None, "", ""

    def _branches(self, snapshot: str, start: str, count: int = 1000) -> dict[str, Any]:
        query = f"branches_from={quote(start, safe='')}&branches_count={count}"
        branches = self._ask(f"snapshot/{snapshot}/?{query}", "no such snapshot").get("branches")
        if not isinstance(branches, dict):
            raise FetchError("the archive's answer has no branches")
        return branches

    def _root(self, kind: str, oid: str) -> str:
        if kind == "directory":
            return oid
        return str(self._ask(f"revision/{oid}/", "no such revision").get("directory"))

    def _file(self, path: str, oid: str) -> FoundFile:
        try:
            content = self.raw(oid, self.options.max_size_bytes)
        except TooLarge as error:
            return FoundFile(shown(path), "", refused=str(error))
        if blob_id(content) != oid:
            raise FetchError("the archive sent other bytes than were asked for")
        return FoundFile(shown(path), oid, content)

    def entries(self, oid: str) -> list[Entry]:
        """What a folder holds."""
        said = self._json(f"directory/{oid}/", "no such folder")
        if not isinstance(said, list) or not all(isinstance(e, dict) and "name" in e for e in said):
            raise FetchError("the archive's answer lists no folder")
        return [
            Entry(
                str(e["name"]),
                "link" if e.get("perms") == _SYMLINK else _ENTRIES.get(str(e.get("type")), "module"),
                str(e.get("target")),
                e["length"] if isinstance(e.get("length"), int) else None,
            )
            for e in said
        ]

    def raw(self, oid: str, most: int) -> bytes:
        """A content; TooLarge when it has more bytes than `most`."""
        answer = self.options.web.get(f"{self.host.api}/content/sha1_git:{oid}/raw/", max_bytes=most)
        if answer.status == 404:
            raise FetchError("the archive lacks the content of its file")
        if not answer.is_ok:
            raise answer.refusal()
        return answer.content

    def _ask(self, path: str, lack: str) -> dict[str, Any]:
        said = self._json(path, lack)
        if not isinstance(said, dict):
            raise FetchError("the archive's answer is not of its form")
        return said

    def _json(self, path: str, lack: str) -> Any:
        answer = self.options.web.get(f"{self.host.api}/{path}", accept="application/json")
        if answer.status == 404:
            raise FetchError(f"the archive holds {lack}", "gone")
        if not answer.is_ok:
            raise answer.refusal()
        return answer.json()


@dataclass(frozen=True, slots=True)
class _Tree:
    """The folders below a root folder: a Shelf."""

    reader: _Reader
    root: str
    listed: dict[str, list[Entry]] = field(default_factory=dict)

    def folder(self, path: str) -> list[Entry]:
        if path not in self.listed:
            above, name = posixpath.split(path)
            found = (
                (e.sha for e in self.folder(above) if e.name == name and e.kind == "folder") if path else ()
            )
            oid = self.root if not path else next(iter(found), None)
            if oid is None:
                raise FetchError("the archive holds no such folder", "gone")
            self.listed[path] = self.reader.entries(oid)
        return self.listed[path]

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        return self.reader.raw(entry.sha, most)
