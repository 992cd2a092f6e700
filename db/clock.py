"""The time as the tables hold it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The time: ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
