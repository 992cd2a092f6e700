"""The coauthorship network: who shares works with whom, as rows and as a networkx graph.

The rows are streamed: what is held in memory is the authors and who is on which work, as plain
numbers; never the pairs, of which there are many times more.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..db.coauthorship import graph_nodes, shared_works

if TYPE_CHECKING:
    import networkx
    from sqlalchemy import Connection

_NO_YEAR = -1
_DIGITS = 12
"""Weights are sums of fractions: rounded so, they do not show in which order they were added."""


# Named tuples, not dataclasses: there are millions of edges, and a tuple is made five times as fast.
class Node(NamedTuple):
    """One author."""

    key: str
    """The id of the node, made of content: the iD, else the folded name."""
    name: str
    kind: str
    """person, entity or bot."""
    orcid: str | None
    works: int
    repositories: int
    first_year: int | None
    last_year: int | None
    author: int
    """The number that the commands take."""


class Edge(NamedTuple):
    """Two authors who share works; `source` is the lesser key."""

    source: str
    target: str
    weight: float
    """Newman's: the sum of 1/(n-1) over the shared works, n being the persons of a work."""
    shared_works: int
    first_year: int | None
    last_year: int | None


NODE_ATTRIBUTES = Node._fields[1:]
EDGE_ATTRIBUTES = Edge._fields[2:]

_Tie = tuple[float, int, int | None, int | None]
_edge = partial(tuple.__new__, Edge)


def coauthor_rows(connection: Connection, *, entities: bool = False) -> tuple[Iterator[Node], Iterator[Edge]]:
    """Return the nodes by key, and the edges by source and target key.

    Persons only, unless `entities` (bots too) are asked for; an author without coauthors is a node,
    and nobody is his own coauthor. Both streams read from the one connection, one after the other or in turn.
    """
    return _nodes(connection, entities), _edges(connection, entities)


def coauthor_graph(connection: Connection, *, entities: bool = False) -> networkx.Graph[str]:
    """Return the same network as a networkx graph; what is not known is no attribute."""
    import networkx

    graph: networkx.Graph[str] = networkx.Graph()
    nodes, edges = coauthor_rows(connection, entities=entities)
    graph.add_nodes_from((node.key, _known(node, NODE_ATTRIBUTES)) for node in nodes)
    graph.add_edges_from((edge.source, edge.target, _known(edge, EDGE_ATTRIBUTES)) for edge in edges)
    return graph


def _known(row: Node | Edge, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(row, name)) is not None}


def _nodes(connection: Connection, entities: bool) -> Iterator[Node]:
    for key, name, kind, orcid, *rest, _ in graph_nodes(connection, entities=entities):
        yield Node(key, name, kind, orcid or None, *rest)


@dataclass(slots=True)
class _Teams:
    """Who is on which work. An author is his place in the order of the keys, a work its place as read."""

    keys: list[str]
    others: bytearray
    """1 at the place of an author who is no person."""
    persons: array[int]
    years: array[int]
    members: array[int]
    """The authors of the first work in ascending order, then those of the second, and so on."""
    ends: array[int]
    """Where the members of each work end."""


def _teams(connection: Connection, entities: bool) -> _Teams:
    teams = _Teams([], bytearray(), array("q"), array("q"), array("q"), array("q"))
    place: dict[int, int] = {}
    for key, _, kind, *_, number in graph_nodes(connection, entities=entities):
        place[number] = len(teams.keys)
        teams.keys.append(key)
        teams.others.append(kind != "person")
    team: list[int] = []
    last = None
    for work, persons, year, author in shared_works(connection):
        if work != last:
            _close(teams, team)
            team, last = [], work
            teams.persons.append(persons)
            teams.years.append(_NO_YEAR if year is None else year)
        if (at := place.get(author)) is not None:
            team.append(at)
    if last is not None:
        _close(teams, team)
    return teams


def _close(teams: _Teams, team: list[int]) -> None:
    if teams.persons:
        teams.members.extend(sorted(team))
        teams.ends.append(len(teams.members))


def _edges(connection: Connection, entities: bool) -> Iterator[Edge]:
    teams = _teams(connection, entities)
    keys, others, members, ends = teams.keys, teams.others, teams.members, teams.ends
    ties = [_tie(teams, [work], 0) for work in range(len(ends))]
    for source, (works, tails) in enumerate(_tails(teams)):
        # Target -> the last shared work, and all of them where there are several: nearly all pairs share one.
        shared: dict[int, int] = {}
        several: dict[int, list[int]] = {}
        for work, tail in zip(works, tails, strict=True):
            later = members[tail : ends[work]]
            for target in shared.keys() & later if shared else ():
                several.setdefault(target, [shared[target]]).append(work)
            shared.update(dict.fromkeys(later, work))
        name, targets = keys[source], sorted(shared)
        if not (several or entities):
            yield from [_edge((name, keys[target], *ties[shared[target]])) for target in targets]
            continue
        for target in targets:
            both, strangers = several.get(target), others[source] + others[target]
            if both is None and not strangers:
                tie = ties[shared[target]]
            else:
                tie = _tie(teams, both or [shared[target]], strangers)
            yield _edge((name, keys[target], *tie))


def _tie(teams: _Teams, works: list[int], others: int) -> _Tie:
    """Return weight, number, first and last year of works that two authors share; `others` are no persons."""
    weight = sum(1.0 / max(teams.persons[work] - 1 + others, 1) for work in works)
    years = [year for work in works if (year := teams.years[work]) != _NO_YEAR]
    return round(weight, _DIGITS), len(works), min(years, default=None), max(years, default=None)


def _tails(teams: _Teams) -> Iterator[tuple[array[int], array[int]]]:
    """Yield for each author, in order, his works and where in `members` those after him begin."""
    counts = [0] * (len(teams.keys) + 1)
    for author in teams.members:
        counts[author + 1] += 1
    starts = list(accumulate(counts))
    free = starts[:]
    works = array("q", bytes(8 * len(teams.members)))
    tails = array("q", bytes(8 * len(teams.members)))
    work = 0
    for at, author in enumerate(teams.members):
        while at >= teams.ends[work]:
            work += 1
        slot = free[author]
        works[slot], tails[slot] = work, at + 1
        free[author] = slot + 1
    for start, end in pairwise(starts):
        yield works[start:end], tails[start:end]
