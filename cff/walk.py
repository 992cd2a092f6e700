"""The nodes of a file become its document, checked against the table of keys.

The walk visits each node once, guided by `keys.py`: it takes every value as text, checks it as the
schema of CFF does, and notes what is wrong with line, column and path. It also collects, for each
record (root, preferred citation, reference), what `read` needs to build a `Work`: the fields and
the entries of its lists of people. Nothing is dropped: a key that CFF does not know is kept in the
document like any other.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from . import keys, scalars
from .compose import IMPLICIT
from .keys import Kind
from .records import Problem, Severity, Value
from .vocabularies import COUNTRIES, IDENTIFIER_TYPES, LICENSES, REFERENCE_TYPES, ROOT_TYPES, STATUSES

if TYPE_CHECKING:
    from yaml.nodes import Node

_Scalar = yaml.ScalarNode
_Mapping = yaml.MappingNode
_Sequence = yaml.SequenceNode

MAX_DEPTH = 60
"""Levels of nesting; a CFF file has eight."""
EXTRA_VISITS = 20_000
"""How many nodes aliases may add to those that stand in the file."""

MAX_COMPARISONS = 50_000
"""With so many words a misspelled one is compared; in a file with more of them no more is guessed."""


class TooComplex(Exception):
    """The document is nested too deeply, or its aliases expand to too much."""


@dataclass(slots=True)
class Entry:
    """One entry of a list of people, as it stands in the file."""

    role: str
    position: int
    fields: dict[str, str]
    """Keys and text as written; keys that were near misses stand under the right name."""
    as_written: dict[str, str]
    node: Node
    path: str


@dataclass(slots=True)
class Record:
    """One record as it stands in the file."""

    pointer: str
    node: Node
    fields: dict[str, Value] = field(default_factory=dict)
    """As written, near misses under the right name; without nested records."""
    entries: list[Entry] = field(default_factory=list)
    identifiers: list[dict[str, Value]] = field(default_factory=list)


Handler: TypeAlias = "Callable[[Walk, Node, str], Value]"


class Walk:
    """One walk over one document: `document`, `records` and `problems` hold what it found.

    Raises `TooComplex` from `root`.
    """

    __slots__ = (
        "_comments",
        "_comparisons",
        "_depth",
        "_path",
        "_record",
        "_text",
        "_visits",
        "document",
        "problems",
        "records",
        "version",
    )

    def __init__(self, text: str) -> None:
        self.document: dict[str, Value] = {}
        self.records: list[Record] = []
        self.problems: list[Problem] = []
        self._text = text
        self._comments = " #" in text
        self._path: list[str] = []
        self._visits = len(text) + EXTRA_VISITS
        self._depth = 0
        self._comparisons = MAX_COMPARISONS
        self.version = "1.2.0"
        self._record: Record | None = None

    # -- What is wrong, and where ------------------------------------------------------------------

    def note(self, code: str, severity: Severity, message: str, node: Node, key: str = "") -> None:
        """Note a problem at `node`; `key` is the step from the mapping or list at hand."""
        mark = node.start_mark
        self.problems.append(
            Problem(code, severity, message, mark.line + 1, mark.column + 1, join([*self._path, key]))
        )

    # -- The document ------------------------------------------------------------------------------

    def root(self, node: Node) -> None:
        """Walk a whole document whose root is a mapping."""
        self.version = _declared_version(node)
        record = self._record = Record("", node)
        self.records.append(record)
        self.document = self._mapping(node, _ROOT, "the root", _NEAR_ROOT)
        record.fields = {
            key: value
            for key, value in right_keys(self.document, keys.ROOT, self._closest).items()
            if key not in ("preferred-citation", "references")
        }
        old = self.version < "1.2"
        for key in keys.ROOT_REQUIRED_BEFORE_1_2 if old else keys.ROOT_REQUIRED:
            if key not in self.document:
                self.note("missing-required", "error", f"the file has no `{key}`: add it", node, key)
        for key, since in [(k, "1.1.0") for k in keys.SINCE_1_1] + [(k, "1.2.0") for k in keys.SINCE_1_2]:
            if key in self.document and self.version < since:
                at = _key_node(node, key) or node
                message = (
                    f"`{key}` came with CFF {since}, and the file says {self.version}: raise cff-version"
                )
                self.note("schema", "error", message, at, key)

    def _closest(self, word: str, words: Collection[str], cutoff: float = 0.75) -> str:
        """As `closest`, until a file has asked too often."""
        self._comparisons -= len(words)
        return closest(word, words, cutoff) if self._comparisons >= 0 else ""

    def _enter(self, count: int) -> None:
        self._depth += 1
        self._visits -= count
        if self._depth > MAX_DEPTH or self._visits < 0:
            raise TooComplex

    def _mapping(
        self, node: Any, table: Mapping[str, Handler], what: str, near: Mapping[str, str]
    ) -> dict[str, Value]:
        """Return the values of a mapping under the keys as written; the first of two equal keys wins."""
        self._enter(len(node.value))
        found: dict[str, Value] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            if key_node.__class__ is not _Scalar:
                self._key_is_no_text(key_node, node)
                continue
            key = key_node.value
            handler = table.get(key)
            if handler is None:
                if key == "<<" and not key_node.style:
                    merged.append(value_node)
                    continue
                handler = self._unknown(key, key_node, table, what, near)
            if key in found:
                message = f"`{key}` stands twice here: the first is taken, and this one is not"
                self.note("duplicate-key", "error", message, key_node, key)
            else:
                found[key] = handler(self, value_node, key)
        for value_node in merged:
            for key, key_node, inner in self._merged(value_node):
                if key not in found:  # an own key wins over a merged one, by the rule of merge keys
                    handler = table.get(key) or self._unknown(key, key_node, table, what, near)
                    found[key] = handler(self, inner, key)
        self._depth -= 1
        return found

    def _pairs(self, node: Any) -> Iterator[tuple[str, Node, Node]]:
        """Yield (key, node of the key, node of the value), own keys first, then those of merge keys."""
        self._enter(len(node.value))
        merged: list[Node] = []
        for key_node, value_node in node.value:
            if key_node.__class__ is not _Scalar:
                self._key_is_no_text(key_node, node)
            elif key_node.value == "<<" and not key_node.style:
                merged.append(value_node)
            else:
                yield key_node.value, key_node, value_node
        for value_node in merged:
            yield from self._merged(value_node)
        self._depth -= 1

    def _merged(self, node: Any) -> Iterator[tuple[str, Node, Node]]:
        """Yield the pairs of the mapping, or list of mappings, that stands behind a merge key."""
        for mapping in node.value if node.__class__ is _Sequence else [node]:
            if mapping.__class__ is _Mapping:
                yield from self._pairs(mapping)

    def _key_is_no_text(self, key_node: Node, mapping: Any) -> None:
        if mapping.flow_style:
            message = "braces of a template were not filled in: put the value in quotes or fill it in"
            self.note("template", "error", message, key_node)
        else:
            self.note("schema", "error", "a key must be text", key_node)

    def _unknown(
        self, key: str, key_node: Node, table: Mapping[str, Handler], what: str, near: Mapping[str, str]
    ) -> Handler:
        """Note a key that does not belong here; return how its value is read."""
        meant = meant_key(key, table, near, self._closest)
        if meant:
            self.note(
                "unknown-key",
                "error",
                f"`{key}` is no key of {what}: it is read as `{meant}`, which is how to spell it",
                key_node,
                key,
            )
            return table[meant]
        elsewhere = (
            "a reference" if key in keys.REFERENCE else "a person or entity" if key in keys.AGENT else ""
        )
        hint = (
            f"it belongs to {elsewhere}" if elsewhere else "it is kept, and other programs will not read it"
        )
        self.note("unknown-key", "error", f"`{key}` is no key of {what}: {hint}", key_node, key)
        return Walk._any

    # -- Values ------------------------------------------------------------------------------------

    def _any(self, node: Any, key: str) -> Value:
        """Return the value of a key that CFF does not know, whatever it is."""
        if node.__class__ is _Scalar:
            return str(node.value)
        self._path.append(key)
        value: Value
        if node.__class__ is _Sequence:
            self._enter(len(node.value))
            value = [self._any(item, f"[{i}]") for i, item in enumerate(node.value)]
            self._depth -= 1
        else:
            value = {}
            for inner, _, inner_node in self._pairs(node):
                if inner not in value:
                    value[inner] = self._any(inner_node, inner)
        self._path.pop()
        return value

    def _text_value(self, node: Any, key: str) -> Value:
        """Text, and nothing that YAML takes for something else."""
        if node.__class__ is _Scalar:
            text: str = node.value
            if text and (node.style or text[0] not in _SUSPECT) and node.tag == IMPLICIT:
                if self._comments and not node.style and key in _NAMING:
                    self._cut_comment(node, key)
                return text
            return self._odd_text(node, key)
        return self._not_scalar(node, key)

    def _odd_text(self, node: Any, key: str) -> str:
        text: str = node.value
        kind = _type_of(node)
        if kind == "null":
            self.note("schema", "error", f"`{key}` is empty: fill it in or take it out", node, key)
            return "" if text == "~" else text
        if kind != "text":
            self.note("schema", "error", f"YAML takes `{text}` for a {kind}: put it in quotes", node, key)
        elif not text:
            self.note("schema", "error", f"`{key}` is empty: fill it in or take it out", node, key)
        return text

    def _not_scalar(self, node: Any, key: str) -> Value:
        if _is_template(node):
            message = "braces of a template were not filled in: put the value in quotes or fill it in"
            self.note("template", "error", message, node, key)
        else:
            what = "a list" if node.__class__ is _Sequence else "a mapping"
            self.note("schema", "error", f"`{key}` must be one text, not {what}", node, key)
        return self._any(node, key)

    def _cut_comment(self, node: Any, key: str) -> None:
        """Note an unquoted title or name that YAML ended at a ` #`, as in `Fix for bug #77`."""
        rest = self._text[node.end_mark.index : node.end_mark.index + 200].split("\n", 1)[0]
        if re.match(r"[ \t]+#\S", rest):
            message = (
                f"YAML takes {rest.strip()!r} for a comment: put the value in quotes if it belongs to it"
            )
            self.note("possible-comment", "note", message, node, key)

    def _number_too(self, node: Any, key: str) -> Value:
        if node.__class__ is _Scalar and _type_of(node) in ("number", "integer"):
            return str(node.value)
        return self._text_value(node, key)

    def _integer_too(self, node: Any, key: str) -> Value:
        if node.__class__ is _Scalar and _type_of(node) == "integer":
            return str(node.value)
        return self._text_value(node, key)

    def _month(self, node: Any, key: str) -> Value:
        if node.__class__ is not _Scalar:
            return self._not_scalar(node, key)
        text = str(node.value)
        plain_integer = _type_of(node) == "integer" and text.lstrip("+").lstrip("0").isdigit()
        if not (text in _MONTHS or (plain_integer and text.lstrip("+").lstrip("0") in _MONTHS)):
            self.note("schema", "error", f"`{key}` must be a number from 1 to 12, not `{text}`", node, key)
        return text

    def _date(self, node: Any, key: str) -> Value:
        if node.__class__ is not _Scalar:
            return self._not_scalar(node, key)
        text = str(node.value)
        iso = scalars.iso_date(text)
        if not scalars.DATE.fullmatch(text):
            mend = f"write {iso}" if iso else "write it as 2024-05-06, or take it out"
            self.note("bad-date", "error", f"`{text}` is not a date as CFF wants it: {mend}", node, key)
        elif not iso:
            self.note("bad-date", "warning", f"`{text}` is in no calendar: mend it or take it out", node, key)
        return text

    def _pattern(
        self,
        node: Any,
        key: str,
        pattern: re.Pattern[str],
        code: str,
        message: str,
        *,
        anywhere: bool = False,
    ) -> Value:
        if node.__class__ is not _Scalar:
            return self._not_scalar(node, key)
        text = str(node.value)
        if not (pattern.search(text) if anywhere else pattern.fullmatch(text)):
            self.note(code, "error", message.format(text), node, key)
        elif not node.style and (text[:1] in _SUSPECT or node.tag != IMPLICIT) and _type_of(node) != "text":
            self.note("schema", "error", f"YAML takes `{text}` for a number: put it in quotes", node, key)
        return text

    def _doi(self, node: Any, key: str) -> Value:
        return self._pattern(
            node,
            key,
            scalars.DOI,
            "bad-doi",
            "`{}` is not a bare DOI: write it as 10.5281/zenodo.1234, without https",
        )

    def _url(self, node: Any, key: str) -> Value:
        return self._pattern(
            node, key, _URL_START, "bad-url", "`{}` is not a URL: begin it with https://", anywhere=True
        )

    def _orcid(self, node: Any, key: str) -> Value:
        message = "`{}` is not an ORCID iD as CFF wants it: write https://orcid.org/0000-0000-0000-0000"
        return self._pattern(node, key, scalars.ORCID, "bad-orcid", message, anywhere=True)

    def _email(self, node: Any, key: str) -> Value:
        return self._pattern(node, key, scalars.EMAIL, "schema", "`{}` is not an e-mail address")

    def _swhid(self, node: Any, key: str) -> Value:
        return self._pattern(
            node, key, scalars.SWHID, "schema", "`{}` is not a SWHID, as in swh:1:rel:<40 digits>"
        )

    def _isbn(self, node: Any, key: str) -> Value:
        return self._pattern(node, key, scalars.ISBN, "schema", "`{}` is not an ISBN")

    def _issn(self, node: Any, key: str) -> Value:
        return self._pattern(node, key, scalars.ISSN, "schema", "`{}` is not an ISSN, as in 1234-567X")

    def _pmcid(self, node: Any, key: str) -> Value:
        return self._pattern(node, key, scalars.PMCID, "schema", "`{}` is not a PMCID, as in PMC1234567")

    def _language(self, node: Any, key: str) -> Value:
        return self._pattern(
            node, key, scalars.LANGUAGE, "schema", "`{}` is not a language code of ISO 639, as in en"
        )

    def _one_of(self, node: Any, key: str, words: frozenset[str], code: str, what: str) -> Value:
        if node.__class__ is not _Scalar:
            return self._not_scalar(node, key)
        text = str(node.value)
        if text not in words or (not node.style and text[:1] in _SUSPECT and _type_of(node) != "text"):
            near = self._closest(text, words)
            hint = f": did you mean `{near}`?" if near and near != text else ""
            if text in words:
                hint = ": put it in quotes, YAML takes it for something else"
            self.note(code, "error", f"`{text}` is not {what}{hint}", node, key)
        return text

    def _country(self, node: Any, key: str) -> Value:
        return self._one_of(node, key, COUNTRIES, "schema", "a country code of ISO 3166-1, as in NL")

    def _status(self, node: Any, key: str) -> Value:
        return self._one_of(node, key, STATUSES, "schema", "a status that CFF knows")

    def _root_type(self, node: Any, key: str) -> Value:
        return self._one_of(node, key, ROOT_TYPES, "schema", "a type of the root: software or dataset")

    def _reference_type(self, node: Any, key: str) -> Value:
        return self._one_of(node, key, REFERENCE_TYPES, "schema", "a type of reference that CFF knows")

    def _license(self, node: Any, key: str) -> Value:
        if node.__class__ is _Sequence:
            return self._list(node, key, Walk._one_license)
        return self._one_license(node, key)

    def _one_license(self, node: Any, key: str) -> Value:
        if node.__class__ is _Scalar and any(w in str(node.value) for w in (" OR ", " AND ", " WITH ")):
            message = (
                f"`{node.value}` is a licence expression: CFF takes one SPDX identifier, or a list of them"
            )
            self.note("bad-license", "error", message, node, key)
            return str(node.value)
        return self._one_of(
            node, key, LICENSES, "bad-license", "an SPDX licence identifier that CFF 1.2 knows"
        )

    def _cff_version(self, node: Any, key: str) -> Value:
        if node.__class__ is not _Scalar:
            return self._not_scalar(node, key)
        text = str(node.value)
        if text not in keys.VERSIONS:
            later = re.fullmatch(r"1\.[2-9]\.\d+|[2-9]\.\d+\.\d+", text)
            message = f"`{text}` is no version of CFF that is known here: the file is read as 1.2.0"
            self.note("cff-version", "warning" if later else "error", message, node, key)
        return text

    # -- Lists and mappings ------------------------------------------------------------------------

    def _list(self, node: Any, key: str, item: Handler) -> list[Value]:
        """Return a list; a single value where a list belongs is a list of one, and a problem."""
        if node.__class__ is not _Sequence:
            if node.__class__ is _Scalar and _type_of(node) == "null":
                self.note("schema", "error", f"`{key}` is empty: fill it in or take it out", node, key)
                return []
            self.note("schema", "error", f"`{key}` must be a list: begin each item with `- `", node, key)
            return [item(self, node, key)]
        self._enter(len(node.value))
        self._path.append(key)
        if not node.value:
            self._path.pop()
            self.note("schema", "error", f"`{key}` is an empty list: fill it in or take it out", node, key)
            self._depth -= 1
            return []
        values: list[Value] = []
        seen: set[object] = set()
        for i, inner in enumerate(node.value):
            value = item(self, inner, f"[{i}]")
            frozen = value if value.__class__ is str else _freeze(value)
            if frozen in seen:
                message = "this stands in the list already, word for word: take one out"
                self.note("duplicate-item", "error", message, inner, f"[{i}]")
            seen.add(frozen)
            values.append(value)
        self._path.pop()
        self._depth -= 1
        return values

    def _texts(self, node: Any, key: str) -> Value:
        return self._list(node, key, Walk._text_value)

    def _languages(self, node: Any, key: str) -> Value:
        return self._list(node, key, Walk._language)

    def _agents(self, node: Any, key: str) -> Value:
        record = self._record
        assert record is not None  # noqa: S101  (people stand in records only)
        role = key
        if key not in keys.REFERENCE:
            role = meant_key(key, keys.REFERENCE, _NEAR_REFERENCE, self._closest) or key

        prefix = join([*self._path, key])

        def one(walk: Walk, inner: Node, step: str) -> Value:
            return walk._agent(inner, step, role, prefix, record)

        return self._list(node, key, one)

    def _agent(self, node: Any, key: str, role: str, prefix: str, record: Record) -> Value:
        """One person or entity: whom it means is for `agents.py`; the schema is checked here."""
        step = key if key[0] == "[" else "[0]"  # a single entry where a list belongs
        position, path = int(step[1:-1]), prefix + step
        if node.__class__ is not _Mapping:
            message = (
                "an author must be a mapping: write `family-names:` and `given-names:`, or `name:` for a team"
            )
            if node.__class__ is _Scalar and _type_of(node) != "null":
                text = str(node.value)
                self.note("schema", "error", message, node, key)
                record.entries.append(Entry(role, position, {"name": text}, {"": text}, node, path))
                return text
            self.note("schema", "error", message, node, key)
            record.entries.append(Entry(role, position, {}, {}, node, path))
            return self._any(node, key)
        self._path.append(key)
        value = self._mapping(node, _AGENT, "a person or entity", _NEAR_AGENT)
        written = fields = _all_text(value)
        if not value.keys() <= _PERSON_KEYS:
            fields = _all_text(right_keys(value, keys.AGENT, self._closest))
            self._check_kind(node, value)
        self._path.pop()
        record.entries.append(Entry(role, position, fields, written, node, path))
        return value

    def _check_kind(self, node: Any, value: dict[str, Value]) -> None:
        """An entry is a person or an entity (schema: anyOf), and each has keys that the other has not."""
        known = value.keys() & keys.AGENT.keys()
        if known <= keys.PERSON.keys() or (known <= keys.ENTITY.keys() and "name" in known):
            return
        if "name" not in known:
            key = min(known - keys.PERSON.keys())
            message = f"`{key}` belongs to an entity, and an entity needs a `name`"
        else:
            key = min(known - keys.ENTITY.keys())
            message = f"an entry with a `name` is an entity, and an entity has no `{key}`"
        self.note("schema", "error", message, _key_node(node, key) or node, key)

    def _entity(self, node: Any, key: str) -> Value:
        if node.__class__ is not _Mapping:
            if node.__class__ is _Scalar and _type_of(node) == "text" and node.value:
                message = f"`{key}` must be an entity: write its name behind `name:` on a line of its own"
                self.note("schema", "error", message, node, key)
                return str(node.value)
            self.note("schema", "error", f"`{key}` must be an entity with a `name`", node, key)
            return self._any(node, key)
        self._path.append(key)
        value = self._mapping(node, _ENTITY, "an entity", _NEAR_ENTITY)
        self._path.pop()
        if "name" not in value:
            self.note("missing-required", "error", f"`{key}` has no `name`: add it", node, key)
        return value

    def _identifiers(self, node: Any, key: str) -> Value:
        record = self._record
        values = self._list(node, key, Walk._identifier)
        if record is not None:
            record.identifiers += [v for v in values if isinstance(v, dict)]
        return values

    def _identifier(self, node: Any, key: str) -> Value:
        if node.__class__ is not _Mapping:
            self.note("schema", "error", "an identifier must be a mapping with `type` and `value`", node, key)
            return self._any(node, key)
        self._path.append(key)
        kind = _scalar_of(node, "type")
        table = _IDENTIFIER_BY_TYPE.get(kind, _IDENTIFIER)
        value = self._mapping(node, table, "an identifier", _NEAR_IDENTIFIER)
        self._path.pop()
        self._require(node, value, keys.IDENTIFIER_REQUIRED, key, "identifier")
        return value

    def _identifier_type(self, node: Any, key: str) -> Value:
        return self._one_of(
            node, key, IDENTIFIER_TYPES, "schema", "a type of identifier: doi, url, swh or other"
        )

    def _require(
        self, node: Node, value: dict[str, Value], required: tuple[str, ...], key: str, what: str
    ) -> None:
        for needed in required:
            if needed not in value:
                self.note("missing-required", "error", f"this {what} has no `{needed}`: add it", node, key)

    def _references(self, node: Any, key: str) -> Value:
        return self._list(node, key, Walk._reference)

    def _reference(self, node: Any, key: str) -> Value:
        """A preferred citation or an item of references: a record of its own."""
        if node.__class__ is not _Mapping:
            self.note(
                "schema", "error", "a reference must be a mapping with `type`, `title`, `authors`", node, key
            )
            return self._any(node, key)
        outer = self._record
        pointer = join([*self._path, key])
        if key == "references":  # a single reference where a list belongs
            pointer = "references[0]"
        record = self._record = Record(pointer, node)
        self.records.append(record)
        self._path.append(key)
        value = self._mapping(node, _REFERENCE, "a reference", _NEAR_REFERENCE)
        self._path.pop()
        record.fields = right_keys(value, keys.REFERENCE, self._closest)
        self._require(node, value, keys.REFERENCE_REQUIRED, key, "reference")
        self._record = outer
        return value


def join(steps: list[str]) -> str:
    """Return steps as one path: `authors`, `[0]`, `orcid` -> `authors[0].orcid`."""
    path = ""
    for step in steps:
        path += step if not path or step[:1] == "[" or not step else "." + step
    return path


def key_position(node: Any, key: str) -> tuple[int, int]:
    """Return (line, column) of the value of `key` in a mapping, else of the mapping itself; from 1."""
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode) and key_node.value == key:
                node = value_node if value_node.start_mark.line >= key_node.start_mark.line else key_node
                break
    return node.start_mark.line + 1, node.start_mark.column + 1


def closest(word: str, words: Collection[str], cutoff: float = 0.75) -> str:
    """Return the one of `words` that is spelled most like `word`, ignoring case, or ""."""
    return _closest(word.lower(), frozenset(words), cutoff) if 0 < len(word) <= 2 * _LONGEST_KEY else ""


@lru_cache(maxsize=4096)  # the same word is misspelled the same way in every entry of a list
def _closest(word: str, words: frozenset[str], cutoff: float) -> str:
    first, last = word[0], word[-1]
    # difflib takes its time with each: only those that begin or end alike are worth it.
    likely = {w.lower(): w for w in sorted(words) if w[0].lower() == first or w[-1].lower() == last}
    found = difflib.get_close_matches(word, likely, n=1, cutoff=cutoff)
    return likely[found[0]] if found else ""


Closest: TypeAlias = "Callable[[str, Collection[str], float], str]"


def meant_key(key: str, table: Mapping[str, object], near: Mapping[str, str], like: Closest = closest) -> str:
    """Return the key that `key` was meant for, or "": a known near miss, or one spelled nearly so."""
    plain = key.strip().lower().replace("_", "-").replace(" ", "-")
    if plain in table:
        return plain
    meant = near.get(plain)
    if meant:
        return meant
    if len(plain) < 5:
        return ""
    return like(plain, table.keys(), 0.85)


def right_keys(
    found: dict[str, Value], table: Mapping[str, Kind], like: Closest = closest
) -> dict[str, Value]:
    """Return `found` with near misses under the keys that were meant, where those are free."""
    if found.keys() <= table.keys():
        return found
    right: dict[str, Value] = {}
    for key, value in found.items():
        meant = "" if key in table else meant_key(key, table, _NEAR[id(table)], like)
        right[meant if meant and meant not in found and meant not in right else key] = value
    return right


def _type_of(node: Any) -> scalars.ScalarType:
    if node.tag != IMPLICIT:
        return scalars.tagged_type(node.tag)
    return "text" if node.style else scalars.plain_type(node.value)


def _declared_version(root: Any) -> str:
    """Return the version by whose rules the file is read: the one that it declares, if there is such."""
    declared = _scalar_of(root, "cff-version")
    return declared if declared in keys.VERSIONS else "1.2.0"


def _scalar_of(node: Any, key: str) -> str:
    for key_node, value_node in node.value:
        if key_node.__class__ is _Scalar and key_node.value == key and value_node.__class__ is _Scalar:
            return str(value_node.value)
    return ""


def _key_node(node: Any, key: str) -> Node | None:
    for key_node, _ in node.value:
        if key_node.__class__ is _Scalar and key_node.value == key:
            found: Node = key_node
            return found
    return None


def _is_template(node: Any) -> bool:
    """`{{ name }}` is, to YAML, a mapping whose key is a mapping."""
    return bool(
        node.__class__ is _Mapping
        and node.flow_style
        and any(k.__class__ is _Mapping or v.__class__ is _Mapping for k, v in node.value)
    )


def _freeze(value: Value) -> object:
    if isinstance(value, dict):
        try:
            return frozenset(value.items())
        except TypeError:  # a list or mapping among the values
            return frozenset((k, _freeze(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(_freeze(v) for v in value)
    return value


def _all_text(value: dict[str, Value]) -> dict[str, str]:
    for v in value.values():
        if v.__class__ is not str:
            return {k: _flat(v) for k, v in value.items()}
    return value  # type: ignore[return-value]


def _flat(value: Value) -> str:
    """Return any value as one text: what is not text in an entry of people is a fault, and kept readable."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_flat(v) for v in value)
    return ", ".join(f"{k}: {_flat(v)}" for k, v in value.items())


