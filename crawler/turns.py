"""Whose turn it is: when each host may be asked next and with which token, over all threads.

A host is asked no faster than its spacing. A token whose limit is reached rests while the others go on.
A host that does not answer at all is left alone for a while.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .answers import Answer, FetchError, Unreached
from .git import Stopped
from .hosts import Host, Hosts, Token
from .limits import read_counts, read_limit, spent
from .urls import Url

SILENT_AFTER = 5
"""So many requests in turn without any answer, and a host is left alone."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait that a host has asked for."""

    host: str
    until: float
    """`time.time()` of its end."""
    reason: str


@dataclass(frozen=True, slots=True)
class Quota:
    """What a host said last of how many requests are left."""

    host: str
    remaining: int
    limit: int | None
    reset: float | None
    """`time.time()` at which it is full again."""
    resource: str = ""
    """For which kind of requests, where a host counts several apart; "" for the common ones."""


_NO_TOKEN = Token("")


@dataclass(slots=True)
class _Hold:
    """A token is not to be used; the times are of `time.monotonic()`."""

    since: float = 0.0
    until: float = 0.0
    reason: str = ""
    unsaid: int = 0
    """Limits in turn that did not say how long."""


@dataclass(slots=True)
class _Lane:
    """One token (or none) at one host."""

    token: Token = field(default=_NO_TOKEN, repr=False)
    used: int = 0
    """When it was last given out, as a running number."""
    holds: dict[str, _Hold] = field(default_factory=dict)
    """By resource; "" holds for all."""
    is_refused: bool = False
    """The host does not know this token."""

    def hold(self, resource: str) -> _Hold:
        """The hold that ends last of those that a request for this resource is under."""
        holds = [self.holds[key] for key in ("", resource) if key in self.holds]
        return max(holds, key=lambda hold: hold.until, default=_NO_HOLD)


_NO_HOLD = _Hold()


@dataclass(slots=True)
class _Line:
    """All that is remembered of one host."""

    host: Host
    lanes: list[_Lane]
    """For its interface."""
    spacing_s: float
    page: _Lane = field(default_factory=_Lane)
    """For all else: no token goes there."""
    next_ticket: float = 0.0
    last: float = float("-inf")
    """When the last request was let go."""
    resources: dict[str, str] = field(default_factory=dict)
    """First part of a path -> the resource that it counts for, as the host has told."""
    quotas: dict[str, Quota] = field(default_factory=dict)
    silences: set[object] = field(default_factory=set)
    """What was asked without an answer since the last answer."""
    silent_until: float = 0.0
    """Not to be asked before, when that was too often."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Leave to send one request."""

    token: Token = field(repr=False)
    line: _Line = field(repr=False)
    lane: _Lane = field(repr=False)
    section: str
    """Of the interface that it goes to."""
    begun: float
    """Of `time.monotonic()`."""


@dataclass(slots=True)
class Patience:
    """How long one request may still wait for limits, over all its tries."""

    left_s: float
    """0: not at all."""


