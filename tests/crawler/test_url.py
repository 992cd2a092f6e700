from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id, read
from cffgraph.crawler.git import Git
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import Options
from cffgraph.crawler.sources.url import UrlSource, understand
from cffgraph.db.found import Found, Known
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

CFF = "cff-version: 1.2.0\nmessage: M\ntitle: Plain\nauthors: [{family-names: Ångquist, given-names: Zoë}]\n"
Fetch = Callable[..., Found]

DESCRIBED = Hosts(
    [
        Host("hub.example", "github", "https://hub.example/api/v3"),
        Host("lab.example", "gitlab", "https://lab.example/api/v4"),
        Host("bucket.example", "bitbucket", "https://bucket.example/2.0"),
        Host("git.example", "cgit"),
    ]
)


@pytest.mark.parametrize(
    ("word", "url", "remote", "name"),
    [
        ("https://h.example/x/CITATION.cff", None, None, "x"),
        ("https://h.example/Citation.CFF?h=dev", None, None, "Citation.CFF"),
        ("https://h.example/cite/kiln.cff#L3", "https://h.example/cite/kiln.cff", None, "kiln.cff"),
        ("https://github.com/o/R/blob/main/CITATION.cff?plain=1#L2",
         "https://raw.githubusercontent.com/o/R/main/CITATION.cff", "https://github.com/o/r", "R"),
        ("https://github.com/o/r/raw/refs/heads/a/b/docs/CITATION.cff",
         "https://raw.githubusercontent.com/o/r/refs/heads/a/b/docs/CITATION.cff",
         "https://github.com/o/r", "r"),
        ("https://raw.githubusercontent.com/o/r/HEAD/CITATION.cff?token=SECRET",
         "https://raw.githubusercontent.com/o/r/HEAD/CITATION.cff", "https://github.com/o/r", "r"),
        ("https://hub.example/o/r/blob/main/CITATION.cff", "https://hub.example/o/r/raw/main/CITATION.cff",
         "https://hub.example/o/r", "r"),
        ("https://gitlab.com/g/s/p/-/blob/main/CITATION.cff?ref_type=heads",
         "https://gitlab.com/g/s/p/-/raw/main/CITATION.cff", "https://gitlab.com/g/s/p", "p"),
        ("https://unknown.example/g/p/-/blob/v1/inst/CITATION.cff",
         "https://unknown.example/g/p/-/raw/v1/inst/CITATION.cff", "https://unknown.example/g/p", "p"),
        ("https://lab.example/g/p/blob/main/CITATION.cff", "https://lab.example/g/p/-/raw/main/CITATION.cff",
         "https://lab.example/g/p", "p"),
        ("https://codeberg.org/o/r/src/branch/main/CITATION.cff",
         "https://codeberg.org/o/r/raw/branch/main/CITATION.cff", "https://codeberg.org/o/r", "r"),
        ("https://bucket.example/w/s/src/main/CITATION.cff?at=main",
         "https://bucket.example/w/s/raw/main/CITATION.cff", "https://bucket.example/w/s", "s"),
        ("https://git.sr.ht/~u/r/tree/main/item/CITATION.cff",
         "https://git.sr.ht/~u/r/blob/main/CITATION.cff",
         "https://git.sr.ht/~u/r", "r"),
        ("https://u.example/cgit/g/r.git/tree/CITATION.cff?h=dev",
         "https://u.example/cgit/g/r.git/plain/CITATION.cff?h=dev", "https://u.example/cgit/g/r", "r"),
        ("https://git.example/r.git/tree/docs/CITATION.cff",
         "https://git.example/r.git/plain/docs/CITATION.cff",
         "https://git.example/r", "r"),
        ("https://u.example/gitweb/?p=g/r.git;a=blob;f=CITATION.cff;hb=HEAD",
         "https://u.example/gitweb/?p=g/r.git;a=blob_plain;f=CITATION.cff;hb=HEAD",
         "https://u.example/gitweb/?p=g/r.git", "r"),
    ],
)  # fmt: skip
def test_pages_of_forges(word: str, url: str | None, remote: str | None, name: str) -> None:
    source = understand(word, DESCRIBED)
    assert source is not None
    assert (source.url, source.remote, source.name) == (url or word, remote, name)
    assert source.path.lower().endswith(".cff")
    again = understand(source.spec, DESCRIBED)
    assert again is not None
    assert (again.url, again.remote, again.name, again.spec) == (url or word, remote, name, source.spec)


