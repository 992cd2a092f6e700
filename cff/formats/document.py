"""A file as a plain document: what `convert --to json` prints.

CFF's own keys in the order of the file, every scalar as text and as written, with three values put
in normal form because programs compare them: dates are ISO 8601, DOIs bare and lower-case, ORCID
iDs full URLs. What could not be read as what its key says is null, and stands under `as-written`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import identifiers, scalars
from ..keys import AGENT, REFERENCE, ROOT, Kind
from ..near_keys import right_keys
from ..records import CffFile, Mention, Value


def as_document(file: CffFile) -> dict[str, Any]:
    """Return the document of a readable file, fit for JSON.

    Each entry of a list of people has a `kind`: person, entity or bot. A file that came out of a
    page has `source`: `{"kind", "revision", "lines": [{"revision", "committer"}, ...]}`.
    """
    writer = _Writer(file)
    document = writer.mapping(file.document, "")
    if writer.rejected:
        document["as-written"] = writer.rejected
    if file.origin is not None:
        document["source"] = {
            "kind": file.origin.kind,
            "revision": file.origin.revision,
            "lines": [{"revision": r, "committer": c} for r, c in file.origin.lines],
        }
    return document


class _Writer:
    """One pass over a document: who stands where, and what could not be read as what its key says."""

    def __init__(self, file: CffFile) -> None:
        self.rejected: dict[str, str] = {}
        self._records = {work.pointer for work in file.works}
        self._people: dict[str, Mention] = {}
        for work in file.works:
            prefix = f"{work.pointer}." if work.pointer else ""
            for mention in (*work.authors, *work.others):
                self._people[f"{prefix}{mention.role}[{mention.position}]"] = mention

    def mapping(self, values: Mapping[str, Value], path: str) -> dict[str, Any]:
        table = AGENT if path in self._people else REFERENCE if path else ROOT
        if path in self._people or path in self._records:
            values = right_keys(dict(values), table)
        found: dict[str, Any] = {}
        for key, value in values.items():
            place = f"{path}.{key}" if path else key
            if isinstance(value, str):
                kind = Kind.DOI if key == "value" and values.get("type") == "doi" else table.get(key)
                found[key] = self.scalar(kind, value, place)
            else:
                found[key] = self.value(value, place)
        return found

    def value(self, value: Value, path: str) -> Any:
        mention = self._people.get(path)
        if isinstance(value, dict):
            found = self.mapping(value, path)
            if mention:
                found["kind"] = mention.kind
            return found
        if isinstance(value, list):
            items = [self.value(v, f"{path}[{i}]") for i, v in enumerate(value)]
            if path.rpartition(".")[2] in _LISTS_OF_PEOPLE:
                # An entry without any name is in the problems, and no author.
                return [item for i, item in enumerate(items) if f"{path}[{i}]" in self._people]
            return items
        return {"name": value, "kind": mention.kind} if mention else value

    def scalar(self, kind: Kind | None, text: str, path: str) -> str | None:
        normal: str | None
        if kind is Kind.DATE:
            normal = scalars.iso_date(text)
        elif kind is Kind.DOI:
            normal = identifiers.doi(text)
        elif kind is Kind.ORCID:
            orcid = identifiers.orcid(text)
            normal = f"https://orcid.org/{orcid}" if orcid else None
        else:
            return text
        if not normal:
            self.rejected[path] = text
            return None
        return normal


_LISTS_OF_PEOPLE = frozenset(key for key, kind in (REFERENCE | ROOT).items() if kind is Kind.AGENTS)
