"""Indentation that a text dump of a CFF file has lost, found again by the grammar of CFF.

In such a dump a line begins with one blank where it had some, and with none where it had none (or
no line has any). Which mapping a key belongs to follows from the tables in `keys`: the innermost
open one that knows the key and does not have it yet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .keys import AGENT, ENTITY, IDENTIFIER, NEAR_MISSES, REFERENCE, ROOT, Kind
from .records import Problem, Severity
from .vocabularies import IDENTIFIER_TYPES, REFERENCE_TYPES

MAX_PROBLEMS = 20
_MAX_DEPTH = 16  # CFF needs eight: root, references, an item, authors, an item

_DRAFTS = {"contributors": Kind.AGENTS}  # comes with 1.3.0
_TABLES: dict[str, dict[str, Kind]] = {
    "root": ROOT | _DRAFTS,
    "reference": REFERENCE | _DRAFTS,
    "agent": AGENT,
    "entity": ENTITY,
    "identifier": IDENTIFIER,
    "other": {},
}
# What a key with nothing behind it opens: a mapping, or a list of what.
_MAPPINGS = {Kind.ENTITY: "entity", Kind.REFERENCE: "reference"}
_LISTS = {Kind.AGENTS: "agent", Kind.IDENTIFIERS: "identifier", Kind.REFERENCES: "reference"}
_TEXT_LISTS = frozenset({Kind.TEXTS, Kind.LANGUAGES, Kind.LICENSE})
_TYPES = {"identifier": IDENTIFIER_TYPES, "reference": REFERENCE_TYPES}

_KEY_LINE = re.compile(r"(?P<key>[\w.$/-]+|\"[^\"]*\"|'[^']*')[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM_LINE = re.compile(r"-(?:[ \t]+(?P<rest>.*))?$")
_DOCUMENT_LINE = re.compile(r"(?:---|\.\.\.)(?:[ \t]|$)|%[A-Z]")
_PROPERTIES = re.compile(r"(?:[&!][^\s]*(?:[ \t]+|$))+")
_BLOCK_HEADER = re.compile(r"[|>][+-]?([1-9]?)[+-]?[ \t]*(?:#.*)?$")
_QUOTE_END = {'"': re.compile(r'(?:[^"\\]|\\.|\\$)*"'), "'": re.compile(r"(?:[^']|'')*'(?!')")}
_FLOW_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[\[\]{}]|[ \t]#.*")


@dataclass(slots=True, eq=False)
class _Frame:
    """One open mapping or list."""

    kind: str
    column: int
    is_list: bool = False
    keys: set[str] = field(default_factory=set)
    """Of a mapping; of a list, all that its items have had."""
    items: int = 0
    root_list: bool = False
    list: _Frame | None = None
    """Of an item: the list it stands in."""

    def add(self, key: str) -> None:
        self.keys.add(key)
        if self.list:
            self.list.keys.add(key)


@dataclass(slots=True, eq=False)
class _Slot:
    """A key that has no value yet: the next lines decide what it is."""

    frame: _Frame
    kind: Kind | None


def regrow(lines: Sequence[str]) -> tuple[list[str], list[Problem]]:
    r"""Return `lines` with the indentation that CFF asks for, and notes on what could be otherwise.

    The style is the usual one: two blanks a level, lists set in by two. It takes time linear in the text.

    >>> regrow(["authors:", " - name: A", " orcid: B", "title: C"])[0]
    ['authors:', '  - name: A', '    orcid: B', 'title: C']
    """
    grower = _Grower(lines)
    for number, line in enumerate(lines, 1):
        grower.feed(number, line)
    return grower.grown, grower.problems


class _Grower:
    """The state of reading line by line: what is open, and what kind of scalar runs on."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.grown: list[str] = []
        self.problems: list[Problem] = []
        # Whether a leading blank tells nested lines from those of the root.
        self.told = any(line[:1] in " \t" for line in lines if line.strip())
        self.step = 2
        if self.told and any(line.startswith("- ") or line == "-" for line in lines):
            self.step = 0  # lists stand under the letter of their key
        self.stack = [_Frame("root", 0)]
        self.slot: _Slot | None = None
        self.running = ""  # of a scalar over several lines: plain, flow, block, or its quote
        self.depth = 0
        self.indent = 2  # where the lines of a running scalar stand
        self.number = 0

    def feed(self, number: int, line: str) -> None:
        """Read one line and write it where it belongs."""
        self.number = number
        text, nested = line.strip(), line[:1] in (" ", "\t")
        if not text:
            self.grown.append("")
        elif self.running in ("'", '"', "flow"):
            self._put(self.indent, text)
            self._run_on(text)
        elif self.running == "block" and self._in_block(text, nested):
            self._put(self.indent, text)
        elif text.startswith("#"):
            self._put(self.stack[-1].column if nested or not self.told else 0, text)
        elif not nested and _DOCUMENT_LINE.match(text):
            self._put(0, text)
        elif (item := _ITEM_LINE.match(text)) and self._item(text, item["rest"] or "", nested):
            pass
        elif key := _KEY_LINE.match(text):
            self._key(_bare(key["key"]), key["value"] or "", text, nested)
        else:
            self._continue(text)

    def _put(self, column: int, text: str) -> None:
        self.grown.append(" " * column + text)

    def _note(self, message: str, severity: Severity = "note") -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem("annotated-indent", severity, message, self.number))

    # Where a key goes

    def _key(self, key: str, value: str, text: str, nested: bool) -> None:
        frame = self._frame_of(key, value, nested)
        self._close(frame)
        frame.add(_meant(key, frame.kind) or key)
        self._put(frame.column, text)
        self._open(frame, key, value)

    def _frame_of(self, key: str, value: str, nested: bool) -> _Frame:
        """Return the mapping that a key belongs to: the innermost that knows it and lacks it."""
        if self.told and not nested:
            return self.stack[0]
        mappings = [f for f in reversed(self.stack) if not f.is_list and not (self.told and f.kind == "root")]
        child = self._child_mapping()
        if child is not None:
            mappings.insert(0, child)
        open_to = [f for f in mappings if (_meant(key, f.kind) or key) not in f.keys]
        fitting = [f for f in open_to if key in _TABLES[f.kind] and _fits(key, value, f.kind)]
        fitting = fitting or [f for f in open_to if _fits(key, value, f.kind)][:1]
        if fitting:
            if len(fitting) > 1:
                one, other = map(_shown, fitting[:2])
                self._note(f"the indentation of `{key}` was lost: read as a key of {one}, not of {other}")
            return fitting[0]
        if not mappings:  # a nested line with nothing open: the root itself is set in
            return self.stack[0]
        same = [f for f in mappings if key in f.keys]
        # The third person of a list is not the first to have a key that nobody knows.
        usual = [f for f in open_to if not (f.list and f.list.items > 1 and key not in f.list.keys)]
        chosen = mappings[0] if mappings[0].kind == "other" else (same or usual or open_to or mappings)[0]
        if len(mappings) > 1 and chosen.kind != "other" and not same:
            self._note(
                f"the indentation of `{key}` was lost: read as an unknown key of {_shown(chosen)}", "warning"
            )
        return chosen

    def _child_mapping(self) -> _Frame | None:
        """Return the mapping that would open under the key without a value, if that may hold one."""
        if self.slot is None or self.slot.kind in _LISTS or self.slot.kind in _TEXT_LISTS:
            return None
        if len(self.stack) > _MAX_DEPTH:
            return None
        kind = _MAPPINGS.get(self.slot.kind, "other") if self.slot.kind else "other"
        return _Frame(kind, self.slot.frame.column + 2)

    # Where an item goes

    def _item(self, text: str, rest: str, nested: bool) -> bool:
        """Write an item of a list; return False where no list can have it."""
        properties = _PROPERTIES.match(rest)
        inside = rest[properties.end() :] if properties else rest
        found = _KEY_LINE.match(inside)
        if not inside and (below := self._next_line()):
            found = _KEY_LINE.match(below)
        key, value = (_bare(found["key"]), found["value"] or "") if found else ("", "")
        at_root = self.told and not nested
        lists = [f for f in reversed(self.stack) if f.is_list and not (self.told and f.root_list != at_root)]
        opened = self._child_list(at_root)
        if opened is not None:
            lists.insert(0, opened)
        if not lists:
            return False
        fitting = [f for f in lists if _takes(f.kind, key, value) or inside.startswith("*")]
        fitting = fitting or [f for f in lists if f.kind == "other" or _fits(key, value, f.kind)]
        if not fitting and self.running == "plain":
            return False
        chosen = fitting[0] if fitting else lists[0]
        if chosen is opened:
            self._close(self.slot.frame if self.slot else self.stack[0])
            self.stack.append(chosen)
        else:
            self._close(chosen)
        self.slot, self.running = None, ""
        self._put(chosen.column, "- " + rest if rest else "-")
        if found:
            kind = chosen.kind if chosen.kind != "text" else "other"
            item = _Frame(kind, chosen.column + 2, list=chosen)
            chosen.items += 1
            self.stack.append(item)
            if inside:
                item.add(_meant(key, item.kind) or key)
                self._open(item, key, value)
        else:
            self._value(rest, chosen.column + 2)
        return True

    def _child_list(self, at_root: bool) -> _Frame | None:
        """Return the list that would open under the key without a value."""
        if self.slot is None or self.slot.kind in _MAPPINGS or len(self.stack) > _MAX_DEPTH:
            return None
        frame = self.slot.frame
        if at_root and frame.kind != "root":
            return None
        kind = _LISTS.get(self.slot.kind, "text") if self.slot.kind else "other"
        set_in = 0 if at_root else self.step if frame.kind != "root" else 2
        return _Frame(kind, frame.column + set_in, is_list=True, root_list=at_root)

    def _next_line(self) -> str:
        for line in self.lines[self.number : self.number + 5]:
            if line.strip():
                return line.strip()
        return ""

    # Frames and scalars

    def _close(self, frame: _Frame) -> None:
        """Close what is open inside `frame`; one that is not open yet opens."""
        if frame in self.stack:
            while self.stack[-1] is not frame:
                self.stack.pop()
        elif self.slot is not None:
            self._close(self.slot.frame)
            self.stack.append(frame)

    def _open(self, frame: _Frame, key: str, value: str) -> None:
        """Note what the value of a key begins."""
        self.slot = None
        if self._value(value, frame.column + 2):
            self.slot = _Slot(frame, _kind(key, frame.kind))

    def _value(self, value: str, indent: int) -> bool:
        """Note how a value runs on; return whether there is none yet."""
        self.running, self.indent, self.depth = "", indent, 0
        properties = _PROPERTIES.match(value)
        value = value[properties.end() :] if properties else value
        if not value or value.startswith("#"):
            return True
        if header := _BLOCK_HEADER.match(value):
            self.running = "block"
            if header[1]:
                self.indent = indent - 2 + int(header[1])
        elif value[0] in "'\"":
            self.running = value[0]
            self._run_on(value[1:])
        elif value[0] in "[{":
            self.running = "flow"
            self._run_on(value)
        else:
            self.running = "plain"
        return False

    def _run_on(self, text: str) -> None:
        """Read one more line of a quoted or a flow scalar: it may end there."""
        if self.running == "flow":
            for token in _FLOW_TOKEN.finditer(text):
                self.depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
            if self.depth <= 0:
                self.running = ""
        elif _QUOTE_END[self.running].match(text):
            self.running = ""

    def _in_block(self, text: str, nested: bool) -> bool:
        """Return whether a line belongs to the block scalar above it rather than to the mapping around."""
        if self.told and not nested:
            return False
        item = _ITEM_LINE.match(text)
        found = _KEY_LINE.match((item["rest"] or "") if item else text)
        if found is None:
            return True
        key, value = _bare(found["key"]), found["value"] or ""
        frames = [f for f in self.stack if f.is_list == bool(item) and not (self.told and f.kind == "root")]
        if item:
            frames = [f for f in frames if not (self.told and f.root_list)]
        if not any(_fits(key, value, f.kind) and (item or key not in f.keys) for f in frames):
            return True
        self._note(f"the indentation of `{key}` was lost: read as a key, not as a line of the text above")
        return False

    def _continue(self, text: str) -> None:
        """Write a line that is neither a key nor an item: the value above goes on, or begins here."""
        self._put(self.indent, text)
        if self.slot is not None:
            self.slot = None
            self._value(text, self.indent)


