"""The evidence that stands, out for the resolver: what repositories hold now.

Where the newest version of a file is broken, its last good one stands.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select, true

from . import models as m
from .sets import among

STANDING = ("current", "stale")
"""The standings of a file from which conclusions are drawn."""

BATCH = 2_000
"""Rows that are fetched at once."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where one blob is held."""

    repositories: tuple[int, ...]
    urls: tuple[str, ...]
    """Canonical URLs, aliases and remotes of these repositories."""
    first: str
    """The first canonical URL."""

    @property
    def digest(self) -> int:
        """Another number as soon as any of this is another."""
        text = json.dumps([self.repositories, self.urls, self.first])
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


def standing_records(connection: Connection) -> dict[int, int]:
    """Return the records that stand, each with its blob."""
    r = m.record.c
    return dict(fetch(connection, select(r.id, r.blob_id).where(r.blob_id.in_(_standing_blobs()))))


def read_places(connection: Connection) -> dict[int, Places]:
    """Return where each standing blob is held."""
    held = (
        select(m.file.c.blob_id, m.repository.c.id, m.repository.c.url, m.repository.c.remote)
        .join(m.repository, m.repository.c.id == m.file.c.repository_id)
        .where(m.file.c.standing.in_(STANDING))
        .distinct()
        .order_by(m.repository.c.url)
    )
    aliases: dict[int, list[str]] = defaultdict(list)
    alias = m.repository_alias.c
    for repository, url in connection.execute(
        select(alias.repository_id, alias.url).order_by(alias.repository_id, alias.url)
    ):
        aliases[repository].append(url)
    found: dict[int, Places] = {}
    for blob, repository, url, remote in fetch(connection, held):
        urls = (url, *aliases.get(repository, ()), *((remote,) if remote else ()))
        before = found.get(blob)
        if before is None:
            found[blob] = Places((repository,), tuple(dict.fromkeys(urls)), url)
        else:
            found[blob] = Places(
                (*before.repositories, repository), tuple(dict.fromkeys((*before.urls, *urls))), before.first
            )
    return found


def read_records(connection: Connection, records: Iterable[int] | None = None) -> Iterator[Any]:
    """Yield id, blob_id, sha, pointer, type, title, version, doi, date, year, url, repository_code of the
    standing records, or of these."""
    c, b = m.record.c, m.blob.c
    statement = select(
        c.id, c.blob_id, b.sha, c.pointer, c.type, c.title, c.version, c.doi, c.date, c.year, c.url,
        c.repository_code,
    ).join(m.blob, b.id == c.blob_id)  # fmt: skip
    yield from fetch(connection, statement.where(_these(c.id, c.blob_id, records)))


def read_contents(connection: Connection, records: Iterable[int] | None = None) -> dict[int, str]:
    """Return blob -> a digest of what its records say, for the standing blobs or those of these records."""
    c = m.record.c
    those = _standing_blobs() if records is None else select(c.blob_id).where(among(c.id, records))
    statement = select(c.blob_id, c.pointer, c.fields).where(c.blob_id.in_(those)).order_by(c.blob_id, c.id)
    found: dict[int, str] = {}
    last, parts = 0, hashlib.sha1(usedforsecurity=False)
    for blob, pointer, fields in fetch(connection, statement):
        if blob != last:
            if last:
                found[last] = parts.hexdigest()
            last, parts = blob, hashlib.sha1(usedforsecurity=False)
        parts.update(f"{pointer}\0{fields}\0".encode(errors="surrogatepass"))
    if last:
        found[last] = parts.hexdigest()
    return found


