"""Entities and bots: one under the same name, unless it was decided otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..cff.folding import fold
from .decided import Decided
from .labels import shown
from .mentions import Link, MentionRow
from .names import parse
from .ties import Ties


def named_alike(
    rows: Sequence[MentionRow], decided: Decided
) -> list[tuple[list[MentionRow], tuple[Link, ...]]]:
    """Return the mentions of each entity (or of each bot), and their links; `rows` in order, of one kind."""
    ties = Ties([r.id for r in rows], decided)
    by_name: dict[str, list[list[int]]] = defaultdict(list)
    cells: dict[int, int] = {}  # first place of a group -> its cell
    for place, row in enumerate(rows):
        groups = by_name[entity_key(row)]
        for group in groups:
            if not ties.clash(cells[group[0]], ties.cell(place)):
                cells[group[0]] = ties.join(cells[group[0]], ties.cell(place))
                group.append(place)
                break
        else:
            groups.append([place])
            cells[place] = ties.cell(place)
    reason_of = {place: reason for places, reason in ties.musts for place in places}
    of_cell: dict[int, list[list[int]]] = {}
    for groups in by_name.values():
        for group in groups:
            cell = cells[group[0]]
            of_cell.setdefault(ties.find(cell) if cell >= 0 else -1 - group[0], []).append(group)
    found = []
    for groups in of_cell.values():
        first = min(groups)
        places = sorted(place for group in groups for place in group)
        said = {
            place: ("same name", 0.95) if group is first else (reason_of.get(place, "same name"), 1.0)
            for group in groups
            for place in group
        }
        if len(places) == 1:
            said = {places[0]: ("the only mention", 1.0)}
        found.append(([rows[p] for p in places], tuple(Link(rows[p].id, *said[p]) for p in places)))
    return found


def of_decided_kinds(rows: list[MentionRow], decided: Decided) -> list[MentionRow]:
    """Return `rows`, those of one decided author all of the kind of its first mention, with their namesakes.

    So a team that one file lists as a person can be merged with the entity that it is.
    """
    if not decided.must:
        return rows
    by_id = {row.id: row for row in rows}
    changed: dict[tuple[str, str], str] = {}
    for must in decided.must:
        first = by_id[must.mentions[0]]
        kind = changed.get(_namesakes(first), first.kind)
        for mention in must.mentions:
            row = by_id[mention]
            if changed.get(_namesakes(row), row.kind) != kind:
                changed[_namesakes(row)] = kind
    if not changed:
        return rows
    return [r._replace(kind=changed.get(_namesakes(r), r.kind)) for r in rows]


def _namesakes(row: MentionRow) -> tuple[str, str]:
    """The same for mentions that are told apart by no name: persons written alike, entities called alike."""
    if row.kind != "person":
        return row.kind, entity_key(row)
    name = parse(row.family_names, row.given_names, row.name_particle, row.name_suffix, row.name or row.alias)
    return row.kind, f"{name.spoken}\x1f{name.suffix}"


def entity_key(row: MentionRow) -> str:
    """Return the folded name, without a leading The and the brackets of [bot]."""
    name = shown(row)
    return fold(name).removeprefix("the ") or name
