"""The one author or work that a text on the command line means, or the list to choose from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from .output import TABLE_LIMIT, print_rows, say

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ..db.query import Answer


def one_author(connection: Connection, name: str) -> int:
    """Return the number of the author whom `name` means; ends the command with 1 if that is not clear."""
    return chosen_authors(connection, name, advice="give a number, an iD or a fuller name")[0]


def chosen_authors(
    connection: Connection,
    name: str,
    *,
    all_: bool = False,
    advice: str = "give a number, an iD or a fuller name, or --all",
) -> tuple[int, ...]:
    """Return the number of the author whom `name` means, or with `all_` of all that fit."""
    from ..db.query import authors_numbered
    from ..db.search import choose_authors

    numbers = choose_authors(connection, name)
    if not numbers:
        say(f"cffgraph: no author fits {name!r}: `cffgraph authors` lists them all")
        raise typer.Exit(1)
    if len(numbers) > 1 and not all_:
        _list(f"{name!r} fits {len(numbers)} authors: {advice}", authors_numbered(connection, numbers))
    return numbers


def one_work(connection: Connection, words: str) -> int:
    """Return the number of the work that `words` mean; ends the command with 1 if that is not clear."""
    from ..db.query import works_numbered
    from ..db.search import choose_works

    numbers = choose_works(connection, words)
    if not numbers:
        say(f"cffgraph: no work fits {words!r}: `cffgraph works` lists them all")
        raise typer.Exit(1)
    if len(numbers) > 1:
        advice = "give a number, a DOI, a URL or a fuller title"
        _list(f"{words!r} fits {len(numbers)} works: {advice}", works_numbered(connection, numbers))
    return numbers[0]


def _list(message: str, answer: Answer) -> None:
    say(f"cffgraph: {message}")
    print_rows(answer.columns, answer.rows(TABLE_LIMIT), format_="table", out=sys.stderr)
    if (more := answer.count() - TABLE_LIMIT) > 0:
        say(f"and {more} more")
    raise typer.Exit(1)
