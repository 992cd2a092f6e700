"""Whom an entry of an author list means: a person, an entity or a bot, and by which names.

People put teams under `family-names`, persons under `name`, whole names into one field. `interpret`
says what was meant, and each repair by a finding; what was written stays with the caller. It
decides by the entry and the title of its work alone, so where only knowledge of the world would tell,
the entry means what its keys say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .agent_words import (
    ANONYMOUS_WORDS,
    BOT_ENDING,
    BOT_MARK,
    BOT_NAMES,
    GIVEN_NAMES,
    HONORIFIC,
    LEGAL_FORM,
    MAYBE_TEAM_WORDS,
    NOTHING_WORDS,
    ORGANISATION_WORDS,
    OTHERS,
    PARTICLES,
    PLACEHOLDERS,
    ROLE_WORDS,
    SHORT_LEGAL_FORM,
    TEAM_PARTS,
    TEAM_WORDS,
)
from .folding import fold, latin
from .identifiers import check_orcid, orcid, url
from .name_parts import (
    NameParts,
    clean,
    known_name,
    looks_like_name,
    split_whole,
    take_last_particle,
    take_particle,
    take_suffix,
)
from .records import AgentKind, Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an entry says otherwise than it means, or that is wrong in it."""

    code: str
    """team-as-person, person-as-entity, empty-name, bad-orcid, bad-character, name-repaired or bot."""
    severity: Severity
    """warning: something was lost or is in doubt; note: repaired, and nothing is lost."""
    message: str
    key: str = ""
    """The CFF key that it is about; empty for the entry as a whole."""


class Agent(NamedTuple):
    """Whom an entry means. The fields are those of `records.Mention`, cleaned for showing."""

    kind: AgentKind
    family_names: str = ""
    given_names: str = ""
    name_particle: str = ""
    name_suffix: str = ""
    name: str = ""
    alias: str = ""
    orcid: str = ""
    email: str = ""
    website: str = ""
    affiliation: str = ""
    findings: tuple[Finding, ...] = ()


_LOWER = "a-zß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıķĺļľŀłńņňōŏőŕŗřśŝşţťŧũūŭůűųŵŷźżž"
_UPPER = "A-ZÀÁÄ-ÖØ-ÞĆČĎĐĘĚĞİŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽ"
_ORDINARY_NAME = re.compile(rf"[{_UPPER}][{_LOWER}{_UPPER}]+(?:[ -][{_UPPER}][{_LOWER}{_UPPER}]+)*")
_ORDINARY_GIVEN_NAMES = re.compile(
    rf"[{_UPPER}](?:\.|[{_LOWER}{_UPPER}]+)(?:[ -][{_UPPER}](?:\.|[{_LOWER}{_UPPER}]*))*"
)
_TELLING_WORDS = (
    TEAM_WORDS
    | MAYBE_TEAM_WORDS
    | ORGANISATION_WORDS
    | ANONYMOUS_WORDS
    | ROLE_WORDS
    | {word for phrase in OTHERS | PLACEHOLDERS | NOTHING_WORDS for word in phrase.split()}
    | set("jr sr jnr snr ii iii iv vi vii viii phd md msc esq dr prof professor mr mrs ms dipl ing".split())
    | set("inc ltd llc llp plc corp gmbh mbh ag sa ab as se kg bv nv sl spa sas srl oy aps bot".split())
)


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
    get = fields.get
    family, given, particle = get("family-names", ""), get("given-names", ""), get("name-particle", "")
    if family and not particle and family[0].islower():
        particle, family = take_particle(family)
    if (
        family
        and given
        and _ORDINARY_NAME.fullmatch(family)
        and _ORDINARY_GIVEN_NAMES.fullmatch(given)
        and not (
            get("name") or get("name-suffix") or (particle and not PARTICLES.issuperset(particle.split(" ")))
        )
        and _TELLING_WORDS.isdisjoint(_words(f"{given} {family}"))
        and not (
            given in family or (len(title) == len(given) + len(family) + 1 and title == f"{given} {family}")
        )
    ):
        details = _details(fields)
        return Agent("person", family, given, particle, "", "", *details)
    return _Entry(fields, title).agent()


