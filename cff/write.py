"""A record becomes a canonical CITATION.cff: valid by the schema of CFF 1.2.0, keys in a fixed order.

What the file says is kept, in normal form: near-miss keys under their right names, people and teams
as they were meant, dates and identifiers as the schema wants them. What CFF 1.2.0 has no place for
is left out, and each such thing is named, so that nothing goes in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from . import identifiers, scalars, vocabularies
from .errors import CffgraphError
from .keys import AGENT, ENTITY, IDENTIFIER, PERSON, REFERENCE, ROOT, Kind
from .near_keys import right_keys
from .records import CffFile, Mention, Value, Work

Node: TypeAlias = "str | int | list[Node] | dict[str, Node]"

MESSAGE = "If you use this software, please cite it using the metadata from this file."
"""The schema's own default for `message`."""

# The order in which a reader wants the keys; the rest follow by the alphabet.
_ROOT_ORDER = (
    *("cff-version", "message", "type", "title", "abstract"),
    *("authors", "contact", "version", "date-released", "doi"),
)
_ROOT_LAST = ("preferred-citation", "references")
_REFERENCE_ORDER = ("type", "title", "authors", "editors", "journal", "year", "month", "doi")
_AGENT_ORDER = (
    *("family-names", "given-names", "name-particle", "name-suffix", "name"),
    *("alias", "affiliation", "email", "orcid", "website"),
)


@dataclass(frozen=True, slots=True)
class Written:
    """A file as text, and what CFF 1.2.0 has no place for."""

    text: str
    left_out: tuple[str, ...]
    """A line each: where it stood, and why it could not stay."""


def write(file: CffFile) -> Written:
    """Return `file` as canonical CFF 1.2.0.

    Raises `CffgraphError` when the file has no title or no author: no valid file can be made of it.
    """
    if not file.works or not file.works[0].title or not file.works[0].authors:
        raise CffgraphError("no CFF file can be written without a title and an author: add them first")
    writer = _Writer(file)
    document = writer.root()
    return Written("".join(_lines(document, 0)), tuple(writer.left_out))


