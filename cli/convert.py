"""`cffgraph convert`: one file in another form. No database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .output import json_text, say

FORMATS = ("json", "cff")


def convert(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A CFF file, an OpenGrok page or dump, or - for stdin.")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to", help="json: the file as read, scalars as written; cff: canonical, valid CFF 1.2.0."
        ),
    ] = "json",
) -> None:
    """Print a file in another form.

    A file that cannot be read prints nothing on stdout, what is wrong on stderr, and exits with 1.
    """
    from ..cff.errors import CffgraphError
    from ..cff.formats.document import as_document
    from ..cff.read import read
    from ..cff.write import write
    from ..crawler.source import shown

    if to not in FORMATS:
        raise typer.BadParameter(f"{to!r} is none of {', '.join(FORMATS)}", param_hint="--to")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise CffgraphError(f"{shown(path)}: {error.strerror or error}") from error
    file = read(data, name=Path(path).name if path != "-" else "CITATION.cff")
    if file.outcome == "error":
        first = next(p for p in file.problems if p.severity == "error")
        raise CffgraphError(f"{shown(path)}:{first.line}:{first.column}: {first.code} {first.message}")
    if to == "json":
        print(json_text(as_document(file), indent=1))
        return
    written = write(file)
    for line in written.left_out:
        say(f"cffgraph: left out {line}")
    print(written.text, end="")
