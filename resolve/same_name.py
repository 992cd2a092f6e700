"""The mentions of one name: one person, or namesakes told apart by what they share."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

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
from .features import WORDS
from .groups import Groups, Sets
from .known import Known
from .sharing import Sharing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .features import Features
    from .ties import Ties
    from .written import Written

FEW_PARTS = 16
"""So few parts of one name are all compared with each other; of more, those that share something."""

MOST_ROUNDS = 3
"""Rounds of joining parts of one name that share several weak things."""

MOST_CORES = 20
"""Parts of one name that are told apart before the rest is left as it is."""

MOST_OFFERED = 20
"""Parts of one name, the largest, that are offered for review: nobody reads more."""


class Part(NamedTuple):
    """The mentions of one name that are one person."""

    mentions: list[int]
    """In order."""
    known: Known | None = None
    """What they know, if it was asked."""


class SameName:
    """Tells the people of one name apart; keeps, for each mention, why it belongs to its part."""

    def __init__(self, lists: Sequence[int], orcid: Sequence[str], features: Features, ties: Ties) -> None:
        self._lists, self._orcid, self._features, self._ties = lists, orcid, features, ties
        self.why: dict[int, tuple[str, float]] = {}
        self.doubtful: list[tuple[int, int, float, str]] = []
        """(mention, mention, weight, words) of parts of one name that stayed apart and may be one person."""

    def parts(self, mentions: list[int], written: Written) -> list[Part]:
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
            return [Part(mentions)]
        orcids = [self._orcid[i] for i in mentions]
        name = _Name(mentions, written, self._features, self._sets(mentions, orcids))
        name.join_decided(self._ties.among(mentions))
        name.join_by_orcid(orcids)
        name.join_by_things()
        name.join_by_several()
        if len(name.known) > 1 and not written.is_shared:
            name.join_by_itself()
        self.why.update(zip(mentions, name.why, strict=True))
        self.doubtful += name.doubtful
        return sorted(
            Part([mentions[place] for place in places], name.known[root])
            for root, places in name.parts().items()
        )

    def _sets(self, mentions: Sequence[int], orcids: Sequence[str]) -> Sets:
        """Sets of the places in `mentions`: groups, where anything could forbid to join some."""
        lists = [self._lists[i] for i in mentions]
        if not self._ties.any(mentions) and not any(orcids) and len(set(lists)) == len(lists):
            return Sets(len(mentions))
        groups = Groups(lambda a, b: True, self._ties)
        for i, orcid, number in zip(mentions, orcids, lists, strict=True):
            groups.add(0, 1, orcid, {number}, self._ties.cell(i))
        return groups


class _Name:
    """The mentions of one name, by their places among them, while `local` joins them to parts."""

    def __init__(self, mentions: Sequence[int], written: Written, features: Features, local: Sets) -> None:
        self._mentions, self._written, self._features, self._local = mentions, written, features, local
        self._prior = written.prior(len(mentions))
        self._need = LINE - min(self._prior, LINE - LEAST_SHARED)
        self.why = [(written.said, confidence(max(self._prior, LINE)))] * len(mentions)
        """For each place, why it belongs to its part."""
        self.known: dict[int, Known] = {}
        """What each part knows, by the place that stands for it."""
        self.doubtful: list[tuple[int, int, float, str]] = []
        """As in `SameName`."""
        self._sharing: Sharing | None = None
        """Which parts share what, where they are many."""
        self._parts: dict[int, list[int]] | None = None

    def parts(self) -> dict[int, list[int]]:
        """Return the places of each part, by the one that stands for it."""
        if self._parts is None:
            found: dict[int, list[int]] = defaultdict(list)
            for place, root in enumerate(map(self._local.find, range(len(self._mentions)))):
                found[root].append(place)
            self._parts = found
        return self._parts

    def _join(self, one: int, two: int, *, forced: bool = False) -> bool:
        """Make one part of the parts of two places; return whether they were two and are one now."""
        local = self._local
        if local.find(one) == local.find(two) or not local.join(one, two, forced=forced):
            return False
        self._parts = None
        return True

    def join_decided(self, decided: Iterable[tuple[str, list[int]]]) -> None:
        """Join what was decided to be one person's, for these (reason, places)."""
        for reason, places in decided:
            for place in places[1:]:
                if self._join(places[0], place, forced=True):
                    self.why[place] = (reason, 1.0)

    def join_by_orcid(self, orcids: Sequence[str]) -> None:
        """Join what has one iD."""
        of_orcid: dict[str, int] = {}
        for place, orcid in enumerate(orcids):
            if orcid and (first := of_orcid.setdefault(orcid, place)) != place:
                self._join(first, place, forced=True)

    def join_by_things(self) -> None:
        """Join what shares one thing that says enough by itself: no coauthor does, see `evidence.MOST`."""
        features, prior = self._features, self._prior
        carriers: dict[int, list[int]] = defaultdict(list)
        for place, i in enumerate(self._mentions):
            for feature in features.things[i]:
                carriers[feature].append(place)
        weight, thing, kind = features.weight, features.thing, features.kind
        # Between mentions of one name an affiliation says more: see `evidence.ONE_PLACE`.
        least = {"affiliation": min(self._need, NAME_LINE - prior - ONE_PLACE)}
        strong = [
            f for f, c in carriers.items() if len(c) > 1 and weight[f] >= least.get(kind[f], self._need)
        ]
        for feature in sorted(strong, key=lambda f: (-weight[f], kind[f], thing[f])):
            first, *others = carriers[feature]
            sure = weight[feature] + prior + (ONE_PLACE if kind[feature] == "affiliation" else 0.0)
            why = (f"{self._written.said}; {WORDS[kind[feature]]}", confidence(sure))
            for place in others:
                if self._join(first, place):
                    self.why[place] = why

    def join_by_several(self) -> None:
        """Join what shares several things that say enough together, in rounds."""
        parts = self.parts()
        self.known = {
            root: self._features.of([self._mentions[p] for p in places]) for root, places in parts.items()
        }
        if len(parts) > FEW_PARTS:
            self._sharing = Sharing.among(self.known.values(), self._features)
        grown = set(parts)
        for _ in range(MOST_ROUNDS):
            grown = self._join_round(grown)
            if not grown:
                break

    def _join_round(self, grown: set[int]) -> set[int]:
        """Compare each part with those before it, the largest first; return those that were joined.

        Two that are not `grown` since the last round were compared in it.
        """
        features, local, known, parts = self._features, self._local, self.known, self.parts()
        need, sharing = self._need, self._sharing
        if sharing is not None:
            sharing.forget()
        joined: set[int] = set()
        before: list[int] = []
        for root in sorted(parts, key=lambda r: (-len(parts[r]), r)):
            mine = known[root]
            if sharing is not None:
                before = list(sharing.reaching(mine, need, local.find))
            scored = []
            for group in before:
                if not (root in grown or group in grown or group in joined):
                    continue
                common = mine.both(known[group])
                weight = features.weigh(common)
                if weight >= need:
                    scored.append((-weight, group, common))
            for minus, group, common in sorted(scored, key=lambda s: s[:2]):
                one, two = local.find(root), local.find(group)
                if self._join(one, two):
                    both = Known.joined((known.pop(one), known.pop(two)))
                    one = local.find(one)
                    known[one] = both
                    joined.add(one)
                    said = f"{self._written.said}; {features.words(common)}"
                    self.why[parts[root][0]] = (said, confidence(self._prior - minus))
            if sharing is not None:
                sharing.note(root, mine)
            else:
                before = [part for part in (*before, root) if part in known]
        return {local.find(place) for place in joined}

    def join_by_itself(self) -> None:
        """Join parts that share nothing but the name, unless they know too much to share nothing.

        The largest of those that stay apart are offered for review.
        """
        local, written, said, count = self._local, self._written, self._written.said, len(self._mentions)
        parts, known = self.parts(), dict(self.known)
        ordered = sorted(parts, key=lambda r: (-len(parts[r]), r))
        if self._prior < NAME_LINE:  # none will join
            ordered = ordered[: MOST_OFFERED + 1]
        cores = [ordered[0]]
        decided = 0  # cores that a decision keeps from the first: they are no reason to doubt the name
        left: list[tuple[int, int, float]] = []
        for root in ordered[1:]:
            prior = written.prior(count - len(parts[root]))
            shares = self._sharing is None or self._sharing.looks_at(known[root])
            against = [(self._against(known[core], known[root], shares), core) for core in cores]
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
                if self._join(core, root):
                    known[core] = Known.joined((known[core], known[root]))
                    sure = confidence(prior - weight)
                    for place in parts[root]:
                        if self.why[place][0] == said:
                            self.why[place] = (said, sure)
                continue
            weight, core = min(against)
            left.append((core, root, prior - weight))
            if len(cores) < MOST_CORES and all(w > 0.5 for w, _ in against):
                cores.append(root)
        for core in cores:
            self.known[local.find(core)] = known[core]
        for core, root, weight in left[:MOST_OFFERED]:
            if weight >= LINE - REVIEW:
                words = self._features.words(known[core].both(known[root]))
                told = f"{said}; {words or 'nothing else is shared'}"
                pair = (self._mentions[core], self._mentions[root])
                self.doubtful.append((*pair, min(weight, NAME_LINE), told))

    def _against(self, a: Known, b: Known, shares: bool) -> float:
        return self._features.against(a, b) - (self._features.weigh(a.both(b)) if shares else 0.0)
