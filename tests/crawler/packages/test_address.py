"""Which repository the URLs in packages' metadata mean."""

from __future__ import annotations

import pytest
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.packages.address import best_address, git_address, linked_address
from cffgraph.crawler.packages.package import parse_purl

NAMED = [
    ("git+https://github.com/O/R.git", "https://github.com/o/r"),
    ("git://github.com/o/r.git", "https://github.com/o/r"),
    ("git@github.com:o/r.git", "https://github.com/o/r"),
    ("git+ssh://git@github.com/o/r.git#0a1b2c", "https://github.com/o/r"),
    ("ssh://git@github.com:o/r.git", "https://github.com/o/r"),
    ("scm:git:git://github.com/o/r.git", "https://github.com/o/r"),
    ("http://www.github.com/o/r/", "https://github.com/o/r"),
    ("https://github.com/o/r/tree/main/packages/x", "https://github.com/o/r"),
    ("https://github.com/o/r/blob/main/README.md?plain=1#top", "https://github.com/o/r"),
    ("https://github.com/o/r/issues", "https://github.com/o/r"),
    ("https://api.github.com/repos/o/r", "https://github.com/o/r"),
    ("https://codeload.github.com/o/r/tar.gz/abc", "https://github.com/o/r"),
    ("https://user:secret@github.com/o/r", "https://github.com/o/r"),
    ("github:o/r", "https://github.com/o/r"),
    ("o/r", "https://github.com/o/r"),
    ("gitlab:o/r.git", "https://gitlab.com/o/r"),
    ("bitbucket:o/r#main", "https://bitbucket.org/o/r"),
    ("https://gitlab.com/g/s/t/-/tree/main/x", "https://gitlab.com/g/s/t"),
    ("https://gitlab.com/g/s/t/issues", "https://gitlab.com/g/s/t"),
    ("https://gitlab.tools.example/G/s/t/-/issues", "https://gitlab.tools.example/G/s/t"),
    ("https://gitlab.tools.example/g/t/blob/main/x.py", "https://gitlab.tools.example/g/t"),
    ("https://git.tools.example/r.git", "https://git.tools.example/r.git"),
    ("https://git.sr.ht/~ada/tool/tree/main/item/x", "https://git.sr.ht/~ada/tool"),
    ("git+https://github.com/o/r.git@feature/x", "https://github.com/o/r"),
    ("https://code.example/@ada/tool", "https://code.example/@ada/tool"),
    ("http://127.0.0.1:8000/o/r", "http://127.0.0.1:8000/o/r"),
    # none
    ("", ""),
    ("UNKNOWN", ""),
    ("gist:0a1b2c", ""),
    ("https://github.com/sponsors/ada", ""),
    ("https://github.com/ada", ""),
    ("https://github.com/", ""),
    ("https://github.com/o/{repo}", ""),
    ("https://github.com/<owner>/<name>", ""),
    ("https://github.com/{{ cookiecutter.owner }}/x", ""),
    ("hg+https://hg.example/o/r", ""),
    ("svn+https://svn.example/o/r", ""),
    ("file:///home/ada/r", ""),
    ("git+file:///home/ada/r", ""),
    ("../r", ""),
    ("-o/r", ""),
    ("ext::sh -c id", ""),
    ("--upload-pack=x", ""),
    ("javascript:alert(1)", ""),
    ("https://git.example/../../etc", ""),
    ("https://github.com/" + "a" * 5000, ""),
]


@pytest.mark.parametrize(("text", "address"), NAMED, ids=[text[:60] for text, _ in NAMED])
def test_what_is_named_as_a_repository(text: str, address: str) -> None:
    found, why = git_address(text)
    assert found == address
    assert bool(why) is not bool(address)


