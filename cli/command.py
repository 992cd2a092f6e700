"""Commands that start fast: what is typed is read without pydantic.

Typer 0.29 imports pydantic (100 ms, as much as all the rest of a short command) to turn a text into
a text. The question that it would ask pydantic is answered here for plain types; a Typer that never
asks goes its own way.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_PLAIN = (str, int, bool, list[str])


class Command(TyperCommand):
    """A command; `--verbose` may stand among its arguments too."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options and arguments."""
        return _read_plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. `main` has seen `--verbose` already."""
        if not any("--verbose" in parameter.opts for parameter in self.params):
            args = [argument for argument in args if argument != "--verbose"]
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options and arguments."""
        return _read_plainly(super().get_params(ctx))


class _Reader:
    def __init__(self, type_: Any) -> None:
        self.type = type_

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self.type is int and not isinstance(value, int):
            try:
                return int(value)
            except ValueError:
                raise typer.BadParameter(f"{value!r} is no whole number.", ctx=ctx, param=param) from None
        return value


def _read_plainly(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        type_ = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        limits = (getattr(parameter, "min", None), getattr(parameter, "max", None))
        if type_ in _PLAIN and limits == (None, None):
            reader = _Reader(type_)
            parameter.get_runtime_param = lambda reader=reader: reader
    return parameters
