"""What one value is, and whether the schema takes it: pure checks on text.

The patterns are those of the JSON schema of CFF 1.2.0 (definitions.date, doi, url, ...).
"""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Literal

import yaml

ScalarType = Literal["text", "integer", "number", "boolean", "null"]

_TAGS: dict[str, ScalarType] = {
    "tag:yaml.org,2002:bool": "boolean",
    "tag:yaml.org,2002:int": "integer",
    "tag:yaml.org,2002:float": "number",
    "tag:yaml.org,2002:null": "null",
}
# First character of a plain scalar -> what it might be other than text, by YAML 1.1 as PyYAML has it.
# Time stamps are text for CFF (schema, definitions.date: "cast YAML 'date' objects to string").
_RESOLVERS: dict[str, tuple[tuple[ScalarType, re.Pattern[str]], ...]] = {
    first: tuple((_TAGS[tag], pattern) for tag, pattern in rules if tag in _TAGS)
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    if first is not None
}


@lru_cache(maxsize=4096)  # years, months, versions: few, and again and again
def plain_type(text: str) -> ScalarType:
    """Return what YAML takes the unquoted `text` for.

    >>> [plain_type(t) for t in ("1.10", "No", "~", "1.2.0", "2024-05-06", "0x1F")]
    ['number', 'boolean', 'null', 'text', 'text', 'integer']
    """
    for kind, pattern in _RESOLVERS.get(text[:1], ()):
        if pattern.match(text):
            return kind
    return "text"


def tagged_type(tag: str) -> ScalarType:
    """Return the type that an explicit tag gives: text for `!!str` and for any that JSON does not know."""
    return _TAGS.get(tag, "text")


DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])")
DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")
URL = re.compile(r"(https|http|ftp|sftp)://.+")
ORCID = re.compile(r"https://orcid\.org/[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
EMAIL = re.compile(r"\S+@\S+\.\S{2,}")
SWHID = re.compile(r"swh:1:(snp|rel|rev|dir|cnt):[0-9a-fA-F]{40}")
ISBN = re.compile(r"[0-9\- ]{10,17}X?")
ISSN = re.compile(r"\d{4}-\d{3}[\dxX]")
PMCID = re.compile(r"PMC[0-9]{7}")
LANGUAGE = re.compile(r"[a-z]{2,3}")

# A date with a time behind it, or with one-digit months and days, or with other separators.
_LOOSE_DATE = re.compile(r"\s*(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d])(?:[T\s].*)?", re.DOTALL)


@lru_cache(maxsize=4096)  # each day is looked at twice, when it is checked and when it is kept
def iso_date(text: str) -> str:
    """Return the day that `text` names, as ISO 8601, or "" when it names none that exists.

    >>> iso_date("2018-09-05T00:00:00.000Z"), iso_date("2024-02-30"), iso_date("2024/5/6")
    ('2018-09-05', '', '2024-05-06')
    """
    match = _LOOSE_DATE.fullmatch(text) if text else None
    if not match:
        return ""
    try:
        return datetime.date(int(match[1]), int(match[3]), int(match[4])).isoformat()
    except ValueError:
        return ""


_YEAR = re.compile(r"\s*(?:c\.?|ca\.?)?\s*([12]\d{3})\b")


def year_of(text: str) -> int | None:
    """Return the year that `text` begins with, or None.

    >>> year_of("2024"), year_of("2024-05"), year_of("in press")
    (2024, 2024, None)
    """
    match = _YEAR.match(text) if text else None
    return int(match[1]) if match else None
