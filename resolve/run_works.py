"""Records become works, in the database: those that changed, and what stands under one key with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from ..cff.folding import fold
from ..cff.records import full_name
from ..db import authorship as people_store
from ..db import conclusions as store
from ..db import models as m
from ..db import standing
from ..db.sets import among
from . import works
from .labels import searchable
from .numbers import keep_numbers


@dataclass(slots=True)
class Records:
    """The standing records, and what changed among them since the last run."""

    blob_of: Mapping[int, int]
    places: Mapping[int, standing.Places]
    new: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    """Those that are held elsewhere now."""
    work_of: Mapping[int, int] = field(default_factory=dict)
    """The work of each, once it is known."""
    stale: set[int] = field(default_factory=set)
    """Works that have other records now, or another year."""
    bereft: set[int] = field(default_factory=set)
    """Authors of works that are no more."""

    @property
    def changed(self) -> set[int]:
        """The records whose lists of authors are to be read again."""
        return self.new | self.moved


def read_changes(connection: Connection, places_then: Mapping[int, int], *, anew: bool) -> Records:
    """Return the standing records; `places_then` has a digest of where each record was held, `anew` makes
    all of them new."""
    found = Records(standing.standing_records(connection), standing.read_places(connection))
    found.work_of = store.work_records(connection)
    found.gone = found.work_of.keys() - found.blob_of.keys()
    if anew:
        found.new = set(found.blob_of)
        return found
    found.new = found.blob_of.keys() - found.work_of.keys()
    digests = {blob: places.digest for blob, places in found.places.items()}
    found.moved = {
        record
        for record, blob in found.blob_of.items()
        if record not in found.new and places_then.get(record) != digests[blob]
    }
    return found


def resolve_works(connection: Connection, records: Records, *, anew: bool) -> None:
    """Bring works, their records, identifiers, repositories and citations up to date."""
    before = records.work_of
    if not (records.new or records.gone or records.moved):
        return
    dirty = records.new | records.moved
    rows = {row.id: row for row in _rows(connection, records, None if anew else dirty)}
    keys: set[int] = set()
    if anew:
        store.put_record_keys(connection, _keys(rows.values()), None)
    else:
        keys = store.keys_of_records(connection, dirty | records.gone)
        store.put_record_keys(connection, _keys(rows.values()), dirty | records.gone)
        keys |= store.keys_of_records(connection, dirty)
        reached = store.records_of_keys(connection, keys)
        while not reached <= rows.keys():
            more = reached - rows.keys()
            rows |= {row.id: row for row in _rows(connection, records, more)}
            further = store.keys_of_records(connection, more) - keys
            keys |= further
            reached |= store.records_of_keys(connection, further)
    found = works.cluster(rows.values())
    old = {before[record] for record in (*rows, *records.gone) if record in before}
    if anew:
        old = store.all_numbers(connection, m.work)
    numbers = keep_numbers(
        [(w.key, [record for record, _ in w.records]) for w in found.works],
        {record: before[record] for record in rows if record in before},
        store.work_keys(connection, old),
        {},
        others=set(before.values()) - old,
    ).numbers
    work_of = {r: n for n, w in zip(numbers, found.works, strict=True) for r, _ in w.records}
    records.work_of = {r: n for r, n in before.items() if r not in records.gone} | work_of
    shifted = records.gone | {record for record, n in work_of.items() if before.get(record) != n}
    records.stale = {number for r in shifted for number in (before.get(r), work_of.get(r)) if number}
    _put(connection, records, found, numbers, old, None if anew else keys)
    _put_citations(connection, before, work_of, shifted, anew=anew)
    dead = old - set(numbers)
    records.bereft = people_store.authors_of_works(connection, dead)
    store.sync(connection, m.work, (), among(m.work.c.id, dead), columns=("id",))
    records.stale -= dead


def _keys(rows: Iterable[works.RecordRow]) -> Iterable[tuple[int, int]]:
    return ((key, row.id) for row in rows for key in works.keys_of(row))


def _rows(connection: Connection, records: Records, only: Iterable[int] | None) -> Iterable[works.RecordRow]:
    """Yield these records, or all that stand, as the clustering of works needs them."""
    if only is not None and not only:
        return
    first = {
        record: fold(full_name(*names)) for record, *names in standing.read_first_authors(connection, only)
    }
    identifiers = standing.read_identifiers(connection, only)
    contents = standing.read_contents(connection, only)
    for record, blob, sha, pointer, *facts in list(standing.read_records(connection, only)):
        rest = (
            identifiers.get(record, ()), first.get(record, ""), contents[blob], records.places[blob].urls
        )  # fmt: skip
        yield works.RecordRow(*(record, f"{sha}#{pointer}", blob, pointer, *facts, *rest))


def _put(
    connection: Connection,
    records: Records,
    found: works.WorkClustering,
    numbers: Iterable[int],
    old: set[int],
    keys: set[int] | None,
) -> None:
    """Write the works found; those of `old` that are none of them lose their key and what hangs on them.

    `keys` are those of all records that were looked at; None for all.
    """
    anew = keys is None
    numbered = list(zip(numbers, found.works, strict=True))
    store.free_keys(connection, m.work, {n: w.key for n, w in numbered}, old)
    those = None if anew else {*old, *(n for n, _ in numbered)}
    rows = [
        (n, w.key, w.kind, w.type, w.title, w.year, w.version, w.doi, searchable(w.title))
        for n, w in numbered
    ]
    columns = ("id", "key", "kind", "type", "title", "year", "version", "doi", "folded")
    mine = among(m.work.c.id, [n for n, _ in numbered])
    records.stale |= store.sync(
        connection, m.work, rows, mine, columns=columns, fill={"persons": 0, "cites": 0, "cited_by": 0}
    )
    for table, values in (
        (m.work_identifier, [(n, kind, value) for n, w in numbered for kind, value in w.identifiers]),
        (
            m.work_repository,
            {
                (n, repository)
                for n, w in numbered
                for record, _ in w.records
                if record in found.roots
                for repository in records.places[records.blob_of[record]].repositories
            },
        ),
    ):
        where = None if those is None else among(table.c.work_id, those)
        store.sync(connection, table, values, where)
    linked = [(record, n, reason) for n, w in numbered for record, reason in w.records]
    record_id = m.work_record.c.record_id
    where = None if anew else among(record_id, {*(row[0] for row in linked), *records.gone})
    store.sync(connection, m.work_record, linked, where)
    conflicts = [(store.content_id(c.code, c.message), c.code, c.message, c.key, ()) for c in found.conflicts]
    about = m.conflict.c.code == "doi-conflict"
    if keys is not None:
        about &= among(m.conflict.c.block, keys)
    store.put_conflicts(connection, conflicts, about)


def _put_citations(
    connection: Connection,
    before: Mapping[int, int],
    work_of: Mapping[int, int],
    shifted: set[int],
    *,
    anew: bool,
) -> None:
    """Bring the citations of works up to date that have records in the same file with `shifted` ones."""
    citing: set[int] | None = None
    if not anew:
        roots = standing.roots_of(connection, standing.blobs_of(connection, shifted))
        citing = {n for root, _ in roots for n in (before.get(root), work_of.get(root)) if n}
    pairs = {
        (a, b, "reference" if pointer.startswith("references") else "preferred-citation")
        for a, b, pointer in store.citing_pairs(connection, citing)
        if a != b
    }
    where = None if citing is None else among(m.citation.c.citing_id, citing)
    changed = store.sync(connection, m.citation, pairs, where)
    works_ = None if anew else {n for a, b, _ in changed for n in (a, b)}
    store.count_citations(connection, works_)
