"""What is counted of authors, against the same counted plainly; and the rows that are written for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cffgraph.db import counts
from cffgraph.db import models as m
from cffgraph.db.conclusions import sync
from cffgraph.db.counts import count
from cffgraph.db.engine import create_or_open
from sqlalchemy import Connection, Table, delete, insert, select

NOW = "2026-01-01T00:00:00+00:00"
KINDS = ["person"] * 9 + ["entity", "bot"]


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = create_or_open(str(tmp_path / "x.db"))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def put(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows; what is not given and may not be empty is 0 or an empty text."""
    blank = {
        column.name: b"" if column.type.python_type is bytes else column.type.python_type()
        for column in table.columns
        if not column.nullable and not (column.primary_key and column.name == "id")
    }
    connection.execute(insert(table), [blank | row for row in rows])


def fill(connection: Connection, rng: random.Random) -> None:
    """Authors in works, each work described by a file of its own, which some repositories hold."""
    authors = range(1, 41)
    put(connection, m.author, [{"id": n, "key": f"a{n}", "kind": KINDS[n % len(KINDS)]} for n in authors])
    put(connection, m.repository, [{"id": n, "url": f"r{n}", "last_crawled": NOW} for n in range(1, 7)])
    for work in range(1, 31):
        year = {"year": rng.choice([None, 2019, 2024])}
        put(connection, m.work, [{"id": work, "key": f"w{work}"} | year])
        put(connection, m.blob, [{"id": work, "sha": f"{work}"}])
        put(connection, m.record, [{"id": work, "blob_id": work}])
        put(connection, m.work_record, [{"record_id": work, "work_id": work}])
        for repository in rng.sample(range(1, 7), rng.randint(1, 3)):
            standing = rng.choice(["current", "stale", "past"])
            held = {"repository_id": repository, "blob_id": work, "standing": standing}
            put(connection, m.file, [held | {"first_seen": NOW, "last_seen": NOW}])
        for position, author in enumerate(rng.sample(authors, rng.choice([1, 2, 3, 20]))):
            mention = work * 100 + position
            put(connection, m.mention, [{"id": mention, "record_id": work, "position": position}])
            put(connection, m.author_mention, [{"mention_id": mention, "author_id": author}])
            put(connection, m.authorship, [{"work_id": work, "author_id": author, "position": position}])


def plainly(connection: Connection) -> tuple[dict[int, tuple[Any, ...]], dict[int, int]]:
    """Return (author -> its counts, work -> its persons)."""
    kinds = dict(connection.execute(select(m.author.c.id, m.author.c.kind)).all())
    years = dict(connection.execute(select(m.work.c.id, m.work.c.year)).all())
    authors_of: dict[int, set[int]] = {work: set() for work in years}
    for work, author in connection.execute(select(m.authorship.c.work_id, m.authorship.c.author_id)):
        authors_of[work].add(author)
    persons_of = {work: {a for a in those if kinds[a] == "person"} for work, those in authors_of.items()}
    held: dict[int, set[int]] = {work: set() for work in years}  # a work's file has its number
    for blob, repository, standing in connection.execute(
        select(m.file.c.blob_id, m.file.c.repository_id, m.file.c.standing)
    ):
        if standing != "past":
            held[blob].add(repository)
    found = {}
    for author, kind in kinds.items():
        mine = [work for work, those in authors_of.items() if author in those]
        known = [years[work] for work in mine if years[work] is not None]
        found[author] = (
            len(mine),
            len(set().union(*(held[work] for work in mine))),
            len(set().union(*(persons_of[work] for work in mine)) - {author}),
            float(sum(len(persons_of[work]) > 1 for work in mine)) if kind == "person" else 0.0,
            min(known, default=None),
            max(known, default=None),
        )
    return found, {work: len(those) for work, those in persons_of.items()}


def stored(connection: Connection) -> tuple[dict[int, tuple[Any, ...]], dict[int, int]]:
    a = m.author.c
    rows = connection.execute(
        select(a.id, a.works, a.repositories, a.coauthors, a.weight, a.first_year, a.last_year)
    )
    persons = connection.execute(select(m.work.c.id, m.work.c.persons)).all()
    return {number: tuple(rest) for number, *rest in rows}, dict(persons)


@pytest.mark.parametrize("bits", [1, 3, 12])
def test_counts_are_those_of_plain_sets(
    connection: Connection, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_BLOCK_BITS", bits)
    rng = random.Random(bits)
    fill(connection, rng)
    count(connection, None, None)
    assert stored(connection) == plainly(connection)
    # A work loses its authors: only they and it are counted again.
    for work in rng.sample(range(1, 31), 5):
        of = m.authorship.c
        theirs = set(connection.scalars(select(of.author_id).where(of.work_id == work)))
        connection.execute(delete(m.authorship).where(of.work_id == work))
        mentions = select(m.mention.c.id).where(m.mention.c.record_id == work)
        connection.execute(delete(m.author_mention).where(m.author_mention.c.mention_id.in_(mentions)))
        count(connection, {work}, theirs)
        assert stored(connection) == plainly(connection)


def test_sync_leaves_what_is_the_same_and_tells_the_rest(connection: Connection) -> None:
    table, c, columns = m.author, m.author.c, ("id", "key", "name")
    put(connection, table, [{"id": n, "key": f"a{n}"} for n in (1, 2, 3, 4)])
    fill = dict.fromkeys(("kind", "family", "orcid"), "") | dict.fromkeys(
        ("repositories", "coauthors", "weight"), 0
    )
    rows = [(1, "a1", ""), (2, "a2", "Ada"), (5, "a5", "")]
    touched = sync(connection, table, rows, c.id != 4, columns=columns, fill=fill | {"works": 7})
    assert touched == {2, 3, 5}
    there = connection.execute(select(c.id, c.key, c.name, c.works).order_by(c.id)).all()
    assert there == [(1, "a1", "", 0), (2, "a2", "Ada", 0), (4, "a4", "", 0), (5, "a5", "", 7)]
    # A key of two columns; the same rows again change nothing.
    put(connection, m.work, [{"id": 9, "key": "w"}])
    rows = [(9, 2, 0), (9, 1, 1)]
    assert sync(connection, m.authorship, rows) == {(9, 1), (9, 2)}
    assert sync(connection, m.authorship, rows) == set()
    assert sync(connection, m.authorship, [(9, 2, 5)]) == {(9, 1), (9, 2)}
    assert connection.execute(select(m.authorship)).all() == [(9, 2, 5)]
