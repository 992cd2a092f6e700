"""From what GitHub's GraphQL interface shows of repositories to their files: many at a time.

What has not changed is done with. Of what has, most is at hand already; blobs and histories that are
missing are asked for together, and what GraphQL cannot give to the byte comes from REST, one by one.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...db.found import Found, Known, Version
from ..forge import failed, filled, unchanged
from ..hosts import Host
from ..http import FetchError, TooLarge
from ..listing import Entry, chosen, with_files
from ..names import CITATION_FILE
from ..source import Options
from . import github_query as query
from .github_graphql import MOST, Graph
from .github_query import Snapshot, Text
from .github_rest import Rest, RestShelf

_MOST_VERSIONS = 2000
"""Of one path of one repository."""


@dataclass(slots=True)
class _Job:
    """A repository that has changed."""

    snapshot: Snapshot
    known: Known | None
    texts: dict[str, Text] = field(default_factory=dict)
    """By blob id, as far as they are at hand."""
    history: tuple[Version, ...] | None = None
    note: str = ""

    def entries(self) -> dict[str, Entry]:
        """The citation files to take, by path; a symbolic link as what it leads to, if that is at hand."""
        folders = self.snapshot.folders or {}
        taken = dict(chosen(folders)[0])
        for path, entry in taken.items():
            if entry.kind != "link" or (text := self.texts.get(entry.sha)) is None or text.content is None:
                continue
            link = text.content.decode("utf-8", "replace")
            folder, name = posixpath.split(posixpath.normpath(posixpath.join(posixpath.dirname(path), link)))
            for there in folders.get(folder, ()):
                if there.name == name and there.kind == "file":
                    taken[path] = there
        return taken

    def missing(self, options: Options) -> set[str]:
        """The blobs that are still to be asked for."""
        held = self.known.shas if self.known and not options.refresh else frozenset()
        return {e.sha for e in self.entries().values() if e.sha not in held and e.sha not in self.texts}


def missing_blobs(snapshot: Snapshot, options: Options) -> int:
    """How many blobs must be asked for to know the files of a repository that the database does not know."""
    return len(_Job(snapshot, None, dict(snapshot.texts or {})).missing(options))


def complete(
    host: Host, snapshots: Iterable[Snapshot | Found], known: Mapping[str, Known], options: Options
) -> Iterator[Found]:
    """Yield each repository with its files: at once if they are at hand, else with others.

    A Found among the snapshots is one of which nothing more can be had.
    """
    graph, rest = Graph(host, options.web), Rest(host, options.web)
    changed: list[Snapshot] = []
    """Of which only the facts are known."""
    waiting: list[_Job] = []

    def look(snapshot: Snapshot) -> Iterator[Found]:
        job = _Job(snapshot, _known(snapshot.found, known), dict(snapshot.texts or {}))
        if job.missing(options) or _walks_history(options):
            waiting.append(job)
            if sum(len(job.missing(options)) or 1 for job in waiting) >= MOST:
                yield from _finish_all(graph, rest, waiting, options)
                waiting.clear()
        else:
            yield _finish(rest, job, options)

    for snapshot in snapshots:
        found = snapshot if isinstance(snapshot, Found) else snapshot.found
        if not options.wants(found):
            continue
        still = unchanged(found, _known(found, known), options) if found.state == "ok" else found
        if still is not None or isinstance(snapshot, Found):
            yield still or found
        elif snapshot.folders is None:
            changed.append(snapshot)
        else:
            yield from look(snapshot)
    for before, said in graph.each(changed, lambda some: query.by_nodes([s.node for s in some])):
        shown = query.parse_repository(said, host)
        if isinstance(shown, FetchError):
            yield failed(before.found, shown)
            continue
        snapshot = shown.asked_as(before.found.asked or before.found.url)
        if snapshot.found.state == "ok":
            yield from look(snapshot)
        else:
            yield snapshot.found
    yield from _finish_all(graph, rest, waiting, options)


def _known(found: Found, known: Mapping[str, Known]) -> Known | None:
    return known.get(found.url) or known.get(found.asked)


def _finish_all(graph: Graph, rest: Rest, jobs: Sequence[_Job], options: Options) -> Iterator[Found]:
    """The repositories, after all that is missing of them was asked for together."""
    for _ in range(2):  # what a link leads to is known once its text is
        wanted = [(job, sha) for job in jobs for sha in sorted(job.missing(options))]
        _ask_texts(graph, wanted)
    if _walks_history(options):
        _ask_histories(graph, rest, jobs, options)
    for job in jobs:
        yield _finish(rest, job, options)


def _ask_texts(graph: Graph, wanted: Iterable[tuple[_Job, str]]) -> None:
    """Ask for blobs; of what cannot be had there is no text, and REST is asked."""
    for (job, sha), said in graph.each(
        wanted, lambda some: query.blobs([(job.snapshot.node, sha) for job, sha in some])
    ):
        text = None if isinstance(said, FetchError) else said.get("object")
        job.texts[sha] = query.parse_text(text or {})


def _finish(rest: Rest, job: _Job, options: Options) -> Found:
    found, shelf = job.snapshot.found, _ShelfAtHand(rest, job)
    try:
        if not _walks_history(options):
            return filled(found, shelf, job.known, options)
        found = with_files(found, shelf, job.known, options)
    except FetchError as error:
        return failed(found, error)
    notes = (f"{found.url}: {job.note}",) if job.note else ()
    return dataclasses.replace(found, history=job.history, notes=(*found.notes, *notes))


class _ShelfAtHand(RestShelf):
    """A repository whose folders and blobs are at hand; the rest comes from REST."""

    def __init__(self, rest: Rest, job: _Job) -> None:
        super().__init__(rest, job.snapshot.path, job.snapshot.found.head or "HEAD")
        self._folders, self._texts = job.snapshot.folders or {}, job.texts

    def folder(self, path: str) -> Sequence[Entry]:
        there = self._folders.get(path)
        return super().folder(path) if there is None else there

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        text = self._texts.get(entry.sha)
        if text is not None and text.size > most:
            raise TooLarge(f"has {text.size:,} bytes")
        if text is not None and text.content is not None:
            return text.content
        return super().content(path, entry, most)


def _walks_history(options: Options) -> bool:
    """Whether histories are asked for here: what lies below the root is git's matter, with its history."""
    return options.history and not options.nested


