"""Problems as a SARIF 2.1.0 log: what code-scanning services read (OASIS SARIF 2.1.0, sections 3.13-3.28)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..cff.records import CffFile

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def sarif_log(checked: Iterable[tuple[str, CffFile]]) -> dict[str, Any]:
    """Return the log of one run over (path, file) pairs; relative paths stay relative."""
    results, codes = [], set()
    for name, file in checked:
        for p in file.problems:
            codes.add(p.code)
            results.append(
                {
                    "ruleId": p.code,
                    "level": p.severity,
                    "message": {"text": p.message},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": quote(PurePath(name).as_posix())},
                                "region": {"startLine": p.line, "startColumn": p.column},
                            }
                        }
                    ],
                }
            )
    driver = {
        "name": "cffgraph",
        "version": __version__,
        "rules": [{"id": code} for code in sorted(codes)],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
