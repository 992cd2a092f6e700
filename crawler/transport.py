"""Send one request over a connection that goes where it should and can be cut off at any moment.

All threads share the connections of a `requests` adapter. A `requests.Session` is left out on purpose: it
would bring cookies, which tie requests together that have nothing to do with each other, passwords out of
a ~/.netrc, and redirects of its own. Nothing is tried twice, but for a kept connection that the host has
closed meanwhile.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import requests
from requests.adapters import DEFAULT_CA_BUNDLE_PATH, HTTPAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import select_proxy, should_bypass_proxies
from urllib3 import PoolManager, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.util.ssl_ import create_urllib3_context

from .addresses import AddressRefused, Resolve, addresses
from .answers import FetchError, Unreached
from .bodies import PIECE, read_body, too_large
from .connecting import CONNECT_S, POLL_S, BrokenOff, Grip, connect, look_up
from .faults import is_late, unconnected, unreached
from .git import Stopped

if TYPE_CHECKING:
    from .hosts import Hosts
    from .urls import Url

READ_S = 60
"""The most time between two pieces of an answer."""
_POOLS, _KEPT = 64, 16
"""Hosts whose connections are kept, and how many of each."""
_ERROR_BYTES = 64 << 10
"""Of the body of an answer that is not what was asked for."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, no redirect followed."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Transport:
    """Sends requests, from any thread."""

    def __init__(self, hosts: Hosts, stopped: threading.Event, resolve: Resolve) -> None:
        self._stopped = stopped
        self._local = threading.local()
        self._lock = threading.Lock()
        self._watched: set[Grip] = set()
        self._watcher: threading.Thread | None = None
        self._proxies = getproxies()
        self._adapter = _Adapter(_pool_classes(hosts, resolve, self._local))

    def send(
        self,
        method: str,
        url: Url,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        deadline: float,
        max_bytes: int,
        cut: bool,
    ) -> Reply:
        """The answer to one request; `deadline` is of `time.monotonic()`, for all of it.

        Unreached when there is none, TooLarge when it has more than `max_bytes` (with `cut` it ends there),
        FetchError when its address is refused, Stopped when the crawl is.
        """
        request = requests.PreparedRequest()
        request.method, request.url, request.body = method, str(url), body
        request.headers = CaseInsensitiveDict(headers)
        if body is not None:
            request.headers["Content-Length"] = str(len(body))
        while True:
            grip = Grip(url.netloc, deadline, self._stopped)
            try:
                with self._watching(grip):
                    reply = self._send(request, url, max_bytes, cut=cut)
                    if grip.is_cut:
                        raise BrokenOff  # what was shut looks like an answer that has come to its end
                    return reply
            except AddressRefused as error:
                raise FetchError(str(error), "blocked") from error
            except (BrokenOff, OSError, ValueError, HTTPError, http.client.HTTPException) as error:
                if self._stopped.is_set():
                    raise Stopped from error
                if grip.is_cut or isinstance(error, BrokenOff):
                    raise Unreached(f"{grip.name}: does not answer in time", is_final=True) from error
                if grip.is_kept and not grip.has_answer and not is_late(error):
                    continue  # the host had closed it; the next one is another kept one, or new
                raise unreached(grip.name, error) from error

    def close(self) -> None:
        """Close the connections that are kept; those under way end by themselves."""
        self._adapter.close()
        with self._lock:
            watcher = self._watcher
        if watcher is not None:
            watcher.join(2 * POLL_S)

    def _send(self, request: requests.PreparedRequest, url: Url, max_bytes: int, *, cut: bool) -> Reply:
        response = self._adapter.send(
            request, stream=True, timeout=(CONNECT_S, READ_S), proxies=self._proxies_for(url)
        )
        self._local.grip.has_answer = True
        with response:
            is_ok = 200 <= response.status_code < 300
            length = response.headers.get("Content-Length", "")
            if is_ok and not cut and length.isdecimal() and int(length[:20]) > max_bytes:
                raise too_large(max_bytes)
            content = read_body(
                response.raw.stream(PIECE, decode_content=False),
                response.headers.get("Content-Encoding", ""),
                max_bytes if is_ok else _ERROR_BYTES,
                cut=cut or not is_ok,
            )
        return Reply(response.status_code, response.headers, content)

    def _proxies_for(self, url: Url) -> dict[str, str]:
        """The user's proxies for a URL, as the environment names them."""
        if not self._proxies or should_bypass_proxies(str(url), no_proxy=None):
            return {}
        chosen = select_proxy(str(url), self._proxies)
        if chosen and not re.match(
            r"(?:https?://)?(?:[^/@]*@)?(?:\[[0-9A-Fa-f:]+\]|[^\s/:\[\]@]+)(?::\d+)?/?$", chosen
        ):
            raise FetchError("the environment names a proxy that cannot be used: write http://HOST:PORT")
        return self._proxies

    # --- Watching ---------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _watching(self, grip: Grip) -> Iterator[None]:
        self._local.grip = grip
        with self._lock:
            self._watched.add(grip)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._look_after, name="http-watch", daemon=True)
                self._watcher.start()
        try:
            yield
        finally:
            with self._lock:
                self._watched.discard(grip)
            grip.release()

    def _look_after(self) -> None:
        """Cut what is late, and all of it once the crawl is stopped; end when nothing is under way."""
        while True:
            if self._stopped.wait(POLL_S):
                time.sleep(POLL_S / 10)
            now = time.monotonic()
            with self._lock:
                if not self._watched:
                    self._watcher = None
                    return
                late = [g for g in self._watched if self._stopped.is_set() or now > g.deadline]
            for grip in late:
                grip.cut()


