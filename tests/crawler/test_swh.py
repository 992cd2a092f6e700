"""Against a double of the archive's interface over a real git repository (paths and fields as documented)."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any
from urllib.parse import unquote

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import Options
from cffgraph.crawler.sources.swh import SwhSource, understand
from cffgraph.db.found import Found, Known
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

CFF = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Größe\nauthors:\n- family-names: Probe\n"
ORIGIN = "https://forge.example/o/Tool"
SNAPSHOT = "5" * 40
RELEASE = "7" * 40


@dataclass
class Archive:
    """The archive with one origin, whose objects are those of a git repository."""

    repository: Any
    branches: dict[str, Any] = field(default_factory=dict)
    snapshot: str | None = SNAPSHOT
    lost: set[str] = field(default_factory=set)
    """Contents that it does not have."""
    limits: list[Response] = field(default_factory=list)
    """Sent instead of the next answers."""
    page_branches: int = 1000
    asked: list[str] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        path = request.path.removeprefix("/api/1")
        self.asked.append(path)
        self.authorizations.append(request.headers.get("Authorization"))
        if self.limits:
            return self.limits.pop(0)
        for pattern, answer in (
            (r"/origin/(.+)/visit/latest/", self.visit),
            (r"/snapshot/(\w+)/", self.snapshot_),
            (r"/release/(\w+)/", self.release),
            (r"/revision/(\w+)/", self.revision),
            (r"/directory/(\w+)/", self.directory),
            (r"/content/sha1_git:(\w+)/raw/", self.content),
        ):
            if match := re.fullmatch(pattern, path):
                return answer(request, *match.groups())
        return _said({"exception": "NotFoundExc"}, 404)

    def visit(self, request: Request, origin: str) -> Response:
        assert request.args["require_snapshot"] == "true"
        if unquote(origin) != ORIGIN or self.snapshot is None:
            return _said({"exception": "NotFoundExc"}, 404)
        return _said(
            {"origin": ORIGIN, "visit": 7, "status": "full", "type": "git", "snapshot": self.snapshot}
        )

    def snapshot_(self, request: Request, oid: str) -> Response:
        start, count = request.args.get("branches_from", ""), int(request.args.get("branches_count", 1000))
        names = sorted(name for name in self.branches if name >= start)[: min(count, self.page_branches)]
        return _said(
            {"id": oid, "branches": {name: self.branches[name] for name in names}, "next_branch": None}
        )

    def release(self, request: Request, oid: str) -> Response:
        target = self.repository.git("rev-parse", "HEAD")
        return _said({"id": oid, "name": "v1", "target_type": "revision", "target": target})

    def revision(self, request: Request, oid: str) -> Response:
        return _said(
            {"id": oid, "directory": self.repository.git("rev-parse", f"{oid}^{{tree}}"), "type": "git"}
        )

    def directory(self, request: Request, oid: str) -> Response:
        return _said([_entry(oid, line) for line in self.repository.git("ls-tree", "-l", oid).splitlines()])

    def content(self, request: Request, oid: str) -> Response:
        if oid in self.lost:
            return _said({"exception": "NotFoundExc"}, 404)
        done = subprocess.run(
            ["git", "-C", self.repository.path, "cat-file", "blob", oid], capture_output=True, check=True
        )
        return Response(done.stdout, content_type="application/octet-stream")


def _entry(folder: str, line: str) -> dict[str, Any]:
    facts, _, name = line.partition("\t")
    mode, kind, oid, size = facts.split()
    return {
        "dir_id": folder,
        "name": name.rpartition("/")[2],
        "type": {"blob": "file", "tree": "dir", "commit": "rev"}[kind],
        "perms": int(mode, 8),
        "target": oid,
        "length": None if size == "-" else int(size),
    }


def _said(said: object, status: int = 200) -> Response:
    headers = {"X-RateLimit-Limit": "120", "X-RateLimit-Remaining": "100", "X-RateLimit-Reset": "1"}
    return Response(json.dumps(said), status, headers, content_type="application/json")


@pytest.fixture
def archive(httpserver: HTTPServer, make_repository: Callable[..., Any]) -> Archive:
    repository = make_repository(
        "tool", {"citation.cff": CFF, "inst/CITATION.cff": CFF + "version: 1\n", "src/x": "x"}
    )
    archive = Archive(repository)
    archive.branches = {
        "HEAD": {"target_type": "alias", "target": "refs/heads/main"},
        "refs/heads/dev": {"target_type": "revision", "target": "d" * 40},
        "refs/heads/main": {"target_type": "revision", "target": repository.git("rev-parse", "HEAD")},
    }
    httpserver.expect_request(re.compile(".*")).respond_with_handler(archive)
    return archive


@pytest.fixture
def options(httpserver: HTTPServer) -> Options:
    name = f"{httpserver.host}:{httpserver.port}"
    host = Host(name, "swh", f"http://{name}/api/1", ("PROBE_SWH_TOKEN",), 0, allow_private=True)
    return Options(Git(), web=Web(Hosts([host]), backoff_s=0.01))


def fetch(word: str, options: Options, known: Found | None = None) -> Found:
    source = understand(word, options.hosts)
    assert source is not None
    (unit,) = source.units(options)
    (url,) = unit.urls  # type: ignore[union-attr]
    before = {}
    if known is not None:
        shas = frozenset(f.sha for f in known.files or ())
        before = {url: Known(known.head, known.state, shas, known.validator)}
    (found,) = unit.fetch(before, options)  # type: ignore[union-attr]
    assert found.url == url
    return found


def test_an_origin(archive: Archive, options: Options, httpserver: HTTPServer) -> None:
    found = fetch(f"swh:{ORIGIN}", options)
    assert found.url == httpserver.url_for(f"/browse/origin/?origin_url={ORIGIN}")
    assert (found.name, found.remote, found.default_branch) == ("Tool", ORIGIN, "main")
    assert (found.state, found.host) == ("ok", f"{httpserver.host}:{httpserver.port}")
    assert (found.head, found.validator) == (archive.repository.git("rev-parse", "HEAD"), SNAPSHOT)
    assert [(f.path, f.content) for f in found.files or ()] == [
        ("citation.cff", CFF.encode()),
        ("inst/CITATION.cff", (CFF + "version: 1\n").encode()),
    ]
    assert len(archive.asked) == 7  # visit, snapshot, revision, two folders, two contents


def test_an_origin_that_has_not_changed(archive: Archive, options: Options) -> None:
    first = fetch(f"swh:{ORIGIN}", options)
    archive.asked.clear()
    again = fetch(f"swh:{ORIGIN}", options, first)
    assert (again.unchanged, again.head, again.validator) == (True, first.head, SNAPSHOT)
    assert len(archive.asked) == 1
    # Another branch has changed: the newest snapshot is another one, HEAD is not.
    archive.snapshot = "6" * 40
    again = fetch(f"swh:{ORIGIN}", options, first)
    assert (again.unchanged, again.validator, len(archive.asked)) == (True, "6" * 40, 3)
    # One of the files has changed.
    commit = archive.repository.commit({"citation.cff": CFF + "version: 2\n"})
    archive.branches["refs/heads/main"]["target"] = commit
    archive.asked.clear()
    again = fetch(f"swh:{ORIGIN}", options, first)
    one, two = again.files or ()
    assert (one.content, two.content) == ((CFF + "version: 2\n").encode(), None)
    assert two.sha == (first.files or ())[1].sha
    assert len([a for a in archive.asked if a.endswith("/raw/")]) == 1
    fresh = fetch(f"swh:{ORIGIN}", changed(options, refresh=True), again)
    assert all(f.content for f in fresh.files or ())


@pytest.mark.parametrize(
    ("branches", "page", "branch", "state"),
    [
        ({"HEAD": ("revision", "HEAD")}, 1000, "HEAD", "ok"),
        ({"HEAD": ("alias", "refs/heads/x"), "refs/heads/x": ("revision", "HEAD")}, 1, "x", "ok"),
        (
            {"HEAD": ("alias", "releases/1.0"), "releases/1.0": ("release", RELEASE)},
            1000,
            "releases/1.0",
            "ok",
        ),
        (
            {"refs/heads/master": ("revision", "HEAD"), "refs/heads/a": ("revision", "x")},
            1000,
            "master",
            "ok",
        ),
        ({"refs/heads/odd": ("revision", "HEAD"), "refs/tags/v1": ("release", RELEASE)}, 1000, "odd", "ok"),
        ({"HEAD": ("directory", "HEAD^{tree}")}, 1000, "HEAD", "ok"),
        ({"HEAD": ("alias", "refs/heads/gone")}, 1000, None, "empty"),
        ({"HEAD": ("alias", "a"), "a": ("alias", "HEAD")}, 1000, None, "empty"),
        ({"HEAD": None, "refs/tags/v1": ("release", RELEASE)}, 1000, None, "empty"),
        ({}, 1000, None, "empty"),
        ({"HEAD": ("content", "x")}, 1000, None, "failed"),
    ],
)
def test_which_branch(
    archive: Archive, options: Options, branches: dict[str, Any], page: int, branch: str | None, state: str
) -> None:
    def oid(target: str) -> str:
        return archive.repository.git("rev-parse", target) if target.startswith("HEAD") else target

    archive.page_branches = page
    archive.branches = {
        name: b and {"target_type": b[0], "target": b[1] if b[0] == "alias" else oid(b[1])}
        for name, b in branches.items()
    }
    found = fetch(f"swh:{ORIGIN}", options)
    assert (found.state, found.default_branch) == (state, branch), found.reason
    assert [f.path for f in found.files or ()] == (
        ["citation.cff", "inst/CITATION.cff"] if state == "ok" else []
    )


@pytest.mark.parametrize("kind", ["cnt", "dir", "rev", "rel", "snp"])
def test_an_object(archive: Archive, options: Options, httpserver: HTTPServer, kind: str) -> None:
    git = archive.repository.git
    oid = {
        "cnt": git("rev-parse", "HEAD:citation.cff"),
        "dir": git("rev-parse", "HEAD^{tree}"),
        "rev": git("rev-parse", "HEAD"),
        "rel": RELEASE,
        "snp": SNAPSHOT,
    }[kind]
    found = fetch(f"swh:1:{kind}:{oid};origin={ORIGIN};path=/docs/Citation.cff", options)
    assert (found.url, found.head) == (httpserver.url_for(f"/swh:1:{kind}:{oid}"), oid)
    assert (found.name, found.remote) == ("Tool", ORIGIN)
    paths = [f.path for f in found.files or ()]
    assert paths == (["Citation.cff"] if kind == "cnt" else ["citation.cff", "inst/CITATION.cff"])
    assert (found.files or ())[0].content == CFF.encode()
    archive.asked.clear()
    again = fetch(f"swh:1:{kind}:{oid}", options, found)
    assert (again.unchanged, again.head, archive.asked) == (True, oid, [])


def test_symbolic_links(archive: Archive, options: Options) -> None:
    repository = archive.repository
    repository.commit({"citation.cff": None, "inst/CITATION.cff": None, "docs/x": "x", "meta/cite.cff": CFF})
    (repository.path / "CITATION.cff").symlink_to("meta/cite.cff")
    (repository.path / "docs/CITATION.cff").symlink_to("../../outside")
    (repository.path / "inst").mkdir(exist_ok=True)
    (repository.path / "inst/CITATION.cff").symlink_to("../CITATION.cff")
    archive.branches["refs/heads/main"]["target"] = repository.commit({})
    found = fetch(f"swh:{ORIGIN}", options)
    assert {f.path: f.content for f in found.files or ()} == {
        "CITATION.cff": CFF.encode(),
        "docs/CITATION.cff": b"../../outside",
        "inst/CITATION.cff": b"../CITATION.cff",
    }


def test_what_the_archive_does_not_hold(archive: Archive, options: Options) -> None:
    found = fetch("swh:https://forge.example/o/none", options)
    assert (found.state, found.reason) == ("gone", "the archive holds no visit of this origin")
    archive.lost.add(blob_id(CFF.encode()))
    found = fetch(f"swh:{ORIGIN}", options)
    assert (found.state, found.files) == ("failed", None)
    assert "lacks the content" in found.reason


def test_a_large_file_is_not_asked_for(archive: Archive, options: Options) -> None:
    found = fetch(f"swh:{ORIGIN}", changed(options, max_size_bytes=10))
    assert all("--max-size" in f.refused for f in found.files or ())
    assert (found.head, found.validator) == (None, "")
    assert not any(a.endswith("/raw/") for a in archive.asked)


def test_what_pages_of_the_archive_cannot_do_is_said(archive: Archive, options: Options) -> None:
    assert "neither its history" in fetch(f"swh:{ORIGIN}", changed(options, nested=True)).notes[0]


def test_its_limit_is_waited_for(archive: Archive, options: Options) -> None:
    reset = str(int(time.time()) + 1)
    headers = {"X-RateLimit-Limit": "120", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
    archive.limits = [Response('{"exception": "throttled"}', 429, headers)]
    begun = time.time()
    found = fetch(f"swh:{ORIGIN}", options)
    assert found.state == "ok"
    assert time.time() >= int(reset) > begun
    assert archive.asked[0] == archive.asked[1]


def test_the_token_goes_to_the_archive(
    archive: Archive, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_SWH_TOKEN", "s3cret")
    found = fetch(f"swh:{ORIGIN}", options)
    assert set(archive.authorizations) == {"Bearer s3cret"}
    assert "s3cret" not in repr(found)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Response("<html>busy</html>", content_type="text/html"), "not with JSON"),
        (Response("[]", content_type="application/json"), "not of its form"),
        (Response('{"snapshot": null}', content_type="application/json"), "got nothing"),
        (Response('{"snap', content_type="application/json"), "not with JSON"),
        (Response("", 403), "refuses"),
    ],
)
def test_answers_that_are_none(archive: Archive, options: Options, answer: Response, told: str) -> None:
    archive.limits = [answer]
    found = fetch(f"swh:{ORIGIN}", options)
    assert (found.state != "ok", told in found.reason, found.files) == (True, True, None)


ID = "94a9ed024d3859793618152ea559a168bbcbb5e2"


@pytest.mark.parametrize(
    ("word", "spec", "url"),
    [
        ("swh:https://github.com/O/R", "swh:https://github.com/O/R",
         "/browse/origin/?origin_url=https://github.com/O/R"),
        ("SWH:https://me:pw@forge.example/r?x=1&y", "swh:https://forge.example/r?x=1&y",
         "/browse/origin/?origin_url=https://forge.example/r%3Fx%3D1%26y"),
        (f"swh:1:cnt:{ID}", f"swh:1:cnt:{ID}", f"/swh:1:cnt:{ID}"),
        (f"SWH:1:REV:{ID.upper()};origin=https://forge.example/a%3Bb;visit=swh:1:snp:{ID};path=/x",
         f"swh:1:rev:{ID};origin=https://forge.example/a%3Bb;path=x", f"/swh:1:rev:{ID}"),
        (f"https://archive.softwareheritage.org/swh:1:dir:{ID};origin=https://forge.example/r/",
         f"swh:1:dir:{ID};origin=https://forge.example/r/", f"/swh:1:dir:{ID}"),
        (f"https://archive.softwareheritage.org/browse/swh:1:dir:{ID}/", f"swh:1:dir:{ID}",
         f"/swh:1:dir:{ID}"),
        ("https://archive.softwareheritage.org/browse/origin/directory/?origin_url=https://forge.example/r&x=y",
         "swh:https://forge.example/r", "/browse/origin/?origin_url=https://forge.example/r"),
    ],
)  # fmt: skip
def test_words(word: str, spec: str, url: str) -> None:
    source = understand(word, Hosts())
    assert isinstance(source, SwhSource)
    assert source.spec == spec
    assert source.urls == (f"https://archive.softwareheritage.org{url}",)
    assert understand(spec, Hosts()) == source
    again = understand(source.urls[0], Hosts())
    assert again is not None
    assert again.urls == source.urls


@pytest.mark.parametrize(
    "word", ["https://forge.example/swh:1:cnt:x", "swh-blobs:/x", "o/swh:r", "github:swh"]
)
def test_words_of_others(word: str) -> None:
    assert understand(word, Hosts()) is None


@pytest.mark.parametrize(
    "word",
    ["swh:", "swh:1:cnt:12", "swh:2:cnt:" + ID, "swh:1:xyz:" + ID, "swh:o/r",
     "https://archive.softwareheritage.org/browse/"],
)  # fmt: skip
def test_words_that_are_broken(word: str) -> None:
    with pytest.raises(SourceError, match="not understood"):
        understand(word, Hosts())
