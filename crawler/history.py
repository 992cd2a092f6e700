"""Every version of the citation files of a git repository, with its dates: along the first parents of HEAD.

One `git log` tells which commit brought which blob to which path; the blobs are then read in one go.
(Format: git's documentation, "git-diff", section "Raw output format", with -z.)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..cff.errors import SourceError
from ..cff.read import blob_id
from ..db.found import Known, Version
from .names import FOLDERS, is_citation_file
from .objects import read_blobs
from .source import Options, shown

_MOST = 2000
"""Versions of one repository; real files have had up to a few hundred."""
_REGULAR = ("100644", "100755", "100664")


@dataclass(frozen=True, slots=True)
class _Change:
    """What one commit did to one path."""

    commit: str
    at: str
    path: str
    sha: str | None
    """None when the file was removed."""


def read_history(
    git_dir: Path,
    known: Known | None,
    options: Options,
    *,
    protocols: str = "none",
    folder: Path | None = None,
) -> tuple[tuple[Version, ...], tuple[str, ...]]:
    """(versions of all citation files up to HEAD, notes on those left out), oldest first.

    Blobs that are `known` come without content.

    `protocols` and `folder` as for `objects.read_head`. SourceError when the history cannot be read.
    """
    changes = list(_changes(_log(git_dir, options, protocols, folder)))
    notes = []
    if len(changes) > _MOST:
        notes.append(f"{len(changes) - _MOST:,} of its oldest versions left out: {_MOST:,} are taken")
        changes = changes[-_MOST:]
    held = known.shas if known and not options.refresh else frozenset()
    wanted = list(dict.fromkeys(c.sha for c in changes if c.sha is not None and c.sha not in held))
    contents = read_blobs(git_dir, wanted, options, protocols=protocols, folder=folder)
    versions: list[Version] = []
    standing: dict[str, int] = {}
    """Path -> place of its newest version."""
    for change in changes:
        before = standing.pop(change.path, None)
        if before is not None:
            old = versions[before]
            versions[before] = Version(old.path, old.sha, old.commit, old.since, change.at, old.content)
        if change.sha is None:
            continue
        content = contents.get(change.sha)
        if content is None and change.sha not in held:
            most = f"the {options.max_size_bytes:,} bytes of --max-size"
            notes.append(f"{change.path} of {change.at[:10]} left out: more than {most}, or not to be had")
            continue
        sha = change.sha if content is None or len(change.sha) == 40 else blob_id(content)
        standing[change.path] = len(versions)
        versions.append(Version(change.path, sha, change.commit, change.at, None, content))
    return tuple(versions), tuple(notes)


def _log(git_dir: Path, options: Options, protocols: str, folder: Path | None) -> bytes:
    names = ["CITATION.cff", *(f"{name}/CITATION.cff" for name in FOLDERS)]
    paths = [":(icase,glob)**/CITATION.cff"] if options.nested else [f":(icase){name}" for name in names]
    words = "log --first-parent -m --raw --no-abbrev --no-renames --reverse -z --format=%x1e%H%x20%ct HEAD --"
    told = options.git.run(
        *words.split(),
        *paths,
        protocols=protocols,
        timeout_s=options.timeout_s,
        folder=folder,
        max_bytes=options.max_clone_bytes,
        variables={"GIT_DIR": str(git_dir)},
    )
    if told.code:
        raise SourceError(f"its history cannot be read: {shown(told.err)[:200]}")
    return told.out


def _changes(log: bytes) -> Iterator[_Change]:
    for part in log.split(b"\x1e")[1:]:
        head, _, rest = part.partition(b"\0")
        commit, _, seconds = head.decode("ascii", "replace").partition(" ")
        at = datetime.fromtimestamp(int(seconds), UTC).isoformat(timespec="seconds")
        fields = rest.lstrip(b"\n").split(b"\0")
        for entry, raw in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, sha, kind = entry.decode("ascii", "replace").lstrip(":").split(" ")
            if not is_citation_file(os.fsdecode(raw).rpartition("/")[2]):
                continue
            yield _Change(commit, at, shown(raw), sha if kind != "D" and mode in _REGULAR else None)
