"""What is known of hosts: of which kind each is, where its interface stands, whose token is whose.

The great hosts are known by themselves; others are described by the user (`cffgraph.toml`). A token
belongs to one interface and is sent to no other address.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from .urls import Url, UrlRefused, ascii_host, parse

Kind: TypeAlias = Literal[
    "github", "gitlab", "forgejo", "bitbucket", "opengrok", "gitweb", "cgit", "swh", "git"
]
KINDS: tuple[Kind, ...] = get_args(Kind)

PAGE_SPACING_S = 0.1
"""Least time between two requests to a host that is not known to bear more."""

_OWN_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418}


class Token(str):
    """A token, which does not show itself in a `repr`, be it of a list or of a variable in a traceback."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Token(***)"


@dataclass(frozen=True, slots=True)
class Host:
    """One host that serves repositories."""

    name: str
    """Lower-case, with its port when that is not the scheme's own: as in the URLs of its repositories."""
    kind: Kind = "git"
    api: str = ""
    """Where its interface is, without a slash at the end; empty for a kind that has none."""
    token_names: tuple[str, ...] = ()
    """Environment variables that may hold its token; the first that is set counts."""
    spacing_s: float = PAGE_SPACING_S
    """Least time between two requests to it, over all threads."""
    allow_private: bool = False
    """It may stand on a private or loopback address, and be spoken to without TLS."""

    @property
    def folds_case(self) -> bool:
        """Whether it tells repositories apart by the case of their names: the forges do not."""
        return self.kind in ("github", "gitlab", "forgejo", "bitbucket")

    @property
    def web(self) -> str:
        """Where its pages and repositories are, without a slash at the end."""
        return f"{urlsplit(self.api).scheme or 'https'}://{self.name}"

    def repository(self, path: str) -> str:
        """The canonical URL of the repository with this path, as `o/r` or `group/sub/project`.

        >>> Host("git.example.edu", "gitlab").repository("Group/Sub/Tool.git")
        'https://git.example.edu/group/sub/tool'
        """
        path = path.strip("/").removesuffix(".git")
        return f"{self.web}/{path.lower() if self.folds_case else path}"

    def tokens(self) -> tuple[Token, ...]:
        """The tokens to send in turn, from the environment; a variable may hold several between commas."""
        for name in self.token_names:
            words = (word.strip() for word in os.environ.get(name, "").split(","))
            if tokens := tuple(dict.fromkeys(Token(word) for word in words if word)):
                return tokens
        return ()

    def owns(self, url: Url) -> bool:
        """Whether a URL belongs to its interface: same origin, and the same path or one below.

        GraphQL stands beside the path of GitHub Enterprise Server and of GitLab (`/api/v3`, `/api/v4`;
        both `/api/graphql`). A path that a server may take for another one belongs to nothing.
        """
        if not self.api:
            return False
        api = _interface(self.api)
        if api.origin != url.origin or not url.is_straight:
            return False
        base = api.path.rstrip("/")
        beside = re.sub(r"/api/v\d+$", "/api/graphql", base) if self.kind in ("github", "gitlab") else base
        return url.path in (base, beside) or url.path.startswith(f"{base}/")


KNOWN_HOSTS: tuple[Host, ...] = (
    # An interface with limits of its own says so in its answers; it needs no spacing beside them.
    Host("github.com", "github", "https://api.github.com", ("GITHUB_TOKEN", "GH_TOKEN"), 0),
    Host("gitlab.com", "gitlab", "https://gitlab.com/api/v4", ("GITLAB_TOKEN",), 0),
    Host("codeberg.org", "forgejo", "https://codeberg.org/api/v1", ("CODEBERG_TOKEN",), 0.05),
    Host("bitbucket.org", "bitbucket", "https://api.bitbucket.org/2.0", ("BITBUCKET_TOKEN",), 0),
    Host(
        "archive.softwareheritage.org",
        "swh",
        "https://archive.softwareheritage.org/api/1",
        ("SWH_TOKEN",),
        0,
    ),
)
"""Known without being described (the variables' names as in the documentation of the hosts' own tools)."""

