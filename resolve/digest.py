"""Author lists as numbers: what the counts and the plan of a run need of a mention, without its text.

A list is read once, when it is new. What its mentions are called, and what they could share with others, is
kept as numbers made of content (63 bits of BLAKE2), so that a later run counts millions of mentions without
folding a name again. The same text has the same number on every machine.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from .entities import entity_key
from .evidence import Rarity
from .mentions import MentionRow
from .names import Name, parse, soften

KINDS = ("person", "entity", "bot", "email", "website", "alias", "affiliation", "repository", "owner", "work",
         "place", "coauthor")  # fmt: skip
"""What a number can name; its last four bits say which."""

_CODE = {kind: code for code, kind in enumerate(KINDS)}
OWN = ("email", "website", "alias", "affiliation")
"""The fields of a mention that name things of its own, which others could share."""

_PERSON, _OTHER = 4, 3
_CUT = attrgetter(*(field.name for field in fields(Name)))


@lru_cache(maxsize=1 << 16)
def key_of(kind: str, text: str) -> int:
    """Return the number of a text, another one for each kind of thing; remembered, as `number_of` is not.

    >>> key_of("email", "a@b.example") == key_of("email", "a@b.example") != key_of("alias", "a@b.example")
    True
    """
    return number_of(kind, text)


def number_of(kind: str, text: str) -> int:
    """Return what `key_of` returns: for texts that are asked for once."""
    hasher, code = _hasher(kind)
    hasher = hasher.copy()  # three times as fast as a new one
    hasher.update(text.encode(errors="surrogatepass"))
    return int.from_bytes(hasher.digest()) >> 5 << 4 | code


@lru_cache(maxsize=1 << 8)
def _hasher(kind: str) -> tuple[hashlib.blake2b, int]:
    return hashlib.blake2b(digest_size=8, person=kind.encode()), _CODE.get(kind, 15)


def code_of(kind: str) -> int:
    """Return the last four bits of the numbers of a kind."""
    return _CODE[kind]


def kind_of_thing(key: int) -> str:
    """Return the kind of thing that a number names.

    >>> kind_of_thing(key_of("email", "a@b.example"))
    'email'
    """
    return KINDS[key & 15]


def said_alike(text: str) -> str:
    """Return the text of an address or affiliation as it is compared."""
    return " ".join(text.lower().split())


def coauthor_key(name: Name) -> str:
    """Return family name and first initial: the same for nearly every spelling of a coauthor."""
    return f"{soften(name.family[-1])} {name.given[0][0] if name.given else ''}" if name.family else ""


def owner_of(repository: str) -> str:
    """Return the folder or organisation above a repository; empty for a local one: it may hold anything.

    >>> owner_of("https://forge.example/o/r"), owner_of("file:///home/you/r")
    ('https://forge.example/o', '')
    """
    return "" if repository.startswith("file:") else repository.rstrip("/").rpartition("/")[0]


@lru_cache(maxsize=1 << 15)
def places_of(repository: str) -> tuple[int, ...]:
    """Return what all mentions in one repository share: it, and its owner."""
    owner = owner_of(repository)
    found = (key_of("repository", repository),) if repository else ()
    return (*found, key_of("owner", owner)) if owner else found


def name_of_row(row: MentionRow) -> Name:
    """Return the parsed name of a person's mention."""
    return parse(row.family_names, row.given_names, row.name_particle, row.name_suffix, row.name or row.alias)


def node_of(row: MentionRow) -> int:
    """Return the number of what a mention is one of: a spelling, an entity or a bot."""
    return spelling_key(name_of_row(row)) if row.kind == "person" else key_of(row.kind, entity_key(row))


def nodes_of_kinds(row: MentionRow) -> tuple[int, ...]:
    """Return the numbers of what a mention would be one of, were it of one kind or another."""
    entity = entity_key(row)
    return spelling_key(name_of_row(row)), key_of("entity", entity), key_of("bot", entity)


def spelling_key(name: Name) -> int:
    """Return the number of a spelling: the same for all names that are said alike, whatever their cut."""
    return number_of("person", f"{name.spoken}\x1f{name.suffix}")


