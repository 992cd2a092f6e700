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
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TypeAlias

from ..db.found import Found, Known, Stored
from ..db.store import Store
from .git import Stopped
from .reading import Reader, Reading
from .source import Options, Source, Trouble, Unit

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
class _Progress:
    """How far one source has come."""

    source: Source
    number: int
    open_units: int = 0
    found_all: bool = False
    met: int = 0
    troubled: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    index: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class _Trouble:
    index: int
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class _Fetched:
    index: int
    found: Found


@dataclass(frozen=True, slots=True)
class _Done:
    index: int


@dataclass(frozen=True, slots=True)
class _FoundAll:
    index: int


@dataclass(frozen=True, slots=True)
class _Crashed:
    error: BaseException


_Event: TypeAlias = _Unit | _Trouble | _Fetched | _Done | _FoundAll | _Crashed


class Harvest:
    """One crawl. `run` goes through it; `stop`, from a signal or another thread, ends it early, in order."""

    def __init__(self, store: Store, sources: Sequence[Source], options: Options, *, jobs: int = 0) -> None:
        self.stats = HarvestStats()
        self._store, self._options = store, options
        self._jobs = jobs or default_jobs()
        self._sources = sources
        self._progress: list[_Progress] = []
        self._inbox: SimpleQueue[_Event] = SimpleQueue()
        # Units that were found and whose repositories are not in a batch yet: this bounds all queues.
        self._slots = threading.Semaphore(4 * self._jobs)
        self._batch: list[tuple[int, Found]] = []
        self._batch_bytes = 0
        self._batch_began = 0.0
        self._pending: deque[tuple[list[tuple[int, Found]], Reading]] = deque()
        self._reader = Reader()

    def stop(self) -> None:
        """Kill what is being fetched; `run` writes what it has and returns."""
        self.stats.stopped = True
        self._options.git.stop()

    def run(self, tell: Callable[[HarvestStats], None] = lambda stats: None) -> HarvestStats:
        """Crawl all sources and write what they hold; `tell` is called a few times a second at most."""
        self._progress = [_Progress(s, self._store.put_source(s.spec)) for s in self._sources]
        finder = threading.Thread(target=self._find, name="find", daemon=True)
        finder.start()
        pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="fetch")
        try:
            while not self.stats.stopped and not all(
                p.found_all and not p.open_units for p in self._progress
            ):
                with contextlib.suppress(Empty):
                    self._take(self._inbox.get(timeout=BATCH_S / 2), pool)
                if self._is_due():
                    self._flush()
                    tell(self.stats)
        except BaseException:
            self.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            finder.join(1)  # a source may be waiting for a host; it is not waited for longer
            self._finish()
        if not self.stats.stopped:
            for progress in self._progress:
                self._end(progress)
        tell(self.stats)
        return self.stats

    # --- In the other threads ---------------------------------------------------------------------

    def _find(self) -> None:
        for index, progress in enumerate(self._progress):
            try:
                for found in progress.source.units(self._options):
                    while not self._slots.acquire(timeout=BATCH_S / 2):
                        if self.stats.stopped:
                            return
                    self._inbox.put(
                        _Trouble(index, found) if isinstance(found, Trouble) else _Unit(index, found)
                    )
            except BaseException as error:  # told to the caller's thread, which raises it
                self._inbox.put(_Crashed(error))
                return
            self._inbox.put(_FoundAll(index))

    def _fetch(self, index: int, unit: Unit, known: Mapping[str, Known]) -> None:
        try:
            for found in unit.fetch(known, self._options):
                self._inbox.put(_Fetched(index, found))
        except Stopped:
            return
        except BaseException as error:
            self._inbox.put(_Crashed(error))
            return
        self._inbox.put(_Done(index))

    # --- In the caller's thread -------------------------------------------------------------------

    def _take(self, event: _Event, pool: ThreadPoolExecutor) -> None:
        match event:
            case _Unit(index, unit):
                self._progress[index].open_units += 1
                pool.submit(self._fetch, index, unit, self._store.known(unit.urls))
            case _Fetched(index, found):
                self._add(index, found)
            case _Done(index):
                self._progress[index].open_units -= 1
                self._slots.release()
            case _Trouble(index, trouble):
                self._slots.release()
                self._progress[index].troubled = True
                self.stats.fail("place", trouble.place, trouble.reason)
            case _FoundAll(index):
                self._progress[index].found_all = True
            case _Crashed(error):
                raise error

    def _add(self, index: int, found: Found) -> None:
        if not self._batch:
            self._batch_began = time.monotonic()
        self._progress[index].met += 1
        self._batch.append((self._progress[index].number, found))
        self._batch_bytes += sum(len(f.content) for f in found.files or () if f.content is not None)

    def _is_due(self) -> bool:
        return bool(self._batch) and (
            len(self._batch) >= BATCH
            or self._batch_bytes >= BATCH_BYTES
            or time.monotonic() - self._batch_began >= BATCH_S
        )

    def _flush(self) -> None:
        """Begin to read the batch in hand, and write those that are read."""
        if self._batch:
            self._pending.append((self._batch, self._reader.start(self._contents(self._batch))))
            self._batch, self._batch_bytes = [], 0
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
                self._add(event.index, event.found)
        try:
            self._flush()
            while self._pending:
                self._write(*self._pending.popleft())
        finally:
            self._reader.close()

    def _contents(self, batch: Iterable[tuple[int, Found]]) -> dict[str, bytes]:
        """Blobs to be read, by id: each once, and none that the database holds, unless all is to be fresh."""
        contents = {
            f.sha: f.content for _, found in batch for f in found.files or () if f.content is not None
        }
        if self._options.refresh or not contents:
            return contents
        unread = self._store.unread(contents)
        return {sha: content for sha, content in contents.items() if sha in unread}

    def _write(self, batch: Sequence[tuple[int, Found]], reading: Reading) -> None:
        for stored in self._store.put(batch, reading.result(), again=self._options.refresh):
            self._count(stored)

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

    def _end(self, progress: _Progress) -> None:
        """A source was crawled to its end: what it held before and no longer holds is gone."""
        if not progress.met:
            self._store.forget_source(progress.number)
        if progress.troubled:
            return
        if not progress.met:
            self.stats.fail("place", progress.source.spec, "holds no CITATION.cff and no git repository")
        lost = self._store.lost(progress.number)
        for at in range(0, len(lost), BATCH):
            self._store.put([(None, _gone(url, name)) for url, name in lost[at : at + BATCH]], {})
        self.stats.gone += len(lost)
        self._store.end_source(progress.number)


def _gone(url: str, name: str) -> Found:
    if url.startswith("file://") and os.path.isdir(url.removeprefix("file://")):
        return Found(url, name, reason="no longer holds a citation file", files=())
    return Found(url, name, state="gone", reason="no longer where it was", files=())
