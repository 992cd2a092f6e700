"""GitHub without a token: REST with the headers that GitHub sends, and git when its hour is used up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cffgraph.crawler.source import Past

from .doubles.github import Crawl, GitHub, Link, Refusal, cff, fill, start

Make = Callable[..., Any]
AGAIN = Past(is_known=True)


@pytest.fixture
def github() -> Iterator[GitHub]:
    host, stop = start()
    host.anonymous_left = 10_000
    yield host
    stop()


@pytest.fixture
def crawl(github: GitHub) -> Crawl:
    return Crawl(github)


def paths(crawl: Crawl) -> list[str]:
    """What was asked for, without the interface's own part."""
    return [asked.path.removeprefix(crawl.github.base) for asked in crawl.asked]


def test_an_organisation_page_by_page_and_again_for_the_price_of_its_pages(
    github: GitHub, crawl: Crawl
) -> None:
    fill(github, "org-a", 230, odd_every=10)
    founds = crawl(f"github:{github.name}/org-a")
    assert len(founds) == 230
    assert all(found.state == "ok" for found in founds.values())
    assert sum(not found.files for found in founds.values()) == 7
    assert len(crawl.marks) == 2
    again = crawl(f"github:{github.name}/org-a", past=AGAIN)
    assert all(found.unchanged for found in again.values())
    assert paths(crawl) == [
        "/orgs/org-a/repos?per_page=100",
        "/orgs/org-a/repos?per_page=100&page=2",
        "/orgs/org-a/repos?per_page=100&page=3",
    ]
    github.repositories[7].push({"CITATION.cff": cff("new")})
    third = crawl(f"github:{github.name}/org-a", past=AGAIN)
    assert [found.name for found in third.values() if not found.unchanged] == ["tool-0007"]
    assert crawl.files(third, "org-a/tool-0007") == {"CITATION.cff": cff("new")}


def test_a_user_and_an_owner_who_is_not_there(github: GitHub, crawl: Crawl) -> None:
    fill(github, "ada", 3)
    assert len(crawl(f"github:{github.name}/ada")) == 3
    assert [path.split("?")[0] for path in paths(crawl)[:2]] == ["/orgs/ada/repos", "/users/ada/repos"]
    assert crawl(f"github:{github.name}/nobody") == {}
    assert "knows no such" in crawl.troubles[0].reason


def test_a_listing_goes_on_behind_a_mark(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 230)
    crawl(f"github:{github.name}/org-a")
    behind = crawl(f"github:{github.name}/org-a", past=Past(cursor=crawl.marks[0].cursor))
    assert len(behind) == 130
    assert len(crawl(f"github:{github.name}/org-a", past=Past(cursor='{"after":"x"}'))) == 230


def test_what_is_told_of_a_repository(github: GitHub, crawl: Crawl) -> None:
    origin = github.add("Else/Origin")
    github.add("org-a/fork", fork_of=origin, is_archived=True)
    github.add("org-a/mirror", mirror_url="https://git.example/tool.git")
    github.add("org-a/empty", {})
    github.add("org-a/off", is_disabled=True)
    for words in ([f"github:{github.name}/org-a"], [crawl.url(r.path) for r in github.owned("org-a")]):
        told = {found.name: found for found in crawl(*words, refresh=True).values()}
        fork = told["fork"]
        assert (fork.is_fork, fork.is_archived, fork.is_mirror) == (True, True, False)
        assert fork.parent_url == crawl.url("else/origin")
        assert (fork.forge_id, fork.default_branch) == ("1001", "main")
        assert fork.head
        assert (told["mirror"].is_mirror, told["mirror"].parent_url) == (True, "https://git.example/tool")
        assert (told["empty"].state, told["empty"].files) == ("empty", ())
        assert (told["off"].state, told["off"].files) == ("blocked", None)
    assert crawl(crawl.url("org-a/fork"), forks=False) == {}
    assert {f.name for f in crawl(f"github:{github.name}/org-a", archived=False).values()} == {
        "mirror", "empty", "off",
    }  # fmt: skip


