"""A package as a list names it, and its name everywhere: the purl without a version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from ...cff.errors import SourceError
from .address import git_address

MAX_BYTES = 32 << 20
"""Of a list; the lock file of a great application has a tenth of it."""
MAX_FILES = 100
"""Of a list with all that it includes."""
_MAX_NAME = 512


@dataclass(frozen=True, slots=True)
class Package:
    """One package: where it is published, under which name, and where its source is, if the list says so."""

    kind: str
    """Where it is published, as a purl's type: pypi, npm, conda, cran, …; `generic` for nowhere."""
    name: str
    """Normal form of its registry, with what stands before it: `@scope/name`, `vendor/name`."""
    version: str = ""
    """The one that the list fixes; empty when it admits several."""
    address: str = ""
    """Where git finds its source, when the list itself says so."""
    links: tuple[tuple[str, str], ...] = ()
    """(label, URL) pairs that the list gives: for when the registry knows no repository."""
    channel: str = ""
    """Of conda."""
    nowhere: str = ""
    """Why it is of no use to ask a registry, as the end of a sentence about it."""

    @property
    def purl(self) -> str:
        """Its name everywhere (package-url specification), without version and qualifiers.

        >>> Package("npm", "@scope/tool", "1.0").purl
        'pkg:npm/%40scope/tool'
        """
        return f"pkg:{self.kind}/{'/'.join(quote(step, safe='.-_~+') for step in self.name.split('/'))}"


@dataclass(frozen=True, slots=True)
class Fault:
    """What could not be read of a list."""

    place: str
    """File, and line where there is one."""
    reason: str


Entry: TypeAlias = Package | Fault


def cited(text: str) -> str:
    """The beginning of a text of a list, to be told of: without the password of a URL in it.

    >>> cited("x @ https://me:secret@tool.example/x")
    'x @ https://tool.example/x'
    """
    return re.sub(r"://[^/@\s]*@", "://", text[:400])[:80]


class Unreadable(SourceError):
    """A whole list that is not what its name says; the reason, worded to follow its path."""


class Content(NamedTuple):
    """A file, and a way to those beside it."""

    data: bytes
    path: Path
    open_beside: Callable[[str, Path], Content | None]
    """(name, from which file) -> the file; None when it was opened before. Unreadable with the reason."""


Reader: TypeAlias = Callable[[Content], Iterator[Entry]]


def pypi_package(
    name: str,
    version: str = "",
    address: str = "",
    *,
    links: tuple[tuple[str, str], ...] = (),
    nowhere: str = "",
) -> Package:
    """A Python package; its name in normal form (PyPA, "Names and normalization").

    >>> pypi_package("Ruamel_YAML").name
    'ruamel-yaml'
    """
    return Package("pypi", re.sub(r"[-_.]+", "-", name).lower(), version, address, links, "", nowhere)


# Kinds whose purls are in lower case, by the types' definitions of the package-url specification.
_LOWER = frozenset("bitbucket composer deb github gitlab apk alpm rpm".split())
_FORGES = {
    "github": "github.com",
    "githubactions": "github.com",
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
}


def parse_purl(text: str) -> Package | None:
    """The package that a purl names; None when it is none. Its `vcs_url` is taken as the address.

    >>> parse_purl("pkg:npm/%40scope/tool@1.0?arch=any#sub").name
    '@scope/tool'
    >>> parse_purl("pkg:github/o/R@main").address
    'https://github.com/o/r'
    """
    found = re.fullmatch(r"pkg:/*([A-Za-z][\w.+-]*)/+([^?#]+)(?:\?([^#]*))?(?:#.*)?", text.strip())
    if not found or len(text) > 4 * _MAX_NAME:
        return None
    kind, path = found[1].lower(), found[2].strip("/")
    # The version begins at the last @ that does not open a name: `@scope` is often written plain.
    at = path.rfind("@")
    version = ""
    if at > 0 and path[at - 1] != "/":
        path, version = path[:at], unquote(path[at + 1 :])
    name = "/".join(unquote(step) for step in path.split("/") if step)
    if not name or len(name) > _MAX_NAME:
        return None
    if kind in _LOWER:
        name = name.lower()
    qualifiers = dict(pair.partition("=")[::2] for pair in (found[3] or "").split("&"))
    address, _ = git_address(unquote(qualifiers.get("vcs_url", "")))
    if kind == "pypi":
        return pypi_package(name, version, address)
    if kind in _FORGES:
        address, _ = git_address(f"https://{_FORGES[kind]}/{name}")
    elif kind in ("golang", "swift") and not address:
        # Its name is the address of its source, as far as it lies on a forge.
        address = (
            git_address(f"https://{name}")[0]
            if re.match(r"(?:github|gitlab)\.com/|bitbucket\.org/", name)
            else ""
        )
    return Package(kind, name, version, address, (), unquote(qualifiers.get("channel", "")))
