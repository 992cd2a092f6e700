"""What hosts do to a connection, and what becomes of it."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cffgraph.crawler.hosts import Host
from cffgraph.crawler.http import FetchError, Stopped, TooLarge, Web

from .wire import CLOSE, RESET, Answer, Ask, Said, http

Make = Callable[..., Any]
CFF = b"cff-version: 1.2.0\n" * 200


def chunked(body: bytes, size: int = 100, end: bytes = b"0\r\n\r\n", **headers: object) -> bytes:
    head = http(**headers).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    pieces = [body[i : i + size] for i in range(0, len(body), size)]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + end


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *lines, b"", b""])


WHOLE: list[tuple[str, Sequence[Said]]] = [
    ("length", [http(body=CFF)]),
    ("chunked", [chunked(CFF)]),
    ("chunked with trailers", [chunked(CFF, end=b"0\r\nX-Sum: 1\r\n\r\n")]),
    ("chunked with extensions", [chunked(CFF).replace(b"64\r\n", b"64;x=y\r\n")]),
    ("until the end", [head(b"Content-Type: text/plain"), CFF, CLOSE]),
    ("gzip", [http(body=gzip.compress(CFF), content_encoding="gzip")]),
    ("gzip, chunked", [chunked(gzip.compress(CFF), 7, content_encoding="gzip")]),
    ("deflate", [http(body=zlib.compress(CFF), content_encoding="deflate")]),
    ("nested", [http(body=gzip.compress(zlib.compress(CFF)), content_encoding="deflate, gzip")]),
    ("in pieces", [http(body=CFF)[:30], 0.05, http(body=CFF)[30:900], 0.05, http(body=CFF)[900:]]),
    ("bare line feeds", [b"HTTP/1.1 200 OK\nContent-Length: %d\n\n" % len(CFF) + CFF]),
    ("an early hint before it", [b"HTTP/1.1 100 Continue\r\n\r\n", http(body=CFF)]),
    ("a status without words", [b"HTTP/1.1 200\r\nContent-Length: %d\r\n\r\n" % len(CFF) + CFF]),
    ("old HTTP", [b"HTTP/1.0 200 OK\r\n\r\n", CFF, CLOSE]),
]


@pytest.mark.parametrize("said", [s for _, s in WHOLE], ids=[name for name, _ in WHOLE])
def test_whole_answers(said: Sequence[Said], make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: said)
    answer = make_web(wire).get(f"{wire.url}/x")
    assert (answer.status, answer.content, wire.targets) == (200, CFF, ["/x"])


def endless(piece: bytes) -> Iterator[Said]:
    while True:
        yield piece


BROKEN: list[tuple[str, Callable[[], Sequence[Said]], str]] = [
    ("a length that is too long", lambda: [http(body=CFF)[:-1], CLOSE], "ended in the middle of its answer"),
    ("half of a chunk", lambda: [chunked(CFF)[:900], CLOSE], "ended in the middle of its answer"),
    ("no last chunk", lambda: [chunked(CFF, end=b""), CLOSE], "ended in the middle of its answer"),
    (
        "a chunk of no size",
        lambda: [chunked(CFF).replace(b"64\r\n", b"zz\r\n"), CLOSE],
        "ended in the middle",
    ),
    (
        "half of a gzip",
        lambda: [http(body=gzip.compress(CFF)[:-9], content_encoding="gzip")],
        "end too early",
    ),
    ("no gzip", lambda: [http(body=CFF, content_encoding="gzip")], "packed data are damaged"),
    ("unasked packing", lambda: [http(body=CFF, content_encoding="br")], "not asked for"),
    ("nothing at all", lambda: [CLOSE], "ended the connection without an answer"),
    ("a reset", lambda: [RESET], "ended the connection"),
    ("a reset in the middle", lambda: [http(body=CFF)[:-9], 0.05, RESET], "ended the connection"),
    ("half of a header", lambda: [b"HTTP/1.1 200 OK\r\nContent-", CLOSE], "ended in the middle"),
    ("half of the headers", lambda: [b"HTTP/1.1 200 OK\r\nX: y\r\n", CLOSE], "ended in the middle"),
    ("a status alone", lambda: [b"HTTP/1.1 200 OK\r\n", CLOSE], "ended in the middle"),
    ("no HTTP", lambda: [b"SSH-2.0-OpenSSH_9.2\r\n", CLOSE], "not HTTP"),
    ("HTTP/0.9", lambda: [CFF, CLOSE], "not HTTP"),
    ("binary", lambda: [bytes(range(256)) * 9, CLOSE], "not HTTP"),
    ("a status that is none", lambda: [b"HTTP/1.1 9999 OK\r\n\r\n", CLOSE], "not HTTP"),
    ("too long a header", lambda: [head(b"X: " + b"x" * 70_000)], "not HTTP"),
    ("endless headers", lambda: endless(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000), "not HTTP"),
    ("an endless header", lambda: endless(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 10_000), "not HTTP"),
]


@pytest.mark.parametrize(("said", "reason"), [b[1:] for b in BROKEN], ids=[name for name, *_ in BROKEN])
def test_broken_answers_are_asked_for_again_and_then_told(
    said: Callable[[], Sequence[Said]], reason: str, make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda _: said())
    with pytest.raises(FetchError, match=rf"^{wire.netloc}: .*{reason}") as caught:
        make_web(wire).get(f"{wire.url}/x")
    assert "\n" not in str(caught.value)
    assert (caught.value.state, len(wire.asks)) == ("failed", 4)


@pytest.mark.parametrize("said", [b[1] for b in BROKEN], ids=[name for name, *_ in BROKEN])
def test_a_passing_fault_is_passed_over(
    said: Callable[[], Sequence[Said]], make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda ask: said() if len(wire.asks) < 3 else http(body=CFF))
    assert make_web(wire).get(f"{wire.url}/x").content == CFF
    assert len(wire.asks) == 3


@pytest.mark.parametrize(
    "said",
    [
        lambda: [http(body=bytes(50_000))],
        lambda: [chunked(bytes(50_000))],
        lambda: [chunked(gzip.compress(bytes(50_000)), content_encoding="gzip")],
        lambda: [http(body=gzip.compress(bytes(9 << 20)), content_encoding="gzip")],
        lambda: [http(body=gzip.compress(zlib.compress(bytes(9 << 20))), content_encoding="deflate, gzip")],
        lambda: [head(b"Content-Length: 99999999999999999999999")],
        lambda: (head(b"X: y") if not n else bytes(9999) for n in range(1 << 40)),
        lambda: (chunked(bytes(9999), end=b"") if not n else b"9\r\n123456789\r\n" for n in range(1 << 40)),
    ],
    ids="length chunked gzip bomb nested lie endless endless-chunked".split(),
)
def test_no_more_is_read_than_may_be(
    said: Callable[[], Sequence[Said]], make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda _: said())
    web = make_web(wire)
    with pytest.raises(TooLarge, match="more than 40,000 bytes"):
        web.get(f"{wire.url}/x", max_bytes=40_000)
    assert len(wire.asks) == 1


def test_what_is_cut_is_the_beginning(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: (http(body=b"")[:-2] and head() if not n else CFF for n in range(1 << 40)))
    assert make_web(wire).get(f"{wire.url}/x", max_bytes=1000, cut=True).content == CFF[:1000]


def test_an_error_may_be_longer_than_what_was_asked_for(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(404, b"x" * 900_000))
    answer = make_web(wire).get(f"{wire.url}/x", max_bytes=10)
    assert answer.status == 404
    assert 10 < len(answer.content) < 100_000


def test_a_length_that_is_too_short_spoils_no_later_answer(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(body=ask.target) + b"HTTP/1.1 200 OK\r\n\r\nevil")
    web = make_web(wire)
    assert [web.get(f"{wire.url}/{n}").content for n in range(5)] == [f"/{n}".encode() for n in range(5)]


# --- Connections --------------------------------------------------------------------------------------


def test_a_connection_is_kept(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(body=ask.target) if "c" not in ask.target else chunked(CFF))
    web = make_web(wire)
    for n in ("1", "2", "c3", "c4", "5"):
        web.get(f"{wire.url}/{n}")
    assert (len(wire.asks), wire.connections) == (5, 1)
    web.close()
    web.get(f"{wire.url}/6")
    assert wire.connections == 2


def test_a_kept_connection_of_tls_is_used_again_and_can_be_cut(
    make_wire: Make, make_web: Make, make_tls: Make, trusted: Path
) -> None:
    wire = make_wire(lambda ask: http() if ask.target != "/silent" else [60.0], tls=make_tls("127.0.0.1"))
    web = make_web(wire, timeout_s=0.5)
    web.get(f"{wire.url}/1")
    web.get(f"{wire.url}/2")
    assert wire.connections == 1
    with pytest.raises(FetchError, match="does not answer in time"):
        web.get(f"{wire.url}/silent")
    assert wire.connections == 1


def test_connections_that_the_host_has_closed_are_no_fault(make_wire: Make, make_web: Make) -> None:
    barrier = threading.Barrier(6)

    def answer(ask: Ask) -> bytes:
        if ask.target == "/first":
            barrier.wait(10)
        return http(body="good")

    wire = make_wire(answer)
    web = make_web(wire)
    threads = [threading.Thread(target=web.get, args=(f"{wire.url}/first",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wire.connections == 6
    wire.drop()
    # Without a second try: what is tried again here does not count as one.
    assert web.get(f"{wire.url}/second", patient=False).content == b"good"


def test_a_connection_that_ends_as_it_is_used_again_is_no_fault(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(
        lambda ask: [CLOSE] if ask.connection == 1 and len(wire.asks) == 2 else http(body="good")
    )
    web = make_web(wire)
    web.get(f"{wire.url}/1", patient=False)
    assert web.get(f"{wire.url}/2", patient=False).content == b"good"
    assert web.post(f"{wire.url}/3", {}, patient=False).content == b"good"
    assert [(ask.target, ask.connection) for ask in wire.asks] == [("/1", 1), ("/2", 1), ("/2", 2), ("/3", 2)]


def test_no_cookie_is_sent_back(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(set_cookie="a=b; Path=/"))
    web = make_web(wire)
    web.get(f"{wire.url}/1")
    web.get(f"{wire.url}/2")
    assert not any("cookie" in ask.headers for ask in wire.asks)


def test_no_password_comes_out_of_a_netrc(
    make_wire: Make, make_web: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login ada password hunter2\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    wire = make_wire(lambda _: http(401, www_authenticate='Basic realm="x"'))
    assert make_web(wire).get(f"{wire.url}/x").status == 401
    assert [ask.token for ask in wire.asks] == [None]


# --- Time ---------------------------------------------------------------------------------------------


def slowly(data: bytes) -> Iterator[Said]:
    for byte in data:
        yield bytes([byte])
        yield 0.05


def drops(piece: bytes, first: bytes = b"") -> Iterator[Said]:
    yield first
    while True:
        yield piece
        yield 0.02


SLOW: list[tuple[str, Answer]] = [
    ("silence", lambda _: [60.0]),
    ("headers that drip", lambda _: slowly(http(body=CFF))),
    ("a body that drips", lambda _: drops(b"x", http(body=CFF)[:40])),
    ("a body without an end that drips", lambda _: drops(b"x", head())),
    ("chunks that drip", lambda _: slowly(chunked(CFF))),
    ("trailers without an end", lambda _: drops(b"A: b\r\n", chunked(CFF, end=b"0\r\n"))),
    ("hints without an end", lambda _: drops(b"HTTP/1.1 100 Continue\r\n\r\n")),
]


@pytest.mark.parametrize("answer", [a for _, a in SLOW], ids=[name for name, _ in SLOW])
def test_all_of_a_request_is_bounded(answer: Answer, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(answer)
    begun = time.monotonic()
    with pytest.raises(FetchError, match=rf"{wire.netloc}: does not answer in time"):
        make_web(wire, timeout_s=0.5).get(f"{wire.url}/x")
    assert time.monotonic() - begun < 10  # and not the minutes that it would take
    assert len(wire.asks) == 1


def test_all_tries_and_redirects_together_are_bounded(make_wire: Make, make_web: Make) -> None:
    def answer(ask: Ask) -> Sequence[Said]:
        if ask.target == "/0":
            return [0.3, http(302, location="/1")]
        return [0.3, CLOSE]

    wire = make_wire(answer)
    with pytest.raises(FetchError, match="in time"):
        make_web(wire, timeout_s=1.0).get(f"{wire.url}/0")
    assert wire.targets[:2] == ["/0", "/1"]
    assert len(wire.targets) <= 4


def test_a_handshake_that_drips_is_bounded(make_wire: Make, make_web: Make) -> None:
    def drip(opened: socket.socket) -> None:
        opened.recv(1)
        for _ in range(200):
            opened.sendall(b"\x16")
            if wire.ended.wait(0.05):
                break

    wire = make_wire(lambda _: http(), greeting=drip)
    with pytest.raises(FetchError, match="in time"):
        make_web(wire, timeout_s=0.5).get(f"https://{wire.netloc}/x")


@pytest.fixture
def full_port() -> Iterator[int]:
    """A port that takes no more connections and refuses none."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        waiting = []
        for _ in range(8):
            opened = socket.socket()
            opened.setblocking(False)
            opened.connect_ex(("127.0.0.1", port))
            waiting.append(opened)
        time.sleep(0.1)
        yield port
        for opened in waiting:
            opened.close()


