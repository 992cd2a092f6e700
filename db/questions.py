"""Answers for those who decide about identities: the pairs to look at, and what contradicts itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from .models import author, author_mention, candidate, conflict, conflict_mention
from .places import addresses
from .query import Answer

REVIEW_COLUMNS = tuple("a name_a works_a b name_b works_b score evidence".split())
CONFLICT_COLUMNS = tuple("code message authors mentions".split())


def review(connection: Connection, numbers: Sequence[int] | None = None) -> Answer:
    """Return the pairs of authors who may be one, the question whose answer is worth most first.

    With `numbers`, only pairs with one of these authors.
    """
    c, a, b = candidate.c, author.alias("a"), author.alias("b")
    statement = (
        select(c.a_id, a.c.name, a.c.works, c.b_id, b.c.name, b.c.works, c.score, c.reasons)
        .join(a, a.c.id == c.a_id)
        .join(b, b.c.id == c.b_id)
        .order_by(c.worth.desc(), c.score.desc(), c.a_id, c.b_id)
    )
    if numbers is not None:
        statement = statement.where(c.a_id.in_(numbers) | c.b_id.in_(numbers))
    return Answer(connection, REVIEW_COLUMNS, statement, lambda _, batch: (tuple(row) for row in batch))


def conflicts(connection: Connection) -> Answer:
    """Return what about iDs, DOIs, author lists and decisions only a person can put right, by code.

    `authors` are numbers, `mentions` the places that it is about.
    """
    statement = select(conflict.c.id, conflict.c.code, conflict.c.message).order_by(
        conflict.c.code, conflict.c.message, conflict.c.id
    )
    return Answer(connection, CONFLICT_COLUMNS, statement, _finish_conflicts)


def _finish_conflicts(connection: Connection, batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    about = conflict_mention.c
    mentions: dict[int, list[int]] = defaultdict(list)
    authors: dict[int, list[int]] = defaultdict(list)
    found = connection.execute(
        select(about.conflict_id, about.mention_id, author_mention.c.author_id)
        .join(author_mention, author_mention.c.mention_id == about.mention_id)
        .where(about.conflict_id.in_([row.id for row in batch]))
        .order_by(about.conflict_id, about.mention_id)
    )
    for number, mention, who in found:
        mentions[number].append(mention)
        authors[number].append(who)
    places = addresses(connection, sorted({m for several in mentions.values() for m in several}))
    for number, code, message in batch:
        where = sorted(place for mention in mentions[number] for place in places[mention])
        yield code, message, sorted(set(authors[number])), where
