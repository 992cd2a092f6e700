"""Resolving what changed gives what resolving all anew gives, whatever came, changed, went or was decided."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from cffgraph.cff.read import blob_id, read
from cffgraph.db import counts
from cffgraph.db import models as m
from cffgraph.db.decisions import Decision, names_of_author, names_of_mentions, put_decision, undo
from cffgraph.db.engine import create_or_open
from cffgraph.db.found import Found, FoundFile
from cffgraph.db.rows import rows_of
from cffgraph.db.store import Store
from cffgraph.resolve import blocks, plan, run, run_authors, run_survey, same_name, variants
from cffgraph.resolve.run import is_current, resolve
from sqlalchemy import Connection, delete, select, update

GIVEN = "Ada|A.|Ada B.|Beatrix|B.|Wei|Wen|W.|Jonas|Jonathan|Jon|Maria|M.|".split("|")
FAMILY = "Quill Quille Berg Koehler Köhler Tresk Tresk-Vale Vale Wang Montetti Ito".split()
ORCIDS = ["0000-0009-9001-0013", "0000-0009-9001-0021", "0000-0009-9001-003X"]
TEAMS = ["The Aurora Team", "Aurora Team", "Quill", "renovate[bot]"]
PLACES = ["Institute 1", "Institute 2", "institute  2", "Lund"]
TITLES = ["Aurora", "Borealis", "Corona", "Dawn", "A Paper on Dawn", "A Paper on Eos"]
DOIS = ["10.5555/a", "10.5555/b", "10.5555/c", "10.5281/zenodo.1234"]

OF_NO_CONSEQUENCE = {"author": "block", "conflict": "block"}
"""Blocks may be larger than they need to be."""
TABLES = (
    m.work, m.work_identifier, m.work_record, m.work_repository, m.author, m.author_name, m.author_mention,
    m.author_redirect, m.decided_redirect, m.undecided_author, m.undecided_mention, m.author_private,
    m.candidate, m.authorship, m.citation, m.conflict, m.conflict_mention, m.record_key,
)  # fmt: skip
NUMBERED = {m.author_redirect, m.decided_redirect, m.undecided_author}
"""Tables about the numbers that once were: another history has others."""


def person(rng: random.Random) -> list[str]:
    if rng.random() < 0.08:
        return [f"- name: {rng.choice(TEAMS)}"]
    lines = [f"- family-names: {rng.choice(FAMILY)}"]
    if given := rng.choice(GIVEN):
        lines.append(f"  given-names: {given}")
    if rng.random() < 0.15:
        lines.append(f"  orcid: https://orcid.org/{rng.choice(ORCIDS)}")
    if rng.random() < 0.3:
        lines.append(f"  affiliation: {rng.choice(PLACES)}")
    if rng.random() < 0.1:
        lines.append(f"  email: {rng.choice('abc')}@mail.example")
    return lines


def authors(rng: random.Random, indent: str) -> list[str]:
    found = [f"{indent}authors:"]
    for _ in range(rng.choice([1, 1, 2, 3, 4, 7, 45])):
        found += [f"{indent}{line}" for line in person(rng)]
    return found


def content(rng: random.Random) -> bytes:
    lines = ["cff-version: 1.2.0", "message: m", f"title: {rng.choice(TITLES)}", *authors(rng, "")]
    if rng.random() < 0.3:
        lines.append(f"doi: {rng.choice(DOIS)}")
    if rng.random() < 0.3:
        lines += ["identifiers:", "  - type: doi", f"    value: {rng.choice(DOIS)}"]
    if rng.random() < 0.3:
        lines.append(f"date-released: 20{rng.randint(10, 25)}-01-01")
    if rng.random() < 0.4:
        lines += ["preferred-citation:", "  type: article", f"  title: {rng.choice(TITLES)}"]
        lines += authors(rng, "  ")
    if rng.random() < 0.4:
        lines.append("references:")
        for _ in range(rng.randint(1, 3)):
            lines += ["- type: software", f"  title: {rng.choice(TITLES)}", *authors(rng, "  ")]
            if rng.random() < 0.5:
                lines.append(f"  doi: {rng.choice(DOIS)}")
            if rng.random() < 0.5:
                place = f"o{rng.randint(0, 1)}/r{rng.randint(0, 9)}"
                lines.append(f"  repository-code: https://forge.example/{place}")
    return "\n".join(lines).encode() + b"\n"


def put(connection: Connection, files: dict[str, bytes | None], *, again: bool = False) -> None:
    """Crawl: each repository holds this file now, or none."""
    store = Store(connection)
    (source,) = store.begin([("/s", "")])
    readings = {}
    founds = []
    for name, text in files.items():
        held: tuple[FoundFile, ...] = ()
        if text is not None:
            sha = blob_id(text)
            if again or store.unread([sha]):
                readings[sha] = rows_of(read(text))
            held = (FoundFile("CITATION.cff", sha, text),)
        founds.append((source, Found(f"https://forge.example/{name}", name, "forge.example", files=held)))
    store.put(founds, readings, again=again)


def dump(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    for table in TABLES:
        columns = [c for c in table.columns if c.name != OF_NO_CONSEQUENCE.get(table.name)]
        found[table.name] = sorted(map(tuple, connection.execute(select(*columns))), key=repr)
    return found


def told(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """Everything that is concluded, with keys in the place of numbers."""
    author = dict(connection.execute(select(m.author.c.id, m.author.c.key)).all())
    work = dict(connection.execute(select(m.work.c.id, m.work.c.key)).all())
    names = dict.fromkeys(("author_id", "a_id", "b_id"), author)
    names |= dict.fromkeys(("work_id", "citing_id", "cited_id"), work)
    found = {}
    for table in TABLES:
        if table in NUMBERED or table is m.undecided_mention:
            continue
        columns = [c for c in table.columns if c.name != OF_NO_CONSEQUENCE.get(table.name)]
        if table in (m.author, m.work, m.author_name):
            columns = [c for c in columns if c.name != "id"]
        rows = []
        for row in connection.execute(select(*columns)).mappings():
            values = [names[key].get(value, "?") if key in names else value for key, value in row.items()]
            if table is m.candidate:
                values[:2] = sorted(values[:2])
            rows.append(tuple(values))
        found[table.name] = sorted(rows, key=repr)
    return found


def decide(connection: Connection, rng: random.Random) -> None:
    """Make a decision on the authors as they are, or undo one."""
    numbers = list(connection.scalars(select(m.author.c.id).order_by(m.author.c.key)))
    if len(numbers) < 2:
        return
    one, two = rng.sample(numbers, 2)
    kind = rng.choice(["merge", "merge", "distinct", "split", "rename", "private", "undo"])
    if kind == "undo":
        if connection.scalar(select(m.decision.c.id).where(m.decision.c.undone_at.is_(None)).limit(1)):
            undo(connection)
        return
    a = names_of_author(connection, one)
    if kind in ("merge", "distinct"):
        put_decision(connection, Decision(kind, a, names_of_author(connection, two), before=(one, two)))
    elif kind == "split":
        link = m.author_mention.c
        of = select(link.mention_id).where(link.author_id == one).order_by(link.mention_id)
        own = list(connection.scalars(of))
        if len(own) > 1:
            off, rest = names_of_mentions(connection, rng.sample(own, 1), one)
            if rest:
                put_decision(connection, Decision("split", off, rest, before=(0, one)))
    else:
        put_decision(connection, Decision("rename", a, (), "Kai Nr 1", kind == "private", before=(one,)))


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = create_or_open(str(tmp_path / "x.db"))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.mark.parametrize("seed", range(8))
def test_what_changed_is_resolved_as_all_would_be(
    connection: Connection, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(plan, "BATCH", rng.choice([1, 30, 20_000]))
    monkeypatch.setattr(run_survey, "_KEPT", rng.choice([0, 50_000]))
    monkeypatch.setattr(run_authors, "_WRITTEN", rng.choice([1, 20_000]))
    monkeypatch.setattr(counts, "_BLOCK_BITS", rng.choice([1, 12]))
    monkeypatch.setattr(same_name, "FEW_PARTS", rng.choice([1, 16]))
    monkeypatch.setattr(variants, "MOST_COMPARED", rng.choice([0, 64]))
    if seed % 2:  # keys become crowded, and are so no longer
        for module in (blocks, run_survey):
            monkeypatch.setattr(module, "MOST_IN_BLOCK", 3)
        monkeypatch.setattr(blocks, "MOST_OF_INITIALS", 9)
        monkeypatch.setattr(variants, "MOST_IN_BLOCK", 9)
    repositories = [f"o{i % 2}/r{i}" for i in range(10)]
    put(connection, {name: content(rng) for name in repositories[: rng.randint(1, 8)]})
    with connection.begin():
        resolve(connection)
    held: list[bytes] = [content(rng)]
    for _ in range(6):
        step = rng.random()
        some = rng.sample(repositories, rng.randint(1, 2))
        if step < 0.45:
            held.append(content(rng))
            put(connection, {name: rng.choice(held) for name in some})
        elif step < 0.6:
            put(connection, dict.fromkeys(some))
        elif step < 0.68:
            put(connection, {name: rng.choice(held) for name in some}, again=True)
        with connection.begin():
            if step >= 0.68:
                decide(connection, rng)
            resolve(connection)
            assert is_current(connection)
            found, words = dump(connection), told(connection)
            undo_point = connection.begin_nested()
            resolve(connection, anew=True)
            assert dump(connection) == found
            # Without the numbers of the past.
            for table in (*reversed(TABLES), m.author_list, m.spelling, m.block):
                connection.execute(delete(table))
            resolve(connection, anew=True)
            assert told(connection) == words
            undo_point.rollback()


def test_what_changes_nothing_writes_nothing(connection: Connection) -> None:
    rng = random.Random(5)
    put(connection, {f"o/r{i}": content(rng) for i in range(6)})
    with connection.begin():
        resolve(connection)
        changes = connection.exec_driver_sql("SELECT total_changes()").scalar_one()
        resolve(connection)
        # How far the conclusions have come is said again, no more.
        assert connection.exec_driver_sql("SELECT total_changes()").scalar_one() - changes == 1


def test_other_rules_resolve_all_anew(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(6)
    put(connection, {f"o/r{i}": content(rng) for i in range(6)})
    with connection.begin():
        resolve(connection)
        before = dump(connection)
        connection.execute(update(m.author_mention).values(reason="by a rule of old"))
        resolve(connection)
        assert dump(connection) != before
        monkeypatch.setattr(run, "RULES", run.RULES + 1)
        resolve(connection)
        assert dump(connection) == before
