"""Which ORCID iDs can be believed: those that stand on names which fit each other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..cff.identifiers import EXAMPLE_ORCIDS
from .fits import fit, given_fit
from .labels import shown
from .mentions import Conflict, MentionRow
from .names import Name
from .ties import Ties

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_COMMON = 4
"""Letters in a row that make two given names under one iD two spellings: Olexandr, Alexander."""


def one_person(a: Name, b: Name) -> bool:
    """Whether two names under one iD can be one person's: more is allowed than without it.

    A new family name with the same written-out given name is a change of name; other spellings of the given
    name count when the family name is the same.

    >>> from .names import parse
    >>> one_person(parse("Brekke", "Ole Tormund"), parse("Solvang", "Ole Tormund"))
    True
    >>> one_person(parse("Quill", "Ada"), parse("Stahl", "Ute"))
    False
    """
    found = fit(a, b)
    if found is not None:
        return found != ("typo", "missing")
    if a.suffix and b.suffix and a.suffix != b.suffix:
        return False
    if a.full and b.full and given_fit(a.given, b.given) in ("same", "middle"):
        return True
    if "".join(a.family) == "".join(b.family):
        return a.full and b.full and _common(a.given[0], b.given[0]) >= LONGEST_COMMON
    # One iD and the very words, cut or ordered otherwise.
    one, two = {*a.given, *a.family}, {*b.given, *b.family}
    return len(one & two) > 1 and (one <= two or two <= one)


def _common(a: str, b: str) -> int:
    """Length of the longest row of letters that both have."""
    best = 0
    for i in range(len(a)):
        while i + best < len(a) and a[i : i + best + 1] in b:
            best += 1
    return best


def fitting(names: Sequence[Name]) -> bool:
    """Whether all `names` under one iD can be one person's: each fits another, and all hang together."""
    reached, waiting = {0}, [0]
    while waiting:
        a = names[waiting.pop()]
        for i, b in enumerate(names):
            if i not in reached and one_person(a, b):
                reached.add(i)
                waiting.append(i)
    if len(reached) < len(names):
        return False
    # A. Quill must not hold Ada and Alan together.
    full = [n for n in names if n.full]
    return all(one_person(a, b) or not _same_family(a, b) for i, a in enumerate(full) for b in full[:i])


def believed(
    rows: Sequence[MentionRow],
    name_of: Sequence[int],
    names: Sequence[Name],
    of_entities: set[str],
    ties: Ties,
) -> tuple[list[str], dict[str, list[int]], list[Conflict]]:
    """Return the iD of each mention as far as it can be believed (else empty), the name numbers under each
    believed iD, and the conflicts.

    An iD on names that do not fit, on an entity as well, or of an example is a key for none of them.
    """
    where: dict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        if row.orcid:
            where[row.orcid].append(i)
    under: dict[str, list[int]] = {}
    conflicts: list[Conflict] = []
    for orcid, mentions in where.items():
        numbers = list(dict.fromkeys(name_of[i] for i in mentions))
        ids = tuple(rows[i].id for i in mentions)
        what = ""
        if orcid in EXAMPLE_ORCIDS:
            what = "is the example of a guide, and no one's here"
        elif orcid in of_entities:
            what = "stands on a person and an entity"
        elif not (ties.tied(mentions) or fitting([names[n] for n in numbers])):
            what = "stands on names that do not fit"
        if what:
            told = ", ".join(sorted({shown(rows[i]) for i in mentions})[:5])
            conflicts.append(Conflict("orcid-conflict", f"iD {orcid} {what}: {told}; it is not used", ids))
            continue
        under[orcid] = numbers
        lists: dict[int, list[int]] = defaultdict(list)
        for i in mentions:
            lists[rows[i].list_id].append(i)
        for twice in lists.values():
            if len(twice) > 1:
                text = f"{shown(rows[twice[0]])} with iD {orcid} stands in one author list {len(twice)} times"
                conflicts.append(Conflict("duplicate-author", text, tuple(rows[i].id for i in twice)))
    return [row.orcid if row.orcid in under else "" for row in rows], under, conflicts


def _same_family(a: Name, b: Name) -> bool:
    return a.family == b.family
