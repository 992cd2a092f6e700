"""Read batches of files, in other processes when there are many.

Reading is the one step that keeps a processor busy. The first files are read where they are, as
starting processes takes longer than that; from then on all processors read, while the crawl fetches
what comes next and writes what was read before.

The processes run this module. They are no `multiprocessing` pool because that would run the
caller's main program once more in each.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import cast

from ..cff.read import read
from ..db.rows import BlobRows, rows_of

FEW = 500
"""So many files are read before processes are started."""
_MOST_PROCESSES = 6
"""More than these read faster than one can write."""
_CHUNK = 25


class Reading:
    """A batch that is being read."""

    def __init__(self, shas: Sequence[str], parts: Sequence[Future[list[BlobRows]]]) -> None:
        self._shas, self._parts = shas, parts

    def is_ready(self) -> bool:
        """Whether `result` comes at once."""
        return all(part.done() for part in self._parts)

    def result(self) -> dict[str, BlobRows]:
        """What the files say, by blob id."""
        return dict(zip(self._shas, (rows for part in self._parts for rows in part.result()), strict=True))


class Reader:
    """Reads batches of files; `close` ends its processes."""

    def __init__(self) -> None:
        self._count = 0
        self._processes: SimpleQueue[subprocess.Popen[bytes] | None] = SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None

    def start(self, contents: Mapping[str, bytes]) -> Reading:
        """Begin to read files, by blob id."""
        self._count += len(contents)
        files = list(contents.values())
        if self._count <= FEW or _processors() == 1:
            done: Future[list[BlobRows]] = Future()
            done.set_result(read_rows(files))
            return Reading(list(contents), [done])
        if self._threads is None:
            wanted = min(_processors(), _MOST_PROCESSES)
            self._threads = ThreadPoolExecutor(wanted, thread_name_prefix="read")
            for _ in range(wanted):
                self._processes.put(_start_process())
        chunks = [files[at : at + _CHUNK] for at in range(0, len(files), _CHUNK)]
        return Reading(list(contents), [self._threads.submit(self._read, chunk) for chunk in chunks])

    def close(self) -> None:
        """End the processes; what is being read is read to its end."""
        if self._threads is None:
            return
        self._threads.shutdown()
        while not self._processes.empty():
            process = self._processes.get()
            if process is not None:
                _end(process)

    def _read(self, files: list[bytes]) -> list[BlobRows]:
        process = self._processes.get()
        try:
            if process is not None:
                return _ask(process, files)
        except (EOFError, OSError, pickle.UnpicklingError):
            # It was killed, for its memory perhaps. The files are read here, and it is not replaced.
            assert process is not None  # noqa: S101
            _end(process)
            process = None
        finally:
            self._processes.put(process)
        return read_rows(files)


def read_rows(files: Sequence[bytes]) -> list[BlobRows]:
    """What each of these files says, as rows for the tables."""
    return [rows_of(read(content)) for content in files]


def serve() -> None:
    """Answer lists of files on stdin with their rows on stdout, until stdin ends."""
    answers = sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            files = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own parent
            pickle.dump(read_rows(files), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _processors() -> int:
    with contextlib.suppress(AttributeError, OSError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_process() -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for the crawl, which ends them
        )
    except OSError:
        return None


def _ask(process: subprocess.Popen[bytes], files: list[bytes]) -> list[BlobRows]:
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    pickle.dump(files, process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()
    return cast("list[BlobRows]", pickle.load(process.stdout))  # noqa: S301 - of our own child


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    process.terminate()
    process.wait()
