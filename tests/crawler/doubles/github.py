"""A GitHub on loopback: GraphQL executed against GitHub's own schema, and the REST paths that are asked.

The schema is the file `schema.graphql` of the npm package @octokit/graphql-schema. It is looked for at
$CFFGRAPH_GITHUB_SDL, in node_modules of the checkout, and in ~/.cache/cffgraph/node_modules.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import NEW, Joinable, Mark, Options, Past, Trouble, Unit
from cffgraph.crawler.sources.github import understand
from cffgraph.db.found import Found, Known

_PLACES = (
    os.environ.get("CFFGRAPH_GITHUB_SDL", ""),
    str(Path(__file__).parents[3] / "node_modules/@octokit/graphql-schema/schema.graphql"),
    str(Path("~/.cache/cffgraph/node_modules/@octokit/graphql-schema/schema.graphql").expanduser()),
)
_FOUND = next((Path(place) for place in _PLACES if place and Path(place).is_file()), None)
SDL = _FOUND if find_spec("graphql") else None
NO_SDL = (
    "graphql-core or GitHub's GraphQL schema is not here: the schema comes with"
    " npm install --prefix ~/.cache/cffgraph @octokit/graphql-schema, or CFFGRAPH_GITHUB_SDL names its file"
)
FILE, SCRIPT, LINK, FOLDER, MODULE = 0o100644, 0o100755, 0o120000, 0o040000, 0o160000
PEOPLE = "Ada Probe, Bo Limen, Cy Ångquist, Dee Öz".split(", ")


@cache
def schema() -> Any:
    """The schema; built once, as that takes more than a second."""
    from graphql import build_schema

    assert SDL is not None
    # GitHub's schema breaks a rule on what is deprecated; queries are validated against it all the same.
    return build_schema(SDL.read_text("utf-8"), assume_valid_sdl=True, assume_valid=True)


class Kill(BaseException):
    """What makes the host give up on a request."""


class Refusal(Exception):
    """An error of GitHub's kind: with a type of its own."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def cff(title: str, person: str = PEOPLE[0]) -> bytes:
    given, family = person.split()
    return (
        f'cff-version: 1.2.0\nmessage: Cite it.\ntitle: "{title}"\n'
        f"authors:\n- family-names: {family}\n  given-names: {given}\n"
    ).encode()


class Link(bytes):
    """A symbolic link, by its target."""


class Script(bytes):
    """A file that may be run."""


class Module(bytes):
    """A submodule, by its commit."""


def mode_of(content: bytes) -> int:
    return LINK if isinstance(content, Link) else SCRIPT if isinstance(content, Script) else FILE


def sha_of(*parts: object) -> str:
    return hashlib.sha1(repr(parts).encode(), usedforsecurity=False).hexdigest()


@dataclass
class Commit:
    oid: str
    at: datetime
    files: dict[str, bytes]


