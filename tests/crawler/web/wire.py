"""A host on loopback that says, byte for byte and in its own time, whatever a test wants it to say."""

from __future__ import annotations

import contextlib
import email.utils
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from cffgraph.crawler.hosts import Host

SECRET = "Zx7-probe-secret"
"""The token that the environment of each test holds, in PROBE_TOKEN."""

CLOSE = object()
RESET = object()
Said = bytes | float | object
"""What a host does: it sends bytes, waits for seconds, or ends the connection, with a reset or without."""


@dataclass(frozen=True)
class Ask:
    """A request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    connection: int
    at: float

    @property
    def token(self) -> str | None:
        return self.headers.get("authorization")


Answer = Callable[[Ask], bytes | Iterable[Said]]


def http(status: int = 200, body: bytes | str = b"", **headers: object) -> bytes:
    """A whole HTTP answer; `retry_after=1` becomes `Retry-After: 1`."""
    content = body.encode() if isinstance(body, str) else body
    said: dict[str, object] = {"Content-Length": len(content)}
    said |= {name.replace("_", "-").title(): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in said.items())]
    return "\r\n".join([*lines, "", ""]).encode("utf-8") + content


@dataclass
class Wire:
    """Answers each request by `answer`; what was asked stands in `asks`."""

    answer: Answer
    tls: ssl.SSLContext | None = None
    greeting: Callable[[socket.socket], None] | None = None
    """What is done with a connection before anything is read."""
    asks: list[Ask] = field(default_factory=list)
    connections: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.netloc}"

    @property
    def targets(self) -> list[str]:
        return [ask.target for ask in self.asks]

    def close(self) -> None:
        self.ended.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()
        for thread in self._threads:
            thread.join(10)
        assert not any(thread.is_alive() for thread in self._threads)

    def drop(self) -> None:
        """End all connections."""
        with self._lock:
            for opened in self._sockets:
                with contextlib.suppress(OSError):
                    opened.shutdown(socket.SHUT_RDWR)

    def _start(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.ended.is_set():
            try:
                opened, _ = self._listener.accept()
            except OSError:
                return
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._sockets.add(opened)
                self.connections += 1
                number = self.connections
            self._start(self._converse, opened, number)

    def _converse(self, opened: socket.socket, number: int) -> None:
        talked = opened
        try:
            if self.greeting is not None:
                self.greeting(opened)
            if self.tls is not None:
                talked = self.tls.wrap_socket(opened, server_side=True)
            with talked.makefile("rb") as reader:
                while (ask := self._read(reader, number)) is not None:
                    with self._lock:
                        self.asks.append(ask)
                    said = self.answer(ask)
                    for each in [said] if isinstance(said, bytes) else said:
                        if each is RESET:
                            talked.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        if each is CLOSE or each is RESET:
                            return
                        if isinstance(each, float):
                            if self.ended.wait(each):
                                return
                        else:
                            assert isinstance(each, bytes)
                            talked.sendall(each)
        except OSError:
            pass  # the other side has had enough
        finally:
            with self._lock:
                self._sockets.discard(opened)
            talked.close()
            opened.close()

    @staticmethod
    def _read(reader: Any, number: int) -> Ask | None:
        line = reader.readline().decode("latin-1").split()
        if len(line) < 2:
            return None
        at = time.monotonic()
        headers = {}
        while (header := reader.readline().decode("latin-1").strip()) != "":
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        body = reader.read(int(headers.get("content-length", 0)))
        return Ask(line[0], line[1], headers, body, number, at)


def forge(wire: Wire, kind: Any = "github", path: str = "", **options: Any) -> Host:
    """A host with an interface at the wire, and a token for it."""
    options = {"token_names": ("PROBE_TOKEN",), "spacing_s": 0.0, **options}
    return Host(wire.netloc, kind, wire.url + path, allow_private=True, **options)


def reset(seconds: float, *, skew: float = 0) -> int:
    return int(time.time() + seconds + skew)


def spent(seconds: float, *, skew: float = 0, **more: object) -> dict[str, object]:
    """Headers of a host whose requests are used up, and whose clock may be wrong."""
    date = email.utils.formatdate(time.time() + skew, usegmt=True)
    told = {"x_ratelimit_remaining": 0, "x_ratelimit_limit": 60, "date": date}
    return {**told, "x_ratelimit_reset": reset(seconds, skew=skew), **more}
