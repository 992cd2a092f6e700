"""The command `cffgraph`: its commands, its errors in one line, its exit codes.

Nothing heavy is imported here or at the top of a command's file: `--help` and `--version` wait for
Typer alone.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from .. import __version__
from ..cff.errors import CffgraphError
from .authors import authors
from .check import check
from .citations import citations
from .command import Command, Group
from .config import config
from .convert import convert
from .crawl import crawl
from .database import BEFORE_COMMAND
from .db import db_app
from .export import export
from .identity import identity_app
from .output import say
from .report import report_app
from .repositories import repositories
from .resolve import resolve
from .works import works

INTERRUPTED = 130
PIPE_CLOSED = 141
"""What the shell reports of a program that Ctrl-C, or a reader who has seen enough, has ended."""

COMMANDS = (crawl, authors, works, citations, repositories, export, check, convert, resolve, config)


app = typer.Typer(
    name="cffgraph",
    cls=Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    no_args_is_help=True,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"cffgraph {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ] = False,
    database: Annotated[str | None, BEFORE_COMMAND] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show where an error comes from. May stand anywhere.")
    ] = False,
) -> None:
    """Crawl CITATION.cff files into a graph of software, papers and the people behind both.

    First `cffgraph crawl SOURCE...`, then ask.
    """


GROUPS = {"identity": identity_app, "report": report_app, "db": db_app}

for _command in COMMANDS:
    app.command(cls=Command)(_command)
for _name, _group in GROUPS.items():
    for _info in _group.registered_commands:
        _info.cls = Command
    app.add_typer(_group, name=_name)


def main() -> None:
    """Run the command line and exit."""
    speak_utf8()
    arguments = sys.argv[1:]
    code = run(arguments, verbose="--verbose" in arguments)
    if code == PIPE_CLOSED:
        # The interpreter flushes standard output once more at its end: into nothing, not into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def run(arguments: list[str], *, verbose: bool = False) -> int:
    """Run one command line; return its exit code. Errors are told on standard error, in one line."""
    try:
        result = app(arguments, prog_name="cffgraph", standalone_mode=False, default_map=_defaults(arguments))
        sys.stdout.flush()
    except CffgraphError as error:
        return _told(error, verbose)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except OSError as error:  # such as a full disk behind standard output
        return _told(error, verbose)
    except SystemExit as end:
        # Typer ends the program with 1 when the pipe is closed.
        if isinstance(end.__context__, BrokenPipeError):
            return PIPE_CLOSED
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except Exception as error:
        # Typer's own errors of usage know how to show themselves, whichever click they come from.
        if not (hasattr(error, "show") and hasattr(error, "exit_code")):
            raise
        error.show()
        return int(error.exit_code)
    return result if isinstance(result, int) else 0


def _defaults(arguments: list[str]) -> dict[str, Any]:
    """What `cffgraph.toml` says, as defaults of options. No look at the file for a word of help."""
    if not arguments or {"--help", "--version"} & set(arguments):
        return {}
    from .settings import Settings, default_map, settings

    settings.cache_clear()
    if settings() == Settings():
        return {}
    return default_map(
        (command.__name__ for command in COMMANDS),
        {name: [info.name or "" for info in group.registered_commands] for name, group in GROUPS.items()},
    )


def speak_utf8() -> None:
    """Make the standard streams write UTF-8, whatever the locale says; nothing is ever unprintable."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _told(error: Exception, verbose: bool) -> int:
    if verbose:
        import traceback

        traceback.print_exception(error)
    say(f"cffgraph: {error}")
    return int(getattr(error, "exit_code", 1))
