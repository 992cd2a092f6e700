"""Which of many sides share enough to be compared, found by what they share: never all with all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .evidence import COUNTED
from .known import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from .known import Known

MOST_SHARING = 60
"""Sides that share one thing and are compared for it; beyond, the thing says too little."""


class Weighed(Protocol):
    """What is known of features, by their numbers: see `Features`."""

    @property
    def kind(self) -> Sequence[str]:
        """The kind of each."""

    @property
    def weight(self) -> Sequence[float]:
        """What each says where it is shared."""


class Sharing:
    """Sides (parts of a name, groups) by what they know, to be asked which of them shares what."""

    def __init__(self, far: Set[int], things: Set[int], features: Weighed) -> None:
        """`far` and `things` is all that is looked at."""
        self._far, self._things, self._features = far, things, features
        self._having: dict[int, list[int]] = {}
        self._has_crowds = False

    @classmethod
    def among(cls, sides: Iterable[Known], features: Weighed) -> Sharing:
        """Return what is to be asked about `sides` alone: most of what one knows, none of the others does."""
        far, things = set[int](), set[int]()
        both_far, both_things = set[int](), set[int]()
        for side in sides:
            both_far |= far & side.far
            both_things |= things & side.things
            far |= side.far
            things |= side.things
        return cls(both_far, both_things, features)

    @classmethod
    def with_any(cls, sides: Sequence[Known], features: Weighed) -> Sharing:
        """Return what is to be asked about `sides` and others, however many."""
        return cls(
            NOBODY.union(*[side.far for side in sides]),
            NOBODY.union(*[side.things for side in sides]),
            features,
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
        self._has_crowds = self._has_crowds or known.near is not known.far
        for looked_at, features in ((self._far, known.far), (self._things, known.things)):
            for feature in looked_at & features:
                having.setdefault(feature, []).append(side)

    def reaching(self, known: Known, least: float, find: Callable[[int], int]) -> set[int]:
        """Return the standing sides that may share things of so much weight with one that knows this.

        `find` returns what stands for a side that was noted, once sides were joined. Of what the one knows,
        the lightest things that cannot weigh so much together need not be looked up: whoever shares enough
        shares one of the others, and those are rare.
        """
        having, near, weights, kinds = self._having, known.near, self._features.weight, self._features.kind
        shared = [(weights[n], "coauthor", n) for n in having.keys() & near]
        if self._has_crowds or near is not known.far:
            shared += [(weights[n + 1], "crowd", n) for n in having.keys() & known.far]
        shared += [(weights[n], kinds[n], n) for n in having.keys() & known.things]
        shared.sort()
        counted: dict[str, list[float]] = {}
        together = 0.0
        found: set[int] = set()
        for weight, kind, feature in shared:
            if together < least:
                of_kind = counted.setdefault(kind, [])
                of_kind.append(weight)
                together += weight
                if len(of_kind) > COUNTED.get(kind, 1):
                    together -= of_kind[-1 - COUNTED.get(kind, 1)]
                if together < least:
                    continue
            sides = having[feature]
            if len(sides) > MOST_SHARING:
                sides = having[feature] = list({find(side) for side in sides})
                if len(sides) > MOST_SHARING:
                    continue
            found.update(map(find, sides))
        return found
