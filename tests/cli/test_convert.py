from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cffgraph.cff.read import read

CFFGRAPH = [sys.executable, "-m", "cffgraph"]
DATA = Path(__file__).parents[1] / "data"
PYTORCH = DATA / "pytorch-CITATION.cff"
KETTLE = """\
cff-version: 1.2.0
message: Cite it.
title: Kettle
version: 1.10
doi: https://doi.org/10.5555/KETTLE
date-released: 2024-05-06T07:08:09Z
funding: 0x1F
author:
  - family-names: Tresk
    given_names: Zoë
    orcid: 0000-0009-9000-0210
  - family-names: Kettle Team
"""

Run = Callable[..., Any]


@pytest.fixture
def kettle(tmp_path: Path) -> Path:
    path = tmp_path / "CITATION.cff"
    path.write_text(KETTLE, encoding="utf-8")
    return path


def test_json_is_the_file_as_read(cffgraph: Run, kettle: Path) -> None:
    answer = cffgraph("convert", kettle, "--to", "json")
    assert (answer.code, answer.err) == (0, "")
    assert json.loads(answer.out) == {
        "cff-version": "1.2.0",
        "message": "Cite it.",
        "title": "Kettle",
        "version": "1.10",
        "doi": "10.5555/kettle",
        "date-released": "2024-05-06",
        "funding": "0x1F",
        "authors": [
            {
                "family-names": "Tresk",
                "given-names": "Zoë",
                "orcid": "https://orcid.org/0000-0009-9000-0210",
                "kind": "person",
            },
            {"family-names": "Kettle Team", "kind": "entity"},
        ],
    }
    assert "Zoë" in answer.out


def test_json_of_a_dump_says_where_it_came_from(cffgraph: Run) -> None:
    dump = json.loads(cffgraph("convert", DATA / "aosp-opengrok-annotate.txt").out)
    source = dump.pop("source")
    assert dump == json.loads(cffgraph("convert", PYTORCH).out)
    assert (source["kind"], source["revision"]) == ("opengrok-annotate", "da0073e9")
    assert len(source["lines"]) == 116
    assert source["lines"][0] == {"revision": "da0073e9", "committer": "Android Build Coastguard Worker"}


def test_cff_is_valid_and_says_what_it_left_out(cffgraph: Run, kettle: Path) -> None:
    answer = cffgraph("convert", kettle, "--to", "cff")
    assert answer.code == 0
    assert answer.err == "cffgraph: left out funding: CFF has no such key here\n"
    file = read(answer.out.encode())
    assert (file.outcome, file.problems) == ("ok", ())
    assert [(a.kind, a.full_name) for a in file.works[0].authors] == [
        ("person", "Zoë Tresk"),
        ("entity", "Kettle Team"),
    ]
    assert file.document["version"] == "1.10"


def test_cff_written_again_is_the_same(cffgraph: Run, tmp_path: Path) -> None:
    once = cffgraph("convert", PYTORCH, "--to", "cff").out
    (tmp_path / "CITATION.cff").write_text(once, encoding="utf-8")
    assert cffgraph("convert", tmp_path / "CITATION.cff", "--to", "cff").out == once


@pytest.mark.parametrize("to", ["json", "cff"])
@pytest.mark.parametrize(
    ("text", "said"),
    [("title: K: k\n", ":1:9: yaml-syntax "), ("", ":1:1: empty "), ("<html></html>", ":1:1: html ")],
)
def test_what_cannot_be_read_prints_nothing(
    cffgraph: Run, tmp_path: Path, to: str, text: str, said: str
) -> None:
    path = tmp_path / "CITATION.cff"
    path.write_text(text)
    answer = cffgraph("convert", path, "--to", to)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"cffgraph: {path}{said}")
    assert answer.err.count("\n") == 1


def test_cff_of_a_file_without_a_title_is_refused(cffgraph: Run, tmp_path: Path) -> None:
    path = tmp_path / "CITATION.cff"
    path.write_text("cff-version: 1.2.0\nmessage: m\nauthors:\n  - name: The Kettle Team\n")
    assert cffgraph("convert", path).code == 0
    answer = cffgraph("convert", path, "--to", "cff")
    assert (answer.code, answer.out) == (1, "")
    assert "title" in answer.err


def test_a_missing_file(cffgraph: Run, tmp_path: Path) -> None:
    answer = cffgraph("convert", tmp_path / "none.cff")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == f"cffgraph: {tmp_path}/none.cff: No such file or directory\n"


def test_stdin(cffgraph: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(KETTLE.encode("utf-16"))))
    answer = cffgraph("convert", "-")
    assert answer.code == 0
    assert json.loads(answer.out)["authors"][0]["given-names"] == "Zoë"


def test_wrong_usage(cffgraph: Run, kettle: Path) -> None:
    answer = cffgraph("convert", kettle, "--to", "docx")
    assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize("to", ["json", "cff"])
def test_utf8_whatever_the_locale(kettle: Path, to: str) -> None:
    done = subprocess.run(
        [*CFFGRAPH, "convert", kettle, "--to", to],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
    )
    assert done.returncode == 0
    assert "Zoë" in done.stdout.decode("utf-8")
