"""Against a double with GitLab's documented paths, headers and paging; its GraphQL runs on graphql-core.

The types are those of GitLab's "GraphQL API resources", as far as they are asked for: a query that GitLab
would not understand is not understood here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.source import Joinable, Past
from cffgraph.crawler.sources.gitlab import understand
from cffgraph.db.found import Known
from graphql import build_schema, graphql_sync
from werkzeug import Response

from .doubles import Ask, Crawl, Double, Link, Repository, cff, told

SCHEMA = build_schema("""
type Query {
  projects(ids: [ID!], fullPaths: [String!], first: Int, after: String, sort: String): ProjectConnection
  namespace(fullPath: ID!): Namespace
}
type Namespace { projects(includeSubgroups: Boolean, first: Int, after: String): ProjectConnection! }
type ProjectConnection { nodes: [Project] pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type Project { id: ID! fullPath: ID! archived: Boolean repository: Repository }
type Repository {
  rootRef: String
  empty: Boolean!
  tree(path: String, ref: String): Tree
  blobs(paths: [String!]!, ref: String, first: Int): RepositoryBlobConnection
}
type Tree { lastCommit: Commit blobs(first: Int): BlobConnection! trees(first: Int): TreeEntryConnection! }
type Commit { id: ID! sha: String! }
type BlobConnection { nodes: [Blob] pageInfo: PageInfo! }
type Blob { name: String! path: String! sha: String! mode: String }
type TreeEntryConnection { nodes: [TreeEntry] pageInfo: PageInfo! }
type TreeEntry { name: String! path: String! sha: String! }
type RepositoryBlobConnection { nodes: [RepositoryBlob] }
type RepositoryBlob { oid: String! path: String rawTextBlob: String }
""")
COMPLEX = "Query has complexity of 346, which exceeds max complexity of 250"
NONE_SUCH = told({"message": "404 Not Found"}, 404)


class GitLab(Double):
    """GitLab, REST and GraphQL. Without a token the listing of all projects tells little of each."""

    def __init__(self) -> None:
        super().__init__("/api/v4", answer=self.reply)
        self.groups = {"lab"}
        self.users = {"ada"}
        self.moved: dict[str, int] = {}
        self.refuses: dict[str, str] = {}
        """Part of a query -> the error that it meets with."""
        self.most_at_once = 100
        """Projects in a question that are answered in time."""

    def reply(self, ask: Ask) -> Response:
        match ask.steps:
            case ("api", "graphql"):
                return self.graphql(ask.body)
            case ("projects",):
                found = sorted(self.repositories, key=lambda r: r.number)
                found = [r for r in found if r.number > int(ask.fields.get("id_after", 0))]
                most = int(ask.fields["per_page"])
                names = ("id", "path_with_namespace", "path", "default_branch", "last_activity_at")
                told_now = [{name: self.facts(r)[name] for name in names} for r in found[:most]]
                last = {**ask.fields, "id_after": str(found[most - 1].number)} if len(found) > most else None
                return told(told_now, **self.link(ask, last))
            case ("projects", path, *rest):
                if path in self.moved:
                    return Response("", 301, {"Location": f"{ask.base}/projects/{self.moved[path]}"})
                repository = self.at(path)
                if repository is None:
                    return told({"message": "404 Project Not Found"}, 404)
                return self.inside(ask, repository, rest) if rest else told(self.facts(repository))
            case ("groups" | "users" as kind, path, "projects"):
                if path.split("/")[0] not in (self.groups if kind == "groups" else self.users):
                    return told({"message": "404 Group Not Found"}, 404)
                found = self.below(path, archived=ask.fields.get("archived") != "false")
                if kind == "groups":
                    assert (ask.fields["include_subgroups"], ask.fields["with_shared"]) == ("true", "false")
                if kind == "groups" and not found and "/" in path:
                    return told({"message": "404 Group Not Found"}, 404)
                return self.page(ask, [self.facts(r) for r in found])
        return NONE_SUCH

    def inside(self, ask: Ask, repository: Repository, rest: list[str]) -> Response:
        if repository.is_closed:
            return told({"message": "403 Forbidden"}, 403)
        match rest:
            case ("repository", "commits", "HEAD"):
                if repository.is_empty:
                    return told({"message": "404 Commit Not Found"}, 404)
                return told({"id": repository.head})
            case ("repository", "tree"):
                lines = repository.folder(ask.fields.get("path", ""))
                if lines is None or ask.fields["ref"] != repository.head:
                    return told({"message": "404 Tree Not Found"}, 404)
                kinds = {"link": "blob"}
                found = [
                    {**line, "id": line["sha"], "type": kinds.get(line["type"], line["type"])}
                    for line in lines
                ]
                return self.page(ask, found)
            case ("repository", "blobs", sha, "raw"):
                content = repository.blob(sha)
                return Response(content, content_type="text/plain") if content is not None else NONE_SUCH
        return NONE_SUCH

    def below(self, path: str, *, archived: bool = True) -> list[Repository]:
        prefix = f"{path.lower()}/"
        found = [r for r in self.repositories if r.path.lower().startswith(prefix)]
        return [r for r in found if archived or not r.facts.get("archived")]

    def page(self, ask: Ask, found: list[Any]) -> Response:
        number, most = int(ask.fields.get("page", 1)), int(ask.fields.get("per_page", 20))
        following = {**ask.fields, "page": str(number + 1)} if number * most < len(found) else None
        return told(found[(number - 1) * most : number * most], **self.link(ask, following))

    def link(self, ask: Ask, fields: dict[str, str] | None) -> dict[str, str]:
        path = "/".join(quote(step, safe="") for step in ask.steps)
        # Behind a proxy it names itself without TLS and by another name.
        return (
            {"Link": f'<http://inside.example/api/v4/{path}?{urlencode(fields)}>; rel="next"'}
            if fields
            else {}
        )

    def facts(self, repository: Repository) -> dict[str, Any]:
        return {
            "id": repository.number,
            "path": repository.path.rpartition("/")[2],
            "path_with_namespace": repository.path,
            "default_branch": repository.branch,
            "archived": False,
            "empty_repo": repository.is_empty,
            "last_activity_at": "2024-01-01T00:00:00Z",
            **repository.facts,
        }

    # --- GraphQL ----------------------------------------------------------------------------------

    def graphql(self, body: dict[str, Any]) -> Response:
        query, variables = body["query"], body["variables"]
        for part, message in self.refuses.items():
            if part in query:
                return told({"errors": [{"message": message}]})
        if len(variables.get("values", ())) > self.most_at_once:
            return Response("<html>gateway timeout</html>", 504)
        root = {"projects": self._projects, "namespace": self._namespace}
        done = graphql_sync(SCHEMA, query, root, variable_values=variables)
        assert not done.errors, done.errors
        return told({"data": done.data})

    def _projects(self, info: Any, **named: Any) -> dict[str, Any]:
        found = sorted(self.repositories, key=lambda r: r.number)
        if (ids := named.get("ids")) is not None:
            found = [r for r in found if f"gid://gitlab/Project/{r.number}" in ids]
        if (paths := named.get("fullPaths")) is not None:
            assert len(paths) <= 50
            found = [r for r in found if r.path.lower() in {path.lower() for path in paths}]
        return self._connection([self._project(r) for r in found], named)

    def _namespace(self, info: Any, fullPath: str) -> dict[str, Any] | None:
        if fullPath.split("/")[0] not in self.groups | self.users:
            return None
        found = [self._project(r) for r in self.below(fullPath)]
        return {"projects": lambda info, **named: self._connection(found, named)}

    def _connection(self, found: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        start, most = int(named.get("after") or 0), min(named.get("first") or 100, 100)
        about = {"hasNextPage": start + most < len(found), "endCursor": str(start + most)}
        return {"nodes": found[start : start + most], "pageInfo": about}

    def _project(self, repository: Repository) -> dict[str, Any]:
        inside = {
            "rootRef": repository.branch,
            "empty": repository.is_empty,
            "tree": lambda info, path="": self._tree(repository, path),
            "blobs": lambda info, paths: {"nodes": [self._blob(repository, p) for p in paths]},
        }
        return {
            "id": f"gid://gitlab/Project/{repository.number}",
            "fullPath": repository.path,
            "archived": bool(repository.facts.get("archived")),
            "repository": None if repository.is_closed else inside,
        }

    def _tree(self, repository: Repository, path: str) -> dict[str, Any]:
        lines = repository.folder(path) or []
        folders = [line for line in lines if line["type"] == "tree"]
        files = [line for line in lines if line["type"] != "tree"]
        return {
            "lastCommit": None if repository.is_empty else {"sha": repository.head},
            "blobs": lambda info, **named: self._connection(files, named),
            "trees": lambda info, **named: self._connection(folders, named),
        }

    def _blob(self, repository: Repository, path: str) -> dict[str, Any] | None:
        if path not in repository.files:
            return None
        content = repository.content(path)
        return {"oid": blob_id(content), "rawTextBlob": content.decode("utf-8", "replace")}


Forge = tuple[GitLab, Crawl]


@pytest.fixture
def forge(connect: Callable[..., Crawl]) -> tuple[GitLab, Crawl]:
    double = GitLab()
    return double, connect(double, "gitlab", understand)


LAB = Hosts([Host("lab.example", "gitlab", "https://lab.example/api/v4"), Host("hub.example", "github", "")])


@pytest.mark.parametrize(
    ("word", "spec", "kind"),
    [
        ("https://lab.example/group/app", "https://lab.example/group/app", "open"),
        ("https://lab.example/group/sub/app.git", "https://lab.example/group/sub/app", "project"),
        ("https://lab.example/x/tools/app", "https://lab.example/x/tools/app", "open"),
        ("https://lab.example/y/tools/app/", "https://lab.example/y/tools/app", "open"),
        ("git@lab.example:a/b/c/d/app.git", "https://lab.example/a/b/c/d/app", "project"),
        ("ssh://git@lab.example:2222/a/b/app", "https://lab.example/a/b/app", "project"),
        (
            "git+https://lab.example/a/b/app.git@v1".rpartition("@")[0],
            "https://lab.example/a/b/app",
            "project",
        ),
        ("https://gitlab.com/G/S/P/-/tree/main/docs?ref_type=heads#x", "https://gitlab.com/g/s/p", "project"),
        ("https://gitlab.com/g/p/tree/main", "https://gitlab.com/g/p", "project"),
        ("https://gitlab.com/g/p/-/issues/1", "https://gitlab.com/g/p", "project"),
        ("https://me:secret@gitlab.com/g/p", "https://gitlab.com/g/p", "open"),
        ("https://gitlab.com/Group", "https://gitlab.com/group", "open"),
        ("https://gitlab.com/groups/g/sub/-/packages", "gitlab:g/sub", "group"),
        ("https://gitlab.com/users/ada/projects", "gitlab:ada", "group"),
        ("gitlab:Group/Sub", "gitlab:group/sub", "group"),
        ("gitlab:gitlab.com/group", "gitlab:group", "group"),
        ("gitlab:gitlab.com/dotted.group", "gitlab:gitlab.com/dotted.group", "group"),
        ("gitlab:lab.example/a/b/c", "gitlab:lab.example/a/b/c", "group"),
        ("gitlab:lab.example", "gitlab:lab.example", "host"),
        ("https://lab.example/", "gitlab:lab.example", "host"),
        ("gitlab:gitlab.com", "gitlab:gitlab.com", "host"),
        ("gitlab:other.example/g", "gitlab:other.example/g", "group"),
        ("https://gitlab.com/g/p/-/blob/main/CITATION.cff", None, None),
        ("https://hub.example/o/r", None, None),
        ("https://git.example/g/p", None, None),
        ("o/r", None, None),
        ("git@github.com:o/r.git", None, None),
    ],
)
def test_words(word: str, spec: str | None, kind: str | None) -> None:
    source = understand(word, LAB)
    assert (source and source.spec, source and source.kind) == (spec, kind)
    if source:
        again = understand(source.spec, LAB)
        assert again is not None
        assert (again.spec, again.path) == (source.spec, source.path)


@pytest.mark.parametrize(
    "word",
    ["gitlab:", "gitlab:hub.example/o", "https://gitlab.com", "https://gitlab.com/explore/projects",
     "https://gitlab.com/-/profile", "gitlab:a/../b", "http://gitlab.com/g/p", "git@gitlab.com:app.git"],
)  # fmt: skip
def test_words_that_are_wrong(word: str) -> None:
    with pytest.raises(SourceError):
        understand(word, LAB)


def test_a_project(forge: Forge) -> None:
    double, crawl = forge
    parent = {"path_with_namespace": "Else/Origin"}
    files = {"citation.CFF": cff("Kiln"), "inst/CITATION.cff": cff("Inner"), "src/CITATION.cff": cff("No")}
    double.add("A/b/C/d/App", files, forked_from_project=parent, mirror=True)
    (found,) = crawl(crawl.path("a/b/c/d/app")).values()
    assert (found.url, found.name, found.forge_id) == (crawl.path("a/b/c/d/app"), "App", "10")
    assert (found.head, found.default_branch) == (double.repositories[0].head, "main")
    assert (found.is_fork, found.parent_url) == (True, crawl.path("else/origin"))
    assert (found.is_mirror, found.is_archived) == (True, False)
    assert [(f.path, f.content) for f in found.files or ()] == [
        ("citation.CFF", cff("Kiln").encode()), ("inst/CITATION.cff", cff("Inner").encode()),
    ]  # fmt: skip
    assert len(double.asked) == 5  # what it is, its root, its folders, two files
    double.asked.clear()
    (found,) = crawl(f"{crawl.path('a/b/c/d/app')}.git").values()
    assert found.unchanged
    assert double.asked == ["/api/graphql"]


def test_projects_of_a_name_in_several_groups_are_several(forge: Forge) -> None:
    double, crawl = forge
    paths = ["group/app", "group/sub/app", "x/tools/app", "y/tools/app", "a/b/c/d/app"]
    for path in paths:
        double.add(path)
    founds = {url for path in paths for url in crawl(f"{crawl.path(path)}.git")}
    assert founds == {crawl.path(path) for path in paths}


def test_a_group_then_again(forge: Forge) -> None:
    double, crawl = forge
    for number in range(250):
        double.add(f"Lab/sub/deep/r{number}" if number % 2 else f"Lab/r{number}", {} if number == 4 else None)
    double.add("else/r")
    word = f"gitlab:{crawl.host.name}/lab"
    founds = crawl(word)
    assert len(founds) == 250
    assert founds[crawl.path("lab/r4")].state == "empty"
    assert all((f.files or ())[0].content for f in founds.values() if f.state == "ok")
    # Three pages; of each, its roots and its texts by fifty.
    assert len(double.asked) == 3 + 5 + 5
    assert len(crawl.marks) == 2

    double.asked.clear()
    double.at("lab/r8").push(CITATION__cff=cff("new"))  # type: ignore[union-attr]
    double.add("lab/added")
    again = crawl(word, Past(is_known=True))
    changed = {url for url, found in again.items() if not found.unchanged and found.state == "ok"}
    assert changed == {crawl.path("lab/r8"), crawl.path("lab/added")}
    assert len(double.asked) <= 3 + 2 * 4
    double.asked.clear()
    again = crawl(word, Past(is_known=True))
    assert all(found.unchanged or found.state == "empty" for found in again.values())
    assert double.asked == ["/api/graphql"] * 3  # the pages


def test_a_listing_goes_on_behind_a_mark(forge: Forge) -> None:
    double, crawl = forge
    for number in range(250):
        double.add(f"lab/r{number}", {"README": "x"})
    word = f"gitlab:{crawl.host.name}/lab"
    crawl(word)
    rest = crawl.marks[0].cursor
    assert len(crawl(word, Past(cursor=rest))) == 150
    crawl(word, Past(is_known=True))
    graphql = crawl.marks[0].cursor
    double.asked.clear()
    assert len(crawl(word, Past(is_known=True, cursor=graphql))) == 150
    assert set(double.asked) == {"/api/graphql"}
    assert len(crawl(word, Past(is_known=True, cursor=rest))) == 150
    double.refuses["namespace"] = "Invalid cursor"
    assert len(crawl(word, Past(is_known=True, cursor=graphql))) == 250


def test_a_whole_host_without_a_token(forge: Forge) -> None:
    double, crawl = forge
    for number in range(150):
        double.add(f"g{number}/r", {"README": "x"}, forked_from_project={"path_with_namespace": "a/b"})
    double.add("g/cited", archived=True)
    word = f"gitlab:{crawl.host.name}"
    founds = crawl(word)
    assert len(founds) == 151
    assert crawl.marks[0].cursor.startswith("projects?pagination=keyset&")
    assert "id_after=109" in crawl.marks[0].cursor
    assert founds[crawl.path("g/cited")].is_archived
    # Two pages, four times the roots; of the one that holds a file, the file and what the listing left out.
    assert len(double.asked) == 2 + 4 + 2
    double.asked.clear()
    assert len(crawl(word, Past(is_known=True))) == 151
    assert len(double.asked) == 2
    assert sorted(crawl(word, forks=False)) == [crawl.path("g/cited")]


def test_users_and_groups_are_told_apart_by_asking(forge: Forge) -> None:
    double, crawl = forge
    double.add("ada/kiln")
    double.add("lab/sub/app")
    assert list(crawl(crawl.path("ada"))) == [crawl.path("ada/kiln")]
    assert list(crawl(crawl.path("lab"))) == [crawl.path("lab/sub/app")]
    assert list(crawl(crawl.path("lab/sub"))) == [crawl.path("lab/sub/app")]  # no project: a group
    assert list(crawl(f"gitlab:{crawl.host.name}/lab/sub/app")) == [crawl.path("lab/sub/app")]
    assert crawl(f"gitlab:{crawl.host.name}/nobody") == {}
    assert [(t.state, t.reason) for t in crawl.troubles] == [
        ("gone", f"{crawl.host.name} knows no group or user of this name")
    ]
    (found,) = crawl(crawl.path("lab/none")).values()
    assert (found.url, found.state) == (crawl.path("lab/none"), "gone")


def test_forks_and_archived_ones(forge: Forge) -> None:
    double, crawl = forge
    double.add("lab/plain")
    double.add("lab/fork", forked_from_project={"path_with_namespace": "a/b"})
    double.add("lab/old", archived=True)
    word = f"gitlab:{crawl.host.name}/lab"
    assert list(crawl(word, forks=False, archived=False)) == [crawl.path("lab/plain")]
    assert "archived=false" in double.asked[0]
    double.asked.clear()
    assert crawl(f"{crawl.path('lab/old')}.git", archived=False) == {}
    assert crawl(word, Past(is_known=True), archived=False).keys() == {
        crawl.path("lab/plain"), crawl.path("lab/fork"),
    }  # fmt: skip


def test_a_moved_project_keeps_its_number(forge: Forge) -> None:
    double, crawl = forge
    double.add("lab/new")
    double.moved["old/name"] = 10
    for word in (crawl.path("old/name"), f"{crawl.path('old/name')}.git"):
        (found,) = crawl(word).values()
        assert (found.url, found.asked, found.forge_id) == (
            crawl.path("lab/new"),
            crawl.path("old/name"),
            "10",
        )
    assert found.unchanged


@pytest.mark.parametrize(
    "refuses",
    [
        {"rawTextBlob": COMPLEX},
        {"fullPaths": "Field 'projects' doesn't accept argument 'fullPaths'"},
        {"f0: tree": COMPLEX},
        {"tree": COMPLEX},
        {"query": "GraphQL is switched off"},
    ],
)
def test_what_graphql_refuses_rest_answers(forge: Forge, refuses: dict[str, str]) -> None:
    double, crawl = forge
    double.refuses = refuses
    for number in range(6):
        files = {"citation.cff": cff(f"{number}"), ".github/CITATION.cff": cff("Inner"), "src/x": "y"}
        double.add(f"lab/r{number}", files)
    double.add("lab/empty", {})
    double.add("lab/closed").is_closed = True
    word = f"gitlab:{crawl.host.name}/lab"
    founds = crawl(word)
    assert sorted(len(f.files or ()) for f in founds.values()) == [0, 0] + [2] * 6
    assert all(f.content for found in founds.values() for f in found.files or ())
    assert founds[crawl.path("lab/empty")].state == "empty"
    closed = founds[crawl.path("lab/closed")]
    assert (closed.state, closed.reason) == ("private", f"{crawl.host.name} does not show its code")
    again = crawl(word, Past(is_known=True))
    assert len(again) == 8
    assert sum(f.unchanged for f in again.values()) == 6
    assert crawl(f"{crawl.path('lab/r1')}.git")[crawl.path("lab/r1")].unchanged


def test_a_question_that_takes_too_long_is_halved(forge: Forge) -> None:
    double, crawl = forge
    double.most_at_once = 13
    for number in range(50):
        double.add(f"lab/r{number}")
    founds = crawl(f"gitlab:{crawl.host.name}/lab")
    assert len(founds) == 50
    assert all((f.files or ())[0].content for f in founds.values())
    assert not any("/repository/" in asked for asked in double.asked)


def test_single_projects_are_fetched_together(forge: Forge) -> None:
    double, crawl = forge
    for number in range(30):
        double.add(f"lab/r{number}")
    options = crawl.options()
    words = [f"{crawl.path(f'lab/r{number}')}.git" for number in range(30)]
    words += [f"{crawl.path('lab/none')}.git", f"{crawl.path('LAB/r1')}.git"]
    units = [unit for word in words for unit in understand(word, crawl.hosts).units(options)]  # type: ignore[union-attr]
    assert all(isinstance(unit, Joinable) for unit in units)
    assert {unit.group for unit in units} == {("gitlab", crawl.host.name)}  # type: ignore[union-attr]
    joined = units[0].join(units[1:])  # type: ignore[union-attr]
    founds = list(joined.fetch({}, options))
    assert len(founds) == 31
    assert [f.url for f in founds if f.state == "gone"] == [crawl.path("lab/none")]
    # Their roots; the one that is gone; their texts; of each whether it is a fork.
    assert len(double.asked) == 1 + 1 + 1 + 30
    double.asked.clear()
    known = {f.url: Known(f.head, "ok", frozenset()) for f in founds if f.state == "ok"}
    assert sum(f.unchanged for f in joined.fetch(known, options)) == 30
    assert len(double.asked) == 2


def test_odd_files(forge: Forge) -> None:
    double, crawl = forge
    latin = "title: \xc5".encode("latin-1")
    double.add("lab/latin", {"CITATION.cff": latin})
    double.add("lab/latin2", {"CITATION.cff": latin})
    double.add("lab/large", {"CITATION.cff": "x" * 2000})
    double.add("lab/large2", {"CITATION.cff": "x" * 2000})
    double.add("lab/linked", {"CITATION.cff": Link("meta/cite.yml"), "meta/cite.yml": cff("Target")})
    double.add("lab/many", {f"{n:03}": "x" for n in range(230)} | {"citation.cff": cff("Last")})
    double.add("lab/folders", {f"a{n:03}/x": "x" for n in range(230)} | {"docs/CITATION.CFF": cff("Docs")})
    double.add("lab/two", {"CITATION.cff": cff("A"), "Citation.cff": cff("B"), "docs": "no folder"})
    founds = crawl(f"gitlab:{crawl.host.name}/lab", max_size_bytes=1000)
    by = {url.rpartition("/")[2]: found for url, found in founds.items()}
    files = {name: [(f.path, f.content, f.refused) for f in found.files or ()] for name, found in by.items()}
    assert files["latin"] == files["latin2"] == [("CITATION.cff", latin, "")]
    assert "more than the 1,000 bytes" in files["large"][0][2]
    assert by["large2"].head is None
    assert files["linked"] == [("CITATION.cff", cff("Target").encode(), "")]
    assert files["many"] == [("citation.cff", cff("Last").encode(), "")]
    assert files["folders"] == [("docs/CITATION.CFF", cff("Docs").encode(), "")]
    assert files["two"] == [("CITATION.cff", cff("A").encode(), "")]
    assert "Citation.cff left out" in by["two"].notes[0]


def test_a_known_content_is_not_fetched(forge: Forge) -> None:
    double, crawl = forge
    for number in range(3):
        double.add(f"lab/r{number}")
    crawl(f"gitlab:{crawl.host.name}/lab")
    for repository in double.repositories:
        repository.push(README__md="y")
    double.asked.clear()
    founds = crawl(f"gitlab:{crawl.host.name}/lab")
    assert [[f.content for f in found.files or ()] for found in founds.values()] == [[None]] * 3
    assert len(double.asked) == 2  # the listing, the roots


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (told({"message": "404 Project Not Found"}, 404), "gone"),
        (told({"message": "401 Unauthorized"}, 401), "private"),
        (told({"message": "403 Forbidden"}, 403), "private"),
        (told({"message": "blocked"}, 451), "blocked"),
        (Response("", 502), "failed"),
        (Response("<html>Sign in · GitLab</html>", content_type="text/html"), "failed"),
        (Response('[{"id": 7, "path_with'), "failed"),
        (told({"id": 7}), "failed"),
        (told([{"id": 7}]), "failed"),
    ],
)
def test_what_goes_wrong(forge: Forge, answer: Response, state: str) -> None:
    double, crawl = forge
    double.always["/api/"] = answer
    (found,) = crawl(f"{crawl.path('lab/kiln')}.git").values()
    assert (found.url, found.state, found.files) == (crawl.path("lab/kiln"), state, None)
    assert crawl(f"gitlab:{crawl.host.name}/lab") == {}
    assert [trouble.state for trouble in crawl.troubles] == [state]


def test_limits_are_waited_for(forge: Forge) -> None:
    double, crawl = forge
    double.add("lab/kiln")
    reset = {
        "RateLimit_Limit": "500",
        "RateLimit_Remaining": "0",
        "RateLimit_Reset": str(int(time.time()) + 1),
    }
    double.once["/groups/"] = [
        Response("Retry later", 429, {k.replace("_", "-"): v for k, v in reset.items()})
    ]
    double.once["/graphql"] = [Response("Retry later", 429, {"Retry-After": "0"})]
    begun = time.time()
    (found,) = crawl(f"gitlab:{crawl.host.name}/lab").values()
    assert found.files
    assert time.time() - begun >= 1
    assert len(double.asked) == 2 + 2 + 1


def test_the_token_stands_nowhere(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    double, crawl = forge
    monkeypatch.setenv("FORGE_TOKEN", "s3cret")
    double.add("lab/kiln")
    founds = crawl(f"gitlab:{crawl.host.name}/lab")
    assert double.tokens == {"Bearer s3cret"}
    assert "s3cret" not in repr(founds) + repr(crawl.steps)
