"""What evidence weighs."""

import pytest
from cffgraph.resolve import evidence
from cffgraph.resolve.census import census_of
from cffgraph.resolve.evidence import Rarity, confidence, name_weight, prolific, shared_weight
from cffgraph.resolve.features import Features
from cffgraph.resolve.mentions import MentionRow
from cffgraph.resolve.names import parse
from cffgraph.resolve.written import Signed


def test_a_rare_name_says_more() -> None:
    names = [parse("Wang", g) for g in ("Wei", "Lan", "Jun", "Min", "Tao")] + [
        parse(f, "Wei") for f in ("Li", "Chen", "Zhou")
    ]
    rarity = Rarity.of([*names, parse("Tormund", "Brekka")])
    full, initial, rare = (
        rarity.others(n) for n in (parse("Wang", "Wei"), parse("Wang", "W."), parse("Tormund", "Brekka"))
    )
    assert initial > full > rare
    assert rarity.others(parse("Wang", "Wei B.")) < full
    assert name_weight(rare) >= name_weight(full) > name_weight(initial)


def test_the_longer_names_that_initials_fit_are_counted() -> None:
    full = [parse("Wang", given) for given in ("Jie-Chao", "Jie Chao", "Jun", "Jiechao", "Jun Chen", "Xin")]
    rarity = Rarity.of(full)
    known = {given: rarity.known(parse("Wang", given)) for given in ("J.", "J. C.", "X.", "X. Y.", "K.")}
    # For J.: Jiechao, Jie and Jun; for J. C.: Jie Chao and Jun Chen.
    assert known == {"J.": 3, "J. C.": 2, "X.": 1, "X. Y.": 0, "K.": 0}


def test_people_known_by_longer_names_are_expected_to_write_initials_too() -> None:
    rarity = Rarity.of([parse("Wang", given) for given in ("Jie", "Jun", "Jin", "Xin", "Lan", "Min")])
    names = [parse("Wang", given) for given in ("J.", "X.", "Jie")]
    several, one, full = (rarity.alike(name, rarity.others(name)) for name in names)
    assert 2 < several < 3
    assert one < 0.1 < rarity.others(parse("Wang", "X."))
    assert full < rarity.others(parse("Wang", "Jie"))


def test_the_rarity_of_a_name_reads_no_count_that_it_does_not_name() -> None:
    asked: set[str] = set()

    def count(key: str) -> float:
        asked.add(key)
        return 3.0

    rarity = Rarity(count)
    for name in (parse("Wang", "J. C."), parse("Wang", "Jie-Chao"), parse("Wang"), parse("", "Jie")):
        asked.clear()
        rarity.alike(name, rarity.others(name))
        assert asked <= {*Rarity.read(name), "names"}


def test_only_many_mentions_are_a_sign_of_one_who_signs_so() -> None:
    names = [parse("Ito", "Mika"), parse("Ito", "Mark"), parse("Ito", "M.")]
    signed = Signed(names, {0: 1, 1: 3, 2: 9})
    assert signed.usual(names[2], 2) == 2 + evidence.FEW_SIGNED
    assert prolific(6, 6) == 0 < prolific(60, 6) < prolific(10**6, 6) == evidence.MOST_PROLIFIC


def test_where_not_all_are_at_hand_whom_initials_fit_no_number_of_mentions_says_anything() -> None:
    signed = Signed([parse("Ito", "Mika"), parse("Ito", "M.")], {0: 1, 1: 9})
    assert prolific(10**6, signed.usual(parse("Ito", "M."), 2)) == 0


def test_a_shared_thing_says_less_the_more_carry_it() -> None:
    weights = [shared_weight("affiliation", n, 1000) for n in (2, 50, 400, 1000)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] == 0
    assert shared_weight("email", 2, 3) > evidence.LINE


def test_every_grade_has_a_weight_and_none_speaks_for() -> None:
    assert {*evidence.FAMILY_WEIGHT, *evidence.GIVEN_WEIGHT} >= set(evidence.REPEATED)
    assert max(*evidence.FAMILY_WEIGHT.values(), *evidence.GIVEN_WEIGHT.values()) == 0


@pytest.mark.parametrize(("weight", "probability"), [(0.0, 0.5), (4.0, 0.982), (-4.0, 0.018)])
def test_confidence(weight: float, probability: float) -> None:
    assert confidence(weight) == probability


def test_coauthors_are_told_and_oneself_is_none() -> None:
    people = [("Quill", "Ada"), ("Tamsin", "Wren"), ("Quill", "A."), ("Tamsin", "W.")]
    rows = [
        MentionRow(
            n,
            f"k{n}",
            n // 2,
            n % 2,
            n // 2,
            "person",
            family,
            given,
            email="ada@one.example" if n % 2 == 0 else "",
        )
        for n, (family, given) in enumerate(people)
    ]
    names = [parse(r.family_names, r.given_names) for r in rows]
    features = Features(rows, [r.list_id for r in rows], list(range(4)), names, census_of(rows))
    common = features.of([0]).both(features.of([2]))
    words = features.words(common)
    assert "same e-mail" in words
    assert "Tamsin W" in words
    assert "Quill" not in words
    assert features.weigh(common) == sum(weight for weight, _ in features.points(common)) > evidence.LINE


def test_no_single_coauthor_holds_the_mentions_of_a_name_together() -> None:
    # What is joined by one thing alone is looked for among the others only.
    assert max(evidence.MOST[kind] for kind in evidence.COUNTED) < evidence.LEAST_SHARED
