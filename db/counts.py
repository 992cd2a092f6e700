"""What is counted of authors and works: coauthors, works, repositories, years."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, select

from . import models as m
from .conclusions import put_values
from .sets import among
from .standing import STANDING, fetch

_BLOCK_BITS = 12
"""Persons whose numbers differ in no higher bit are bits of one number."""

People: TypeAlias = dict[int, int]
"""A set of persons: block -> a bit for each. The persons of a work have been numbered one after the other, so
even a large set is a few numbers, and uniting two of them is a few operations."""


def count(connection: Connection, works: set[int] | None, authors: set[int] | None) -> None:
    """Write how many persons wrote these works, and the works, repositories, coauthors, weight and years of
    these authors; None: of all."""
    a, w = m.authorship.c, m.work.c
    theirs: set[int] | None = None
    if works is not None and authors is not None:
        own = select(a.work_id).where(among(a.author_id, authors)).distinct()
        theirs = works.union(work for (work,) in fetch(connection, own))
    years = dict(fetch(connection, _of(select(w.id, w.year), w.id, theirs)))
    number, people = _people(connection, theirs)
    sizes = {work: _size(those) for work, those in people.items()}
    persons = ((work, sizes.get(work, 0)) for work in (years if works is None else works))
    put_values(connection, m.work, ("id", "persons"), persons)
    several = {work for work, size in sizes.items() if size > 1}
    held = _repositories(connection, authors)
    found = {}
    pairs = _of(select(a.author_id, a.work_id).order_by(a.author_id, a.work_id), a.author_id, authors)
    for author, group in groupby(fetch(connection, pairs), itemgetter(0)):
        mine = [work for _, work in group]
        known = [year for work in mine if (year := years[work]) is not None]
        is_person = author in number
        shared = _united(people[work] for work in mine if work in people)
        # Newman's weights over the coauthors of one work add up to one for each author of it.
        weight = float(sum(map(several.__contains__, mine))) if is_person else 0.0
        counts = (len(mine), held.get(author, 0), _size(shared) - is_person, weight)
        found[author] = (author, *counts, min(known, default=None), max(known, default=None))
    every = _of(select(m.author.c.id), m.author.c.id, authors)
    rows = (
        found.get(n, (n, 0, held.get(n, 0), 0, 0.0, None, None)) for (n,) in list(fetch(connection, every))
    )
    columns = ("id", "works", "repositories", "coauthors", "weight", "first_year", "last_year")
    put_values(connection, m.author, columns, rows)


def _people(connection: Connection, works: set[int] | None) -> tuple[Mapping[int, int], dict[int, People]]:
    """Return (person -> its number here, work -> its persons) of these works, or of all."""
    a = m.authorship.c
    statement = (
        select(a.work_id, a.author_id)
        .join(m.author, m.author.c.id == a.author_id)
        .where(m.author.c.kind == "person")
        .order_by(a.work_id, a.author_id)
    )
    number: defaultdict[int, int] = defaultdict()
    number.default_factory = number.__len__
    low = (1 << _BLOCK_BITS) - 1
    found = {}
    for work, group in groupby(fetch(connection, _of(statement, a.work_id, works)), itemgetter(0)):
        found[work] = those = dict[int, int]()
        for _, author in group:
            n = number[author]
            block = n >> _BLOCK_BITS
            those[block] = those.get(block, 0) | 1 << (n & low)
    return number, found


def _united(sets: Iterable[People]) -> People:
    """Return all that are in any of `sets`."""
    found: People = {}
    known = found.get
    for those in sets:
        for block, bits in those.items():
            found[block] = known(block, 0) | bits
    return found


def _size(people: People) -> int:
    return sum(map(int.bit_count, people.values()))


def _repositories(connection: Connection, authors: set[int] | None) -> dict[int, int]:
    """Return in how many repositories each author stands."""
    c, link, r, f = m.mention.c, m.author_mention.c, m.record.c, m.file.c
    those = m.author_mention.join(m.mention, c.id == link.mention_id).join(m.record, r.id == c.record_id)
    blobs_of = _of(select(link.author_id, r.blob_id).select_from(those), link.author_id, authors)
    held = select(f.blob_id, f.repository_id).where(f.standing.in_(STANDING))
    if authors is not None:
        blobs = select(r.blob_id).select_from(those).where(among(link.author_id, authors))
        held = held.where(f.blob_id.in_(blobs))
    holders: dict[int, list[int]] = defaultdict(list)
    for blob, repository in fetch(connection, held):
        holders[blob].append(repository)
    found: dict[int, set[int]] = defaultdict(set)
    for author, blob in fetch(connection, blobs_of.order_by(c.record_id)):  # as they lie on the disk
        found[author].add(blob)
    return {author: len(set().union(*(holders.get(b, ()) for b in blobs))) for author, blobs in found.items()}


def _of(statement: Any, column: ColumnElement[int], numbers: Iterable[int] | None) -> Any:
    return statement if numbers is None else statement.where(among(column, numbers))
