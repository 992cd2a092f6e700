"""Who is who: every rule by a small world of its own."""

from __future__ import annotations

import random
import time

import pytest
from cffgraph.resolve.authors import Clustering, MentionRow, cluster, ready
from cffgraph.resolve.decided import Decided
from hypothesis import given, settings
from hypothesis import strategies as st

ONE, TWO, THREE = "0000-0009-9000-0317", "0000-0009-9000-0325", "0000-0009-9000-1010"

Entry = str | dict[str, str]


def rows_of(*lists: list[Entry], works: list[int] | None = None) -> list[MentionRow]:
    """Mentions of author lists; an entry is `Family, Given` or fields; `team:`, `bot:` mark other kinds."""
    rows = []
    for number, entries in enumerate(lists):
        for position, entry in enumerate(entries):
            fields = dict(entry) if isinstance(entry, dict) else {}
            text = fields.pop("who", "") if fields else str(entry)
            kind, name = "person", ""
            for mark, its_kind in (("team:", "entity"), ("bot:", "bot")):
                if text.startswith(mark):
                    kind, name, text = its_kind, text.removeprefix(mark), ""
            family, _, first = text.partition(", ")
            row = MentionRow(
                len(rows), f"{number:03}#authors[{position:04}]", number, position,
                works[number] if works else number, kind, family, first, name=name, repository=f"https://forge.example/o{number}/r",
            )  # fmt: skip
            rows.append(row._replace(**fields))
    return rows


def groups(rows: list[MentionRow]) -> list[set[str]]:
    """The clusters as sets of `list.position`."""
    label = {r.id: f"{r.list_id}.{r.position}" for r in rows}
    return [{label[link.mention] for link in author.links} for author in cluster(rows).authors]


def together(rows: list[MentionRow], *mentions: str) -> bool:
    return any(set(mentions) <= g for g in groups(rows))


def names(result: Clustering, kind: str = "person") -> list[str]:
    return [a.name for a in result.authors if a.kind == kind]


JOINED = [
    (["Quill, Ada Beatrix"], ["Quill, A. B."], ["Quill, AB"]),
    (["Holt, Ludo van"], ["van Holt, Ludo"], [{"who": "Holt, Ludo", "name_particle": "van"}]),
    (["Köhler, Ute"], ["Koehler, Ute"], ["Kohler, Ute"]),
    (["Castelli, Filippo Maria"], ["Maria Castelli, Filippo"], ["Castelli, F. M."]),
    (["Kim, Ji-hoon"], ["Kim, Jihoon"]),
    ([{"who": "Brekke, Ole Tormund", "orcid": ONE}], [{"who": "Solvang, Ole Tormund", "orcid": ONE}]),
    ([{"who": "Konovalov, Olexandr", "orcid": ONE}], [{"who": "Konovalov, Alexander", "orcid": ONE}]),
    ([{"who": "Dreyer, Lennart", "orcid": ONE}], [{"who": "Lennart, Dreyer", "orcid": ONE}]),
    ([{"who": "Harlow Jr., Thomas", "orcid": ONE}], [{"who": "Harlow, Thomas", "orcid": ONE}]),
    (
        [{"who": "Quill, Mike", "email": "m@one.example"}],
        [{"who": "Quill, Michael", "email": "m@one.example"}],
    ),
    ([{"who": "Quill, ", "email": "m@one.example"}], [{"who": "Quill, Michael", "email": "m@one.example"}]),
]


@pytest.mark.parametrize("lists", JOINED, ids=str)
def test_one_person(lists: tuple[list[Entry], ...]) -> None:
    assert len(cluster(rows_of(*lists)).authors) == 1


