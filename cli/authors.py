"""`cffgraph authors`: who wrote, with whom, and where it says so."""

from __future__ import annotations

from typing import Annotated

import typer

from .database import DEFAULT, DatabaseOption, reading
from .output import FormatOption, LimitOption, one_of, print_answer, say

RANKS = ("works", "coauthors", "weight")


def authors(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A name, in any order and spelling, an ORCID iD or a number.",
            show_default=False,
        ),
    ] = "",
    coauthors: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", show_default=False, help="Those who share a work with NAME, strongest first."
        ),
    ] = None,
    mentions: Annotated[
        bool, typer.Option("--mentions", help="Every mention, with its place and why it is this author's.")
    ] = False,
    rank: Annotated[
        str,
        typer.Option(
            metavar="|".join(RANKS), callback=one_of(*RANKS), show_default=False, help="The greatest first."
        ),
    ] = "",
    all_: Annotated[
        bool, typer.Option("--all", help="With --coauthors: all authors whom NAME fits, taken as one.")
    ] = False,
    entities: Annotated[
        bool, typer.Option("--entities", help="With --coauthors: teams and organisations too.")
    ] = False,
    format_: FormatOption = "table",
    limit: LimitOption = None,
    db: DatabaseOption = DEFAULT,
) -> None:
    """List authors, the coauthors of one, or every mention.

    Names fit whatever their accents, case and order; initials and Latin letters for other scripts
    will do. Exact family names come first.
    """
    if coauthors is not None and not coauthors.strip():
        raise typer.BadParameter("--coauthors '' names nobody: write a name, an iD or a number.")
    if coauthors and (name or mentions or rank):
        raise typer.BadParameter("--coauthors NAME stands alone: no other name, --mentions or --rank.")
    if mentions and rank:
        raise typer.BadParameter("--mentions and --rank are two questions.")
    if (all_ or entities) and not coauthors:
        raise typer.BadParameter("--all and --entities go with --coauthors NAME.")
    with reading(db) as connection:
        from ..db import coauthorship, query, search
        from .choice import chosen_authors

        if coauthors:
            numbers = chosen_authors(connection, coauthors, all_=all_)
            answer = coauthorship.coauthors(connection, numbers, entities=entities)
        else:
            matches = search.find_authors(connection, name) if name else None
            answer = (
                query.mentions(connection, matches)
                if mentions
                else query.authors(connection, matches, rank=rank)
            )
        if not print_answer(answer, format_=format_, limit=limit):
            say(_nothing(name, coauthors or ""))


def _nothing(name: str, coauthors: str) -> str:
    if coauthors:
        return f"{coauthors!r} shares no work with anybody"
    return f"no author fits {name!r}" if name else "no authors yet"
