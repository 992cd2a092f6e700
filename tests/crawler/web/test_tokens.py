"""Where tokens go, and where they never show."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cffgraph.crawler.http import FetchError, Web

from .wire import CLOSE, SECRET, Said, Wire, forge, http, spent

Make = Callable[..., Any]


def ask_all(web: Web, urls: Sequence[str], threads: int) -> list[int]:
    with ThreadPoolExecutor(threads) as pool:
        return [answer.status for answer in pool.map(web.get, urls)]


# --- Tokens ----------------------------------------------------------------------------------------


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


# --- What is never shown ---------------------------------------------------------------------------


TESTS = Path(__file__).parents[2]


def told_of(error: BaseException) -> str:
    """All that a traceback can tell, with the variables of all frames but those of the tests."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    todo: list[traceback.TracebackException | None] = [told]
    while todo:
        if each := todo.pop():
            kept = [frame for frame in each.stack if TESTS not in Path(frame.filename).parents]
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
