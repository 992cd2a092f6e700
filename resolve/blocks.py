"""Which names are worth comparing: pairs that share a key, never all with all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .fits import long_forms
from .names import Name, soften

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MOST_IN_BLOCK = 300
"""Names under one key that are compared all with all; a fuller block says nothing by itself."""


def _given_keys(name: Name) -> Iterator[str]:
    """Family word and given name; short forms stand under their long ones too."""
    words = [w for w in name.given if not w.endswith(".")]
    forms = set(words[:3])
    for word in words[:1]:
        forms |= long_forms(word)
    if len(name.given) > 1 and len(words) == len(name.given):
        forms.add("".join(name.given))
    families = {soften(w) for w in name.family}
    if len(name.family) > 1 or name.particle:
        families |= {soften("".join(name.family)), soften("".join((*name.particle, *name.family)))}
    for family in families:
        for form in forms:
            yield f"{family} {form}"


def _typo_keys(name: Name) -> Iterator[str]:
    """One typing error leaves the first or the last three letters of a word as they were."""
    if name.full:
        family, given = "".join(name.family), name.given[0]
        if len(family) > 4:
            yield f"{given} {family[:3]}-"
            yield f"{given} -{family[-3:]}"
        if len(given) > 4:
            yield f"{given[:3]}- {family}"
            yield f"-{given[-3:]} {family}"


def _order_keys(name: Name) -> Iterator[str]:
    """All words in alphabetical order."""
    if name.full:
        yield " ".join(sorted((*name.given, *name.family)))


def _spoken_keys(name: Name) -> Iterator[str]:
    """The name as one says it, with and without the letters that get lost."""
    yield name.spoken
    if name.lossy:
        yield name.lossy


def _pairs(names: Sequence[Name], keys: Callable[[Name], Iterator[str]]) -> Iterator[tuple[int, int]]:
    blocks: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        for key in set(keys(name)):
            blocks[key].append(number)
    for block in blocks.values():
        if 1 < len(block) <= MOST_IN_BLOCK:
            for i, a in enumerate(block):
                for b in block[i + 1 :]:
                    yield a, b


def full_pairs(names: Sequence[Name]) -> set[tuple[int, int]]:
    """Return pairs (smaller number first) of names whose first given names are written out and may agree."""
    found: set[tuple[int, int]] = set()
    for keys in (_given_keys, _typo_keys, _order_keys, _spoken_keys):
        found.update(_pairs(names, keys))
    return found


def initial_blocks(names: Sequence[Name]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (names with a first initial only, all names that it may stand for), a pair for each family word
    and letter that has any of the former."""
    short: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        if name.initial:
            for family in {soften(w) for w in name.family}:
                short[f"{family} {name.given[0][0]}"].append(number)
    every: dict[str, list[int]] = {key: [] for key in short}
    for number, name in enumerate(names):
        if name.given:
            for family in {soften(w) for w in name.family}:
                for letter in {w[0] for w in name.given[:2]}:
                    if (block := every.get(f"{family} {letter}")) is not None:
                        block.append(number)
    for key in sorted(short):
        yield short[key], every[key]
