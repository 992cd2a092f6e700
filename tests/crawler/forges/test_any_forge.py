"""What holds of every forge: a host that answers with anything at all breaks neither crawl nor address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cffgraph.crawler.forge import Interface
from cffgraph.crawler.harvest import Harvest, HarvestStats
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.sources import bitbucket, forgejo, gitlab
from cffgraph.db.store import Store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text
from werkzeug import Response

from .doubles import Crawl, Double, told
from .test_bitbucket import Bitbucket
from .test_forgejo import Forgejo
from .test_gitlab import GitLab

KINDS: dict[str, tuple[type[Any], Any, str]] = {
    "gitlab": (GitLab, gitlab.understand, "gitlab:{host}/lab"),
    "forgejo": (Forgejo, forgejo.understand, "forgejo:{host}/tools"),
    "bitbucket": (Bitbucket, bitbucket.understand, "bitbucket:{host}/lab"),
}
ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "../..", "a\nb", "\u0000/\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "data", "name"]), inner)
    ),
    max_leaves=4,
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_facts_may_be_anything(connect: Callable[..., Crawl], kind: str, data: st.DataObject) -> None:
    make, understand, word = KINDS[kind]
    double: Double = make()
    crawl = connect(double, kind, understand)
    owner = word.rpartition("/")[2]
    double.add(f"{owner}/kiln")
    double.add(f"{owner}/broken")
    facts = double.facts(double.repositories[1])  # type: ignore[attr-defined]
    name = data.draw(st.sampled_from(sorted(facts)))
    double.repositories[1].facts[name] = data.draw(ANY)
    if name not in ("path_with_namespace", "full_name"):
        assert crawl.path(f"{owner}/kiln") in {*crawl(word.format(host=crawl.host.name))} or crawl.troubles
    else:
        crawl(word.format(host=crawl.host.name))
    for found in crawl.known:
        assert found.startswith(crawl.host.web)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_answers_may_be_anything(connect: Callable[..., Crawl], kind: str, data: st.DataObject) -> None:
    make, understand, word = KINDS[kind]
    double: Double = make()
    crawl = connect(double, kind, understand)
    owner = word.rpartition("/")[2]
    for name in ("a", "b"):
        double.add(f"{owner}/{name}", {"CITATION.cff": "x", "docs/CITATION.cff": "y"})
    place = data.draw(
        st.sampled_from(["graphql", "/tree", "/src/main/\\?", "CITATION", "raw", "commits", "blobs", "docs"])
    )
    double.always[place] = told(data.draw(ANY))
    founds = crawl(word.format(host=crawl.host.name))
    assert {found.state for found in founds.values()} <= {"ok", "failed"}
    for found in founds.values():
        assert (found.files is None) == (found.state == "failed")
        assert found.reason or found.state == "ok"


@pytest.mark.parametrize(
    ("link", "at"),
    [
        ("https://api.example/2.0/things?page=2", "things?page=2"),
        ("http://inside.example:8080/2.0/things?page=2", "things?page=2"),
        ("?page=2", "things?page=2"),
        ("/2.0/others/x?page=2", "others/x?page=2"),
        ("https://evil.example/steal?page=2", "things?page=2"),
        ("https://evil.example", "things"),
        ("//evil.example/2.0/../../etc", "../../etc"),
    ],
)
def test_a_link_leads_nowhere_but_into_the_interface(link: str, at: str) -> None:
    host = Host("example", "bitbucket", "https://api.example/2.0")
    assert Interface(host, Web(Hosts([host]))).within(link, "things?page=1") == at


def test_an_open_door_is_no_way_out(connect: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "s3cret")
    double = Forgejo()
    crawl = connect(double, "forgejo", forgejo.understand)
    double.always["/repos/ada/kiln"] = Response("", 301, {"Location": "http://169.254.169.254/latest/"})
    (found,) = crawl(crawl.path("ada/kiln")).values()
    assert found.state == "blocked"
    assert "s3cret" not in found.reason


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_database_remembers(connect: Callable[..., Crawl], database: Connection, kind: str) -> None:
    make, understand, word = KINDS[kind]
    double: Double = make()
    crawl = connect(double, kind, understand)
    owner = word.rpartition("/")[2]
    for number in range(12):
        double.add(f"{owner}/r{number}", None if number < 4 else {"README": "x"} if number < 8 else {})

    def harvest() -> HarvestStats:
        double.asked.clear()
        source = understand(word.format(host=crawl.host.name), crawl.hosts)
        return Harvest(Store(database), [source], crawl.options(), jobs=4).run()

    def rows(query: str) -> list[tuple[Any, ...]]:
        with database.begin():
            return [tuple(row) for row in database.execute(text(query))]

    first = harvest()
    assert (first.repositories, first.with_file, first.faults) == (12, 4, 0)
    again = harvest()
    assert (again.repositories, again.unchanged, len(double.asked)) == (12, 8, 1)

    double.repositories[0].path = f"{owner}/renamed"
    gone = double.repositories.pop(1)
    double.repositories[1].push(CITATION__cff="cff-version: 1.2.0\nmessage: m\ntitle: New\nauthors: []\n")
    later = harvest()
    assert (later.repositories, later.gone, later.faults) == (11, 1, 0)
    assert rows("SELECT url FROM repository_alias") == [(crawl.path(f"{owner}/r0"),)]
    assert rows("SELECT url FROM repository WHERE state = 'gone'") == [(crawl.path(gone.path),)]
    assert rows("SELECT count(*) FROM record WHERE title = 'New'") == [(1,)]
    assert rows("SELECT state, count(*) FROM repository GROUP BY state ORDER BY state") == [
        ("empty", 4), ("gone", 1), ("no-file", 4), ("ok", 3),
    ]  # fmt: skip
