"""What a walk collects for the works of a file: records, and the entries of their lists of people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .records import Value

if TYPE_CHECKING:
    from yaml.nodes import Node


class Entry(NamedTuple):
    """One entry of a list of people, as it stands in the file."""

    role: str
    position: int
    fields: dict[str, str]
    """Keys and text as written; keys that were near misses stand under the right name."""
    as_written: dict[str, str]
    node: Any
    list_path: str

    @property
    def path(self) -> str:
        """Where it stands in the document."""
        return f"{self.list_path}[{self.position}]"


@dataclass(slots=True)
class Record:
    """One record as it stands in the file."""

    pointer: str
    node: Node
    fields: dict[str, Value] = field(default_factory=dict)
    """As written, near misses under the right name; without nested records."""
    entries: list[Entry] = field(default_factory=list)
    identifiers: list[dict[str, Value]] = field(default_factory=list)


class People(NamedTuple):
    """The list of people that is being read, and where its entries go."""

    entries: list[Entry]
    before: int
    """How many entries of other lists stand there already."""
    role: str
    path: str

    def add(self, fields: dict[str, str], written: dict[str, str], node: Any) -> None:
        """Add the next entry."""
        entries, before, role, path = self
        # As Entry(...) does, in a third of the time: of nothing else are as many made.
        entries.append(tuple.__new__(Entry, (role, len(entries) - before, fields, written, node, path)))


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
