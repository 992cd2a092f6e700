"""The numbers of authors and works: made of content, and kept.

A number is worked out from the key of what it names, so the same evidence gets the same numbers on
every machine and in any order of crawling, and a list of numbers outlives a database that was lost.
Once given it is kept: when clusters change, the one with most of the old members keeps the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..cff.numbers import number_for


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
    wanted: Mapping[int, Sequence[int]] | None = None,
    others: AbstractSet[int] = frozenset(),
) -> Numbering:
    """Return the numbers of `clusters`, each given as (key, members).

    `old_number` says which number a member had, `old_keys` which number a key had, `old_redirects`
    which numbers led on already, `wanted` (cluster -> numbers) which ones it was decided to keep,
    `others` are in use elsewhere. A number goes to the cluster that is to keep it, then to the one with most
    of its old members, then to the one with its old key; the rest get new ones. Ties go to the smaller key.
    """
    votes = [Counter(old_number[m] for m in members if m in old_number) for _, members in clusters]
    numbers: list[int | None] = [None] * len(clusters)
    given: dict[int, int] = {}
    wanted = wanted or {}
    claims = sorted(
        (number not in wanted.get(i, ()), -count, clusters[i][0], number, i)
        for i, votes_ in enumerate(votes)
        for number, count in votes_.items()
    )
    for *_, number, i in claims:
        if numbers[i] is None and number not in given:
            numbers[i] = number
            given[number] = i
    for i, (key, _) in enumerate(clusters):
        number_then = old_keys.get(key)
        if numbers[i] is None and number_then is not None and number_then not in given:
            numbers[i] = number_then
            given[number_then] = i
    for i, those in sorted(wanted.items()):
        free = [n for n in those if n not in given and not any(n in v for v in votes)]
        if numbers[i] is None and free:
            numbers[i] = free[0]
            given[free[0]] = i
    # A number that leads on is not given to somebody else, nor is one whose members went elsewhere.
    lost = {number for votes_ in votes for number in votes_} - given.keys()
    reserved = given.keys() | lost | old_redirects.keys()
    taken = {*reserved, *others}
    for i, (key, _) in enumerate(clusters):
        if numbers[i] is None:
            numbers[i] = number_for(key, taken)
            taken.add(numbers[i])  # type: ignore[arg-type]
    final = tuple(n for n in numbers if n is not None)
    redirects: dict[int, int] = {}
    for _, _, _, number, i in sorted(claims, key=lambda claim: claim[1:]):
        if number in lost:
            redirects.setdefault(number, final[i])
    for number, target in old_redirects.items():
        leads_to = redirects.get(target, target)
        if number not in given and leads_to in given:
            redirects.setdefault(number, leads_to)
    return Numbering(final, redirects)


@dataclass(frozen=True, slots=True)
class DecidedNumbering:
    """The numbers of clusters that decisions have changed, and what differs from those without decisions."""

    numbers: tuple[int, ...]
    redirects: Mapping[int, int]
    """Numbers that lead on by a decision alone."""
    other_keys: Mapping[int, str]
    """Number -> the key it has without decisions; empty for a number that only a decision made."""
    other_members: Mapping[int, int]
    """Member -> the number it has without decisions, where that is another one."""


def decide_numbers(
    plain: Sequence[tuple[str, Sequence[int]]],
    numbering: Numbering,
    decided: Sequence[tuple[str, Sequence[int]]],
    keys: Sequence[str],
    wanted: Mapping[int, Sequence[int]],
    others: AbstractSet[int] = frozenset(),
) -> DecidedNumbering:
    """Return the numbers of `decided` clusters, given what the `plain` ones, without decisions, have.

    Nothing else goes in: so the numbers follow from the evidence and the decisions that stand, whatever
    was decided and undone before. `keys` are the keys of `decided`, whose own are the seeds of new numbers.
    """
    number_of = {m: n for n, (_, members) in zip(numbering.numbers, plain, strict=True) for m in members}
    found = keep_numbers(decided, number_of, {}, numbering.redirects, wanted, others)
    plain_keys = {n: key for n, (key, _) in zip(numbering.numbers, plain, strict=True)}
    new_keys = dict(zip(found.numbers, keys, strict=True))
    other = {n: key for n, key in plain_keys.items() if new_keys.get(n) != key}
    other |= dict.fromkeys(new_keys.keys() - plain_keys.keys(), "")
    return DecidedNumbering(
        found.numbers,
        {n: to for n, to in found.redirects.items() if n not in numbering.redirects},
        other,
        {
            m: number_of[m]
            for n, (_, members) in zip(found.numbers, decided, strict=True)
            for m in members
            if number_of[m] != n
        },
    )
