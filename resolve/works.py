"""Records become works: which descriptions speak of one software, paper or data set.

Records are joined on the safe side, each link with a reason that a person can read:

- the same file in a fork, a mirror or a vendored folder is one software in several places;
- the same DOI is one work, where the titles do not speak against it (papers' DOIs are often copied
  into the field for the software's own);
- without a DOI: the same title, first author and year. The DOIs of examples, which people copy, are none.

The software and its preferred citation are two works with an edge between them. A DOI under
`identifiers` never joins two softwares with different titles: many list their papers there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..cff.folding import fold
from ..cff.identifiers import EXAMPLE_DOIS
from .digest import number_of

_SOFTWARE = frozenset(
    {"software", "software-code", "software-container", "software-executable", "software-virtual-machine"}
)
_DATASETS = frozenset({"dataset", "data", "database"})
_OTHERS = frozenset(
    {
        "generic",
        "art",
        "audiovisual",
        "film-broadcast",
        "music",
        "sound-recording",
        "video",
        "website",
        "multimedia",
    }
)


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record as the resolver needs it."""

    id: int
    key: str
    """Made of content, unique, and the only order there is: `<blob>#<pointer>`."""
    blob: int
    pointer: str
    type: str
    title: str
    version: str
    doi: str
    date: str
    year: int | None
    url: str
    repository_code: str
    identifiers: tuple[tuple[str, str], ...]
    first_author: str
    """Folded full name of the first author."""
    content: str
    """The same for files that say the same, whatever their comments and quotes."""
    places: tuple[str, ...]
    """Canonical URLs, aliases and remotes of the repositories that hold the file."""

    @property
    def is_root(self) -> bool:
        """Whether the record is about the file's own software or data set."""
        return not self.pointer


@dataclass(frozen=True, slots=True)
class WorkCluster:
    """One work, and the records that describe it."""

    key: str
    """The id in exports: the DOI, else the folded title; `~2`, `~3` for others of the same name."""
    kind: str
    type: str
    title: str
    year: int | None
    version: str
    doi: str
    identifiers: tuple[tuple[str, str], ...]
    records: tuple[tuple[int, str], ...]
    """(record, reason), in order of their keys."""


@dataclass(frozen=True, slots=True)
class WorkConflict:
    """A DOI on works that are not one."""

    code: str
    message: str
    key: int
    """The key of the DOI: see `keys_of`."""


@dataclass(frozen=True, slots=True)
class WorkClustering:
    """All works in order of their keys, and what was found odd."""

    works: tuple[WorkCluster, ...]
    conflicts: tuple[WorkConflict, ...]
    roots: frozenset[int] = frozenset()
    """The records that are about their file's own software or data set."""


def kind_of(type_: str) -> str:
    """Return software, dataset, paper or other for a type of CFF.

    >>> [kind_of(t) for t in ("software-code", "data", "conference-paper", "generic")]
    ['software', 'dataset', 'paper', 'other']
    """
    if type_ in _SOFTWARE:
        return "software"
    if type_ in _DATASETS:
        return "dataset"
    return "other" if type_ in _OTHERS else "paper"


def keys_of(row: RecordRow) -> set[int]:
    """Return the keys of a record: records without a common one, not even through others, are never one work,
    nor is the key of the one's work made with regard to the other."""
    found = {number_of("title", fold(row.title))}
    dois = {value for kind, value in row.identifiers if kind == "doi"}
    if not row.is_root:
        dois &= EXAMPLE_DOIS
    found.update(number_of("doi", doi) for doi in dois | ({row.doi} - {""}))
    if row.is_root:
        found.add(number_of("content", row.content))
        found.update(number_of("address", place) for place in row.places)
    elif kind_of(row.type) == "software":
        found.update(number_of("address", address) for address in (row.repository_code, row.url) if address)
    return found


def titles_fit(a: str, b: str) -> bool:
    """Return whether two folded titles may name one work: equal, one the other's beginning, or nearly equal.

    >>> titles_fit("conceptor", "conceptor a tool for contexts"), titles_fit("mapwell", "strain")
    (True, False)
    """
    if a == b:
        return True
    x, y = a.split(), b.split()
    if not x or not y:
        return True  # a title that is not there speaks against nothing
    short, long = sorted((x, y), key=len)
    if long[: len(short)] == short:
        return True
    shared = len(set(x) & set(y))
    return shared / len(set(x) | set(y)) >= 0.6


