from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from cffgraph.cff.errors import DatabaseError
from cffgraph.db.engine import SCHEMA, create_or_open, database_path, open_existing, upgrade
from sqlalchemy import text


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("study.db", "study.db"),
        ("sqlite:///study.db", "study.db"),
        ("sqlite:////srv/study.db", "/srv/study.db"),
        ("sqlite:///a%20b.db?timeout=3", "a b.db"),
        ("odd?name#1.db", "odd?name#1.db"),
    ],
)
def test_a_spec_is_a_path_or_a_sqlite_url(spec: str, path: str) -> None:
    assert database_path(spec) == Path(path)


@pytest.mark.parametrize(
    "spec", ["postgresql://me:secret@host/d", "sqlite://", ":memory:", "", "mysql+x://h"]
)
def test_other_engines_are_refused_without_their_password(spec: str) -> None:
    with pytest.raises(DatabaseError) as error:
        database_path(spec)
    assert "secret" not in str(error.value)


def test_make_then_open(tmp_path: Path) -> None:
    path = tmp_path / "odd ?#%20 name.db"
    create_or_open(str(path)).dispose()
    engine = open_existing(str(path))
    with engine.connect() as connection:
        values = {
            name: connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        }
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == SCHEMA
    engine.dispose()
    assert values == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 1, "busy_timeout": 60_000}
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_no_database_says_how_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    with pytest.raises(DatabaseError, match=f"no database at {path}: make one with `cffgraph crawl SOURCE"):
        open_existing(str(path))
    assert not path.exists()
    path.touch()
    with pytest.raises(DatabaseError, match="no database at"):
        open_existing(str(path))
    create_or_open(str(path)).dispose()
    open_existing(str(path)).dispose()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="there is no folder"):
        create_or_open(str(tmp_path / "none" / "x.db"))
    with pytest.raises(DatabaseError, match="is a folder, not a database"):
        create_or_open(str(tmp_path))


def _foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE repository (id); CREATE TABLE alembic_version (version_num);"
        " INSERT INTO alembic_version VALUES ('0001')"
    )
    connection.close()


@pytest.mark.parametrize("kind", ["text", "foreign"])
def test_a_file_that_is_not_ours_is_left_as_it_was(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "other.db"
    if kind == "text":
        path.write_text("cff-version: 1.2.0\n" * 100)
    else:
        _foreign(path)
    before = path.read_bytes()
    for opening in (create_or_open, open_existing, upgrade):
        with pytest.raises(DatabaseError, match="choose another file"):
            opening(str(path))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["other.db"]


def test_a_damaged_database_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"SQLite format 3\0" + b"\x00\xff" * 2000)
    with pytest.raises(DatabaseError, match="cannot read the database"):
        open_existing(str(path))


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    create_or_open(str(path)).dispose()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '0007'")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    for opening in (create_or_open, open_existing, upgrade):
        with pytest.raises(DatabaseError, match=rf"schema 0007 is newer than this cffgraph \({SCHEMA}\)"):
            opening(str(path))
    assert path.read_bytes() == before


def test_an_older_schema_is_upgraded_with_a_backup_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    _older(path)
    with pytest.raises(DatabaseError, match="cffgraph db upgrade --db"):
        open_existing(str(path))
    before, after, backup = upgrade(str(path))
    assert (before, after, backup) == ("0000", SCHEMA, tmp_path / "x.db.schema-0000.bak")
    assert backup is not None
    assert sqlite3.connect(backup).execute("SELECT count(*) FROM alembic_version").fetchone() == (0,)
    assert upgrade(str(path)) == (SCHEMA, SCHEMA, None)
    _older(path)
    told: list[str] = []
    create_or_open(str(path), tell=told.append).dispose()
    second = tmp_path / "x.db.schema-0000-1.bak"
    assert told == [f"{path}: upgraded from schema 0000 to {SCHEMA}; the old one is {second}"]
    assert second.exists()


def _older(path: Path) -> None:
    from alembic import command
    from cffgraph.db.engine import alembic_config

    engine = create_or_open(str(path))
    with engine.connect() as connection, connection.begin():
        command.downgrade(alembic_config(connection), "base")
    engine.dispose()


def test_a_first_crawl_that_was_killed_before_its_first_table(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert path.stat().st_size
    create_or_open(str(path)).dispose()
    open_existing(str(path)).dispose()


def test_tables_that_cannot_be_made_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    create_or_open(str(path)).dispose()
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM alembic_version")
    connection.commit()
    connection.close()
    for opening in (create_or_open, upgrade):
        with pytest.raises(DatabaseError, match=r"cannot make the tables of .*already exists"):
            opening(str(path))


def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.db"
    create_or_open(str(path)).dispose()
    # The administrator may write anywhere, whatever the mode of the folder says.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with open_existing(str(path)).connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM author").scalar() == 0
    assert [p.name for p in tmp_path.iterdir()] == ["x.db"]
