"""The words that name something at a forge: `KIND:HOST/PATH`, the address of a page, an address for git."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote

from ..cff.errors import SourceError
from .hosts import DEFAULT_API, Host, Hosts, Kind
from .links import parse_link
from .source import shown

_CLONE = re.compile(
    r"(?:(?:git\+)?ssh://(?:[^/@\s]*@)?(?P<host>[\w.-]+)(?::\d+)?/|[\w.-]+@(?P<scp>[\w.-]+):(?!//))(?P<path>\S+)",
    re.IGNORECASE,
)
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z][\w-]*(?::\d+)?|(?:localhost|\d+(?:\.\d+){3})(?::\d+)?", re.IGNORECASE)
_OTHER_NAMES = re.compile(r"(?:www|ssh|altssh)\.", re.IGNORECASE)
"""Before the name of a forge: the same forge."""


@dataclass(frozen=True, slots=True)
class ForgeAddress:
    """What a word names, before anyone was asked."""

    host: Host
    steps: tuple[str, ...]
    """Of the path, decoded; the last one without `.git`."""
    form: Literal["kind", "page", "git"]
    """`kind`: written as `KIND:…`; `git`: an address for git, so it can be nothing but a repository."""

    @property
    def path(self) -> str:
        """The steps with slashes between them."""
        return "/".join(self.steps)


def parse_forge_word(word: str, hosts: Hosts, kind: Kind, *, home: str = "") -> ForgeAddress | None:
    """What a word names at a host of this kind; None when it names nothing there.

    `KIND:PATH` is meant of the `home` host, if there is one. The address of a CFF file is none of a
    repository. SourceError for a word that is of this kind, and wrong.
    """
    prefix, colon, rest = word.partition(":")
    if colon and prefix.lower() == kind and not rest.startswith("//"):
        found: ForgeAddress | None = _by_kind(rest, hosts, kind, home)
    elif clone := _CLONE.fullmatch(word):
        host = _behind(clone["host"] or clone["scp"], hosts, kind)
        found = ForgeAddress(host, _steps(clone["path"]), "git") if host else None
    else:
        found = _by_page(word, hosts, kind)
    if found is None:
        return None
    if any(step in (".", "..") or re.search(r"[\x00-\x20\x7f/\\]", step) for step in found.steps):
        raise SourceError(f"{shown(word)}: not the name of a repository or of an owner of some")
    if found.steps and found.steps[-1].lower().endswith(".git"):
        steps = (*found.steps[:-1], found.steps[-1][: -len(".git")])
        found = replace(found, steps=steps, form="git")
    return found


def forge_word(host: Host, kind: Kind, path: str = "", *, home: str = "") -> str:
    """`KIND:HOST/PATH`, as short as it can be; understood again as the same."""
    bare = host.name == home and path and not _HOST.fullmatch(path.split("/")[0])
    return f"{kind}:{path.lower()}" if bare else f"{kind}:{host.name}/{path.lower()}".rstrip("/")


def _by_kind(rest: str, hosts: Hosts, kind: Kind, home: str) -> ForgeAddress:
    first, _, path = rest.strip("/").partition("/")
    host = hosts.at(first)
    if host.kind == kind:
        return ForgeAddress(host, _steps(path), "kind")
    if not first:
        raise SourceError(f"{shown(f'{kind}:{rest}')}: names nothing: write {kind}:HOST or {kind}:HOST/NAME")
    if _HOST.fullmatch(first):
        if host.kind != "git":
            raise SourceError(f"{shown(first)}: is a host of kind {host.kind}, not {kind}")
        host = Host(host.name, kind, DEFAULT_API[kind].format(name=host.name))
        return ForgeAddress(host, _steps(path), "kind")
    if not home:
        raise SourceError(f"{shown(f'{kind}:{rest}')}: the host is missing: write {kind}:HOST/{shown(rest)}")
    return ForgeAddress(hosts.at(home), _steps(rest), "kind")


def _by_page(word: str, hosts: Hosts, kind: Kind) -> ForgeAddress | None:
    link = parse_link(re.sub(r"^git\+(?=https?://)", "", word, flags=re.IGNORECASE))
    if link is None or link.path.lower().endswith(".cff"):
        return None
    host = _named(link.host, hosts, kind)
    if host is None:
        return None
    link.refuse_unsafe(hosts)
    return ForgeAddress(host, _steps(link.path), "page")


def _named(name: str, hosts: Hosts, kind: Kind) -> Host | None:
    """The host of this kind with this name."""
    for each in (name, _OTHER_NAMES.sub("", name, count=1)):
        if (host := hosts.at(each)).kind == kind:
            return host
    return None


def _behind(name: str, hosts: Hosts, kind: Kind) -> Host | None:
    """The host of this kind whose git is answered under this name, at another port than its pages."""
    alike = [host for host in hosts.of_kind(kind) if re.sub(r":\d+$", "", host.name) == name.lower()]
    return _named(name, hosts, kind) or (alike[0] if len(alike) == 1 else None)


def _steps(path: str) -> tuple[str, ...]:
    return tuple(unquote(step) for step in path.split("/") if step)
