"""One name as its words: what of a person's name can be compared.

A mention writes its name into four fields as it likes: the particle before, behind or beside the family
name, the suffix behind a comma, everything in one field. `parse` undoes that, so that equal names are
equal values; it keeps what distinguishes (which word stood where), and guesses no given name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..cff.folding import fold, latin

PARTICLES = frozenset(
    "van von vom der den dem het de del della dello degli di da dal do dos das du des la le lo las los"
    " ten ter te zu zum zur af av auf al el ul bin ibn bint ben abu af mac".split()
)
"""Words that belong to the family name and are left out, moved or capitalised at will."""

TRAILING = frozenset(
    "van von der den de del della di da dos das du ten ter zu zum zur af av al el bin ibn bint".split()
)
"""Particles that, written small, end a given-names field when they belong to the family name."""

SUFFIXES = {
    "jr": "jr", "jnr": "jr", "junior": "jr", "sr": "sr", "snr": "sr", "senior": "sr", "filho": "filho",
    "ii": "ii", "2nd": "ii", "iii": "iii", "3rd": "iii", "iv": "iv", "4th": "iv",
}  # fmt: skip
"""Generation words by their normal form; V and I are left out, they are initials."""

TITLES = frozenset("dr prof professor mr mrs ms dipl phd md msc bsc".split())
"""Words around a name that are no part of it."""

# A dot ends an initial or an abbreviation: `J.P.` is two words, `Chr.` one.
_WORDS = re.compile(r"[^\s.\-\u2010-\u2015\u2212\uff0d\u00a0]+\.?|[\-\u2010-\u2015\u2212\uff0d]")
_NON_LATIN = re.compile("[\u0250-\u1dff\u2c80-\ua71f\ua800-\ufaff\ufe20-\uffff]|[\U00010000-\U0010ffff]")
_LOSABLE = re.compile("[øØłŁđĐðÐþÞæÆœŒıħĦŋŊß]")
_HAN = re.compile("[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UMLAUT = re.compile(r"(?<![aeiouq])([aou])e")


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name in words, folded and in Latin letters."""

    given: tuple[str, ...]
    """In order; an initial or abbreviation ends with a dot: `("ada", "b.")`."""
    family: tuple[str, ...]
    """Without particles; a name of one word stands here."""
    particle: tuple[str, ...] = ()
    suffix: str = ""
    """A normal form of `SUFFIXES`, else empty."""
    spoken: str = ""
    """All words but the suffix as one says them, folded, in their own script: equal for every cut
    between given name, particle and family name."""
    hyphen: bool = False
    """The first two given names are written as one: Jean-Pierre."""
    lossy: str = ""
    """`spoken` as it looks where letters that are no letter with an accent were lost (`sren` for Søren);
    empty where there are none."""
    script: str = ""
    """`han` (Chinese characters, kana), `other`, or empty for Latin letters."""

    @property
    def initial(self) -> bool:
        """Whether the first given name is no more than a letter or an abbreviation."""
        return bool(self.given) and self.given[0].endswith(".")

    @property
    def full(self) -> bool:
        """Whether the name has a family name and a first given name written out."""
        return bool(self.family) and bool(self.given) and not self.given[0].endswith(".")


@lru_cache(maxsize=1 << 16)
def soften(word: str) -> str:
    """Return `word` with ae, oe, ue as a, o, u: equal for Köhler, Koehler and Kohler.

    A real `ue` behind a vowel or q stays, as in Bauer and Rodrigue; others lose it, on both sides alike.

    >>> soften("koehler"), soften("bauer")
    ('kohler', 'bauer')
    """
    return _UMLAUT.sub(r"\1", word)


def one_edit(a: str, b: str) -> bool:
    """Whether `a` becomes `b` by one letter more, less, other, or two neighbours exchanged.

    >>> one_edit("ferranti", "feranti"), one_edit("meier", "meyer"), one_edit("ab", "cd")
    (True, True, False)
    """
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    if len(a) > len(b):
        a, b = b, a
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[i:] == b[i + 1 :]
    return a[i + 1 :] == b[i + 1 :] or (a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :])


def _given_words(text: str, shouting: bool) -> tuple[list[str], list[str], bool]:
    """(comparable words, written words, first two joined by a hyphen) of a given-names field."""
    words: list[str] = []
    written: list[str] = []
    hyphen = False
    joined = False
    for piece in _WORDS.findall(text):
        if fold(piece) == "":
            joined = joined or (len(words) == 1 and not piece.endswith("."))
            continue
        bare = piece.rstrip(".")
        if bare.isalpha() and bare.isupper() and _initials_pair(bare, shouting):
            new = [f"{c}." for c in latin(bare)]
        else:
            new = latin(bare).split()
            if len(new) == 1 and (len(new[0]) == 1 or (piece.endswith(".") and len(new[0]) <= 4)):
                new = [f"{new[0]}."]
        if len(words) == 1 and joined and new and not new[0].endswith("."):
            hyphen = True
        words += new
        written += [bare] * len(new)
    return words, written, hyphen


