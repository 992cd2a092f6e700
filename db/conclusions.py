"""Conclusions in from the resolver: what is written is the difference to what is there.

So a crawl that changes little writes little, and numbers that people have noted stay where they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, bindparam, delete, func, select, update

from . import models as m
from .bulk import BATCH, insert_rows
from .sets import among
from .standing import fetch, fetch_many


def evidence_version(connection: Connection) -> tuple[int, int]:
    """Return (how far the evidence has come, the evidence that the conclusions stand on)."""
    row = connection.execute(select(m.progress.c.evidence, m.progress.c.resolved)).first()
    return (row[0], row[1]) if row else (0, 0)


def stands_on(connection: Connection) -> tuple[int | None, int | None]:
    """Return (how many records the conclusions stand on, the rules that they follow); None where unknown."""
    row = connection.execute(select(m.progress.c.records, m.progress.c.rules)).first()
    return (row[0], row[1]) if row else (None, None)


def set_resolved(connection: Connection, *, records: int, rules: int) -> None:
    """Say that the conclusions stand on all of the evidence, on so many records, and follow these rules."""
    connection.execute(
        update(m.progress).values(resolved=m.progress.c.evidence, records=records, rules=rules)
    )
    if connection.dialect.name == "sqlite":
        # The planner picks the right one of two indexes only when it knows their sizes.
        connection.exec_driver_sql("PRAGMA optimize")


def counted(connection: Connection) -> dict[str, int]:
    """Return how many works, authors of each kind, citations and conflicts there are."""
    found = {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in (m.work, m.citation, m.conflict)
    }
    kinds = select(m.author.c.kind, func.count()).group_by(m.author.c.kind)
    return found | dict(fetch(connection, kinds))


def sync(
    connection: Connection,
    table: Table,
    rows: Iterable[tuple[Any, ...]],
    where: ColumnElement[bool] | None = None,
    *,
    columns: Sequence[str] = (),
    fill: Mapping[str, Any] | None = None,
) -> set[Any]:
    """Make `table`, or those of its rows for which `where` holds, be exactly `rows`; return the keys of the
    rows that are gone, changed or new.

    `rows` are in the order of `columns` (else of all), the primary key first; `fill` has what the other
    columns of a new row hold. A key of one column is returned bare.
    """
    names = [*(columns or (column.name for column in table.columns))]
    width = len(list(table.primary_key.columns))
    if [c.name for c in table.primary_key.columns] != names[:width]:
        raise TypeError(f"{table.name}: its key must stand first")
    wanted = set(rows)
    rest: list[tuple[Any, ...]] = []
    statement = select(*(table.c[name] for name in names))
    # Read to the end before the first change: a cursor over a changing table may meet a row twice.
    for old in fetch_many(connection, statement if where is None else statement.where(where)):
        same = wanted.intersection(old)
        if len(same) < len(old):
            rest += [row for row in old if row not in same]
        wanted -= same
    if not (rest or wanted):
        return set()
    new = {row[:width]: row for row in wanted}
    gone: list[tuple[Any, ...]] = []
    changed: list[tuple[Any, ...]] = []
    for row in rest:
        key = row[:width]
        if key in new:
            changed.append(new.pop(key))
        else:
            gone.append(key)
    match = [table.c[name] == bindparam(f"k{i}") for i, name in enumerate(names[:width])]
    keys = [f"k{i}" for i in range(width)]
    for batch in _batches(gone):
        connection.execute(delete(table).where(*match), [dict(zip(keys, key, strict=True)) for key in batch])
    _update(connection, table, names, width, changed)
    extra = dict(fill or {})
    # In the order of the key: so each row goes next to the one before it.
    added = ((*new[key], *extra.values()) for key in sorted(new))
    insert_rows(connection, table, [*names, *extra], added)
    touched = [*gone, *(row[:width] for row in changed), *new]
    return {key[0] for key in touched} if width == 1 else set(touched)


def put_values(
    connection: Connection, table: Table, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Write `rows` (key first) over those that are there, where they differ; `columns` names their values."""
    wanted = {row[0]: row for row in rows}
    statement = select(*(table.c[name] for name in columns))
    if len(wanted) < _ALL:
        statement = statement.where(among(table.c[columns[0]], wanted))
    old = {row[0]: row for row in fetch(connection, statement)}
    _update(connection, table, columns, 1, [r for key, r in wanted.items() if key in old and old[key] != r])


_ALL = 100_000
"""So many keys are not asked for one by one: the whole table is read."""


def _update(
    connection: Connection, table: Table, names: Sequence[str], width: int, rows: Sequence[tuple[Any, ...]]
) -> None:
    if not rows:
        return
    match = [table.c[name] == bindparam(f"k{i}") for i, name in enumerate(names[:width])]
    rest: dict[str, Any] = {name: bindparam(f"v_{name}") for name in names[width:]}
    statement = update(table).where(*match).values(rest)
    labels = [*(f"k{i}" for i in range(width)), *(f"v_{name}" for name in names[width:])]
    for batch in _batches(rows):
        connection.execute(statement, [dict(zip(labels, row, strict=True)) for row in batch])