APART = [
    (["Doer, John"], ["Doer, Jack"]),
    (["Cheng, Yang"], ["Cheng, Yan"], ["Cheng, Yu"]),
    (["Quill, Ed"], ["Quill, Eric Dan"]),
    (["Aster, Kim", "Aster, K."],),
    (["Ito, Mika"], ["Ito, Mark"], ["Ito, M."]),
    ([{"who": "Qiu, Lan", "orcid": ONE}], [{"who": "Qiu, Lan", "orcid": TWO}], ["Qiu, Lan"]),
    (
        [{"who": "Quill, Ada", "orcid": ONE}],
        [{"who": "Stahl, Ute", "orcid": ONE}],
        [{"who": "Ruz, Ivo", "orcid": ONE}],
    ),
    ([{"who": "Harlow, Thomas", "name_suffix": "III"}], [{"who": "Harlow, Thomas", "name_suffix": "IV"}]),
    (["Forst, Ina"], ["Forster, Ina"]),
    (["Quill, Mike"], ["Quill, Michael"]),
    (["Dreyer, Lennart"], ["Lennart, Dreyer"]),
    (["PyTorch Team"], ["team:PyTorch Team"]),
]


@pytest.mark.parametrize("lists", APART, ids=str)
def test_as_many_people_as_mentions(lists: tuple[list[Entry], ...]) -> None:
    rows = rows_of(*lists)
    assert len(cluster(rows).authors) == len(rows)


def test_an_initial_goes_where_the_coauthors_are() -> None:
    lists: list[list[Entry]] = [
        ["Ito, Mika", "Stahl, Ute", "Ruz, Ivo"],
        ["Ito, Mark", "Laub, Eva"],
        ["Ito, M.", "Stahl, Ute", "Ruz, Ivo"],
    ]
    rows = rows_of(*lists)
    assert together(rows, "0.0", "2.0")
    assert not together(rows, "0.0", "1.0")
    reason = next(
        ln.reason for a in cluster(rows).authors for ln in a.links if rows[ln.mention].given_names == "M."
    )
    assert reason.startswith("initials fit: M. Ito")
    assert "coauthor" in reason


def test_an_initial_between_two_is_offered_for_review() -> None:
    rows = rows_of(["Ito, Mika"], ["Ito, Mark"], ["Ito, M."])
    offered = cluster(rows).candidates
    assert {(c.a, c.b) for c in offered} == {(0, 2), (1, 2)}
    assert all(c.reasons and 0 < c.score < 1 for c in offered)


def test_the_same_work_listed_twice_proves_a_spelling() -> None:
    rows = rows_of(["Ferranti, Lia", "Stahl, Ute"], ["Feranti, Lia", "Stahl, Ute"], works=[7, 7])
    assert together(rows, "0.0", "1.0")
    assert not together(rows_of(["Ferranti, Lia"], ["Feranti, Lia"]), "0.0", "1.0")


def test_two_entries_of_one_list_stay_two_over_whole_clusters() -> None:
    # K. Aster fits Kim and Karl; both stand in one list with another K. Aster.
    rows = rows_of(["Aster, Kim", "Aster, K."], ["Aster, Kim"], ["Aster, K."])
    found = groups(rows)
    assert {"0.0", "1.0"} in found
    assert not any({"0.0", "0.1"} <= g for g in found)


def test_letter_for_letter_twice_in_one_list_is_one_and_told() -> None:
    result = cluster(rows_of(["Aster, Kim", "Stahl, Ute", "Aster, Kim"]))
    assert names(result) == ["Kim Aster", "Ute Stahl"]
    assert [(c.code, c.mentions) for c in result.conflicts] == [("duplicate-author", (0, 2))]


def test_the_orcid_of_an_example_is_no_evidence_and_told() -> None:
    carberry = "0000-0002-1825-0097"
    result = cluster(
        rows_of(
            *MANY, *([{"who": who, "orcid": carberry}] for who in ("Tarn, Ada", "Tarn, A. B.", "Tarn, A. C."))
        )
    )
    of_them = [a for a in result.authors if a.name.endswith("Tarn")]
    assert len(of_them) > 1
    assert {a.orcid for a in of_them} == {""}
    assert "same ORCID iD" not in str(result.authors)
    (conflict,) = result.conflicts
    assert conflict.message == (
        f"iD {carberry} is the example of a guide, and no one's here:"
        " A. B. Tarn, A. C. Tarn, Ada Tarn; it is not used"
    )


