"""`cffgraph repositories`: what was crawled, and how it went."""

from __future__ import annotations

from .database import DEFAULT, DatabaseOption, reading
from .output import FormatOption, LimitOption, print_answer, say


def repositories(
    format_: FormatOption = "table",
    limit: LimitOption = None,
    db: DatabaseOption = DEFAULT,
) -> None:
    """List what was crawled: each repository, its state and its file."""
    with reading(db) as connection:
        from ..db import query

        if not print_answer(query.repositories(connection), format_=format_, limit=limit):
            say("no repositories yet")
