"""Mentions become authors, in the database: the blocks that read something new since the last run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from ..cff.folding import fold
from ..cff.resting import sweep
from ..db import authorship as people_store
from ..db import conclusions as store
from ..db import decisions as ledger
from ..db import models as m
from ..db import plans
from ..db.counts import count
from ..db.named import Entry, Index, MentionName
from ..db.sets import among
from . import authors
from .decided import Decided, Ruling, settle
from .digest import key_of, node_of
from .found import Found, FoundAuthor, name_apart
from .labels import searchable
from .masks import Masks
from .mentions import Conflict, MentionRow
from .numbers import DecidedNumbering, Numbering, decide_numbers, keep_numbers
from .questions import questions
from .run_survey import Mentions, Survey, survey
from .run_works import Records

_WRITTEN = 20_000
"""Links that are written at once."""

# --- Decisions ------------------------------------------------------------------------------------


def read_rulings(connection: Connection, records: Records) -> list[Ruling]:
    """Return the decisions that stand, each with the mentions that it names now."""
    decisions = ledger.read_decisions(connection)
    if not decisions:
        return []
    names = [name for d in decisions for name in (*d.a, *d.b)]
    index = Index(_entries(connection, records, names), ledger.secret_key(connection))
    return [
        Ruling(d.number, d.kind, d.made_at, index.find(d.a), index.find(d.b), d.name, d.is_private, d.before)
        for d in decisions
    ]


def _entries(connection: Connection, records: Records, names: Sequence[MentionName]) -> Iterable[Entry]:
    """Yield the mentions that any of `names` may mean: those of records of that title or DOI."""
    c = m.mention.c
    standing_ = records.blob_of
    if any(name.is_hidden for name in names):  # a hash says nothing about the work
        yield from ledger.entries(connection, among(c.record_id, standing_))
        return
    keys = {key_of("title", fold(name.work)) for name in names}
    keys |= {key_of("doi", name.doi.lower()) for name in names if name.doi}
    those = store.records_of_keys(connection, keys) & standing_.keys()
    yield from ledger.entries(connection, among(c.record_id, those))


def restricted(decided: Decided, mentions: set[int]) -> Decided:
    """Return of what was decided that about `mentions`, all of some blocks."""
    sides = [(a & mentions, b & mentions) for a, b in decided.cannot]
    return Decided(
        tuple(must for must in decided.must if mentions.issuperset(must.mentions)),
        tuple((a, b) for a, b in sides if a and b),
        tuple(r for r in decided.renames if not mentions.isdisjoint(r.mentions)),
    )


# --- All together ---------------------------------------------------------------------------------


def resolve_authors(connection: Connection, records: Records, *, anew: bool) -> list[Conflict]:
    """Bring authors, their mentions, names and works up to date; return what is odd about decisions."""
    mentions = Mentions(connection, records)
    mentions.renew_lists()
    rulings = read_rulings(connection, records)
    decided, odd = settle(rulings)
    named = {mention for r in rulings for mention in (*r.a, *r.b)}
    rows = {row.id: row for row in mentions.rows(named)} if named else {}
    masks = authors.masks_of(rows.values(), decided.renames)
    found = survey(connection, mentions, records.changed, decided, rows, masks.digest)
    digests = found.plan.digests
    then = {} if anew else plans.read_blocks(connection)
    touched = {block for block, digest in digests.items() if then.get(block) != digest}
    gone = then.keys() - digests.keys()
    now, plain = _cluster(mentions, found, touched, decided, masks)
    del found, mentions  # the counts are as large as what was found: they need not be there together
    seen = None if anew else touched | gone
    _put_conflicts(connection, now, odd, seen)
    turns = _put(connection, now, plain, rulings, seen)
    del now, plain
    plans.put_blocks(connection, digests)
    _count(connection, records, turns, anew=anew)
    return odd


def _cluster(
    mentions: Mentions, found: Survey, touched: set[int], decided: Decided, masks: Masks
) -> tuple[Found, Found]:
    """Return what is found in the touched blocks, with what was decided and without."""
    now, plain = Found(), Found()

    def block_of(row: MentionRow) -> int:
        return found.block_of(node_of(row))

    alone = touched & found.decided_blocks
    for blocks, ids in found.plan.batches(touched, alone):
        rows = mentions.rows(ids)
        ruled = restricted(decided, set(ids)) if not blocks.isdisjoint(alone) else Decided()
        before = len(now.authors)
        now.add(authors.cluster(rows, ruled, found.census, masks), rows, block_of)
        if blocks.isdisjoint(alone):
            plain.authors += now.authors[before:]
        else:
            plain.add(authors.cluster(rows, Decided(), found.census), rows, block_of)
        del rows
        sweep()
    return now, plain


class Turns(NamedTuple):
    """What is to be counted again because authors are others now."""

    mentions: set[int]
    """Those whose author is another now."""
    turned: set[int]
    """Authors that are of another kind now."""
    dead: set[int]
    """Authors that are no more."""


def _put(
    connection: Connection, now: Found, plain: Found, rulings: Sequence[Ruling], blocks: set[int] | None
) -> Turns:
    """Write the authors that were found in these blocks (None: in all) over those that were there."""
    anew = blocks is None
    everyone = people_store.everybody(connection)
    old = {number for number, block in everyone.blocks.items() if blocks is None or block in blocks}
    before = people_store.read_before(connection, everyone, old, anew=anew)
    new = _rows(connection, everyone, before, now, plain, rulings)
    numbers = [row[0] for row in new.authors]
    people_store.put_authors(connection, new, before, anew=anew)
    moved: set[int] = set()
    if not anew:
        author_of = {m: n for n, a in zip(numbers, now.authors, strict=True) for m in a.members}
        both = author_of.keys() | before.author_of.keys()
        moved = {mention for mention in both if author_of.get(mention) != before.author_of.get(mention)}
    turned = {row[0] for row in new.authors if before.kinds.get(row[0], row[2]) != row[2]}
    return Turns(moved, turned, before.keys.keys() - numbers)


def _rows(
    connection: Connection,
    everyone: people_store.Everybody,
    before: people_store.Before,
    now: Found,
    plain: Found,
    rulings: Sequence[Ruling],
) -> people_store.AuthorRows:
    """Return what is found as rows."""
    elsewhere = {n: key for n, key in everyone.keys.items() if n not in before.numbers}
    plain_elsewhere = {
        n: k for n, k in (elsewhere | dict(everyone.plain_keys)).items() if k and n not in before.numbers
    }
    renamed_plain = name_apart(
        plain.authors,
        before.plain_keys,
        plain_elsewhere,
        lambda numbers: people_store.first_keys(connection, numbers, plain=True),
    )
    plain_key = {id(a): a.key for a in plain.authors}
    renamed = name_apart(
        now.authors,
        before.keys,
        elsewhere,
        lambda numbers: people_store.first_keys(connection, numbers, plain=False),
    )
    plain.authors.sort(key=lambda a: plain_key[id(a)])
    now.authors.sort(key=lambda a: a.key)
    others = (everyone.keys.keys() | everyone.plain_keys.keys() | everyone.redirects.keys()) - before.numbers
    clusters = [(plain_key[id(a)], a.members) for a in plain.authors]
    numbering = keep_numbers(
        clusters,
        before.plain_of,
        {key: number for number, key in before.plain_keys.items()},
        before.redirects,
        others=others,
    )
    ids = _decide(clusters, numbering, now.authors, rulings, others)
    new = people_store.AuthorRows(renamed=renamed, links=_links(ids.numbers, now.authors))
    for number, a in zip(ids.numbers, now.authors, strict=True):
        new.authors.append((number, a.key, a.kind, a.name, a.family, a.orcid, a.block))
        new.names += [(number, name, searchable(name), count) for name, count in a.forms]
        if a.is_private:
            new.privates.append((number,))
    asked = {mention for candidate in now.candidates for mention in (candidate.a, candidate.b)}
    numbered = list(zip(ids.numbers, now.authors, strict=True))
    author_of = {m: number for number, a in numbered for m in asked.intersection(a.members)}
    new.candidates = questions(now.candidates, author_of, {number: len(a.members) for number, a in numbered})
    kept = {n: to for n, to in everyone.redirects.items() if n not in before.redirects}
    new.redirects = {**kept, **numbering.redirects}
    new.decided_redirects = dict(ids.redirects)
    new.other_keys, new.other_members = dict(ids.other_keys), dict(ids.other_members)
    for number in renamed.keys() | renamed_plain.keys():
        if everyone.plain_keys.get(number) == "":  # there by a decision alone
            continue
        key = renamed.get(number, everyone.keys.get(number))
        without = renamed_plain.get(number, plain_elsewhere.get(number, ""))
        new.renamed_plain[number] = without if without != key else ""
    return new


def _links(
    numbers: Iterable[int], found: Iterable[FoundAuthor]
) -> Iterator[list[tuple[int, int, str, float]]]:
    """Yield the links of some authors, then of others."""
    some: list[tuple[int, int, str, float]] = []
    for number, author in zip(numbers, found, strict=True):
        some += author.links(number)
        if len(some) >= _WRITTEN:
            yield some
            some = []
    yield some


def _decide(
    clusters: Sequence[tuple[str, Sequence[int]]],
    numbering: Numbering,
    found: Sequence[FoundAuthor],
    rulings: Sequence[Ruling],
    others: set[int],
) -> DecidedNumbering:
    """Return the numbers of the authors with what was decided."""
    keys = [a.key for a in found]
    if not rulings:
        return DecidedNumbering(numbering.numbers, {}, {}, {})
    place = {mention: i for i, a in enumerate(found) for mention in a.members}
    seeds = list(keys)
    seeded: set[int] = set()
    wanted: dict[int, list[int]] = defaultdict(list)
    for ruling in rulings:
        if ruling.kind not in ("split", "distinct"):
            continue
        for side, mentions in enumerate((ruling.a, ruling.b)):
            for i in sorted({place[mention] for mention in mentions if mention in place}):
                if side < len(ruling.before) and ruling.before[side]:
                    wanted[i].append(ruling.before[side])
                if i not in seeded:
                    seeded.add(i)
                    seeds[i] = f"{ruling.kind} {ruling.made_at} {side}"
    decided = [(seed, a.members) for seed, a in zip(seeds, found, strict=True)]
    return decide_numbers(clusters, numbering, decided, keys, wanted, others)


def _put_conflicts(
    connection: Connection, now: Found, odd: Sequence[Conflict], blocks: set[int] | None
) -> None:
    """Write the conflicts of these blocks (None: of all), and what is odd about decisions."""
    c = m.conflict.c
    rows = [
        (store.content_id(conflict.code, conflict.message, *keys), conflict.code, conflict.message, block,
         conflict.mentions)
        for conflict, block, keys in now.conflicts
    ]  # fmt: skip
    store.put_conflicts(
        connection,
        rows,
        c.block.is_not(None) & (c.code != "doi-conflict") if blocks is None else among(c.block, blocks),
    )
    decisions = [
        (
            store.content_id(conflict.code, conflict.message),
            conflict.code,
            conflict.message,
            None,
            conflict.mentions,
        )
        for conflict in odd
    ]
    store.put_conflicts(connection, decisions, c.block.is_(None))


def _count(
    connection: Connection,
    records: Records,
    turns: Turns,
    *,
    anew: bool,
) -> None:
    """Bring the authors of works up to date, and the counts of whoever is concerned."""
    if anew:
        people_store.put_authorships(connection, None)
        people_store.drop_authors(connection, turns.dead)
        count(connection, None, None)
        return
    works = {
        *records.stale,
        *people_store.works_of_mentions(connection, turns.mentions),
        *people_store.works_of_authors(connection, turns.turned | turns.dead),
    }
    concerned = people_store.put_authorships(connection, works)
    concerned |= records.bereft | people_store.authors_of_records(connection, records.moved)
    people_store.drop_authors(connection, turns.dead)
    count(connection, works, concerned - turns.dead)
