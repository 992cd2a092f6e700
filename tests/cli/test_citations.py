from __future__ import annotations

import json
from pathlib import Path

import pytest
from cffgraph.cli.main import run


def test_citations(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["citations", "-f", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert list(rows[0]) == ["citing", "cited", "kind", "citing_title", "cited_title", "repository"]
    found = [(row["citing_title"], row["kind"], row["cited_title"][:9]) for row in rows]
    assert found == [("Aurora", "reference", "Polar lig"), ("PyTorch", "preferred-citation", "PyTorch 2")]
    assert rows[0]["repository"].endswith("/world/aurora")

    for work in ("Aurora", "10.5555/polar", str(rows[0]["cited"])):
        assert run(["citations", work, "-f", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == rows[:1]


def test_a_work_without_citations_and_one_that_is_not_there(
    db: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["citations", "[int] of things"]) == 0
    assert "no citation" in capsys.readouterr().err
    assert run(["citations", "Nothing"]) == 1
    assert capsys.readouterr().err.startswith("cffgraph: no work fits 'Nothing'")
