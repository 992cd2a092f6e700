from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cffgraph.cff.folding import fold, latin
from cffgraph.db import models as m
from cffgraph.db import query
from cffgraph.db.engine import create_or_open
from cffgraph.db.query import Answer
from cffgraph.db.search import choose_authors, choose_works, find_authors, find_works
from sqlalchemy import Connection, Table, insert


def folded(name: str) -> str:
    return " ".join(dict.fromkeys((fold(name), latin(name))))


def put(connection: Connection, table: Table, **values: Any) -> None:
    """Insert a row; what is not given and may not be empty is 0 or an empty text."""
    row = {
        column.name: 0 if column.type.python_type in (int, float) else ""
        for column in table.columns
        if not column.nullable and not (column.primary_key and column.name == "id")
    }
    connection.execute(insert(table).values(row | values))


AUTHORS = [  # number, name, family, other forms, iD
    (11, "Ulf Holm", "holm", ["U. Holm"], "0000-0009-9001-0013"),
    (12, "Holm Hansen", "hansen", [], ""),
    (13, "Eva Holmes", "holmes", [], ""),
    (14, "Mika Ito", "ito", ["ITO Mika", "M. Ito"], ""),
    (15, "Mark Ito", "ito", [], ""),
    (16, "Олена Шевчук", "шевчук", [], ""),
    (17, "Ludo van Beekman", "beekman", [], ""),
    (18, "J. H. Sparrow", "sparrow", [], ""),
    (19, "李明", "李明", [], ""),
]


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    engine = create_or_open(str(tmp_path_factory.mktemp("query") / "study.db"))
    with engine.connect() as c:
        for number, name, family, also, orcid in AUTHORS:
            put(
                c, m.author, id=number, key=f"k{number}", kind="person", name=name, family=family, orcid=orcid
            )
            for at, form in enumerate([name, *also]):
                put(c, m.author_name, author_id=number, name=form, folded=folded(form), mentions=9 - at)
        put(c, m.author_redirect, id=91, author_id=92)
        put(c, m.author_redirect, id=92, author_id=11)
        put(c, m.author_redirect, id=93, author_id=94)
        put(c, m.author_redirect, id=94, author_id=93)

        for at, url in enumerate(("file:///b", "https://example.org/o/a", "file:///none"), 1):
            name = url.rpartition("/")[2]
            put(c, m.repository, id=at, url=url, name=name, state="ok" if at < 3 else "no-file")
        put(c, m.repository_alias, url="https://example.org/old/a", repository_id=2)
        for at, sha in enumerate("xyz", 1):
            outcome = "error" if sha == "z" else "ok"
            put(c, m.blob, id=at, sha=sha, content=b"", kind="cff", outcome=outcome)
        for place in (
            (1, "CITATION.cff", 1, "current"),
            (2, "sub/CITATION.cff", 1, "current"),
            (2, "CITATION.cff", 2, "stale"),
            (2, "CITATION.cff", 3, "broken"),
            (1, "old.cff", 2, "past"),
        ):
            values = dict(zip(("repository_id", "path", "blob_id", "standing"), place, strict=True))
            put(c, m.file, **values)
        for at, (blob, pointer) in enumerate([(1, ""), (1, "references[0]"), (2, "")], 1):
            put(c, m.record, id=at, blob_id=blob, pointer=pointer)
        entries: list[tuple[int, int, dict[str, str], dict[str, str]]] = [
            (1, 11, {"family-names": "HOLM", "given-names": "Ulf"}, {}),
            (2, 17, {"family-names": "Beekman", "name-particle": "van", "given-names": "Ludo"}, {}),
            (3, 14, {"surname": "Ito"}, {"family_names": "Ito", "given_names": "Mika"}),
        ]
        for record, number, written, read in entries:
            as_written = json.dumps(written)
            put(c, m.mention, id=record, record_id=record, role="authors", as_written=as_written, **read)
            put(c, m.author_mention, mention_id=record, author_id=number, reason="why", confidence=0.9)

        for number, title, doi in (
            (31, "Fast waves", "10.5555/w"),
            (32, "Fast waves II", ""),
            (33, "Волны", ""),
        ):
            put(c, m.work, id=number, key=f"w{number}", title=title, doi=doi, folded=folded(title))
        put(c, m.work_identifier, work_id=31, kind="doi", value="10.5555/w")
        put(c, m.work_identifier, work_id=31, kind="swh", value="swh:1:dir:00")
        put(c, m.work_repository, work_id=32, repository_id=2)
        put(c, m.work_repository, work_id=32, repository_id=1)
        put(c, m.authorship, work_id=32, author_id=14, position=1)
        put(c, m.authorship, work_id=32, author_id=11, position=0)
        put(c, m.citation, citing_id=32, cited_id=31, kind="reference")
        yield c
    engine.dispose()


