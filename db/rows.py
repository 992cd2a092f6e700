"""What a file says, as rows for the tables: plain values, ready to be written and cheap to pass on.

Apart from the store, so that a large crawl can do this work in other processes. A row is a tuple in
the order of the columns named here; the number of what it hangs on comes before it when it is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..cff.records import CffFile, Value, Work

Row: TypeAlias = tuple[Any, ...]

PROBLEM = ("code", "severity", "line", "col", "path", "message")
RECORD = tuple("pointer type title version doi date year url repository_code fields".split())
IDENTIFIER = ("kind", "value", "description")
MENTION = tuple(
    """role position kind family_names given_names name_particle name_suffix name alias orcid email
    website affiliation as_written line""".split()
)


@dataclass(frozen=True, slots=True)
class RecordRows:
    """One record of a file: its row, and the rows that hang on it."""

    record: Row
    identifiers: tuple[Row, ...]
    mentions: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class BlobRows:
    """One file: the facts of its blob row, its problems, its records."""

    blob: dict[str, str]
    """Values of the columns kind, revision, cff_version and outcome."""
    problems: tuple[Row, ...]
    records: tuple[RecordRows, ...]


def rows_of(file: CffFile) -> BlobRows:
    """The rows of a file as read; a file that could not be read has problems and no records."""
    return BlobRows(
        {
            "kind": file.origin.kind if file.origin else "cff",
            "revision": file.origin.revision if file.origin else "",
            "cff_version": file.cff_version,
            "outcome": file.outcome,
        },
        tuple((p.code, p.severity, p.line, p.column, p.path, p.message) for p in file.problems),
        tuple(map(_record, file.works)),
    )


def _record(work: Work) -> RecordRows:
    identifiers: dict[tuple[str, str], str] = {}
    for i in work.identifiers:
        identifiers.setdefault((i.kind, i.value), i.description)
    return RecordRows(
        (
            work.pointer,
            work.type,
            work.title,
            work.version,
            work.doi,
            work.date,
            work.year,
            work.url,
            work.repository_code,
            _json(work.fields),
        ),
        tuple((kind, value, description) for (kind, value), description in identifiers.items()),
        tuple(_mentions(work)),
    )


def _mentions(work: Work) -> Iterator[Row]:
    for mentions in (work.authors, work.others):
        for m in mentions:
            yield (
                m.role,
                m.position,
                m.kind,
                m.family_names,
                m.given_names,
                m.name_particle,
                m.name_suffix,
                m.name,
                m.alias,
                m.orcid,
                m.email,
                m.website,
                m.affiliation,
                _json(m.as_written),
                m.line,
            )


def _json(fields: Mapping[str, Value] | Mapping[str, str]) -> str:
    return _ENCODE(dict(fields))


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
