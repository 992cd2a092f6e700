"""The answers: each function returns an `Answer`, whose rows are read only as they are asked for.

Columns have the names of the command line's JSON; a value that is not there is None, a column of
several values is a list. Orders are total, so that the same conclusions give the same listing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select
from sqlalchemy.exc import DBAPIError

from ..cff.errors import DatabaseError
from ..cff.records import full_name
from .models import (
    author,
    author_mention,
    author_name,
    author_private,
    authorship,
    blob,
    citation,
    file,
    mention,
    progress,
    record,
    repository,
    repository_alias,
    work,
    work_identifier,
    work_repository,
)
from .search import Matches
from .sets import among

_BATCH = 500

AUTHOR_COLUMNS = "author kind name orcid also works repositories coauthors first_year last_year".split()
MENTION_COLUMNS = "author kind name as_written repository file pointer orcid reason confidence".split()
WORK_COLUMNS = "work kind type title year version doi identifiers authors repositories cites cited_by".split()
CITATION_COLUMNS = "citing cited kind citing_title cited_title repository".split()
REPOSITORY_COLUMNS = "repository name aliases state reason head file outcome last_crawled".split()

RANKS = ("works", "coauthors", "weight")
"""The orders that `authors` knows besides that of the names."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of one question."""

    connection: Connection
    columns: tuple[str, ...]
    statement: Select[Any]
    finish: Callable[[Connection, Sequence[Any]], Iterable[tuple[Any, ...]]]
    """A batch of the statement's rows -> rows of the columns."""

    def rows(self, limit: int = 0) -> Iterator[tuple[Any, ...]]:
        """Yield the rows, the first `limit` of them unless that is 0; few are in memory at a time."""
        statement = self.statement.limit(limit) if limit else self.statement
        result = self.connection.execute(statement.execution_options(yield_per=_BATCH))
        for batch in result.partitions():
            yield from self.finish(self.connection, batch)

    def count(self) -> int:
        """Return how many rows there are."""
        counted = self.statement.order_by(None).subquery()
        return self.connection.scalar(select(func.count()).select_from(counted)) or 0


@contextmanager
def readable(name: str, *, doing: str = "read") -> Iterator[None]:
    """Turn what the database's driver raises into a DatabaseError: `doing` it cannot be done to `name`."""
    try:
        yield
    except DBAPIError as error:
        raise DatabaseError(f"cannot {doing} the database {name}: {error.orig}") from error


def is_behind(connection: Connection) -> bool:
    """Return whether the evidence has changed since the conclusions were worked out."""
    row = connection.execute(select(progress.c.evidence, progress.c.resolved)).first()
    return row is not None and row[0] != row[1]


def authors(connection: Connection, matches: Matches | None = None, *, rank: str = "") -> Answer:
    """Return the authors, those who fit first; with a rank, the greatest first.

    A rank by weight (Newman's, summed over all coauthors) adds it as a column.
    """
    columns, statement = AUTHOR_COLUMNS, author_select()
    order: list[ColumnElement[Any]] = [author.c.family, author.c.name, author.c.id]
    if matches is not None:
        statement = statement.where(matches.where)
        order = [matches.rank, author.c.works.desc(), *order]
    if rank:
        order.insert(0, author.c[rank].desc())
    if rank == "weight":
        columns = [*AUTHOR_COLUMNS, "weight"]
        statement = statement.add_columns(func.round(author.c.weight, 12))
    return Answer(connection, tuple(columns), statement.order_by(*order), finish_authors)


def authors_numbered(connection: Connection, numbers: Iterable[int]) -> Answer:
    """Return the authors of these numbers, most works first."""
    statement = author_select().where(among(author.c.id, numbers))
    statement = statement.order_by(author.c.works.desc(), author.c.name, author.c.id)
    return Answer(connection, tuple(AUTHOR_COLUMNS), statement, finish_authors)


def author_select() -> Select[Any]:
    """Return the select of an author's own columns, to which `finish_authors` adds the other names."""
    a = author.c
    return select(
        a.id, a.kind, a.name, a.orcid, a.works, a.repositories, a.coauthors, a.first_year, a.last_year
    )


