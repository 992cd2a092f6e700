"""What a CITATION.cff file says, as immutable values.

`CffFile` is one file as read: its works (the root first, then the preferred citation, then the
references), its problems, and the document with every key as it was written. Normalised values
(a bare DOI, an ISO date) stand beside the text, never in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
"""A value of the document: text as written, a list, or a mapping in the order of the file."""

Severity = Literal["error", "warning", "note"]
"""error: the file breaks the schema of its version, or cannot be read; warning: something is lost or
in doubt; note: worth knowing, or repaired without a loss."""

Outcome = Literal["ok", "ok-warn", "error"]
"""ok: nothing above a note; ok-warn: a citation can be taken, with the losses, doubts and breaches that
the problems name; error: no citation can be taken from the file."""

AgentKind = Literal["person", "entity", "bot"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file, and where."""

    code: str
    """A stable word such as `bad-doi`; `cff/problems.py` lists them all."""
    severity: Severity
    message: str
    """One line that says what is wrong and what to do."""
    line: int = 1
    """From 1."""
    column: int = 1
    """From 1, in characters."""
    path: str = ""
    """Where in the document, as in `authors[0].orcid`; empty for the file as a whole."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier of a work, normalised."""

    kind: str
    """doi, swh, url, arxiv, isbn, pmcid or other."""
    value: str
    """The normal form; the text as written where there is none (`other`)."""
    description: str = ""


def full_name(
    given_names: str, name_particle: str, family_names: str, name_suffix: str, name: str = "", alias: str = ""
) -> str:
    """Return a name as one says it: that of a person if there is one, else `name`, else `alias`.

    >>> full_name("Ludo", "van", "Beekman", "Jr."), full_name("", "", "", "", "", "ludo")
    ('Ludo van Beekman Jr.', 'ludo')
    """
    parts = (given_names, name_particle, family_names, name_suffix)
    return " ".join(part for part in parts if part) or name or alias


class Mention(NamedTuple):
    """One author (editor, contact, ...) as one record writes it.

    A named tuple, as there are more of these than of all else, and a frozen dataclass takes three times
    as long to make.
    """

    role: str
    """The CFF key of the list it stands in: authors, editors, contact, ..."""
    position: int
    """Its place in that list, from 0, empty entries counted."""
    kind: AgentKind
    family_names: str = ""
    given_names: str = ""
    name_particle: str = ""
    name_suffix: str = ""
    name: str = ""
    """The name of an entity or bot, or a person's name that nobody could split; else empty."""
    alias: str = ""
    orcid: str = ""
    """Bare, as in 0000-0002-1825-0097; empty where there is none or its check digit is wrong."""
    email: str = ""
    """Lower-cased."""
    website: str = ""
    affiliation: str = ""
    as_written: Mapping[str, str] = MappingProxyType({})
    """Every key of the entry, unknown ones too, exactly as the file has them."""
    line: int = 1
    """Line of the entry in the file, from 1."""

    @property
    def full_name(self) -> str:
        """The name as one says it.

        >>> Mention("authors", 0, "person", "Beekman", "Ludo", name_particle="van").full_name
        'Ludo van Beekman'
        """
        return full_name(
            self.given_names,
            self.name_particle,
            self.family_names,
            self.name_suffix,
            self.name,
            self.alias,
        )


@dataclass(frozen=True, slots=True)
class Work:
    """One work as one file describes it: a record."""

    pointer: str
    """Empty for the root, else `preferred-citation` or `references[0]`."""
    type: str
    """CFF's type: software (the default of the root), dataset, article, ..."""
    title: str = ""
    version: str = ""
    doi: str = ""
    """Bare and lower-case; empty where there is none or it is no DOI."""
    date: str = ""
    """date-released, else date-published, ISO 8601; empty where there is none or it is no date."""
    year: int | None = None
    """The year key, else the year of `date`."""
    url: str = ""
    repository_code: str = ""
    authors: tuple[Mention, ...] = ()
    """Usable entries of `authors`: an entry without any name is named in the problems and left out."""
    others: tuple[Mention, ...] = ()
    """Entries of the other lists of agents: contact, editors, translators, ..."""
    identifiers: tuple[Identifier, ...] = ()
    """Of the keys doi, identifiers, isbn, pmcid, and url where it names a DOI or SWHID; each once."""
    fields: Mapping[str, Value] = field(default_factory=dict)
    """Every key of the record as written; the root without preferred-citation and references."""
    line: int = 1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the text of a file came from, when the bytes at hand are not the file itself."""

    kind: str
    """`opengrok-page` or `opengrok-annotate`."""
    revision: str = ""
    """The newest revision that the page marks, as the page abbreviates it."""
    lines: tuple[tuple[str, str], ...] = ()
    """(revision, committer) of each line of the file, in order; empty for a page without annotations."""


@dataclass(frozen=True, slots=True)
class CffFile:
    """One file as read. `read` never raises: what it could not read stands in `problems`."""

    outcome: Outcome
    cff_version: str = ""
    """As written."""
    works: tuple[Work, ...] = ()
    """The root, the preferred citation, the references in order; empty when the outcome is error."""
    problems: tuple[Problem, ...] = ()
    """In the order of the file."""
    document: Mapping[str, Value] = field(default_factory=dict)
    """Every key as written, in the order of the file; the first of two equal keys wins."""
    origin: Origin | None = None
