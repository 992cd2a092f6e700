"""Evidence out for the resolver, conclusions in from it.

What is read is what stands: the files that repositories hold now, and the last good version where
the newest is broken. What is written is the difference to what was there, so that a crawl which
changes little writes little, and numbers that people have noted stay where they are.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, select, update

from . import models as m
from .bulk import BATCH as _BATCH
from .bulk import insert_rows

STANDING = ("current", "stale")
"""The standings of a file from which conclusions are drawn."""


def evidence_version(connection: Connection) -> tuple[int, int]:
    """Return (how far the evidence has come, the evidence that the conclusions stand on)."""
    row = connection.execute(select(m.progress.c.evidence, m.progress.c.resolved)).first()
    return (row[0], row[1]) if row else (0, 0)


def set_resolved(connection: Connection) -> None:
    """Say that the conclusions stand on all of the evidence."""
    connection.execute(update(m.progress).values(resolved=m.progress.c.evidence))


def _standing_blobs() -> Any:
    return select(m.file.c.blob_id).where(m.file.c.standing.in_(STANDING)).distinct()


def read_places(connection: Connection) -> dict[int, list[tuple[int, str, str]]]:
    """Return for each standing blob where it is held: [(repository, its URL, any URL it goes by)]."""
    places: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    held = (
        select(m.file.c.blob_id, m.repository.c.id, m.repository.c.url, m.repository.c.remote)
        .join(m.repository, m.repository.c.id == m.file.c.repository_id)
        .where(m.file.c.standing.in_(STANDING))
        .distinct()
    )
    aliases: dict[int, list[str]] = defaultdict(list)
    for repository, url in connection.execute(
        select(m.repository_alias.c.repository_id, m.repository_alias.c.url)
    ):
        aliases[repository].append(url)
    for blob, repository, url, remote in connection.execute(held):
        places[blob].append((repository, url, url))
        for other in (*aliases[repository], remote):
            if other:
                places[blob].append((repository, url, other))
    return places


def read_records(connection: Connection) -> Iterator[Any]:
    """Yield the standing records: id, blob_id, sha, pointer, type, title, ..., fields (JSON)."""
    c, b = m.record.c, m.blob.c
    yield from connection.execute(
        select(
            c.id, c.blob_id, b.sha, c.pointer, c.type, c.title, c.version, c.doi, c.date, c.year, c.url,
            c.repository_code, c.fields,
        )
        .join(m.blob, b.id == c.blob_id)
        .where(c.blob_id.in_(_standing_blobs()))
        .order_by(b.sha, c.id),
        execution_options={"yield_per": _BATCH},
    )  # fmt: skip


def read_identifiers(connection: Connection) -> dict[int, tuple[tuple[str, str], ...]]:
    """Return the identifiers of every record that has some: {record: ((kind, value), ...)}."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    c = m.record_identifier.c
    for record, kind, value in connection.execute(select(c.record_id, c.kind, c.value)):
        found[record].append((kind, value))
    return {record: tuple(sorted(values)) for record, values in found.items()}