def test_one_orcid_twice_in_one_list_is_one_and_told() -> None:
    result = cluster(rows_of([{"who": "Aster, Kim", "orcid": ONE}, {"who": "Aster, K.", "orcid": ONE}]))
    assert [(a.name, a.orcid) for a in result.authors] == [("Kim Aster", ONE)]
    assert [c.code for c in result.conflicts] == ["duplicate-author"]


def test_bare_mentions_of_one_list_stay_apart_under_a_shared_orcid() -> None:
    rows = rows_of(
        [{"who": "Quill, Ada", "orcid": ONE}],
        [{"who": "Quill, Ada B.", "orcid": ONE}],
        ["Quill, Ada", "Quill, Ada B."],
    )
    assert not together(rows, "2.0", "2.1")
    assert together(rows, "0.0", "1.0")


def test_an_orcid_on_names_that_do_not_fit_is_nobodys() -> None:
    result = cluster(rows_of([{"who": "Quill, Ada", "orcid": ONE}], [{"who": "Stahl, Ute", "orcid": ONE}]))
    assert [(a.name, a.orcid) for a in result.authors] == [("Ada Quill", ""), ("Ute Stahl", "")]
    assert [(c.code, c.mentions) for c in result.conflicts] == [("orcid-conflict", (0, 1))]
    assert ONE in result.conflicts[0].message


def test_two_orcids_on_one_rare_name_are_told_and_offered() -> None:
    result = cluster(
        rows_of([{"who": "Elbaran, Ismar", "orcid": ONE}], [{"who": "Elbaran, Ismar", "orcid": TWO}])
    )
    assert [a.key for a in result.authors] == [ONE, TWO]
    assert [c.code for c in result.conflicts] == ["orcid-conflict"]
    assert len(result.candidates) == 1


def test_entities_and_bots_are_kinds_of_their_own() -> None:
    result = cluster(
        rows_of(
            ["team:The PyTorch Team", "bot:renovate-bot", "Talbot, Renée"],
            ["team:PyTorch Team", "bot:renovate-bot"],
        )
    )
    assert names(result, "entity") == ["The PyTorch Team"]
    assert names(result, "bot") == ["renovate-bot"]
    assert names(result) == ["Renée Talbot"]


@pytest.mark.parametrize(
    ("forms", "label"),
    [
        (["LIVSEY, Sara", "Livsey, SARA", "Livsey, Sara"], "Sara Livsey"),
        (["Colomes, Núria", "Colome\u0301s, Nu\u0301ria"], "Núria Colomés"),
        (["Talo 0001, Wen"], "Wen Talo"),
        (["QUILL, ADA"], "ADA QUILL"),
        (["Quill, A.", "Quill, A.", "Quill, Ada B."], "Ada B. Quill"),
        (["livsey, sara", "Livsey, Sara"], "Sara Livsey"),
        (["Quill, Ada"], "Ada Quill"),
    ],
)
def test_labels(forms: list[str], label: str) -> None:
    result = cluster(rows_of(*[[f] for f in forms]))
    assert names(result) == [label]
    assert sum(n for _, n in result.authors[0].forms) == len(forms)


def test_namesakes_get_numbers_in_the_order_of_their_evidence() -> None:
    result = cluster(rows_of(["Aster, Kim", "Aster, Kim "], ["Stahl, Ute"]))
    assert [a.key for a in result.authors] == ["kim aster", "kim aster~2", "ute stahl"]


GIVENS_OF_MANY = [
    f"{a}{b}" for a in ("Bo", "Da", "Fei", "Hai", "Ke", "Lu") for b in ("an", "en", "ing", "ong", "u")
]
MANY: list[list[Entry]] = [[f"Talo, {given}"] for given in GIVENS_OF_MANY]
"""A family name that is frequent: thirty people of different given names."""