_NAMING = frozenset(
    {"title", "name", "family-names", "given-names", "affiliation", "collection-title", "journal"}
)
_LONGEST_KEY = max(map(len, keys.ALL_KEYS))
_MONTHS = frozenset(str(m) for m in range(1, 13))
# What a plain scalar begins with that YAML may take for something other than text.
_SUSPECT = frozenset("0123456789+-.~=<tTfFyYnNoO")
_URL_START = re.compile(r"\A(https|http|ftp|sftp)://.+")

_HANDLERS: dict[Kind, Handler] = {
    Kind.TEXT: Walk._text_value,
    Kind.TEXT_OR_NUMBER: Walk._number_too,
    Kind.TEXT_OR_INTEGER: Walk._integer_too,
    Kind.MONTH: Walk._month,
    Kind.DATE: Walk._date,
    Kind.DOI: Walk._doi,
    Kind.URL: Walk._url,
    Kind.ORCID: Walk._orcid,
    Kind.EMAIL: Walk._email,
    Kind.LICENSE: Walk._license,
    Kind.COUNTRY: Walk._country,
    Kind.SWHID: Walk._swhid,
    Kind.ISBN: Walk._isbn,
    Kind.ISSN: Walk._issn,
    Kind.PMCID: Walk._pmcid,
    Kind.CFF_VERSION: Walk._cff_version,
    Kind.ROOT_TYPE: Walk._root_type,
    Kind.REFERENCE_TYPE: Walk._reference_type,
    Kind.STATUS: Walk._status,
    Kind.IDENTIFIER_TYPE: Walk._identifier_type,
    Kind.IDENTIFIER_VALUE: Walk._text_value,
    Kind.TEXTS: Walk._texts,
    Kind.LANGUAGES: Walk._languages,
    Kind.AGENTS: Walk._agents,
    Kind.ENTITY: Walk._entity,
    Kind.IDENTIFIERS: Walk._identifiers,
    Kind.REFERENCE: Walk._reference,
    Kind.REFERENCES: Walk._references,
}


