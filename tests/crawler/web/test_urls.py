from __future__ import annotations

import pytest
from cffgraph.crawler.urls import UrlRefused, parse

AS_ASKED = [
    ("https://git.example/o/r", "https://git.example/o/r"),
    ("  HTTPS://GIT.Example  ", "https://git.example/"),
    ("https://git.example:443/x#part", "https://git.example/x"),
    ("http://git.example:80", "http://git.example/"),
    ("http://git.example:443", "http://git.example:443/"),
    ("https://git.example:/x", "https://git.example/x"),
    ("https://git.example.:8443?a=b#c", "https://git.example:8443/?a=b"),
    ("https://bücher.example/ü/ b?q=ß", "https://xn--bcher-kva.example/%C3%BC/%20b?q=%C3%9F"),
    ("https://straße.example", "https://xn--strae-oqa.example/"),
    ("https://１２７.0.0.1/", "https://127.0.0.1/"),
    ("https://127。0。0。1/", "https://127.0.0.1/"),
    ("http://[::FFFF:7F00:1]:8080/", "http://[::ffff:7f00:1]:8080/"),
    ("http://[0:0::1]/", "http://[::1]/"),
    ("https://git.example/a/../../b/./c/", "https://git.example/b/c/"),
    ("https://git.example/a/%2e%2E/b/%2E", "https://git.example/b/"),
    ("https://git.example/a/..", "https://git.example/"),
    ("https://git.example/files/CITATION%2Ecff", "https://git.example/files/CITATION%2Ecff"),
    ("https://git.example/100%/%zz", "https://git.example/100%25/%25zz"),
    ("https://git.example/a\\b", "https://git.example/a%5Cb"),
    ("https://git.example//o//r", "https://git.example//o//r"),
    ("https://git.example/r/info/refs?service=git-upload-pack", None),
    ("https://git.example/?p=a.git;a=blob_plain;f=CITATION.cff;hb=HEAD", None),
    ("https://git.example/x?u=https://a@b/../c", None),
]


@pytest.mark.parametrize(("text", "asked"), AS_ASKED)
def test_a_url_is_asked_for_in_one_spelling(text: str, asked: str | None) -> None:
    assert str(parse(text)) == (asked or text)
    assert str(parse(str(parse(text)))) == (asked or text)


REFUSED = [
    ("", "no URL"),
    ("git.example/o/r", "no URL"),
    ("//git.example/o", "no URL"),
    ("https:git.example", "no URL"),
    ("https:/git.example", "no URL"),
    ("https://", "a host that is none"),
    ("https:///o/r", "a host that is none"),
    ("file:///etc/passwd", "a file address"),
    ("javascript:alert(1)", "a javascript address"),
    ("FTP://git.example", "an? ftp address"),
    ("ssh://git@git.example/o/r", "a ssh address"),
    ("https://me:hunter2@git.example/", "user name or password"),
    ("https://hunter2@git.example/", "user name or password"),
    ("https://@git.example/", "user name or password"),
    ("https://me:hun/ter2@git.example/", "a host that is none"),
    ("https://good.example\\@bad.example/", "user name or password"),
    ("https://good.example\\.bad.example/", "a host that is none"),
    ("https://git.example:0/", "port 0"),
    ("https://git.example:65536/", "port 65536"),
    ("https://git.example:99999999999/", "a host that is none"),
    ("https://git.example:x/", "a host that is none"),
    ("https://git.example:٤٤٣/", "a host that is none"),
    ("https://git.example:-1/", "a host that is none"),
    ("https://a..b/", "a host that is none"),
    ("https://git%2eexample/", "a host that is none"),
    ("https://git example/", "a host that is none"),
    (f"https://{'a' * 64}.example/", "a host that is none"),
    (f"https://{'a.' * 130}example/", "a host that is none"),
    ("https://[::1/", "a host that is none"),
    ("https://[fe80::1%25eth0]/", "a host that is none"),
    ("https://[::g]/", "a host that is none"),
    ("https://git.example/\r\nX-Injected: 1", "no URL"),
    ("https://git.example/\x00", "no URL"),
    ("https://git.ex\tample/", "no URL"),
    ("https://git.example/\u202e", "no URL"),
    ("https://git.example/\udcff", "no URL"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_a_url_that_is_refused(text: str, why: str) -> None:
    with pytest.raises(UrlRefused, match=why) as caught:
        parse(text)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("location", "there"),
    [
        ("/x/y", "https://git.example/x/y"),
        ("x", "https://git.example/o/x"),
        ("?p=2", "https://git.example/o/r?p=2"),
        ("", "https://git.example/o/r?a=b"),
        ("#top", "https://git.example/o/r?a=b"),
        ("../x", "https://git.example/x"),
        ("//other.example/x", "https://other.example/x"),
        ("///other.example/x", "https://git.example/other.example/x"),
        ("/\\other.example/x", "https://git.example/%5Cother.example/x"),
        ("http://other.example:8080", "http://other.example:8080/"),
        (" /x ", "https://git.example/x"),
        ("/\u00c3\u00bc", "https://git.example/%C3%BC"),
        ("/a b", "https://git.example/a%20b"),
    ],
)
def test_where_a_location_leads(location: str, there: str) -> None:
    assert str(parse("https://git.example/o/r?a=b").join(location)) == there


@pytest.mark.parametrize("location", ["https://[", "file:///x", "//me:pw@x.example", "/x\r\nA: b", "data:,x"])
def test_a_location_that_leads_nowhere(location: str) -> None:
    with pytest.raises(UrlRefused):
        parse("https://git.example/o/r").join(location)


@pytest.mark.parametrize(
    ("path", "is_straight"),
    [
        ("/api/v4/projects/a%2Fb", True),
        ("/api/v4/files/docs%2F.github%2FCITATION.cff", True),
        ("/api/v4/...", True),
        ("/api/v4/..%2f..%2fadmin", False),
        ("/api/v4/x%2F..%2Fy", False),
        ("/api/v4/..;/admin", False),
        ("/api/v4/..%5Cadmin", False),
        ("/api/v4/%252e%252e/admin", False),
        ("/api/v4/?next=/../x", True),
    ],
)
def test_steps_that_hide_in_a_path(path: str, is_straight: bool) -> None:
    assert parse(f"https://git.example{path}").is_straight is is_straight
