"""Against a double with the paths, headers and paging of Forgejo's `/api/swagger`, and one of Gogs."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id, read
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.source import Past
from cffgraph.crawler.sources.forgejo import understand
from werkzeug import Response

from .doubles import Ask, Crawl, Double, Link, Repository, cff, told

DESCRIBED = Hosts([Host("forge.example", "forgejo", "https://forge.example/api/v1")])
PAGE = 50


class Forgejo(Double):
    """Gitea's interface; `is_gogs` leaves out what Gogs does not have."""

    is_gogs = False
    most = PAGE

    def __init__(self) -> None:
        super().__init__("/api/v1", answer=self.reply)
        self.owners = {"orgs": {"tools"}, "users": {"ada", "tools"}}
        self.moved: dict[str, str] = {}

    def reply(self, ask: Ask) -> Response:
        match ask.steps:
            case ("repos", "search"):
                word = ask.fields.get("q", "")
                found = [
                    r for r in self.repositories if word in ("", "_") or word in r.facts.get("topics", ())
                ]
                return self.page(ask, found if word or not self.is_gogs else [], {"ok": True})
            case ("orgs" | "users" as kind, name, "repos"):
                if name not in self.owners[kind]:
                    return told({"message": "GetUserByName"}, 404)
                return self.page(ask, [r for r in self.repositories if r.path.split("/")[0].lower() == name])
            case ("repos", owner, name, *rest):
                path = f"{owner}/{name}"
                if path.lower() in self.moved and not rest:
                    return Response("", 307, {"Location": f"{ask.base}/repos/{self.moved[path.lower()]}"})
                repository = self.at(path)
                if repository is None:
                    return told({"message": "The target couldn't be found."}, 404)
                return told(self.facts(repository)) if not rest else self.inside(ask, repository, rest)
        return told({}, 404)

    def inside(self, ask: Ask, repository: Repository, rest: list[str]) -> Response:
        match rest:
            case ("git", "trees", name):
                folder = repository.folder_of(name)
                if name in (repository.branch, repository.head):
                    folder = ""
                lines = None if folder is None else repository.folder(folder)
                if lines is None or repository.is_closed:
                    return told({"message": "not found"}, 404)
                for line in lines:
                    line |= {"path": line["name"], "type": "blob" if line["type"] == "link" else line["type"]}
                number, most = int(ask.fields.get("page", 1)), min(int(ask.fields["per_page"]), 1000)
                part = lines[(number - 1) * most : number * most]
                truncated = number * most < len(lines)
                return told({"sha": repository.head, "tree": part, "truncated": truncated, "page": number})
            case ("git", "blobs", sha):
                content = repository.blob(sha)
                return told({"content": base64.b64encode(content or b"").decode(), "encoding": "base64"})
            case ("raw", *steps) if not self.is_gogs:
                return Response(repository.content("/".join(steps)), content_type="text/plain")
        return told({}, 404)

    def page(self, ask: Ask, found: list[Repository], around: dict[str, Any] | None = None) -> Response:
        number = int(ask.fields.get("page", 1))
        most = min(int(ask.fields.get("limit", 10)), self.most)
        part = [self.facts(r) for r in found[(number - 1) * most : number * most]]
        data = {**around, "data": part} if around else part
        if self.is_gogs:
            return told(data)
        headers = {"X_Total_Count": str(len(found))}
        if len(found) > most:
            following = "&".join(f"{k}={v}" for k, v in {**ask.fields, "page": number + 1}.items())
            links = ['<https://inside.example/api/v1/repos?page=1>; rel="first"']
            if number * most < len(found):
                # Behind a proxy it names itself wrongly.
                address = f"http://inside.example/api/v1/{'/'.join(ask.steps)}?{following}"
                links.append(f'<{address}>; rel="next"')
            headers["Link"] = ",".join(links)
        return told(data, **headers)

    def facts(self, repository: Repository) -> dict[str, Any]:
        return {
            "id": repository.number,
            "full_name": repository.path,
            "name": repository.path.rpartition("/")[2],
            "empty": repository.is_empty,
            "fork": False,
            "mirror": False,
            "archived": False,
            "default_branch": repository.branch,
            "updated_at": repository.pushed_at,
            **repository.facts,
        }


