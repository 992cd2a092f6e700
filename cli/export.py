"""`cffgraph export`: the coauthorship graph as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .database import DEFAULT, DatabaseOption, reading


def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Where to write; its ending names the format. -: standard output."
        ),
    ],
    entities: Annotated[
        bool, typer.Option("--entities", help="Teams and organisations as nodes too, not persons only.")
    ] = False,
    format_: Annotated[
        str,
        typer.Option(
            "--format", "-f", metavar="graphml", show_default=False, help="The format, whatever the ending."
        ),
    ] = "",
    db: DatabaseOption = DEFAULT,
) -> None:
    """Write the coauthorship graph to FILE (GraphML).

    The file is complete or not there: a failed export leaves none, and an old one as it was.
    """
    from ..graph.coauthors import coauthor_rows
    from ..graph.export.target import write_file, writer_for

    writer = writer_for(file, format_)
    with reading(db) as connection:
        pieces = writer(*coauthor_rows(connection, entities=entities))
        if file == "-":
            sys.stdout.writelines(pieces)
        else:
            write_file(Path(file), pieces)
