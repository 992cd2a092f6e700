"""The name to show for an author, and the key to know it by."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ..cff.folding import fold, latin, squeeze
from .names import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .mentions import MentionRow

_NUMBER = re.compile(r"(?<=\w) \d{4}\b")


def shown(row: MentionRow) -> str:
    """Return the name of a mention to show: in the order one says it, NFC, single blanks, no namesake number.

    >>> from .mentions import MentionRow
    >>> shown(MentionRow(1, "k", 1, 0, 1, "person", family_names="Talo 0001", given_names="Wen"))
    'Wen Talo'
    """
    if row.kind != "person":
        return squeeze(row.name or row.alias or f"{row.given_names} {row.family_names}")
    family, given, suffix = row.family_names, row.given_names, row.name_suffix
    if not given.strip() and "," in family:
        head, _, tail = family.partition(",")
        if parse(family).given:
            family, given = head, tail
    parts = (given, row.name_particle, family, suffix)
    return _NUMBER.sub("", squeeze(" ".join(p for p in parts if p.strip()) or row.name or row.alias))


def _rank(form: str, count: int) -> tuple[int, int, int, int, int, str]:
    """Smaller is better: letters of both kinds, then fuller, then accents, then more used."""
    words = [w for w in re.split(r"[\s\-]+", form) if any(map(str.isalpha, w))]
    long = [w.strip(".,") for w in words if len(w.strip(".,")) > 1 and w.upper() != w.lower()]
    shouting = sum(w.isupper() and len(w) > 2 for w in long)
    small = int(bool(long) and form == form.lower())
    fullness = sum(1 if len(w.strip(".,")) > 1 and not w.endswith(".") else 0 for w in words)
    accents = sum(ord(c) > 127 for c in form)
    return (shouting + small, -fullness, -len(words), -accents, -count, form)


def best_form(forms: Counter[str]) -> str:
    """Return the form to show: of the family name most used, the fullest, then the one with its accents, then
    the most used; ALL CAPITALS and all small only where there is nothing else.

    >>> best_form(Counter({"SARA LIVSEY": 3, "Sara Livsey": 1, "S. Livsey": 5}))
    'Sara Livsey'
    """
    if len(forms) == 1:
        return next(iter(forms))
    last = Counter[str]()
    for form, count in forms.items():
        last[fold(form).split(" ")[-1]] += count
    families = {f: n for f, n in last.items() if f}
    usual = min(families, key=lambda f: (-families[f], f)) if families else ""
    among = [f for f in forms if usual in fold(f).split(" ")] or list(forms)
    return min(among, key=lambda f: _rank(f, forms[f]))


def count_forms(rows: Iterable[MentionRow]) -> Counter[str]:
    """Return the shown forms with their counts."""
    return Counter(shown(r) for r in rows)


def numbered(keys: Sequence[str]) -> list[str]:
    """Return `keys`, in their order, with ~2, ~3 behind those that came before.

    >>> numbered(["wei wang", "ada quill", "wei wang"])
    ['wei wang', 'ada quill', 'wei wang~2']
    """
    seen = Counter[str]()
    found = []
    for key in keys:
        seen[key] += 1
        found.append(key if seen[key] == 1 else f"{key}~{seen[key]}")
    return found


def searchable(text: str) -> str:
    """Return `text` as it is searched: folded, and in Latin letters too where that differs.

    >>> searchable("Ада")
    'ада ada'
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    letters = latin(text)
    return f"{folded} {letters}" if letters != folded else folded
