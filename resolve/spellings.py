"""The written names of the database, kept from run to run: new ones come in, unused ones go."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .digest import AuthorList, Spelling
from .names import Name


def first_mentions(lists: Iterable[AuthorList], changed: set[int]) -> tuple[dict[int, int], set[int]]:
    """Return (the first mention of each spelling, those among them that stand in a list that was read again).

    `lists` are in the order of their keys, `changed` are the numbers of those that were read again.
    """
    first: dict[int, int] = {}
    fresh: set[int] = set()
    for one in lists:
        nodes = one.spellings
        if first.keys() >= set(nodes):
            continue
        for node, mention in zip(nodes, one.mentions, strict=True):
            if node not in first:
                first[node] = mention
                if one.id in changed:
                    fresh.add(mention)
    return first, fresh


def as_row(node: int, spelling: Spelling) -> tuple[Any, ...]:
    """Return a spelling as the database keeps it."""
    *facts, counted, read, block = spelling
    return (node, *facts, counted.tobytes(), read.tobytes(), block)


def from_row(row: tuple[Any, ...]) -> tuple[int, Spelling]:
    """Return a spelling from the database, with its number."""
    node, first, is_full, coauthor, text, digest, counted, read, block = row
    return node, Spelling(
        first, bool(is_full), coauthor, text, digest, _numbers(counted), _numbers(read), block
    )


def _numbers(data: bytes) -> array[int]:
    numbers = array("q")
    numbers.frombytes(data)
    return numbers


def renewed(
    stored: Mapping[int, Spelling],
    first: Mapping[int, int],
    fresh: set[int],
    names_of: Callable[[Iterable[int]], Mapping[int, Name]],
) -> tuple[dict[int, Spelling], set[int]]:
    """Return (the spellings as they are now, those among them that are new or cut otherwise).

    `fresh` are mentions that were read again; `names_of` gives the names of mentions.
    """
    now: dict[int, Spelling] = {}
    asked: dict[int, int] = {}
    for node, mention in first.items():
        known = stored.get(node)
        if known is not None and known.first == mention and mention not in fresh:
            now[node] = known
        else:
            asked[node] = mention
    new = set()
    names = names_of(asked.values())
    for node, mention in asked.items():
        known = stored.get(node)
        now[node] = Spelling.of(names[mention], mention, known.block if known else node)
        if known is None or known.digest != now[node].digest:
            new.add(node)
    return now, new
