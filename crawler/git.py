"""Run git: every child is under watch, asks nothing, runs nothing of the repository's own.

A child that takes too long, or writes too much, is killed with all its own children, and so are
all of them when the crawl is stopped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..cff.errors import SourceError

# Set by a hook or an alias around us, these would point git at another repository than the one meant.
_LOCAL_VARIABLES = """GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_COMMON_DIR
GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_PREFIX GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_GRAFT_FILE
GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_IMPLICIT_WORK_TREE GIT_CEILING_DIRECTORIES
GIT_DEFAULT_HASH""".split()

_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",  # set but empty: git asks no program either
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",  # its messages are read below
    "LANGUAGE": "",
}

_SETTINGS = """credential.helper= core.hooksPath=/dev/null core.fsmonitor=false core.askPass= gc.auto=0
maintenance.auto=false submodule.recurse=false fetch.recurseSubmodules=false transfer.bundleURI=false
transfer.credentialsInUrl=allow init.defaultBranch=main advice.detachedHead=false""".split()

_POLL_S = 0.1


class Stopped(Exception):
    """The crawl was stopped while this child ran; no fault of its repository."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a git command ended."""

    code: int
    out: bytes
    err: bytes


@dataclass(slots=True)
class _Watch:
    deadline: float
    timeout_s: float
    folder: Path | None
    max_bytes: int
    killed: str = ""


@dataclass(slots=True, eq=False)
class Git:
    """Starts git processes and watches them; shared by all threads of a crawl."""

    program: str = "git"
    stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _watched: dict[subprocess.Popen[bytes], _Watch] = field(default_factory=dict)
    _watcher: threading.Thread | None = None

    def run(
        self,
        *arguments: str | Path,
        protocols: str,
        timeout_s: float,
        folder: Path | None = None,
        max_bytes: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> Result:
        """Run a git command to its end.

        `protocols` is what it may speak, as in `https:ssh`; `folder`, where it writes, may grow to
        `max_bytes`. SourceError when it was killed for its time or size, or there is no git.
        """
        with self.start(
            *arguments,
            protocols=protocols,
            timeout_s=timeout_s,
            folder=folder,
            max_bytes=max_bytes,
            variables=variables,
        ) as process:
            out, err = process.communicate()
        return Result(process.returncode, out, err)

    @contextlib.contextmanager
    def start(
        self,
        *arguments: str | Path,
        protocols: str,
        timeout_s: float,
        folder: Path | None = None,
        max_bytes: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A git process with pipes; it is dead at the end of the block. Raises as `run` does."""
        if self.stopped.is_set():
            raise Stopped
        environment = {**_environment(protocols), **(variables or {})}
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        try:
            process = subprocess.Popen(
                [self.program, *settings, *map(str, arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
                cwd="/",
            )
        except FileNotFoundError as error:
            raise SourceError("there is no `git` on the PATH: install git") from error
        except OSError as error:
            raise SourceError(f"cannot run git: {error.strerror}") from error
        watch = _Watch(time.monotonic() + timeout_s, timeout_s, folder, max_bytes)
        with self._lock:
            self._watched[process] = watch
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._look_after, name="git-watch", daemon=True)
                self._watcher.start()
        try:
            if self.stopped.is_set():
                raise Stopped
            yield process
        except (BrokenPipeError, EOFError, SourceError):
            # Who spoke with it when it was killed saw only that it fell silent.
            if not watch.killed and not self.stopped.is_set():
                raise
        finally:
            if process.poll() is None:
                _kill(process)
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            process.wait()
            with self._lock:
                del self._watched[process]
        if self.stopped.is_set():
            raise Stopped
        if watch.killed:
            raise SourceError(watch.killed)

    def stop(self) -> None:
        """Have every child killed, and start no more. May be called from any thread, and by a signal."""
        self.stopped.set()

    def _look_after(self) -> None:
        """Watch until there is nothing to watch."""
        while not self.stopped.wait(_POLL_S):
            now = time.monotonic()
            with self._lock:
                if not self._watched:
                    self._watcher = None
                    return
                watched = list(self._watched.items())
            for process, watch in watched:
                watch.killed = watch.killed or _fault(watch, now)
                if watch.killed:
                    self._kill_watched(process)
        with self._lock:
            processes = list(self._watched)
        for process in processes:
            self._kill_watched(process)

    def _kill_watched(self, process: subprocess.Popen[bytes]) -> None:
        # Once it is not watched its number may be another process's.
        with self._lock:
            if process in self._watched:
                _kill(process)


def _fault(watch: _Watch, now: float) -> str:
    if now > watch.deadline:
        return f"no answer within {watch.timeout_s:.0f} s"
    if watch.folder is not None and _size(watch.folder) > watch.max_bytes:
        return f"sends more than {watch.max_bytes >> 20} MB for one small file"
    return ""


def _environment(protocols: str) -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if k not in _LOCAL_VARIABLES}
    environment.update(_QUIET, GIT_ALLOW_PROTOCOL=protocols)
    environment.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20")
    return environment


def _kill(process: subprocess.Popen[bytes]) -> None:
    # Its own session: the group is git and what git started (ssh, the https helper).
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _size(folder: Path) -> int:
    """Bytes below a folder that another process writes to: what vanishes meanwhile counts nothing."""
    total = 0
    for place, _folders, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total
