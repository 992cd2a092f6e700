"""`cffgraph check`: what is wrong with CFF files, and where. No database."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import json_text, plain

if TYPE_CHECKING:
    from ..cff.records import CffFile

FORMATS = ("text", "json", "sarif", "github")


def check(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, folders to search, or - for stdin.")
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format", "-f", help="text, json, sarif (2.1.0) or github (annotations of a workflow)."
        ),
    ] = "text",
) -> None:
    """Say what is wrong with CITATION.cff files, as `path:line:col: severity CODE message`.

    Exit code 1 if any problem is an error, or a file cannot be read; else 0.
    """
    if format_ not in FORMATS:
        raise typer.BadParameter(f"{format_!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    missing = False
    failed = False
    checked: list[tuple[str, CffFile]] = []
    for name, data in _files(paths):
        if data is None:
            missing = True
            continue
        file, name = _read(name, data), _shown(name)
        failed = failed or any(p.severity == "error" for p in file.problems)
        if format_ in ("text", "github"):
            _print_lines(name, file, format_)
        else:
            checked.append((name, file))
    if format_ == "json":
        print(json_text([_as_json(name, file) for name, file in checked], indent=1))
    elif format_ == "sarif":
        from .sarif import sarif_log

        print(json_text(sarif_log(checked), indent=1))
    raise typer.Exit(1 if failed or missing else 0)


def _read(name: str, data: bytes) -> CffFile:
    from ..cff.read import read

    return read(data, name=Path(name).name if name != "-" else "CITATION.cff")


def _shown(path: str) -> str:
    from ..crawler.source import shown

    return shown(path)


def _files(paths: list[str]) -> Iterator[tuple[str, bytes | None]]:
    """Yield (path as given, its bytes); None, with a line on stderr, for one that cannot be opened."""
    for given in paths:
        if given == "-":
            yield given, sys.stdin.buffer.read()
            continue
        found = sorted(_search(given)) if os.path.isdir(given) else [given]
        if not found:
            print(f"cffgraph: no CITATION.cff in {_shown(given)}", file=sys.stderr)
            yield given, None
        for path in found:
            try:
                yield path, Path(path).read_bytes()
            except OSError as error:
                print(f"cffgraph: {_shown(path)}: {error.strerror or error}", file=sys.stderr)
                yield path, None


def _search(folder: str) -> Iterator[str]:
    """Yield the CITATION.cff files below a folder, in any case.

    Left out are hidden folders but `.github`, and those of other people's packages. A pipe that
    bears the name is no file, and would be waited for without end.
    """
    from ..crawler.names import NOT_ENTERED, is_citation_file

    for here, folders, names in os.walk(folder):
        folders[:] = sorted(
            f for f in folders if (not f.startswith(".") or f == ".github") and f not in NOT_ENTERED
        )
        for name in names:
            path = os.path.join(here, name)
            if is_citation_file(name) and (os.path.isfile(path) or not os.path.exists(path)):
                yield path


def _print_lines(name: str, file: CffFile, format_: str) -> None:
    for p in file.problems:
        if format_ == "text":
            print(plain(f"{name}:{p.line}:{p.column}: {p.severity} {p.code} {p.message}"))
        else:
            level = {"error": "error", "warning": "warning", "note": "notice"}[p.severity]
            place = f"file={_escape(name, in_property=True)},line={p.line},col={p.column}"
            print(plain(f"::{level} {place},title={p.code}::{_escape(p.message)}"))


def _escape(text: str, *, in_property: bool = False) -> str:
    """Escape for a workflow command (GitHub docs, "Workflow commands", and toolkit's `command.ts`)."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


def _as_json(name: str, file: CffFile) -> dict[str, Any]:
    return {
        "file": name,
        "outcome": file.outcome,
        "cff_version": file.cff_version,
        "problems": [
            {
                "code": p.code,
                "severity": p.severity,
                "line": p.line,
                "column": p.column,
                "path": p.path,
                "message": p.message,
            }
            for p in file.problems
        ],
    }