class _Response(http.client.HTTPResponse):
    """An answer whose headers have an end: `http.client` takes an end of the connection for theirs."""

    def begin(self) -> None:
        """Read status and headers; IncompleteRead when the connection ends in them."""
        opened = self.fp
        lines: Any = _Lines(opened)
        self.fp = lines
        try:
            super().begin()
        finally:
            if self.fp is lines:
                self.fp = opened


class _Lines:
    """The lines of a file, of which only the first may be missing."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened
        self._has_begun = False

    def readline(self, size: int = -1) -> bytes:
        line: bytes = self._opened.readline(size)
        if not line and self._has_begun:
            raise http.client.IncompleteRead(b"")
        self._has_begun = True
        return line

    def close(self) -> None:
        self._opened.close()


class _Adapter(HTTPAdapter):
    """Connects through our own connection classes; reads the certificates once; tries nothing again."""

    def __init__(self, pool_classes: dict[str, type[HTTPConnectionPool]]) -> None:
        self._pool_classes = pool_classes
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None
        super().__init__(pool_connections=_POOLS, pool_maxsize=_KEPT, max_retries=0)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        manager: PoolManager = self.poolmanager
        manager.pool_classes_by_scheme = self._pool_classes

    def proxy_manager_for(self, proxy: str, **options: Any) -> ProxyManager:
        manager: ProxyManager = super().proxy_manager_for(proxy, **options)
        manager.pool_classes_by_scheme = self._pool_classes
        return manager

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: bool | str, cert: Any = None
    ) -> tuple[Any, Any]:
        parts = urlsplit(str(request.url))
        place = {"scheme": parts.scheme, "host": parts.hostname, "port": parts.port}
        return place, {"ssl_context": self._tls()} if parts.scheme == "https" else {}

    def cert_verify(self, *_: Any, **__: Any) -> None:
        """The context that the connections are given checks certificates already."""

    def _tls(self) -> ssl.SSLContext:
        with self._lock:
            if self._context is None:
                self._context = _tls_context()
            return self._context


_CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Where the user may name other certificates: those of requests, of curl and of OpenSSL."""


def _tls_context() -> ssl.SSLContext:
    """A context that checks certificates: reading them takes longer than a connection does."""
    named = next((name for name in _CA_VARIABLES if os.environ.get(name)), "")
    path = os.environ.get(named) or DEFAULT_CA_BUNDLE_PATH
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    try:
        if os.path.isdir(path):
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except OSError as error:
        whose = f"that {named} names" if named else "of certifi"
        raise FetchError(f"the certificates {whose} cannot be read: {path}") from error
    return context


def _pool_classes(
    hosts: Hosts, resolve: Resolve, local: threading.local
) -> dict[str, type[HTTPConnectionPool]]:
    """Pools whose connections go where `hosts` lets them, and give `local.grip` their socket."""

    class Guarded(HTTPConnection):
        response_class = _Response

        def _new_conn(self) -> socket.socket:
            grip: Grip = local.grip
            # A proxy was named by the user, wherever it stands, and looks names up by itself.
            is_proxy = self.proxy is not None
            name = f"the proxy {self.host}" if is_proxy else grip.name
            find = resolve if is_proxy else partial(addresses, hosts=hosts, resolve=resolve)
            try:
                numbers = look_up(find, self.host.strip("[]"), self.port, grip)
                made = connect(numbers, self.port, grip, tuple(self.socket_options or ()))
            except OSError as error:
                raise unconnected(name, error) from error
            made.settimeout(CONNECT_S)
            grip.take(made)
            grip.is_fresh = True
            return made

        def request(self, *args: Any, **options: Any) -> None:
            grip: Grip = local.grip
            if self.sock is not None and not grip.is_fresh:
                grip.is_kept = True
                grip.take(self.sock)
            super().request(*args, **options)

    class GuardedTls(Guarded, HTTPSConnection):
        pass

    class Pool(HTTPConnectionPool):
        ConnectionCls = Guarded

    class TlsPool(HTTPSConnectionPool):
        ConnectionCls = GuardedTls

    return {"http": Pool, "https": TlsPool}
