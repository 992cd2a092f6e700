"""What two sides share: each pair that may share enough is found."""

from __future__ import annotations

from itertools import permutations

from cffgraph.resolve.evidence import COUNTED
from cffgraph.resolve.known import NOBODY, Common, Known
from cffgraph.resolve.sharing import MOST_SHARING, Sharing
from hypothesis import given
from hypothesis import strategies as st

COAUTHORS = st.frozensets(st.integers(0, 9).map(lambda n: 2 * n))
"""Numbers of features `coauthor`; that of the same one in a crowd is one more."""
THINGS = st.frozensets(st.integers(20, 29))


class Some:
    """Features: ten coauthors and the same in a crowd, and ten things of three kinds."""

    kind = ("coauthor", "crowd") * 10 + ("repository", "affiliation", "team") * 3 + ("team",)
    weight = tuple([(0.25, 0.5, 2.0)[n % 3] if n % 2 == 0 else 0.25 for n in range(20)] + [0.5, 1.5] * 5)


def known(near: frozenset[int], crowd: frozenset[int], things: frozenset[int]) -> Known:
    return Known(near, near | crowd if crowd else near, things)


SIDES = st.lists(st.builds(known, COAUTHORS, COAUTHORS, THINGS), min_size=2, max_size=8)


def weight_of(common: Common) -> float:
    """What is shared weighs as much as the best of each kind, and the best few coauthors."""
    of_kind: dict[str, list[float]] = {}
    for n in (*common.near, *(n + 1 for n in common.crowd), *common.things):
        of_kind.setdefault(Some.kind[n], []).append(Some.weight[n])
    return sum(sum(sorted(w)[-COUNTED.get(kind, 1) :]) for kind, w in of_kind.items())


@given(SIDES, st.sampled_from([-1.0, 0.25, 0.5, 1.0, 2.0, 3.5, 5.0]))
def test_every_pair_that_shares_enough_is_found_and_none_that_shares_nothing(
    sides: list[Known], least: float
) -> None:
    for sharing in (Sharing.among(sides, Some()), Sharing.with_any(sides, Some())):
        for number, side in enumerate(sides):
            sharing.note(number, side)
        for a, b in permutations(range(len(sides)), 2):
            found = b in sharing.reaching(sides[a], least, lambda side: side)
            common = sides[a].both(sides[b])
            assert found or weight_of(common) < least or not any(common)
            assert sides[a].meets(sides[b]) or not found
            if least <= 0:
                assert found == sides[a].meets(sides[b])


@given(SIDES)
def test_joined_sides_are_found_as_one(sides: list[Known]) -> None:
    """By the one that stands for all of them, as if it had been noted with all that they know."""
    first, *others = sides
    sharing = Sharing.with_any([first], Some())
    for number, side in enumerate(others):
        sharing.note(number, side)
    assert bool(sharing.reaching(first, 0.0, lambda _: 0)) == first.meets(Known.joined(others))


def test_what_very_many_share_says_nothing_until_they_are_few() -> None:
    side = Known(NOBODY, NOBODY, frozenset((20,)))
    sharing = Sharing.with_any([side], Some())
    for number in range(MOST_SHARING + 1):
        sharing.note(number, side)
    assert sharing.reaching(side, 0.0, lambda side: side) == set()
    assert len(sharing.reaching(side, 0.0, lambda side: side - side % 2)) == MOST_SHARING // 2 + 1


def test_sides_that_are_forgotten_are_not_found() -> None:
    side = Known(NOBODY, NOBODY, frozenset((20,)))
    sharing = Sharing.among([side, side], Some())
    sharing.note(0, side)
    sharing.forget()
    assert not sharing.reaching(side, 0.0, lambda side: side)
    assert sharing.looks_at(side)
    assert not sharing.looks_at(Known(NOBODY, NOBODY, frozenset((21,))))
