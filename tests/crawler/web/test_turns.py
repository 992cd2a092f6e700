"""Whose turn it is: distances between requests, limits and how they are waited for."""

from __future__ import annotations

import email.utils
import itertools
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import FetchError, Stopped, Web
from cffgraph.crawler.turns import Patience, Turns
from cffgraph.crawler.urls import parse

from .wire import SECRET, Ask, forge, http, spent

Make = Callable[..., Any]


def ask_all(web: Web, urls: Sequence[str], threads: int) -> list[int]:
    with ThreadPoolExecutor(threads) as pool:
        return [answer.status for answer in pool.map(web.get, urls)]


# --- Spacing ---------------------------------------------------------------------------------------


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


# --- Limits ----------------------------------------------------------------------------------------


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
