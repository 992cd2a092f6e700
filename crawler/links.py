"""A web address as a user typed it, taken apart: what the sources look at to know whether it is theirs.

People paste addresses with their password in them, and with the line that they looked at; what is
asked for has neither.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from ..cff.errors import SourceError
from . import urls
from .hosts import Host, Hosts
from .source import shown

_SECRET = re.compile(
    r"(?:[\w-]*(?:token|secret|signature|password|credential)|sig|key|api-?key|auth)", re.IGNORECASE
)
"""Names of query fields that let one in."""


@dataclass(frozen=True, slots=True)
class Link:
    """An http(s) address. User names and passwords are dropped, and so is what stands behind a `#`."""

    scheme: str
    host: str
    """Lower-case ASCII, with its port when that is not the scheme's own."""
    path: str
    """Begins with a slash; percent-encoded, without steps upwards."""
    query: str

    @property
    def url(self) -> str:
        """The address."""
        return f"{self.place}{self.path}{f'?{self.query}' if self.query else ''}"

    @property
    def public_url(self) -> str:
        """The address without the query fields that hold secrets: what may be stored and printed."""
        fields = [f for f in re.split("[;&]", self.query) if not _SECRET.fullmatch(f.partition("=")[0])]
        kept = self.query if len(fields) == len(re.split("[;&]", self.query)) else "&".join(fields)
        return f"{self.place}{self.path}{f'?{kept}' if kept else ''}"

    @property
    def place(self) -> str:
        """Scheme and host."""
        return f"{self.scheme}://{self.host}"

    def described(self, hosts: Hosts) -> Host:
        """What is known of its host."""
        return hosts.at(self.host)

    def refuse_unsafe(self, hosts: Hosts) -> None:
        """SourceError for an address without TLS, unless its host may be spoken to so."""
        url = urls.parse(self.url)
        if self.scheme == "http" and not (_is_loopback(url.host) or hosts.is_allowed(url.host, url.port)):
            raise SourceError(f"{shown(self.public_url)}: http:// can be changed on its way: use https://")


def parse_link(word: str) -> Link | None:
    """A word as a Link; None when it is no http(s) address, or a broken one.

    >>> parse_link("HTTPS://me:pw@Bücher.Example:443/a b/ü?x=1#L3").url
    'https://xn--bcher-kva.example/a%20b/%C3%BC?x=1'
    >>> parse_link("git@git.example:o/r")
    """
    if not re.match(r"https?://", word, re.IGNORECASE):
        return None
    try:
        url = urls.parse(re.sub(r"(?<=://)[^/?#]*@", "", word, count=1))
    except urls.UrlRefused:
        return None
    return Link(url.scheme, url.netloc, url.path, url.target.partition("?")[2])


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
