"""A git host on loopback: the real `git http-backend` behind a small server."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Host:
    """Serves the bare repositories of a folder at `url`; what was asked stands in `requests`."""

    root: Path
    url: str = ""
    requests: list[str] = field(default_factory=list)
    password: str | None = None
    """Asked of everyone, when there is one; the user is `ada`."""
    silent: threading.Event | None = None
    """When there is one, no request is answered before it is set."""

    def publish(self, repository: Any, name: str, *settings: str) -> str:
        """Put a copy of a repository on the host; its URL."""
        place = self.root / name
        subprocess.run(["git", "clone", "-q", "--bare", repository.path, place], check=True)
        for setting in ("uploadpack.allowFilter=true", *settings):
            key, _, value = setting.partition("=")
            subprocess.run(["git", "-C", place, "config", key, value], check=True)
        return f"{self.url}/{name}"


def _handler(host: Host) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            host.requests.append(f"{self.command} {self.path}")
            if host.silent is not None:
                host.silent.wait(30)
                return
            if host.password is not None:
                wanted = base64.b64encode(f"ada:{host.password}".encode()).decode()
                if self.headers.get("Authorization") != f"Basic {wanted}":
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="git"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
            path, _, query = self.path.partition("?")
            environment = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(host.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = [line.partition(": ")[::2] for line in head.decode().split("\r\n") if line]
            self.send_response(int(dict(headers).get("Status", "200").split()[0]))
            for name, value in headers:
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = answer

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


@pytest.fixture
def make_host(tmp_path: Path) -> Iterator[Callable[[], Host]]:
    """Starts a git host; each call another one."""
    servers: list[tuple[ThreadingHTTPServer, threading.Thread, Host]] = []

    def make() -> Host:
        host = Host(tmp_path / f"host{len(servers)}")
        host.root.mkdir()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(host))
        host.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        servers.append((server, thread, host))
        return host

    yield make
    for server, thread, host in servers:
        if host.silent is not None:
            host.silent.set()
        server.shutdown()
        server.server_close()
        thread.join()
