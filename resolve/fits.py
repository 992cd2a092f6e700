"""Whether two names can be one person's, and how well they agree.

`fit` compares two parsed names and answers with a grade, or with None when they cannot be one person's
unless an identifier says so. Grades only order kinds of agreement; what they weigh stands in `evidence`.
"""

from __future__ import annotations

from .names import Name, one_edit, soften

SHORT_FORMS = """
alexander alex sasha
alexandra alex
andrew andy
anthony tony
benjamin ben
charles charlie
christopher chris
christian chris
christoph chris
christine chris
daniel dan danny
david dave
dmitry dima
donald don
edward ed eddie
elizabeth liz beth
eugene gene
frederick fred
friedrich fritz
gabriel gabe
geoffrey geoff
gregory greg
jacob jake
james jim jimmy jamie
jeffrey jeff
jennifer jen
johannes hannes
jonathan jon
joseph joe
joshua josh
katherine kate kathy
kenneth ken
lawrence larry
leonard len
margaret maggie
matthew matt
matthias matt
maximilian max
michael mike mick
mikhail misha
nathaniel nate
nathan nate
nicholas nick
nikolaus klaus
pamela pam
patricia pat
patrick pat
peter pete
philip phil
phillip phil
rebecca becky
richard rick dick rich
robert rob bob
ronald ron
samantha sam
samuel sam
sebastian seb
stephen steve
steven steve
stefan steffen
susan sue
theodore ted
thomas tom
timothy tim
tobias tobi
victoria vicky
vincent vince
walter walt
william bill will
zachary zach
""".strip().splitlines()
"""A given name and its short forms, a line each: well-known English and German ones."""

_SHORT: dict[str, frozenset[str]] = {}
for _line in SHORT_FORMS:
    _full, *_shorts = _line.split()
    for _short in _shorts:
        _SHORT[_short] = _SHORT.get(_short, frozenset()) | {_full}

LETTERS_FOR_TYPO = 5
"""Shorter words are one letter from too many others: Yan, Yang; Lin, Liu; Jan, Jana."""


def short_form(a: str, b: str) -> bool:
    """Whether one of the given names is a usual short form of the other, or both are of one name.

    >>> short_form("mike", "michael"), short_form("john", "jack")
    (True, False)
    """
    one, two = _SHORT.get(a, frozenset()), _SHORT.get(b, frozenset())
    return a in two or b in one or bool(one & two)


def long_forms(word: str) -> frozenset[str]:
    """Return the given names that `word` is a usual short form of."""
    return _SHORT.get(word, frozenset())


def _word(a: str, b: str) -> str:
    """The grade of two given names: same, initial, nick, typo; empty for a conflict."""
    if a == b:
        return "same"
    if a.endswith(".") or b.endswith("."):
        x, y = a.rstrip("."), b.rstrip(".")
        return "initial" if x.startswith(y) or y.startswith(x) else ""
    if short_form(a, b):
        return "nick"
    if min(len(a), len(b)) >= LETTERS_FOR_TYPO and one_edit(a, b):
        return "typo"
    return ""


_ORDER = ("same", "middle", "second", "initial", "nick", "typo", "half", "skip", "missing")


def given_fit(a: tuple[str, ...], b: tuple[str, ...], hyphens: tuple[bool, bool] = (False, False)) -> str:
    """Return how two rows of given names agree; empty for a conflict.

    same; middle: one has more initials; second: one has more names written out; initial: the first is only a
    letter on one side; nick, typo: the first differs so; half: one of a hyphened pair (Jean, Jean-Pierre);
    skip: the first is left out on one side; missing: one side has none.
    """
    if a == b:
        return "same"
    if not a or not b:
        return "missing"
    if not any(w.endswith(".") for w in (*a, *b)):
        one, two = "".join(a), "".join(b)
        if one == two:
            return "same"
        if len(a) != len(b) and min(len(one), len(two)) >= LETTERS_FOR_TYPO + 1 and one_edit(one, two):
            return "typo"
    grade = _word(a[0], b[0])
    if not grade:
        for long, short in ((a, b), (b, a)):
            joined = hyphens[0 if long is a else 1]  # Kam-Fai is not Fai
            if (
                len(long) > 1
                and not joined
                and len(short[0]) > 2
                and not short[0].endswith(".")
                and short[0] in long[1:]
            ):
                place = long.index(short[0], 1)
                return "skip" if _rest(long[place + 1 :], short[1:]) else ""
        return ""
    rest = _rest(a[1:], b[1:])
    if not rest:
        return ""
    if len(a) != len(b) and grade == "same" and not a[0].endswith("."):
        longer = 0 if len(a) > len(b) else 1
        if hyphens[longer] and not hyphens[1 - longer] and min(len(a), len(b)) == 1:
            return "half"
    return max(grade, rest, key=_ORDER.index)