DEFAULT_API: dict[Kind, str] = {
    "github": "https://{name}/api/v3",
    "gitlab": "https://{name}/api/v4",
    "forgejo": "https://{name}/api/v1",
    "bitbucket": "https://{name}/2.0",
    "opengrok": "https://{name}/api/v1",
}
"""Where a described host has its interface when the description does not say (GitHub Enterprise Server
"Getting started with the REST API"; GitLab "REST API", Forgejo "API usage", OpenGrok wiki "Web services")."""


class Hosts:
    """The hosts of a crawl: the known ones, under those that the user described."""

    def __init__(self, described: Iterable[Host] = (), *, allowed: Iterable[str] = ()) -> None:
        hosts = [*KNOWN_HOSTS, *(dataclasses.replace(h, name=_name(h.name)) for h in described)]
        self._hosts = {host.name: host for host in hosts}
        self._allowed = {_place(name) for name in allowed}
        self._private: set[tuple[str, int | None]] = set()
        self._by_api: dict[str, list[Host]] = {}
        for host in self._hosts.values():
            api = _interface(host.api) if host.api else None
            if api is not None:
                self._by_api.setdefault(api.netloc, []).append(host)
            if host.allow_private:
                # A port is part of the name: that it may be spoken to opens no other door of the machine.
                name, port = _place(host.name)
                self._private |= {(name, each) for each in ([port] if port else _OWN_PORTS.values())}
                self._private |= {(api.host, api.port)} if api else set()

    def at(self, name: str) -> Host:
        """What is known of a host by its name and port; a plain git host when nothing is."""
        name = _name(name)
        return self._hosts.get(name) or Host(name)

    def of_kind(self, *kinds: Kind) -> list[Host]:
        """The hosts of these kinds."""
        return [host for host in self._hosts.values() if host.kind in kinds]

    def behind(self, url: str | Url) -> Host:
        """The host that a URL belongs to, be it of a repository or of the host's interface."""
        if isinstance(url, Url):
            found = self._by_api.get(url.netloc, [])
            # Several interfaces may stand behind one gateway.
            owner = next((host for host in found if host.owns(url)), None)
            return owner or self._hosts.get(url.netloc) or (found[0] if found else Host(url.netloc))
        try:
            return self.behind(parse(url))
        except UrlRefused:
            # ssh, or with a user name: what its host is can be told all the same.
            found_place = re.match(r"([A-Za-z][\w+.-]*)://(?:[^/?#]*@)?([^/?#]*)", url)
            if found_place is None:
                return Host("")
            own = _OWN_PORTS.get(found_place[1].lower().removeprefix("git+"))
            netloc = found_place[2].removesuffix(f":{own}")
            found = self._by_api.get(_name(netloc), [])
            return found[0] if found else self.at(netloc)

    def is_interface(self, url: str | Url) -> bool:
        """Whether a URL belongs to the interface of its host: there and nowhere else goes the token."""
        try:
            at = parse(url) if isinstance(url, str) else url
        except UrlRefused:
            return False
        return self.behind(at).owns(at)

    def is_allowed(self, name: str, port: int | None = None) -> bool:
        """Whether a host may stand on a private address: the user said so, of it or of it at this port."""
        name, _ = _place(f"[{name}]" if ":" in name and not name.startswith("[") else name)
        places = {(name, port), (name, None)} if port is not None else {(name, None)}
        return not places.isdisjoint(self._allowed) or (name, port or 443) in self._private


@functools.cache
def _interface(api: str) -> Url:
    """Where an interface is."""
    try:
        return parse(api)
    except UrlRefused as error:
        raise UrlRefused(f"an interface of a host that is described {error}") from None


def _place(text: str) -> tuple[str, int | None]:
    """(name, port or None) of a host as people write it; an IPv6 address with brackets, or bare.

    >>> _place("Git.Example:8443"), _place("::1"), _place("[::1]:3000")
    (('git.example', 8443), ('::1', None), ('::1', 3000))
    """
    name, port = text.strip(), None
    if found := re.fullmatch(r"(\[.*\]|[^:]*):(\d{1,5})", name):
        name, port = found[1], int(found[2])
    elif name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    try:
        return ascii_host(name), port
    except UrlRefused:
        return name.lower(), port


def _name(text: str) -> str:
    """A host's name in the one spelling that is looked up."""
    name, port = _place(text)
    name = f"[{name}]" if ":" in name else name
    return name if port in (None, 443) else f"{name}:{port}"
