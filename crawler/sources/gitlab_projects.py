"""Fetching projects of a GitLab, fifty at a time: which have changed, what their folders hold, the files.

Each of these is one question of GraphQL about all that are left, and REST's for each where GraphQL has no
answer. A text from GraphQL counts when it has the blob id that was listed, else the raw blob is fetched.
What REST alone knows of a project (forks and their parents) is asked for when the listing did not tell,
and only of those that hold a citation file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from ...cff.read import blob_id
from ...db.found import Found, Known
from ..forge import (
    Facts,
    Interface,
    Page,
    empty,
    failed,
    field,
    filled,
    flag,
    inner,
    one,
    rows,
    text,
    unchanged,
)
from ..hosts import Host
from ..http import Answer, FetchError, TooLarge
from ..listing import KIND_OF_MODE, Entry, chosen, held_folders
from ..names import FOLDERS
from ..source import Joinable, Options
from .gitlab_graphql import (
    INNER,
    MOST,
    ROOTS,
    ROOTS_BY_PATH,
    TEXTS,
    GraphQL,
    entries_of,
    gid,
    head_of,
    nodes_of,
    project_id,
)


def read_page(at: str, answer: Answer) -> Page:
    """A page of one of REST's listings, or one project as if it were listed."""
    told = answer.json()
    if isinstance(told, dict) and "path_with_namespace" in told:
        return Page([told], None)
    return Page(rows(told), answer.next_url())


@dataclass(frozen=True, slots=True)
class Lead:
    """A project as a word or a listing names it."""

    path: str
    """With its groups, of any depth."""
    id: str = ""
    facts: Facts | None = None
    """What REST has said of it already."""
    head: str = ""
    """The commit of its default branch, where a listing tells."""
    branch: str | None = None
    archived: bool | None = None
    empty: bool = False
    asked: str = ""
    """The path by which it was asked for; empty for its own."""


@dataclass(frozen=True, slots=True)
class Project:
    """A unit of one project; costs less together with others of its host."""

    host: Host
    lead: Lead

    @property
    def urls(self) -> tuple[str, ...]:
        """Its canonical URL."""
        return Projects(self.host, (self.lead,)).urls

    @property
    def group(self) -> tuple[str, str]:
        """The projects of one host."""
        return ("gitlab", self.host.name)

    @property
    def most(self) -> int:
        """As many as GraphQL takes."""
        return MOST

    def join(self, others: Sequence[Joinable]) -> Projects:
        """All of them."""
        leads = [each.lead for each in (self, *others) if isinstance(each, Project)]
        return Projects(self.host, tuple({lead.path.lower(): lead for lead in leads}.values()))

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield it, unless the user wants none of its sort."""
        return Projects(self.host, (self.lead,)).fetch(known, options)


@dataclass(frozen=True, slots=True)
class Projects:
    """A unit of several projects of one host."""

    host: Host
    leads: tuple[Lead, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        """Their canonical URLs, by the paths by which they were asked for."""
        return tuple(self.host.repository(lead.asked or lead.path) for lead in self.leads)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield those of which the user wants the sort."""
        interface, graph = Interface(self.host, options.web), GraphQL(self.host, options.web)
        works = [
            _Work(interface, lead, url, known.get(url), options)
            for lead, url in zip(self.leads, self.urls, strict=True)
        ]
        for work in works:
            yield from work.compare()
        _read_roots(graph, [work for work in works if not work.is_done])
        for work in works:
            yield from work.settle()
        if not (options.history or options.nested):
            left = [work for work in works if not work.is_done]
            _read_folders(graph, left)
            _read_texts(graph, left)
        for work in works:
            yield from work.finish()


