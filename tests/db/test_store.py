from __future__ import annotations

import json
from typing import Any

import pytest
from cffgraph.cff.read import blob_id, read
from cffgraph.db import crawls
from cffgraph.db.found import Found, FoundFile, Stored
from cffgraph.db.models import blob, file, mention, problem, progress, record, repository, source_repository
from cffgraph.db.rows import rows_of
from cffgraph.db.store import Store
from sqlalchemy import Connection, select, text

GOOD = (
    b"cff-version: 1.2.0\nmessage: m\ntitle: %s\nauthors:\n- family-names: Probe\n  given-names: \xc3\x84da\n"
)
BROKEN = b"title: [\n"
URL = "https://git.example/tool"


def held(path: str = "CITATION.cff", content: bytes = GOOD % b"One") -> FoundFile:
    return FoundFile(path, blob_id(content), content)


def put(connection: Connection, *founds: Found, source: str = "/s") -> list[Stored]:
    """Write in a crawl of its own, as the harvest does."""
    store = Store(connection)
    (begun,) = store.begin([(source, "")])
    contents = {f.sha: f.content for found in founds for f in found.files or () if f.content is not None}
    unread = store.unread(contents)
    readings = {sha: rows_of(read(content)) for sha, content in contents.items() if sha in unread}
    stored = store.put([(begun, found) for found in founds], readings)
    store.give_up([begun])
    return stored


def standings(connection: Connection) -> list[tuple[str, str, str]]:
    query = select(file.c.path, record.c.title, file.c.standing).select_from(
        file.outerjoin(record, (record.c.blob_id == file.c.blob_id) & (record.c.pointer == ""))
    )
    with connection.begin():
        return sorted((path, title or "", standing) for path, title, standing in connection.execute(query))


def evidence(connection: Connection) -> int:
    with connection.begin():
        return connection.execute(select(progress.c.evidence)).scalar_one()


def rows(connection: Connection, table: Any) -> list[Any]:
    with connection.begin():
        return list(connection.execute(select(table).order_by(*table.primary_key)))


def test_a_repository_becomes_rows(database: Connection) -> None:
    content = GOOD % b"One" + b"doi: 10.5555/One\nodd-key: {a: [1.10]}\n"
    (stored,) = put(
        database, Found(URL, "tool", "git.example", head="a" * 40, files=(held(content=content),))
    )
    assert (stored.state, [(f.path, f.outcome) for f in stored.files]) == (
        "ok",
        [("CITATION.cff", "ok-warn")],
    )
    (kept,) = rows(database, blob)
    assert (kept.sha, kept.content, kept.kind) == (blob_id(content), content, "cff")
    (root,) = rows(database, record)
    assert (root.title, root.doi) == ("One", "10.5555/one")
    assert json.loads(root.fields)["odd-key"] == {"a": ["1.10"]}
    (person,) = rows(database, mention)
    assert (person.given_names, person.as_written) == ("Äda", '{"family-names":"Probe","given-names":"Äda"}')
    assert "unknown-key" in {p.code for p in rows(database, problem)}
    assert len(rows(database, source_repository)) == 1


def test_a_blob_is_kept_once_however_many_hold_it(database: Connection) -> None:
    put(database, *(Found(f"{URL}{i}", "tool", files=(held(), held("docs/CITATION.cff"))) for i in range(3)))
    put(database, Found(f"{URL}9", "tool", files=(held(),)))
    assert (len(rows(database, blob)), len(rows(database, record)), len(rows(database, file))) == (1, 1, 7)


def test_versions_through_time(database: Connection) -> None:
    """A good version, a broken one, a better one, none, and the first again."""

    def crawl(*files: FoundFile) -> Stored:
        (stored,) = put(database, Found(URL, "tool", files=files))
        return stored

    assert crawl(held()).state == "ok"
    assert standings(database) == [("CITATION.cff", "One", "current")]
    stored = crawl(held(content=BROKEN))
    assert stored.state == "unreadable"
    assert stored.reason.startswith("CITATION.cff:")
    assert standings(database) == [("CITATION.cff", "", "broken"), ("CITATION.cff", "One", "stale")]
    assert crawl(held(content=BROKEN + b"\n")).state == "unreadable"
    assert standings(database) == [
        ("CITATION.cff", "", "broken"),
        ("CITATION.cff", "", "past"),
        ("CITATION.cff", "One", "stale"),
    ]
    crawl(held(content=GOOD % b"Two"))
    assert ("CITATION.cff", "Two", "current") in standings(database)
    assert ("CITATION.cff", "One", "past") in standings(database)
    assert crawl().state == "no-file"
    assert {standing for _, _, standing in standings(database)} == {"past"}
    assert crawl(held()).state == "ok"
    assert ("CITATION.cff", "One", "current") in standings(database)
    assert len(standings(database)) == 4


def test_a_refused_file_lets_the_last_good_version_speak(database: Connection) -> None:
    put(database, Found(URL, "tool", files=(held(),)))
    (stored,) = put(database, Found(URL, "tool", files=(FoundFile("CITATION.cff", "", refused="too large"),)))
    assert (stored.state, stored.reason) == (
        "unreadable",
        "CITATION.cff:1:1: too large; the last good version stands",
    )
    assert standings(database) == [("CITATION.cff", "One", "stale")]