def test_one_repository_costs_one_request_when_it_has_not_changed(github: GitHub, crawl: Crawl) -> None:
    repository = github.add("O/R")
    first = crawl(crawl.url("O/R"))[crawl.url("o/r")]
    assert first.files
    assert len(crawl.asked) == 3
    used = github.anonymous_left
    assert crawl(crawl.url("o/r"))[crawl.url("o/r")].unchanged
    assert len(crawl.asked) == 1
    assert github.anonymous_left == used, "a 304 is not counted"
    # Somebody gives it a star: the answer is another one, the files are the same.
    repository.stars += 1
    assert crawl(crawl.url("o/r"))[crawl.url("o/r")].unchanged
    assert len(crawl.asked) == 1
    repository.push({"docs/citation.cff": cff("docs")})
    found = crawl(crawl.url("o/r"))[crawl.url("o/r")]
    assert [(f.path, f.content) for f in found.files or ()] == [
        ("CITATION.cff", None), ("docs/citation.cff", cff("docs")),
    ]  # fmt: skip


def test_files_come_as_they_are(github: GitHub, crawl: Crawl) -> None:
    wide = "a: ü\n".encode("utf-16")
    github.add("o/r", {
        "citation.cff": wide, ".github/CITATION.cff": Link(b"../inst/CITATION.cff"),
        "inst/CITATION.cff": cff("i"), "src/CITATION.cff": b"no",
    })  # fmt: skip
    founds = crawl(crawl.url("o/r"))
    assert crawl.files(founds, "o/r") == {
        "citation.cff": wide, ".github/CITATION.cff": cff("i"), "inst/CITATION.cff": cff("i"),
    }  # fmt: skip
    found = crawl(crawl.url("o/r"), max_size_bytes=10, refresh=True)[crawl.url("o/r")]
    assert [f.path for f in found.files or () if f.refused]
    assert (found.head, found.validator) == (None, "")


def test_a_renamed_repository_comes_under_its_new_name(github: GitHub, crawl: Crawl) -> None:
    github.add("o/new").number = 77
    github.renamed["o/old"] = "o/new"
    found = crawl(crawl.url("o/old"))[crawl.url("o/new")]
    assert (found.asked, found.forge_id, found.name) == (crawl.url("o/old"), "77", "new")
    assert paths(crawl)[:2] == ["/repos/o/old", "/repositories/77"]
    # It has not changed, and the host says so without saying its name.
    again = crawl(crawl.url("o/old"))[crawl.url("o/new")]
    assert again.unchanged
    other = crawl(crawl.url("O/New"))[crawl.url("o/new")]
    assert (other.unchanged, other.asked) == (True, "")


def test_what_cannot_be_had_has_its_state(github: GitHub, crawl: Crawl) -> None:
    for name in "abc":
        github.add(f"o/{name}")
    github.refused["o/b"] = Refusal("", "Repository access blocked")
    github.refused["o/c"] = Refusal("", "Resource not accessible")
    founds = crawl(*(crawl.url(f"o/{name}") for name in "abcx"))
    states = {url[-1]: found.state for url, found in founds.items()}
    assert states == {"a": "ok", "b": "blocked", "c": "private", "x": "gone"}
    assert paths(crawl).count("/repos/o/b") == 1, "it is not asked for twice"
    assert founds[crawl.url("o/b")].files is None


def test_a_notice_is_named() -> None:
    """As in the answer for a repository that was taken down."""
    host, stop = start()
    try:
        body = {"message": "Repository access blocked",
                "block": {"reason": "dmca", "html_url": "https://forge.example/notice/1"}}  # fmt: skip
        host.add("o/a")
        host.add("o/c")
        crawl = Crawl(host)
        crawl(crawl.url("o/a"))
        host.next_answers.append((451, {}, json.dumps(body).encode()))
        found = crawl(crawl.url("o/b"))[crawl.url("o/b")]
        assert (found.state, found.reason.rpartition(": ")[2]) == (
            "blocked",
            "https://forge.example/notice/1",
        )
        assert crawl(crawl.url("o/c"))[crawl.url("o/c")].files
    finally:
        stop()


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (403, {"Retry-After": "2"}, b"You have exceeded a secondary rate limit"),
        (429, {"Retry-After": "2"}, b"{}"),
    ],
)
def test_a_short_wait_is_waited(
    github: GitHub, crawl: Crawl, status: int, headers: dict[str, str], body: bytes
) -> None:
    github.add("o/r")
    github.next_answers.append((status, headers, body))
    begun = time.monotonic()
    found = crawl(crawl.url("o/r"))[crawl.url("o/r")]
    assert time.monotonic() - begun >= 2
    assert (found.state, len(found.files or ()), found.notes) == ("ok", 1, ())
    assert paths(crawl)[:2] == ["/repos/o/r"] * 2


