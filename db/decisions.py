"""What people have decided about identities: making it, undoing it, and whom it names.

Decisions are evidence: none is ever deleted, one that is undone says when. What follows from those
that stand is worked out by `resolve`, in the order in which they were made: the later one wins.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from ..cff.errors import DecisionError
from ..cff.folding import fold, squeeze
from . import models as m
from .clock import now
from .named import Entry, Index, MentionName, hashed, name_of
from .sets import among

KINDS = ("merge", "split", "distinct", "rename")


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that somebody decided."""

    kind: str
    """merge: all of `a` and `b` are one author. split: `a` is one author and none of `b`. distinct: no
    author of `a` is one of `b`. rename: the author with most of `a` is to be called `name`."""
    a: tuple[MentionName, ...]
    b: tuple[MentionName, ...] = ()
    name: str = ""
    is_private: bool = False
    """A rename that lets no other name be shown, of any author with one of `a`."""
    made_at: str = ""
    undone_at: str = ""
    number: int = 0
    """What `undo` takes; 0 for one that is not stored yet."""
    before: tuple[int, ...] = ()
    """The numbers that the authors of `a` and `b` had then; 0 for none."""


def put_decision(connection: Connection, decision: Decision) -> tuple[int, bool]:
    """Store a decision; return (its number, whether it is new): one that stands is not stored twice."""
    key = _key_made(connection)
    uid = _uid(decision, key)
    d = m.decision.c
    standing = connection.scalar(select(d.id).where(d.uid == uid, d.undone_at.is_(None)))
    if standing is not None:
        return int(standing), False
    a, b = decision.a, decision.b
    if decision.is_private:
        a = tuple(sorted(name.hide(key) for name in a))
    number = connection.execute(
        insert(m.decision).values(
            uid=uid,
            kind=decision.kind,
            a=_json(a),
            b=_json(b),
            name=decision.name,
            is_private=decision.is_private,
            made_at=decision.made_at or now(),
            before=json.dumps(decision.before),
        )
    ).inserted_primary_key
    _evidence_changed(connection)
    return int(number[0]) if number else 0, True


def undo(connection: Connection, number: int | None = None) -> Decision:
    """Undo the decision of this number, or the last one that stands; DecisionError if there is none."""
    every = read_decisions(connection, undone=True)
    if number is None:
        standing = [d for d in every if not d.undone_at]
        if not standing:
            raise DecisionError("no decision stands: there is nothing to undo")
        found = standing[-1]
    else:
        named = [d for d in every if d.number == number]
        if not named:
            raise DecisionError(f"there is no decision {number}: `cffgraph identity log` lists them")
        found = named[0]
        if found.undone_at:
            raise DecisionError(f"decision {number} is undone already, since {found.undone_at}")
    connection.execute(update(m.decision).where(m.decision.c.id == found.number).values(undone_at=now()))
    _evidence_changed(connection)
    return found


def read_decisions(connection: Connection, *, undone: bool = False) -> list[Decision]:
    """Return the decisions that stand, or all, in the order in which they were made."""
    d = m.decision.c
    statement = select(m.decision).order_by(d.made_at, d.id)
    if not undone:
        statement = statement.where(d.undone_at.is_(None))
    return [
        Decision(
            row.kind,
            _names(row.a),
            _names(row.b),
            row.name,
            row.is_private,
            row.made_at,
            row.undone_at or "",
            row.id,
            tuple(json.loads(row.before)),
        )
        for row in connection.execute(statement)
    ]


def secret_key(connection: Connection) -> bytes:
    """Return the key of hidden names; empty where nobody has decided anything yet."""
    value = connection.scalar(select(m.secret.c.value))
    return bytes.fromhex(value) if value else b""


# --- Whom a decision names ------------------------------------------------------------------------


def names_of_author(connection: Connection, author: int) -> tuple[MentionName, ...]:
    """Return the mention names of all that is held to be this author's: each name, iD and work once."""
    own = select(m.author_mention.c.mention_id).where(m.author_mention.c.author_id == author)
    return tuple(sorted({name_of(e) for e in entries(connection, m.mention.c.id.in_(own))}))


