from __future__ import annotations

import csv
import io
import json

import pytest
from cffgraph.cli.output import FORMATS, plain, print_rows, width

COLUMNS = ("number", "name", "also", "weight")
ROWS = [
    (1, "[int] Ada", ["李明", "b"], 0.5),
    (22, "two\nlines\x1b[31m\x9b", [], None),
    (-3, "=1+1", ["@x"], 1 / 3),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(format_: str, rows: object = ROWS, out: io.StringIO | None = None) -> str:
    out = out or io.StringIO(newline="")
    print_rows(COLUMNS, rows, format_=format_, out=out)  # type: ignore[arg-type]
    return out.getvalue()


def test_a_table_is_aligned_and_whole() -> None:
    assert printed("table").splitlines() == [
        "number  name             also       weight",
        "     1  [int] Ada        李明; b       0.5",
        "    22  two lines�[31m�",
        "    -3  =1+1             @x       0.333333",
    ]
    long = "x" * 500
    assert long in printed("table", [(1, long, [], 0.0)])


def test_a_table_fits_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    lines = printed("table", [(123456789, "李" * 50, ["y" * 70], 0.0)], Terminal()).splitlines()
    assert max(map(width, lines)) <= 50
    assert "123456789" in lines[1]
    assert lines[1].count("…") == 2


def test_json_and_json_lines() -> None:
    rows = json.loads(printed("json"))
    assert rows[0] == {"number": 1, "name": "[int] Ada", "also": ["李明", "b"], "weight": 0.5}
    assert rows[1]["name"] == "two\nlines\x1b[31m\x9b"
    assert rows[1]["weight"] is None
    assert "李明" in printed("json")
    assert [json.loads(line) for line in printed("jsonl").splitlines()] == rows


def test_csv_and_tsv_are_read_back_and_harmless() -> None:
    for format_, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.reader(io.StringIO(printed(format_), newline=""), delimiter=delimiter))
        assert rows[0] == list(COLUMNS)
        assert rows[1] == ["1", "[int] Ada", "李明; b", "0.5"]
        assert rows[2][1] == "two\nlines�[31m�"
        assert rows[3] == ["-3", "'=1+1", "'@x", str(1 / 3)]
    assert printed("csv").startswith("number,name,also,weight\r\n")


@pytest.mark.parametrize("format_", FORMATS)
def test_no_control_character_is_printed(format_: str) -> None:
    evil = "".join(map(chr, [*range(32), *range(0x7F, 0xA0), 0x202E, 0x2066, 0x2028]))
    text = printed(format_, [(1, evil, [evil], None)])
    controls = {char for char in text if not char.isprintable()} - {"\n", "\r", "\t"}
    assert controls == set()


@pytest.mark.parametrize(
    ("format_", "text"),
    [("table", ""), ("json", "[]\n"), ("jsonl", ""), ("tsv", "number\tname\talso\tweight\n")],
)
def test_no_rows(format_: str, text: str) -> None:
    assert printed(format_, []) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Åsa\u0301", "Åsa\u0301"), ("a\r\n\tb", "a b"), ("\x07", "�"), ("a\u200db", "a\u200db")],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown
