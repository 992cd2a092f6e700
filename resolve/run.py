"""All conclusions, worked out anew: the evidence out of the database, the conclusions into it.

The steps between are pure: `works` joins records, `authors` joins mentions, `numbers` keeps the
numbers that are given. This module only carries rows from one to the next and counts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ..cff.folding import fold, latin
from ..db import conclusions as store
from ..db import decisions as ledger
from ..db.named import Entry, Index
from . import authors, works
from .decided import Ruling, settle
from .explain import Explainer, Explanation
from .numbers import DecidedNumbering, Numbering, decide_numbers, keep_numbers
from .questions import questions


@dataclass(frozen=True, slots=True)
class ResolveStats:
    """What came out."""

    works: int
    persons: int
    entities: int
    bots: int
    citations: int
    conflicts: int


def is_current(connection: Connection) -> bool:
    """Return whether the conclusions stand on all of the evidence."""
    evidence, resolved = store.evidence_version(connection)
    return evidence == resolved


def resolve(connection: Connection, *, evidence_stands: bool = False) -> ResolveStats:
    """Work out works, authors and citations from all standing evidence, and store them.

    With `evidence_stands` nothing but decisions has changed since the last time: then who is who without
    them is known, and half of the work is spared. It runs inside the caller's transaction, so nobody sees
    half of it.
    """
    evidence = _read(connection)
    rows = list(_mention_rows(evidence))
    rulings = _rulings(connection, evidence)
    decided, odd = settle(rulings)
    plain = None if rulings and evidence_stands else authors.cluster(rows)
    people = authors.cluster(rows, decided) if rulings or plain is None else plain
    numbering, by_decision = _number(connection, plain, people, rulings)
    new = _conclude(evidence, people, numbering, by_decision, odd)
    store.put_conclusions(connection, new)
    store.set_resolved(connection)
    kinds = Counter(a.kind for a in people.authors)
    return ResolveStats(
        works=len(evidence.works.works),
        persons=kinds["person"],
        entities=kinds["entity"],
        bots=kinds["bot"],
        citations=len(new.citations),
        conflicts=len(new.conflicts),
    )


@dataclass(frozen=True, slots=True)
class _Mention:
    """A row of the mentions as the database gives it."""

    id: int
    record: int
    position: int
    kind: str
    family_names: str
    given_names: str
    name_particle: str
    name_suffix: str
    name: str
    alias: str
    orcid: str
    email: str
    website: str
    affiliation: str

    @property
    def full_name(self) -> str:
        parts = (self.given_names, self.name_particle, self.family_names, self.name_suffix)
        return " ".join(p for p in parts if p) or self.name or self.alias


_Places = Mapping[int, Sequence[tuple[int, str, str]]]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """All standing evidence, and the works found in it."""

    places: _Places
    mentions: Sequence[_Mention]
    records: Sequence[works.RecordRow]
    works: works.WorkClustering
    work_numbers: Sequence[int]
    """Of each of the works."""
    work_of: Mapping[int, int]
    """Record -> the number of its work."""


def _read(connection: Connection) -> _Evidence:
    places = store.read_places(connection)
    mentions = [_Mention(*row) for row in store.read_mentions(connection)]
    records = _records(connection, places, mentions)
    found = works.cluster(records)
    numbers = store.work_numbers(connection)
    numbered = keep_numbers(
        [(w.key, [record for record, _ in w.records]) for w in found.works],
        numbers.of_member,
        numbers.of_key,
        numbers.redirects,
    ).numbers
    work_of = {record: n for n, w in zip(numbered, found.works, strict=True) for record, _ in w.records}
    return _Evidence(places, mentions, records, found, numbered, work_of)


def _rulings(connection: Connection, evidence: _Evidence) -> list[Ruling]:
    """Return the decisions that stand, each with the mentions that it names now."""
    decisions = ledger.read_decisions(connection)
    if not decisions:
        return []
    by_id = {record.id: record for record in evidence.records}
    entries = (
        Entry(m.id, m.record, m.kind, m.full_name, m.orcid, by_id[m.record].doi, by_id[m.record].title)
        for m in evidence.mentions
    )
    index = Index(entries, ledger.secret_key(connection))
    return [
        Ruling(d.number, d.kind, d.made_at, index.find(d.a), index.find(d.b), d.name, d.is_private, d.before)
        for d in decisions
    ]


def _number(
    connection: Connection,
    plain: authors.Clustering | None,
    people: authors.Clustering,
    rulings: Sequence[Ruling],
) -> tuple[Numbering, DecidedNumbering]:
    """Return the numbers of the authors without decisions, and those with them.

    Without `plain` the stored ones hold.
    """
    given = store.author_numbers(connection)
    if plain is None:
        members: dict[int, list[int]] = {number: [] for number in given.of_key.values()}
        for mention, number in given.of_member.items():
            members[number].append(mention)
        clusters = [(key, members[number]) for key, number in given.of_key.items()]
        numbering = Numbering(tuple(given.of_key.values()), given.redirects)
    else:
        clusters = [(a.key, [link.mention for link in a.links]) for a in plain.authors]
        numbering = keep_numbers(clusters, given.of_member, given.of_key, given.redirects)
    if not rulings:
        return numbering, DecidedNumbering(numbering.numbers, {}, {}, {})
    place = {link.mention: i for i, a in enumerate(people.authors) for link in a.links}
    seeds = [a.key for a in people.authors]
    seeded: set[int] = set()
    wanted: dict[int, list[int]] = defaultdict(list)
    for ruling in rulings:
        if ruling.kind not in ("split", "distinct"):
            continue
        for side, mentions in enumerate((ruling.a, ruling.b)):
            for i in sorted({place[mention] for mention in mentions}):
                if side < len(ruling.before) and ruling.before[side]:
                    wanted[i].append(ruling.before[side])
                if i not in seeded:
                    seeded.add(i)
                    seeds[i] = f"{ruling.kind} {ruling.made_at} {side}"
    decided = [
        (seed, [link.mention for link in a.links]) for seed, a in zip(seeds, people.authors, strict=True)
    ]
    keys = [a.key for a in people.authors]
    return numbering, decide_numbers(clusters, numbering, decided, keys, wanted)


def explain(connection: Connection, a: int, b: int) -> Explanation:
    """Return what speaks for and against two authors, given by their numbers, being one.

    It looks at all of the evidence, as `resolve` does: what a name says depends on the other names.
    """
    evidence = _read(connection)
    decided, _ = settle(_rulings(connection, evidence))
    members = [store.author_members(connection, number) for number in (a, b)]
    return Explainer(_mention_rows(evidence), decided).explain(*members)


def _records(connection: Connection, places: _Places, mentions: Iterable[_Mention]) -> list[works.RecordRow]:
    first: dict[int, str] = {}
    for mention in mentions:
        first.setdefault(mention.record, fold(mention.full_name))
    identifiers = store.read_identifiers(connection)
    rows = list(store.read_records(connection))
    contents: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        contents[row.blob_id].append((row.pointer, row.fields))
    digests = {
        blob: hashlib.sha1(json.dumps(parts).encode(), usedforsecurity=False).hexdigest()
        for blob, parts in contents.items()
    }
    return [
        works.RecordRow(
            id=row.id,
            key=f"{row.sha}#{row.pointer}",
            blob=row.blob_id,
            pointer=row.pointer,
            type=row.type,
            title=row.title,
            version=row.version,
            doi=row.doi,
            date=row.date,
            year=row.year,
            url=row.url,
            repository_code=row.repository_code,
            identifiers=identifiers.get(row.id, ()),
            first_author=first.get(row.id, ""),
            content=digests[row.blob_id],
            places=tuple(dict.fromkeys(place for _, _, place in places.get(row.blob_id, ()))),
        )
        for row in rows
    ]


def _mention_rows(evidence: _Evidence) -> Iterable[authors.MentionRow]:
    by_id = {record.id: record for record in evidence.records}
    for mention in evidence.mentions:
        record = by_id[mention.record]
        where = evidence.places.get(record.blob, ())
        prefix = f"{record.pointer}." if record.pointer else ""
        yield authors.MentionRow(
            id=mention.id,
            key=f"{record.key.partition('#')[0]}#{prefix}authors[{mention.position:05d}]",
            list_id=mention.record,
            position=mention.position,
            work=evidence.work_of[mention.record],
            kind=mention.kind,
            family_names=mention.family_names,
            given_names=mention.given_names,
            name_particle=mention.name_particle,
            name_suffix=mention.name_suffix,
            name=mention.name,
            alias=mention.alias,
            orcid=mention.orcid,
            email=mention.email,
            website=mention.website,
            affiliation=mention.affiliation,
            repository=min((url for _, url, _ in where), default=""),
        )


def _conclude(
    evidence: _Evidence,
    people: authors.Clustering,
    plain: Numbering,
    numbering: DecidedNumbering,
    odd: Sequence[authors.Conflict],
) -> store.Conclusions:
    """Return all conclusions as rows: what is counted is counted here."""
    places, mentions, records = evidence.places, evidence.mentions, evidence.records
    found, numbered, work_of = evidence.works, evidence.work_numbers, evidence.work_of
    author_of = {
        link.mention: number
        for number, a in zip(numbering.numbers, people.authors, strict=True)
        for link in a.links
    }
    kind_of = {n: a.kind for n, a in zip(numbering.numbers, people.authors, strict=True)}
    authorships: dict[tuple[int, int], int] = {}
    for mention in mentions:
        pair = (work_of[mention.record], author_of[mention.id])
        authorships[pair] = min(mention.position, authorships.get(pair, mention.position))
    citations = _citations(records, work_of)
    cites = Counter(citing for citing, _, _ in citations)
    cited_by = Counter(cited for _, cited, _ in citations)
    persons = Counter(work for work, author in authorships if kind_of[author] == "person")
    blobs = {record.id: record.blob for record in records}
    return store.Conclusions(
        works=[
            (
                n,
                w.key,
                w.kind,
                w.type,
                w.title,
                w.year,
                w.version,
                w.doi,
                _searchable(w.title),
                persons[n],
                cites[n],
                cited_by[n],
            )
            for n, w in zip(numbered, found.works, strict=True)
        ],
        work_identifiers=[
            (n, kind, value)
            for n, w in zip(numbered, found.works, strict=True)
            for kind, value in w.identifiers
        ],
        work_records=[
            (record, n, reason)
            for n, w in zip(numbered, found.works, strict=True)
            for record, reason in w.records
        ],
        work_repositories=sorted(
            {
                (work_of[record.id], repository)
                for record in records
                if record.is_root
                for repository, _, _ in places.get(record.blob, ())
            }
        ),
        citations=citations,
        authors=_author_rows(
            people, numbering.numbers, authorships, kind_of, found, numbered, mentions, blobs, places
        ),
        author_names=[
            (n, name, _searchable(name), count)
            for n, a in zip(numbering.numbers, people.authors, strict=True)
            for name, count in a.forms
        ],
        author_mentions=[
            (link.mention, n, link.reason, link.confidence)
            for n, a in zip(numbering.numbers, people.authors, strict=True)
            for link in a.links
        ],
        author_redirects=sorted(plain.redirects.items()),
        authorships=[(work, author, position) for (work, author), position in sorted(authorships.items())],
        conflicts=[(c.code, c.message, ()) for c in found.conflicts]
        + [(c.code, c.message, tuple(c.mentions)) for c in (*people.conflicts, *odd)],
        candidates=questions(people, author_of),
        author_privates=[
            (n,) for n, a in zip(numbering.numbers, people.authors, strict=True) if a.is_private
        ],
        decided_redirects=sorted(numbering.redirects.items()),
        undecided_authors=sorted(numbering.other_keys.items()),
        undecided_mentions=sorted(numbering.other_members.items()),
    )


def _citations(records: Iterable[works.RecordRow], work_of: Mapping[int, int]) -> list[tuple[int, int, str]]:
    """Return (citing, cited, kind), each once; a work that cites itself is no citation."""
    roots = {record.blob: work_of[record.id] for record in records if record.is_root}
    found = set()
    for record in records:
        citing, cited = roots.get(record.blob), work_of[record.id]
        if not record.is_root and citing is not None and citing != cited:
            kind = "reference" if record.pointer.startswith("references") else "preferred-citation"
            found.add((citing, cited, kind))
    return sorted(found)


def _author_rows(
    people: authors.Clustering,
    numbers: Sequence[int],
    authorships: Mapping[tuple[int, int], int],
    kind_of: Mapping[int, str],
    found: works.WorkClustering,
    numbered: Sequence[int],
    mentions: Sequence[_Mention],
    blobs: Mapping[int, int],
    places: _Places,
) -> list[tuple[object, ...]]:
    """Return the rows of the table `author`, with their counts."""
    year_of = {n: w.year for n, w in zip(numbered, found.works, strict=True)}
    works_of: dict[int, list[int]] = defaultdict(list)
    persons_of: dict[int, list[int]] = defaultdict(list)
    for work, author in authorships:
        works_of[author].append(work)
        if kind_of[author] == "person":
            persons_of[work].append(author)
    record_of = {mention.id: mention.record for mention in mentions}
    family_of = {mention.id: mention.family_names or mention.name for mention in mentions}
    rows: list[tuple[object, ...]] = []
    for n, a in zip(numbers, people.authors, strict=True):
        own = works_of[n]
        years = [year for work in own if (year := year_of[work]) is not None]
        shared = set().union(*(persons_of[work] for work in own)) - {n}
        held = {
            repository
            for link in a.links
            for repository, _, _ in places.get(blobs[record_of[link.mention]], ())
        }
        # Newman's weights over the coauthors of one work add up to one for each author of it.
        weight = sum(1.0 for work in own if a.kind == "person" and len(persons_of[work]) > 1)
        families = Counter(fold(family_of[link.mention]) for link in a.links)
        if a.is_renamed:
            words = fold(a.name).split()
            families = Counter({f: n for f, n in families.items() if set(f.split()) <= set(words)})
            families = families or Counter(words[-1:])
        family = min(families, key=lambda f: (-families[f], f))
        rows.append(
            (
                n,
                a.key,
                a.kind,
                a.name,
                family,
                a.orcid,
                len(own),
                len(held),
                len(shared),
                weight,
                min(years, default=None),
                max(years, default=None),
            )
        )
    return rows


def _searchable(text: str) -> str:
    """Return `text` as it is searched: folded, and in Latin letters too where that differs."""
    folded = fold(text)
    if folded.isascii():
        return folded
    letters = latin(text)
    return f"{folded} {letters}" if letters != folded else folded
