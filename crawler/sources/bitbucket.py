"""Bitbucket Cloud: repositories and workspaces.

An hour has few requests, so each answer is cut down to what is read (`fields`), a hundred lines a page,
and a repository whose `updated_on` (and main branch) is the one that is known is not asked for anything.
One that has changed is asked for its folders at the main branch, whose lines name the commit, then for
the file. Its listings name no blobs, so the content of a file that is listed is always fetched.

(Interface: "The Bitbucket Cloud REST API", sections Repositories, Source, and "Partial responses".)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote

from ...cff.errors import SourceError
from ...db.found import Found
from ..forge import (
    Facts,
    ForgeRepository,
    Interface,
    Page,
    empty,
    field,
    inner,
    one,
    place_trouble,
    repositories,
    rows,
    text,
)
from ..forge_words import forge_word, parse_forge_word
from ..hosts import Host, Hosts
from ..http import Answer, FetchError, Web
from ..listing import Entry, EntryKind
from ..source import NEW, Options, Past, Step, shown

_HOME = "bitbucket.org"
_FACTS = ("uuid", "full_name", "scm", "updated_on", "mainbranch.name", "parent.full_name")
_ENTRY = ("path", "type", "size", "attributes", "commit.hash")
_KIND_OF_ATTRIBUTE: dict[str, EntryKind] = {"link": "link", "subrepository": "module"}
_NO_WORKSPACES = frozenset("account api blog dashboard product repo search site support workspaces".split())


@dataclass(frozen=True, slots=True)
class BitbucketSource:
    """A repository, or all of a workspace."""

    host: Host
    kind: Literal["repository", "workspace"]
    name: str

    @property
    def spec(self) -> str:
        """The address of a repository; `bitbucket:NAME` for a workspace."""
        if self.kind == "repository":
            return self.host.repository(self.name)
        return forge_word(self.host, "bitbucket", self.name, home=_HOME)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield a unit for each repository, page after page."""
        forge = _Bitbucket(self.host)
        if self.kind == "repository":
            yield ForgeRepository(forge, self.name)
            return

        def otherwise(error: FetchError) -> Step:
            return place_trouble(self.spec, self.host, self.kind, error)

        # In the order in which they were made, what is added meanwhile comes last.
        start = f"repositories/{quote(self.name)}?pagelen=100&sort=created_on&{_of_page(_FACTS)}"
        yield from repositories(forge, options.web, [start], past, _page, otherwise)


def understand(word: str, hosts: Hosts) -> BitbucketSource | None:
    """The source that a word names: `bitbucket:WORKSPACE`, or an address at a host of this kind.

    SourceError for one that is Bitbucket's and names neither a repository nor a workspace.
    """
    named = parse_forge_word(word, hosts, "bitbucket", home=_HOME)
    if named is None:
        return None
    steps = named.steps
    if steps[:1] == ("workspaces",) and len(steps) > 1:
        return BitbucketSource(named.host, "workspace", steps[1].lower())
    if not steps or steps[0].lower() in _NO_WORKSPACES or (named.form == "git" and len(steps) < 2):
        told = "names no workspace: write bitbucket:WORKSPACE, or the URL of a repository"
        raise SourceError(f"{shown(word)}: {told}")
    # What stands behind a workspace without being a repository: its overview, projects, settings.
    if len(steps) == 1 or steps[1] == "workspace":
        return BitbucketSource(named.host, "workspace", steps[0].lower())
    return BitbucketSource(named.host, "repository", "/".join(steps[:2]))


def _page(at: str, answer: Answer) -> Page:
    told = one(answer.json())
    return Page(rows(told, "values"), text(told, "next"))


@dataclass(frozen=True, slots=True)
class _Bitbucket:
    host: Host

    def ask(self, web: Web, path: str) -> Facts:
        return Interface(self.host, web).facts(f"repositories/{quote(path)}?fields={','.join(_FACTS)}")

    def found(self, facts: Facts) -> Found:
        path, parent = field(facts, "full_name"), text(inner(facts, "parent"), "full_name")
        branch = text(inner(facts, "mainbranch"), "name")
        found = Found(
            self.host.repository(path),
            path.rpartition("/")[2],
            host=self.host.name,
            forge_id=field(facts, "uuid"),
            default_branch=branch,
            is_fork=parent is not None,
            parent_url=self.host.repository(parent) if parent else None,
            validator=f"{facts['updated_on']} {branch}" if facts.get("updated_on") else "",
        )
        if (scm := text(facts, "scm")) not in (None, "git"):
            return replace(found, state="failed", reason=f"is a repository of {shown(str(scm))}, not of git")
        return found if branch else empty(found)

    def shelf(self, web: Web, facts: Facts) -> tuple[_Shelf, str]:
        interface = Interface(self.host, web)
        at = f"repositories/{quote(field(facts, 'full_name'))}"
        branch = field(inner(facts, "mainbranch"), "name")
        if not re.fullmatch(r"[\w.-]+", branch, re.ASCII):
            # In an address of the source a slash ends the branch; its commit has none.
            told = interface.facts(f"{at}/refs/branches/{quote(branch)}?fields=target.hash")
            branch = field(inner(told, "target"), "hash")
        shelf = _Shelf(interface, f"{at}/src", branch)
        return shelf, shelf.open()


class _Shelf:
    """A repository at the head of its main branch."""

    def __init__(self, interface: Interface, at: str, branch: str) -> None:
        self._interface, self._at = interface, at
        self._commit = branch
        self._folders: dict[str, list[Entry]] = {}

    def open(self) -> str:
        """Read the root; the commit that it stands at."""
        lines = list(self._lines(""))
        self._folders[""] = [_entry(line) for line in lines]
        self._commit = field(inner(lines[0], "commit"), "hash") if lines else self._commit
        return self._commit

    def folder(self, path: str) -> Sequence[Entry]:
        if path not in self._folders:
            self._folders[path] = [_entry(line) for line in self._lines(path)]
        return self._folders[path]

    def content(self, path: str, entry: Entry, most: int) -> bytes:
        return self._interface.content(self._address(path), most)

    def _address(self, path: str) -> str:
        return f"{self._at}/{quote(self._commit, safe='')}/{quote(path, errors='surrogateescape')}"

    def _lines(self, path: str) -> Iterator[Facts]:
        at = f"{self._address(path)}?pagelen=100&{_of_page(_ENTRY)}"
        return self._interface.lines(at, _page, "the files of its branch")


def _of_page(names: Sequence[str]) -> str:
    """The field of a query that cuts a page down to these fields of its lines."""
    return f"fields={','.join(['next', *(f'values.{name}' for name in names)])}"


def _entry(line: Facts) -> Entry:
    name = str(line.get("path", "")).rstrip("/").rpartition("/")[2]
    if line.get("type") == "commit_directory":
        return Entry(name, "folder")
    attributes, size = line.get("attributes"), line.get("size")
    told = attributes if isinstance(attributes, list) else ()
    kinds = [kind for attribute, kind in _KIND_OF_ATTRIBUTE.items() if attribute in told]
    return Entry(name, kinds[0] if kinds else "file", size=size if isinstance(size, int) else None)
