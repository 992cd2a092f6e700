from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git, Stopped
from cffgraph.crawler.hosts import Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.remote import without_password
from cffgraph.crawler.source import Options
from cffgraph.crawler.sources.git import GitSource, understand
from cffgraph.db.found import Found, Known
from pytest_httpserver import HTTPServer

CFF = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Tool\nauthors:\n- family-names: Probe\n"
Make = Callable[..., Any]
HOSTS = Hosts(allowed=["127.0.0.1", "localhost", "::1"])


def options_for(git: Git | None = None, **options: Any) -> Options:
    """For hosts on loopback; what fails is tried again at once."""
    git = git or Git()
    web = Web(HOSTS, git.stopped, timeout_s=options.get("timeout_s", 30), backoff_s=0.01)
    return Options(git, web, **options)


def fetch(address: str, known: Known | None = None, **options: Any) -> Found:
    chosen = options_for(**options)
    source = understand(address, HOSTS)
    assert source is not None
    (unit,) = source.units(chosen)
    (url,) = unit.urls
    (found,) = unit.fetch({url: known} if known else {}, chosen)
    assert found.url == url
    return found


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where clones are made; empty again after each test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_only_what_is_needed(
    make_host: Make, make_repository: Make, temporary: Path, object_format: str
) -> None:
    files = {"CITATION.cff": CFF, "docs/citation.cff": CFF + "x: y\n", "large.bin": os.urandom(300_000)}
    repository = make_repository("tool", files, object_format=object_format)
    repository.commit({"large.bin": os.urandom(300_000)})
    host = make_host()
    url = host.publish(repository, "group/tool.git")
    sizes: list[int] = []

    class Watching(Git):
        def run(self, *arguments: Any, **options: Any) -> Any:
            done = super().run(*arguments, **options)
            sizes.append(sum(p.stat().st_size for p in temporary.rglob("*.pack")))
            return done

    options = options_for(Watching())
    (found,) = next(iter(GitSource(url).units(options))).fetch({}, options)
    head = repository.git("rev-parse", "HEAD")
    assert (found.state, found.reason, found.head, found.default_branch) == ("ok", "", head, "main")
    assert (found.url, found.name) == (url.removesuffix(".git"), "tool")
    assert found.host == url.split("/")[2]
    assert [(f.path, f.sha) for f in found.files or ()] == [
        ("CITATION.cff", blob_id(CFF.encode())),
        ("docs/citation.cff", blob_id(CFF.encode() + b"x: y\n")),
    ]
    assert max(sizes) < 100_000
    assert not list(temporary.iterdir())


def test_what_has_not_changed_is_asked_for_once(make_host: Make, make_repository: Make) -> None:
    repository = make_repository("tool", {"CITATION.cff": CFF})
    host = make_host()
    url = host.publish(repository, "tool")
    first = fetch(url)
    known = Known(first.head, "ok", frozenset(f.sha for f in first.files or ()))
    host.requests.clear()
    again = fetch(url, known)
    assert (again.unchanged, again.files) == (True, None)
    assert not any("POST" in r and "receive" in r for r in host.requests)
    assert len(host.requests) <= 2  # the offer of protocol 2, and ls-refs
    assert fetch(url, known, refresh=True).files == first.files


def test_a_host_without_partial_clone_is_stopped_at_the_limit(make_host: Make, make_repository: Make) -> None:
    repository = make_repository("tool")
    repository.git("config", "core.compression", "0")
    repository.commit({"CITATION.cff": CFF, "large.bin": os.urandom(20_000_000)})
    host = make_host()
    url = host.publish(repository, "tool", "uploadpack.allowFilter=false")
    assert fetch(url).state == "ok"
    found = fetch(url, max_clone_bytes=1 << 20)
    assert (found.state, found.reason) == ("failed", "sends more than 1 MB for one small file")


def test_a_repository_without_a_commit_and_one_without_a_file(make_host: Make, make_repository: Make) -> None:
    host = make_host()
    empty = fetch(host.publish(make_repository("a"), "a.git"))
    assert (empty.state, empty.files) == ("empty", ())
    without = fetch(host.publish(make_repository("b", {"x": "y"}), "b.git"))
    assert (without.state, without.files) == ("ok", ())


def test_no_such_repository(make_host: Make) -> None:
    found = fetch(f"{make_host().url}/none.git")
    assert (found.state, found.reason, found.files) == ("gone", "the host knows no such repository", None)


