"""What evidence weighs."""

import pytest
from cffgraph.resolve import evidence
from cffgraph.resolve.evidence import Rarity, confidence, name_weight, shared_weight
from cffgraph.resolve.features import Features
from cffgraph.resolve.mentions import MentionRow
from cffgraph.resolve.names import parse


def test_a_rare_name_says_more() -> None:
    names = [parse("Wang", g) for g in ("Wei", "Lan", "Jun", "Min", "Tao")] + [
        parse(f, "Wei") for f in ("Li", "Chen", "Zhou")
    ]
    rarity = Rarity([*names, parse("Tormund", "Brekka")])
    full, initial, rare = (
        rarity.others(n) for n in (parse("Wang", "Wei"), parse("Wang", "W."), parse("Tormund", "Brekka"))
    )
    assert initial > full > rare
    assert rarity.others(parse("Wang", "Wei B.")) < full
    assert name_weight(rare) >= name_weight(full) > name_weight(initial)


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
    features = Features(rows, list(range(4)), names)
    shared = features.of_mention(0) & features.of_mention(2)
    weight, words = features.weigh(shared)
    assert "same e-mail" in words
    assert "Tamsin W" in words
    assert "Quill" not in words
    assert weight > evidence.LINE