@dataclass
class Repository:
    path: str
    number: int
    files: dict[str, bytes] = field(default_factory=dict)
    """At its head."""
    commits: list[Commit] = field(default_factory=list)
    """The oldest first; none in an empty one."""
    fork_of: Repository | None = None
    is_archived: bool = False
    is_disabled: bool = False
    mirror_url: str | None = None
    created: datetime = datetime(2020, 1, 1, tzinfo=UTC)
    stars: int = 0
    topics: tuple[str, ...] = ()

    @property
    def node(self) -> str:
        return f"R_{self.number:08x}"

    @property
    def owner(self) -> str:
        return self.path.split("/")[0]

    @property
    def pushed_at(self) -> str | None:
        return stamp(self.commits[-1].at) if self.commits else None

    def push(self, changes: dict[str, bytes | None]) -> Commit:
        """Commit changes of files; None removes one."""
        files = {**self.files, **{p: c for p, c in changes.items() if c is not None}}
        self.files = {path: c for path, c in files.items() if changes.get(path, c) is not None}
        at = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC) + timedelta(days=len(self.commits))
        commit = Commit(sha_of(self.number, len(self.commits), self.files), at, self.files)
        self.commits.append(commit)
        return commit

    def listing(self, files: dict[str, bytes], folder: str) -> list[tuple[str, int, str]] | None:
        """(name, mode, id) of what is in a folder; None when there is none."""
        prefix = f"{folder}/" if folder else ""
        found: dict[str, tuple[str, int, str]] = {}
        for path, content in sorted(files.items()):
            if not path.startswith(prefix):
                continue
            name, slash, _ = path[len(prefix) :].partition("/")
            if slash:
                found[name] = (name, FOLDER, self.tree_id(files, prefix + name))
            elif isinstance(content, Module):
                found[name] = (name, MODULE, content.decode())
            else:
                found[name] = (name, mode_of(content), blob_id(content))
        return [*found.values()] if found or not folder else None

    def tree_id(self, files: dict[str, bytes], folder: str) -> str:
        return sha_of(folder, sorted((p, c) for p, c in files.items() if p.startswith(f"{folder}/")))

    def blob(self, oid: str) -> bytes | None:
        every = (c for commit in reversed(self.commits) for c in commit.files.values())
        return next((bytes(c) for c in every if blob_id(c) == oid), None)


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Asked:
    """A request."""

    method: str
    path: str
    query: str = ""
    """Of GraphQL, with its variables after it."""
    repositories: int = 0
    """So many it asks about at most."""
    authorization: str = ""

    @property
    def has_content(self) -> bool:
        return "Blob" in self.query or "/blobs/" in self.path or "/contents/" in self.path


