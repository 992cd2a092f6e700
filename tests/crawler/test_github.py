"""GitHub with a token: against a GraphQL endpoint that executes what we ask by GitHub's own schema."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.harvest import Harvest
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.source import Mark, Options, Past
from cffgraph.crawler.sources.github import understand
from cffgraph.crawler.sources.github_graphql import Pace
from cffgraph.crawler.sources.github_search import Window, widest, windows
from cffgraph.db.found import Found
from cffgraph.db.store import Store
from sqlalchemy import Connection, text

from .doubles.github import (
    NO_SDL,
    PEOPLE,
    SDL,
    Crawl,
    GitHub,
    Link,
    Module,
    Refusal,
    Script,
    cff,
    fill,
    start,
)

Make = Callable[..., Any]
needs_schema = pytest.mark.skipif(SDL is None, reason=NO_SDL)
AGAIN = Past(is_known=True)
TOKEN = "not-a-real-token"


@pytest.fixture
def github() -> Iterator[GitHub]:
    host, stop = start()
    yield host
    stop()


@pytest.fixture
def crawl(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> Crawl:
    monkeypatch.setenv("PROBE_GITHUB_TOKEN", TOKEN)
    return Crawl(github, token=TOKEN)


def sizes(crawl: Crawl) -> list[int]:
    """How many repositories each question was about."""
    return [asked.repositories for asked in crawl.asked if asked.method == "POST"]


def states(founds: dict[str, Found]) -> dict[str, str]:
    return {url.rsplit("/", 1)[-1]: found.state for url, found in founds.items()}


# --- Words ------------------------------------------------------------------------------------------

HOSTS = Hosts([Host("git.example.edu", "github", "https://git.example.edu/api/v3", ("EDU_TOKEN",))])


@pytest.mark.parametrize(
    ("word", "spec"),
    [
        ("https://github.com/O/R", "https://github.com/o/r"),
        ("https://www.github.com/o/r.git/", "https://github.com/o/r"),
        ("https://github.com/o/r/tree/main/docs?plain=1#L3", "https://github.com/o/r"),
        ("https://ada:secret@github.com/o/r", "https://github.com/o/r"),
        ("git+https://github.com/o/r.git", "https://github.com/o/r"),
        ("git://github.com/o/r.git", "https://github.com/o/r"),
        ("O/R.jl", "https://github.com/o/r.jl"),
        ("o/r.git", "https://github.com/o/r"),
        ("o/Fog.Json", "https://github.com/o/fog.json"),
        ("o/fog.tarn", "https://github.com/o/fog.tarn"),
        ("github:o/.github", "https://github.com/o/.github"),
        ("git@github.com:o/r.git", "git@github.com:o/r.git"),
        ("ssh://git:secret@ssh.github.com:443/o/r.git", "ssh://git@ssh.github.com:443/o/r.git"),
        ("github:Org", "github:org"),
        ("https://github.com/Org/", "github:org"),
        ("https://github.com/orgs/Org/repositories?type=source", "github:org"),
        ("https://github.com/o_corp", "github:o_corp"),
        ("github:topic/Open-Science", "github:topic/open-science"),
        ("https://github.com/topics/open-science", "github:topic/open-science"),
        ("github:search/fog in:readme stars:>10", "github:search/fog in:readme stars:>10"),
        ("https://github.com/search?q=fog+language%3AC&type=repositories", "github:search/fog language:C"),
        ("https://git.example.edu/O/R/issues", "https://git.example.edu/o/r"),
        ("https://git.example.edu/Org", "github:git.example.edu/org"),
        ("github:git.example.edu/Org", "github:git.example.edu/org"),
        ("github:git.example.edu/o/r", "https://git.example.edu/o/r"),
        ("github:git.example.edu/topic/fog", "github:git.example.edu/topic/fog"),
        ("github:GIT.example.edu/search/a/b", "github:git.example.edu/search/a/b"),
    ],
)
def test_a_word_names_a_source(word: str, spec: str) -> None:
    source = understand(word, HOSTS)
    assert source is not None
    assert source.spec == spec
    again = understand(source.spec, HOSTS)
    assert again is not None
    assert again.spec == spec


@pytest.mark.parametrize(
    "word",
    """data/CITATION.cff data/list.txt o/r/s o https://gitlab.com/o/r https://git.example/o/r ./o/r o/.. -o/r
    git@git.example:o/r https://github.com/o/r/blob/main/CITATION.cff
    https://gist.github.com/o/1 o\\r/x""".split(),
)
def test_a_word_that_is_not_githubs(word: str) -> None:
    assert understand(word, HOSTS) is None


