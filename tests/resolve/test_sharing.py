"""What two sides share: each pair that shares anything is found, with no less than it may weigh."""

from __future__ import annotations

from itertools import combinations

from cffgraph.resolve.known import NOBODY, Known
from cffgraph.resolve.sharing import MOST_SHARING, Sharing
from hypothesis import given
from hypothesis import strategies as st

COAUTHORS = st.frozensets(st.integers(0, 9).map(lambda n: 2 * n))
"""Numbers of features `coauthor`; that of the same one in a crowd is one more."""
THINGS = st.frozensets(st.integers(20, 29))
WEIGHT = [0.25 * (n % 5) + 0.5 if n >= 20 or n % 2 == 0 else 0.25 for n in range(30)]


def known(near: frozenset[int], crowd: frozenset[int], things: frozenset[int]) -> Known:
    return Known(near, near | crowd if crowd else near, things)


SIDES = st.lists(st.builds(known, COAUTHORS, COAUTHORS, THINGS), min_size=2, max_size=8)


@given(SIDES)
def test_every_pair_that_shares_anything_is_found(sides: list[Known]) -> None:
    for sharing in (Sharing.among(sides, WEIGHT), Sharing.with_any(sides, WEIGHT)):
        for number, side in enumerate(sides):
            sharing.note(number, side)
        for a, b in combinations(range(len(sides)), 2):
            sums = sharing.sums(sides[a], lambda side: side)
            assert (b in sums) == sides[a].meets(sides[b])
            near, crowd, things = sides[a].both(sides[b])
            weight = sum(WEIGHT[n] for n in (*near, *(n + 1 for n in crowd), *things))
            assert sums.get(b, 0.0) >= weight


@given(SIDES)
def test_joined_sides_are_found_as_one(sides: list[Known]) -> None:
    """By the one that stands for all of them, as if it had been noted with all that they know."""
    first, *others = sides
    sharing = Sharing.with_any([first], WEIGHT)
    for number, side in enumerate(others):
        sharing.note(number, side)
    assert bool(sharing.sums(first, lambda _: 0)) == first.meets(Known.joined(others))


def test_what_very_many_share_says_nothing_until_they_are_few() -> None:
    side = Known(NOBODY, NOBODY, frozenset((20,)))
    sharing = Sharing.with_any([side], WEIGHT)
    for number in range(MOST_SHARING + 1):
        sharing.note(number, side)
    assert sharing.sums(side, lambda side: side) == {}
    assert len(sharing.sums(side, lambda side: side - side % 2)) == MOST_SHARING // 2 + 1


def test_sides_that_are_forgotten_are_not_found() -> None:
    side = Known(NOBODY, NOBODY, frozenset((20,)))
    sharing = Sharing.among([side, side], WEIGHT)
    sharing.note(0, side)
    sharing.forget()
    assert not sharing.sums(side, lambda side: side)
    assert sharing.looks_at(side)
    assert not sharing.looks_at(Known(NOBODY, NOBODY, frozenset((21,))))
