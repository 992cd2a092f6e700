"""Where mentions stand, in words that can be copied: REPOSITORY:FILE:POINTER."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, and_, func, literal, select

from . import models as m

_STANDING = m.file.c.standing.in_(("current", "stale"))


def find_places(connection: Connection, address: str) -> list[tuple[int, int, str]]:
    """Return (mention, author, whole address) of the mentions at `address`: REPOSITORY:FILE:POINTER.

    The end of an address will do, from one of its slashes or colons on, where it is the end of only one.
    """
    found = []
    pointer = address.rpartition(":")[2]
    position = pointer.rpartition("[")[2].removesuffix("]")
    if not position.isascii() or not position.isdecimal() or len(position) > 9:
        return []
    narrow = and_(m.mention.c.position == int(position), m.mention.c.role == "authors")
    if "://" in address:
        url = m.repository.c.url
        narrow = and_(narrow, func.substr(literal(address), 1, func.length(url)) == url)
    for mention, author, whole in _addresses(connection, narrow):
        before = whole.removesuffix(address)
        if before != whole and (not before or before[-1] in "/:" or address[0] in "/:"):
            found.append((mention, author, whole))
    exact = [row for row in found if row[2] == address]
    return exact or found


def addresses(connection: Connection, mentions: Iterable[int]) -> dict[int, list[str]]:
    """Return where each of these mentions stands: REPOSITORY:FILE:POINTER, in order."""
    found: dict[int, list[str]] = defaultdict(list)
    numbers = list(mentions)
    for start in range(0, len(numbers), 500):
        for mention, _, whole in _addresses(connection, m.mention.c.id.in_(numbers[start : start + 500])):
            found[mention].append(whole)
    return found


def _addresses(connection: Connection, where: Any) -> Iterable[tuple[int, int, str]]:
    c, r = m.mention.c, m.record.c
    statement = (
        select(
            c.id,
            m.author_mention.c.author_id,
            m.repository.c.url,
            m.file.c.path,
            r.pointer,
            c.role,
            c.position,
        )
        .join(m.record, r.id == c.record_id)
        .join(m.author_mention, m.author_mention.c.mention_id == c.id)
        .join(m.file, and_(m.file.c.blob_id == r.blob_id, _STANDING))
        .join(m.repository, m.repository.c.id == m.file.c.repository_id)
        .where(where)
        .order_by(m.repository.c.url, m.file.c.path, r.id, c.position)
    )
    for mention, author, url, path, pointer, role, position in connection.execute(statement):
        place = f"{pointer}.{role}[{position}]" if pointer else f"{role}[{position}]"
        yield mention, author, f"{url}:{path}:{place}"
