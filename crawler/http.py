"""The polite session: every question to a host's interface or pages goes through here.

It waits for its turn (turns.py), sends each token to the interface that it belongs to and nowhere else,
asks again after a passing fault, follows redirects one by one, obeys robots.txt (robots.py), and reads no
more than it was told. (Rules: RFC 9110, section 15; GitHub, "Best practices for using the REST API".)
"""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from .. import __version__
from .addresses import AddressRefused, Resolve, refuse_literal, resolve
from .answers import Answer, FetchError, TooLarge, Unreached
from .git import Stopped
from .hosts import Host, Hosts, Token
from .robots import Robots
from .turns import Patience, Quota, Turns, Wait
from .urls import Url, UrlRefused, parse

if TYPE_CHECKING:
    from .transport import Reply, Transport

__all__ = ["MAX_BYTES", "Answer", "FetchError", "Quota", "Stopped", "TooLarge", "Wait", "Web"]

USER_AGENT = f"cffgraph/{__version__} (+https://pypi.org/project/cffgraph/)"

MAX_BYTES = 32 << 20
"""Of an answer for which nobody said less."""
MAX_WAIT_S = 3900.0
"""The longest wait for one request: GitHub's hour, and a little."""
LEAST_WAIT_S = 60.0
"""For a limit that does not say how long (GitHub, "Best practices": at least a minute, then longer)."""
TRIES = 4
_LIMITED_TRIES = 12
_REDIRECTS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
_MOVED_FOR_GOOD = frozenset({301, 308})

_PASSING: dict[str, frozenset[int]] = {
    "GET": frozenset({408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524}),
    # A question that is too much for its host is too much the second time as well (GitHub answers 502
    # or 504 after ten seconds, and counts it): whoever asked makes it smaller.
    "POST": frozenset({408, 425, 500, 503}),
}
"""Faults that are over soon, by method (RFC 9110, section 15.6; those from 520 on are of Cloudflare)."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, wherever it goes."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None = None
    max_bytes: int = MAX_BYTES
    cut: bool = False
    page: bool = False
    patient: bool = True


@dataclass(slots=True)
class _Budget:
    """What is left for one question, over all its tries and redirects."""

    left_s: float
    """Of its time; waits for its turn are not in it."""
    patience: Patience


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a question goes, and what it may take along."""

    url: Url
    is_bare: bool = False
    """No token: a redirect has led there from elsewhere."""
    moved_to: str | None = None
    is_moved_for_good: bool = True
    seen: frozenset[str] = field(default=frozenset())


