from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cffgraph import __version__
from cffgraph.cff.problems import CODES

CFFGRAPH = [sys.executable, "-m", "cffgraph"]
DATA = Path(__file__).parents[1] / "data"
GOOD = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Kettle\nauthors:\n  - name: The Kettle Team\n"
NOTED = GOOD.replace("name: The Kettle Team", "family-names: Kettle Team")
DOUBTFUL = GOOD + "date-released: 2024-02-30\n"
BROKEN = GOOD + "licence: MIT\n"
UNREADABLE = "cff-version: 1.2.0\ntitle: Kettle: a tool\n"

Run = Callable[..., Any]


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def type_in(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


@pytest.mark.parametrize(
    ("text", "outcome", "severities", "code"),
    [
        (GOOD, "ok", set(), 0),
        (NOTED, "ok", {"note"}, 0),
        (DOUBTFUL, "ok-warn", {"warning"}, 0),
        (BROKEN, "ok-warn", {"error", "note"}, 1),
        (UNREADABLE, "error", {"error"}, 1),
        ("", "error", {"error"}, 1),
    ],
    ids=["good", "noted", "doubtful", "broken", "unreadable", "empty"],
)
def test_outcome_and_exit_code(
    cffgraph: Run, tmp_path: Path, text: str, outcome: str, severities: set[str], code: int
) -> None:
    answer = cffgraph("check", put(tmp_path / "CITATION.cff", text), "--format", "json")
    assert (answer.code, answer.err) == (code, "")
    (row,) = json.loads(answer.out)
    assert row["outcome"] == outcome
    assert {p["severity"] for p in row["problems"]} == severities


def test_text_is_a_line_a_problem(cffgraph: Run, tmp_path: Path) -> None:
    path = put(tmp_path / "CITATION.cff", BROKEN + "x:y: [\n")
    answer = cffgraph("check", path)
    lines = answer.out.splitlines()
    pattern = re.compile(re.escape(str(path)) + r":(\d+):(\d+): (error|warning|note) ([a-z-]+) (\S.*)")
    found = [m.groups() for line in lines if (m := pattern.fullmatch(line))]
    assert len(found) == len(lines) > 0
    assert {code for _, _, _, code, _ in found} <= CODES.keys()


def test_a_good_file_says_nothing(cffgraph: Run, tmp_path: Path) -> None:
    answer = cffgraph("check", put(tmp_path / "CITATION.cff", GOOD))
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_json_has_the_keys_of_the_contract(cffgraph: Run, tmp_path: Path) -> None:
    path = put(tmp_path / "CITATION.cff", GOOD + "contact:\n  - family-names: Ø\n    orcid: none\n")
    answer = cffgraph("check", path, "-f", "json")
    (row,) = json.loads(answer.out)
    assert list(row) == ["file", "outcome", "cff_version", "problems"]
    assert (row["file"], row["cff_version"]) == (str(path), "1.2.0")
    (problem,) = [p for p in row["problems"] if p["severity"] == "error"]
    assert list(problem) == ["code", "severity", "line", "column", "path", "message"]
    assert (problem["code"], problem["path"]) == ("bad-orcid", "contact[0].orcid")
    assert (problem["line"], problem["column"]) == (8, 12)


def test_sarif_has_what_the_standard_asks_for(cffgraph: Run, tmp_path: Path) -> None:
    put(tmp_path / "a b" / "CITATION.cff", BROKEN)
    put(tmp_path / "c" / "CITATION.cff", DOUBTFUL)
    put(tmp_path / "d" / "CITATION.cff", GOOD)
    answer = cffgraph("check", tmp_path, "--format", "sarif")
    log = json.loads(answer.out)
    # SARIF 2.1.0: sections 3.13 (log), 3.14 (run), 3.18 and 3.19 (tool), 3.27 (result), 3.28 (location).
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("cffgraph", __version__)
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules))
    results = run["results"]
    assert {r["ruleId"] for r in results} == set(rules) == {"unknown-key", "schema", "bad-date"}
    for result in results:
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
        assert re.fullmatch(r"[^\s\\]+", place["artifactLocation"]["uri"])
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results} == {
        f"{tmp_path}/a%20b/CITATION.cff",
        f"{tmp_path}/c/CITATION.cff",
    }


def test_sarif_of_a_good_file_is_a_run_without_results(cffgraph: Run, tmp_path: Path) -> None:
    answer = cffgraph("check", put(tmp_path / "CITATION.cff", GOOD), "--format", "sarif")
    assert json.loads(answer.out)["runs"][0]["results"] == []