class Turns:
    """The memory of all hosts."""

    def __init__(
        self, hosts: Hosts, stopped: threading.Event, *, least_wait_s: float, silent_s: float
    ) -> None:
        self._hosts, self._stopped = hosts, stopped
        self._least_wait_s, self._silent_s = least_wait_s, silent_s
        self._lock = threading.Lock()
        self._lines: dict[str, _Line] = {}
        self._waiting: dict[int, Wait] = {}
        self._count = 0

    def take(self, url: Url, patience: Patience, *, is_bare: bool) -> Turn:
        """Wait for the turn of a request; with `is_bare` no token goes with it.

        FetchError when a limit outlasts the patience or the host does not answer, Stopped when the crawl is.
        """
        is_interface = not is_bare and self._hosts.is_interface(url)
        line = self._line(url)
        section = _section(url, line.host) if is_interface else ""
        ticket = None
        is_trial = False
        while True:
            if self._stopped.is_set():
                raise Stopped
            with self._lock:
                now = time.monotonic()
                is_trial = is_trial or self._is_trial(line, now)
                resource = line.resources.get(section, "")
                lanes = [lane for lane in line.lanes if not lane.is_refused] or line.lanes[-1:]
                lanes = lanes if is_interface else [line.page]
                lane = min(lanes, key=lambda each: (max(each.hold(resource).until, now), each.used))
                hold = lane.hold(resource)
                if hold.until <= now:
                    # Tickets keep the order of asking; `last` keeps the distance when one comes late.
                    if ticket is None:
                        ticket = max(now, line.next_ticket)
                        line.next_ticket = ticket + line.spacing_s
                    due = max(ticket, line.last + line.spacing_s)
                    if due <= now:
                        self._count += 1
                        lane.used = self._count
                        line.last = now
                        line.next_ticket = max(line.next_ticket, now + line.spacing_s)
                        return Turn(lane.token, line, lane, section, now)
            if hold.until <= now:
                self._sleep(due - now)
                continue
            ticket = None
            self._outlast(line, hold, now, patience)

    def note(self, turn: Turn, method: str, answer: Answer) -> bool:
        """Learn from an answer; whether it says that a limit is reached, and is to be asked for again."""
        wall, now = time.time(), time.monotonic()
        counts = read_counts(answer.headers, wall)
        limit = read_limit(method, answer.status, answer.headers, answer.content, wall)
        line, lane = turn.line, turn.lane
        with self._lock:
            line.silences.clear()
            if counts.remaining is not None:
                line.resources[turn.section] = counts.resource
                reset = None if counts.reset_s is None else wall + counts.reset_s
                line.quotas[counts.resource] = Quota(
                    line.host.name, counts.remaining, counts.limit, reset, counts.resource
                )
            if limit is None:
                if counts.hold_s is not None:
                    # The next one would be refused, and count as an offence.
                    _hold(lane, counts.resource, turn.begun, now, counts.hold_s, spent(counts))
                for hold in lane.holds.values():
                    # What was asked before the hold says nothing about it.
                    if turn.begun >= hold.until:
                        hold.unsaid = 0
                if answer.status == 401 and lane.token and not lane.is_refused:
                    lane.is_refused = True
                    return any(not each.is_refused for each in line.lanes)
                return False
            resource = "" if limit.is_common else counts.resource
            wait_s = limit.wait_s
            if wait_s is None:
                hold = lane.holds.setdefault(resource, _Hold())
                if turn.begun < hold.since:
                    return True  # asked before its like was answered: no offence of its own
                wait_s = self._least_wait_s * 2**hold.unsaid
                hold.unsaid += 1
            _hold(lane, resource, turn.begun, now, wait_s, limit.reason)
            return True

    def miss(self, url: Url, error: Unreached) -> None:
        """Remember a request that got no answer."""
        line = self._line(url)
        with self._lock:
            # That one repository breaks its host's answers, however often, says nothing of the host.
            line.silences.add(object() if error.is_host else url.path)
            if len(line.silences) == SILENT_AFTER:
                line.silent_until = time.monotonic() + self._silent_s

    def slow_down(self, url: Url, spacing_s: float) -> None:
        """Ask a host no faster than this from now on."""
        line = self._line(url)
        with self._lock:
            line.spacing_s = max(line.spacing_s, spacing_s)

    def waits(self) -> list[Wait]:
        """The waits that are under way, one a host, the longest first."""
        with self._lock:
            waiting = sorted(self._waiting.values(), key=lambda wait: -wait.until)
        return sorted({wait.host: wait for wait in waiting}.values(), key=lambda wait: -wait.until)

    def quotas(self) -> list[Quota]:
        """What each host said last of its limits, by name."""
        with self._lock:
            found = [quota for line in self._lines.values() for quota in line.quotas.values()]
        return sorted(found, key=lambda quota: (quota.host, quota.resource))

    def _line(self, url: Url) -> _Line:
        host = self._hosts.behind(url)
        with self._lock:
            line = self._lines.get(host.name)
            if line is None:
                tokens = host.tokens() if host.api else ()
                lanes = [_Lane(token) for token in tokens] or [_Lane()]
                line = self._lines[host.name] = _Line(host, lanes, host.spacing_s)
            return line

    def _is_trial(self, line: _Line, now: float) -> bool:
        """Whether a request is let through to a silent host to see if it answers again; FetchError if not."""
        if len(line.silences) < SILENT_AFTER:
            return False
        if now < line.silent_until:
            raise FetchError(f"{line.host.name} has not answered for a while: left alone for now")
        line.silent_until = now + self._silent_s
        return True

    def _outlast(self, line: _Line, hold: _Hold, now: float, patience: Patience) -> None:
        """Wait until a hold is over; FetchError when that is longer than the patience."""
        until = time.time() + hold.until - now
        if hold.until - now > patience.left_s:
            at = time.strftime("%H:%M", time.localtime(until))
            raise FetchError(f"{line.host.name}: its limit is reached until {at}")
        thread = threading.get_ident()
        with self._lock:
            self._waiting[thread] = Wait(line.host.name, until, hold.reason)
        try:
            self._sleep(hold.until - now)
        finally:
            with self._lock:
                del self._waiting[thread]
            patience.left_s -= time.monotonic() - now

    def _sleep(self, seconds: float) -> None:
        if self._stopped.wait(max(0.0, seconds)):
            raise Stopped


def _hold(lane: _Lane, resource: str, begun: float, now: float, wait_s: float, reason: str) -> None:
    hold = lane.holds.setdefault(resource, _Hold())
    if now + wait_s > hold.until:
        hold.until, hold.reason = now + wait_s, reason
    hold.since = now


def _section(url: Url, host: Host) -> str:
    """The first part of a path below an interface: GitHub counts `search` apart from all else."""
    base = urlsplit(host.api).path.rstrip("/")
    return url.path.removeprefix(base).strip("/").partition("/")[0]
