"""What a mention shares with others beside its name: coauthors, addresses, places; and how rare each is."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from .evidence import COUNTED, CROWD, MOST, MOST_AGAINST, STRANGERS, TEAM, shared_weight
from .names import Name, soften

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .mentions import MentionRow

COAUTHORS_KEPT = 40
"""Of a longer list only the rarest coauthors count: two lists with much in common keep the same ones."""

MOST_PAIRED = 5
"""Names that share an e-mail address and are compared whatever they are; more share a mailbox."""

_FIELDS = ("email", "website", "alias", "affiliation", "repository")
_WORDS = {
    "work": "the same work listed twice", "place": "same place in its list", "email": "same e-mail",
    "website": "same website", "alias": "same alias", "repository": "same repository",
    "owner": "same owner of the repository", "affiliation": "same affiliation",
    "team": "the very same coauthors", "coauthor": "coauthors shared",
    "crowd": "coauthors of large lists shared",
}  # fmt: skip


def coauthor_key(name: Name) -> str:
    """Return family name and first initial: the same for nearly every spelling of a coauthor."""
    return f"{soften(name.family[-1])} {name.given[0][0] if name.given else ''}" if name.family else ""


class Features:
    """The shared things of all mentions, as numbers with weights; those that nobody shares are left out."""

    def __init__(self, rows: Sequence[MentionRow], name_of: Sequence[int], names: Sequence[Name]) -> None:
        self._rows, self._name_of = rows, name_of
        self._own = [coauthor_key(n) for n in names]
        members: dict[int, list[int]] = defaultdict(list)
        carriers: dict[tuple[str, str], set[int] | int] = {}
        lists_of_work: dict[int, set[int]] = defaultdict(set)
        for i, row in enumerate(rows):
            members[row.list_id].append(name_of[i])
            lists_of_work[row.work].add(row.list_id)
        self._doubled = {work for work, lists in lists_of_work.items() if len(lists) > 1}
        self._lengths = {number: len(found) for number, found in members.items()}
        for i, row in enumerate(rows):
            for thing in self._things(row):
                before = carriers.get(thing)
                if before is None:
                    carriers[thing] = i
                elif isinstance(before, int):
                    carriers[thing] = {name_of[before], name_of[i]}
                else:
                    before.add(name_of[i])
        self._members = members
        self._paired = [
            who
            for (kind, _), who in carriers.items()
            if kind in ("email", "alias", "place")
            and not isinstance(who, int)
            and 1 < len(who) <= MOST_PAIRED
        ]
        lists = Counter[str]()
        teams = Counter[tuple[str, ...]]()
        for numbers in members.values():
            keys = {self._own[n] for n in numbers}
            lists.update(keys)
            if len(keys) >= TEAM:
                teams[tuple(sorted(keys))] += 1
        self._lists = lists
        self._teams = {team for team, count in teams.items() if count > 1}
        self._number: dict[tuple[str, str], int] = {}
        self.kind: list[str] = []
        self.text: list[str] = []
        self.weight: list[float] = []
        total = len(names)
        for thing, who in carriers.items():
            if not isinstance(who, int):
                weight = shared_weight(thing[0], len(who), total)
                if weight > 0:
                    self._add(thing, weight)
        number = self._number
        self._of_row = [tuple(number[t] for t in self._things(row) if t in number) for row in rows]
        self._of_list: dict[int, tuple[int, ...]] = {}

    def _add(self, thing: tuple[str, str], weight: float) -> int:
        number = len(self.kind)
        self._number[thing] = number
        self.kind.append(thing[0])
        self.text.append(thing[1])
        self.weight.append(weight)
        return number

    def _things(self, row: MentionRow) -> Iterable[tuple[str, str]]:
        if row.work in self._doubled:
            yield "work", str(row.work)
            yield "place", f"{row.work} {self._lengths[row.list_id]} {row.position}"
        for kind in _FIELDS:
            text: str = getattr(row, kind)
            if text:
                yield kind, text if kind == "repository" else " ".join(text.lower().split())
        if not row.repository.startswith("file:"):  # a folder may hold anything
            owner = row.repository.rstrip("/").rpartition("/")[0]
            if owner:
                yield "owner", owner

    def _coauthors(self, list_id: int) -> tuple[int, ...]:
        found = self._of_list.get(list_id)
        if found is None:
            lists = self._lists
            every = {self._own[n] for n in self._members[list_id]}
            keys = sorted((lists[k], k) for k in every if k and lists[k] > 1)
            numbers = []
            if len(every) >= TEAM and (team := tuple(sorted(every))) in self._teams:
                thing = ("team", " ".join(team))
                number = self._number.get(thing)
                numbers.append(self._add(thing, MOST["team"]) if number is None else number)
            kinds = ("coauthor", "crowd") if len(self._members[list_id]) <= CROWD else ("crowd",)
            for count, key in keys[:COAUTHORS_KEPT]:
                for kind in kinds:
                    number = self._number.get((kind, key))
                    if number is None:
                        number = self._add((kind, key), shared_weight(kind, count, len(self._members)))
                    numbers.append(number)
            found = self._of_list[list_id] = tuple(numbers)
        return found

    def of_mention(self, i: int) -> set[int]:
        """Return the numbers of what mention `i` could share."""
        found = set(self._of_row[i])
        found.update(self._coauthors(self._rows[i].list_id))
        own = self._own[self._name_of[i]]
        found.discard(self._number.get(("coauthor", own), -1))
        found.discard(self._number.get(("crowd", own), -1))
        return found

    def paired_names(self) -> set[tuple[int, int]]:
        """Return pairs of name numbers, smaller first: of one address, or one place in lists of one work."""
        return {(a, b) for who in self._paired for a in who for b in who if a < b}

    def against(self, a: set[int], b: set[int]) -> float:
        """Return what it says against one person that `a` and `b` know so much and share so little."""
        total = 0.0
        for kind, step in STRANGERS.items():
            fewer = min(sum(self.kind[n] == kind for n in a), sum(self.kind[n] == kind for n in b))
            total += min(MOST_AGAINST[kind], step * math.log2(1 + fewer))
        return total

    def weigh(self, shared: Iterable[int]) -> tuple[float, str]:
        """Return (weight, words) of shared things: the best of each kind, the best few coauthors."""
        best: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for number in shared:
            best[self.kind[number]].append((-self.weight[number], self.text[number]))
        total = 0.0
        words: list[tuple[float, str]] = []
        if "crowd" in best and "coauthor" in best:
            near = {text for _, text in best["coauthor"]}
            best["crowd"] = [f for f in best["crowd"] if f[1] not in near]
        for kind, found in best.items():
            found.sort()
            weight = -sum(w for w, _ in found[: COUNTED.get(kind, 1)])
            if weight <= 0:
                continue
            total += weight
            said = _WORDS[kind]
            if kind in COUNTED:
                said = (
                    f"{len(found)} {said}"
                    if len(found) > 1
                    else f"{said.replace('coauthors', 'coauthor')}: {found[0][1].title()}"
                )
            words.append((-weight, said))
        words.sort()
        return total, "; ".join(w for _, w in words[:3])
