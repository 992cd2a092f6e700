"""The authors of some blocks as they were found: what is kept of a clustering until all blocks are done."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..cff.folding import fold
from .labels import numbered
from .mentions import AuthorCluster, Candidate, Clustering, Conflict, MentionRow

_NAMESAKE = re.compile(r"~\d+$")


@dataclass(slots=True)
class FoundAuthor:
    """One author, without a number yet; its links packed, as those of all authors are there at once."""

    kind: str
    name: str
    orcid: str
    forms: tuple[tuple[str, int], ...]
    is_private: bool
    block: int
    base: str
    """Its key, but for the ~2 that tells namesakes apart."""
    first: str
    """The key of its first mention."""
    family: str
    """The folded family name that it has most often."""
    members: array[int]
    """Its mentions, in the order of their keys."""
    said: Sequence[tuple[str, float]]
    """(reason, confidence) of each of them."""
    key: str = ""

    def links(self, number: int) -> Iterator[tuple[int, int, str, float]]:
        """Yield (mention, number, reason, confidence) for each mention."""
        return ((mention, number, *said) for mention, said in zip(self.members, self.said, strict=True))


@dataclass(slots=True)
class Found:
    """All that was found in some blocks."""

    authors: list[FoundAuthor] = field(default_factory=list)
    conflicts: list[tuple[Conflict, int, tuple[str, ...]]] = field(default_factory=list)
    """(conflict, block, the keys of its mentions)"""
    candidates: list[Candidate] = field(default_factory=list)

    def add(
        self, people: Clustering, rows: Iterable[MentionRow], block_of: Callable[[MentionRow], int]
    ) -> None:
        """Take over what was found among `rows`."""
        by_id = {row.id: row for row in rows}
        for author in people.authors:
            mine = [by_id[link.mention] for link in author.links]
            said: dict[tuple[str, float], tuple[str, float]] = {}
            self.authors.append(
                FoundAuthor(
                    author.kind,
                    author.name,
                    author.orcid,
                    author.forms,
                    author.is_private,
                    block_of(mine[0]),
                    base_of(author),
                    mine[0].key,
                    _family(author, mine),
                    array("q", [row.id for row in mine]),
                    [said.setdefault(link[1:], link[1:]) for link in author.links],
                )
            )
        for conflict in people.conflicts:
            block = block_of(by_id[conflict.mentions[0]])
            keys = tuple(by_id[mention].key for mention in conflict.mentions)
            self.conflicts.append((conflict, block, keys))
        self.candidates += people.candidates


def base_of(author: AuthorCluster) -> str:
    """Return what an author is called in exports, but for the ~2 that tells namesakes apart."""
    return author.orcid or fold(author.name) or author.name


def _family(author: AuthorCluster, rows: Iterable[MentionRow]) -> str:
    """The folded family name to find an author by."""
    families = Counter[str]()
    for family, count in Counter(row.family_names or row.name for row in rows).items():
        families[fold(family)] += count
    if author.is_renamed:
        words = fold(author.name).split()
        families = Counter({f: n for f, n in families.items() if set(f.split()) <= set(words)})
        families = families or Counter(words[-1:])
    return min(families, key=lambda f: (-families[f], f))


def name_apart(
    found: Sequence[FoundAuthor],
    then: Mapping[int, str],
    others: Mapping[int, str],
    first_of: Callable[[set[int]], Mapping[int, str]],
) -> dict[int, str]:
    """Give each of `found` its key, telling namesakes apart in the order of their first mentions; return the
    new keys of authors elsewhere, by number.

    `then` are the keys that the authors of these blocks had, `others` those of authors elsewhere, of whom
    `first_of` says the key of the first mention.
    """
    bases = {_NAMESAKE.sub("", key) for key in then.values()} | {a.base for a in found}
    elsewhere = {number: base for number, key in others.items() if (base := _NAMESAKE.sub("", key)) in bases}
    first = first_of(set(elsewhere)) if elsewhere else {}
    every: dict[str, list[tuple[str, int, FoundAuthor | None]]] = defaultdict(list)
    for number, base in elsewhere.items():
        every[base].append((first[number], number, None))
    for author in found:
        every[author.base].append((author.first, 0, author))
    renamed: dict[int, str] = {}
    for base, namesakes in every.items():
        namesakes.sort(key=lambda n: n[0])
        for (_, number, one), key in zip(namesakes, numbered([base] * len(namesakes)), strict=True):
            if one is not None:
                one.key = key
            elif others[number] != key:
                renamed[number] = key
    return renamed