@pytest.mark.parametrize(
    "word",
    """https://github.com/ https://github.com/features https://github.com/settings/profile github:
    github:a/b/c git@github.com:o https://github.com/o%2Fx/r https://github.com/ä/r github:-o
    github:topic/A_b
    http://git.example.edu/o/r""".split(),
)
def test_a_word_that_is_githubs_and_wrong(word: str) -> None:
    with pytest.raises(SourceError) as caught:
        understand(word, HOSTS)
    assert "\n" not in str(caught.value)


def test_no_password_is_in_an_error() -> None:
    with pytest.raises(SourceError) as caught:
        understand("https://ada:secret@github.com/features/x", HOSTS)
    assert "secret" not in str(caught.value)


# --- Costs ------------------------------------------------------------------------------------------


@needs_schema
def test_an_organisation_of_a_thousand_costs_twelve_requests_and_then_ten(
    github: GitHub, crawl: Crawl
) -> None:
    fill(github, "org-a", 1000, odd_every=20)
    founds = crawl("github:" + github.name + "/org-a")
    assert len(founds) == 1000
    assert len(crawl.asked) <= 12
    assert Counter(len(f.files or ()) for f in founds.values()) == {1: 984, 0: 16}
    assert all(file.content for found in founds.values() for file in found.files or ())
    assert len(crawl.marks) == 9
    again = crawl("github:" + github.name + "/org-a", past=AGAIN)
    assert len(crawl.asked) <= 10
    assert not any(asked.has_content for asked in crawl.asked)
    assert len(again) == 1000
    assert all(found.unchanged for found in again.values())
    # Only what has changed is asked for, of all pages together.
    for i in range(0, 1000, 50):
        github.repositories[i].push({"CITATION.cff": cff(f"new {i}")})
    third = crawl("github:" + github.name + "/org-a", past=AGAIN)
    assert sizes(crawl) == [*[100] * 10, 20]
    assert sum(not found.unchanged for found in third.values()) == 20
    assert crawl.files(third, "org-a/tool-0050") == {"CITATION.cff": cff("new 50")}


@needs_schema
def test_a_list_of_a_thousand_names_costs_the_same(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 1000, odd_every=20)
    names = [crawl.url(repository.path) for repository in github.repositories]
    founds = crawl(*names)
    assert len(founds) == 1000
    assert len(crawl.asked) <= 12
    assert Counter(len(f.files or ()) for f in founds.values()) == {1: 984, 0: 16}
    again = crawl(*names)
    assert len(crawl.asked) <= 10
    assert not any(asked.has_content for asked in crawl.asked)
    assert all(found.unchanged for found in again.values())


@needs_schema
def test_all_is_fetched_again_with_refresh(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 3)
    crawl("github:" + github.name + "/org-a")
    founds = crawl("github:" + github.name + "/org-a", past=AGAIN, refresh=True)
    assert all(f.content for found in founds.values() for f in found.files or ())
    founds = crawl(crawl.url("org-a/tool-0000"), refresh=True)
    assert all(f.content for found in founds.values() for f in found.files or ())


@needs_schema
def test_what_is_not_wanted_costs_nothing(github: GitHub, crawl: Crawl) -> None:
    origin = github.add("org-a/tool")
    github.add("org-a/fork", fork_of=origin)
    github.add("org-a/old", is_archived=True)
    word = f"github:{github.name}/org-a"
    assert states(crawl(word)) == {"tool": "ok", "fork": "ok", "old": "ok"}
    assert states(crawl(word, forks=False)) == {"tool": "ok", "old": "ok"}
    assert states(crawl(word, archived=False, past=AGAIN)) == {"tool": "ok", "fork": "ok"}
    assert states(crawl(crawl.url("org-a/fork"), crawl.url("org-a/tool"), forks=False)) == {"tool": "ok"}


# --- What a host does not bear ----------------------------------------------------------------------


@needs_schema
@pytest.mark.parametrize("as_names", [False, True])
def test_a_request_that_is_too_large_is_halved_and_the_size_remembered(
    github: GitHub, crawl: Crawl, as_names: bool
) -> None:
    fill(github, "org-a", 300, odd_every=7)
    github.bears = 25
    words = [crawl.url(r.path) for r in github.repositories] if as_names else [f"github:{github.name}/org-a"]
    founds = crawl(*words)
    assert len(founds) == 300
    assert all(found.state == "ok" for found in founds.values())
    assert Counter(len(f.files or ()) for f in founds.values())[1] == 300 - 300 // 7 // 3
    assert sizes(crawl)[:3] == [100, 50, 25]
    assert sizes(crawl).count(100) == 1
    # It is tried upwards again, ever more seldom.
    assert sizes(crawl).count(50) <= 4
    # Another source of the same crawl begins with what the host bears; a new crawl begins anew.
    crawl(*words)
    assert sizes(crawl)[0] in (25, 50)
    github.bears, crawl.web = 100, crawl.new_web()
    crawl(*words)
    assert sizes(crawl)[0] == 100


