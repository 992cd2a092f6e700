"""Authors, their mentions and works: what the resolver reads of the last run, and writes of this one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, or_, select

from . import models as m
from .conclusions import content_id, free_keys, put_values, sync
from .sets import among
from .standing import STANDING, fetch


@dataclass(slots=True)
class Before:
    """The authors of some blocks as they are, and as they would be without decisions."""

    numbers: set[int] = field(default_factory=set)
    """All that are in use for them, with and without decisions."""
    kinds: dict[int, str] = field(default_factory=dict)
    keys: dict[int, str] = field(default_factory=dict)
    author_of: dict[int, int] = field(default_factory=dict)
    """Mention -> author."""
    plain_keys: dict[int, str] = field(default_factory=dict)
    plain_of: dict[int, int] = field(default_factory=dict)
    """Mention -> author, without decisions."""
    redirects: dict[int, int] = field(default_factory=dict)
    """Numbers that led on to one of `numbers`, without decisions."""


@dataclass(frozen=True, slots=True)
class Everybody:
    """All authors, by number: a few words of each."""

    keys: Mapping[int, str]
    blocks: Mapping[int, int | None]
    plain_keys: Mapping[int, str]
    """Where they differ: the key without decisions, empty for an author by decision alone."""
    redirects: Mapping[int, int]
    """Numbers that lead on, without decisions."""


def everybody(connection: Connection) -> Everybody:
    """Return the keys and blocks of all authors."""
    a, u, r = m.author.c, m.undecided_author.c, m.author_redirect.c
    rows = list(fetch(connection, select(a.id, a.key, a.block)))
    return Everybody(
        {number: key for number, key, _ in rows},
        {number: block for number, _, block in rows},
        dict(fetch(connection, select(u.id, u.key))),
        dict(fetch(connection, select(r.id, r.author_id))),
    )


def read_before(connection: Connection, everyone: Everybody, authors: set[int], *, anew: bool) -> Before:
    """Return what is known of these authors; `anew`: they are all, and numbers without mentions count too."""
    found = Before(numbers=authors | everyone.plain_keys.keys() if anew else set(authors))
    a, link, other = m.author.c, m.author_mention.c, m.undecided_mention.c
    found.kinds = dict(fetch(connection, select(a.id, a.kind).where(among(a.id, authors))))
    found.keys = {number: everyone.keys[number] for number in authors}
    of = select(link.mention_id, link.author_id).where(among(link.author_id, authors))
    found.author_of = dict(fetch(connection, of))
    found.plain_of = dict(found.author_of)
    moved = (
        select(other.mention_id, other.author_id)
        .join(m.author_mention, link.mention_id == other.mention_id)
        .where(among(link.author_id, authors))
    )
    found.plain_of.update(fetch(connection, moved))
    found.numbers.update(found.plain_of.values())
    for number in found.numbers:
        key = everyone.plain_keys.get(number, everyone.keys.get(number, ""))
        if key:
            found.plain_keys[number] = key
    found.redirects = {n: to for n, to in everyone.redirects.items() if to in found.numbers}
    return found


def first_keys(connection: Connection, authors: Iterable[int], *, plain: bool) -> dict[int, str]:
    """Return the key of the first mention of each of these authors; with `plain` as without decisions."""
    link, other, c, r, b = m.author_mention.c, m.undecided_mention.c, m.mention.c, m.record.c, m.blob.c
    owner = func.coalesce(other.author_id, link.author_id) if plain else link.author_id
    statement = select(owner, b.sha, r.pointer, c.position).select_from(
        m.author_mention.join(m.mention, c.id == link.mention_id)
        .join(m.record, r.id == c.record_id)
        .join(m.blob, b.id == r.blob_id)
        .outerjoin(m.undecided_mention, other.mention_id == link.mention_id)
    )
    authors = set(authors)
    named = among(link.author_id, authors)
    statement = statement.where(or_(named, among(other.author_id, authors)) if plain else named)
    found: dict[int, str] = {}
    for author, sha, pointer, position in fetch(connection, statement):
        key = mention_key(sha, pointer, position)
        if author in authors and key < found.get(author, "~"):
            found[author] = key
    return found


def mention_key(sha: str, pointer: str, position: int) -> str:
    """Return the key of a mention: made of content, and the only order that mentions have."""
    return f"{list_key(sha, pointer)}authors[{position:05d}]"


def list_key(sha: str, pointer: str) -> str:
    """Return the beginning that the keys of all mentions of one list have."""
    return f"{sha}#{pointer}." if pointer else f"{sha}#"


@dataclass(slots=True)
class AuthorRows:
    """The authors of some blocks as they are to be, as rows of their tables."""

    authors: list[tuple[Any, ...]] = field(default_factory=list)
    """(number, key, kind, name, family, iD, block)"""
    names: list[tuple[int, str, str, int]] = field(default_factory=list)
    """(author, name, as it is searched, mentions)"""
    links: list[tuple[int, int, str, float]] = field(default_factory=list)
    """(mention, author, reason, confidence)"""
    privates: list[tuple[int]] = field(default_factory=list)
    candidates: list[tuple[Any, ...]] = field(default_factory=list)
    redirects: dict[int, int] = field(default_factory=dict)
    """All numbers that lead on, without decisions."""
    decided_redirects: dict[int, int] = field(default_factory=dict)
    other_keys: dict[int, str] = field(default_factory=dict)
    other_members: dict[int, int] = field(default_factory=dict)
    renamed: dict[int, str] = field(default_factory=dict)
    """New keys of authors of other blocks, whose namesakes came or went."""
    renamed_plain: dict[int, str] = field(default_factory=dict)
    """The keys that they have without decisions, where these differ; empty where they no longer do."""


def put_authors(connection: Connection, new: AuthorRows, before: Before, *, anew: bool) -> None:
    """Make the authors of the blocks of `before` be `new`; those no longer found lose their mentions."""
    numbers = {row[0] for row in new.authors}
    both = before.numbers | numbers

    def mine(column: ColumnElement[int]) -> ColumnElement[bool] | None:
        return None if anew else among(column, both)

    keys = {row[0]: row[1] for row in new.authors} | new.renamed
    free_keys(connection, m.author, keys, before.keys.keys() | new.renamed.keys())
    put_values(connection, m.author, ("id", "key"), new.renamed.items())
    counts = {"works": 0, "repositories": 0, "coauthors": 0, "weight": 0.0}
    columns = ("id", "key", "kind", "name", "family", "orcid", "block")
    sync(connection, m.author, new.authors, among(m.author.c.id, numbers), columns=columns, fill=counts)
    names = [(content_id(author, name), author, name, *rest) for author, name, *rest in new.names]
    sync(connection, m.author_name, names, mine(m.author_name.c.author_id))
    sync(connection, m.author_mention, new.links, mine(m.author_mention.c.author_id))
    sync(connection, m.author_private, new.privates, mine(m.author_private.c.author_id))
    sync(connection, m.candidate, new.candidates, mine(m.candidate.c.a_id))
    sync(connection, m.author_redirect, new.redirects.items())
    sync(connection, m.decided_redirect, new.decided_redirects.items(), mine(m.decided_redirect.c.id))
    other = m.undecided_author
    here = None if anew else among(other.c.id, both | new.renamed_plain.keys())
    rows = new.other_keys | {number: key for number, key in new.renamed_plain.items() if key}
    sync(connection, other, rows.items(), here)
    mentions = {row[0] for row in new.links} | before.author_of.keys()
    where = None if anew else among(m.undecided_mention.c.mention_id, mentions)
    sync(connection, m.undecided_mention, new.other_members.items(), where)


def drop_authors(connection: Connection, authors: Iterable[int]) -> None:
    """Delete authors that have no mention left."""
    sync(connection, m.author, (), among(m.author.c.id, authors), columns=("id",))


# --- Who wrote what -------------------------------------------------------------------------------


def works_of_mentions(connection: Connection, mentions: Iterable[int]) -> set[int]:
    """Return the works whose authors these mentions are."""
    c, link = m.mention.c, m.work_record.c
    statement = (
        select(link.work_id)
        .join(m.mention, c.record_id == link.record_id)
        .where(among(c.id, mentions))
        .distinct()
    )
    return {work for (work,) in fetch(connection, statement)}


def works_of_authors(connection: Connection, authors: Iterable[int]) -> set[int]:
    """Return the works of these authors as they were written down last."""
    c = m.authorship.c
    return {w for (w,) in fetch(connection, select(c.work_id).where(among(c.author_id, authors)).distinct())}


def authors_of_works(connection: Connection, works: Iterable[int]) -> set[int]:
    """Return the authors of these works as they were written down last."""
    c = m.authorship.c
    return {a for (a,) in fetch(connection, select(c.author_id).where(among(c.work_id, works)).distinct())}


def put_authorships(connection: Connection, works: set[int] | None) -> set[int]:
    """Bring the authors of these works, or of all, up to date; return the authors that they have and had."""
    c, link, of, a = m.mention.c, m.author_mention.c, m.work_record.c, m.authorship.c
    statement = (
        select(of.work_id, link.author_id, func.min(c.position))
        .join(m.mention, c.record_id == of.record_id)
        .join(m.author_mention, link.mention_id == c.id)
        .group_by(of.work_id, link.author_id)
    )
    where = None
    if works is not None:
        where = among(a.work_id, works)
        statement = statement.where(among(of.work_id, works))
    rows = list(fetch(connection, statement))
    changed = sync(connection, m.authorship, rows, where)
    return {author for _, author, _ in rows} | {author for _, author in changed}


def count_persons(connection: Connection, works: set[int] | None) -> None:
    """Write how many persons wrote each of these works, or all."""
    a = m.authorship.c
    statement = (
        select(a.work_id, func.count())
        .join(m.author, m.author.c.id == a.author_id)
        .where(m.author.c.kind == "person")
        .group_by(a.work_id)
    )
    if works is not None:
        statement = statement.where(among(a.work_id, works))
    counts = dict(fetch(connection, statement))
    every = works if works is not None else [n for (n,) in fetch(connection, select(m.work.c.id))]
    put_values(connection, m.work, ("id", "persons"), ((n, counts.get(n, 0)) for n in every))


def authors_of_records(connection: Connection, records: Iterable[int]) -> set[int]:
    """Return the authors of these records."""
    c, link = m.mention.c, m.author_mention.c
    statement = (
        select(link.author_id)
        .join(m.mention, c.id == link.mention_id)
        .where(among(c.record_id, records))
        .distinct()
    )
    return {author for (author,) in fetch(connection, statement)}


def count_authors(connection: Connection, authors: set[int] | None) -> None:
    """Write the works, repositories, coauthors, weight and years of these authors, or of all."""
    persons = {
        number: kind == "person"
        for number, kind in fetch(
            connection, _of(select(m.author.c.id, m.author.c.kind), m.author.c.id, authors)
        )
    }
    a, w = m.authorship.c, m.work.c
    works_of: dict[int, list[int]] = defaultdict(list)
    years: dict[int, int | None] = {}
    own = select(a.author_id, a.work_id, w.year).join(m.work, w.id == a.work_id)
    for author, work, year in fetch(connection, _of(own, a.author_id, authors)):
        works_of[author].append(work)
        years[work] = year
    persons_of: dict[int, list[int]] = defaultdict(list)
    who = (
        select(a.work_id, a.author_id)
        .join(m.author, m.author.c.id == a.author_id)
        .where(m.author.c.kind == "person")
    )
    for work, author in fetch(connection, _of(who, a.work_id, None if authors is None else set(years))):
        persons_of[work].append(author)
    held = _repositories(connection, authors)
    rows = []
    for number, is_person in persons.items():
        works = works_of[number]
        known = [year for work in works if (year := years[work]) is not None]
        shared = set().union(*(persons_of[work] for work in works)) - {number}
        # Newman's weights over the coauthors of one work add up to one for each author of it.
        weight = float(sum(len(persons_of[work]) > 1 for work in works)) if is_person else 0.0
        counts = (len(works), held.get(number, 0), len(shared), weight)
        rows.append((number, *counts, min(known, default=None), max(known, default=None)))
    columns = ("id", "works", "repositories", "coauthors", "weight", "first_year", "last_year")
    put_values(connection, m.author, columns, rows)


def _repositories(connection: Connection, authors: set[int] | None) -> dict[int, int]:
    """Return in how many repositories each author stands."""
    c, link, r, f = m.mention.c, m.author_mention.c, m.record.c, m.file.c
    blobs = (
        select(link.author_id, r.blob_id)
        .join(m.mention, c.id == link.mention_id)
        .join(m.record, r.id == c.record_id)
    )
    at = _of(blobs, link.author_id, authors).distinct().subquery()
    statement = (
        select(at.c.author_id, func.count(f.repository_id.distinct()))
        .join(m.file, f.blob_id == at.c.blob_id)
        .where(f.standing.in_(STANDING))
        .group_by(at.c.author_id)
    )
    return dict(fetch(connection, statement))


def _of(statement: Any, column: ColumnElement[int], numbers: Iterable[int] | None) -> Any:
    return statement if numbers is None else statement.where(among(column, numbers))


def author_members(connection: Connection, author: int) -> tuple[list[int], int | None]:
    """Return (the mentions of an author, in order; its block)."""
    link, a = m.author_mention.c, m.author.c
    of = select(link.mention_id).where(link.author_id == author).order_by(link.mention_id)
    block = connection.scalar(select(a.block).where(a.id == author))
    return [mention for (mention,) in fetch(connection, of)], block


def mentions_of_blocks(connection: Connection, blocks: Sequence[int]) -> list[int]:
    """Return all mentions of the authors of these blocks."""
    link, a = m.author_mention.c, m.author.c
    statement = select(link.mention_id).join(m.author, a.id == link.author_id).where(among(a.block, blocks))
    return [mention for (mention,) in fetch(connection, statement)]
