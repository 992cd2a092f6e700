"""What a walk collects for the works of a file: records, and the entries of their lists of people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .records import Value

if TYPE_CHECKING:
    from yaml.nodes import Node


Entry: TypeAlias = "tuple[dict[str, str], dict[str, str], Any]"
"""One entry of a list of people as it stands in the file: its fields, with near misses under the right
keys; the same as written; its node. A bare tuple, as of nothing else so many are made."""


class People(NamedTuple):
    """One list of people of a record."""

    role: str
    """The key of CFF that it stands for."""
    steps: list[str]
    """Where it stands in the document."""
    entries: list[Entry]


@dataclass(slots=True)
class Record:
    """One record as it stands in the file."""

    pointer: str
    node: Node
    fields: dict[str, Value] = field(default_factory=dict)
    """As written, near misses under the right name; without nested records."""
    people: list[People] = field(default_factory=list)
    identifiers: list[dict[str, Value]] = field(default_factory=list)


def all_text(value: dict[str, Value]) -> dict[str, str]:
    """Return an entry with every value as text, as written; what is none is written on one line."""
    for v in value.values():
        if v.__class__ is not str:
            return {k: _flat(v) for k, v in value.items()}
    return value  # type: ignore[return-value]


def _flat(value: Value) -> str:
    """Return any value as one text: what is not text in an entry of people is a fault, and kept readable."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_flat(v) for v in value)
    return ", ".join(f"{k}: {_flat(v)}" for k, v in value.items())