def test_the_size_grows_again_where_the_host_bears_it() -> None:
    pace = Pace()
    tried = []
    for i in range(60):
        tried.append(pace.size)
        if i < 4 or pace.size > 40:
            pace.was_too_much(pace.size, answered=True)
        else:
            pace.went_well(pace.size)
    assert tried[:8] == [100, 50, 25, 12, 6, 12, 24, 48]
    assert tried.count(48) <= 5, "what is too much is tried ever more seldom"
    for _ in range(70):
        pace.went_well(pace.size)
    assert pace.size == 100


@needs_schema
@pytest.mark.parametrize("as_names", [False, True])
def test_one_repository_that_the_host_cannot_answer_for_is_failed_and_the_rest_goes_on(
    github: GitHub, crawl: Crawl, as_names: bool
) -> None:
    fill(github, "org-a", 130)
    github.killers = {"org-a/tool-0042", "org-a/tool-0129"}
    words = [crawl.url(r.path) for r in github.repositories] if as_names else [f"github:{github.name}/org-a"]
    founds = crawl(*words)
    assert len(founds) == 130
    failed = [found for found in founds.values() if found.state != "ok"]
    assert {found.name for found in failed} == {"tool-0042", "tool-0129"}
    assert {found.state for found in failed} == {"failed"}
    assert "502" in failed[0].reason
    assert failed[0].files is None
    assert not crawl.troubles


@needs_schema
@pytest.mark.parametrize("as_names", [False, True])
def test_what_came_in_an_answer_that_is_cut_short_is_used(
    github: GitHub, crawl: Crawl, as_names: bool
) -> None:
    fill(github, "org-a", 40)
    github.exhausting = {"org-a/tool-0003", "org-a/tool-0039"}
    words = [crawl.url(r.path) for r in github.repositories] if as_names else [f"github:{github.name}/org-a"]
    founds = crawl(*words)
    assert len(founds) == 40
    assert all(found.state == "ok" and found.files for found in founds.values())
    if as_names:
        assert sizes(crawl)[:2] == [40, 2], "the other 38 are not asked for twice"


@needs_schema
def test_no_answer_at_all_is_asked_for_in_smaller_parts(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 60)
    github.silent_above = 20
    founds = crawl(*(crawl.url(r.path) for r in github.repositories))
    assert len(founds) == 60
    assert all(found.state == "ok" for found in founds.values())
    assert [*dict.fromkeys(sizes(crawl))][:2] == [60, 15]


@needs_schema
def test_a_host_that_answers_nothing_at_all_ends_the_crawl_soon(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 60)
    github.silent_above = 0
    founds = crawl(*(crawl.url(r.path) for r in github.repositories))
    assert {found.state for found in founds.values()} == {"failed"}
    assert len(founds) == 60
    assert len(crawl.asked) <= 24


@needs_schema
@pytest.mark.parametrize(
    "answer",
    [
        (502, {}, b""),
        (504, {}, b"<html>"),
        (200, {"Content-Type": "text/html"}, b"<html>Unicorn!</html>"),
        (200, {}, b'{"data": {"repositoryOwner"'),
        (200, {}, b'{"errors": [{"message": "Something went wrong while executing your query."}]}'),
        (200, {}, b'{"data": null, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "-"}]}'),
        (200, {}, b"[]"),
    ],
)
def test_an_answer_that_is_none_is_asked_for_again(
    github: GitHub, crawl: Crawl, answer: tuple[int, dict[str, str], bytes]
) -> None:
    fill(github, "org-a", 5)
    github.next_answers.append(answer)
    founds = crawl(f"github:{github.name}/org-a")
    assert len(founds) == 5
    assert sizes(crawl)[:2] == [100, 50]


@needs_schema
@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (403, {"Retry-After": "1"}, b"You have exceeded a secondary rate limit"),
        (
            200,
            {"X-RateLimit-Remaining": "0"},
            b'{"errors": [{"type": "RATE_LIMITED", "message": "API rate"}]}',
        ),
        (429, {"Retry-After": "1"}, b"{}"),
    ],
)
def test_a_limit_is_waited_for_and_the_request_not_made_smaller(
    github: GitHub, crawl: Crawl, status: int, headers: dict[str, str], body: bytes
) -> None:
    fill(github, "org-a", 5)
    if status == 200:
        headers = {**headers, "X-RateLimit-Reset": str(int(time.time()) + 1)}
    github.next_answers.append((status, headers, body))
    begun = time.monotonic()
    founds = crawl(f"github:{github.name}/org-a")
    assert time.monotonic() - begun > 0.9
    assert len(founds) == 5
    assert sizes(crawl) == [100, 100]


