"""The polite session: whose turn it is, what limits are waited for, where redirects lead, where tokens go."""

from __future__ import annotations

import email.utils
import itertools
import json
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cffgraph.crawler.hosts import Host
from cffgraph.crawler.http import FetchError, Stopped, Web

from .wire import CLOSE, Ask, Said, Wire, http

Make = Callable[..., Any]
SECRET = "Zx7-probe-secret"


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_TOKEN", SECRET)


def forge(wire: Wire, kind: Any = "github", path: str = "", **options: Any) -> Host:
    """A host with an interface at the wire, and a token for it."""
    options = {"token_names": ("PROBE_TOKEN",), "spacing_s": 0.0, **options}
    return Host(wire.netloc, kind, wire.url + path, allow_private=True, **options)


def ask_all(web: Web, urls: Sequence[str], threads: int) -> list[int]:
    with ThreadPoolExecutor(threads) as pool:
        return [answer.status for answer in pool.map(web.get, urls)]


# --- Spacing ------------------------------------------------------------------------------------------


def test_requests_of_all_threads_keep_their_distance(make_wire: Make, make_web: Make) -> None:
    gap = 0.1
    wire = make_wire(lambda _: http())
    web = make_web(Host(wire.netloc, spacing_s=gap, allow_private=True))
    ask_all(web, [f"{wire.url}/{n}" for n in range(16)], 8)
    times = sorted(ask.at for ask in wire.asks)
    assert len(times) == 16
    # On a busy machine one may reach the host late and the next one in time.
    assert times[-1] - times[0] > 12 * gap


def test_turns_are_exact(make_wire: Make, make_web: Make) -> None:
    """What is let go keeps the distance to the last digit, in the order of asking."""
    from cffgraph.crawler.hosts import Hosts
    from cffgraph.crawler.turns import Patience, Turns
    from cffgraph.crawler.urls import parse

    gap, url = 0.1, parse("https://git.example/")
    turns = Turns(Hosts([Host("git.example", spacing_s=gap)]), threading.Event(), least_wait_s=1, silent_s=1)
    begun: list[tuple[int, float]] = []

    def take(number: int) -> None:
        begun.append((number, turns.take(url, Patience(0), is_bare=False).begun))

    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=take, args=(number,)))
        threads[-1].start()
        while len(begun) < 1 or turns._lines["git.example"].next_ticket < begun[0][1] + (number + 1) * gap:
            time.sleep(0.001)
    for thread in threads:
        thread.join()
    times = [at for _, at in sorted(begun, key=lambda each: each[1])]
    assert all(later - earlier >= gap for earlier, later in itertools.pairwise(times))
    places = [number for number, _ in sorted(begun, key=lambda each: each[1])]
    # One that wakes late changes places with the next.
    assert all(abs(place - number) <= 1 for place, number in enumerate(places))


def test_hosts_do_not_wait_for_each_other(make_wire: Make, make_web: Make) -> None:
    wires = [make_wire(lambda _: http()) for _ in range(4)]
    web = make_web(*(Host(wire.netloc, spacing_s=60, allow_private=True) for wire in wires))
    assert ask_all(web, [f"{wire.url}/" for wire in wires], 1) == [200] * 4


def test_interface_and_pages_of_a_host_share_its_distance(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http())
    web = make_web(forge(wire, "gitlab", "/api/v4", spacing_s=0.2))
    ask_all(web, [f"{wire.url}/api/v4/x", f"{wire.url}/x", f"{wire.url}/api/v4/y"], 1)
    times = [ask.at for ask in wire.asks]
    assert times[2] - times[0] > 0.3


# --- Limits -------------------------------------------------------------------------------------------


def reset(seconds: float, *, skew: float = 0) -> int:
    return int(time.time() + seconds + skew)


def spent(seconds: float, *, skew: float = 0, **more: object) -> dict[str, object]:
    """Headers of a host whose requests are used up, and whose clock may be wrong."""
    date = email.utils.formatdate(time.time() + skew, usegmt=True)
    told = {"x_ratelimit_remaining": 0, "x_ratelimit_limit": 60, "date": date}
    return {**told, "x_ratelimit_reset": reset(seconds, skew=skew), **more}


LIMITS: list[tuple[str, Callable[[], bytes]]] = [
    ("seconds", lambda: http(429, retry_after=1)),
    ("a time", lambda: http(429, retry_after=email.utils.formatdate(time.time() + 1, usegmt=True))),
    ("429 with nothing", lambda: http(429)),
    ("403 with a time", lambda: http(403, retry_after=1)),
    ("403 with words", lambda: http(403, '{"message": "You have exceeded a secondary rate limit"}')),
    ("403, none left", lambda: http(403, **spent(0))),
    ("429, none left", lambda: http(429, **spent(0))),
    ("503 with a time", lambda: http(503, retry_after=0)),
    ("a clock that is wrong", lambda: http(403, **spent(0, skew=86_400))),
    ("a clock that is behind", lambda: http(403, **spent(0, skew=-86_400))),
]


