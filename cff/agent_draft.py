"""An entry of an author list on its way to the agent that it means: what is known so far, what was found.

Also the half of an entry that does not depend on whom it means: alias, iD, addresses, affiliation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from .identifiers import check_orcid, orcid, url
from .name_parts import NameParts, clean
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


EMAIL = re.compile(
    r"(?:mailto:)?\s*([^\s@<>()\[\],;:\"]+@[^\s@<>()\[\],;:\"]+\.[^\s@<>()\[\],;:\".]+)", re.IGNORECASE
)


Meaning: TypeAlias = "tuple[AgentKind, str, str, str, str, str, str, str, str, str, str, tuple[Finding, ...]]"
"""The fields of an agent; an `Agent` is one."""
Details: TypeAlias = "tuple[str, str, str, str, str, tuple[Finding, ...]]"
"""The last fields of an agent: alias, iD, e-mail address, website, affiliation, findings."""


def details(fields: Mapping[str, str]) -> Details:
    """Return what the entry `fields` says beside the name, cleaned, and what is wrong with that."""
    alias = found = email = website = affiliation = ""
    findings: tuple[Finding, ...] = ()
    if "affiliation" in fields:
        affiliation = clean(fields["affiliation"])[0]
    if "alias" in fields:
        alias = clean(fields["alias"])[0].removeprefix("@")
    if "email" in fields:
        match = EMAIL.search(fields["email"])
        email = match[1].lower() if match else ""
    written = fields.get("orcid", "")
    if written:
        found, reason = check_orcid(written)
        if reason and not written.isspace():
            findings = (Finding("bad-orcid", "note", f"`{clean(written)[0]}` {reason}", "orcid"),)
    if "website" in fields:
        website = url(fields["website"]) or ""
        if not written and "orcid.org" in website:
            found = orcid(website) or ""
    return alias, found, email, website, affiliation, findings


KEYS = {
    "family": "family-names",
    "given": "given-names",
    "particle": "name-particle",
    "suffix": "name-suffix",
    "name": "name",
}
"""Field of a draft -> the CFF key that it is read from."""


@dataclass(slots=True)
class Draft:
    """An entry on its way to an agent: what the fields say so far, and what was found."""

    fields: Mapping[str, str]
    title: str
    """Of the work."""
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

    def note(self, code: str, message: str, key: str = "", severity: Severity = "note") -> None:
        """Add a finding."""
        self.findings.append(Finding(code, severity, message, key))

    def parts(self) -> NameParts:
        """Return the name of a person as far as it is known."""
        return NameParts(self.given, self.particle, self.family, self.suffix)

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

    def as_keys(self) -> str:
        """Return the name as one would write it under the keys of CFF, to show in a message."""
        shown = [f"`{KEYS[part]}: {getattr(self, part)}`" for part in PERSON_PARTS if getattr(self, part)]
        if not shown:
            shown = [f"`alias: {self.alias}`"]
        return " and ".join((", ".join(shown[:-1]), shown[-1])) if shown[1:] else shown[0]


PERSON_PARTS = ("family", "given", "particle", "suffix")