def stopping(web: Web, call: Callable[[], Any]) -> float:
    """Stop the session while it is at it; how long it took to notice."""
    times: list[float] = []

    def stop() -> None:
        time.sleep(0.3)
        times.append(time.monotonic())
        web.stopped.set()

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        with pytest.raises(Stopped):
            call()
        times.append(time.monotonic())
    finally:
        thread.join()
    return times[1] - times[0]


def test_stopped_in_a_look_up(make_web: Make) -> None:
    go_on = threading.Event()

    def never(name: str, port: int) -> list[str]:
        go_on.wait(60)
        return ["127.0.0.1"]

    web = make_web(allowed=("git.example",), resolve=never)
    assert stopping(web, lambda: web.get("https://git.example/x")) < 5
    go_on.set()


def test_a_look_up_is_bounded(make_web: Make) -> None:
    go_on = threading.Event()

    def never(name: str, port: int) -> list[str]:
        go_on.wait(60)
        return []

    with pytest.raises(FetchError, match=r"git.example: does not answer in time"):
        make_web(allowed=("git.example",), resolve=never, timeout_s=0.3).get("https://git.example/x")
    go_on.set()


def test_stopped_in_a_connect(full_port: int, make_web: Make) -> None:
    web = make_web(allowed=("127.0.0.1",))
    assert stopping(web, lambda: web.get(f"http://127.0.0.1:{full_port}/x")) < 5


