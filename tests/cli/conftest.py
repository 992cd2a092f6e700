from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cffgraph.cli.main import run

DATA = Path(__file__).parents[1] / "data"

FILES = {
    "aurora": """\
cff-version: 1.2.0
message: Please cite.
title: Aurora
version: "1.10"
doi: 10.5555/aurora
date-released: 2021-03-04
authors:
  - {given-names: Ludo, name-particle: van, family-names: Beekman, orcid: https://orcid.org/0000-0009-9001-0013}
  - {given-names: Mika, family-names: Ito}
  - {name: The Aurora Project}
references:
  - type: data
    title: Polar light curves
    doi: 10.5555/polar
    authors:
      - {given-names: Núria, family-names: Østergård}
""",
    "odd": """\
cff-version: 1.2.0
message: Please cite.
title: "[int] of things: =SUM(1)"
authors:
  - {given-names: Kaori, family-names: Ito}
  - {given-names: Mika, family-names: Ito}
  - {name: "=cmd()|A0"}
  - {given-names: Олена, family-names: Шевчук}
""",
}


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a database with three repositories; nobody writes to it."""
    folder = tmp_path_factory.mktemp("crawled")
    for name, text in FILES.items():
        (folder / "world" / name).mkdir(parents=True)
        (folder / "world" / name / "CITATION.cff").write_text(text, encoding="utf-8")
    (folder / "world" / "pytorch").mkdir()
    shutil.copy(DATA / "pytorch-CITATION.cff", folder / "world" / "pytorch" / "CITATION.cff")
    database = folder / "study.db"
    assert run(["crawl", str(folder / "world"), "--db", str(database)]) == 0
    return database


@pytest.fixture
def db(crawled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same database, as what the commands of a test read."""
    monkeypatch.setenv("CFFGRAPH_DB", str(crawled))
    return crawled
