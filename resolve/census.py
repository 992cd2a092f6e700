"""What is counted over the whole database: how rare a name is, how many share a thing, who stands where.

A verdict on two mentions reads these counts, so each count that moves would move verdicts everywhere. They
are read rounded: counts of names to quarter powers of two, weights to 64ths. A new file then rarely moves
one, and a block of names is resolved again only when something that it reads did move. Sums of such weights
are exact, so they do not depend on the order of adding.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from .digest import AuthorList, Spelling, code_of, key_of, kind_of_thing, name_of_row, pack, spelling_key
from .evidence import CROWD, MOST, STRANGERS, TEAM, Rarity, shared_weight
from .mentions import MentionRow

COAUTHORS_KEPT = 25
"""Of a longer list only those with the least numbers count, drawn by lot as it were: two lists with much in
common keep the same ones, and a new file changes few of them (A. Z. Broder: On the resemblance and
containment of documents, 1997)."""

MOST_PAIRED = 5
"""Names that share an e-mail address and are compared whatever they are; more share a mailbox."""

PAIRED = frozenset(("email", "alias", "place"))
"""The kinds of things by which names are paired."""

_STEP = 64
"""Weights are multiples of one by this."""


@lru_cache(maxsize=1 << 14)
def rounded(count: float) -> float:
    """Return the quarter power of two next to a count: at most a tenth away.

    >>> rounded(1), rounded(2), rounded(1000), rounded(1050), rounded(0)
    (1.0, 2.0, 1024.0, 1024.0, 0.0)
    """
    return 2.0 ** (round(4 * math.log2(count)) / 4) if count > 0 else 0.0


def steady(weight: float) -> float:
    """Return a weight as a multiple of 1/64: sums of such are exact in any order.

    >>> steady(0.35)
    0.34375
    """
    return round(weight * _STEP) / _STEP


class Shared(NamedTuple):
    """What all mentions of one list share with other lists."""

    coauthors: frozenset[int]
    """Numbers of the features `coauthor` of those who stand in other lists too; `crowd` is one more.

    The very same objects in all lists: sets of equal ones take longer to compare."""
    things: tuple[int, ...]
    """Numbers of its places, and of its team if another list has the very same authors."""
    length: int
    """How many persons it names."""
    is_doubled: bool
    """Whether its work is listed more than once."""
    digest: int
    """The same as long as all of this is, weights included."""


class Census:
    """The counts, from all lists of authors. `lists` is gone through more than once, in the order of keys."""

    def __init__(
        self,
        lists: Callable[[], Iterable[AuthorList]],
        spellings: Mapping[int, Spelling],
        crowded: frozenset[int] = frozenset(),
    ) -> None:
        self._spellings = spellings
        self._coauthor_of = {node: spelling.coauthor for node, spelling in spellings.items()}
        self.crowded = crowded
        """Keys under which too many names stand: see `blocks`."""
        self.uses = Counter[int]()
        """Spelling -> its mentions."""
        self.of_entities: set[int] = set()
        """iDs that stand on an entity or a bot."""
        self.of_orcid: dict[int, list[int]] = {}
        """iD -> the spellings under it, where they are several."""
        self._doubled = set[int]()
        self._lists_of = Counter[int]()
        self._teams: set[int] = set()
        self._carriers: dict[int, int] = {}
        self._weights: dict[int, float] = {}
        self.paired: dict[int, set[int]] = defaultdict(set)
        """Spelling -> others that are few under one address, or at one place in lists of one work."""
        self.total = 0
        self._count(lists)
        self._names()
        self.kind: list[str] = []
        """The kind of each feature."""
        self.thing = array("q")
        """What each feature is, as a number made of content."""
        self.weight: list[float] = []
        self.known = {kind: bytearray() for kind in STRANGERS}
        """For each kind that speaks against one person where it is not shared: which features are of it."""
        self._number: dict[int, int] = {}
        self._read_of: dict[int, int] = {}
        """Coauthor key -> the number of its feature `coauthor`; the next one is its `crowd`."""
        self._of_thing: dict[int, int] = {}
        self._texts: list[str] = []
        self._number_coauthors()
        self.shared = {one.id: self._shared(one) for one in lists()}

    # --- Counting -----------------------------------------------------------------------------------

    def _count(self, lists: Callable[[], Iterable[AuthorList]]) -> None:
        works = Counter(one.work for one in lists() if len(one))
        self._doubled = {work for work, count in works.items() if count > 1}
        self.total = works.total()
        coauthor_of, lists_of = self._coauthor_of, self._lists_of
        teams = Counter[int]()
        held: dict[int, set[int] | int] = {}
        entries = Counter[int]()
        of_orcid: dict[int, int | list[int]] = {}
        for one in lists():
            nodes = one.spellings
            self.uses.update(nodes)
            keys = set(map(coauthor_of.__getitem__, nodes))
            lists_of.update(keys)
            if len(keys) >= TEAM:
                teams[hash(frozenset(keys))] += 1
            for node, orcid in zip(nodes, one.orcids, strict=True):
                if orcid:
                    _put(of_orcid, orcid, node)
            self.of_entities.update(orcid for orcid in one.other_orcids if orcid)
            if nodes:
                for thing in one.places:
                    entries[thing] += len(nodes)
            for node, thing in one.things(nodes):
                _carry(held, thing, node)
            if one.work in self._doubled:
                for node, position in zip(nodes, one.positions, strict=True):
                    for thing in self.of_work(one.work, len(nodes), position):
                        _carry(held, thing, node)
        self._teams = {team for team, count in teams.items() if count > 1}
        self.of_orcid = {orcid: nodes for orcid, nodes in of_orcid.items() if isinstance(nodes, list)}
        names = rounded(len(self.uses))
        for thing, who in held.items():
            if not isinstance(who, int):
                self._carriers[thing] = len(who)
                if kind_of_thing(thing) in PAIRED and 1 < len(who) <= MOST_PAIRED:
                    for node in who:
                        self.paired[node] |= who
        # Where all entries of a place weigh as much as one, nobody needs to know how many names they are.
        many = set()
        for thing, count in entries.items():
            if count > 1:
                self._carriers[thing] = 1
                kind = kind_of_thing(thing)
                if shared_weight(kind, count, names) < MOST[kind]:
                    many.add(thing)
        if many:
            distinct: dict[int, set[int]] = defaultdict(set)
            for one in lists():
                for thing in many.intersection(one.places):
                    distinct[thing].update(one.spellings)
            for thing, found in distinct.items():
                self._carriers[thing] = len(found)

    def _names(self) -> None:
        seen: set[int] = set()
        counts = Counter[int]()
        uses = {True: 0, False: 0}
        kinds = {True: 0, False: 0}
        for node, count in self.uses.items():
            spelling = self._spellings[node]
            uses[spelling.is_full] += count
            kinds[spelling.is_full] += 1
            values = iter(spelling.counted)
            for key, value in zip(values, values, strict=True):
                if value not in seen:
                    seen.add(value)
                    counts[key] += 1
        self._counts = known = {key: rounded(count) for key, count in counts.items()}
        self.usual = {full: rounded(uses[full] / max(kinds[full], 1)) for full in (True, False)}
        """How many mentions a written-out name has on average, and another one."""
        # Of the counts, not of `self`: a circle would keep all of this in memory.
        self.rarity = Rarity(lambda key: known.get(key_of("count", key), 0.0))
        self.names = rounded(len(self.uses))
        self.lists = rounded(self.total)
        full = self._counts.get(key_of("count", "names"), 0.0)
        self.digest = hash((self.names, self.lists, full, *self.usual.values()))
        """What every verdict reads."""

    def of_spelling(self, node: int) -> int:
        """Return a number that is the same as long as a spelling and the counts that it reads are."""
        spelling = self._spellings[node]
        return hash((node, spelling.digest, *(self._counts.get(key, 0.0) for key in spelling.read)))

    def _number_coauthors(self) -> None:
        texts = {s.coauthor: s.coauthor_text for s in self._spellings.values()}
        for key, count in self._lists_of.items():
            if count > 1 and texts.get(key):
                weights = [shared_weight(kind, count, self.lists) for kind in ("coauthor", "crowd")]
                self._number[key] = self._add("coauthor", key, weights[0])
                self._add("crowd", key, weights[1])
                self._texts.append(texts[key])
                self._read_of[key] = hash((key, *map(steady, weights)))

    def _add(self, kind: str, thing: int, weight: float) -> int:
        self.kind.append(kind)
        self.thing.append(thing)
        self.weight.append(steady(weight))
        for known, flags in self.known.items():
            flags.append(kind == known)
        return len(self.kind) - 1

    # --- What a list shares -------------------------------------------------------------------------

    def _shared(self, one: AuthorList) -> Shared:
        keys = set(map(self._coauthor_of.__getitem__, one.spellings))
        kept = list(keys & self._number.keys())
        if len(kept) > COAUTHORS_KEPT:
            kept = sorted(kept)[:COAUTHORS_KEPT]
        length, is_doubled = len(one), one.work in self._doubled
        team = self._team(keys) if length >= TEAM else -1
        read = [length <= CROWD, *one.places, *map(self.weight_of, one.places)]
        if team >= 0:
            read.append(hash(frozenset(keys)))
        if is_doubled:
            read += [one.work, length]
        read.append(sum(map(self._read_of.__getitem__, kept)))
        numbers = frozenset(map(self._number.__getitem__, kept))
        things = self.features(one.places) + ((team,) if team >= 0 else ())
        return Shared(numbers, things, length, is_doubled, hash(tuple(read)))

    def _team(self, keys: set[int]) -> int:
        team = hash(frozenset(keys))
        if team not in self._teams:
            return -1
        number = self._of_thing.get(team)
        if number is None:
            number = self._of_thing[team] = self._add("team", team, MOST["team"])
        return number

    # --- Asking -------------------------------------------------------------------------------------

    def coauthor(self, key: str) -> int:
        """Return the number of the feature `coauthor` of a coauthor key, -9 if only one list has it."""
        return self._number.get(key_of("coauthor", key), -9)

    def is_of_entity(self, orcid: str) -> bool:
        """Whether an iD stands on an entity or a bot."""
        return key_of("orcid", orcid) in self.of_entities

    def is_doubled(self, work: int) -> bool:
        """Whether a work is listed more than once."""
        return work in self._doubled

    def of_work(self, work: int, length: int, position: int) -> tuple[int, int]:
        """Return the things of a place in a list of a work that is listed more than once."""
        place = hash((work, length, position))
        return work & ~15 | code_of("work"), place & ~15 | code_of("place")

    def weight_of(self, thing: int) -> float:
        """Return what sharing a thing says, 0 for one that one mention alone has."""
        weight = self._weights.get(thing)
        if weight is None:
            count = self._carriers.get(thing, 0)
            weight = steady(shared_weight(kind_of_thing(thing), count, self.names)) if count else 0.0
            self._weights[thing] = weight
        return weight

    def features(self, things: Iterable[int]) -> tuple[int, ...]:
        """Return the numbers of the features that these things are, of those that say anything."""
        found = []
        for thing in things:
            number = self._of_thing.get(thing)
            if number is None:
                weight = self.weight_of(thing)
                number = self._add(kind_of_thing(thing), thing, weight) if weight > 0 else -9
                self._of_thing[thing] = number
            if number >= 0:
                found.append(number)
        return tuple(found)

    def coauthor_text(self, feature: int) -> str:
        """Return how a coauthor is called, whose number as `coauthor` this is."""
        return self._texts[feature >> 1]


def _put(several: dict[int, int | list[int]], key: int, node: int) -> None:
    """Note that a node stands under a key: the bare node while it is the only one."""
    before = several.get(key)
    if before is None:
        several[key] = node
    elif isinstance(before, int):
        if before != node:
            several[key] = [before, node]
    elif node not in before:
        before.append(node)


def _carry(held: dict[int, set[int] | int], thing: int, node: int) -> None:
    """Note that a mention of a node carries a thing: the bare node while no other mention does."""
    before = held.get(thing)
    if before is None:
        held[thing] = node
    elif isinstance(before, int):
        held[thing] = {before, node}
    else:
        before.add(node)


def census_of(rows: Sequence[MentionRow]) -> Census:
    """Return the counts of `rows`, which are in the order of their keys."""
    of_list: dict[int, list[MentionRow]] = defaultdict(list)
    spellings: dict[int, Spelling] = {}
    for row in rows:
        of_list[row.list_id].append(row)
        if row.kind == "person":
            name = name_of_row(row)
            node = spelling_key(name)
            if node not in spellings:
                spellings[node] = Spelling.of(name, row.id, node)
    lists = [AuthorList(i, r[0].work, r[0].repository, *pack(r)) for i, r in of_list.items()]
    return Census(lambda: lists, spellings)
