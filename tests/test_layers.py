"""Who may import whom, and who may touch the world: the table of the house, held.

Imports between rooms are read by grimp, which knows relative imports and those inside functions;
imports of other packages are read from the syntax tree, because the names taken from them count
(`Connection` may cross rooms as a type, `select` may not).
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]

ROOMS = {
    "cff": set(),
    "db": {"cff"},
    "resolve": {"cff"},
    "crawler": {"cff", "db", "resolve"},
    "graph": {"cff", "db"},
    "cli": {"cff", "db", "resolve", "crawler", "graph"},
    "migrations": set(),
}
"""Room -> the rooms that it may import."""

EXCEPTIONS = {
    ("resolve.run", "db"),
    ("resolve.run_authors", "db"),
    ("resolve.run_survey", "db"),
    ("resolve.run_works", "db"),
    ("migrations.env", "db"),
    ("__main__", "cli"),
}
"""(module, room): imports that one module alone may do. Alembic compares the models with the schema
in env.py; a revision never sees the models, which will have moved on when it runs."""


@dataclass(frozen=True, slots=True)
class Reserved:
    """Names from outside that some rooms alone may import."""

    what: str
    names: str
    """A regular expression that a whole dotted name, or its beginning up to a dot, matches."""
    rooms: frozenset[str]


RESERVED = (
    Reserved(
        "the network and other programs",
        r"requests|urllib3|urllib\.(request|error|robotparser)|http\.client|socket|ssl|ftplib|subprocess|asyncio"
        r"|httpx|aiohttp|pty",
        frozenset({"crawler"}),
    ),
    Reserved(
        "SQL",
        # Types cross rooms, and errors come up through them; statements do neither.
        r"sqlite3|alembic|sqlalchemy(?!\.(engine\.)?(Connection|Engine|Row|RowMapping)$|\.exc\.\w+$)",
        frozenset({"db", "migrations"}),
    ),
    Reserved("the prompt", r"typer|click|rich", frozenset({"cli"})),
    Reserved(
        "files",
        r"os|shutil|tempfile|glob|fileinput|pathlib(?!\.PureP)",
        frozenset(ROOMS) - {"cff", "resolve"},
    ),
)


def import_between_rooms_is_wrong(importer: str, imported: str) -> bool:
    """Whether the table forbids this import; both are module names without the leading `cffgraph.`."""
    here, there = importer.partition(".")[0], imported.partition(".")[0]
    if there in {here, ""}:  # "" is the root, which holds the version
        return False
    return there not in ROOMS.get(here, set()) and (importer, there) not in EXCEPTIONS


def outside_import_is_wrong(importer: str, name: str) -> str:
    """Return what the module reaches for without leave when it imports the dotted `name`; else nothing."""
    room = importer.partition(".")[0]
    for rule in RESERVED:
        if room not in rule.rooms and re.match(rf"(?:{rule.names})(?:\.|$)", name):
            return rule.what
    return ""


def outside_imports(source: str) -> Iterator[str]:
    """Yield the dotted names that a module imports from other packages, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def house() -> grimp.ImportGraph:
    return grimp.build_graph("cffgraph", cache_dir=None)


def sources() -> dict[str, Path]:
    """Module name without the leading `cffgraph.` -> its file, of all rooms and the root."""
    files = [*ROOT.glob("*.py"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
        for path in files
    }


def test_every_room_is_in_the_table() -> None:
    ours = {path.parent.name for path in ROOT.glob("*/__init__.py") if not path.parent.name.startswith(".")}
    assert ours == set(ROOMS)


def test_grimp_sees_every_module() -> None:
    assert {m.removeprefix("cffgraph").removeprefix(".") for m in house().modules} >= set(sources())


def test_rooms_import_downwards_only() -> None:
    wrong = []
    for importer in house().modules:
        for imported in house().find_modules_directly_imported_by(importer):
            short = [name.removeprefix("cffgraph").removeprefix(".") for name in (importer, imported)]
            if import_between_rooms_is_wrong(*short):
                wrong.append(f"{importer} -> {imported}")
    assert wrong == []


@pytest.mark.parametrize("module", sources())
def test_the_world_is_touched_by_those_who_may(module: str) -> None:
    names = set(outside_imports(sources()[module].read_text(encoding="utf-8")))
    wrong = {name: what for name in names if (what := outside_import_is_wrong(module, name))}
    assert wrong == {}


@pytest.mark.parametrize("module", sources())
def test_rooms_are_named_relatively(module: str) -> None:
    # An absolute `cffgraph.db` would work too, and grimp would see it; one way is enough.
    # Alembic alone loads a file by its path, where relative imports have nothing to start from.
    if module == "migrations.env":
        return
    names = outside_imports(sources()[module].read_text(encoding="utf-8"))
    assert [name for name in names if name.split(".")[0] in {"cffgraph", *ROOMS}] == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("cff.read", "db.query"),
        ("db.query", "resolve.names"),
        ("resolve.authors", "db"),
        ("resolve.runner", "db.query"),
        ("crawler.harvest", "graph.coauthors"),
        ("graph.export.graphml", "crawler"),
        ("db.engine", "cli.output"),
        ("db.engine", "migrations.env"),
        ("migrations.versions.0001_first", "db.models"),
        ("stray", "cff"),
    ],
)
def test_a_wrong_import_between_rooms_is_found(importer: str, imported: str) -> None:
    assert import_between_rooms_is_wrong(importer, imported)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("resolve.run", "db.conclusions"),
        ("cli.crawl", "crawler.harvest"),
        ("cff.read", "cff.keys"),
        ("cli.main", ""),
    ],
)
def test_a_right_import_between_rooms_is_let_through(importer: str, imported: str) -> None:
    assert not import_between_rooms_is_wrong(importer, imported)


@pytest.mark.parametrize(
    ("module", "line", "what"),
    [
        ("graph.coauthors", "from sqlalchemy import select", "SQL"),
        ("cli.authors", "from sqlalchemy import (\n    Connection,\n    text,\n)", "SQL"),
        ("resolve.run", "import sqlalchemy as sa", "SQL"),
        ("crawler.harvest", "from sqlalchemy.dialects.sqlite import insert", "SQL"),
        ("cli.db", "import sqlite3", "SQL"),
        ("cff.identifiers", "from urllib.request import urlopen", "the network and other programs"),
        ("db.engine", "def f():\n    import subprocess", "the network and other programs"),
        ("graph.measures", "import requests", "the network and other programs"),
        ("crawler.harvest", "from rich.progress import Progress", "the prompt"),
        ("resolve.names", "from pathlib import Path", "files"),
        ("cff.read", "import os.path", "files"),
        ("graph.export.graphml", "import os", ""),
        ("cff.identifiers", "from urllib.parse import urlsplit", ""),
        ("graph.coauthors", "from sqlalchemy import Connection", ""),
        ("graph.coauthors", "from sqlalchemy.engine import Connection", ""),
        ("cli.crawl", "from sqlalchemy.exc import OperationalError", ""),
        ("cff.paths", "from pathlib import PurePosixPath", ""),
        ("crawler.git", "import subprocess", ""),
        ("db.query", "from sqlalchemy import select", ""),
        ("cli.main", "import typer.core", ""),
    ],
)
def test_reaching_outside(module: str, line: str, what: str) -> None:
    assert "".join({outside_import_is_wrong(module, name) for name in outside_imports(line)}) == what


def test_outside_imports_are_found_anywhere_in_a_module() -> None:
    source = "import a.b\ndef f():\n    from c import (d,\n e)\nfrom .x import y\n"
    assert list(outside_imports(source)) == ["a.b", "c.d", "c.e"]
