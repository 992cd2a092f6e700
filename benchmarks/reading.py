"""The time of `cff.read` beside that of a YAML loader alone: python benchmarks/reading.py [FOLDER] [-n N].

Every `.cff` file below FOLDER (default: tests/data) is read, with all its problems, and loaded with
`yaml.load(..., CSafeLoader)`; they take turns, each over all files, and for each file the best of N rounds
counts, so that a busy machine disturbs the ratio little. What `read` remembers from one file to the next
(names, iDs) is forgotten before every round: each is a first reading of the folder. Where cffconvert is
installed, its library takes turns as well, reading and checking the files that it can read; a few of them by
schemas of old versions, which take it most of its time. Exits with 1 when a bar is missed.

For the turn of cffconvert: python -m venv /tmp/b && /tmp/b/bin/pip install cffconvert CHECKOUT, and run this
file with /tmp/b/bin/python.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from cffgraph.cff.read import read

BAR = 1.3
"""`read` may cost so many times what CSafeLoader costs."""
BAR_CFFCONVERT = 30
"""`read` is to be so many times as fast as cffconvert's library."""


def load(data: bytes) -> object:
    """Load as everybody does; a file that the loader refuses costs what it costs."""
    try:
        return yaml.load(data, yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        return None


def cffconvert_call() -> Callable[[bytes], bool] | None:
    """Return a call that reads and checks a file with cffconvert's library, if it is installed; it answers
    whether the file could be read. That one is not valid is an answer as well."""
    try:
        from cffconvert import Citation
    except ImportError:
        return None

    def call(data: bytes) -> bool:
        try:
            citation = Citation(data.decode())
        except Exception:  # whatever it raises for a file that it does not take
            return False
        with contextlib.suppress(Exception):  # another error for each version of the schema
            citation.validate()
        return True

    return call


def forget() -> None:
    """Empty every cache of `cffgraph.cff`."""
    for name, module in list(sys.modules.items()):
        if name.startswith("cffgraph.cff"):
            for function in vars(module).values():
                if hasattr(function, "cache_clear"):
                    function.cache_clear()


def best(call: Callable[[], object], before: float) -> float:
    """Return the time of one call, or `before` if that was less."""
    start = time.process_time()
    call()
    return min(before, time.process_time() - start)


def main() -> int:
    """Print the times and ratios; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parents[1] / "tests" / "data")
    parser.add_argument("-n", "--rounds", type=int, default=7)
    options = parser.parse_args()
    paths = sorted(p for p in options.folder.rglob("*") if p.suffix.lower() == ".cff" and p.is_file())
    contents = [path.read_bytes() for path in paths]
    never = float("inf")
    ours, theirs, peer = ([never] * len(contents) for _ in range(3))
    call = cffconvert_call()
    logging.disable()  # cffconvert tells of each file that it refuses
    taken = [i for i, data in enumerate(contents) if call and call(data)]
    for _ in range(options.rounds):
        forget()
        for i, data in enumerate(contents):
            ours[i] = best(lambda data=data: read(data), ours[i])  # type: ignore[misc]
        for i, data in enumerate(contents):
            theirs[i] = best(lambda data=data: load(data), theirs[i])  # type: ignore[misc]
        for i in taken if call else ():
            peer[i] = best(lambda i=i: call(contents[i]), peer[i])  # type: ignore[misc]
    size, ratio = sum(map(len, contents)), sum(ours) / sum(theirs)
    print(f"{len(contents)} files, {size / 1e6:.2f} MB, best of {options.rounds}")
    for name, times in (("read", ours), ("CSafeLoader", theirs)):
        total = sum(times)
        print(f"{name:12} {total:8.3f} s  {len(times) / total:7.0f} files/s  {size / 1e6 / total:.2f} MB/s")
    print(f"ratio        {ratio:8.2f}    (bar: {BAR})")
    missed = ratio > BAR
    if call:
        total = sum(peer[i] for i in taken)
        times = total / sum(ours[i] for i in taken)
        middle = statistics.median(peer[i] / ours[i] for i in taken)
        print(f"cffconvert   {total:8.3f} s  for the {len(taken)} files that it reads")
        print(f"ratio        {times:8.1f}    {middle:.1f} for the file in the middle (bar: {BAR_CFFCONVERT})")
        missed = missed or min(times, middle) < BAR_CFFCONVERT
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