def _handlers(table: Mapping[str, Kind]) -> dict[str, Handler]:
    return {key: _HANDLERS[kind] for key, kind in table.items()}


def _near(table: Mapping[str, Kind]) -> dict[str, str]:
    return {
        wrong: right for wrong, right in keys.NEAR_MISSES.items() if right in table and wrong not in table
    }


_ROOT, _REFERENCE, _AGENT = _handlers(keys.ROOT), _handlers(keys.REFERENCE), _handlers(keys.AGENT)
_ENTITY, _IDENTIFIER = _handlers(keys.ENTITY), _handlers(keys.IDENTIFIER)
_IDENTIFIER_BY_TYPE: dict[str, dict[str, Handler]] = {
    "doi": _IDENTIFIER | {"value": Walk._doi},
    "url": _IDENTIFIER | {"value": Walk._url},
    "swh": _IDENTIFIER | {"value": Walk._swhid},
}
_NEAR_ROOT, _NEAR_REFERENCE, _NEAR_AGENT = _near(keys.ROOT), _near(keys.REFERENCE), _near(keys.AGENT)
_NEAR_ENTITY, _NEAR_IDENTIFIER = _near(keys.ENTITY), _near(keys.IDENTIFIER)
_NEAR = {id(keys.ROOT): _NEAR_ROOT, id(keys.REFERENCE): _NEAR_REFERENCE, id(keys.AGENT): _NEAR_AGENT}
_PERSON_KEYS = keys.PERSON.keys()
