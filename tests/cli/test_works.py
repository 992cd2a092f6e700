from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cli.main import run

COLUMNS = "work kind type title year version doi identifiers authors repositories cites cited_by".split()


@pytest.fixture
def ask(db: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*arguments: str) -> list[dict[str, Any]]:
        assert run(["works", *arguments, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return ask


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("aurora", ["Aurora"]),
        ("curves polar", ["Polar light curves"]),
        ("10.5555/AURORA", ["Aurora"]),
        ("https://doi.org/10.5555/polar", ["Polar light curves"]),
        ("[int]", ["[int] of things: =SUM(1)"]),
        ("nothing", []),
        ("?", []),
    ],
)
def test_a_work_is_found(ask: Any, text: str, titles: list[str]) -> None:
    assert [row["title"] for row in ask(text)] == titles


def test_a_row(ask: Any) -> None:
    (row,) = ask("Aurora")
    assert list(row) == COLUMNS
    assert (row["kind"], row["type"], row["year"], row["version"]) == ("software", "software", 2021, "1.10")
    assert row["doi"] == "10.5555/aurora"
    assert row["identifiers"] == ["doi:10.5555/aurora"]
    assert len(row["authors"]) == 3
    assert [url.rpartition("/")[2] for url in row["repositories"]] == ["aurora"]
    assert (row["cites"], row["cited_by"]) == (1, 0)
    assert ask(str(row["work"])) == ask(row["repositories"][0]) == [row]


def test_works_by_who_wrote_or_cites_them(ask: Any) -> None:
    titles = [row["title"] for row in ask("--by", "Mika Ito")]
    assert titles == ["Aurora", "[int] of things: =SUM(1)"]
    assert [row["title"] for row in ask("--cited-by", "Aurora")] == ["Polar light curves"]
    assert [row["title"] for row in ask("--cites", "10.5555/polar")] == ["Aurora"]
    assert ask("--by", "Beekman", "--cites", "Aurora") == []
    ranked = [row["cited_by"] for row in ask("--rank", "cited_by")]
    assert ranked == [1, 1, 0, 0, 0]


@pytest.mark.parametrize("arguments", [["--by", "Ito"], ["--cites", "Nothing"], ["--by", "Nobody"]])
def test_what_does_not_decide_is_said(
    db: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(["works", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cffgraph: ")
