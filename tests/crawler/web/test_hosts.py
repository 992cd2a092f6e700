from __future__ import annotations

import pytest
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.urls import UrlRefused

HOSTS = Hosts(
    [
        Host("git.example.edu", "gitlab", "https://git.example.edu/api/v4"),
        Host("ghes.example.edu", "github", "https://ghes.example.edu/api/v3"),
        Host("Forge.Example.edu:8443", "forgejo", "https://forge.example.edu:8443/api/v1/"),
        Host("a.example.edu", "gitlab", "https://gateway.example.edu/a/api/v4"),
        Host("b.example.edu", "gitlab", "https://gateway.example.edu/b/api/v4"),
        Host("bücher.example", "forgejo", "https://bücher.example/api/v1"),
    ]
)


@pytest.mark.parametrize(
    ("url", "is_interface"),
    [
        ("https://api.github.com/repos/o/r", True),
        ("https://API.GitHub.com:443/graphql", True),
        ("https://api.github.com", True),
        ("http://api.github.com/repos/o/r", False),
        ("https://api.github.com:444/repos", False),
        ("https://api.github.com.evil.example/repos", False),
        ("https://evil.example/api.github.com", False),
        ("https://api.github.com@evil.example/repos", False),
        ("https://me@api.github.com/repos", False),
        ("https://api.github.com\\@evil.example/", False),
        ("https://evil.example#@api.github.com/", False),
        ("https://github.com/o/r", False),
        ("https://raw.githubusercontent.com/o/r", False),
        ("https://gitlab.com/api/v4", True),
        ("https://gitlab.com/api/v4/projects?x=1", True),
        ("https://gitlab.com/api/graphql", True),
        ("https://gitlab.com/api/v45", False),
        ("https://gitlab.com/api/v4x/projects", False),
        ("https://gitlab.com/api/v4/../v5", False),
        ("https://gitlab.com/api/v4/%2e%2e/v5", False),
        ("https://gitlab.com/api/v4/..%2f..%2fo%2fr", False),
        ("https://gitlab.com/o/api/v4/projects", False),
        ("https://gitlab.com/api/graphql/x", False),
        ("https://gitlab.com//api/v4/projects", False),
        ("https://codeberg.org/api/v1/repos", True),
        ("https://codeberg.org/api/graphql", False),
        ("https://codeberg.org/o/r", False),
        ("https://ghes.example.edu/api/v3/repos", True),
        ("https://ghes.example.edu/api/graphql", True),
        ("https://ghes.example.edu/api", False),
        ("https://ghes.example.edu/apis", False),
        ("https://ghes.example.edu/o/r", False),
        ("https://forge.example.edu:8443/api/v1/repos", True),
        ("https://forge.example.edu/api/v1/repos", False),
        ("https://gateway.example.edu/a/api/v4/x", True),
        ("https://gateway.example.edu/c/api/v4/x", False),
        ("https://xn--bcher-kva.example/api/v1/x", True),
        ("https://bücher.example/api/v1/x", True),
        ("ssh://git@gitlab.com/api/v4", False),
        ("no url", False),
    ],
)
def test_where_a_token_may_go(url: str, is_interface: bool) -> None:
    assert HOSTS.is_interface(url) is is_interface


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.github.com/repos/o/r", "github.com"),
        ("https://github.com/o/r", "github.com"),
        ("https://GitHub.com:443/o/r", "github.com"),
        ("ssh://git@github.com/o/r", "github.com"),
        ("ssh://git@github.com:22/o/r", "github.com"),
        ("https://me:pw@github.com/o/r", "github.com"),
        ("git+ssh://git@gitlab.com/o/r", "gitlab.com"),
        ("https://forge.example.edu:8443/o/r", "forge.example.edu:8443"),
        ("https://forge.example.edu/o/r", "forge.example.edu"),
        ("https://gateway.example.edu/b/api/v4/x", "b.example.edu"),
        ("https://xn--bcher-kva.example/o/r", "xn--bcher-kva.example"),
        ("http://[::1]:3000/o/r", "[::1]:3000"),
        ("https://new.example/o", "new.example"),
        ("nonsense", ""),
    ],
)
def test_whose_a_url_is(url: str, name: str) -> None:
    assert HOSTS.behind(url).name == name


def test_what_is_known_of_a_host_by_its_name() -> None:
    assert HOSTS.at("GitHub.com").kind == "github"
    assert HOSTS.at("github.com:443").kind == "github"
    assert HOSTS.at("forge.example.EDU:8443").kind == "forgejo"
    assert HOSTS.at("forge.example.edu") == Host("forge.example.edu")
    assert [host.name for host in HOSTS.of_kind("github")] == ["github.com", "ghes.example.edu"]
    described = Host("github.com", "github", "https://api.github.com", ("OTHER_TOKEN",))
    assert Hosts([described]).at("github.com") == described


@pytest.mark.parametrize(
    ("entry", "name", "port", "allowed"),
    [
        ("git.house.example", "git.house.example", 443, True),
        ("git.house.example", "GIT.house.example", 8080, True),
        ("git.house.example", "git.house.example", None, True),
        ("git.house.example", "evil.git.house.example", 443, False),
        ("git.house.example:8080", "git.house.example", 8080, True),
        ("git.house.example:8080", "git.house.example", 443, False),
        ("git.house.example:8080", "git.house.example", None, False),
        ("10.0.0.5", "10.0.0.5", 80, True),
        ("10.0.0.5", "10.0.0.50", 80, False),
        ("::1", "::1", 80, True),
        ("[::1]", "[::1]", 80, True),
        ("[0::1]:3000", "::1", 3000, True),
        ("[::1]:3000", "::1", 80, False),
        ("bücher.example", "xn--bcher-kva.example", 443, True),
    ],
)
def test_hosts_that_the_user_allowed(entry: str, name: str, port: int | None, allowed: bool) -> None:
    assert Hosts(allowed=[entry]).is_allowed(name, port) is allowed


@pytest.mark.parametrize(
    ("name", "port", "allowed"),
    [
        ("git.house.example", 443, True),
        ("git.house.example", 80, True),
        ("git.house.example", 22, True),
        ("git.house.example", 6379, False),
        ("api.house.example", 8443, True),
        ("api.house.example", 443, False),
        ("other.house.example", 443, False),
        ("github.com", 443, False),
    ],
)
def test_a_port_is_part_of_the_name_of_a_described_host(name: str, port: int, allowed: bool) -> None:
    house = Host("git.house.example", "gitlab", "https://api.house.example:8443/api/v4", allow_private=True)
    assert Hosts([house]).is_allowed(name, port) is allowed


@pytest.mark.parametrize(
    ("variables", "tokens"),
    [
        ({}, ()),
        ({"A_TOKEN": "one"}, ("one",)),
        ({"B_TOKEN": "two"}, ("two",)),
        ({"A_TOKEN": " , ", "B_TOKEN": "two"}, ("two",)),
        ({"A_TOKEN": "one, two ,,one", "B_TOKEN": "three"}, ("one", "two")),
    ],
)
def test_tokens_are_read_when_they_are_asked_for(
    variables: dict[str, str], tokens: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host("git.example", token_names=("A_TOKEN", "B_TOKEN"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert host.tokens() == tokens
    assert not any(token in repr([host, host.tokens()]) for token in tokens)


def test_an_interface_that_is_none_is_said_at_once() -> None:
    with pytest.raises(UrlRefused, match="an interface of a host that is described leads to a file address"):
        Hosts([Host("git.example", "gitlab", "file:///api")])