@pytest.mark.parametrize("limited", [said for _, said in LIMITS], ids=[name for name, _ in LIMITS])
def test_a_limit_is_waited_for(limited: Callable[[], bytes], make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: limited() if len(wire.asks) == 1 else http(body="good"))
    web = make_web(forge(wire), max_wait_s=10)
    assert web.get(f"{wire.url}/x").content == b"good"
    assert len(wire.asks) == 2


@pytest.mark.parametrize(
    "limited",
    [
        lambda: http(200, '{"errors": [{"type": "RATE_LIMITED", "message": "x"}]}', **spent(0)),
        lambda: http(200, '{"data": null, "errors": [{"message": "API rate limit exceeded"}]}'),
        lambda: http(403, '{"message": "You have exceeded a secondary rate limit"}', retry_after=0),
    ],
    ids=["primary", "message", "secondary"],
)
def test_graphql_tells_of_its_limits_in_good_answers(
    limited: Callable[[], bytes], make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda ask: limited() if len(wire.asks) == 1 else http(body='{"data": {}}'))
    answer = make_web(forge(wire), max_wait_s=10).post(f"{wire.url}/graphql", {"query": "{x}"})
    assert answer.json() == {"data": {}}
    assert [(ask.method, json.loads(ask.body), ask.token) for ask in wire.asks] == [
        ("POST", {"query": "{x}"}, f"Bearer {SECRET}")
    ] * 2


@pytest.mark.parametrize(
    "refused",
    [
        http(403),
        http(403, '{"message": "Resource not accessible"}', x_ratelimit_remaining=9),
        http(404),
        http(451),
    ],
)
def test_a_plain_refusal_is_no_limit(refused: bytes, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: refused)
    assert not make_web(forge(wire)).get(f"{wire.url}/x").is_ok
    assert len(wire.asks) == 1


def test_a_limit_without_a_time_is_waited_for_twice_as_long_each_time(
    make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda ask: http(429) if len(wire.asks) < 5 else http())
    make_web(forge(wire), least_wait_s=0.1).get(f"{wire.url}/x")
    gaps = [later.at - earlier.at for earlier, later in itertools.pairwise(wire.asks)]
    assert all(gap >= 0.1 * 2**n for n, gap in enumerate(gaps))
    assert len(gaps) == 4


def test_threads_that_meet_one_limit_do_not_double_it_for_each_other(make_wire: Make, make_web: Make) -> None:
    together = threading.Barrier(8)

    def answer(ask: Ask) -> bytes:
        if ask.target.startswith("/first") and ask.target not in seen:
            seen.add(ask.target)
            together.wait(10)
            return http(429)
        return http()

    seen: set[str] = set()
    wire = make_wire(answer)
    web = make_web(forge(wire), least_wait_s=0.2, max_wait_s=10)
    # Eight doublings would be 25 seconds, and more than the session may wait.
    assert ask_all(web, [f"{wire.url}/first{n}" for n in range(8)], 8) == [200] * 8
    assert len(wire.asks) == 16


def test_a_good_answer_ends_the_doubling(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(429) if len(wire.asks) % 2 else http())
    web = make_web(forge(wire), least_wait_s=0.2, max_wait_s=0.3)
    for n in range(3):
        assert web.get(f"{wire.url}/{n}").is_ok


@pytest.mark.parametrize(
    "limited",
    [
        lambda: http(429, retry_after=7200),
        lambda: http(429, retry_after="9" * 15),
        lambda: http(403, **spent(7200)),
        lambda: http(429, retry_after=email.utils.formatdate(time.time() + 7200, usegmt=True)),
    ],
)
def test_no_wait_is_longer_than_it_may_be(
    limited: Callable[[], bytes], make_wire: Make, make_web: Make
) -> None:
    wire = make_wire(lambda _: limited())
    web = make_web(forge(wire))
    for _ in range(2):
        with pytest.raises(FetchError, match=rf"^{wire.netloc}: its limit is reached until \d\d:\d\d$"):
            web.get(f"{wire.url}/x")
    assert len(wire.asks) == 1  # the second one is not even sent


def test_a_limit_that_never_ends_is_given_up(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(429, retry_after=0))
    with pytest.raises(FetchError, match="its limit is reached, however long one waits"):
        make_web(forge(wire)).get(f"{wire.url}/x")
    assert len(wire.asks) == 12


