"""Look a host up and connect to it so that both, and all that follows, can be broken off at any moment.

A look-up runs in a thread of its own, which is left behind when nobody waits for it any longer. Addresses
are tried a moment apart and not one after the other, so that one that leads nowhere costs that moment
(RFC 8305, "Happy Eyeballs"). The socket of a request is shut from outside when the request is late: a
host that sends a byte now and then would keep any time limit on single reads.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue

POLL_S = 0.1
CONNECT_S = 15.0
"""The most time until a host has taken a connection."""
_APART_S = 0.25
_GOING_ON = frozenset({0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY, errno.EINTR})


class BrokenOff(Exception):
    """The request is late, or the crawl is stopped."""


class Grip:
    """A request under way: its time, and the socket that it has hold of."""

    def __init__(self, name: str, deadline: float, stopped: threading.Event) -> None:
        self.name = name
        """Of the host, as a reason tells it."""
        self.deadline = deadline
        """Of `time.monotonic()`."""
        self.is_cut = False
        """It was shut from outside: what looks like the end of an answer may not be it."""
        self.is_fresh = False
        """Its connection was made for it."""
        self.is_kept = False
        """It was sent over a connection that was kept from an earlier request."""
        self.has_answer = False
        """An answer has begun."""
        self._stopped = stopped
        self._lock = threading.Lock()
        self._handle: socket.socket | None = None

    def check(self) -> None:
        """Raise BrokenOff when there is no reason to go on."""
        if self.is_cut or self._stopped.is_set() or time.monotonic() > self.deadline:
            raise BrokenOff

    def take(self, opened: socket.socket) -> None:
        """Hold on to a socket by a handle of our own.

        TLS takes the first handle for itself, and a connection is closed while its last answer is read.
        """
        handle = socket.fromfd(opened.fileno(), socket.AF_INET, socket.SOCK_STREAM)
        with self._lock:
            self._release()
            self._handle = handle
            if self.is_cut:
                self._shut()

    def cut(self) -> None:
        """Shut the socket, whoever reads from it."""
        with self._lock:
            self.is_cut = True
            self._shut()

    def release(self) -> None:
        """Let the socket go; it stays open for whoever else has it."""
        with self._lock:
            self._release()

    def _shut(self) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._handle.shutdown(socket.SHUT_RDWR)

    def _release(self) -> None:
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def look_up(resolve: Callable[[str, int], Sequence[str]], name: str, port: int, grip: Grip) -> list[str]:
    """What `resolve` gives for a name, or raises; BrokenOff when that takes too long."""
    grip.check()
    try:
        return [str(ipaddress.ip_address(name))]
    except ValueError:
        pass
    told: SimpleQueue[Sequence[str] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            told.put(resolve(name, port))
        except Exception as error:
            told.put(error)

    threading.Thread(target=ask, name="http-look-up", daemon=True).start()
    while True:
        grip.check()
        with contextlib.suppress(Empty):
            found = told.get(timeout=POLL_S)
            if isinstance(found, Exception):
                raise found
            return list(found)


def connect(
    numbers: Iterable[str], port: int, grip: Grip, options: Sequence[tuple[int, int, int | bytes]] = ()
) -> socket.socket:
    """A socket connected to the first of these addresses that takes it.

    Raises TimeoutError or another OSError when none does, BrokenOff when that takes too long.
    """
    waiting = _alternated(numbers)
    end = time.monotonic() + CONNECT_S
    failure: OSError = ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
    next_at = 0.0
    open_sockets: list[socket.socket] = []
    try:
        with selectors.DefaultSelector() as selector:
            while waiting or open_sockets:
                grip.check()
                now = time.monotonic()
                if now > end:
                    raise TimeoutError
                if waiting and (now >= next_at or not open_sockets):
                    next_at = now + _APART_S
                    try:
                        begun = _begin(waiting.pop(0), port, options)
                    except OSError as error:
                        failure = error
                        continue
                    open_sockets.append(begun)
                    selector.register(begun, selectors.EVENT_WRITE)
                for key, _ in selector.select(POLL_S):
                    taken: socket.socket = key.fileobj  # type: ignore[assignment]  # it was registered as one
                    selector.unregister(taken)
                    open_sockets.remove(taken)
                    code = taken.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if not code:
                        return taken
                    taken.close()
                    failure = OSError(code, os.strerror(code))
                    next_at = 0.0
        raise failure
    finally:
        for left in open_sockets:
            left.close()


def _begin(number: str, port: int, options: Sequence[tuple[int, int, int | bytes]]) -> socket.socket:
    begun = socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET, socket.SOCK_STREAM)
    try:
        for option in options:
            begun.setsockopt(*option)
        begun.setblocking(False)
        code = begun.connect_ex((number, port))
        if code not in _GOING_ON:
            raise OSError(code, os.strerror(code))
    except BaseException:
        begun.close()
        raise
    return begun


def _alternated(numbers: Iterable[str]) -> list[str]:
    """The addresses in their order, but those of the two families in turn (RFC 8305, section 4)."""
    ordered = list(numbers)
    first = [n for n in ordered if (":" in n) == (":" in ordered[0])]
    other = [n for n in ordered if n not in first]
    found = []
    while first or other:
        found += first[:1] + other[:1]
        first, other = first[1:], other[1:]
    return found
