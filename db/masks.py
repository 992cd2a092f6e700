"""What is not to be shown of decisions: the old names of people who changed theirs and want them gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from ..cff.folding import fold
from . import models as m
from .decisions import Decision, entries, read_decisions, secret_key
from .named import MentionName, hashed


@dataclass(frozen=True, slots=True)
class Mask:
    """Hides names of people who changed theirs and want the old one gone."""

    key: bytes
    names: frozenset[str]
    """Folded names, as mentions of such authors write them."""
    hashes: frozenset[str]
    """Hashes of names that decisions hide."""

    def hides(self, name: str) -> bool:
        """Whether this name is not to be shown."""
        folded = fold(name) or name
        return folded in self.names or (bool(self.hashes) and hashed(self.key, "name", folded) in self.hashes)

    def over(self, names: Sequence[MentionName]) -> tuple[MentionName, ...]:
        """Return the names, those with something to hide as hashes."""
        return tuple(n.hide(self.key) if not n.is_hidden and self.hides(n.name) else n for n in names)


def read_mask(connection: Connection) -> Mask:
    """Return what hides the names that no answer and no export may show."""
    hashes = frozenset(n.name for d in read_decisions(connection) if d.is_private for n in d.a)
    link = m.author_mention.c
    own = select(link.mention_id).join(m.author_private, m.author_private.c.author_id == link.author_id)
    names: set[str] = set()
    if hashes:
        shown = set(
            connection.scalars(
                select(m.author.c.name).join(m.author_private, m.author_private.c.author_id == m.author.c.id)
            )
        )
        names = {fold(e.name) or e.name for e in entries(connection, m.mention.c.id.in_(own))}
        names -= {fold(name) for name in shown}
    return Mask(secret_key(connection), frozenset(names), hashes)


def read_shown(connection: Connection, *, undone: bool = False) -> list[Decision]:
    """Return decisions as they may be shown and exported: hashes for names with something to hide.

    The name of a rename that a later private one took back is empty.
    """
    every = read_decisions(connection, undone=undone)
    mask = read_mask(connection)
    shown = []
    private: set[MentionName] = set()
    for decision in reversed(every):
        name = decision.name
        if decision.kind == "rename":
            own = {n.hide(mask.key) for n in decision.a}
            if not private.isdisjoint(own) or (not decision.is_private and mask.hides(name)):
                name = ""
            if decision.is_private and not decision.undone_at:
                private |= own
        shown.append(replace(decision, a=mask.over(decision.a), b=mask.over(decision.b), name=name))
    return shown[::-1]
