"""What a name names: a person, a group of people, a program. Questions only; nothing is changed here.

They are decided by the name, by the iD beside it, and by the title of the work; in doubt the answer is
what the keys of the entry say.
"""

from __future__ import annotations

import re

from .agent_draft import Draft
from .agent_words import (
    ANONYMOUS_WORDS,
    BOT_ENDING,
    BOT_MARK,
    BOT_NAMES,
    HONORIFIC,
    LEGAL_FORM,
    MAYBE_TEAM_WORDS,
    ORGANISATION_WORDS,
    ROLE_WORDS,
    SHORT_LEGAL_FORM,
    TEAM_PARTS,
    TEAM_WORDS,
)
from .folding import fold
from .name_parts import LOWER, UPPER, known_name, looks_like_name, take_suffix

BRACKETED = re.compile(
    r"(?<=\S)\s*(?:\(([^()]*)\)|\[([^\[\]]*)\]|[\"“”„«]([^\"“”„«»]+)[\"”“»]|(?<=\s)['‘]([^'’]+)['’](?!\w))"
)
NUMBER = re.compile(r"(?<=[^\W\d])\s+\d{4}(?=$|,)")
# Two or three words like these without a word of an organisation: in real files, people nearly always.
_PLAIN_WORD = re.compile(rf"[{UPPER}][{LOWER}]{{2,}}")
_COINED = re.compile(
    r"(?:ing|tion|sion|ics|ware|soft|tech|corp|net|ity|ment|sys|labs?|works?|hub|data|base|cloud|logy|graphy"
    r"|matic|media|lights?|minds?|space|point|stack|flow|grid)$"
)
_OF_GROUPS = TEAM_WORDS | MAYBE_TEAM_WORDS | ORGANISATION_WORDS
_INNER_CAPITAL = re.compile(r"[^\W\d_][a-zß-ÿ][A-ZÀ-Þ]")
_CAMEL = re.compile(r"[a-z][A-Z]{2}|[a-z]{2}[A-Z]")
_TURNED = re.compile(r"[^,]+,\s*[^,]+")
_INITIAL = re.compile(r"[^\W\d_]\.")
_SEVERAL = re.compile(r"\s+(?:and|und|et|&)\s+|\s*;\s*|\s+&\s*")


def is_bot(draft: Draft, whole: str, *, one_field: bool) -> bool:
    """Say whether a program is named."""
    if BOT_MARK.search(whole):
        return True
    if draft.orcid:
        return False
    if fold(whole) in BOT_NAMES:
        return True
    found = BOT_ENDING.search(whole) if one_field else None
    return bool(found) and not (found and found[0].startswith(" ") and known_name(whole))


def is_team(draft: Draft, given: str, family: str) -> bool:
    """Say whether a group of people is named, though the keys are those of a person."""
    whole = f"{given} {family}".strip()
    bare = BRACKETED.sub("", whole)
    words = fold(bare).split()
    if not words:
        return False
    team = [word for word in words if word in TEAM_WORDS]
    if TEAM_PARTS.search(bare) and not draft.orcid:
        return True
    if given and family:
        return _is_team_in_two_fields(draft, given, family, words, team)
    if draft.orcid and looks_like_name(bare) and len(words) > 1 and words[-1] not in TEAM_WORDS:
        return False
    if team:
        return not (draft.orcid and known_name(bare))
    if LEGAL_FORM.search(bare) or SHORT_LEGAL_FORM.search(bare):
        return True
    if _is_titled(draft, words) or _is_anonymous(words):
        return True
    if len(words) < 2 or draft.orcid:
        return False
    if _has_phrase_word(bare):
        return not several_people(bare)
    weak = sum(word in MAYBE_TEAM_WORDS or word in ORGANISATION_WORDS for word in words)
    last = words[-1] in MAYBE_TEAM_WORDS and not known_name(bare)
    return words[0] == "the" or last or weak > 1