def test_a_secret_is_used_and_not_kept() -> None:
    source = understand("https://raw.githubusercontent.com/o/r/main/CITATION.cff?token=SECRET", Hosts())
    assert source is not None
    assert source.address.endswith("?token=SECRET")
    assert "SECRET" not in source.spec + "".join(source.urls)


@pytest.mark.parametrize(
    "word",
    ["https://h.example/CITATION", "https://github.com/o/CITATION.cff", "https://h.example/x.cff/",
     "x/CITATION.cff",
     "ssh://git@h.example/CITATION.cff", "https://h.example/?p=r.git;a=tree;f=docs"],
)  # fmt: skip
def test_what_is_no_file(word: str) -> None:
    assert understand(word, DESCRIBED) is None


def test_what_is_not_safe() -> None:
    with pytest.raises(SourceError, match="use https://"):
        understand("http://h.example/CITATION.cff", Hosts())


@pytest.fixture
def options(httpserver: HTTPServer) -> Options:
    host = Host(f"{httpserver.host}:{httpserver.port}", "git", "", (), 0, allow_private=True)
    return Options(Git(), web=Web(Hosts([host]), backoff_s=0.01))


@pytest.fixture
def fetch(httpserver: HTTPServer, options: Options) -> Fetch:
    def call(path: str = "/x/CITATION.cff", known: Known | None = None, **changes: Any) -> Found:
        chosen = Options(options.git, web=options.web, **changes)
        source = understand(httpserver.url_for(path), chosen.hosts)
        assert isinstance(source, UrlSource)
        (unit,) = source.units(chosen)
        (url,) = unit.urls
        (found,) = unit.fetch({url: known} if known else {}, chosen)
        assert url in (found.url, found.asked)
        return found

    return call


def known_of(found: Found) -> Known:
    shas = frozenset(f.sha for f in found.files or ())
    return Known(found.head, found.state, shas, validator=found.validator)


@pytest.mark.parametrize("kind", ["text/plain", "text/plain; charset=ISO-8859-1", "text/html", None])
def test_bytes_go_on_as_they_came(httpserver: HTTPServer, fetch: Fetch, kind: str | None) -> None:
    response = Response(CFF.encode())
    if kind is None:
        del response.headers["Content-Type"]
    else:
        response.headers["Content-Type"] = kind
    httpserver.expect_request("/x/CITATION.cff").respond_with_response(response)
    found = fetch()
    (file,) = found.files or ()
    assert file.content == CFF.encode()
    assert (file.path, file.sha, found.state, found.name) == (
        "CITATION.cff",
        blob_id(CFF.encode()),
        "ok",
        "x",
    )
    assert found.host == f"{httpserver.host}:{httpserver.port}"
    (work,) = read(file.content).works
    (author,) = work.authors
    assert (author.given_names, author.family_names) == ("Zoë", "Ångquist")


@pytest.mark.parametrize(
    ("header", "value", "asked"),
    [
        ("ETag", '"abc"', "If-None-Match"),
        ("ETag", 'W/"a b,c"', "If-None-Match"),
        ("Last-Modified", "Tue, 01 Dec 2026 10:00:00 GMT", "If-Modified-Since"),
    ],
)
def test_what_has_not_changed(
    httpserver: HTTPServer, fetch: Fetch, header: str, value: str, asked: str
) -> None:
    sent: list[int] = []

    def answer(request: Request) -> Response:
        same = request.headers.get(asked) == value
        sent.append(304 if same else 200)
        return Response(b"" if same else CFF.encode(), sent[-1], {header: value})

    httpserver.expect_request("/x/CITATION.cff").respond_with_handler(answer)
    first = fetch()
    second = fetch(known=known_of(first))
    assert sent == [200, 304]
    assert (second.unchanged, second.head, second.validator) == (True, first.head, first.validator)
    third = fetch(known=known_of(first), refresh=True)
    assert sent == [200, 304, 200]
    assert third.files == first.files
    # A blob that the database has lost is fetched again.
    assert (
        fetch(known=Known(first.head, "ok", frozenset(), first.validator)).files == first.files
        or sent[-1] == 200
    )