def test_without_patience_nothing_is_waited_for(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(429, retry_after=1) if len(wire.asks) == 1 else http(503))
    web = make_web(forge(wire))
    for _ in range(2):
        with pytest.raises(FetchError, match="its limit is reached until"):
            web.get(f"{wire.url}/x", patient=False)
    assert len(wire.asks) == 1
    assert web.get(f"{wire.url}/x").status == 503


def test_the_next_request_is_held_when_none_is_left(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda ask: http(**spent(0)) if len(wire.asks) == 1 else http())
    web = make_web(forge(wire), max_wait_s=10)
    assert web.get(f"{wire.url}/1").is_ok
    assert web.get(f"{wire.url}/2").is_ok
    assert wire.asks[1].at - wire.asks[0].at >= 0.9


def test_a_wait_can_be_seen_and_stopped(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(403, **spent(900)))
    web = make_web(forge(wire))
    assert web.waits() == []
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(web.get, f"{wire.url}/{n}") for n in range(3)]
        while not web.waits():
            time.sleep(0.01)
        (wait,) = web.waits()
        assert (wait.host, wait.reason) == (wire.netloc, "all 60 requests used")
        assert 890 < wait.until - time.time() < 902
        (quota,) = web.quotas()
        assert (quota.host, quota.remaining, quota.limit) == (wire.netloc, 0, 60)
        assert quota.reset is not None
        assert 890 < quota.reset - time.time() < 902
        web.stopped.set()
        for call in calls:
            with pytest.raises(Stopped):
                call.result(10)
    assert web.waits() == []


def test_kinds_of_requests_that_are_counted_apart(make_wire: Make, make_web: Make) -> None:
    def answer(ask: Ask) -> bytes:
        if ask.target.startswith("/search"):
            return http(**spent(900, x_ratelimit_resource="search"))
        return http(x_ratelimit_remaining=59, x_ratelimit_limit=60, x_ratelimit_resource="core")

    wire = make_wire(answer)
    web = make_web(forge(wire))
    assert web.get(f"{wire.url}/search/repositories?q=x").is_ok
    assert web.get(f"{wire.url}/repos/o/r").is_ok
    with pytest.raises(FetchError, match="its limit is reached"):
        web.get(f"{wire.url}/search/repositories?q=y", patient=False)
    assert web.get(f"{wire.url}/orgs/o").is_ok
    assert [(quota.resource, quota.remaining) for quota in web.quotas()] == [("", 59), ("search", 0)]


def test_a_secondary_limit_holds_all_kinds(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(403, retry_after=900, x_ratelimit_resource="search"))
    web = make_web(forge(wire))
    for target in ("search/x", "repos/o/r"):
        with pytest.raises(FetchError, match="its limit is reached"):
            web.get(f"{wire.url}/{target}", patient=False)
    assert len(wire.asks) == 1


# --- Tokens -------------------------------------------------------------------------------------------