@dataclass(slots=True)
class _Groups:
    """A union-find over the positions of the records, with the first reason by which each was joined."""

    parent: list[int]
    reasons: dict[int, str] = field(default_factory=dict)

    def find(self, i: int) -> int:
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def join(self, i: int, j: int, reason: str) -> None:
        a, b = self.find(i), self.find(j)
        if a != b:
            first, last = sorted((a, b))
            self.parent[last] = first
        if i != j:
            self.reasons.setdefault(max(i, j), reason)


def cluster(records: Iterable[RecordRow]) -> WorkClustering:
    """Return the works that `records` describe; the order of the records makes no difference."""
    rows, conflicts = _without_examples(sorted(records, key=lambda r: r.key))
    folded = [fold(r.title) for r in rows]
    kinds = [kind_of(r.type) for r in rows]
    groups = _Groups(list(range(len(rows))))
    _join_copies(rows, groups)
    conflicts += _join_by_doi(rows, folded, kinds, groups)
    _join_by_title(rows, folded, kinds, groups)
    return WorkClustering(
        tuple(_works(rows, folded, kinds, groups)),
        tuple(conflicts),
        frozenset(r.id for r in rows if r.is_root),
    )


def _without_examples(rows: Sequence[RecordRow]) -> tuple[list[RecordRow], list[WorkConflict]]:
    """Return `rows` without the DOIs that guides show, and these DOIs as conflicts."""
    titles: dict[str, set[str]] = defaultdict(set)
    found = []
    for row in rows:
        said = {row.doi, *(value for kind, value in row.identifiers if kind == "doi")}
        if examples := said & EXAMPLE_DOIS:
            for doi in examples:
                titles[doi].add(row.title)
            others = tuple(pair for pair in row.identifiers if pair[1] not in examples)
            row = replace(row, doi="" if row.doi in examples else row.doi, identifiers=others)
        found.append(row)
    return found, [
        WorkConflict(
            "doi-conflict",
            f"the DOI {doi} is the example of a guide, and no work's here: {'; '.join(sorted(those)[:4])};"
            " it is not used",
            number_of("doi", doi),
        )
        for doi, those in sorted(titles.items())
    ]


def _join_copies(rows: Sequence[RecordRow], groups: _Groups) -> None:
    """Join the roots of files that say the same: a fork, a mirror, a vendored folder.

    The key repository-code does not count here: it is copied along with the file, so it speaks
    neither for nor against two places being one software's.
    """
    first: dict[str, int] = {}
    for i, row in enumerate(rows):
        if row.is_root:
            groups.join(first.setdefault(row.content, i), i, "the same file in another place")


def _join_by_doi(
    rows: Sequence[RecordRow], folded: Sequence[str], kinds: Sequence[str], groups: _Groups
) -> list[WorkConflict]:
    """Join records with the same DOI; return the DOIs on works that do not fit."""
    own: dict[str, list[int]] = defaultdict(list)  # the DOI stands under `doi`
    listed: dict[str, list[int]] = defaultdict(list)  # it stands under `identifiers` of a root
    for i, row in enumerate(rows):
        if row.doi:
            own[row.doi].append(i)
        if row.is_root:
            for kind, value in row.identifiers:
                if kind == "doi" and value != row.doi:
                    listed[value].append(i)
    conflicts = []
    for doi in sorted(own.keys() | listed.keys()):
        cited = [i for i in own.get(doi, []) if not rows[i].is_root]
        for i in cited[1:]:
            groups.join(cited[0], i, f"same DOI {doi}")
        roots = [i for i in own.get(doi, []) if rows[i].is_root] + listed.get(doi, [])
        for i in roots:
            for j in (*cited, *roots):
                fits = folded[i] == folded[j] if rows[j].is_root else titles_fit(folded[i], folded[j])
                if j != i and fits and _same_kind(kinds, i, j):
                    groups.join(i, j, f"same DOI {doi} and title")
        odd = [i for i in roots if any(groups.find(i) != groups.find(j) for j in (*cited, *roots))]
        if odd:
            titles = sorted({rows[i].title for i in (*odd, *cited)})
            if len(titles) > 1:
                conflicts.append(
                    WorkConflict(
                        "doi-conflict",
                        f"the DOI {doi} stands on different works: {'; '.join(titles[:4])}",
                        number_of("doi", doi),
                    )
                )
    return conflicts


def _same_kind(kinds: Sequence[str], i: int, j: int) -> bool:
    return kinds[i] == kinds[j] or "other" in (kinds[i], kinds[j])


