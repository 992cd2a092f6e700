"""Decisions outlive what they were made on, and undoing them gives back the very state before."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cffgraph.cff.errors import DecisionError
from cffgraph.cff.read import blob_id, read
from cffgraph.db import models as m
from cffgraph.db.decisions import (
    Decision,
    named_mentions,
    names_of_author,
    names_of_mentions,
    put_decision,
    read_decisions,
    undo,
)
from cffgraph.db.engine import create_or_open
from cffgraph.db.found import Found, FoundFile
from cffgraph.db.ledger import read_ledger, write_ledger
from cffgraph.db.masks import read_mask, read_shown
from cffgraph.db.named import MentionName
from cffgraph.db.places import find_places
from cffgraph.db.query import mentions
from cffgraph.db.rows import rows_of
from cffgraph.db.search import choose_authors
from cffgraph.db.store import Store
from cffgraph.resolve.run import resolve
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

ONE, TWO, THREE = "0000-0009-9001-0013", "0000-0009-9001-0021", "0000-0009-9001-003X"

WORLD = {
    "aurora": [f"Moira Tresk {ONE}", "Mika Ito", "team: The Aurora Team"],
    "borealis": ["M. Tresk", "Kaori Ito", "Mika Ito"],
    "corona": ["Moira Tresk-Vale", "Mika Ito", "Jon Tresk"],
    "dawn": ["Moira Tresk", "Ada Quill", "team: Aurora Team"],
    "eos": ["M. Tresk", "Ada Quill", f"Ada Quill {TWO}"],
    "flare": ["Wen Talo", "Wen Talo"],
    "glow": ["Wen Talo", "Moira Tresk"],
}

CONCLUSIONS = (
    m.work, m.work_identifier, m.work_record, m.work_repository, m.author, m.author_name, m.author_mention,
    m.author_redirect, m.decided_redirect, m.undecided_author, m.undecided_mention, m.author_private,
    m.candidate, m.authorship, m.citation, m.conflict, m.conflict_mention,
)  # fmt: skip


def written(title: str, authors: list[str]) -> bytes:
    lines = ["cff-version: 1.2.0", "message: m", f"title: {title.title()}", "authors:"]
    for author in authors:
        if author.startswith("team: "):
            lines.append(f"- name: {author.removeprefix('team: ')}")
            continue
        words = author.split()
        orcid = words.pop() if words[-1][0] == "0" else ""
        lines.append(f"- given-names: {' '.join(words[:-1])}\n  family-names: {words[-1]}")
        if orcid:
            lines.append(f"  orcid: https://orcid.org/{orcid}")
    return "\n".join(lines).encode() + b"\n"


def crawl(
    connection: Connection,
    world: dict[str, list[str]],
    path: str = "CITATION.cff",
    at: str = "forge",
    title: str = "",
) -> None:
    store = Store(connection)
    (source,) = store.begin([("/s", "")])
    founds, readings = [], {}
    for name, authors in world.items():
        content = written(title or name, authors)
        sha = blob_id(content)
        if store.unread([sha]):
            readings[sha] = rows_of(read(content))
        founds.append(
            Found(
                f"https://{at}.example/o/{name}",
                name,
                at,
                files=(FoundFile(path, sha, content),) if authors else (),
            )
        )
    store.put([(source, found) for found in founds], readings)
    with connection.begin():
        resolve(connection)


def dump(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    return {t.name: sorted(map(tuple, connection.execute(select(t))), key=repr) for t in CONCLUSIONS}


def decide(connection: Connection, decision: Decision) -> int:
    number, _ = put_decision(connection, decision)
    resolve(connection)
    return number


def author(connection: Connection, name: str) -> int:
    (number,) = choose_authors(connection, name)
    return number


def about(connection: Connection, kind: str, a: str, b: str = "", **more: object) -> Decision:
    one = author(connection, a)
    two = author(connection, b) if b else 0
    return Decision(
        kind,
        names_of_author(connection, one),
        names_of_author(connection, two) if two else (),
        before=(one, two),
        **more,  # type: ignore[arg-type]
    )


def grouped(connection: Connection) -> set[frozenset[str]]:
    """The authors as sets of the last parts of where their mentions stand."""
    found: dict[int, set[str]] = {}
    for number, _, _, _, url, _, pointer, *_ in mentions(connection).rows():
        found.setdefault(number, set()).add(f"{url.rpartition('/')[2]}:{pointer}")
    return {frozenset(places) for places in found.values()}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("decisions") / "world.db"
    engine = create_or_open(str(path))
    with engine.connect() as connection:
        crawl(connection, WORLD)
    engine.dispose()
    return path


@pytest.fixture
def opened(world: Path, tmp_path: Path) -> Iterator[Callable[[], Connection]]:
    shutil.copy(world, tmp_path / "x.db")
    engine = create_or_open(str(tmp_path / "x.db"))
    yield engine.connect
    engine.dispose()


@pytest.fixture
def db(opened: Callable[[], Connection]) -> Iterator[Connection]:
    with opened() as connection:
        yield connection


STEP = st.tuples(
    st.sampled_from(["merge", "merge", "split", "split", "distinct", "rename", "private"]),
    st.integers(0, 50),
    st.integers(0, 50),
    st.integers(1, 3),
)


def drawn(connection: Connection, kind: str, i: int, j: int, some: int) -> Decision | None:
    """A decision that the command line would take, on the authors as they are now."""
    numbers = list(connection.scalars(select(m.author.c.id).order_by(m.author.c.id)))
    one, two = numbers[i % len(numbers)], numbers[j % len(numbers)]
    if kind in ("merge", "distinct"):
        if one == two:
            return None
        sides = (names_of_author(connection, one), names_of_author(connection, two))
        return Decision(kind, *sides, before=(one, two))
    if kind == "split":
        link = m.author_mention.c
        own = list(
            connection.scalars(select(link.mention_id).where(link.author_id == one).order_by(link.mention_id))
        )
        if len(own) < 2:
            return None
        off = random.Random(j).sample(own, min(some, len(own) - 1))
        return Decision("split", *names_of_mentions(connection, off, one), before=(0, one))
    return Decision(
        "rename", names_of_author(connection, one), (), f"Kai Nr {j}", kind == "private", before=(one,)
    )


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(STEP, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_undoing_gives_back_the_very_state_before(
    world: Path, steps: list[tuple[str, int, int, int]], mixer: random.Random
) -> None:
    engine = create_or_open(str(world))
    with engine.connect() as connection, connection.begin() as transaction:
        states = [dump(connection)]
        numbers = []
        for step in steps:
            decision = drawn(connection, *step)
            if decision is not None:
                number, is_new = put_decision(connection, decision)
                if is_new:
                    resolve(connection, anew=mixer.random() < 0.5)
                    numbers.append(number)
                    states.append(dump(connection))
        if mixer.random() < 0.5:  # backwards: each state comes again
            while numbers:
                assert dump(connection) == states.pop()
                assert undo(connection).number == numbers.pop()
                resolve(connection)
        else:
            mixer.shuffle(numbers)
            for number in numbers:
                undo(connection, number)
                resolve(connection)
        assert dump(connection) == states[0]
        transaction.rollback()
    engine.dispose()


def test_a_rebuilt_database_obeys_the_ledger(db: Connection, database: Connection) -> None:
    with db.begin():
        decide(db, about(db, "merge", "Jon Tresk", "Kaori Ito"))
        off = find_places(db, "glow:CITATION.cff:authors[0]")
        one = author(db, str(off[0][1]))
        decide(db, Decision("split", *names_of_mentions(db, [off[0][0]], one), before=(0, one)))
        decide(db, about(db, "rename", "Mika Ito", name="Mika Itō"))
        text = write_ledger(read_shown(db))
        there, names = grouped(db), sorted(db.scalars(select(m.author.c.name)))
    # Other rows, another order, another place.
    crawl(database, {name: WORLD[name] for name in sorted(WORLD, reverse=True)}, "docs/citation.cff")
    with database.begin():
        for decision in read_ledger(text):
            assert put_decision(database, decision)[1]
        resolve(database)
        assert grouped(database) == there
        assert sorted(database.scalars(select(m.author.c.name))) == names
        assert write_ledger(read_shown(database)) == text
        assert [put_decision(database, d)[1] for d in read_ledger(text)] == [False] * 3


def test_decisions_hold_for_new_versions_of_a_file(db: Connection) -> None:
    with db.begin():
        decide(db, about(db, "merge", "Jon Tresk", "Kaori Ito"))
        decide(db, about(db, "distinct", "Jon Tresk", "M. Tresk"))
    changed = {
        "borealis": ["New Body", "M. Tresk", f"Kaori Ito {THREE}"],  # moved in its list; an iD has come
        "corona": ["Jon Tresk"],
    }
    crawl(db, changed)
    with db.begin():
        assert frozenset({"borealis:authors[2]", "corona:authors[0]"}) in grouped(db)
        assert not [c for c in db.scalars(select(m.conflict.c.code)) if c.startswith("decision")]


def test_what_names_nothing_is_kept_and_harmless(db: Connection) -> None:
    with db.begin():
        before = dump(db)
        decide(db, about(db, "merge", "Jon Tresk", "Kaori Ito"))
    crawl(db, {"corona": []})
    with db.begin():
        told = db.execute(select(m.conflict.c.code, m.conflict.c.message)).all()
        idle = [message for code, message in told if code == "decision-idle"]
        assert len(idle) == 1
        assert "decision 1 (merge of " in idle[0]
        assert len(read_decisions(db)) == 1
    crawl(db, {"corona": WORLD["corona"]})
    with db.begin():
        assert frozenset({"borealis:authors[1]", "corona:authors[2]"}) in grouped(db)
        undo(db)
        resolve(db)
        assert {t: len(rows) for t, rows in dump(db).items()} == {t: len(rows) for t, rows in before.items()}


def test_a_merged_number_leads_on_and_comes_back(db: Connection) -> None:
    with db.begin():
        one, two = author(db, "Jon Tresk"), author(db, "Kaori Ito")
        decide(db, about(db, "merge", "Jon Tresk", "Kaori Ito"))
        assert choose_authors(db, str(one)) == choose_authors(db, str(two)) != ()
        undo(db)
        resolve(db)
        assert (author(db, "Jon Tresk"), author(db, "Kaori Ito")) == (one, two)


def test_the_rest_of_a_split_keeps_the_number(db: Connection) -> None:
    with db.begin():
        one = author(db, "Moira Tresk")
        ((mention, number, _),) = find_places(db, "aurora:CITATION.cff:authors[0]")
        assert number == one
        decide(db, Decision("split", *names_of_mentions(db, [mention], one), before=(0, one)))
        ((_, off, _),) = find_places(db, "https://forge.example/o/aurora:CITATION.cff:authors[0]")
        ((_, rest, _),) = find_places(db, "dawn:CITATION.cff:authors[0]")
        assert (rest, off == one) == (one, False)


def test_distinct_authors_keep_their_numbers_when_the_evidence_would_join_them(db: Connection) -> None:
    with db.begin():
        one, two = author(db, "Jon Tresk"), author(db, "Kaori Ito")
        decide(db, about(db, "distinct", "Jon Tresk", "Kaori Ito"))
    # One iD, and a change of name.
    crawl(db, {"corona": [f"Jon Tresk {THREE}"], "borealis": [f"Kaori Ito {THREE}", f"Mark Ito {THREE}"]})
    with db.begin():
        decide(db, about(db, "merge", "Jon Tresk", "Mark Ito"))
        numbers = {written: number for number, _, _, written, *_ in mentions(db).rows()}
        assert (numbers["Jon Tresk"], numbers["Kaori Ito"]) == (one, two)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://forge.example/o/flare:CITATION.cff:authors[1]", 1),
        ("flare:CITATION.cff:authors[1]", 1),
        ("o/flare:CITATION.cff:authors[1]", 1),
        ("lare:CITATION.cff:authors[1]", 0),
        ("CITATION.cff:authors[1]", 7),
        ("authors[1]", 7),
        ("flare:CITATION.cff:authors[9]", 0),
        ("flare:CITATION.cff:authors[x]", 0),
        ("flare", 0),
        ("", 0),
        ("[" + "9" * 30 + "]", 0),
    ],
)
def test_places(db: Connection, address: str, found: int) -> None:
    with db.begin():
        assert len(find_places(db, address)) == found


def test_entries_that_are_written_alike_are_told_apart_by_their_order(db: Connection) -> None:
    with db.begin():
        ((mention, one, _),) = find_places(db, "flare:CITATION.cff:authors[1]")
        a, b = names_of_mentions(db, [mention], one)
        assert a == (MentionName("Wen Talo", work="Flare", entry=2),)
        assert set(b) == {
            MentionName("Wen Talo", work="Flare", entry=1),
            MentionName("Wen Talo", work="Glow"),
        }
        assert named_mentions(db, a) == (mention,)


def test_what_is_written_alike_in_two_descriptions_of_a_work_goes_together(db: Connection) -> None:
    crawl(db, {"fork": ["Moira Tresk", "Ada Quill", "team: Aurora Team", "Ute Stahl"]}, title="dawn")
    with db.begin():
        ((mention, one, _),) = find_places(db, "dawn:CITATION.cff:authors[1]")
        a, b = names_of_mentions(db, [mention], one)
        assert a == (MentionName("Ada Quill", work="Dawn"),)
        assert a[0] not in b
        decide(db, Decision("split", a, b, before=(0, one)))
        (off,) = (group for group in grouped(db) if "dawn:authors[1]" in group)
        assert "fork:authors[1]" in off
        assert "eos:authors[1]" not in off


def test_a_private_name_is_shown_nowhere(db: Connection) -> None:
    with db.begin():
        decide(db, about(db, "merge", "Moira Tresk", "M. Tresk"))
        decide(db, about(db, "rename", "Moira Tresk", name="Moira Valesca-Tresk"))
        decide(db, about(db, "rename", "Moira Tresk", name="Kai Vale", is_private=True))
        for table in (m.author, m.author_name, m.conflict, m.candidate, m.author_mention):
            assert "moira" not in repr(list(db.execute(select(table)))).lower()
        assert "moira" not in repr(list(mentions(db).rows())).lower()
        assert choose_authors(db, "Moira") == ()
        text = write_ledger(d for d in read_shown(db, undone=True) if d.kind != "rename" or d.name)
        assert "moira" not in text.lower()
        assert text.count("decision: ") == 2
        # A later file writes the old name: it is found, and hidden.
        kai = author(db, "Kai Vale")
    crawl(db, {"halo": [f"Moira B. Tresk {ONE}"]})
    with db.begin():
        assert ("Kai Vale", kai) in {(written, n) for n, _, _, written, *_ in mentions(db).rows()}
        assert "moira" not in repr(list(mentions(db).rows())).lower()
        # What is shown is still known: applying it changes nothing.
        assert [put_decision(db, d)[1] for d in read_ledger(text)] == [False, False]
        assert read_mask(db).hides("moira tresk")
        undo(db)
        resolve(db)
        assert author(db, "Moira Valesca-Tresk") == kai


def test_hidden_names_match_with_their_key_only(db: Connection, database: Connection) -> None:
    with db.begin():
        decide(db, about(db, "rename", "Moira Tresk", name="Kai Vale", is_private=True))
        text = write_ledger(read_shown(db))
    crawl(database, WORLD)
    with database.begin():
        for decision in read_ledger(text):
            decide(database, decision)
        assert list(
            database.scalars(select(m.conflict.c.code).where(m.conflict.c.code.like("decision%")))
        ) == ["decision-idle"]
        assert choose_authors(database, "Kai Vale") == ()


def test_undo_says_what_it_cannot(db: Connection) -> None:
    with db.begin():
        with pytest.raises(DecisionError, match="no decision stands"):
            undo(db)
        number = decide(db, about(db, "distinct", "Jon Tresk", "M. Tresk"))
        with pytest.raises(DecisionError, match="there is no decision 99"):
            undo(db, 99)
        undo(db, number)
        with pytest.raises(DecisionError, match="is undone already"):
            undo(db, number)
        assert [d.number for d in read_decisions(db, undone=True)] == [number]
        assert read_decisions(db) == []


NAME = st.text(min_size=1, max_size=12).filter(lambda t: t.strip() and "\x00" not in t)
MENTION = st.builds(
    MentionName,
    name=NAME,
    orcid=st.sampled_from(["", ONE]),
    work=st.text(max_size=8),
    doi=st.sampled_from(["", "10.5555/x"]),
    kind=st.sampled_from(["person", "entity", "bot"]),
    entry=st.integers(0, 3),
)
SIDE = st.sets(MENTION, min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["merge", "split", "distinct"]), SIDE, SIDE, st.booleans())
def test_a_ledger_is_read_as_it_was_written(
    kind: str, a: tuple[MentionName, ...], b: tuple[MentionName, ...], hide: bool
) -> None:
    if hide:
        a = tuple(sorted(name.hide(b"key") for name in a))
    decision = Decision(kind, a, b, made_at="2026-01-02T03:04:05.678+00:00")
    assert read_ledger(write_ledger([decision])) == [decision]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "line "),
        ("a: b", "is no list of decisions"),
        ("- x", "decision 1: is no mapping"),
        ("- decision: mrege", "decision 1: decision is none of merge, split, distinct, rename"),
        ("- decision: merge\n  mad: x", "unknown key 'mad'"),
        ("- decision: merge\n  name: x", "unknown key 'name'"),
        ("- decision: merge\n  made: now\n  mentions: [{name: A}]\n  with: [{name: B}]", "made is no time"),
        ("- decision: merge\n  mentions: []", "mentions is no list of mentions"),
        ("- decision: merge\n  mentions: [{name: A}]", "with is no list of mentions"),
        ("- decision: merge\n  mentions: [A]", "mentions 1: is no mention"),
        ("- decision: merge\n  mentions: [{name: A, shoe: 9}]", "mentions 1: unknown key 'shoe'"),
        ("- decision: merge\n  mentions: [{work: A}]", "mentions 1: has no name"),
        ("- decision: merge\n  mentions: [{name: A, entry: x}]", "entry is no number"),
        ("- decision: merge\n  mentions: [{name: A, kind: x}]", "kind is none of"),
        ("- decision: merge\n  mentions: [{name-hash: A}]", "a hash is 32 digits"),
        ("- decision: rename\n  mentions: [{name: A}]", "'' is no name to show"),
        ("- decision: rename\n  private: perhaps\n  name: A", "private is neither"),
        ("- &a [*a]", "recursive"),
        ("[" * 3000, "is no YAML"),
        ("- decision: merge\n\tmentions: x", "line 2"),
    ],
)  # fmt: skip
def test_a_ledger_that_is_not_understood(text: str, told: str) -> None:
    with pytest.raises(DecisionError) as error:
        read_ledger(text)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_an_empty_ledger() -> None:
    assert read_ledger("") == read_ledger("# nothing\n") == read_ledger(write_ledger([])) == []
