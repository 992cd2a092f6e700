"""The option `--db`, and the database opened by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sqlalchemy import Connection

DEFAULT = "cffgraph.db"

BEFORE_COMMAND = typer.Option("--db", metavar="PATH|URL", help="The database. May stand behind the command.")
"""The same option before the command."""


def named_first(context: typer.Context) -> str | None:
    """Return the database that was named before the command, None if none was."""
    named: str | None = context.find_root().params.get("database")
    return named


def _or_named_first(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """Take the database that was named before the command, unless one is named behind it as well."""
    before = named_first(context)
    source = context.get_parameter_source(parameter.name or "")
    return value if before is None or (source and source.name == "COMMANDLINE") else before


DatabaseOption = Annotated[
    str,
    typer.Option(
        "--db", metavar="PATH|URL", envvar="CFFGRAPH_DB", callback=_or_named_first, help="The database."
    ),
]


@contextmanager
def reading(db: str) -> Iterator[Connection]:
    """Yield a connection that sees the database as it is now, whatever a crawl writes meanwhile.

    Says on standard error when the conclusions are older than the evidence; the answers go on.
    """
    from ..db.engine import open_existing
    from ..db.query import is_behind, readable
    from .output import say

    engine = open_existing(db)
    try:
        with readable(db), engine.connect() as connection:
            if is_behind(connection):
                say(
                    "cffgraph: the answer is older than what was crawled: bring it up with `cffgraph resolve`"
                )
            yield connection
    finally:
        engine.dispose()


@contextmanager
def writing(db: str) -> Iterator[Connection]:
    """Yield a connection inside a transaction that holds the database: all that is done in it, or nothing."""
    from ..db.engine import open_existing
    from ..db.query import readable

    engine = open_existing(db, writing=True)
    try:
        with readable(db, doing="write"), engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