@pytest.mark.parametrize("answer", [(502, {}, b""), (503, {}, b"<html>"), (500, {}, b"{}")])
def test_a_passing_fault_passes(
    github: GitHub, crawl: Crawl, answer: tuple[int, dict[str, str], bytes]
) -> None:
    github.add("o/r")
    github.next_answers.extend([answer] * 2)
    assert crawl(crawl.url("o/r"))[crawl.url("o/r")].files


@pytest.mark.parametrize("body", [b"<html>We are down</html>", b'{"id": 7', b"[]", b"{}"])
def test_an_answer_that_is_something_else_is_a_failure(github: GitHub, crawl: Crawl, body: bytes) -> None:
    github.next_answers.append((200, {"Content-Type": "text/html"}, body))
    found = crawl(crawl.url("o/r"))[crawl.url("o/r")]
    assert (found.state, found.files) == ("failed", None)
    if body != b"[]":  # an owner of nothing
        github.next_answers.append((200, {"Content-Type": "text/html"}, body))
        assert crawl(f"github:{github.name}/org-a") == {}
        assert crawl.troubles


def test_when_the_hour_is_used_up_repositories_come_with_git(
    github: GitHub, make_host: Make, make_repository: Make
) -> None:
    git = make_host()
    for name in "abc":
        git.publish(make_repository(name, {"CITATION.cff": f"title: {name}\n"}), f"o/{name}.git")
        github.add(f"o/{name}")
    github.anonymous_left = 4
    crawl = Crawl(github, pages=git.url.removeprefix("http://"))
    founds = crawl(*(crawl.url(f"o/{name}") for name in "abcx"))
    assert {url[-1]: found.state for url, found in founds.items()} == {
        "a": "ok", "b": "ok", "c": "ok", "x": "gone",
    }  # fmt: skip
    assert crawl.files(founds, "o/b") == {"CITATION.cff": b"title: b\n"}
    assert founds[crawl.url("o/b")].forge_id == "1001", "what was told before the end counts"
    notes = [note for found in founds.values() for note in found.notes]
    assert len(notes) == 1
    assert "limit for requests without a token is reached until" in notes[0]
    assert len(crawl.asked) <= 5, "a host that has no more to give is not asked"
    assert git.requests


def test_a_listing_ends_with_the_hour_and_goes_on_later(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 230)
    github.anonymous_left = 1
    founds = crawl(f"github:{github.name}/org-a")
    assert len(founds) == 100
    assert "limit" in crawl.troubles[0].reason
    github.anonymous_left, crawl.web = 10_000, crawl.new_web()
    behind = crawl(f"github:{github.name}/org-a", past=Past(cursor=crawl.marks[-1].cursor))
    assert len(behind) == 130
    assert not crawl.troubles


def test_a_topic_and_its_windows(github: GitHub, crawl: Crawl) -> None:
    github.search_cap = 1000
    fill(github, "ada", 1300)
    for repository in github.repositories:
        repository.topics = ("fog",)
    source = crawl.listed(f"github:{github.name}/topic/fog")
    assert len({url for unit in source for url in unit.urls}) == 1300
    assert not crawl.troubles
    last = [m for m in crawl.marks if m.cursor][-2]
    behind = crawl.listed(f"github:{github.name}/topic/fog", past=Past(cursor=last.cursor))
    assert 0 < len(behind) < 1300


def test_a_search_that_is_not_complete_is_said_so(github: GitHub, crawl: Crawl) -> None:
    fill(github, "ada", 5)
    github.is_incomplete = True
    assert len(crawl(f"github:{github.name}/search/tool")) == 5
    assert "showed 5 of 5" in crawl.troubles[0].reason
    assert crawl.marks[-1].cursor == ""


def test_no_token_of_another_host_is_sent(
    github: GitHub, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "of-github-com")
    github.add("o/r")
    crawl(crawl.url("o/r"))
    assert {asked.authorization for asked in crawl.asked} == {""}