# --- History ----------------------------------------------------------------------------------------


def _ask_histories(graph: Graph, rest: Rest, jobs: Sequence[_Job], options: Options) -> None:
    """Give each job the versions of its files; a note where they cannot be had."""
    walks = [
        (job, query.Walk(job.snapshot.node, job.snapshot.found.head or "", path))
        for job in jobs
        for path in dict.fromkeys((CITATION_FILE, *chosen(job.snapshot.folders or {})[0]))
    ]
    touches: defaultdict[int, dict[str, list[query.Touch]]] = defaultdict(lambda: defaultdict(list))
    while walks:
        more = []
        for (job, walk), said in graph.each(walks, lambda some: query.commits([w for _, w in some])):
            if isinstance(said, FetchError):
                job.note = f"its history was not looked into: {said}"
                continue
            page, after = query.parse_commits(said)
            so_far = touches[id(job)][walk.path]
            so_far += page
            if after is not None and len(so_far) < _MOST_VERSIONS:
                more.append((job, dataclasses.replace(walk, after=after)))
        walks = more
    wanted = []
    for job in jobs:
        held = job.known.shas if job.known and not options.refresh else frozenset()
        shas = {t.sha for some in touches[id(job)].values() for t in some if t.sha is not None}
        wanted += [(job, sha) for sha in sorted(shas - held - job.texts.keys())]
    _ask_texts(graph, wanted)
    for job in jobs:
        if not job.note:
            job.history = tuple(_versions(touches[id(job)], _ShelfAtHand(rest, job), job.known, options))


def _versions(
    touches: Mapping[str, Sequence[query.Touch]], shelf: _ShelfAtHand, known: Known | None, options: Options
) -> Iterator[Version]:
    """The versions of each path from its commits, which come newest first."""
    held = known.shas if known and not options.refresh else frozenset()
    for path, newest_first in touches.items():
        in_order = [*reversed(newest_first)]
        standing = [t for i, t in enumerate(in_order) if not i or in_order[i - 1].sha != t.sha]
        for i, touch in enumerate(standing):
            if touch.sha is None:
                continue
            until = standing[i + 1].at if i + 1 < len(standing) else None
            content = None
            if touch.sha not in held:
                try:
                    content = shelf.content(path, Entry(path, "file", touch.sha), options.max_size_bytes)
                except FetchError:
                    continue  # too large, or not to be had
            yield Version(path, touch.sha, touch.commit, touch.at, until, content)
