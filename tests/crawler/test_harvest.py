from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from cffgraph.crawler import harvest, reading
from cffgraph.crawler.git import Git
from cffgraph.crawler.harvest import Harvest, HarvestStats
from cffgraph.crawler.hosts import Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import NEW, Mark, Options, Past, Step, Trouble, Unit
from cffgraph.crawler.specs import understand
from cffgraph.db.found import Found, Known
from cffgraph.db.store import Store
from sqlalchemy import Connection, text

Make = Callable[..., Any]

CONTENT = """
SELECT r.url, r.name, r.state, r.reason, r.head, f.path, f.standing, b.sha, b.outcome, c.pointer, c.title,
  c.fields, m.role, m.position, m.as_written
FROM repository r LEFT JOIN file f ON f.repository_id = r.id LEFT JOIN blob b ON b.id = f.blob_id
LEFT JOIN record c ON c.blob_id = b.id LEFT JOIN mention m ON m.record_id = c.id
ORDER BY r.url, f.path, b.sha, c.pointer, m.role, m.position
"""


def cff(title: str) -> str:
    return f"cff-version: 1.2.0\nmessage: Cite it.\ntitle: {title}\nauthors:\n- family-names: Probe\n"


HOSTS = Hosts(allowed=["127.0.0.1"])


def crawl(connection: Connection, *places: str | Path, **options: Any) -> HarvestStats:
    sources = [understand(str(place), HOSTS) for place in places]
    return Harvest(
        Store(connection), sources, Options(Git(), Web(HOSTS, backoff_s=0.01), **options), jobs=4
    ).run()


def content(connection: Connection) -> list[tuple[Any, ...]]:
    """All that a crawl stored, apart from numbers and times."""
    with connection.begin():
        return [tuple(row) for row in connection.execute(text(CONTENT))]


def states(connection: Connection) -> dict[str, str]:
    with connection.begin():
        rows = connection.execute(text("SELECT url, state FROM repository"))
        return {row.url.rsplit("/", 1)[-1]: row.state for row in rows}


def evidence(connection: Connection) -> int:
    with connection.begin():
        return int(connection.execute(text("SELECT evidence FROM progress")).scalar_one())


