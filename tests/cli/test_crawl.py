from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

LARGE = 700
PROGRAM = [sys.executable, "-m", "cffgraph"]


def cff(title: str) -> str:
    return f"cff-version: 1.2.0\nmessage: Cite it.\ntitle: {title}\nauthors:\n- family-names: Probe\n"


def write(folder: Path, data: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CITATION.cff").write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_the_report(here: Path, cffgraph: Run, make_repository: Run) -> None:
    write(here / "a", cff("A"))
    write(here / "b", cff("B") + "odd-key: 1\n")
    write(here / "c", "title: [\n")
    make_repository("here/d", {"README": "x"})
    answer = cffgraph("crawl")
    assert answer.code == 3
    assert answer.out == (
        "4 repositories: 3 with a citation file (0 unchanged), 1 without, 0 failed\n"
        "3 files: 1 ok, 1 with warnings, 1 unreadable\n"
        "to see them: cffgraph repositories\n"
        f"what is wrong in a file: cffgraph check {here}/c/CITATION.cff\n"
    )
    (line,) = answer.err.splitlines()
    assert line.startswith(f"cffgraph: {here}/c/CITATION.cff:")
    again = cffgraph("crawl", "--quiet")
    assert (again.code, again.out, again.err) == (3, "", answer.err)
    (here / "c" / "CITATION.cff").write_text(cff("C"))
    assert cffgraph("crawl", "-q") == type(answer)(0, "", "")
    assert "0 unreadable" in cffgraph("crawl").out


def test_a_slip_of_the_pen_is_not_remembered(here: Path, cffgraph: Run) -> None:
    write(here / "a", cff("A"))
    assert cffgraph("crawl", "./a", "./aa").code == 3
    assert cffgraph("crawl").code == 0


def test_a_file_that_is_not_committed_is_named(here: Path, cffgraph: Run, make_repository: Any) -> None:
    repository = make_repository(here / "tool")
    repository.commit({"README": "x"})
    write(here / "tool", cff("A"))
    answer = cffgraph("crawl", ".")
    assert "0 with a citation file" in answer.out
    assert "its CITATION.cff is not committed" in answer.err


def test_the_export_is_the_same_in_one_crawl_and_in_several(here: Path, cffgraph: Run) -> None:
    """An iD that comes to be known later changes the key of its author, and not the bytes."""
    person = "authors: [{family-names: Tresk, given-names: Moira%s}, {family-names: Ito, given-names: Rin}]\n"
    head = "cff-version: 1.2.0\nmessage: m\ntitle: "
    write(here / "a", head + "A\n" + person % "")
    write(here / "b", head + "B\n" + person % ", orcid: 'https://orcid.org/0000-0009-9000-0210'")
    for name in ("ab", "ba", "both"):
        for folder in [here / letter for letter in name] if name != "both" else [here]:
            assert cffgraph("crawl", str(folder), "--db", f"{name}.db").code == 0
    graphs = [
        cffgraph("export", "-", "--format", "graphml", "--db", f"{n}.db").out for n in ("ab", "ba", "both")
    ]
    assert graphs[0] == graphs[1] == graphs[2]
    number = graphs[0].split("Moira Tresk")[1].split('key="n7">')[1].split("<")[0]
    for name in ("ab", "ba"):
        (row,) = json.loads(cffgraph("authors", number, "--format", "json", "--db", f"{name}.db").out)
        assert row["name"] == "Moira Tresk"


def test_the_report_as_json(here: Path, cffgraph: Run) -> None:
    write(here / "a", cff("A"))
    write(here / "c", "")
    answer = cffgraph("crawl", ".", "nowhere.cff/../none/", "--format", "json", "--db", "x.db")
    assert answer.code == 2  # neither a path nor a URL
    answer = cffgraph("crawl", ".", "./none", "--format", "json", "--db", "x.db")
    report = json.loads(answer.out)
    assert (answer.code, report.pop("seconds") >= 0) == (3, True)
    (unreadable,) = report.pop("unreadable")
    assert unreadable.keys() == {"repository", "file", "line", "column", "message"}
    assert report == {
        "repositories": {
            "seen": 2,
            "with_file": 2,
            "unchanged": 0,
            "without_file": 0,
            "gone": 0,
            "failed": {"place": 1},
        },
        "files": {"ok": 1, "warnings": 0, "unreadable": 1},
        "failures": [{"place": f"{here}/none", "reason": "cannot be read: No such file or directory"}],
        "notes": [],
        "requests": 0,
        "quotas": [],
        "resolved": True,
        "stopped": False,
    }


@pytest.mark.parametrize(
    ("good", "data", "code"),
    [
        (False, "title: [\n", 1),
        (False, b"", 1),
        (True, b"", 3),
        (True, b"\x00\xff\xfe" * 10, 3),
        (False, cff("Fine"), 0),
    ],
)
def test_exit_codes(here: Path, cffgraph: Run, good: bool, data: str | bytes, code: int) -> None:
    write(here / "tested", data)
    if good:
        write(here / "good", cff("Good"))
    assert cffgraph("crawl").code == code
    assert cffgraph("crawl").code == code  # nothing has changed


def test_a_folder_without_any_file(here: Path, cffgraph: Run) -> None:
    answer = cffgraph("crawl")
    assert (answer.code, answer.err) == (
        1,
        f"cffgraph: {here}: holds no CITATION.cff and no git repository\n",
    )


def test_without_a_source_what_the_database_knows(
    here: Path, tmp_path: Path, cffgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "elsewhere" / "a", cff("A"))
    file = write(tmp_path / "single", cff("B")) / "CITATION.cff"
    write(here / "c", cff("C"))
    assert cffgraph("crawl", "../elsewhere", file).code == 0
    write(tmp_path / "elsewhere" / "d", cff("D"))
    monkeypatch.chdir(tmp_path)
    answer = cffgraph("crawl", "--db", "here/cffgraph.db", "--format", "json")
    assert json.loads(answer.out)["repositories"]["seen"] == 3
    file.unlink()
    answer = cffgraph("crawl", "--db", "here/cffgraph.db")
    assert (answer.code, answer.err) == (
        3,
        f"cffgraph: {file}: cannot be read: No such file or directory\n",
    )


def test_a_list_on_stdin(here: Path, cffgraph: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here / "a", cff("A"))
    write(here / "b ö", cff("B"))

    def stdin(text: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text)))

    stdin("# ours\n\na\n  b ö  \na\nhttp://me:secret@git.example/r\n-x\n".encode())
    answer = cffgraph("crawl", "-", "-f", "json")
    report = json.loads(answer.out)
    assert (answer.code, report["repositories"]["seen"]) == (3, 2)
    assert [failure["place"] for failure in report["failures"]] == ["http://git.example/r", "-x"]
    assert "secret" not in answer.out + answer.err
    stdin(b"# nothing\n")
    answer = cffgraph("crawl", "-")
    assert (answer.code, answer.err) == (
        1,
        "cffgraph: the list on stdin names no source: write one a line\n",
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "there is no such file or folder, and it is no URL"),
        (["sourceforge:org"], "not understood"),
        (["ext::sh -c 'touch pwned'"], "not understood"),
        (["--", "-uhttps://x"], "does not begin with -"),
        (["-uhttps://x"], "No such option"),
        (["http://git.example/r"], "use https://"),
        ([".", "--format", "yaml"], "neither table nor json"),
        ([".", "--jobs", "-1"], "less than 0"),
        ([".", "--timeout", "soon"], "soon"),
    ],
)
def test_wrong_usage(here: Path, cffgraph: Run, words: list[str], told: str) -> None:
    answer = cffgraph("crawl", *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in " ".join(answer.err.split())
    assert not list(here.iterdir())


def test_dry_run(here: Path, cffgraph: Run) -> None:
    write(here / "a", cff("A"))
    write(here / "b", cff("B"))
    answer = cffgraph("crawl", "--dry-run")
    assert (answer.code, answer.out) == (0, f"new\tfile://{here}/a\nnew\tfile://{here}/b\n")
    assert not (here / "cffgraph.db").exists()
    cffgraph("crawl", "a")
    assert cffgraph("crawl", "--dry-run", ".", "./none") == type(answer)(
        3,
        f"known\tfile://{here}/a\nnew\tfile://{here}/b\n",
        f"cffgraph: {here}/none: cannot be read: No such file or directory\n",
    )


def test_dry_run_names_what_lies_in_two_sources_once(here: Path, cffgraph: Run) -> None:
    write(here / "a", cff("A"))
    assert cffgraph("crawl", "--dry-run", "a", ".").out == f"new\tfile://{here}/a\n"


def test_no_resolve(here: Path, cffgraph: Run) -> None:
    write(here / "a", cff("A"))
    answer = cffgraph("crawl", "--no-resolve")
    assert "authors and works are not worked out yet: cffgraph resolve\n" in answer.out
    assert json.loads(cffgraph("db", "info", "-f", "json").out)["resolved"] is False
    assert "not worked out" not in cffgraph("crawl").out
    assert json.loads(cffgraph("db", "info", "-f", "json").out)["author"] == 1


def test_a_database_that_cannot_be_used(here: Path, cffgraph: Run) -> None:
    write(here / "a", cff("A"))
    (here / "text.db").write_text("not a database\n")
    for db, told in (
        ("text.db", "text.db is no database: choose another file with --db"),
        ("none/x.db", f"cannot make none/x.db: there is no folder {here}/none"),
        ("a", "a is a folder, not a database: choose another file with --db"),
        ("postgresql://me:secret@h/d", "postgresql://...: only SQLite so far: give --db a path"),
    ):
        answer = cffgraph("crawl", ".", "--db", db)
        assert (answer.code, answer.out, answer.err) == (1, "", f"cffgraph: {told}\n")
    assert (here / "text.db").read_text() == "not a database\n"


def test_an_older_database_is_upgraded_and_that_is_said(here: Path, cffgraph: Run) -> None:
    from alembic import command
    from cffgraph.db.engine import alembic_config, create_or_open

    engine = create_or_open("cffgraph.db")
    with engine.connect() as connection, connection.begin():
        command.downgrade(alembic_config(connection), "base")
    engine.dispose()
    write(here / "a", cff("A"))
    answer = cffgraph("crawl", ".")
    assert answer.code == 0
    assert "upgraded from schema 0000" in answer.err
    assert (here / "cffgraph.db.schema-0000.bak").exists()


# --- The whole program ----------------------------------------------------------------------------


def test_names_that_are_no_utf8_in_a_plain_locale(here: Path) -> None:
    folder = os.fsencode(here) + b"/caf\xe9/docs"
    os.makedirs(folder)
    with open(folder + b"/citation.CFF", "wb") as file:
        file.write(b"title: [\n")
    for variables in ({"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        done = subprocess.run(
            [*PROGRAM, "crawl", os.fsencode(here)],
            env={**os.environ, **variables},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
        assert f"{here}/caf\\xe9/docs/citation.CFF:".encode() in done.stderr


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder that takes a few seconds to crawl."""
    people = "".join(f"- family-names: Probe{n}\n  given-names: Ada\n" for n in range(40))
    for number in range(LARGE):
        write(tmp_path / "large" / f"g{number % 9}" / f"r{number}", cff(f"T{number}") + people)
    return tmp_path / "large"


def rows(db: Path) -> list[Any]:
    connection = sqlite3.connect(db)
    try:
        return connection.execute(
            "SELECT r.url, r.state, r.head, f.path, f.standing, b.sha, c.pointer, c.title,"
            " m.position, m.as_written FROM repository r JOIN file f ON f.repository_id = r.id"
            " JOIN blob b ON b.id = f.blob_id JOIN record c ON c.blob_id = b.id"
            " JOIN mention m ON m.record_id = c.id ORDER BY 1, 4, 6, 7, 9"
        ).fetchall()
    finally:
        connection.close()


def count(db: Path) -> int:
    try:
        connection = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
        try:
            return int(connection.execute("SELECT count(*) FROM repository").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.OperationalError:
        return 0


def wait_for_some(process: subprocess.Popen[bytes], db: Path) -> None:
    for _ in range(600):
        if 0 < count(db) < LARGE:
            return
        assert process.poll() is None
        time.sleep(0.02)
    pytest.fail("nothing was written")


def test_a_crawl_that_is_killed_goes_on_where_it_was(large: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    subprocess.run([*PROGRAM, "crawl", "-q", "--no-resolve", large, "--db", whole], check=True)
    process = subprocess.Popen([*PROGRAM, "crawl", "-q", "--no-resolve", large, "--db", killed])
    wait_for_some(process, killed)
    process.kill()
    process.wait()
    assert 0 < count(killed) < LARGE
    subprocess.run([*PROGRAM, "crawl", "-q", "--no-resolve", large, "--db", killed], check=True)
    assert rows(killed) == rows(whole)


def test_ctrl_c(large: Path, tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    process = subprocess.Popen(
        [*PROGRAM, "crawl", large, "--db", db],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for_some(process, db)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"stopped: what was fetched is stored, the next crawl goes on\n" in out
    assert 0 < count(db) <= LARGE
