"""Author lists as numbers: what the counts and the plan of a run need of a mention, without its text.

A list is read once, when it is new. What its mentions are called, and what they could share with others, is
kept as numbers made of content (63 bits of BLAKE2), so that a later run counts millions of mentions without
folding a name again. The same text has the same number on every machine.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from .entities import entity_key
from .evidence import Rarity
from .mentions import MentionRow
from .names import Name, parse, soften

KINDS = ("person", "entity", "bot", "email", "website", "alias", "affiliation", "repository", "owner", "work",
         "place", "coauthor")  # fmt: skip
"""What a number can name; its last four bits say which."""

_CODE = {kind: code for code, kind in enumerate(KINDS)}
_OWN = ("email", "website", "alias", "affiliation")
_PERSON, _OTHER = 4, 3
_NONE = array("q")


@lru_cache(maxsize=1 << 17)
def key_of(kind: str, text: str) -> int:
    """Return the number of a text, another one for each kind of thing.

    >>> key_of("email", "a@b.example") == key_of("email", "a@b.example") != key_of("alias", "a@b.example")
    True
    """
    digest = hashlib.blake2b(
        text.encode(errors="surrogatepass"), digest_size=8, person=kind.encode()
    ).digest()
    return int.from_bytes(digest) >> 5 << 4 | _CODE.get(kind, 15)


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
    return key_of("person", f"{name.spoken}\x1f{name.suffix}")


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
        digest = hashlib.blake2b(repr(name).encode(errors="surrogatepass"), digest_size=8).digest()
        counted = array("q")
        for key, value in Rarity.counted(name):
            counted.extend((key_of("count", key), key_of("count", f"{key}\x1f{value}")))
        read = array("q", [key_of("count", key) for key in Rarity.read(name)])
        return cls(
            first,
            name.full,
            key_of("coauthor", text),
            text,
            int.from_bytes(digest) >> 1,
            counted,
            read,
            block,
        )


class AuthorList:
    """One list of authors as numbers; its parts are in step with each other, in the order of the list."""

    __slots__ = (
        "content", "id", "mentions", "orcids", "other_mentions", "other_orcids", "others", "places",
        "positions", "spellings", "things_of", "work",
    )  # fmt: skip

    def __init__(self, id: int, work: int, repository: str, content: int, data: bytes) -> None:  # noqa: A002
        numbers = array("q")
        numbers.frombytes(data)
        self.id = id
        self.work = work
        self.places = places_of(repository)
        self.content = content
        """The same as long as the list says the same."""
        persons = 1 + _PERSON * numbers[0]
        others = persons + 1 + _OTHER * numbers[persons]
        self.mentions = numbers[1:persons:_PERSON]
        self.spellings = numbers[2:persons:_PERSON]
        self.orcids = numbers[3:persons:_PERSON]
        self.positions = numbers[4:persons:_PERSON]
        several = others > persons + 1
        self.other_mentions = numbers[persons + 1 : others : _OTHER] if several else _NONE
        self.others = numbers[persons + 2 : others : _OTHER] if several else _NONE
        """The entities and bots."""
        self.other_orcids = numbers[persons + 3 : others : _OTHER] if several else _NONE
        self.things_of = numbers[others:] if len(numbers) > others else _NONE

    def things(self, of: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Yield (the value in `of` for a person, a thing of theirs)."""
        found = self.things_of
        for i in range(0, len(found), 2):
            yield of[found[i]], found[i + 1]


def pack(rows: Sequence[MentionRow]) -> tuple[int, bytes]:
    """Return (content, data) for an `AuthorList` of the mentions of one list, in its order."""
    persons = [row for row in rows if row.kind == "person"]
    others = [row for row in rows if row.kind != "person"]
    numbers = array("q", [len(persons)])
    for row in persons:
        numbers.extend((row.id, node_of(row), _orcid(row), row.position))
    numbers.append(len(others))
    for row in others:
        numbers.extend((row.id, node_of(row), _orcid(row)))
    numbers.extend(
        chain.from_iterable((i, thing) for i, row in enumerate(persons) for thing in own_things(row))
    )
    said = repr([(row.key, *row[5:-1]) for row in rows])  # all but row numbers, work and place
    digest = hashlib.blake2b(said.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> 1, numbers.tobytes()


def own_things(row: MentionRow) -> list[int]:
    """Return the things of one mention that others could share: addresses, affiliation."""
    return [key_of(kind, said_alike(text)) for kind in _OWN if (text := getattr(row, kind))]


def _orcid(row: MentionRow) -> int:
    return key_of("orcid", row.orcid) if row.orcid else 0
