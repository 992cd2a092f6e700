"""`cffgraph resolve`: all conclusions anew."""

from __future__ import annotations

import dataclasses

from .database import DEFAULT, DatabaseOption
from .output import FormatOption, print_rows


def resolve(format_: FormatOption = "table", db: DatabaseOption = DEFAULT) -> None:
    """Work out authors and works anew, without the network."""
    from ..db.engine import open_existing
    from ..resolve import run

    engine = open_existing(db, writing=True)
    try:
        with engine.begin() as connection:
            counts = dataclasses.asdict(run.resolve(connection))
    finally:
        engine.dispose()
    print_rows(tuple(counts), [tuple(counts.values())], format_=format_)
