"""Which names are worth comparing: pairs that share a key, never all with all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .digest import number_of
from .fits import long_forms
from .names import Name, soften

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_IN_BLOCK = 300
"""Names under one key that are compared all with all; a fuller block says nothing by itself."""

MOST_OF_INITIALS = 200_000
"""Pairs of an initial's names and the full ones under one key; a fuller one is left as it is."""


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


_KEYS = {"given": _given_keys, "typo": _typo_keys, "order": _order_keys, "spoken": _spoken_keys}
_EVERY, _SHORT = 2, 3  # in the last two bits of a key; 0 in that of full names

NONE: frozenset[int] = frozenset()


def _number(kind: str, key: str, tag: int) -> int:
    return number_of(kind, key) & ~3 | tag


def keys_of(name: Name) -> set[int]:
    """Return the numbers of all keys of a name. Two names without a common one are never compared.

    A key of full names is a multiple of 4; an initial's is 3 beyond one, and the number before it is that of
    all names which it may stand for.
    """
    found = {_number(kind, key, 0) for kind, keys in _KEYS.items() for key in keys(name)}
    if name.initial:
        found.update(_number("initial", key, _SHORT) for key in _short_keys(name))
    found.update(_number("initial", key, _EVERY) for key in _every_keys(name))
    return found


def with_partners(keys: Iterable[int]) -> set[int]:
    """Return keys with those that they are compared with: initials with all names that they may stand for."""
    found = set()
    for key in keys:
        found.add(key)
        if key & 3:
            found.add(key ^ 1)
    return found


def _short_keys(name: Name) -> Iterator[str]:
    for family in {soften(w) for w in name.family}:
        yield f"{family} {name.given[0][0]}"


def _every_keys(name: Name) -> Iterator[str]:
    letters = {w[0] for w in name.given[:2]}
    for family in {soften(w) for w in name.family}:
        for letter in letters:
            yield f"{family} {letter}"


def pairs_of_key(
    full: Sequence[int], every: Sequence[int], short: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs worth comparing of the names under one key; none where the key is crowded."""
    if 1 < len(full) <= MOST_IN_BLOCK:
        for i, a in enumerate(full):
            for b in full[i + 1 :]:
                yield a, b
    if len(short) * len(every) <= MOST_OF_INITIALS:
        for a in short:
            for b in every:
                if a != b:
                    yield a, b


def is_crowded(full: int, every: int, short: int) -> bool:
    """Whether so many names are under one key that it says nothing by itself."""
    return full > MOST_IN_BLOCK or short * every > MOST_OF_INITIALS


def full_pairs(names: Sequence[Name], crowded: frozenset[int] = NONE) -> set[tuple[int, int]]:
    """Return pairs (smaller number first) of names whose first given names are written out and may agree.

    `crowded` are keys that are crowded by names elsewhere.
    """
    found: set[tuple[int, int]] = set()
    for kind, keys in _KEYS.items():
        blocks: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(names):
            for key in set(keys(name)):
                blocks[key].append(number)
        for key, block in blocks.items():
            if len(block) > 1 and not (crowded and _number(kind, key, 0) in crowded):
                found.update(pairs_of_key(block, (), ()))
    return found


def initial_blocks(
    names: Sequence[Name], crowded: frozenset[int] = NONE
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (names with a first initial only, all names that it may stand for), a pair for each family word
    and letter that has any of the former. `crowded` are keys that are crowded by names elsewhere."""
    short: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        if name.initial:
            for key in _short_keys(name):
                short[key].append(number)
    every: dict[str, list[int]] = {key: [] for key in short}
    for number, name in enumerate(names):
        if name.given:
            for key in _every_keys(name):
                if (block := every.get(key)) is not None:
                    block.append(number)
    for key in sorted(short):
        if not (crowded and _number("initial", key, _EVERY) in crowded):
            yield short[key], every[key]
