"""Conclusions from the evidence, in the database: all of them, or those that anything new bears on.

Both give the same. What a run reads again is decided by digests of all that a conclusion depends on: see
`plan` for authors and `works.keys_of` for works.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from ..cff.resting import collector_at_rest
from ..db import authorship as people_store
from ..db import conclusions as store
from ..db import plans
from . import authors
from .decided import settle
from .explain import Explainer, Explanation
from .run_authors import read_rulings, resolve_authors, restricted
from .run_survey import Mentions, survey
from .run_works import read_changes, resolve_works

RULES = 4
"""The number of the rules in this folder: one more whenever they come to other conclusions, so that a
database is resolved anew by them and not half by older ones."""


@dataclass(frozen=True, slots=True)
class ResolveStats:
    """What came out."""

    works: int
    persons: int
    entities: int
    bots: int
    citations: int
    conflicts: int


def is_current(connection: Connection) -> bool:
    """Return whether the conclusions stand on all of the evidence."""
    evidence, resolved = store.evidence_version(connection)
    return evidence == resolved


def resolve(connection: Connection, *, anew: bool = False) -> ResolveStats:
    """Bring works, authors and citations up to date with the standing evidence and decisions.

    With `anew` nothing is taken over but the numbers. It runs inside the caller's transaction, so nobody
    sees half of it.
    """
    with collector_at_rest():
        then = len(store.work_records(connection))
        # Records that were read again have taken their conclusions with them: what else hung on these is
        # unknown.
        anew = anew or store.stands_on(connection) != (then, RULES)
        if anew:
            plans.clear(connection)
        records = read_changes(connection, plans.places_then(connection), anew=anew)
        resolve_works(connection, records, anew=anew)
        resolve_authors(connection, records, anew=anew)
        store.set_resolved(connection, records=len(records.work_of), rules=RULES)
    found = store.counted(connection)
    return ResolveStats(
        works=found["work"],
        persons=found.get("person", 0),
        entities=found.get("entity", 0),
        bots=found.get("bot", 0),
        citations=found["citation"],
        conflicts=found["conflict"],
    )


def explain(connection: Connection, a: int, b: int) -> Explanation:
    """Return what speaks for and against two authors, given by their numbers, being one.

    It looks at the names that may be one of these two, and counts all others, as `resolve` does.
    """
    sides = [people_store.author_members(connection, number) for number in (a, b)]
    records = read_changes(connection, plans.places_then(connection), anew=False)
    mentions = Mentions(connection, records)
    rulings = read_rulings(connection, records)
    decided, _ = settle(rulings)
    named = {mention for r in rulings for mention in (*r.a, *r.b)}
    rows = {row.id: row for row in mentions.rows(named)} if named else {}
    masks = authors.masks_of(rows.values(), decided.renames)
    found = survey(connection, mentions, None, decided, rows, masks.digest)
    blocks = [block for _, block in sides if block is not None]
    own = people_store.mentions_of_blocks(connection, blocks)
    explainer = Explainer(mentions.rows(own), restricted(decided, set(own)), found.census, masks)
    return explainer.explain(*(members for members, _ in sides))
