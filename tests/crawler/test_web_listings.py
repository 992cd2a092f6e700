"""Against the real gitweb and the real cgit, each as CGI behind a small server, where they are installed."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from dataclasses import replace as changed
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.hosts import Host, Hosts, Kind
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import Mark, Options, Past, Trouble
from cffgraph.crawler.sources.web_listings import ListedRepository, ListingSource, understand
from cffgraph.db.found import Found, Known
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

CFF = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Größe\nauthors:\n- family-names: Probe\n"
GITWEB = Path("/usr/share/gitweb/gitweb.cgi")
CGIT = Path("/usr/lib/cgit/cgit.cgi")


def _has_cgi_pm() -> bool:
    try:
        return subprocess.run(["perl", "-MCGI", "-e", "1"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


needs = {
    "gitweb": pytest.mark.skipif(
        not (GITWEB.exists() and _has_cgi_pm()),
        reason="gitweb is not installed: apt install git libcgi-pm-perl",
    ),
    "cgit": pytest.mark.skipif(not CGIT.exists(), reason="cgit is not installed: apt install cgit"),
}
both = pytest.mark.parametrize("kind", [pytest.param(kind, marks=needs[kind]) for kind in needs])


@dataclass
class Listing:
    """A web server with gitweb or cgit over the bare repositories of a folder."""

    kind: Kind
    root: Path
    url: str = ""
    """Where its list is."""
    clone_url: str = ""
    """That its pages announce, before the name of a repository."""
    page_repositories: int = 50
    robots: str = ""
    closed: tuple[str, ...] = ()
    """Words in an address that is not answered."""
    asked: list[str] = field(default_factory=list)

    def publish(self, repository: Any, name: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", "--bare", repository.path, self.root / name], check=True)

    def page(self, name: str) -> str:
        return f"{self.url}?p={name}" if self.kind == "gitweb" else f"{self.url}/{name.removesuffix('.git')}"

    def run(self, path: str, query: str) -> bytes:
        environment = {
            **os.environ,
            "GATEWAY_INTERFACE": "CGI/1.1",
            "REQUEST_METHOD": "GET",
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "HTTP_HOST": self.url.split("/")[2],
        }
        if self.kind == "gitweb":
            config = self.root.parent / "gitweb.conf"
            bases = f"our @git_base_url_list = ('{self.clone_url}');\n" if self.clone_url else ""
            config.write_text(f"our $projectroot = '{self.root}';\n{bases}")
            environment |= {"GITWEB_CONFIG": str(config), "SCRIPT_NAME": "/gitweb.cgi", "PATH_INFO": ""}
            program = ["perl", str(GITWEB)]
        else:
            config = self.root.parent / "cgitrc"
            clone = f"clone-url={self.clone_url}/$CGIT_REPO_URL\n" if self.clone_url else ""
            config.write_text(
                f"virtual-root=/cgit/\ncache-size=0\nmax-repo-count={self.page_repositories}\n"
                f"{clone}scan-path={self.root}\n"
            )
            environment |= {
                "CGIT_CONFIG": str(config),
                "SCRIPT_NAME": "/cgit",
                "PATH_INFO": unquote(path.removeprefix("/cgit")),
            }
            program = [str(CGIT)]
        return subprocess.run(program, env=environment, capture_output=True, check=False).stdout


def _handler(listing: Listing) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listing.asked.append(self.path)
            path, _, query = self.path.partition("?")
            if path == "/robots.txt":
                self.give(200 if listing.robots else 404, [], listing.robots.encode())
                return
            if any(word in self.path for word in listing.closed) or "info/refs" in path:
                self.give(404, [], b"no")
                return
            head, _, content = listing.run(path, query).replace(b"\r\n", b"\n").partition(b"\n\n")
            headers = [line.partition(": ")[::2] for line in head.decode().split("\n") if line]
            status = int(dict(headers).get("Status", "200").split()[0])
            self.give(status, [h for h in headers if h[0] not in ("Status", "Content-Length")], content)

        def give(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


@pytest.fixture
def make_listing(tmp_path: Path) -> Iterator[Callable[[Kind], Listing]]:
    servers: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def make(kind: Kind) -> Listing:
        listing = Listing(kind, tmp_path / f"listed{len(servers)}")
        listing.root.mkdir()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(listing))
        listing.url = f"http://127.0.0.1:{server.server_port}/{'gitweb.cgi' if kind == 'gitweb' else 'cgit'}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        servers.append((server, thread))
        return listing

    yield make
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()


def options_for(*urls: str) -> Options:
    names = [url.split("/")[2] for url in urls]
    hosts = Hosts([Host(name, "git", "", (), 0, allow_private=True) for name in names])
    return Options(Git(), web=Web(hosts, backoff_s=0.01))


def fetch(
    source: ListingSource | ListedRepository | None, options: Options, known: dict[str, Known] | None = None
) -> dict[str, Found]:
    assert source is not None
    found = {}
    for step in source.units(options):
        if isinstance(step, Mark):
            continue
        assert not isinstance(step, Trouble), step.reason
        for each in step.fetch(known or {}, options):
            assert each.url in step.urls
            found[each.url] = each
    return found


def known_of(found: Found) -> dict[str, Known]:
    return {found.url: Known(found.head, found.state, frozenset(f.sha for f in found.files or ()))}


FILES: dict[str, str | bytes | None] = {
    "citation.CFF": CFF,
    "docs/CITATION.cff": CFF + "version: 1\n",
    "docs/Citation.cff": "x: y\n",
    "src/deep/CITATION.cff": CFF,
    "a&b <c>.txt": "x",
}


@both
def test_all_repositories_from_their_pages(
    kind: Kind, make_listing: Callable[[Kind], Listing], make_repository: Callable[..., Any]
) -> None:
    listing = make_listing(kind)
    tool = make_repository("tool", FILES)
    listing.publish(tool, "tool.git")
    listing.publish(make_repository("bare", {"README": "x"}), "group/größe+1.git")
    subprocess.run(["git", "init", "-q", "--bare", listing.root / "empty.git"], check=True)
    options = options_for(listing.url)
    found = fetch(understand(listing.url, options.hosts), options)
    by_name = {each.name: each for each in found.values()}
    assert {name: each.state for name, each in by_name.items()} == {
        "tool": "ok", "größe+1": "ok", "empty": "empty",
    }  # fmt: skip
    one = by_name["tool"]
    assert one.url == listing.page("tool.git")
    assert one.head == tool.git("rev-parse", "HEAD")
    assert [(f.path, f.content) for f in one.files or ()] == [
        ("citation.CFF", CFF.encode()),
        ("docs/CITATION.cff", (CFF + "version: 1\n").encode()),
    ]
    assert "docs/Citation.cff left out" in one.notes[0]
    assert (by_name["größe+1"].files, by_name["empty"].files) == ((), ())
    assert by_name["empty"].reason == "has no commit"


@both
def test_what_has_not_changed_costs_one_page(
    kind: Kind, make_listing: Callable[[Kind], Listing], make_repository: Callable[..., Any]
) -> None:
    listing = make_listing(kind)
    tool = make_repository("tool", FILES)
    listing.publish(tool, "tool.git")
    options = options_for(listing.url)
    source = understand(
        f"{listing.url}{'?p=tool.git;a=tree' if kind == 'gitweb' else '/tool.git/tree/'}", options.hosts
    )
    assert isinstance(source, ListedRepository)
    assert understand(source.spec, options.hosts) == source
    (first,) = fetch(source, options).values()
    listing.asked.clear()
    (again,) = fetch(source, options, known_of(first)).values()
    assert (again.unchanged, again.head, len(listing.asked)) == (True, first.head, 1)
    # A new commit that leaves the files as they are: gitweb tells their ids, cgit their contents.
    tool.commit({"README": "x"})
    tool.git("push", "-q", str(listing.root / "tool.git"), "main")
    listing.asked.clear()
    (again,) = fetch(source, options, known_of(first)).values()
    assert again.head != first.head
    assert [(f.path, f.sha, f.content) for f in again.files or ()] == [
        (f.path, f.sha, None) for f in first.files or ()
    ]
    plain = [a for a in listing.asked if "plain" in a]
    assert len(plain) == (0 if kind == "gitweb" else 2)
    (fresh,) = fetch(source, changed(options, refresh=True), known_of(first)).values()
    assert all(f.content for f in fresh.files or ())


@both
def test_symbolic_links(
    kind: Kind, make_listing: Callable[[Kind], Listing], make_repository: Callable[..., Any]
) -> None:
    tool = make_repository("tool", {"meta/cite.cff": CFF, "docs/x": "x", "inst/x": "x"})
    (tool.path / "CITATION.cff").symlink_to("meta/cite.cff")
    (tool.path / "docs/CITATION.cff").symlink_to("../../outside.cff")
    (tool.path / "inst/CITATION.cff").symlink_to("../meta")
    tool.commit({})
    listing = make_listing(kind)
    listing.publish(tool, "tool.git")
    options = options_for(listing.url)
    (found,) = fetch(understand(listing.url, options.hosts), options).values()
    assert {f.path: f.content for f in found.files or ()} == {
        "CITATION.cff": CFF.encode(),
        "docs/CITATION.cff": b"../../outside.cff",
        "inst/CITATION.cff": b"../meta",
    }


@both
def test_git_where_a_clone_address_is_announced(
    kind: Kind,
    make_listing: Callable[[Kind], Listing],
    make_repository: Callable[..., Any],
    make_host: Callable[..., Any],
) -> None:
    tool = make_repository("tool", FILES)
    listing, git_host = make_listing(kind), make_host()
    listing.publish(tool, "tool.git")
    clone = git_host.publish(tool, "tool.git")
    listing.clone_url = git_host.url
    options = options_for(listing.url, git_host.url)
    (found,) = fetch(understand(listing.url, options.hosts), options).values()
    assert (found.url, found.remote, found.asked) == (
        listing.page("tool.git"),
        clone.removesuffix(".git"),
        "",
    )
    assert [f.path for f in found.files or ()] == ["citation.CFF", "docs/CITATION.cff"]
    assert (found.default_branch, found.head) == ("main", tool.git("rev-parse", "HEAD"))
    assert git_host.requests
    assert not any("plain" in a or "tree" in a for a in listing.asked)
    (nested,) = fetch(understand(listing.url, options.hosts), changed(options, nested=True)).values()
    assert "src/deep/CITATION.cff" in [f.path for f in nested.files or ()]
    # One that does not answer: the pages do.
    listing.clone_url = f"{git_host.url}/elsewhere"
    (again,) = fetch(understand(listing.url, options.hosts), options).values()
    assert [f.content for f in again.files or ()] == [f.content for f in found.files or ()]
    listing.asked.clear()
    (again,) = fetch(understand(listing.url, options.hosts), options, known_of(found)).values()
    assert (again.unchanged, len(listing.asked)) == (True, 2)


@needs["cgit"]
def test_a_list_of_several_pages(
    make_listing: Callable[[Kind], Listing], make_repository: Callable[..., Any]
) -> None:
    listing = make_listing("cgit")
    listing.page_repositories = 2
    tool = make_repository("tool", {"CITATION.cff": CFF})
    for name in ("a.git", "b.git", "s/c.git", "s/d.git", "s/t/e.git"):
        listing.publish(tool, name)
    options = options_for(listing.url)
    source = understand(f"{listing.url}/", options.hosts)
    assert isinstance(source, ListingSource)
    assert understand(source.spec, options.hosts) == source
    steps = [step if isinstance(step, Mark) else step.urls[0] for step in source.units(options)]
    pages = [listing.page(name) for name in ("a", "b", "s/c", "s/d", "s/t/e")]
    assert steps == [*pages[:2], Mark("2"), *pages[2:4], Mark("4"), pages[4]]
    rest = list(source.units(options, Past(cursor="4")))
    assert [step.urls for step in rest if not isinstance(step, Mark | Trouble)] == [(pages[4],)]


@both
def test_what_is_not_there(
    kind: Kind, make_listing: Callable[[Kind], Listing], make_repository: Callable[..., Any]
) -> None:
    listing = make_listing(kind)
    listing.publish(make_repository("tool", {"CITATION.cff": CFF}), "tool.git")
    options = options_for(listing.url)
    word = listing.page("none.git")
    (found,) = fetch(understand(word, options.hosts), options).values()
    assert (found.state, found.files) == ("gone", None)


@both
def test_robots(
    kind: Kind, make_listing: Callable[[Kind], Listing], make_repository: Callable[..., Any]
) -> None:
    listing = make_listing(kind)
    listing.publish(make_repository("tool", {"CITATION.cff": CFF}), "tool.git")
    listing.robots = "User-agent: *\nDisallow: /"
    options = options_for(listing.url)
    source = understand(listing.url, options.hosts)
    assert source is not None
    (trouble,) = source.units(options)
    assert isinstance(trouble, Trouble)
    assert (trouble.state, "robots.txt" in trouble.reason) == ("blocked", True)
    (found,) = fetch(understand(listing.page("tool.git"), options.hosts), options).values()
    assert found.state == "blocked"
    assert not any("plain" in a for a in listing.asked)


def test_git_at_the_address_of_a_page_that_is_none(
    make_repository: Callable[..., Any], make_host: Callable[..., Any]
) -> None:
    host = make_host()
    tool = make_repository("tool", {"CITATION.cff": CFF})
    url = host.publish(tool, "cgit/tool.git")
    options = options_for(host.url)
    (found,) = fetch(understand(url, options.hosts), options).values()
    assert (found.url, found.state) == (url.removesuffix(".git"), "ok")
    assert [f.sha for f in found.files or ()] == [blob_id(CFF.encode())]


COMMIT = "c0ffee" + "0" * 34

# What older and newer versions write, and none that is installed here.
WRITTEN = {
    "gitweb": {
        "/?a=project_index": "tool.git Ada+Probe\ngroup%2Fgr%C3%B6%C3%9Fe.git\n",
        "/?p=tool.git;a=summary": '<table class="projects_list">\n<tr id="metadata_desc">'
        "<td>description</td></tr>\n"
        '<tr class="metadata_url"><td>URL</td><td>git://h.example/tool.git</td></tr>\n'
        f'</table><a href="/tool.git/commit/{COMMIT}">commit</a>',
        f"/?p=tool.git;a=tree;hb={COMMIT}": '<table class="tree">\n'
        '<tr class="dark">\n<td class="mode">m---------</td>\n<td class="list">'
        '<a href="x">CITATION.cff</a></td>\n</tr>\n'
        '<tr class="light">\n<td class="mode">-rw-r--r--</td>\n<td class="list"><a class="list" href="x">'
        'a<span class="cntrl">\\n</span></a></td>\n</tr>\n'
        f'<tr class="dark">\n<td class="mode">drwxr-xr-x</td>\n<td class="list">'
        f'<a href="/tool.git/tree/{COMMIT}:/docs">'
        "docs</a></td>\n</tr>\n</table>",
        f"/?p=tool.git;a=tree;f=docs;hb={COMMIT}": '<table class="tree">\n<tr>\n'
        '<td class="mode">-rw-r--r--</td>\n'
        f'<td class="list">'
        f'<a class="list" href="/tool.git/blob/{COMMIT}:/docs/CITATION.cff">CITATION.cff</a></td></tr>',
        f"/?p=tool.git;a=blob_plain;f=docs/CITATION.cff;hb={COMMIT}": CFF,
    },
    "cgit": {
        "/?ofs=0": "<table summary='repository list'><tr class='nohover'>"
        "<td class='reposection'>group</td></tr>\n"
        "<tr><td class='sublevel-repo'><a title='tool.git' href='/tool.git/'>tool.g...</a></td></tr>\n"
        "</table><div class='pager'><a href='/?ofs=0'>[prev]</a><a href='/?s=name&amp;ofs=1'>[next]"
        "</a></div>",
        "/?ofs=1": "<tr><td class='toplevel-repo'><a href='/group/gr%C3%B6%C3%9Fe.git/'>größe.git"
        "</a></td></tr>\n"
        "<tr><td class='toplevel-repo'><a href='https://elsewhere.example/x.git/'>x</a></td></tr>\n",
        "/tool.git/log/": "<link rel='vcs-git' href='git://h.example/tool.git' title='tool'/>\n"
        "<a href='/tool.git/commit/'>commit</a>\n"
        f"<td><a href='/tool.git/commit/?h=main&amp;id={COMMIT}'>x</a></td>",
        f"/tool.git/tree/?id={COMMIT}": "<table summary='tree listing' class='list'>\n"
        "<tr><td class='ls-mode'>m---------</td><td><a class='ls-mod' href='x'>CITATION.cff</a></td></tr>\n"
        "<tr><td class='ls-mode'>d---------</td><td><a class='ls-dir' href='/tool.git/tree/docs'>docs</a> / "
        "<a class='ls-dir' href='/tool.git/tree/docs/api'>api</a></td></tr></table>",
        f"/tool.git/tree/docs?id={COMMIT}": "<tr><td class='ls-mode'>-rw-r--r--</td><td>"
        "<a class='ls-blob cff' href='/tool.git/tree/docs/CITATION.cff'>CITATION.cff</a></td></tr>",
        f"/tool.git/plain/docs/CITATION.cff?id={COMMIT}": CFF,
    },
}


@pytest.mark.parametrize("kind", ["gitweb", "cgit"])
def test_pages_of_other_versions(httpserver: HTTPServer, kind: Kind) -> None:
    def answer(request: Request) -> Response:
        query = request.query_string.decode()
        page = WRITTEN[kind].get(request.path + (f"?{query}" if query else ""))
        return Response("" if page is None else page, 404 if page is None else 200)

    httpserver.expect_request(re.compile(".*")).respond_with_handler(answer)
    name = f"{httpserver.host}:{httpserver.port}"
    described = Host(name, kind, "", (), 0, allow_private=True)
    options = Options(Git(), web=Web(Hosts([described]), backoff_s=0.01))
    found = fetch(understand(f"http://{name}", options.hosts), options)
    tool, other = found.values()
    assert (tool.name, tool.head, tool.state) == ("tool", COMMIT, "ok")
    assert [(f.path, f.content) for f in tool.files or ()] == [("docs/CITATION.cff", CFF.encode())]
    assert (other.name, other.state) == ("größe", "gone")


@pytest.mark.parametrize("kind", ["gitweb", "cgit"])
@pytest.mark.parametrize(
    "page", ["<html><body>Welcome</body></html>", "", "\x00\xff", "<table><tr><td class='toplevel-repo'>"]
)
def test_pages_of_something_else(httpserver: HTTPServer, kind: Kind, page: str) -> None:
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)
    httpserver.expect_request(re.compile(".*")).respond_with_data(page, content_type="text/html")
    name = f"{httpserver.host}:{httpserver.port}"
    described = Host(name, kind, "", (), 0, allow_private=True)
    options = Options(Git(), web=Web(Hosts([described]), backoff_s=0.01))
    source = understand(f"http://{name}/", options.hosts)
    assert source is not None
    steps = list(source.units(options))
    # A list of gitweb's is plain text, and may be empty.
    assert [isinstance(step, Trouble) for step in steps] == ([True] if kind == "cgit" or "<" in page else [])
    word = f"http://{name}/?p=r" if kind == "gitweb" else f"http://{name}/r"
    (found,) = fetch(understand(word, options.hosts), options).values()
    assert (found.state, found.files) == ("failed", None)
    assert f"none of {kind}'s" in found.reason


DESCRIBED = Hosts(
    [
        Host("web.example", "gitweb"),
        Host("sub.example", "gitweb", "https://sub.example/git/index.cgi"),
        Host("c.example", "cgit"),
        Host("k.example", "cgit", "https://k.example/pub/scm"),
    ]
)


@pytest.mark.parametrize(
    ("word", "base", "name"),
    [
        ("https://web.example", "https://web.example/", None),
        ("https://web.example/?p=g/tool.git;a=blob_plain;f=x;hb=HEAD", "https://web.example/", "g/tool.git"),
        ("https://web.example/?p=g%2Ftool.git&a=summary", "https://web.example/", "g/tool.git"),
        ("https://web.example/g/tool.git/commit/abc", "https://web.example/", "g/tool.git"),
        ("https://sub.example/git/index.cgi?a=project_list", "https://sub.example/git/index.cgi", None),
        ("https://u.example/?p=a+b.git", "https://u.example/", "a b.git"),
        ("https://u.example/gitweb/", "https://u.example/gitweb", None),
        ("https://u.example/cgi-bin/gitweb.cgi?p=tool.git",
         "https://u.example/cgi-bin/gitweb.cgi", "tool.git"),
        ("https://c.example/", "https://c.example", None),
        ("https://c.example/g/tool.git/tree/src/log.c?h=dev", "https://c.example", "g/tool.git"),
        ("https://k.example/pub/scm/g/tool.git/log/", "https://k.example/pub/scm", "g/tool.git"),
        ("https://u.example/cgit", "https://u.example/cgit", None),
        ("https://u.example/cgit/cgit.cgi/tool/about/", "https://u.example/cgit/cgit.cgi", "tool"),
        ("https://u.example/cgi-bin/cgit.cgi/gr%C3%B6%C3%9Fe.git/",
         "https://u.example/cgi-bin/cgit.cgi", "größe.git"),
    ],
)  # fmt: skip
def test_addresses(word: str, base: str, name: str | None) -> None:
    source = understand(word, DESCRIBED)
    if name is None:
        assert isinstance(source, ListingSource)
        assert source.base == base
    else:
        assert isinstance(source, ListedRepository)
        assert (source.unit.base, source.unit.name) == (base, name)
    assert understand(source.spec, DESCRIBED) == source


@pytest.mark.parametrize(
    "word",
    ["https://github.com/o/cgit/tree/main", "https://h.example/o/r", "git@h.example:cgit/r", "cgit/r",
     "https://codeberg.org/?p=x"],
)  # fmt: skip
def test_addresses_of_others(word: str) -> None:
    assert understand(word, DESCRIBED) is None


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("http://c.example/", "use https://"),
        ("https://web.example/?p=../../etc", "not the name"),
        ("https://c.example/..%2fx", "not the name"),
        ("https://web.example/?p=a%0Ab", "not the name"),
    ],
)
def test_addresses_that_are_not_safe(word: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        understand(word, DESCRIBED)