@pytest.fixture
def forge(connect: Callable[..., Crawl]) -> tuple[Forgejo, Crawl]:
    double = Forgejo()
    return double, connect(double, "forgejo", understand)


@pytest.mark.parametrize(
    ("word", "spec"),
    [
        ("https://codeberg.org/Ada/Kiln", "https://codeberg.org/ada/kiln"),
        ("https://www.codeberg.org/ada/kiln.git/", "https://codeberg.org/ada/kiln"),
        ("git@codeberg.org:ada/kiln.git", "https://codeberg.org/ada/kiln"),
        ("ssh://git@codeberg.org:22/ada/kiln", "https://codeberg.org/ada/kiln"),
        ("https://forge.example/o/r/src/branch/main/docs", "https://forge.example/o/r"),
        ("https://me:secret@forge.example/o/r", "https://forge.example/o/r"),
        ("https://forge.example/Tools", "forgejo:forge.example/tools"),
        ("https://forge.example/org/Tools/teams", "forgejo:forge.example/tools"),
        ("https://forge.example", "forgejo:forge.example"),
        ("https://forge.example/explore/repos", "forgejo:forge.example"),
        ("forgejo:codeberg.org", "forgejo:codeberg.org"),
        ("Forgejo:codeberg.org/Tools/", "forgejo:codeberg.org/tools"),
        ("forgejo:codeberg.org/topic/Biology", "forgejo:codeberg.org/topic/biology"),
        ("forgejo:codeberg.org/o/r", "https://codeberg.org/o/r"),
        ("forgejo:other.example:3000/ada", "forgejo:other.example:3000/ada"),
        ("https://github.com/o/r", None),
        ("https://other.example/o/r", None),
        ("https://codeberg.org/o/r/raw/branch/main/CITATION.cff", None),
        ("./forgejo", None),
        ("forgejo://x", None),
    ],
)
def test_words(word: str, spec: str | None) -> None:
    source = understand(word, DESCRIBED)
    assert (source.spec if source else None) == spec
    if source:
        again = understand(source.spec, DESCRIBED)
        assert again is not None
        assert (again.spec, again.kind) == (source.spec, source.kind)


@pytest.mark.parametrize(
    "word",
    ["forgejo:", "forgejo:org", "forgejo:github.com/o", "https://codeberg.org/user/settings",
     "https://codeberg.org/explore/users", "forgejo:codeberg.org/a/b\x1b", "forgejo:codeberg.org/../x",
     "http://codeberg.org/o/r", "git@codeberg.org:r.git"],
)  # fmt: skip
def test_words_that_are_wrong(word: str) -> None:
    with pytest.raises(SourceError) as error:
        understand(word, DESCRIBED)
    assert "\x1b" not in str(error.value)