@dataclass
class GitHub:
    """The host and its world."""

    name: str = ""
    """Host and port."""
    base: str = "/api/v3"
    """Of REST."""
    repositories: list[Repository] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    """Older path -> the one that counts."""
    asked: list[Asked] = field(default_factory=list)
    bears: int = 100
    """More repositories at once are answered with 502."""
    silent_above: int = 10_000
    """More at once are not answered at all."""
    killers: set[str] = field(default_factory=set)
    """Paths of repositories whose content is too much even alone."""
    exhausting: set[str] = field(default_factory=set)
    """Paths whose content exceeds the limit of resources when they are not alone."""
    refused: dict[str, Refusal] = field(default_factory=dict)
    """By path."""
    next_answers: deque[tuple[int, dict[str, str], bytes]] = field(default_factory=deque)
    """Given to the next requests, whatever they ask."""
    anonymous_left: int = 60
    points_left: int = 5000
    longest_text: int = 512 << 10
    search_cap: int = 1000
    is_incomplete: bool = False
    """REST searches say that they have not looked through everything."""

    @property
    def url(self) -> str:
        return f"http://{self.name}{self.base}"

    def add(self, path: str, files: dict[str, bytes] | None = None, **facts: Any) -> Repository:
        """Put a repository there, with a first commit unless `files` is empty."""
        repository = Repository(path, 1000 + len(self.repositories), **facts)
        if files is None:
            files = {"README.md": b"x", "CITATION.cff": cff(path, PEOPLE[repository.number % 4])}
        if files:
            repository.push(dict(files))
        self.repositories.append(repository)
        return repository

    def at(self, path: str) -> Repository | None:
        path = self.renamed.get(path.lower(), path)
        return next((r for r in self.repositories if r.path.lower() == path.lower()), None)

    def owned(self, owner: str) -> list[Repository]:
        return [r for r in self.repositories if r.owner.lower() == owner.lower()]

    def posts(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.method == "POST"]

    # --- GraphQL ------------------------------------------------------------------------------

    def execute(self, body: dict[str, Any], repositories: int) -> dict[str, Any]:
        from graphql import graphql_sync

        root = {
            "repository": lambda info, owner, name, followRenames=True: self._named(f"{owner}/{name}", info),
            "repositoryOwner": lambda info, login: self._owner(login, repositories),
            "node": lambda info, id: self._by_node(id, repositories),  # noqa: A006
            "search": lambda info, type, query, first=None, after=None: self._search(  # noqa: A006
                query, first, after, repositories
            ),
        }
        # How many are asked about, for what depends on it.
        self._local = repositories
        result = graphql_sync(
            schema(),
            body["query"],
            root,
            variable_values=body.get("variables") or {},
            type_resolver=lambda value, info, abstract: value["typename"],
        )
        said: dict[str, Any] = {}
        if result.data is not None:
            said["data"] = result.data
        errors = []
        for error in result.errors or ():
            if isinstance(error.original_error, Kill):
                raise error.original_error
            entry: dict[str, Any] = {"message": error.message}
            if isinstance(error.original_error, Refusal):
                entry["type"] = error.original_error.kind
            elif error.original_error is not None:
                raise error.original_error
            else:
                entry["extensions"] = {"code": "undefinedField"}
            if error.path:
                entry["path"] = error.path
            errors.append(entry)
        if errors:
            said["errors"] = errors
        return said

    def _named(self, path: str, info: Any) -> dict[str, Any]:
        repository = self.at(path)
        if repository is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{path}'.")
        return self._repository(repository, self._local)

    def _by_node(self, node: str, repositories: int) -> dict[str, Any] | None:
        found = next((r for r in self.repositories if r.node == node), None)
        if found is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{node}'.")
        return self._repository(found, repositories)

    def _owner(self, login: str, repositories: int) -> dict[str, Any] | None:
        owned = self.owned(login)

        def listed(info: Any, first: int, after: str | None = None, **only: Any) -> dict[str, Any]:
            assert only["ownerAffiliations"] == ["OWNER"]
            assert only["orderBy"] == {"field": "CREATED_AT", "direction": "ASC"}
            wanted = [
                r
                for r in owned
                if only.get("isFork") in (None, r.fork_of is not None)
                and only.get("isArchived") in (None, r.is_archived)
            ]
            return self._connection(wanted, first, after, repositories, "totalCount")

        return {"typename": "Organization", "login": login, "repositories": listed} if owned else None

    def _search(self, text: str, first: int | None, after: str | None, repositories: int) -> dict[str, Any]:
        found = self.search(text)
        shown = self._connection(found[: self.search_cap], first or 10, after, repositories, "-")
        return {**shown, "repositoryCount": len(found)}

    def _connection(
        self, all_of: list[Repository], first: int, after: str | None, repositories: int, total: str
    ) -> dict[str, Any]:
        try:
            begin = int(base64.b64decode(after).decode().removeprefix("cursor:")) if after else 0
        except ValueError:
            raise Refusal(
                "INVALID_CURSOR_ARGUMENTS", f"`{after}` does not appear to be a valid cursor."
            ) from None
        end = begin + first
        return {
            total: len(all_of),
            "pageInfo": {
                "hasNextPage": end < len(all_of),
                "endCursor": base64.b64encode(f"cursor:{min(end, len(all_of))}".encode()).decode(),
            },
            "nodes": [self._lazily(r, repositories) for r in all_of[begin:end]],
        }

    def _lazily(self, repository: Repository, repositories: int) -> Any:
        try:
            return self._repository(repository, repositories)
        except Refusal as refusal:
            return refusal  # an error at this place of the list

    def _repository(self, r: Repository, repositories: int) -> dict[str, Any]:
        if r.path in self.refused:
            raise self.refused[r.path]

        def thing(info: Any, expression: str | None = None, oid: str | None = None) -> Any:
            if r.path in self.killers:
                raise Kill
            if r.path in self.exhausting and repositories > 1:
                raise Refusal("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")
            return self._object(r, expression, oid)

        def parent(info: Any) -> Any:
            return self._repository(r.fork_of, repositories) if r.fork_of else None

        head = r.commits[-1] if r.commits else None
        return {
            "typename": "Repository",
            "id": r.node,
            "databaseId": r.number,
            "nameWithOwner": r.path,
            "isFork": r.fork_of is not None,
            "isArchived": r.is_archived,
            "isDisabled": r.is_disabled,
            "isMirror": r.mirror_url is not None,
            "mirrorUrl": r.mirror_url,
            "isEmpty": head is None,
            "parent": parent,
            "defaultBranchRef": {"name": "main", "target": self._commit(r, head)} if head else None,
            "object": thing,
        }

    def _object(self, r: Repository, expression: str | None, oid: str | None) -> Any:
        if not r.commits:
            return None
        if oid is not None:
            commit = next((c for c in r.commits if c.oid == oid), None)
            content = r.blob(oid)
            return self._commit(r, commit) if commit else None if content is None else self._blob(content)
        assert expression is not None
        rev, _, path = expression.partition(":")
        assert rev == "HEAD"
        listed = r.listing(r.files, path)
        if listed is not None:
            return {
                "typename": "Tree",
                "oid": r.tree_id(r.files, path),
                "entries": [{"name": name, "mode": mode, "oid": entry} for name, mode, entry in listed],
            }
        return self._blob(r.files[path]) if path in r.files else None

    def _blob(self, content: bytes) -> dict[str, Any]:
        try:
            text: str | None = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = None
        return {
            "typename": "Blob",
            "oid": blob_id(content),
            "byteSize": len(content),
            "isBinary": text is None,
            "isTruncated": len(content) > self.longest_text,
            "text": None if text is None else text[: self.longest_text],
        }

    def _commit(self, r: Repository, commit: Commit) -> dict[str, Any]:
        def history(info: Any, first: int, path: str, after: str | None = None) -> dict[str, Any]:
            def at_path(c: Commit) -> tuple[int, bytes] | None:
                content = c.files.get(path)
                return None if content is None else (mode_of(content), content)

            upto = r.commits[: r.commits.index(commit) + 1]
            stood = [None, *map(at_path, upto)]
            touched = [c for before, c in zip(stood, upto, strict=False) if before != at_path(c)][::-1]
            begin = int(after or 0)
            return {
                "pageInfo": {"hasNextPage": begin + first < len(touched), "endCursor": str(begin + first)},
                "nodes": [self._commit(r, c) for c in touched[begin : begin + first]],
            }

        def file(info: Any, path: str) -> dict[str, Any] | None:
            if path not in commit.files:
                return None
            content = commit.files[path]
            return {"mode": mode_of(content), "oid": blob_id(content)}

        return {
            "typename": "Commit",
            "oid": commit.oid,
            "committedDate": stamp(commit.at),
            "history": history,
            "file": file,
        }

    # --- Search -------------------------------------------------------------------------------

    def search(self, text: str) -> list[Repository]:
        """What a search finds: words in names, and the qualifiers topic, stars, created, fork."""
        found, forks = self.repositories, False
        for word in text.split():
            name, colon, value = word.partition(":")
            low, _, high = value.partition("..")
            if not colon:
                found = [r for r in found if word in r.path]
            elif name == "topic":
                found = [r for r in found if value in r.topics]
            elif name == "stars":
                found = [r for r in found if int(low) <= r.stars <= int(high)]
            elif name == "created":
                found = [r for r in found if low <= stamp(r.created) <= high]
            elif name == "fork":
                forks = value == "true"
            else:
                raise AssertionError(f"no such qualifier: {word}")
        return [r for r in found if forks or r.fork_of is None]

    # --- REST ---------------------------------------------------------------------------------

    def rest(self, target: str, accept: str) -> tuple[int, dict[str, str], Any]:
        """(status, headers, JSON or bytes) of a GET."""
        parts = urlsplit(target)
        steps = [unquote(step) for step in parts.path.removeprefix(f"{self.base}/").split("/")]
        fields = dict(parse_qsl(parts.query))
        missing = 404, {}, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}
        match steps:
            case ["orgs" | "users" as kind, owner, "repos"]:
                owned = self.owned(owner)
                if not owned or (kind == "orgs") != owner.lower().startswith("org"):
                    return missing
                number = self.repositories.index(owned[0])
                return self._paged(owned, fields, f"{self.url}/organizations/{number}/repos")
            case ["search", "repositories"]:
                found = self.search(fields["q"])
                status, headers, items = self._paged(
                    found[: self.search_cap], fields, f"{self.url}/search/repositories"
                )
                return (
                    status,
                    headers,
                    {"total_count": len(found), "incomplete_results": self.is_incomplete, "items": items},
                )
            case ["repositories", number]:
                r = next((r for r in self.repositories if str(r.number) == number), None)
                return (200, {}, self._facts(r)) if r else missing
            case ["repos", owner, name, *rest]:
                path = f"{owner}/{name}"
                r = self.at(path)
                if r is None:
                    return missing
                if path.lower() in self.renamed:
                    there = f"{self.url}/repositories/{r.number}"
                    return 301, {"Location": there}, {"message": "Moved Permanently", "url": there}
                if r.path in self.refused:
                    return self._refusal(r)
                return self._inside(r, rest, accept) if rest else (200, {}, self._facts(r))
        return missing

    def _refusal(self, r: Repository) -> tuple[int, dict[str, str], Any]:
        refusal = self.refused[r.path]
        if "blocked" in str(refusal):
            notice = f"https://{self.name}/notice/{r.number}"
            block = {"reason": "dmca", "created_at": "2024-01-02T03:04:05Z", "html_url": notice}
            return 451, {}, {"message": "Repository access blocked", "block": block}
        return 403, {}, {"message": str(refusal)}

    def _inside(self, r: Repository, rest: list[str], accept: str) -> tuple[int, dict[str, str], Any]:
        match rest:
            case ["git", "trees", name]:
                if not r.commits:
                    return 409, {}, {"message": "Git Repository is empty."}
                folders = {p[:i] for p in r.files for i, letter in enumerate(p) if letter == "/"}
                at_head = name in ("HEAD", "main", r.commits[-1].oid)
                folder = "" if at_head else next(f for f in folders if r.tree_id(r.files, f) == name)
                types = {FOLDER: "tree", MODULE: "commit"}
                tree = [
                    {"path": n, "mode": f"{mode:06o}", "type": types.get(mode, "blob"), "sha": oid}
                    for n, mode, oid in r.listing(r.files, folder) or ()
                ]
                return (
                    200,
                    {},
                    {"sha": r.commits[-1].oid if at_head else name, "tree": tree, "truncated": False},
                )
            case ["git", "blobs", sha]:
                assert "raw" in accept
                content = r.blob(sha)
                return (200, {}, content) if content is not None else (404, {}, {"message": "Not Found"})
        raise AssertionError(f"nothing is known of {rest}")

    def _facts(self, r: Repository) -> dict[str, Any]:
        facts = self._minimal(r)
        if r.fork_of is not None:
            facts["parent"] = self._minimal(r.fork_of)
        return facts

    def _minimal(self, r: Repository) -> dict[str, Any]:
        return {
            "id": r.number,
            "node_id": r.node,
            "name": r.path.split("/")[1],
            "full_name": r.path,
            "private": False,
            "fork": r.fork_of is not None,
            "archived": r.is_archived,
            "disabled": r.is_disabled,
            "mirror_url": r.mirror_url,
            "default_branch": "main",
            "pushed_at": r.pushed_at,
            "stargazers_count": r.stars,
            "size": len(r.files),
        }

    def _paged(
        self, all_of: list[Repository], fields: dict[str, str], place: str
    ) -> tuple[int, dict[str, str], Any]:
        size, page = int(fields.get("per_page", "30")), int(fields.get("page", "1"))
        last = max(1, -(-len(all_of) // size))
        kept = "&".join(f"{k}={quote(v)}" for k, v in fields.items() if k != "page")
        links = {"next": page + 1, "last": last} if page < last else {}
        link = ", ".join(f'<{place}?{kept}&page={n}>; rel="{rel}"' for rel, n in links.items())
        shown = all_of[(page - 1) * size : page * size]
        return 200, {"Link": link} if link else {}, [self._minimal(r) for r in shown]


def _handler(host: GitHub) -> type[BaseHTTPRequestHandler]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # headers and content in one packet: the other side does not wait for more
        timeout = 30

        def do_GET(self) -> None:
            asked = Asked("GET", self.path, authorization=self.headers.get("Authorization", ""))
            host.asked.append(asked)
            if self.given():
                return
            if not asked.authorization:
                with lock:
                    host.anonymous_left -= 1
                if host.anonymous_left < 0:
                    message = {"message": "API rate limit exceeded for 192.0.2.1."}
                    self.send(403, {}, message, limit=(60, 0))
                    return
            status, headers, said = host.rest(self.path, self.headers.get("Accept", ""))
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            tag = f'W/"{hashlib.sha256(body).hexdigest()}"'
            if status == 200 and self.headers.get("If-None-Match") == tag:
                with lock:
                    host.anonymous_left += not asked.authorization
                status, body = 304, b""
            limit = (5000, host.points_left) if asked.authorization else (60, host.anonymous_left)
            self.send(status, {"ETag": tag, **headers}, body, limit=limit)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            query, variables = body["query"], body.get("variables") or {}
            number = variables.get("first") or len(re.findall(r"^\s*r\d+:", query, re.MULTILINE))
            asked = Asked(
                "POST",
                self.path,
                f"{query}\n{json.dumps(variables)}",
                number,
                self.headers.get("Authorization", ""),
            )
            host.asked.append(asked)
            if self.given():
                return
            if self.path != f"{host.base.removesuffix('/v3')}/graphql":
                self.send(404, {}, {"message": "Not Found"})
            elif not asked.authorization:
                self.send(401, {}, {"message": "This endpoint requires you to be authenticated."})
            elif number > host.silent_above:
                self.close_connection = True
            elif number > host.bears:
                self.send(502, {}, {"message": "Something went wrong while executing your query."})
            else:
                with lock:
                    host.points_left -= 1
                    try:
                        said = host.execute(body, number)
                    except Kill:
                        said = None
                if said is None:
                    self.send(502, {}, b"")
                else:
                    self.send(200, {}, said, limit=(5000, host.points_left))

        def given(self) -> bool:
            """Give an answer that was laid out, if there is one."""
            if not host.next_answers:
                return False
            status, headers, content = host.next_answers.popleft()
            self.send(status, headers, content)
            return True

        def send(
            self, status: int, headers: dict[str, str], said: Any, limit: tuple[int, int] | None = None
        ) -> None:
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            if limit is not None:
                self.send_header("X-RateLimit-Limit", str(limit[0]))
                self.send_header("X-RateLimit-Remaining", str(max(0, limit[1])))
                self.send_header("X-RateLimit-Used", str(limit[0] - max(0, limit[1])))
                self.send_header("X-RateLimit-Reset", str(int(time.time()) + 3000))
                self.send_header("X-RateLimit-Resource", "core" if self.command == "GET" else "graphql")
            if "Content-Type" not in headers:
                self.send_header("Content-Type", "application/json; charset=utf-8")
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if status != 304:
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


def start(**settings: Any) -> tuple[GitHub, Callable[[], None]]:
    """A host that answers, and what stops it."""
    host = GitHub(**settings)
    server = _Server(("127.0.0.1", 0), _handler(host))
    host.name = f"127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return host, stop


def fill(host: GitHub, owner: str, number: int, *, odd_every: int = 0) -> None:
    """Put so many repositories of an owner there, and as odd ones some whose file is elsewhere, or none."""
    odd: Iterable[dict[str, bytes]] = (
        {"README": b"x", "citation.cff": cff("small letters")},
        {"docs/CITATION.cff": cff("in docs"), "docs/index.md": b"x"},
        {"src/main.c": b"x"},
    )
    kinds = [*odd]
    for i in range(number):
        is_odd = odd_every and i % odd_every == odd_every - 1
        files = kinds[i // odd_every % len(kinds)] if is_odd else None
        host.add(f"{owner}/tool-{i:04}", files, created=datetime(2015, 1, 1, tzinfo=UTC) + timedelta(hours=i))


class Crawl:
    """Crawls sources of the host without a database, and remembers what one would know."""

    def __init__(self, host: GitHub, *, token: str = "", pages: str = "") -> None:
        names = ("PROBE_GITHUB_TOKEN",) if token else ()
        self.github = host
        self.host = Host(pages or host.name, "github", host.url, names, 0, allow_private=True)
        self.hosts = Hosts([self.host], allowed=["127.0.0.1"])
        self.known: dict[str, Known] = {}
        self.marks: list[Mark] = []
        self.troubles: list[Trouble] = []
        self.asked: list[Asked] = []
        """The requests of the last crawl."""
        self.web = self.new_web()

    def new_web(self) -> Web:
        return Web(self.hosts, backoff_s=0.01, max_wait_s=30)

    def __call__(self, *words: str, past: Past = NEW, **options: Any) -> dict[str, Found]:
        """Each repository by its URL; units of single repositories are joined, as a crawl does it."""
        wanted = Options(Git(), web=self.web, **options)
        before = len(self.github.asked)
        founds: dict[str, Found] = {}
        for unit in self.listed(*words, past=past, **options):
            known = {url: self.known[url] for url in unit.urls if url in self.known}
            for found in unit.fetch(known, wanted):
                assert found.url not in founds or found.asked, f"{found.url} is doubled"
                assert {found.url, found.asked} & {*unit.urls}
                founds[found.url] = found
        for found in founds.values():
            self._remember(found)
        self.asked = self.github.asked[before:]
        return founds

    def listed(self, *words: str, past: Past = NEW, **options: Any) -> list[Unit]:
        """The units of sources."""
        self.marks, self.troubles = [], []
        joined: list[Joinable] = []
        units: list[Unit] = []
        for word in words:
            source = understand(word, self.hosts)
            assert source is not None, word
            again = understand(source.spec, self.hosts)
            assert again is not None
            assert again.spec == source.spec
            for step in source.units(Options(Git(), web=self.web, **options), past):
                if isinstance(step, Mark):
                    self.marks.append(step)
                elif isinstance(step, Trouble):
                    self.troubles.append(step)
                else:
                    (joined if isinstance(step, Joinable) else units).append(step)
        return units + ([joined[0].join(joined[1:])] if len(joined) > 1 else joined)

    def url(self, path: str) -> str:
        return self.host.repository(path)

    def files(self, founds: dict[str, Found], path: str) -> dict[str, bytes | None]:
        """Path -> content of the files of a repository."""
        found = founds[self.url(path)]
        assert found.state == "ok", found
        for file in found.files or ():
            assert file.content is None or blob_id(file.content) == file.sha
        return {file.path: file.content for file in found.files or ()}

    def _remember(self, found: Found) -> None:
        urls = [url for url in (found.url, found.asked) if url]
        before = next((self.known[url] for url in urls if url in self.known), None)
        shas = {file.sha for file in found.files or () if file.sha} | (before.shas if before else set())
        shas |= {version.sha for version in found.history or ()}
        head = found.head if found.files is not None or before is None else before.head
        history_head = found.head if found.history is not None else before and before.history_head
        validator = found.validator or (before.validator if before else "")
        known = Known(head, found.state, frozenset(shas), validator, history_head)
        self.known |= dict.fromkeys(urls, known)
