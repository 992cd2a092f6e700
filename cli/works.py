"""`cffgraph works`: software, papers, data, and how they cite each other."""

from __future__ import annotations

from typing import Annotated

import typer

from .database import DEFAULT, DatabaseOption, reading
from .output import FormatOption, LimitOption, one_of, print_answer, say

RANKS = ("cited_by",)


def works(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="Words of the title, a number, a DOI or a URL.", show_default=False
        ),
    ] = "",
    by: Annotated[str, typer.Option(metavar="NAME", show_default=False, help="Works of this author.")] = "",
    cited_by: Annotated[
        str, typer.Option(metavar="WORK", show_default=False, help="Works that WORK cites.")
    ] = "",
    cites: Annotated[
        str, typer.Option(metavar="WORK", show_default=False, help="Works that cite WORK.")
    ] = "",
    rank: Annotated[
        str,
        typer.Option(
            metavar="|".join(RANKS), callback=one_of(*RANKS), show_default=False, help="The greatest first."
        ),
    ] = "",
    format_: FormatOption = "table",
    limit: LimitOption = None,
    db: DatabaseOption = DEFAULT,
) -> None:
    """List works, by title or by who wrote or cites them.

    A WORK is a number, a DOI, a URL or a title. Several options: the works that fit them all.
    """
    with reading(db) as connection:
        from ..db import query, search
        from .choice import one_author, one_work

        answer = query.works(
            connection,
            search.find_works(connection, text) if text else None,
            by=one_author(connection, by) if by else None,
            cited_by=one_work(connection, cited_by) if cited_by else None,
            cites=one_work(connection, cites) if cites else None,
            rank=rank,
        )
        if not print_answer(answer, format_=format_, limit=limit):
            say("no work fits" if text or by or cited_by or cites else "no works yet")
