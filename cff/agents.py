"""Whom an entry of an author list means: a person, an entity or a bot, and by which names.

People put teams under `family-names`, persons under `name`, whole names into one field. `interpret`
says what was meant, and each repair by a finding; what was written stays with the caller. It
decides by the entry and the title of its work alone, so where only knowledge of the world would tell,
the entry means what its keys say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from .agent_draft import Agent, Draft, Finding, Meaning, details
from .agent_kinds import is_bot, is_team, names_person
from .agent_repairs import drop_placeholders, repair, take_fields, take_out_addresses, take_out_extras
from .agent_words import (
    ANONYMOUS_WORDS,
    BOT_NAMES,
    MAYBE_TEAM_WORDS,
    NOTHING_WORDS,
    OTHERS,
    PARTICLES,
    PLACEHOLDERS,
    TEAM_WORDS,
)
from .folding import fold
from .name_parts import LOWER, UPPER, split_whole, take_particle

__all__ = ["Agent", "Finding", "interpret", "meaning"]


def interpret(fields: Mapping[str, str], *, title: str = "") -> Agent:
    """Return whom the entry `fields` (keys of CFF's person or entity, values as written) means.

    `title` is that of the work: an entry named like it is an entity. An entry without any name comes
    back as a person without names, with the finding `empty-name`. A wrong iD is left out, and named.

    >>> interpret({"family-names": "PyTorch Team"}).name
    'PyTorch Team'
    >>> agent = interpret({"name": "Jiri Borovec"})
    >>> agent.kind, agent.given_names, agent.family_names, agent.findings[0].code
    ('person', 'Jiri', 'Borovec', 'person-as-entity')
    """
    return Agent(*meaning(fields, title))


def meaning(fields: Mapping[str, str], title: str) -> Meaning:
    """Return what `interpret` returns, as a bare tuple: the reader makes a mention of it at once."""
    return _as_it_says(fields, title) or _as_it_means(fields, title)


# -- The short way: an entry that means what it says -----------------------------------------------

# Given names, a line end, family names: words with a capital, initials only among the given names.
_ORDINARY = re.compile(
    rf"[{UPPER}](?:\.|[{LOWER}{UPPER}]+)(?:[ -][{UPPER}](?:\.|[{LOWER}{UPPER}]*))*"
    rf"\n[{UPPER}][{LOWER}{UPPER}]+(?:[ -][{UPPER}][{LOWER}{UPPER}]+)*"
)


def _clues(phrases: Iterable[str]) -> set[str]:
    """Return one word of each phrase, the longest: a name without it is not that phrase."""
    return {max(phrase.split(), key=len) for phrase in phrases}


# Without one of these (folded, as their tables are) an ordinary name is that of a person, and has
# neither a title before it nor a suffix behind it.
_TELLING_WORDS = (
    TEAM_WORDS
    | MAYBE_TEAM_WORDS
    | ANONYMOUS_WORDS
    | {"the"}
    | _clues(phrase for phrase in BOT_NAMES | OTHERS if " " in phrase)
    | _clues(PLACEHOLDERS | NOTHING_WORDS - {"n a"})
    | set("jr sr jnr snr ii iii iv vi vii viii phd ph md msc esq dr prof professor mr mrs ms".split())
    | set("ggmbh gmbh mbh inc ltd llc llp plc pty corp kgaa ohg sarl oyj co".split())
)


def _as_it_says(fields: Mapping[str, str], title: str) -> Meaning | None:
    """Return an ordinary person under the right keys; None for any other entry.

    The long way reads such an entry the same. This one is here for speed: nineteen of twenty entries end
    here, in a tenth of the time.
    """
    get = fields.get
    family, given = get("family-names"), get("given-names")
    if not family or not given:
        return None
    particle = ""
    bare = len(fields) == 2
    if not bare:
        if "name" in fields or "name-suffix" in fields:
            return None
        particle = get("name-particle", "")
        if particle and not PARTICLES.issuperset(particle.split(" ")):
            return None
    length = _ordinary(given, family)
    if not length:
        if particle:
            return None
        particle, family = take_particle(family)
        if not particle or not _ordinary(given, family):
            return None
    # To fold every title would cost more than all this: one that is as long as the name is looked at.
    if (particle or len(title) == length) and fold(title) == fold(f"{given} {particle} {family}"):
        return None
    if bare:
        return "person", family, given, particle, "", "", "", "", "", "", "", ()
    alias, orcid, email, website, affiliation, wrong = details(fields)
    return "person", family, given, particle, "", "", alias, orcid, email, website, affiliation, wrong


@lru_cache(maxsize=65536)  # who wrote a program most often wrote its paper, and the next version
def _ordinary(given: str, family: str) -> int:
    """Return the length of an ordinary name, 0 for any other."""
    name = f"{given}\n{family}"
    if not _ORDINARY.fullmatch(name) or given in family:
        return 0
    words = (name.lower() if name.isascii() else fold(name)).replace("-", " ").split()
    return len(name) if _TELLING_WORDS.isdisjoint(words) else 0


# -- The long way: what an entry means -------------------------------------------------------------


def _as_it_means(fields: Mapping[str, str], title: str) -> Agent:
    draft = Draft(fields, title)
    draft.alias, draft.orcid, draft.email, draft.website, draft.affiliation, wrong = details(fields)
    take_fields(draft)
    draft.findings += wrong
    drop_placeholders(draft)
    for part in ("family", "given", "name"):
        take_out_addresses(draft, part)
    if draft.family or draft.given:
        return _by_keys_of_person(draft)
    return _by_keys_of_entity(draft) if draft.name else _nameless(draft)


def _nameless(draft: Draft) -> Agent:
    """An alias alone names its bearer; without it there is nobody."""
    if not draft.alias:
        draft.note(
            "empty-name",
            "an entry without a name: write `family-names` and `given-names`, or `name`, or take it out",
            severity="warning",
        )
    elif is_bot(draft, draft.alias, one_field=True):
        return draft.bot(draft.alias)
    elif not draft.orcid and is_team(draft, "", draft.alias):
        return draft.entity(draft.alias)
    return draft.person()


def _by_keys_of_person(draft: Draft) -> Agent:
    """The entry has a person's keys: is it one?"""
    whole = " ".join(filter(None, (draft.given, draft.particle, draft.family)))
    one_field = not (draft.given and draft.family)
    key = "family-names" if draft.family else "given-names"
    if fold(whole) in OTHERS and not draft.orcid:
        draft.family = draft.given = draft.particle = draft.suffix = draft.alias = ""
        return _nobody(draft, whole, key)
    if is_bot(draft, whole, one_field=one_field):
        return draft.bot(whole)
    if is_team(draft, draft.given, " ".join(filter(None, (draft.particle, draft.family)))):
        if fold(draft.given) in TEAM_WORDS and draft.family and fold(draft.family) not in TEAM_WORDS:
            whole = f"{draft.family} {draft.given}"  # `family-names: Lumen`, `given-names: Team`
        message = f"`{whole}` is not a person: write `name: {whole}` instead of the keys of a person"
        draft.note("team-as-person", message, key)
        return draft.entity(" ".join(filter(None, (whole, draft.suffix))))
    repair(draft)
    return draft.person()


def _by_keys_of_entity(draft: Draft) -> Agent:
    """The entry has a `name`: is it an entity?"""
    name = draft.name
    if fold(name) in OTHERS:
        draft.name = draft.alias = ""
        return _nobody(draft, name, "name")
    if is_bot(draft, name, one_field=True):
        return draft.bot(name)
    if not names_person(draft, name):
        return draft.entity(name)
    draft.name, draft.family = "", name
    take_out_extras(draft, "family")
    draft.given, draft.particle, draft.family, draft.suffix = split_whole(draft.family)
    message = f"`{name}` is a person: write {draft.as_keys()} instead of `name`"
    draft.note("person-as-entity", message, "name")
    return draft.person()


def _nobody(draft: Draft, phrase: str, key: str) -> Agent:
    message = f"`{phrase}` stands for people without naming them: name them, or take the entry out"
    draft.note("empty-name", message, key, "warning")
    return draft.person()