def _join_by_title(
    rows: Sequence[RecordRow], folded: Sequence[str], kinds: Sequence[str], groups: _Groups
) -> None:
    """Join cited works without a DOI of their own to others of the same title, first author and year."""
    named: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        if folded[i] and row.first_author:
            named[folded[i], row.first_author.split()[-1]].append(i)
    for members in named.values():
        cited = [i for i in members if not rows[i].is_root]
        with_doi = [i for i in cited if rows[i].doi]
        for i in cited:
            if rows[i].doi:
                continue
            alike = [j for j in cited if j < i and not rows[j].doi and _same_year(rows[i], rows[j])]
            if alike:
                groups.join(alike[0], i, "same title, first author and year")
            dois = {rows[j].doi for j in with_doi if _same_year(rows[i], rows[j])}
            if len(dois) == 1:
                target = next(j for j in with_doi if rows[j].doi in dois)
                groups.join(target, i, "same title, first author and year as a work with a DOI")
            roots = [j for j in members if rows[j].is_root and kinds[j] == kinds[i] == "software"]
            # The software that cites itself under its own name is one work with the record it cites.
            homes = {groups.find(j) for j in roots}
            if len(homes) == 1 and not dois:
                groups.join(roots[0], i, "same title and first author as the software itself")
    _join_by_address(rows, folded, kinds, groups)


def _join_by_address(
    rows: Sequence[RecordRow], folded: Sequence[str], kinds: Sequence[str], groups: _Groups
) -> None:
    """Join a cited software to the one whose repository it names, if their titles fit."""
    homes: dict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        if row.is_root:
            for place in row.places:
                homes[place].append(i)
    for i, row in enumerate(rows):
        if row.is_root or kinds[i] != "software":
            continue
        for address in (row.repository_code, row.url):
            found = [j for j in homes.get(address, []) if titles_fit(folded[i], folded[j])]
            if address and len({groups.find(j) for j in found}) == 1:
                groups.join(found[0], i, "names the software's repository")
                break


def _same_year(a: RecordRow, b: RecordRow) -> bool:
    return a.year is None or b.year is None or a.year == b.year


def _works(
    rows: Sequence[RecordRow], folded: Sequence[str], kinds: Sequence[str], groups: _Groups
) -> Iterable[WorkCluster]:
    members: dict[int, list[int]] = defaultdict(list)
    for i in range(len(rows)):
        members[groups.find(i)].append(i)
    used: Counter[str] = Counter()
    found = []
    owners: Counter[str] = Counter()
    for group in members.values():
        for doi in {rows[i].doi for i in group if rows[i].doi}:
            owners[doi] += 1
    for group in members.values():  # in order of the first record's key
        order = sorted(group, key=lambda i: (not rows[i].is_root, -len(rows[i].identifiers), rows[i].key))
        best = rows[order[0]]
        dois = Counter(rows[i].doi for i in group if rows[i].doi)
        doi = min(dois, key=lambda d: (-dois[d], d)) if dois else ""
        software = next((rows[i] for i in order if rows[i].is_root), None)
        base = doi if doi and (owners[doi] == 1 or not software) else folded[order[0]] or "untitled"
        used[base] += 1
        found.append(
            WorkCluster(
                key=base if used[base] == 1 else f"{base}~{used[base]}",
                kind=kinds[order[0]],
                type=_most(rows[i].type for i in order) if not software else software.type,
                title=best.title or next((rows[i].title for i in order if rows[i].title), ""),
                year=_year(rows, order),
                version=_newest(rows, order),
                doi=doi,
                identifiers=tuple(sorted({v for i in group for v in rows[i].identifiers})),
                records=tuple((rows[i].id, groups.reasons.get(i, "describes it")) for i in group),
            )
        )
    return sorted(found, key=lambda w: w.key)


def _most(values: Iterable[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda v: (-counts[v], v == "generic", v))


def _year(rows: Sequence[RecordRow], order: Sequence[int]) -> int | None:
    root_years = [rows[i].year for i in order if rows[i].is_root and rows[i].year is not None]
    if root_years:
        return max(y for y in root_years if y is not None)
    counts = Counter(year for i in order if (year := rows[i].year) is not None)
    return min(counts, key=lambda y: (-counts[y], y)) if counts else None


def _newest(rows: Sequence[RecordRow], order: Sequence[int]) -> str:
    versions = [
        (rows[i].date, rows[i].key, rows[i].version) for i in order if rows[i].is_root and rows[i].version
    ]
    if not versions:
        versions = [(rows[i].date, rows[i].key, rows[i].version) for i in order if rows[i].version]
    return max(versions)[2] if versions else ""
