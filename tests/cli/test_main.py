from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from cffgraph import __version__
from cffgraph.cli.main import app, run

CFFGRAPH = [sys.executable, "-m", "cffgraph"]


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"cffgraph {__version__}\n"
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    for command in app.registered_commands:
        assert f"  {command.callback.__name__} " in out  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "arguments", [[], ["auhtors"], ["--nothing"], ["authors", "--nothing"]], ids=" ".join
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert run(arguments) == 2
    assert "Usage: cffgraph" in capsys.readouterr().err


def _text(path: Path) -> None:
    path.write_text("no database\n" * 100)


def _folder(path: Path) -> None:
    path.mkdir()


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()


@pytest.mark.parametrize("make", [None, Path.touch, _text, _folder, _foreign])
@pytest.mark.parametrize("command", ["authors", "works", "citations", "repositories", "resolve", "export"])
def test_no_database_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, make: object
) -> None:
    path = tmp_path / "study.db"
    if callable(make):
        make(path)
    before = path.read_bytes() if path.is_file() else None
    arguments = [command, *(["-"] if command == "export" else []), "--db", str(path)]
    assert run(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cffgraph: ")
    assert err.count("\n") == 1
    assert (path.read_bytes() if path.is_file() else None) == before


def test_verbose_shows_where_an_error_comes_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--verbose", "authors"], ["authors", "--verbose"]):
        assert run([*arguments, "--db", str(tmp_path / "none.db")], verbose=True) == 1
        err = capsys.readouterr().err
        assert "Traceback" in err
        assert err.splitlines()[-1].startswith("cffgraph: no database")


def test_a_damaged_database_is_told_in_one_line(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = crawled.read_bytes()
    damaged = tmp_path / "study.db"
    damaged.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    assert run(["authors", "--db", str(damaged)]) == 1
    err = capsys.readouterr().err
    assert err.startswith("cffgraph: ")
    assert err.count("\n") == 1


def test_a_cut_table_says_so(db: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["authors", "--coauthors", "Chintala"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 21
    assert err == "20 of 48 rows; --limit 0 shows all\n"
    assert run(["authors", "--coauthors", "Chintala", "--limit", "0"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 49
    assert err == ""


def test_answers_that_are_behind_say_so(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "study.db"
    copy.write_bytes(crawled.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("UPDATE progress SET evidence = evidence + 1")
    connection.close()
    assert run(["authors", "Chintala", "--db", str(copy)]) == 0
    out, err = capsys.readouterr()
    assert "Soumith Chintala" in out
    assert "cffgraph resolve" in err
    assert run(["resolve", "--db", str(copy)]) == 0
    assert "persons" in capsys.readouterr().out
    assert run(["authors", "Chintala", "--db", str(copy)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_utf8_whatever_the_locale(db: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*CFFGRAPH, "authors", "shevchuk"], capture_output=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0
    assert "Олена Шевчук" in done.stdout.decode("utf-8")
    assert done.stderr == b""


@pytest.mark.parametrize("lines", [0, 1])
def test_a_closed_pipe_is_no_error(db: Path, lines: int) -> None:
    process = subprocess.Popen(
        [*CFFGRAPH, "authors", "--mentions", "-f", "jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    for _ in range(lines):
        process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() in ((141,) if lines == 0 else (0, 141))


def test_an_answer_waits_for_nothing_heavy(db: Path) -> None:
    program = (
        "import sys; from cffgraph.cli.main import run; "
        "code = run(['authors', '--coauthors', 'Chintala']); "
        "print(code, *{name.partition('.')[0] for name in sys.modules}, 'sqlalchemy.orm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    code, *loaded, orm = done.stdout.splitlines()[-1].split()
    assert (code, orm) == ("0", "False")
    assert "sqlalchemy" in loaded
    assert not {"alembic", "networkx", "yaml", "requests", "pydantic", "rich"} & set(loaded)
