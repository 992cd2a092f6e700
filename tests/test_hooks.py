"""The pre-commit hook and the GitHub action are well formed, and what they run runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from cffgraph.cli.check import FORMATS

ROOT = Path(__file__).parents[1]
GOOD = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Kettle\nauthors:\n  - name: The Kettle Team\n"


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """One in which `cffgraph` is this one."""
    command = tmp_path / "bin" / "cffgraph"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cffgraph "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}


def test_the_hook_has_what_pre_commit_asks_for() -> None:
    (hook,) = loaded(".pre-commit-hooks.yaml")
    assert hook["id"] == "cffgraph-check"
    assert (hook["language"], hook["types"]) == ("python", ["text"])
    assert {"name", "entry", "files"} <= hook.keys()
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert hook["entry"].split()[0] in scripts


@pytest.mark.parametrize(
    ("path", "taken"),
    [
        ("CITATION.cff", True),
        ("citation.CFF", True),
        ("docs/Citation.cff", True),
        (".github/CITATION.cff", True),
        ("CITATION.cff.j2", False),
        ("OLD_CITATION.cff", False),
        ("CITATIONxcff", False),
        ("codemeta.json", False),
    ],
)
def test_which_files_the_hook_takes(path: str, taken: bool) -> None:
    (hook,) = loaded(".pre-commit-hooks.yaml")
    assert bool(re.search(hook["files"], path)) is taken


@pytest.mark.parametrize(("text", "code"), [(GOOD, 0), (GOOD + "licence: MIT\n", 1)])
def test_the_entry_of_the_hook_runs(
    tmp_path: Path, environment: dict[str, str], text: str, code: int
) -> None:
    (hook,) = loaded(".pre-commit-hooks.yaml")
    (tmp_path / "CITATION.cff").write_text(text)
    done = subprocess.run(
        [*shlex.split(hook["entry"]), "CITATION.cff"], cwd=tmp_path, env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr) == (code, b"")


@pytest.mark.online
def test_pre_commit_installs_the_hook_and_holds_up_a_wrong_commit(tmp_path: Path) -> None:
    """Needs `pip install pre-commit`, and a package index: the hook is installed as at anybody's."""
    pytest.importorskip("pre_commit")
    left_out = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "*.egg-info", "build")
    hooks, project = tmp_path / "hooks", tmp_path / "project"
    shutil.copytree(ROOT, hooks, ignore=left_out)
    project.mkdir()
    git = ["git", "-c", "user.name=Ada Probe", "-c", "user.email=ada@probe.example"]

    def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
        settings = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")}
        return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)

    for folder in (hooks, project):
        assert run(*git, "init", "--quiet", folder=folder).returncode == 0
    run(*git, "add", "--all", folder=hooks)
    assert run(*git, "commit", "--quiet", "--message", "hooks", folder=hooks).returncode == 0
    revision = run(*git, "rev-parse", "HEAD", folder=hooks).stdout.strip()
    config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [{"id": "cffgraph-check"}]}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    assert run(sys.executable, "-m", "pre_commit", "install", folder=project).returncode == 0

    for text, passes in ((GOOD + "licence: MIT\n", False), (GOOD, True)):
        (project / "CITATION.cff").write_text(text)
        run(*git, "add", "--all", folder=project)
        done = run(*git, "commit", "--message", "a citation", folder=project)
        assert (done.returncode == 0) is passes, done.stderr
        assert ("CITATION.cff:6:1: error unknown-key" in done.stderr + done.stdout) is not passes


def test_the_action_is_composite_and_installs_its_own_checkout() -> None:
    action = loaded("action.yml")
    assert {"name", "description", "inputs", "runs"} <= action.keys()
    assert action["runs"]["using"] == "composite"
    install, check = action["runs"]["steps"]
    assert all(step["shell"] == "bash" for step in (install, check))
    assert install["env"] == {"CHECKOUT": "${{ github.action_path }}"}
    assert action["inputs"]["format"]["default"] in FORMATS
    # An expression inside a script would let a path write the script.
    assert not any("${{" in step["run"] for step in (install, check))


def test_the_script_of_the_action_runs(tmp_path: Path, environment: dict[str, str]) -> None:
    check = loaded("action.yml")["runs"]["steps"][1]
    assert check["env"] == {"PATHS": "${{ inputs.paths }}", "FORMAT": "${{ inputs.format }}"}
    folder = tmp_path / "my docs; echo no"
    folder.mkdir()
    (folder / "CITATION.cff").write_text(GOOD + "licence: MIT\n")
    (tmp_path / "CITATION.cff").write_text(GOOD)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]],
        cwd=tmp_path,
        env={**environment, "PATHS": f"CITATION.cff\n\n{folder.name}\n", "FORMAT": "github"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (1, "")
    place = "file=my docs; echo no/CITATION.cff,line=6,col=1"
    assert f"::error {place},title=unknown-key::" in done.stdout
