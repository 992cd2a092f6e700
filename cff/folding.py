"""Text folded for comparing and searching, in every script.

Folding forgets what people write differently without meaning it: case, accents, the kind of an
apostrophe or a hyphen, invisible characters. It keeps what distinguishes words: the vowel signs of
Indic scripts and of Thai are letters here, not accents, so that no name folds to nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from anyascii import anyascii

# Letters that Unicode's decomposition leaves whole.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n"}
    | {"þ": "th", "æ": "ae", "œ": "oe"}
)
# Apostrophes and their like join the letters on both sides: O'Brien, O’Brien, OʼBrien.
_JOINERS = re.compile("['\u2018\u2019\u201b\u2032\u02b9-\u02bf\u00b4`\uff07]")
# Accents proper: combining marks, Hebrew points, Arabic vowel marks.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
)
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_ASCII_SIGNS = re.compile(r"[^A-Za-z0-9]+")
# What ASCII folds to, in one step: small letters and digits, nothing for joiners, blanks for all other signs.
_ASCII = {
    ord(c): c.lower() if c.isalnum() else None if _JOINERS.match(c) else " " for c in map(chr, range(128))
}


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Return the words of `text`, folded, with one blank between them; the script stays.

    >>> fold("Núria  O’Brien-Łukaszek")
    'nuria obrien lukaszek'
    >>> fold("ÖZKAN") == fold("özkan")
    True
    """
    if text.isascii():
        return " ".join(text.translate(_ASCII).split())
    text = _JOINERS.sub("", _INVISIBLE.sub("", text))
    text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    if not text.isascii():
        text = text.translate(_LETTERS)
    if text.isascii():  # as most names in Latin letters are by now
        return _ASCII_SIGNS.sub(" ", text).strip()
    text = unicodedata.normalize("NFC", text)
    return " ".join("".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text).split())


def latin(text: str) -> str:
    """Return `fold(text)` in Latin letters, as a reader without the script's keyboard would type it.

    >>> latin("Олександр")
    'oleksandr'
    """
    return fold(text if text.isascii() else anyascii(unicodedata.normalize("NFC", text)))


def squeeze(text: str) -> str:
    """Return `text` in NFC without invisible characters and with single blanks, fit to show."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return " ".join(text.split())
