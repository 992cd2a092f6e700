from __future__ import annotations

import json
from pathlib import Path

import pytest
from cffgraph.cli.main import run


def test_repositories(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["repositories", "-f", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    columns = "repository name aliases state reason head file outcome last_crawled".split()
    assert all(list(row) == columns for row in rows)
    found = [(row["name"], row["state"], row["reason"], row["file"]) for row in rows]
    assert found == [(name, "ok", None, "CITATION.cff") for name in ("aurora", "odd", "pytorch")]
    assert rows[2]["outcome"] == "ok"