def test_a_token_that_is_refused_is_said_once_and_without_it(github: GitHub, crawl: Crawl) -> None:
    github.next_answers.extend([(401, {}, b'{"message": "Bad credentials"}')] * 2)
    assert crawl(f"github:{github.name}/org-a") == {}
    (trouble,) = crawl.troubles
    assert "does not take the token" in trouble.reason
    assert TOKEN not in trouble.reason
    founds = crawl(*(crawl.url(f"o/r{i}") for i in range(250)))
    assert len(founds) == 250
    assert len(crawl.asked) == 1
    assert {found.state for found in founds.values()} == {"private"}


@needs_schema
def test_a_query_that_the_host_does_not_understand_is_not_asked_again(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 5)
    old = b'{"errors": [{"message": "Field \'isMirror\' doesn\'t exist", "extensions": {"code": "x"}}]}'
    github.next_answers.append((200, {}, old))
    assert crawl(f"github:{github.name}/org-a") == {}
    assert len(crawl.asked) == 1
    assert "isMirror" in crawl.troubles[0].reason


@needs_schema
def test_every_request_has_the_token(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 5)
    crawl(f"github:{github.name}/org-a")
    assert {asked.authorization for asked in crawl.asked} == {f"Bearer {TOKEN}"}
    assert {asked.path for asked in crawl.asked} == {"/api/graphql"}


@needs_schema
def test_a_host_with_its_interface_at_the_root(github: GitHub, crawl: Crawl) -> None:
    github.base = ""
    rooted = Crawl(github, token=TOKEN)
    fill(github, "org-a", 5)
    assert len(rooted(f"github:{github.name}/org-a")) == 5
    assert {asked.path for asked in rooted.asked} == {"/graphql"}


# --- Repositories -----------------------------------------------------------------------------------


@needs_schema
@pytest.mark.parametrize("by", ["names", "owner"])
def test_what_is_told_of_a_repository(github: GitHub, crawl: Crawl, by: str) -> None:
    origin = github.add("Else/Origin")
    secret = github.add("Else/Secret")
    github.refused["Else/Secret"] = Refusal(
        "FORBIDDEN", "Resource protected by organization SAML enforcement."
    )
    github.add("org-a/Tool")
    github.add("org-a/fork", fork_of=origin, is_archived=True)
    github.add("org-a/fork-of-secret", fork_of=secret)
    github.add("org-a/mirror", mirror_url="git://git.example/tool.git")
    github.add("org-a/empty", {})
    github.add("org-a/none", {"README": b"x"})
    github.add("org-a/off", is_disabled=True)
    owned = [crawl.url(r.path) for r in github.owned("org-a")]
    founds = crawl(*owned) if by == "names" else crawl(f"github:{github.name}/org-a")
    told = {found.name: found for found in founds.values()}
    tool = told["Tool"]
    assert tool.url == f"http://{github.name}/org-a/tool"
    assert (tool.host, tool.forge_id, tool.default_branch) == (github.name, "1002", "main")
    assert tool.head == github.repositories[2].commits[-1].oid
    assert (tool.is_fork, tool.is_archived, tool.is_mirror, tool.parent_url) == (False, False, False, None)
    fork = told["fork"]
    assert (fork.is_fork, fork.is_archived, fork.parent_url) == (True, True, crawl.url("else/origin"))
    assert (told["fork-of-secret"].state, told["fork-of-secret"].parent_url) == ("ok", None)
    assert len(told["fork-of-secret"].files or ()) == 1
    assert (told["mirror"].is_mirror, told["mirror"].parent_url) == (True, "https://git.example/tool")
    assert (told["empty"].state, told["empty"].files) == ("empty", ())
    assert (told["none"].state, told["none"].files) == ("ok", ())
    assert (told["off"].state, told["off"].files) == ("blocked", None)
    assert not any(found.asked for found in founds.values())


@needs_schema
def test_what_cannot_be_had_has_its_state_and_the_rest_is_there(github: GitHub, crawl: Crawl) -> None:
    for name in "abcde":
        github.add(f"o/{name}")
    github.refused["o/b"] = Refusal("FORBIDDEN", "Repository access blocked")
    github.refused["o/c"] = Refusal("FORBIDDEN", "Resource protected by organization SAML enforcement.")
    github.refused["o/d"] = Refusal("FORBIDDEN", "Although you appear to have the correct authorization, the"
                                    " organization has an IP allow list enabled")  # fmt: skip
    founds = crawl(*(crawl.url(f"o/{name}") for name in "abcdex"))
    assert states(founds) == {
        "a": "ok", "b": "blocked", "c": "private", "d": "private", "e": "ok", "x": "gone",
    }  # fmt: skip
    assert founds[crawl.url("o/b")].reason.endswith(f": https://{github.name}/notice/1001")
    assert "SAML" in founds[crawl.url("o/c")].reason
    assert all(found.files is None for found in founds.values() if found.state != "ok")
    assert len(sizes(crawl)) == 1


