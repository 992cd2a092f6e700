"""`cffgraph identity`: what people decide about who is who, and taking it back."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .database import DEFAULT, DatabaseOption, reading, writing
from .explain import explain
from .output import FormatOption, LimitOption, plain, print_answer, print_rows, say

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ..db.decisions import Decision
    from ..db.named import MentionName

identity_app = typer.Typer(
    help="Who is who: ask why, review pairs, decide, undo.", no_args_is_help=True, rich_markup_mode=None
)
identity_app.command()(explain)

AUTHOR = "An author: a number, an iD or a name."
UNDO = "undo with: cffgraph identity undo"


@identity_app.command()
def review(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Only pairs with this author.", show_default=False)
    ] = "",
    format_: FormatOption = "table",
    limit: LimitOption = None,
    db: DatabaseOption = DEFAULT,
) -> None:
    """List pairs of authors who may be one, the most valuable question first.

    Answer with `merge A B` or `distinct A B`; either way the pair is not asked again.
    """
    with reading(db) as connection:
        from ..db import questions
        from .choice import one_author

        numbers = [one_author(connection, name)] if name else None
        if not print_answer(questions.review(connection, numbers), format_=format_, limit=limit):
            say("no pair is near the line")


@identity_app.command()
def merge(
    a: Annotated[str, typer.Argument(metavar="A", help=AUTHOR)],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one, who is the same.")],
    db: DatabaseOption = DEFAULT,
) -> None:
    """Make one author of two, whatever speaks against it."""
    with writing(db) as connection:
        one, two = _two(connection, a, b)
        if one == two:
            _refuse(f"{a!r} and {b!r} are one author already: {_told(connection, one)}")
        decision = _about(connection, "merge", one, two)
        if _put(connection, decision):
            found = _authors(connection, (*decision.a, *decision.b))
            _print(f"merged: 2 authors are now {_list(found)}; {UNDO}")


@identity_app.command()
def distinct(
    a: Annotated[str, typer.Argument(metavar="A", help=AUTHOR)],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one, who is somebody else.")],
    db: DatabaseOption = DEFAULT,
) -> None:
    """Keep two authors two, whatever later files say."""
    with writing(db) as connection:
        one, two = _two(connection, a, b)
        if one == two:
            _refuse(
                f"{a!r} and {b!r} are one author, {_told(connection, one)}:"
                " take mentions off with `cffgraph identity split`"
            )
        if _put(connection, _about(connection, "distinct", one, two)):
            _print(f"distinct: {_told(connection, one)} and {_told(connection, two)} stay two; {UNDO}")


@identity_app.command()
def split(
    mentions: Annotated[
        list[str],
        typer.Argument(
            metavar="MENTION...",
            help="REPOSITORY:FILE:POINTER, as `identity explain` prints it; its end will do.",
        ),
    ],
    db: DatabaseOption = DEFAULT,
) -> None:
    """Take mentions off their author: together they are one other author."""
    with writing(db) as connection:
        from ..db.decisions import Decision, names_of_mentions

        found = {place: _mention(connection, place) for place in mentions}
        authors = sorted({author for _, author in found.values()})
        if len(authors) > 1:
            _refuse(f"these mentions are of {len(authors)} authors: split one author at a time")
        off = {mention for mention, _ in found.values()}
        a, b = names_of_mentions(connection, off, authors[0])
        if not b:
            _refuse(f"that is all of {_told(connection, authors[0])}: nothing would be left")
        if _put(connection, Decision("split", a, b, before=(0, authors[0]))):
            _print(
                f"split: taken off are {_list(_authors(connection, a))},"
                f" left are {_list(_authors(connection, b))}; {UNDO}"
            )


@identity_app.command()
def rename(
    a: Annotated[str, typer.Argument(metavar="A", help=AUTHOR)],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name to show.")],
    private: Annotated[
        bool,
        typer.Option("--private", help="Show no other name of this author in any answer or export."),
    ] = False,
    db: DatabaseOption = DEFAULT,
) -> None:
    """Say what an author is to be called."""
    with writing(db) as connection:
        from ..db.decisions import Decision, clean_name, names_of_author
        from .choice import one_author

        one = one_author(connection, a)
        names = names_of_author(connection, one)
        decision = Decision("rename", names, (), clean_name(name), private, before=(one,))
        if _put(connection, decision):
            _print(f"renamed: {_told(connection, one)}; {UNDO}")


@identity_app.command()
def log(format_: FormatOption = "table", limit: LimitOption = None, db: DatabaseOption = DEFAULT) -> None:
    """List all decisions, the last one first, those that were undone too."""
    with reading(db) as connection:
        from ..db.masks import read_shown

        decisions = read_shown(connection, undone=True)[::-1]
        rows = [(d.number, d.kind, d.made_at, d.undone_at or None, _what(d)) for d in decisions]
        limit = (20 if format_ == "table" else 0) if limit is None else limit
        shown = rows[:limit] if limit else rows
        if not print_rows(("decision", "kind", "made", "undone", "what"), shown, format_=format_):
            say("nothing was decided yet")
        elif len(shown) < len(rows) and format_ == "table":
            say(f"{len(shown)} of {len(rows)} rows; --limit 0 shows all")


@identity_app.command()
def undo(
    number: Annotated[
        int, typer.Argument(metavar="[N]", help="Its number in the log; else the last.", show_default=False)
    ] = 0,
    db: DatabaseOption = DEFAULT,
) -> None:
    """Take a decision back: all is as if it had never been made."""
    with writing(db) as connection:
        from ..db.decisions import undo as take_back
        from ..resolve.run import resolve

        found = take_back(connection, number or None)
        resolve(connection)
        now = _list(_authors(connection, (*found.a, *found.b))) or "nobody of it is here"
        _print(f"undone: decision {found.number}, {found.kind} of {found.made_at[:10]}; now {now}")


@identity_app.command("export")
def export_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write. -: standard output.")],
    db: DatabaseOption = DEFAULT,
) -> None:
    """Write the decisions that stand to FILE, as text to keep in git."""
    from ..graph.export.target import write_file

    with reading(db) as connection:
        from ..db.ledger import write_ledger
        from ..db.masks import read_shown

        # A rename without a name was taken back by one that hides it.
        decisions = [d for d in read_shown(connection) if d.kind != "rename" or d.name]
        text = write_ledger(decisions)
    if file == "-":
        sys.stdout.write(text)
    else:
        write_file(Path(file), [text])


@identity_app.command()
def apply(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `export` wrote. -: standard input.")],
    db: DatabaseOption = DEFAULT,
) -> None:
    """Make the decisions in FILE that do not stand yet: all of them, or none if one is not understood."""
    from ..cff.errors import DecisionError

    with writing(db) as connection:
        from ..db.decisions import idle_decisions, put_decision
        from ..db.ledger import read_ledger
        from ..resolve.run import resolve

        name = "standard input" if file == "-" else file
        try:
            data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
            decisions = read_ledger(data.decode("utf-8-sig"))
        except OSError as error:
            raise DecisionError(f"cannot read {name}: {error.strerror}") from error
        except (DecisionError, UnicodeDecodeError) as error:
            raise DecisionError(f"{name}: {error}") from error
        put = [put_decision(connection, decision) for decision in decisions]
        new = sum(is_new for _, is_new in put)
        if new:
            resolve(connection)
        _print(f"applied: {new} new, {len(put) - new} known already")
        for d in idle_decisions(connection):
            if d.number in {number for number, _ in put}:
                called = f"decision {d.number} ({d.kind} of {d.made_at[:10]})"
                say(f"cffgraph: {called} names nothing that is here; it is kept")


def _two(connection: Connection, a: str, b: str) -> tuple[int, int]:
    from .choice import one_author

    return one_author(connection, a), one_author(connection, b)


def _about(connection: Connection, kind: str, one: int, two: int) -> Decision:
    from ..db.decisions import Decision, names_of_author

    return Decision(
        kind, names_of_author(connection, one), names_of_author(connection, two), before=(one, two)
    )


def _put(connection: Connection, decision: Decision) -> bool:
    """Store a decision and work out what follows; say so and return False if it stands already."""
    from ..db.decisions import put_decision
    from ..resolve.run import resolve

    number, is_new = put_decision(connection, decision)
    if is_new:
        resolve(connection)
    else:
        _print(f"decided already: decision {number}; nothing changed")
    return is_new


def _mention(connection: Connection, place: str) -> tuple[int, int]:
    """Return (mention, author) at a place; ends the command with 1 if that is none, or not one."""
    from ..db.places import find_places

    found = find_places(connection, place)
    if not found:
        _refuse(f"no mention stands at {place!r}: `cffgraph identity explain AUTHOR` lists them")
    if len({mention for mention, _, _ in found}) > 1:
        told = ", ".join(whole for _, _, whole in found[:3]) + ("" if len(found) < 4 else ", ...")
        _refuse(f"{place!r} may be {len(found)} mentions: {told}")
    return found[0][:2]


def _authors(connection: Connection, names: Iterable[MentionName]) -> list[tuple[int, str, int]]:
    from ..db.decisions import authors_of, named_mentions

    return authors_of(connection, named_mentions(connection, names))


def _told(connection: Connection, number: int) -> str:
    from ..db.decisions import author_facts

    name, _, count = author_facts(connection, number)
    return f"{number} {name} ({_mentions(count)})"


def _list(authors: Sequence[tuple[int, str, int]]) -> str:
    told = [f"{number} {name} ({_mentions(count)})" for number, name, count in authors]
    return ", ".join(told[:5]) + (f" and {len(told) - 5} more" if len(told) > 5 else "")


def _mentions(count: int) -> str:
    return f"{count} mention{'s' * (count != 1)}"


def _what(decision: Decision) -> str:
    """A decision in a line."""
    a, b = _said(decision.a), _said(decision.b)
    if decision.kind == "rename":
        private = ", no other name is shown" if decision.is_private else ""
        return f"{a} is called {decision.name or '(a hidden name)'}{private}"
    word = {"merge": "is", "split": "taken off", "distinct": "is not"}[decision.kind]
    return f"{a} {word} {b}"


def _said(names: Iterable[MentionName]) -> str:
    told = list(dict.fromkeys("(a hidden name)" if n.is_hidden else n.name for n in names))
    return " / ".join(told[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "")


def _print(line: str) -> None:
    print(plain(line))


def _refuse(message: str) -> None:
    from ..cff.errors import DecisionError

    raise DecisionError(message)
