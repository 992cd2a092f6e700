"""Repairs of a name: what is in the wrong field goes to the right one, what is no name goes out.

Each function works on a `Draft` and notes what it did.
"""

from __future__ import annotations

import re

from .agent_draft import EMAIL, KEYS, Draft
from .agent_kinds import BRACKETED, NUMBER, several_people
from .agent_words import GIVEN_NAMES, HONORIFIC, NOTHING_WORDS, PARTICLES, PLACEHOLDERS
from .folding import fold, latin
from .identifiers import orcid, url
from .name_parts import clean, split_whole, take_last_particle, take_particle, take_suffix

_NO_NAMES = PLACEHOLDERS | NOTHING_WORDS
_URL = re.compile(r"<?\b(?:https?://|www\.)[^\s<>]+>?")
_HANDLE = re.compile(r"(?:^|(?<=[\s(]))@([\w-]+(?:\.[\w-]+)*)")
_ODD = re.compile(r"[^\w\s.'’-]|\d|_|\s'|^[A-Z][a-z]+\.|^(?:Prof|Dr|Mrs?|Ms|Professor)\s")
_ROLE = re.compile(
    r"(?i)(?:eds?|editors?|authors?|maintainers?|leads?|main.*|creators?|deceased|he|she|they|PI|ret)\b.*"
)
_MARKS = re.compile(r"(?<=\w)[.,]?\s*[*†‡§¶#⁰¹²³⁴-⁹]+$|[\s,;:/|]+$|^[\s,;:/|]+")
_USER_NAME = re.compile(r"(?=.*[\d_])[A-Za-z0-9][\w-]*", re.ASCII)
_INITIAL_FIRST = re.compile(r"([^\W\d_]\.|[ABCFGHIJKPQRSUVWXZ])\s+(?=\w{2})")


def take_fields(draft: Draft) -> None:
    """Take the parts of the name from the fields of the entry: clean, without placeholders and addresses."""
    for part, key in KEYS.items():
        if not (written := draft.fields.get(key)):
            continue
        text, bad = clean(written)
        setattr(draft, part, text)
        if bad:
            draft.note(
                "bad-character",
                f"characters that belong to no name in `{key}`: read as {text!r}",
                key,
                "warning",
            )


def drop_placeholders(draft: Draft) -> None:
    """Empty the fields that hold nothing: `-`, `<your name>`, `null` where there is no other name."""
    for part in KEYS:
        text = getattr(draft, part)
        if text and (not fold(text) or (text[0] in "<{" and text[-1] in ">}")):
            setattr(draft, part, "")
    names = [text for text in (draft.family, draft.given, draft.name) if text]
    if names and all(fold(text) in _NO_NAMES for text in names):
        draft.family = draft.given = draft.name = ""


def take_out_addresses(draft: Draft, part: str) -> None:
    """Move an e-mail address, a URL, an iD and an @user out of a name to where they belong."""
    text = getattr(draft, part)
    if not text or not ("@" in text or "://" in text or "www." in text or "orcid" in text.lower()):
        return
    key = KEYS[part]
    if found := EMAIL.search(text):
        draft.email = draft.email or found[1].lower()
        text = re.sub(r"\s*[<(\[]?\s*" + re.escape(found[0]) + r"\s*[>)\]]?", " ", text).strip()
        draft.note("bad-character", f"an e-mail address in `{key}`: it belongs in `email`", key)
        if not (text or draft.alias or (draft.family and draft.given)):
            draft.alias = found[1].partition("@")[0]
    if found := _URL.search(text):
        address = found[0].strip("<>")
        if "orcid.org" in address:
            draft.orcid = draft.orcid or orcid(address) or ""
        else:
            draft.website = draft.website or url(address) or ""
        text = text.replace(found[0], " ").strip()
        draft.note("bad-character", f"an address in `{key}`: it belongs in `website`", key)
    if found := _HANDLE.search(text):
        draft.alias = draft.alias or found[1]
        text = (text[: found.start()] + text[found.end() :]).replace("()", "").strip()
        draft.note("bad-character", f"a user name in `{key}`: it belongs in `alias`", key)
    setattr(draft, part, " ".join(text.split()))


