"""`cffgraph report`: what the database as a whole says."""

from __future__ import annotations

import typer

from .database import DEFAULT, DatabaseOption, reading
from .output import FormatOption, LimitOption, print_answer, say

report_app = typer.Typer(
    help="Reports: what contradicts itself.", no_args_is_help=True, rich_markup_mode=None
)


@report_app.callback()
def _reports() -> None:
    """Reports: what contradicts itself."""


@report_app.command()
def conflicts(
    format_: FormatOption = "table", limit: LimitOption = None, db: DatabaseOption = DEFAULT
) -> None:
    """List what only a person can put right: iDs, DOIs, author lists and decisions in conflict."""
    with reading(db) as connection:
        from ..db import questions

        if not print_answer(questions.conflicts(connection), format_=format_, limit=limit):
            say("no conflicts")
