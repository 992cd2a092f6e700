"""The mentions of one name: one person, or namesakes told apart by what they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from .evidence import (
    FEW,
    FEW_AGAINST,
    LEAST_SHARED,
    LINE,
    MOST_AGAINST,
    NAME_LINE,
    ONE_PLACE,
    REVIEW,
    confidence,
)
from .groups import Groups
from .overlap import overlap
from .ties import Ties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .features import Features
    from .written import Written

MOST_SHARING = 60
"""Groups of one name that share one thing and are compared; beyond, the thing says too little."""

MOST_ROUNDS = 3
"""Rounds of joining parts of one name that share several weak things."""

MOST_CORES = 20
"""Parts of one name that are told apart before the rest is left as it is."""

MOST_OFFERED = 20
"""Parts of one name, the largest, that are offered for review: nobody reads more."""


def _parts(local: Groups, count: int) -> dict[int, list[int]]:
    """The places from 0 to `count` by the one that stands for their group."""
    parts: dict[int, list[int]] = defaultdict(list)
    for place in range(count):
        parts[local.find(place)].append(place)
    return parts


class SameName:
    """Tells the people of one name apart; keeps, for each mention, why it belongs to its part."""

    def __init__(self, lists: Sequence[int], orcid: Sequence[str], features: Features, ties: Ties) -> None:
        self._lists, self._orcid, self._features, self._ties = lists, orcid, features, ties
        self.why: dict[int, tuple[str, float]] = {}
        self.doubtful: list[tuple[int, int, float, str]] = []
        """(mention, mention, weight, words) of parts of one name that stayed apart and may be one person."""

    def parts(self, mentions: list[int], written: Written) -> list[list[int]]:
        """Return `mentions` (all of one name, in order) as the people they are.

        First what shared things hold together; then the largest part takes in what nothing speaks against.
        """
        plain = written.weight
        if (
            not written.is_shared
            and plain >= NAME_LINE + (FEW_AGAINST if len(mentions) <= FEW else sum(MOST_AGAINST.values()))
            and self._ties.one(mentions)
        ):
            self.why.update(dict.fromkeys(mentions, (written.said, confidence(plain))))
            for reason, places in self._ties.among(mentions):
                first, *others = (mentions[place] for place in places)
                for i in others:
                    if self._orcid[i] and self._orcid[i] != self._orcid[first]:
                        self.why[i] = (reason, 1.0)
            return [mentions]
        prior = written.prior(len(mentions))
        need = LINE - min(prior, LINE - LEAST_SHARED)
        local, has = self._hold_together(mentions, need, prior, written.said)
        parts = _parts(local, len(mentions))
        if len(parts) > 1 and not written.is_shared:
            self._join_by_name(mentions, written, local, has, parts)
            parts = _parts(local, len(mentions))
        return sorted([mentions[p] for p in places] for places in parts.values())

    def _join_by_name(
        self,
        mentions: list[int],
        written: Written,
        local: Groups,
        has: list[set[int]],
        parts: dict[int, list[int]],
    ) -> None:
        """Join parts of one name that share nothing, unless they know too much to share nothing.

        The largest of those that stay apart are offered for review.
        """
        said = written.said
        ordered = sorted(parts, key=lambda r: (-len(parts[r]), r))
        if written.prior(len(mentions)) < NAME_LINE:  # none will join
            ordered = ordered[: MOST_OFFERED + 1]
        knows = {r: set().union(*(has[p] for p in parts[r])) for r in ordered}
        cores = [ordered[0]]
        decided = 0  # cores that a decision keeps from the first: they are no reason to doubt the name
        left: list[tuple[int, int, float]] = []
        for root in ordered[1:]:
            prior = written.prior(len(mentions) - len(parts[root]))
            against = [(self._against(knows[core], knows[root]), core) for core in cores]
            fitting_cores = [(w, c) for w, c in against if prior - w >= NAME_LINE]
            open_cores = [
                (w, c) for w, c in fitting_cores if not local.clash(local.find(c), local.find(root))
            ]
            if len(cores) == 1 + decided and fitting_cores:
                if not open_cores:
                    cores.append(root)
                    decided += 1
                    continue
                weight, core = min(open_cores, key=lambda found: found[0])
                if local.join(core, root, said, 1.0):
                    knows[core] |= knows[root]
                    sure = confidence(prior - weight)
                    for place in parts[root]:
                        if self.why[mentions[place]][0] == said:
                            self.why[mentions[place]] = (said, sure)
                continue
            weight, core = min(against)
            left.append((core, root, prior - weight))
            if len(cores) < MOST_CORES and all(w > 0.5 for w, _ in against):
                cores.append(root)
        for core, root, weight in left[:MOST_OFFERED]:
            if weight >= LINE - REVIEW:
                words = self._features.weigh(overlap(self._features, knows[core], knows[root]))[1]
                told = f"{said}; {words or 'nothing else is shared'}"
                self.doubtful.append((mentions[core], mentions[root], min(weight, NAME_LINE), told))

    def _against(self, a: set[int], b: set[int]) -> float:
        return self._features.against(a, b) - self._features.weigh(overlap(self._features, a, b))[0]

    def _hold_together(
        self, mentions: list[int], need: float, prior: float, said: str
    ) -> tuple[Groups, list[set[int]]]:
        """Groups of the places in `mentions` that share enough, and what each place could share."""
        local = Groups(lambda a, b: True, self._ties)
        of_orcid: dict[str, int] = {}
        has: list[set[int]] = []
        plain = (said, confidence(max(prior, LINE)))
        for i in mentions:
            local.add(0, 1, self._orcid[i], {self._lists[i]}, self._ties.cell(i))
            has.append(self._features.of_mention(i))
            self.why[i] = plain
        for reason, places in self._ties.among(mentions):
            for place in places[1:]:
                if local.find(places[0]) != local.find(place) and local.join(
                    places[0], place, reason, 1.0, forced=True
                ):
                    self.why[mentions[place]] = (reason, 1.0)
        for place, i in enumerate(mentions):
            if self._orcid[i] and (first := of_orcid.setdefault(self._orcid[i], place)) != place:
                local.join(first, place, "", 1.0, forced=True)
        carriers: dict[int, list[int]] = defaultdict(list)
        for place, found in enumerate(has):
            for feature in found:
                carriers[feature].append(place)
        weight, text, kind = self._features.weight, self._features.text, self._features.kind
        least = {"affiliation": min(need, NAME_LINE - prior - ONE_PLACE)}
        strong = [f for f, c in carriers.items() if len(c) > 1 and weight[f] >= least.get(kind[f], need)]
        for feature in sorted(strong, key=lambda f: (-weight[f], kind[f], text[f])):
            first = carriers[feature][0]
            words = ""
            for place in carriers[feature][1:]:
                if local.find(first) == local.find(place):
                    continue
                if not words:
                    score, words = self._features.weigh([feature])
                    score += ONE_PLACE if kind[feature] == "affiliation" else 0.0
                if local.join(first, place, words, 1.0):
                    self.why[mentions[place]] = (f"{said}; {words}", confidence(score + prior))
        # Several weak things together: each group with those before it, the largest first.
        for _ in range(MOST_ROUNDS):
            members = _parts(local, len(mentions))
            if len(members) == 1 or not self._weak_round(mentions, need, prior, said, local, has, members):
                break
        return local, has

    def _weak_round(
        self,
        mentions: list[int],
        need: float,
        prior: float,
        said: str,
        local: Groups,
        has: list[set[int]],
        members: dict[int, list[int]],
    ) -> int:
        """Join groups of places that share several things; return how many were joined."""
        weight = self._features.weight
        order = sorted(members, key=lambda r: (-len(members[r]), r))
        knows = {
            r: set().union(*(has[p] for p in members[r])) if len(members[r]) > 1 else has[r] for r in order
        }
        known = Counter(f for r in order for f in knows[r])
        with_feature: dict[int, list[int]] = defaultdict(list)
        joined = 0
        for root in order:
            sums: dict[int, float] = defaultdict(float)
            useful = [f for f in knows[root] if known[f] > 1 and weight[f] > 0]
            for feature in useful:
                groups = with_feature[feature]
                if len(groups) > 1:
                    groups = with_feature[feature] = list({local.find(g) for g in groups})
                if len(groups) <= MOST_SHARING:
                    for group in groups:
                        sums[group] += weight[feature]
            mine = knows[root]
            scored = []
            for group, total in sums.items():
                if total >= need:
                    score, words = self._features.weigh(overlap(self._features, mine, knows[group]))
                    if score >= need:
                        scored.append((-score, group, words))
            for minus, group, words in sorted(scored):
                one, two = local.find(root), local.find(group)
                if one != two and local.join(one, two, words, 1.0):
                    standing = local.find(one)
                    knows[standing] = knows[one] | knows[two]
                    joined += 1
                    told = (f"{said}; {words}", confidence(prior - minus))
                    for place in members[root][:1]:
                        self.why[mentions[place]] = told
            standing = local.find(root)
            for feature in useful:
                with_feature[feature].append(standing)
        return joined
