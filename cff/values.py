"""What one value must be: every check of the schema on a single value, and what to do about a wrong one.

`CHECKS` has one for each kind of value in `keys.py` that is a text. A check returns the text as it
stands in the file, right or wrong, and notes what is wrong. `Values` is what a check works with: the
place at hand, the problems so far, and how to take a value that is none of those that CFF knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from . import keys, near_keys, scalars, vocabularies
from .compose import IMPLICIT
from .keys import Kind
from .nodes import Mapping, Scalar, Sequence, is_template, type_of
from .records import Problem, Severity, Value

if TYPE_CHECKING:
    from yaml.nodes import Node

MAX_DEPTH = 60
"""Levels of nesting; a CFF file has eight."""
EXTRA_VISITS = 20_000
"""How many nodes aliases may add to those that stand in the file."""
MAX_COMPARISONS = 50_000
"""With so many words a misspelled one is compared; in a file with more of them no more is guessed."""

Check: TypeAlias = "Callable[[Any, Any, str], Value]"
"""Takes a `Values`, a node and the step that leads to it; returns the value as written."""


class TooComplex(Exception):
    """The document is nested too deeply, or its aliases expand to too much."""


class Values:
    """The state of reading one document, as far as single values need it. Raises `TooComplex`."""

    __slots__ = ("_comparisons", "_levels", "_path", "_text", "_visits", "comments", "problems", "unusual")

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self.comments = "#" in text and " #" in text  # one character is found sooner than two
        """Whether a comment may stand behind a value."""
        self.unusual = 0
        """How much was found that an ordinary person has not: values that are no text, keys of others."""
        self._text = text
        self._path: list[str] = []
        """The steps to the mapping or list at hand."""
        self._levels = MAX_DEPTH
        """So many steps a path may have: one less for each merge key that leads here, as it is no step."""
        self._visits = len(text) + EXTRA_VISITS
        self._comparisons = MAX_COMPARISONS

    # -- What is wrong, and where ------------------------------------------------------------------

    def note(self, code: str, severity: Severity, message: str, node: Node, key: str = "") -> None:
        """Note a problem at `node`; `key` is the step from the mapping or list at hand."""
        mark = node.start_mark
        self.problems.append(
            Problem(code, severity, message, mark.line + 1, mark.column + 1, join([*self._path, key]))
        )

    def closest(self, word: str, words: Collection[str], cutoff: float = 0.75) -> str:
        """As `near_keys.closest`, until a file has asked too often."""
        self._comparisons -= len(words)
        return near_keys.closest(word, words, cutoff) if self._comparisons >= 0 else ""

    def _enter(self, node: Any) -> None:
        """Begin with the mapping or list that the path leads to."""
        self._visits -= len(node.value)
        if self._visits < 0 or len(self._path) >= self._levels:
            raise TooComplex

    # -- Values that CFF does not know -------------------------------------------------------------

    def anything(self, node: Any, key: str) -> Value:
        """Return a value as written, whatever it is."""
        if node.__class__ is Scalar:
            return str(node.value)
        self.unusual += 1
        self._path.append(key)
        value: Value
        if node.__class__ is Sequence:
            self._enter(node)
            value = [self.anything(item, step(i)) for i, item in enumerate(node.value)]
        else:
            value = {}
            for inner, _, inner_node in self._pairs(node):
                if inner not in value:
                    value[inner] = self.anything(inner_node, inner)
        self._path.pop()
        return value

    def not_scalar(self, node: Any, key: str) -> Value:
        """Return a list or mapping that stands where one text belongs."""
        if is_template(node):
            message = "braces of a template were not filled in: put the value in quotes or fill it in"
            self.note("template", "error", message, node, key)
        else:
            what = "a list" if node.__class__ is Sequence else "a mapping"
            self.note("schema", "error", f"`{key}` must be one text, not {what}", node, key)
        return self.anything(node, key)

    def _pairs(self, node: Any) -> Iterator[tuple[str, Node, Node]]:
        """Yield (key, node of the key, node of the value), own keys first, then those of merge keys."""
        self._enter(node)
        merged: list[Node] = []
        for key_node, value_node in node.value:
            if key_node.__class__ is not Scalar:
                self._key_is_no_text(key_node, node)
            elif key_node.value == "<<" and not key_node.style:
                merged.append(value_node)
            else:
                yield key_node.value, key_node, value_node
        for value_node in merged:
            yield from self._merged(value_node)

    def _merged(self, node: Any) -> Iterator[tuple[str, Node, Node]]:
        """Yield the pairs of the mapping, or list of mappings, that stands behind a merge key."""
        self._levels -= 1
        for mapping in node.value if node.__class__ is Sequence else [node]:
            if mapping.__class__ is Mapping:
                yield from self._pairs(mapping)
        self._levels += 1

    def _key_is_no_text(self, key_node: Node, mapping: Any) -> None:
        if mapping.flow_style:
            message = "braces of a template were not filled in: put the value in quotes or fill it in"
            self.note("template", "error", message, key_node)
        else:
            self.note("schema", "error", "a key must be text", key_node)

    # -- Texts -------------------------------------------------------------------------------------

    def odd_text(self, node: Any, key: str) -> str:
        """Return a scalar that is empty, or that YAML may take for something other than text."""
        text: str = node.value
        kind = type_of(node)
        if kind == "null":
            self.note("schema", "error", f"`{key}` is empty: fill it in or take it out", node, key)
            return "" if text == "~" else text
        if kind != "text":
            self.note("schema", "error", f"YAML takes `{text}` for a {kind}: put it in quotes", node, key)
        elif not text:
            self.note("schema", "error", f"`{key}` is empty: fill it in or take it out", node, key)
        return text

    def cut_comment(self, node: Any, key: str) -> None:
        """Note an unquoted title or name that YAML ended at a ` #`, as in `Fix for bug #77`."""
        end = node.end_mark.index
        if _COMMENT.match(self._text, end, end + 200):
            rest = self._text[end : end + 200].split("\n", 1)[0]
            message = (
                f"YAML takes {rest.strip()!r} for a comment: put the value in quotes if it belongs to it"
            )
            self.note("possible-comment", "note", message, node, key)


@lru_cache(maxsize=1024)
def step(place: int) -> str:
    """Return the step from a list to the item at that place, as in `[0]`."""
    return f"[{place}]"


def join(steps: list[str]) -> str:
    """Return steps as one path: `authors`, `[0]`, `orcid` -> `authors[0].orcid`."""
    path = ""
    for step in steps:
        path += step if not path or step[:1] == "[" or not step else "." + step
    return path


SUSPECT = frozenset("0123456789+-.~=<tTfFyYnNoO")
"""What a plain scalar begins with that YAML may take for something other than text."""
LONGEST_WORD = len("false")
"""A longer one that begins with a letter is text."""
_COMMENT = re.compile(r"[ \t]+#\S")
_NAMING = frozenset(
    {"title", "name", "family-names", "given-names", "affiliation", "collection-title", "journal"}
)
_MONTHS = frozenset(str(m) for m in range(1, 13))


def text(walk: Values, node: Any, key: str) -> Value:
    """Text, and nothing that YAML takes for something else."""
    if node.__class__ is Scalar:
        value: str = node.value
        if (
            value
            and (value[0] not in SUSPECT or node.style or (len(value) > LONGEST_WORD and value[0].isalpha()))
            and node.tag == IMPLICIT
        ):
            if walk.comments and not node.style and key in _NAMING:
                walk.cut_comment(node, key)
            return value
        return walk.odd_text(node, key)
    return walk.not_scalar(node, key)


def _or(*kinds: scalars.ScalarType) -> Check:
    """Return the check of a text that may be something else to YAML as well."""

    def check(walk: Values, node: Any, key: str) -> Value:
        if node.__class__ is Scalar and type_of(node) in kinds:
            return str(node.value)
        return text(walk, node, key)

    return check


def _like(fits: Callable[[str], object], code: str, message: str, *, ambiguous: bool = False) -> Check:
    """Return the check of a text that must fit a pattern; `{}` in the message is the text.

    `ambiguous` says that a text may fit which is a number or a truth value to YAML.
    """

    def check(walk: Values, node: Any, key: str) -> Value:
        if node.__class__ is not Scalar:
            return walk.not_scalar(node, key)
        value: str = node.value
        if not fits(value):
            walk.note(code, "error", message.format(value), node, key)
        elif (ambiguous or node.tag != IMPLICIT) and not node.style and type_of(node) != "text":
            walk.note("schema", "error", f"YAML takes `{value}` for a number: put it in quotes", node, key)
        return value

    return check


def _one_of(words: frozenset[str], code: str, what: str) -> Check:
    """Return the check of a text that must be one of some words."""

    def check(walk: Values, node: Any, key: str) -> Value:
        if node.__class__ is not Scalar:
            return walk.not_scalar(node, key)
        value: str = node.value
        if value not in words or (not node.style and value[:1] in SUSPECT and type_of(node) != "text"):
            near = walk.closest(value, words)
            hint = f": did you mean `{near}`?" if near and near != value else ""
            if value in words:
                hint = ": put it in quotes, YAML takes it for something else"
            walk.note(code, "error", f"`{value}` is not {what}{hint}", node, key)
        return value

    return check


def _month(walk: Values, node: Any, key: str) -> Value:
    if node.__class__ is not Scalar:
        return walk.not_scalar(node, key)
    value: str = node.value
    plain_integer = type_of(node) == "integer" and value.lstrip("+").lstrip("0").isdigit()
    if not (value in _MONTHS or (plain_integer and value.lstrip("+").lstrip("0") in _MONTHS)):
        walk.note("schema", "error", f"`{key}` must be a number from 1 to 12, not `{value}`", node, key)
    return value


def _date(walk: Values, node: Any, key: str) -> Value:
    if node.__class__ is not Scalar:
        return walk.not_scalar(node, key)
    value: str = node.value
    iso = scalars.iso_date(value)
    if not scalars.DATE.fullmatch(value):
        mend = f"write {iso}" if iso else "write it as 2024-05-06, or take it out"
        walk.note("bad-date", "error", f"`{value}` is not a date as CFF wants it: {mend}", node, key)
    elif not iso:
        walk.note("bad-date", "warning", f"`{value}` is in no calendar: mend it or take it out", node, key)
    return value


_EXPRESSION = re.compile(" (?:OR|AND|WITH) ")
_known_license = _one_of(
    vocabularies.LICENSES, "bad-license", "an SPDX licence identifier that CFF 1.2 knows"
)


def license_(walk: Values, node: Any, key: str) -> Value:
    """One licence: an SPDX identifier, not an expression of several."""
    if node.__class__ is Scalar and " " in node.value and _EXPRESSION.search(node.value):
        message = f"`{node.value}` is a licence expression: CFF takes one SPDX identifier, or a list of them"
        walk.note("bad-license", "error", message, node, key)
        return str(node.value)
    return _known_license(walk, node, key)


def _cff_version(walk: Values, node: Any, key: str) -> Value:
    if node.__class__ is not Scalar:
        return walk.not_scalar(node, key)
    value: str = node.value
    if value not in keys.VERSIONS:
        later = re.fullmatch(r"1\.[2-9]\.\d+|[2-9]\.\d+\.\d+", value)
        message = f"`{value}` is no version of CFF that is known here: the file is read as 1.2.0"
        walk.note("cff-version", "warning" if later else "error", message, node, key)
    return value


language = _like(
    scalars.LANGUAGE.fullmatch, "schema", "`{}` is not a language code of ISO 639, as in en", ambiguous=True
)
"""One language of a list."""

# The schema anchors neither the pattern of a URL nor that of an iD at its end, and an iD not at its start.
CHECKS: dict[Kind, Check] = {
    Kind.TEXT: text,
    Kind.TEXT_OR_NUMBER: _or("number", "integer"),
    Kind.TEXT_OR_INTEGER: _or("integer"),
    Kind.MONTH: _month,
    Kind.DATE: _date,
    Kind.DOI: _like(
        scalars.DOI.fullmatch,
        "bad-doi",
        "`{}` is not a bare DOI: write it as 10.5281/zenodo.1234, without https",
    ),
    Kind.URL: _like(scalars.URL.match, "bad-url", "`{}` is not a URL: begin it with https://"),
    Kind.ORCID: _like(
        scalars.ORCID.search,
        "bad-orcid",
        "`{}` is not an ORCID iD as CFF wants it: write https://orcid.org/0000-0000-0000-0000",
    ),
    Kind.EMAIL: _like(scalars.EMAIL.fullmatch, "schema", "`{}` is not an e-mail address"),
    Kind.COUNTRY: _one_of(vocabularies.COUNTRIES, "schema", "a country code of ISO 3166-1, as in NL"),
    Kind.SWHID: _like(scalars.SWHID.fullmatch, "schema", "`{}` is not a SWHID, as in swh:1:rel:<40 digits>"),
    Kind.ISBN: _like(scalars.ISBN.fullmatch, "schema", "`{}` is not an ISBN", ambiguous=True),
    Kind.ISSN: _like(scalars.ISSN.fullmatch, "schema", "`{}` is not an ISSN, as in 1234-567X"),
    Kind.PMCID: _like(scalars.PMCID.fullmatch, "schema", "`{}` is not a PMCID, as in PMC1234567"),
    Kind.CFF_VERSION: _cff_version,
    Kind.ROOT_TYPE: _one_of(vocabularies.ROOT_TYPES, "schema", "a type of the root: software or dataset"),
    Kind.REFERENCE_TYPE: _one_of(
        vocabularies.REFERENCE_TYPES, "schema", "a type of reference that CFF knows"
    ),
    Kind.STATUS: _one_of(vocabularies.STATUSES, "schema", "a status that CFF knows"),
    Kind.IDENTIFIER_TYPE: _one_of(
        vocabularies.IDENTIFIER_TYPES, "schema", "a type of identifier: doi, url, swh or other"
    ),
    Kind.IDENTIFIER_VALUE: text,
}