def _words(text: str) -> list[str]:
    return text.lower().replace("-", " ").split() if text.isascii() else fold(text).split()


_EMAIL = re.compile(
    r"(?:mailto:)?\s*([^\s@<>()\[\],;:\"]+@[^\s@<>()\[\],;:\"]+\.[^\s@<>()\[\],;:\".]+)", re.IGNORECASE
)


def _details(fields: Mapping[str, str]) -> tuple[str, str, str, str, str, tuple[Finding, ...]]:
    """Alias, iD, e-mail address, website and affiliation, and what is wrong with them."""
    get = fields.get
    alias, written, email, website = get("alias", ""), get("orcid", ""), get("email", ""), get("website", "")
    affiliation, found = get("affiliation", ""), ""
    findings: tuple[Finding, ...] = ()
    if alias:
        alias = clean(alias)[0].removeprefix("@")
    if email:
        match = _EMAIL.search(email)
        email = match[1].lower() if match else ""
    if website:
        website = url(website) or ""
        if not written and "orcid.org" in website:
            found = orcid(website) or ""
    if affiliation:
        affiliation = clean(affiliation)[0]
    if written and not written.isspace():
        found, reason = check_orcid(written)
        if reason:
            findings = (Finding("bad-orcid", "note", f"`{clean(written)[0]}` {reason}", "orcid"),)
    return alias, found, email, website, affiliation, findings


_KEYS = {
    "family": "family-names",
    "given": "given-names",
    "particle": "name-particle",
    "suffix": "name-suffix",
}
_ODD = re.compile(r"[^\w\s.'’-]|\d|_|\s'|^[A-Z][a-z]+\.|^(?:Prof|Dr|Mrs?|Ms|Professor)\s")
_URL = re.compile(r"<?\b(?:https?://|www\.)[^\s<>]+>?")
_HANDLE = re.compile(r"(?:^|(?<=[\s(]))@([\w-]+(?:\.[\w-]+)*)")
_BRACKETED = re.compile(
    r"(?<=\S)\s*(?:\(([^()]*)\)|\[([^\[\]]*)\]|[\"“”„«]([^\"“”„«»]+)[\"”“»]|(?<=\s)['‘]([^'’]+)['’](?!\w))"
)
_ROLE = re.compile(
    r"(?i)(?:eds?|editors?|authors?|maintainers?|leads?|main.*|creators?|deceased|he|she|they|PI|ret)\b.*"
)
_NUMBER = re.compile(r"(?<=[^\W\d])\s+\d{4}(?=$|,)")
_MARKS = re.compile(r"(?<=\w)[.,]?\s*[*†‡§¶#⁰¹²³⁴-⁹]+$|[\s,;:/|]+$|^[\s,;:/|]+")
_USER_NAME = re.compile(r"(?=.*[\d_])[A-Za-z0-9][\w-]*", re.ASCII)
# Two or three words like these without a word of an organisation: in real files, people nearly always.
_PLAIN_WORD = re.compile(rf"[{_UPPER}][{_LOWER}]{{2,}}")
_COINED = re.compile(
    r"(?:ing|tion|sion|ics|ware|soft|tech|corp|net|ity|ment|sys|labs?|works?|hub|data|base|cloud|logy|graphy"
    r"|matic|media|lights?|minds?|space|point|stack|flow|grid)$"
)
_SEVERAL = re.compile(r"\s+(?:and|und|et|&)\s+|\s*;\s*|\s+&\s*")
_INITIAL_FIRST = re.compile(r"([^\W\d_]\.|[ABCFGHIJKPQRSUVWXZ])\s+(?=\w{2})")