def _rest(a: tuple[str, ...], b: tuple[str, ...]) -> str:
    """How the later given names agree: the shorter row must be in the longer, in order; empty if not."""
    if len(a) < len(b):
        a, b = b, a
    grade, place = "same", 0
    if len(a) > len(b):
        grade = (
            "middle"
            if sum(not w.endswith(".") for w in a) <= sum(not w.endswith(".") for w in b)
            else "second"
        )
    for word in b:
        while place < len(a) and not _word(a[place], word):
            place += 1
        if place == len(a):
            return ""
        found = _word(a[place], word)
        grade = max(grade, "middle" if found == "initial" else found, key=_ORDER.index)
        place += 1
    return grade


def fit(a: Name, b: Name) -> tuple[str, str] | None:
    """Return (grade of the family names, grade of the given names), or None where the names conflict.

    Family: same, particle (one side has one), umlaut, part (one of a double name), typo, swap (given and
    family name exchanged). Given: as `given_fit`; a name in two scripts is `script`.

    >>> from .names import parse
    >>> fit(parse("Quill", "A. B."), parse("Quill", "Ada Beatrix"))
    ('same', 'initial')
    >>> fit(parse("Doer", "John"), parse("Doer", "Jack")) is None
    True
    """
    if a.suffix and b.suffix and a.suffix != b.suffix:
        return None
    if a.spoken == b.spoken:
        return ("same", "same")
    if (a.lossy and a.lossy == b.spoken) or (b.lossy and b.lossy == a.spoken):
        return ("lossy", "same")
    if a.script == b.script == "han":
        return None  # two words of one sound are two names
    for family, given_a, given_b in _families(a, b):
        given = given_fit(given_a, given_b, (a.hyphen, b.hyphen))
        if given:
            return (family, "script" if a.script != b.script and given == "same" else given)
    if a.given and b.given and (
        (a.given == b.family and a.family == b.given)
        or (not a.initial and sorted((*a.given, *a.family)) == sorted((*b.given, *b.family)))
    ):  # fmt: skip
        return ("swap", "same")
    return None


def _families(a: Name, b: Name) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The ways in which the family names agree, best first, with the given names that each leaves."""
    one, two = "".join(a.family), "".join(b.family)
    if one == two:
        if a.particle == b.particle:
            return [("same", a.given, b.given)]
        if not a.particle or not b.particle:
            return [("particle", a.given, b.given)]
        return [("part", a.given, b.given)]
    if "".join(a.particle) + one == "".join(b.particle) + two:
        return [("same", a.given, b.given)]
    if soften(one) == soften(two):
        return [("umlaut", a.given, b.given)]
    ways = []
    x, y = tuple(map(soften, a.family)), tuple(map(soften, b.family))
    # The cut between given and family name may stand one word further: Filippo Maria | Castelli.
    if len(x) != len(y):
        if len(x) > len(y) and x[-len(y) :] == y:
            ways.append(("part", a.given + a.family[: -len(y)], b.given))
        elif len(x) < len(y) and y[-len(x) :] == x:
            ways.append(("part", a.given, b.given + b.family[: -len(x)]))
        shorter = x if len(x) < len(y) else y
        if max(map(len, shorter), default=0) > 2 and (set(x) < set(y) or set(y) < set(x)):
            ways.append(("part", a.given, b.given))
    if not ways and one[:1] and min(len(one), len(two)) >= LETTERS_FOR_TYPO and one_edit(one, two):
        ways.append(("typo", a.given, b.given))
    return ways
