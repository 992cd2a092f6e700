"""What a mention shares with others beside its name: coauthors, addresses, places; and how rare each is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .digest import coauthor_key, key_of, owner_of, places_of, said_alike, spelling_key
from .evidence import COUNTED, CROWD, MOST_AGAINST, STRANGERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .census import Census
    from .mentions import MentionRow
    from .names import Name

_WORDS = {
    "work": "the same work listed twice", "place": "same place in its list", "email": "same e-mail",
    "website": "same website", "alias": "same alias", "repository": "same repository",
    "owner": "same owner of the repository", "affiliation": "same affiliation",
    "team": "the very same coauthors", "coauthor": "coauthors shared",
    "crowd": "coauthors of large lists shared",
}  # fmt: skip
_OWN = ("email", "website", "alias", "affiliation")


class Features:
    """The shared things of the mentions in `rows`, as numbers with weights; what nobody shares is left out.

    The numbers are those of the census: the same in all blocks.
    """

    def __init__(
        self, rows: Sequence[MentionRow], name_of: Sequence[int], names: Sequence[Name], census: Census
    ) -> None:
        self._census = census
        self.kind, self.text, self.weight = census.kind, census.text, census.weight
        self._nodes = [spelling_key(name) for name in names]
        own = [census.coauthor(coauthor_key(name)) for name in names]
        self._own = [own[n] for n in name_of]
        self._lists = [row.list_id for row in rows]
        self._of_own: dict[tuple[str, ...], tuple[int, ...]] = {}
        self._of_place: dict[str, tuple[int, ...]] = {}
        self._of_row = [self._things(row) for row in rows]
        self._of_list: dict[int, frozenset[int]] = {}

    def _things(self, row: MentionRow) -> tuple[int, ...]:
        census = self._census
        own = (row.email, row.website, row.alias, row.affiliation)
        found = self._of_own.get(own)
        if found is None:
            said = [(kind, said_alike(text)) for kind, text in zip(_OWN, own, strict=True) if text]
            found = self._of_own[own] = self._features((key_of(*thing), thing[1]) for thing in said)
        at = self._of_place.get(row.repository)
        if at is None:
            texts = (row.repository, owner_of(row.repository))
            at = self._of_place[row.repository] = self._features(
                zip(places_of(row.repository), filter(None, texts), strict=True)
            )
        if census.is_doubled(row.work):
            things = census.of_work(row.work, census.shared[row.list_id].length, row.position)
            found += self._features((thing, f"{thing:x}") for thing in things)
        return found + at

    def _features(self, things: Iterable[tuple[int, str]]) -> tuple[int, ...]:
        """The numbers of things, given with their texts, that say anything."""
        numbers = [self._census.feature(thing, text) for thing, text in things]
        return tuple(number for number in numbers if number >= 0)

    def of_mention(self, i: int) -> set[int]:
        """Return the numbers of what mention `i` could share."""
        number = self._lists[i]
        shared = self._of_list.get(number)
        if shared is None:
            shared = self._of_list[number] = self._shared(number)
        found = {*self._of_row[i], *shared}
        own = self._own[i]
        found.discard(own)
        found.discard(own + 1)
        return found

    def _shared(self, number: int) -> frozenset[int]:
        """The numbers of what all mentions of a list share."""
        known = self._census.shared[number]
        found = {n + 1 for n in known.coauthors}
        if known.length <= CROWD:
            found.update(known.coauthors)
        if known.team >= 0:
            found.add(known.team)
        return frozenset(found)

    def paired_names(self) -> set[tuple[int, int]]:
        """Return pairs of name numbers, smaller first: of one address, or one place in lists of one work."""
        number = {node: n for n, node in enumerate(self._nodes)}
        paired = self._census.paired
        every = ((a, number.get(other, -1)) for node, a in number.items() for other in paired.get(node, ()))
        return {(a, b) for a, b in every if a < b}

    def against(self, a: set[int], b: set[int]) -> float:
        """Return what it says against one person that `a` and `b` know so much and share so little."""
        total = 0.0
        for kind, step in STRANGERS.items():
            flag = self._census.known[kind].__getitem__
            fewer = min(sum(map(flag, a)), sum(map(flag, b)))
            total += min(MOST_AGAINST[kind], step * math.log2(1 + fewer))
        return total

    def weigh(self, shared: Iterable[int]) -> tuple[float, str]:
        """Return (weight, words) of shared things: the best of each kind, the best few coauthors."""
        kinds, weights = self.kind, self.weight
        best: dict[str, list[int]] = {}
        for number in shared:
            kind = kinds[number]
            if kind in best:
                best[kind].append(number)
            else:
                best[kind] = [number]
        if "crowd" in best and "coauthor" in best:
            near = best["coauthor"]
            best["crowd"] = [n for n in best["crowd"] if n - 1 not in near]
        total = 0.0
        words: list[tuple[float, str]] = []
        for kind, found in best.items():
            if kind not in COUNTED:
                weight = weights[found[0]] if len(found) == 1 else max(weights[n] for n in found)
                said = _WORDS[kind]
            elif len(found) == 1:
                weight = weights[found[0]]
                said = f"{_WORDS[kind].replace('coauthors', 'coauthor')}: {self.text[found[0]].title()}"
            elif found:
                weight = sum(sorted((weights[n] for n in found), reverse=True)[: COUNTED[kind]])
                said = f"{len(found)} {_WORDS[kind]}"
            else:
                continue
            if weight > 0:
                total += weight
                words.append((-weight, said))
        words.sort()
        return total, "; ".join(w for _, w in words[:3])