def finish_authors(connection: Connection, batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of `author_select` with the list of other name forms; more columns stay last."""
    names = author_name.c
    also = _lists(
        connection,
        select(names.author_id, names.name)
        .where(names.author_id.in_([row[0] for row in batch]))
        .order_by(names.author_id, names.mentions.desc(), names.name),
    )
    for number, kind, name, orcid, *rest in batch:
        others = [other for other in dict.fromkeys(also[number]) if other != name]
        yield (number, kind, name, orcid or None, others, *rest)


def mentions(connection: Connection, matches: Matches | None = None) -> Answer:
    """Return every mention at every place that carries it, in the order of the places."""
    m = mention.c
    statement = (
        select(
            author.c.id,
            author.c.kind,
            author.c.name,
            m.as_written,
            repository.c.url,
            file.c.path,
            record.c.pointer,
            m.role,
            m.position,
            m.orcid,
            author_mention.c.reason,
            author_mention.c.confidence,
            m.given_names,
            m.name_particle,
            m.family_names,
            m.name_suffix,
            m.name,
            m.alias,
            author_private.c.author_id,
        )
        .select_from(repository)
        .join(file, and_(file.c.repository_id == repository.c.id, file.c.standing.in_(("current", "stale"))))
        .join(record, record.c.blob_id == file.c.blob_id)
        .join(mention, m.record_id == record.c.id)
        .join(author_mention, author_mention.c.mention_id == m.id)
        .join(author, author.c.id == author_mention.c.author_id)
        .outerjoin(author_private, author_private.c.author_id == author.c.id)
        .order_by(repository.c.url, file.c.path, record.c.id, m.id)
    )
    if matches is not None:
        statement = statement.where(matches.where)
    return Answer(connection, tuple(MENTION_COLUMNS), statement, _finish_mentions)


def _finish_mentions(_: Connection, batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for number, kind, name, entry, url, path, pointer, role, position, orcid, reason, sure, *read in batch:
        place = f"{pointer}.{role}[{position}]" if pointer else f"{role}[{position}]"
        *read, private = read
        written = _written(entry, read) if private is None else name
        yield number, kind, name, written, url, path, place, orcid or None, reason, sure


_NAME_KEYS = ("given-names", "name-particle", "family-names", "name-suffix", "name", "alias")


def _written(entry: str, read: Sequence[str]) -> str:
    """Return the name of an entry as one says it, in the letters in which it was written.

    `entry` is the entry's keys as JSON; `read` the same name as it was read, for an entry whose keys
    are misspelt or that is no mapping: given names, particle, family names, suffix, name, alias.
    """
    keys = json.loads(entry)
    written = full_name(*(keys.get(key, "") for key in _NAME_KEYS)) if isinstance(keys, dict) else ""
    return written or full_name(*read)


def works(
    connection: Connection,
    matches: Matches | None = None,
    *,
    by: int | None = None,
    cited_by: int | None = None,
    cites: int | None = None,
    rank: str = "",
) -> Answer:
    """Return the works; only those of an author, cited by a work, or citing one, where numbers are given."""
    w, statement = work.c, _work_select()
    order: list[ColumnElement[Any]] = [w.folded, w.title, w.id]
    if matches is not None:
        statement = statement.where(matches.where)
        order.insert(0, matches.rank)
    if rank:
        order.insert(0, w[rank].desc())
    if by is not None:
        statement = statement.where(
            w.id.in_(select(authorship.c.work_id).where(authorship.c.author_id == by))
        )
    if cited_by is not None:
        named = select(citation.c.cited_id).where(citation.c.citing_id == cited_by)
        statement = statement.where(w.id.in_(named))
    if cites is not None:
        naming = select(citation.c.citing_id).where(citation.c.cited_id == cites)
        statement = statement.where(w.id.in_(naming))
    return Answer(connection, tuple(WORK_COLUMNS), statement.order_by(*order), _finish_works)


def works_numbered(connection: Connection, numbers: Iterable[int]) -> Answer:
    """Return the works of these numbers, by title."""
    statement = _work_select().where(among(work.c.id, numbers)).order_by(work.c.folded, work.c.id)
    return Answer(connection, tuple(WORK_COLUMNS), statement, _finish_works)


def _work_select() -> Select[Any]:
    w = work.c
    return select(w.id, w.kind, w.type, w.title, w.year, w.version, w.doi, w.cites, w.cited_by)


def _finish_works(connection: Connection, batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    numbers = [row[0] for row in batch]
    i, s = work_identifier.c, authorship.c
    identifiers = _lists(
        connection,
        select(i.work_id, i.kind, i.value).where(i.work_id.in_(numbers)).order_by(i.work_id, i.kind, i.value),
    )
    people = _lists(
        connection,
        select(s.work_id, s.author_id)
        .where(s.work_id.in_(numbers))
        .order_by(s.work_id, s.position, s.author_id),
    )
    holders = _lists(
        connection,
        select(work_repository.c.work_id, repository.c.url)
        .join(repository, repository.c.id == work_repository.c.repository_id)
        .where(work_repository.c.work_id.in_(numbers))
        .order_by(work_repository.c.work_id, repository.c.url),
    )
    for number, kind, type_, title, year, version, doi, cites, cited_by in batch:
        named = [value if ":" in value else f"{kind_}:{value}" for kind_, value in identifiers[number]]
        row = (number, kind, type_, title, year, version or None, doi or None, named)
        yield (*row, people[number], holders[number], cites, cited_by)


def citations(connection: Connection, work_number: int | None = None) -> Answer:
    """Return the citations, or those from and to one work, by the title of the citing work."""
    citing, cited = work.alias("citing"), work.alias("cited")
    first_holder = (
        select(func.min(repository.c.url))
        .join(work_repository, work_repository.c.repository_id == repository.c.id)
        .where(work_repository.c.work_id == citation.c.citing_id)
        .scalar_subquery()
    )
    statement = (
        select(
            citation.c.citing_id,
            citation.c.cited_id,
            citation.c.kind,
            citing.c.title,
            cited.c.title,
            first_holder,
        )
        .join(citing, citing.c.id == citation.c.citing_id)
        .join(cited, cited.c.id == citation.c.cited_id)
        .order_by(citing.c.folded, citing.c.id, citation.c.kind, cited.c.folded, cited.c.id)
    )
    if work_number is not None:
        statement = statement.where(
            or_(citation.c.citing_id == work_number, citation.c.cited_id == work_number)
        )
    return Answer(connection, tuple(CITATION_COLUMNS), statement, _as_they_are)


def repositories(connection: Connection) -> Answer:
    """Return the repositories by URL, each with the file it holds: the least deep one, if several."""
    f, r = file.c, repository.c
    depth = func.length(f.path) - func.length(func.replace(f.path, "/", ""))
    held = (
        select(f.id)
        .where(f.repository_id == r.id, f.standing.in_(("current", "broken")))
        .order_by(depth, f.path, f.last_seen.desc(), f.id)
        .limit(1)
        .correlate(repository)
        .scalar_subquery()
    )
    statement = (
        select(r.id, r.url, r.name, r.state, r.reason, r.head, f.path, blob.c.outcome, r.last_crawled)
        .select_from(repository)
        .outerjoin(file, f.id == held)
        .outerjoin(blob, blob.c.id == f.blob_id)
        .order_by(r.url)
    )
    return Answer(connection, tuple(REPOSITORY_COLUMNS), statement, _finish_repositories)


def _finish_repositories(connection: Connection, batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    a = repository_alias.c
    aliases = _lists(
        connection,
        select(a.repository_id, a.url)
        .where(a.repository_id.in_([row[0] for row in batch]))
        .order_by(a.repository_id, a.url),
    )
    for number, url, name, state, reason, head, path, outcome, last_crawled in batch:
        yield url, name, aliases[number], state, reason or None, head, path, outcome, last_crawled


def _as_they_are(_: Connection, batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    return (tuple(row) for row in batch)


def _lists(connection: Connection, statement: Select[Any]) -> defaultdict[int, list[Any]]:
    """Return the rows of `statement` gathered by their first column; a lone other column bare."""
    gathered: defaultdict[int, list[Any]] = defaultdict(list)
    for key, *rest in connection.execute(statement):
        gathered[key].append(rest[0] if len(rest) == 1 else rest)
    return gathered
