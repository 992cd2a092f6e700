"""What a block reads is what its digest is made of; counts move seldom; keys lead to each other."""

from __future__ import annotations

import math
import random

import pytest
from cffgraph.resolve import blocks
from cffgraph.resolve.blocks import full_pairs, initial_blocks, keys_of, pairs_of_key, with_partners
from cffgraph.resolve.census import census_of, rounded, steady
from cffgraph.resolve.digest import AuthorList, kind_of_thing, node_of, pack
from cffgraph.resolve.mentions import MentionRow
from cffgraph.resolve.names import Name, parse
from cffgraph.resolve.plan import Blocks, Plan, join_fitting
from hypothesis import given, settings
from hypothesis import strategies as st


def rows_of(*lists: str) -> list[MentionRow]:
    """Mentions of author lists: `Family, Given; ...`, an affiliation behind `@`."""
    rows: list[MentionRow] = []
    for number, entries in enumerate(lists):
        for position, entry in enumerate(entries.split("; ")):
            name, _, place = entry.partition(" @")
            family, _, given_names = name.partition(", ")
            key = f"{number:03}#authors[{position:05}]"
            rows.append(
                MentionRow(len(rows), key, number, position, number, "person", family, given_names,
                           affiliation=place, repository=f"https://forge.example/o{number}/r")
            )  # fmt: skip
    return rows


def digests(rows: list[MentionRow]) -> dict[str, int]:
    """What is read of each name, where every spelling is a block of its own."""
    of_list: dict[int, list[MentionRow]] = {}
    for row in rows:
        of_list.setdefault(row.list_id, []).append(row)
    lists = [AuthorList(n, r[0].work, r[0].repository, *pack(r)) for n, r in of_list.items()]
    plan = Plan(census_of(rows), lambda node: node, lambda: lists)
    names = {node_of(row): f"{row.given_names} {row.family_names}" for row in rows}
    return {names[block]: digest for block, digest in plan.digests.items()}


BEFORE = ("Quill, Ada; Berg, Jonas @Lund", "Quill, Ada; Ito, Mika", "Tresk, Moira; Vale, Kai")


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        (BEFORE, set()),
        # A coauthor who stands in a second list now, and the mention that came.
        (
            (*BEFORE[:2], "Tresk, Moira; Vale, Kai; Ito, Mika"),
            {"Ada Quill", "Mika Ito", "Moira Tresk", "Kai Vale"},
        ),
        # An affiliation that two share.
        ((*BEFORE[:2], "Tresk, Moira @lund; Vale, Kai"), {"Jonas Berg", "Moira Tresk"}),
        # A family name that is more frequent.
        ((*BEFORE, "Quill, Beatrix"), {"Ada Quill", "Beatrix Quill"}),
    ],
)  # fmt: skip
def test_what_a_name_reads(after: tuple[str, ...], moved: set[str]) -> None:
    # So many others that one more moves no count of all.
    others = [f"Stem{n}, Given{n}" for n in range(200)]
    then, now = digests(rows_of(*others, *BEFORE)), digests(rows_of(*others, *after))
    changed = {name for name in now if then.get(name) != now[name]}
    assert {name for name in changed if "Stem" not in name} >= moved
    if not moved or "Lund" in str(moved):
        assert changed == moved
    assert not any("Stem" in name for name in changed)


@given(st.integers(1, 10**7))
def test_a_rounded_count_is_near(count: int) -> None:
    assert abs(math.log2(rounded(count) / count)) <= 0.125 + 1e-9
    assert rounded(count) <= rounded(count + 1)


@given(st.lists(st.floats(-8, 8), max_size=30), st.randoms(use_true_random=False))
def test_steady_weights_add_up_in_any_order(weights: list[float], mixer: random.Random) -> None:
    values = [steady(weight) for weight in weights]
    total = sum(values)
    mixer.shuffle(values)
    assert sum(values) == total


NAMES = st.builds(
    parse,
    st.sampled_from("Quill Quille Koehler Köhler Tresk Tresk-Vale Vale Wang".split()),
    st.sampled_from(["Ada", "A.", "Ada B.", "A. B.", "Wei", "Wen", "W.", "Jonathan", "Jon", ""]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, max_size=12, unique=True))
def test_keys_lead_to_all_pairs_that_are_compared(names: list[Name]) -> None:
    under: dict[int, list[int]] = {}
    for number, name in enumerate(names):
        for key in keys_of(name):
            under.setdefault(key, []).append(number)
    found = {
        tuple(sorted(pair))
        for key, members in under.items()
        for pair in pairs_of_key(
            members if key & 3 == 0 else (), members if key & 3 == 2 else (), under.get(key ^ 1, ())
        )
    }
    wanted = full_pairs(names) | {
        tuple(sorted((s, e)))
        for short, every in initial_blocks(names)
        for s in short
        for e in every
        if s != e
    }
    assert found == wanted
    for key in under:
        assert with_partners([key]) == ({key, key ^ 1} if key & 3 else {key})


def test_a_crowded_key_joins_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    names = dict(enumerate([parse("Quill", "Ada"), parse("Quill", "A."), parse("Quill", "Ada B.")]))
    groups: dict[int, list[int]] = {}
    for number, name in names.items():
        for key in keys_of(name):
            groups.setdefault(key, []).append(number)

    def joined() -> int:
        sets = Blocks()
        join_fitting(sets, sorted(groups.items()), {n: n for n in names}, names.__getitem__, None)
        return len({sets.find(n) for n in names})

    assert joined() == 1
    monkeypatch.setattr(blocks, "MOST_IN_BLOCK", 1)
    assert joined() == 1  # through the initial
    monkeypatch.setattr(blocks, "MOST_OF_INITIALS", 2)
    assert joined() == 3


def test_the_least_stands_for_a_set() -> None:
    sets = Blocks()
    for a, b in ((5, 9), (7, 8), (9, 8)):
        sets.join(a, b)
    assert [sets.find(n) for n in (5, 7, 8, 9, 11)] == [5, 5, 5, 5, 11]


def test_a_number_says_what_it_is_of() -> None:
    (row,) = rows_of("Quill, Ada @Lund")
    assert kind_of_thing(node_of(row)) == "person"
    assert kind_of_thing(node_of(row._replace(kind="bot", name="renovate[bot]"))) == "bot"