def test_the_same_content_without_a_validator(httpserver: HTTPServer, fetch: Fetch) -> None:
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(CFF)
    first = fetch()
    assert first.validator == ""
    assert fetch(known=known_of(first)).unchanged
    httpserver.clear()
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(CFF + "version: 2\n")
    changed = fetch(known=known_of(first))
    assert not changed.unchanged
    assert changed.head != first.head


def test_another_file_in_its_place_does_not_inherit_a_validator(httpserver: HTTPServer, fetch: Fetch) -> None:
    broken = Known("head", "ok", frozenset({"x"}), validator='{"not": "a list"')
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(CFF)
    assert fetch(known=broken).files


@pytest.mark.parametrize(
    ("status", "state", "reason"),
    [
        (404, "gone", "no such file"),
        (410, "gone", "no such file"),
        (401, "private", "token"),
        (403, "private", "refuses"),
        (451, "blocked", "legal reasons"),
        (500, "failed", "500"),
        (304, "failed", "304"),
    ],
)
def test_what_cannot_be_had(
    httpserver: HTTPServer, fetch: Fetch, status: int, state: str, reason: str
) -> None:
    httpserver.expect_request("/x/CITATION.cff").respond_with_data("", status=status)
    found = fetch()
    assert (found.state, found.files) == (state, None)
    assert reason in found.reason


def test_redirects(httpserver: HTTPServer, fetch: Fetch) -> None:
    httpserver.expect_request("/new/CITATION.cff").respond_with_data(CFF)
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(
        "", status=302, headers={"Location": "/new/CITATION.cff"}
    )
    found = fetch()
    assert (found.url, found.asked) == (httpserver.url_for("/x/CITATION.cff"), "")
    assert found.files
    httpserver.expect_request("/old/CITATION.cff").respond_with_data(
        "", status=301, headers={"Location": "/new/CITATION.cff"}
    )
    found = fetch("/old/CITATION.cff")
    assert (found.url, found.asked) == tuple(
        map(httpserver.url_for, ("/new/CITATION.cff", "/old/CITATION.cff"))
    )
    httpserver.expect_request("/in/CITATION.cff").respond_with_data(
        "", status=301, headers={"Location": "/login"}
    )
    httpserver.expect_request("/login").respond_with_data("<html>Log in</html>", content_type="text/html")
    found = fetch("/in/CITATION.cff")
    assert (found.url, found.asked) == (httpserver.url_for("/in/CITATION.cff"), "")
    (file,) = found.files or ()
    assert file.content == b"<html>Log in</html>"


def test_no_address_behind_a_redirect_that_is_not_public(httpserver: HTTPServer, fetch: Fetch) -> None:
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(
        "", status=302, headers={"Location": "http://169.254.169.254/latest/CITATION.cff"}
    )
    found = fetch()
    assert (found.state, found.files) == ("blocked", None)


def test_a_file_that_is_too_large_is_looked_at_again(httpserver: HTTPServer, fetch: Fetch) -> None:
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(CFF, headers={"ETag": '"a"'})
    found = fetch(max_size_bytes=20)
    (file,) = found.files or ()
    assert (file.content, found.head, found.validator) == (None, None, "")
    assert "--max-size" in file.refused


def test_robots_are_not_asked_about_a_named_file(httpserver: HTTPServer, fetch: Fetch) -> None:
    httpserver.expect_request("/robots.txt").respond_with_data("User-agent: *\nDisallow: /")
    httpserver.expect_request("/x/CITATION.cff").respond_with_data(CFF)
    assert fetch().files
    assert [request.path for request, _ in httpserver.log] == ["/x/CITATION.cff"]