class _Work:
    """One project on its way from a lead to a Found; also its shelf."""

    def __init__(
        self, interface: Interface, lead: Lead, url: str, known: Known | None, options: Options
    ) -> None:
        self.lead, self.known, self.options = lead, known, options
        self.is_done = False
        self.id = lead.id
        self.folders: dict[str, list[Entry]] = {}
        self.texts: dict[str, bytes] = {}
        """By blob id."""
        self._interface, self._url = interface, url
        self._facts: Facts | None = None
        self._found = self._named(lead.path, branch=lead.branch, archived=lead.archived, head=lead.head)
        if lead.facts is not None:
            self._tell(lead.facts)
        elif lead.empty:
            self._found = empty(self._found)

    # --- Its way, step by step --------------------------------------------------------------------

    def compare(self) -> Iterator[Found]:
        """Yield it when the listing shows already that nothing is to be fetched."""
        if not self.options.wants(self._found):
            self.is_done = True
        elif self._found.state == "empty":
            yield self._end(self._found)
        elif self._found.head and (same := unchanged(self._found, self.known, self.options)):
            yield self._end(same)

    def take_root(self, node: Facts) -> None:
        """Learn what GraphQL says of it."""
        repository = inner(node, "repository")
        head, path = head_of(node), text(node, "fullPath") or self.lead.path
        self.id = self.id or project_id(node)
        if self._facts is None:
            branch, archived = text(repository, "rootRef"), flag(node, "archived")
            self._found = self._named(path, branch=branch, archived=archived, head=head)
        self._found = replace(self._found, head=head or None)
        if flag(repository, "empty"):
            self._found = empty(self._found)
        if (root := entries_of(inner(repository, "tree"))) is not None and head:
            self.folders[""] = root

    def settle(self) -> Iterator[Found]:
        """Yield it when it has not changed, is empty, or cannot be had; else its commit is known."""
        if self.is_done:
            return
        is_told = "archived" in (self._facts or {})
        try:
            if not self.id or not (is_told or (self.options.forks and self.options.archived)):
                self._ask()
            if not self.options.wants(self._found):
                self.is_done = True
                return
            if not self._found.head and self._found.state == "ok":
                self._ask_head()
        except FetchError as error:
            yield self._end(failed(self._found, error))
            return
        if self._found.state == "empty":
            yield self._end(self._found)
        elif same := unchanged(self._found, self.known, self.options):
            yield self._end(same)

    def finish(self) -> Iterator[Found]:
        """Yield it with its files."""
        if self.is_done:
            return
        try:
            found = filled(self._found, self, self.known, self.options)
            if found.files and "archived" not in (self._facts or {}):
                self._ask()
                known_now = ("head", "files", "history", "notes", "unchanged", "state", "reason")
                found = replace(self._found, **{name: getattr(found, name) for name in known_now})
        except FetchError as error:
            found = failed(self._found, error)
        yield self._end(found)

    def _end(self, found: Found) -> Found:
        self.is_done = True
        return replace(found, asked=self._url) if found.url != self._url else found

    # --- What is known of it ----------------------------------------------------------------------

    def _named(self, path: str, *, branch: str | None, archived: bool | None, head: str) -> Found:
        host = self._interface.host
        return Found(
            host.repository(path),
            path.rpartition("/")[2],
            host=host.name,
            forge_id=self.id or None,
            default_branch=branch,
            is_archived=archived,
            head=head or None,
        )

    def _tell(self, facts: Facts) -> None:
        """Take what REST says of it. Without a token its listing of all projects tells little."""
        path, parent = field(facts, "path_with_namespace"), inner(facts, "forked_from_project")
        self._facts, self.id = facts, field(facts, "id")
        above = text(parent, "path_with_namespace")
        found = self._named(
            path,
            branch=text(facts, "default_branch"),
            archived=flag(facts, "archived"),
            head=self._found.head or "",
        )
        self._found = replace(
            found,
            is_fork=bool(parent) if "archived" in facts else None,
            is_mirror=flag(facts, "mirror"),
            parent_url=self._interface.host.repository(above) if above else None,
        )
        if flag(facts, "empty_repo"):
            self._found = empty(self._found)

    def _ask(self) -> None:
        self._tell(self._interface.facts(f"projects/{self.id or quote(self.lead.path, safe='')}"))

    def _ask_head(self) -> None:
        answer = self._interface.get(f"projects/{self.id}/repository/commits/HEAD")
        if answer.status == 404 and b"Commit" in answer.content:  # "404 Commit Not Found"
            self._found = empty(self._found)
            return
        if answer.status == 403:
            raise FetchError(f"{self._interface.host.name} does not show its code", "private")
        if not answer.is_ok:
            raise answer.refusal()
        self._found = replace(self._found, head=field(one(answer.json()), "id"))

    # --- As a shelf -------------------------------------------------------------------------------

    def folder(self, path: str) -> Sequence[Entry]:
        """What a folder holds."""
        if path not in self.folders:
            self.folders[path] = self._tree(path)
        return self.folders[path]

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        """The bytes of a file."""
        content = self.texts.get(entry.sha)
        if content is None:
            return self._interface.content(f"projects/{self.id}/repository/blobs/{entry.sha}/raw", most)
        if len(content) > most:
            raise TooLarge(f"has more than {most:,} bytes")
        return content

    def _tree(self, path: str) -> list[Entry]:
        fields = {"ref": self._found.head or "HEAD", "per_page": "100", "pagination": "keyset"}
        at = f"projects/{self.id}/repository/tree?{urlencode({**fields, **({'path': path} if path else {})})}"
        return [
            Entry(str(line.get("name")), KIND_OF_MODE.get(str(line.get("mode")), "file"), str(line.get("id")))
            for line in self._interface.lines(at, read_page, f"the folder {path or '/'}")
        ]


# --- Questions about many ---------------------------------------------------------------------------


def _read_roots(graph: GraphQL, works: Sequence[_Work]) -> None:
    by_id = {work.id: work for work in works if work.id}
    for number, node in graph.nodes(ROOTS, [gid(number) for number in by_id]):
        if number in by_id:
            by_id[number].take_root(node)
    by_path = {work.lead.path.lower(): work for work in works if not work.id}
    for _, node in graph.nodes(ROOTS_BY_PATH, [work.lead.path for work in by_path.values()]):
        work = by_path.get((text(node, "fullPath") or "").lower())
        if work is not None:
            work.take_root(node)


def _read_folders(graph: GraphQL, works: Sequence[_Work]) -> None:
    having = {work.id: work for work in works if held_folders(work.folders.get("", ()))}
    for number, node in graph.nodes(INNER, [gid(number) for number in having]):
        work = having.get(number)
        for name in held_folders(work.folders[""]) if work else ():
            entries = entries_of(inner(inner(node, "repository"), f"f{FOLDERS.index(name)}"))
            if work is not None and entries is not None:
                work.folders[name] = entries


def _read_texts(graph: GraphQL, works: Sequence[_Work]) -> None:
    wanted: dict[str, dict[str, tuple[_Work, str]]] = {}
    for work in works:
        held = work.known.shas if work.known and not work.options.refresh else frozenset()
        for path, entry in chosen(work.folders)[0].items():
            if entry.kind == "file" and entry.sha not in held:
                wanted.setdefault(path, {})[work.id] = (work, entry.sha)
    for path, by_id in wanted.items():
        if len(by_id) < 2:
            continue  # the raw blob costs as much
        for number, node in graph.nodes(TEXTS, [gid(number) for number in by_id], path=path):
            if number not in by_id:
                continue
            work, sha = by_id[number]
            for blob in nodes_of(inner(inner(node, "repository"), "blobs")):
                content = (text(blob, "rawTextBlob") or "").encode("utf-8", "replace")
                if blob_id(content) == sha:
                    work.texts[sha] = content
