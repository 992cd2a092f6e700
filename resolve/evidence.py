"""What speaks for two mentions being one person, in weights and in words.

All weights are natural logarithms of odds, so they add (Fellegi and Sunter 1969). A name alone says as much
as it is rare: with `Rarity.others` expected namesakes in this database the odds are one to that number.
Shared coauthors, an affiliation, a repository say as much as they are rare among the names.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .names import Name

LINE = 1.5
"""Least weight of a link: odds of 4.5 to 1 before the constraints, which stop most of the wrong rest."""

NAME_LINE = 0.5
"""The line for the same name in every letter: below odds of 1.6 to 1 two mentions are left apart."""

MOST_PROLIFIC = 3.0
"""Most that a name adds by being written often: more mentions than its bearers should have are one's who
writes much. (A Chinese restaurant process: the next mention goes where many are.)"""

LEAST_SHARED = 2.1
"""However rare a name, things that weigh less than this do not hold its mentions together by themselves."""

STRANGERS = {"coauthor": 0.8, "affiliation": 0.4}
"""What it says against one person that both sides know so many coauthors or affiliations and share none:
for each doubling of the smaller number."""

MOST_AGAINST = {"coauthor": 3.5, "affiliation": 1.0}
"""Most of it: people do move and begin anew."""

FEW, FEW_AGAINST = 4, 2.0
"""So few mentions of one name cannot say more than this against one person."""

REVIEW = 3.0
"""A pair this far below the line is still offered for review; below, hardly one in five is right."""

MOST_FROM_NAME = 5.5
"""A name alone never says more: one label in a hundred is wrong in every set that was looked at."""

MOST_FROM_SPELLING = 3.5
"""The same where the names are not written alike: a slip of the pen is no rarer in a rare name."""

LEAST_FROM_NAME = -4.0
"""However frequent the name, a shared e-mail address outweighs it."""

FAMILY_WEIGHT = {
    "same": 0.0,
    "lossy": -1.0,  # letters lost on the way: ukasz for Łukasz
    "particle": -0.5,  # left out as often as not: Ahmad (bin) Yusof
    "umlaut": -1.0,  # Köhler, Koehler, Kohler: three real family names too
    "part": -1.5,  # a second family name is dropped, or it is another family
    "typo": -3.0,  # Larsen and Larson are two names: needs other evidence
    "swap": -4.0,  # Thomas Martin and Martin Thomas are two people more often than a slip
}
"""How much less than the same family name; see `fits.fit` for the grades."""

GIVEN_WEIGHT = {
    "same": 0.0,
    "script": -1.0,  # two spellings of one sound; several names share it
    "middle": -0.3,  # people drop and add middle initials freely
    "second": -1.5,  # second names less so: Maria Lei is not Maria everywhere
    "initial": -0.5,  # what the initial leaves open is in `Rarity.others`
    "nick": -2.5,  # Chris is Christopher, Christian, Christine
    "typo": -3.0,  # Daniel, Daniele; Marcel, Marcela
    "half": -3.5,  # Jean and Jean-Pierre are two names in France and Korea, one elsewhere
    "skip": -4.5,  # known by the second given name: possible, seldom
    "missing": -4.0,  # a bare family name: only an e-mail address or the place in the same list helps
}
"""How much less than the same given names; see `fits.given_fit`."""

REPEATED = {"typo": -1.8, "skip": -1.2, "half": -1.0, "second": -0.6, "particle": -0.4, "part": -0.4}
"""A slip is not repeated: for the logarithm of the mentions of the rarer of two spellings."""

TWO_DIFFERENCES = -1.5
"""Family and given names both differ: two slips in one name are rarer than a relative or a stranger."""

AMBIGUOUS = -2.5
"""Several fit that cannot be one another: an initial is no bridge, so evidence must choose."""

MARGIN = 1.0
"""The chosen of several must be better than the next by this: 2.7 to 1."""

NAMESAKES = -1.5
"""Two people of this very name are known (two iDs, one list): the name alone no longer decides."""


MOST = {
    "work": 5.0,  # the same work listed twice: the same people, spelt differently
    "place": 2.0,  # the same place in two lists of one length: proof of a spelling
    "email": 6.0,  # personal, unless many names share it
    "website": 4.0,  # a project's page is given for all its authors at times
    "alias": 4.0,  # account names are unique on one host, not on all
    "repository": 2.5,  # a second author of one fitting name in one project is rare, not unknown
    "coauthor": 2.0,  # a rare coauthor; families and schools share frequent ones
    "team": 4.0,  # the very same three authors or more
    "crowd": 0.35,  # a coauthor where one of the lists is large: many share some
    "affiliation": 1.8,  # universities are large
    "owner": 1.2,  # the folder or organisation above the repository: may hold anything
}
"""Most that one shared thing of each kind says; less the more names carry it."""

PERSONAL = frozenset(("email", "alias", "website", "place"))
"""One person's own, so it says the same in a small database: less only the more names beyond two carry it."""

