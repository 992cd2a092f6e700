"""Which records are one work: copies, DOIs, titles; and never by guesswork."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from cffgraph.resolve.works import RecordRow, WorkClustering, cluster, kind_of, titles_fit

BLANK = RecordRow(
    id=0, key="", blob=0, pointer="", type="software", title="", version="", doi="", date="", year=None,
    url="", repository_code="", identifiers=(), first_author="", content="", places=(),
)  # fmt: skip


def rows(*specs: dict[str, object]) -> list[RecordRow]:
    """Return rows with ids from 1; a blob each unless told, so that each file is another one."""
    made = []
    for number, spec in enumerate(specs, 1):
        base = {"id": number, "blob": number, "content": f"content {spec.get('blob', number)}"} | spec
        row = replace(BLANK, **base)  # type: ignore[arg-type]
        made.append(replace(row, key=f"{row.blob:04d}#{row.pointer}"))
    return made


def groups(clustering: WorkClustering) -> set[frozenset[int]]:
    return {frozenset(record for record, _ in w.records) for w in clustering.works}


def root(title: str, **more: object) -> dict[str, object]:
    return {"title": title, **more}


def cited(title: str, pointer: str = "references[0]", **more: object) -> dict[str, object]:
    return {"type": "article", "pointer": pointer, "title": title, **more}


CASES: list[tuple[str, list[dict[str, object]], set[frozenset[int]]]] = [
    (
        "the same file in two places",
        [root("PyTorch", content="c"), root("PyTorch", content="c")],
        {frozenset({1, 2})},
    ),
    (
        "the same file that names one of its places, or neither",
        [
            root("T", content="c", repository_code="https://forge.example/f/t", places=("file:///x",)),
            root("T", content="c", repository_code="https://forge.example/f/t", places=("file:///y",)),
        ],
        {frozenset({1, 2})},
    ),
    (
        "one paper in three spellings of its title",
        [cited(title, doi="10.5555/a") for title in ("The paper", "The Paper.", "Paper")],
        {frozenset({1, 2, 3})},
    ),
    (
        "a paper's DOI in the software's own field",
        [
            root("Kettle", doi="10.5555/a"),
            cited("On kettles", "preferred-citation", doi="10.5555/a", blob=1),
        ],
        {frozenset({1}), frozenset({2})},
    ),
    (
        "a paper listed under identifiers of two softwares",
        [
            root("Lattice One", identifiers=(("doi", "10.5555/p"),)),
            root("Lattice Two", identifiers=(("doi", "10.5555/p"),)),
        ],
        {frozenset({1}), frozenset({2})},
    ),
    (
        "concept and version DOI of one software",
        [
            root("Conceptor", identifiers=(("doi", "10.5555/z.1"), ("doi", "10.5555/z.2"))),
            cited("Conceptor", type="software", doi="10.5555/z.1"),
            cited("Conceptor: a tool", type="software", doi="10.5555/z.2"),
        ],
        {frozenset({1, 2, 3})},
    ),
    (
        "without a DOI: title, first author, year",
        [
            cited("On sparse kettles", first_author="gwen imrie", year=2020),
            cited("On Sparse Kettles", first_author="g imrie", year=2020),
            cited("On sparse kettles", first_author="gwen imrie", year=2021),
            cited("On sparse kettles", first_author="theo lowen", year=2020),
        ],
        {frozenset({1, 2}), frozenset({3}), frozenset({4})},
    ),
    (
        "two forks that went their own ways",
        [root("Toolary", content="a"), root("Toolary", content="b")],
        {frozenset({1}), frozenset({2})},
    ),
    (
        "a reference that names the repository",
        [
            root("Conceptor", places=("https://forge.example/o/r",)),
            cited("Conceptor", type="software", url="https://forge.example/o/r"),
            cited("Other", type="software", url="https://forge.example/o/r"),
        ],
        {frozenset({1, 2}), frozenset({3})},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("specs", "wanted"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_groups_whatever_the_order(specs: list[dict[str, object]], wanted: set[frozenset[int]]) -> None:
    made = rows(*specs)
    first = cluster(made)
    assert groups(first) == wanted
    for seed in range(4):
        random.Random(seed).shuffle(made)
        assert cluster(made) == first


def test_a_doi_on_two_works_is_a_conflict() -> None:
    found = cluster(rows(root("Mapwell", doi="10.5555/a"), root("Strain", doi="10.5555/a")))
    assert [(c.code, "Mapwell; Strain" in c.message) for c in found.conflicts] == [("doi-conflict", True)]


def test_the_doi_of_an_example_joins_nothing_and_is_reported() -> None:
    example = "10.5281/zenodo.1234"
    found = cluster(
        rows(
            root("My Research Software", doi=example),
            root("My Research Software", identifiers=(("doi", example), ("swh", "s"))),
            cited("On kettles", "preferred-citation", doi=example, blob=3),
            cited("On lattices", "preferred-citation", identifiers=(("doi", example),), blob=4),
        )
    )
    assert groups(found) == {frozenset({n}) for n in range(1, 5)}
    assert {w.doi for w in found.works} == {""}
    assert {pair for w in found.works for pair in w.identifiers} == {("swh", "s")}
    told = "My Research Software; On kettles; On lattices; it is not used"
    assert [(c.code, example in c.message, told in c.message) for c in found.conflicts] == [
        ("doi-conflict", True, True)
    ]


def test_keys_are_dois_else_titles_and_namesakes_are_counted() -> None:
    found = cluster(rows(root("Kettle"), root("KETTLE"), cited("On kettles", doi="10.5555/a"), root("")))
    assert [w.key for w in found.works] == ["10.5555/a", "kettle", "kettle~2", "untitled"]


def test_every_link_has_its_reason() -> None:
    found = cluster(rows(cited("The paper", doi="10.5555/a"), cited("The paper", doi="10.5555/a")))
    assert [reason for _, reason in found.works[0].records] == ["describes it", "same DOI 10.5555/a"]


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("software", "software"),
        ("database", "dataset"),
        ("thesis", "paper"),
        ("generic", "other"),
        ("", "paper"),
    ],
)
def test_kind_of(type_: str, kind: str) -> None:
    assert kind_of(type_) == kind


@pytest.mark.parametrize(
    ("a", "b", "fit"),
    [
        ("kettle", "kettle a tool", True),
        ("kettle", "pan", False),
        ("", "pan", True),
        ("a b c d", "a b c e", True),
    ],
)
def test_titles_fit(a: str, b: str, fit: bool) -> None:
    assert titles_fit(a, b) is fit