def test_initials_of_a_frequent_name_are_one_person_where_one_known_person_fits_at_most() -> None:
    signed: list[list[Entry]] = [["Talo, X. R."], ["Talo, X. R."], ["Talo, X. R."]]
    none, one = rows_of(*MANY, *signed), rows_of(*MANY, *signed, ["Talo, Xia Ren"])
    assert together(none, "30.0", "31.0", "32.0")
    assert together(one, "30.0", "31.0", "32.0")


def test_initials_that_fit_two_known_people_stay_apart_and_are_offered() -> None:
    rows = rows_of(*MANY, ["Talo, X. R."], ["Talo, X. R."], ["Talo, Xia Ren"], ["Talo, Xu Rong"])
    assert not together(rows, "30.0", "31.0")
    offered = {(c.a, c.b): c.reasons for c in cluster(rows).candidates}
    assert offered[30, 31] == ("same initials, which fit several people; nothing else is shared",)


def test_whom_longer_names_have_settled_nobody_is_asked_about() -> None:
    two = [("Talo, Xia Ren", ONE), ("Talo, Xu Rong", TWO)]
    known: list[list[Entry]] = [[{"who": who, "orcid": orcid}] for who, orcid in two]
    short: list[list[Entry]] = [[{"who": "Talo, X. R.", "orcid": orcid}] for _, orcid in two]

    def asked(*files: list[Entry]) -> int:
        return sum("told apart by iDs" in c.reasons[0] for c in cluster(rows_of(*MANY, *files)).candidates)

    assert asked(*short) == 1
    assert asked(*short, *known) == 0


def test_initials_that_fit_two_are_one_person_at_one_place() -> None:
    two: list[list[Entry]] = [["Talo, Xia Ren"], ["Talo, Xu Rong"]]
    here, there = (
        {"who": "Talo, X. R.", "affiliation": f"Observatory of {town}"} for town in ("Aven", "Brel")
    )
    rows = rows_of(*MANY, *two, [here], [here], [there])
    assert together(rows, "32.0", "33.0")
    assert not together(rows, "32.0", "34.0")
    link = next(ln for a in cluster(rows).authors for ln in a.links if ln.mention == 33)
    assert link.reason == "same initials, which fit several people; same affiliation"


@pytest.mark.parametrize(("times", "people"), [(2, 2), (30, 1)])
def test_who_is_written_far_more_often_than_those_known_is_one_who_signs_so(times: int, people: int) -> None:
    two: list[list[Entry]] = [["Talo, Xia Ren"], ["Talo, Xu Rong"]]
    rows = rows_of(*MANY, *two, *[["Talo, X. R."]] * times)
    signed = [a for a in cluster(rows).authors if a.name == "X. R. Talo"]
    assert len(signed) == people


def test_a_known_shared_name_is_no_ones_who_signs_so() -> None:
    rows = rows_of(
        *MANY, *[["Talo, X. R."]] * 30, ["Talo, X. R.", {"who": "Talo, X. R.", "email": "x@one.example"}]
    )
    assert len([a for a in cluster(rows).authors if a.name == "X. R. Talo"]) > 20


def test_a_hyphen_makes_no_other_name() -> None:
    rows = rows_of(*MANY, ["Talo, Xia-Ren"], ["Talo, Xiaren"], ["Talo, Xiaran"])
    assert together(rows, "30.0", "31.0")
    assert not together(rows, "30.0", "32.0")


def test_of_one_name_in_pieces_the_largest_are_offered_for_review() -> None:
    known: list[list[Entry]] = [["Talo, Xia Ren"], ["Talo, Xu Rong"]] * 40
    far: list[list[Entry]] = [
        [{"who": "Talo, X. R.", "affiliation": f"Observatory of Town {n // 2}"}] for n in range(80)
    ]
    rows = rows_of(*MANY, *known, *far)
    result = cluster(rows)
    pieces = [a for a in result.authors if a.name == "X. R. Talo"]
    offered = [c for c in result.candidates if rows[c.a].given_names == rows[c.b].given_names]
    assert len(pieces) > len(offered) > 0


