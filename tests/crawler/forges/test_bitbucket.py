"""Against a double with the paths, partial responses and paging of Bitbucket Cloud's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler.hosts import Hosts
from cffgraph.crawler.source import Past
from cffgraph.crawler.sources.bitbucket import understand
from werkzeug import Response

from .doubles import Ask, Crawl, Double, Link, Repository, cff, told


class Bitbucket(Double):
    """Bitbucket Cloud: it gives just the fields that were asked for, and ten things a page unless told."""

    def __init__(self) -> None:
        super().__init__("/2.0", answer=self.reply)

    def reply(self, ask: Ask) -> Response:
        match ask.steps:
            case ("repositories", workspace):
                found = [r for r in self.repositories if r.path.split("/")[0].lower() == workspace.lower()]
                if not found:
                    return told({"type": "error", "error": {"message": "No workspace"}}, 404)
                return self.page(ask, [self.facts(r) for r in found])
            case ("repositories", workspace, name, *rest):
                repository = self.at(f"{workspace}/{name}")
                if repository is None:
                    return told({"type": "error", "error": {"message": "Repository not found"}}, 404)
                if not rest:
                    return told(_cut(self.facts(repository), ask.fields.get("fields", "").split(",")))
                return self.inside(ask, repository, rest)
        return told({}, 404)

    def inside(self, ask: Ask, repository: Repository, rest: list[str]) -> Response:
        match rest:
            case ("refs", "branches", *steps) if "/".join(steps) == repository.branch:
                return told({"target": {"hash": repository.head}})
            case ("src", commit, *steps) if commit in (repository.branch, repository.head):
                path = "/".join(steps)
                if path in repository.files:
                    return Response(repository.content(path), content_type="text/plain")
                lines = repository.folder(path)
                if lines is None:
                    return told({"error": {"message": "No such file or directory"}}, 404)
                return self.page(ask, [self.line(repository, line) for line in lines])
        return told({"error": {"message": f"Commit not found: {rest}"}}, 404)

    def line(self, repository: Repository, line: dict[str, Any]) -> dict[str, Any]:
        kind = "commit_directory" if line["type"] == "tree" else "commit_file"
        attributes = ["link"] if line["type"] == "link" else []
        about = {"path": line["path"], "type": kind, "commit": {"hash": repository.head, "type": "commit"}}
        return about | ({"size": line["size"], "attributes": attributes} if kind == "commit_file" else {})

    def page(self, ask: Ask, values: list[dict[str, Any]]) -> Response:
        number, most = int(ask.fields.get("page", 1)), min(int(ask.fields.get("pagelen", 10)), 100)
        part = values[(number - 1) * most : number * most]
        data: dict[str, Any] = {"values": part, "pagelen": most, "page": number, "size": len(values)}
        if number * most < len(values):
            following = "&".join(f"{k}={v}" for k, v in {**ask.fields, "page": number + 1}.items())
            data["next"] = f"{ask.base}/{'/'.join(ask.steps)}?{following}"
        wanted = ask.fields.get("fields", "").split(",")
        inner = [name.removeprefix("values.") for name in wanted if name.startswith("values.")]
        cut = {**data, "values": [_cut(value, inner) for value in part]}
        return told(_cut(cut, [name for name in wanted if "." not in name] + ["values"]) if inner else data)

    def facts(self, repository: Repository) -> dict[str, Any]:
        return {
            "type": "repository",
            "uuid": f"{{0000-{repository.number}}}",
            "full_name": repository.path,
            "scm": "git",
            "updated_on": repository.pushed_at.replace("Z", ".123456+00:00"),
            "mainbranch": None if repository.is_empty else {"name": repository.branch, "type": "branch"},
            "parent": None,
            "links": {"clone": []},
            **repository.facts,
        }


def _cut(data: dict[str, Any], wanted: list[str]) -> dict[str, Any]:
    """Partial responses: just these fields, of inner objects with a point between the names."""
    kept: dict[str, Any] = {}
    for name in wanted:
        outer, _, inner = name.partition(".")
        value = data.get(outer)
        if inner and isinstance(value, dict):
            kept.setdefault(outer, {}).update(_cut(value, [inner]))
        elif outer in data:
            kept[outer] = value
    return kept if any(wanted) else data


@pytest.fixture
def forge(connect: Callable[..., Crawl]) -> tuple[Bitbucket, Crawl]:
    double = Bitbucket()
    return double, connect(double, "bitbucket", understand)


@pytest.mark.parametrize(
    ("word", "spec"),
    [
        ("https://bitbucket.org/WS/Kiln", "https://bitbucket.org/ws/kiln"),
        ("https://bitbucket.org/ws/kiln.git", "https://bitbucket.org/ws/kiln"),
        ("https://me@bitbucket.org/ws/kiln/src/main/docs/", "https://bitbucket.org/ws/kiln"),
        ("git@bitbucket.org:ws/kiln.git", "https://bitbucket.org/ws/kiln"),
        ("ssh://git@altssh.bitbucket.org:443/ws/kiln.git", "https://bitbucket.org/ws/kiln"),
        ("https://bitbucket.org/WS", "bitbucket:ws"),
        ("https://bitbucket.org/ws/workspace/projects/X", "bitbucket:ws"),
        ("https://bitbucket.org/workspaces/ws", "bitbucket:ws"),
        ("bitbucket:WS", "bitbucket:ws"),
        ("bitbucket:bitbucket.org/ws", "bitbucket:ws"),
        ("bitbucket:ws/kiln", "https://bitbucket.org/ws/kiln"),
        ("https://bitbucket.org/ws/kiln/raw/main/CITATION.cff", None),
        ("https://git.example/ws/kiln", None),
        ("ws/kiln", None),
    ],
)
def test_words(word: str, spec: str | None) -> None:
    source = understand(word, Hosts())
    assert (source.spec if source else None) == spec
    if source:
        again = understand(source.spec, Hosts())
        assert again is not None
        assert (again.spec, again.kind) == (source.spec, source.kind)


@pytest.mark.parametrize(
    "word",
    ["bitbucket:", "bitbucket:bitbucket.org", "https://bitbucket.org", "https://bitbucket.org/account/x",
     "bitbucket:gitlab.com/x", "git@bitbucket.org:kiln.git", "bitbucket:a/..", "http://bitbucket.org/ws/kiln"],
)  # fmt: skip
def test_words_that_are_wrong(word: str) -> None:
    with pytest.raises(SourceError):
        understand(word, Hosts())


def test_a_repository(forge: tuple[Bitbucket, Crawl]) -> None:
    double, crawl = forge
    files = {"citation.CFF": cff("Kiln"), ".github/CITATION.cff": cff("Inner"), "src/CITATION.cff": cff("No")}
    double.add("WS/Kiln", files, parent={"full_name": "Else/Origin", "type": "repository"})
    (found,) = crawl(crawl.path("ws/kiln")).values()
    assert (found.url, found.name, found.forge_id) == (crawl.path("ws/kiln"), "Kiln", "{0000-10}")
    assert (found.head, found.default_branch) == (double.repositories[0].head, "main")
    assert (found.is_fork, found.parent_url, found.is_archived) == (True, crawl.path("else/origin"), None)
    assert [(f.path, f.content) for f in found.files or ()] == [
        ("citation.CFF", cff("Kiln").encode()), (".github/CITATION.cff", cff("Inner").encode()),
    ]  # fmt: skip
    assert len(double.asked) == 5  # facts, two folders, two files


def test_a_workspace_then_again(forge: tuple[Bitbucket, Crawl]) -> None:
    double, crawl = forge
    for number in range(250):
        double.add(f"ws/r{number}", {} if number == 3 else None)
    double.add("other/r")
    founds = crawl(f"bitbucket:{crawl.host.name}/ws")
    assert len(founds) == 250
    assert founds[crawl.path("ws/r3")].state == "empty"
    assert len(double.asked) == 3 + 249 * 2
    assert len(crawl.marks) == 2

    double.asked.clear()
    double.at("ws/r9").push(CITATION__cff=cff("new"))  # type: ignore[union-attr]
    again = crawl(f"bitbucket:{crawl.host.name}/ws", Past(is_known=True))
    assert [u for u, f in again.items() if not f.unchanged and f.state == "ok"] == [crawl.path("ws/r9")]
    assert len(double.asked) == 3 + 2

    double.asked.clear()
    assert len(crawl(f"bitbucket:{crawl.host.name}/ws", Past(cursor=crawl.marks[0].cursor))) == 150
    assert len(double.asked) == 2


def test_an_unchanged_content_is_not_handed_on_twice(forge: tuple[Bitbucket, Crawl]) -> None:
    double, crawl = forge
    repository = double.add("ws/kiln")
    crawl(crawl.path("ws/kiln"))
    repository.push(README__md="y")
    (found,) = crawl(crawl.path("ws/kiln")).values()
    assert [(f.sha, f.content) for f in found.files or ()] == [(blob_id(cff("ws/kiln").encode()), None)]


def test_odd_repositories(forge: tuple[Bitbucket, Crawl]) -> None:
    double, crawl = forge
    double.add("ws/branch", branch_note=1).branch = "release/1.0"
    double.add("ws/hg", scm="hg")
    double.add("ws/linked", {"CITATION.cff": Link("meta/cite.yml"), "meta/cite.yml": cff("Target")})
    double.add("ws/dangling", {"CITATION.cff": Link("nowhere/x.cff")})
    double.add("ws/large", {"CITATION.cff": "x" * 2000})
    double.add("ws/many", {f"{n:03}": "x" for n in range(230)} | {"citation.cff": cff("Last")})
    founds = crawl(f"bitbucket:{crawl.host.name}/ws", max_size_bytes=1000)
    by = {url.rpartition("/")[2]: found for url, found in founds.items()}
    assert (by["branch"].files or ())[0].content == cff("ws/branch").encode()
    assert by["branch"].head == double.repositories[0].head
    assert (by["hg"].state, by["hg"].reason) == ("failed", "is a repository of hg, not of git")
    assert (by["linked"].files or ())[0].content == cff("Target").encode()
    assert (by["dangling"].files or ())[0].content == b"nowhere/x.cff"
    assert "2,000 bytes" in (by["large"].files or ())[0].refused
    assert not any("/ws/large/src/" in asked and "CITATION" in asked for asked in double.asked)
    assert [f.path for f in by["many"].files or ()] == ["citation.cff"]


def test_forks_are_left_out_before_they_are_fetched(forge: tuple[Bitbucket, Crawl]) -> None:
    double, crawl = forge
    double.add("ws/fork", parent={"full_name": "a/b"})
    double.add("ws/plain")
    assert list(crawl(f"bitbucket:{crawl.host.name}/ws", forks=False)) == [crawl.path("ws/plain")]
    assert not any("/ws/fork" in asked for asked in double.asked)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (told({"type": "error"}, 404), "gone"),
        (told({"type": "error"}, 401), "private"),
        (told({"type": "error", "error": {"message": "Access denied"}}, 403), "private"),
        (told({}, 451), "blocked"),
        (Response("<html>maintenance</html>", 503), "failed"),
        (Response("<html>Log in</html>", content_type="text/html"), "failed"),
        (Response('{"uuid": "{1}", "full_', content_type="application/json"), "failed"),
        (told({"uuid": "{1}"}), "failed"),
    ],
)
def test_what_goes_wrong(forge: tuple[Bitbucket, Crawl], answer: Response, state: str) -> None:
    double, crawl = forge
    double.always["/repositories/ws"] = answer
    (found,) = crawl(crawl.path("ws/kiln")).values()
    assert (found.url, found.state, found.files) == (crawl.path("ws/kiln"), state, None)
    assert found.reason
    assert crawl(f"bitbucket:{crawl.host.name}/ws") == {}
    (trouble,) = crawl.troubles
    assert trouble.state == ("failed" if "uuid" in answer.get_data(as_text=True) else state)


def test_the_limit_of_an_hour_is_waited_for(forge: tuple[Bitbucket, Crawl]) -> None:
    double, crawl = forge
    double.add("ws/kiln")
    double.once["/src/"] = [Response("Rate limit for this resource exceeded", 429, {"Retry-After": "1"})]
    (found,) = crawl(crawl.path("ws/kiln")).values()
    assert found.files
    assert len(double.asked) == 4


def test_the_token_of_a_user(forge: tuple[Bitbucket, Crawl], monkeypatch: pytest.MonkeyPatch) -> None:
    double, crawl = forge
    monkeypatch.setenv("FORGE_TOKEN", "ada@probe.example:s3cret")
    double.add("ws/kiln")
    founds = crawl(crawl.path("ws/kiln"))
    assert double.tokens == {"Basic YWRhQHByb2JlLmV4YW1wbGU6czNjcmV0"}
    assert "s3cret" not in repr(founds)
