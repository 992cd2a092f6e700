"""Many values in one statement."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, func, select


def among(column: ColumnElement[Any], values: Iterable[int] | Iterable[str]) -> ColumnElement[bool]:
    """Whether a column is one of many values, which go over as one: the engine limits their number."""
    listed = func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(select(listed.c.value))