class Web:
    """Asks hosts; shared by all threads of a crawl. Nothing heavy is imported before the first request."""

    def __init__(
        self,
        hosts: Hosts | None = None,
        stopped: threading.Event | None = None,
        *,
        timeout_s: float = 120,
        max_wait_s: float = MAX_WAIT_S,
        backoff_s: float = 1.0,
        least_wait_s: float = LEAST_WAIT_S,
        silent_s: float = 60.0,
        resolve: Resolve = resolve,
    ) -> None:
        self.hosts = hosts or Hosts()
        self.stopped = stopped or threading.Event()
        self.requests = 0
        """Requests that were sent."""
        self._timeout_s, self._max_wait_s, self._backoff_s = timeout_s, max_wait_s, backoff_s
        self._resolve = resolve
        self._lock = threading.Lock()
        self._turns = Turns(self.hosts, self.stopped, least_wait_s=least_wait_s, silent_s=silent_s)
        self._robots = Robots(self._get_robots)
        self._transport: Transport | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept for later requests. A later request opens new ones."""
        with self._lock:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def get(
        self,
        url: str,
        *,
        accept: str = "*/*",
        validator: str = "",
        max_bytes: int = MAX_BYTES,
        cut: bool = False,
        page: bool = False,
        patient: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer to a GET, redirects followed; any status but those of limits and passing faults.

        With the `validator` of an earlier answer a host may answer 304, without content. With `cut`
        the content ends after `max_bytes`, else TooLarge is raised. A `page` is for people: robots.txt
        is obeyed. Without `patient` no limit is waited for and nothing tried again.

        FetchError when there is no answer; Stopped when the crawl is stopped.
        """
        asked = {"Accept": accept, **(headers or {})}
        if validator:
            is_date = re.match(r"[A-Z][a-z]{2}, \d", validator)
            asked["If-Modified-Since" if is_date else "If-None-Match"] = validator
        question = _Question("GET", asked, None, max_bytes, cut, page, patient)
        place, budget = _Place(_parse(url)), self._budget(patient=patient)
        for _ in range(_REDIRECTS + 1):
            answer = self._ask(question, place, budget)
            target = answer.headers.get("Location")
            if answer.status not in _MOVED or not target:
                return replace(answer, moved_to=place.moved_to)
            place = self._led(place, answer.status, target)
        raise FetchError(f"{place.url.netloc} redirects more than {_REDIRECTS} times")

    def post(
        self, url: str, body: Mapping[str, Any], *, patient: bool = True, max_bytes: int = MAX_BYTES
    ) -> Answer:
        """The answer to a POST of JSON; no redirect is followed, and 502 and 504 are not asked again.

        Otherwise as `get`.
        """
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        question = _Question("POST", headers, json.dumps(body).encode(), max_bytes, patient=patient)
        return self._ask(question, _Place(_parse(url)), self._budget(patient=patient))

    def waits(self) -> list[Wait]:
        """The waits for limits that are under way, one a host, the longest first."""
        return self._turns.waits()

    def quotas(self) -> list[Quota]:
        """What each host said last of its limits, by name."""
        return self._turns.quotas()

    def _budget(self, *, patient: bool) -> _Budget:
        return _Budget(self._timeout_s, Patience(self._max_wait_s if patient else 0.0))

    def _led(self, place: _Place, status: int, target: str) -> _Place:
        """Where a redirect leads; FetchError when it is not to be followed."""
        here = place.url
        try:
            url = here.join(target)
        except UrlRefused as error:
            raise FetchError(f"{here.netloc} {error}", "blocked") from None
        if here.scheme == "https" and url.scheme == "http":
            raise FetchError(f"{here.netloc} leads to http://, which can be changed on its way", "blocked")
        seen = place.seen | {str(here)}
        if str(url) in seen:
            raise FetchError(f"{here.netloc} redirects in a circle")
        is_for_good = place.is_moved_for_good and status in _MOVED_FOR_GOOD
        is_within = here.origin == url.origin and all(map(self.hosts.is_interface, (here, url)))
        return _Place(
            url,
            # Once it has left the interface, no way back brings the token out again.
            is_bare=place.is_bare or not is_within,
            moved_to=str(url) if is_for_good else place.moved_to,
            is_moved_for_good=is_for_good,
            seen=seen,
        )

    def _ask(self, question: _Question, place: _Place, budget: _Budget) -> Answer:
        """The answer of one place, asked again until it is one."""
        url = place.url
        self._check(url)
        if question.page:
            self._turns.slow_down(url, self._robots.check(url))
        faults = limits = 0
        while True:
            turn = self._turns.take(url, budget.patience, is_bare=place.is_bare)
            begun = time.monotonic()
            try:
                reply = self._send(question, url, turn.token, begun + budget.left_s)
            except Unreached as error:
                faults += 1
                budget.left_s -= time.monotonic() - begun
                if error.is_final or not question.patient or faults >= TRIES or budget.left_s <= 0:
                    self._turns.miss(url, error)
                    raise
                self._back_off(faults, budget)
                continue
            answer = Answer(str(url), reply.status, reply.headers, reply.content, had_token=bool(turn.token))
            budget.left_s -= time.monotonic() - begun
            if self._turns.note(turn, question.method, answer):
                limits += 1
                if limits >= _LIMITED_TRIES:
                    raise FetchError(f"{url.netloc}: its limit is reached, however long one waits")
                continue
            faults += answer.status in _PASSING[question.method]
            if answer.status not in _PASSING[question.method] or not question.patient or faults >= TRIES:
                return answer
            if budget.left_s <= 0:
                return answer
            self._back_off(faults, budget)

    def _send(self, question: _Question, url: Url, token: Token, deadline: float) -> Reply:
        sent = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate", **question.headers}
        if token:
            sent["Authorization"] = _authorization(self.hosts.behind(url), token)
        with self._lock:
            self.requests += 1
            if self._transport is None:
                from .transport import Transport

                self._transport = Transport(self.hosts, self.stopped, self._resolve)
            transport = self._transport
        return transport.send(
            question.method,
            url,
            sent,
            question.body,
            deadline=deadline,
            max_bytes=question.max_bytes,
            cut=question.cut,
        )

    def _back_off(self, faults: int, budget: _Budget) -> None:
        seconds = min(self._backoff_s * 2 ** (faults - 1), max(0.0, budget.left_s))
        budget.left_s -= seconds
        if self.stopped.wait(seconds):
            raise Stopped

    def _check(self, url: Url) -> None:
        """Refuse what is no address to ask: FetchError."""
        try:
            refuse_literal(url.host, self.hosts, url.port)
        except AddressRefused as error:
            raise FetchError(str(error), "blocked") from None
        if url.scheme == "http" and not self.hosts.is_allowed(url.host, url.port):
            raise FetchError(f"{url.host} speaks http://, which can be changed on its way", "blocked")

    def _get_robots(self, url: str, max_bytes: int) -> Answer:
        return self.get(url, max_bytes=max_bytes, cut=True)


def _parse(url: str) -> Url:
    try:
        return parse(url)
    except UrlRefused as error:
        raise FetchError(str(error), "blocked") from None


def _authorization(host: Host, token: Token) -> Token:
    if not re.fullmatch(r"[!-~]+", token):
        names = " or ".join(host.token_names)
        raise FetchError(
            f"{host.name}: the token in {names} holds a character that no token has: set it anew"
        )
    if host.kind == "forgejo":
        return Token(f"token {token}")
    if host.kind == "bitbucket" and ":" in token:  # an app password or API token with its user
        return Token(f"Basic {base64.b64encode(token.encode()).decode()}")
    return Token(f"Bearer {token}")
