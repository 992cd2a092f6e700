"""What it says that mentions write a name in the very same letters, before anything that they share."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .evidence import ALL_KNOWN, FEW_SIGNED, initials_of, prolific, readings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .names import Name


@dataclass(frozen=True, slots=True)
class Written:
    """What the very same name in every letter says, before anything that its mentions share."""

    weight: float
    said: str
    """The words for it."""
    usual: float
    """How many mentions show no more than one of those who may write so."""
    is_shared: bool
    """Two people of this name are known: however often it is written, it is not one's who writes much."""

    def prior(self, mentions: int) -> float:
        """Return what the name says that is written in so many other mentions."""
        return self.weight + (0.0 if self.is_shared else prolific(mentions, self.usual))


class Signed:
    """How often those are mentioned whom initials may stand for, among the names at hand."""

    def __init__(self, names: Sequence[Name], uses: Mapping[int, int]) -> None:
        self._uses: Counter[str] = Counter()
        self._read: dict[str, set[str]] = defaultdict(set)
        for number, name in enumerate(names):
            if name.full:
                for key, value in readings(name):
                    self._uses[key] += uses[number]
                    self._read[key].add(value)

    def usual(self, name: Name, known: float) -> float:
        """Return how many mentions show no more than one of the `known` people whom initials may stand for.

        Infinite where not all of these are at hand: then no number of mentions shows anything.
        """
        key = initials_of(name)
        read = len(self._read[key])
        return self._uses[key] / read + FEW_SIGNED if read >= ALL_KNOWN * known else math.inf
