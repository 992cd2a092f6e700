"""Fetching many small files over the network, against curl: python benchmarks/crawl_urls.py.

A thousand files of a server on loopback that answers after 50 ms, in a process of its own: by the polite
session in 16 threads, and by `curl --parallel --parallel-max 16` in the same run. Once from one host, and
once from a hundred hosts that are each asked no more often than a host that nobody described.
Exits with 1 when the session is slower than its bar.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web

BAR = 0.8
"""Of the rate of curl."""
FILES, AT_ONCE, LATENCY_S, HOSTS, ROUNDS = 1000, 16, 0.05, 100, 2
BODY = b"cff-version: 1.2.0\nmessage: Cite it.\ntitle: Tool\nauthors:\n- family-names: Probe\n".ljust(
    750, b"#"
)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


class _Late(asyncio.Protocol):
    """Answers every request after a while, and keeps the connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._data = transport, b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        while b"\r\n\r\n" in self._data:
            _, _, self._data = self._data.partition(b"\r\n\r\n")
            asyncio.get_running_loop().call_later(LATENCY_S, self._say)

    def _say(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(ANSWER)  # type: ignore[attr-defined]


def _serve(told: Connection) -> None:
    async def serve() -> None:
        # On all of 127.0.0.0/8: each address there is another host.
        server = await asyncio.get_running_loop().create_server(_Late, "0.0.0.0", 0, backlog=512)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def _ours(urls: Sequence[str], hosts: Hosts) -> float:
    begun = time.perf_counter()
    with Web(hosts) as web, ThreadPoolExecutor(AT_ONCE) as pool:
        for answer in pool.map(web.get, urls):
            assert answer.content == BODY
    return len(urls) / (time.perf_counter() - begun)


def _curls(urls: Sequence[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config"
        config.write_text("".join(f'url = "{url}"\noutput = "{folder}/{n}"\n' for n, url in enumerate(urls)))
        words = [
            "curl",
            "--silent",
            "--fail",
            "--parallel",
            "--parallel-max",
            str(AT_ONCE),
            "--config",
            config,
        ]
        begun = time.perf_counter()
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL)  # its meter
        seconds = time.perf_counter() - begun
        assert all((Path(folder) / str(n)).read_bytes() == BODY for n in range(len(urls)))
    return len(urls) / seconds


def urls() -> bool:
    """Print the rates and their ratios; whether they are within the bar."""
    if shutil.which("curl") is None:
        print("URLs: left out: there is no curl")
        return True
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    server.start()
    good = True
    try:
        port = here.recv()
        print(f"URLs: files/s of {FILES:,} small files after {LATENCY_S * 1000:.0f} ms, {AT_ONCE} at once")
        for title, count, spacing in (("one host", 1, 0.0), (f"{HOSTS} hosts", HOSTS, None)):
            names = [f"127.0.0.{n + 1}:{port}" for n in range(count)]
            kept = [Host(n, allow_private=True) for n in names]
            if spacing is not None:
                kept = [Host(n, spacing_s=spacing, allow_private=True) for n in names]
            files = [f"http://{names[n % count]}/{n}/CITATION.cff" for n in range(FILES)]
            # The best of each, in turn: what else the machine does meets both.
            rates = [(_ours(files, Hosts(kept)), _curls(files)) for _ in range(ROUNDS)]
            ours, curls = (max(rate) for rate in zip(*rates, strict=True))
            print(f"{title:10} session {ours:5.0f}  curl {curls:5.0f}  ratio {ours / curls:.2f} (bar: {BAR})")
            good &= ours / curls >= BAR
    finally:
        server.terminate()
        server.join()
    return good


if __name__ == "__main__":
    sys.exit(0 if urls() else 1)
