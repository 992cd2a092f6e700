from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cli.main import run

Run = Callable[..., Any]

FILES = {
    "aurora": ("Aurora", ["Moira Tresk 0000-0009-9001-0013", "Mika Ito"]),
    "borealis": ("Borealis", ["M. Tresk", "Kaori Ito", "Mika Ito"]),
    "corona": ("Corona", ["Moira Tresk", "Mika Ito", "Mark Tresk"]),
    "dawn": ("Dawn", ["Ada Quill 0000-0009-9001-0021", "Ute Stahl"]),
    "eos": ("Eos", ["Ada Quill 0000-0009-9001-003X", "[int] Berg"]),
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("identity")
    for name, (title, authors) in FILES.items():
        (folder / "world" / name).mkdir(parents=True)
        lines = ["cff-version: 1.2.0", "message: m", f"title: {title}", "authors:"]
        for author in authors:
            given, family, orcid = (*author.split(), "")[:3]
            lines.append(f'- given-names: "{given}"\n  family-names: {family}')
            lines += [f"  orcid: https://orcid.org/{orcid}"] if orcid else []
        (folder / "world" / name / "CITATION.cff").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run(["crawl", str(folder / "world"), "--db", str(folder / "study.db")]) == 0
    return folder / "study.db"


@pytest.fixture
def db(known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "study.db"
    shutil.copy(known, path)
    monkeypatch.setenv("CFFGRAPH_DB", str(path))
    return path


@pytest.fixture
def number(db: Path, cffgraph: Run) -> Callable[[str], str]:
    def number(name: str) -> str:
        rows = json.loads(cffgraph("authors", name, "-f", "json").out)
        return str(next(row["author"] for row in rows if row["name"] == name))

    return number


def rows(answer: Any) -> Any:
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_explain_one(db: Path, cffgraph: Run, number: Callable[[str], str]) -> None:
    answer = cffgraph("identity", "explain", "Moira Tresk")
    assert answer.out.startswith(f"{number('Moira Tresk')} Moira Tresk (person): 2 mentions, one author.\n")
    found = rows(cffgraph("identity", "explain", "Moira Tresk", "--format", "json"))
    assert list(found[0]) == [
        "author", "kind", "name", "mention", "as_written", "orcid", "confidence", "reason",
    ]  # fmt: skip
    assert found[0]["reason"] == "same ORCID iD 0000-0009-9001-0013"
    assert found[0]["mention"].endswith("/world/aurora:CITATION.cff:authors[0]")
    assert all(row["mention"] in answer.out for row in found)


def test_explain_two(db: Path, cffgraph: Run, number: Callable[[str], str]) -> None:
    one, two = number("Moira Tresk"), number("M. Tresk")
    out = cffgraph("identity", "explain", one, two).out
    assert out.startswith(f"{one} Moira Tresk and {two} M. Tresk are two authors.\n")
    assert "initials fit: Moira Tresk and M. Tresk" in out
    assert "may also be another's: Mark Tresk" in out
    assert f"cffgraph identity merge {one} {two}" in out
    found = rows(cffgraph("identity", "explain", one, two, "-f", "json"))
    assert (found["a"], found["b"], found["verdict"]) == (int(one), int(two), "two")
    assert found["weight"] < found["needed"]
    assert {e["says"] for e in found["evidence"]} == {"for", "against"}
    # The same words as the review, and the same probability but for rounding.
    asked = {frozenset((r["a"], r["b"])): r for r in rows(cffgraph("identity", "review", "-f", "json"))}
    assert asked[frozenset((int(one), int(two)))]["score"] == pytest.approx(found["probability"], abs=0.01)


def test_two_orcids_stop(db: Path, cffgraph: Run) -> None:
    pair = [r["author"] for r in rows(cffgraph("authors", "Ada Quill", "-f", "json"))]
    found = rows(cffgraph("identity", "explain", *map(str, pair), "-f", "json"))
    assert {"says": "stop", "weight": None}.items() <= found["evidence"][0].items()
    assert "two iDs" in found["evidence"][0]["evidence"]


def test_review(db: Path, cffgraph: Run) -> None:
    table = cffgraph("identity", "review")
    assert table.out.splitlines()[0].split() == "a name_a works_a b name_b works_b score evidence".split()
    found = rows(cffgraph("identity", "review", "--format", "json"))
    assert list(found[0]) == "a name_a works_a b name_b works_b score evidence".split()
    assert {"M. Tresk"} <= {r["name_a"] for r in found} | {r["name_b"] for r in found}
    some = rows(cffgraph("identity", "review", "Mark Tresk", "--format", "json"))
    assert 0 < len(some) < len(found)
    assert len(rows(cffgraph("identity", "review", "-f", "json", "-n", "1"))) == 1


def test_merge_distinct_and_undo(db: Path, cffgraph: Run, number: Callable[[str], str]) -> None:
    one, two, three = number("Moira Tresk"), number("M. Tresk"), number("Mark Tresk")
    answer = cffgraph("identity", "merge", one, two)
    told = f"merged: 2 authors are now {one} Moira Tresk (3 mentions); undo with: cffgraph identity undo\n"
    assert (answer.code, answer.out, answer.err) == (0, told, "")
    (row,) = rows(cffgraph("authors", two, "-f", "json"))  # the number leads on
    assert (row["author"], row["name"], row["also"]) == (int(one), "Moira Tresk", ["M. Tresk"])
    answer = cffgraph("identity", "distinct", one, three)
    assert (
        answer.out == f"distinct: {one} Moira Tresk (3 mentions) and {three} Mark Tresk (1 mention) stay two;"
        " undo with: cffgraph identity undo\n"
    )
    assert (
        cffgraph("identity", "distinct", three, one).out == "decided already: decision 2; nothing changed\n"
    )
    pairs = [{r["a"], r["b"]} for r in rows(cffgraph("identity", "review", "-f", "json"))]
    assert {int(one), int(three)} not in pairs
    assert cffgraph("identity", "undo", "1").out.startswith("undone: decision 1, merge of 20")
    # What was told apart from Mark Tresk was M. Tresk too: nobody is left but Moira.
    assert "M. Tresk" not in [r["name"] for r in rows(cffgraph("authors", "Tresk", "-f", "json"))]
    found = rows(cffgraph("identity", "log", "-f", "json"))
    assert [(r["decision"], r["kind"], bool(r["undone"])) for r in found] == [
        (2, "distinct", False), (1, "merge", True),
    ]  # fmt: skip
    assert found[1]["what"] == "Moira Tresk is M. Tresk"
    assert cffgraph("identity", "undo").code == 0
    assert [number("M. Tresk"), number("Mark Tresk")] == [two, three]
    answer = cffgraph("identity", "undo")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "cffgraph: no decision stands: there is nothing to undo\n"


def test_split_takes_what_explain_prints(db: Path, cffgraph: Run, number: Callable[[str], str]) -> None:
    one = number("Moira Tresk")
    mention = rows(cffgraph("identity", "explain", one, "-f", "json"))[1]["mention"]
    answer = cffgraph("identity", "split", mention)
    new = re.fullmatch(
        rf"split: taken off are (\d{{9}}) Moira Tresk \(1 mention\),"
        rf" left are {one} Moira Tresk \(1 mention\); undo with: cffgraph identity undo\n",
        answer.out,
    )
    assert new
    assert [r["mention"] for r in rows(cffgraph("identity", "explain", new[1], "-f", "json"))] == [mention]
    out = cffgraph("identity", "explain", one, new[1]).out
    assert "stop" in out
    assert "it was decided that they are two" in out
    cffgraph("identity", "undo")
    assert number("Moira Tresk") == one


def test_rename(db: Path, cffgraph: Run, number: Callable[[str], str]) -> None:
    one = number("Ute Stahl")
    answer = cffgraph("identity", "rename", "Ute Stahl", "Ute von Stahl")
    assert answer.out == f"renamed: {one} Ute von Stahl (1 mention); undo with: cffgraph identity undo\n"
    for name in ("Ute von Stahl", "Ute Stahl", one):
        (row,) = rows(cffgraph("authors", name, "-f", "json"))
        assert (row["name"], row["also"]) == ("Ute von Stahl", ["Ute Stahl"])


LISTINGS = [
    ["authors"], ["authors", "--mentions"], ["authors", "--coauthors", "Ito", "--all"], ["works"],
    ["citations"], ["repositories"], ["identity", "log"], ["identity", "review"], ["report", "conflicts"],
    ["export", "-"], ["identity", "export", "-"], ["identity", "explain", "Kai Vale"],
    ["identity", "explain", "Kai Vale", "Mark Tresk"], ["identity", "explain", "Mark Tresk"],
    ["authors", "Tresk"], ["authors", "Moira"], ["db", "info"],
]  # fmt: skip


def test_a_private_name_is_in_no_answer(db: Path, cffgraph: Run, number: Callable[[str], str]) -> None:
    assert "Moira" in "".join(cffgraph(*words).out for words in LISTINGS)
    one = number("Moira Tresk")
    cffgraph("identity", "merge", one, number("M. Tresk"))
    answer = cffgraph("identity", "rename", one, "Kai Vale", "--private")
    assert answer.out == f"renamed: {one} Kai Vale (3 mentions); undo with: cffgraph identity undo\n"
    for words in LISTINGS:
        answer = cffgraph(*words)
        said = (answer.out + answer.err).replace("Mark Tresk", "").replace("mark tresk", "").lower()
        said = said.replace("'moira'", "")  # what was asked for
        assert "moira" not in said, words
        assert "tresk" not in said.replace("'tresk'", ""), words
    assert cffgraph("identity", "undo").code == 0
    assert number("Moira Tresk") == one


def test_export_and_apply(
    db: Path, cffgraph: Run, number: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cffgraph("identity", "merge", "Moira Tresk", number("M. Tresk"))
    cffgraph("identity", "rename", "Berg", "Bo Berg")
    before = cffgraph("authors", "-f", "json").out
    file = tmp_path / "decisions.yml"
    answer = cffgraph("identity", "export", file)
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    text = file.read_text(encoding="utf-8")
    assert text == cffgraph("identity", "export", "-").out
    assert "  - {name: M. Tresk, work: Borealis}\n" in text
    assert '  - {name: "[int] Berg", work: Eos}\n' in text
    assert cffgraph("identity", "apply", file).out == "applied: 0 new, 2 known already\n"
    for _ in range(2):
        cffgraph("identity", "undo")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert cffgraph("identity", "apply", "-").out == "applied: 2 new, 0 known already\n"
    assert cffgraph("authors", "-f", "json").out == before
    file.write_text(text.replace("Borealis", "Nowhere"), encoding="utf-8")
    answer = cffgraph("identity", "apply", file)
    assert answer.out == "applied: 1 new, 1 known already\n"
    assert re.fullmatch(
        r"cffgraph: decision \d \(merge of [\d-]+\) names nothing that is here; it is kept\n", answer.err
    )


WRONG = [
    (["merge", "Moira Tresk"], 2, "Missing argument"),
    (["merge", "Moira Tresk", "Nobody"], 1, "no author fits 'Nobody'"),
    (["merge", "Tresk", "Mika Ito"], 1, "give a number, an iD or a fuller name\n"),
    (["merge", "Mika Ito", "Mika Ito"], 1, "are one author already"),
    (["distinct", "Mika Ito", "Mika Ito"], 1, "cffgraph identity split"),
    (["split"], 2, "Missing argument"),
    (["split", "nowhere"], 1, "no mention stands at 'nowhere'"),
    (["split", "CITATION.cff:authors[0]"], 1, "may be 5 mentions"),
    (["split", "dawn:CITATION.cff:authors[0]"], 1, "nothing would be left"),
    (["split", "dawn:CITATION.cff:authors[0]", "eos:CITATION.cff:authors[1]"], 1, "of 2 authors"),
    (["rename", "Mika Ito", ""], 1, "is no name to show"),
    (["rename", "Mika Ito", "..."], 1, "is no name to show"),
    (["rename", "Mika Ito", "a\x1b[31m"], 1, "is no name to show"),
    (["undo", "many"], 2, "'many' is no whole number"),
    (["undo", "9"], 1, "there is no decision 9"),
    (["apply", "none.yml"], 1, "cannot read none.yml: No such file"),
    (["export", "none/x.yml"], 1, "cannot write"),
    (["explain"], 2, "Missing argument"),
    (["explain", "Mika Ito", "--format", "csv"], 2, "is not one of table, json"),
    (["review", "--format", "yaml"], 2, "is not one of"),
    (["log", "-n", "-1"], 2, "less than 0"),
]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    WRONG,
    ids=lambda value: " ".join(map(str, value))[:30] if isinstance(value, list) else "",
)
def test_wrong_input(
    db: Path,
    cffgraph: Run,
    words: list[str],
    code: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = db.read_bytes()
    answer = cffgraph("identity", *words)
    assert (answer.code, answer.out) == (code, "")
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert cffgraph("identity", "log").err == "nothing was decided yet\n"
    assert db.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"- decision: mrege\n", "decision 1: decision is none of merge, split, distinct, rename"),
        (b"\xff\xfe", "can't decode"),
        (b"- [\n", "line"),
    ],
)
def test_a_ledger_that_is_wrong(db: Path, cffgraph: Run, tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "d.yml"
    file.write_bytes(content)
    answer = cffgraph("identity", "apply", file)
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (1, "", 1)
    assert answer.err.startswith(f"cffgraph: {file}: ")
    assert told in answer.err


def test_no_database(tmp_path: Path, cffgraph: Run) -> None:
    answer = cffgraph("identity", "merge", "A", "B", "--db", tmp_path / "none.db")
    assert (answer.code, answer.out) == (1, "")
    assert "make one with `cffgraph crawl" in answer.err
