"""The numbers of authors and works: made of content, and kept.

A number is worked out from the key of what it names, so the same evidence gets the same numbers on
every machine and in any order of crawling, and a list of numbers outlives a database that was lost.
Once given it is kept: when clusters change, the one with most of the old members keeps the number.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_LOW, _SPAN = 100_000_000, 900_000_000  # nine digits


def number_for(key: str, taken: Iterable[int] | Mapping[int, object] | set[int] = ()) -> int:
    """Return the number of nine digits that `key` leads to, or the next one that is not in `taken`.

    >>> number_for("soumith chintala") == number_for("soumith chintala")
    True
    >>> number_for("a", {number_for("a")}) == number_for("a") + 1
    True
    """
    digest = hashlib.sha1(key.encode(), usedforsecurity=False).digest()
    number = int.from_bytes(digest[:8]) % _SPAN
    taken = taken if isinstance(taken, (set, Mapping)) else set(taken)
    while number + _LOW in taken:
        number = (number + 1) % _SPAN
    return number + _LOW


@dataclass(frozen=True, slots=True)
class Numbering:
    """`numbers[i]` is the number of cluster i; `redirects` leads from each old number that was given up."""

    numbers: tuple[int, ...]
    redirects: Mapping[int, int]


def keep_numbers(
    clusters: Sequence[tuple[str, Sequence[int]]],
    old_number: Mapping[int, int],
    old_keys: Mapping[str, int],
    old_redirects: Mapping[int, int],
) -> Numbering:
    """Return the numbers of `clusters`, each given as (key, members).

    `old_number` says which number a member had, `old_keys` which number a key had, `old_redirects`
    which numbers led on already. A number goes to the cluster with most of its old members, then to
    the one with its old key; the rest get new ones. Ties go to the smaller key.
    """
    votes = [Counter(old_number[m] for m in members if m in old_number) for _, members in clusters]
    numbers: list[int | None] = [None] * len(clusters)
    given: dict[int, int] = {}
    claims = sorted(
        (-count, clusters[i][0], number, i)
        for i, votes_ in enumerate(votes)
        for number, count in votes_.items()
    )
    for _, _, number, i in claims:
        if numbers[i] is None and number not in given:
            numbers[i] = number
            given[number] = i
    for i, (key, _) in enumerate(clusters):
        number_then = old_keys.get(key)
        if numbers[i] is None and number_then is not None and number_then not in given:
            numbers[i] = number_then
            given[number_then] = i
    # A number that leads on is not given to somebody else, nor is one whose members went elsewhere.
    lost = {number for votes_ in votes for number in votes_} - given.keys()
    reserved = given.keys() | lost | old_redirects.keys()
    taken = set(reserved)
    for i, (key, _) in enumerate(clusters):
        if numbers[i] is None:
            numbers[i] = number_for(key, taken)
            taken.add(numbers[i])  # type: ignore[arg-type]
    final = tuple(n for n in numbers if n is not None)
    redirects: dict[int, int] = {}
    for _, _, number, i in claims:
        if number in lost:
            redirects.setdefault(number, final[i])
    for number, target in old_redirects.items():
        leads_to = redirects.get(target, target)
        if number not in given and leads_to in given:
            redirects.setdefault(number, leads_to)
    return Numbering(final, redirects)
