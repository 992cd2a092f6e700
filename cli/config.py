"""`cffgraph config`: what is in force, and where each value comes from."""

from __future__ import annotations

import typer

from .database import DEFAULT, named_first
from .output import FormatOption, print_rows


def config(context: typer.Context, format_: FormatOption = "table") -> None:
    """Print the settings in force: from the environment, `cffgraph.toml` in this folder, or the defaults.

    Of a token, only the variable that holds it is named, and whether it is set.
    """
    from .settings import in_force

    print_rows(("setting", "value", "from"), in_force(DEFAULT, named_first(context)), format_=format_)
