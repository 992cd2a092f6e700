"""What a YAML node says of itself: its kind, what YAML takes it for, where it stands, what its keys hold.

`compose` makes the nodes. They are told apart by class, which is quicker than `isinstance` and as
good: nobody derives from these three.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from . import scalars
from .compose import IMPLICIT

if TYPE_CHECKING:
    from yaml.nodes import Node

Scalar = yaml.ScalarNode
Mapping = yaml.MappingNode
Sequence = yaml.SequenceNode


def type_of(scalar: Any) -> scalars.ScalarType:
    """Return what YAML takes a scalar for: by its tag, its quotes, its letters."""
    if scalar.tag != IMPLICIT:
        return scalars.tagged_type(scalar.tag)
    return "text" if scalar.style else scalars.plain_type(scalar.value)


def is_template(node: Any) -> bool:
    """Say whether braces of a template stand here: to YAML, `{{ name }}` is a mapping with one as its key."""
    return bool(
        node.__class__ is Mapping
        and node.flow_style
        and any(k.__class__ is Mapping or v.__class__ is Mapping for k, v in node.value)
    )


def node_of_key(mapping: Any, key: str) -> Node | None:
    """Return the node of a key in a mapping, or None."""
    for inner, _ in mapping.value:
        if inner.__class__ is Scalar and inner.value == key:
            found: Node = inner
            return found
    return None


def scalar_under(mapping: Any, key: str) -> str:
    """Return the text that stands under `key` in a mapping, or "" where there is none."""
    for inner, value in mapping.value:
        if inner.__class__ is Scalar and inner.value == key and value.__class__ is Scalar:
            return str(value.value)
    return ""


def key_position(node: Any, key: str) -> tuple[int, int]:
    """Return (line, column) of the value of `key` in a mapping, else of the node itself; from 1."""
    if node.__class__ is Mapping:
        for inner, value in node.value:
            if inner.__class__ is Scalar and inner.value == key:
                node = value if value.start_mark.line >= inner.start_mark.line else inner
                break
    return node.start_mark.line + 1, node.start_mark.column + 1
