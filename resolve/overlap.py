"""What two sides share beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .evidence import LEAST_OVERLAP

if TYPE_CHECKING:
    from .features import Features


def overlap(features: Features, a: set[int], b: set[int]) -> set[int]:
    """Return what is in both; coauthors of large lists only if they are a good part of the smaller side.

    Whoever stands in a list of four hundred shares a dozen of them with anybody who stands in another.
    """
    both = a & b
    kind = features.kind
    crowd = {n for n in both if kind[n] == "crowd"}
    if crowd:
        smaller = min(a, b, key=len)
        if len(crowd) < LEAST_OVERLAP * sum(kind[n] == "crowd" for n in smaller):
            both -= crowd
    return both
