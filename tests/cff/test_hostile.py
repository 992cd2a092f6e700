"""What a fuzzer found, and what grows: time in proportion to the size, and no problem outside the file."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from cffgraph.cff.read import read

DATA = Path(__file__).parent.parent / "data"
HEAD = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: K\n"
ONE = "authors:\n  - name: The K Team\n"
SIZE = 1 << 19


def rows(row: Callable[[int], str]) -> str:
    """Return half a MiB of rows, each told its number."""
    return "".join(row(i) for i in range(SIZE // len(row(10_000))))


GROWING = {
    "unknown keys": lambda: HEAD + ONE + rows(lambda i: f"key{i}y: 1\n"),
    "keys misspelled in as many ways": lambda: HEAD + ONE + rows(lambda i: f"referen{i}ces: 1\n"),
    "a key a thousand times": lambda: HEAD + ONE + rows(lambda i: f"url: {i}\n"),
    "a key of half a MiB": lambda: HEAD + ONE + "k" * SIZE + ": 1\n",
    "licences that nobody knows": lambda: HEAD + ONE + "license:\n" + rows(lambda i: f"- GPL{i}\n"),
    "people with one iD": lambda: (
        HEAD
        + "authors:\n"
        + rows(lambda i: f"- {{family-names: N{i}e, orcid: 'https://orcid.org/0000-0009-9000-0210'}}\n")
    ),
    "people with wrong iDs": lambda: (
        HEAD + "authors:\n" + rows(lambda i: f"- {{family-names: N, orcid: '{i}'}}\n")
    ),
    "people with a misspelled key": lambda: (
        HEAD + "authors:\n" + rows(lambda i: f"- {{family-names: N{i}e, give-{i}-names: O}}\n")
    ),
    "references with a wrong key each": lambda: (
        HEAD + ONE + "references:\n" + rows(lambda i: f"- {{title: T{i}, jour{i}nal: J}}\n")
    ),
    "references with a placeholder": lambda: (
        HEAD + ONE + "references:\n" + rows(lambda i: f"- {{title: T{i}, doi: 10.5281/zenodo.xxxx}}\n")
    ),
    "merge keys": lambda: HEAD + ONE + "x: &x {a: 1}\n" + rows(lambda i: f"y{i}: {{<<: *x}}\n"),
    "titles that end in comments": lambda: (
        HEAD + ONE + "references:\n" + rows(lambda i: f"- title: T #{i}\n")
    ),
    "tabs": lambda: HEAD + ONE + rows(lambda i: f"key{i}:\tv\n"),
}


@pytest.mark.parametrize("name", GROWING)
def test_nothing_costs_more_and_more(name: str) -> None:
    data = GROWING[name]().encode()
    start = time.process_time()
    with contextlib.suppress(yaml.YAMLError):
        yaml.load(data, yaml.CSafeLoader)
    loaded = time.process_time()
    read(data)
    # Rejecting costs more than reading; what grows with the square would cost a hundred times as much.
    assert time.process_time() - loaded < 8 * (loaded - start) + 0.5


@pytest.mark.parametrize("at", [16, 25, 400])
def test_the_problems_of_a_damaged_page_point_into_it(at: int) -> None:
    # All on one line: with letters of the committer gone, nothing that is shown is a key.
    data = (DATA / "aosp-opengrok-annotate.txt").read_bytes()
    damaged = b" ".join(data[:at].split() + data[at + 3 :].split())
    file = read(damaged)
    assert {p.line for p in file.problems} <= {1}


def test_a_page_that_cannot_be_read_points_into_itself_and_keeps_its_origin() -> None:
    lines = ["cff-version: 1.2.0", "extra: 1", "other: 2", "third: 3"]
    data = " ".join(f"{n}*da0073e9SJane Roe{line}" for n, line in enumerate(lines, 1)).encode()
    file = read(data)
    assert file.outcome == "error"
    assert {p.line for p in file.problems} == {1}
    assert file.origin is not None
    assert len(file.origin.lines) == 4
