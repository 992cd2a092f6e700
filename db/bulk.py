"""Many rows into a table at the speed of the driver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, bindparam, insert

BATCH = 10_000
"""Rows a statement."""


def insert_rows(
    connection: Connection, table: Table, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Insert `rows`, each in the order of `columns`.

    SQLAlchemy compiles the statement and the driver takes the tuples as they are: making a dictionary
    of each row, and looking at each value, takes longer than SQLite does.
    """
    values = list(rows)
    if not values:
        return
    statement = insert(table).values({name: bindparam(name) for name in columns})
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(columns))
    order = [list(columns).index(name) for name in compiled.positiontup or ()]
    if order != list(range(len(columns))):
        values = [tuple(row[at] for at in order) for row in values]
    for start in range(0, len(values), BATCH):
        connection.exec_driver_sql(str(compiled), values[start : start + BATCH])