def names_of_mentions(
    connection: Connection, ids: Iterable[int], author: int
) -> tuple[tuple[MentionName, ...], tuple[MentionName, ...]]:
    """Return (names of these mentions of an author, names of all others of the same author).

    What is written like one of these in other descriptions of the same work goes with it, so there may
    be no others.
    """
    ids = set(ids)
    link = m.author_mention.c
    own = set(connection.scalars(select(link.mention_id).where(link.author_id == author)))
    lists = (select(m.mention.c.record_id).join(m.author_mention, link.mention_id == m.mention.c.id)).where(
        link.author_id == author
    )
    index = Index(entries(connection, m.mention.c.record_id.in_(lists)), secret_key(connection))
    a = index.named_apart(ids, own - ids)
    ids = {*ids, *own.intersection(index.find(a))}
    return tuple(a), tuple(index.named_apart(own - ids, ids))


def entries(connection: Connection, where: Any) -> Iterable[Entry]:
    """Yield the mentions of authors for which the condition `where` holds, by record and position."""
    c, r = m.mention.c, m.record.c
    statement: Select[Any] = (
        select(
            c.id, c.record_id, c.kind, c.given_names, c.name_particle, c.family_names, c.name_suffix,
            c.name, c.alias, c.orcid, r.doi, r.title,
        )
        .join(m.record, r.id == c.record_id)
        .where(c.role == "authors", where)
        .order_by(c.record_id, c.position)
    )  # fmt: skip
    for (
        i,
        record,
        kind,
        given,
        particle,
        family,
        suffix,
        name,
        alias,
        orcid,
        doi,
        title,
    ) in connection.execute(statement):
        said = " ".join(p for p in (given, particle, family, suffix) if p) or name or alias
        yield Entry(i, record, kind, said, orcid, doi, title)


def _key_made(connection: Connection) -> bytes:
    if not secret_key(connection):
        connection.execute(insert(m.secret).values(value=secrets.token_hex(32)))
    return secret_key(connection)


def _uid(decision: Decision, key: bytes) -> str:
    """The same for a decision with clear and with hidden names."""
    a, b = (
        sorted(json.dumps(n.hide(key).as_dict(), sort_keys=True) for n in s) for s in (decision.a, decision.b)
    )
    if decision.kind in ("merge", "distinct"):
        a, b = sorted((a, b))  # the sides say the same either way
    return hashed(key, decision.kind, *a, "", *b, decision.name, str(decision.is_private))


def _evidence_changed(connection: Connection) -> None:
    connection.execute(update(m.progress).values(evidence=m.progress.c.evidence + 1))


def _json(names: Iterable[MentionName]) -> str:
    return json.dumps([n.as_dict() for n in names], ensure_ascii=False)


def _names(text: str) -> tuple[MentionName, ...]:
    return tuple(MentionName(**values) for values in json.loads(text))


def named_mentions(connection: Connection, names: Iterable[MentionName]) -> tuple[int, ...]:
    """Return the standing mentions that these names mean."""
    held = select(m.author_mention.c.mention_id)
    return Index(entries(connection, m.mention.c.id.in_(held)), secret_key(connection)).find(names)


def idle_decisions(connection: Connection) -> list[Decision]:
    """Return the decisions that stand and name nothing that is here, on one side at least."""
    held = select(m.author_mention.c.mention_id)
    decisions = read_decisions(connection)
    index = Index(entries(connection, m.mention.c.id.in_(held)), secret_key(connection))
    return [d for d in decisions if not index.find(d.a) or (d.kind != "rename" and not index.find(d.b))]


def authors_of(connection: Connection, mentions: Iterable[int]) -> list[tuple[int, str, int]]:
    """Return (number, name, number of mentions) of the authors of these mentions, most mentions first."""
    link = m.author_mention.c
    those = select(link.author_id).where(among(link.mention_id, mentions))
    count = func.count()
    rows = connection.execute(
        select(m.author.c.id, m.author.c.name, count)
        .join(m.author_mention, link.author_id == m.author.c.id)
        .where(m.author.c.id.in_(those))
        .group_by(m.author.c.id)
        .order_by(count.desc(), m.author.c.id)
    )
    return [(number, name, mentions) for number, name, mentions in rows]


def clean_name(name: str) -> str:
    """Return a name that somebody typed, fit to show; DecisionError if there is no letter in it."""
    cleaned = squeeze(name)
    if not fold(cleaned) or not cleaned.isprintable():
        raise DecisionError(f"{name!r} is no name to show")
    return cleaned


def author_facts(connection: Connection, number: int) -> tuple[str, str, int]:
    """Return (name, kind, number of mentions) of an author."""
    a = m.author.c
    name, kind = connection.execute(select(a.name, a.kind).where(a.id == number)).one()
    count = select(func.count()).where(m.author_mention.c.author_id == number)
    return name, kind, connection.scalar(count) or 0