def test_a_repository(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    double.add("Ada/Kiln", {"citation.CFF": cff("Kiln"), "docs/CITATION.cff": cff("Docs"), "src/a": "x"})
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert (found.url, found.name, found.host) == (crawl.path("ada/kiln"), "Kiln", crawl.host.name)
    assert (found.forge_id, found.default_branch, found.head) == ("10", "main", double.repositories[0].head)
    assert (found.is_fork, found.is_mirror, found.is_archived) == (False, False, False)
    assert [(f.path, f.sha) for f in found.files or ()] == [
        ("citation.CFF", blob_id(cff("Kiln").encode())),
        ("docs/CITATION.cff", blob_id(cff("Docs").encode())),
    ]
    assert read((found.files or ())[0].content or b"").works[0].authors[0].family_names == "Ångquist"
    assert len(double.asked) == 5  # facts, two folders, two files


def test_all_of_an_owner_then_again(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    for number in range(120):
        double.add(f"tools/r{number}", {} if number == 7 else None)
    double.add("ada/else")
    founds = crawl(f"forgejo:{crawl.host.name}/tools")
    assert len(founds) == 120
    assert {f.state for f in founds.values()} == {"ok", "empty"}
    assert [m.cursor for m in crawl.marks] == [f"orgs/tools/repos?page={n}&limit=50" for n in (2, 3)]
    asked = len(double.asked)
    assert asked == 3 + 119 * 2

    double.asked.clear()
    double.at("tools/r9").push(CITATION__cff=cff("new"))  # type: ignore[union-attr]
    again = crawl(f"forgejo:{crawl.host.name}/tools", Past(is_known=True))
    changed = [url for url, found in again.items() if not found.unchanged and found.state == "ok"]
    assert changed == [crawl.path("tools/r9")]
    assert len(double.asked) == 3 + 2


def test_a_change_of_the_settings_costs_no_content(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    repository = double.add("ada/kiln")
    crawl(crawl.path("ada/kiln"))
    repository.facts["updated_at"] = "2024-06-01T00:00:00Z"
    double.asked.clear()
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert found.unchanged
    assert len(double.asked) == 2  # facts, root
    crawl(crawl.path("ada/kiln"))
    assert len(double.asked) == 3


@pytest.mark.parametrize(
    ("facts", "is_asked"),
    [
        ({"updated_at": "now"}, True),
        ({"updated_at": "garbage"}, True),
        ({"updated_at": None}, True),
        ({"updated_at": "2024-06-01T00:00:00Z"}, False),
        ({"updated_at": "2024-06-01T00:00:00+02:00", "mirror": True,
          "mirror_updated": "2024-07-01T00:00:00Z"}, False),
        ({"updated_at": "2024-06-01T00:00:00Z", "mirror": True}, True),
    ],
)  # fmt: skip
def test_when_the_time_of_the_last_change_says_enough(
    forge: tuple[Forgejo, Crawl], facts: dict[str, Any], is_asked: bool
) -> None:
    double, crawl = forge
    if facts.get("updated_at") == "now":
        facts = {"updated_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    double.add("ada/kiln", **facts)
    crawl(crawl.path("ada/kiln"))
    double.asked.clear()
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert found.unchanged
    assert len(double.asked) == (2 if is_asked else 1)


def test_a_mirror_whose_newest_commit_stays_the_newest(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    times = {"updated_at": "2024-06-01T00:00:00Z", "mirror_updated": "2024-07-01T00:00:00Z"}
    repository = double.add("ada/kiln", mirror=True, **times)
    crawl(crawl.path("ada/kiln"))
    repository.push(CITATION__cff=cff("merged"))
    repository.facts["mirror_updated"] = "2024-07-01T08:00:00Z"
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert found.is_mirror
    assert (found.files or ())[0].sha == blob_id(cff("merged").encode())


def test_resumes_behind_a_mark(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    for number in range(120):
        double.add(f"tools/r{number}")
    word = f"forgejo:{crawl.host.name}/tools"
    crawl(word)
    mark = crawl.marks[0]
    double.asked.clear()
    assert len(crawl(word, Past(cursor=mark.cursor))) == 70
    assert double.asked[0] == f"/{mark.cursor}"
    for refused in ("orgs/other/repos?page=9", "https://evil.example/orgs/tools/repos?page=2"):
        assert len(crawl(word, Past(cursor=refused))) == 120
    double.once["page=3"] = [told({"message": "no such page"}, 422)]
    assert len(crawl(word, Past(cursor="orgs/tools/repos?page=3&limit=50"))) == 120


def test_users_topics_and_whole_hosts(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    double.most = 2
    for path in ("ada/a", "ada/b", "ada/c", "tools/d", "tools/e"):
        double.add(path, topics=["biology"] if path > "ada/b" else [])
    name = crawl.host.name
    assert len(crawl(f"forgejo:{name}/ada")) == 3  # no organisation: a user
    assert len(crawl(f"forgejo:{name}")) == 5
    assert len(crawl(f"http://{name}/")) == 5
    assert sorted(crawl(f"forgejo:{name}/topic/biology")) == [
        crawl.path(p) for p in ("ada/c", "tools/d", "tools/e")
    ]
    assert crawl(f"forgejo:{name}/nobody") == {}
    (trouble,) = crawl.troubles
    assert (trouble.state, trouble.reason) == ("gone", f"{name} knows no owner of this name")


def test_gogs(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    double.is_gogs = True
    for number in range(60):
        double.add(f"ada/r{number}")
    founds = crawl(f"forgejo:{crawl.host.name}")
    assert len(founds) == 60
    assert all((f.files or ())[0].content for f in founds.values())
    assert "q=_" in double.asked[1]


def test_forks_archived_and_renamed(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    double.add("tools/plain")
    double.add("tools/fork", fork=True, parent={"full_name": "Else/Origin"})
    double.add("tools/old", archived=True)
    word = f"forgejo:{crawl.host.name}/tools"
    founds = crawl(word)
    fork = founds[crawl.path("tools/fork")]
    assert (fork.is_fork, fork.parent_url) == (True, crawl.path("else/origin"))
    assert founds[crawl.path("tools/old")].is_archived
    assert list(crawl(word, forks=False, archived=False)) == [crawl.path("tools/plain")]
    double.asked.clear()
    crawl(word, forks=False, archived=False, refresh=True)
    assert not [asked for asked in double.asked if "fork" in asked or "old" in asked]

    double.moved["ada/before"] = "tools/plain"
    (found,) = crawl(crawl.path("ada/before")).values()
    assert (found.url, found.asked, found.forge_id) == (
        crawl.path("tools/plain"), crawl.path("ada/before"), "10",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "state", "reason"),
    [
        (told({"message": "not found"}, 404), "gone", "the host knows no such repository"),
        (told({"message": "token is required"}, 401), "private", "{host} asks for a token"),
        (told({"message": "forbidden"}, 403), "private", "{host} refuses it"),
        (told({"message": "taken down"}, 451), "blocked", "blocked for legal reasons"),
        (Response("oops", 500), "failed", "{host} answered 500"),
        (Response("<html>Sign in</html>", content_type="text/html"), "failed",
         "{host} answered with text/html and not with JSON"),
        (told([1, 2]), "failed", "the host answered with something else than was asked for"),
        (told({"id": 3}), "failed", "the host answered without the full_name of a repository"),
        (Response('{"id": 7, "full_na'), "failed", "{host} answered with text/plain and not with JSON"),
    ],
)  # fmt: skip
def test_what_goes_wrong(forge: tuple[Forgejo, Crawl], answer: Response, state: str, reason: str) -> None:
    double, crawl = forge
    double.always["/repos/ada/kiln"] = answer
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert (found.url, found.state) == (crawl.path("ada/kiln"), state)
    assert found.reason == reason.format(host=crawl.host.name)
    assert found.files is None


def test_a_listing_that_breaks_off_says_so(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    for number in range(120):
        double.add(f"tools/r{number}", {"README": "x"})
    double.always["page=3"] = Response("<html>bad gateway</html>", 502)
    assert len(crawl(f"forgejo:{crawl.host.name}/tools")) == 100
    assert [t.reason for t in crawl.troubles] == [f"{crawl.host.name} answered 502"]
    assert crawl.marks[-1].cursor == "orgs/tools/repos?page=3&limit=50"


def test_a_listing_without_an_end_ends(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    repository = double.add("tools/r", {"README": "x"})
    double.always["/orgs/"] = lambda ask: told(
        [double.facts(repository)], Link=f'<{ask.base}/orgs/tools/repos?page={len(double.asked)}>; rel="next"'
    )
    source = understand(f"forgejo:{crawl.host.name}/tools", crawl.hosts)
    units = list(source.units(crawl.options())) if source else []
    assert len(units) < 10
    assert "again and again" in units[-1].reason


def test_waits_as_long_as_the_host_says(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    double.add("ada/kiln")
    double.once["git/trees"] = [
        told({"message": "slow down"}, 429, RateLimit_Remaining="0", RateLimit_Reset="1"),
        told({"message": "slow down"}, 429, Retry_After="0"),
    ]
    begun = time.monotonic()
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert found.files
    assert time.monotonic() - begun >= 1
    assert len(double.asked) == 5


def test_odd_files(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    target = cff("Target")
    linked = double.add("ada/linked", {"CITATION.cff": Link("meta/cite.yml"), "meta/cite.yml": target})
    double.add("ada/outside", {"CITATION.cff": Link("../../etc/passwd")})
    double.add("ada/large", {"CITATION.cff": "x" * 2000})
    double.add("ada/two", {"CITATION.cff": cff("A"), "Citation.cff": cff("B"), "docs/CITATION.cff/x": "y"})
    double.add("ada/many", {f"{n:04}": "x" for n in range(1500)} | {"citation.cff": cff("Last")})
    founds = {
        path: crawl(crawl.path(f"ada/{path}"), max_size_bytes=1000)[crawl.path(f"ada/{path}")]
        for path in ("linked", "outside", "large", "two", "many")
    }
    files = {path: founds[path].files or () for path in founds}
    assert [(f.path, f.sha, f.content) for f in files["linked"]] == [
        ("CITATION.cff", blob_id(target.encode()), target.encode())
    ]
    assert files["outside"][0].content == b"../../etc/passwd"
    assert "2,000 bytes" in files["large"][0].refused
    assert (founds["large"].head, founds["large"].validator) == (None, "")
    assert [f.path for f in files["two"]] == ["CITATION.cff"]
    assert founds["two"].notes == (
        f"{crawl.path('ada/two')}: Citation.cff left out: CITATION.cff stands beside it",
    )
    assert [f.path for f in files["many"]] == ["citation.cff"]
    assert linked.head == founds["linked"].head


def test_other_bytes_than_listed_are_not_taken(forge: tuple[Forgejo, Crawl]) -> None:
    double, crawl = forge
    double.add("ada/lfs")
    double.always["/raw/"] = Response("what LFS keeps", content_type="text/plain")
    (found,) = crawl(crawl.path("ada/lfs")).values()
    assert (found.files or ())[0].content == cff("ada/lfs").encode()
    double.always["/git/blobs/"] = told({"content": base64.b64encode(b"else").decode()})
    (found,) = crawl(crawl.path("ada/lfs"), refresh=True).values()
    assert (found.state, found.reason) == (
        "failed", "the host sent other bytes for CITATION.cff than it lists",
    )  # fmt: skip


def test_the_token_is_sent_and_stands_nowhere(
    forge: tuple[Forgejo, Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    double, crawl = forge
    monkeypatch.setenv("FORGE_TOKEN", "s3cret")
    double.add("ada/kiln")
    double.always["/repos/ada/none"] = told({"message": "token s3cret is not valid"}, 401)
    founds = {**crawl(crawl.path("ada/kiln")), **crawl(crawl.path("ada/none"))}
    assert double.tokens == {"token s3cret"}
    assert "s3cret" not in repr(founds)


def test_history_comes_from_git(
    connect: Callable[..., Crawl], make_repository: Callable[..., Any], make_host: Callable[..., Any]
) -> None:
    repository = make_repository("work", {"CITATION.cff": cff("One")})
    head = repository.commit({"CITATION.cff": cff("Two"), "sub/CITATION.cff": cff("Below")})
    git = make_host()
    (git.root / "ada").mkdir()
    git.publish(repository, "ada/kiln.git")
    double = Forgejo()
    crawl = connect(double, "forgejo", understand, name=git.url.removeprefix("http://"))
    double.add("Ada/Kiln", {"CITATION.cff": cff("Two")})
    (found,) = crawl(crawl.path("ada/kiln"), history=True).values()
    assert (found.state, found.head, found.forge_id, found.name) == ("ok", head, "10", "Kiln")
    assert len(found.history or ()) == 2
    asked = len(git.requests)
    (found,) = crawl(crawl.path("ada/kiln"), history=True).values()
    assert found.unchanged
    assert len(git.requests) == asked
    (found,) = crawl(crawl.path("ada/kiln"), nested=True).values()
    assert [f.path for f in found.files or ()] == ["CITATION.cff", "sub/CITATION.cff"]

    git.password = "pw"
    (found,) = crawl(crawl.path("ada/kiln"), nested=True, refresh=True).values()
    assert [f.path for f in found.files or ()] == ["CITATION.cff"]
    assert found.notes == (f"{found.url}: what lies below its root was not looked into: asks for a password",)