@dataclass(slots=True)
class _Writer:
    """One pass over the works of a file."""

    file: CffFile
    left_out: list[str] = field(default_factory=list)

    def root(self) -> dict[str, Node]:
        root, *cited = self.file.works
        found = self.record(root, ROOT)
        found["cff-version"] = "1.2.0"
        found.setdefault("message", MESSAGE)
        references: list[Node] = []
        for work in cited:
            if not work.title or not work.authors:
                self.drop(work.pointer, "a reference needs a title and an author")
                continue
            reference = self.record(work, REFERENCE)
            if "type" not in reference:
                reference["type"] = "generic"
            if work.pointer == "preferred-citation":
                found["preferred-citation"] = _ordered(reference, _REFERENCE_ORDER)
            else:
                references.append(_ordered(reference, _REFERENCE_ORDER))
        if references:
            found["references"] = self.unique(references, "references")
        return _ordered(found, _ROOT_ORDER, _ROOT_LAST)

    def drop(self, path: str, why: str) -> None:
        self.left_out.append(f"{path}: {why}")

    def record(self, work: Work, table: Mapping[str, Kind]) -> dict[str, Node]:
        """Return the keys of one record that the schema takes."""
        people: dict[str, list[Mention]] = {}
        for mention in (*work.authors, *work.others):
            people.setdefault(mention.role, []).append(mention)
        found: dict[str, Node] = {}
        prefix = f"{work.pointer}." if work.pointer else ""
        for key, value in right_keys(dict(work.fields), table).items():
            path = prefix + key
            kind = table.get(key)
            if kind is None:
                self.drop(path, "CFF has no such key here")
            elif kind is Kind.AGENTS:
                agents: list[Node] = [self.agent(m, f"{path}[{m.position}]") for m in people.get(key, ())]
                if agents:
                    found[key] = self.unique(agents, path)
            elif kind is Kind.DOI and key == "doi":
                self.put(found, key, work.doi or None, path, value)
            elif key == "title":
                found[key] = work.title
            else:
                node = self.node(kind, value, path)
                if node is not None:
                    found[key] = node
        return found

    def put(self, found: dict[str, Node], key: str, node: Node | None, path: str, value: Value) -> None:
        if node is None:
            self.drop(path, f"`{value}` is not what the schema takes")
        else:
            found[key] = node

    def unique(self, nodes: list[Node], path: str) -> list[Node]:
        """Return `nodes`, each once: a list of CFF holds nothing twice."""
        kept: list[Node] = []
        for node in nodes:
            if node in kept:
                self.drop(path, "an item stood twice, word for word")
            else:
                kept.append(node)
        return kept

    def agent(self, mention: Mention, path: str) -> dict[str, Node]:
        person = mention.kind == "person"
        names = {
            "family-names": mention.family_names,
            "given-names": mention.given_names,
            "name-particle": mention.name_particle,
            "name-suffix": mention.name_suffix,
        }
        found: dict[str, Node] = (
            {k: v for k, v in names.items() if v} if person else {"name": mention.full_name}
        )
        rest = {
            "alias": mention.alias,
            "affiliation": mention.affiliation if person else "",
            "email": mention.email if scalars.EMAIL.fullmatch(mention.email) else "",
            "orcid": f"https://orcid.org/{mention.orcid}" if mention.orcid else "",
            "website": mention.website if scalars.URL.match(mention.website) else "",
        }
        found |= {key: value for key, value in rest.items() if value}
        table = PERSON if person else ENTITY
        written = right_keys(dict(mention.as_written), AGENT)
        for key, value in written.items():
            if key in _NAMED:
                if key not in found and value and key in rest:
                    self.drop(f"{path}.{key}", f"`{value}` is not what the schema takes")
                continue
            if key in table:
                node = self.node(table[key], value, f"{path}.{key}")
                if node is not None:
                    found[key] = node
            elif key and value and key in AGENT:
                self.drop(f"{path}.{key}", f"{'a person' if person else 'an entity'} has no such key")
            elif key and value and key not in found:
                self.drop(f"{path}.{key}", "CFF has no such key here")
        return _ordered(found, _AGENT_ORDER)

    def node(self, kind: Kind, value: Value, path: str) -> Node | None:
        """Return a value as the schema takes it; None, with a line in `left_out`, when it cannot."""
        node = self._node(kind, value, path)
        if node is None or node in ("", []):
            self.drop(path, f"`{value}` is not what the schema takes")
            return None
        return node

    def _node(self, kind: Kind, value: Value, path: str) -> Node | None:
        if kind in (Kind.TEXTS, Kind.LANGUAGES, Kind.LICENSE) and isinstance(value, list):
            item = {Kind.TEXTS: Kind.TEXT}.get(kind, kind)
            items = [self._node(item, v, path) for v in value if isinstance(v, str)]
            if len([i for i in items if i]) < len(value):
                self.drop(path, "an item is not what the schema takes")
            return self.unique([i for i in items if i], path)
        if kind is Kind.IDENTIFIERS and isinstance(value, list):
            return self.unique([n for v in value if (n := self.identifier(v, path)) is not None], path)
        if kind is Kind.ENTITY:
            return self.entity(value, path)
        if not isinstance(value, str):
            return None
        return self.scalar(kind, value)

    def scalar(self, kind: Kind, text: str) -> str | int | None:
        if kind is Kind.DATE:
            return scalars.iso_date(text) or None
        if kind is Kind.DOI:
            doi = identifiers.doi(text) or ""
            return doi if scalars.DOI.fullmatch(doi) else None
        if kind in _WORDS:
            return text if text in _WORDS[kind] else None
        if kind in _PATTERNS:
            return text if _PATTERNS[kind].fullmatch(text) else None
        if kind is Kind.MONTH:
            number = text.lstrip("+0")
            return int(number) if number.isdigit() and 1 <= int(number) <= 12 else None
        if kind in _NUMERIC and _WHOLE_NUMBER.fullmatch(text):
            return int(text)
        return text or None

    def identifier(self, value: Value, path: str) -> dict[str, Node] | None:
        found: dict[str, Node] = {}
        if isinstance(value, dict):
            kind = value.get("type")
            values = {"doi": Kind.DOI, "url": Kind.URL, "swh": Kind.SWHID, "other": Kind.TEXT}
            for key in IDENTIFIER:
                inner = value.get(key)
                if isinstance(inner, str) and inner:
                    scalar = Kind.TEXT if key != "value" else values.get(str(kind), Kind.TEXT)
                    node = self.scalar(scalar, inner)
                    if node:
                        found[key] = node
            if kind in values and {"type", "value"} <= found.keys():
                return found
        self.drop(path, "an identifier needs a type and a value of that type")
        return None

    def entity(self, value: Value, path: str) -> dict[str, Node] | None:
        if isinstance(value, str):
            return {"name": value} if value else None
        if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"]:
            return None
        found: dict[str, Node] = {}
        for key, inner in value.items():
            if key not in ENTITY:
                self.drop(f"{path}.{key}", "an entity has no such key")
            elif (node := self.node(ENTITY[key], inner, f"{path}.{key}")) is not None:
                found[key] = node
        return _ordered(found, _AGENT_ORDER)