def _initials_pair(bare: str, shouting: bool) -> bool:
    """Whether capitals without dots are initials: `AB`, `CK`, `JRR`; not `EVA`, nor a name among capitals."""
    vowel = any(c in "aeiouy" for c in latin(bare))
    return (len(bare) == 2 and not (shouting and vowel)) or (len(bare) == 3 and not vowel)


def _take_suffix(words: list[str]) -> str:
    """Remove suffixes, degrees and numbers from the end of `words`, never its first; return the suffix."""
    suffix = ""
    while len(words) > 1:
        last = words[-1].rstrip(".")
        if last in SUFFIXES:
            suffix = SUFFIXES[last]
        elif last not in TITLES and not last.isdigit():
            break
        words.pop()
    return suffix


@lru_cache(maxsize=1 << 17)
def parse(family: str, given: str = "", particle: str = "", suffix: str = "", name: str = "") -> Name:
    """Return the name that a mention's fields write; `name` counts when family and given are empty.

    A name in one field is cut before its last word, or at its comma. All empty: a Name without words.

    >>> parse("van Holt", "Ludo") == parse("Holt", "Ludo", particle="van") == parse("Holt", "Ludo van")
    True
    >>> parse("Quill", "AB").given
    ('a.', 'b.')
    >>> parse("Harlow, Jr", "Thomas").suffix
    'jr'
    """
    if not family and not given:
        family = name
    head, comma, tail = family.partition(",")
    behind = latin(tail).split()
    if comma and not all(w in SUFFIXES or w in TITLES for w in behind):
        if given:  # `Quill, Ada | Ada` repeats itself; `Quill, Beatrix | Ada` is a slip of the comma
            family = head if set(behind) <= set(latin(given).split()) else f"{head} {tail}"
        else:
            family, given = head, tail
    cut = bool(given.strip()) and bool(family.strip())
    if not cut:
        text = family if family.strip() else given
        pieces = text.split()
        while len(pieces) > 1 and (fold(pieces[-1]) in SUFFIXES or fold(pieces[-1]).isdigit()):
            suffix = suffix or pieces[-1]
            pieces.pop()
        place = len(pieces) - 1
        while place > 1 and fold(pieces[place - 1]) in PARTICLES:
            place -= 1
        given, family = " ".join(pieces[:place]), " ".join(pieces[place:])
    shouting = family.isupper()
    words, written, hyphen = _given_words(given, shouting)
    native_given = fold(given).split()
    family_words, native_family = latin(family).split(), fold(family).split()
    found = _take_suffix(family_words)
    native_family = (
        native_family[: len(family_words)] if len(native_family) >= len(family_words) else native_family
    )
    found = _take_suffix(words) or found
    native_given = native_given[: len(words)] if len(native_given) > len(words) else native_given
    while len(words) > 1 and words[0].rstrip(".") in TITLES:
        del words[0], written[0]
        native_given = native_given[1:]
    for word in latin(suffix).split():
        found = SUFFIXES.get(word, found)
    particles = latin(particle).split()
    while len(words) > 1 and words[-1] in TRAILING and written[len(words) - 1][:1].islower():
        particles.insert(0, words.pop())
    while len(family_words) > 1 and family_words[0] in PARTICLES:
        particles.append(family_words.pop(0))
    # `Patrick | D Schloss`: the initial belongs to the given names.
    while words and len(family_words) > 1 and len(family_words[0]) == 1:
        words.append(f"{family_words.pop(0)}.")
    # `van | van Holt` repeats the particle.
    if len(particles) % 2 == 0 and particles[: len(particles) // 2] == particles[len(particles) // 2 :]:
        particles = particles[: len(particles) // 2]
    if words and not family_words:
        words, family_words = [], [w.rstrip(".") for w in words]
    text = f"{given} {family}"
    script = "" if text.isascii() or not _NON_LATIN.search(text) else "han" if _HAN.search(text) else "other"
    if script:
        spoken = " ".join([*native_given, *fold(particle).split(), *native_family])
    else:
        spoken = " ".join([*(w.rstrip(".") for w in words), *particles, *family_words])
    lossy = ""
    if not script and _LOSABLE.search(text):
        lossy = fold(_LOSABLE.sub("", f"{given} {' '.join(particles)} {family}" if particle else text))
    return Name(tuple(words), tuple(family_words), tuple(particles), found, spoken, hyphen, lossy, script)
