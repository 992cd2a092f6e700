"""Which names are resolved together, and which of them read anything new since the last time.

A block is a set of spellings, entities and bots that no evidence leads out of: names that may be one
person's, names under one iD or one address, mentions that it was decided to join. What a block reads (its
mentions, what they share and how much that weighs, how rare its names are, what was decided) goes into one
number, its digest. As long as that is the same, so is the outcome.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from .blocks import is_crowded, pairs_of_key
from .census import Census
from .decided import Decided
from .digest import AuthorList, key_of
from .fits import fit
from .names import Name

BATCH = 10_000
"""Mentions that are resolved at once, where blocks are small."""

_MASK = (1 << 64) - 1


class Blocks:
    """Sets of things that were joined; the least of a set stands for it."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, one: int) -> int:
        """Return what stands for the set of `one`."""
        parent = self._parent
        top = one
        while (above := parent.get(top, top)) != top:
            top = above
        while one != top:
            parent[one], one = top, parent.get(one, one)
        return top

    def join(self, a: int, b: int) -> None:
        """Make one set of two."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._parent[max(a, b)] = min(a, b)


def join_fitting(
    blocks: Blocks,
    groups: Iterable[tuple[int, Sequence[int]]],
    block_of: Mapping[int, int],
    name_of: Callable[[int], Name],
    new: set[int] | None,
) -> None:
    """Join the blocks of spellings that stand under one key and fit each other.

    `groups` are (key, spellings under it) in the order of the keys; only pairs with one of `new` are looked
    at, or all.
    """
    for full, every, short in _by_key(groups):
        for a, b in pairs_of_key(full, every, short):
            if new is not None and a not in new and b not in new:
                continue
            if blocks.find(block_of[a]) == blocks.find(block_of[b]):
                continue
            one, two = name_of(a), name_of(b)
            if full and (one.initial or two.initial):
                continue
            if fit(one, two) is not None:
                blocks.join(block_of[a], block_of[b])


def _by_key(
    groups: Iterable[tuple[int, Sequence[int]]],
) -> Iterable[tuple[Sequence[int], Sequence[int], Sequence[int]]]:
    """Yield (full, every, short): see `blocks.keys_of` for the last two bits of a key."""
    last = -1
    every: Sequence[int] = ()
    for key, spellings in groups:
        tag = key & 3
        if tag == 0:
            yield spellings, (), ()
        elif tag == 2:
            last, every = key, spellings
        else:
            yield (), every if last == key - 1 else (), spellings


def join_paired(
    blocks: Blocks,
    census: Census,
    block_of: Mapping[int, int],
    names_of: Callable[[Iterable[int]], Mapping[int, Name]],
) -> None:
    """Join the blocks of spellings under one iD, and of those that share an address or a place and fit."""
    for nodes in census.of_orcid.values():
        for node in nodes[1:]:
            blocks.join(block_of[nodes[0]], block_of[node])
    apart = [
        (a, b)
        for a, others in census.paired.items()
        for b in others
        if a < b and blocks.find(block_of[a]) != blocks.find(block_of[b])
    ]
    names = names_of({node for pair in apart for node in pair})
    for a, b in apart:
        one, two = names[a], names[b]
        if not (one.initial or two.initial) and fit(one, two) is not None:
            blocks.join(block_of[a], block_of[b])


def crowded(counts: Mapping[int, int], shorts: Mapping[int, int]) -> frozenset[int]:
    """Return the keys that say nothing by themselves, of those under which many names stand."""
    return frozenset(
        key
        for key, count in counts.items()
        if (key & 3 == 0 and is_crowded(count, 0, 0))
        or (key & 3 == 2 and is_crowded(0, count, shorts.get(key + 1, 0)))
    )


class Plan:
    """The blocks with their digests; `block_of` says which block a spelling, an entity or a bot is in."""

    def __init__(
        self, census: Census, block_of: Callable[[int], int], lists: Callable[[], Iterable[AuthorList]]
    ) -> None:
        self._census, self._block_of, self._lists = census, block_of, lists
        self._sums: dict[int, int] = defaultdict(int)
        self._sizes = Counter[int]()
        self._everywhere = census.digest
        self._count_lists()

    @property
    def digests(self) -> dict[int, int]:
        """Block -> its digest, as a signed number of 64 bits."""
        world = self._everywhere
        found = {}
        for block, total in self._sums.items():
            total = (total + hash((block, world))) & _MASK
            found[block] = total - (1 << 64) if total >> 63 else total
        return found

    def add(self, block: int, *read: int) -> None:
        """Note that a block reads these numbers, whatever the order of noting."""
        self._sums[block] += hash(read)

    def add_everywhere(self, read: int) -> None:
        """Note that every block reads a number."""
        self._everywhere = hash((self._everywhere, read))

    def add_keys(self, keys: Iterable[tuple[int, Sequence[int]]]) -> None:
        """Note which crowded keys the spellings stand under."""
        for key, spellings in keys:
            for spelling in spellings:
                self.add(self._block_of(spelling), key, spelling)

    def add_decided(self, decided: Decided, node_of: Mapping[int, int]) -> set[int]:
        """Note what was decided; return the blocks of which something was. `node_of` knows all mentions."""
        every = [(must.mentions, key_of("must", must.reason)) for must in decided.must]
        every += [
            (tuple(side), key_of("cannot", f"{sorted(a)} {sorted(b)} {side is a}"))
            for a, b in decided.cannot
            for side in (a, b)
        ]
        every += [
            (tuple(r.mentions), key_of("rename", f"{r.name}\x1f{r.is_private}\x1f{sorted(r.mentions)}"))
            for r in decided.renames
        ]
        found = set()
        for place, (mentions, said) in enumerate(every):
            for mention in mentions:
                block = self._block_of(node_of[mention])
                self.add(block, place, mention, said)
                found.add(block)
        return found

    def _count_lists(self) -> None:
        census, block_of, sums, sizes = self._census, self._block_of, self._sums, self._sizes
        shared, of_entities = census.shared, census.of_entities
        found: dict[int, int] = {}
        for node in census.uses:
            block = found[node] = block_of(node)
            sums[block] += census.of_spelling(node)
        for one in self._lists():
            said = hash((one.content, shared[one.id].digest))
            nodes = one.spellings
            for mention, node, orcid in zip(one.mentions, nodes, one.orcids, strict=True):
                block = found[node]
                sums[block] += hash((said, mention, node, orcid in of_entities))
                sizes[block] += 1
            for node, thing in one.things(nodes):
                if weight := census.weight_of(thing):
                    sums[found[node]] += hash((said, node, thing, weight))
            if census.is_doubled(one.work):
                for node, position in zip(nodes, one.positions, strict=True):
                    things = census.of_work(one.work, len(nodes), position)
                    sums[found[node]] += hash((said, node, *map(census.weight_of, things)))
            for mention, node in zip(one.other_mentions, one.others, strict=True):
                block = block_of(node)
                sums[block] += hash((one.content, mention, node))
                sizes[block] += 1

    def batches(self, blocks: set[int], alone: set[int]) -> list[tuple[set[int], array[int]]]:
        """Return (blocks, their mentions) to be resolved at once; those of `alone` each for itself."""
        batch_of: dict[int, int] = {}
        found: list[tuple[set[int], array[int]]] = []
        room = 0
        for block in sorted(blocks):
            if block in alone or room < self._sizes[block] or not found:
                found.append((set(), array("q")))
                room = 0 if block in alone else BATCH
            found[-1][0].add(block)
            batch_of[block] = len(found) - 1
            room -= self._sizes[block]
        for one in self._lists() if found else ():
            for mentions, nodes in ((one.mentions, one.spellings), (one.other_mentions, one.others)):
                for mention, node in zip(mentions, nodes, strict=True):
                    batch = batch_of.get(self._block_of(node))
                    if batch is not None:
                        found[batch][1].append(mention)
        return found
