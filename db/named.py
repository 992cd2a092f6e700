"""Mentions by what was written: how a decision says whom it means.

A mention name holds the name, the iD and the work of an entry, and no number of a row: it means every
entry written so in every description of that work. So a decision outlives a database that is built
again, a file that moves and a new version of it.

A name that is not to be shown stands there as a hash with a key (HMAC-SHA256, RFC 2104): the key
lies in the database and nowhere else, so nobody can try names against the file of decisions.
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..cff.folding import fold, squeeze


class Entry(NamedTuple):
    """One mention as the names need it."""

    id: int
    list_id: int
    """The record whose authors it stands among."""
    kind: str
    """person, entity or bot."""
    name: str
    """The full name as read."""
    orcid: str
    doi: str
    """The DOI of the record, bare; or empty."""
    title: str


@dataclass(frozen=True, slots=True, order=True)
class MentionName:
    """What was written, where: one entry in the author lists of one work."""

    name: str
    """Full name in the order one says it; a hash if `is_hidden`."""
    orcid: str = ""
    work: str = ""
    """The title of the work; a hash if `is_hidden`."""
    doi: str = ""
    """Its DOI; a hash if `is_hidden`. Either of the two is enough to find the work again."""
    kind: str = "person"
    entry: int = 0
    """Which one, from 1, of entries that are written alike in one list; 0: all of them."""
    is_hidden: bool = False

    def as_dict(self) -> dict[str, str | int | bool]:
        """Return the values that say something, by their names."""
        values = (
            ("name", self.name, ""), ("orcid", self.orcid, ""), ("work", self.work, ""),
            ("doi", self.doi, ""), ("kind", self.kind, "person"), ("entry", self.entry, 0),
            ("is_hidden", self.is_hidden, False),
        )  # fmt: skip
        return {key: value for key, value, usual in values if value != usual}

    def hide(self, key: bytes) -> MentionName:
        """Return the same with hashes in place of the name and of the work that would give it away."""
        if self.is_hidden:
            return self
        name = fold(self.name)
        work, doi = fold(self.work), self.doi.lower()
        return replace(
            self,
            name=hashed(key, "name", name),
            work=hashed(key, "work", name, work) if work else "",
            doi=hashed(key, "doi", name, doi) if doi else "",
            is_hidden=True,
        )


def hashed(key: bytes, *parts: str) -> str:
    """Return the keyed hash of `parts` in hexadecimal digits, cut to 32: enough to never meet by chance."""
    return hmac.digest(key, "\n".join(parts).encode(), "sha256").hex()[:32]


def name_of(entry: Entry) -> MentionName:
    """Return the mention name that means `entry`, and what is written like it."""
    return MentionName(squeeze(entry.name), entry.orcid, squeeze(entry.title), entry.doi, entry.kind)


class Index:
    """Finds the mentions that names mean. `key` is needed for hidden names alone."""

    def __init__(self, entries: Iterable[Entry], key: bytes = b"") -> None:
        self._key = key
        self._entries: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in entries:
            self._entries[entry.kind, fold(entry.name) or entry.name].append(entry)
        self._by_hash: dict[tuple[str, str], tuple[str, str]] = {}

    def find(self, names: Iterable[MentionName]) -> tuple[int, ...]:
        """Return the ids of all mentions that `names` mean, in order; none for names of what is gone."""
        return tuple(sorted({i for name in names for i in self._find(name)}))

    def named_apart(self, ids: Iterable[int], rest: Iterable[int]) -> list[MentionName]:
        """Return names for `ids`, with the place of those written like one of `rest` in the same list."""
        ids, rest = set(ids), set(rest)
        found = set()
        for alike in self._entries.values():
            for entry in (e for e in alike if e.id in ids):
                name = name_of(entry)
                same = [e.id for e in alike if e.list_id == entry.list_id and e.orcid == entry.orcid]
                if not rest.isdisjoint(same):
                    name = replace(name, entry=same.index(entry.id) + 1)
                found.add(name)
        return sorted(found)

    def _find(self, name: MentionName) -> Iterable[int]:
        lists: dict[int, list[Entry]] = defaultdict(list)
        for entry in self._written(name):
            if self._is_of(name, entry):
                lists[entry.list_id].append(entry)
        for written in lists.values():
            same = [e for e in written if e.orcid == name.orcid]
            if not same and not name.orcid:
                same = written  # the entry has got its iD since
            if name.entry:
                same = same[name.entry - 1 : name.entry]
            yield from (e.id for e in same)

    def _written(self, name: MentionName) -> list[Entry]:
        folded = fold(name.name) or name.name
        if name.is_hidden:
            if not self._by_hash:
                self._by_hash = {
                    (kind, hashed(self._key, "name", folded)): (kind, folded)
                    for kind, folded in self._entries
                }
            kind, folded = self._by_hash.get((name.kind, name.name), ("", ""))
            return self._entries.get((kind, folded), [])
        return self._entries.get((name.kind, folded), [])

    def _is_of(self, name: MentionName, entry: Entry) -> bool:
        """Whether the entry stands in a description of the work that the name names."""
        doi, work = entry.doi.lower(), fold(entry.title)
        if name.is_hidden:
            folded = fold(entry.name)
            doi = hashed(self._key, "doi", folded, doi) if doi else ""
            work = hashed(self._key, "work", folded, work) if work else ""
            wanted_doi, wanted_work = name.doi, name.work
        else:
            wanted_doi, wanted_work = name.doi.lower(), fold(name.work)
        if wanted_doi and wanted_doi == doi:
            return True
        return wanted_work == work and bool(work or not wanted_doi)
