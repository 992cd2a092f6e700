"""One reading of a URL, which every check and the connection share: nobody can slip between two readings.

A URL is taken apart once and written anew: host in ASCII, no user name, no fragment, the port that
counts, no steps upwards in the path. What has no such form is refused. (RFC 3986; RFC 5891 for names.)
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urljoin

from ..cff.errors import SourceError

_OWN_PORTS = {"http": 80, "https": 443}
_SAFE = "!#$%&'()*+,/:;=?@[]~"
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*")
_STEP = re.compile(r"(?:^|[/\\])\.\.?(?=[/\\;]|$)")


class UrlRefused(SourceError):
    """No URL, or one that is never asked; the text says nothing of what stands in it."""


@dataclass(frozen=True, slots=True)
class Url:
    """An http(s) URL as it is asked for."""

    scheme: str
    host: str
    """Lower-case ASCII, or an address; an IPv6 one without brackets."""
    port: int
    """Always there: the scheme's own when none was written."""
    target: str
    """Path and query, percent-encoded; begins with a slash."""

    @property
    def netloc(self) -> str:
        """Host, and port when it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _OWN_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port (RFC 6454)."""
        return self.scheme, self.host, self.port

    @property
    def path(self) -> str:
        """Without the query."""
        return self.target.partition("?")[0]

    @property
    def is_straight(self) -> bool:
        """Whether no part of the path is a step that a server may take when it has decoded it, as `..%2f`."""
        return not any(_STEP.search(path) for path in (unquote(self.path), unquote(unquote(self.path))))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"

    def join(self, location: str) -> Url:
        """Where a `Location` header leads from here. UrlRefused as of `parse`."""
        # A header comes as Latin-1, whatever was meant.
        with contextlib.suppress(UnicodeError):
            location = location.encode("latin-1").decode("utf-8")
        location = location.strip()
        _refuse_odd(location)
        try:
            joined = urljoin(str(self), location)
        except ValueError:
            raise UrlRefused("leads to what is no URL") from None
        return parse(joined)


def parse(text: str) -> Url:
    """A URL as it is asked for; UrlRefused for what is none, is not http(s), or holds a user name.

    >>> str(parse("HTTPS://Bücher.Example:443/a b/../ü?q=1#L3")), str(parse("http://[::0:1]:080"))
    ('https://xn--bcher-kva.example/%C3%BC?q=1', 'http://[::1]/')
    """
    text = text.strip()
    _refuse_odd(text)
    scheme, colon, rest = text.partition(":")
    scheme = scheme.lower()
    if not colon or not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme):
        raise UrlRefused("leads to what is no URL")
    if scheme not in _OWN_PORTS:
        raise UrlRefused(f"leads to a {scheme} address, which is not followed")
    found = re.fullmatch(r"//([^/?#]*)([^#]*)(?:#.*)?", rest, re.DOTALL)
    if found is None:
        raise UrlRefused("leads to what is no URL")
    authority, target = found.groups()
    if "@" in authority:
        raise UrlRefused("leads to an address with a user name or password in it, which is not followed")
    place = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:\\%]+)(?::([0-9]{0,9}))?", authority, re.ASCII)
    if place is None:
        raise UrlRefused("leads to a host that is none")
    port = int(place[2] or _OWN_PORTS[scheme])
    if not 0 < port < 1 << 16:
        raise UrlRefused(f"leads to port {port}, and there is none")
    path, question, query = target.partition("?")
    return Url(scheme, ascii_host(place[1]), port, _straightened(path) + question + _quoted(query))


def ascii_host(name: str) -> str:
    """A host name as it is looked up: lower-case, in ASCII, IPv6 without brackets. UrlRefused for none.

    >>> ascii_host("Bücher.Example."), ascii_host("[2001:DB8::1]"), ascii_host("１２７.0.0.1")
    ('xn--bcher-kva.example', '2001:db8::1', '127.0.0.1')
    """
    if name.startswith("["):
        try:
            return str(ipaddress.IPv6Address(name.strip("[]")))
        except ValueError:
            raise UrlRefused("leads to a host that is none") from None
    if not name.isascii():
        import idna

        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except UnicodeError:
            raise UrlRefused("leads to a host that is none") from None
    name = name.lower().removesuffix(".")
    if not _NAME.fullmatch(name):
        raise UrlRefused("leads to a host that is none")
    return name


def _refuse_odd(text: str) -> None:
    if re.search(r"[\x00-\x1f\x7f]", text) or not text.isprintable():
        raise UrlRefused("leads to what is no URL")


def _straightened(path: str) -> str:
    """A path without `.` and `..`, however written (RFC 3986, section 5.2.4)."""
    parts: list[str] = []
    step = ""
    for part in _quoted(path).split("/")[1:]:
        step = part.lower().replace("%2e", ".")
        if step == "..":
            del parts[-1:]
        elif step != ".":
            parts.append(part)
    # A step at the end leaves the slash before it.
    return "/" + "/".join([*parts, ""] if step in (".", "..") else parts)


def _quoted(text: str) -> str:
    return quote(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text), safe=_SAFE)
