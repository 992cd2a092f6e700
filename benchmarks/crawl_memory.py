"""Whether a crawl's memory grows with it: the part `memory` of crawling.py.

An organisation of a thousand repositories and one of a hundred thousand, each repository with a file of
its own, are crawled through the real loop into a real database, each in a process of its own. The large one
may need more by what SQLite keeps of the database (`cache_size` in db/engine.py), and no more. Authors
are not worked out: that comes after the crawl, and has its own figures (matching.py).
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.harvest import Harvest
from cffgraph.crawler.source import NEW, Mark, Options, Past, Step
from cffgraph.db.engine import create_or_open
from cffgraph.db.found import Found, FoundFile, Known
from cffgraph.db.store import Store

PAGE = 100
FEW, MANY = 1000, 100_000
BAR_MB = 64 + 32
"""SQLite's cache, and a margin for what Python's memory loses between its pieces."""


@dataclass(frozen=True)
class Organisation:
    """So many repositories, a page after another."""

    count: int
    spec: str = "organisation:"

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        for start in range(0, self.count, PAGE):
            yield Page(tuple(range(start, start + PAGE)))
            yield Mark(str(start + PAGE))


@dataclass(frozen=True)
class Page:
    """A page of them, as one answer of a forge brings it."""

    numbers: tuple[int, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(f"https://forge.example/o/{number}" for number in self.numbers)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        for number, url in zip(self.numbers, self.urls, strict=True):
            people = "".join(
                f"- family-names: Probe{(number * 7 + i) % 5000}\n  given-names: Ada{(number + i) % 90}\n"
                for i in range(4)
            )
            content = f"cff-version: 1.2.0\nmessage: m\ntitle: Tool {number}\nauthors:\n{people}".encode()
            file = FoundFile("CITATION.cff", blob_id(content), content)
            yield Found(url, str(number), "forge.example", forge_id=str(number), head="0" * 40, files=(file,))


def peak_mb(count: int) -> float:
    """The peak memory of a process that crawls so many repositories, with its children, in MB."""
    told = subprocess.run([sys.executable, __file__, str(count)], capture_output=True, check=True)
    return float(told.stdout)


def crawl(count: int) -> float:
    """Crawl in this process; its peak memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        engine = create_or_open(str(Path(folder) / "crawl.db"))
        with engine.connect() as connection:
            stats = Harvest(Store(connection), [Organisation(count)], Options(Git())).run()
        engine.dispose()
    assert stats.repositories == count, stats
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage) / 1024


def memory() -> bool:
    """Print the peaks; whether they are within the bar."""
    few, many = peak_mb(FEW), peak_mb(MANY)
    print(f"Memory: {FEW:,} repositories {few:.0f} MB, {MANY:,} repositories {many:.0f} MB")
    print(f"bar: {BAR_MB} MB more")
    return many - few <= BAR_MB


if __name__ == "__main__":
    print(crawl(int(sys.argv[1])))