@needs_schema
def test_an_owner_that_hides_some_or_is_not_there(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 3)
    github.refused["org-a/tool-0001"] = Refusal(
        "FORBIDDEN", "Resource protected by organization SAML enforcement."
    )
    founds = crawl(f"github:{github.name}/org-a")
    assert set(states(founds)) == {"tool-0000", "tool-0002"}
    assert "1 of its repositories" in crawl.troubles[0].reason
    assert crawl(f"github:{github.name}/nobody") == {}
    assert "knows no such" in crawl.troubles[0].reason


@needs_schema
def test_a_renamed_repository_is_one_with_an_older_url(
    github: GitHub, crawl: Crawl, database: Connection
) -> None:
    github.add("o/new").number = 77
    github.renamed["o/old"] = "o/new"
    founds = crawl(crawl.url("O/New"), crawl.url("o/old"))
    assert {found.url for found in founds.values()} == {crawl.url("o/new")}
    assert founds[crawl.url("o/new")].asked == crawl.url("o/old")
    again = crawl(crawl.url("o/old"))
    assert again[crawl.url("o/new")].unchanged
    harvest(crawl, database, crawl.url("o/old"))
    harvest(crawl, database, crawl.url("O/New"), crawl.url("o/old"), f"github:{github.name}/o")
    with database.begin():
        rows = database.execute(text("SELECT url, forge_id, state FROM repository")).all()
        aliases = database.execute(text("SELECT url FROM repository_alias")).scalars().all()
        works = database.execute(text("SELECT count(*) FROM record")).scalar_one()
    assert rows == [(crawl.url("o/new"), "77", "ok")]
    assert aliases == [crawl.url("o/old")]
    assert works == 1


# --- Files ------------------------------------------------------------------------------------------


@needs_schema
@pytest.mark.parametrize("by", ["names", "owner"])
def test_files_of_every_spelling_place_and_encoding_come_as_they_are(
    github: GitHub, crawl: Crawl, by: str
) -> None:
    at_home, bom = cff("at home"), b"\xef\xbb\xbf" + cff("with a mark")
    utf16, long = cff("wide").decode().encode("utf-16"), cff("long") + b"# fill\n" * 100
    github.longest_text = 500
    cases: dict[str, tuple[dict[str, bytes], dict[str, bytes]]] = {
        "odd": ({"citation.cff": cff("odd")}, {"citation.cff": cff("odd")}),
        "both": ({"CITATION.cff": at_home, "Citation.CFF": cff("x")}, {"CITATION.cff": at_home}),
        "folders": (
            {"CITATION.cff": at_home, ".github/Citation.cff": cff("g"), "docs/CITATION.cff": cff("d"),
             "inst/CITATION.cff": cff("i"), "src/CITATION.cff": cff("not taken")},
            {"CITATION.cff": at_home, ".github/Citation.cff": cff("g"), "docs/CITATION.cff": cff("d"),
             "inst/CITATION.cff": cff("i")},
        ),
        "bom": ({"CITATION.cff": bom}, {"CITATION.cff": bom}),
        "utf16": ({"CITATION.cff": utf16}, {"CITATION.cff": utf16}),
        "long": ({"CITATION.cff": long}, {"CITATION.cff": long}),
        "crlf": ({"CITATION.cff": b"a: 1\r\n"}, {"CITATION.cff": b"a: 1\r\n"}),
        "nothing": ({"CITATION.cff": b""}, {"CITATION.cff": b""}),
        "link": ({"CITATION.cff": Link(b"docs/CITATION.cff"), "docs/CITATION.cff": cff("linked")},
                 {"CITATION.cff": cff("linked"), "docs/CITATION.cff": cff("linked")}),
        "far": ({"docs/citation.cff": Link(b"../meta/data/cite.cff"), "meta/data/cite.cff": cff("far")},
                {"docs/citation.cff": cff("far")}),
        "out": ({"CITATION.cff": Link(b"../../etc/passwd")}, {"CITATION.cff": b"../../etc/passwd"}),
        "lost": ({"CITATION.cff": Link(b"nowhere/x.cff")}, {"CITATION.cff": b"nowhere/x.cff"}),
        "module": ({"CITATION.cff": Module(b"1" * 40), "README": b"x"}, {}),
        "folder": ({"CITATION.cff/inner": b"x"}, {}),
        "file-docs": ({"docs": b"no folder", "inst/a": b"x"}, {}),
    }  # fmt: skip
    for name, (files, _) in cases.items():
        github.add(f"org-a/{name}", files)
    words = [crawl.url(f"org-a/{n}") for n in cases] if by == "names" else [f"github:{github.name}/org-a"]
    founds = crawl(*words)
    for name, (_, expected) in cases.items():
        assert crawl.files(founds, f"org-a/{name}") == expected, name
    notes = founds[crawl.url("org-a/both")].notes
    assert len(notes) == 1
    assert "Citation.CFF left out" in notes[0]
    again = crawl(*words, past=AGAIN)
    assert all(found.unchanged for found in again.values())
    assert not any(asked.has_content for asked in crawl.asked)


