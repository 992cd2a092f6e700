from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, without tokens."""
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "HOUSE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def in_force(cffgraph: Command) -> dict[str, tuple[str, str]]:
    answer = cffgraph("config", "--format", "json")
    assert answer.code == 0
    return {row["setting"]: (row["value"], row["from"]) for row in json.loads(answer.out)}


def test_without_a_file(cffgraph: Command) -> None:
    found = in_force(cffgraph)
    assert found["db"] == ("cffgraph.db", "default")
    assert found["hosts.github.com.api"] == ("https://api.github.com", "default")
    assert found["hosts.github.com.token"] == ("GH_TOKEN", "not set")


def test_a_house_host(cffgraph: Command, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_TOKEN", "a-secret")
    (study / "cffgraph.toml").write_text(
        """
db = "study.db"
[crawl]
jobs = 3
forks = false
allow-host = ["files.house.example"]
[hosts."Git.House.example:8443"]
kind = "gitlab"
token = "HOUSE_TOKEN"
spacing_s = 0.2
allow_private = true
"""
    )
    found = in_force(cffgraph)
    assert found["db"] == ("study.db", "cffgraph.toml")
    assert found["crawl.jobs"] == ("3", "cffgraph.toml")
    assert found["crawl.forks"] == ("false", "cffgraph.toml")
    host = "hosts.git.house.example:8443"
    assert found[f"{host}.api"] == ("https://git.house.example:8443/api/v4", "cffgraph.toml")
    assert found[f"{host}.token"] == ("HOUSE_TOKEN", "set")
    assert found[f"{host}.allow_private"] == ("true", "cffgraph.toml")
    assert "a-secret" not in cffgraph("config").out
    monkeypatch.setenv("CFFGRAPH_DB", "other.db")
    assert in_force(cffgraph)["db"] == ("other.db", "CFFGRAPH_DB")


def test_commands_obey_it_and_options_come_first(cffgraph: Command, study: Path) -> None:
    (study / "cffgraph.toml").write_text('db = "study.db"\n[crawl]\nnested = true\n')
    folder = study / "world" / "tool"
    folder.mkdir(parents=True)
    (folder / "CITATION.cff").write_text(
        "cff-version: 1.2.0\nmessage: m\ntitle: Tool\nauthors:\n- family-names: Probe\n  given-names: Ada\n"
    )
    assert cffgraph("crawl", "world").code == 0
    assert (study / "study.db").exists()
    assert not (study / "cffgraph.db").exists()
    assert "Ada Probe" in cffgraph("authors").out
    assert "merge" not in cffgraph("identity", "log").err
    assert cffgraph("crawl", "world", "--db", "second.db").code == 0
    assert (study / "second.db").exists()


def test_the_database_may_be_named_before_the_command(
    cffgraph: Command, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study / "cffgraph.toml").write_text('db = "study.db"\n')
    monkeypatch.setenv("CFFGRAPH_DB", "other.db")
    (study / "CITATION.cff").write_text(
        "cff-version: 1.2.0\nmessage: m\ntitle: Tool\nauthors:\n- family-names: Probe\n  given-names: Ada\n"
    )
    assert cffgraph("--db", "first.db", "crawl", ".").code == 0
    assert cffgraph("--db", "first.db", "identity", "log").code == 0
    assert not (study / "other.db").exists()
    in_force = cffgraph("--db", "first.db", "config", "--format", "json")
    assert json.loads(in_force.out)[0] == {"setting": "db", "value": "first.db", "from": "--db"}
    # Of two, the nearer one counts.
    assert "Ada Probe" in cffgraph("--db", "none.db", "authors", "--db", "first.db").out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("db = 3", "cffgraph.toml: db is not a text"),
        ("dbb = 'x'", "cffgraph.toml: dbb is not known: did you mean db?"),
        ("[crawl]\njbos = 3", "cffgraph.toml: crawl.jbos is not known: did you mean jobs?"),
        ("[crawl]\njobs = true", "cffgraph.toml: crawl.jobs is not a whole number"),
        ("[hosts]\nx = 3", 'cffgraph.toml: hosts."x" is no table'),
        ('[hosts."x.example"]\nkind = "svn"', "kind is 'svn', not one of github, gitlab"),
        ('[hosts."x.example"]\ntoken = "ghp_abc-123"', "is the name of an environment variable"),
        ('[hosts."x.example"]\napi = "ftp://x"', "not an https:// address"),
        ('[hosts."x.example"]\napi = "http://x/api"', "only with allow_private"),
        ('[hosts."x.example"]\nspacing_s = -1', "less than 0"),
        ("db = ", "cffgraph.toml: Invalid value"),
    ],
)
def test_what_is_wrong_is_named(cffgraph: Command, study: Path, text: str, told: str) -> None:
    (study / "cffgraph.toml").write_text(text)
    answer = cffgraph("config")
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err
    assert "ghp_abc" not in answer.err
    assert cffgraph("--version").code == 0