_NAMED = frozenset(_AGENT_ORDER)
_NUMERIC = (Kind.TEXT_OR_NUMBER, Kind.TEXT_OR_INTEGER)
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_WORDS: dict[Kind, frozenset[str]] = {
    Kind.LICENSE: vocabularies.LICENSES,
    Kind.COUNTRY: vocabularies.COUNTRIES,
    Kind.STATUS: vocabularies.STATUSES,
    Kind.ROOT_TYPE: vocabularies.ROOT_TYPES,
    Kind.REFERENCE_TYPE: vocabularies.REFERENCE_TYPES,
}
_PATTERNS: dict[Kind, re.Pattern[str]] = {
    Kind.URL: re.compile(r"(https|http|ftp|sftp)://.+"),
    Kind.ORCID: scalars.ORCID,
    Kind.EMAIL: scalars.EMAIL,
    Kind.SWHID: scalars.SWHID,
    Kind.ISBN: scalars.ISBN,
    Kind.ISSN: scalars.ISSN,
    Kind.PMCID: scalars.PMCID,
    Kind.LANGUAGES: scalars.LANGUAGE,
}


def _ordered(found: dict[str, Node], first: Iterable[str], last: Iterable[str] = ()) -> dict[str, Node]:
    first, last = tuple(first), tuple(last)
    rest = sorted(key for key in found if key not in first and key not in last)
    return {key: found[key] for key in (*first, *rest, *last) if key in found}


# YAML text (YAML 1.2, sections 7.3.1 and 7.3.3): plain where nothing in it can mean anything else.

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 .,()/_+'-]*(?<! )|https?://[A-Za-z0-9./_~%-]+|[0-9]+(?:[.-][0-9]+)+")


def _lines(node: dict[str, Node], indent: int) -> Iterator[str]:
    pad = " " * indent
    for key, value in node.items():
        if isinstance(value, (str, int)):
            yield f"{pad}{key}: {_scalar(value)}\n"
        elif isinstance(value, dict):
            yield f"{pad}{key}:\n"
            yield from _lines(value, indent + 2)
        else:
            yield f"{pad}{key}:\n"
            for item in value:
                if isinstance(item, dict):
                    first, *others = _lines(item, indent + 4)
                    yield f"{pad}  - {first[indent + 4 :]}"
                    yield from others
                else:
                    yield f"{pad}  - {_scalar(str(item))}\n"


def _scalar(text: str | int) -> str:
    if isinstance(text, int):
        return str(text)
    if _PLAIN.fullmatch(text) and scalars.plain_type(text) == "text":
        return text
    return json.dumps(text, ensure_ascii=False).translate(_ESCAPED)


# What JSON leaves as it is and YAML does not take, or takes for the end of a line.
_ESCAPED = {0x7F: "\\x7F", 0x85: "\\N", 0x2028: "\\L", 0x2029: "\\P", 0xFEFF: "\\uFEFF"} | {
    code: f"\\x{code:02X}" for code in range(0x80, 0xA0) if code != 0x85
}
