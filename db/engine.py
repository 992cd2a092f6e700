"""Open, make and upgrade the database: the only place that knows which engine stands behind it.

Alembic is imported only when a schema has to be made or changed: whether a database is up to date
is one SELECT against `SCHEMA`.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from ..cff.errors import DatabaseError

if TYPE_CHECKING:
    from alembic.config import Config

SCHEMA = "0004"
"""The newest revision in migrations/versions; a test holds the two together."""

APPLICATION_ID = 0x63666667
"""`cffg`: SQLite's own mark in a file's header of whose database it is (PRAGMA application_id)."""

BUSY_TIMEOUT_MS = 60_000
"""How long a command waits for another one that is writing."""


def database_path(spec: str) -> Path:
    """The file that `--db` names: a path, or a `sqlite:///` URL. DatabaseError for anything else.

    >>> database_path("sqlite:///study.db"), database_path("a/b.db")
    (PosixPath('study.db'), PosixPath('a/b.db'))
    """
    if "://" not in spec:
        path = spec
    elif spec.startswith("sqlite:///"):
        path = unquote(spec.removeprefix("sqlite:///").split("?")[0])
    elif spec.startswith("sqlite:"):
        raise DatabaseError(f"{spec} names no file: write sqlite:///PATH, or just PATH")
    else:
        # The rest of the URL may hold a password.
        raise DatabaseError(f"{spec.split('://')[0]}://...: only SQLite so far: give --db a path")
    if path in ("", ":memory:"):
        raise DatabaseError(f"{spec!r} names no file: give --db a path")
    return Path(path)


def create_or_open(spec: str, *, tell: Callable[[str], None] = lambda line: None) -> Engine:
    """An engine for writing evidence; makes the database, or upgrades an older one with a backup beside it.

    `tell` gets a line for a person when a database was upgraded.
    """
    path = database_path(spec)
    schema = _probe(path)
    if schema is None and not path.exists():
        _check_folder(path)
    engine = _engine(path, writing=True)
    try:
        if schema != SCHEMA:
            backup = None if schema is None else backup_beside(path, schema)
            _migrate(engine, path)
            if backup is not None:
                tell(f"{path}: upgraded from schema {schema} to {SCHEMA}; the old one is {backup}")
    except BaseException:
        engine.dispose()
        raise
    return engine


def open_existing(spec: str, *, writing: bool = False) -> Engine:
    """An engine on a database that is there, ours and of this schema; else DatabaseError, with what to do.

    With `writing`, each transaction takes the lock at its beginning, so that it cannot fail half-way
    because of another writer.
    """
    path = database_path(spec)
    schema = _probe(path)
    if schema is None:
        raise DatabaseError(f"no database at {path}: make one with `cffgraph crawl SOURCE --db {path}`")
    if schema < SCHEMA:
        raise DatabaseError(
            f"{path} has schema {schema}, older than this cffgraph ({SCHEMA}):"
            f" upgrade it with `cffgraph db upgrade --db {path}`"
        )
    return _engine(path, writing=writing)


def upgrade(spec: str) -> tuple[str, str, Path | None]:
    """The schema before and after, and the backup's path; no backup when nothing was to be done."""
    path = database_path(spec)
    schema = _probe(path)
    if schema is None:
        raise DatabaseError(f"no database at {path}: make one with `cffgraph crawl SOURCE --db {path}`")
    if schema == SCHEMA:
        return schema, schema, None
    backup = backup_beside(path, schema)
    engine = _engine(path, writing=True)
    try:
        _migrate(engine, path)
    finally:
        engine.dispose()
    return schema, SCHEMA, backup


def backup_beside(path: Path, schema: str) -> Path:
    """The path of a whole copy of the database, made beside it; never overwrites one."""
    number = 0
    while True:
        copy = path.with_name(f"{path.name}.schema-{schema}{f'-{number}' if number else ''}.bak")
        try:
            copy.touch(exist_ok=False)
        except FileExistsError:
            number += 1
            continue
        except OSError as error:
            raise DatabaseError(f"cannot write the backup {copy}: {error.strerror}") from error
        break
    # SQLite's own copy takes what is still in the write-ahead log along; a copied file would not.
    source, target = sqlite3.connect(path), sqlite3.connect(copy)
    try:
        source.backup(target)
    finally:
        source.close()
        target.close()
    return copy


