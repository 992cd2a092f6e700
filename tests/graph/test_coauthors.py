from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from cffgraph.cff.numbers import number_for
from cffgraph.db import models
from cffgraph.db.coauthorship import coauthors
from cffgraph.db.engine import create_or_open
from cffgraph.graph.coauthors import Edge, Node, coauthor_graph, coauthor_rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert

# Authors by key; works: (year, keys of the authors).
PERSONS = ("ada", "bo", "cy", "eve", "zoë")
ENTITIES = ("lab", "team")


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    engine = create_or_open(str(tmp_path_factory.mktemp("graph") / "study.db"))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def fill(connection: Connection, works: list[tuple[int | None, tuple[str, ...]]]) -> None:
    for table in (models.authorship, models.work, models.author):
        connection.execute(delete(table))
    number = {key: 900 - at for at, key in enumerate(PERSONS + ENTITIES)}
    row = {"family": "", "orcid": "", "works": 1, "repositories": 1, "coauthors": 0, "weight": 0.0}
    row |= {"first_year": None, "last_year": 2020}
    for key in PERSONS + ENTITIES:
        kind = "person" if key in PERSONS else "entity"
        value = row | {"id": number[key], "key": key, "kind": kind, "name": key.title()}
        connection.execute(insert(models.author), [value])
    for at, (year, keys) in enumerate(works):
        value: dict[str, Any] = {"id": 100 + at, "key": f"work {at}", "year": year, "cites": 0, "cited_by": 0}
        value |= dict.fromkeys(("kind", "type", "title", "version", "doi", "folded"), "")
        value |= {"persons": sum(key in PERSONS for key in keys)}
        connection.execute(insert(models.work), [value])
        links = [{"work_id": 100 + at, "author_id": number[key], "position": p} for p, key in enumerate(keys)]
        if links:
            connection.execute(insert(models.authorship), links)


def test_rows(connection: Connection) -> None:
    fill(
        connection,
        [
            (2001, ("ada", "bo")),
            (None, ("zoë", "ada", "bo", "team")),
            (2010, ("bo", "ada")),
            (2005, ("cy",)),
            (2007, ("cy", "lab")),
            (2008, ("lab", "team")),
        ],
    )
    nodes, edges = coauthor_rows(connection)
    assert [node.key for node in nodes] == list(PERSONS)
    assert list(edges) == [
        Edge("ada", "bo", 2.5, 3, 2001, 2010),
        Edge("ada", "zoë", 0.5, 1, None, None),
        Edge("bo", "zoë", 0.5, 1, None, None),
    ]


def test_entities_are_asked_for_and_change_no_weight_between_persons(connection: Connection) -> None:
    fill(connection, [(None, ("zoë", "ada", "team")), (2007, ("cy", "lab")), (2008, ("lab", "team"))])
    persons = set(coauthor_rows(connection)[1])
    nodes, edges = coauthor_rows(connection, entities=True)
    assert [node.kind for node in nodes if node.key in ENTITIES] == ["entity", "entity"]
    rows = list(edges)
    assert persons < set(rows)
    assert Edge("ada", "team", 0.5, 1, None, None) in rows
    assert Edge("cy", "lab", 1.0, 1, 2007, 2007) in rows
    assert Edge("lab", "team", 1.0, 1, 2008, 2008) in rows


def test_nothing(connection: Connection) -> None:
    fill(connection, [])
    assert list(coauthor_rows(connection)[1]) == []


WORKS = st.lists(
    st.tuples(
        st.none() | st.integers(1900, 2030),
        st.lists(st.sampled_from(PERSONS + ENTITIES), unique=True).map(tuple),
    ),
    max_size=8,
)


@given(works=WORKS, entities=st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_are_what_the_definition_says(
    connection: Connection, works: list[tuple[int | None, tuple[str, ...]]], entities: bool
) -> None:
    fill(connection, works)
    expected: dict[tuple[str, str], list[tuple[float, int | None]]] = {}
    for year, keys in works:
        persons = sum(key in PERSONS for key in keys)
        for pair in combinations(sorted(keys), 2):
            others = sum(key in ENTITIES for key in pair)
            if entities or not others:
                expected.setdefault(pair, []).append((1 / (persons - 1 + others), year))
    rows = list(coauthor_rows(connection, entities=entities)[1])
    assert [(row.source, row.target) for row in rows] == sorted(expected)
    for row in rows:
        shared = expected[row.source, row.target]
        years = [year for _, year in shared if year is not None]
        assert row.weight == pytest.approx(sum(weight for weight, _ in shared))
        assert row.shared_works == len(shared)
        assert (row.first_year, row.last_year) == (min(years, default=None), max(years, default=None))
    # The answer about one author, worked out in SQL, says the same.
    for at, key in enumerate(PERSONS + ENTITIES):
        answer = coauthors(connection, [900 - at], entities=entities)
        found = {row[2].lower(): row[-2:] for row in answer.rows()}
        if entities or key in PERSONS:
            mine = [row for row in rows if key in row[:2]]
            assert found == {
                (row.target if row.source == key else row.source): (row.shared_works, row.weight)
                for row in mine
            }


def test_the_networkx_graph_has_the_same(connection: Connection) -> None:
    fill(connection, [(None, ("ada", "bo"))])
    graph = coauthor_graph(connection)
    assert graph.nodes["ada"] == {
        "name": "Ada",
        "kind": "person",
        "works": 1,
        "repositories": 1,
        "last_year": 2020,
        "author": number_for("ada"),
    }
    assert dict(graph.edges) == {("ada", "bo"): {"weight": 1.0, "shared_works": 1}}


def test_a_row_is_a_tuple_in_the_order_of_its_attributes() -> None:
    assert Node._fields[0] == "key"
    assert Edge._fields[:2] == ("source", "target")