def take_out_extras(draft: Draft, part: str) -> None:
    """Take nicknames, roles, titles, dblp's numbers and footnote marks out of a field."""
    text = getattr(draft, part)
    if not text or not _ODD.search(text):
        return
    key = KEYS[part]
    if text[0] == text[-1] and text[0] in "\"'" and len(text) > 2:
        text = text[1:-1].strip()
    for found in BRACKETED.finditer(text):
        inner = next((group for group in found.groups() if group is not None), "").strip()
        if inner and not _ROLE.fullmatch(inner) and not draft.alias and "," not in inner:
            draft.alias = inner
    plain = NUMBER.sub("", HONORIFIC.sub("", BRACKETED.sub(" ", text)))
    plain = " ".join(_MARKS.sub("", plain).split())
    if plain and plain != text:
        message = f"read `{key}` as {plain!r}: what else stands there is no part of the name"
        draft.note("bad-character", message, key)
        setattr(draft, part, plain)


def repair_two_fields(draft: Draft) -> None:
    """Move particle, suffix and initial between the fields of somebody who has both."""
    given, family = draft.given, draft.family
    if " " in given and (family == given or family.startswith(given + " ")):
        # The whole name in family-names, and the given names once more.
        parts = split_whole(family)
        if family == given or parts.given_names == given:
            given, family = (
                parts.given_names,
                " ".join(filter(None, (parts.name_particle, parts.family_names))),
            )
            draft.suffix = draft.suffix or parts.name_suffix
    if "," in family:
        front, suffix = take_suffix(family)
        first, _, rest = front.partition(",")
        if not suffix and fold(rest) == fold(given):
            front = first.strip()
        family, draft.suffix = front, draft.suffix or suffix
    for text in (family, given):
        front, suffix = take_suffix(text)
        if suffix and not draft.suffix:
            draft.suffix = suffix
            family, given = (front, given) if text is family else (family, front)
    if draft.particle and not set(draft.particle.split()) <= PARTICLES | {p.title() for p in PARTICLES}:
        # A middle name or initial under name-particle, as many files have it.
        given, draft.particle = f"{given} {draft.particle}", ""
    given, inner = take_last_particle(given)
    outer, family = take_particle(family)
    found = " ".join(filter(None, (inner, outer)))
    if found and found != draft.particle:
        draft.particle = " ".join(filter(None, (draft.particle, found)))
    if initial := _INITIAL_FIRST.match(family):
        given, family = f"{given} {initial[1]}", family[initial.end() :]
    draft.given, draft.family = given, family


def repair_one_field(draft: Draft) -> None:
    """Split a whole name that stands in one field; a single name stays where it is."""
    text = draft.family or draft.given
    if " " not in text and "," not in text:
        if not draft.alias and _USER_NAME.fullmatch(text):
            key = "family-names" if draft.family else "given-names"
            draft.note("bad-character", f"a user name in `{key}`: it belongs in `alias`", key)
            draft.alias, draft.family, draft.given = text, "", ""
        return
    if "," in text and text.count(",") > 2:
        return
    parts = split_whole(text)
    if draft.given and not parts.given_names:
        return
    if (
        draft.given
        and "," not in text
        and len(text.split()) == 2
        and latin(parts.family_names) in GIVEN_NAMES
    ):
        return  # `given-names: Anna Maria` is more likely two given names than a whole one
    draft.given, draft.family = parts.given_names, parts.family_names
    draft.particle = draft.particle or parts.name_particle
    draft.suffix = draft.suffix or parts.name_suffix


def repair(draft: Draft) -> None:
    """Bring each part of the name to its field."""
    take_out_extras(draft, "family")
    take_out_extras(draft, "given")
    if several_people(f"{draft.given} {draft.family}".strip()):
        key = "family-names" if draft.family else "given-names"
        draft.note("name-repaired", "several people in one entry, kept as one: write an entry for each", key)
        return
    before = draft.parts()
    two_fields = bool(draft.given and draft.family)
    if two_fields:
        repair_two_fields(draft)
    else:
        repair_one_field(draft)
    after = draft.parts()
    # `van Holt` in family-names is good CFF: a move that leaves the name as it is said needs no mend.
    as_said = two_fields and fold(" ".join(before)) == fold(" ".join(after))
    if before != after and not as_said and (after.given_names or after.family_names):
        key = "family-names" if before.family_names != after.family_names else "given-names"
        draft.note("name-repaired", f"read as {draft.as_keys()}", key)
