"""Fixtures: real databases, real git repositories, the command line; nothing of the user's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cffgraph.db.engine import create_or_open
from hypothesis import settings
from sqlalchemy import Connection

# The same examples in every run: a test that fails now and then tells nobody what changed. To look for
# new ones: HYPOTHESIS_PROFILE=explore. No example has a time limit: a busy machine is no fault.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

HERMETIC = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada Probe",
    "GIT_AUTHOR_EMAIL": "ada@probe.example",
    "GIT_AUTHOR_DATE": "2024-05-06T07:08:09Z",
    "GIT_COMMITTER_NAME": "Ada Probe",
    "GIT_COMMITTER_EMAIL": "ada@probe.example",
    "GIT_COMMITTER_DATE": "2024-05-06T07:08:09Z",
}


@dataclass(frozen=True)
class Repository:
    """A git repository with a work tree."""

    path: Path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, files: dict[str, str | bytes | None], message: str = "Change it") -> str:
        """Write files (None: remove), commit all; the commit's id."""
        for name, text in files.items():
            file = self.path / name
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@dataclass(frozen=True)
class Answer:
    """What a command line gave."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def hermetic(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither the user's configuration of git nor the user's database is near."""
    for name in [n for n in os.environ if n.startswith(("GIT_", "CFFGRAPH_"))]:
        monkeypatch.delenv(name)
    for name, value in HERMETIC.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[..., Repository]:
    """Makes a git repository, with a first commit of the files given."""

    def make(
        place: str | Path, files: dict[str, str | bytes | None] | None = None, **options: str
    ) -> Repository:
        path = tmp_path / place
        path.mkdir(parents=True)
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        subprocess.run(["git", "init", "-q", "-b", "main", *words, str(path)], check=True)
        repository = Repository(path)
        if files is not None:
            repository.commit(files)
        return repository

    return make


@pytest.fixture(scope="session")
def _empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "empty.db"
    create_or_open(str(path)).dispose()
    return path


@pytest.fixture
def database(_empty_database: Path, tmp_path: Path) -> Iterator[Connection]:
    """A connection to a new, empty database."""
    path = tmp_path / "test.db"
    shutil.copy(_empty_database, path)
    engine = create_or_open(str(path))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def cffgraph(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs a command line of cffgraph in this process."""
    from cffgraph.cli.main import run

    def call(*words: str | Path) -> Answer:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call
