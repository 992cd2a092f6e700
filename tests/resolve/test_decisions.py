"""What was decided goes before every rule; of two decisions that contradict, the later one wins."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from cffgraph.resolve.authors import Clustering, MentionRow, cluster
from cffgraph.resolve.decided import Decided, Must, Rename, Ruling, settle
from cffgraph.resolve.explain import Explainer
from cffgraph.resolve.numbers import decide_numbers, keep_numbers
from cffgraph.resolve.questions import questions
from hypothesis import given, settings
from hypothesis import strategies as st

ONE, TWO = "0000-0009-9000-0317", "0000-0009-9000-0325"


def rows_of(*lists: list[str]) -> list[MentionRow]:
    """Mentions of author lists, each `Given Family`, `Given Family=iD` or `team:Name`; ids count from 0."""
    rows: list[MentionRow] = []
    for number, entries in enumerate(lists):
        for position, entry in enumerate(entries):
            text, _, orcid = entry.partition("=")
            team = text.startswith("team:")
            given, _, family = ("", "", "") if team else text.rpartition(" ")
            rows.append(
                MentionRow(
                    len(rows), f"{number:03}#{position}", number, position, number,
                    "entity" if team else "person", family, given, name=text[5:] if team else "", orcid=orcid,
                )
            )  # fmt: skip
    return rows


def groups(found: Clustering) -> list[set[int]]:
    return sorted(({k.mention for k in a.links} for a in found.authors), key=min)


def ruled(*rulings: Ruling) -> Decided:
    return settle(rulings)[0]


def ruling(kind: str, a: tuple[int, ...], b: tuple[int, ...] = (), number: int = 1, name: str = "") -> Ruling:
    return Ruling(number, kind, f"2026-01-0{number}T00:00:00", a, b, name)


MERGED = [
    (["Ada Quill"], ["Jonas Berg"]),  # names that do not fit
    ([f"Ada Quill={ONE}"], [f"Ada Quill={TWO}"]),  # two iDs
    (["Ada Quill", "A. Quill"], ["Ada Quill"]),  # one list
    (["Mika Ito"], ["M. Ito"], ["Mark Ito"]),  # a bridge through an initial
    ([f"Ada Quill={ONE}"], [f"Ute Stahl={ONE}"]),  # an iD that stands on two names
    (["team:The Aurora Team"], ["team:Aurora Developers"]),
    (["Aurora Team"], ["team:Aurora Team"], ["Aurora Team"]),  # a person and an entity
]


@pytest.mark.parametrize("lists", MERGED)
def test_a_merge_goes_before_the_rules(lists: tuple[list[str], ...]) -> None:
    rows = rows_of(*lists)
    assert len(groups(cluster(rows))) > 1
    found = cluster(rows, ruled(ruling("merge", (0,), (1, len(rows) - 1))))
    assert {0, 1, len(rows) - 1} <= groups(found)[0]
    reasons = {k.reason: k.confidence for k in found.authors[0].links}
    assert reasons.get("decided: merged 2026-01-01") == 1.0 or set(reasons) == {"same full name"}
    assert "two people" not in " ".join(c.message for c in found.conflicts)


def test_what_is_merged_takes_in_what_belongs_to_it() -> None:
    rows = rows_of(["Ada Quill"], ["Ada Quill"], ["Jonas Berg"], ["Jonas Berg"])
    assert groups(cluster(rows, ruled(ruling("merge", (0,), (2,))))) == [{0, 1, 2, 3}]


def test_the_first_of_a_merge_says_what_kind_it_is() -> None:
    rows = rows_of(["team:Aurora Team"], ["Aurora Team"])
    assert [a.kind for a in cluster(rows, ruled(ruling("merge", (0,), (1,)))).authors] == ["entity"]
    assert [a.kind for a in cluster(rows, ruled(ruling("merge", (1,), (0,)))).authors] == ["person"]


APART = [
    ["Ada Quill"] * 6,
    [f"Ada Quill={ONE}"] * 6,
    ["Mika Ito", "M. Ito", "Mika Ito", "M. Ito", "Mika Ito", "Mika Ito"],
    ["team:Aurora"] * 6,
]


@pytest.mark.parametrize("entries", APART, ids=str)
def test_a_split_takes_off_what_it_names_and_no_more(entries: list[str]) -> None:
    rows = rows_of(*([e] for e in entries))
    assert len(groups(cluster(rows))) == 1
    found = cluster(rows, ruled(ruling("split", (0, 3), (1, 2, 4, 5))))
    assert groups(found) == [{0, 3}, {1, 2, 4, 5}]
    # A mention that came later goes to one of them, and does not join them.
    found = cluster(rows, ruled(ruling("split", (0, 3), (1, 2, 4))))
    assert groups(found) in ([{0, 3}, {1, 2, 4, 5}], [{0, 3, 5}, {1, 2, 4}])


def test_distinct_authors_are_not_joined_by_a_third() -> None:
    rows = rows_of(["Ada Quill"], ["Ada B. Quill"], ["A. Quill"], ["Ada Quill"])
    assert groups(cluster(rows)) == [{0, 1, 2, 3}]
    found = cluster(rows, ruled(ruling("distinct", (0, 3), (1,))))
    assert {frozenset(g - {2}) for g in groups(found) if g != {2}} == {frozenset({0, 3}), frozenset({1})}
    assert all({0, 1} != {c.a, c.b} for c in found.candidates)


def test_what_is_bound_to_two_sides_stays_apart_across_names() -> None:
    # 0 and 2 are one, 1 and 3 are one by name; 0 is not 3.
    rows = rows_of(["Ada Quill"], ["Ada Quill"], ["Jonas Berg"], ["Jonas Berg"])
    decided = ruled(ruling("distinct", (0,), (3,)), ruling("merge", (0,), (2,), 2))
    found = groups(cluster(rows, decided))
    assert any({0, 2} <= g for g in found)
    assert not any({0, 3} <= g for g in found)


def test_twins_in_one_list_can_be_told_apart() -> None:
    rows = rows_of(["Ada Quill", "Ada Quill"])
    assert groups(cluster(rows)) == [{0, 1}]
    assert groups(cluster(rows, ruled(ruling("split", (1,), (0,))))) == [{0}, {1}]


@pytest.mark.parametrize(
    ("rulings", "must", "cannot", "codes"),
    [
        ([("merge", (1,), (2,)), ("distinct", (1,), (2,))], [], [((1,), (2,))], ["decision-conflict"]),
        ([("distinct", (1,), (2,)), ("merge", (1,), (2,))], [(1, 2)], [], ["decision-conflict"]),
        (
            [("merge", (1, 2), (3,)), ("split", (1,), (2, 3))],
            [(2, 3)],
            [((1,), (2, 3))],
            ["decision-conflict"],
        ),
        ([("split", (1,), (2, 3)), ("merge", (1,), (2,))], [(1, 2)], [((1,), (3,))], ["decision-conflict"]),
        (
            [("merge", (1,), (2,)), ("merge", (2,), (3,)), ("distinct", (1,), (3,))],
            [(2, 3)],
            [((1,), (3,))],
            ["decision-conflict"],
        ),
        ([("merge", (1,), (2,)), ("distinct", (2,), (3,))], [(1, 2)], [((2,), (3,))], []),
        ([("merge", (1,), ())], [], [], ["decision-idle"]),
        ([("rename", (), ())], [], [], ["decision-idle"]),
        ([], [], [], []),
    ],
)  # fmt: skip
def test_later_decisions_win(rulings: list, must: list, cannot: list, codes: list[str]) -> None:
    decided, conflicts = settle(ruling(*r, number=n) for n, r in enumerate(rulings, 1))
    assert [m.mentions for m in decided.must] == must
    assert sorted(c.code for c in conflicts) == codes
    if (cannot, must) != ([((1,), (3,))], [(1, 2)]):
        assert [(tuple(sorted(a)), tuple(sorted(b))) for a, b in decided.cannot] == cannot


NAMES = ["Ada Quill", "A. Quill", f"Ada Quill={ONE}", f"Ada Quill={TWO}", "Ada B. Quill", "Jonas Berg"]
SIDES = st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True).map(tuple)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=10, max_size=10),
    st.lists(st.tuples(st.sampled_from(["merge", "split", "distinct"]), SIDES, SIDES), max_size=5),
    st.randoms(use_true_random=False),
)
def test_all_that_holds_is_obeyed_whatever_the_order(
    entries: list[str], decisions: list[tuple[str, tuple[int, ...], tuple[int, ...]]], mixer: random.Random
) -> None:
    rows = rows_of(*(entries[i : i + 2] for i in range(0, 10, 2)))
    rulings = [ruling(k, a, tuple(m for m in b if m not in a), n) for n, (k, a, b) in enumerate(decisions, 1)]
    decided, _ = settle(rulings)
    found = cluster(rows, decided)
    of = {k.mention: n for n, a in enumerate(found.authors) for k in a.links}
    assert sorted(of) == list(range(10))
    for must in decided.must:
        assert len({of[m] for m in must.mentions}) == 1
    for a, b in decided.cannot:
        assert {of[m] for m in a}.isdisjoint(of[m] for m in b)
    mixer.shuffle(rows)
    assert cluster(rows, decided) == found


def test_a_name_that_was_decided() -> None:
    rows = rows_of(["Moira Tresk"], ["M. Tresk"], ["Jonas Berg"])
    (berg, author) = cluster(rows, Decided(renames=(Rename(frozenset({0, 1}), "Kai Tresk"),))).authors
    assert (author.name, author.key, author.is_renamed, author.is_private) == (
        "Kai Tresk", "kai tresk", True, False,
    )  # fmt: skip
    assert sorted(author.forms) == [("Kai Tresk", 0), ("M. Tresk", 1), ("Moira Tresk", 1)]
    assert not berg.is_renamed


def test_a_private_name_is_all_that_is_said() -> None:
    orcid = f"={ONE}"
    rows = rows_of(
        ["Moira Vance", "Jonas Berg"],
        ["M. Vance", "Jonas Berg"],
        ["Moira Vance" + orcid],
        ["Ute Stahl" + orcid],
    )
    decided = Decided(
        must=(Must((0, 2), "decided: merged 2026-01-01"),),
        renames=(Rename(frozenset({0, 2, 4}), "Kai Tresk", is_private=True),),
    )
    assert "Vance" in repr(replace(cluster(rows, Decided(must=decided.must)), authors=[]))
    found = cluster(rows, decided)
    assert "vance" not in repr(found).lower()
    assert ("Kai Tresk", (("Kai Tresk", 3),)) in [(a.name, a.forms) for a in found.authors]


def test_numbers_follow_from_what_stands() -> None:
    plain = [("ada", [1, 2, 3]), ("jonas", [4, 5])]
    numbering = keep_numbers(plain, {1: 111, 2: 111, 3: 111, 4: 222, 5: 222}, {}, {})
    merged = decide_numbers(plain, numbering, [("ada", [1, 2, 3, 4, 5])], ["ada"], {})
    assert (merged.numbers, merged.redirects) == ((111,), {222: 111})
    assert merged.other_keys == {222: "jonas"}
    assert merged.other_members == {4: 222, 5: 222}
    parts = [("split x", [1, 2]), ("ada", [3]), ("jonas", [4, 5])]
    split = decide_numbers(plain, numbering, parts, ["ada~2", "ada", "jonas"], {1: [111]})
    assert split.numbers[1:] == (111, 222)  # the rest keeps the number, though it is smaller
    assert split.other_keys == {split.numbers[0]: ""}
    assert split.other_members == {1: 111, 2: 111}


def test_the_question_that_is_worth_most_comes_from_likelihood_and_size() -> None:
    rows = rows_of(["Mika Ito"], ["M. Ito"], ["Mark Ito"])
    found = cluster(rows)
    author_of = {k.mention: 100 + n for n, a in enumerate(found.authors) for k in a.links}
    for a, b, score, worth, reasons in questions(found.candidates, author_of, Counter(author_of.values())):
        assert a < b
        assert 0 < score < 1
        assert worth == pytest.approx(score)  # one mention each: log2(1 + 1)
        assert "initials fit" in reasons


def test_explaining_says_what_stops_and_what_is_missing() -> None:
    rows = rows_of(
        ["Mika Ito", "Ute Stahl"], ["M. Ito", "Ute Stahl"], ["Mark Ito"],
        [f"Ada Quill={ONE}"], [f"Ada Quill={TWO}"], ["Jonas Berg", "team:Aurora"],
    )  # fmt: skip
    explainer = Explainer(rows, Decided())
    told = explainer.explain([0], [2])
    words = " | ".join(text for _, text in told.points)
    assert "initials fit: Mika Ito and M. Ito" in words
    assert "may also be another's: Mark Ito" in words
    assert told.weight == pytest.approx(sum(w for w, _ in told.points if w is not None), abs=0.01)
    assert told.weight < told.needed
    told = explainer.explain([5], [6])
    assert (None, f"two iDs: {ONE} and {TWO}") in told.points
    assert "stop" in told.changes[0]
    told = explainer.explain([0], [7])
    assert (None, "names that do not fit: Mika Ito and Jonas Berg") in told.points
    assert explainer.explain([7], [8]).points[0][0] is None
    decided = ruled(ruling("distinct", (0,), (2,)))
    told = Explainer(rows, decided).explain([0], [2])
    assert (None, "it was decided that they are two") in told.points
