"""The time of working out who is who: python benchmarks/resolving.py FOLDER|DATABASE.

FOLDER is a folder of repositories, which is crawled into a temporary database first; DATABASE was made by a
crawl, and is left as it is. Timed are the counts of everything (`resolve.census`), the clustering by them
(`resolve.authors`), both in memory, and a whole `resolve`, which reads and writes the database and works out
the works as well; on one core. Exits with 1 when the bar is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cffgraph.cff.resting import collector_at_rest
from cffgraph.cli.main import run
from cffgraph.db import plans
from cffgraph.db.engine import open_existing
from cffgraph.resolve import authors
from cffgraph.resolve.census import census_of
from cffgraph.resolve.run import resolve
from cffgraph.resolve.run_survey import Mentions
from cffgraph.resolve.run_works import read_changes

BAR = 2_000_000
"""So many mentions are to be clustered in a minute."""


def in_memory(database: str, answer: Any) -> None:
    """Answer (mentions, authors, seconds of counting, seconds of clustering)."""
    with open_existing(database).connect() as connection:
        records = read_changes(connection, plans.places_then(connection), anew=False)
        mentions = Mentions(connection, records)
        mentions.lists()  # the works are numbered by their lists
        rows = mentions.rows(records=records.blob_of)
    with collector_at_rest():
        begin = time.process_time()
        census = census_of(sorted(rows, key=lambda row: row.key))
        counted = time.process_time()
        found = authors.cluster(rows, census=census)
        answer.put((len(rows), len(found.authors), counted - begin, time.process_time() - counted))


def whole(database: str, answer: Any) -> None:
    """Answer (seconds, MB at the peak) of a whole resolve, which is undone."""
    with open_existing(database, writing=True).connect() as connection, connection.begin() as transaction:
        begin = time.process_time()
        resolve(connection, anew=True)
        took = time.process_time() - begin
        transaction.rollback()
    answer.put((took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10))


def alone(call: Any, database: str) -> Any:
    """Return what a call answers in a process of its own."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=call, args=(database, answer))
    process.start()
    found = answer.get()
    process.join()
    return found


def main() -> int:
    """Print the times; 1 if the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", type=Path, metavar="FOLDER|DATABASE")
    world = parser.parse_args().world
    with tempfile.TemporaryDirectory() as folder:
        database = str(world)
        if world.is_dir():
            database = str(Path(folder) / "world.db")
            run(["crawl", str(world), "--db", database, "--quiet"])
        count, people, counting, clustering = alone(in_memory, database)
        everything, memory = alone(whole, database)
    a_minute = count / clustering * 60
    print(f"{count:,} mentions of {people:,} authors")
    for name, seconds in (("counts", counting), ("clustering", clustering), ("whole resolve", everything)):
        print(
            f"{name:14} {seconds:7.2f} s  {seconds / count * 1e6:6.1f} us a mention"
            f"  {count / seconds * 60:11,.0f} a minute"
        )
    print(f"memory of it   {memory} MB        (bar: {BAR:,} mentions clustered in a minute)")
    return 1 if a_minute < BAR else 0


if __name__ == "__main__":
    sys.exit(main())
