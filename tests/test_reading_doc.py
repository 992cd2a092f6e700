"""What docs/reading.md says of each code is so: its examples give that code, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cffgraph.cff.problems import CODES
from cffgraph.cff.read import read

PAGE = (Path(__file__).parents[1] / "docs" / "reading.md").read_text(encoding="utf-8")
CODES_PART = PAGE.partition("\n## The codes\n")[2]
SECTIONS = re.findall(r"^### `([a-z-]+)`\n(.*?)(?=^### |\Z)", CODES_PART, re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(yaml|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    pytest.param(code, kind, block, id=f"{code}-{number}")
    for code, text in SECTIONS
    for number, (kind, block) in enumerate(BLOCK.findall(text))
]
REST = {
    "cff-version": "cff-version: 1.2.0\n",
    "message": "message: Please cite it.\n",
    "title": "title: Kettle\n",
    "authors": "authors:\n  - family-names: Tresk\n    given-names: Moira\n",
}
WHOLE = {"conflict-markers", "empty", "not-cff"}


def completed(fragment: str) -> str:
    """Return a part of a file with what a file needs besides; in front, where it breaks nothing."""
    present = re.findall(r"^([a-z-]+):", fragment, re.MULTILINE)
    return "".join(text for key, text in REST.items() if key not in present) + fragment


def data_of(code: str, kind: str, block: str) -> bytes:
    if kind == "python":
        made = eval(block, {"__builtins__": {}})
        assert isinstance(made, bytes)
        return made
    whole = code in WHOLE or re.search(r"^cff-version:", block, re.MULTILINE)
    return (block if whole else completed(block)).encode()


def test_each_code_has_its_section_and_the_sections_are_sorted() -> None:
    assert [code for code, _ in SECTIONS] == sorted(CODES)


def test_each_section_has_an_example() -> None:
    assert [code for code, text in SECTIONS if not BLOCK.search(text)] == []


@pytest.mark.parametrize(("code", "kind", "block"), EXAMPLES)
def test_an_example_gives_its_code_and_no_other(code: str, kind: str, block: str) -> None:
    named = re.match(r"# file: (\S+)\n", block)
    file = read(data_of(code, kind, block), name=named[1] if named else "CITATION.cff")
    # That the schema is broken at all is said in a note besides.
    found = {p.code for p in file.problems if (p.code, p.severity) != ("schema", "note")}
    assert found == {code}


def test_the_rest_of_a_file_is_without_fault() -> None:
    assert read(completed("").encode()).problems == ()
    assert completed("") in PAGE
