"""What goes into the clustering of authors and what comes out of it: plain rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class MentionRow(NamedTuple):
    """One author as one record writes it, with where it stands."""

    id: int
    """The row's number: a label only, never used for order or choice."""
    key: str
    """Made of content, unique; the only order there is."""
    list_id: int
    """The author list it stands in: two entries of one list are two people."""
    position: int
    """Its place in the list, from 0."""
    work: int
    """The work whose authors these are; a work that is listed twice has two lists."""
    kind: str
    """person, entity or bot."""
    family_names: str = ""
    given_names: str = ""
    name_particle: str = ""
    name_suffix: str = ""
    name: str = ""
    alias: str = ""
    orcid: str = ""
    """Bare and valid, or empty."""
    email: str = ""
    website: str = ""
    affiliation: str = ""
    repository: str = ""
    """A place where it was found, empty if none."""


class Link(NamedTuple):
    """Why a mention belongs to its author."""

    mention: int
    """`MentionRow.id`."""
    reason: str
    """In words: `same ORCID iD 0000-0009-9000-0317`, `same full name`, `initials fit: K. Aster; ...`."""
    confidence: float
    """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class AuthorCluster:
    """One author: a person, an entity or a bot, and the mentions held to be theirs."""

    kind: str
    name: str
    """To show: the fullest, most used form, never in capitals where a better one exists."""
    orcid: str
    """Empty if there is none or it is in conflict."""
    forms: tuple[tuple[str, int], ...]
    """Each form of the name with its number of mentions, most first."""
    links: tuple[Link, ...]
    """In the order of the mentions' keys."""
    key: str
    """Stable, for exports: the iD, else the folded name; namesakes get ~2, ~3 in the order of their first
    mention's key."""
    is_renamed: bool = False
    """Whether the name was decided by somebody."""
    is_private: bool = False
    """Whether no other name may be shown."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something about identities that only a person can put right."""

    code: str
    """orcid-conflict, duplicate-author, decision-conflict or decision-idle."""
    message: str
    mentions: tuple[int, ...]
    """`MentionRow.id`, in the order of the mentions' keys."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two authors who may be one: near the line, offered for review."""

    a: int
    b: int
    """`MentionRow.id` of the first mention, by key, of each of the two."""
    score: float
    """From 0 to 1, as a link's confidence."""
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clustering:
    """All authors in the order of their keys, the conflicts, and the pairs to review, best first."""

    authors: list[AuthorCluster]
    conflicts: list[Conflict]
    candidates: list[Candidate]
