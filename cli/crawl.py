"""`cffgraph crawl`: fetch, read, store, resolve."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..cff.errors import SourceError
from .database import DEFAULT, DatabaseOption
from .output import json_text, say

if TYPE_CHECKING:
    from ..crawler.harvest import Harvest, HarvestStats
    from ..crawler.source import Options, Source

_SHOWN = 10
_LINE_EVERY_S = 5.0


def crawl(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="Folders, CITATION.cff files, git URLs; - for a list on stdin, one a line."
            " Without one: what the database knows, else the current folder.",
        ),
    ] = None,
    db: DatabaseOption = DEFAULT,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Repositories fetched at once; 0: by the machine.")
    ] = 0,
    nested: Annotated[
        bool, typer.Option("--nested", help="Take files below a repository's root too.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch and read even what is unchanged.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the repositories that would be looked at, and stop.")
    ] = False,
    no_resolve: Annotated[
        bool, typer.Option("--no-resolve", help="Only store; `cffgraph resolve` works out authors later.")
    ] = False,
    timeout: Annotated[int, typer.Option(metavar="SECONDS", help="The most time for one repository.")] = 120,
    max_size: Annotated[
        int, typer.Option(metavar="BYTES", help="The largest citation file that is taken.")
    ] = 4 << 20,
    format_: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="Of the report: table or json.")
    ] = "table",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no report, only failures.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name more of what failed.")] = False,
) -> None:
    """Fetch CITATION.cff files from repositories into the database, and work out who wrote what.

    What has not changed since the last crawl is not fetched again.

    Exit code 0: all done; 1: all failed; 3: some failed, the rest is stored; 130: stopped by Ctrl-C,
    what was fetched is stored and the next crawl goes on.
    """
    if format_ not in ("table", "json"):
        raise typer.BadParameter(f"{format_!r} is neither table nor json", param_hint="--format")
    for name, value, least in (("--jobs", jobs, 0), ("--timeout", timeout, 1), ("--max-size", max_size, 1)):
        if value < least:
            raise typer.BadParameter(f"{value} is less than {least}", param_hint=name)
    from ..crawler.git import Git
    from ..crawler.source import Options

    options = Options(Git(), nested=nested, refresh=refresh, timeout_s=timeout, max_size_bytes=max_size)
    named, troubles = _understand(_words(sources or [], db))
    if dry_run:
        raise typer.Exit(_dry_run(named, troubles, db, options))
    began = time.monotonic()
    stats, resolved = _crawl(named, troubles, db, options, jobs, no_resolve=no_resolve, quiet=quiet)
    if format_ == "json":
        print(json_text(_as_json(stats, resolved, time.monotonic() - began), indent=1))
    else:
        shown = 100 if verbose else _SHOWN
        for line in _failures(stats, shown):
            say(line)
        if not quiet:
            for line in _report(stats, resolved, db):
                print(line)
    raise typer.Exit(_exit_code(stats))


def _words(words: list[str], db: str) -> list[tuple[str, bool]]:
    """(source, was it typed) for each: a wrong one ends it all only when it was typed."""
    from ..crawler.specs import listed

    if not words:
        return _known_words(db) or [(".", True)]
    found: list[tuple[str, bool]] = []
    for word in words:
        if word == "-":
            lines = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").splitlines()
            found += [(line, False) for line in listed(lines)]
        else:
            found.append((word, True))
    if not found:
        raise SourceError("the list on stdin names no source: write one a line")
    return found


def _known_words(db: str) -> list[tuple[str, bool]]:
    from ..db.engine import create_or_open, database_path
    from ..db.store import Store

    if not database_path(db).exists():
        return []
    engine = create_or_open(db, tell=_say)
    with engine.connect() as connection:
        return [(spec, False) for spec in Store(connection).sources()]


def _understand(words: list[tuple[str, bool]]) -> tuple[list[Source], list[tuple[str, str]]]:
    """The sources, each once, and (word, reason) of those on a list that are none."""
    from ..crawler.specs import understand

    found: dict[str, Source] = {}
    troubles: list[tuple[str, str]] = []
    for word, typed in words:
        try:
            source = understand(word)
        except SourceError as error:
            if typed:
                raise typer.BadParameter(str(error), param_hint="SOURCE") from error
            place, _, reason = str(error).partition(": ")
            troubles.append((place, reason))
        else:
            found.setdefault(source.spec, source)
    return list(found.values()), troubles


def _crawl(
    sources: list[Source],
    troubles: list[tuple[str, str]],
    db: str,
    options: Options,
    jobs: int,
    *,
    no_resolve: bool,
    quiet: bool,
) -> tuple[HarvestStats, bool]:
    """Crawl and resolve; (what was met, whether the answers follow it)."""
    from sqlalchemy.exc import OperationalError

    from ..cff.errors import DatabaseError
    from ..crawler.harvest import Harvest
    from ..db.engine import create_or_open
    from ..db.store import Store

    engine = create_or_open(db, tell=_say)
    try:
        with engine.connect() as connection:
            harvest = Harvest(Store(connection), sources, options, jobs=jobs)
            for place, reason in troubles:
                harvest.stats.fail("place", place, reason)
            with _stopping(harvest), _progress(quiet=quiet) as tell:
                stats = harvest.run(tell)
            if stats.stopped or no_resolve:
                return stats, False
            from ..resolve.run import is_current, resolve

            try:
                with connection.begin():
                    if not is_current(connection):
                        resolve(connection)
            except KeyboardInterrupt:
                stats.stopped = True
            return stats, not stats.stopped
    except OperationalError as error:
        raise DatabaseError(f"cannot write the database {db}: {error.orig}") from error
    finally:
        engine.dispose()


@contextlib.contextmanager
def _stopping(harvest: Harvest) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the crawl in good order; a second one ends it at once."""

    before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _frame: object) -> None:
        signal.signal(number, before[number])
        harvest.stop()

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[HarvestStats], None]]:
    """Tells of the crawl on stderr: one line that moves on a terminal, else a line now and then."""
    began = time.monotonic()
    if quiet:
        yield lambda stats: None
        return

    def text(stats: HarvestStats) -> str:
        rate = stats.repositories / max(time.monotonic() - began, 0.001)
        return f"{stats.repositories:,} repositories, {stats.files:,} files, {rate:,.0f} a second"

    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console

        with Console(stderr=True, highlight=False).status("looking", spinner="line") as status:
            yield lambda stats: status.update(text(stats))
        return
    told = began

    def tell(stats: HarvestStats) -> None:
        nonlocal told
        if time.monotonic() - told >= _LINE_EVERY_S:
            told = time.monotonic()
            _say(text(stats))

    yield tell


