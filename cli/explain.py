"""`cffgraph identity explain`: why mentions are one author, or why two authors are two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .database import DEFAULT, DatabaseOption, reading
from .output import json_text, one_of, plain, print_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ..resolve.explain import Explanation


def explain(
    a: Annotated[str, typer.Argument(metavar="A", help="An author: a number, an iD or a name.")],
    b: Annotated[str, typer.Argument(metavar="[B]", help="Another one.", show_default=False)] = "",
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="table|json",
            callback=one_of("table", "json"),
            help="How to print.",
        ),
    ] = "table",
    db: DatabaseOption = DEFAULT,
) -> None:
    """Tell why A is one author, mention by mention, or what speaks for and against A and B being one.

    Weights are logarithms of odds: 0.7 doubles them, -0.7 halves them. The mentions are written as
    `cffgraph identity split` takes them.
    """
    with reading(db) as connection:
        from ..db.decisions import author_facts
        from ..resolve.run import explain as explain_pair
        from .choice import one_author

        one, two = one_author(connection, a), one_author(connection, b) if b else 0
        if not b or one == two:
            _one(connection, one, format_)
            return
        found = explain_pair(connection, one, two)
        names = [f"{number} {author_facts(connection, number)[0]}" for number in (one, two)]
        if format_ == "json":
            print(json_text(_as_json(one, two, found), indent=1))
            return
        print(plain(f"{names[0]} and {names[1]} are two authors."))
        rows = [_row(weight, words) for weight, words in found.points]
        print_rows(("says", "weight", "evidence"), rows, format_="table")
        odds = f"a probability of {found.probability}"
        print(f"In all {found.weight:+.1f}, {odds}; {found.needed:+.1f} is needed.")
        print("What would make them one:")
        for change in found.changes:
            print(plain(f"  {change.replace('A B', f'{one} {two}')}"))


def _row(weight: float | None, words: str) -> tuple[str, str, str]:
    if weight is None:
        return "stop", "", words
    return "for" if weight >= 0 else "against", f"{weight:+.1f}", words


def _as_json(one: int, two: int, found: Explanation) -> dict[str, Any]:
    return {
        "a": one,
        "b": two,
        "verdict": "two",
        "weight": found.weight,
        "needed": found.needed,
        "probability": found.probability,
        "evidence": [
            {"says": _row(weight, words)[0], "weight": weight, "evidence": words}
            for weight, words in found.points
        ],
        "changes": [change.replace("A B", f"{one} {two}") for change in found.changes],
    }


def _one(connection: Connection, number: int, format_: str) -> None:
    from ..db.decisions import author_facts
    from ..db.query import mentions
    from ..db.search import find_authors

    name, kind, count = author_facts(connection, number)
    answer = mentions(connection, find_authors(connection, str(number)))
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows()]
    columns = ("mention", "as_written", "orcid", "confidence", "reason")
    for row in rows:
        row["mention"] = f"{row['repository']}:{row['file']}:{row['pointer']}"
    if format_ == "json":
        cells = [(number, kind, name, *(row[column] for column in columns)) for row in rows]
        print_rows(("author", "kind", "name", *columns), cells, format_="json")
        return
    places = f"{count} mention{'s' * (count != 1)}" + (
        f" at {len(rows)} places" if len(rows) != count else ""
    )
    print(plain(f"{number} {name} ({kind}): {places}, one author."))
    # Lines of their own, not a table: what is to be copied must not be cut to a terminal's width.
    for row in rows:
        orcid = f" {row['orcid']}" if row["orcid"] else ""
        print(plain(f"{row['as_written']}{orcid}: {row['reason']} ({row['confidence']})"))
        print(plain(f"    {row['mention']}"))
    print("Whoever is somebody else: cffgraph identity split MENTION...")