@pytest.mark.parametrize(("common", "counts"), [(3, False), (15, True)])
def test_few_coauthors_in_common_of_two_large_lists_are_chance(common: int, counts: bool) -> None:
    people = [f"Stem{chr(97 + n // 26)}{chr(97 + n % 26)}, Ada" for n in range(60)]
    one, two = people[:30], people[30 - common : 60 - common]
    rows = rows_of(["Talo, Wen", *one], ["Talo, Wen", *two], one, two)
    _, found, _ = ready(rows, Decided())
    place = {(r.list_id, r.position): i for i, r in enumerate(found.rows)}
    features = found.features
    common = features.of([place[0, 0]]).both(features.of([place[1, 0]]))
    assert bool(common.crowd) is counts


FAMILIES, GIVENS = (
    ["Quill", "Wang", "Köhler", "van Holt", "Koehler"],
    ["Ada", "A.", "Ada B.", "Wei", "W.", "Bea", "B.", ""],
)
entries = st.builds(
    lambda f, g, o, e: {"who": f"{f}, {g}", "orcid": o, "email": e},
    st.sampled_from(FAMILIES),
    st.sampled_from(GIVENS),
    st.sampled_from(["", "", "", ONE, TWO, THREE]),
    st.sampled_from(["", "", "a@one.example", "b@two.example"]),
)
worlds = st.lists(st.lists(entries, min_size=1, max_size=4), min_size=1, max_size=7)


@settings(deadline=None, max_examples=150)
@given(worlds, st.randoms(use_true_random=False), st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_the_order_of_rows_does_not_matter_and_constraints_hold(
    lists: list[list[Entry]], random_order: random.Random, works: list[int]
) -> None:
    rows = rows_of(*lists, works=works)
    result = cluster(rows)
    mixed = [r._replace(id=r.id + 1000) for r in rows]
    random_order.shuffle(mixed)
    again = cluster(mixed)

    def plain(c: Clustering, minus: int) -> object:
        return (
            [
                (
                    a.key,
                    a.name,
                    a.orcid,
                    a.forms,
                    [(ln.mention - minus, ln.reason, ln.confidence) for ln in a.links],
                )
                for a in c.authors
            ],
            [(x.code, x.message, [m - minus for m in x.mentions]) for x in c.conflicts],
            [(x.a - minus, x.b - minus, x.score, x.reasons) for x in c.candidates],
        )

    assert plain(result, 0) == plain(again, 1000)
    assert sorted(ln.mention for a in result.authors for ln in a.links) == list(range(len(rows)))
    assert len({a.key for a in result.authors}) == len(result.authors)
    void = {row.orcid for c in result.conflicts for row in rows if f"iD {row.orcid} stands on" in c.message}
    for author in result.authors:
        mine = [rows[ln.mention] for ln in author.links]
        assert len({r.orcid for r in mine if r.orcid} - void) <= 1
        for i, a in enumerate(mine):
            for b in mine[:i]:
                if a.list_id == b.list_id:  # only the same iD, or every letter
                    letters = [m._replace(id=0, key="", position=0) for m in (a, b)]
                    assert (a.orcid and a.orcid == b.orcid) or letters[0] == letters[1]


def test_ten_thousand_of_one_name_are_fast() -> None:
    start = time.perf_counter()
    result = cluster(rows_of(*[["Wei, Wang", f"Stem{n % 50}, Ada"] for n in range(10_000)]))
    assert len(result.authors) <= 52
    assert time.perf_counter() - start < 20


def test_a_list_of_three_thousand_is_fast() -> None:
    start = time.perf_counter()
    result = cluster(
        rows_of([f"Stem{n}, {chr(65 + n % 26)}iven" for n in range(3_000)], ["Stem5, F.", "Stem6, Given"])
    )
    assert len(result.authors) == 3_000
    assert time.perf_counter() - start < 20


def test_no_mentions_and_empty_names() -> None:
    assert cluster([]) == Clustering([], [], [])
    result = cluster(rows_of(["", "Q"], [{"who": "", "alias": "ada"}]))
    assert sum(len(a.links) for a in result.authors) == 3
    assert len({a.key for a in result.authors}) == len(result.authors)
