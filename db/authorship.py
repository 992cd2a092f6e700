"""Authors, their mentions and works: what the resolver reads of the last run, and writes of this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, or_, select

from . import models as m
from .conclusions import content_id, free_keys, put_values, sync
from .sets import among
from .standing import fetch


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
    same = {number: number for number in authors}  # one object a number, and not one a mention
    found.author_of = {mention: same[author] for mention, author in fetch(connection, of)}
    moved = (
        select(other.mention_id, other.author_id)
        .join(m.author_mention, link.mention_id == other.mention_id)
        .where(among(link.author_id, authors))
    )
    elsewhere = dict(fetch(connection, moved))
    found.plain_of = found.author_of | elsewhere if elsewhere else found.author_of
    found.numbers.update(elsewhere.values())
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
    return list_key(sha, pointer) + place_key(position)


@lru_cache(maxsize=1 << 12)
def place_key(position: int) -> str:
    """Return the end that the keys of all mentions at one place of their lists have."""
    return f"authors[{position:05d}]"


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
    links: Iterable[list[tuple[int, int, str, float]]] = ()
    """(mention, author, reason, confidence): all of some authors, then of others, each mention once"""
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
    mentions = _put_links(connection, new.links, before.author_of.keys())
    sync(connection, m.author_private, new.privates, mine(m.author_private.c.author_id))
    sync(connection, m.candidate, new.candidates, mine(m.candidate.c.a_id))
    sync(connection, m.author_redirect, new.redirects.items())
    sync(connection, m.decided_redirect, new.decided_redirects.items(), mine(m.decided_redirect.c.id))
    other = m.undecided_author
    here = None if anew else among(other.c.id, both | new.renamed_plain.keys())
    rows = new.other_keys | {number: key for number, key in new.renamed_plain.items() if key}
    sync(connection, other, rows.items(), here)
    where = None if anew else among(m.undecided_mention.c.mention_id, mentions)
    sync(connection, m.undecided_mention, new.other_members.items(), where)


def _put_links(
    connection: Connection, links: Iterable[list[tuple[int, int, str, float]]], before: Set[int]
) -> set[int]:
    """Make these links be all that there are of their mentions and of those of `before`; return all these."""
    table = m.author_mention
    here: set[int] = set()
    for some in links:
        mentions = [row[0] for row in some]
        sync(connection, table, some, among(table.c.mention_id, mentions))
        here.update(mentions)
    lost = before - here
    sync(connection, table, (), among(table.c.mention_id, lost), columns=("mention_id",))
    return here | lost


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
