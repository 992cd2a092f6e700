"""Names written otherwise: which of them join, the surest first, and what is offered for review."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from .blocks import full_pairs, initial_blocks
from .evidence import (
    AMBIGUOUS,
    FAMILY_WEIGHT,
    GIVEN_WEIGHT,
    LINE,
    MARGIN,
    MOST_FROM_SPELLING,
    NAME_LINE,
    REPEATED,
    REVIEW,
    TWO_DIFFERENCES,
    confidence,
    name_weight,
)
from .sharing import Sharing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .known import Common
    from .people import People

MOST_COMPARED = 64
"""Node pairs of two names that are all compared; beyond, only those that share something."""

MOST_IN_BLOCK = 200_000
"""Pairs of an initial's names and the full ones in one block; a fuller one is left as it is."""

ROUNDS = 2
"""What the first round joined shares more, and may join in the second."""

_SAID = {
    "same": "same name",
    "lossy": "same name with a letter lost",
    "particle": "same name without the particle",
    "umlaut": "umlaut written otherwise",
    "part": "one of two family names",
    "typo": "one letter differs",
    "swap": "given and family name exchanged",
    "script": "same name in another script",
    "middle": "middle name left out",
    "second": "second given name left out",
    "initial": "initials fit",
    "nick": "short form of the given name",
    "half": "one of two given names",
    "skip": "first given name left out",
    "missing": "family name only",
}

_SURE = {("same", ""), ("same", "same"), ("umlaut", "same"), ("lossy", "same")}
"""Two spellings of all words: no other name is meant, so nothing is left open."""

_EQUAL = ("same", "")
"""The same name in every letter but for blanks and hyphens: Ji-hoon, Jihoon."""

_Scored = tuple[float, int, int, tuple[str, str], str]


def grades_of(people: People, a: int, b: int) -> tuple[str, str] | None:
    """How two names fit: as `fits.fit` says, and whether they are the same in every letter."""
    grades = people.named.fit(a, b)
    if grades == ("same", "same") and people.names[a].suffix == people.names[b].suffix:
        return _EQUAL
    return grades


def name_agreement(people: People, a: int, b: int, grades: tuple[str, str]) -> float:
    """What the agreement of two names says."""
    if grades == _EQUAL:
        return min(MOST_FROM_SPELLING, name_weight(max(people.alike[a], people.alike[b])))
    family, given = grades
    weight = FAMILY_WEIGHT[family] + GIVEN_WEIGHT[given]
    repeated = min(REPEATED.get(family, 0.0), REPEATED.get(given, 0.0))
    if repeated:
        weight += repeated * math.log(min(people.uses[a], people.uses[b]))
    if family not in ("same", "particle") and given != "same":
        weight += TWO_DIFFERENCES
    return min(MOST_FROM_SPELLING, name_weight(max(people.others[a], people.others[b]))) + weight


def words_for(grades: tuple[str, str], words: str, as_written: str = "") -> str:
    """The reason in words."""
    said = [_SAID[g] for g in grades if g not in ("same", "")] or [_SAID["same"]]
    if as_written:
        said[-1] += f": {as_written}"
    return "; ".join([*said, words] if words else said)


def _node_pairs(people: People, a: int, b: int, least: float) -> Iterable[tuple[int, int]]:
    """Pairs of standing nodes of two names worth comparing: what they share may weigh at least so much.

    Where the names alone say enough all are, as long as they are few.
    """
    find, known = people.groups.find, people.known
    one = sorted({find(n) for n in people.nodes_of_name[a]})
    two = sorted({find(n) for n in people.nodes_of_name[b]})
    count = len(one) * len(two)
    if count == 1 or (least <= 0 and count <= MOST_COMPARED):
        return [(x, y) for x in one for y in two if x != y]
    if len(one) < len(two):
        one, two = two, one
    sharing = Sharing.with_any([known(y) for y in two], people.features)
    for x in one:
        sharing.note(x, known(x))
    return [(x, y) for y in two for x in sharing.reaching(known(y), least, find) if x != y]


