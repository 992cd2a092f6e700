"""A crawl of an organisation of a thousand repositories, killed twice: as one that was never killed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .doubles.github import NO_SDL, SDL, GitHub, fill, start

pytestmark = pytest.mark.skipif(SDL is None, reason=NO_SDL)

EVIDENCE = """
SELECT r.url, r.name, r.forge_id, r.state, r.reason, r.head, r.is_fork, s.spec, f.path, f.standing, b.sha,
  c.pointer, c.title, m.role, m.position, m.as_written
FROM repository r JOIN source_repository x ON x.repository_id = r.id JOIN source s ON s.id = x.source_id
LEFT JOIN file f ON f.repository_id = r.id LEFT JOIN blob b ON b.id = f.blob_id
LEFT JOIN record c ON c.blob_id = b.id LEFT JOIN mention m ON m.record_id = c.id
ORDER BY r.url, f.path, c.pointer, m.role, m.position
"""


def evidence(db: Path) -> list[Any]:
    with sqlite3.connect(db) as connection:
        return connection.execute(EVIDENCE).fetchall()


def count(db: Path) -> int:
    try:
        with sqlite3.connect(db) as connection:
            found: int = connection.execute("SELECT count(*) FROM repository").fetchone()[0]
            return found
    except sqlite3.OperationalError:
        return 0


def crawl(study: Path, host: GitHub, db: Path) -> subprocess.Popen[bytes]:
    (study / "cffgraph.toml").write_text(
        f'[hosts."{host.name}"]\nkind = "github"\napi = "{host.url}"\ntoken = "PROBE_TOKEN"\n'
        "spacing_s = 0.15\nallow_private = true\n"
    )
    words = ["crawl", f"github:{host.name}/org", "--no-resolve", "--quiet", "--db", str(db)]
    return subprocess.Popen(
        [sys.executable, "-m", "cffgraph", *words],
        cwd=study,
        env={**os.environ, "PROBE_TOKEN": "not-a-real-token"},
    )


def test_killed_twice(tmp_path: Path) -> None:
    host, stop = start()
    try:
        fill(host, "org", 1000, odd_every=20)
        whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
        assert crawl(tmp_path, host, whole).wait(120) == 0
        at_once = len(host.asked)
        met = 0
        for _ in range(2):
            process = crawl(tmp_path, host, killed)
            end = time.monotonic() + 60
            while count(killed) <= met and time.monotonic() < end:
                time.sleep(0.01)
            process.kill()
            process.wait()
            assert met < count(killed) < 1000
            met = count(killed)
        begun = len(host.asked)
        assert crawl(tmp_path, host, killed).wait(120) == 0
        assert evidence(killed) == evidence(whole)
        # The last one asked for less than a whole crawl asks for.
        assert len(host.asked) - begun < at_once
    finally:
        stop()
