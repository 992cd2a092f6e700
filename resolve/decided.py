"""Decisions of people, turned into what the clustering must obey; of two that contradict, the later wins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .mentions import Conflict


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision that stands, and the mentions that its names mean now."""

    number: int
    kind: str
    """merge, split, distinct or rename: see `db.decisions.Decision`."""
    made_at: str
    a: tuple[int, ...]
    b: tuple[int, ...] = ()
    name: str = ""
    is_private: bool = False
    before: tuple[int, ...] = ()
    """The numbers of the authors of `a` and `b` when it was decided; 0 for none."""

    @property
    def words(self) -> str:
        """How a message calls it: `decision 3 (merge of 2026-12-01)`."""
        return f"decision {self.number} ({self.kind} of {self.made_at[:10]})"

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing left that it could act on."""
        if self.kind in ("split", "distinct"):
            return not all(self.sides)
        return not self.a or (self.kind == "merge" and not self.b)

    @property
    def sides(self) -> tuple[frozenset[int], frozenset[int]]:
        """Both sides without what is named on both: entries written alike in works of one title."""
        both = set(self.a) & set(self.b)
        return frozenset(self.a) - both, frozenset(self.b) - both


@dataclass(frozen=True, slots=True)
class Must:
    """Mentions that are one author."""

    mentions: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Rename:
    """What an author with these mentions is to be called; the later one comes last."""

    mentions: frozenset[int]
    name: str
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """All that was decided, free of contradictions."""

    must: tuple[Must, ...] = ()
    cannot: tuple[tuple[frozenset[int], frozenset[int]], ...] = ()
    """Two sides each: no mention of one is the same author as any of the other."""
    renames: tuple[Rename, ...] = ()


_DONE = {"merge": "merged", "split": "split off"}


def settle(rulings: Iterable[Ruling]) -> tuple[Decided, list[Conflict]]:
    """Return what holds of `rulings`, given in the order in which they were made, and what is odd about them.

    From the last to the first, each holds as far as no later one speaks against it.
    """
    rulings = list(rulings)
    held = _Held()
    must: list[Must] = []
    cannot: list[tuple[frozenset[int], frozenset[int]]] = []
    conflicts = []
    for ruling in reversed(rulings):
        if ruling.is_idle:
            text = f"{ruling.words} names nothing that is still here; it is kept, and does nothing"
            conflicts.append(Conflict("decision-idle", text, ()))
            continue
        whole = True
        if ruling.kind in _DONE:
            joined = (*ruling.a, *ruling.b) if ruling.kind == "merge" else tuple(sorted(ruling.sides[0]))
            groups = held.join(joined)
            whole = len(groups) == 1
            reason = f"decided: {_DONE[ruling.kind]} {ruling.made_at[:10]}"
            must += [Must(tuple(g), reason) for g in groups if len(g) > 1]
        if ruling.kind in ("split", "distinct"):
            sides = held.part(*ruling.sides)
            whole = whole and sides == ruling.sides
            if all(sides):
                cannot.append(sides)
        if not whole:
            text = f"{ruling.words} contradicts what was decided later; it holds as far as that allows"
            conflicts.append(Conflict("decision-conflict", text, tuple(sorted((*ruling.a, *ruling.b)))))
    renames = [
        Rename(frozenset(r.a), r.name, r.is_private) for r in rulings if r.kind == "rename" and not r.is_idle
    ]
    return Decided(tuple(reversed(must)), tuple(reversed(cannot)), tuple(renames)), conflicts


class _Held:
    """What holds so far: groups of mentions, and marks on both sides of what is apart."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}
        self._marks: dict[int, set[int]] = {}
        self._parts = 0

    def _find(self, mention: int) -> int:
        parent = self._parent
        parent.setdefault(mention, mention)
        while parent[mention] != mention:
            parent[mention] = parent[parent[mention]]
            mention = parent[mention]
        return mention

    def join(self, mentions: Iterable[int]) -> list[list[int]]:
        """Make one group of `mentions`, or as few as what is held already allows; return them."""
        groups: list[list[int]] = []
        for mention in mentions:
            for group in groups:
                a, b = self._find(group[0]), self._find(mention)
                marks = self._marks.get(b, set())
                if a == b or not any(mark ^ 1 in marks for mark in self._marks.get(a, ())):
                    if a != b:
                        self._parent[b] = a
                        self._marks[a] = self._marks.get(a, set()) | marks
                    group.append(mention)
                    break
            else:
                groups.append([mention])
        return groups

    def part(self, a: Iterable[int], b: Iterable[int]) -> tuple[frozenset[int], frozenset[int]]:
        """Set apart what of two sides is not one group already; return what is set apart now."""
        both = {self._find(m) for m in a} & {self._find(m) for m in b}
        one = frozenset(m for m in a if self._find(m) not in both)
        two = frozenset(m for m in b if self._find(m) not in both)
        if one and two:
            for side, mentions in enumerate((one, two)):
                for mention in mentions:
                    self._marks.setdefault(self._find(mention), set()).add(2 * self._parts + side)
            self._parts += 1
        return one, two