def other_spellings(people: People) -> None:
    """Join names whose given names are written out on both sides, and those with none."""
    letters = people.named.letters
    links: list[tuple[int, int, float, tuple[str, str]]] = []
    targets: dict[int, list[int]] = defaultdict(list)
    pairs = full_pairs(people.names, people.census.crowded) | people.features.paired_names()
    for a, b in sorted(pairs):
        if people.names[a].initial or people.names[b].initial:
            continue
        if (grades := grades_of(people, a, b)) is not None:
            links.append((a, b, name_agreement(people, a, b, grades), grades))
            if grades not in _SURE:
                less, more = sorted((a, b), key=lambda n: (letters(n), n))
                targets[less].append(more)
    doubtful = {less for less, more in targets.items() if people.named.several(more)}
    for _ in range(ROUNDS):
        scored: list[_Scored] = []
        for a, b, prior, grades in links:
            if grades not in _SURE and min(a, b, key=lambda n: (letters(n), n)) in doubtful:
                prior += AMBIGUOUS
            for x, y in _node_pairs(people, a, b, LINE - REVIEW - prior):
                if not people.groups.lists[x].isdisjoint(people.groups.lists[y]):
                    continue
                common = people.common(x, y)
                weight = people.features.weigh(common)
                doubted = grades == _EQUAL or (grades not in _SURE and prior + weight >= LINE)
                if doubted and (weight < (no := people.against(x, y)) or grades == _EQUAL):
                    weight -= no
                if prior + weight >= LINE - REVIEW:
                    words = people.features.words(common)
                    scored.append((-prior - weight, min(x, y), max(x, y), grades, words))
        if not _take(people, scored):
            break


def _take(people: People, scored: list[_Scored]) -> int:
    """Join along scored pairs, strongest first; offer the others; return how many were joined."""
    joined = 0
    groups = people.groups
    for minus, x, y, grades, words in sorted(scored):
        a, b = groups.find(x), groups.find(y)
        if a == b:
            continue
        said = words_for(grades, words)
        line = NAME_LINE if grades == _EQUAL else LINE
        if -minus >= line and groups.join(a, b, said, confidence(-minus)):
            joined += 1
        elif groups.may(a, b):
            people.offer(x, y, min(-minus, LINE - 0.1), said)
        elif groups.may(a, b, whatever_orcid=True) and -minus >= LINE:
            people.offer(x, y, LINE - 0.1, f"{said}; two iDs")
    return joined


def initials(people: People) -> None:
    """Join names with a first initial to the one full name that they may stand for, the longest first."""
    letters = people.named.letters
    targets: dict[int, set[int]] = defaultdict(set)
    for short, every in initial_blocks(people.names, people.census.crowded):
        if len(short) * len(every) > MOST_IN_BLOCK:
            continue
        for s in short:
            least = letters(s)
            for t in every:
                if t != s and letters(t) >= least and people.named.fit(s, t) is not None:
                    targets[s].add(t)
    for s in sorted(targets, key=lambda n: (-letters(n), n)):
        _attach(people, s, sorted(targets[s]))


def _attach(people: People, s: int, targets: list[int]) -> None:
    """Join the groups of the initial's name `s` each to the one group that it fits, if there is just one,
    or if what they share chooses just one."""
    groups, least = people.groups, LINE - REVIEW
    find, parent = groups.find, groups.parent
    nodes: dict[int, int] = {}  # standing node -> its name among the targets
    names: dict[int, tuple[tuple[str, str], float]] = {}  # how a target's name fits, and what that says
    for t in targets:
        grades = people.named.fit(s, t) or ("same", "initial")
        names[t] = grades, name_agreement(people, s, t, grades)
        for n in people.nodes_of_name[t]:
            nodes.setdefault(find(n), t)
    owns = sorted({find(n) for n in people.nodes_of_name[s]})
    most = max(agreement for _, agreement in names.values())
    sharing: Sharing | None = None
    if len(nodes) > MOST_COMPARED // 2:
        sharing = Sharing.with_any([people.known(own) for own in owns], people.features)
        for r in nodes:
            sharing.note(r, people.known(r))
    for own in map(find, owns):
        open_to = [r for r in nodes if parent[r] == r and r != own]
        if groups.cell[own] >= 0:
            open_to = [r for r in open_to if not groups.clash(own, r)]
        ambiguous = AMBIGUOUS if len(open_to) > 1 else 0.0
        mine = people.known(own)
        if sharing is not None:
            near = sharing.reaching(mine, least - most - ambiguous, find)
            open_to = [r for r in open_to if r in near]
        found: list[tuple[float, int, tuple[str, str], Common]] = []
        for r in open_to:
            grades, agreement = names[nodes[r]]
            agreement += ambiguous
            known = people.known(r)
            if (agreement >= least or mine.meets(known)) and groups.may(own, r):
                common = mine.both(known)
                weight = agreement + people.features.weigh(common)
                if weight >= least:
                    found.append((-weight, r, grades, common))
        if not found:
            continue
        found.sort(key=lambda f: f[:2])
        best = -found[0][0]
        shown = people.shown(own)
        if best >= LINE and (len(found) == 1 or best + found[1][0] >= MARGIN):
            _, r, grades, common = found[0]
            name, words = nodes[r], words_for(grades, people.features.words(common), shown)
            if groups.join(own, r, words, confidence(best)):
                nodes[find(own)] = name
                if sharing is not None:
                    sharing.note(r, mine)
        else:
            for minus, r, grades, common in found[:2]:
                words = words_for(grades, people.features.words(common), shown)
                people.offer(own, r, min(-minus, LINE - 0.1), words)