def read_identifiers(
    connection: Connection, records: Iterable[int] | None = None
) -> dict[int, tuple[tuple[str, str], ...]]:
    """Return the identifiers of every record that has some, or of these: {record: ((kind, value), ...)}."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    c = m.record_identifier.c
    where = true() if records is None else among(c.record_id, records)
    for record, kind, value in fetch(connection, select(c.record_id, c.kind, c.value).where(where)):
        found[record].append((kind, value))
    return {record: tuple(sorted(values)) for record, values in found.items()}


def read_first_authors(connection: Connection, records: Iterable[int] | None = None) -> Iterator[Any]:
    """Yield record and given_names, name_particle, family_names, name_suffix, name, alias of the first."""
    c = m.mention.c
    least = func.min(c.position)
    statement = (
        select(
            c.record_id, c.given_names, c.name_particle, c.family_names, c.name_suffix, c.name, c.alias, least
        )
        .join(m.record, m.record.c.id == c.record_id)
        .where(c.role == "authors", _these(c.record_id, m.record.c.blob_id, records))
        .group_by(c.record_id)  # SQLite takes the other columns from the row of the least
    )
    for *values, _ in fetch(connection, statement):
        yield values


def read_mentions(
    connection: Connection, *, records: Iterable[int] = (), mentions: Iterable[int] = ()
) -> Iterator[Any]:
    """Return the mentions of authors of these records, by record and position, or these in any order.

    A row is id, record_id, position, kind, family_names, given_names, name_particle, name_suffix, name,
    alias, orcid, email, website, affiliation.
    """
    c = m.mention.c
    statement: Select[Any] = select(
        c.id, c.record_id, c.position, c.kind, c.family_names, c.given_names, c.name_particle, c.name_suffix,
        c.name, c.alias, c.orcid, c.email, c.website, c.affiliation,
    ).where(c.role == "authors")  # fmt: skip
    if mentions:
        statement = statement.where(among(c.id, mentions))
    else:
        statement = statement.where(among(c.record_id, records)).order_by(c.record_id, c.position)
    return fetch(connection, statement)


def read_names(connection: Connection, mentions: Iterable[int]) -> Iterator[Any]:
    """Return id, family_names, given_names, name_particle, name_suffix, name, alias of these mentions."""
    c = m.mention.c
    statement = select(c.id, c.family_names, c.given_names, c.name_particle, c.name_suffix, c.name, c.alias)
    return fetch(connection, statement.where(among(c.id, mentions)))


def roots_of(connection: Connection, blobs: Iterable[int]) -> list[tuple[int, int]]:
    """Return (record, blob) of the roots of these blobs."""
    r = m.record.c
    return list(fetch(connection, select(r.id, r.blob_id).where(among(r.blob_id, blobs), r.pointer == "")))


def blobs_of(connection: Connection, records: Iterable[int]) -> set[int]:
    """Return the blobs of these records."""
    r = m.record.c
    return {blob for (blob,) in fetch(connection, select(r.blob_id).where(among(r.id, records)))}


def read_heads(connection: Connection, records: Iterable[int]) -> dict[int, tuple[str, str, int]]:
    """Return (sha of its blob, pointer, blob) of each of these records."""
    r, b = m.record.c, m.blob.c
    statement = select(r.id, b.sha, r.pointer, b.id).join(m.blob, b.id == r.blob_id)
    return {row[0]: row[1:] for row in fetch(connection, statement.where(among(r.id, records)))}


def fetch(connection: Connection, statement: Select[Any]) -> Iterator[Any]:
    """Return the rows of a statement, as the driver gives them: SQLAlchemy's own cost as much as the rest."""
    return chain.from_iterable(fetch_many(connection, statement))


def fetch_many(connection: Connection, statement: Select[Any]) -> Iterator[Sequence[Any]]:
    """Return the rows of a statement, many at a time."""
    compiled = statement.compile(dialect=connection.dialect, compile_kwargs={"render_postcompile": True})
    values = compiled.construct_params()
    cursor = connection.exec_driver_sql(
        str(compiled), tuple(values[name] for name in compiled.positiontup or ())
    ).cursor
    return iter(partial(cursor.fetchmany, BATCH), [])


def _standing_blobs() -> Any:
    return select(m.file.c.blob_id).where(m.file.c.standing.in_(STANDING)).distinct()


def _these(
    record: ColumnElement[int], blob: ColumnElement[int], records: Iterable[int] | None
) -> ColumnElement[bool]:
    return blob.in_(_standing_blobs()) if records is None else among(record, records)