class Spelling(NamedTuple):
    """A written name of persons, with what is counted of it and what its rarity depends on."""

    first: int
    """Its first mention, whose cut into given and family name counts."""
    is_full: bool
    """Whether it has a family name and a first given name written out."""
    coauthor: int
    coauthor_text: str
    digest: int
    """Another one as soon as the name is cut otherwise."""
    counted: array[int]
    """What it adds to the counts of names: a key, then the key with a value, and so on."""
    read: array[int]
    """The keys of the counts that it reads."""
    block: int
    """The block of names that may be one another's; spellings of one block are resolved together."""

    @classmethod
    def of(cls, name: Name, first: int, block: int) -> Spelling:
        """Return the spelling of a parsed name."""
        text = coauthor_key(name)
        cut = repr(_CUT(name)).encode(errors="surrogatepass")
        counted = array("q")
        for key, value in Rarity.counted(name):
            counted.extend((key_of("count", key), number_of("count", f"{key}\x1f{value}")))
        read = array("q", [key_of("count", key) for key in Rarity.read(name)])
        return cls(
            first,
            name.full,
            number_of("coauthor", text),
            text,
            int.from_bytes(hashlib.blake2b(cut, digest_size=8).digest()) >> 1,
            counted,
            read,
            block,
        )


class AuthorList:
    """One list of authors as numbers; its parts are in step with each other, in the order of the list.

    Each part is cut out when it is asked for: kept apart, they would take twice the room.
    """

    __slots__ = ("_numbers", "_others", "_things", "content", "id", "places", "work")

    def __init__(self, id: int, work: int, repository: str, content: int, data: bytes) -> None:  # noqa: A002
        self._numbers = numbers = array("q")
        numbers.frombytes(data)
        self._others = 1 + _PERSON * numbers[0]
        self._things = self._others + 1 + _OTHER * numbers[self._others]
        self.id = id
        self.work = work
        self.places = places_of(repository)
        self.content = content
        """The same as long as the list says the same."""

    def __len__(self) -> int:
        """How many persons it names."""
        return self._numbers[0]

    @property
    def mentions(self) -> array[int]:
        """The mentions of persons."""
        return self._numbers[1 : self._others : _PERSON]

    @property
    def spellings(self) -> array[int]:
        """The spelling of each person."""
        return self._numbers[2 : self._others : _PERSON]

    @property
    def orcids(self) -> array[int]:
        """The iD of each person, 0 for none."""
        return self._numbers[3 : self._others : _PERSON]

    @property
    def positions(self) -> array[int]:
        """The place of each person in the list."""
        return self._numbers[4 : self._others : _PERSON]

    @property
    def other_mentions(self) -> array[int]:
        """The mentions of entities and bots."""
        return self._numbers[self._others + 1 : self._things : _OTHER]

    @property
    def others(self) -> array[int]:
        """The entities and bots."""
        return self._numbers[self._others + 2 : self._things : _OTHER]

    @property
    def other_orcids(self) -> array[int]:
        """The iD of each entity or bot, 0 for none."""
        return self._numbers[self._others + 3 : self._things : _OTHER]

    def things(self, of: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Yield (the value in `of` for a person, a thing of theirs)."""
        found = iter(self._numbers[self._things :])
        return ((of[place], thing) for place, thing in zip(found, found, strict=True))


def pack(rows: Sequence[MentionRow]) -> tuple[int, bytes]:
    """Return (content, data) for an `AuthorList` of the mentions of one list, in its order."""
    numbers, others, things = array("q", [0]), array("q", [0]), array("q")
    for row in rows:
        mention, _, _, position, _, kind, *names, alias, orcid, email, website, affiliation, _ = row
        said = key_of("orcid", orcid) if orcid else 0
        if kind == "person":
            if email or website or alias or affiliation:
                for thing in zip(OWN, (email, website, alias, affiliation), strict=True):
                    if thing[1]:
                        things.extend((numbers[0], thing_of(*thing)))
            numbers[0] += 1
            numbers.extend((mention, _spelling_of(*names, alias), said, position))
        else:
            others[0] += 1
            others.extend((mention, key_of(kind, entity_key(row)), said))
    # All but row numbers, work and place. The keys name the very bytes of the file, and what stands there, so
    # a field that has one of the marks in it makes no other list look like this one.
    text = "\x1e".join(["\x1f".join((row.key, *row[5:-1])) for row in rows])
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> 1, (numbers + others + things).tobytes()


@lru_cache(maxsize=1 << 16)
def _spelling_of(family: str, given: str, particle: str, suffix: str, name: str, alias: str) -> int:
    return spelling_key(parse(family, given, particle, suffix, name or alias))


@lru_cache(maxsize=1 << 15)
def thing_of(kind: str, text: str) -> int:
    """Return the number of an address or affiliation, the same for all that are said alike; remembered."""
    return number_of(kind, said_alike(text))
