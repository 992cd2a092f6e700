"""A person's name taken apart: which words are given names, particle, family names and suffix.

Only what the letters show is decided here: lower-case particles, suffixes, commas, capitals. Which of
two plain words is the family name cannot be seen, so the last one is taken, as in most of the
literature; where the first is a frequent family name and the last is none, the first.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from .agent_words import FAMILY_NAMES, GIVEN_NAMES, PARTICLES, SUFFIX
from .folding import fold, latin, squeeze


class NameParts(NamedTuple):
    """The four fields of a CFF person, each empty where there is none."""

    given_names: str = ""
    name_particle: str = ""
    family_names: str = ""
    name_suffix: str = ""


LOWER = "a-zß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıķĺļľŀłńņňōŏőŕŗřśŝşţťŧũūŭůűųŵŷźżž"
UPPER = "A-ZÀÁÄ-ÖØ-ÞĆČĎĐĘĚĞİŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽ"
"""Latin letters of most languages, for use inside the brackets of a pattern."""

# Text with nothing to clean: single blanks, no backslash, and no letters but those that are one character in
# NFC and of which no two are UTF-8 read as cp1252. It spares nearly every text the rest of `clean`.
_PLAIN = "!-\\[\\]-~À-ÖØ-öø-őŔ-şŢ-ŷŹ-żſ"
_NEAT = re.compile(rf"(?! )[ {_PLAIN}]*(?<! )")
_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff\ue000-\uf8ff]")
# UTF-8 that was read as cp1252 or Latin-1: a lead byte, then a continuation byte.
_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]"
)
_LATEX = re.compile(
    r"\{?(?:\\([\"'`^~=.])|(?:\\([uvHckrbd])(?![A-Za-z])|([\x0b\x08\r])(?=\{)))\s*\{?\\?([A-Za-z])\}?\}?"
)
_LATEX_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "b": "\u0331",
    "d": "\u0323", "\x0b": "\u030c", "\x08": "\u0331", "\r": "\u030a",
}  # fmt: skip
_LATEX_LETTERS = {
    r"\o": "ø",
    r"\O": "Ø",
    r"\l": "ł",
    r"\L": "Ł",
    r"\ss": "ß",
    r"\ae": "æ",
    r"\aa": "å",
    r"\i": "ı",
}


def clean(text: str) -> tuple[str, bool]:
    """Return `text` for a record (see `folding.squeeze`), and whether characters had to be mended or dropped.

    Control characters go, UTF-8 read as cp1252 and accents written in LaTeX become letters. In a YAML
    string in double quotes `\\v{c}` has become a vertical tab and `{c}`: that is the caron it was meant as.

    >>> clean("JosÃ©  Ring\\x07er"), clean("Stojanovi{\\\\'c}")
    (('José Ringer', True), ('Stojanović', True))
    """
    if _NEAT.fullmatch(text) and "  " not in text:
        return text, False
    written, bad = text, False
    if _MOJIBAKE.search(text):
        mended = _as_utf8(text)
        bad, text = mended != text, mended
    if "\\" in text or "{" in text:
        plain = _LATEX.sub(_accented, text)
        for command, letter in _LATEX_LETTERS.items():
            plain = re.sub(rf"\{{?\\{command[1:]}(?![A-Za-z])\s?(?:\{{\}})?\}}?", letter, plain)
        if plain != text:
            bad, text = True, plain.replace("{", "").replace("}", "")
    if _BAD.search(text):
        bad, text = True, _BAD.sub("", text)
    neat = squeeze(text)
    if neat == written:
        return neat, bad
    # What was dropped may have stood between two halves of one letter.
    again, more = clean(neat)
    return again, bad or more


def _as_utf8(text: str) -> str:
    raw = bytearray()
    for character in text:
        try:
            raw += character.encode("cp1252")
        except UnicodeEncodeError:
            if ord(character) > 0xFF:
                return text
            raw.append(ord(character))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return text


def _accented(found: re.Match[str]) -> str:
    mark = _LATEX_MARKS[found[1] or found[2] or found[3]]
    return unicodedata.normalize("NFC", found[4] + mark)


_UNSPACED = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def split_whole(text: str) -> NameParts:
    """Return the parts of a whole name that stands in one field; of one word: the family name.

    Chinese, Japanese and Korean letters: the first word is the family name; without a blank the whole is.

    >>> split_whole("Ada B. van der Quill Jr.")
    NameParts(given_names='Ada B.', name_particle='van der', family_names='Quill', name_suffix='Jr.')
    >>> split_whole("de Quill, Ada")
    NameParts(given_names='Ada', name_particle='de', family_names='Quill', name_suffix='')
    """
    text, suffix = take_suffix(text)
    first, comma, rest = text.partition(",")
    if comma and first.strip() and rest.strip(" ,"):
        given = rest.strip(" ,")
        middle, comma, last = given.partition(",")
        if comma and SUFFIX.fullmatch(f", {middle.strip()}"):
            given, suffix = last.strip(), middle.strip()
        if not suffix:
            given, suffix = take_suffix(given)
            first, inner = take_suffix(first.strip())
            suffix = suffix or inner
        particle, family = take_particle(first.strip())
        return NameParts(given, particle, family, suffix)
    words = text.strip(" ,").split(" ")
    if len(words) == 1:
        return NameParts("", "", words[0], suffix)
    particle, family = take_particle(text)
    if particle:
        return NameParts("", particle, family, suffix)
    start, end = _family_span(words)
    particle, family = take_particle(" ".join(words[start:end]))
    return NameParts(" ".join(words[:start] + words[end:]), particle, family, suffix)


# In a whole name a particle in capitals too is told by its place; Ben, Van and Al are given names as well.
_CAPITAL_PARTICLES = frozenset(
    "Di De Del Della Von Der Den Da Dos Du La Le El Bin Ibn Ter Ten Vander".split()
)


def _family_span(words: list[str]) -> tuple[int, int]:
    """Which of at least two words are particle and family names, as a slice."""
    last = len(words)
    if _UNSPACED.search(words[0]):
        return 0, 1
    capitals = [len(w) > 2 and w.isupper() and "." not in w for w in words]
    if 0 < sum(capitals) < last:
        if capitals[-1]:
            start = last - 1
            while capitals[start - 1] or words[start - 1] in PARTICLES:
                start -= 1
            return max(start, 1), last
        if capitals[0]:
            return 0, capitals.index(False)
    for i in range(1, last - 1):
        if words[i] in PARTICLES or words[i] in _CAPITAL_PARTICLES:
            return i, last
        if words[i] in ("y", "i", "e") and i > 1:
            return i - 1, last
    if _family_first(words):
        return 0, 1
    return last - 1, last


def _family_first(words: list[str]) -> bool:
    first, last = latin(words[0]), latin(words[-1])
    return first in FAMILY_NAMES and first not in GIVEN_NAMES and last not in FAMILY_NAMES and len(words) == 2


def take_suffix(text: str) -> tuple[str, str]:
    """Return (the name without its suffix, the suffix), as in `Harlow, Jr.`; single letters are none.

    >>> take_suffix("Harlow, Jr"), take_suffix("Harlow III, PhD")
    (('Harlow', 'Jr'), ('Harlow', 'III, PhD'))
    """
    found: list[str] = []
    while match := SUFFIX.search(text):
        rest = text[: match.start()]
        if not rest.strip(" ,"):
            break
        found.insert(0, match[1])
        text = rest
    return text, ", ".join(found)


def take_particle(text: str) -> tuple[str, str]:
    """Return (the particle, the family name): lower-case particles at the start, if a name follows them.

    >>> take_particle("van der Holt"), take_particle("Van Holt"), take_particle("al")
    (('van der', 'Holt'), ('', 'Van Holt'), ('', 'al'))
    """
    words = text.split(" ")
    count = 0
    while count < len(words) - 1 and words[count] in PARTICLES:
        count += 1
    return " ".join(words[:count]), " ".join(words[count:])


def take_last_particle(given: str) -> tuple[str, str]:
    """Return (given names, particle): lower-case particles at the end, if a name is before them.

    >>> take_last_particle("Ludo van der"), take_last_particle("Thi Van")
    (('Ludo', 'van der'), ('Thi Van', ''))
    """
    words = given.split(" ")
    count = len(words)
    while count > 1 and words[count - 1] in PARTICLES:
        count -= 1
    return " ".join(words[:count]), " ".join(words[count:])


_WORD = r"(?:[^\W\d_]|['’ʼ‘-])+"
_NAME_WORD = re.compile(rf"{_WORD}\.?|(?:[^\W\d_]\.-?)+")


def looks_like_name(text: str) -> bool:
    """Say whether each word of `text` could be one of a person's name: capitalised, initial or particle.

    >>> looks_like_name("Jutta H. van Quill"), looks_like_name("scikit-learn"), looks_like_name("Studio 54")
    (True, False, False)
    """
    words = text.replace(",", "").split()
    return 0 < len(words) <= 6 and all(
        _NAME_WORD.fullmatch(word)
        and (word[0] == word[0].upper() or word in PARTICLES or word in ("y", "e") or word[1:2] in ("'", "’"))
        for word in words
    )


def known_name(text: str) -> bool:
    """Say whether `text` begins with a frequent given name or holds a frequent family name at either end.

    >>> known_name("Jiri Borovec"), known_name("Google Brain")
    (True, False)
    """
    words = latin(text).split() if text.isascii() or not _UNSPACED.search(text) else fold(text).split()
    return bool(words) and (words[0] in GIVEN_NAMES or words[-1] in FAMILY_NAMES or words[0] in FAMILY_NAMES)