def test_github_annotations_are_escaped(cffgraph: Run, tmp_path: Path) -> None:
    path = put(tmp_path / "50%, a:b" / "CITATION.cff", GOOD + '"100%\\r\\n::error::x": 1\n')
    answer = cffgraph("check", path, "--format", "github")
    errors = [line for line in answer.out.splitlines() if line.startswith("::error ")]
    assert len(errors) == 1
    head, _, message = errors[0].removeprefix("::").partition("::")
    shown = f"{tmp_path}/50%25%2C a%3Ab/CITATION.cff"
    assert head == f"error file={shown},line=6,col=1,title=unknown-key"
    assert message.startswith("`100%25%0D%0A::error::x` is no key")
    assert all(line.startswith(("::error ", "::notice ")) for line in answer.out.splitlines())


def test_many_files_and_folders_in_the_order_given(cffgraph: Run, tmp_path: Path) -> None:
    last = put(tmp_path / "z.cff", GOOD)
    for name in ("b/CITATION.cff", "a/citation.CFF", ".github/CITATION.cff", ".git/CITATION.cff"):
        put(tmp_path / "folder" / name, GOOD)
    put(tmp_path / "folder" / "CITATION.cff.bak", UNREADABLE)
    answer = cffgraph("check", last, tmp_path / "folder", "--format", "json")
    names = [str(Path(row["file"]).relative_to(tmp_path)) for row in json.loads(answer.out)]
    assert names == [
        "z.cff",
        *(f"folder/{n}" for n in (".github/CITATION.cff", "a/citation.CFF", "b/CITATION.cff")),
    ]
    assert answer.code == 0


@pytest.mark.parametrize("format_", ["text", "github"])
def test_nothing_in_a_file_steers_the_terminal(cffgraph: Run, tmp_path: Path, format_: str) -> None:
    path = put(tmp_path / "CITATION.cff", GOOD + 'license: "MIT\\e[31m\\u202Ered"\n')
    answer = cffgraph("check", path, "--format", format_)
    assert answer.code == 1
    assert "MIT\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}red" in answer.out


def test_a_pipe_in_a_folder_is_not_waited_for(cffgraph: Run, tmp_path: Path) -> None:
    good = put(tmp_path / "a" / "CITATION.cff", GOOD)
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / "CITATION.cff")
    answer = cffgraph("check", tmp_path, "--format", "json")
    assert [row["file"] for row in json.loads(answer.out)] == [str(good)]


def test_stdin(cffgraph: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, b"\xff\xfe" + GOOD.encode("utf-16-le"))
    answer = cffgraph("check", "-")
    assert answer.code == 0
    assert answer.out.startswith("-:1:1: warning encoding ")


def test_a_missing_file_is_named_and_the_others_are_checked(cffgraph: Run, tmp_path: Path) -> None:
    good = put(tmp_path / "CITATION.cff", NOTED)
    missing = tmp_path / "none.cff"
    answer = cffgraph("check", missing, good, "--format", "json")
    assert answer.code == 1
    assert answer.err == f"cffgraph: {missing}: No such file or directory\n"
    assert [row["file"] for row in json.loads(answer.out)] == [str(good)]


def test_a_folder_without_a_file_is_named(cffgraph: Run, tmp_path: Path) -> None:
    answer = cffgraph("check", tmp_path)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == f"cffgraph: no CITATION.cff in {tmp_path}\n"


def test_a_page_is_checked_like_a_file(cffgraph: Run) -> None:
    answer = cffgraph("check", DATA / "aosp-opengrok-annotate.txt", "--format", "json")
    (row,) = json.loads(answer.out)
    assert (answer.code, row["outcome"]) == (0, "ok")
    assert {p["line"] for p in row["problems"]} == {1}


@pytest.mark.parametrize("arguments", [["check"], ["check", "x", "--format", "yaml"]], ids=" ".join)
def test_wrong_usage(cffgraph: Run, arguments: list[str]) -> None:
    answer = cffgraph(*arguments)
    assert (answer.code, answer.out) == (2, "")


def test_utf8_whatever_the_locale(tmp_path: Path) -> None:
    put(tmp_path / "Ærø" / "CITATION.cff", GOOD + "ключ: 1\n")
    done = subprocess.run(
        [*CFFGRAPH, "check", "."],
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert "./Ærø/CITATION.cff:6:1: error unknown-key `ключ` is no key" in done.stdout.decode("utf-8")


@pytest.mark.skipif(not shutil.which("head"), reason="needs head")
def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    put(tmp_path / "CITATION.cff", GOOD + "".join(f"key{i}: 1\n" for i in range(20_000)))
    process = subprocess.Popen(
        [*CFFGRAPH, "check", "CITATION.cff"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141