def write(folder: Path, data: str | bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CITATION.cff").write_bytes(data.encode() if isinstance(data, str) else data)


@pytest.fixture
def world(tmp_path: Path, make_repository: Make) -> Path:
    """Five repositories: in git, in git without a file, in a folder, broken, and without a commit."""
    make_repository("world/git", {"CITATION.cff": cff("Git")})
    make_repository("world/without", {"README": "x"})
    make_repository("world/unborn")
    write(tmp_path / "world" / "folder", cff("Folder") + "odd-key: 1\n")
    write(tmp_path / "world" / "broken", "title: [\n")
    return tmp_path / "world"


def test_all_kinds_at_once(database: Connection, world: Path) -> None:
    stats = crawl(database, world)
    assert (stats.repositories, stats.with_file, stats.without_file, stats.unchanged) == (5, 3, 2, 0)
    assert (stats.files_ok, stats.files_warned, stats.files_unreadable) == (1, 1, 1)
    ((url, path, line, column, message),) = stats.unreadable
    assert (url, path) == (f"file://{world}/broken", "CITATION.cff")
    assert min(line, column) > 0
    assert message
    assert states(database) == {
        "git": "ok",
        "without": "no-file",
        "unborn": "empty",
        "folder": "ok",
        "broken": "unreadable",
    }


def test_a_second_crawl_reads_nothing(
    database: Connection, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = crawl(database, world)
    before, version = content(database), evidence(database)
    monkeypatch.setattr(reading, "read_rows", lambda files: pytest.fail("read again") if files else [])
    again = crawl(database, world)
    assert (again.unchanged, again.repositories, again.faults) == (4, 5, first.faults)
    assert (again.files_ok, again.files_warned, again.files_unreadable) == (1, 1, 1)
    assert (content(database), evidence(database)) == (before, version)


def test_refresh_reads_all_again(database: Connection, world: Path) -> None:
    crawl(database, world)
    before = content(database)
    with database.begin():
        database.execute(text("UPDATE record SET title = 'as an older reader had it'"))
    assert content(database) != before
    assert crawl(database, world, refresh=True).unchanged == 0
    assert content(database) == before


def test_what_a_folder_no_longer_holds(database: Connection, world: Path) -> None:
    crawl(database, world)
    before = evidence(database)
    shutil.rmtree(world / "git")
    (world / "folder" / "CITATION.cff").unlink()
    stats = crawl(database, world)
    assert (stats.gone, stats.repositories) == (2, 3)
    assert {n: s for n, s in states(database).items() if n in ("git", "folder")} == {
        "git": "gone",
        "folder": "no-file",
    }
    assert {row[6] for row in content(database) if row[0].endswith(("/git", "/folder"))} == {"past"}
    assert evidence(database) > before
    write(world / "folder", cff("Folder") + "odd-key: 1\n")
    assert crawl(database, world).gone == 0
    assert states(database)["folder"] == "ok"
    assert {row[6] for row in content(database) if row[0].endswith("/folder")} == {"current"}


def test_what_cannot_be_looked_into_is_not_gone(database: Connection, world: Path) -> None:
    crawl(database, world)
    before = content(database)
    world.rename(world.with_name("elsewhere"))
    stats = crawl(database, world)
    assert stats.failures == [(str(world), "cannot be read: No such file or directory")]
    assert (stats.gone, stats.failed, content(database)) == (0, {"place": 1}, before)


def test_a_repository_that_another_source_holds_is_not_gone(database: Connection, world: Path) -> None:
    crawl(database, world, world / "folder" / "CITATION.cff", world / "folder")
    (world / "folder").rename(world.with_name("moved"))
    assert crawl(database, world).gone == 0
    assert states(database)["folder"] == "ok"


def test_a_folder_without_anything(database: Connection, tmp_path: Path, world: Path) -> None:
    (tmp_path / "nothing").mkdir()
    stats = crawl(database, tmp_path / "nothing", world / "folder")
    assert stats.failures == [(str(tmp_path / "nothing"), "holds no CITATION.cff and no git repository")]
    assert stats.files_warned == 1


def test_a_git_repository_that_breaks_keeps_what_it_said(database: Connection, world: Path) -> None:
    crawl(database, world)
    shutil.rmtree(world / "git" / ".git" / "objects")
    stats = crawl(database, world)
    assert stats.failed == {"failed": 1}
    assert states(database)["git"] == "failed"
    assert [row[6] for row in content(database) if row[0].endswith("/git")] == ["current"]


def test_batches_and_processes_change_nothing(
    database: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small batches, read by several processes, with the same file in several batches."""
    for number in range(60):
        write(tmp_path / "world" / f"r{number}" / "tool", cff(f"T{number % 7}"))
    crawl(database, tmp_path / "world")
    wanted = content(database)
    with database.begin():
        for table in ("file", "mention", "record", "blob", "source_repository", "repository", "source"):
            database.execute(text(f"DELETE FROM {table}"))
    monkeypatch.setattr(harvest, "BATCH", 4)
    monkeypatch.setattr(reading, "FEW", 0)
    monkeypatch.setattr(reading, "_processors", lambda: 2)
    crawl(database, tmp_path / "world")
    assert content(database) == wanted
    with database.begin():
        assert database.execute(text("SELECT count(*) FROM blob")).scalar_one() == 7


class Slow:
    """A source of many repositories, whose later ones wait for an event."""

    spec = "/slow"

    def __init__(self, count: int, free: int, error: BaseException | None = None) -> None:
        self.count, self.free, self.error, self.go = count, free, error, threading.Event()

    def units(self, options: Options, past: Past = NEW) -> Iterator[Unit | Trouble]:
        for number in range(self.count):
            yield _SlowUnit(self, number)


class _SlowUnit:
    def __init__(self, source: Slow, number: int) -> None:
        self.source, self.number = source, number
        self.urls = (f"https://git.example/{number}",)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        if self.number >= self.source.free:
            if self.source.error is not None:
                raise self.source.error
            self.source.go.wait(20)
        yield Found(self.urls[0], str(self.number), files=())


def test_stop_keeps_what_was_fetched(database: Connection) -> None:
    source, threads = Slow(50, free=10), threading.active_count()
    running = Harvest(Store(database), [source], Options(Git()), jobs=2)

    def tell(stats: HarvestStats) -> None:
        if stats.repositories >= 10:
            running.stop()
            source.go.set()

    stats = running.run(tell)
    assert stats.stopped
    assert 10 <= stats.repositories < 50
    assert len(states(database)) == stats.repositories
    with database.begin():
        assert database.execute(text("SELECT last_crawled FROM source")).scalar_one() is None
    assert not Harvest(Store(database), [source], Options(Git())).run().stopped
    assert len(states(database)) == 50
    assert threading.active_count() <= threads


def test_a_fault_of_the_program_is_not_swallowed(database: Connection) -> None:
    source = Slow(30, free=5, error=ZeroDivisionError("a fault"))
    with pytest.raises(ZeroDivisionError):
        Harvest(Store(database), [source], Options(Git()), jobs=2).run()
    assert {str(n) for n in range(5)} <= states(database).keys()


def test_queues_are_bounded(database: Connection) -> None:
    """However many units a source has, few are found ahead of their being fetched."""
    source, ahead = Slow(400, free=0), 0
    source.go.set()
    given = source.units
    count = 0

    def units(options: Options, past: Past = NEW) -> Iterator[Unit | Trouble]:
        nonlocal ahead, count
        for unit in given(options, past):
            count += 1
            ahead = max(ahead, count - running.stats.repositories - len(running._batch.founds))
            yield unit

    source.units = units  # type: ignore[method-assign]
    running = Harvest(Store(database), [source], Options(Git()), jobs=2)
    assert running.run().repositories == 400
    assert ahead < 250  # a batch in hand, and four units a job


class Pages:
    """A source of pages of two repositories each, which notes what it was asked for."""

    spec = "pages:"

    def __init__(self, count: int, stop_at: int | None = None) -> None:
        self.count, self.stop_at = count, stop_at
        self.pages: list[int] = []
        self.pasts: list[Past] = []
        self.fetched: list[str] = []

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        self.pasts.append(past)
        for page in range(int(past.cursor or 0), self.count):
            if page == self.stop_at:
                yield Trouble(self.spec, f"page {page} cannot be had")
                return
            self.pages.append(page)
            for number in (2 * page, 2 * page + 1):
                yield _PageUnit(self, number)
            yield Mark(str(page + 1))


class _PageUnit:
    def __init__(self, source: Pages, number: int) -> None:
        self.source, self.urls = source, (f"https://git.example/{number}",)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        self.source.fetched.append(self.urls[0])
        yield Found(self.urls[0], self.urls[0][-1], files=())


def cursor(connection: Connection) -> str | None:
    with connection.begin():
        found: str | None = connection.execute(text("SELECT cursor FROM source")).scalar_one()
        return found


def test_a_crawl_goes_on_where_its_source_was_cut_off(database: Connection) -> None:
    crawl_of = lambda source: Harvest(Store(database), [source], Options(Git()), jobs=2).run()  # noqa: E731
    stats = crawl_of(Pages(6, stop_at=4))
    assert (stats.repositories, cursor(database), stats.failed) == (8, "4", {"place": 1})
    again = Pages(6)
    stats = crawl_of(again)
    assert (again.pages, again.pasts) == ([4, 5], [Past(False, "4")])
    # What the first part met is not lost.
    assert (stats.gone, len(states(database)), cursor(database)) == (0, 12, None)
    once_more = Pages(5)
    assert crawl_of(once_more).gone == 2
    assert (once_more.pages, once_more.pasts) == ([0, 1, 2, 3, 4], [Past(True, "")])
    # What is no longer listed is not forgotten.
    assert states(database)["10"] == "gone"


@pytest.mark.parametrize("after", [0, 1, 3, 6])
def test_killed_and_begun_again_is_as_never_killed(
    database: Connection, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed: what was in hand is lost, and nobody says good-bye to the database."""

    class Killed(BaseException):
        pass

    class Dying(Store):
        def put(self, *arguments: Any, **options: Any) -> Any:
            nonlocal after
            if after == 0:
                raise Killed
            after -= 1
            return super().put(*arguments, **options)

    monkeypatch.setattr(harvest, "BATCH", 3)
    with pytest.raises(Killed):
        Harvest(Dying(database), [Pages(20)], Options(Git()), jobs=2).run()
    again = Pages(20)
    stats = Harvest(Store(database), [again], Options(Git()), jobs=2).run()
    assert len(states(database)) == 40
    assert stats.gone == 0
    assert cursor(database) is None
    assert len(again.fetched) <= 40 - 2 * int(again.pasts[0].cursor or 0)


class Single:
    """A source of one repository that is cheaper to ask for together with others."""

    def __init__(self, name: str, asked: list[list[str]]) -> None:
        self.spec, self.asked, self.urls = f"single:{name}", asked, (f"https://git.example/{name}",)
        self.group, self.most = "singles", 3

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        yield self

    def join(self, others: Any) -> Unit:
        return _Joined([self, *others])

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        return _Joined([self]).fetch(known, options)


class _Joined:
    def __init__(self, members: list[Single]) -> None:
        self.members, self.urls = members, tuple(url for m in members for url in m.urls)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        self.members[0].asked.append([url[-1] for url in self.urls])
        for url in self.urls:
            # One of them has another name now.
            now = url.replace("/c", "/z")
            yield Found(now, now[-1], asked=url if now != url else "", files=())


def test_units_of_many_sources_are_joined(database: Connection) -> None:
    asked: list[list[str]] = []
    sources = [Single(name, asked) for name in "abcdefg"]
    stats = Harvest(Store(database), sources, Options(Git()), jobs=2).run()
    assert sorted(asked) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
    assert (stats.repositories, stats.failed) == (7, {})
    held = """SELECT s.spec, r.url FROM source s JOIN source_repository x ON x.source_id = s.id
              JOIN repository r ON r.id = x.repository_id ORDER BY s.spec"""
    with database.begin():
        rows = [(spec[-1], url[-1]) for spec, url in database.execute(text(held))]
    assert rows == [("a", "a"), ("b", "b"), ("c", "z"), ("d", "d"), ("e", "e"), ("f", "f"), ("g", "g")]
    # Asked for again, it is known by its old name.
    assert Store(database).known(["https://git.example/c"]).keys() == {"https://git.example/c"}