def test_tokens_are_taken_in_turn(make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_TOKEN", "one,two,three")
    wire = make_wire(lambda _: http())
    ask_all(make_web(forge(wire)), [f"{wire.url}/{n}" for n in range(6)], 1)
    assert [ask.token for ask in wire.asks] == ["Bearer one", "Bearer two", "Bearer three"] * 2


def test_a_token_that_is_used_up_stops_no_other(
    make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", "one,two")
    wire = make_wire(lambda ask: http(403, **spent(900)) if ask.token == "Bearer one" else http())
    web = make_web(forge(wire))
    assert ask_all(web, [f"{wire.url}/{n}" for n in range(4)], 1) == [200] * 4
    assert [ask.token for ask in wire.asks] == ["Bearer one"] + ["Bearer two"] * 4
    assert web.waits() == []


def test_a_token_that_is_refused_stops_no_other(
    make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", "old,new")
    wire = make_wire(lambda ask: http(401) if ask.token == "Bearer old" else http())
    assert ask_all(make_web(forge(wire)), [f"{wire.url}/{n}" for n in range(3)], 1) == [200] * 3
    assert [ask.token for ask in wire.asks] == ["Bearer old"] + ["Bearer new"] * 3


def test_a_token_that_is_refused_is_told(make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http(401))
    error = make_web(forge(wire)).get(f"{wire.url}/x").refusal()
    assert (str(error), error.state) == (f"{wire.netloc} does not take the token: renew it", "private")
    error = make_web(wire).get(f"{wire.url}/x").refusal()
    assert (str(error), error.state) == (f"{wire.netloc} asks for a token", "private")


@pytest.mark.parametrize(
    ("kind", "token", "header"),
    [
        ("github", "a", "Bearer a"),
        ("gitlab", "a", "Bearer a"),
        ("forgejo", "a", "token a"),
        ("bitbucket", "a", "Bearer a"),
        ("bitbucket", "ada:b", "Basic YWRhOmI="),
        ("swh", "a", "Bearer a"),
    ],
)
def test_how_each_forge_wants_its_token(
    kind: str, token: str, header: str, make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", token)
    wire = make_wire(lambda _: http())
    make_web(forge(wire, kind, "/api/v1")).get(f"{wire.url}/api/v1/x")
    assert [ask.token for ask in wire.asks] == [header]


@pytest.mark.parametrize("target", ["/o/r", "/api", "/api/v45/x", "/api/v4/../../o", "/api/v4/..%2f..%2fo"])
def test_no_token_goes_to_the_pages_of_a_forge(target: str, make_wire: Make, make_web: Make) -> None:
    wire = make_wire(lambda _: http())
    make_web(forge(wire, "gitlab", "/api/v4")).get(f"{wire.url}{target}")
    assert [ask.token for ask in wire.asks] == [None]


# --- Redirects ----------------------------------------------------------------------------------------


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


# --- What is never shown ------------------------------------------------------------------------------


def told_of(error: BaseException) -> str:
    """All that a traceback can tell, with the variables of all frames but those of the tests."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    todo: list[traceback.TracebackException | None] = [told]
    while todo:
        if each := todo.pop():
            kept = [frame for frame in each.stack if "/tests/" not in frame.filename]
            assert kept
            each.stack[:] = kept
            todo += [each.__cause__, each.__context__]
    return "".join([*told.format(), repr(error)])


def failures(wire: Wire, web: Web) -> list[Callable[[], object]]:
    there = f"{wire.url}/{{}}".format
    return [
        lambda: web.get(there("reset")),
        lambda: web.get(there("large"), max_bytes=10),
        lambda: web.get(there("html")).json(),
        lambda: web.get(there("limit"), patient=False),
        lambda: web.post(there("reset"), {}),
        lambda: web.get(there("away")),
        lambda: web.get(there("slow")),
        lambda: web.get("https://no.such.example/"),
    ]


def test_a_token_is_never_shown(
    make_wire: Make, make_web: Make, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    said: dict[str, Sequence[Said]] = {
        "/reset": [CLOSE],
        "/large": [http(body=bytes(99))],
        "/html": [http(body="<html>")],
        "/limit": [http(429, retry_after=900)],
        "/away": [http(302, location="file:///x")],
        "/slow": [30.0],
    }
    wire = make_wire(lambda ask: said[ask.target])

    def lost(name: str, port: int) -> list[str]:
        raise OSError("nothing is found")

    web = make_web(forge(wire), timeout_s=0.3, resolve=lost)
    shown = [repr(web.hosts.at(wire.netloc)), repr(web.hosts.at(wire.netloc).tokens()), repr(vars(web))]
    for fail in failures(wire, web):
        web._turns._lines.clear()  # each meets its own fault, and no hold of the one before
        with pytest.raises(FetchError) as caught:
            fail()
        shown += [told_of(caught.value), repr(vars(web._turns)), str(web.waits())]
    assert any(ask.token == f"Bearer {SECRET}" for ask in wire.asks)
    shown += [caplog.text, *capfd.readouterr()]
    assert SECRET not in "\n".join(shown)


@pytest.mark.parametrize(
    "odd", [f"{SECRET}\u00fc", f"{SECRET}\nX-Injected: 1", f"{SECRET} x", f"{SECRET}\x01"]
)
def test_a_token_that_is_none_is_neither_sent_nor_shown(
    odd: str, make_wire: Make, make_web: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", odd)
    wire = make_wire(lambda _: http())
    with pytest.raises(FetchError, match="the token in PROBE_TOKEN holds a character") as caught:
        make_web(forge(wire)).get(f"{wire.url}/x")
    assert SECRET not in told_of(caught.value)
    assert wire.asks == []


# --- Faults -------------------------------------------------------------------------------------------


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
    import socket

    asked = []

    def fail(name: str, port: int) -> list[str]:
        asked.append(name)
        raise socket.gaierror(socket.EAI_NONAME, "no")

    web = make_web(resolve=fail)
    for _ in range(20):
        with pytest.raises(FetchError, match=r"host not found|left alone"):
            web.get("https://gone.example/one")
    assert len(asked) == 5


# --- robots.txt ---------------------------------------------------------------------------------------

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


# --- Asking and being answered ------------------------------------------------------------------------


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
