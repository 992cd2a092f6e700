"""What the mentions of one side know, and what two sides know both, beyond chance."""

from __future__ import annotations

from collections.abc import Iterable, Set
from operator import is_
from typing import NamedTuple

from .evidence import LEAST_OVERLAP

NOBODY: frozenset[int] = frozenset()


class Common(NamedTuple):
    """What two sides know both, as numbers of features: see `Features`."""

    near: Set[int]
    """Coauthors in small lists on both sides."""
    crowd: Set[int]
    """Coauthors where one of the lists is large, by the number that they have as near ones."""
    things: Set[int]
    """Addresses, places, teams."""


class Known(NamedTuple):
    """What the mentions of one side know, as numbers of features; never changed, only joined."""

    near: Set[int]
    """Coauthors in small lists."""
    far: Set[int]
    """Coauthors in any list: the very same set where no list is large."""
    things: Set[int]
    """Addresses, places, teams."""

    @classmethod
    def joined(cls, sides: Iterable[Known]) -> Known:
        """Return what several sides know together."""
        near, far, things = zip(*sides, strict=True)
        no_crowd = all(map(is_, near, far))
        known = _union(near)
        return cls(known, known if no_crowd else _union(far), _union(things))

    def both(self, other: Known) -> Common:
        """Return what is known on both sides; a crowd only if it is a good part of the smaller of the two.

        Whoever stands in a list of four hundred shares a dozen of them with anybody who stands in another.
        """
        things = self.things & other.things
        far = self.far & other.far
        if not far:
            return Common(NOBODY, NOBODY, things)
        if self.near is self.far and other.near is other.far:
            return Common(far, NOBODY, things)
        near = self.near & other.near
        smaller = min(len(self.far), len(other.far))
        return Common(near, far - near if len(far) >= LEAST_OVERLAP * smaller else NOBODY, things)

    def meets(self, other: Known) -> bool:
        """Whether anything at all is known on both sides."""
        return not (self.far.isdisjoint(other.far) and self.things.isdisjoint(other.things))


def _union(sets: tuple[Set[int], ...]) -> Set[int]:
    return NOBODY.union(*sets)
