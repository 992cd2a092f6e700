"""Write evidence: repositories, the files they hold, and what the files say.

`Store.put` takes a batch of what a crawl found and writes it in one transaction, so a crawl that is
killed loses the batch in hand and nothing else. What was fetched is never rewritten: a version of a
file that a repository no longer holds stays, with another standing (see `models.file`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    Table,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as insert_or

from .bulk import insert_rows
from .found import Found, FoundFile, Known, Stored, StoredFile
from .models import (
    blob,
    file,
    mention,
    problem,
    progress,
    record,
    record_identifier,
    repository,
    source,
    source_repository,
)
from .rows import IDENTIFIER, MENTION, PROBLEM, RECORD, BlobRows

# The repositories that this crawl has met, in a table of the connection: a crawl of millions must
# not keep them in memory to know at its end which ones it did not meet.
_seen = Table("crawl_seen", MetaData(), Column("id", Integer, primary_key=True), prefixes=["TEMPORARY"])


def now() -> str:
    """The time as the tables hold it: ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """Writes the evidence of one crawl through one connection; each method is a transaction of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stamp = now()
        with connection.begin():
            _seen.create(connection, checkfirst=True)
            connection.execute(delete(_seen))

    def sources(self) -> list[str]:
        """The specs of the sources that the database knows, in the order in which they came."""
        with self._connection.begin():
            return list(self._connection.scalars(select(source.c.spec).order_by(source.c.id)))

    def put_source(self, spec: str) -> int:
        """The number of a source, remembered from now on."""
        with self._connection.begin():
            self._connection.execute(insert_or(source).values(spec=spec).on_conflict_do_nothing())
            found = select(source.c.id).where(source.c.spec == spec)
            return int(self._connection.execute(found).scalar_one())

    def known(self, urls: Iterable[str]) -> dict[str, Known]:
        """What is known of these repositories; unknown ones are left out."""
        with self._connection.begin():
            rows = self._connection.execute(
                select(repository.c.url, repository.c.head, repository.c.state, blob.c.sha)
                .outerjoin(
                    file,
                    (file.c.repository_id == repository.c.id) & file.c.standing.in_(("current", "broken")),
                )
                .outerjoin(blob, blob.c.id == file.c.blob_id)
                .where(_among(repository.c.url, urls))
            ).all()
        shas: dict[str, set[str]] = {}
        for row in rows:
            shas.setdefault(row.url, set()).update([row.sha] if row.sha else ())
        return {row.url: Known(row.head, row.state, frozenset(shas[row.url])) for row in rows}

    def unread(self, shas: Iterable[str]) -> set[str]:
        """Those of these blob ids that the database does not hold."""
        wanted = set(shas)
        with self._connection.begin():
            held = self._connection.scalars(select(blob.c.sha).where(_among(blob.c.sha, wanted)))
            return wanted.difference(held)

    def put(
        self,
        batch: Sequence[tuple[int | None, Found]],
        readings: Mapping[str, BlobRows],
        *,
        again: bool = False,
    ) -> list[Stored]:
        """Write a batch: (number of the source, repository) pairs, and what their new blobs say, by blob id.

        With `again`, the reading of a blob that is held already replaces what was read from it before.
        Without a source's number the repository is written, and no source is said to hold it.
        """
        # Two sources may have met the same repository.
        founds = {found.url: found for _number, found in batch}
        with self._connection.begin():
            numbers, changed = self._put_repositories(list(founds.values()))
            blobs = self._put_blobs(founds.values(), readings, again=again)
            changed |= again and bool(readings)
            changed |= self._put_files(founds.values(), numbers, blobs)
            self._link((number, numbers[found.url]) for number, found in batch if number is not None)
            stored = self._judge(founds.values(), numbers)
            if changed:
                self._connection.execute(update(progress).values(evidence=progress.c.evidence + 1))
        return stored

    def lost(self, number: int) -> list[tuple[str, str]]:
        """(url, name) of the repositories that a source once held, that this crawl has not met and no
        other source holds. The source no longer counts as holding what this crawl has not met.

        Only right after a crawl of the source that saw everything in it.
        """
        other = source_repository.alias()
        mine = (source_repository.c.source_id == number) & source_repository.c.repository_id.not_in(
            select(_seen.c.id)
        )
        elsewhere = exists().where(
            other.c.repository_id == source_repository.c.repository_id, other.c.source_id != number
        )
        with self._connection.begin():
            rows = self._connection.execute(
                select(repository.c.url, repository.c.name)
                .join(source_repository, source_repository.c.repository_id == repository.c.id)
                .where(mine, ~elsewhere)
                .order_by(repository.c.url)
            ).all()
            self._connection.execute(delete(source_repository).where(mine))
        return [(row.url, row.name) for row in rows]

    def end_source(self, number: int) -> None:
        """Note that a crawl of this source has come to its end."""
        with self._connection.begin():
            self._connection.execute(
                update(source).where(source.c.id == number).values(last_crawled=self._stamp)
            )

    def forget_source(self, number: int) -> None:
        """Forget a source that was never crawled to its end and holds nothing: a slip of the pen."""
        holds = exists().where(source_repository.c.source_id == number)
        with self._connection.begin():
            self._connection.execute(
                delete(source).where(source.c.id == number, source.c.last_crawled.is_(None), ~holds)
            )

    # --- The steps of put, inside its transaction -------------------------------------------------

    def _put_repositories(self, founds: Sequence[Found]) -> tuple[dict[str, int], bool]:
        urls = [found.url for found in founds]
        facts = (repository.c.id, repository.c.url, repository.c.name, repository.c.remote)
        rows = self._connection.execute(select(*facts).where(_among(repository.c.url, urls))).all()
        before = {row.url: row for row in rows}
        new = [found for found in founds if found.url not in before]
        if new:
            self._connection.execute(insert(repository), [self._repository(found) for found in new])
            rows = self._connection.execute(
                select(*facts).where(_among(repository.c.url, [found.url for found in new]))
            ).all()
        listed = [
            {"_id": before[found.url].id, **self._repository(found)}
            for found in founds
            if found.url in before and found.files is not None
        ]
        if listed:
            columns: dict[str, Any] = {
                name: bindparam(name)
                for name in ("name", "host", "remote", "default_branch", "head", "last_crawled")
            }
            self._connection.execute(
                update(repository).where(repository.c.id == bindparam("_id")).values(columns), listed
            )
        # Names and remotes are evidence of what is a copy of what.
        renamed = any(
            (before[row["url"]].name, before[row["url"]].remote) != (row["name"], row["remote"])
            for row in listed
        )
        return {row.url: row.id for row in [*before.values(), *rows]}, renamed

    def _repository(self, found: Found) -> dict[str, Any]:
        return {
            "url": found.url,
            "name": found.name,
            "host": found.host,
            "remote": found.remote,
            "default_branch": found.default_branch,
            "head": found.head,
            "state": found.state,
            "reason": found.reason,
            "last_crawled": self._stamp,
        }

    def _put_blobs(
        self, founds: Iterable[Found], readings: Mapping[str, BlobRows], *, again: bool
    ) -> dict[str, tuple[int, str]]:
        """(number, outcome) of each blob of the batch, by its id; those not held yet are written."""
        contents: dict[str, bytes | None] = {}
        for found in founds:
            for f in found.files or ():
                if f.sha:
                    contents[f.sha] = f.content if f.content is not None else contents.get(f.sha)
        held = self._blobs(contents)
        if not again:
            readings = {sha: reading for sha, reading in readings.items() if sha not in held}
        for sha in readings.keys() & held.keys():
            number = held[sha][0]
            self._connection.execute(delete(record).where(record.c.blob_id == number))
            self._connection.execute(delete(problem).where(problem.c.blob_id == number))
            self._connection.execute(update(blob).where(blob.c.id == number).values(readings[sha].blob))
        rows = []
        for sha, reading in readings.items():
            content = contents.get(sha)
            if sha not in held and content is not None:
                rows.append({"sha": sha, "size_bytes": len(content), "content": content, **reading.blob})
        if rows:
            self._connection.execute(insert(blob), rows)
        blobs = self._blobs(contents)
        self._put_readings({blobs[sha][0]: reading for sha, reading in readings.items() if sha in blobs})
        return blobs

    def _blobs(self, shas: Iterable[str]) -> dict[str, tuple[int, str]]:
        rows = self._connection.execute(
            select(blob.c.sha, blob.c.id, blob.c.outcome).where(_among(blob.c.sha, shas))
        )
        return {row.sha: (row.id, row.outcome) for row in rows}

    def _put_readings(self, readings: Mapping[int, BlobRows]) -> None:
        """Write problems and records of blobs by their numbers."""
        insert_rows(
            self._connection,
            problem,
            ("blob_id", *PROBLEM),
            ((n, *row) for n, r in readings.items() for row in r.problems),
        )
        insert_rows(
            self._connection,
            record,
            ("blob_id", *RECORD),
            ((n, *rows.record) for n, r in readings.items() for rows in r.records),
        )
        numbers = {
            (row.blob_id, row.pointer): row.id
            for row in self._connection.execute(
                select(record.c.id, record.c.blob_id, record.c.pointer).where(
                    _among(record.c.blob_id, readings)
                )
            )
        }
        records = [(numbers[n, rows.record[0]], rows) for n, r in readings.items() for rows in r.records]
        insert_rows(
            self._connection,
            record_identifier,
            ("record_id", *IDENTIFIER),
            ((n, *row) for n, rows in records for row in rows.identifiers),
        )
        insert_rows(
            self._connection,
            mention,
            ("record_id", *MENTION),
            ((n, *row) for n, rows in records for row in rows.mentions),
        )

    def _put_files(
        self, founds: Iterable[Found], numbers: Mapping[str, int], blobs: Mapping[str, tuple[int, str]]
    ) -> bool:
        """Bring the standing of each file up to date; True when one changed."""
        listed = {numbers[found.url]: found.files for found in founds if found.files is not None}
        held: dict[int, list[Any]] = {number: [] for number in listed}
        for row in self._connection.execute(
            select(file.c.id, file.c.repository_id, file.c.path, file.c.blob_id, file.c.standing).where(
                _among(file.c.repository_id, listed), file.c.standing != "past"
            )
        ):
            held[row.repository_id].append(row)
        standings: list[dict[str, Any]] = []
        fresh: list[dict[str, Any]] = []
        for number, files in listed.items():
            want: dict[tuple[str, int], str] = {}
            for path, blob_id, good in ((f.path, *_worth(f, blobs)) for f in files or ()):
                if not good:
                    # The last good version speaks on until a better one comes.
                    speaking = [
                        r for r in held[number] if r.path == path and r.standing in ("current", "stale")
                    ]
                    for row in speaking[:1]:
                        want[path, row.blob_id] = "stale"
                if blob_id:
                    want[path, blob_id] = "current" if good else "broken"
            for row in held[number]:
                standing = want.pop((row.path, row.blob_id), "past")
                if standing != row.standing:
                    standings.append({"_id": row.id, "standing": standing})
            for (path, blob_id), standing in want.items():
                fresh.append(
                    {
                        "repository_id": number,
                        "path": path,
                        "blob_id": blob_id,
                        "standing": standing,
                        "first_seen": self._stamp,
                        "last_seen": self._stamp,
                    }
                )
        if standings:
            self._connection.execute(
                update(file).where(file.c.id == bindparam("_id")).values(standing=bindparam("standing")),
                standings,
            )
        if fresh:
            # A version that was held once, and is held again, has its row already.
            put = insert_or(file)
            self._connection.execute(
                put.on_conflict_do_update(
                    index_elements=["repository_id", "path", "blob_id"],
                    set_={"standing": put.excluded.standing},
                ),
                fresh,
            )
        return bool(standings or fresh)

    def _link(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Note which source holds which repositories, as (source, repository), and that they were met."""
        held: dict[int, list[int]] = {}
        for number, repository_id in pairs:
            held.setdefault(number, []).append(repository_id)
        for number, ids in held.items():
            met = _among(repository.c.id, ids)
            for table, columns, found in (
                (source_repository, ["source_id", "repository_id"], select(literal(number), repository.c.id)),
                (_seen, ["id"], select(repository.c.id)),
            ):
                self._connection.execute(
                    insert_or(table).from_select(columns, found.where(met)).on_conflict_do_nothing()
                )

    def _judge(self, founds: Iterable[Found], numbers: Mapping[str, int]) -> list[Stored]:
        """Work out and write the state of each repository, from the files that it holds now."""
        ids = [numbers[found.url] for found in founds]
        files: dict[int, list[StoredFile]] = {}
        broken: dict[int, list[tuple[int, str]]] = {}
        for row in self._connection.execute(
            select(file.c.repository_id, file.c.path, file.c.blob_id, blob.c.outcome)
            .join(blob, blob.c.id == file.c.blob_id)
            .where(_among(file.c.repository_id, ids), file.c.standing.in_(("current", "broken")))
            .order_by(file.c.path)
        ):
            if row.outcome == "error":
                broken.setdefault(row.blob_id, []).append((row.repository_id, row.path))
            else:
                files.setdefault(row.repository_id, []).append(StoredFile(row.path, row.outcome))
        for blob_id, places in broken.items():
            line, column, message = self._first_error(blob_id)
            for number, path in places:
                files.setdefault(number, []).append(StoredFile(path, "error", line, column, message))
        stored = []
        for found in founds:
            refused = [StoredFile(f.path, "error", message=f.refused) for f in found.files or () if f.refused]
            held = (*files.get(numbers[found.url], ()), *refused)
            stored.append(Stored(found, *_state(found, held), held))
        self._put_states({numbers[s.found.url]: (s.state, s.reason) for s in stored})
        looked_at = [numbers[f.url] for f in founds if f.unchanged or f.files is not None]
        self._connection.execute(
            update(file)
            .where(_among(file.c.repository_id, looked_at), file.c.standing.in_(("current", "broken")))
            .values(last_seen=self._stamp)
        )
        return stored

    def _put_states(self, states: Mapping[int, tuple[str, str]]) -> None:
        """Write (state, reason) of repositories where they are new, and the time of all."""
        here = _among(repository.c.id, states)
        self._connection.execute(update(repository).where(here).values(last_crawled=self._stamp))
        written = select(repository.c.id, repository.c.state, repository.c.reason).where(here)
        new = [
            {"_id": row.id, "state": states[row.id][0], "reason": states[row.id][1]}
            for row in self._connection.execute(written)
            if (row.state, row.reason) != states[row.id]
        ]
        if new:
            self._connection.execute(update(repository).where(repository.c.id == bindparam("_id")), new)

    def _first_error(self, blob_id: int) -> tuple[int, int, str]:
        row = self._connection.execute(
            select(problem.c.line, problem.c.col, problem.c.message)
            .where(problem.c.blob_id == blob_id, problem.c.severity == "error")
            .order_by(problem.c.id)
            .limit(1)
        ).first()
        return (row.line, row.col, row.message) if row else (1, 1, "cannot be read")


def _among(column: ColumnElement[Any], values: Iterable[int] | Iterable[str]) -> ColumnElement[bool]:
    """Whether a column is one of many values, which go over as one: the engine limits their number."""
    listed = func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(select(listed.c.value))


def _worth(found: FoundFile, blobs: Mapping[str, tuple[int, str]]) -> tuple[int, bool]:
    """(number of the blob, can be read); (0, False) for a file that was refused."""
    number, outcome = blobs.get(found.sha, (0, "error"))
    return number, outcome != "error"


def _state(found: Found, files: Sequence[StoredFile]) -> tuple[str, str]:
    if found.state != "ok":
        return found.state, found.reason
    if not files:
        return "no-file", found.reason
    if all(f.outcome == "error" for f in files):
        first = files[0]
        return "unreadable", f"{first.path}:{first.line}:{first.column}: {first.message}"
    return "ok", found.reason