@pytest.mark.parametrize("answer", [a for _, a in SLOW], ids=[name for name, _ in SLOW])
def test_stopped_in_an_answer(answer: Answer, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(answer)
    web = make_web(wire)
    assert stopping(web, lambda: web.get(f"{wire.url}/x")) < 5


def test_stopped_in_a_handshake(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(), greeting=lambda _: wire.ended.wait(30) and None)
    web = make_web(wire)
    assert stopping(web, lambda: web.get(f"https://{wire.netloc}/x")) < 5


def test_stopped_in_a_pause_between_tries(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(503))
    web = make_web(wire, backoff_s=60)
    assert stopping(web, lambda: web.get(f"{wire.url}/x")) < 5


def test_nothing_is_asked_once_it_is_stopped(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http())
    web = make_web(wire)
    web.stopped.set()
    with pytest.raises(Stopped):
        web.get(f"{wire.url}/x")
    assert wire.connections == 0


# --- Why there is no answer ---------------------------------------------------------------------------


def test_nobody_listens(make_web: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(FetchError, match=rf"^127.0.0.1:{port}: refuses the connection$"):
        make_web(allowed=("127.0.0.1",)).get(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    ("code", "reason", "tries"),
    [
        (socket.EAI_NONAME, "git.example: host not found", 1),
        (socket.EAI_AGAIN, "git.example: cannot be looked up: is there a network?", 4),
    ],
)
def test_a_name_that_leads_nowhere(code: int, reason: str, tries: int, make_web: Make) -> None:
    asked = []

    def fail(name: str, port: int) -> list[str]:
        asked.append(name)
        raise socket.gaierror(code, "says the resolver")

    with pytest.raises(FetchError) as caught:
        make_web(resolve=fail).get("https://git.example/")
    assert (str(caught.value), len(asked)) == (reason, tries)


def test_an_address_that_leads_nowhere_costs_little(make_wire: Make, make_web: Make, full_port: int) -> None:
    wire = make_wire(lambda _: http(body="good"))
    web = make_web(
        allowed=("git.example",), resolve=lambda *_: ["127.0.0.2", "::1", "127.0.0.1"], timeout_s=10
    )
    assert web.get(f"http://git.example:{wire.port}/", patient=False).content == b"good"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("127.0.0.1", None),
        ("git.example", None),
        ("other.example", "its TLS certificate does not hold: Hostname mismatch"),
    ],
)
def test_certificates(
    name: str, reason: str | None, make_wire: Make, make_web: Make, make_tls: Make, trusted: Path
) -> None:
    wire = make_wire(lambda _: http(body="good"), tls=make_tls("127.0.0.1", "git.example"))
    web = make_web(allowed=(name,), resolve=lambda *_: ["127.0.0.1"])
    url = f"https://{name}:{wire.port}/"
    if reason is None:
        assert web.get(url).content == b"good"
    else:
        with pytest.raises(FetchError, match=rf"^{name}:{wire.port}: {reason}"):
            web.get(url)
        assert (wire.connections, wire.asks) == (1, [])


