"""GitLab's GraphQL: many projects in one question.

A host may refuse a question, for what it costs ("Query has complexity of …"), for a field that it does
not know yet, or altogether. Then there are no answers, and the caller asks REST about each project; so
nothing that is missing here is taken as missing there. A question that a host cannot answer in time is
asked again about half as many.

(GitLab, "GraphQL API resources"; a question may cost 200, or 250 with a token: see "GraphQL API",
section "Limits". A list of projects costs as one project, and a hundredth of that for each of them; the
text of files at several paths costs far more than at one, so one path a question.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..forge import Facts, inner, text
from ..hosts import Host
from ..http import FetchError, TooLarge, Web
from ..listing import KIND_OF_MODE, Entry
from ..names import FOLDERS

MOST = 50
"""Projects in one question: more full paths than that are refused."""
_LEAST = 5
"""Fewer than these are asked for one by one instead."""
_MAX_BYTES = 16 << 20

_FOLDER = (
    "blobs(first: 100) { nodes { name sha mode } pageInfo { hasNextPage } }"
    " trees(first: 100) { nodes { name } pageInfo { hasNextPage } }"
)
_HEAD = "id fullPath archived repository { rootRef empty tree { lastCommit { sha } %s } }"
_LISTED = "nodes { %s } pageInfo { hasNextPage endCursor }" % (_HEAD % "")


def _about(fields: str, by: str = "ids", kind: str = "[ID!]", more: str = "") -> str:
    return (
        f"query($values: {kind}, $first: Int{more})"
        f" {{ projects({by}: $values, first: $first) {{ nodes {{ {fields} }} }} }}"
    )


ROOTS = _about(_HEAD % _FOLDER)
"""What projects, by id, hold in the root of their default branch."""
ROOTS_BY_PATH = _about(_HEAD % _FOLDER, by="fullPaths", kind="[String!]")
"""The same by path."""
INNER = _about(
    "id repository { "
    + " ".join(f'f{number}: tree(path: "{name}") {{ {_FOLDER} }}' for number, name in enumerate(FOLDERS))
    + " }"
)
"""What they hold in the folders below it that may hold a citation file."""
TEXTS = _about(
    "id repository { blobs(paths: [$path]) { nodes { oid rawTextBlob } } }", more=", $path: String!"
)
"""The text of one file in each of them, by its path."""
OF_HOST = f'query($after: String) {{ projects(first: 100, after: $after, sort: "id_asc") {{ {_LISTED} }} }}'
"""All projects of a host, with the commit of each."""
OF_GROUP = (
    "query($path: ID!, $after: String) { namespace(fullPath: $path)"
    f" {{ projects(includeSubgroups: true, first: 100, after: $after) {{ {_LISTED} }} }} }}"
)
"""All projects of a group or user."""


class _TooMuch(Exception):
    """The host could not do so much in one answer."""


@dataclass(frozen=True, slots=True)
class GraphQL:
    """The GraphQL of one host."""

    host: Host
    web: Web

    def nodes(self, query: str, values: Sequence[str], **others: str) -> Iterator[tuple[str, Facts]]:
        """(id, project) of those of the projects that the host gives."""
        todo = [list(values[at : at + MOST]) for at in range(0, len(values), MOST)]
        while todo:
            some = todo.pop()
            try:
                told = self._ask(query, {"values": some, "first": len(some), **others})
            except _TooMuch:
                if len(some) >= 2 * _LEAST:
                    half = len(some) // 2
                    todo += [some[:half], some[half:]]
                continue
            for node in nodes_of(inner(told, "projects")):
                yield project_id(node), node

    def page(self, query: str, variables: Mapping[str, str | None]) -> tuple[list[Facts], str | None] | None:
        """(projects, cursor of the next page) of a listing; None when the host does not give it."""
        try:
            told = self._ask(query, variables)
        except _TooMuch:
            return None
        listed = inner(inner(told, "namespace") or told, "projects")
        if "nodes" not in listed or not isinstance(listed["nodes"], list):
            return None
        about = inner(listed, "pageInfo")
        return nodes_of(listed), text(about, "endCursor") if about.get("hasNextPage") else None

    def _ask(self, query: str, variables: Mapping[str, Any]) -> Facts:
        url = f"{self.host.api.rpartition('/')[0]}/graphql"
        try:
            answer = self.web.post(url, {"query": query, "variables": variables}, max_bytes=_MAX_BYTES)
            if answer.status >= 500:
                raise _TooMuch
            told = answer.json() if answer.is_ok else {}
        except TooLarge as error:
            raise _TooMuch from error
        except FetchError:
            return {}  # REST will say what the matter is
        return inner(told, "data") if isinstance(told, dict) else {}


def project_id(node: Facts) -> str:
    """The number in `gid://gitlab/Project/7`."""
    return str(node.get("id", "")).rpartition("/")[2]


def gid(number: str) -> str:
    """A project's number as GraphQL writes it."""
    return f"gid://gitlab/Project/{number}"


def head_of(node: Facts) -> str:
    """The commit of a project's default branch; empty where it is not told."""
    return text(inner(inner(inner(node, "repository"), "tree"), "lastCommit"), "sha") or ""


def entries_of(tree: Facts) -> list[Entry] | None:
    """The lines of a folder; None when not all of them are told."""
    blobs, trees = inner(tree, "blobs"), inner(tree, "trees")
    if (
        not blobs
        or not trees
        or any(inner(c, "pageInfo").get("hasNextPage") is not False for c in (blobs, trees))
    ):
        return None
    return [
        *(
            Entry(
                str(line.get("name")), KIND_OF_MODE.get(str(line.get("mode")), "file"), str(line.get("sha"))
            )
            for line in nodes_of(blobs)
        ),
        *(Entry(str(line.get("name")), "folder") for line in nodes_of(trees)),
    ]


def nodes_of(connection: Facts) -> list[Facts]:
    """What a connection holds; nothing where it is not told."""
    nodes = connection.get("nodes")
    return [node for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
