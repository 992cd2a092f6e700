"""What a mention shares with others beside its name: coauthors, addresses, places; and how rare each is."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from .digest import OWN, coauthor_key, spelling_key, thing_of
from .evidence import COUNTED, CROWD, MOST_AGAINST, STRANGERS
from .known import NOBODY, Common, Known
from .mentions import MentionRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .census import Census
    from .names import Name

WORDS = {
    "work": "the same work listed twice", "place": "same place in its list", "email": "same e-mail",
    "website": "same website", "alias": "same alias", "repository": "same repository",
    "owner": "same owner of the repository", "affiliation": "same affiliation",
    "team": "the very same coauthors", "coauthor": "coauthors shared",
    "crowd": "coauthors of large lists shared",
}  # fmt: skip
"""What is said of a thing of each kind that two sides share."""

_own_fields = itemgetter(*map(MentionRow._fields.index, OWN))


class Features:
    """The shared things of the mentions in `rows`, as numbers with weights; what nobody shares is left out.

    The numbers are those of the census: the same in all blocks.
    """

    def __init__(
        self,
        rows: Sequence[MentionRow],
        lists: Sequence[int],
        name_of: Sequence[int],
        names: Sequence[Name],
        census: Census,
    ) -> None:
        self._census, self._names, self._lists = census, names, lists
        self.kind, self.thing, self.weight = census.kind, census.thing, census.weight
        own = [census.coauthor(coauthor_key(name)) for name in names]
        self._own = [own[n] for n in name_of]
        self.things = list(self._things(rows))
        """For each mention, the numbers of its addresses, its places and its team."""

    def _things(self, rows: Iterable[MentionRow]) -> Iterator[tuple[int, ...]]:
        census, shared = self._census, self._census.shared
        of_own: dict[tuple[str, ...], tuple[int, ...]] = {("",) * len(OWN): ()}
        for row, own, number in zip(rows, map(_own_fields, rows), self._lists, strict=True):
            found = of_own.get(own)
            if found is None:
                said = zip(OWN, own, strict=True)
                found = of_own[own] = census.features(thing_of(*thing) for thing in said if thing[1])
            one = shared[number]
            if one.is_doubled:
                found += census.features(census.of_work(row.work, one.length, row.position))
            yield found + one.things if found else one.things

    def of(self, mentions: Sequence[int]) -> Known:
        """Return what mentions of one name know; who bears it is no coauthor of theirs."""
        own, lists, shared = self._own[mentions[0]], self._lists, self._census.shared
        if len(mentions) == 1:  # as most of those who are asked about
            one = shared[lists[mentions[0]]]
            others = one.coauthors - {own} if own in one.coauthors else one.coauthors
            near = others if one.length <= CROWD else NOBODY
            return Known(near, others, frozenset(self.things[mentions[0]]))
        every = [shared[number] for number in {lists[i] for i in mentions}]
        large = [one.coauthors for one in every if one.length > CROWD]
        known = set[int]().union(*[one.coauthors for one in every if one.length <= CROWD])
        known.discard(own)
        far = known
        if large:
            far = known.union(*large)
            far.discard(own)
        return Known(known, far, set(chain.from_iterable(map(self.things.__getitem__, mentions))))

    def paired_names(self) -> set[tuple[int, int]]:
        """Return pairs of name numbers, smaller first: of one address, or one place in lists of one work."""
        paired = self._census.paired
        if not paired:
            return set()
        number = {spelling_key(name): n for n, name in enumerate(self._names)}
        every = ((a, number.get(other, -1)) for node, a in number.items() for other in paired.get(node, ()))
        return {(a, b) for a, b in every if a < b}

    def against(self, a: Known, b: Known) -> float:
        """Return what it says against one person that both sides know so much and share so little."""
        return _doubt("coauthor", min(len(a.near), len(b.near))) + _doubt(
            "affiliation", min(self._affiliations(a), self._affiliations(b))
        )

    def _affiliations(self, known: Known) -> int:
        return sum(map(self._census.known["affiliation"].__getitem__, known.things))

    def weigh(self, common: Common) -> float:
        """Return the weight of what two sides know both: the best of each kind, the best few coauthors."""
        near, crowd, things = common
        total = 0.0
        weight = self.weight
        if near:
            total += _most([weight[n] for n in near], COUNTED["coauthor"])
        if crowd:
            total += _most([weight[n + 1] for n in crowd], COUNTED["crowd"])
        if things:
            best: dict[str, float] = {}
            for number in things:
                kind = self.kind[number]
                best[kind] = max(weight[number], best.get(kind, 0.0))
            total += sum(best.values())
        return total

    def points(self, common: Common) -> list[tuple[float, str]]:
        """Return (weight, words) for each kind of thing that says anything, the heaviest first."""
        of_kind: dict[str, list[int]] = defaultdict(list)
        for number in common.things:
            of_kind[self.kind[number]].append(number)
        found = [(max(self.weight[n] for n in numbers), WORDS[kind]) for kind, numbers in of_kind.items()]
        crowd = [n + 1 for n in common.crowd]
        for kind, some in (("coauthor", list(common.near)), ("crowd", crowd)):
            if some:
                said = f"{len(some)} {WORDS[kind]}"
                if len(some) == 1:
                    who = self._census.coauthor_text(some[0]).title()
                    said = f"{WORDS[kind].replace('coauthors', 'coauthor')}: {who}"
                found.append((_most([self.weight[n] for n in some], COUNTED[kind]), said))
        return sorted(((w, said) for w, said in found if w > 0), key=lambda p: (-p[0], p[1]))

    def words(self, common: Common) -> str:
        """Return what two sides know both, in words: the three heaviest kinds."""
        return "; ".join(said for _, said in self.points(common)[:3])


def _most(weights: list[float], count: int) -> float:
    """The sum of the greatest `count` weights."""
    return sum(weights) if len(weights) <= count else sum(sorted(weights, reverse=True)[:count])


def _doubt(kind: str, fewer: int) -> float:
    """What it says that none is shared where the smaller side knows `fewer` things of a kind."""
    return min(MOST_AGAINST[kind], STRANGERS[kind] * math.log2(1 + fewer))