@needs_schema
def test_a_link_to_what_is_at_hand_costs_one_question_for_all(github: GitHub, crawl: Crawl) -> None:
    for i in range(20):
        github.add(f"org-a/r{i}", {"CITATION.cff": Link(b"./docs/cite.cff"), "docs/cite.cff": cff(f"r{i}")})
    founds = crawl(f"github:{github.name}/org-a")
    assert crawl.files(founds, "org-a/r7") == {"CITATION.cff": cff("r7")}
    assert [asked.method for asked in crawl.asked] == ["POST"] * 2


@needs_schema
def test_a_file_that_is_too_large_is_refused_and_looked_at_again(github: GitHub, crawl: Crawl) -> None:
    github.add(
        "o/r", {"CITATION.cff": b"x" * 2000, "docs/CITATION.cff": b"y" * 3000, "inst/CITATION.cff": b"z"}
    )
    for _ in range(2):
        found = crawl(crawl.url("o/r"), max_size_bytes=1000)[crawl.url("o/r")]
        assert [(f.path, bool(f.refused), f.content) for f in found.files or ()][:1] == [
            ("CITATION.cff", True, None)
        ]
        assert [f.path for f in found.files or () if f.refused] == ["CITATION.cff", "docs/CITATION.cff"]
        assert found.head is None
    assert "1,000" in (found.files or ())[0].refused


@needs_schema
def test_a_blob_that_is_known_comes_without_content(github: GitHub, crawl: Crawl) -> None:
    repository = github.add("o/r", {"CITATION.cff": cff("a"), "docs/citation.cff": cff("b")})
    crawl(crawl.url("o/r"))
    repository.push({"docs/citation.cff": cff("c"), "README": b"new"})
    founds = crawl(crawl.url("o/r"))
    assert crawl.files(founds, "o/r") == {"CITATION.cff": None, "docs/citation.cff": cff("c")}


@needs_schema
def test_what_lies_below_is_gits_matter(github: GitHub, monkeypatch: pytest.MonkeyPatch, make_host: Make,
                                        make_repository: Make) -> None:  # fmt: skip
    git = make_host()
    git.publish(
        make_repository("r", {"CITATION.cff": "a: 1\n", "src/deep/CITATION.cff": "b: 1\n"}), "o/r.git"
    )
    (git.root / "o").exists()
    github.add("o/r")
    monkeypatch.setenv("PROBE_GITHUB_TOKEN", TOKEN)
    crawl = Crawl(github, token=TOKEN, pages=git.url.removeprefix("http://"))
    founds = crawl(crawl.url("o/r"), nested=True)
    assert set(crawl.files(founds, "o/r")) == {"CITATION.cff", "src/deep/CITATION.cff"}
    assert founds[crawl.url("o/r")].forge_id == "1000"
    assert TOKEN not in "".join(git.requests)


