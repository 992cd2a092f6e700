"""What a crawl tells while it goes on, and at its end."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .database import DEFAULT
from .output import say

if TYPE_CHECKING:
    from ..crawler.harvest import HarvestStats
    from ..crawler.http import Web

_LINE_EVERY_S = 5.0


@contextlib.contextmanager
def progress(web: Web, *, quiet: bool) -> Iterator[Callable[[HarvestStats], None]]:
    """Tells of the crawl on stderr: one line that moves on a terminal, else a line now and then.

    A wait that a host has asked for is told with its end, once where lines stay.
    """
    began = time.monotonic()
    if quiet:
        yield lambda stats: None
        return

    def text(stats: HarvestStats) -> str:
        rate = stats.repositories / max(time.monotonic() - began, 0.001)
        of = f" of {stats.found:,}" if stats.found_all else ""
        parts = [
            f"{stats.repositories:,}{of} repositories",
            counted(stats.files, "file"),
            f"{rate:,.0f} a second",
        ]
        if failed := sum(stats.failed.values()):
            parts.append(f"{failed:,} failed")
        if stats.found_all and rate and (left := (stats.found - stats.repositories) / rate) >= 1:
            parts.append(f"{_duration(left)} left")
        return ", ".join(parts)

    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console

        with Console(stderr=True, highlight=False).status("looking", spinner="line") as status:
            yield lambda stats: status.update("; ".join([text(stats), *_waits(web)]))
        return
    told = began
    waits: set[str] = set()

    def tell(stats: HarvestStats) -> None:
        nonlocal told
        for wait in _waits(web):
            if wait not in waits:
                waits.add(wait)
                tell_line(wait)
        if time.monotonic() - told >= _LINE_EVERY_S:
            told = time.monotonic()
            tell_line(text(stats))

    yield tell


def tell_line(line: str) -> None:
    """Print a line of the program's own on stderr."""
    say(f"cffgraph: {line}")


def _waits(web: Web) -> list[str]:
    return [
        f"waits for {wait.host} until {time.strftime('%H:%M:%S', time.localtime(wait.until))} ({wait.reason})"
        for wait in web.waits()
        if wait.until - time.time() > 1
    ]


def _duration(seconds: float) -> str:
    """A time for a person.

    >>> _duration(42), _duration(200), _duration(9000)
    ('42 s', '3 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def counted(number: int, word: str) -> str:
    """A number and its thing.

    >>> counted(1, "repository"), counted(2000, "repository"), counted(0, "file")
    ('1 repository', '2,000 repositories', '0 files')
    """
    many = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number:,} {word if number == 1 else many}"


def failures(stats: HarvestStats, most: int) -> Iterator[str]:
    """What failed, a line each, for stderr; `most` of each kind."""
    lines = [f"{place}: {reason}" for place, reason in stats.failures[:most]]
    failed = sum(stats.failed.values())
    if failed > len(lines):
        lines.append(f"and {failed - len(lines):,} more that failed: see `cffgraph repositories`")
    lines += [
        f"{_joined(url, path)}:{line}:{column}: {message}"
        for url, path, line, column, message in stats.unreadable[:most]
    ]
    if stats.files_unreadable > most:
        lines.append(f"and {stats.files_unreadable - most:,} more files that cannot be read")
    lines += stats.notes[:most]
    return (f"cffgraph: {line}" for line in lines)


def _joined(url: str, path: str) -> str:
    """Where a file is: a path that `cffgraph check` takes, for a local one.

    >>> _joined("file:///a/tool", "CITATION.cff"), _joined("file:///a/x.txt", "x.txt")
    ('/a/tool/CITATION.cff', '/a/x.txt')
    """
    place = url.removeprefix("file://")
    return place if place.endswith(f"/{path}") else f"{place}/{path}"


def report(stats: HarvestStats, web: Web, db: str, *, resolved: bool) -> Iterator[str]:
    """What a crawl met, in lines for a person, with the commands that show more."""
    failed = sum(stats.failed.values())
    by_state = ", ".join(f"{n} {_WORDS.get(state, state)}" for state, n in stats.failed.most_common())
    yield (
        f"{counted(stats.repositories, 'repository')}: {stats.with_file:,} with a citation file"
        f" ({stats.unchanged:,} unchanged), {stats.without_file:,} without,"
        f" {failed:,} failed{f' ({by_state})' if failed else ''}"
    )
    if stats.gone:
        yield f"{stats.gone:,} no longer where they were"
    yield (
        f"{counted(stats.files, 'file')}: {stats.files_ok:,} ok, {stats.files_warned:,} with warnings,"
        f" {stats.files_unreadable:,} unreadable"
    )
    for quota in web.quotas():
        of = f" of {quota.limit:,}" if quota.limit is not None else ""
        at = f" until {time.strftime('%H:%M', time.localtime(quota.reset))}" if quota.reset else ""
        yield f"{quota.host}: {quota.remaining:,}{of} requests left{at}"
    if stats.stopped:
        yield "stopped: what was fetched is stored, the next crawl goes on"
    from .settings import settings

    standing = os.environ.get("CFFGRAPH_DB") or settings().db or DEFAULT
    option = "" if db == standing else f" --db {db}"
    if not resolved:
        yield f"authors and works are not worked out yet: cffgraph resolve{option}"
    yield f"to see them: cffgraph repositories{option}"
    if stats.unreadable:
        url, path, *_ = stats.unreadable[0]
        place = _joined(url, path) if url.startswith("file://") else "FILE"
        yield f"what is wrong in a file: cffgraph check {place}"


_WORDS = {"place": "could not be looked into", "failed": "could not be fetched"}


def as_json(stats: HarvestStats, web: Web, seconds: float, *, resolved: bool) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "repositories": {
            "seen": stats.repositories,
            "with_file": stats.with_file,
            "unchanged": stats.unchanged,
            "without_file": stats.without_file,
            "gone": stats.gone,
            "failed": dict(stats.failed),
        },
        "files": {"ok": stats.files_ok, "warnings": stats.files_warned, "unreadable": stats.files_unreadable},
        "failures": [{"place": place, "reason": reason} for place, reason in stats.failures],
        "unreadable": [
            {"repository": url, "file": path, "line": line, "column": column, "message": message}
            for url, path, line, column, message in stats.unreadable
        ],
        "notes": stats.notes,
        "requests": web.requests,
        "quotas": [
            {"host": q.host, "remaining": q.remaining, "limit": q.limit, "reset": q.reset}
            for q in web.quotas()
        ],
        "resolved": resolved,
        "stopped": stats.stopped,
        "seconds": round(seconds, 3),
    }
