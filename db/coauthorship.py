"""Who shares works with whom: the coauthors of one author, and all pairs for a graph.

Persons count, entities only where they are asked for. A shared work weighs 1/(n-1), where n is its
number of persons (M. E. J. Newman, Scientific collaboration networks II, Phys. Rev. E 64, 016132,
2001), so that the weights of one person's pairs on a work sum to one. An entity of a pair is counted
on top of the persons: asking for entities changes no weight between persons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select

from ..cff.numbers import number_for
from .models import author, authorship, work
from .query import AUTHOR_COLUMNS, Answer, author_select, finish_authors
from .sets import among

_DIGITS = 12
"""Weights are sums of fractions: rounded so, they do not show in which order they were added."""
_BATCH = 2000


def _is_other(kind: ColumnElement[str]) -> ColumnElement[int]:
    return case((kind == "person", 0), else_=1)


def coauthors(connection: Connection, numbers: Iterable[int], *, entities: bool = False) -> Answer:
    """Return those who share a work with these authors (taken as one), strongest first."""
    numbers = tuple(numbers)
    own = author.alias("own")
    shared = (
        select(authorship.c.work_id, func.min(_is_other(own.c.kind)).label("other"))
        .join(own, own.c.id == authorship.c.author_id)
        .where(among(authorship.c.author_id, numbers))
        .group_by(authorship.c.work_id)
        .subquery("shared")
    )
    theirs = authorship.alias("theirs")
    n_less_one = work.c.persons - 1 + shared.c.other + _is_other(author.c.kind)
    count = func.count().label("shared_works")
    weight = func.round(func.sum(1.0 / n_less_one), _DIGITS).label("weight")
    statement = (
        author_select()
        .add_columns(count, weight)
        .select_from(shared)
        .join(work, work.c.id == shared.c.work_id)
        .join(theirs, theirs.c.work_id == shared.c.work_id)
        .join(author, author.c.id == theirs.c.author_id)
        .where(~among(theirs.c.author_id, numbers))
        .group_by(author.c.id)
        .order_by(weight.desc(), count.desc(), author.c.family, author.c.name, author.c.id)
    )
    if not entities:
        statement = statement.where(author.c.kind == "person")
    return Answer(connection, (*AUTHOR_COLUMNS, "shared_works", "weight"), statement, finish_authors)


def graph_nodes(connection: Connection, *, entities: bool = False) -> Iterator[tuple[Any, ...]]:
    """Yield key, name, kind, orcid, works, repositories, first_year, last_year, exported, number; by key.

    `exported` is the number to which the key leads. The author's own, kept from earlier crawls, may be
    another, and an export is to be the same however the crawls went; commands take either.
    """
    a = author.c
    statement = select(
        a.key, a.name, a.kind, a.orcid, a.works, a.repositories, a.first_year, a.last_year, a.id
    ).order_by(a.key)
    if not entities:
        statement = statement.where(a.kind == "person")
    given: set[int] = set()
    for batch in connection.execute(statement.execution_options(yield_per=_BATCH)).partitions():
        for *facts, number in batch:
            exported = number_for(facts[0], given)
            given.add(exported)
            yield (*facts, exported, number)


def shared_works(connection: Connection) -> Iterator[tuple[int, int, int | None, int]]:
    """Yield work, its number of persons, its year and one of its authors: a row for each authorship.

    The works in the order of their keys, which are made of content.
    """
    statement = (
        select(authorship.c.work_id, authorship.c.author_id, work.c.persons, work.c.year)
        .join(work, work.c.id == authorship.c.work_id)
        .order_by(work.c.key, authorship.c.author_id)
    )
    for batch in connection.execute(statement.execution_options(yield_per=_BATCH)).partitions():
        for number, author_number, persons, year in batch:
            yield number, persons, year, author_number
