"""What speaks for two mentions being one person, in weights and in words.

All weights are natural logarithms of odds, so they add (Fellegi and Sunter 1969). A name alone says as much
as it is rare: with `Rarity.others` expected namesakes in this database the odds are one to that number.
Shared coauthors, an affiliation, a repository say as much as they are rare among the names.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
    "crowd": 0.25,  # a coauthor where one of the lists is large: any two of those share some
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

GATHERED = 5
"""How much more often than by chance two strangers share a coauthor or an affiliation: whoever is in one
database is of a few fields and countries."""

ONE_PLACE = math.log(GATHERED)
"""What an affiliation says more between mentions of the same name in every letter: a namesake is at the same
place by no more than chance. In every set that was looked at, 97 in 100 such pairs were one person as long as
less than one namesake was to be expected there."""

LEAST_OVERLAP = 0.2
"""The coauthors of large lists that two sides share are chance if they are fewer than this part of those whom
the smaller side knows. In a made-up world of 50,000 repositories this takes away a third of the wrong pairs
and one in a thousand of the right ones; a larger part takes more of the right ones."""

BACKGROUND_NAMES = 500
"""Names that are out there beside those of a small database: keeps ten files from calling a name frequent."""

BACKGROUND_LISTS = 300
"""The same for lists, repositories and affiliations."""

INITIAL_SHARE = 0.08
"""How many of the bearers of a family name share a first initial, where too few are known to count."""

MIDDLE_SHARE = 0.15
"""How many of them share the next initial as well; a written-out second name is taken no rarer."""


UNSEEN = {"full": 0.5, "initials": 0.05}
"""How many of the namesakes that `Rarity.others` expects do write a name in these very letters. It takes
given and family names to meet by chance, and everybody to write their name in every way, and neither is so.
A sixth was found for full names; for initials that one full name fits at most a twentieth in a made-up world,
a tenth in INSPIRE, a two-hundredth among those called Wang, whose figures move most with it. More is left for
full names: for them nobody counts, as for initials, whom they may stand for."""

MOST_READ = 3
"""Initials that are looked at: hardly anybody writes more."""

FEW_SIGNED = 4
"""So few mentions more than the usual of those whom initials may stand for are no sign of one who signs so:
two mentions of M. Ito, and one each of Mika and Mark."""

ALL_KNOWN = 0.9
"""A count of the whole database may be a tenth too high: it is rounded."""


class Rarity:
    """How many people of a name to expect in this database.

    `count` answers how many different values a key of `counted` has among all names.
    """

    def __init__(self, count: Callable[[str], float]) -> None:
        self._count = count

    @classmethod
    def of(cls, names: Iterable[Name]) -> Rarity:
        """Return the rarity of names among `names` alone."""
        values: dict[str, set[str]] = {}
        for name in names:
            for key, value in cls.counted(name):
                values.setdefault(key, set()).add(value)
        return cls(lambda key: len(values.get(key, ())))

    @staticmethod
    def counted(name: Name) -> Iterator[tuple[str, str]]:
        """Yield (key, value) of all that a name adds to the counts: nothing if it is not written out."""
        if name.full:
            family, given = name.family[-1], first_given(name)
            yield "names", f"{given} {family}"
            yield f"family {family}", given
            yield f"given {given}", family
            yield f"letter {given[:1]}", f"{given} {family}"
            yield from ((f"reading {key}", value) for key, value in readings(name))

    @staticmethod
    def read(name: Name) -> Iterator[str]:
        """Yield the keys of the counts that the rarity of `name` depends on, beside those of all names."""
        if name.family:
            yield f"family {name.family[-1]}"
        if name.given:
            first = first_given(name)
            yield f"letter {first[:1]}" if name.initial else f"given {first}"
        if name.initial and name.family:
            yield f"reading {initials_of(name)}"

    def others(self, name: Name) -> float:
        """Return how many people besides one would be expected to have a name that `name` may stand for."""
        count = self._count
        families = max(count(f"family {name.family[-1]}") if name.family else 1, 1)
        if not name.given:
            return float(families)
        first = first_given(name)
        if name.initial:
            share = (count(f"letter {first[:1]}") + 100 * INITIAL_SHARE) / (count("names") + 100)
        else:
            share = max(count(f"given {first}"), 1) / (count("names") + BACKGROUND_NAMES)
        words = len(name.given) - (2 if name.hyphen else 1)
        return families * share * MIDDLE_SHARE ** min(max(words, 0), 2)

    def alike(self, name: Name, expected: float) -> float:
        """Return how many people besides one would be expected to write `name` and no more of it, of the
        `expected` whom it may stand for: see `others`.

        Initials: whoever is known by a full name that they stand for, beyond one, and some of those unknown.
        """
        if name.full:
            return expected * UNSEEN["full"]
        if name.initial and name.family:
            return max(self.known(name) - 1, 0) + expected * UNSEEN["initials"]
        return expected

    def known(self, name: Name) -> float:
        """Return how many full names of this database the initials of `name` may stand for."""
        return self._count(f"reading {initials_of(name)}")


def initials_of(name: Name) -> str:
    """Return the letters of the first given names, and the family name.

    >>> from .names import parse
    >>> initials_of(parse("Quill", "A. B."))
    'ab quill'
    """
    return f"{''.join(word[0] for word in name.given[:MOST_READ])} {name.family[-1]}"


def readings(name: Name) -> Iterator[tuple[str, str]]:
    """Yield (initials, given names) of a full name for the first given name, the first two, the first three.

    >>> from .names import parse
    >>> list(readings(parse("Quill", "Ada Beatrix")))
    [('a quill', 'ada'), ('ab quill', 'ada beatrix')]
    """
    for length in range(1, min(len(name.given), MOST_READ) + 1):
        given = name.given[:length]
        words = first_given(name) if length == 1 else " ".join(given)
        yield f"{''.join(word[0] for word in given)} {name.family[-1]}", words


def first_given(name: Name) -> str:
    """Return the first given name, hyphened pairs as one word."""
    return "".join(name.given[:2]) if name.hyphen else name.given[0].rstrip(".")


def name_weight(others: float) -> float:
    """Return what the agreement of a name says when `others` namesakes are to be expected."""
    return max(LEAST_FROM_NAME, min(MOST_FROM_NAME, -math.log(max(others, 1e-9))))


def shared_weight(kind: str, carriers: int, total: float) -> float:
    """Return what sharing one thing of `kind` says that `carriers` of `total` names (or lists) carry."""
    if kind in PERSONAL:
        return max(0.0, MOST[kind] - math.log(max(carriers, 2) / 2))
    return max(0.0, min(MOST[kind], math.log((total + BACKGROUND_LISTS) / (GATHERED * max(carriers, 1)))))


def prolific(mentions: int, usual: float) -> float:
    """Return what it adds to a name to be written `mentions` times, where `usual` mentions show nothing."""
    return min(MOST_PROLIFIC, max(0.0, math.log(mentions) - math.log(usual)))


@lru_cache(maxsize=1 << 12)
def confidence(weight: float) -> float:
    """Return the probability of a weight, rounded to three places.

    >>> confidence(0.0), confidence(4.0)
    (0.5, 0.982)
    """
    return round(1 / (1 + math.exp(-weight)), 3)