def _probe(path: Path) -> str | None:
    """The schema of the database at a path; None where there is none, or an empty file. Touches nothing.

    "0000" is one of ours without tables: a first crawl that was killed, or a downgraded database.
    """
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except FileNotFoundError:
        return None
    except IsADirectoryError as error:
        raise DatabaseError(f"{path} is a folder, not a database: choose another file with --db") from error
    except OSError as error:
        raise DatabaseError(f"cannot open {path}: {error.strerror}") from error
    if not start:
        return None
    if start != b"SQLite format 3\0":
        raise DatabaseError(f"{path} is no database: choose another file with --db")
    try:
        schema, marked, tables = _look_inside(path)
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot read the database {path}: {error}") from error
    if not tables and marked in (0, APPLICATION_ID):
        return None
    if marked != APPLICATION_ID or (schema is not None and not (len(schema) == 4 and schema.isdecimal())):
        raise DatabaseError(f"{path} is a database of another program: choose another file with --db")
    if schema is not None and schema > SCHEMA:
        raise DatabaseError(
            f"{path}: schema {schema} is newer than this cffgraph ({SCHEMA}): upgrade cffgraph"
        )
    return schema or "0000"


def _look_inside(path: Path) -> tuple[str | None, int, int]:
    connection = sqlite3.connect(_uri(path, "mode=ro", *_unwritable(path)), uri=True)
    try:
        (marked,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        version = None
        if marked == APPLICATION_ID and tables:
            version = connection.execute("SELECT max(version_num) FROM alembic_version").fetchone()[0]
        return version, marked, tables
    finally:
        connection.close()


def _check_folder(path: Path) -> None:
    folder = path.absolute().parent
    if not folder.is_dir():
        raise DatabaseError(f"cannot make {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise DatabaseError(f"cannot make {path}: the folder {folder} is read-only")


def _uri(path: Path, *options: str) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?{'&'.join(options)}"


def _unwritable(path: Path) -> list[str]:
    """The option for a database in a folder that cannot be written.

    A database in WAL mode wants to make files beside it even for reading: on a read-only disk SQLite
    must be told that nobody writes.
    """
    if os.access(path.absolute().parent, os.W_OK) or Path(f"{path}-wal").exists():
        return []
    return ["immutable=1"]


def _engine(path: Path, *, writing: bool) -> Engine:
    options = ["mode=rwc" if writing else "mode=rw"]
    if not writing and (unwritable := _unwritable(path)):
        options = ["mode=ro", *unwritable]

    def connect() -> sqlite3.Connection:
        try:
            # No statement of the driver's own between ours: transactions begin where `begin` below says.
            return sqlite3.connect(
                _uri(path, *options), uri=True, isolation_level=None, check_same_thread=False
            )
        except sqlite3.OperationalError as error:
            raise DatabaseError(f"cannot open the database {path}: {error}") from error

    # NullPool: SQLite opens faster than a pool forgets, and the last one to close tidies the log away.
    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def _set(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        try:
            cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.execute("PRAGMA synchronous = NORMAL")
            cursor.execute("PRAGMA cache_size = -65536")
            if writing:
                cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            raise DatabaseError(f"cannot open the database {path}: {error}") from error
        finally:
            cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration for this connection; made here, as the program has no alembic.ini."""
    from alembic.config import Config

    config = Config(stdout=sys.stdout)  # its default is the stream of the day alembic was imported
    config.set_main_option("script_location", "cffgraph:migrations")
    config.attributes["connection"] = connection
    return config


def _migrate(engine: Engine, path: Path) -> None:
    """Bring the database at `path` to the newest schema, in one transaction."""
    from alembic import command

    try:
        with engine.connect() as connection:
            # Outside a transaction, or SQLite ignores it: a batch change drops a table and makes it
            # again, which must not cascade.
            connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")
            with connection.begin():
                command.upgrade(alembic_config(connection), "head")
    except DBAPIError as error:
        raise DatabaseError(f"cannot make the tables of {path}: {error.orig}") from error
