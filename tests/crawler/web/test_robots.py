"""What sites close to programs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cffgraph.crawler.http import FetchError

from .wire import CLOSE, http

Make = Callable[..., Any]


RULES = """User-agent: *
Disallow: /

User-agent: cffgraph
Disallow: /private/
Disallow: /*.zip$
Disallow: /a*b/
Allow: /private/open
"""


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        ("/", True),
        ("/private", True),
        ("/private/x", False),
        ("/private/open", True),
        ("/%70rivate/x", False),
        ("/x.zip", False),
        ("/x.zip.txt", True),
        ("/x.zip?y", True),
        ("/axxb/c", False),
        ("/axx/c", True),
        ("/Private/x", True),
    ],
)
def test_what_robots_txt_closes(path: str, is_open: bool, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(body=RULES) if ask.target == "/robots.txt" else http())
    web = make_web(wire)
    if is_open:
        assert web.get(f"{wire.url}{path}", page=True).is_ok
    else:
        with pytest.raises(FetchError, match=r"its robots.txt closes /") as caught:
            web.get(f"{wire.url}{path}", page=True)
        assert caught.value.state == "blocked"
    assert wire.targets == ["/robots.txt", *([path] if is_open else [])]
    # An interface is there for programs.
    assert web.get(f"{wire.url}{path}").is_ok


CLOSED = b"User-agent: *\nDisallow: /"


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        (http(404, CLOSED), True),
        (http(403, CLOSED), True),
        (http(401, CLOSED), True),
        (http(410), True),
        (http(500), False),
        (http(503), False),
        (http(body="<html><body>Disallow: /</body></html>", content_type="text/html"), True),
        (http(body=b""), True),
        (http(body=b"\xef\xbb\xbf" + CLOSED), False),
        (http(body=CLOSED.replace(b"\n", b"\r\n").upper()), False),
        (http(body=b"\xff\xfe\x00" * 99), True),
        (http(body=b"#" * (512 << 10) + b"\n" + CLOSED), True),
        (http(body=b"#" * (500 << 10) + b"\n" + CLOSED), False),
        (http(301, location="/elsewhere"), False),
    ],
    ids=str,
)
def test_what_a_robots_txt_may_be(said: bytes, is_open: bool, make_wire: Make, make_web: Make) -> None:
    pages = {"/robots.txt": said, "/elsewhere": http(body=CLOSED)}
    wire = make_wire(lambda ask: pages.get(ask.target, http()))
    web = make_web(wire)
    if is_open:
        assert web.get(f"{wire.url}/x", page=True).is_ok
    else:
        with pytest.raises(FetchError, match=r"robots.txt"):
            web.get(f"{wire.url}/x", page=True)
        assert "/x" not in wire.targets


def test_robots_txt_is_read_once_a_host_and_port(make_wire: Make, make_web: Make) -> None:
    open_, closed = (make_wire(lambda ask, t=text: http(body=t)) for text in ("", CLOSED))
    web = make_web(open_, closed)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: web.get(f"{open_.url}/{n}", page=True), range(16)))
    assert open_.targets.count("/robots.txt") == 1
    for _ in range(3):
        with pytest.raises(FetchError, match=r"robots.txt"):
            web.get(f"{closed.url}/x", page=True)
    assert closed.targets == ["/robots.txt"]


def test_a_redirect_leads_under_the_rules_of_where_it_leads(make_wire: Make, make_web: Make) -> None:
    closed = make_wire(lambda _: http(body=CLOSED))
    wire = make_wire(
        lambda ask: http(404) if ask.target == "/robots.txt" else http(302, location=f"{closed.url}/x")
    )
    with pytest.raises(FetchError, match=f"^{closed.netloc}: its robots.txt closes /x"):
        make_web(wire, closed).get(f"{wire.url}/x", page=True)


def test_a_site_without_an_answer_for_robots_is_not_asked_for_its_pages(
    make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda ask: [CLOSE] if ask.target == "/robots.txt" else http())
    with pytest.raises(FetchError, match="ended the connection"):
        make_web(wire).get(f"{wire.url}/x", page=True)
    assert set(wire.targets) == {"/robots.txt"}


@pytest.mark.parametrize(("delay", "gap"), [("0.3", 0.3), ("0", 0), ("soon", 0)])
def test_a_crawl_delay(delay: str, gap: float, make_wire: Make, make_web: Make) -> None:
    rules = f"User-agent: *\nCrawl-delay: {delay}\n"
    wire = make_wire(lambda ask: http(body=rules) if ask.target == "/robots.txt" else http())
    web = make_web(wire)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: web.get(f"{wire.url}/{n}", page=True), range(4)))
    times = sorted(ask.at for ask in wire.asks)
    assert times[4] - times[1] > 2 * gap
