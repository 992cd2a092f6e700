"""What a user typed at the prompt -> the authors or works that it means, as pieces of SQL.

Names and titles are searched folded (see `cff.folding`): every word of the text must begin a word of
the name, in any order. Numbers, iDs, DOIs and URLs are recognised by their form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    case,
    column,
    false,
    literal,
    literal_column,
    or_,
    select,
    table,
)

from ..cff.folding import fold, latin
from ..cff.numbers import number_for
from .models import (
    author,
    author_name,
    author_redirect,
    decided_redirect,
    repository,
    repository_alias,
    work,
    work_identifier,
    work_repository,
)
from .sets import among

_ORCID = re.compile(r"(?:^|[/:\s])(\d{4})[-\s]?(\d{4})[-\s]?(\d{4})[-\s]?(\d{3}[\dXx])/?$")
_NUMBER = re.compile(r"[0-9]{1,18}")
_DOI = re.compile(r"(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}/\S+)", re.IGNORECASE)
_INITIALS = re.compile(r"\b[A-Z]{2,3}\b")

_author_fts = table("author_name_fts", column("rowid"))
_work_fts = table("work_fts", column("rowid"))


@dataclass(frozen=True, slots=True)
class Matches:
    """Where the rows that fit are, and how well: both speak of the table `author` (or `work`)."""

    where: ColumnElement[bool]
    rank: ColumnElement[int]
    """0 is the best; rows of one rank fit equally well."""


def find_authors(connection: Connection, name: str) -> Matches:
    """Return the authors that `name` (a name, an iD or a number) may mean.

    Exact family names come first, then exact full names, then names with all the words, then names
    whose words begin so, the family name before others.
    """
    name = name.strip()
    if found := _ORCID.search(name):
        return Matches(author.c.orcid == "-".join(found.groups()).upper(), literal(0))
    if _NUMBER.fullmatch(name):
        number = _follow(connection, int(name))
        if number is not None:
            return Matches(author.c.id == number, literal(0))
    forms = _forms(name, is_name=True)
    if not forms:
        return Matches(false(), literal(0))

    def found_by(star: str) -> ColumnElement[bool]:
        fitting = select(_author_fts.c.rowid).where(_match("author_name_fts", _expression(forms, star)))
        return author.c.id.in_(select(author_name.c.author_id).where(author_name.c.id.in_(fitting)))

    rank = case(
        (author.c.family.in_(forms), 0),
        (among(author.c.id, _named_exactly(connection, name, forms)), 1),
        (found_by(""), 2),
        (or_(*(author.c.family.startswith(form) for form in forms)), 3),
        else_=4,
    )
    return Matches(found_by("*"), rank)


def choose_authors(connection: Connection, name: str) -> tuple[int, ...]:
    """Return the numbers of those among the fitting authors that `name` means: one if it is clear.

    One author of exactly this full name, or else one of exactly this family name, is meant even if
    others fit in part. Several numbers: the name does not decide between them. None: nobody fits.
    """
    matches = find_authors(connection, name)
    found = connection.execute(select(author.c.id, matches.rank).where(matches.where)).all()
    numbers = [row[0] for row in found]
    exact = _named_exactly(connection, name, _forms(name, is_name=True))
    full = [number for number in numbers if number in exact]
    family = [number for number, rank in found if rank == 0]
    return tuple(sorted(full or family or numbers))


def find_works(connection: Connection, words: str) -> Matches:
    """Return the works that `words` (of a title, or a number, DOI, URL or other identifier) may mean."""
    words = words.strip()
    if _NUMBER.fullmatch(words):
        number = int(words)
        if connection.scalar(select(work.c.id).where(work.c.id == number)) is not None:
            return Matches(work.c.id == number, literal(0))
    if found := _DOI.fullmatch(words):
        doi = found[1].lower()
        named = select(work_identifier.c.work_id).where(
            work_identifier.c.kind == "doi", work_identifier.c.value == doi
        )
        return Matches(or_(work.c.doi == doi, work.c.id.in_(named)), literal(0))
    by_identifier = _identified(words)
    forms = _forms(words)
    if not forms:
        return Matches(by_identifier, literal(0))
    if "://" in words or words.lower().startswith(("swh:", "arxiv:", "isbn:", "pmcid:")):
        return Matches(by_identifier, literal(0))

    def found_by(star: str) -> ColumnElement[bool]:
        return work.c.id.in_(select(_work_fts.c.rowid).where(_match("work_fts", _expression(forms, star))))

    rank = case((or_(work.c.folded.in_(_wholes(forms)), by_identifier), 0), (found_by(""), 1), else_=2)
    return Matches(or_(found_by("*"), by_identifier), rank)


def choose_works(connection: Connection, words: str) -> tuple[int, ...]:
    """Return the numbers of the works that `words` mean: one if it is clear, as in `choose_authors`."""
    matches = find_works(connection, words)
    found = connection.execute(select(work.c.id, matches.rank).where(matches.where)).all()
    exact = [number for number, rank in found if rank == 0]
    return tuple(sorted(exact or (number for number, _ in found)))


def _follow(connection: Connection, number: int) -> int | None:
    """Return the author that `number` stands for now; None if it is nobody's.

    It may be the author's own, one that was given up and leads on, or the one in an export.
    """
    asked = number
    seen: set[int] = set()
    while number not in seen:
        seen.add(number)
        if connection.scalar(select(author.c.id).where(author.c.id == number)) is not None:
            return number
        for redirect in (decided_redirect, author_redirect):
            leads_to = connection.scalar(select(redirect.c.author_id).where(redirect.c.id == number))
            if leads_to is not None:
                break
        else:
            break
        number = leads_to
    keys = connection.execute(select(author.c.id, author.c.key).order_by(author.c.key))
    return next((row.id for row in keys if number_for(row.key) == asked), None)


def _forms(words: str, *, is_name: bool = False) -> tuple[str, ...]:
    """Return the folded spellings under which `words` are searched; none if there is no letter in it.

    >>> _forms("Шевченко")
    ('шевченко', 'shevchenko')
    >>> _forms("Beekman, LJ", is_name=True)
    ('lj beekman', 'l j beekman')
    """
    if is_name and words.count(",") == 1:
        words = " ".join(reversed(words.split(",")))
    spellings = [fold(words), latin(words)]
    if is_name and _INITIALS.search(words) and not words.isupper():
        spellings.append(fold(_INITIALS.sub(lambda found: " ".join(found[0]), words)))
    return tuple(dict.fromkeys(form for form in spellings if form))


def _wholes(forms: tuple[str, ...]) -> list[str]:
    """Return how a `folded` column reads that holds exactly this text: alone, or with its Latin form."""
    return [*forms, " ".join(forms[:2])]


def _expression(forms: tuple[str, ...], star: str) -> str:
    """Return the full-text expression for names that hold all words of one of the forms.

    >>> _expression(("ada beekman",), "*")
    '("ada"* AND "beekman"*)'
    """
    return " OR ".join("(" + " AND ".join(f'"{word}"{star}' for word in form.split()) + ")" for form in forms)


def _match(fts: str, expression: str) -> ColumnElement[bool]:
    # A table's name before MATCH is SQLite's own grammar (https://www.sqlite.org/fts5.html, section 3).
    return literal_column(fts).op("MATCH", is_comparison=True)(expression)


def _named_exactly(connection: Connection, name: str, forms: tuple[str, ...]) -> frozenset[int]:
    """Return the authors who bear exactly this name in one of its forms, in either script."""
    if not forms:
        return frozenset()
    rows = connection.execute(
        select(author_name.c.author_id).where(
            author_name.c.folded.in_(_wholes(forms)),
            author_name.c.id.in_(
                select(_author_fts.c.rowid).where(_match("author_name_fts", _expression(forms, "")))
            ),
        )
    )
    exact = {row[0] for row in rows}
    if len(forms) > 1 or not forms[0].isascii():
        return frozenset(exact)
    # Typed in Latin letters, written in others: the column holds both, the Latin form last.
    rows = connection.execute(
        select(author_name.c.author_id, author_name.c.name).where(
            author_name.c.folded.endswith(" " + forms[0]),
            author_name.c.id.in_(
                select(_author_fts.c.rowid).where(_match("author_name_fts", _expression(forms, "")))
            ),
        )
    )
    return frozenset(exact | {row[0] for row in rows if latin(row[1]) == forms[0]})


def _identified(words: str) -> ColumnElement[bool]:
    """Return the condition that a work bears this identifier, or lies in a repository of this URL."""
    bare = words.removesuffix("/").removesuffix(".git")
    spellings = {words, bare, bare + "/", bare + ".git"}
    spellings |= {re.sub(r"^http:", "https:", s) for s in spellings}
    spellings |= {re.sub(r"^https:", "http:", s) for s in spellings}
    spellings |= {re.sub(r"^(?:arxiv|isbn|pmcid):\s*", "", words, flags=re.IGNORECASE)}
    values = sorted(spellings)
    holders = select(repository.c.id).where(repository.c.url.in_(values))
    aliases = select(repository_alias.c.repository_id).where(repository_alias.c.url.in_(values))
    carried = select(work_repository.c.work_id).where(
        or_(work_repository.c.repository_id.in_(holders), work_repository.c.repository_id.in_(aliases))
    )
    named = select(work_identifier.c.work_id).where(work_identifier.c.value.in_(values))
    return or_(work.c.id.in_(named), work.c.id.in_(carried))
