"""Lists of packages as sources: registries that answer on loopback, repositories behind a real git host."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.crawler.git import Git
from cffgraph.crawler.harvest import Harvest, HarvestStats
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.packages.installed import mapped
from cffgraph.crawler.packages.package import Package, Unreadable, parse_purl
from cffgraph.crawler.packages.registry import REGISTRIES, Registry, locate
from cffgraph.crawler.source import NEW, Mark, Options, Past, Step, Trouble
from cffgraph.crawler.sources.git import GitUnit
from cffgraph.crawler.sources.packages import PackagesSource, one_repository, understand
from cffgraph.db.found import Found
from cffgraph.db.store import Store
from pytest_httpserver import HTTPServer
from sqlalchemy import Connection, text
from werkzeug import Request, Response

CFF = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Tool\nauthors:\n- family-names: Probe\n"


class Answers:
    """All registries at one address; what is not known is answered with 404."""

    def __init__(self, server: HTTPServer) -> None:
        self.asked: list[str] = []
        self.known: dict[str, Any] = {}
        self.registries = {
            kind: Registry(server.url_for(f"/{kind}"), registry.paths, registry.links)
            for kind, registry in REGISTRIES.items()
        }
        self.options = Options(
            Git(),
            Web(
                Hosts(
                    [Host(f"{server.host}:{server.port}", spacing_s=0, allow_private=True)],
                    allowed=["127.0.0.1"],
                ),
                backoff_s=0.01,
            ),
        )

    def __call__(self, request: Request) -> Response:
        path = request.environ["REQUEST_URI"].lstrip("/")
        self.asked.append(path)
        answer = self.known.get(path)
        if isinstance(answer, int):
            return Response("in trouble", answer)
        if answer is None:
            return Response("<html>Not Found</html>", 404)
        return Response(answer if isinstance(answer, (str, bytes)) else json.dumps(answer))

    def locate(self, package: Package) -> tuple[str, str, str]:
        found = locate(package, self.options.web, self.registries)
        return found.address, found.reason, found.state

    def steps(self, place: str | Path, past: Past = NEW) -> list[Step]:
        return list(PackagesSource(str(place), self.registries).units(self.options, past))


@pytest.fixture
def answers(httpserver: HTTPServer) -> Iterator[Answers]:
    found = Answers(httpserver)
    httpserver.expect_request("").respond_with_handler(found)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(found)
    yield found
    httpserver.check_handler_errors()


def urls(steps: list[Step]) -> list[str]:
    return [url for step in steps if not isinstance(step, Trouble | Mark) for url in step.urls]


def fetched(steps: list[Step], options: Options) -> list[Found]:
    return [
        found for step in steps if not isinstance(step, Trouble | Mark) for found in step.fetch({}, options)
    ]


REGISTERED: list[tuple[str, str, Any, str]] = [
    ("pkg:pypi/Foo", "pypi/pypi/foo/json",
     {"info": {"project_urls": {"Homepage": "https://t.example", "Source Code": "https://github.com/o/r"}}},
     "o/r"),
    ("pkg:pypi/foo@1.0", "pypi/pypi/foo/1.0/json", {"info": {"home_page": "http://github.com/o/r/"}}, "o/r"),
    ("pkg:pypi/foo", "pypi/pypi/foo/json", {"info": {"project_urls": None, "home_page": None,
     "description": "See https://github.com/o/foo."}}, "o/foo"),
    ("pkg:npm/%40s/foo@1.0.0", "npm/%40s%2Ffoo/1.0.0",
     {"repository": {"type": "git", "url": "git+https://github.com/o/r.git", "directory": "packages/foo"}},
     "o/r"),
    ("pkg:npm/foo", "npm/foo/latest", {"repository": "github:o/r"}, "o/r"),
    ("pkg:npm/foo", "npm/foo/latest", {"repository": "o/r"}, "o/r"),
    ("pkg:npm/foo", "npm/foo/latest", {"repository": [], "homepage": "https://github.com/o/r#readme"}, "o/r"),
    ("pkg:conda/foo?channel=bioconda", "conda/package/bioconda/foo",
     {"dev_url": "https://github.com/o/r", "home": "https://foo.example"}, "o/r"),
    ("pkg:conda/foo", "conda/package/conda-forge/foo",
     {"dev_url": None, "home": "https://github.com/o/r"}, "o/r"),
    ("pkg:cran/Foo", "cran/web/packages/Foo/DESCRIPTION",
     "Package: Foo\nURL: https://foo.example/docs,\n    https://github.com/o/r\nBugReports: https://x.example\n",
     "o/r"),
    ("pkg:cran/Foo", "cran/web/packages/Foo/DESCRIPTION",
     "Package: Foo\nBugReports: https://github.com/o/r/issues\n", "o/r"),
    ("pkg:cargo/foo", "cargo/api/v1/crates/foo",
     {"crate": {"repository": "https://github.com/o/r/tree/main/foo"}}, "o/r"),
    ("pkg:gem/foo", "gem/api/v1/gems/foo.json", {"source_code_uri": "https://github.com/o/r/tree/v1"}, "o/r"),
    ("pkg:composer/V/Foo", "composer/p2/v/foo.json",
     {"packages": {"v/foo": [{"source": {"type": "git", "url": "https://github.com/o/r.git"}}]}}, "o/r"),
]  # fmt: skip


@pytest.mark.parametrize(("purl", "path", "answer", "expected"), REGISTERED, ids=range(len(REGISTERED)))
def test_what_registries_say(answers: Answers, purl: str, path: str, answer: Any, expected: str) -> None:
    answers.known[path] = answer
    package = parse_purl(purl)
    assert package is not None
    address, reason, _ = answers.locate(package)
    assert address == f"https://github.com/{expected}"
    assert reason.startswith("as localhost:")
    assert answers.asked == [path]


ODD_ANSWERS: list[tuple[Any, str, str]] = [
    (None, "is not known to", "no-file"),
    ({}, "names no repository at", "no-file"),
    ([1], "names no repository at", "no-file"),
    ({"info": {"project_urls": {"Source": 1, "": None}}}, "names no repository at", "no-file"),
    ({"info": {"project_urls": ["https://github.com/o/r"]}}, "names no repository at", "no-file"),
    ({"info": {"home_page": "https://github.com/sponsors/ada"}}, "names no repository at", "no-file"),
    ("<html>welcome</html>", "not with JSON", "failed"),
    ('{"info": ' + "[" * 200_000, "not with JSON", "failed"),
    (500, "answered 500", "failed"),
    (403, "answered 403", "failed"),
]


@pytest.mark.parametrize(("answer", "reason", "state"), ODD_ANSWERS, ids=range(len(ODD_ANSWERS)))
def test_registries_that_do_not_say(answers: Answers, answer: Any, reason: str, state: str) -> None:
    if answer is not None:
        answers.known["pypi/pypi/foo/json"] = answer
    address, told, is_state = answers.locate(Package("pypi", "foo"))
    assert (address, is_state) == ("", state)
    assert reason in told


def test_the_newest_version_is_asked_when_the_fixed_one_says_nothing(answers: Answers) -> None:
    answers.known["pypi/pypi/foo/1.0/json"] = {"info": {"home_page": "https://foo.example"}}
    answers.known["pypi/pypi/foo/json"] = {"info": {"project_urls": {"Source": "https://github.com/o/r"}}}
    assert answers.locate(Package("pypi", "foo", "1.0"))[0] == "https://github.com/o/r"
    assert answers.asked == ["pypi/pypi/foo/1.0/json", "pypi/pypi/foo/json"]


def test_the_links_of_the_list_come_last(answers: Answers) -> None:
    links = (("homepage", "https://github.com/o/list"),)
    answers.known["pypi/pypi/foo/json"] = {"info": {"home_page": "https://github.com/o/registry"}}
    assert answers.locate(Package("pypi", "foo", links=links))[0] == "https://github.com/o/registry"
    assert answers.locate(Package("pypi", "bar", links=links))[0] == "https://github.com/o/list"
    assert answers.locate(Package("maven", "g/a", links=links))[0] == "https://github.com/o/list"


@pytest.mark.parametrize("name", ["../../secret", "a/b?c=d", "a#b", "a b\r\nHost: x", "ä"])
def test_a_name_stays_one_step_of_the_path(answers: Answers, name: str) -> None:
    answers.locate(Package("npm", name))
    [asked] = answers.asked
    assert asked.count("/") == 2
    assert unquote(asked) == f"npm/{name}/latest"


@pytest.fixture
def listed(answers: Answers, tmp_path: Path) -> Path:
    """Two packages of one repository, one that names its own, four without for a reason each, and a slip."""
    source = {"info": {"project_urls": {"Source": "https://gitlab.com/g/s/Mono"}}}
    answers.known["pypi/pypi/mono-a/json"] = answers.known["pypi/pypi/mono-b/json"] = source
    answers.known["pypi/pypi/plain/json"] = {"info": {"home_page": "https://plain.example"}}
    answers.known["pypi/pypi/trouble/json"] = 500
    path = tmp_path / "requirements.txt"
    path.write_text(
        "trouble\nmono-b\nmono-a\nown @ git+https://github.com/O/Own@v1\nplain\nnowhere-known\n./local\n???\n"
    )
    return path


def test_units_of_a_list(answers: Answers, listed: Path) -> None:
    steps = answers.steps(listed)
    assert urls(steps) == [
        "https://gitlab.com/g/s/mono",
        "https://github.com/o/own",
        "pkg:generic/local",
        "pkg:pypi/nowhere-known",
        "pkg:pypi/plain",
    ]
    troubles = [(step.place, step.state) for step in steps if isinstance(step, Trouble)]
    assert troubles == [(f"{listed}:8", "place"), ("pkg:pypi/trouble", "failed")]
    assert steps[-1] == Mark("pkg:pypi/trouble")
    # No registry is asked for what the list itself tells.
    assert {path.split("/")[2] for path in answers.asked} == {
        "mono-a", "mono-b", "plain", "nowhere-known", "trouble"
    }  # fmt: skip


def test_a_package_without_a_repository_is_a_place_with_a_reason(answers: Answers, listed: Path) -> None:
    without = [
        step
        for step in answers.steps(listed)
        if not isinstance(step, Trouble | Mark) and step.urls[0].startswith("pkg:")
    ]
    found = {each.url: each for each in fetched(list(without), answers.options)}
    assert {url: (each.name, each.state, each.files) for url, each in found.items()} == {
        "pkg:generic/local": ("local", "no-file", ()),
        "pkg:pypi/nowhere-known": ("nowhere-known", "no-file", ()),
        "pkg:pypi/plain": ("plain", "no-file", ()),
    }
    assert "comes from a folder" in found["pkg:generic/local"].reason
    assert "is not known to" in found["pkg:pypi/nowhere-known"].reason
    assert "names no repository at" in found["pkg:pypi/plain"].reason
    assert all(each.notes == (f"{url}: {each.reason}",) for url, each in found.items())


def test_going_on_behind_a_mark(answers: Answers, listed: Path) -> None:
    steps = answers.steps(listed, Past(cursor="pkg:pypi/own"))
    assert urls(steps) == ["pkg:pypi/plain"]
    assert sorted(set(answers.asked)) == ["pypi/pypi/plain/json", "pypi/pypi/trouble/json"]


def test_marks_between_many(answers: Answers, tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("".join(f"tool{n:04} @ git+https://github.com/o/tool{n:04}\n" for n in range(600)))
    steps = answers.steps(path)
    marks = [step.cursor for step in steps if isinstance(step, Mark)]
    assert marks == ["pkg:pypi/tool0255", "pkg:pypi/tool0511", "pkg:pypi/tool0599"]
    assert len(urls(steps)) == 600
    assert urls(answers.steps(path, Past(cursor=marks[1])))[0] == "https://github.com/o/tool0512"


def test_a_list_of_nothing_and_a_list_that_is_not_there(answers: Answers, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("# none yet\n")
    for name, reason in (
        ("requirements.txt", "names no package"),
        ("uv.lock", "cannot be read: No such file"),
    ):
        [trouble] = answers.steps(tmp_path / name)
        assert isinstance(trouble, Trouble)
        assert trouble.place == str(tmp_path / name)
        assert reason in trouble.reason


def test_addresses_of_a_list_are_guarded(answers: Answers, tmp_path: Path) -> None:
    """A list may come from anywhere: it leads to no private address, and to none without TLS."""
    path = tmp_path / "requirements.txt"
    path.write_text(
        "a @ git+https://10.1.2.3/o/r.git\nb @ git+http://h.example:80/o/r\n"
        "c @ git+https://2130706433/o/r.git\n"
        "d @ git+http://h.example:8080/o/r.git\n"
    )
    steps = answers.steps(path)
    assert urls(steps) == ["https://h.example/o/r"]
    places = [step.place for step in steps if isinstance(step, Trouble)]
    assert places == ["pkg:pypi/a", "pkg:pypi/c", "pkg:pypi/d"]


def test_an_address_that_holds_several_repositories_is_no_package_s() -> None:
    """A group of a forge is often named in place of the repository."""
    one, other = GitUnit("https://git.example/g/one"), GitUnit("https://git.example/g/other")
    trouble = Trouble("https://git.example/g", "asks for a password", "private")
    assert one_repository(iter([one, Mark("1")])) == [one]
    assert one_repository(iter([trouble])) == [trouble]
    assert one_repository(iter([one, Mark("1"), other])) is None
    endless = (GitUnit(f"https://git.example/g/{n}") for n in itertools.count())
    assert one_repository(endless) is None


def test_a_crawl_of_a_list(
    answers: Answers,
    database: Connection,
    tmp_path: Path,
    make_host: Callable[[], Any],
    make_repository: Callable[..., Any],
) -> None:
    address = make_host().publish(make_repository("tool", {"CITATION.cff": CFF}), "tool.git")
    answers.known["pypi/pypi/tool/json"] = {"info": {"project_urls": {"Repository": address}}}
    answers.known["pypi/pypi/plain/json"] = {"info": {}}
    path = tmp_path / "requirements.txt"
    path.write_text("tool\nplain\n")

    def crawl() -> HarvestStats:
        source = PackagesSource(str(path), answers.registries)
        return Harvest(Store(database), [source], answers.options, jobs=2).run()

    def states() -> dict[str, tuple[str, str]]:
        with database.begin():
            rows = database.execute(text("SELECT url, state, reason FROM repository"))
            return {row.url: (row.state, row.reason or "") for row in rows}

    stats = crawl()
    assert (stats.with_file, stats.without_file, stats.faults) == (1, 1, 0)
    assert any(note.startswith("pkg:pypi/plain: names no repository") for note in stats.notes)
    found = states()
    assert found[address.removesuffix(".git")][0] == "ok"
    assert found["pkg:pypi/plain"][0] == "no-file"
    assert "names no repository" in found["pkg:pypi/plain"][1]
    assert crawl().unchanged == 1


# --- What is installed ------------------------------------------------------------------------------


def _install(folder: Path, name: str, *lines: str, body: str = "", direct: object = None) -> None:
    place = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    place.mkdir(parents=True)
    head = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *lines]
    (place / "METADATA").write_text("\n".join(head) + f"\n\n{body}", "utf-8")
    if direct is not None:
        (place / "direct_url.json").write_text(json.dumps(direct))


def test_an_environment_is_mapped_without_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "venv" / "lib" / "python3.12" / "site-packages"
    _install(
        site,
        "Labelled",
        "Project-URL: Home, https://t.example",
        "Project-URL: Source, https://github.com/o/l",
    )
    _install(site, "old-style", "Home-page: http://github.com/o/old")
    _install(site, "comma", "Project-URL: Source, mirror, https://github.com/o/comma")
    _install(site, "unlabelled", "Project-URL: https://github.com/o/unlabelled")
    _install(site, "described", "Home-page: UNKNOWN", body="At https://github.com/o/described/wiki\n")
    _install(site, "straight", direct={"url": "https://me:pw@github.com/o/s.git", "vcs_info": {"vcs": "git"}})
    _install(site, "mercury", direct={"url": "https://hg.example/m", "vcs_info": {"vcs": "hg"}})
    _install(site, "editable", direct={"url": "file:///home/ada/e", "dir_info": {"editable": True}})
    _install(site, "broken-direct", "Project-URL: Code, https://github.com/o/b", direct=[1])
    _install(site, "silent")
    (site / "left_over-1.0.dist-info").mkdir()
    latin = "Metadata-Version: 1.0\nName: latin\nVersion: 1.0\nAuthor: Zoë\nHome-page: https://github.com/o/latin\n"
    (site / "latin-1.0.egg-info").write_text(latin, "latin-1")

    def no_network(*arguments: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr("socket.socket.connect", no_network)
    found = mapped(f"env:{site.parents[2]}")
    assert {m.package: (m.repository or "").removeprefix("https://github.com/") for m in found} == {
        "broken-direct": "o/b", "comma": "o/comma", "described": "o/described", "editable": "",
        "labelled": "o/l", "latin": "o/latin",
        "mercury": "", "old-style": "o/old", "silent": "", "straight": "o/s", "unlabelled": "o/unlabelled",
    }  # fmt: skip
    reasons = {m.package: m.reason for m in mapped(f"env:{site}") if not m.repository}
    assert "Mercurial" in reasons["mercury"]
    assert "folder of this machine" in reasons["editable"]
    assert reasons["silent"] == "its metadata hold no links"


def test_the_running_environment_is_mapped() -> None:
    found = {m.package: m for m in mapped("env:")}
    assert found["pytest"].repository == "https://github.com/pytest-dev/pytest"
    assert found["requests"].repository == "https://github.com/psf/requests"
    assert found["pytest"].version == pytest.__version__
    # The packages of the tests are well kept ones: few do not say where their source is.
    with_one = [m for m in found.values() if m.repository]
    assert len(with_one) > 0.8 * len(found)
    assert all(m.reason for m in found.values())


def test_the_same_from_another_interpreter(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "v")], check=True)
    assert mapped(f"env:{tmp_path / 'v'}") == []
    with pytest.raises(Unreadable, match="no such folder"):
        mapped(f"env:{tmp_path / 'none'}")
    with pytest.raises(Unreadable, match="holds no site-packages"):
        mapped(f"env:{tmp_path}")


def test_units_of_an_environment_ask_no_registry(answers: Answers, tmp_path: Path) -> None:
    _install(tmp_path, "foo", "Project-URL: Source, https://github.com/o/foo")
    _install(tmp_path, "bar")
    steps = answers.steps(f"env:{tmp_path}")
    assert urls(steps) == ["https://github.com/o/foo", "pkg:pypi/bar"]
    assert answers.asked == []


# --- Words ------------------------------------------------------------------------------------------


def test_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").touch()
    (tmp_path / "uv.lock").mkdir()
    hosts = Hosts()
    expected = {
        "requirements.txt": str(tmp_path / "requirements.txt"),
        str(tmp_path / "poetry.lock"): str(tmp_path / "poetry.lock"),
        "env:": "env:",
        "env:v": f"env:{tmp_path / 'v'}",
        "pkg:pypi/Foo@1.0": "pkg:pypi/foo",
        "uv.lock": None,
        "poetry.lock": None,
        "https://h.example/requirements.txt": None,
        "o/r": None,
        "notes.txt": None,
    }
    for word, spec in expected.items():
        source = understand(word, hosts)
        assert (source.spec if source else None) == spec, word
        if source:
            assert understand(source.spec, hosts) == source
    with pytest.raises(SourceError, match="one is written pkg:TYPE/NAME"):
        understand("pkg:foo", hosts)
