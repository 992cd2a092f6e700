"""What a database holds, in numbers."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, text

from . import models as m

_COUNTED = (
    m.source,
    m.repository,
    m.file,
    m.blob,
    m.record,
    m.mention,
    m.problem,
    m.work,
    m.author,
    m.citation,
)
_SEARCHED = ("author_name_fts", "work_fts")


def counts(connection: Connection) -> dict[str, int]:
    """Rows of the main tables, by the table's name, and entries of the full-text indexes."""
    found = {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in _COUNTED
    }
    for name in _SEARCHED:
        # The index's own count: an external-content table would be asked for its rows instead.
        found[name] = connection.scalar(text(f"SELECT count(*) FROM {name}_docsize")) or 0  # noqa: S608
    return found


def is_resolved(connection: Connection) -> bool:
    """Whether authors and works follow from all the evidence."""
    row = connection.execute(select(m.progress.c.evidence, m.progress.c.resolved)).one()
    return bool(row.evidence == row.resolved)
