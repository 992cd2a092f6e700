"""What the polite session asks, follows and gives up."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cffgraph.crawler.http import FetchError, Web

from .wire import CLOSE, SECRET, Ask, Said, forge, http

Make = Callable[..., Any]


def ask_all(web: Web, urls: Sequence[str], threads: int) -> list[int]:
    with ThreadPoolExecutor(threads) as pool:
        return [answer.status for answer in pool.map(web.get, urls)]


# --- Redirects -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("where", "keeps_token"),
    [
        ("{same}/api/v4/there", True),
        ("/api/v4/there", True),
        ("there", True),
        ("{same}/there", False),
        ("/api/v4/../../there", False),
        ("{other}/api/v4/there", False),
        ("//{other_host}/api/v4/there", False),
        ("{named}/api/v4/there", False),
    ],
)
def test_a_token_follows_no_redirect_out_of_its_interface(
    status: int, where: str, keeps_token: bool, make_wire: Make, make_web: Make
) -> None:
    there = make_wire(lambda _: http(body="there"))
    here = make_wire(
        lambda ask: http(status, location=place) if ask.target == "/api/v4/x" else http(body="there")
    )
    named = f"http://git.example:{here.port}"
    place = where.format(same=here.url, other=there.url, other_host=there.netloc, named=named)
    web = make_web(
        forge(here, "gitlab", "/api/v4"), there, allowed=("git.example",), resolve=lambda *_: ["127.0.0.1"]
    )
    answer = web.get(f"{here.url}/api/v4/x")
    assert answer.content == b"there"
    assert answer.moved_to == (answer.url if status in (301, 308) else None)
    (first, second) = here.asks + there.asks
    assert (first.token, second.token) == (f"Bearer {SECRET}", f"Bearer {SECRET}" if keeps_token else None)


def test_no_way_back_brings_the_token_out_again(make_wire: Make, make_web: Make) -> None:
    here = make_wire(lambda ask: http(302, location=f"{there.url}/x") if ask.target == "/a" else http())
    there = make_wire(lambda _: http(302, location=f"{here.url}/b"))
    web = make_web(forge(here), there)
    web.get(f"{here.url}/a")
    web.get(f"{there.url}/x")
    web.get(f"{here.url}/b")
    tokens = [(ask.target, ask.token) for ask in here.asks]
    assert tokens == [("/a", f"Bearer {SECRET}"), ("/b", None), ("/b", None), ("/b", f"Bearer {SECRET}")]
    assert {ask.token for ask in there.asks} == {None}


@pytest.mark.parametrize(
    ("chain", "moved_to"),
    [
        ([301, 301], "/2"),
        ([308, 301, 308], "/3"),
        ([302, 301], None),
        ([301, 302], "/1"),
        ([301, 307, 301], "/1"),
        ([303], None),
        ([], None),
        ([301] * 5, "/5"),
    ],
)
def test_where_something_has_moved_for_good(
    chain: list[int], moved_to: str | None, make_wire: Make, make_web: Make
) -> None:
    def answer(ask: Ask) -> bytes:
        number = int(ask.target[1:])
        return http(chain[number], location=f"/{number + 1}") if number < len(chain) else http()

    wire = make_wire(answer)
    found = make_web(wire).get(f"{wire.url}/0")
    assert (found.status, found.url) == (200, f"{wire.url}/{len(chain)}")
    assert found.moved_to == (moved_to and wire.url + moved_to)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("/x", "redirects in a circle"),
        ("#part", "redirects in a circle"),
        ("/{next}", "redirects more than 5 times"),
        ("file:///etc/passwd", "leads to a file address"),
        ("javascript:alert(1)", "leads to a javascript address"),
        ("data:text/plain,x", "leads to a data address"),
        ("//me:hunter2@git.example/", "user name or password"),
        ("https://hunter2@git.example/", "user name or password"),
        ("http://[", "no URL"),
        ("http://git.example:0/", "port 0"),
        ("http://git.example:99999/", "port 99999"),
        ("http://a b/", "a host that is none"),
        ("https://127.0.0.1/", "127.0.0.1 is no public address"),
        ("https://127.0.0.1:1/", "127.0.0.1 is no public address"),
        ("https://127.1/", "127.1 is an address in an odd form"),
        ("https://2130706433/", "an address in an odd form"),
        ("https://0x7f.0.0.1/", "an address in an odd form"),
        ("https://0177.0.0.1/", "an address in an odd form"),
        ("https://localhost/", "localhost is this machine"),
        ("https://169.254.169.254/latest/meta-data", "no public address"),
        ("https://[::1]/", "no public address"),
        ("https://[::ffff:7f00:1]/", "no public address"),
        ("https://[::ffff:169.254.169.254]/", "no public address"),
        ("https://[64:ff9b::7f00:1]/", "no public address"),
        ("https://inside.example/", "inside.example leads to 10.0.0.7, which is no public address"),
        ("http://outside.example/", "outside.example speaks http://"),
    ],
)
def test_redirects_that_are_not_followed(location: str, reason: str, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(302, location=location.format(next=len(wire.asks))))
    web = make_web(wire, resolve=lambda *_: ["10.0.0.7"])
    with pytest.raises(FetchError) as caught:
        web.get(f"{wire.url}/x")
    assert reason in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert caught.value.state == ("failed" if "redirects" in reason else "blocked")
    assert len(wire.asks) == (6 if "more than" in reason else 1)


@pytest.mark.parametrize("answer", [http(302), http(304), http(300, location="/y"), http(305, location="/y")])
def test_answers_that_lead_nowhere(answer: bytes, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: answer)
    assert not make_web(wire).get(f"{wire.url}/x").is_ok
    assert wire.targets == ["/x"]


def test_no_redirect_leads_out_of_tls(
    make_wire: Make, make_web: Make, make_tls: Make, trusted: object
) -> None:
    plain = make_wire(lambda _: http())
    safe = make_wire(lambda _: http(301, location=f"{plain.url}/x"), tls=make_tls("127.0.0.1"))
    with pytest.raises(FetchError, match="leads to http://, which can be changed on its way"):
        make_web(plain, safe).get(f"{safe.url}/x")
    assert plain.asks == []


def test_a_post_is_not_sent_on(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(307, location="/there"))
    answer = make_web(wire).post(f"{wire.url}/x", {"a": "ü"})
    assert (answer.status, wire.targets) == (307, ["/x"])
    assert wire.asks[0].headers["content-type"] == "application/json"


def test_a_redirect_whose_body_has_no_end(make_wire: Make, make_web: Make) -> None:
    def answer(ask: Ask) -> Sequence[Said]:
        if ask.target == "/there":
            return [http(body="there")]
        return [b"HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n", *[bytes(1 << 16)] * 100]

    wire = make_wire(answer)
    assert make_web(wire).get(f"{wire.url}/x", max_bytes=9).content == b"there"


# --- Faults ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "status", "asks"),
    [
        ("GET", 500, 4),
        ("GET", 502, 4),
        ("GET", 503, 4),
        ("GET", 504, 4),
        ("GET", 408, 4),
        ("GET", 522, 4),
        ("GET", 501, 1),
        ("GET", 404, 1),
        ("POST", 500, 4),
        ("POST", 502, 1),
        ("POST", 504, 1),
    ],
)
def test_which_faults_pass(method: str, status: int, asks: int, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(status, "in trouble"))
    web = make_web(wire)
    answer = web.get(f"{wire.url}/x") if method == "GET" else web.post(f"{wire.url}/x", {})
    assert (answer.status, answer.content, len(wire.asks)) == (status, b"in trouble", asks)
    assert str(answer.refusal()) == {
        404: "the host knows no such repository",
    }.get(status, f"{wire.netloc} answered {status}")


def test_a_host_that_does_not_answer_is_left_alone_for_a_while(make_wire: Make, make_web: Make) -> None:
    is_dead = threading.Event()
    is_dead.set()
    wire = make_wire(lambda _: [CLOSE] if is_dead.is_set() else http())
    web = make_web(wire, silent_s=1.0)
    for n in range(5):
        with pytest.raises(FetchError, match="ended the connection without an answer"):
            web.get(f"{wire.url}/{n}", patient=False)
    for n in range(5, 9):
        with pytest.raises(FetchError) as caught:
            web.get(f"{wire.url}/{n}", patient=False)
        assert str(caught.value) == f"{wire.netloc} has not answered for a while: left alone for now"
    assert len(wire.asks) == 5
    # One request tries whether it answers again: it does not.
    time.sleep(1.1)
    reasons = []
    for n in range(3):
        with pytest.raises(FetchError) as caught:
            web.get(f"{wire.url}/x{n}", patient=False)
        reasons.append("left alone" in str(caught.value))
    assert (reasons, len(wire.asks)) == ([False, True, True], 6)
    is_dead.clear()
    time.sleep(1.1)
    assert ask_all(web, [f"{wire.url}/y{n}" for n in range(3)], 1) == [200] * 3


def test_one_bad_repository_does_not_make_its_host_a_dead_one(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: [CLOSE] if ask.target.startswith("/bad") else http())
    web = make_web(wire)
    for n in range(8):
        with pytest.raises(FetchError, match="ended the connection"):
            web.get(f"{wire.url}/bad?try={n}", patient=False)
    for n in range(8):  # good ones between
        with pytest.raises(FetchError, match="ended the connection"):
            web.get(f"{wire.url}/bad/{n}", patient=False)
        assert web.get(f"{wire.url}/good/{n}").is_ok


def test_a_host_that_nobody_knows_is_not_looked_up_for_ever(make_web: Make) -> None:

    asked = []

    def fail(name: str, port: int) -> list[str]:
        asked.append(name)
        raise socket.gaierror(socket.EAI_NONAME, "no")

    web = make_web(resolve=fail)
    for _ in range(20):
        with pytest.raises(FetchError, match=r"host not found|left alone"):
            web.get("https://gone.example/one")
    assert len(asked) == 5


# --- Asking and being answered ---------------------------------------------------------------------


def test_what_is_sent(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(304, etag='"b"'))
    web = make_web(wire)
    answer = web.get(f"{wire.url}/x?y=z#part", validator='W/"a"', accept="text/plain", headers={"X-One": "1"})
    web.get(f"{wire.url}/x", validator="Tue, 01 Dec 2026 10:00:00 GMT")
    first, second = (ask.headers for ask in wire.asks)
    assert wire.targets == ["/x?y=z", "/x"]
    assert first["user-agent"].startswith("cffgraph/")
    assert (first["if-none-match"], first["accept"], first["x-one"]) == ('W/"a"', "text/plain", "1")
    assert first["accept-encoding"] == "gzip, deflate"
    assert (second["if-modified-since"], second["accept"]) == ("Tue, 01 Dec 2026 10:00:00 GMT", "*/*")
    assert "if-none-match" not in second
    assert (answer.status, answer.validator, answer.content) == (304, '"b"', b"")
    assert web.requests == 2


@pytest.mark.parametrize(
    "url",
    [
        "https://me:pw@git.example/",
        "file:///x",
        "git.example/x",
        "https://",
        "https://git.example:0/",
        "ssh://g@x/y",
    ],
)
def test_what_is_not_asked(url: str, make_web: Make) -> None:
    for ask in (lambda web: web.get(url), lambda web: web.post(url, {})):
        with pytest.raises(FetchError) as caught:
            ask(make_web())
        assert caught.value.state == "blocked"
        assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    ("link", "there"),
    [
        ("", None),
        ('<https://git.example/x?page=2>; rel="next"', "https://git.example/x?page=2"),
        ('<?page=1>; rel="prev", <?page=3>; rel="next"', "{url}/x?page=3"),
        ("</y,z>; rel=next", "{url}/y,z"),
        ('<y>; title="a, b; rel=prev"; REL="last  Next"', "{url}/y"),
        ('<y>; rel="nextish"', None),
        ("<y>", None),
        ("<y; rel=next", None),
        ("<http://[>; rel=next", None),
    ],
)
def test_the_next_page(link: str, there: str | None, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(link=link))
    assert make_web(wire).get(f"{wire.url}/x").next_url() == (there and there.format(url=wire.url))


@pytest.mark.parametrize(
    ("body", "kind", "value"),
    [
        (b'{"a": "\xc3\xbc"}', "application/json; charset=latin-1", {"a": "ü"}),
        (b'\xef\xbb\xbf{"a": 1}', "text/plain", {"a": 1}),
        (b"<html>", "text/html; charset=utf-8", "text/html"),
        (b"", "", "no type"),
        (b'{"a": "\xfc"}', "application/json", "application/json"),
        (b"[" * 100_000, "application/json", "application/json"),
        (b"9" * 9999, "a\x1bb", "no type"),
    ],
)
def test_json(body: bytes, kind: str, value: object, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(body=body, content_type=kind))
    answer = make_web(wire).get(f"{wire.url}/x")
    if isinstance(value, dict):
        assert answer.json() == value
    else:
        with pytest.raises(FetchError, match=f"^{wire.netloc} answered with {value} and not with JSON$"):
            answer.json()


NOTICE = '{"message": "Repository access blocked", "block": {"html_url": "https://forge.example/notice/1"}}'


@pytest.mark.parametrize(
    ("status", "body", "reason", "state"),
    [
        (404, "", "the host knows no such repository", "gone"),
        (410, "", "the host knows no such repository", "gone"),
        (401, "", "{host} asks for a token", "private"),
        (403, "", "{host} refuses it", "private"),
        (403, NOTICE, "{host} has blocked it: https://forge.example/notice/1", "blocked"),
        (403, '{"message": "Repository access blocked"}', "{host} has blocked it", "blocked"),
        (403, '{"message": "Resource not accessible"}', "{host} refuses it", "private"),
        (403, "access to this repository has been disabled by its staff", "{host} has blocked it", "blocked"),
        (451, NOTICE, "blocked for legal reasons: https://forge.example/notice/1", "blocked"),
        (451, "[" * 100_000, "blocked for legal reasons", "blocked"),
        (451, '{"block": {"html_url": "javascript:x"}}', "blocked for legal reasons", "blocked"),
        (418, "", "{host} answered 418", "failed"),
    ],
)
def test_what_a_refusal_makes_of_a_repository(
    status: int, body: str, reason: str, state: str, make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda _: http(status, body))
    error = make_web(wire).get(f"{wire.url}/x").refusal()
    assert (str(error), error.state) == (reason.format(host=wire.netloc), state)
