from __future__ import annotations

from typing import Any

import pytest
from cffgraph.cff.read import blob_id
from cffgraph.db.found import Found, FoundFile
from cffgraph.db.models import repository, repository_alias
from cffgraph.db.store import Store
from sqlalchemy import Connection, select

HOST = "forge.example"
PLACE = f"https://{HOST}"


def found(path: str, number: int | None = None, **facts: Any) -> Found:
    url = f"{PLACE}/{path}"
    facts.setdefault("files", ())
    forge_id = None if number is None else str(number)
    return Found(url, path.rsplit("/", 1)[-1], HOST, forge_id=forge_id, **facts)


def put(connection: Connection, *founds: Found) -> None:
    store = Store(connection)
    store.put([(None, each) for each in founds], {})


def urls(connection: Connection) -> dict[str, str | None]:
    """URL -> the forge's number."""
    with connection.begin():
        rows = connection.execute(select(repository.c.url, repository.c.forge_id).order_by(repository.c.id))
        return {row.url.removeprefix(f"{PLACE}/"): row.forge_id for row in rows}


def aliases(connection: Connection) -> dict[str, str]:
    query = select(repository_alias.c.url, repository.c.url.label("now")).join(
        repository, repository.c.id == repository_alias.c.repository_id
    )
    with connection.begin():
        return {
            row.url.removeprefix(f"{PLACE}/"): row.now.removeprefix(f"{PLACE}/")
            for row in connection.execute(query)
        }


def test_a_rename_is_followed_and_the_old_name_kept(database: Connection) -> None:
    put(database, found("o/old", 77))
    put(database, found("o/new", 77, asked=f"{PLACE}/o/old"))
    assert urls(database) == {"o/new": "77"}
    assert aliases(database) == {"o/old": "o/new"}
    put(database, found("p/newest", 77))
    assert aliases(database) == {"o/old": "p/newest", "o/new": "p/newest"}


def test_two_names_of_one_in_one_batch(database: Connection) -> None:
    put(
        database,
        found("o/new", 77, asked=f"{PLACE}/o/old"),
        found("o/new", 77, asked=f"{PLACE}/O/New"),
    )
    assert urls(database) == {"o/new": "77"}
    assert aliases(database) == {"o/old": "o/new", "O/New": "o/new"}


def test_an_old_name_that_another_repository_takes(database: Connection) -> None:
    put(database, found("o/tool", 1, head="a" * 40))
    put(database, found("o/tool", 2, head="b" * 40))
    assert urls(database) == {"o/tool#1": "1", "o/tool": "2"}
    # The first one turns up under its new name.
    put(database, found("o/other", 1))
    assert urls(database) == {"o/other": "1", "o/tool": "2"}
    assert "o/tool" not in aliases(database)


def test_two_that_change_places(database: Connection) -> None:
    put(database, found("o/a", 1), found("o/b", 2))
    put(database, found("o/b", 1), found("o/a", 2))
    assert urls(database) == {"o/b": "1", "o/a": "2"}
    assert aliases(database) == {}


def test_a_repository_without_a_number_gets_one(database: Connection) -> None:
    put(database, found("o/tool"))
    put(database, found("o/tool", 5))
    assert urls(database) == {"o/tool": "5"}
    put(database, found("o/tool"))  # by plain git again
    assert urls(database) == {"o/tool": "5"}


def test_what_git_found_under_the_new_name_is_the_renamed_one(database: Connection) -> None:
    put(database, found("o/old", 5), found("o/new"))
    put(database, found("o/new", 5))
    assert urls(database) == {"o/new": "5"}
    assert aliases(database) == {"o/old": "o/new"}


def test_a_new_repository_at_an_old_name_is_no_alias_any_more(database: Connection) -> None:
    put(database, found("o/new", 5, asked=f"{PLACE}/o/old"))
    put(database, found("o/old", 6))
    assert urls(database) == {"o/new": "5", "o/old": "6"}
    assert aliases(database) == {}
    # And what is asked for under a name that is another's own does not take it away.
    put(database, found("o/new", 5, asked=f"{PLACE}/o/old"))
    assert aliases(database) == {}


def test_the_same_number_on_another_host_is_another_repository(database: Connection) -> None:
    put(database, found("o/tool", 5))
    put(database, Found("https://other.example/o/tool", "tool", "other.example", forge_id="5", files=()))
    assert len(urls(database)) == 2


@pytest.mark.parametrize("state", ["gone", "private", "blocked", "failed"])
def test_what_was_known_of_one_that_is_gone_stays(database: Connection, state: Any) -> None:
    sha = blob_id(b"x")
    facts = {"head": "a" * 40, "is_fork": True, "parent_url": f"{PLACE}/p/tool", "validator": '"1"'}
    put(database, found("o/tool", 5, files=(FoundFile("CITATION.cff", sha, b"x"),), **facts))
    put(database, found("o/tool", None, state=state, reason="so", files=None))
    with database.begin():
        row = database.execute(select(repository)).one()
    assert (row.state, row.reason, row.forge_id, row.is_fork) == (state, "so", "5", True)
    assert (row.head, row.validator) == ("a" * 40, '"1"')


def test_known_by_any_name(database: Connection) -> None:
    put(database, found("o/new", 5, asked=f"{PLACE}/o/old", head="a" * 40, validator='"1"'))
    known = Store(database).known([f"{PLACE}/o/old", f"{PLACE}/o/new", f"{PLACE}/o/none"])
    assert {url.removeprefix(f"{PLACE}/"): (k.head, k.validator) for url, k in known.items()} == {
        "o/old": ("a" * 40, '"1"'),
        "o/new": ("a" * 40, '"1"'),
    }
