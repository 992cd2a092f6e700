"""Decisions as a text to keep in git: one block a decision in the order of time, one line a mention.

The text is YAML that any reader of YAML takes. It is written by hand here, so that the same decisions
always give the same lines, and read without giving types to scalars: a name `No` stays a name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..cff.errors import DecisionError
from ..cff.folding import fold
from .decisions import KINDS, Decision, clean_name
from .named import MentionName

HEAD = "# What people decided about who is who. Apply it with: cffgraph identity apply FILE\n"

_SECOND = {"merge": "with", "split": "apart-from", "distinct": "apart-from"}
"""What a decision calls its second row of mentions."""

_KEYS = {
    "name": "name",
    "orcid": "orcid",
    "work": "work",
    "doi": "doi",
    "kind": "kind",
    "entry": "entry",
}
_HIDDEN = {"name-hash": "name", "work-hash": "work", "doi-hash": "doi"}
_HASH = re.compile(r"[0-9a-f]{32}")
_PLAIN = re.compile(
    r"[^\W\d_][\w.'’/()+ -]*(?<![ ])|\d{4}-\d{4}-\d{4}-\d{3}[\dX]|10\.\d+/[\w./()-]+|[0-9a-f]{32}"
)
_TYPED = {"no", "yes", "on", "off", "true", "false", "null", "y", "n"}
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def write_ledger(decisions: Iterable[Decision]) -> str:
    """Return the text of decisions, the first made first.

    >>> print(write_ledger([Decision("rename", (MentionName("M. Tresk", work="Aurora"),), name="Moira Tresk",
    ...     made_at="2026-01-02T03:04:05.678+00:00")]), end="")
    # What people decided about who is who. Apply it with: cffgraph identity apply FILE
    - decision: rename
      made: 2026-01-02T03:04:05.678+00:00
      name: Moira Tresk
      mentions:
      - {name: M. Tresk, work: Aurora}
    """
    ordered = sorted(decisions, key=lambda d: d.made_at)
    return HEAD + "".join(line + "\n" for d in ordered for line in _lines(d)) + ("" if ordered else "[]\n")


def _lines(decision: Decision) -> Iterator[str]:
    yield f"- decision: {decision.kind}"
    yield f"  made: {decision.made_at}"
    if decision.name:
        yield f"  name: {_scalar(decision.name)}"
    if decision.is_private:
        yield "  private: true"
    yield "  mentions:"
    yield from map(_mention, sorted(decision.a))
    if decision.b:
        yield f"  {_SECOND[decision.kind]}:"
        yield from map(_mention, sorted(decision.b))


def _mention(name: MentionName) -> str:
    values = name.as_dict()
    labels = {field: key for key, field in (_HIDDEN if values.pop("is_hidden", False) else {}).items()}
    return "  - {" + ", ".join(f"{labels.get(k, k)}: {_scalar(str(v))}" for k, v in values.items()) + "}"


def _scalar(text: str) -> str:
    """Return `text` as YAML, in quotes where a reader might take it for something else."""
    if _PLAIN.fullmatch(text) and text.lower() not in _TYPED:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def read_ledger(text: str) -> list[Decision]:
    """Return the decisions of a text; DecisionError, with the decision's place, if one is not understood."""
    import yaml

    try:
        document = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 (it makes nothing but texts)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise DecisionError(f"{where}{error.problem or 'is no YAML'}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DecisionError(f"is no YAML: {str(error).splitlines()[0]}") from error
    if document in (None, "", []):
        return []
    if not isinstance(document, list):
        raise DecisionError("is no list of decisions, each of which begins with `- decision:`")
    return [_decision(item, f"decision {number}") for number, item in enumerate(document, 1)]


def _decision(item: Any, where: str) -> Decision:
    if not isinstance(item, dict):
        raise DecisionError(f"{where}: is no mapping")
    kind = item.get("decision")
    if kind not in KINDS:
        raise DecisionError(f"{where}: decision is none of {', '.join(KINDS)}")
    where = f"{where} ({kind})"
    second = _SECOND.get(kind, "")
    known = {"decision", "made", "mentions", *([second] if second else ["name", "private"])}
    if unknown := sorted(set(item) - known):
        raise DecisionError(f"{where}: unknown key {unknown[0]!r}")
    private, name = item.get("private", "false"), item.get("name", "")
    if private not in ("true", "false"):
        raise DecisionError(f"{where}: private is neither true nor false")
    if kind == "rename":
        try:
            name = clean_name(name if isinstance(name, str) else "")
        except DecisionError as error:
            raise DecisionError(f"{where}: {error}") from error
    return Decision(
        kind,
        _mentions(item, "mentions", where),
        _mentions(item, second, where) if second else (),
        name,
        private == "true",
        _time(item.get("made"), where),
    )


def _time(text: object, where: str) -> str:
    try:
        made = datetime.fromisoformat(text if isinstance(text, str) else "")
    except ValueError:
        raise DecisionError(f"{where}: made is no time, such as 2026-01-31T12:00:00+00:00") from None
    made = made.replace(tzinfo=made.tzinfo or UTC)
    return made.astimezone(UTC).isoformat(timespec="milliseconds")


def _mentions(item: Mapping[str, Any], key: str, where: str) -> tuple[MentionName, ...]:
    entries = item.get(key)
    if not isinstance(entries, list) or not entries:
        raise DecisionError(f"{where}: {key} is no list of mentions")
    found = []
    for number, entry in enumerate(entries, 1):
        here = f"{where}, {key} {number}"
        if not isinstance(entry, dict) or not all(isinstance(v, str) for v in entry.values()):
            raise DecisionError(f"{here}: is no mention such as {{name: Ada Quill, work: Aurora}}")
        is_hidden = "name-hash" in entry
        known = {**_KEYS, **_HIDDEN} if is_hidden else _KEYS
        if unknown := sorted(set(entry) - set(known)):
            raise DecisionError(f"{here}: unknown key {unknown[0]!r}")
        values: dict[str, Any] = {known[k]: v for k, v in entry.items()}
        if is_hidden and not all(_HASH.fullmatch(entry[k]) for k in _HIDDEN if k in entry):
            raise DecisionError(f"{here}: a hash is 32 digits from 0 to f")
        if not (values.get("name") if is_hidden else fold(values.get("name", "")) or values.get("name")):
            raise DecisionError(f"{here}: has no name")
        if values.get("kind", "person") not in ("person", "entity", "bot"):
            raise DecisionError(f"{here}: kind is none of person, entity, bot")
        entry_number = values.pop("entry", "0")
        if not (entry_number.isascii() and entry_number.isdecimal() and len(entry_number) < 6):
            raise DecisionError(f"{here}: entry is no number")
        found.append(MentionName(**values, entry=int(entry_number), is_hidden=is_hidden))
    return tuple(sorted(set(found)))
