"""The loop: source -> fetch -> read -> store. It can be stopped and goes on; its memory stays flat.

One thread looks for units of work in the sources, several fetch them, and the caller's thread reads
and writes. Each step waits when the next is slower. Written batches stay, whatever comes after.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TypeAlias

from ..db.found import Begun, Found, Known, Stored
from ..db.store import Store
from .git import Stopped
from .reading import Reader, Reading
from .source import Joinable, Mark, Options, Past, Source, Step, Trouble, Unit, remembered

BATCH = 200
"""Repositories in a transaction."""
BATCH_BYTES = 16 << 20
BATCH_S = 0.5
"""A repository waits no longer to be written."""
_TOLD = 100
"""Failures and unreadable files that are kept for the report; all are in the database."""


def default_jobs() -> int:
    """How many repositories are fetched at once: git waits for disk and network more than it computes."""
    return min(8, 4 * (os.cpu_count() or 1))


@dataclass(slots=True)
class HarvestStats:
    """What a crawl met."""

    repositories: int = 0
    found: int = 0
    """Repositories that are to be fetched or were, so far."""
    found_all: bool = False
    """No more of them will be found."""
    with_file: int = 0
    without_file: int = 0
    unchanged: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """Repositories by state (failed, private, gone, blocked), and under `place` what is none."""
    files_ok: int = 0
    files_warned: int = 0
    files_unreadable: int = 0
    gone: int = 0
    """Repositories that a source held before and no longer holds."""
    failures: list[tuple[str, str]] = field(default_factory=list)
    """(place, reason) of the first ones."""
    unreadable: list[tuple[str, str, int, int, str]] = field(default_factory=list)
    """(repository, path, line, column, message) of the first ones."""
    notes: list[str] = field(default_factory=list)
    stopped: bool = False
    """It was stopped before its end."""

    def fail(self, kind: str, place: str, reason: str) -> None:
        """Count a repository or place that could not be fetched; `kind` is its state, or `place`."""
        self.failed[kind] += 1
        if len(self.failures) < _TOLD:
            self.failures.append((place, reason))

    @property
    def files(self) -> int:
        """Citation files that were seen."""
        return self.files_ok + self.files_warned + self.files_unreadable

    @property
    def faults(self) -> int:
        """Failed repositories and places, and unreadable files."""
        return sum(self.failed.values()) + self.files_unreadable

    @property
    def fine(self) -> int:
        """Repositories that were seen and are not failures, and readable files."""
        return self.files_ok + self.files_warned + self.without_file


@dataclass(slots=True)
class _Part:
    """What a source yielded between two marks."""

    # Each is counted by one thread alone.
    found: int = 0
    written: int = 0
    cursor: str | None = None
    """The mark at its end; None until the source has come there."""


@dataclass(slots=True)
class _Progress:
    """How far one source has come."""

    source: Source
    begun: Begun
    options: Options
    parts: list[_Part] = field(default_factory=lambda: [_Part()])
    """From the first that is not written, to the one that is being found."""
    found_all: bool = False
    met: int = 0
    troubled: bool = False
    cut: bool = False
    """It could not be followed to its end."""

    @property
    def is_done(self) -> bool:
        """Whether all that it holds was found, fetched and written."""
        return self.found_all and all(part.found == part.written for part in self.parts)

    @property
    def had_units(self) -> bool:
        """Whether there was anything to fetch in what has no mark behind it."""
        return any(part.found for part in self.parts)

    def cursor(self) -> str | None:
        """Drop the parts that are written from the front; the mark at the end of the last one."""
        reached = None
        while len(self.parts) > 1 and self.parts[0].found == self.parts[0].written:
            reached = self.parts.pop(0).cursor
        return reached


@dataclass(frozen=True, slots=True)
class _Member:
    """A unit as its source yielded it: alone, or one of several that are joined."""

    progress: _Progress
    part: _Part
    unit: Unit


class _Work:
    """What one thread fetches at once."""

    def __init__(self, unit: Unit, members: Sequence[_Member]) -> None:
        self.unit, self.members = unit, members
        self.options = members[0].progress.options
        self._by_url: dict[str, list[_Progress]] = {}
        if len(members) > 1:
            for member in members:
                for url in member.unit.urls:
                    self._by_url.setdefault(url, []).append(member.progress)

    def whose(self, found: Found) -> list[_Progress]:
        """The sources that asked for a repository."""
        asked = [self._by_url.get(url, []) for url in dict.fromkeys((found.asked or found.url, found.url))]
        return list({id(p): p for each in asked for p in each}.values()) or [self.members[0].progress]


@dataclass(frozen=True, slots=True)
class _Met:
    progress: _Progress
    step: Trouble | Mark


@dataclass(frozen=True, slots=True)
class _Fetched:
    work: _Work
    found: Found


@dataclass(frozen=True, slots=True)
class _Done:
    work: _Work


@dataclass(frozen=True, slots=True)
class _FoundAll:
    progress: _Progress
    cut: bool


@dataclass(frozen=True, slots=True)
class _Crashed:
    error: BaseException


_Event: TypeAlias = _Work | _Met | _Fetched | _Done | _FoundAll | _Crashed


@dataclass(slots=True)
class _Batch:
    """What goes to the database in one transaction."""

    founds: list[tuple[Begun | None, Found]] = field(default_factory=list)
    done: list[_Work] = field(default_factory=list)
    """Units that are complete once this is written."""
    size_bytes: int = 0
    began: float = 0.0


class Harvest:
    """One crawl. `run` goes through it; `stop`, from a signal or another thread, ends it early, in order."""

    def __init__(
        self,
        store: Store,
        sources: Sequence[Source],
        options: Options,
        *,
        jobs: int = 0,
        each: Mapping[str, Options] | None = None,
    ) -> None:
        """`each` has the options of the sources, by spec, that are crawled with others than `options`."""
        self.stats = HarvestStats()
        self._store, self._options = store, options
        self._jobs = jobs or default_jobs()
        self._sources, self._each = sources, each or {}
        self._open = 0
        """Sources that are not done."""
        self._finding = 0
        """Sources that may yield more."""
        self._inbox: SimpleQueue[_Event] = SimpleQueue()
        # Units that were found and whose repositories are not in a batch yet: this bounds all queues.
        self._slots = threading.Semaphore(4 * self._jobs)
        self._batch = _Batch()
        self._pending: deque[tuple[_Batch, Reading]] = deque()
        self._reader = Reader()

    def stop(self) -> None:
        """Cut off what is being fetched; `run` writes what it has and returns."""
        self.stats.stopped = True
        self._options.git.stop()
        self._options.web.stopped.set()

    def run(self, tell: Callable[[HarvestStats], None] = lambda stats: None) -> HarvestStats:
        """Crawl all sources and write what they hold; `tell` is called a few times a second at most."""
        sources = [(s, self._each.get(s.spec, self._options)) for s in self._sources]
        begun = self._store.begin([(s.spec, remembered(o)) for s, o in sources], anew=self._options.refresh)
        progresses = [_Progress(s, b, o) for (s, o), b in zip(sources, begun, strict=True)]
        self._open = self._finding = len(progresses)
        finder = threading.Thread(target=self._find, args=(progresses,), name="find", daemon=True)
        finder.start()
        pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="fetch")
        told = 0.0
        try:
            while self._open and not self.stats.stopped:
                with contextlib.suppress(Empty):
                    self._take(self._inbox.get(timeout=BATCH_S / 2), pool)
                if self._is_due():
                    self._flush()
                self._write_what_is_read()
                if time.monotonic() - told > BATCH_S:
                    told = time.monotonic()
                    tell(self.stats)
        except BaseException:
            self.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            finder.join(1)  # a source may be waiting for a host; it is not waited for longer
            self._finish()
        if not self.stats.stopped:
            self._end(progresses)
        tell(self.stats)
        return self.stats

    # --- In the other threads ---------------------------------------------------------------------

    def _find(self, progresses: Sequence[_Progress]) -> None:
        waiting: dict[Hashable, list[_Member]] = {}
        """Units that are to be joined, by group."""
        try:
            ended: list[_FoundAll] = []
            for progress in progresses:
                last: Step | None = None
                past = Past(progress.begun.is_known, progress.begun.cursor)
                for last in progress.source.units(progress.options, past):
                    if not self._pass_on(progress, last, waiting):
                        return
                ended.append(_FoundAll(progress, isinstance(last, Trouble)))
                if not waiting:
                    for each in ended:
                        self._inbox.put(each)
                    ended.clear()
            for members in waiting.values():
                if not self._submit(members):
                    return
            for each in ended:
                self._inbox.put(each)
        except Stopped:
            return
        except BaseException as error:  # told to the caller's thread, which raises it
            self._inbox.put(_Crashed(error))

    def _pass_on(self, progress: _Progress, step: Step, waiting: dict[Hashable, list[_Member]]) -> bool:
        """Hand a step of a source on; False when the crawl was stopped meanwhile."""
        if isinstance(step, Mark):
            # What was found before the mark is fetched before what comes after it.
            for group in [g for g, members in waiting.items() if members[0].progress is progress]:
                if not self._submit(waiting.pop(group)):
                    return False
            self._inbox.put(_Met(progress, step))
            progress.parts[-1].cursor = step.cursor
            progress.parts.append(_Part())
            return True
        if isinstance(step, Trouble):
            self._inbox.put(_Met(progress, step))
            return True
        part = progress.parts[-1]
        part.found += 1
        member = _Member(progress, part, step)
        if not isinstance(step, Joinable):
            return self._submit([member])
        group = (step.group, id(progress.options))
        together = waiting.setdefault(group, [])
        together.append(member)
        return len(together) < step.most or self._submit(waiting.pop(group))

    def _submit(self, members: Sequence[_Member]) -> bool:
        while not self._slots.acquire(timeout=BATCH_S / 2):
            if self.stats.stopped:
                return False
        first = members[0].unit
        others = [m.unit for m in members[1:] if isinstance(m.unit, Joinable)]
        unit = first.join(others) if isinstance(first, Joinable) and others else first
        self._inbox.put(_Work(unit, members))
        return True

    def _fetch(self, work: _Work, known: Mapping[str, Known]) -> None:
        try:
            for found in work.unit.fetch(known, work.options):
                self._inbox.put(_Fetched(work, found))
        except Stopped:
            return
        except BaseException as error:
            self._inbox.put(_Crashed(error))
            return
        self._inbox.put(_Done(work))

    # --- In the caller's thread -------------------------------------------------------------------

    def _take(self, event: _Event, pool: ThreadPoolExecutor) -> None:
        match event:
            case _Work():
                self.stats.found += len(event.unit.urls)
                pool.submit(self._fetch, event, self._store.known(event.unit.urls))
            case _Fetched(work, found):
                self._add(work, found)
            case _Done(work):
                self._slots.release()
                self._batch.done.append(work)
                self._begin_batch()
            case _Met(progress, Trouble() as trouble):
                progress.troubled = True
                self.stats.fail(trouble.state, trouble.place, trouble.reason)
            case _FoundAll(progress, cut):
                progress.found_all, progress.cut = True, cut
                self._finding -= 1
                self.stats.found_all = not self._finding
                self._open -= progress.is_done
            case _Crashed(error):
                raise error

    def _begin_batch(self) -> None:
        if not self._batch.began:
            self._batch.began = time.monotonic()

    def _add(self, work: _Work, found: Found) -> None:
        self._begin_batch()
        for progress in work.whose(found):
            progress.met += 1
            self._batch.founds.append((progress.begun, found))
        self._batch.size_bytes += sum(len(c) for _, c in found.contents() if c is not None)

    def _is_due(self) -> bool:
        batch = self._batch
        return bool(batch.began) and (
            len(batch.founds) >= BATCH
            or batch.size_bytes >= BATCH_BYTES
            or time.monotonic() - batch.began >= BATCH_S
        )

    def _flush(self) -> None:
        """Begin to read the batch in hand."""
        if self._batch.began:
            self._pending.append((self._batch, self._reader.start(self._contents(self._batch))))
            self._batch = _Batch()

    def _write_what_is_read(self) -> None:
        """Write the batches that are read, and wait for the first when there are many."""
        while self._pending and (len(self._pending) > 2 or self._pending[0][1].is_ready()):
            self._write(*self._pending.popleft())

    def _finish(self) -> None:
        """Write all that was fetched."""
        while True:
            try:
                event = self._inbox.get_nowait()
            except Empty:
                break
            if isinstance(event, _Fetched):
                self._add(event.work, event.found)
            elif isinstance(event, _Done):
                self._batch.done.append(event.work)
                self._begin_batch()
        try:
            self._flush()
            while self._pending:
                self._write(*self._pending.popleft())
        finally:
            self._reader.close()

    def _contents(self, batch: _Batch) -> dict[str, bytes]:
        """Blobs to be read, by id: each once, and none that the database holds, unless all is to be fresh."""
        contents = {
            sha: content
            for _, found in batch.founds
            for sha, content in found.contents()
            if content is not None
        }
        if self._options.refresh or not contents:
            return contents
        unread = self._store.unread(contents)
        return {sha: content for sha, content in contents.items() if sha in unread}

    def _write(self, batch: _Batch, reading: Reading) -> None:
        progresses: dict[int, _Progress] = {}
        for work in batch.done:
            for member in work.members:
                member.part.written += 1
                progresses[member.progress.begun.number] = member.progress
        cursors = [(n, cursor) for n, p in progresses.items() if (cursor := p.cursor()) is not None]
        for stored in self._store.put(
            batch.founds, reading.result(), again=self._options.refresh, cursors=cursors
        ):
            self._count(stored)
        self._open -= sum(p.is_done for p in progresses.values())

    def _count(self, stored: Stored) -> None:
        stats, url = self.stats, stored.found.url
        stats.repositories += 1
        stats.unchanged += stored.found.unchanged
        stats.notes += stored.found.notes[: max(0, _TOLD - len(stats.notes))]
        if stored.state in ("failed", "private", "gone", "blocked"):
            stats.fail(stored.state, url, stored.reason)
            return
        if stored.files:
            stats.with_file += 1
        else:
            stats.without_file += 1
        for file in stored.files:
            if file.outcome == "ok":
                stats.files_ok += 1
            elif file.outcome == "ok-warn":
                stats.files_warned += 1
            else:
                stats.files_unreadable += 1
                if len(stats.unreadable) < _TOLD:
                    stats.unreadable.append((url, file.path, file.line, file.column, file.message))

    def _end(self, progresses: Sequence[_Progress]) -> None:
        """End the crawls of the sources: what one held before and no longer holds is gone."""
        for progress in progresses:
            if progress.met or progress.troubled:
                continue
            spec = progress.source.spec
            if progress.had_units:
                self.stats.notes.append(f"{spec}: left out by --no-forks or --no-archived")
            elif os.path.isabs(spec):
                self.stats.fail("place", spec, "holds no CITATION.cff and no git repository")
            else:
                self.stats.fail("place", spec, "holds no repository")
        # A source that could not be followed to its end goes on, the next time, where it was cut off.
        self._store.give_up(
            [p.begun for p in progresses if (p.troubled and not p.cut) or (p.cut and not p.met) or not p.met]
        )
        lost = self._store.end([p.begun for p in progresses if not p.troubled])
        for at in range(0, len(lost), BATCH):
            self._store.put([(None, _gone(url, name)) for url, name in lost[at : at + BATCH]], {})
        self.stats.gone += len(lost)


def _gone(url: str, name: str) -> Found:
    if url.startswith("pkg:"):
        return Found(url, name, reason="no longer named, or its repository is known now", files=())
    if not url.startswith("file://"):
        # What was known of it stays: it was published, and is only to be had elsewhere, if at all.
        return Found(url, name, state="gone", reason="no longer where it was")
    if os.path.isdir(url.removeprefix("file://")):
        return Found(url, name, reason="no longer holds a citation file", files=())
    return Found(url, name, state="gone", reason="no longer where it was", files=())