def _takes(kind: str, key: str, value: str) -> bool:
    """Return whether a list of that kind may hold an item that begins with this very key, or with none."""
    return key in _TABLES.get(kind, ()) and _fits(key, value, kind) if key else kind == "text"


def _bare(key: str) -> str:
    return key.strip("\"'")


def _shown(frame: _Frame) -> str:
    return "the root" if frame.kind == "root" else f"the {frame.kind} above"


def _kind(key: str, table: str) -> Kind | None:
    """Return the kind of value that `key` has in a table, near misses included; None if not known."""
    meant = _meant(key, table)
    return _TABLES[table][meant] if meant else None


def _fits(key: str, value: str, table: str) -> bool:
    """Return whether a mapping of that kind may hold the key with that value."""
    if not key:
        return False
    kind = _kind(key, table)
    if kind is None:
        return False
    if key == "type" and table in _TYPES:
        other = REFERENCE_TYPES if table == "identifier" else IDENTIFIER_TYPES
        return value.strip("\"' ") not in other - _TYPES[table]
    if key == "location" and kind is Kind.TEXT and not value:
        return False  # an entity's location is a text, a reference's is an entity
    return not (kind in _MAPPINGS and value and value[0] not in "{&*#")


def _shorter(key: str) -> set[str]:
    """Return `key` and every word with one letter less."""
    return {key} | {key[:i] + key[i + 1 :] for i in range(len(key))}


# Two words of which one letter makes the difference have a shorter word in common.
_NEAR = {
    table: {short: key for key in known if len(key) > 4 for short in _shorter(key)}
    for table, known in _TABLES.items()
}


@lru_cache(maxsize=4096)
def _meant(key: str, table: str) -> str:
    """Return the key of the table that `key` spells, or an empty string."""
    known = _TABLES.get(table, {})
    key = key.lower().replace("_", "-")
    if key in known:
        return key
    if NEAR_MISSES.get(key, "") in known:
        return NEAR_MISSES[key]
    if not 4 < len(key) < 30:
        return ""
    near = _NEAR.get(table, {})
    return next((near[short] for short in sorted(_shorter(key)) if short in near), "")