@pytest.mark.parametrize("state", ["failed", "private", "gone", "blocked"])
def test_who_cannot_be_reached_is_not_forgotten(database: Connection, state: Any) -> None:
    put(database, Found(URL, "tool", head="b" * 40, files=(held(),)))
    before = evidence(database)
    (stored,) = put(database, Found(URL, "tool", state=state, reason="no answer"))
    assert (stored.state, stored.reason) == (state, "no answer")
    assert standings(database) == [("CITATION.cff", "One", "current")]
    (kept,) = rows(database, repository)
    assert (kept.head, kept.state, kept.reason) == ("b" * 40, state, "no answer")
    assert evidence(database) == before
    (stored,) = put(database, Found(URL, "tool", head="b" * 40, unchanged=True))
    assert (stored.state, stored.reason) == ("ok", "")


def test_evidence_grows_when_it_changes_and_only_then(database: Connection) -> None:
    seen = [evidence(database)]
    for files in ((held(),), (held(),), (held(content=BROKEN),), (held(content=BROKEN),), (), ()):
        put(database, Found(URL, "tool", files=files))
        seen.append(evidence(database))
    put(database, Found(URL, "tool", unchanged=True))
    seen.append(evidence(database))
    assert seen == [0, 1, 1, 2, 2, 3, 3, 3]


def test_known(database: Connection) -> None:
    put(database, Found(URL, "tool", head="c" * 40, files=(held(), held("docs/CITATION.cff", BROKEN))))
    put(database, Found(URL + "2", "tool", files=()))
    known = Store(database).known([URL, URL + "2", URL + "3"])
    assert known.keys() == {URL, URL + "2"}
    assert known[URL].head == "c" * 40
    assert known[URL].shas == {blob_id(GOOD % b"One"), blob_id(BROKEN)}
    assert known[URL + "2"].shas == frozenset()


def test_lost(database: Connection) -> None:
    """What one source no longer holds is lost, unless another one holds it."""
    put(database, *(Found(f"{URL}{i}", "tool", files=(held(),)) for i in range(3)))
    put(database, Found(f"{URL}1", "tool", files=(held(),)), source="/other")
    store = Store(database)
    (begun,) = store.begin([("/s", "")])
    store.put([(begun, Found(f"{URL}0", "tool", unchanged=True))], {})
    assert store.end([begun]) == [(f"{URL}2", "tool")]
    assert store.end([begun]) == []
    assert crawls.sources(database) == [("/s", ""), ("/other", "")]


def test_a_crawl_that_was_cut_off_goes_on(database: Connection) -> None:
    """What its first part met is not lost at the end of its second."""
    put(database, *(Found(f"{URL}{i}", "tool", files=(held(),)) for i in range(3)))
    store = Store(database)
    (begun,) = store.begin([("/s", "")])
    assert (begun.run, begun.cursor) == (2, "")
    store.put([(begun, Found(f"{URL}0", "tool", unchanged=True))], {}, cursors=[(begun.number, "page 2")])
    store = Store(database)  # in another process
    (again,) = store.begin([("/s", "")])
    assert (again.run, again.cursor) == (2, "page 2")
    store.put([(again, Found(f"{URL}1", "tool", unchanged=True))], {})
    assert store.end([again]) == [(f"{URL}2", "tool")]
    (after,) = store.begin([("/s", "")])
    assert (after.run, after.cursor, after.is_known) == (3, "", True)


@pytest.mark.parametrize("change", ["anew", "options", "days"])
def test_a_crawl_that_is_not_gone_on_with(database: Connection, change: str) -> None:
    store = Store(database)
    (begun,) = store.begin([("/s", "")])
    store.put([], {}, cursors=[(begun.number, "page 2")])
    if change == "days":
        with database.begin():
            database.execute(text("UPDATE source SET run_began = '2020-01-01T00:00:00.000+00:00'"))
    (again,) = store.begin([("/s", "nested" if change == "options" else "")], anew=change == "anew")
    assert (again.run, again.cursor) == (begun.run + 1, "")


def test_two_sources_lose_one_repository(database: Connection) -> None:
    put(database, Found(URL, "tool", files=(held(),)))
    put(database, Found(URL, "tool", files=(held(),)), source="/other")
    store = Store(database)
    begun = store.begin([("/s", ""), ("/other", "")])
    assert store.end(begun) == [(URL, "tool")]


def test_again_reads_anew_what_is_held(database: Connection) -> None:
    put(database, Found(URL, "tool", files=(held(),)))
    with database.begin():
        database.execute(text("UPDATE record SET title = 'as an older reader had it'"))
    store, found = Store(database), Found(URL, "tool", files=(held(),))
    readings = {held().sha: rows_of(read(GOOD % b"One"))}
    store.put([(None, found)], readings)
    assert [r.title for r in rows(database, record)] == ["as an older reader had it"]
    store.put([(None, found)], readings, again=True)
    assert [r.title for r in rows(database, record)] == ["One"]
    assert len(rows(database, mention)) == 1