LINKS = [
    # (links, description, name, expected)
    ([("Homepage", "https://tool.example"), ("Source", "https://github.com/o/r")], "", "", "o/r"),
    ([("Homepage", "https://github.com/o/r")], "", "", "o/r"),
    ([("Funding", "https://github.com/sponsors/ada"), ("Bug-Tracker", "https://github.com/o/r/issues")],
     "", "", "o/r"),
    ([("GitHub Sponsors", "https://github.com/o/money"), ("Docs", "https://tool.example")], "", "", ""),
    ([("Source Code", "https://github.com/o/a"), ("Repository", "https://github.com/o/b")], "", "", "o/b"),
    ([("source_code", "https://github.com/o/a"), ("Homepage", "https://github.com/o/b")], "", "", "o/a"),
    ([("Code of Conduct", "https://github.com/o/.github/blob/main/COC.md")], "", "", ""),
    ([("Changelog", "https://github.com/o/.github/blob/main/x.md"), ("Home", "https://github.com/o/r")],
     "", "", "o/r"),
    # The tracker of a greater project: a repository of the package's own name is nearer.
    ([("Homepage", "https://github.com/o/part"), ("Issues", "https://github.com/o/whole/issues")],
     "", "part", "o/part"),
    ([("Source", "https://docs.tool.example/en/stable/source.html")], "", "", ""),
    ([("Source", "https://pypi.org/project/tool")], "", "", ""),
    ([("Source", "https://ada.github.io/tool/")], "", "", ""),
    ([("Homepage", "https://tool.example/docs/index")], "", "", ""),
    ([("", "https://github.com/o/r")], "", "", "o/r"),
    ([], "See https://github.com/x/other, https://github.com/o/py-tool/issues.", "tool", "o/py-tool"),
    ([], "Built on https://github.com/x/other", "tool", ""),
]  # fmt: skip


@pytest.mark.parametrize(("links", "description", "name", "expected"), LINKS, ids=range(len(LINKS)))
def test_the_best_of_labelled_links(
    links: list[tuple[str, str]], description: str, name: str, expected: str
) -> None:
    address, label = best_address(links, description=description, name=name)
    assert address == (f"https://github.com/{expected}" if expected else "")
    assert bool(address) or label == ""


def test_a_strange_host_counts_when_it_is_labelled_or_described() -> None:
    url = "https://code.example/group/tool"
    assert linked_address(url) == ""
    assert linked_address(url, as_repository=True) == url
    assert linked_address(url, Hosts([Host("code.example", "gitlab")])) == url
    assert linked_address("https://gitlab.tools.example/g/t/-/issues") == "https://gitlab.tools.example/g/t"


PURLS = [
    ("pkg:pypi/Foo_Bar@1.0", "pkg:pypi/foo-bar", "1.0", ""),
    ("pkg:npm/%40scope/tool@2.0.0?arch=x#sub", "pkg:npm/%40scope/tool", "2.0.0", ""),
    ("pkg:npm/@scope/tool@2.0.0", "pkg:npm/%40scope/tool", "2.0.0", ""),
    ("pkg:npm/@scope/tool", "pkg:npm/%40scope/tool", "", ""),
    ("pkg://pypi/foo", "pkg:pypi/foo", "", ""),
    ("pkg:github/O/R@v1", "pkg:github/o/r", "v1", "https://github.com/o/r"),
    ("pkg:githubactions/o/r/sub@v4", "pkg:githubactions/o/r/sub", "v4", "https://github.com/o/r"),
    (
        "pkg:golang/github.com/o/r/v2@v2.0.1",
        "pkg:golang/github.com/o/r/v2",
        "v2.0.1",
        "https://github.com/o/r",
    ),
    ("pkg:golang/golang.tools.example/x", "pkg:golang/golang.tools.example/x", "", ""),
    (
        "pkg:generic/x@1?vcs_url=git%2Bhttps://github.com/o/x%40abc",
        "pkg:generic/x",
        "1",
        "https://github.com/o/x",
    ),
    ("pkg:cargo/rand@1.0+meta%2Bx", "pkg:cargo/rand", "1.0+meta+x", ""),
]


@pytest.mark.parametrize(("text", "purl", "version", "address"), PURLS, ids=[row[0] for row in PURLS])
def test_purls(text: str, purl: str, version: str, address: str) -> None:
    package = parse_purl(text)
    assert package is not None
    assert (package.purl, package.version, package.address) == (purl, version, address)


@pytest.mark.parametrize(
    "text", ["", "pkg:", "pkg:pypi", "pkg:pypi/", "pypi/foo", "pkg:/x", "pkg:pypi/" + "a" * 9000]
)
def test_what_is_no_purl(text: str) -> None:
    assert parse_purl(text) is None
