from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import igraph
import networkx
import pytest
from cffgraph.graph.coauthors import EDGE_ATTRIBUTES, NODE_ATTRIBUTES, Edge, Node
from cffgraph.graph.export.graphml import TYPES, graphml
from hypothesis import given, settings
from hypothesis import strategies as st

NODES = [
    Node(
        "0000-0009-9001-0013",
        'Ludo "L" <van> & Beekman',
        "person",
        "0000-0009-9001-0013",
        3,
        2,
        2001,
        2020,
        7,
    ),
    Node("шевчук", "Олена\x1b\x00 Шевчук\ufffe", "person", None, 1, 1, None, None, 999_999_999),
    Node("team & co~2", "[int]", "entity", None, 1, 1, 2001, None, 8),
]
EDGES = [
    Edge("0000-0009-9001-0013", "шевчук", 1 / 3, 2, 2001, 2020),
    Edge("шевчук", "team & co~2", 1.0, 1, None, None),
]


def known(row: Node | Edge, names: tuple[str, ...]) -> dict[str, object]:
    return {name: getattr(row, name) for name in names if getattr(row, name) is not None}


def test_networkx_reads_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    path.write_text("".join(graphml(NODES, EDGES)), encoding="utf-8")
    graph = networkx.read_graphml(path)
    assert not graph.is_directed()
    assert dict(graph.nodes["0000-0009-9001-0013"]) == known(NODES[0], NODE_ATTRIBUTES)
    assert graph.nodes["шевчук"]["name"] == "Олена Шевчук"
    assert "first_year" not in graph.nodes["шевчук"]
    assert graph.edges["0000-0009-9001-0013", "шевчук"] == known(EDGES[0], EDGE_ATTRIBUTES)
    assert graph.edges["шевчук", "team & co~2"] == {"weight": 1.0, "shared_works": 1}


def test_igraph_reads_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    path.write_text("".join(graphml(NODES, EDGES)), encoding="utf-8")
    graph = igraph.Graph.Read_GraphML(str(path))
    assert not graph.is_directed()
    # igraph leaves an ampersand of an id as it stands in XML; keys, being folded, have none.
    assert graph.vs["id"][:2] == [node.key for node in NODES[:2]]
    assert graph.vs["name"][0] == NODES[0].name
    assert graph.vs["author"] == [7, 999_999_999, 8]
    assert graph.es["weight"] == pytest.approx([1 / 3, 1.0])
    assert math.isnan(graph.es["first_year"][1])


def test_the_text_is_plain_graphml() -> None:
    text = "".join(graphml(NODES, EDGES))
    root = ET.fromstring(text)
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    keys = root.findall("g:key", space)
    assert len({key.get("id") for key in keys}) == len(keys)
    assert {(key.get("attr.name"), key.get("attr.type")) for key in keys} == set(TYPES.items())
    edges = root.findall(".//g:edge", space)
    assert [edge.get("id") for edge in edges] == [None, None]
    assert "None" not in text
    assert "nan" not in text.lower()
    assert text == "".join(graphml(iter(NODES), iter(EDGES)))
    assert ET.fromstring("".join(graphml([], []))) is not None


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(NAMES, unique=True, max_size=6))
@settings(max_examples=80, deadline=None)
def test_any_name_is_read_back(names: list[str]) -> None:
    nodes = [Node(f"k{at}", name, "person", None, 1, 1, None, None, at) for at, name in enumerate(names)]
    graph = networkx.parse_graphml("".join(graphml(nodes, [])))
    for node in nodes:
        legal = "".join(
            c
            for c in node.name
            if c in "\t\n\r" or "\x20" <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
        )
        assert graph.nodes[node.key].get("name", "") == legal


@given(st.lists(NAMES.filter(str.isprintable), unique=True, min_size=2, max_size=6))
@settings(max_examples=50, deadline=None)
def test_any_key_joins_its_edges(keys: list[str]) -> None:
    nodes = [Node(key, "", "person", None, 1, 1, None, None, 1) for key in keys]
    edges = [Edge(keys[0], key, 1.0, 1, None, None) for key in keys[1:]]
    graph = networkx.parse_graphml("".join(graphml(nodes, edges)))
    assert set(graph) == set(keys)
    assert set(graph[keys[0]]) == set(keys[1:])
