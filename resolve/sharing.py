"""Which of many sides share enough to be compared, found by what they share: never all with all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .known import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from .known import Known

MOST_SHARING = 60
"""Sides that share one thing and are compared for it; beyond, the thing says too little."""


class Sharing:
    """Sides (parts of a name, groups) by what they know, to be asked which of them shares what."""

    def __init__(self, far: Set[int], things: Set[int], weight: Sequence[float]) -> None:
        """`far` and `things` is all that is looked at; `weight` has the weights of features."""
        self._far, self._things, self._weight = far, things, weight
        self._having: dict[int, list[int]] = {}

    @classmethod
    def among(cls, sides: Iterable[Known], weight: Sequence[float]) -> Sharing:
        """Return what is to be asked about `sides` alone: most of what one knows, none of the others does."""
        far, things = set[int](), set[int]()
        both_far, both_things = set[int](), set[int]()
        for side in sides:
            both_far |= far & side.far
            both_things |= things & side.things
            far |= side.far
            things |= side.things
        return cls(both_far, both_things, weight)

    @classmethod
    def with_any(cls, sides: Sequence[Known], weight: Sequence[float]) -> Sharing:
        """Return what is to be asked about `sides` and others, however many."""
        return cls(
            NOBODY.union(*[side.far for side in sides]),
            NOBODY.union(*[side.things for side in sides]),
            weight,
        )

    def forget(self) -> None:
        """Forget the sides that were noted, as if none had been."""
        self._having = {}

    def looks_at(self, known: Known) -> bool:
        """Whether a side knows anything that is looked at."""
        return not (self._far.isdisjoint(known.far) and self._things.isdisjoint(known.things))

    def note(self, side: int, known: Known) -> None:
        """Note what a side knows, given by its number."""
        having = self._having
        for looked_at, features in ((self._far, known.far), (self._things, known.things)):
            for feature in looked_at & features:
                having.setdefault(feature, []).append(side)

    def sums(self, known: Known, find: Callable[[int], int]) -> Mapping[int, float]:
        """Return the standing sides that share anything with one that knows this, each with the most that it
        can say.

        `find` returns what stands for a side that was noted, once sides were joined.
        """
        found: dict[int, float] = defaultdict(float)
        having, near, weights = self._having, known.near, self._weight
        for features, is_coauthor in ((known.far, True), (known.things, False)):
            for feature in having.keys() & features:
                sides = having[feature]
                if len(sides) > MOST_SHARING:
                    sides = having[feature] = list({find(side) for side in sides})
                    if len(sides) > MOST_SHARING:
                        continue
                weight = weights[feature + 1 if is_coauthor and feature not in near else feature]
                for side in sides:
                    found[find(side)] += weight
        return found
