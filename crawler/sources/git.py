"""Any host that speaks git: no interface of a forge is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...cff.errors import SourceError
from ...db.found import Found, Known
from ..addresses import refuse_literal
from ..hosts import Hosts
from ..remote import canonical, fetch_remote, without_password
from ..source import NEW, Options, Past, Step, shown

_SCP = re.compile(r"\w[\w.-]*@\w[\w.-]*:(?!/?/)\S+")
"""user@host:path, as git takes it (git's documentation, "GIT URLS")."""


@dataclass(frozen=True, slots=True)
class GitSource:
    """One repository by its git URL."""

    address: str
    """As the user gave it; git gets it so."""

    @property
    def spec(self) -> str:
        """The address without password; a user name is kept for ssh alone, which needs it."""
        return without_password(self.address)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the one repository."""
        yield GitUnit(self.address)


@dataclass(frozen=True, slots=True)
class GitUnit:
    """One repository at a git address, to be fetched by git."""

    address: str

    @property
    def urls(self) -> tuple[str, ...]:
        """Its canonical URL."""
        return (canonical(self.address),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield the repository."""
        (url,) = self.urls
        found = Found(url, url.rsplit("/", 1)[-1], host=urlsplit(url).netloc)
        yield fetch_remote(found, self.address, known.get(url), options)


def understand(word: str, hosts: Hosts) -> GitSource | None:
    """The source that a git URL names; None when the word is none. SourceError for one that is not safe."""
    if _SCP.fullmatch(word):
        return GitSource(word)
    if "://" not in word:
        return None
    scheme = word.partition("://")[0].lower()
    try:
        parts = urlsplit(word)
        host = parts.hostname or ""
        port = parts.port
    except ValueError as error:
        raise SourceError(f"{shown(without_password(word))}: not a URL: {error}") from error
    named = shown(without_password(word))
    if scheme not in ("https", "ssh", "http"):
        raise SourceError(f"{named}: {scheme}:// is not taken: https://, ssh://, file:// or git@host:path")
    if not host or host.startswith("-") or re.search(r"[\s\x00-\x1f]", word):
        raise SourceError(f"{named}: not a URL of a repository")
    refuse_literal(host, hosts, port)
    if scheme == "http" and not hosts.is_allowed(host, port):
        raise SourceError(f"{named}: http:// can be changed on its way: use https://")
    return GitSource(word)
