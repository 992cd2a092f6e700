"""Mentions that must be one author, and mentions that must not: what binds every step of the clustering.

A cell is a set of mentions that are one author so far. Decisions fill cells before anything else is
joined, and mark the two sides of what was told apart. Whoever joins mentions joins their cells, so a mark
is known at once wherever a mention of its cell stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .decided import Decided


class Ties:
    """The cells of mentions, by their numbers; mentions that no decision names have none (-1)."""

    def __init__(self, ids: Iterable[int] = (), decided: Decided | None = None) -> None:
        self._place: dict[int, int] = {}
        self._cell: dict[int, int] = {}
        self._parent: list[int] = []
        self._marks: list[set[int]] = []
        self._must_of: dict[int, list[int]] = {}
        self.musts: list[tuple[list[int], str]] = []
        """(places of mentions that are one author, the reason), the earliest decision first."""
        if decided is None or not (decided.must or decided.cannot):
            return
        self._place = {mention: i for i, mention in enumerate(ids)}
        for must in decided.must:
            places = self._places(must.mentions)
            if len(places) > 1:
                self.musts.append((places, must.reason))
                cells = [self._of(place) for place in places]
                for cell in cells[1:]:
                    self.join(cells[0], cell)
        for number, (a, b) in enumerate(decided.cannot):
            for side, mentions in enumerate((a, b)):
                for place in self._places(mentions):
                    self._marks[self.find(self._of(place))].add(2 * number + side)

    def _places(self, mentions: Iterable[int]) -> list[int]:
        return sorted(self._place[m] for m in mentions if m in self._place)

    def _of(self, place: int) -> int:
        if place not in self._cell:
            self._cell[place] = len(self._parent)
            self._parent.append(len(self._parent))
            self._marks.append(set())
        return self._cell[place]

    def any(self, places: Iterable[int]) -> bool:
        """Whether anything decided names one of the mentions at these places."""
        return bool(self._cell) and any(place in self._cell for place in places)

    def cell(self, place: int) -> int:
        """Return the cell of the mention at `place`, -1 if no decision names it."""
        return self._cell.get(place, -1)

    def find(self, cell: int) -> int:
        """Return the number that stands for a cell and all that were joined with it."""
        while self._parent[cell] != cell:
            self._parent[cell] = self._parent[self._parent[cell]]
            cell = self._parent[cell]
        return cell

    def clash(self, a: int, b: int) -> bool:
        """Whether it was decided that mentions of two cells are not one author."""
        if a < 0 or b < 0:
            return False
        one, two = self._marks[self.find(a)], self._marks[self.find(b)]
        return any(mark ^ 1 in two for mark in one)

    def join(self, a: int, b: int) -> int:
        """Make one of two cells, either of which may be none; return the cell for both."""
        if a < 0 or b < 0:
            return max(a, b)
        one, two = self.find(a), self.find(b)
        if one != two:
            self._parent[two] = one
            self._marks[one] |= self._marks[two]
        return one

    def bind(self, place: int, other: int) -> bool:
        """Make the mentions at two places one from now on, if nothing decided stands against it."""
        if self._cell and self.clash(self.cell(place), self.cell(other)):
            return False
        if place in self._cell or other in self._cell:
            self.join(self._of(place), self._of(other))
        return True

    def joined(self, places: Iterable[int]) -> int:
        """Make one cell of those of the mentions at these places; return it, -1 if none has any."""
        cell = -1
        if self._cell:
            for place in places:
                cell = self.join(cell, self.cell(place))
        return cell

    def one(self, places: Iterable[int]) -> bool:
        """Make one of the cells of all these mentions, if nothing decided stands against it."""
        if not self._cell:
            return True
        roots = {self.find(cell) for place in places if (cell := self.cell(place)) >= 0}
        marks = set().union(*(self._marks[root] for root in roots))
        if any(mark ^ 1 in marks for mark in marks):
            return False
        held = -1
        for root in sorted(roots):
            held = self.join(held, root)
        return True

    def among(self, mentions: Sequence[int]) -> list[tuple[str, list[int]]]:
        """Return (reason, places in `mentions`) of each decision that some of these are one author."""
        found = []
        if self.musts:
            at = {mention: place for place, mention in enumerate(mentions)}
            for places, reason in self._musts_of(mentions):
                here = sorted(at[i] for i in places if i in at)
                if len(here) > 1:
                    found.append((reason, here))
        return found

    def _musts_of(self, mentions: Sequence[int]) -> list[tuple[list[int], str]]:
        if not self._must_of:
            for number, (places, _) in enumerate(self.musts):
                for place in places:
                    self._must_of.setdefault(place, []).append(number)
        return [self.musts[n] for n in sorted({n for i in mentions for n in self._must_of.get(i, ())})]

    def tied(self, places: Iterable[int]) -> bool:
        """Whether it was decided that these mentions, all of them, are one author."""
        roots = {self.find(cell) if (cell := self.cell(place)) >= 0 else -1 for place in places}
        return len(roots) == 1 and -1 not in roots
