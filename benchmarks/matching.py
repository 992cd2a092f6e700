"""Accuracy of matching on a world with known truth: python benchmarks/matching.py WORLD.

WORLD is a folder of repositories with a `truth.tsv`: `PATH/CITATION.cff#authors[0]<tab>LABEL`, a line for
each mention; mentions with one label are one person, and a negative label is no person. The world is
crawled into a temporary database, and pairs of mentions are scored: precision, recall and F1, and B3 F1
over mentions, for this program and for the plain rule "same folded full name" on the same mentions.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path

from cffgraph.cff.folding import fold
from cffgraph.cli.main import run
from cffgraph.db import query, questions
from cffgraph.db.engine import open_existing


def read_truth(path: Path) -> dict[str, str]:
    rows = (line.rstrip("\n").split("\t") for line in path.open(encoding="utf-8"))
    return {place: label for place, label in rows if not label.startswith("-")}


def pairs(labels: Mapping[str, Hashable]) -> int:
    return sum(n * (n - 1) // 2 for n in Counter(labels.values()).values())


def mean(a: float, b: float) -> float:
    """Return the harmonic mean."""
    return 2 * a * b / max(a + b, 1e-9)


def scores(found: Mapping[str, Hashable], truth: Mapping[str, str]) -> tuple[float, float, float, float]:
    """Return pairwise precision, recall and F1, and B3 F1, which takes the mean over mentions."""
    kept = {place: found[place] for place in truth}
    both = {place: (kept[place], label) for place, label in truth.items()}
    hit = pairs(both)
    precision, recall = hit / max(pairs(kept), 1), hit / max(pairs(truth), 1)
    of_author, of_person = Counter(kept.values()), Counter(truth.values())
    cells = Counter(both.values()).items()
    pure = sum(n * n / of_author[author] for (author, _), n in cells) / max(len(truth), 1)
    whole = sum(n * n / of_person[label] for (_, label), n in cells) / max(len(truth), 1)
    return precision, recall, mean(precision, recall), mean(pure, whole)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("world", type=Path)
    world = parser.parse_args().world.resolve()
    truth = read_truth(world / "truth.tsv")
    found: dict[str, Hashable] = {}
    names: dict[str, Hashable] = {}
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "world.db")
        begin = time.perf_counter()
        run(["crawl", str(world), "--db", db, "--quiet"])
        took = time.perf_counter() - begin
        with open_existing(db).connect() as connection:
            offered = sum(1 for _ in questions.review(connection).rows())
            for number, _, _, written, url, path, pointer, *_ in query.mentions(connection).rows():
                place = f"{url.removeprefix(f'file://{world}/')}/{path}#{pointer}"
                found[place], names[place] = number, fold(written)
    missing = truth.keys() - found.keys()
    for place in missing:
        found[place] = names[place] = f"missing {place}"
    print(f"{len(truth)} mentions, {len(set(truth.values()))} persons, {len(missing)} missing, {took:.1f} s")
    print(f"{offered} pairs to review")
    for title, labels in (("same folded name", names), ("cffgraph", found)):
        precision, recall, f1, b3 = scores(labels, truth)
        print(f"{title:17} precision {precision:.4f}  recall {recall:.4f}  F1 {f1:.4f}  B3 F1 {b3:.4f}")


if __name__ == "__main__":
    main()