def _is_team_in_two_fields(draft: Draft, given: str, family: str, words: list[str], team: list[str]) -> bool:
    own = fold(family).split()
    named = is_given_names(draft, given)
    if team:
        if len(own) == 1 and own[0] in TEAM_WORDS and named:
            # A person called Team is possible, one called Contributors is not.
            return not (draft.orcid or (own[0] == "team" and known_name(given)))
        return True
    if LEGAL_FORM.search(family) and not draft.orcid:
        return True
    if draft.orcid:
        return False
    if _is_titled(draft, words) or _is_anonymous(words):
        return True
    if words[0] == "the" and not known_name(family):
        return True
    if own and own[-1] in MAYBE_TEAM_WORDS:
        return not named
    return _has_phrase_word(family) and not named and not several_people(f"{given} {family}")


def is_given_names(draft: Draft, text: str) -> bool:
    """Say whether `text` could be somebody's given names: up to three words, none of the title."""
    words = fold(text).split()
    if not looks_like_name(text) or len(words) > 3:
        return False
    if not _OF_GROUPS.isdisjoint(words):
        return False
    inner = _INNER_CAPITAL.search(text) or (len(text) > 3 and text.isupper() and "." not in text)
    return not inner and not set(words) & set(fold(draft.title).split())


def _is_titled(draft: Draft, words: list[str]) -> bool:
    return bool(draft.title) and " ".join(words) == fold(draft.title)


def names_person(draft: Draft, name: str) -> bool:
    """Say whether `name`, given as an entity, is the name of one person; in doubt it is not."""
    bare = NUMBER.sub("", HONORIFIC.sub("", BRACKETED.sub("", name)))
    words = fold(bare).split()
    if len(words) > 1 and not _OF_GROUPS.isdisjoint(words):
        return False
    if len(words) < 2 or not looks_like_name(take_suffix(bare)[0]) or _is_titled(draft, words):
        return (
            bool(draft.orcid)
            and bool(_PLAIN_WORD.fullmatch(bare))
            and words[0] not in TEAM_WORDS
            and not _is_titled(draft, words)
        )
    if LEGAL_FORM.search(bare) or _has_phrase_word(bare) or TEAM_PARTS.search(bare) or _is_anonymous(words):
        return False
    if draft.fields.get("orcid", "").strip() or draft.orcid:
        return True
    if SHORT_LEGAL_FORM.search(bare) or _CAMEL.search(bare):
        return False
    if _TURNED.fullmatch(bare) and len(words) <= 5:
        return True
    plain = bare.split()
    return bool(
        known_name(bare)
        or draft.affiliation
        or any(_INITIAL.fullmatch(word) for word in plain[:-1])
        or {"van", "von", "der", "den", "bin", "ibn", "ter"} & set(plain[1:-1])
        or (draft.email and _is_of(draft.email, words))
        or (len(plain) in (2, 3) and all(_PLAIN_WORD.fullmatch(w) and not _COINED.search(w) for w in plain))
    )


def _has_phrase_word(text: str) -> bool:
    """Words that join the parts of a title, never those of one person's name."""
    return (
        bool({"of", "for", "and", "&", "für", "und"} & set(text.split()[1:])) and " von und zu " not in text
    )


def several_people(text: str) -> bool:
    """Say whether `text` names two people or more, each with a whole name."""
    sides = _SEVERAL.split(text)
    return len(sides) > 1 and all(
        " " in side and looks_like_name(side) and _OF_GROUPS.isdisjoint(fold(side).split()) for side in sides
    )


def _is_anonymous(words: list[str]) -> bool:
    return words[0] in ANONYMOUS_WORDS and all(word in ROLE_WORDS for word in words[1:])


def _is_of(email: str, words: list[str]) -> bool:
    """Say whether the local part of the address names the same person, as in ada.quill@ or aquill@."""
    local = fold(email.partition("@")[0]).replace(" ", "")
    first, last = words[0], words[-1]
    return local in (first + last, last + first, first[0] + last, last + first[0], first + last[0])
