"""Against a double that answers and writes as OpenGrok does (SearchController, DirectoryListing, Util)."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any
from urllib.parse import quote

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id, read
from cffgraph.crawler.git import Git
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import Options, Trouble
from cffgraph.crawler.sources.opengrok import OpenGrokSource, understand
from cffgraph.db.found import Found, Known
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

CFF = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Kiln & Größe\nauthors:\n- family-names: Probe\n"
Crawl = Callable[..., Any]


@dataclass
class OpenGrok:
    """An OpenGrok with the files of `tree` (path -> text) below the context path."""

    tree: dict[str, str] = field(default_factory=dict)
    context: str = "/source"
    closed: dict[str, int] = field(default_factory=dict)
    """Routes (api, raw, download, xref) that are not let through, and the status that says so."""
    claimed: int = 0
    """Results that it says there are, beside those that there are."""
    folds_case: bool = True
    validators: bool = True
    asked: list[str] = field(default_factory=list)
    robots: str = ""
    served: int = 0

    def __call__(self, request: Request) -> Response:
        path = request.path
        self.asked.append(path + (f"?{request.query_string.decode()}" if request.query_string else ""))
        if path == "/robots.txt":
            return Response(self.robots, 200 if self.robots else 404)
        if not path.startswith(f"{self.context}/"):
            return Response("no such place", 404)
        route, _, rest = path[len(self.context) + 1 :].partition("/")
        if route in self.closed:
            return Response("<html>closed</html>", self.closed[route], content_type="text/html")
        if route == "api":
            return self.search(request)
        if route in ("raw", "download"):
            return self.file(request, rest)
        if route == "xref":
            return self.page(request, rest)
        return Response("?", 404)

    def search(self, request: Request) -> Response:
        wanted = request.args["path"].strip('"')
        projects = request.args.getlist("projects")
        start, most = int(request.args.get("start", 0)), int(request.args["maxresults"])
        names = [
            f"/{path}"
            for path in sorted(self.tree)
            if (path.lower().endswith(wanted.lower()) if self.folds_case else path.endswith(wanted))
            and (not projects or path.split("/")[0] in projects)
        ]
        found = names[start : start + most]
        results = {path: [{"line": "...", "lineNumber": "", "tag": None}] for path in found}
        said = {"time": 3, "resultCount": len(names) + self.claimed, "startDocument": start}
        return _json({**said, "endDocument": start + len(found) - 1, "results": results})

    def file(self, request: Request, path: str) -> Response:
        if path not in self.tree:
            return Response("not found", 404)
        content = self.tree[path].encode()
        tag = f'W/"{blob_id(content)}"'
        if self.validators and request.headers.get("If-None-Match") == tag:
            return Response(b"", 304)
        headers = {"ETag": tag} if self.validators else {}
        return Response(content, 200, headers, content_type="text/plain")

    def page(self, request: Request, path: str) -> Response:
        self.served += 1
        foot = f"<p>served by {{OpenGrok}} Last Index Update: {self.served}</p>"
        if path in self.tree:
            return Response(
                f"<html><body>{self.annotated(path)}{foot}</body></html>", content_type="text/html"
            )
        folder = f"{path.strip('/')}/" if path.strip("/") else ""
        inside = {p[len(folder) :] for p in self.tree if p.startswith(folder)}
        if not inside:
            return Response("Error 404", 404)
        return Response(
            f"<html><body>{self.listing(inside, folder)}{foot}</body></html>", content_type="text/html"
        )

    def listing(self, inside: set[str], folder: str) -> str:
        rows = (
            ['<tr><td><p class="r"/></td><td><b><a href="..">..</a></b></td><td></td></tr>'] if folder else []
        )
        for name in sorted({p.split("/")[0] for p in inside}):
            below = {p.partition("/")[2] for p in inside if p.startswith(f"{name}/")}
            if below:
                # A folder with nothing but one folder in it is shown with that.
                (first, *more) = sorted(
                    {p.split("/")[0] for p in below if "/" in p} | {p for p in below if "/" not in p}
                )
                shown = f"{name}/{first}" if not more and all("/" in p for p in below) else name
                rows.append(
                    f'<tr><td><p class="r"/></td><td><a href="{quote(shown)}/">'
                    f"<b>{html.escape(shown)}</b></a>/</td>"
                    f'<td><a href="{self.context}/history/{quote(folder + name)}">H</a></td></tr>'
                )
            else:
                rows.append(
                    f'<tr><td><p class="p"/></td><td><a href="{quote(name)}">{html.escape(name)}</a></td>'
                    f'<td><a href="{self.context}/history/{quote(folder + name)}">H</a></td></tr>'
                )
        return (
            '<table id="dirlist" class="tablesorter tablesorter-default">\n<thead><tr><th></th>'
            "<th>Name</th></tr>\n</thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"
        )

    def annotated(self, path: str) -> str:
        lines = []
        for number, line in enumerate(self.tree[path].splitlines(), 1):
            kind = "hl" if number % 10 == 0 else "l"
            lines.append(
                f'<a class="{kind}" name="{number}" href="#{number}">{number}</a><span class="blame">'
                '<a class="r title-tooltip" href="?a=true&amp;r=5ac0ffee" title="fire it">'
                '<span class="most_recent_revision">*</span>5ac0ffee</a>'
                '<a class="search" href="/s?h=5ac0ffee">S</a><a class="a" href="#">Build Depot Worker</a>'
                "</span>"
                f"{html.escape(line, quote=False)}\n"
            )
        return f'<div id="src"><pre>{"".join(lines)}</pre></div>'


def _json(said: object) -> Response:
    return Response(json.dumps(said), content_type="application/json")


@pytest.fixture
def grok(httpserver: HTTPServer) -> OpenGrok:
    grok = OpenGrok()
    httpserver.expect_request(re.compile(".*")).respond_with_handler(grok)
    return grok


@pytest.fixture
def options(httpserver: HTTPServer) -> Options:
    name = f"{httpserver.host}:{httpserver.port}"
    host = Host(name, "opengrok", f"http://{name}/source/api/v1", (), 0, allow_private=True)
    return Options(Git(), web=Web(Hosts([host]), backoff_s=0.01))


@pytest.fixture
def crawl(httpserver: HTTPServer, options: Options) -> Crawl:
    def call(
        path: str, known: dict[str, Known] | None = None, **changes: Any
    ) -> tuple[dict[str, Found], list[Trouble]]:
        chosen = changed(options, **changes)
        source = understand(httpserver.url_for(path), chosen.hosts)
        assert source is not None
        found, troubles = {}, []
        for step in source.units(chosen):
            if isinstance(step, Trouble):
                troubles.append(step)
                continue
            for each in step.fetch(known or {}, chosen):
                assert each.url in step.urls
                found[each.url.removeprefix(httpserver.url_for("/source/xref"))] = each
        return found, troubles

    return call


def known_of(found: dict[str, Found]) -> dict[str, Known]:
    return {
        f.url: Known(f.head, f.state, frozenset(x.sha for x in f.files or ()), f.validator)
        for f in found.values()
    }


def paths(found: Found) -> list[str]:
    return [file.path for file in found.files or ()]


DESCRIBED = Hosts([Host("grok.example", "opengrok", "https://grok.example/source/api/v1")])


@pytest.mark.parametrize(
    ("word", "base", "path", "is_file"),
    [
        ("https://x.example/xref/p/CITATION.cff", "https://x.example", "p/CITATION.cff", True),
        ("https://x.example/source/xref/p/a b/citation.CFF?r=1#3", "https://x.example/source",
         "p/a b/citation.CFF", True),
        ("https://x.example/9.0.0_r3/xref/ext/kiln/", "https://x.example/9.0.0_r3", "ext/kiln", False),
        ("https://x.example/source/raw/p/CITATION.cff", "https://x.example/source", "p/CITATION.cff", True),
        ("https://x.example/download/p/CITATION.cff", "https://x.example", "p/CITATION.cff", True),
        ("https://x.example/source/xref", "https://x.example/source", "", False),
        ("https://x.example/source/xref/", "https://x.example/source", "", False),
        ("https://grok.example", "https://grok.example/source", "", False),
        ("https://grok.example/source/", "https://grok.example/source", "", False),
        ("https://grok.example/source/xref/p", "https://grok.example/source", "p", False),
    ],
)  # fmt: skip
def test_addresses(word: str, base: str, path: str, is_file: bool) -> None:
    source = understand(word, DESCRIBED)
    assert isinstance(source, OpenGrokSource)
    assert (source.base, source.path, source.is_file) == (base, path, is_file)
    again = understand(source.spec, DESCRIBED)
    assert again == source


@pytest.mark.parametrize(
    "word",
    ["https://github.com/o/xref/raw/main/CITATION.cff", "https://h.example/o/r/raw/branch/main/CITATION.cff",
     "https://lab.example/g/p/-/raw/main/CITATION.cff", "https://h.example/o/r", "xref/p",
     "git@h.example:xref/p"],
)  # fmt: skip
def test_addresses_of_others(word: str) -> None:
    assert understand(word, DESCRIBED) is None


@pytest.mark.parametrize("word", ["http://x.example/xref/p", "https://x.example/xref/p/..%2f..%2fq"])
def test_addresses_that_are_not_safe(word: str) -> None:
    with pytest.raises(SourceError):
        understand(word, DESCRIBED)


@pytest.mark.parametrize("route", ["xref", "raw", "download"])
def test_one_file(grok: OpenGrok, crawl: Crawl, route: str) -> None:
    grok.tree = {"aosp/external/kiln/CITATION.cff": CFF}
    found, _ = crawl(f"/source/{route}/aosp/external/kiln/CITATION.cff")
    (kiln,) = found.values()
    assert list(found) == ["/aosp/external/kiln"]
    assert (kiln.name, kiln.state, paths(kiln)) == ("kiln", "ok", ["CITATION.cff"])
    (file,) = kiln.files or ()
    assert (file.content, file.sha) == (CFF.encode(), blob_id(CFF.encode()))
    assert grok.asked == ["/source/raw/aosp/external/kiln/CITATION.cff"]


def test_two_named_files_of_a_project_are_two_places(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree = {"p/CITATION.cff": CFF, "p/docs/CITATION.cff": CFF, "p/sub/CITATION.cff": CFF}
    for path, place, inside in (
        ("p/CITATION.cff", "/p", "CITATION.cff"),
        ("p/docs/CITATION.cff", "/p", "docs/CITATION.cff"),
        ("p/sub/CITATION.cff", "/p/sub", "CITATION.cff"),
    ):
        found, _ = crawl(f"/source/xref/{path}")
        assert {url: paths(each) for url, each in found.items()} == {place: [inside]}


def test_the_way_to_a_file(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree = {"p/CITATION.cff": CFF}
    grok.closed = {"raw": 403}
    found, _ = crawl("/source/xref/p/CITATION.cff")
    (file,) = found["/p"].files or ()
    assert file.content == CFF.encode()
    grok.closed = {"raw": 403, "download": 404}
    grok.asked.clear()
    found, _ = crawl("/source/xref/p/CITATION.cff")
    assert [a.split("/")[2] for a in grok.asked] == ["raw", "download", "xref"]
    assert grok.asked[-1].endswith("?a=true")
    (file,) = found["/p"].files or ()
    page = read(file.content or b"")
    assert page.works[0].title == "Kiln & Größe"
    assert page.origin is not None
    assert page.origin.revision == "5ac0ffee"
    assert page.origin.lines[0] == ("5ac0ffee", "Build Depot Worker")
    # The page's foot is another one each time; what it shows is the same.
    again, _ = crawl("/source/xref/p/CITATION.cff", known_of(found))
    assert again["/p"].unchanged
    grok.tree["p/CITATION.cff"] = CFF + "version: 2\n"
    again, _ = crawl("/source/xref/p/CITATION.cff", known_of(found))
    assert again["/p"].files
    grok.closed = {"raw": 403, "download": 404, "xref": 200}
    found, _ = crawl("/source/xref/p/CITATION.cff")
    assert (found["/p"].state, found["/p"].reason) == ("failed", "its page shows no file")


def test_a_file_that_is_not_there(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree = {"p/README": "x"}
    found, _ = crawl("/source/xref/p/CITATION.cff")
    assert (found["/p"].state, found["/p"].files) == ("gone", None)


@pytest.mark.parametrize("validators", [True, False])
def test_what_has_not_changed(grok: OpenGrok, crawl: Crawl, validators: bool) -> None:
    grok.tree = {"p/CITATION.cff": CFF, "p/inst/CITATION.cff": CFF + "version: 1\n"}
    grok.validators = validators
    found, _ = crawl("/source/xref/p")
    assert paths(found["/p"]) == ["CITATION.cff", "inst/CITATION.cff"]
    again, _ = crawl("/source/xref/p", known_of(found))
    assert (again["/p"].unchanged, again["/p"].head) == (True, found["/p"].head)
    # One of two has changed: the other one's content stays away.
    grok.tree["p/inst/CITATION.cff"] = CFF + "version: 2\n"
    again, _ = crawl("/source/xref/p", known_of(found))
    first, second = again["/p"].files or ()
    assert (first.content, first.sha) == (None, blob_id(CFF.encode()))
    assert second.content == (CFF + "version: 2\n").encode()
    assert again["/p"].head != found["/p"].head
    grok.tree = {"p/README": "x"}
    again, _ = crawl("/source/xref/p", known_of(found))
    assert (again["/p"].state, again["/p"].files) == ("ok", ())


TREE = {
    "kiln/Citation.cff": CFF,
    "kiln/.github/CITATION.cff": CFF,
    "kiln/third_party/glaze/CITATION.cff": CFF,
    "aosp/external/kiln/CITATION.cff": CFF,
    "aosp/external/kiln/CITATION.cff.orig": CFF,
    "plain/README": "x",
}


@pytest.mark.parametrize("folds_case", [True, False])
def test_all_projects_by_the_search(grok: OpenGrok, crawl: Crawl, folds_case: bool) -> None:
    grok.tree, grok.folds_case = dict(TREE), folds_case
    found, troubles = crawl("/source/xref/")
    assert troubles == []
    wanted = ["Citation.cff"] if folds_case else []  # an odd spelling is told by a search that folds case
    assert {url: paths(each) for url, each in found.items()} == {
        "/aosp": [],
        "/kiln": [*wanted, ".github/CITATION.cff"],
    }
    assert "1 citation files lie in folders below: --nested takes them" in found["/aosp"].notes[0]
    found, _ = crawl("/source/xref/", nested=True)
    assert {url: paths(each) for url, each in found.items()} == {
        "/aosp/external/kiln": ["CITATION.cff"],
        "/kiln": [*wanted, ".github/CITATION.cff"],
        "/kiln/third_party/glaze": ["CITATION.cff"],
    }


def test_a_folder_by_the_search(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree = dict(TREE)
    found, _ = crawl("/source/xref/aosp/external/kiln/")
    assert {url: paths(each) for url, each in found.items()} == {"/aosp/external/kiln": ["CITATION.cff"]}
    assert "projects=aosp" in grok.asked[0]


def test_the_search_is_paged(grok: OpenGrok, crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cffgraph.crawler.sources.opengrok._PAGE", 2)
    grok.tree = {f"p{number}/CITATION.cff": CFF for number in range(5)}
    found, _ = crawl("/source/xref/")
    assert sorted(found) == [f"/p{number}" for number in range(5)]
    asked = [a for a in grok.asked if "/search?" in a and "CITATION.cff" in a]
    assert [a.split("start=")[1] for a in asked] == ["0", "2", "4"]
    # One that claims more than it has is not asked without an end.
    grok.asked.clear()
    grok.claimed = 1_000_000
    assert sorted(crawl("/source/xref/")[0]) == sorted(found)
    assert len(grok.asked) < 20


@pytest.mark.parametrize("status", [401, 404, 200])
def test_pages_of_folders_where_the_search_is_closed(grok: OpenGrok, crawl: Crawl, status: int) -> None:
    grok.tree = {
        **TREE,
        "kiln/docs/api/index.rst": "x",
        "kiln/inst/citation.cff": CFF,
        "größe/CITATION.cff": CFF,
    }
    grok.closed = {"api": status}
    found, troubles = crawl("/source/xref/kiln", nested=True)
    assert troubles == []
    assert paths(found["/kiln"]) == ["Citation.cff", ".github/CITATION.cff", "inst/citation.cff"]
    assert "folders below it were not looked into" in found["/kiln"].notes[0]
    pages = [a for a in grok.asked if "/xref/" in a]
    assert pages == [f"/source/xref/kiln/{f}" for f in ("", ".github/", "inst/")]
    found, _ = crawl("/source/xref/")
    assert {url: paths(each) for url, each in found.items() if each.files} == {
        "/kiln": ["Citation.cff", ".github/CITATION.cff", "inst/citation.cff"],
        "/gr%C3%B6%C3%9Fe": ["CITATION.cff"],
    }
    assert found["/gr%C3%B6%C3%9Fe"].name == "größe"


def test_a_project_that_is_not_there(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree = dict(TREE)
    found, _ = crawl("/source/xref/none")
    assert found["/none"].state == "gone"
    found, _ = crawl("/source/xref/plain")
    assert (found["/plain"].state, found["/plain"].files) == ("ok", ())


def test_a_host_in_trouble(grok: OpenGrok, crawl: Crawl) -> None:
    grok.closed = {"api": 500}
    found, troubles = crawl("/source/xref/")
    assert found == {}
    assert [(t.state, "500" in t.reason) for t in troubles] == [("place", True)]


def test_robots_are_asked_about_what_was_not_named(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree, grok.robots = dict(TREE), "User-agent: *\nDisallow: /source/xref/\nDisallow: /source/raw/\n"
    grok.closed = {"api": 401}
    found, _ = crawl("/source/xref/kiln")
    assert found["/kiln"].state == "blocked"
    assert not any("/xref/" in a for a in grok.asked)
    found, _ = crawl("/source/xref/kiln/Citation.cff")
    assert found["/kiln"].state == "ok"
    grok.closed = {}
    found, _ = crawl("/source/xref/kiln")
    assert all(
        "/download/" in a for a in grok.asked if a.endswith(".cff") and a != "/source/raw/kiln/Citation.cff"
    )


def test_a_large_file_is_refused(grok: OpenGrok, crawl: Crawl) -> None:
    grok.tree = {"p/CITATION.cff": CFF}
    found, _ = crawl("/source/xref/p", max_size_bytes=10)
    (file,) = found["/p"].files or ()
    assert "--max-size" in file.refused
    assert found["/p"].head is None
