"""An XML file as plain nodes, without anything that can grow: no DOCTYPE, so no entities of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from .package import Unreadable

_MAX_DEPTH = 200


@dataclass(slots=True)
class Node:
    """An element; its name without namespace."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text, without the blanks around."""
        return "".join(self.parts).strip()

    def all(self, *path: str) -> Iterator[Node]:
        """The elements below it at a path."""
        found = [self]
        for name in path:
            found = [child for node in found for child in node.children if child.name == name]
        yield from found

    def text_at(self, *path: str) -> str:
        """The text of the first element at a path, or an empty one."""
        return next((node.text for node in self.all(*path)), "")


def read_xml(data: bytes) -> Node:
    """The root of an XML file. Unreadable when it is none, or declares a document type."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    top = Node("")
    open_nodes = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(open_nodes) > _MAX_DEPTH:
            raise Unreadable("is nested too deeply")
        plain = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        node = Node(name.rpartition(" ")[2], plain)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    def end(name: str) -> None:
        open_nodes.pop()

    def characters(text: str) -> None:
        open_nodes[-1].parts.append(text)

    def doctype(*facts: object) -> None:
        raise Unreadable("declares a document type, which is not followed")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise Unreadable(f"is not XML: {error}") from error
    except (LookupError, ValueError) as error:
        raise Unreadable(f"is in an encoding that is not known: {error}") from error
    return top.children[0]
