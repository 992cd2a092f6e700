"""Which key a writer meant: known near misses, and words that are spelled nearly like a key.

`keys.NEAR_MISSES` has the known ones. The rest is a matter of distance, and distance takes time: a
caller that reads unknown files gives a `like` of its own, which stops comparing when it was asked too often.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import TypeAlias

from . import keys
from .keys import Kind
from .records import Value

Closest: TypeAlias = "Callable[[str, Collection[str], float], str]"

_LONGEST_KEY = max(map(len, keys.ALL_KEYS))


def closest(word: str, words: Collection[str], cutoff: float = 0.75) -> str:
    """Return the one of `words` that is spelled most like `word`, ignoring case, or ""."""
    return _closest(word.lower(), frozenset(words), cutoff) if 0 < len(word) <= 2 * _LONGEST_KEY else ""


@lru_cache(maxsize=4096)  # the same word is misspelled the same way in every entry of a list
def _closest(word: str, words: frozenset[str], cutoff: float) -> str:
    first, last, length = word[0], word[-1], len(word)
    lowered = _lowered(words)
    letters = str.maketrans("", "", word)

    def likely(other: str) -> bool:
        if other[0] != first and other[-1] != last:
            return False
        shared = len(other) - len(other.translate(letters))
        return 2 * min(shared, length) / (len(other) + length) >= cutoff

    # difflib takes its time with each: it gets only those that begin or end alike and share enough letters.
    found = difflib.get_close_matches(word, filter(likely, lowered), n=1, cutoff=cutoff)
    return lowered[found[0]] if found else ""


@lru_cache(maxsize=64)  # the tables of keys and vocabularies are few
def _lowered(words: frozenset[str]) -> dict[str, str]:
    return {w.lower(): w for w in sorted(words)}


def meant_key(key: str, table: Mapping[str, Kind], like: Closest = closest) -> str:
    """Return the key of `table`, one of those in `keys`, that `key` was meant for, or ""."""
    plain = key.strip().lower().replace("_", "-").replace(" ", "-")
    if plain in table:
        return plain
    meant = keys.NEAR_MISSES.get(plain)
    if meant and meant in table:
        return meant
    if len(plain) < 5:
        return ""
    return like(plain, table.keys(), 0.85)


def right_keys(
    found: dict[str, Value], table: Mapping[str, Kind], like: Closest = closest
) -> dict[str, Value]:
    """Return `found` with near misses under the keys that were meant, where those are free."""
    if found.keys() <= table.keys():
        return found
    right: dict[str, Value] = {}
    for key, value in found.items():
        meant = "" if key in table else meant_key(key, table, like)
        right[meant if meant and meant not in found and meant not in right else key] = value
    return right