@dataclass(slots=True)
class _Entry:
    """An entry on its way to an agent: what the fields say so far, and what was found."""

    fields: Mapping[str, str]
    title: str
    family: str = ""
    given: str = ""
    particle: str = ""
    suffix: str = ""
    name: str = ""
    alias: str = ""
    orcid: str = ""
    email: str = ""
    website: str = ""
    affiliation: str = ""
    findings: list[Finding] = field(default_factory=list)

    def agent(self) -> Agent:
        """Return the agent."""
        self.alias, self.orcid, self.email, self.website, self.affiliation, wrong = _details(self.fields)
        for part in ("family", "given", "particle", "suffix", "name"):
            key = _KEYS.get(part, part)
            text, bad = clean(self.fields.get(key, ""))
            setattr(self, part, text)
            if bad:
                self.note(
                    "bad-character",
                    f"characters that belong to no name in `{key}`: read as {text!r}",
                    key,
                    "warning",
                )
        self.findings.extend(wrong)
        self.drop_placeholders()
        for part in ("family", "given", "name"):
            self.take_out_addresses(part)
        if self.family or self.given:
            return self.person_by_keys()
        return self.entity_by_keys() if self.name else self.nameless()

    def note(self, code: str, message: str, key: str = "", severity: Severity = "note") -> None:
        """Add a finding."""
        self.findings.append(Finding(code, severity, message, key))

    def drop_placeholders(self) -> None:
        """Empty the fields that hold nothing: `-`, `<your name>`, `null` where there is no other name."""
        for part in ("family", "given", "particle", "suffix", "name"):
            text = getattr(self, part)
            if text and (not fold(text) or (text[0] in "<{" and text[-1] in ">}")):
                setattr(self, part, "")
        names = [fold(text) for text in (self.family, self.given, self.name) if text]
        if names and all(n in PLACEHOLDERS or n in NOTHING_WORDS for n in names):
            self.family = self.given = self.name = ""

    def take_out_addresses(self, part: str) -> None:
        """Move an e-mail address, a URL, an iD and an @user out of a name to where they belong."""
        text = getattr(self, part)
        if not text or not ("@" in text or "://" in text or "www." in text or "orcid" in text.lower()):
            return
        key = _KEYS.get(part, part)
        if found := _EMAIL.search(text):
            self.email = self.email or found[1].lower()
            text = re.sub(r"\s*[<(\[]?\s*" + re.escape(found[0]) + r"\s*[>)\]]?", " ", text).strip()
            self.note("bad-character", f"an e-mail address in `{key}`: it belongs in `email`", key)
            if not (text or self.alias or (self.family and self.given)):
                self.alias = found[1].partition("@")[0]
        if found := _URL.search(text):
            address = found[0].strip("<>")
            if "orcid.org" in address:
                self.orcid = self.orcid or orcid(address) or ""
            else:
                self.website = self.website or url(address) or ""
            text = text.replace(found[0], " ").strip()
            self.note("bad-character", f"an address in `{key}`: it belongs in `website`", key)
        if found := _HANDLE.search(text):
            self.alias = self.alias or found[1]
            text = (text[: found.start()] + text[found.end() :]).replace("()", "").strip()
            self.note("bad-character", f"a user name in `{key}`: it belongs in `alias`", key)
        setattr(self, part, " ".join(text.split()))

    # Which kind

    def nameless(self) -> Agent:
        """An alias alone names its bearer; without it there is nobody."""
        if not self.alias:
            self.note(
                "empty-name",
                "an entry without a name: write `family-names` and `given-names`, or `name`, or take it out",
                severity="warning",
            )
        elif self.is_bot(self.alias, one_field=True):
            return self.bot(self.alias)
        elif not self.orcid and self.is_team("", self.alias):
            return self.entity(self.alias)
        return self.person()

    def person_by_keys(self) -> Agent:
        """The entry has a person's keys: is it one?"""
        whole = " ".join(filter(None, (self.given, self.particle, self.family)))
        one_field = not (self.given and self.family)
        key = "family-names" if self.family else "given-names"
        if fold(whole) in OTHERS and not self.orcid:
            self.family = self.given = self.particle = self.suffix = self.alias = ""
            message = f"`{whole}` stands for people without naming them: name them, or take the entry out"
            self.note("empty-name", message, key, "warning")
            return self.person()
        if self.is_bot(whole, one_field=one_field):
            return self.bot(whole)
        if self.is_team(self.given, " ".join(filter(None, (self.particle, self.family)))):
            if fold(self.given) in TEAM_WORDS and self.family and fold(self.family) not in TEAM_WORDS:
                whole = f"{self.family} {self.given}"  # `family-names: Lumen`, `given-names: Team`
            message = f"`{whole}` is not a person: write `name: {whole}` instead of the keys of a person"
            self.note("team-as-person", message, key)
            return self.entity(" ".join(filter(None, (whole, self.suffix))))
        self.repair()
        return self.person()

    def entity_by_keys(self) -> Agent:
        """The entry has a `name`: is it an entity?"""
        name = self.name
        if fold(name) in OTHERS:
            self.name = self.alias = ""
            message = f"`{name}` stands for people without naming them: name them, or take the entry out"
            self.note("empty-name", message, "name", "warning")
            return self.person()
        if self.is_bot(name, one_field=True):
            return self.bot(name)
        if not self.names_person(name):
            return self.entity(name)
        self.name, self.family = "", name
        self.take_out_extras("family")
        self.given, self.particle, self.family, self.suffix = split_whole(self.family)
        message = f"`{name}` is a person: write {_as_keys(self)} instead of `name`"
        self.note("person-as-entity", message, "name")
        return self.person()

    def is_bot(self, whole: str, *, one_field: bool) -> bool:
        """Say whether a program is named."""
        if BOT_MARK.search(whole):
            return True
        if self.orcid:
            return False
        if fold(whole) in BOT_NAMES:
            return True
        found = BOT_ENDING.search(whole) if one_field else None
        return bool(found) and not (found and found[0].startswith(" ") and known_name(whole))

    def is_team(self, given: str, family: str) -> bool:
        """Say whether a group of people is named, though the keys are those of a person."""
        whole = f"{given} {family}".strip()
        bare = _BRACKETED.sub("", whole)
        words = fold(bare).split()
        if not words:
            return False
        team = [word for word in words if word in TEAM_WORDS]
        if TEAM_PARTS.search(bare) and not self.orcid:
            return True
        if given and family:
            return self._is_team_in_two_fields(given, family, words, team)
        if self.orcid and looks_like_name(bare) and len(words) > 1 and words[-1] not in TEAM_WORDS:
            return False
        if team:
            return not (self.orcid and known_name(bare))
        if LEGAL_FORM.search(bare) or SHORT_LEGAL_FORM.search(bare):
            return True
        if self._is_titled(words) or _is_anonymous(words):
            return True
        if len(words) < 2 or self.orcid:
            return False
        if _has_phrase_word(bare):
            return not _several_people(bare)
        weak = sum(word in MAYBE_TEAM_WORDS or word in ORGANISATION_WORDS for word in words)
        last = words[-1] in MAYBE_TEAM_WORDS and not known_name(bare)
        return words[0] == "the" or last or weak > 1

    def _is_team_in_two_fields(self, given: str, family: str, words: list[str], team: list[str]) -> bool:
        own = fold(family).split()
        named = self.is_given_names(given)
        if team:
            if len(own) == 1 and own[0] in TEAM_WORDS and named:
                # A person called Team is possible, one called Contributors is not.
                return not (self.orcid or (own[0] == "team" and known_name(given)))
            return True
        if LEGAL_FORM.search(family) and not self.orcid:
            return True
        if self.orcid:
            return False
        if self._is_titled(words) or _is_anonymous(words):
            return True
        if words[0] == "the" and not known_name(family):
            return True
        if own and own[-1] in MAYBE_TEAM_WORDS:
            return not named
        return _has_phrase_word(family) and not named and not _several_people(f"{given} {family}")

    def is_given_names(self, text: str) -> bool:
        """Say whether `text` could be somebody's given names: up to three words, none of the title."""
        words = fold(text).split()
        if not looks_like_name(text) or len(words) > 3:
            return False
        if any(
            word in ORGANISATION_WORDS or word in TEAM_WORDS or word in MAYBE_TEAM_WORDS for word in words
        ):
            return False
        inner = re.search(r"[^\W\d_][a-zß-ÿ][A-ZÀ-Þ]", text) or (
            len(text) > 3 and text.isupper() and "." not in text
        )
        return not inner and not set(words) & set(fold(self.title).split())

    def _is_titled(self, words: list[str]) -> bool:
        return bool(self.title) and " ".join(words) == fold(self.title)

    def names_person(self, name: str) -> bool:
        """Say whether `name`, given as an entity, is the name of one person; in doubt it is not."""
        bare = _NUMBER.sub("", HONORIFIC.sub("", _BRACKETED.sub("", name)))
        words = fold(bare).split()
        if len(words) < 2 or not looks_like_name(take_suffix(bare)[0]) or self._is_titled(words):
            return (
                bool(self.orcid)
                and bool(_PLAIN_WORD.fullmatch(bare))
                and words[0] not in TEAM_WORDS
                and not self._is_titled(words)
            )
        if any(w in TEAM_WORDS or w in ORGANISATION_WORDS or w in MAYBE_TEAM_WORDS for w in words):
            return False
        if (
            LEGAL_FORM.search(bare)
            or _has_phrase_word(bare)
            or TEAM_PARTS.search(bare)
            or _is_anonymous(words)
        ):
            return False
        if self.fields.get("orcid", "").strip() or self.orcid:
            return True
        if SHORT_LEGAL_FORM.search(bare) or re.search(r"[a-z][A-Z]{2}|[a-z]{2}[A-Z]", bare):
            return False
        if re.fullmatch(r"[^,]+,\s*[^,]+", bare) and len(words) <= 5:
            return True
        plain = bare.split()
        return bool(
            known_name(bare)
            or self.affiliation
            or any(re.fullmatch(r"[^\W\d_]\.", word) for word in plain[:-1])
            or {"van", "von", "der", "den", "bin", "ibn", "ter"} & set(plain[1:-1])
            or (self.email and _is_of(self.email, words))
            or (
                len(plain) in (2, 3)
                and all(_PLAIN_WORD.fullmatch(w) and not _COINED.search(w) for w in plain)
            )
        )

    # What became of it

    def bot(self, name: str) -> Agent:
        """Return the bot of that name."""
        self.note("bot", f"`{name}` is a program, not a person", "name" if self.name else "")
        return self._made("bot", name=name)

    def entity(self, name: str) -> Agent:
        """Return the entity of that name."""
        return self._made("entity", name=name)

    def person(self) -> Agent:
        """Return the person."""
        return self._made("person", self.family, self.given, self.particle, self.suffix)

    def _made(
        self,
        kind: AgentKind,
        family: str = "",
        given: str = "",
        particle: str = "",
        suffix: str = "",
        name: str = "",
    ) -> Agent:
        rest = (self.alias, self.orcid, self.email, self.website, self.affiliation, tuple(self.findings))
        return Agent(kind, family, given, particle, suffix, name, *rest)

    # Repairs of a person's fields

    def repair(self) -> None:
        """Bring each part of the name to its field."""
        self.take_out_extras("family")
        self.take_out_extras("given")
        if _several_people(f"{self.given} {self.family}".strip()):
            key = "family-names" if self.family else "given-names"
            self.note(
                "name-repaired", "several people in one entry, kept as one: write an entry for each", key
            )
            return
        before = NameParts(self.given, self.particle, self.family, self.suffix)
        two_fields = bool(self.given and self.family)
        if two_fields:
            self.repair_two_fields()
        else:
            self.repair_one_field()
        after = NameParts(self.given, self.particle, self.family, self.suffix)
        # `van Holt` in family-names is good CFF: a move that leaves the name as it is said needs no mend.
        as_said = two_fields and fold(" ".join(before)) == fold(" ".join(after))
        if before != after and not as_said and (after.given_names or after.family_names):
            key = "family-names" if before.family_names != after.family_names else "given-names"
            self.note("name-repaired", f"read as {_as_keys(self)}", key)

    def take_out_extras(self, part: str) -> None:
        """Take nicknames, roles, titles, dblp's numbers and footnote marks out of a field."""
        text = getattr(self, part)
        if not text or not _ODD.search(text):
            return
        key = _KEYS[part]
        if text[0] == text[-1] and text[0] in "\"'" and len(text) > 2:
            text = text[1:-1].strip()
        for found in _BRACKETED.finditer(text):
            inner = next((group for group in found.groups() if group is not None), "").strip()
            if inner and not _ROLE.fullmatch(inner) and not self.alias and "," not in inner:
                self.alias = inner
        plain = _NUMBER.sub("", HONORIFIC.sub("", _BRACKETED.sub(" ", text)))
        plain = " ".join(_MARKS.sub("", plain).split())
        if plain and plain != text:
            message = f"read `{key}` as {plain!r}: what else stands there is no part of the name"
            self.note("bad-character", message, key)
            setattr(self, part, plain)

    def repair_two_fields(self) -> None:
        """Move particle, suffix and initial between the fields of somebody who has both."""
        given, family = self.given, self.family
        if " " in given and (family == given or family.startswith(given + " ")):
            # The whole name in family-names, and the given names once more.
            parts = split_whole(family)
            if family == given or parts.given_names == given:
                given, family = (
                    parts.given_names,
                    " ".join(filter(None, (parts.name_particle, parts.family_names))),
                )
                self.suffix = self.suffix or parts.name_suffix
        if "," in family:
            front, suffix = take_suffix(family)
            first, _, rest = front.partition(",")
            if not suffix and fold(rest) == fold(given):
                front = first.strip()
            family, self.suffix = front, self.suffix or suffix
        for text in (family, given):
            front, suffix = take_suffix(text)
            if suffix and not self.suffix:
                self.suffix = suffix
                family, given = (front, given) if text is family else (family, front)
        if self.particle and not set(self.particle.split()) <= PARTICLES | {p.title() for p in PARTICLES}:
            # A middle name or initial under name-particle, as many files have it.
            given, self.particle = f"{given} {self.particle}", ""
        given, inner = take_last_particle(given)
        outer, family = take_particle(family)
        found = " ".join(filter(None, (inner, outer)))
        if found and found != self.particle:
            self.particle = " ".join(filter(None, (self.particle, found)))
        if initial := _INITIAL_FIRST.match(family):
            given, family = f"{given} {initial[1]}", family[initial.end() :]
        self.given, self.family = given, family

    def repair_one_field(self) -> None:
        """Split a whole name that stands in one field; a single name stays where it is."""
        text = self.family or self.given
        if " " not in text and "," not in text:
            if not self.alias and _USER_NAME.fullmatch(text):
                key = "family-names" if self.family else "given-names"
                self.note("bad-character", f"a user name in `{key}`: it belongs in `alias`", key)
                self.alias, self.family, self.given = text, "", ""
            return
        if "," in text and text.count(",") > 2:
            return
        parts = split_whole(text)
        if self.given and not parts.given_names:
            return
        if (
            self.given
            and "," not in text
            and len(text.split()) == 2
            and latin(parts.family_names) in GIVEN_NAMES
        ):
            return  # `given-names: Anna Maria` is more likely two given names than a whole one
        self.given, self.family = parts.given_names, parts.family_names
        self.particle = self.particle or parts.name_particle
        self.suffix = self.suffix or parts.name_suffix