def rows(answer: Answer) -> list[dict[str, Any]]:
    found = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows()]
    assert answer.count() == len(found)
    assert [tuple(row.values()) for row in found[:2]] == list(answer.rows(2))
    return found


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Holm", [11, 12, 13]),
        ("Hol", [11, 13, 12]),
        ("holm ulf", [11]),
        ("Holm, Ulf", [11]),
        ("mika ito", [14]),
        ("M Ito", [14, 15]),
        ("Shevchuk", [16]),
        ("Olena ШЕВЧУК", [16]),
        ("ОЛЕНА", [16]),
        ("JH Sparrow", [18]),
        ("李明", [19]),
        ("liming", [19]),
        ("0000000990010013", [11]),
        ("https://orcid.org/0000-0009-9001-0013", [11]),
        ("11", [11]),
        ("91", [11]),
        ("93", []),
        ("999999999999999999999999", []),
        ('"; DROP TABLE author; --', []),
        ("NEAR(a b)", []),
        ("", []),
    ],
)
def test_authors_by_name(connection: Connection, name: str, numbers: list[int]) -> None:
    answer = query.authors(connection, find_authors(connection, name))
    assert [row["author"] for row in rows(answer)] == numbers


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Holm", (11,)),
        ("Hansen", (12,)),
        ("Hol", (11, 12, 13)),
        ("Ito", (14, 15)),
        ("Mika Ito", (14,)),
        ("Ito Mika", (14,)),
        ("M. Ito", (14,)),
        ("van Beekman", (17,)),
        ("Olena Shevchuk", (16,)),
        ("92", (11,)),
        ("Nobody", ()),
    ],
)
def test_the_author_that_is_meant(connection: Connection, name: str, numbers: tuple[int, ...]) -> None:
    assert choose_authors(connection, name) == numbers


def test_other_forms_of_a_name(connection: Connection) -> None:
    (row,) = rows(query.authors(connection, find_authors(connection, "14")))
    assert row["also"] == ["ITO Mika", "M. Ito"]
    assert row["orcid"] is None


def test_mentions_at_every_place(connection: Connection) -> None:
    found = rows(query.mentions(connection))
    places = [(row["repository"], row["file"], row["pointer"], row["as_written"]) for row in found]
    assert places == [
        ("file:///b", "CITATION.cff", "authors[0]", "Ulf HOLM"),
        ("file:///b", "CITATION.cff", "references[0].authors[0]", "Ludo van Beekman"),
        ("https://example.org/o/a", "CITATION.cff", "authors[0]", "Mika Ito"),
        ("https://example.org/o/a", "sub/CITATION.cff", "authors[0]", "Ulf HOLM"),
        ("https://example.org/o/a", "sub/CITATION.cff", "references[0].authors[0]", "Ludo van Beekman"),
    ]
    assert (found[0]["reason"], found[0]["confidence"]) == ("why", 0.9)
    of_one = rows(query.mentions(connection, find_authors(connection, "Beekman")))
    assert of_one == [row for row in found if row["author"] == 17]


@pytest.mark.parametrize(
    ("entry", "written"),
    [
        ({"given-names": "Ludo", "name-particle": "van", "family-names": "Beekman"}, "Ludo van Beekman"),
        ({"family-names": "Beekman", "name-suffix": "Jr."}, "Beekman Jr."),
        ({"name": "The Lab", "alias": "lab"}, "The Lab"),
        ({"alias": "octo"}, "octo"),
        ({"nachname": "Beekman"}, "A B"),
        ("A plain text", "A B"),
    ],
)
def test_a_name_as_written(entry: object, written: str) -> None:
    assert query._written(json.dumps(entry), ["A", "", "B", "", "", ""]) == written


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("fast", (31, 32)),
        ("Fast Waves", (31,)),
        ("fast waves ii", (32,)),
        ("wav fas", (31, 32)),
        ("волны", (33,)),
        ("volny", (33,)),
        ("10.5555/W", (31,)),
        ("https://doi.org/10.5555/w", (31,)),
        ("swh:1:dir:00", (31,)),
        ("https://example.org/o/a", (32,)),
        ("http://example.org/o/a.git", (32,)),
        ("https://example.org/old/a/", (32,)),
        ("https://example.org/nothing", ()),
        ("32", (32,)),
        ("--", ()),
    ],
)
def test_the_work_that_is_meant(connection: Connection, words: str, numbers: tuple[int, ...]) -> None:
    assert choose_works(connection, words) == numbers


def test_works(connection: Connection) -> None:
    found = rows(query.works(connection))
    assert [row["work"] for row in found] == [31, 32, 33]
    assert found[0]["identifiers"] == ["doi:10.5555/w", "swh:1:dir:00"]
    assert found[1]["authors"] == [11, 14]
    assert found[1]["repositories"] == ["file:///b", "https://example.org/o/a"]
    assert (found[1]["doi"], found[1]["version"], found[1]["year"]) == (None, None, None)
    assert [row["work"] for row in rows(query.works(connection, by=14))] == [32]
    assert [row["work"] for row in rows(query.works(connection, cited_by=32))] == [31]
    assert [row["work"] for row in rows(query.works(connection, cites=31))] == [32]
    exact_first = rows(query.works(connection, find_works(connection, "fast waves")))
    assert [row["work"] for row in exact_first] == [31, 32]


def test_citations_name_the_first_repository(connection: Connection) -> None:
    (row,) = rows(query.citations(connection))
    assert (row["citing"], row["cited"], row["repository"]) == (32, 31, "file:///b")
    assert rows(query.citations(connection, 33)) == []


def test_repositories_show_the_file_they_hold_now(connection: Connection) -> None:
    found = [(r["name"], r["state"], r["file"], r["outcome"]) for r in rows(query.repositories(connection))]
    assert found == [
        ("b", "ok", "CITATION.cff", "ok"),
        ("none", "no-file", None, None),
        ("a", "ok", "CITATION.cff", "error"),
    ]
    assert rows(query.repositories(connection))[2]["aliases"] == ["https://example.org/old/a"]


def test_more_numbers_than_sqlite_binds(connection: Connection) -> None:
    answer = query.authors_numbered(connection, range(100_000))
    assert answer.count() == len(AUTHORS)
