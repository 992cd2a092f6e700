from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cli.main import run

ROW = ["author", "kind", "name", "orcid", "also", "works", "repositories", "coauthors"]
ROW += ["first_year", "last_year"]


@pytest.fixture
def ask(db: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*arguments: str) -> list[dict[str, Any]]:
        assert run(["authors", *arguments, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return ask


def test_the_coauthors_of_a_seed(ask: Any) -> None:
    rows = ask("--coauthors", "Chintala")
    assert len(rows) == 48
    assert {row["kind"] for row in rows} == {"person"}
    assert list(rows[0]) == [*ROW, "shared_works", "weight"]
    assert sum(row["weight"] for row in rows) == pytest.approx(1)
    assert [row["kind"] for row in ask("PyTorch Team")] == ["entity"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("van Beekman", ["Ludo van Beekman"]),
        ("beekman, ludo", ["Ludo van Beekman"]),
        ("L. Beekman", ["Ludo van Beekman"]),
        ("0000-0009-9001-0013", ["Ludo van Beekman"]),
        ("https://orcid.org/0000000990010013", ["Ludo van Beekman"]),
        ("ØSTERGÅRD", ["Núria Østergård"]),
        ("nuria ostergard", ["Núria Østergård"]),
        ("Ito", ["Mika Ito", "Kaori Ito"]),
        ("M Ito", ["Mika Ito"]),
        ("Shevchuk", ["Олена Шевчук"]),
        ("шевчук", ["Олена Шевчук"]),
        ("!", []),
        ("*", []),
        ('"', []),
        ("Nobody", []),
    ],
)
def test_a_name_is_found(ask: Any, name: str, found: list[str]) -> None:
    assert [row["name"] for row in ask(name)] == found


def test_a_row(ask: Any) -> None:
    (row,) = ask("Beekman")
    assert list(row) == ROW
    assert row | {"author": 0} == {
        "author": 0,
        "kind": "person",
        "name": "Ludo van Beekman",
        "orcid": "0000-0009-9001-0013",
        "also": [],
        "works": 1,
        "repositories": 1,
        "coauthors": 1,
        "first_year": 2021,
        "last_year": 2021,
    }
    assert ask(str(row["author"])) == [row]


def test_a_name_that_fits_several_lists_them(ask: Any, db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["authors", "--coauthors", "Ito"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "'Ito' fits 2 authors" in err
    numbers = [str(row["author"]) for row in ask("Ito")]
    assert all(number in err for number in numbers)

    names = [row["name"] for row in ask("--coauthors", "Mika Ito")]
    assert sorted(names) == ["Kaori Ito", "Ludo van Beekman", "Олена Шевчук"]
    assert ask("--coauthors", numbers[0]) == ask("--coauthors", "Mika Ito")
    names = [row["name"] for row in ask("--coauthors", "Ito", "--all")]
    assert sorted(names) == ["Ludo van Beekman", "Олена Шевчук"]
    names = [row["name"] for row in ask("--coauthors", "Beekman", "--entities")]
    assert sorted(names) == ["Mika Ito", "The Aurora Project"]


def test_nobody_of_this_name(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["authors", "--coauthors", "Nobody"]) == 1
    assert "no author fits 'Nobody'" in capsys.readouterr().err


def test_the_mentions_of_one(ask: Any) -> None:
    rows = ask("--mentions", "Beekman")
    assert len(rows) == 1
    columns = "author kind name as_written repository file pointer orcid reason confidence".split()
    assert list(rows[0]) == columns
    assert rows[0]["as_written"] == "Ludo van Beekman"
    assert rows[0]["repository"].endswith("/world/aurora")
    assert (rows[0]["file"], rows[0]["pointer"]) == ("CITATION.cff", "authors[0]")
    assert [row["pointer"] for row in ask("--mentions", "Østergård")] == ["references[0].authors[0]"]
    assert [row["pointer"] for row in ask("--mentions", "Chintala")] == ["preferred-citation.authors[48]"]
    assert len(ask("--mentions")) == 50 + 4 + 4


def test_ranks(ask: Any) -> None:
    assert [row["name"] for row in ask("--rank", "works", "--limit", "1")] == ["Mika Ito"]
    coauthors = [row["coauthors"] for row in ask("--rank", "coauthors")]
    assert coauthors == sorted(coauthors, reverse=True)
    weights = [row["weight"] for row in ask("--rank", "weight")]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rank", "fame"],
        ["--mentions", "--rank", "works"],
        ["--coauthors", "A", "B"],
        ["--all"],
        ["--limit", "-1"],
        ["--limit", "few"],
        ["A", "B"],
    ],
    ids=" ".join,
)
def test_wrong_usage(db: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert run(["authors", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Error: " in err


def test_coauthors_of_nobody(cffgraph: Any) -> None:
    answer = cffgraph("authors", "--coauthors", "")
    assert (answer.code, answer.out) == (2, "")
    assert "names nobody" in answer.err
