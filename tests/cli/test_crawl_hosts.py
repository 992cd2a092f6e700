"""Crawling hosts from the command line: which are gone to, what is told of them."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

Command = Callable[..., Any]


def cff(title: str) -> str:
    return (
        f"cff-version: 1.2.0\nmessage: Cite it.\ntitle: {title}\nauthors:\n"
        "- family-names: Limen\n  given-names: Una\n"
    )


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def say(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Put lines on standard input."""
    text = io.TextIOWrapper(io.BytesIO("\n".join(lines).encode()))
    monkeypatch.setattr("sys.stdin", text)


def test_a_list_that_points_inside(cffgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    say(
        monkeypatch,
        "http://127.0.0.1:9/o/r",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/o/r",
        "http://2130706433/o/r",
        "file:///etc/passwd",
    )
    answer = cffgraph("crawl", "-", "--format", "json")
    report = json.loads(answer.out)
    assert (answer.code, report["requests"]) == (1, 0)
    assert report["repositories"]["failed"] == {"blocked": 5}


def test_a_list_of_words_that_git_would_take_for_options(
    cffgraph: Command, monkeypatch: pytest.MonkeyPatch, study: Path
) -> None:
    say(monkeypatch, "--upload-pack=touch pwned", "-u./x")
    answer = cffgraph("crawl", "-", "--format", "json")
    assert json.loads(answer.out)["repositories"]["failed"] == {"place": 2}
    assert not list(study.glob("pwned"))


def test_nested_groups_keep_their_whole_path(cffgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    say(
        monkeypatch,
        "https://lab.example/group/app",
        "https://lab.example/group/sub/app.git",
        "https://lab.example/x/tools/app",
        "https://lab.example/y/tools/app/",
        "git@lab.example:a/b/c/d/app.git",
    )
    answer = cffgraph("crawl", "-", "--dry-run")
    assert [line.partition("https://lab.example/")[2] for line in answer.out.splitlines()] == [
        "group/app",
        "group/sub/app",
        "x/tools/app",
        "y/tools/app",
        "a/b/c/d/app",
    ]


def test_a_wait_is_told_once_and_kept(cffgraph: Command, httpserver: HTTPServer) -> None:
    url = httpserver.url_for("/o/r/CITATION.cff")
    httpserver.expect_ordered_request("/o/r/CITATION.cff").respond_with_data(
        "You have exceeded a secondary rate limit", status=403, headers={"Retry-After": "2"}
    )
    httpserver.expect_ordered_request("/o/r/CITATION.cff").respond_with_data(cff("Ratey"))
    answer = cffgraph("crawl", url, "--allow-host", "localhost")
    assert answer.code == 0
    assert len(httpserver.log) == 2
    assert answer.err.count("waits for localhost") == 1
    assert "Una Limen" in cffgraph("authors").out


def test_bytes_are_taken_whatever_the_header_says(cffgraph: Command, httpserver: HTTPServer) -> None:
    text = cff("Plain").replace("Limen", "Ångquist").replace("Una", "Zoë")
    httpserver.expect_request("/o/r/HEAD/CITATION.cff").respond_with_data(
        text.encode(), content_type="text/plain; charset=ISO-8859-1"
    )
    url = httpserver.url_for("/o/r/HEAD/CITATION.cff")
    assert cffgraph("crawl", url, "--allow-host", "localhost").code == 0
    assert "Zoë Ångquist" in cffgraph("authors").out


def test_one_of_three_is_blocked_by_law(cffgraph: Command, httpserver: HTTPServer) -> None:
    for name in "ac":
        httpserver.expect_request(f"/o/{name}/CITATION.cff").respond_with_data(cff(f"Tool {name}"))
    notice = {"message": "x", "block": {"reason": "dmca", "html_url": "https://forge.example/notice/1"}}
    httpserver.expect_request("/o/b/CITATION.cff").respond_with_json(notice, status=451)
    urls = [httpserver.url_for(f"/o/{name}/CITATION.cff") for name in "abc"]
    answer = cffgraph("crawl", *urls, "--allow-host", "localhost", "--format", "json")
    report = json.loads(answer.out)
    assert (answer.code, report["repositories"]["failed"], report["files"]["ok"]) == (3, {"blocked": 1}, 2)
    assert "https://forge.example/notice/1" in report["failures"][0]["reason"]
    assert len(httpserver.log) == 3
    rows = json.loads(cffgraph("repositories", "--format", "json").out)
    assert sorted(row["state"] for row in rows) == ["blocked", "ok", "ok"]


def test_what_has_not_changed_is_not_sent_again(cffgraph: Command, httpserver: HTTPServer) -> None:
    def answer(request: Request) -> Response:
        if request.headers.get("If-None-Match") == '"1"':
            return Response(status=304)
        return Response(cff("Tool"), headers={"ETag": '"1"'})

    httpserver.expect_request("/CITATION.cff").respond_with_handler(answer)
    words = ("crawl", httpserver.url_for("/CITATION.cff"), "--allow-host", "localhost", "--format", "json")
    assert json.loads(cffgraph(*words).out)["repositories"]["unchanged"] == 0
    assert json.loads(cffgraph(*words).out)["repositories"]["unchanged"] == 1
    assert [response.status_code for _, response in httpserver.log] == [200, 304]
    refreshed = json.loads(cffgraph(*words, "--refresh").out)
    assert refreshed["repositories"]["unchanged"] == 0


def test_the_options_of_a_source_are_remembered_with_it(cffgraph: Command, study: Path) -> None:
    for place in ("", "deep/"):
        folder = study / "world" / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "CITATION.cff").write_text(cff(f"Tool {place}"))
    assert cffgraph("crawl", "world", "--history", "--no-forks").code == 0
    assert cffgraph("crawl").code == 0
    with sqlite3.connect(study / "cffgraph.db") as connection:
        assert connection.execute("SELECT options FROM source").fetchall() == [("history no-forks",)]
    assert cffgraph("crawl", "world").code == 0
    with sqlite3.connect(study / "cffgraph.db") as connection:
        assert connection.execute("SELECT options FROM source").fetchall() == [("",)]


def test_a_token_is_in_no_output_and_no_database(
    cffgraph: Command, httpserver: HTTPServer, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_TOKEN", "s3cr3t-t0k3n")
    name = f"localhost:{httpserver.port}"
    (study / "cffgraph.toml").write_text(
        f'[hosts."{name}"]\nkind = "gitlab"\napi = "http://{name}/api/v4"\ntoken = "HOUSE_TOKEN"\n'
        "allow_private = true\n"
    )
    httpserver.expect_request("").respond_with_data("no", status=500)
    answer = cffgraph("crawl", f"http://{name}/group/tool", "--verbose")
    assert answer.code == 1
    seen = [request.headers.get("Authorization", "") for request, _ in httpserver.log]
    assert any("s3cr3t" in header for header in seen)
    config = cffgraph("config")
    everything = answer.out + answer.err + config.out + cffgraph("repositories").out
    everything += "".join(p.read_bytes().decode("latin-1") for p in study.glob("cffgraph.db*"))
    assert "s3cr3t" not in everything
