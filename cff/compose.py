"""Text becomes YAML nodes: every scalar as it was written, every node with its line and column.

One pass of libyaml and nothing else. No scalar is given a type here: YAML 1.1 would read the
family name `No` as false and the version `1.10` as a number (both seen in real files), so types
are put on later, by the table of keys.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from .records import Problem

if TYPE_CHECKING:
    from yaml.nodes import Node

    _Parser: Any
else:
    from yaml.cyaml import CParser as _Parser


class _Composer(_Parser):  # type: ignore[misc]
    """libyaml's composer with the resolver taken out; a node's tag is empty unless the file writes one."""

    def resolve(self, kind: object, value: object, implicit: object) -> str:
        return "?"  # the composer asks again when it gets an empty one

    # Called with (node, index) and with nothing, for every node: builtins that do as good as nothing.
    descend_resolver = operator.is_
    ascend_resolver = tuple


IMPLICIT = "?"
"""The tag of a node to which the file gives none."""


@dataclass(frozen=True, slots=True)
class Composed:
    """The nodes of a text: `root` is None when there is no document in it, or none that can be read."""

    root: Node | None
    problems: tuple[Problem, ...]


def compose(text: str) -> Composed:
    """Return the root node of the first document that is not empty, and what is wrong with the YAML."""
    if "\\" in text and ("\\ud" in text or "\\uD" in text):  # one character is found sooner than several
        text = _SURROGATES.sub(_joined, text)
    composer = _Composer(text)
    root: Node | None = None
    problems: list[Problem] = []
    try:
        while composer.check_node():
            node = composer.get_node()
            if _is_blank(node):
                continue
            if root is None:
                root = node
                continue
            mark = node.start_mark
            problems.append(
                Problem(
                    "multi-document",
                    "warning",
                    "a second YAML document begins here and is not read: keep one document in the file",
                    mark.line + 1,
                    mark.column + 1,
                )
            )
            break
    except yaml.YAMLError as error:
        problems.append(_syntax_problem(error, text))
    finally:
        composer.dispose()
    return Composed(root, tuple(problems))


# JSON writes a character beyond U+FFFF as two escapes, and YAML takes JSON but not these.
_SURROGATES = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def _joined(match: re.Match[str]) -> str:
    code = 0x10000 + ((int(match[1], 16) - 0xD800) << 10) + (int(match[2], 16) - 0xDC00)
    return f"\\U{code:08X}"


def _is_blank(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and not node.value and not node.style


# What libyaml says -> (code, what it means, what to do). The first that is found in its words counts.
_SYNTAX: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "yaml-syntax", "a `: ` stands in an unquoted value: quote the value"),
    ("exceeded maximum nesting depth", "too-complex", "the file is nested too deeply"),
    ("found duplicate anchor", "anchor", "an anchor of this name stands in the file already: rename one"),
    ("found undefined alias", "anchor", "an alias names no anchor of the file: add it, or quote the `*`"),
    ("could not find expected ':'", "yaml-syntax", "a key without a colon: write `key: value`, or quote it"),
    (
        "did not find expected key",
        "yaml-syntax",
        "the indentation does not fit, or a quote above is not closed",
    ),
    ("did not find expected '-' indicator", "yaml-syntax", "an item of the list is indented differently"),
    ("found unexpected end of stream", "yaml-syntax", "the file ends inside a quoted text or a bracket"),
    ("did not find expected ',' or", "yaml-syntax", "a bracket is not closed, or a comma is missing"),
    ("found unknown escape character", "yaml-syntax", "a backslash in double quotes: write it twice"),
    ("did not find expected <document start>", "yaml-syntax", "text stands after the end of the document"),
)


def _syntax_problem(error: yaml.YAMLError, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    lines = text.count("\n") + 1
    line = min(mark.line + 1, lines) if mark else 1
    column = mark.column + 1 if mark else 1
    rows = text.splitlines()
    row = rows[line - 1] if line <= len(rows) else ""
    char = row[column - 1 : column]
    if char == "\t" or row.lstrip(" ").startswith("\t"):
        message = "a tab where YAML wants blanks: indent with blanks only"
        return Problem("tab", "error", message, line, column)
    if "cannot start any token" in said:
        message = f"not valid YAML: an unquoted value cannot begin with {char!r}: put the value in quotes"
        return Problem("yaml-syntax", "error", message, line, column)
    for words, code, meaning in _SYNTAX:
        if words in said:
            return Problem(code, "error", f"not valid YAML: {meaning}", line, column)
    context = getattr(error, "context", None)
    message = f"not valid YAML: {said}" + (f" ({context})" if context else "")
    return Problem("yaml-syntax", "error", message, line, column)
