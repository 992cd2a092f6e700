from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cffgraph.db.engine import SCHEMA

Run = Callable[..., Any]


def test_info(crawled: Path, cffgraph: Run) -> None:
    facts = json.loads(cffgraph("db", "info", "--db", crawled, "--format", "json").out)
    assert facts.pop("size_bytes") > 10_000
    assert facts.pop("author") > 40
    assert facts == {
        "path": str(crawled),
        "schema": SCHEMA,
        "resolved": True,
        "source": 1,
        "repository": 3,
        "file": 3,
        "blob": 3,
        **{name: facts[name] for name in ("record", "mention", "problem", "work", "citation")},
        **{name: facts[name] for name in ("author_name_fts", "work_fts")},
    }
    assert min(facts["author_name_fts"], facts["work_fts"], facts["record"]) > 0
    table = cffgraph("db", "info", "--db", crawled).out
    assert "repository       3\n" in table
    assert "resolved         yes\n" in table


def test_upgrade_has_nothing_to_do(crawled: Path, cffgraph: Run) -> None:
    answer = cffgraph("db", "upgrade", "--db", crawled)
    assert (answer.code, answer.out) == (0, f"{crawled} has schema {SCHEMA} already\n")


@pytest.mark.parametrize("command", ["info", "upgrade"])
def test_no_database(tmp_path: Path, cffgraph: Run, command: str) -> None:
    path = tmp_path / "none.db"
    answer = cffgraph("db", command, "--db", path)
    told = f"cffgraph: no database at {path}: make one with `cffgraph crawl SOURCE --db {path}`\n"
    assert (answer.code, answer.out, answer.err) == (1, "", told)


def test_upgrade(tmp_path: Path, cffgraph: Run) -> None:
    from alembic import command
    from cffgraph.db.engine import alembic_config, create_or_open

    path = tmp_path / "x.db"
    engine = create_or_open(str(path))
    with engine.connect() as connection, connection.begin():
        command.downgrade(alembic_config(connection), "base")
    engine.dispose()
    answer = cffgraph("db", "info", "--db", path)
    assert (answer.code, "cffgraph db upgrade" in answer.err) == (1, True)
    answer = cffgraph("db", "upgrade", "--db", path)
    assert (
        answer.out
        == f"{path}: upgraded from schema 0000 to {SCHEMA}; the old one is {path}.schema-0000.bak\n"
    )
    assert cffgraph("db", "info", "--db", path).code == 0


def test_what_cannot_be_written_is_one_line(
    crawled: Path, cffgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cffgraph.db import engine

    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 1)
    other = sqlite3.connect(crawled, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        answer = cffgraph("resolve", "--db", crawled)
    finally:
        other.close()
    told = f"cffgraph: cannot write the database {crawled}: database is locked\n"
    assert (answer.code, answer.out, answer.err) == (1, "", told)