@needs_schema
def test_an_ssh_address_is_asked_where_the_interface_knows_nothing(
    github: GitHub, crawl: Crawl, monkeypatch: pytest.MonkeyPatch, make_repository: Make, tmp_path: Path
) -> None:
    repository = make_repository("r", {"CITATION.cff": "a: 1\n"})
    ssh = tmp_path / "ssh.sh"
    ssh.write_text(f'#!/bin/sh\nexec git-upload-pack "{repository.path}/.git"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    host = github.name.partition(":")[0]
    founds = crawl(f"git@{host}:o/hidden.git", crawl.url("o/gone"))
    assert states(founds) == {"hidden": "ok", "gone": "gone"}
    assert crawl.files(founds, "o/hidden") == {"CITATION.cff": b"a: 1\n"}


# --- History ----------------------------------------------------------------------------------------


@needs_schema
def test_the_history_of_files_comes_with_its_dates(github: GitHub, crawl: Crawl) -> None:
    r = github.add("o/r", {"CITATION.cff": cff("one")})
    second = r.push({"CITATION.cff": cff("two")})
    r.push({"CITATION.cff": Script(cff("two")), "README": b"y"})
    gone = r.push({"CITATION.cff": None})
    r.push({"CITATION.cff": cff("two"), "docs/citation.cff": b"\xff\xfe binary"})
    github.add("o/plain")
    github.add("o/none", {"README": b"x"})
    founds = crawl(*(crawl.url(f"o/{n}") for n in ("r", "plain", "none")), history=True)
    history = founds[crawl.url("o/r")].history
    assert history is not None
    told = [(v.path, v.content, v.since, v.until) for v in history]
    day = [f"2024-05-{6 + i:02}T07:08:09+00:00" for i in range(5)]
    assert told == [
        ("CITATION.cff", cff("one"), day[0], day[1]),
        ("CITATION.cff", cff("two"), day[1], day[3]),
        ("CITATION.cff", cff("two"), day[4], None),
        ("docs/citation.cff", b"\xff\xfe binary", day[4], None),
    ]
    assert history[1].commit == second.oid
    assert gone.oid not in {v.commit for v in history}
    assert all(v.sha == blob_id(v.content or b"") for v in history)
    assert len(founds[crawl.url("o/plain")].history or ()) == 1
    assert founds[crawl.url("o/none")].history == ()
    again = crawl(crawl.url("o/r"), history=True)
    assert again[crawl.url("o/r")].unchanged
    # What was crawled without its history is not at its head for a crawl with it.
    crawl.known = {url: replace(known, history_head=None) for url, known in crawl.known.items()}
    founds = crawl(crawl.url("o/r"), history=True)
    assert [v.content for v in founds[crawl.url("o/r")].history or ()] == [None] * 4


@needs_schema
def test_a_long_history_is_paged(github: GitHub, crawl: Crawl) -> None:
    r = github.add("o/r", {"CITATION.cff": cff("v0")})
    for i in range(1, 250):
        r.push({"CITATION.cff": cff(f"v{i}")})
    founds = crawl(crawl.url("o/r"), history=True)
    history = founds[crawl.url("o/r")].history or ()
    assert [v.content for v in history] == [cff(f"v{i}") for i in range(250)]
    assert sum("history(" in asked.query for asked in crawl.asked) == 3


# --- Going on ---------------------------------------------------------------------------------------


@needs_schema
def test_a_crawl_goes_on_behind_any_mark_and_loses_nothing(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 430, odd_every=30)
    source = understand(f"github:{github.name}/org-a", crawl.hosts)
    assert source is not None
    options = Options(Git(), web=crawl.web)
    everything = {r.path.lower() for r in github.repositories}
    steps = list(source.units(options))
    marks = [i for i, step in enumerate(steps) if isinstance(step, Mark)]
    assert len(marks) == 4
    for i in marks:
        before = {url for step in steps[:i] if not isinstance(step, Mark) for url in step.urls}
        behind = crawl(source.spec, past=Past(cursor=steps[i].cursor))
        assert before.isdisjoint(behind)
        assert {url.split("/", 3)[3] for url in before | set(behind)} == everything
        assert all(found.state == "ok" for found in behind.values())


@needs_schema
@pytest.mark.parametrize(
    "cursor", ['{"after":"bm90IGEgY3Vyc29y"}', "orgs/org-a/repos?page=2", "[]", '{"after":3}']
)
def test_a_cursor_that_is_refused_means_from_the_beginning(github: GitHub, crawl: Crawl, cursor: str) -> None:
    fill(github, "org-a", 120)
    assert len(crawl(f"github:{github.name}/org-a", past=Past(cursor=cursor))) == 120
    assert not crawl.troubles


@needs_schema
def test_a_listing_that_breaks_off_keeps_what_it_gave(github: GitHub, crawl: Crawl) -> None:
    fill(github, "org-a", 230, odd_every=10)
    source = understand(f"github:{github.name}/org-a", crawl.hosts)
    assert source is not None
    listing = source.units(Options(Git(), web=crawl.web))
    for step in listing:
        if isinstance(step, Mark):
            github.next_answers.extend([(401, {}, b"{}")])
            break
    rest = list(listing)
    assert rest[-1].place.endswith("/org-a")
    founds = {url for step in rest[:-1] for url in step.urls}
    assert len(founds) == 7, "what was held back"


# --- Search -----------------------------------------------------------------------------------------


def spread(github: GitHub, number: int, **facts: Any) -> None:
    """Repositories with a topic, made ever faster one after the other."""
    for i in range(number):
        made = datetime(2010, 1, 1, tzinfo=UTC) + timedelta(days=5000 * (i / number) ** 0.3)
        github.add(f"o{i % 7}/r{i}", {"CITATION.cff": cff(f"r{i}")}, created=made, topics=("fog",), **facts)


@needs_schema
def test_a_topic_past_the_cap_comes_whole_and_once(github: GitHub, crawl: Crawl) -> None:
    github.search_cap = 1000
    spread(github, 2600)
    github.repositories[5].fork_of = github.repositories[6]
    founds = crawl(f"github:{github.name}/topic/fog")
    assert len(founds) == 2600
    assert not crawl.troubles
    assert sum(found.is_fork or False for found in founds.values()) == 1
    assert len(crawl.asked) < 50
    assert crawl.marks[-1].cursor == ""


@needs_schema
def test_a_search_goes_on_in_the_window_in_which_it_was_cut_off(github: GitHub, crawl: Crawl) -> None:
    spread(github, 1700)
    source = understand(f"github:{github.name}/topic/fog", crawl.hosts)
    assert source is not None
    steps = list(source.units(Options(Git(), web=crawl.web)))
    marks = [i for i, step in enumerate(steps) if isinstance(step, Mark) and step.cursor]
    assert len(marks) > 10
    for i in marks[::8]:
        before = {url for step in steps[:i] if not isinstance(step, Mark) for url in step.urls}
        behind = set(crawl(source.spec, past=Past(cursor=steps[i].cursor)))
        assert len(before | behind) == 1700
        assert len(before & behind) <= 1, "what stands on the edge of two windows"
        assert not crawl.troubles


@needs_schema
def test_a_search_that_speaks_of_dates_is_cut_by_stars(github: GitHub, crawl: Crawl) -> None:
    github.search_cap = 1000
    spread(github, 1500)
    for i, repository in enumerate(github.repositories):
        repository.stars = i % 50
    query = "topic:fog created:2010-01-01T00:00:00Z..2030-01-01T00:00:00Z"
    founds = crawl(f"github:{github.name}/search/{query}")
    assert len(founds) == 1500
    assert not crawl.troubles


@needs_schema
def test_results_that_cannot_be_had_are_said(github: GitHub, crawl: Crawl) -> None:
    github.search_cap = 100
    for i in range(130):
        github.add(f"o/r{i}", {"CITATION.cff": b"a: 1"}, topics=("fog",))
    founds = crawl(f"github:{github.name}/topic/fog")
    assert len(founds) == 100
    assert "100 of 130" in crawl.troubles[0].reason
    # All that there is was seen: the next crawl begins anew.
    assert crawl.marks[-1].cursor == ""


@needs_schema
def test_a_topic_again_brings_no_content(github: GitHub, crawl: Crawl) -> None:
    spread(github, 150)
    crawl(f"github:{github.name}/topic/fog")
    again = crawl(f"github:{github.name}/topic/fog", past=AGAIN)
    assert all(found.unchanged for found in again.values())
    assert not any(asked.has_content for asked in crawl.asked)
    assert len(crawl.asked) == 3


def test_windows_hold_no_more_than_the_cap_and_leave_nothing_out() -> None:
    stars = sorted([0] * 700 + [1] * 900 + [2] * 40 + [3, 50, 1 << 19] * 200)

    def count(searches: Any) -> list[int]:
        found = []
        for search in searches:
            _, colon, span = search.partition(" stars:")
            low, _, high = span.partition("..")
            found.append(sum(not colon or int(low) <= s <= int(high) for s in stars))
        return found

    parts = list(windows("created:x", Window(), count))
    assert all(number <= 1000 for _, number in parts)
    covered = {s for s in stars if any(w.low <= s <= w.high for w, _ in parts)}
    assert covered == set(stars)
    assert widest("x").axis == "created"
    assert widest("created:1 stars:2") == Window()
    assert [n for _, n in windows("created:1 stars:2", Window(), lambda searches: [5000])] == [5000]
    assert list(windows("x", Window(), lambda searches: [0] * len(searches))) == []


# --- All of it --------------------------------------------------------------------------------------


def harvest(crawl: Crawl, database: Connection, *words: str, **options: Any) -> Any:
    sources = [source for word in words if (source := understand(word, crawl.hosts)) is not None]
    before = len(crawl.github.asked)
    stats = Harvest(Store(database), sources, Options(Git(), web=crawl.new_web(), **options), jobs=3).run()
    crawl.asked = crawl.github.asked[before:]
    return stats


@needs_schema
def test_a_crawl_into_the_database_and_again(github: GitHub, crawl: Crawl, database: Connection) -> None:
    fill(github, "org-a", 250, odd_every=10)
    fill(github, "other", 130)
    names = [crawl.url(r.path) for r in github.owned("other")]
    words = [f"github:{github.name}/org-a", *names, crawl.url("other/gone")]
    stats = harvest(crawl, database, *words)
    assert (stats.repositories, stats.failed) == (381, {"gone": 1})
    assert stats.with_file + stats.without_file == 380
    assert len(crawl.asked) == 3 + 1 + 2
    stats = harvest(crawl, database, *words)
    assert stats.unchanged == 380
    assert len(crawl.asked) == 3 + 2
    assert not any(a.has_content for a in crawl.asked[:3])
    gone = github.repositories.pop(4)
    stats = harvest(crawl, database, *words)
    assert stats.gone == 1
    with database.begin():
        query = text("SELECT state FROM repository WHERE url = :url")
        assert database.execute(query, {"url": crawl.url(gone.path)}).scalar_one() == "gone"
        assert {*PEOPLE} >= {
            " ".join(json.loads(v)) if v.startswith("[") else v
            for v in database.execute(text("SELECT DISTINCT name FROM author")).scalars()
        }
