"""Which repository is which: by the forge's own number first, then by URL; older names are kept.

A rename keeps the number, so the row gets the new URL and the old one becomes an alias. An old name
that another repository has taken has another number, so it gets a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, literal, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or

from .found import Found, Known
from .models import blob, file, repository, repository_alias, source_repository
from .sets import among

_FACTS = (
    "url",
    "name",
    "host",
    "forge_id",
    "remote",
    "is_fork",
    "is_mirror",
    "is_archived",
    "parent_url",
    "default_branch",
    "head",
    "history_head",
    "validator",
)
_EVIDENCE = ("url", "name", "remote", "parent_url")
"""What says which repository is a copy of which: conclusions are drawn from it."""


def known(connection: Connection, urls: Iterable[str]) -> dict[str, Known]:
    """What is known of the repositories at these URLs, older ones of them too; unknown ones are left out."""
    wanted = set(urls)
    columns = (repository.c.head, repository.c.state, repository.c.validator, repository.c.history_head)
    rows = connection.execute(
        select(repository.c.url, repository.c.id, *columns).where(among(repository.c.url, wanted))
    ).all()
    missing = wanted - {row.url for row in rows}
    if missing:
        rows = [
            *rows,
            *connection.execute(
                select(repository_alias.c.url, repository.c.id, *columns)
                .join(repository, repository.c.id == repository_alias.c.repository_id)
                .where(among(repository_alias.c.url, missing))
            ),
        ]
    shas: dict[int, set[str]] = {}
    for row in connection.execute(
        select(file.c.repository_id, blob.c.sha)
        .join(blob, blob.c.id == file.c.blob_id)
        .where(among(file.c.repository_id, {row.id for row in rows}))
    ):
        shas.setdefault(row.repository_id, set()).add(row.sha)
    return {
        row.url: Known(
            row.head,
            row.state,
            frozenset(shas.get(row.id, ())),
            validator=row.validator or "",
            history_head=row.history_head,
        )
        for row in rows
    }


def put(connection: Connection, founds: Sequence[Found], stamp: str) -> tuple[dict[str, int], bool]:
    """Write what is known of repositories; (row number by URL, whether evidence changed).

    States are not written here, but for a repository whose name another one has taken.
    """
    shelf = _Shelf(connection, founds)
    for found in founds:
        shelf.place(found, stamp)
    return shelf.write(stamp)


class _Shelf:
    """The rows that a batch may touch, and what becomes of them."""

    def __init__(self, connection: Connection, founds: Sequence[Found]) -> None:
        self._connection = connection
        facts = select(repository.c.id, *(repository.c[name] for name in _FACTS))
        self._rows: dict[int, dict[str, Any]] = {}
        self._read(facts.where(among(repository.c.url, (f.url for f in founds))))
        by_host: dict[str, list[str]] = {}
        for found in founds:
            if found.forge_id:
                by_host.setdefault(found.host, []).append(found.forge_id)
        for host, numbers in by_host.items():
            self._read(facts.where(repository.c.host == host, among(repository.c.forge_id, numbers)))
        self._by_url = {row["url"]: row for row in self._rows.values()}
        self._by_forge = {
            (row["host"], row["forge_id"]): row for row in self._rows.values() if row["forge_id"]
        }
        self._before = {number: dict(row) for number, row in self._rows.items()}
        self._new: list[dict[str, Any]] = []
        self._aliases: dict[str, str] = {}
        """Older URL -> the one that counts now."""
        self._displaced: list[int] = []
        self._merged: list[tuple[int, dict[str, Any]]] = []

    def _read(self, statement: Any) -> None:
        for row in self._connection.execute(statement):
            self._rows[row.id] = dict(row._mapping)

    def place(self, found: Found, stamp: str) -> None:
        """Find the row of a repository, or make one, and bring its facts up to date."""
        holder = self._by_url.get(found.url)
        row = self._by_forge.get((found.host, found.forge_id)) if found.forge_id else None
        if row is None and holder is not None:
            if not found.forge_id or holder["forge_id"] in (None, found.forge_id):
                row = holder
            else:
                self._displace(holder)
        if row is None:
            row = {"id": None, "state": found.state, "reason": found.reason, "last_crawled": stamp}
            row.update(dict.fromkeys(_FACTS))
            self._new.append(row)
        elif row["url"] != found.url:
            if holder is not None and holder["forge_id"] is None:
                self._merge(holder, row)
            elif holder is not None:
                self._displace(holder)
            if "#" not in row["url"]:  # of one that was displaced
                self._aliases[row["url"]] = found.url
            del self._by_url[row["url"]]
        row.update({name: value for name, value in _facts(found).items() if value is not None})
        if found.files is not None:
            # All that it holds was looked at: what it no longer has, it has not.
            row.update(remote=found.remote, head=found.head, default_branch=found.default_branch)
        self._by_url[found.url] = row
        if row["forge_id"]:
            self._by_forge[row["host"], row["forge_id"]] = row
        self._aliases.pop(found.url, None)
        if found.asked and found.asked != found.url:
            self._aliases[found.asked] = found.url

    def _displace(self, row: dict[str, Any]) -> None:
        """Another repository has the name of this one, whose new name is not known yet, if it has one."""
        del self._by_url[row["url"]]
        row["url"] = f"{row['url']}#{row['forge_id']}"
        self._by_url[row["url"]] = row
        if row["id"] is not None:
            self._displaced.append(row["id"])

    def _merge(self, row: dict[str, Any], into: dict[str, Any]) -> None:
        """A row without the forge's number turns out to be the repository of another row."""
        if row["id"] is None:
            self._new.remove(row)
        else:
            self._merged.append((row["id"], into))
            del self._rows[row["id"]]

    def write(self, stamp: str) -> tuple[dict[str, int], bool]:
        """Write all that changed; (row number by URL, whether evidence changed)."""
        execute = self._connection.execute
        for number, into in self._merged:
            self._move(number, into)
        changed = [row for number, row in self._rows.items() if row != self._before[number]]
        moved = [row for row in changed if row["url"] != self._before[row["id"]]["url"]]
        if moved:  # two rows may change places
            execute(
                update(repository).where(repository.c.id == bindparam("_id")).values(url=bindparam("_url")),
                [{"_id": row["id"], "_url": f"#{row['id']}"} for row in moved],
            )
        if changed:
            execute(
                update(repository)
                .where(repository.c.id == bindparam("_id"))
                .values({name: bindparam(name) for name in _FACTS}),
                [{"_id": row["id"], **{name: row[name] for name in _FACTS}} for row in changed],
            )
        if self._displaced:
            execute(
                update(repository)
                .where(among(repository.c.id, self._displaced))
                .values(state="gone", reason="another repository has its name now", last_crawled=stamp)
            )
        if self._new:
            execute(insert(repository), [{k: v for k, v in row.items() if k != "id"} for row in self._new])
        numbers = {row["url"]: number for number, row in self._rows.items()}
        if self._new:
            urls = (row["url"] for row in self._new)
            for row in execute(
                select(repository.c.id, repository.c.url).where(among(repository.c.url, urls))
            ):
                numbers[row.url] = row.id
        self._write_aliases(numbers)
        evident = any(row[name] != self._before[row["id"]][name] for row in changed for name in _EVIDENCE)
        return numbers, evident or bool(self._merged)

    def _move(self, number: int, into: dict[str, Any]) -> None:
        """Give the sources of one row to another one, and drop the row with its files."""
        held = source_repository.c
        if into["id"] is not None:
            self._connection.execute(
                insert_or(source_repository)
                .from_select(
                    ["source_id", "repository_id", "run"],
                    select(held.source_id, literal(into["id"]), held.run).where(held.repository_id == number),
                )
                .on_conflict_do_nothing()
            )
        self._connection.execute(delete(repository).where(repository.c.id == number))

    def _write_aliases(self, numbers: dict[str, int]) -> None:
        execute = self._connection.execute
        # A URL that is a repository's own is nobody's older one.
        taken = execute(
            select(repository_alias.c.url).where(among(repository_alias.c.url, numbers))
        ).scalars()
        execute(delete(repository_alias).where(among(repository_alias.c.url, list(taken))))
        wanted = {old: numbers[new] for old, new in self._aliases.items() if new in numbers}
        free = wanted.keys() - set(
            execute(select(repository.c.url).where(among(repository.c.url, wanted))).scalars()
        )
        if free:
            into = insert_or(repository_alias)
            execute(
                into.on_conflict_do_update(
                    index_elements=["url"], set_={"repository_id": into.excluded.repository_id}
                ),
                [{"url": old, "repository_id": wanted[old]} for old in sorted(free)],
            )


def _facts(found: Found) -> dict[str, Any]:
    facts = {name: getattr(found, name, None) for name in _FACTS}
    facts["validator"] = found.validator or None
    facts["history_head"] = found.head if found.history is not None else None
    # Where nothing was looked at, the head is not known to be another one.
    if found.files is None and not found.unchanged:
        facts["head"] = None
    return facts
