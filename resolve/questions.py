"""The pairs of authors to ask a person about, the question whose answer is worth most first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from .mentions import Candidate


def questions(
    candidates: Iterable[Candidate], author_of: Mapping[int, int], sizes: Mapping[int, int]
) -> list[tuple[int, int, float, float, str]]:
    """Return (author, author, score, worth, reasons) of each pair offered, the smaller number first.

    `author_of` has the author of each mention, `sizes` how many mentions an author has.
    What an answer is worth: how likely it is a yes, times the logarithm of the pairs of mentions that a
    yes would bring together. The bare number would ask about nobody but the most frequent names.
    """
    found: dict[tuple[int, int], tuple[float, str]] = {}
    for candidate in candidates:
        a, b = sorted((author_of[candidate.a], author_of[candidate.b]))
        if a != b and candidate.score > found.get((a, b), (0.0, ""))[0]:
            found[a, b] = (candidate.score, "; ".join(candidate.reasons))
    return [
        (a, b, score, round(score * math.log2(1 + sizes[a] * sizes[b]), 6), reasons)
        for (a, b), (score, reasons) in sorted(found.items())
    ]
