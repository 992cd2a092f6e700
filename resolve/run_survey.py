"""Everything read, counted and put into blocks: what is new and what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from ..db import authorship, plans, standing
from . import spellings
from .blocks import MOST_IN_BLOCK, keys_of, with_partners
from .census import Census
from .decided import Decided
from .digest import AuthorList, Spelling, node_of, nodes_of_kinds, pack
from .mentions import MentionRow
from .names import Name, parse
from .plan import Blocks, Plan, crowded, join_fitting, join_paired
from .run_works import Records

_CHUNK = 2_000
"""Lists that are read at once."""

_KEPT = 50_000
"""So many lists are kept in memory while they are gone through; more are read again each time."""


class Mentions:
    """The mentions of the standing records, read as they are needed; and their lists, as numbers."""

    def __init__(self, connection: Connection, records: Records) -> None:
        self._connection, self._records = connection, records
        self._label_of: dict[int, int] = {}
        self._kept: list[AuthorList] | None = None
        self._heads: dict[int, tuple[str, int, str]] = {}

    def rows(self, mentions: Iterable[int] = (), *, records: Iterable[int] = ()) -> list[MentionRow]:
        """Return these mentions, or those of these records by record and position."""
        raw = list(standing.read_mentions(self._connection, mentions=mentions, records=records))
        heads = self._heads_of({row[1] for row in raw})
        found = []
        for row in raw:
            record, position = row[1], row[2]
            key, work, place = heads[record]
            key += authorship.place_key(position)
            found.append(MentionRow._make((row[0], key, record, position, work, *row[3:], place)))
        return found

    def _heads_of(self, records: set[int]) -> Mapping[int, tuple[str, int, str]]:
        """What all mentions of a list have: the beginning of their keys, the work, the place."""
        if len(self._heads) > _KEPT:
            self._heads.clear()
        work_of, label_of, places = self._records.work_of, self._label_of, self._records.places
        asked = records - self._heads.keys()
        for record, (sha, pointer, blob) in standing.read_heads(self._connection, asked).items():
            held = places.get(blob)
            work = label_of.get(work_of.get(record, 0), 0)  # known once `lists` was asked
            self._heads[record] = (authorship.list_key(sha, pointer), work, held.first if held else "")
        return self._heads

    def names(self, mentions: Iterable[int]) -> dict[int, Name]:
        """Return the names of these mentions."""
        mentions = list(mentions)
        return {
            number: parse(*parts, name or alias)
            for number, *parts, name, alias in (
                standing.read_names(self._connection, mentions) if mentions else ()
            )
        }

    def renew_lists(self) -> None:
        """Read the lists of what is new or held elsewhere, forget those of what is gone."""
        records = self._records
        plans.drop_lists(self._connection, records.gone | records.changed)
        todo = sorted(records.changed)
        for start in range(0, len(todo), _CHUNK):
            of_record: dict[int, list[MentionRow]] = {record: [] for record in todo[start : start + _CHUNK]}
            for row in self.rows(records=of_record):
                of_record[row.list_id].append(row)
            plans.put_lists(
                self._connection,
                [
                    (record, content, records.places[records.blob_of[record]].digest, data)
                    for record, found in of_record.items()
                    for content, data in (pack(found),)
                ],
            )
        self._label_of.clear()
        self._heads.clear()
        self._kept = None

    def lists(self) -> Iterable[AuthorList]:
        """Return all lists, in the order of their keys."""
        if self._kept is None:
            is_many = len(self._records.work_of) > _KEPT
            rows = None if is_many else list(plans.read_lists(self._connection))
            if not self._label_of:
                self._number_works(rows or plans.read_lists(self._connection))
            if rows is None:
                return self._as_lists(plans.read_lists(self._connection))
            self._kept = list(self._as_lists(rows))
        return self._kept

    def _as_lists(self, rows: Iterable[tuple[int, int, bytes]]) -> Iterator[AuthorList]:
        records, labels = self._records, self._label_of
        for record, content, data in rows:
            blob, work = records.blob_of.get(record), records.work_of.get(record)
            if blob is not None and work is not None:
                yield AuthorList(record, labels[work], records.places[blob].first, content, data)

    def _number_works(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """What two lists of one work share is known by the content of the first of them."""
        for record, content, _ in rows:
            self._label_of.setdefault(self._records.work_of.get(record, 0), content)
        self._heads.clear()


@dataclass(slots=True)
class Survey:
    """Everything counted, and the blocks."""

    census: Census
    plan: Plan
    blocks: Blocks
    spellings: Mapping[int, Spelling]
    decided_blocks: set[int] = field(default_factory=set)

    def block_of(self, node: int) -> int:
        """Return the block of a spelling, an entity or a bot."""
        known = self.spellings.get(node)
        return self.blocks.find(known.block if known else node)


def survey(
    connection: Connection,
    mentions: Mentions,
    changed: set[int] | None,
    decided: Decided,
    rows: Mapping[int, MentionRow],
    masks: int,
) -> Survey:
    """Count everything and make out the blocks.

    `changed` are the records whose lists were read again; None: nothing is written. `rows` has the mentions
    that decisions name, `masks` is a digest of the names to be hidden.
    """
    known = dict(map(spellings.from_row, plans.read_spellings(connection)))
    if changed is not None:
        known = _renew_spellings(connection, mentions, changed, known)
    census = Census(mentions.lists, known, _crowded(connection))
    blocks = Blocks()
    block_of = {node: spelling.block for node, spelling in known.items()}

    def names_of(nodes: Iterable[int]) -> dict[int, Name]:
        first = {known[node].first: node for node in nodes}
        return {first[mention]: name for mention, name in mentions.names(first).items()}

    join_paired(blocks, census, block_of, names_of)
    node = {mention: node_of(row) for mention, row in rows.items()}
    for must in decided.must:
        nodes = [node[mention] for mention in must.mentions]
        # What is of another kind by decision stands under the name that it has as such, too.
        if len({rows[mention].kind for mention in must.mentions}) > 1:
            nodes += [other for mention in must.mentions for other in nodes_of_kinds(rows[mention])]
        for other in nodes[1:]:
            blocks.join(*(block_of.get(n, n) for n in (nodes[0], other)))
    found = Survey(
        census, Plan(census, lambda n: blocks.find(block_of.get(n, n)), mentions.lists), blocks, known
    )
    found.decided_blocks = found.plan.add_decided(decided, node)
    found.plan.add_keys(plans.spellings_under(connection, census.crowded) if census.crowded else ())
    found.plan.add_everywhere(masks)
    return found


def _renew_spellings(
    connection: Connection, mentions: Mentions, changed: set[int], stored: dict[int, Spelling]
) -> dict[int, Spelling]:
    """Bring the stored spellings up to date, with their keys and the blocks of those that fit each other."""
    first, fresh = spellings.first_mentions(mentions.lists(), changed)
    now, new = spellings.renewed(stored, first, fresh, mentions.names)
    gone = stored.keys() - now.keys()
    recut = new & stored.keys()
    names: dict[int, Name] = {}

    def name_of(node: int) -> Name:
        if node not in names:
            names.update(_names(mentions, now, (node,)))
        return names[node]

    names.update(_names(mentions, now, new))
    crowded_then = _crowded(connection) if gone or recut else frozenset()
    keys = {(key, node) for node in new for key in keys_of(names[node])}
    plans.put_spelling_keys(connection, keys, gone | recut)
    blocks = Blocks()
    block_of = {node: spelling.block for node, spelling in now.items()}
    all_new = len(new) == len(now)
    asked = None if all_new else with_partners(key for key, _ in keys)
    if not all_new:
        under = {node for _, nodes in plans.spellings_under(connection, asked) for node in nodes}
        names.update(_names(mentions, now, under - names.keys()))
    join_fitting(
        blocks, plans.spellings_under(connection, asked), block_of, name_of, None if all_new else new
    )
    if crowded_then:
        freed = crowded_then - _crowded(connection)
        groups = plans.spellings_under(connection, with_partners(freed))
        join_fitting(blocks, groups, block_of, name_of, None)
    now = {
        node: spelling if (block := blocks.find(spelling.block)) == spelling.block
        else spelling._replace(block=block)
        for node, spelling in now.items()
    }  # fmt: skip
    changed = {node for node, spelling in now.items() if stored.get(node) != spelling}
    plans.put_spellings(connection, (spellings.as_row(n, now[n]) for n in changed), changed | gone)
    return now


def _crowded(connection: Connection) -> frozenset[int]:
    """The keys under which so many names stand that they say nothing by themselves."""
    counts = plans.crowded_keys(connection, MOST_IN_BLOCK)
    return crowded(counts, plans.count_under(connection, [key + 1 for key in counts if key & 3 == 2]))


def _names(mentions: Mentions, known: Mapping[int, Spelling], nodes: Iterable[int]) -> dict[int, Name]:
    first = {known[node].first: node for node in nodes}
    return {first[mention]: name for mention, name in mentions.names(first).items()}
