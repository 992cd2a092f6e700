"""Why two authors are two, or could be one: the evidence on both sides, and what would change the verdict.

The same state, weights and words as in the clustering: it is run, and then asked about two groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .authors import ready
from .census import Census
from .decided import Decided
from .evidence import AMBIGUOUS, LINE, MOST, NAMESAKES, confidence, name_weight
from .masks import Masks
from .mentions import MentionRow
from .people import SEVERAL_FIT
from .variants import grades_of, name_agreement, words_for


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks for and against two authors being one."""

    points: tuple[tuple[float | None, str], ...]
    """(weight, words): for one author above 0, against it below; None: it decides alone, against."""
    weight: float
    """The sum of the weights: a natural logarithm of odds."""
    needed: float
    """The sum that makes one author of two, where nothing decides against it alone."""
    changes: tuple[str, ...]
    """What would change the verdict, in words."""

    @property
    def probability(self) -> float:
        """The sum as a probability."""
        return confidence(self.weight)


class Explainer:
    """Everything clustered once, to be asked about pairs."""

    def __init__(
        self,
        mentions: Iterable[MentionRow],
        decided: Decided,
        census: Census | None = None,
        masks: Masks | None = None,
    ) -> None:
        self._rows, self._people, self._masks = ready(mentions, decided, census, masks)
        self._people.run()
        people = self._people
        self._place = {row.id: i for i, row in enumerate(people.rows)}

    def explain(self, a: Sequence[int], b: Sequence[int]) -> Explanation:
        """Return the evidence about two authors, each given by its mentions."""
        if a[0] not in self._place or b[0] not in self._place:
            return Explanation(
                ((None, "entities and bots are one under the same name only"),), 0.0, LINE, (_DECIDE,)
            )
        people = self._people
        find = people.groups.find
        one, two = (find(people.node_of[self._place[side[0]]]) for side in (a, b))
        points = [*self._names(one, two), *self._shared(one, two), *self._stops(one, two, (*a, *b))]
        masked = [
            (weight, self._masks.message(self._masks.reason(text), (*a, *b))) for weight, text in points
        ]
        total = sum(weight for weight, _ in points if weight is not None)
        if total >= LINE and not any(weight is None for weight, _ in points):
            points.append((None, _NO_STEP))
            masked.append(points[-1])
        changes = []
        if any(weight is None for weight, _ in points):
            changes.append(
                "nothing but a decision or a change of the files: what is marked stop decides alone"
            )
        elif total < LINE:
            missing = LINE - total
            kinds = [words for kind, words in _WOULD.items() if MOST[kind] >= missing][:4]
            changes.append(f"{missing:.1f} more: the same iD on both" + "".join(f", or {k}" for k in kinds))
        changes.append(_DECIDE)
        masked.sort(key=lambda p: (p[0] is not None, -(p[0] or 0.0), p[1]))
        return Explanation(tuple(masked), round(total, 2), LINE, tuple(changes))

    def _names(self, one: int, two: int) -> list[tuple[float | None, str]]:
        """How the names agree: the two that agree best; and those that cannot be one person's."""
        people = self._people
        groups = people.groups
        best: tuple[float, str, tuple[int, int], bool] | None = None
        against = []
        for x in sorted(groups.names[one]):
            for y in sorted(groups.names[two]):
                said = f"{self._said(x, one)} and {self._said(y, two)}"
                grades = ("same", "same") if x == y else grades_of(people, x, y)
                if grades is None:
                    if not people.named.compatible(x, y):
                        against.append(f"names that do not fit: {said}")
                    continue
                if x == y:
                    weight = name_weight(people.alike[x])
                    how = SEVERAL_FIT if people.fits_several(x) else "same name"
                    known = (weight, f"{how}: {self._said(x, one)}", (x, y), True)
                else:
                    known = (name_agreement(people, x, y, grades), words_for(grades, "", said), (x, y), False)
                if best is None or known[0] > best[0]:
                    best = known
        points: list[tuple[float | None, str]] = [(None, text) for text in against[:3]]
        if best is not None:
            weight, text, (x, y), same = best
            points.append((weight, text))
            if same:
                if x in people.namesakes:
                    points.append((NAMESAKES, "two people of this very name are known"))
            elif rivals := self._rivals(x, y, {one, two}):
                told = f"{rivals[0]}" + (f" and {len(rivals) - 1} more" if len(rivals) > 1 else "")
                points.append((AMBIGUOUS, f"the shorter name may also be another's: {told}"))
        return points

    def _rivals(self, x: int, y: int, own: set[int]) -> list[str]:
        """The names of others who fit the one of two names that says less, and not the other name."""
        people = self._people
        less, more = sorted((x, y), key=people.named.letters)
        found = []
        family = set(people.names[less].family)
        for n, name in enumerate(people.names):
            if n in (x, y) or family.isdisjoint(name.family) or people.named.fit(less, n) is None:
                continue
            if people.named.fit(more, n) is None and any(
                people.groups.find(k) not in own for k in people.nodes_of_name[n]
            ):
                found.append(people.shown(people.nodes_of_name[n][0]))
        return sorted(set(found))

    def _said(self, name: int, group: int) -> str:
        people = self._people
        nodes = [n for n in people.groups.nodes[group] if n in people.nodes_of_name[name]]
        return people.shown((nodes or people.nodes_of_name[name])[0])

    def _shared(self, one: int, two: int) -> list[tuple[float | None, str]]:
        """What both share beside the name, a point for each kind; and that they share so little."""
        people = self._people
        points: list[tuple[float | None, str]] = [*people.features.points(people.common(one, two))]
        total = sum(weight for weight, _ in points if weight is not None)
        against = people.against(one, two)
        if against > total:
            points.append((-against, "both know many coauthors or places, and share few or none"))
        return points

    def _stops(self, one: int, two: int, mentions: Sequence[int]) -> list[tuple[float | None, str]]:
        """What decides alone."""
        people = self._people
        groups = people.groups
        points: list[tuple[float | None, str]] = []
        if groups.clash(one, two):
            points.append((None, "it was decided that they are two"))
        if groups.orcid[one] and groups.orcid[two] and groups.orcid[one] != groups.orcid[two]:
            points.append((None, f"two iDs: {groups.orcid[one]} and {groups.orcid[two]}"))
        if not groups.lists[one].isdisjoint(groups.lists[two]):
            points.append((None, "both stand in one author list"))
        return points


_NO_STEP = "taken mention by mention it was not enough, or others fit about as well: no step joined them"
_DECIDE = "a decision: `cffgraph identity merge A B`"
_WOULD = {
    "email": "one e-mail address",
    "alias": "one alias",
    "team": "the very same coauthors",
    "repository": "one repository",
    "coauthor": "a rare coauthor",
    "affiliation": "a rare affiliation",
}
"""What would weigh enough, by its kind, the strongest first."""