COUNTED = {"coauthor": 3, "crowd": 10}
"""How many shared coauthors add up: they come in groups, the fourth of one group says nothing new."""

TEAM = 3
"""Authors of a list that make a team: two of the same may meet by chance."""

CROWD = 25
"""Authors of a list beyond which it is a crowd: they need not know each other."""

BACKGROUND_NAMES = 500
"""Names that are out there beside those of a small database: keeps ten files from calling a name frequent."""

BACKGROUND_LISTS = 300
"""The same for lists, repositories and affiliations."""

INITIAL_SHARE = 0.08
"""How many of the bearers of a family name share a first initial, where too few are known to count."""

MIDDLE_SHARE = 0.15
"""How many of them share the next initial as well; a written-out second name is taken no rarer."""


class Rarity:
    """How many people of a name to expect in this database, from its distinct full names."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._families: Counter[str] = Counter()
        self._givens: Counter[str] = Counter()
        self._letters: Counter[str] = Counter()
        seen: set[tuple[str, str]] = set()
        for name in names:
            if not name.full:
                continue
            given = first_given(name)
            family = name.family[-1]
            if (family, given) not in seen:
                seen.add((family, given))
                self._families[family] += 1
                self._givens[given] += 1
                self._letters[given[:1]] += 1
        self._names = len(seen)

    def others(self, name: Name) -> float:
        """Return how many people besides one would be expected to write `name`."""
        families = max((self._families.get(name.family[-1], 0) if name.family else 1), 1)
        if not name.given:
            return float(families)
        first = first_given(name)
        if name.initial:
            share = (self._letters.get(first[:1], 0) + 100 * INITIAL_SHARE) / (self._names + 100)
        else:
            share = max(self._givens.get(first, 0), 1) / (self._names + BACKGROUND_NAMES)
        words = len(name.given) - (2 if name.hyphen else 1)
        return families * share * MIDDLE_SHARE ** min(max(words, 0), 2)


def first_given(name: Name) -> str:
    """Return the first given name, hyphened pairs as one word."""
    return "".join(name.given[:2]) if name.hyphen else name.given[0].rstrip(".")


def name_weight(others: float) -> float:
    """Return what the agreement of a name says when `others` namesakes are to be expected."""
    return max(LEAST_FROM_NAME, min(MOST_FROM_NAME, -math.log(max(others, 1e-9))))


def shared_weight(kind: str, carriers: int, total: int) -> float:
    """Return what sharing one thing of `kind` says that `carriers` of `total` names (or lists) carry."""
    if kind in PERSONAL:
        return max(0.0, MOST[kind] - math.log(max(carriers, 2) / 2))
    return max(0.0, min(MOST[kind], math.log((total + BACKGROUND_LISTS) / (5 * max(carriers, 1)))))


def confidence(weight: float) -> float:
    """Return the probability of a weight, rounded to three places.

    >>> confidence(0.0), confidence(4.0)
    (0.5, 0.982)
    """
    return round(1 / (1 + math.exp(-weight)), 3)
