"""`cffgraph resolve`: all conclusions anew."""

from __future__ import annotations

import dataclasses

from .database import DEFAULT, DatabaseOption, writing
from .output import FormatOption, print_rows


def resolve(format_: FormatOption = "table", db: DatabaseOption = DEFAULT) -> None:
    """Work out authors and works anew, without the network."""
    from ..resolve import run

    with writing(db) as connection:
        counts = dataclasses.asdict(run.resolve(connection, anew=True))
    print_rows(tuple(counts), [tuple(counts.values())], format_=format_)
