"""A double of a forge on loopback."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from cffgraph.crawler.hosts import Host, Hosts, Kind
from pytest_httpserver import HTTPServer

from .doubles import Crawl, Double


@pytest.fixture
def serve(httpserver: HTTPServer) -> Iterator[Callable[[Double], str]]:
    """Puts a double on loopback; its name, with the port."""

    def put(double: Double) -> str:
        httpserver.clear_all_handlers()  # the last one put there answers
        httpserver.expect_request(re.compile(".*")).respond_with_handler(double)
        return urlsplit(httpserver.url_for("/")).netloc

    yield put
    httpserver.check()


@pytest.fixture
def connect(serve: Callable[[Double], str]) -> Callable[..., Crawl]:
    """Puts a double on loopback; what crawls it, with a token in `FORGE_TOKEN` if there is one."""

    def put(double: Double, kind: Kind, understand: Callable[[str, Hosts], Any], *, name: str = "") -> Crawl:
        place = serve(double)
        api = f"http://{place}{double.api}"
        return Crawl(Host(name or place, kind, api, ("FORGE_TOKEN",), 0, allow_private=True), understand)

    return put
