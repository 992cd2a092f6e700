"""Sets that grow by joining, and groups of mentions, which refuse what the constraints forbid."""

from __future__ import annotations

from collections.abc import Callable

from .ties import Ties


class Sets:
    """Disjoint sets of the numbers from 0 to `count`; the larger of two that are joined stands for both."""

    def __init__(self, count: int = 0) -> None:
        self.parent = list(range(count))
        self.size = [1] * count

    def find(self, one: int) -> int:
        """Return what stands for the set of `one`."""
        parent = self.parent
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    def clash(self, a: int, b: int) -> bool:
        """Whether it was decided that the sets of two standing numbers are two: never here."""
        return False

    def join(
        self, a: int, b: int, reason: str = "", confidence: float = 1.0, *, forced: bool = False
    ) -> bool:
        """Make one set of those of `a` and `b` if allowed; return whether they are one now.

        `forced` passes over every constraint but what was decided. `Groups` has these, and keeps reasons.
        """
        a, b = self.find(a), self.find(b)
        if a != b:
            if (self.size[b], -b) > (self.size[a], -a):
                a, b = b, a
            self.parent[b] = a
            self.size[a] += self.size[b]
        return True


class Groups(Sets):
    """Disjoint groups of nodes: each with at most one iD, one entry a list, and names that fit each other.

    `fits(a, b)` says whether two name numbers can be one person's, `ties` what people have decided.
    """

    def __init__(self, fits: Callable[[int, int], bool], ties: Ties) -> None:
        super().__init__()
        self._fits = fits
        self._ties = ties
        self.nodes: list[list[int]] = []
        self.orcid: list[str] = []
        self.lists: list[set[int]] = []
        self.names: list[set[int]] = []
        self.cell: list[int] = []
        self.why: list[tuple[str, float] | None] = []
        """For each node that was joined to another: the reason and the confidence."""

    def add(self, name: int, size: int, orcid: str, lists: set[int], cell: int = -1) -> int:
        """Add a node, a group of its own; return its number. `cell`: see `Ties`."""
        node = len(self.parent)
        self.parent.append(node)
        self.nodes.append([node])
        self.size.append(size)
        self.orcid.append(orcid)
        self.lists.append(lists)
        self.names.append({name})
        self.cell.append(cell)
        self.why.append(None)
        return node

    def clash(self, a: int, b: int) -> bool:
        """Whether it was decided that the groups of two standing nodes are two."""
        return self._ties.clash(self.cell[a], self.cell[b])

    def may(self, a: int, b: int, whatever_orcid: bool = False) -> bool:
        """Whether the constraints allow the groups of two standing nodes to be one."""
        if self.cell[a] >= 0 and self.clash(a, b):
            return False
        if not whatever_orcid and self.orcid[a] and self.orcid[b] and self.orcid[a] != self.orcid[b]:
            return False
        if not self.lists[a].isdisjoint(self.lists[b]):
            return False
        return self.names_fit(a, b)

    def names_fit(self, a: int, b: int) -> bool:
        """Whether each name of the group of one standing node fits each of another's."""
        fits, others = self._fits, self.names[b]
        for x in self.names[a]:  # asked for every pair that is looked at: a generator takes twice as long
            for y in others:
                if x != y and not fits(x, y):
                    return False
        return True

    def join(self, a: int, b: int, reason: str = "", confidence: float = 1.0, forced: bool = False) -> bool:
        """Make one group of those of `a` and `b` if allowed; return whether they are one now.

        `forced` passes over every constraint but what was decided.
        """
        a, b = self.find(a), self.find(b)
        if a == b:
            return True
        if self.clash(a, b) if forced else not self.may(a, b):
            return False
        # The one with an iD, then with more mentions, stands; nodes are numbered in the order of keys.
        if (not self.orcid[b], -self.size[b], b) < (not self.orcid[a], -self.size[a], a):
            a, b = b, a
        self.parent[b] = a
        self.why[b] = (reason, confidence)
        self.size[a] += self.size[b]
        self.orcid[a] = self.orcid[a] or self.orcid[b]
        self.cell[a] = self._ties.join(self.cell[a], self.cell[b])
        for values in (self.lists, self.names):
            small, large = values[b], values[a]
            if len(small) > len(large):
                small, large = large, small
            large |= small
            values[a] = large
            values[b] = set()
        self.nodes[a] += self.nodes[b]
        self.nodes[b] = []
        return True