def test_a_password_is_not_asked_for(
    make_host: Make, make_repository: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"
    program = tmp_path / "askpass"
    program.write_text(f"#!/bin/sh\ntouch {asked}\necho secret\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_ASKPASS", str(program))
    monkeypatch.setenv("SSH_ASKPASS", str(program))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text(
        f'[credential]\n\thelper = "!touch {asked}; echo password=secret; echo username=ada"\n'
    )
    host = make_host()
    host.password = "s3cret"
    url = host.publish(make_repository("tool", {"CITATION.cff": CFF}), "tool")
    found = fetch(url)
    assert (found.state, found.reason) == ("private", "asks for a password")
    assert not asked.exists()


def test_a_password_in_the_url_is_used_and_never_kept(make_host: Make, make_repository: Make) -> None:
    host = make_host()
    host.password = "s3cret"
    url = host.publish(make_repository("tool", {"CITATION.cff": CFF}), "tool")
    for password, state in (("s3cret", "ok"), ("wr0ng", "private")):
        address = url.replace("http://", f"http://ada:{password}@")
        found = fetch(address)
        assert (found.state, found.url) == (state, url)
        assert password not in repr(found)
        assert GitSource(address).spec == url


def test_a_host_that_never_answers(make_host: Make, temporary: Path) -> None:
    host = make_host()
    host.silent = threading.Event()
    began = time.monotonic()
    found = fetch(f"{host.url}/tool", timeout_s=1)
    assert found.state == "failed"
    assert "does not answer in time" in found.reason
    assert time.monotonic() - began < 5
    assert not list(temporary.iterdir())


def test_stop_ends_what_is_under_way(make_host: Make) -> None:
    host = make_host()
    host.silent = threading.Event()
    options = options_for()
    (unit,) = GitSource(f"{host.url}/tool").units(options)
    threading.Timer(0.5, options.git.stop).start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        list(unit.fetch({}, options))
    assert time.monotonic() - began < 5


def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found = fetch(f"http://127.0.0.1:{free.getsockname()[1]}/tool")
    assert found.state == "failed"
    assert "refuses the connection" in found.reason


def test_without_git(make_host: Make, make_repository: Make) -> None:
    url = make_host().publish(make_repository("tool", {"CITATION.cff": CFF}), "tool")
    git = Git(program="git-that-is-not-there")
    (unit,) = GitSource(url).units(options_for(git))
    (found,) = unit.fetch({}, options_for(git))
    assert (found.state, found.reason) == ("failed", "there is no `git` on the PATH: install git")


def test_an_environment_that_points_elsewhere(
    make_host: Make, make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As inside a hook of git's."""
    other = make_repository("other", {"x": "y"})
    url = make_host().publish(make_repository("tool", {"CITATION.cff": CFF}), "tool")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", "nowhere")
    assert [f.path for f in fetch(url).files or ()] == ["CITATION.cff"]


@pytest.mark.parametrize(
    ("address", "spec", "url"),
    [
        (
            "https://Git.Example/Group/Tool.git/",
            "https://Git.Example/Group/Tool.git",
            "https://git.example/Group/Tool",
        ),
        ("https://me:secret@git.example/r", "https://git.example/r", "https://git.example/r"),
        (
            "ssh://git:secret@git.example:2222/g/r.git",
            "ssh://git@git.example:2222/g/r.git",
            "https://git.example/g/r",
        ),
        ("git@git.example:g/r.git", "git@git.example:g/r.git", "https://git.example/g/r"),
        (
            "https://github.com/Owner/Repo.git",
            "https://github.com/Owner/Repo.git",
            "https://github.com/owner/repo",
        ),
        ("http://localhost:8000/r", "http://localhost:8000/r", "http://localhost:8000/r"),
        ("http://[::1]:8000/r", "http://[::1]:8000/r", "http://[::1]:8000/r"),
    ],
)
def test_addresses(address: str, spec: str, url: str) -> None:
    source = understand(address, HOSTS)
    assert source is not None
    assert source.spec == spec
    (unit,) = source.units(options_for())
    assert unit.urls == (url,)


@pytest.mark.parametrize(
    "address",
    [
        "http://git.example/r",
        "http://me:secret@git.example/r",
        "ext://sh -c touch x",
        "git://git.example/r",
        "https://",
        "https://-oProxyCommand=x/r",
        "ssh://-oProxyCommand=x/r",
        "https://git.example:port/r",
        "https://git.example/a b",
        "https://[::1/r",
        "ftp://git.example/r",
    ],
)
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(SourceError) as error:
        understand(address, HOSTS)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("word", ["tool", "./tool", "ext::sh -c x", "host:path", "a@b", "-c@x:y", "C:\\x"])
def test_words_that_are_no_addresses(word: str) -> None:
    assert understand(word, HOSTS) is None


def test_no_password_is_left_even_in_what_is_no_url() -> None:
    assert without_password("https://me:secret@[::1/r") == "https://[::1/r"


def test_a_web_page_instead_of_git(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/r/info/refs").respond_with_data("<html>Welcome", content_type="text/html")
    found = fetch(httpserver.url_for("/r"))
    assert (found.state, found.reason) == ("failed", "is no git repository: the host answers with a web page")


def test_one_that_has_moved_is_known_under_its_new_address(
    httpserver: HTTPServer, make_host: Make, make_repository: Make
) -> None:
    url = make_host().publish(make_repository("tool", {"CITATION.cff": CFF}), "new/tool.git")
    old = httpserver.url_for("/old/tool")
    location = f"{url}/info/refs?service=git-upload-pack"
    httpserver.expect_request("/old/tool/info/refs").respond_with_data(
        "", status=301, headers={"Location": location}
    )
    options = options_for()
    (unit,) = GitSource(old).units(options)
    (found,) = unit.fetch({}, options)
    assert (found.state, found.reason) == ("ok", "")
    assert (found.url, found.asked) == (url.removesuffix(".git"), old)
    assert [f.path for f in found.files or ()] == ["CITATION.cff"]


def test_an_address_inside_is_not_gone_to(make_host: Make, make_repository: Make) -> None:
    host = make_host()
    url = host.publish(make_repository("tool", {"CITATION.cff": CFF}), "tool.git")
    options = Options(Git(), Web(Hosts()))
    (unit,) = GitSource(url).units(options)
    (found,) = unit.fetch({}, options)
    assert (found.state, host.requests) == ("blocked", [])
    assert "--allow-host" in found.reason


def test_a_redirect_inside_is_not_followed(httpserver: HTTPServer, make_host: Make) -> None:
    host = make_host()
    inside = f"{host.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')}/tool/info/refs"
    httpserver.expect_request("/r/info/refs").respond_with_data("", status=302, headers={"Location": inside})
    found = fetch(httpserver.url_for("/r"))
    assert (found.state, host.requests) == ("blocked", [])


def test_every_version_with_its_dates(
    make_host: Make, make_repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository("tool")
    for day, files in (
        (1, {"README": "x"}),
        (2, {"citation.cff": CFF}),
        (3, {"README": "y"}),
        (4, {"citation.cff": CFF + "version: 2\n"}),
        (5, {"citation.cff": None, "docs/CITATION.cff": CFF + "version: 3\n"}),
    ):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2024-01-0{day}T00:00:00Z")
        repository.commit(files)
    found = fetch(make_host().publish(repository, "tool"), history=True)
    assert [(v.path, v.since[:10], (v.until or "")[:10]) for v in found.history or ()] == [
        ("citation.cff", "2024-01-02", "2024-01-04"),
        ("citation.cff", "2024-01-04", "2024-01-05"),
        ("docs/CITATION.cff", "2024-01-05", ""),
    ]
    assert [v.content for v in found.history or ()] == [
        CFF.encode(),
        (CFF + "version: 2\n").encode(),
        (CFF + "version: 3\n").encode(),
    ]
    assert [f.path for f in found.files or ()] == ["docs/CITATION.cff"]
    # Once it was taken, nothing is fetched again.
    known = Known(found.head, "ok", frozenset(), history_head=found.head)
    assert fetch(make_host().publish(repository, "again"), known, history=True).history is None


def test_a_link_to_a_file_of_the_same_repository(make_host: Make, make_repository: Make) -> None:
    repository = make_repository("tool", {"meta/my.cff": CFF})
    (repository.path / "CITATION.cff").symlink_to("meta/./my.cff")
    (repository.path / "docs").mkdir()
    (repository.path / "docs/CITATION.cff").symlink_to("../../elsewhere.cff")
    repository.commit({})
    found = fetch(make_host().publish(repository, "tool"))
    assert [(f.path, f.content) for f in found.files or ()] == [
        ("CITATION.cff", CFF.encode()),
        ("docs/CITATION.cff", b"../../elsewhere.cff"),
    ]


def test_a_version_that_is_too_large_is_told(make_host: Make, make_repository: Make) -> None:
    repository = make_repository("tool", {"CITATION.cff": CFF + "x" * 500})
    repository.commit({"CITATION.cff": CFF})
    found = fetch(make_host().publish(repository, "tool"), history=True, max_size_bytes=300)
    assert [v.content for v in found.history or ()] == [CFF.encode()]
    (note,) = found.notes
    assert note.startswith(f"{found.url}: CITATION.cff of 2024-05-06 left out: more than the 300 bytes")
