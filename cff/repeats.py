"""Which items of a list stand in it already: CFF wants each once (schema: uniqueItems)."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from .records import Value


def repeated(items: list[Value]) -> list[int]:
    """Return the places of the items that are equal to one before them.

    >>> repeated(["tea", {"name": "A", "alias": "B"}, {"alias": "B", "name": "A"}, "tea"])
    [2, 3]
    """
    if len(items) < 2:
        return []
    names = _names(items)
    try:
        if len(set(names)) == len(names):
            return []
    except TypeError:  # a list where a name belongs
        names = [None] * len(items)
    bearers = Counter(names)
    found: list[int] = []
    seen: set[object] = set()
    for i, item in enumerate(items):
        if bearers[names[i]] > 1:
            frozen = _freeze(item)
            if frozen in seen:
                found.append(i)
            seen.add(frozen)
    return found


_PERSON = operator.itemgetter("family-names", "given-names")


def _names(items: list[Any]) -> list[Any]:
    """Return what names each item: equal ones have one name, and others hardly ever do."""
    if items[0].__class__ is str:
        return items
    try:
        return list(map(_PERSON, items))
    except (KeyError, TypeError):  # not persons alone
        return [_name(item) if item.__class__ is dict else item for item in items]


def _name(item: dict[str, Value]) -> object:
    get = item.get
    return (
        get("family-names") or get("name") or get("title") or get("value"),
        get("given-names") or get("alias"),
    )


def _freeze(value: Value) -> object:
    if isinstance(value, dict):
        return frozenset((k, _freeze(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(_freeze(v) for v in value)
    return value
