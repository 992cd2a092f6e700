"""`cffgraph crawl`: fetch, read, store, resolve."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from ..cff.errors import SourceError
from .crawl_report import as_json, failures, progress, report, tell_line
from .database import DEFAULT, DatabaseOption
from .output import json_text, say

if TYPE_CHECKING:
    from ..crawler.harvest import Harvest, HarvestStats
    from ..crawler.hosts import Hosts
    from ..crawler.source import Options, Source

_SHOWN = 10


def crawl(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            help="Folders, files, lock files, URLs of repositories, organisations and files; github:ORG,"
            " gitlab:GROUP, forgejo:HOST/ORG, bitbucket:WORKSPACE, swh:ORIGIN-URL, env:; - for a list on"
            " stdin, one a line. Without one: what the database knows, else the current folder.",
        ),
    ] = None,
    db: DatabaseOption = DEFAULT,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Repositories fetched at once; 0: by the machine.")
    ] = 0,
    nested: Annotated[
        bool, typer.Option("--nested", help="Take files below a repository's root too.")
    ] = False,
    history: Annotated[
        bool, typer.Option("--history", help="Take every version of the file, not the newest alone.")
    ] = False,
    forks: Annotated[bool, typer.Option("--forks/--no-forks", help="Take forks too, or not.")] = True,
    archived: Annotated[
        bool, typer.Option("--archived/--no-archived", help="Take archived repositories too, or not.")
    ] = True,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch and read even what is unchanged.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the repositories that would be looked at, and stop.")
    ] = False,
    no_resolve: Annotated[
        bool, typer.Option("--no-resolve", help="Only store; `cffgraph resolve` works out authors later.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host", metavar="HOST[:PORT]", help="A host of your own on a private address; repeatable."
        ),
    ] = None,
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
    from ..crawler.hosts import Hosts
    from ..crawler.http import Web
    from ..crawler.source import Options, recalled
    from .settings import settings

    git = Git()
    hosts = Hosts(settings().hosts, allowed=allow_host or ())
    options = Options(
        git,
        Web(hosts, git.stopped, timeout_s=timeout),
        nested=nested,
        history=history,
        forks=forks,
        archived=archived,
        refresh=refresh,
        timeout_s=timeout,
        max_size_bytes=max_size,
    )
    understood, troubles = _understand(_words(sources or [], db), hosts)
    named = list(understood.values())
    each = {spec: recalled(options, said) for spec, said in _remembered(understood).items()}
    if dry_run:
        raise typer.Exit(_dry_run(named, troubles, db, options, each))
    began = time.monotonic()
    stats, resolved = _crawl(
        named, troubles, db, options, each, jobs=jobs, no_resolve=no_resolve, quiet=quiet
    )
    if format_ == "json":
        seconds = time.monotonic() - began
        print(json_text(as_json(stats, options.web, seconds, resolved=resolved), indent=1))
    else:
        for line in failures(stats, 100 if verbose else _SHOWN):
            say(line)
        if not quiet:
            for line in report(stats, options.web, db, resolved=resolved):
                print(line)
    raise typer.Exit(_exit_code(stats))


@dataclasses.dataclass(frozen=True, slots=True)
class _Word:
    """One source as it was named."""

    text: str
    typed: bool = False
    """On the command line: a wrong one ends it all."""
    options: str | None = None
    """With which it was crawled before; None for one that is named now."""


def _words(words: list[str], db: str) -> list[_Word]:
    from ..crawler.specs import listed

    if not words:
        return _known_words(db) or [_Word(".", typed=True)]
    found: list[_Word] = []
    for word in words:
        if word == "-":
            lines = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").splitlines()
            found += [_Word(line) for line in listed(lines)]
        else:
            found.append(_Word(word, typed=True))
    if not found:
        raise SourceError("the list on stdin names no source: write one a line")
    return found


def _known_words(db: str) -> list[_Word]:
    from ..db import crawls
    from ..db.engine import create_or_open, database_path

    if not database_path(db).exists():
        return []
    engine = create_or_open(db, tell=tell_line)
    try:
        with engine.connect() as connection:
            return [_Word(spec, options=options) for spec, options in crawls.sources(connection)]
    finally:
        engine.dispose()


def _understand(words: list[_Word], hosts: Hosts) -> tuple[dict[_Word, Source], list[tuple[str, str, str]]]:
    """The sources, each once, and (state, place, reason) of those on a list that are none."""
    from ..crawler.addresses import AddressRefused
    from ..crawler.specs import understand

    found: dict[_Word, Source] = {}
    specs: set[str] = set()
    troubles: list[tuple[str, str, str]] = []
    for word in words:
        try:
            source = understand(word.text, hosts)
        except SourceError as error:
            if word.typed:
                raise typer.BadParameter(str(error), param_hint="SOURCE") from error
            place, _, reason = str(error).partition(": ")
            state = "blocked" if isinstance(error, AddressRefused) else "place"
            troubles.append((state, place, reason or place))
        else:
            if source.spec not in specs:
                specs.add(source.spec)
                found[word] = source
    return found, troubles


def _remembered(named: dict[_Word, Source]) -> dict[str, str]:
    """Spec -> the options with which it was crawled before, of sources that are not named now."""
    return {source.spec: word.options for word, source in named.items() if word.options is not None}


def _crawl(
    sources: list[Source],
    troubles: list[tuple[str, str, str]],
    db: str,
    options: Options,
    each: Mapping[str, Options],
    *,
    jobs: int,
    no_resolve: bool,
    quiet: bool,
) -> tuple[HarvestStats, bool]:
    """Crawl and resolve; (what was met, whether the answers follow it)."""
    from sqlalchemy.exc import OperationalError

    from ..cff.errors import DatabaseError
    from ..crawler.harvest import Harvest
    from ..db.engine import create_or_open
    from ..db.store import Store

    engine = create_or_open(db, tell=tell_line)
    try:
        with engine.connect() as connection:
            harvest = Harvest(Store(connection), sources, options, jobs=jobs, each=each)
            for state, place, reason in troubles:
                harvest.stats.fail(state, place, reason)
            with _stopping(harvest), progress(options.web, quiet=quiet) as tell:
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
        options.web.close()
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


def _dry_run(
    sources: list[Source],
    troubles: list[tuple[str, str, str]],
    db: str,
    options: Options,
    each: Mapping[str, Options],
) -> int:
    """Print each repository, `new` or `known`; the exit code. No content is fetched, no database made."""
    from ..crawler.source import Mark, Trouble
    from ..db.engine import database_path, open_existing
    from ..db.store import Store

    found: set[str] = set()
    told = [(place, reason) for _state, place, reason in troubles]
    with contextlib.ExitStack() as stack:
        store = None
        if database_path(db).exists():
            engine = open_existing(db)
            stack.callback(engine.dispose)
            store = Store(stack.enter_context(engine.connect()))
        for source in sources:
            for unit in source.units(each.get(source.spec, options)):
                if isinstance(unit, Trouble):
                    told.append((unit.place, unit.reason))
                    continue
                if isinstance(unit, Mark):
                    continue
                known = store.known(unit.urls) if store else {}
                for url in unit.urls:
                    if url in found:
                        continue
                    found.add(url)
                    print(f"{'known' if url in known else 'new'}\t{url}")
    for place, reason in told:
        tell_line(f"{place}: {reason}")
    return 0 if not told else 3 if found else 1


def _exit_code(stats: HarvestStats) -> int:
    if stats.stopped:
        return 130
    if not stats.faults:
        return 0
    return 3 if stats.fine else 1