def read_mentions(connection: Connection) -> Iterator[Any]:
    """Yield the standing mentions of role `authors`, by record and position, all columns but as_written."""
    c = m.mention.c
    yield from connection.execute(
        select(
            c.id, c.record_id, c.position, c.kind, c.family_names, c.given_names, c.name_particle,
            c.name_suffix, c.name, c.alias, c.orcid, c.email, c.website, c.affiliation,
        )
        .join(m.record, m.record.c.id == c.record_id)
        .where(c.role == "authors", m.record.c.blob_id.in_(_standing_blobs()))
        .order_by(c.record_id, c.position),
        execution_options={"yield_per": _BATCH},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers that are given already."""

    of_member: dict[int, int]
    """Member (mention, record) -> number."""
    of_key: dict[str, int]
    redirects: dict[int, int]


def author_numbers(connection: Connection) -> Numbers:
    """Return the numbers of authors as they would be without decisions: members are mentions."""
    link, author, redirect = m.author_mention.c, m.author.c, m.author_redirect.c
    key_of = _dict(connection, select(author.id, author.key))
    key_of |= _dict(connection, select(m.undecided_author.c.id, m.undecided_author.c.key))
    other = m.undecided_mention.c
    return Numbers(
        _dict(connection, select(link.mention_id, link.author_id))
        | _dict(connection, select(other.mention_id, other.author_id)),
        {key: number for number, key in key_of.items() if key},
        _dict(connection, select(redirect.id, redirect.author_id)),
    )


def author_members(connection: Connection, author: int) -> list[int]:
    """Return the mentions of an author, in order."""
    link = m.author_mention.c
    return list(
        connection.scalars(select(link.mention_id).where(link.author_id == author).order_by(link.mention_id))
    )


def work_numbers(connection: Connection) -> Numbers:
    """Return the numbers of works: members are records."""
    link, work = m.work_record.c, m.work.c
    return Numbers(
        _dict(connection, select(link.record_id, link.work_id)),
        _dict(connection, select(work.key, work.id)),
        {},
    )


def _dict(connection: Connection, statement: Any) -> dict[Any, Any]:
    return {row[0]: row[1] for row in connection.execute(statement)}


@dataclass(frozen=True, slots=True)
class Conclusions:
    """All conclusions as rows, each a tuple in the order of its table's columns."""

    works: Sequence[tuple[Any, ...]]
    work_identifiers: Sequence[tuple[Any, ...]]
    work_records: Sequence[tuple[Any, ...]]
    work_repositories: Sequence[tuple[Any, ...]]
    citations: Sequence[tuple[Any, ...]]
    authors: Sequence[tuple[Any, ...]]
    author_names: Sequence[tuple[Any, ...]]
    """Without their ids, which are made of content here."""
    author_mentions: Sequence[tuple[Any, ...]]
    author_redirects: Sequence[tuple[Any, ...]]
    authorships: Sequence[tuple[Any, ...]]
    conflicts: Sequence[tuple[str, str, tuple[int, ...]]]
    """(code, message, mentions)"""
    candidates: Sequence[tuple[Any, ...]] = ()
    author_privates: Sequence[tuple[Any, ...]] = ()
    decided_redirects: Sequence[tuple[Any, ...]] = ()
    undecided_authors: Sequence[tuple[Any, ...]] = ()
    undecided_mentions: Sequence[tuple[Any, ...]] = ()


def put_conclusions(connection: Connection, new: Conclusions) -> None:
    """Make the conclusion tables say exactly `new`, writing only what differs."""
    _sync(connection, m.work, new.works)
    _sync(connection, m.author, new.authors)
    _sync(connection, m.work_identifier, new.work_identifiers)
    _sync(connection, m.work_record, new.work_records)
    _sync(connection, m.work_repository, new.work_repositories)
    _sync(connection, m.citation, new.citations)
    names = [(_name_id(author, name), author, name, *rest) for author, name, *rest in new.author_names]
    _sync(connection, m.author_name, names)
    _sync(connection, m.author_mention, new.author_mentions)
    _sync(connection, m.author_redirect, new.author_redirects)
    _sync(connection, m.decided_redirect, new.decided_redirects)
    _sync(connection, m.undecided_author, new.undecided_authors)
    _sync(connection, m.undecided_mention, new.undecided_mentions)
    _sync(connection, m.author_private, new.author_privates)
    _sync(connection, m.candidate, new.candidates)
    _sync(connection, m.authorship, new.authorships)
    conflicts = sorted(new.conflicts)
    _sync(connection, m.conflict, [(i, code, text) for i, (code, text, _) in enumerate(conflicts, 1)])
    mentions = [(i, mention) for i, (_, _, found) in enumerate(conflicts, 1) for mention in found]
    _sync(connection, m.conflict_mention, mentions)
    if connection.dialect.name == "sqlite":
        # The planner picks the right one of two indexes only when it knows their sizes.
        connection.exec_driver_sql("PRAGMA optimize")


def _name_id(author: int, name: str) -> int:
    """Return a row id made of content, so that names keep their rows between runs."""
    digest = hashlib.sha1(f"{author} {name}".encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:7])


def _sync(connection: Connection, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Make `table` hold exactly `rows`: delete what is gone, change what differs, insert what is new."""
    columns = list(table.columns)
    names = [column.name for column in columns]
    width = len(list(table.primary_key.columns))
    if [c.name for c in table.primary_key.columns] != names[:width]:
        raise TypeError(f"{table.name}: its key must stand first")
    wanted = {row[:width]: row for row in rows}
    gone: list[tuple[Any, ...]] = []
    changed: list[tuple[Any, ...]] = []
    renamed = names.index("key") if "key" in names else -1
    for old in connection.execute(select(table), execution_options={"yield_per": _BATCH}):
        key = tuple(old[:width])
        row = wanted.get(key)
        if row is None:
            gone.append(key)
        elif tuple(old) == row:
            del wanted[key]
        elif renamed >= 0 and old[renamed] != row[renamed]:
            gone.append(key)  # two rows may swap a unique key: out first, then in again
        else:
            changed.append(row)
            del wanted[key]
    match = [column == bindparam(f"k{i}") for i, column in enumerate(columns[:width])]
    keys = [f"k{i}" for i in range(width)]
    for batch in _batches(gone):
        connection.execute(delete(table).where(*match), [dict(zip(keys, key, strict=True)) for key in batch])
    if changed:
        rest: dict[str, Any] = {name: bindparam(f"v_{name}") for name in names[width:]}
        statement = update(table).where(*match).values(rest)
        labels = [*keys, *(f"v_{name}" for name in names[width:])]
        for batch in _batches(changed):
            connection.execute(statement, [dict(zip(labels, row, strict=True)) for row in batch])
    insert_rows(connection, table, names, wanted.values())


def _batches(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]
