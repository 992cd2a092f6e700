"""Ask GitHub's GraphQL interface about many repositories at once: about as many as the host bears.

A request that is too much for the host is answered with a 502, with an error in an answer that is
otherwise in order, or not at all. It is asked again in smaller parts, down to one repository, and what
the host bears is remembered for the crawl and tried upwards again. (GitHub, "Rate limits and query
limits for the GraphQL API", sections "Timeouts" and "Resource limits".)
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...db.found import State
from ..answers import Unreached
from ..hosts import Host
from ..http import Answer, FetchError, Web

T = TypeVar("T")

MOST = 100
"""Repositories in one request: no page may have more ("Node limit")."""
_MOST_PATIENCE = 64
"""Requests that go well before more is tried again, of a host that never bears more."""
_SILENT = 6
"""So many questions in turn without an answer, the last ones about one repository: it is the host."""

# What the type or the message of an error means: of a repository its state, else that it was too much.
# The first that fits. (Types: GitHub's own answers; the documentation has no list of them.)
_MEANINGS: tuple[tuple[str, State | None, str], ...] = (
    (r"^NOT_FOUND\b", "gone", "the host knows no such repository"),
    (r"access (to this repository )?(has been )?(blocked|disabled)|\bDMCA\b", "blocked", ""),
    (r"\bSAML\b|single sign-on", "private", "its organisation wants the token to be authorised for SAML"),
    (r"^(FORBIDDEN|INSUFFICIENT_SCOPES|UNAUTHORIZED)\b|IP allow list", "private", ""),
    ((r"^(RESOURCE_LIMITS|MAX_NODE_LIMIT|SERVICE_UNAVAILABLE|INTERNAL)|resource limit|timed?[ -]?out"
      r"|something went wrong|took too long"), None, ""),
)  # fmt: skip


class TooMuch(Exception):
    """A request that the host did not bear: to be asked in smaller parts."""

    def __init__(self, reason: str, *, answered: bool = True) -> None:
        super().__init__(reason)
        self.answered = answered


@dataclass(frozen=True, slots=True)
class Fault:
    """One of the `errors` of an answer."""

    path: tuple[str | int, ...]
    """To the field that is null for it; empty when all is."""
    state: State | None
    """What it makes of a repository; None when it was too much for the host."""
    reason: str

    @property
    def error(self) -> FetchError:
        """As an error of one repository."""
        return FetchError(self.reason, self.state or "failed")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that has data, or a part of it."""

    data: Mapping[str, Any]
    faults: tuple[Fault, ...]

    def faults_at(self, *path: str) -> list[Fault]:
        """The faults of what stands at a path, and of all."""
        return [f for f in self.faults if not f.path or f.path[: len(path)] == path]


