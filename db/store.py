"""Write evidence: repositories, the files they hold, and what the files say.

`Store.put` takes a batch of what a crawl found and writes it in one transaction, so a crawl that is
killed loses the batch in hand and nothing else. What was fetched is never rewritten: a version of a
file that a repository no longer holds stays, with another standing (see `models.file`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or

from . import crawls, repositories
from .bulk import insert_rows
from .clock import now
from .found import Begun, Found, FoundFile, Known, Stored, StoredFile
from .models import (
    blob,
    file,
    mention,
    problem,
    progress,
    record,
    record_identifier,
    repository,
    source_repository,
)
from .rows import IDENTIFIER, MENTION, PROBLEM, RECORD, BlobRows
from .sets import among


class Store:
    """Writes the evidence of one crawl through one connection; each method is a transaction of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stamp = now()

    def known(self, urls: Iterable[str]) -> dict[str, Known]:
        """What is known of the repositories at these URLs; unknown ones are left out."""
        with self._connection.begin():
            return repositories.known(self._connection, urls)

    def unread(self, shas: Iterable[str]) -> set[str]:
        """Those of these blob ids that the database does not hold."""
        wanted = set(shas)
        with self._connection.begin():
            held = self._connection.scalars(select(blob.c.sha).where(among(blob.c.sha, wanted)))
            return wanted.difference(held)

    def begin(self, sources: Sequence[tuple[str, str]], *, anew: bool = False) -> list[Begun]:
        """Begin to crawl sources, by (spec, options): see `crawls.begin`."""
        return crawls.begin(self._connection, sources, anew=anew)

    def put(
        self,
        batch: Sequence[tuple[Begun | None, Found]],
        readings: Mapping[str, BlobRows],
        *,
        again: bool = False,
        cursors: Sequence[tuple[int, str]] = (),
    ) -> list[Stored]:
        """Write a batch: (crawl of a source, repository) pairs, and what their new blobs say, by blob id.

        With `again`, the reading of a blob that is held already replaces what was read from it before.
        Without a crawl the repository is written, and no source is said to hold it. `cursors` is how far
        sources, by their numbers, have come once this is written.
        """
        # Two sources may have met the same repository.
        founds = {found.url: found for _crawl, found in batch}
        with self._connection.begin():
            numbers, changed = repositories.put(
                self._connection, [found for _crawl, found in batch], self._stamp
            )
            # One that was found under an older name as well counts once, under the newer.
            founds = {url: found for url, found in founds.items() if url in numbers}
            blobs = self._put_blobs(founds.values(), readings, again=again)
            changed |= again and bool(readings)
            changed |= self._put_files(founds.values(), numbers, blobs)
            self._put_history(founds.values(), numbers, blobs)
            self._link(
                (crawl, numbers[found.url])
                for crawl, found in batch
                if crawl is not None and found.url in numbers
            )
            stored = self._judge(founds.values(), numbers)
            if changed:
                self._connection.execute(update(progress).values(evidence=progress.c.evidence + 1))
            crawls.put_cursors(self._connection, cursors)
        return stored

    def end(self, begun: Sequence[Begun]) -> list[tuple[str, str]]:
        """End crawls that saw all; (url, name) of what their sources no longer hold: see `crawls.end`."""
        return crawls.end(self._connection, [crawl.number for crawl in begun])

    def give_up(self, begun: Sequence[Begun]) -> None:
        """End crawls that saw only a part: see `crawls.give_up`."""
        crawls.give_up(self._connection, [crawl.number for crawl in begun])

    # --- The steps of put, inside its transaction -------------------------------------------------

    def _put_blobs(
        self, founds: Iterable[Found], readings: Mapping[str, BlobRows], *, again: bool
    ) -> dict[str, tuple[int, str]]:
        """(number, outcome) of each blob of the batch, by its id; those not held yet are written."""
        contents: dict[str, bytes | None] = {}
        for found in founds:
            for sha, content in found.contents():
                contents[sha] = content if content is not None else contents.get(sha)
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
            select(blob.c.sha, blob.c.id, blob.c.outcome).where(among(blob.c.sha, shas))
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
                    among(record.c.blob_id, readings)
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
                among(file.c.repository_id, listed), file.c.standing != "past"
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

    def _put_history(
        self, founds: Iterable[Found], numbers: Mapping[str, int], blobs: Mapping[str, tuple[int, str]]
    ) -> None:
        """Write the versions of files with their dates; one that stood several times has one row for all."""
        rows: dict[tuple[int, str, int], dict[str, Any]] = {}
        for found in founds:
            for version in sorted(found.history or (), key=lambda v: v.since):
                if version.sha not in blobs:
                    continue
                key = (numbers[found.url], version.path, blobs[version.sha][0])
                first = rows.get(key)
                rows[key] = {
                    "repository_id": key[0],
                    "path": key[1],
                    "blob_id": key[2],
                    "standing": "past",
                    "first_seen": self._stamp,
                    "last_seen": self._stamp,
                    "commit_id": first["commit_id"] if first else version.commit,
                    "since": first["since"] if first else version.since,
                    "until": version.until,
                }
        if rows:
            put = insert_or(file)
            self._connection.execute(
                put.on_conflict_do_update(
                    index_elements=["repository_id", "path", "blob_id"],
                    set_={name: put.excluded[name] for name in ("commit_id", "since", "until")},
                ),
                list(rows.values()),
            )

    def _link(self, pairs: Iterable[tuple[Begun, int]]) -> None:
        """Note which source holds which repositories, as (crawl of the source, repository)."""
        rows = {
            (crawl.number, number): {"source_id": crawl.number, "repository_id": number, "run": crawl.run}
            for crawl, number in pairs
        }
        if rows:
            put = insert_or(source_repository)
            self._connection.execute(
                put.on_conflict_do_update(
                    index_elements=["source_id", "repository_id"], set_={"run": put.excluded.run}
                ),
                list(rows.values()),
            )

    def _judge(self, founds: Iterable[Found], numbers: Mapping[str, int]) -> list[Stored]:
        """Work out and write the state of each repository, from the files that it holds now."""
        ids = [numbers[found.url] for found in founds]
        files: dict[int, list[StoredFile]] = {}
        broken: dict[int, list[tuple[int, str]]] = {}
        stale: set[int] = set()
        for row in self._connection.execute(
            select(file.c.repository_id, file.c.path, file.c.blob_id, file.c.standing, blob.c.outcome)
            .join(blob, blob.c.id == file.c.blob_id)
            .where(among(file.c.repository_id, ids), file.c.standing != "past")
            .order_by(file.c.path)
        ):
            if row.standing == "stale":
                stale.add(row.repository_id)
            elif row.outcome == "error":
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
            state, reason = _state(found, held)
            if numbers[found.url] in stale:
                reason = f"{reason}; the last good version stands".removeprefix("; ")
            stored.append(Stored(found, state, reason, held))
        self._put_states({numbers[s.found.url]: (s.state, s.reason) for s in stored})
        looked_at = [numbers[f.url] for f in founds if f.unchanged or f.files is not None]
        self._connection.execute(
            update(file)
            .where(among(file.c.repository_id, looked_at), file.c.standing.in_(("current", "broken")))
            .values(last_seen=self._stamp)
        )
        return stored

    def _put_states(self, states: Mapping[int, tuple[str, str]]) -> None:
        """Write (state, reason) of repositories where they are new, and the time of all."""
        here = among(repository.c.id, states)
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
