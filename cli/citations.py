"""`cffgraph citations`: which work cites which."""

from __future__ import annotations

from typing import Annotated

import typer

from .database import DEFAULT, DatabaseOption, reading
from .output import FormatOption, LimitOption, print_answer, say


def citations(
    work: Annotated[
        str, typer.Argument(metavar="WORK", help="A number, a DOI, a URL or a title.", show_default=False)
    ] = "",
    format_: FormatOption = "table",
    limit: LimitOption = None,
    db: DatabaseOption = DEFAULT,
) -> None:
    """List citations, all of them or those from and to WORK.

    The kind says which key of the citing file names the cited work: preferred-citation or reference.
    """
    with reading(db) as connection:
        from ..db import query
        from .choice import one_work

        answer = query.citations(connection, one_work(connection, work) if work else None)
        if not print_answer(answer, format_=format_, limit=limit):
            say(f"no citation from or to {work!r}" if work else "no citations yet")