@dataclass(slots=True)
class Pace:
    """How much a host bears at once; shared by all threads of a crawl."""

    size: int = MOST
    _well: int = 0
    _patience: int = 1
    """So many requests must go well before more is asked at once."""
    _is_trial: bool = False
    """Nothing of this size has gone well yet since it grew."""
    silent: int = 0
    """Questions in turn without an answer."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def went_well(self, size: int) -> None:
        """A request for so many was answered: after some of them, ask for more."""
        with self._lock:
            self.silent = 0
            if size < self.size:
                return  # there were no more to ask about
            if self._is_trial:
                self._patience = max(1, self._patience // 2)
            self._well, self._is_trial = self._well + 1, False
            if self._well >= self._patience and self.size < MOST:
                self.size, self._well, self._is_trial = min(MOST, self.size * 2), 0, True

    def was_too_much(self, size: int, *, answered: bool) -> None:
        """A request for so many failed: the next is half as large.

        A quarter after no answer at all, as that takes a minute or two each time.
        """
        with self._lock:
            if size <= self.size:
                if self._is_trial:
                    self._patience = min(_MOST_PATIENCE, self._patience * 2)
                self.size, self._well, self._is_trial = max(1, size // (2 if answered else 4)), 0, False
            self.silent = 0 if answered else self.silent + 1


_PACES: WeakKeyDictionary[Web, dict[str, Pace]] = WeakKeyDictionary()
_PACES_LOCK = threading.Lock()


def pace_of(web: Web, host: Host) -> Pace:
    """What is remembered of a host in the crawl of this session."""
    with _PACES_LOCK:
        return _PACES.setdefault(web, {}).setdefault(host.name, Pace())


class Graph:
    """The GraphQL interface of one host, through the polite session."""

    def __init__(self, host: Host, web: Web) -> None:
        self.host, self.web, self.pace = host, web, pace_of(web, host)
        # GitHub Enterprise Server has it beside `/api/v3`, not in it ("Forming calls with GraphQL").
        self._url = f"{host.api.removesuffix('/v3')}/graphql"

    def each(self, items: Iterable[T], query: Callable[[Sequence[T]], str]) -> Iterator[tuple[T, Any]]:
        """(item, what the host says of it) of all items, each once; a FetchError in place of what it says.

        `query` writes the question about some of the items, to be answered under `r0`, `r1`...
        """
        queue = deque(items)
        while queue:
            batch = [queue.popleft() for _ in range(min(self.pace.size, len(queue)))]
            try:
                reply = self._ask_bearably(query(batch), len(batch))
            except FetchError as error:
                yield from ((item, error) for item in (*batch, *queue))
                return
            except TooMuch as error:
                if len(batch) == 1:
                    yield batch[0], FetchError(f"{self.host.name} cannot answer for it: {error}")
                else:
                    queue.extendleft(reversed(batch))
                continue
            unanswered = []
            for i, item in enumerate(batch):
                said = _said(reply, f"r{i}")
                if not isinstance(said, TooMuch):
                    yield item, said
                elif len(batch) == 1:
                    yield item, FetchError(f"{self.host.name} cannot answer for it: {said}")
                else:
                    unanswered.append(item)
            if unanswered:
                self.pace.was_too_much(len(batch), answered=True)
                queue.extendleft(reversed(unanswered))

    def page(
        self, query: str, variables: Mapping[str, Any], *at: str, most: int = MOST
    ) -> tuple[Mapping[str, Any] | None, list[Fault]]:
        """(the connection at a path of the answer, its faults) for the first so many as the host bears.

        The query takes their number as `$first`. None when there is nothing at the path; FetchError;
        TooMuch when the host does not bear even one.
        """
        while True:
            size = min(self.pace.size, most)
            try:
                reply = self._ask_bearably(query, size, {**variables, "first": size})
                faults = reply.faults_at(*at[:1])
                if heavy := [f for f in faults if f.state is None]:
                    self.pace.was_too_much(size, answered=True)
                    raise TooMuch(heavy[0].reason)
            except TooMuch:
                if size == 1:
                    raise
                continue
            found: Any = reply.data
            for step in at:
                found = found.get(step) if isinstance(found, dict) else None
            return found, faults

    def ask(self, query: str, variables: Mapping[str, Any] | None = None) -> Reply:
        """The answer to a query. TooMuch when the host does not bear it; FetchError when it never will."""
        try:
            answer = self.web.post(self._url, {"query": query, "variables": dict(variables or {})})
        except Unreached as error:
            if error.is_final:
                raise
            raise TooMuch(str(error), answered=False) from error
        return self._read(answer)

    # --- The steps --------------------------------------------------------------------------------

    def _ask_bearably(self, query: str, size: int, variables: Mapping[str, Any] | None = None) -> Reply:
        """As `ask`, and remember how it went."""
        try:
            try:
                reply = self.ask(query, variables)
            except TooMuch as error:
                if size > 1 or not error.answered:
                    raise
                # It cannot be made smaller: perhaps the host was only out of sorts.
                reply = self.ask(query, variables)
        except TooMuch as error:
            self.pace.was_too_much(size, answered=error.answered)
            if self.pace.silent >= _SILENT:
                raise FetchError(str(error)) from error
            raise
        self.pace.went_well(size)
        return reply

    def _read(self, answer: Answer) -> Reply:
        if answer.status >= 500:
            raise TooMuch(f"it answered {answer.status}")
        if not answer.is_ok:
            raise answer.refusal()
        try:
            told = json.loads(answer.content)
        except ValueError:
            raise TooMuch("its answer is no JSON") from None
        if not isinstance(told, dict):
            raise TooMuch("its answer is not GraphQL's")
        errors = told.get("errors") or ()
        faults = tuple(_fault(error) for error in errors if isinstance(error, dict))
        # What a fork is a fork of may be private: that is no fault of the fork.
        faults = tuple(fault for fault in faults if "parent" not in fault.path)
        if not told.get("data"):
            if not faults or any(fault.state is None for fault in faults):
                raise TooMuch(faults[0].reason if faults else "its answer is empty")
            raise faults[0].error
        return Reply(told["data"], faults)


def _said(reply: Reply, name: str) -> Any:
    """What an answer has under a name; a FetchError in its place, or TooMuch when it is to be asked again."""
    said = reply.data.get(name)
    faults = [f for f in reply.faults_at(name) if f.path or said is None]
    if heavy := [f for f in faults if f.state is None]:
        return TooMuch(heavy[0].reason)
    if faults:
        return faults[0].error
    return said if said is not None else FetchError("the host knows no such repository", "gone")


def _fault(error: Mapping[str, Any]) -> Fault:
    message = " ".join(str(error.get("message") or "").split())[:300]
    kind = str(error.get("type") or "")
    path = tuple(error.get("path") or ())
    for pattern, state, reason in _MEANINGS:
        if re.search(pattern, f"{kind} {message}".strip(), re.IGNORECASE):
            return Fault(path, state, reason or message)
    return Fault(path, "failed", message or f"an error of type {kind or 'unknown'}")
