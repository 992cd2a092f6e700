"""What the papers of the repository say is so: shown output, options, versions, links.

Blocks that begin with `$ cffgraph` are run in a folder that has the two examples, and compared to
the letter, with `/home/you` for the folder and 2026-12-01 for the day.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import cffgraph
import pytest
from cffgraph.cff.read import read

ROOT = Path(__file__).parents[1]
EXAMPLES = ("tests/data/pytorch-CITATION.cff", "tests/data/aosp-opengrok-annotate.txt")
IDENTITIES = "tests/data/identities"
"""A small world of authors to decide about, for docs/matching.md."""
PAPERS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True, slots=True)
class Shown:
    """One command that a paper shows, and what it says the command prints."""

    command: str
    output: str


def shown(text: str) -> list[Shown]:
    """Return the commands of the blocks that begin with `$ cffgraph`, with the output below each."""
    found = []
    for _, block in FENCED.findall(text):
        if block.startswith("$ cffgraph"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append(Shown(command, output))
    return found


def named_options(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Return (words of the command, option) for each option written after `cffgraph` in code."""
    lines = [line for _, block in FENCED.findall(text) for line in block.splitlines()]
    lines += SPAN.findall(FENCED.sub("", text))
    found = []
    for line in lines:
        for call in re.findall(r"(?:^|[\s/])cffgraph (.*?)(?=$|[|;>]|&&)", line):
            words = call.split()
            path: list[str] = []
            while len(path) < min(2, len(words)) and re.fullmatch(r"[a-z]+", words[len(path)]):
                path.append(words[len(path)])
            found += [(tuple(path), o) for o in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", o)]
    return [(path, option.partition("=")[0]) for path, option in found]


@functools.cache
def help_of(command: tuple[str, ...]) -> str:
    """Return the help of a command; of the one above it when the last word is an argument, not a command."""
    arguments = [sys.executable, "-m", "cffgraph", *command, "--help"]
    done = subprocess.run(arguments, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    if done.returncode != 0 and command:
        return help_of(command[:-1])
    return done.stdout


def desk(folder: Path) -> dict[str, str]:
    """Lay out the examples in a folder; return an environment in which `cffgraph` is this one."""
    for example in EXAMPLES:
        (folder / example).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / example, folder / example)
    shutil.copytree(ROOT / IDENTITIES, folder / IDENTITIES)
    command = folder / "bin" / "cffgraph"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cffgraph "$@"\n')
    command.chmod(0o755)
    return {"PATH": f"{command.parent}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8"}


def printed(command: str, folder: Path, env: dict[str, str]) -> str:
    """Return what a shell command prints, its errors among it."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    text = done.stdout.decode("utf-8").replace(str(folder), "/home/you")
    return text.replace(datetime.now(UTC).date().isoformat(), "2026-12-01")


def test_shown_takes_commands_and_their_output() -> None:
    text = "```console\n$ cffgraph a\nx\n$ cffgraph b\n```\n\n```sh\ncffgraph c\n```\n"
    assert shown(text) == [Shown("cffgraph a", "x\n"), Shown("cffgraph b", "")]


def test_named_options_are_found_in_code_only() -> None:
    text = "`cffgraph db info --db=x.db`, cffgraph --no\n```sh\nbin/cffgraph -n 3 | head -c 9\nls -l\n```\n"
    assert sorted(named_options(text)) == [((), "-n"), (("db", "info"), "--db")]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_shown_output_is_real(paper: Path, tmp_path: Path) -> None:
    examples = shown(paper.read_text(encoding="utf-8"))
    env = desk(tmp_path)
    if examples and not examples[0].command.startswith("cffgraph crawl"):
        printed(f"cffgraph crawl {' '.join(EXAMPLES)}", tmp_path, env)
    # One after the other in one folder, as a reader would type them.
    for example in examples:
        assert printed(example.command, tmp_path, env) == example.output, example.command


def test_readme_shows_an_answer() -> None:
    commands = [e.command for e in shown((ROOT / "README.md").read_text(encoding="utf-8")) if e.output]
    assert [command for command in commands if "--coauthors Chintala" in command]


OPTIONS = [(p, *named) for p in PAPERS for named in named_options(p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("paper", "command", "option"), sorted(set(OPTIONS)))
def test_named_options_exist(paper: Path, command: tuple[str, ...], option: str) -> None:
    words = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", help_of(command))
    assert option in words, f"{paper.name} names {option} of cffgraph {' '.join(command)}"


def test_readme_commands_read_the_examples() -> None:
    # .ci/run types what stands under these marks.
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = dict(
        re.findall(r"^<!-- command: (\w+) -->\n```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    )
    assert set(commands) == {"examples", "tests"}
    assert all(example in commands["examples"] for example in EXAMPLES)
    assert all((ROOT / example).is_file() for example in EXAMPLES)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_links_lead_somewhere(paper: Path) -> None:
    links = [link for link in LINK.findall(paper.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (paper.parent / link).exists()] == []


def test_there_is_one_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", changelog, re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    ours = read((ROOT / "CITATION.cff").read_bytes()).works[0]
    assert headings[1] == (ours.version, ours.date)
    assert ours.version == cffgraph.__version__
    assert (
        "version"
        in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"]
    )


def test_our_own_citation_file_is_without_fault() -> None:
    file = read((ROOT / "CITATION.cff").read_bytes())
    assert (file.outcome, file.problems) == ("ok", ())
    assert [(m.kind, m.full_name) for m in file.works[0].authors] == [("entity", "The cffgraph developers")]


# Where somebody happened to work is no part of the project. (The pattern does not match itself.)
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root|tmp/v)(?=/)")


def text_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    names = listing.stdout.split("\0") if listing.returncode == 0 and (ROOT / ".git").exists() else []
    paths = [ROOT / name for name in names if name and "/data/" not in name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


def test_no_path_of_a_machine() -> None:
    found = {
        p.name: m.group() for p in text_files() if (m := MACHINE_PATH.search(p.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see /" + "work/main/x.py", True),
        ('"/' + 'tmp/v/bin/python"', True),
        ("file:///" + "root/clone", True),
        ("https://example.org/" + "work/1", False),
        ("frame/" + "work/x", False),
        ("a /" + "workshop/", False),
    ],
)
def test_what_counts_as_a_path_of_a_machine(text: str, found: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is found