def _batches(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def free_keys(connection: Connection, table: Table, keys: Mapping[int, str], old: Iterable[int]) -> None:
    """Take the unique keys off those of the rows `old` that are to have another one (`keys`), or none.

    Two rows may swap their keys, and a new row may have the key of one that goes.
    """
    rows = fetch(connection, select(table.c.id, table.c.key).where(among(table.c.id, old)))
    freed = [(number, f"\n{number}") for number, key in rows if keys.get(number) != key]
    _update(connection, table, ("id", "key"), 1, freed)


def all_numbers(connection: Connection, table: Table) -> set[int]:
    """Return the numbers that are in use, of works or of authors."""
    return {number for (number,) in fetch(connection, select(table.c.id))}


# --- Works ----------------------------------------------------------------------------------------


def work_records(connection: Connection) -> dict[int, int]:
    """Return record -> work."""
    c = m.work_record.c
    return dict(fetch(connection, select(c.record_id, c.work_id)))


def work_keys(connection: Connection, works: Iterable[int]) -> dict[str, int]:
    """Return key -> number of these works."""
    c = m.work.c
    return dict(fetch(connection, select(c.key, c.id).where(among(c.id, works))))


def records_of_keys(connection: Connection, keys: Iterable[int]) -> set[int]:
    """Return the records that stand under any of these keys."""
    c = m.record_key.c
    return {record for (record,) in fetch(connection, select(c.record_id).where(among(c.key, keys)))}


def keys_of_records(connection: Connection, records: Iterable[int]) -> set[int]:
    """Return the keys under which these records stand."""
    c = m.record_key.c
    return {key for (key,) in fetch(connection, select(c.key).where(among(c.record_id, records)))}


def put_record_keys(
    connection: Connection, keys: Iterable[tuple[int, int]], records: Iterable[int] | None
) -> None:
    """Make (key, record) pairs be all there are of these records, or of all."""
    where = None if records is None else among(m.record_key.c.record_id, records)
    sync(connection, m.record_key, keys, where)


def citing_pairs(connection: Connection, works: Iterable[int] | None) -> Iterator[tuple[int, int, str]]:
    """Yield (citing work, cited work, pointer of the record that says so), also where both are one, for
    these citing works or for all."""
    root, cited = m.record.alias("root"), m.record.alias("cited")
    of_root, of_cited = m.work_record.alias("of_root"), m.work_record.alias("of_cited")
    statement = (
        select(of_root.c.work_id, of_cited.c.work_id, cited.c.pointer)
        .join(root, root.c.id == of_root.c.record_id)
        .join(cited, cited.c.blob_id == root.c.blob_id)
        .join(of_cited, of_cited.c.record_id == cited.c.id)
        .where(root.c.pointer == "", cited.c.pointer != "")
    )
    if works is not None:
        statement = statement.where(among(of_root.c.work_id, works))
    yield from fetch(connection, statement)


def count_citations(connection: Connection, works: Iterable[int] | None) -> None:
    """Write how many works these works (or all) cite and are cited by."""
    c = m.citation.c
    counts = {}
    for column in (c.citing_id, c.cited_id):
        statement = select(column, func.count()).group_by(column)
        if works is not None:
            statement = statement.where(among(column, works))
        counts[column.name] = dict(fetch(connection, statement))
    numbers = [n for (n,) in fetch(connection, select(m.work.c.id))] if works is None else works
    rows = ((n, counts["citing_id"].get(n, 0), counts["cited_id"].get(n, 0)) for n in numbers)
    put_values(connection, m.work, ("id", "cites", "cited_by"), rows)


def put_conflicts(
    connection: Connection,
    rows: Iterable[tuple[int, str, str, int | None, tuple[int, ...]]],
    where: ColumnElement[bool] | None,
) -> None:
    """Make the conflicts, or those for which `where` holds, be (id, code, message, block, mentions)."""
    found = {row[0]: row for row in rows}
    c = m.conflict_mention.c
    old = select(m.conflict.c.id) if where is None else select(m.conflict.c.id).where(where)
    old_ids = [number for (number,) in fetch(connection, old)]
    sync(connection, m.conflict, [row[:4] for row in found.values()], where)
    pairs = [(number, mention) for number, *_, mentions in found.values() for mention in mentions]
    sync(connection, m.conflict_mention, pairs, among(c.conflict_id, {*old_ids, *found}))


def content_id(*parts: object) -> int:
    """Return a row id made of content, so that rows stay what they are between runs."""
    digest = hashlib.sha1(" ".join(map(str, parts)).encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:7])
