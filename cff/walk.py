"""The nodes of a file become its document, checked against the table of keys.

The walk visits each node once, guided by `keys.py`: it takes every value as text, checks it as the
schema of CFF does (`values.py`), and notes what is wrong with line, column and path. It also collects,
for each record (root, preferred citation, reference), what `read` needs to build a `Work`: the fields
and the entries of its lists of people. Nothing is dropped: a key that CFF does not know is kept in the
document like any other.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping as Table
from typing import TYPE_CHECKING, Any, NamedTuple

from . import keys, values
from .entries import Entry, People, Record, all_text
from .keys import Kind
from .near_keys import meant_key, right_keys
from .nodes import Mapping, Scalar, Sequence, node_of_key, scalar_under, type_of
from .records import Value
from .repeats import repeated
from .values import CHECKS, Check, Values, join, step

if TYPE_CHECKING:
    from yaml.nodes import Node


class Walk(Values):
    """One walk over one document: `document`, `records` and `problems` hold what it found.

    Raises `TooComplex` from `root`.
    """

    __slots__ = ("_entries", "_record", "document", "records", "version")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.document: dict[str, Value] = {}
        self.records: list[Record] = []
        self.version = "1.2.0"
        """By whose rules the file is read: the one that it declares, if there is such."""
        self._record: Record | None = None
        self._entries: list[Entry] = []
        """Those of the list of people at hand."""

    def root(self, node: Any) -> None:
        """Walk a whole document whose root is a mapping."""
        declared = scalar_under(node, "cff-version")
        if declared in keys.VERSIONS:
            self.version = declared
        record = self._record = Record("", node)
        self.records.append(record)
        self.document = self._mapping(node, _ROOT)
        record.fields = {
            key: value
            for key, value in right_keys(self.document, keys.ROOT, self.closest).items()
            if key not in ("preferred-citation", "references")
        }
        old = self.version < "1.2"
        for key in keys.ROOT_REQUIRED_BEFORE_1_2 if old else keys.ROOT_REQUIRED:
            if key not in self.document:
                self.note("missing-required", "error", f"the file has no `{key}`: add it", node, key)
        for since, new in keys.SINCE.items():
            if self.version < since:
                for key in new & self.document.keys():
                    message = (
                        f"`{key}` came with CFF {since}, and the file says {self.version}: raise cff-version"
                    )
                    self.note("schema", "error", message, node_of_key(node, key) or node, key)

    # -- Mappings ----------------------------------------------------------------------------------

    def _mapping(self, node: Any, shape: _Shape) -> dict[str, Value]:
        """Return the values of a mapping under the keys as written; the first of two equal keys wins."""
        self._enter(node)
        checks = shape.checks
        found: dict[str, Value] = {}
        merged: list[Node] = []
        for key_node, value_node in node.value:
            key = key_node.value
            try:
                check = checks[key]
            except (KeyError, TypeError):  # an unknown key, or one that is a list or mapping
                if key_node.__class__ is not Scalar:
                    self._key_is_no_text(key_node, node)
                    continue
                if key == "<<" and not key_node.style:
                    merged.append(value_node)
                    continue
                check = self._unknown(key, key_node, shape)
            if key in found:
                message = f"`{key}` stands twice here: the first is taken, and this one is not"
                self.note("duplicate-key", "error", message, key_node, key)
            else:
                found[key] = check(self, value_node, key)
        for value_node in merged:
            for key, key_node, inner in self._merged(value_node):
                if key not in found:  # an own key wins over a merged one, by the rule of merge keys
                    check = checks.get(key) or self._unknown(key, key_node, shape)
                    found[key] = check(self, inner, key)
        return found

    def _unknown(self, key: str, key_node: Node, shape: _Shape) -> Check:
        """Note a key that does not belong here; return how its value is read."""
        self.unusual += 1
        meant = meant_key(key, shape.kinds, self.closest)
        if meant:
            self.note(
                "unknown-key",
                "error",
                f"`{key}` is no key of {shape.what}: it is read as `{meant}`, which is how to spell it",
                key_node,
                key,
            )
            return shape.checks[meant]
        elsewhere = (
            "a reference" if key in keys.REFERENCE else "a person or entity" if key in keys.AGENT else ""
        )
        hint = (
            f"it belongs to {elsewhere}" if elsewhere else "it is kept, and other programs will not read it"
        )
        self.note("unknown-key", "error", f"`{key}` is no key of {shape.what}: {hint}", key_node, key)
        return Values.anything

    def _require(
        self, node: Node, value: dict[str, Value], required: tuple[str, ...], key: str, what: str
    ) -> None:
        for needed in required:
            if needed not in value:
                self.note("missing-required", "error", f"this {what} has no `{needed}`: add it", node, key)

    # -- Lists -------------------------------------------------------------------------------------

    def _list(self, node: Any, key: str, item: Check) -> list[Value]:
        """Return a list; a single value where a list belongs is a list of one, and a problem."""
        if node.__class__ is not Sequence:
            if node.__class__ is Scalar and type_of(node) == "null":
                self.note("schema", "error", f"`{key}` is empty: fill it in or take it out", node, key)
                return []
            self.note("schema", "error", f"`{key}` must be a list: begin each item with `- `", node, key)
            return [item(self, node, key)]
        self._path.append(key)
        self._enter(node)
        found = [item(self, inner, step(i)) for i, inner in enumerate(node.value)]
        for i in repeated(found):
            message = "this stands in the list already, word for word: take one out"
            self.note("duplicate-item", "error", message, node.value[i], step(i))
        self._path.pop()
        if not found:
            self.note("schema", "error", f"`{key}` is an empty list: fill it in or take it out", node, key)
        return found

    def _texts(self, node: Any, key: str) -> Value:
        return self._list(node, key, values.text)

    def _languages(self, node: Any, key: str) -> Value:
        return self._list(node, key, values.language)

    def _licenses(self, node: Any, key: str) -> Value:
        """One licence or a list of them (schema: license)."""
        if node.__class__ is Sequence:
            return self._list(node, key, values.license_)
        return values.license_(self, node, key)

    # -- People ------------------------------------------------------------------------------------

    def _agents(self, node: Any, key: str) -> Value:
        record = self._record
        assert record is not None  # noqa: S101  (people stand in records only)
        role = key
        if key not in keys.REFERENCE:
            role = meant_key(key, keys.REFERENCE, self.closest) or key
        self._entries = []
        record.people.append(People(role, [*self._path, key], self._entries))
        return self._list(node, key, Walk._agent)

    def _agent(self, node: Any, key: str) -> Value:
        """One person or entity: whom it means is for `agents.py`; the schema is checked here."""
        if node.__class__ is not Mapping:
            return self._no_agent(node, key)
        self._path.append(key)
        unusual = self.unusual
        value = self._mapping(node, _AGENT)
        if self.unusual == unusual:
            self._entries.append((value, value, node))  # type: ignore[arg-type]  # all of it is text
        else:  # one entry of twenty
            fields = right_keys(value, keys.AGENT, self.closest)
            self._entries.append((all_text(fields), all_text(value), node))
            self._check_kind(node, value)
        self._path.pop()
        return value

    def _no_agent(self, node: Any, key: str) -> Value:
        """A text where a person or entity belongs is taken for a name; anything else names nobody."""
        message = (
            "an author must be a mapping: write `family-names:` and `given-names:`, or `name:` for a team"
        )
        self.note("schema", "error", message, node, key)
        if node.__class__ is Scalar and type_of(node) != "null":
            text = str(node.value)
            self._entries.append(({"name": text}, {"": text}, node))
            return text
        self._entries.append(({}, {}, node))
        return self.anything(node, key)

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
        self.note("schema", "error", message, node_of_key(node, key) or node, key)

    def _entity(self, node: Any, key: str) -> Value:
        if node.__class__ is not Mapping:
            if node.__class__ is Scalar and type_of(node) == "text" and node.value:
                message = f"`{key}` must be an entity: write its name behind `name:` on a line of its own"
                self.note("schema", "error", message, node, key)
                return str(node.value)
            self.note("schema", "error", f"`{key}` must be an entity with a `name`", node, key)
            return self.anything(node, key)
        self._path.append(key)
        value = self._mapping(node, _ENTITY)
        self._path.pop()
        if "name" not in value:
            self.note("missing-required", "error", f"`{key}` has no `name`: add it", node, key)
        return value

    # -- Identifiers and references ----------------------------------------------------------------

    def _identifiers(self, node: Any, key: str) -> Value:
        record = self._record
        found = self._list(node, key, Walk._identifier)
        if record is not None:
            record.identifiers += [v for v in found if isinstance(v, dict)]
        return found

    def _identifier(self, node: Any, key: str) -> Value:
        if node.__class__ is not Mapping:
            self.note("schema", "error", "an identifier must be a mapping with `type` and `value`", node, key)
            return self.anything(node, key)
        self._path.append(key)
        value = self._mapping(node, _IDENTIFIER_BY_TYPE.get(scalar_under(node, "type"), _IDENTIFIER))
        self._path.pop()
        self._require(node, value, keys.IDENTIFIER_REQUIRED, key, "identifier")
        return value

    def _references(self, node: Any, key: str) -> Value:
        return self._list(node, key, Walk._reference)

    def _reference(self, node: Any, key: str) -> Value:
        """A preferred citation or an item of references: a record of its own."""
        if node.__class__ is not Mapping:
            self.note(
                "schema", "error", "a reference must be a mapping with `type`, `title`, `authors`", node, key
            )
            return self.anything(node, key)
        outer = self._record
        pointer = join([*self._path, key])
        if key == "references":  # a single reference where a list belongs
            pointer = "references[0]"
        record = self._record = Record(pointer, node)
        self.records.append(record)
        self._path.append(key)
        value = self._mapping(node, _REFERENCE)
        self._path.pop()
        record.fields = right_keys(value, keys.REFERENCE, self.closest)
        self._require(node, value, keys.REFERENCE_REQUIRED, key, "reference")
        self._record = outer
        return value


class _Shape(NamedTuple):
    """What a kind of mapping may hold."""

    what: str
    """What it is called."""
    kinds: Table[str, Kind]
    checks: dict[str, Check]


_CHECKS: dict[Kind, Check] = CHECKS | {
    Kind.LICENSE: Walk._licenses,
    Kind.TEXTS: Walk._texts,
    Kind.LANGUAGES: Walk._languages,
    Kind.AGENTS: Walk._agents,
    Kind.ENTITY: Walk._entity,
    Kind.IDENTIFIERS: Walk._identifiers,
    Kind.REFERENCE: Walk._reference,
    Kind.REFERENCES: Walk._references,
}


def _shape(what: str, kinds: dict[str, Kind], *, strange: Collection[str] = ()) -> _Shape:
    """Return the shape with these keys; of `strange` ones it is counted that they were there."""
    checks = {key: _CHECKS[kind] for key, kind in kinds.items()}
    return _Shape(what, kinds, checks | {key: _counted(checks[key]) for key in strange})


def _counted(check: Check) -> Check:
    def counting(walk: Walk, node: Any, key: str) -> Value:
        walk.unusual += 1
        return check(walk, node, key)

    return counting


_ROOT, _REFERENCE = _shape("the root", keys.ROOT), _shape("a reference", keys.REFERENCE)
_AGENT = _shape("a person or entity", keys.AGENT, strange=keys.ENTITY.keys() - keys.PERSON.keys())
_ENTITY, _IDENTIFIER = _shape("an entity", keys.ENTITY), _shape("an identifier", keys.IDENTIFIER)
_IDENTIFIER_BY_TYPE = {
    name: _shape("an identifier", keys.IDENTIFIER | {"value": kind})
    for name, kind in (("doi", Kind.DOI), ("url", Kind.URL), ("swh", Kind.SWHID))
}
