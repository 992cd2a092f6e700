"""How every listing is printed: a table for people, JSON, JSON lines, CSV or TSV for programs.

Data is printed as it is, on standard output; what is about the data goes to standard error. Only a
table on a terminal is fitted to its width. Nothing that came out of a file can steer the terminal.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from ..db.query import Answer

FORMATS = ("table", "json", "jsonl", "csv", "tsv")
TABLE_LIMIT = 20

# Control characters and those that reverse the direction of a line; json escapes the first 32 itself.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_BREAKS = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")
_JSON_CONTROLS = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_CSV_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# Cells that a spreadsheet runs as a formula (OWASP, "CSV Injection"), full-width forms too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_GAP = "  "
_LEAST_WIDTH = 8


def one_of(*allowed: str) -> Callable[[str], str]:
    """Return a callback for an option that takes one of these words (or nothing, if that is its default)."""

    def check(value: str) -> str:
        if value and value not in allowed:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(allowed)}.")
        return value

    return check


def _not_negative(value: int | None) -> int | None:
    if value is not None and value < 0:
        raise typer.BadParameter(f"{value} is less than 0 (0 shows all).")
    return value


FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="|".join(FORMATS),
        callback=one_of(*FORMATS),
        help="How to print. In csv and tsv a cell that a spreadsheet would run as a formula"
        " begins with an apostrophe.",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "-n",
        metavar="N",
        callback=_not_negative,
        show_default=False,
        help=f"Print N rows at most; 0: all. Default: {TABLE_LIMIT} in a table, else all.",
    ),
]


def print_answer(answer: Answer, *, format_: str, limit: int | None) -> int:
    """Print the rows of an answer; return how many were printed.

    A table that was cut says on standard error how many rows there are.
    """
    if limit is None:
        limit = TABLE_LIMIT if format_ == "table" else 0
    printed = print_rows(answer.columns, answer.rows(limit), format_=format_)
    if format_ == "table" and limit and printed == limit:
        total = answer.count()
        if total > printed:
            sys.stdout.flush()
            say(f"{printed} of {total} rows; --limit 0 shows all")
    return printed


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, format_: str, out: TextIO | None = None
) -> int:
    """Print rows under these columns to `out` (standard output); return how many there were."""
    out = out or sys.stdout
    return _PRINTERS[format_](columns, rows, out)


def say(line: str) -> None:
    """Print one line about the data, on standard error."""
    print(plain(line), file=sys.stderr, flush=True)


def plain(text: str) -> str:
    r"""Return `text` on one line and without control characters.

    >>> plain("two\nlines\x1b[31m")
    'two lines�[31m'
    """
    if text.isprintable():
        return text
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", _BREAKS.sub(" ", text))


def width(text: str) -> int:
    """Return how many columns of a terminal `text` takes (Unicode Standard Annex 11).

    >>> width("Ada"), width("李明"), width("e\u0301")
    (3, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> int:
    cells, numeric = [], [True] * len(columns)
    for row in rows:
        cells.append([plain(_text(value)) for value in row])
        numeric = [
            still and (value is None or isinstance(value, (int, float)))
            for still, value in zip(numeric, row, strict=True)
        ]
    if not cells:
        return 0
    widths = [max(map(width, column)) for column in zip(columns, *cells, strict=True)]
    if out.isatty():
        least = [
            max(map(width, column)) if is_number else _LEAST_WIDTH
            for column, is_number in zip(zip(*cells, strict=True), numeric, strict=True)
        ]
        widths = _fitted(widths, least, shutil.get_terminal_size().columns)
    for row in (columns, *cells):
        line = (_cell(text, size, right) for text, size, right in zip(row, widths, numeric, strict=True))
        out.write(_GAP.join(line).rstrip() + "\n")
    return len(cells)


def _fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return the widths, the widest made narrower until all fit into `room`, none below its least.

    >>> _fitted([9, 40, 30], [9, 8, 8], 60)
    [9, 24, 23]
    """
    fitted = list(widths)
    room -= len(_GAP) * (len(fitted) - 1)
    while sum(fitted) > room:
        can = [i for i, size in enumerate(fitted) if size > least[i]]
        if not can:
            break
        fitted[max(can, key=lambda i: (fitted[i], i))] -= 1
    return fitted


def _cell(text: str, size: int, right: bool) -> str:
    taken = width(text)
    if taken > size:
        kept = ""
        for char in text:
            if width(kept + char) > size - 1:
                break
            kept += char
        text = kept + "…"
        taken = width(text)
    blanks = " " * (size - taken)
    return blanks + text if right else text + blanks


def _print_json(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> int:
    count = 0
    for line in _objects(columns, rows):
        out.write((",\n " if count else "[") + line)
        count += 1
    out.write("]\n" if count else "[]\n")
    return count


def _print_jsonl(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> int:
    count = 0
    for line in _objects(columns, rows):
        out.write(line + "\n")
        count += 1
    return count


def _objects(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    return (json_text(dict(zip(columns, row, strict=True))) for row in rows)


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return `value` as JSON in its own letters, with every control character escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _JSON_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> int:
    import csv

    return _separated(csv.writer(out), columns, rows)


def _print_tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> int:
    import csv

    return _separated(csv.writer(out, delimiter="\t", lineterminator="\n"), columns, rows)


def _separated(writer: Any, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([_harmless(value) for value in row])
        count += 1
    return count


def _harmless(value: Any) -> Any:
    """Return a cell for CSV: text that a spreadsheet would run gets an apostrophe, numbers stay numbers.

    >>> _harmless("=1+1"), _harmless(-1)
    ("'=1+1", -1)
    """
    if isinstance(value, (int, float)):
        return value
    text = _CSV_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", _text(value))
    return "'" + text if text.startswith(_FORMULA) else text


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


_PRINTERS: dict[str, Callable[[Sequence[str], Iterable[Sequence[Any]], TextIO], int]] = {
    "table": _print_table,
    "json": _print_json,
    "jsonl": _print_jsonl,
    "csv": _print_csv,
    "tsv": _print_tsv,
}
