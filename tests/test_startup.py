"""`--help` and `--version` answer without paying for what only other commands need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"sqlalchemy", "networkx", "requests", "alembic", "yaml"}

# Runs the command as the entry point does, then tells what it has loaded.
PROGRAM = """
import json, sys
from cffgraph.cli.main import main
sys.argv = ["cffgraph", *json.loads(sys.argv[1])]
try:
    code = main() or 0
except SystemExit as stop:
    code = stop.code or 0
print(json.dumps([code, sorted({name.split(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["authors", "--help"], ["crawl", "--help"]], ids=" ".join
)
def test_nothing_heavy_is_loaded(arguments: list[str]) -> None:
    command = [sys.executable, "-c", PROGRAM, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code, loaded = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert done.stdout.strip()
    assert HEAVY.isdisjoint(loaded)
