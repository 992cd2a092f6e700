"""Which items of a list stand in it already: CFF wants each once (schema: uniqueItems)."""

from __future__ import annotations

from typing import Any

from .records import Value


def repeated(items: list[Value]) -> list[int]:
    """Return the places of the items that are equal to one before them.

    >>> repeated(["tea", {"name": "A", "alias": "B"}, {"alias": "B", "name": "A"}, "tea"])
    [2, 3]
    """
    if _all_differ(items):
        return []
    found: list[int] = []
    seen: set[object] = set()
    for i, item in enumerate(items):
        frozen = _freeze(item)
        if frozen in seen:
            found.append(i)
        seen.add(frozen)
    return found


def _all_differ(items: list[Any]) -> bool:
    """Say whether no two of `items` are equal; False in doubt.

    Equal mappings share what names them, and others hardly ever do: that is compared in their place.
    """
    try:
        return len(set(items)) == len(items)
    except TypeError:  # not texts alone
        pass
    try:
        names = {
            (
                item.get("family-names") or item.get("name") or item.get("title") or item.get("value"),
                item.get("given-names") or item.get("alias"),
            )
            for item in items
        }
    except (AttributeError, TypeError):  # not mappings alone, or a list where a name belongs
        return False
    return len(names) == len(items)


def _freeze(value: Value) -> object:
    if isinstance(value, dict):
        return frozenset((k, _freeze(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(_freeze(v) for v in value)
    return value