def _as_keys(entry: _Entry) -> str:
    shown = [f"`{_KEYS[part]}: {getattr(entry, part)}`" for part in _KEYS if getattr(entry, part)]
    if not shown:
        shown = [f"`alias: {entry.alias}`"]
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if shown[1:] else shown[0]


def _has_phrase_word(text: str) -> bool:
    """Words that join the parts of a title, never those of one person's name."""
    return (
        bool({"of", "for", "and", "&", "für", "und"} & set(text.split()[1:])) and " von und zu " not in text
    )


def _several_people(text: str) -> bool:
    sides = _SEVERAL.split(text)
    return len(sides) > 1 and all(
        " " in side
        and looks_like_name(side)
        and not any(
            w in TEAM_WORDS or w in MAYBE_TEAM_WORDS or w in ORGANISATION_WORDS for w in fold(side).split()
        )
        for side in sides
    )


def _is_anonymous(words: list[str]) -> bool:
    return words[0] in ANONYMOUS_WORDS and all(word in ROLE_WORDS for word in words[1:])


def _is_of(email: str, words: list[str]) -> bool:
    """Say whether the local part of the address names the same person, as in ada.quill@ or aquill@."""
    local = fold(email.partition("@")[0]).replace(" ", "")
    first, last = words[0], words[-1]
    return local in (first + last, last + first, first[0] + last, last + first[0], first + last[0])