def test_a_certificate_that_nobody_signed(make_wire: Make, make_web: Make, make_tls: Make) -> None:
    wire = make_wire(lambda _: http(), tls=make_tls("127.0.0.1"))
    with pytest.raises(
        FetchError, match=r"does not hold: unable to get local issuer|does not hold: self.signed"
    ):
        make_web(wire).get(f"{wire.url}/")


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_variables_that_name_certificates(
    variable: str,
    trusted: Path,
    make_wire: Make,
    make_web: Make,
    make_tls: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.setenv(variable, str(trusted))
    wire = make_wire(lambda _: http(body="good"), tls=make_tls("127.0.0.1"))
    assert make_web(wire).get(f"{wire.url}/").content == b"good"


def test_certificates_that_are_not_there(
    make_wire: Make, make_web: Make, make_tls: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURL_CA_BUNDLE", "/nowhere/ca.pem")
    wire = make_wire(lambda _: http(), tls=make_tls("127.0.0.1"))
    with pytest.raises(FetchError, match=r"that CURL_CA_BUNDLE names cannot be read: /nowhere/ca.pem"):
        make_web(wire).get(f"{wire.url}/")


def test_tls_is_spoken_to_whom_does_not_speak_it(make_wire: Make, make_web: Make) -> None:
    def greet(opened: socket.socket) -> None:
        opened.recv(1 << 16)
        opened.sendall(http(400))

    wire = make_wire(lambda _: http(), greeting=greet)
    with pytest.raises(FetchError, match=rf"^{wire.netloc}: no TLS connection: [A-Z_]+$"):
        make_web(wire).get(f"https://{wire.netloc}/")


# --- Names, addresses ---------------------------------------------------------------------------------


def test_the_address_that_was_looked_at_is_the_one_that_is_asked(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http())
    answers = [["8.8.8.8"], ["127.0.0.1"]]
    asked = []

    def change(name: str, port: int) -> list[str]:
        asked.append(name)
        return answers.pop()

    web = make_web(resolve=change)
    with pytest.raises(FetchError, match=r"git.example leads to 127.0.0.1") as caught:
        web.get(f"https://git.example:{wire.port}/")
    assert (caught.value.state, wire.connections, asked) == ("blocked", 0, ["git.example"])


def test_names_in_other_letters(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(body="good"))
    asked = []

    def find(name: str, port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"]

    web = make_web(allowed=("bücher.example",), resolve=find)
    assert web.get(f"http://Bücher.example:{wire.port}/ü#x").content == b"good"
    assert asked == ["xn--bcher-kva.example"]
    assert (wire.asks[0].headers["host"], wire.targets) == (f"xn--bcher-kva.example:{wire.port}", ["/%C3%BC"])


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_ipv6(make_web: Make) -> None:
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 here")
    with listener:
        asked = []

        def serve() -> None:
            opened, _ = listener.accept()
            with opened:
                asked.append(opened.recv(1 << 16))
                opened.sendall(http(body="good"))

        thread = threading.Thread(target=serve)
        thread.start()
        place = f"[::1]:{listener.getsockname()[1]}"
        assert make_web(Host(place, allow_private=True)).get(f"http://{place}/x").content == b"good"
        thread.join()
    assert f"\r\nHost: {place}\r\n".encode() in asked[0]


# --- Proxies ------------------------------------------------------------------------------------------


def tunnel(opened: socket.socket, to: int) -> None:
    """Answer a CONNECT and pass everything on."""
    with socket.create_connection(("127.0.0.1", to)) as other:

        def pump(source: socket.socket, target: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while data := source.recv(1 << 16):
                    target.sendall(data)
            for each in (source, target):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

        thread = threading.Thread(target=pump, args=(other, opened))
        thread.start()
        pump(opened, other)
        thread.join()


def test_a_proxy_is_asked_wherever_it_stands(
    make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = make_wire(lambda ask: http(body=f"for {ask.target}"))
    monkeypatch.setenv("http_proxy", f"http://ada:hunter2@{proxy.netloc}")
    web = make_web(allowed=("git.example",), resolve=lambda *_: ["127.0.0.1"])
    answer = web.get("http://git.example/x?y=z")
    assert answer.content == b"for http://git.example/x?y=z"
    assert proxy.asks[0].headers["proxy-authorization"].startswith("Basic ")
    assert proxy.asks[0].token is None


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_tls_goes_through_a_proxy(
    variable: str,
    make_wire: Make,
    make_web: Make,
    make_tls: Make,
    trusted: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = make_wire(lambda _: http(body="good"), tls=make_tls("git.example"))
    asked = []

    def greet(opened: socket.socket) -> None:
        data = b""
        while not data.endswith(b"\r\n\r\n"):
            data += opened.recv(1)
        asked.append(data.split(b"\r\n")[0])
        opened.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        tunnel(opened, wire.port)

    proxy = make_wire(lambda _: http(), greeting=greet)
    monkeypatch.setenv(variable, f"http://{proxy.netloc}")
    # The proxy looks the name up: here it would lead to a private address.
    web = make_web(resolve=lambda name, port: ["127.0.0.1"])
    assert web.get("https://git.example/x").content == b"good"
    assert web.get("https://git.example/y").content == b"good"
    assert [line.split()[:2] for line in asked] == [[b"CONNECT", b"git.example:443"]]
    assert wire.targets == ["/x", "/y"]
    web.close()


def test_a_proxy_is_passed_by_for_whom_the_user_says(
    make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, proxy = make_wire(lambda _: http(body="good")), make_wire(lambda _: http(500))
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.netloc}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert make_web(wire).get(f"{wire.url}/").content == b"good"
    assert proxy.asks == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "169.254.169.254", "[::1]", "2130706433", "localhost", "１０.0.0.1"]
)
def test_no_proxy_is_asked_for_a_private_address(
    host: str, make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = make_wire(lambda _: http())
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.netloc}")
    monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.netloc}")
    web = make_web()
    for scheme in ("http", "https"):
        with pytest.raises(FetchError, match=r"--allow-host|odd form") as caught:
            web.get(f"{scheme}://{host}/latest/meta-data")
        assert caught.value.state == "blocked"
    assert proxy.connections == 0


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            "the proxy does not let it through: 407 Proxy Auth",
        ),
        (b"HTTP/1.1 403 No \x1b[31m\r\n\r\n", "the proxy does not let it through: 403 No"),
        (b"", "ended the connection without an answer"),
    ],
)
def test_a_proxy_that_refuses(
    said: bytes, reason: str, make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = make_wire(lambda _: [said, CLOSE])
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:hunter2@{proxy.netloc}")
    with pytest.raises(FetchError, match=rf"^git.example: {reason}") as caught:
        make_web().get("https://git.example/x")
    assert str(caught.value).isprintable()


def test_a_proxy_that_is_not_there(make_web: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
    with pytest.raises(FetchError, match=r"^the proxy 127.0.0.1: refuses the connection$"):
        make_web().get("https://git.example/x")


@pytest.mark.parametrize(
    "proxy",
    ["socks5://127.0.0.1:1", "http://", "http://[", "ftp://127.0.0.1", "http://a:x", "://", "http://a b"],
)
def test_a_proxy_that_cannot_be(proxy: str, make_web: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(FetchError, match="names a proxy that cannot be used"):
        make_web(resolve=lambda *_: ["127.0.0.1"]).get("https://git.example/x")


def test_importing_costs_nothing_heavy() -> None:
    import subprocess
    import sys

    program = (
        "import sys, cffgraph.crawler.source, cffgraph.crawler.http, cffgraph.crawler.hosts\n"
        "print(sorted({'requests', 'urllib3', 'protego', 'ssl', 'idna', 'http.client'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
