from __future__ import annotations

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.links import parse_link


@pytest.mark.parametrize(
    ("word", "url"),
    [
        ("https://Forge.Example/o/R", "https://forge.example/o/R"),
        ("HTTPS://forge.example:443", "https://forge.example/"),
        ("https://forge.example.:8443/x", "https://forge.example:8443/x"),
        ("https://me:secret@forge.example/x#L3", "https://forge.example/x"),
        (
            "https://forge.example/a b/Größe.cff?h=ü",
            "https://forge.example/a%20b/Gr%C3%B6%C3%9Fe.cff?h=%C3%BC",
        ),
        ("https://forge.example/a%20b", "https://forge.example/a%20b"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("https://Bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://forge.example/a/../../x/./y", "https://forge.example/x/y"),
        ("https://forge.example/?p=a.git;a=tree", "https://forge.example/?p=a.git;a=tree"),
    ],
)
def test_one_form(word: str, url: str) -> None:
    link = parse_link(word)
    assert link is not None
    assert link.url == url
    assert parse_link(link.url) == link


@pytest.mark.parametrize(
    "word",
    ["git@forge.example:o/r", "ssh://forge.example/r", "o/r", "https://", "https:///x", "https://h:x/",
     "https://-oProxyCommand=x/r", "https://forge.example/a\x1bb", "https://[::1/x", "swh:https://h/x"],
)  # fmt: skip
def test_what_is_no_link(word: str) -> None:
    assert parse_link(word) is None


def test_secrets_stay_out_of_what_is_stored() -> None:
    link = parse_link("https://forge.example/x.cff?ref=main&private_token=abc&X-Amz-Signature=d&key=k")
    assert link is not None
    assert link.public_url == "https://forge.example/x.cff?ref=main"
    assert "abc" in link.url
    link = parse_link("https://forge.example/g?p=a.git;a=blob;f=tokens.cff")
    assert link is not None
    assert link.public_url == link.url


@pytest.mark.parametrize(
    ("word", "is_safe"),
    [
        ("https://forge.example/x", True),
        ("http://forge.example/x", False),
        ("http://house.example/x", True),
        ("http://127.0.0.1:8080/x", True),
        ("http://[::1]:8080/x", True),
        ("http://localhost/x", True),
        ("http://10.0.0.1/x", False),
    ],
)
def test_without_tls(word: str, is_safe: bool) -> None:
    hosts = Hosts([Host("house.example", "cgit", allow_private=True)])
    link = parse_link(word)
    assert link is not None
    if is_safe:
        link.refuse_unsafe(hosts)
    else:
        with pytest.raises(SourceError, match="use https://"):
            link.refuse_unsafe(hosts)
