"""What is asked of GitHub's GraphQL interface, and what its answers say of a repository.

One question brings all that most repositories need: the facts, the folders that may hold a citation
file, and the text of CITATION.cff. Files of another name or in another folder are asked for by their
blob ids afterwards, many at once. (GitHub, "GraphQL reference": Repository, Tree, Blob, Commit.)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ...cff.identifiers import repository_url
from ...cff.read import blob_id
from ...db.found import Found
from ..hosts import Host
from ..http import FetchError
from ..listing import KIND_OF_MODE, Entry
from ..names import CITATION_FILE, FOLDERS
from ..source import Options, shown

_FACTS = """fragment Facts on Repository {
  id databaseId nameWithOwner isFork isArchived isDisabled isMirror isEmpty mirrorUrl
  parent { nameWithOwner } defaultBranchRef { name target { oid } }
}"""
_TEXT = "fragment Text on Blob { oid byteSize isTruncated text }"
_FOLDER = "fragment Folder on Tree { entries { name mode oid } }"
_CONTENT = "\n".join(
    (
        "fragment Content on Repository {",
        '  folder: object(expression: "HEAD:") { ...Folder }',
        *(
            f'  folder{i}: object(expression: "HEAD:{name}") {{ ...Folder }}'
            for i, name in enumerate(FOLDERS)
        ),
        f'  file: object(expression: "HEAD:{CITATION_FILE}") {{ ...Text }}',
        "}",
    )
)
_LIGHT = f"{{ ...Facts }}\n{_FACTS}"
_FULL = f"{{ ...Facts ...Content }}\n{_FACTS}\n{_CONTENT}\n{_FOLDER}\n{_TEXT}"


def _repositories(*, light: bool) -> tuple[str, str]:
    """(what is selected of a repository, the fragments for it)."""
    selected, _, fragments = (_LIGHT if light else _FULL).partition("\n")
    return selected, fragments


# --- Questions --------------------------------------------------------------------------------------


def by_names(paths: Sequence[str], *, light: bool) -> str:
    """Ask about repositories by their names, as `o/r`. A `light` question is about facts alone."""
    selected, fragments = _repositories(light=light)
    lines = []
    for i, path in enumerate(paths):
        owner, _, name = path.partition("/")
        lines.append(f"  r{i}: repository(owner: {json.dumps(owner)}, name: {json.dumps(name)}) {selected}")
    return _question(lines, fragments)


def by_nodes(nodes: Sequence[str], *, light: bool = False) -> str:
    """Ask about repositories by GitHub's ids of them."""
    selected, fragments = _repositories(light=light)
    lines = [
        f"  r{i}: node(id: {json.dumps(node)}) {{ ... on Repository {selected} }}"
        for i, node in enumerate(nodes)
    ]
    return _question(lines, fragments)


def of_owner(options: Options, *, light: bool) -> str:
    """Ask for a page of the repositories of an organisation or user, at `repositoryOwner.repositories`.

    The oldest come first: what is pushed to or made in the meantime moves none from page to page.
    """
    selected, fragments = _repositories(light=light)
    only = "".join(
        f", {name}: false"
        for name, wanted in (("isFork", options.forks), ("isArchived", options.archived))
        if not wanted
    )
    return f"""query($login: String!, $first: Int!, $after: String) {{
  repositoryOwner(login: $login) {{
    repositories(first: $first, after: $after, ownerAffiliations: [OWNER]{only},
                 orderBy: {{field: CREATED_AT, direction: ASC}}) {{
      totalCount pageInfo {{ hasNextPage endCursor }} nodes {selected}
    }}
  }}
}}
{fragments}"""


def of_search(*, light: bool) -> str:
    """Ask for a page of what a search finds, at `search`."""
    selected, fragments = _repositories(light=light)
    return f"""query($search: String!, $first: Int!, $after: String) {{
  search(type: REPOSITORY, query: $search, first: $first, after: $after) {{
    repositoryCount pageInfo {{ hasNextPage endCursor }} nodes {{ ... on Repository {selected} }}
  }}
}}
{fragments}"""


def counts(searches: Sequence[str]) -> str:
    """Ask how many repositories each search finds."""
    lines = [
        f"  r{i}: search(type: REPOSITORY, query: {json.dumps(search)}, first: 1) {{ repositoryCount }}"
        for i, search in enumerate(searches)
    ]
    return _question(lines, "")


def blobs(wanted: Sequence[tuple[str, str]]) -> str:
    """Ask for contents, each by GitHub's id of the repository and the blob id."""
    lines = [
        f"  r{i}: node(id: {json.dumps(node)})"
        f" {{ ... on Repository {{ object(oid: {json.dumps(oid)}) {{ ...Text }} }} }}"
        for i, (node, oid) in enumerate(wanted)
    ]
    return _question(lines, _TEXT)


@dataclass(frozen=True, slots=True)
class Walk:
    """A page of the commits that touched a path, the newest first."""

    node: str
    head: str
    path: str
    after: str | None = None


