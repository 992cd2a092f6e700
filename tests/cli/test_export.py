from __future__ import annotations

from pathlib import Path

import networkx
import pytest
from cffgraph.cli.main import run


def test_the_graph_of_all(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(tmp_path / "g.graphml")]) == 0
    assert capsys.readouterr() == ("", "")
    graph = networkx.read_graphml(tmp_path / "g.graphml")
    assert len(graph) == 49 + 3 + 2
    assert graph.number_of_edges() == 1176 + 1 + 3
    assert graph.nodes["0000-0009-9001-0013"]["name"] == "Ludo van Beekman"

    assert run(["export", "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "g.graphml").read_text(encoding="utf-8")

    assert run(["export", str(tmp_path / "all.graphml"), "--entities"]) == 0
    assert len(networkx.read_graphml(tmp_path / "all.graphml")) == 49 + 3 + 2 + 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("g.dot", "no format ends in .dot: there is .graphml"),
        ("g", "no ending that names a format"),
        ("missing/g.graphml", "No such file or directory"),
        (".", "no ending"),
    ],
)
def test_what_cannot_be_written_is_said_in_one_line(
    db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    assert run(["export", str(tmp_path / name) if name != "." else "."]) == 1
    err = capsys.readouterr().err
    assert err.startswith("cffgraph: ")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_format_may_be_named(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(tmp_path / "g.xml"), "--format", "graphml"]) == 0
    assert (tmp_path / "g.xml").exists()
    assert run(["export", str(tmp_path / "g.xml"), "--format", "jpeg"]) == 1
    assert "no format 'jpeg'" in capsys.readouterr().err
