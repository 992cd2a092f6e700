"""`cffgraph db`: what the database is, and keeping it in shape."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .database import DEFAULT, DatabaseOption
from .output import json_text

db_app = typer.Typer(
    help="The database: what is in it, upgrade it.", no_args_is_help=True, rich_markup_mode=None
)


@db_app.command()
def info(
    db: DatabaseOption = DEFAULT,
    format_: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="table or json.")
    ] = "table",
) -> None:
    """Tell what the database holds: its schema, its size, how many repositories, authors and works."""
    if format_ not in ("table", "json"):
        raise typer.BadParameter(f"{format_!r} is neither table nor json", param_hint="--format")
    facts = _facts(db)
    if format_ == "json":
        print(json_text(facts, indent=1))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        shown = (
            value
            if isinstance(value, str)
            else ("no", "yes")[value]
            if isinstance(value, bool)
            else f"{value:,}"
        )
        print(f"{name.ljust(width)}  {shown}")


@db_app.command()
def upgrade(db: DatabaseOption = DEFAULT) -> None:
    """Bring the database to this program's schema, with a backup beside it."""
    from ..db.engine import upgrade as upgrade_database
    from ..db.query import readable

    with readable(db, doing="upgrade"):
        before, after, backup = upgrade_database(db)
    if backup is None:
        print(f"{db} has schema {after} already")
    else:
        print(f"{db}: upgraded from schema {before} to {after}; the old one is {backup}")


def _facts(db: str) -> dict[str, Any]:
    from ..db.engine import SCHEMA, database_path, open_existing
    from ..db.query import readable
    from ..db.summary import counts, is_resolved

    engine = open_existing(db)
    path = database_path(db).absolute()
    try:
        with readable(db), engine.connect() as connection:
            return {
                "path": str(path),
                "schema": SCHEMA,
                "size_bytes": sum(p.stat().st_size for p in _parts(path)),
                "resolved": is_resolved(connection),
                **counts(connection),
            }
    finally:
        engine.dispose()


def _parts(path: Path) -> list[Path]:
    """The file and SQLite's log beside it."""
    return [p for p in (path, Path(f"{path}-wal")) if p.exists()]
