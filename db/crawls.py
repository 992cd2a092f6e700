"""Crawls of sources: which sources there are, how far a crawl has come, what one no longer holds.

A crawl of a source is a numbered run. Each repository that it meets is marked with the run, and the
source with a cursor, so that a crawl which was killed goes on where it was, and knows at its end what
it has not met, whichever process met the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from .clock import now
from .found import Begun
from .models import repository, source, source_repository
from .sets import among

GOES_ON_FOR = timedelta(hours=24)
"""How long after its beginning a crawl that was cut off is gone on with; after that it begins anew, since
hosts forget their cursors and what was met first is no longer fresh."""


def sources(connection: Connection) -> list[tuple[str, str]]:
    """(spec, options) of the sources that the database knows, in the order in which they came."""
    with connection.begin():
        rows = connection.execute(select(source.c.spec, source.c.options).order_by(source.c.id)).all()
    return [(row.spec, row.options or "") for row in rows]


def begin(connection: Connection, wanted: Sequence[tuple[str, str]], *, anew: bool = False) -> list[Begun]:
    """Begin a crawl of each source, by (spec, options), or go on with one that was cut off.

    Sources are remembered from now on, with their options. With `anew`, none is gone on with.
    """
    stamp = now()
    oldest = (datetime.fromisoformat(stamp) - GOES_ON_FOR).isoformat(timespec="milliseconds")
    with connection.begin():
        held = {
            row.spec: row
            for row in connection.execute(
                select(source).where(among(source.c.spec, (spec for spec, _ in wanted)))
            )
        }
        new = [(spec, options) for spec, options in dict(wanted).items() if spec not in held]
        if new:
            connection.execute(
                insert(source),
                [{"spec": spec, "options": options, "run": 1, "run_began": stamp} for spec, options in new],
            )
        again = []
        for spec, options in wanted:
            row = held.get(spec)
            if row is not None and (
                anew or row.run_began is None or row.run_began < oldest or (row.options or "") != options
            ):
                again.append({"_id": row.id, "options": options, "run": row.run + 1})
        if again:
            connection.execute(
                update(source)
                .where(source.c.id == bindparam("_id"))
                .values(options=bindparam("options"), run=bindparam("run"), run_began=stamp, cursor=None),
                again,
            )
        rows = {
            row.spec: Begun(row.id, row.run, row.last_crawled is not None, row.cursor or "")
            for row in connection.execute(
                select(source).where(among(source.c.spec, (spec for spec, _ in wanted)))
            )
        }
    return [rows[spec] for spec, _ in wanted]


def put_cursors(connection: Connection, cursors: Sequence[tuple[int, str]]) -> None:
    """Note how far sources, by their numbers, have come; inside the caller's transaction."""
    if cursors:
        connection.execute(
            update(source).where(source.c.id == bindparam("_id")).values(cursor=bindparam("_cursor")),
            [{"_id": number, "_cursor": cursor} for number, cursor in cursors],
        )


def end(connection: Connection, numbers: Sequence[int]) -> list[tuple[str, str]]:
    """End the crawls of these sources, which saw all that they hold; (url, name) of repositories that
    one of them once held, that it no longer holds, and that no other source holds.
    """
    other = source_repository.alias()
    mine = (
        select(source.c.id)
        .where(source.c.id == source_repository.c.source_id, source.c.run != source_repository.c.run)
        .exists()
    )
    past = among(source_repository.c.source_id, numbers) & mine
    # What is held by a source that is not among these, or was met by this run of one that is.
    elsewhere = exists().where(
        other.c.repository_id == source_repository.c.repository_id,
        ~among(other.c.source_id, numbers)
        | exists().where(source.c.id == other.c.source_id, source.c.run == other.c.run),
    )
    with connection.begin():
        rows = connection.execute(
            select(repository.c.url, repository.c.name)
            .join(source_repository, source_repository.c.repository_id == repository.c.id)
            .where(past, ~elsewhere)
            .distinct()
            .order_by(repository.c.url)
        ).all()
        connection.execute(delete(source_repository).where(past))
        connection.execute(
            update(source)
            .where(among(source.c.id, numbers))
            .values(last_crawled=now(), run_began=None, cursor=None)
        )
    return [(row.url, row.name) for row in rows]


def give_up(connection: Connection, numbers: Sequence[int]) -> None:
    """End the crawls of these sources, which saw only a part: what they held before is still theirs.

    A source that was never crawled to its end and holds nothing is forgotten: a slip of the pen.
    """
    holds = exists().where(source_repository.c.source_id == source.c.id)
    with connection.begin():
        connection.execute(
            update(source).where(among(source.c.id, numbers)).values(run_began=None, cursor=None)
        )
        connection.execute(
            delete(source).where(among(source.c.id, numbers), source.c.last_crawled.is_(None), ~holds)
        )