def _say(line: str) -> None:
    say(f"cffgraph: {line}")


def _dry_run(sources: list[Source], troubles: list[tuple[str, str]], db: str, options: Options) -> int:
    """Print each repository, `new` or `known`; the exit code. Nothing is fetched and no database made."""
    from ..crawler.source import Trouble
    from ..db.engine import database_path, open_existing
    from ..db.store import Store

    found: set[str] = set()
    troubles = list(troubles)
    with contextlib.ExitStack() as stack:
        store = None
        if database_path(db).exists():
            store = Store(stack.enter_context(open_existing(db).connect()))
        for source in sources:
            for unit in source.units(options):
                if isinstance(unit, Trouble):
                    troubles.append((unit.place, unit.reason))
                    continue
                known = store.known(unit.urls) if store else {}
                for url in unit.urls:
                    if url in found:
                        continue
                    found.add(url)
                    print(f"{'known' if url in known else 'new'}\t{url}")
    for place, reason in troubles:
        _say(f"{place}: {reason}")
    return 0 if not troubles else 3 if found else 1


def _exit_code(stats: HarvestStats) -> int:
    if stats.stopped:
        return 130
    if not stats.faults:
        return 0
    return 3 if stats.fine else 1


def _failures(stats: HarvestStats, most: int) -> Iterator[str]:
    """What failed, a line each, as a program would want it on stderr."""
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


def _report(stats: HarvestStats, resolved: bool, db: str) -> Iterator[str]:
    failed = sum(stats.failed.values())
    by_state = ", ".join(f"{n} {_WORDS.get(state, state)}" for state, n in stats.failed.most_common())
    yield (
        f"{stats.repositories:,} repositories: {stats.with_file:,} with a citation file"
        f" ({stats.unchanged:,} unchanged), {stats.without_file:,} without,"
        f" {failed:,} failed{f' ({by_state})' if failed else ''}"
    )
    if stats.gone:
        yield f"{stats.gone:,} no longer where they were"
    yield (
        f"{stats.files:,} files: {stats.files_ok:,} ok, {stats.files_warned:,} with warnings,"
        f" {stats.files_unreadable:,} unreadable"
    )
    if stats.stopped:
        yield "stopped: what was fetched is stored, the next crawl goes on"
    option = "" if db == DEFAULT or os.environ.get("CFFGRAPH_DB") == db else f" --db {db}"
    if not resolved:
        yield f"authors and works are not worked out yet: cffgraph resolve{option}"
    yield f"to see them: cffgraph repositories{option}"
    if stats.unreadable:
        url, path, *_ = stats.unreadable[0]
        place = _joined(url, path) if url.startswith("file://") else "FILE"
        yield f"what is wrong in a file: cffgraph check {place}"


_WORDS = {"place": "could not be looked into", "failed": "could not be fetched"}


def _as_json(stats: HarvestStats, resolved: bool, seconds: float) -> dict[str, Any]:
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
        "resolved": resolved,
        "stopped": stats.stopped,
        "seconds": round(seconds, 3),
    }
