"""The page on the database names every table, and none that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from cffgraph.db.models import metadata

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"


def test_the_page_names_the_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) | {"progress"} == set(metadata.tables)
