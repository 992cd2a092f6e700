"""What a crawl costs the hosts that it asks: python benchmarks/crawling.py [PART...].

`github`: the requests for a thousand repositories of an organisation, and for a list of a thousand names,
the first time and again, of a GitHub on loopback that executes what it is asked by GitHub's own schema
(npm install --prefix ~/.cache/cffgraph @octokit/graphql-schema, or CFFGRAPH_GITHUB_SDL names the file).
`urls`: small files of a host that takes 50 ms to answer, against curl. `memory`: the peak of a crawl of a
thousand repositories, and of a hundred thousand. Exits with 1 when a part costs more than its bar.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from cffgraph.crawler.git import Git
from cffgraph.crawler.harvest import Harvest
from cffgraph.crawler.hosts import Host, Hosts
from cffgraph.crawler.http import Web
from cffgraph.crawler.source import Options
from cffgraph.crawler.sources.github import understand
from cffgraph.db.engine import create_or_open
from cffgraph.db.store import Store
from crawl_memory import memory
from crawl_urls import urls

BAR_FIRST, BAR_AGAIN = 12, 10
"""Requests for a thousand repositories that nobody knows, and for the same when nothing has changed."""
REPOSITORIES = 1000


def double(name: str) -> ModuleType:
    """The double of a host that the tests use."""
    path = Path(__file__).parents[1] / "tests" / "crawler" / "doubles" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"cffgraph_double_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def github() -> bool:
    """Print the cost of GitHub; whether it is within the bars."""
    world = double("github")
    if world.SDL is None:
        print(f"GitHub cost: left out: {world.NO_SDL}")
        return True
    os.environ["CFFGRAPH_BENCHMARK_TOKEN"] = "not-a-real-token"
    host, stop = world.start()
    try:
        world.schema()
        world.fill(host, "org", REPOSITORIES, odd_every=20)
        described = Host(host.name, "github", host.url, ("CFFGRAPH_BENCHMARK_TOKEN",), 0, allow_private=True)
        names = [described.repository(repository.path) for repository in host.repositories]
        print(f"GitHub cost: requests for {REPOSITORIES:,} repositories, those with content, seconds")
        listed = _github_row(host, described, "an organisation", [f"github:{host.name}/org"])
        named = _github_row(host, described, "a list of names", names)
    finally:
        stop()
    print(f"bars: {BAR_FIRST} the first time, {BAR_AGAIN} without content again")
    return listed and named


def _github_row(host: object, described: Host, title: str, words: Sequence[str]) -> bool:
    """Crawl into a new database, and again; whether both are within the bars."""
    hosts = Hosts([described])
    told, good = [], True
    with tempfile.TemporaryDirectory() as folder:
        engine = create_or_open(str(Path(folder) / "crawl.db"))
        with engine.connect() as connection:
            for is_first in (True, False):
                sources = [source for word in words if (source := understand(word, hosts)) is not None]
                host.asked.clear()  # type: ignore[attr-defined]
                begun = time.perf_counter()
                with Web(hosts) as web:
                    stats = Harvest(Store(connection), sources, Options(Git(), web=web)).run()
                seconds = time.perf_counter() - begun
                requests = len(host.asked)  # type: ignore[attr-defined]
                content = sum(asked.has_content for asked in host.asked)  # type: ignore[attr-defined]
                told.append(
                    f"{'first' if is_first else 'again'} {requests:4} {content:4} {seconds:6.1f} s"
                    f" ({stats.repositories:,} repositories, {stats.unchanged:,} unchanged)"
                )
                good &= stats.repositories == REPOSITORIES and not stats.failed
                good &= requests <= BAR_FIRST if is_first else requests <= BAR_AGAIN and not content
        engine.dispose()
    print(f"{title:16} {'; '.join(told)}")
    return good


PARTS: dict[str, Callable[[], bool]] = {"github": github, "urls": urls, "memory": memory}


def main() -> int:
    """Run the parts that are named, or all; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parts = parser.parse_args().parts or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}")
    missed = [part for part in parts if not PARTS[part]()]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
