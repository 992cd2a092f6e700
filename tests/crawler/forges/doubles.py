"""What the doubles of forges are made of: repositories in memory, a host that notes what it is asked."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote

from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import NEW, Mark, Options, Past, Trouble
from cffgraph.db.found import Found, Known
from werkzeug import Request, Response

MODES = {"blob": "100644", "tree": "040000", "link": "120000", "commit": "160000"}


class Link(str):
    """A symbolic link, by its target."""


@dataclass
class Repository:
    """A repository of a forge."""

    path: str
    number: int
    files: dict[str, str | bytes] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    """What the forge says of it, over what it says of all."""
    branch: str = "main"
    is_closed: bool = False
    """Its code is not shown."""
    pushes: int = 1

    @property
    def is_empty(self) -> bool:
        return not self.files

    @property
    def head(self) -> str:
        told = f"{self.number} {self.pushes} {sorted(self.files)}"
        return hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()

    @property
    def pushed_at(self) -> str:
        return f"2024-01-02T{self.pushes // 60:02}:{self.pushes % 60:02}:00Z"

    def push(self, **files: str | bytes) -> None:
        self.files.update({path.replace("__", "."): text for path, text in files.items()})
        self.pushes += 1

    def content(self, path: str) -> bytes:
        text = self.files[path]
        return text if isinstance(text, bytes) else text.encode()

    def blob(self, sha: str) -> bytes | None:
        return next((self.content(p) for p in self.files if blob_id(self.content(p)) == sha), None)

    def folder(self, path: str) -> list[dict[str, Any]] | None:
        """Its lines, folders first; None when there is no such folder."""
        prefix = f"{path}/" if path else ""
        below = [p for p in self.files if p.startswith(prefix)]
        if path and not below:
            return None
        lines = []
        for name in sorted({p[len(prefix) :].split("/")[0] for p in below}):
            full = prefix + name
            if full not in self.files:
                lines.append(
                    {"name": name, "type": "tree", "sha": f"{hash(full) & (16**40 - 1):040x}", "size": 0}
                )
                continue
            kind = "link" if isinstance(self.files[full], Link) else "blob"
            content = self.content(full)
            lines.append({"name": name, "type": kind, "sha": blob_id(content), "size": len(content)})
        lines = [{**line, "path": prefix + line["name"], "mode": MODES[line["type"]]} for line in lines]
        return sorted(lines, key=lambda line: line["type"] != "tree")

    def folder_of(self, sha: str) -> str | None:
        folders = {posixpath.dirname(path) for path in self.files}
        folders |= {posixpath.dirname(folder) for folder in folders}
        return next((f for f in folders if f"{hash(f) & (16**40 - 1):040x}" == sha), None)


@dataclass(frozen=True)
class Ask:
    """A request, taken apart before its path was decoded."""

    method: str
    steps: tuple[str, ...]
    """Of the path behind the interface's own, each decoded by itself."""
    fields: dict[str, str]
    body: Any
    base: str
    """Address of the interface."""


@dataclass
class Double:
    """A forge on loopback."""

    api: str
    """Path of its interface."""
    repositories: list[Repository] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    """What requests had in their header `Authorization`."""
    once: dict[str, list[Response]] = field(default_factory=dict)
    """Answers to the next requests whose address matches, in turn."""
    always: dict[str, Response | Callable[[Ask], Response | None]] = field(default_factory=dict)
    answer: Callable[[Ask], Response] = lambda ask: Response("", 404)

    def __call__(self, request: Request) -> Response:
        target = str(request.environ["REQUEST_URI"])
        self.asked.append(target.removeprefix(self.api))
        self.tokens.add(request.headers.get("Authorization", ""))
        path, _, query = target.partition("?")
        steps = tuple(unquote(step) for step in path.removeprefix(f"{self.api}/").split("/") if step)
        body = json.loads(request.data) if request.data else None
        base = f"{request.host_url.rstrip('/')}{self.api}"
        fields = dict(parse_qsl(query, keep_blank_values=True))
        ask = Ask(request.method, steps, fields, body, base)
        for pattern, answers in self.once.items():
            if answers and re.search(pattern, target):
                return answers.pop(0)
        for pattern, answer in self.always.items():
            if re.search(pattern, target):
                told = answer if isinstance(answer, Response) else answer(ask)
                if told is not None:
                    return told
        return self.answer(ask)

    def add(self, path: str, files: dict[str, str | bytes] | None = None, **facts: Any) -> Repository:
        """Put a repository there; one with a citation file when no files are named."""
        number = 10 + len(self.repositories)
        files = {"README.md": "x", "CITATION.cff": cff(path)} if files is None else files
        self.repositories.append(Repository(path, number, files, facts))
        return self.repositories[-1]

    def at(self, path: str) -> Repository | None:
        """The repository with this path or number."""
        return next(
            (r for r in self.repositories if r.path.lower() == path.lower() or str(r.number) == path), None
        )


def told(data: Any, status: int = 200, **headers: str) -> Response:
    """JSON, with headers whose names are written with `_`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json.dumps(data), status, named, content_type="application/json")


def cff(title: str) -> str:
    return f'cff-version: 1.2.0\nmessage: Cite it.\ntitle: "{title}"\nauthors:\n- family-names: Ångquist\n'


class Crawl:
    """Crawls sources of one host without a database, and remembers what one would know."""

    def __init__(self, host: Host, understand: Callable[[str, Hosts], Any]) -> None:
        self.host = host
        self.hosts = Hosts([host])
        self.known: dict[str, Known] = {}
        self.steps: list[Any] = []
        self._understand = understand

    def options(self, **options: Any) -> Options:
        return Options(Git(), web=Web(self.hosts, backoff_s=0.01, max_wait_s=5), **options)

    def __call__(self, word: str, past: Past = NEW, **options: Any) -> dict[str, Found]:
        """Each repository by its URL; what `units` yielded stands in `steps`."""
        source = self._understand(word, self.hosts)
        assert source is not None
        assert self._understand(source.spec, self.hosts) is not None, source.spec
        wanted = self.options(**options)
        self.steps = list(source.units(wanted, past))
        founds: dict[str, Found] = {}
        for unit in self.steps:
            if isinstance(unit, (Mark, Trouble)):
                continue
            known = {url: self.known[url] for url in unit.urls if url in self.known}
            for found in unit.fetch(known, wanted):
                assert found.url not in founds
                founds[found.url] = found
        for found in founds.values():
            self._remember(found)
        return founds

    def path(self, path: str) -> str:
        return self.host.repository(path)

    @property
    def marks(self) -> list[Mark]:
        return [step for step in self.steps if isinstance(step, Mark)]

    @property
    def troubles(self) -> list[Trouble]:
        return [step for step in self.steps if isinstance(step, Trouble)]

    def _remember(self, found: Found) -> None:
        before = self.known.get(found.asked or found.url)
        if found.unchanged and before is not None:
            self.known[found.url] = replace(before, validator=found.validator or before.validator)
            return
        shas = frozenset(f.sha for f in found.files or () if f.sha) | (before.shas if before else frozenset())
        head = found.head if found.files is not None else before and before.head
        history = found.head if found.history is not None else before and before.history_head
        known = Known(head, found.state, shas, found.validator, history)
        self.known[found.url] = self.known[found.asked or found.url] = known
