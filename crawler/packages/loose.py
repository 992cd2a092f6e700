"""What JSON, TOML and YAML hold, taken only where it is of the kind that is meant.

A list may come from anywhere: it is read in bounded time, and what is odd in it counts as absent.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, TypeAlias

from ...cff.decode import decode
from .package import Unreadable

Table: TypeAlias = dict[str, Any]

_MAX_DOTS = 40
_SEGMENT = re.compile(r"[^\n\"'=,{}\[\]#]*")


def text(value: object) -> str:
    """A text as it is; all else as an empty one."""
    return value if isinstance(value, str) else ""


def table(value: object) -> Table:
    """A table as it is; all else as an empty one."""
    return value if isinstance(value, dict) else {}


def tables(value: object) -> Iterator[Table]:
    """The tables of a list."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def texts(value: object) -> Iterator[str]:
    """The texts of a list, or the one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (each for each in value if isinstance(each, str))


def read_json(data: bytes) -> Table:
    """The table that a JSON file holds. Unreadable when it holds none."""
    try:
        return table(json.loads(data))
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except ValueError as error:  # of the encoding too
        raise Unreadable(f"is not JSON: {str(error)[:200]}") from error


def read_toml(data: bytes) -> Table:
    """The table that a TOML file holds. Unreadable when it holds none."""
    content = decode(data).text
    # tomllib takes quadratic time for a key of many parts.
    if content.count(".") > _MAX_DOTS and any(
        found[0].count(".") > _MAX_DOTS for found in _SEGMENT.finditer(content) if len(found[0]) > _MAX_DOTS
    ):
        raise Unreadable(f"has a key of more than {_MAX_DOTS} parts")
    try:
        return tomllib.loads(content)
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except ValueError as error:
        raise Unreadable(f"is not TOML: {str(error)[:200]}") from error


def read_yaml(data: bytes) -> Table:
    """The table that a YAML file holds, all scalars as written. Unreadable when it holds none."""
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    content = decode(data).text
    try:
        # An alias may stand for a thousand nodes, and theirs for a thousand more; no list needs one.
        if "*" in content and any(isinstance(e, yaml.AliasEvent) for e in yaml.parse(content, loader)):
            raise Unreadable("has YAML aliases, which are not followed: write out what they stand for")
        return table(yaml.load(content, loader))  # noqa: S506 - makes texts, lists and tables alone
    except RecursionError as error:
        raise Unreadable("is nested too deeply") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f" in line {mark.line + 1}" if mark else ""
        raise Unreadable(
            f"is not YAML{at}: {getattr(error, 'problem', None) or 'it cannot be read'}"
        ) from error
