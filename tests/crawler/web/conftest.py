"""Hosts on loopback and sessions that ask them; after each test nothing of either is left."""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web

from .wire import SECRET, Answer, Wire


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's own, and one token."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.endswith(("_TOKEN", "_CA_BUNDLE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PROBE_TOKEN", SECRET)


def open_towards(ports: set[int]) -> list[str]:
    """The sockets of this process that lead to one of these ports; none where that cannot be told."""
    found = []
    for link in Path("/proc/self/fd").glob("*"):
        with contextlib.suppress(OSError):
            if os.readlink(link).startswith("socket:"):
                with socket.socket(fileno=os.dup(int(link.name))) as copy:
                    if copy.family == socket.AF_INET and copy.getpeername()[1] in ports:
                        found.append(str(copy))
    return found


@pytest.fixture
def wires() -> Iterator[list[Wire]]:
    """The hosts that were started."""
    started: list[Wire] = []
    yield started
    for wire in started:
        wire.close()


@pytest.fixture
def make_wire(wires: list[Wire]) -> Callable[..., Wire]:
    """Starts a host; each call another one."""

    def make(answer: Answer, **options: Any) -> Wire:
        wires.append(Wire(answer, **options))
        return wires[-1]

    return make


@pytest.fixture
def make_web(wires: list[Wire]) -> Iterator[Callable[..., Web]]:
    """A session that knows some hosts on loopback, each a Wire (a plain git host) or a Host.

    It is closed after the test, and has left no thread and no socket.
    """
    webs: list[Web] = []

    def make(*known: Wire | Host, allowed: tuple[str, ...] = (), **options: Any) -> Web:
        hosts = [
            Host(each.netloc, "git", "", (), 0, allow_private=True) if isinstance(each, Wire) else each
            for each in known
        ]
        options = {"backoff_s": 0.01, "least_wait_s": 0.05, **options}
        webs.append(Web(Hosts(hosts, allowed=allowed), **options))
        return webs[-1]

    yield make
    for web in webs:
        web.close()
    end = time.monotonic() + 5
    while (left := [t.name for t in threading.enumerate() if t.name.startswith("http-")]) and (
        time.monotonic() < end
    ):
        time.sleep(0.01)
    assert not left
    gc.collect()
    assert not open_towards({wire.port for wire in wires})


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Signs certificates of hosts in tests; nobody trusts it by himself."""
    return trustme.CA()


@pytest.fixture
def make_tls(authority: trustme.CA) -> Callable[..., ssl.SSLContext]:
    """What a host needs to speak TLS under these names."""

    def make(*names: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*names).configure_cert(context)
        return context

    return make


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the authority trusted, as a user would."""
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(path))
    return path
