from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

FILES = {
    "one": ["Ada Quill 0000-0009-9001-0013", "Ute Stahl"],
    "two": ["Jonas Berg 0000-0009-9001-0013", "Ute Stahl"],
}


@pytest.fixture
def db(tmp_path: Path, cffgraph: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, authors in FILES.items():
        (tmp_path / "world" / name).mkdir(parents=True)
        text = f"cff-version: 1.2.0\nmessage: m\ntitle: {name}\nauthors:\n"
        for author in authors:
            given, family, orcid = (*author.split(), "")[:3]
            text += f"- given-names: {given}\n  family-names: {family}\n"
            text += f"  orcid: https://orcid.org/{orcid}\n" if orcid else ""
        (tmp_path / "world" / name / "CITATION.cff").write_text(text)
    monkeypatch.setenv("CFFGRAPH_DB", str(tmp_path / "study.db"))
    assert cffgraph("crawl", tmp_path / "world").code == 0
    return tmp_path


def test_conflicts(db: Path, cffgraph: Run) -> None:
    (row,) = json.loads(cffgraph("report", "conflicts", "--format", "json").out)
    assert list(row) == ["code", "message", "authors", "mentions"]
    assert row["code"] == "orcid-conflict"
    assert "0000-0009-9001-0013" in row["message"]
    assert len(row["authors"]) == 2
    assert row["mentions"] == [
        f"file://{db}/world/one:CITATION.cff:authors[0]",
        f"file://{db}/world/two:CITATION.cff:authors[0]",
    ]
    assert cffgraph("report", "conflicts").out.splitlines()[0].split() == list(row)


def test_conflicts_of_decisions_and_their_end(db: Path, cffgraph: Run) -> None:
    assert cffgraph("identity", "merge", "Ada Quill", "Jonas Berg").code == 0
    answer = cffgraph("report", "conflicts")  # decided: no conflict any more
    assert (answer.code, answer.out, answer.err) == (0, "", "no conflicts\n")
    assert cffgraph("identity", "split", "two:CITATION.cff:authors[0]").code == 0
    codes = [r["code"] for r in json.loads(cffgraph("report", "conflicts", "--format", "json").out)]
    assert sorted(codes) == ["decision-conflict", "orcid-conflict"]


def test_wrong_usage(db: Path, cffgraph: Run) -> None:
    assert cffgraph("report", "nothing").code == 2
    assert cffgraph("report", "conflicts", "extra").code == 2
