"""What resolving only what changed needs: author lists and names as numbers, their keys, the blocks.

All of it can be thrown away: then everything is resolved anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, select

from . import models as m
from .bulk import insert_rows
from .conclusions import sync
from .sets import among
from .standing import fetch


def clear(connection: Connection) -> None:
    """Throw all of it away."""
    for table in (m.author_list, m.spelling, m.spelling_key, m.record_key, m.block):
        connection.execute(delete(table))


def places_then(connection: Connection) -> dict[int, int]:
    """Return of each record a digest of where it was held when its authors were read."""
    c = m.author_list.c
    return dict(fetch(connection, select(c.record_id, c.places)))


def read_lists(connection: Connection) -> Iterator[tuple[int, int, bytes]]:
    """Yield (record, content, data) of all author lists, those of one file together, in the order of the
    files' object ids."""
    c, r, b = m.author_list.c, m.record.c, m.blob.c
    statement = (
        select(c.record_id, r.pointer, c.content, c.data, b.sha)
        .join(m.record, r.id == c.record_id)
        .join(m.blob, b.id == r.blob_id)
        .order_by(b.sha)
    )
    group: list[tuple[str, int, int, bytes]] = []
    last = ""
    for record, pointer, content, data, sha in fetch(connection, statement):
        if sha != last:
            yield from (row[1:] for row in sorted(group))
            group, last = [], sha
        group.append((f"{pointer}." if pointer else "", record, content, data))
    yield from (row[1:] for row in sorted(group))


def put_lists(connection: Connection, rows: Iterable[tuple[int, int, int, bytes]]) -> None:
    """Write (record, content, digest of its places, data) of lists that are not there."""
    insert_rows(connection, m.author_list, ("record_id", "content", "places", "data"), rows)


def drop_lists(connection: Connection, records: Iterable[int]) -> None:
    """Forget the lists of these records."""
    connection.execute(delete(m.author_list).where(among(m.author_list.c.record_id, records)))


def read_spellings(connection: Connection) -> Iterator[Any]:
    """Yield all spellings, as rows of the table."""
    yield from fetch(connection, select(m.spelling))


def put_spellings(connection: Connection, rows: Iterable[tuple[Any, ...]], among_ids: Iterable[int]) -> None:
    """Make the spellings of these ids be exactly `rows`."""
    sync(connection, m.spelling, rows, among(m.spelling.c.id, among_ids))


def put_spelling_keys(
    connection: Connection, keys: Iterable[tuple[int, int]], spellings: Iterable[int]
) -> None:
    """Make (key, spelling) pairs be all there are of these spellings; `keys` has no pair of another one."""
    connection.execute(delete(m.spelling_key).where(among(m.spelling_key.c.spelling_id, spellings)))
    insert_rows(connection, m.spelling_key, ("key", "spelling_id"), sorted(keys))


def crowded_keys(connection: Connection, least: int) -> dict[int, int]:
    """Return the keys under which more than `least` spellings stand, with their number."""
    key = m.spelling_key.c.key
    statement = select(key, func.count()).group_by(key).having(func.count() > least)
    return dict(fetch(connection, statement))


def count_under(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    """Return how many spellings stand under each of these keys."""
    key = m.spelling_key.c.key
    return dict(fetch(connection, select(key, func.count()).where(among(key, keys)).group_by(key)))


def spellings_under(
    connection: Connection, keys: Iterable[int] | None
) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield (key, spellings under it) of these keys or of all, in the order of the keys."""
    c = m.spelling_key.c
    statement = select(c.key, c.spelling_id).order_by(c.key, c.spelling_id)
    if keys is not None:
        statement = statement.where(among(c.key, keys))
    last: int | None = None
    group: list[int] = []
    for key, spelling in fetch(connection, statement):
        if key != last:
            if last is not None:
                yield last, group
            last, group = key, []
        group.append(spelling)
    if last is not None:
        yield last, group


def read_blocks(connection: Connection) -> dict[int, int]:
    """Return the digest of each block as it was resolved last."""
    return dict(fetch(connection, select(m.block.c.id, m.block.c.digest)))


def put_blocks(connection: Connection, digests: dict[int, int]) -> None:
    """Write the digests of all blocks."""
    sync(connection, m.block, digests.items())
