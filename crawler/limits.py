"""What an answer says of its host's limits: how much is left, whether one is reached, how long to wait.

Pure: headers and content in, seconds from now out. Hosts tell times by their own clock, so what they
tell is read against the `Date` of the same answer, where it has one. (RFC 9110, sections 6.6.1 and
10.2.3; RFC 6585, section 4; GitHub, "Rate limits for the REST API", "Rate limits and query limits for
the GraphQL API"; GitLab, "Rate limits"; IETF draft "RateLimit header fields for HTTP".)
"""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC

_EPOCH_FROM = 1_000_000_000
"""A reset below is no time but seconds from now, as in the IETF's draft."""
_MILLISECONDS_FROM = 100_000_000_000
_LATE_S = 120
"""A reset so long past is no slip of the clocks: the host does not say how long."""
_LEAST_S = 0.05
"""Not even a host that says 0 is asked again without a breath."""

# With blanks: a repository may be called `rate-limit`, and stand in a message about something else.
_SPEECH = re.compile(rb"rate limit|abuse detection|too many requests", re.IGNORECASE)
_CODE = re.compile(rb"rate_?limit", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Counts:
    """What an answer says of the requests that are left."""

    remaining: int | None = None
    limit: int | None = None
    reset_s: float | None = None
    """Seconds until all are left again; less than 0 when that time has passed."""
    resource: str = ""
    """Which of its limits, where a host counts several kinds of requests apart; "" for the common one."""

    @property
    def hold_s(self) -> float | None:
        """Seconds until the next request is of use; None when one is left, or it does not say."""
        if self.remaining != 0 or self.reset_s is None or self.reset_s < -_LATE_S:
            return None
        # Times are told in whole seconds.
        return max(self.reset_s, 0.0) + 1


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that an answer says is reached."""

    wait_s: float | None
    """None when it does not say how long."""
    reason: str
    is_common: bool = True
    """It holds for all that is asked in this name, not for one kind of requests alone."""


def read_counts(headers: Mapping[str, str], now: float) -> Counts:
    """What the headers of an answer say of the requests that are left; `now` is of `time.time()`."""

    def number(name: str) -> int | None:
        text = (headers.get(f"X-RateLimit-{name}") or headers.get(f"RateLimit-{name}") or "").strip()
        # The draft allows for more behind the number: `100, 100;w=60`.
        found = re.match(r"(\d{1,15})(?:\.\d*)?\s*(?:[,;]|$)", text, re.ASCII)
        return int(found[1]) if found else None

    reset = number("Reset")
    reset_s: float | None = None
    if reset is not None:
        seconds = reset / 1000 if reset >= _MILLISECONDS_FROM else reset
        reset_s = seconds if seconds < _EPOCH_FROM else seconds - _clock(headers, now)
    resource = headers.get("X-RateLimit-Resource", "").strip().lower()
    return Counts(number("Remaining"), number("Limit"), reset_s, "" if resource == "core" else resource)


def read_limit(
    method: str, status: int, headers: Mapping[str, str], content: bytes, now: float
) -> Limit | None:
    """The limit that an answer says is reached; None for any other answer, a plain refusal too."""
    retry_after_s = read_retry_after(headers, now)
    counts = read_counts(headers, now)
    speaks = status in (403, 429) and _SPEECH.search(content[:4096]) is not None
    reached = (
        status == 429
        or (status == 503 and retry_after_s is not None)
        or (status == 403 and (retry_after_s is not None or counts.remaining == 0 or speaks))
        # The content of a GET is a file of anybody's. What GraphQL answers is the host's own word.
        or (status == 200 and method == "POST" and _tells_limit(content))
    )
    if not reached:
        return None
    if retry_after_s is not None:
        return Limit(max(retry_after_s, _LEAST_S), "asks to wait")
    if counts.remaining == 0 and counts.hold_s is not None:
        return Limit(counts.hold_s, spent(counts), is_common=False)
    return Limit(None, "too many requests at once")


def spent(counts: Counts) -> str:
    """The reason of a wait when no request is left."""
    return f"all {counts.limit} requests used" if counts.limit else "all requests used"


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """`Retry-After` in both of its forms, as seconds from now; None when there is none."""
    text = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d{1,15}(\.\d*)?", text, re.ASCII):
        return float(text)
    told = _time(text)
    return None if told is None else max(0.0, told - _clock(headers, now))


def _clock(headers: Mapping[str, str], now: float) -> float:
    """What time the host says it is; an answer out of a cache is older than it was sent."""
    told = _time(headers.get("Date", ""))
    age = headers.get("Age", "").strip()
    if told is None:
        return now
    return told + (int(age) if re.fullmatch(r"\d{1,9}", age, re.ASCII) else 0)


def _time(text: str) -> float | None:
    try:
        told = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()


def _tells_limit(content: bytes) -> bool:
    """Whether GraphQL tells of a limit in an answer that is otherwise in order."""
    if not (_SPEECH.search(content) or b"RATE_LIMIT" in content or b"rate_limit" in content):
        return False  # a good answer is large, and is parsed soon enough
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return False
    if not isinstance(told, dict):
        return False
    errors = told.get("errors")
    for error in (told, *(errors if isinstance(errors, list) else ())):
        if isinstance(error, dict) and (
            _SPEECH.search(str(error.get("message")).encode("utf-8", "replace"))
            or any(_CODE.search(str(error.get(key)).encode("utf-8", "replace")) for key in ("type", "code"))
        ):
            return True
    return False
