"""The examples in the docstrings run.

Through `doctest.testmod`, not `pytest --doctest-modules`: pytest would load each file by its path,
a second time and under another name, because the root of the checkout is the package.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import cffgraph
import pytest

# Alembic runs it inside a migration only; it cannot be imported on its own.
NOT_IMPORTABLE = {"cffgraph.migrations.env"}

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(cffgraph.__path__, "cffgraph.")
    if module.name not in NOT_IMPORTABLE
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) > 10