def commits(walks: Sequence[Walk]) -> str:
    """Ask for pages of commits, each with what it left at the path; at `object.history`."""
    lines = []
    for i, walk in enumerate(walks):
        path, after = json.dumps(walk.path), json.dumps(walk.after)
        lines += [
            f"  r{i}: node(id: {json.dumps(walk.node)}) {{ ... on Repository {{",
            f"    object(oid: {json.dumps(walk.head)}) {{ ... on Commit {{",
            f"      history(first: 100, after: {after}, path: {path}) {{",
            f"        pageInfo {{ hasNextPage endCursor }} nodes {{ oid committedDate file(path: {path})",
            "        { mode oid } } } } } } }",
        ]
    return _question(lines, "")


def _question(lines: Sequence[str], fragments: str) -> str:
    return "\n".join(["query {", *lines, "}", fragments])


# --- Answers ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """What GraphQL gives of a blob."""

    size: int
    content: bytes | None
    """None where its text is not the whole content to the byte."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A repository as GitHub showed it in one answer."""

    found: Found
    """The facts, without files."""
    node: str
    """GitHub's id of it, to ask again."""
    path: str
    """`o/r`, as the host spells it."""
    folders: Mapping[str, Sequence[Entry]] | None = None
    """The root and those of FOLDERS that are there; None after a light question."""
    texts: Mapping[str, Text] | None = None
    """By blob id."""

    def asked_as(self, url: str) -> Snapshot:
        """The same, with the URL under which it was asked for."""
        return replace(self, found=replace(self.found, asked=url)) if url != self.found.url else self


def parse_repository(said: Mapping[str, Any] | FetchError, host: Host) -> Snapshot | FetchError:
    """What an answer with Facts, and perhaps Content, says; the error that came in its place."""
    if isinstance(said, FetchError):
        return said
    try:
        return _parse_repository(said, host)
    except (LookupError, TypeError, ValueError, AttributeError):
        return FetchError(f"{host.name} answered with something else than was asked for")


def _parse_repository(said: Mapping[str, Any], host: Host) -> Snapshot:
    path = said["nameWithOwner"]
    number, branch, parent = said.get("databaseId"), said.get("defaultBranchRef") or {}, said.get("parent")
    mirrored = said.get("mirrorUrl") if said.get("isMirror") else None
    found = Found(
        host.repository(path),
        path.rpartition("/")[2],
        host=host.name,
        head=(branch.get("target") or {}).get("oid"),
        default_branch=branch.get("name"),
        forge_id=str(number) if number is not None else None,
        is_fork=said.get("isFork"),
        is_mirror=said.get("isMirror"),
        is_archived=said.get("isArchived"),
        parent_url=host.repository(parent["nameWithOwner"])
        if parent
        else repository_url(mirrored)
        if mirrored
        else None,
    )
    if said.get("isDisabled"):
        found = replace(found, state="blocked", reason=f"{host.name} has disabled it", head=None)
    elif said.get("isEmpty") or found.head is None:
        found = replace(found, state="empty", reason="has no commit", head=None, files=())
    if "folder" not in said:
        return Snapshot(found, said["id"], path)
    names = {"folder": "", **{f"folder{i}": name for i, name in enumerate(FOLDERS)}}
    folders = {
        name: tuple(
            Entry(entry["name"], KIND_OF_MODE.get(f"{entry['mode']:06o}", "file"), entry["oid"])
            for entry in said[key]["entries"] or ()
        )
        for key, name in names.items()
        if said.get(key) and "entries" in said[key]
    }
    text = said.get("file")
    texts = {text["oid"]: parse_text(text)} if text and "oid" in text else {}
    return Snapshot(found, said["id"], path, folders, texts)


def parse_text(said: Mapping[str, Any]) -> Text:
    r"""The content of a blob, where its text, as GitHub decoded it, is the content.

    >>> parse_text({"oid": "d95f3ad14dee633a758d2e331151e950dd13e4ed", "byteSize": 8, "text": "content\n"})
    Text(size=8, content=b'content\n')
    """
    size = said.get("byteSize")
    try:
        content = str(said.get("text") or "").encode()
    except UnicodeEncodeError:
        content = b""
    whole = not said.get("isTruncated") and blob_id(content) == said.get("oid")
    return Text(size if isinstance(size, int) else 0, content if whole else None)


@dataclass(frozen=True, slots=True)
class Touch:
    """What a commit left at a path."""

    commit: str
    at: str
    """ISO 8601, UTC."""
    sha: str | None
    """None when no plain file is there."""


def parse_commits(said: Mapping[str, Any]) -> tuple[list[Touch], str | None]:
    """(the commits of a page, where the next page begins)."""
    history = (said.get("object") or {}).get("history") or {}
    touches = []
    for node in history.get("nodes") or ():
        file = node.get("file") or {}
        plain = KIND_OF_MODE.get(f"{file.get('mode') or 0:06o}", "file") == "file"
        at = datetime.fromisoformat(node["committedDate"]).astimezone(UTC)
        sha = file.get("oid") if plain else None
        touches.append(Touch(node["oid"], at.isoformat(timespec="seconds"), sha))
    page = history.get("pageInfo") or {}
    return touches, page.get("endCursor") if page.get("hasNextPage") else None


def named(host: Host, path: str) -> Found:
    """A repository of which nothing but its name is known."""
    return Found(host.repository(path), shown(path.rpartition("/")[2]), host=host.name)
