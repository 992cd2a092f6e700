"""Reading: odd files from real life first, then what must hold for any bytes."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import yaml
from cffgraph.cff import keys
from cffgraph.cff.formats.document import as_document
from cffgraph.cff.problems import CODES
from cffgraph.cff.read import blob_id, read
from hypothesis import given, settings
from hypothesis import strategies as st

DATA = Path(__file__).parent.parent / "data"
HEAD = "cff-version: 1.2.0\nmessage: Cite it.\n"
ONE = "authors:\n  - family-names: Tresk\n    given-names: Moira\n"


def text_of(body: str) -> bytes:
    return (HEAD + body).encode()


def test_pytorch_is_two_works_one_team_and_49_people() -> None:
    file = read((DATA / "pytorch-CITATION.cff").read_bytes())
    software, paper = file.works
    assert (software.title, software.type, software.pointer) == ("PyTorch", "software", "")
    assert [(a.kind, a.full_name) for a in software.authors] == [("entity", "PyTorch Team")]
    assert (paper.type, paper.doi, paper.year) == ("conference-paper", "10.1145/3620665.3640366", 2024)
    assert len(paper.authors) == 49
    assert {a.kind for a in paper.authors} == {"person"}
    assert paper.authors[-1].full_name == "Soumith Chintala"
    assert [p.code for p in file.problems] == ["team-as-person"]


def test_the_dump_of_the_page_reads_to_the_same_record() -> None:
    plain = read((DATA / "pytorch-CITATION.cff").read_bytes())
    dump = read((DATA / "aosp-opengrok-annotate.txt").read_bytes(), name="aosp-opengrok-annotate.txt")
    assert dump.document == plain.document
    assert [(w.title, w.doi, w.authors) for w in dump.works] == [
        (w.title, w.doi, w.authors) for w in plain.works
    ]
    assert dump.origin is not None
    assert dump.origin.kind == "opengrok-annotate"
    assert len(dump.origin.lines) == 116
    assert set(dump.origin.lines) == {("da0073e9", "Android Build Coastguard Worker")}


# body, outcome, {(code, line)} that must be among the problems
CASES: list[tuple[str, str, set[tuple[str, int]]]] = [
    (f"title: Kettle\n{ONE}", "ok", set()),
    (f"title: Kettle: a tool\n{ONE}", "error", {("yaml-syntax", 3)}),
    (f"title: K\nversion: 1.10\n{ONE}", "ok", set()),
    (f"title: 1.10\n{ONE}", "ok-warn", {("schema", 3)}),
    (f"title: K\ndate-released: 2024-02-30\n{ONE}", "ok-warn", {("bad-date", 4)}),
    (f"title: K\ndate-released: 2018-09-05T00:00:00.000Z\n{ONE}", "ok-warn", {("bad-date", 4)}),
    ("title: K\nauthors:\n  name: The Plumb Team\n", "ok-warn", {("schema", 5)}),
    ("title: K\nauthors: Moira Tresk\n", "ok-warn", {("schema", 4)}),
    (
        f"title: K\n{ONE}  -\n    affiliation: Lab\n    family-names:\n",
        "ok-warn",
        {("schema", 9), ("empty-name", 8)},
    ),
    (f"title: K\n{ONE}    given-names: Mary\n", "ok-warn", {("duplicate-key", 7)}),
    (f"title: K\n{ONE}...\n---\ntitle: Other\n", "ok-warn", {("multi-document", 9)}),
    (f"title: K\n{ONE}---\n", "ok", set()),
    (f"title: K\n{ONE}---\n...\n", "ok", set()),
    (f"title:\tK\n{ONE}", "ok-warn", {("tab", 3)}),
    (f"title: K\n{ONE}\tversion: 1\n", "error", {("tab", 7)}),
    (f"title: K\nextra: 45\n{ONE}", "ok-warn", {("unknown-key", 4)}),
    ("title: K\nauthor:\n  - name: The K Team\n", "ok-warn", {("unknown-key", 4), ("missing-required", 1)}),
    (
        "title: K\nauthors:\n  - familiy-names: Tresk\n    given_names: Moira\n",
        "ok-warn",
        {("unknown-key", 5)},
    ),
    (f"title: K\nlicense: Apache 2.0\n{ONE}", "ok-warn", {("bad-license", 4)}),
    (f"title: K\nlicense: [MIT, MIT]\n{ONE}", "ok-warn", {("duplicate-item", 4)}),
    (f"title: K\nlicense: MIT OR Apache-2.0\n{ONE}", "ok-warn", {("bad-license", 4)}),
    (f"title: K\ndoi: https://doi.org/10.5555/abc\n{ONE}", "ok-warn", {("bad-doi", 4)}),
    (f"title: K\ndoi: 10.5281/zenodo.XXXXXXX\n{ONE}", "ok-warn", {("bad-doi", 4)}),
    (f"title: K\nurl: example.org\n{ONE}", "ok-warn", {("bad-url", 4)}),
    (f"title: {{{{ cookiecutter.name }}}}\n{ONE}", "ok-warn", {("template", 3)}),
    (f"title: K\nkeywords: one\n{ONE}", "ok-warn", {("schema", 4)}),
    (f"title: K\nkeywords: []\n{ONE}", "ok-warn", {("schema", 4)}),
    (f"title: Rendering bug #77 explained\n{ONE}", "ok", {("possible-comment", 3)}),
    (f"title: K\npreferred-citation:\n  title: P\n{ONE}", "ok-warn", {("missing-required", 5)}),
    (f"title: K\nidentifiers:\n  - type: ark\n    value: x\n{ONE}", "ok-warn", {("schema", 5)}),
    ("title: K\nauthors:\n  - name: The K Team\n    affiliation: Lab\n", "ok-warn", {("schema", 6)}),
    ("[]\n", "error", set()),
    ("title: *nobody\n", "error", {("anchor", 3)}),
]


@pytest.mark.parametrize(("body", "outcome", "wanted"), CASES, ids=[c[0][:40] for c in CASES])
def test_outcome_and_place(body: str, outcome: str, wanted: set[tuple[str, int]]) -> None:
    file = read(text_of(body))
    assert file.outcome == outcome
    found = {(p.code, p.line) for p in file.problems}
    assert wanted <= found
    if outcome == "ok":
        assert {p.severity for p in file.problems} <= {"note"}


def test_text_is_kept_as_written() -> None:
    body = "title: No\nversion: 1.10\nauthors:\n  - family-names: No\n    given-names: On\nx: [0x1F, ~]\n"
    file = read(text_of(body))
    assert file.document["version"] == "1.10"
    assert file.document["x"] == ["0x1F", "~"]
    assert file.works[0].authors[0].full_name == "On No"


@pytest.mark.parametrize("version", ["1.0.3", "1.1.0"])
def test_a_file_is_held_to_its_own_version(version: str) -> None:
    body = f"cff-version: {version}\nmessage: Cite it.\ntitle: K\n{ONE}"
    codes = [(p.code, p.path) for p in read(body.encode()).problems if p.severity == "error"]
    assert codes == [("missing-required", "version"), ("missing-required", "date-released")]
    full = body + "version: 1.0\ndate-released: 2020-01-01\n"
    assert read(full.encode()).outcome == "ok"
    newer = read((full + "type: software\n").encode())
    assert [(p.code, p.line) for p in newer.problems] == [("schema", 9)]


def test_a_file_that_breaks_the_schema_says_so_once() -> None:
    problems = read(text_of(f"title: K\nextra: 1\nlicense: none\n{ONE}")).problems
    assert [(p.code, p.severity) for p in problems] == [
        ("schema", "note"),
        ("unknown-key", "error"),
        ("bad-license", "error"),
    ]


def test_a_later_version_is_read_with_a_warning() -> None:
    file = read(f"cff-version: 1.3.0\nmessage: m\ntitle: K\n{ONE}".encode())
    assert [(p.code, p.severity) for p in file.problems] == [("cff-version", "warning")]


def test_merge_keys_and_anchors_are_legal() -> None:
    body = (
        "title: K\nauthors:\n  - &one\n    family-names: Tresk\n    given-names: Moira\n"
        "preferred-citation:\n  type: article\n  title: P\n  authors: [*one, {<<: *one, given-names: Ada}]\n"
    )
    file = read(text_of(body))
    assert file.outcome == "ok"
    assert [a.full_name for a in file.works[1].authors] == ["Moira Tresk", "Ada Tresk"]


def bomb(levels: int) -> bytes:
    rows = ['k0: &k0 ["x","x","x","x","x","x","x","x","x"]']
    rows += [f"k{i}: &k{i} [{','.join([f'*k{i - 1}'] * 9)}]" for i in range(1, levels)]
    return text_of(f"title: K\n{ONE}" + "\n".join(rows) + f"\nkeywords: *k{levels - 1}\n")


@pytest.mark.parametrize(
    "data",
    [
        bomb(12),
        text_of("x: &x [*x]\ntitle: K\n"),
        text_of("x: &x {<<: *x}\ntitle: K\n"),
        text_of("x: " + "[" * 500 + "]" * 500 + "\ntitle: K\n"),
        text_of("title: K\n" + "\n".join(f"{' ' * i}a:" for i in range(400))),
        b"[" * 100_000,
        b"- " * 100_000,
    ],
    ids=["bomb", "itself", "merges itself", "brackets", "blocks", "open brackets", "dashes"],
)
def test_what_expands_without_end_is_too_complex(data: bytes) -> None:
    file = read(data)
    assert file.outcome == "error"
    assert "too-complex" in {p.code for p in file.problems}


def test_document_has_kinds_dates_and_what_was_rejected() -> None:
    body = (
        "title: K\ndoi: https://doi.org/10.5555/ABC\ndate-released: 2024-02-30\nauthor:\n"
        "  - family-names: Tresk\n    given_names: Moira\n    orcid: 0000-0009-9000-0210\n"
        "  - affiliation: Lab\n"
    )
    document = as_document(read(text_of(body)))
    assert document["doi"] == "10.5555/abc"
    assert document["date-released"] is None
    assert document["as-written"] == {"date-released": "2024-02-30"}
    assert document["authors"] == [
        {
            "family-names": "Tresk",
            "given-names": "Moira",
            "orcid": "https://orcid.org/0000-0009-9000-0210",
            "kind": "person",
        }
    ]


def test_blob_id_is_gits() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def check_file(data: bytes) -> None:
    file = read(data)
    assert {p.code for p in file.problems} <= CODES.keys()
    rows = data.count(b"\n") + data.count(b"\r") + 1
    assert all(1 <= p.line <= rows and p.column >= 1 and p.message for p in file.problems)
    assert (file.outcome == "error") == (not file.works)
    if file.works:
        as_document(file)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    check_file(data)


seed = (DATA / "pytorch-CITATION.cff").read_bytes()


@given(st.integers(0, len(seed)), st.integers(0, 40), st.binary(max_size=12))
@settings(max_examples=150)
def test_any_damage_is_read(at: int, cut: int, put: bytes) -> None:
    check_file(seed[:at] + put + seed[at + cut :])


SYNTAX = [*"-:[]{}'\"#|>~x", "\n", "  ", "- ", ": ", "*a", "&a ", "<<"]
words = st.sampled_from([*sorted(keys.ALL_KEYS), *SYNTAX])


@given(st.lists(words, max_size=40).map("".join))
@settings(max_examples=300)
def test_any_pile_of_keys_is_read(text: str) -> None:
    check_file(text.encode())


names = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Cn", "Co")), min_size=1, max_size=12
)


@given(st.dictionaries(st.sampled_from(sorted(keys.REFERENCE)), names, min_size=1, max_size=6))
def test_every_scalar_comes_back_as_written(values: dict[str, str]) -> None:
    rows = yaml.safe_dump(values, allow_unicode=True).splitlines()
    body = "title: K\nextra:\n" + "".join(f"  {row}\n" for row in rows)
    assert read(text_of(body)).document["extra"] == values


def test_a_list_of_20_000_people_is_read() -> None:
    people = "".join(f"  - family-names: Name{i}\n    given-names: Given\n" for i in range(20_000))
    assert len(read(text_of(f"title: K\nauthors:\n{people}")).works[0].authors) == 20_000


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_is_left_as_it_was(collecting: bool) -> None:
    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        for data in (text_of(f"title: Kettle\n{ONE}"), b"title: [", b"\xff\xfe\xff", b"a: &a [*a]"):
            read(data)
            assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()
