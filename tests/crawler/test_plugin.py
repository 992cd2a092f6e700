"""A source of somebody else's, as docs/sources.md shows it, found by its entry point."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

PAGE = Path(__file__).parents[2] / "docs" / "sources.md"
CFF = "cff-version: 1.2.0\nmessage: m\ntitle: Pasted\nauthors:\n- family-names: Limen\n  given-names: Una\n"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's example, installed as a package beside ours."""
    found = re.search(r"<!-- example: plugin -->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    (tmp_path / "paste_source.py").write_text(found[1])
    info = tmp_path / "paste_source-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paste-source\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cffgraph.sources]\npaste = paste_source:understand\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "paste_source", None)
    del sys.modules["paste_source"]
    monkeypatch.chdir(tmp_path)


def test_the_example_of_the_page(plugin: None, cffgraph: Callable[..., Any], httpserver: HTTPServer) -> None:
    httpserver.expect_request("/a").respond_with_data(CFF)
    httpserver.expect_request("/b").respond_with_data("no", status=404)
    words = [f"paste:{httpserver.url_for(path)}" for path in ("/a", "/b")]
    answer = cffgraph("crawl", *words, "--allow-host", "localhost")
    assert answer.code == 3
    assert "1 gone" in answer.out
    assert "Una Limen" in cffgraph("authors").out
    # Without being named again, it is understood from what the database remembers.
    assert cffgraph("crawl", "--allow-host", "localhost").code == 3
