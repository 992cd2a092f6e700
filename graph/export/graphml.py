"""GraphML, written as a stream: http://graphml.graphdrawing.org/specification.html

What makes a file open at the first try in networkx, igraph, Gephi and Cytoscape: one type for each
attribute, an attribute that is not known left out (None and NaN are no numbers), no character that
XML 1.0 forbids, and no ids of edges. The same rows give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar
from xml.sax.saxutils import escape

from ..coauthors import EDGE_ATTRIBUTES, NODE_ATTRIBUTES, Edge, Node

_Row = TypeVar("_Row")

TYPES = {
    "name": "string",
    "kind": "string",
    "orcid": "string",
    "works": "int",
    "repositories": "int",
    "first_year": "int",
    "last_year": "int",
    "author": "long",
    "weight": "double",
    "shared_works": "int",
}
"""The type of each attribute, of nodes and edges alike."""

_BATCH = 2000
_REMEMBERED = 100_000
# XML 1.0, section 2.2: no other characters, not even as references.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A reader turns these into blanks or line ends unless they are references (sections 2.11 and 3.3.3).
_ENTITIES = {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def graphml(nodes: Iterable[Node], edges: Iterable[Edge]) -> Iterator[str]:
    """Yield the text of a GraphML file with these nodes and undirected edges, in pieces."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"'
    yield ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    yield ' xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns'
    yield ' http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
    for element, names in (("node", NODE_ATTRIBUTES), ("edge", EDGE_ATTRIBUTES)):
        for key, name in enumerate(names):
            yield f'<key id="{element[0]}{key}" for="{element}"'
            yield f' attr.name="{name}" attr.type="{TYPES[name]}"/>\n'
    yield '<graph edgedefault="undirected">\n'
    # Ids that XML cannot hold as they are; the others, nearly all, stand for themselves.
    odd: dict[str, str] = {}
    for batch in _batches(nodes):
        yield "".join([_node(node, odd) for node in batch])
    # The pairs of one work differ in nothing but their ends: what is known of them is made once.
    data: dict[tuple[object, ...], str] = {}
    for pairs in _batches(edges):
        yield _edge_lines(pairs, odd, data)
        if len(data) > _REMEMBERED:
            data.clear()
    yield "</graph>\n</graphml>\n"


def _node(node: Node, odd: dict[str, str]) -> str:
    key = xml_text(node.key)
    if key != node.key:
        odd[node.key] = key
    return f'<node id="{key}">{_data("n", node[1:])}</node>\n'


def _edge_lines(edges: list[Edge], odd: dict[str, str], data: dict[tuple[object, ...], str]) -> str:
    lines = []
    for edge in edges:
        source, target, known = edge[0], edge[1], edge[2:]
        if (text := data.get(known)) is None:
            text = data[known] = _data("e", known)
        if odd:
            source, target = odd.get(source, source), odd.get(target, target)
        lines.append(f'<edge source="{source}" target="{target}">{text}</edge>\n')
    return "".join(lines)


def _data(initial: str, values: Iterable[object]) -> str:
    return "".join(
        f'<data key="{initial}{key}">{xml_text(value) if isinstance(value, str) else value}</data>'
        for key, value in enumerate(values)
        if value is not None
    )


def xml_text(text: str) -> str:
    """Return `text` as it may stand in an element or between quotation marks.

    >>> xml_text('R & D "Lab"\\x1b')
    'R &amp; D &quot;Lab&quot;'
    """
    return escape(_FORBIDDEN.sub("", text), _ENTITIES)


def _batches(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        yield batch
