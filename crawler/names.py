"""Which files of a repository are citation files, by their names and folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

CITATION_FILE = "CITATION.cff"
"""The name that CFF fixes (schema guide, "Format"); any case is taken, and the real name kept."""

FOLDERS = (".github", "docs", "inst")
"""Where a repository may keep it instead of its root: GitHub's two places for such files, and R's `inst`."""

NOT_ENTERED = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages"})
"""Folders of other people's packages, not walked into. Nor are hidden ones and virtual environments."""


def is_citation_file(name: str) -> bool:
    """Whether a file of this name, without folders, is a citation file.

    >>> is_citation_file("Citation.CFF"), is_citation_file("CITATION.cff.bak")
    (True, False)
    """
    return name.lower() == "citation.cff"


def choose(names: Iterable[str]) -> tuple[str | None, tuple[str, ...]]:
    """Of the citation files of one folder, the one to take and those left beside it.

    >>> choose(["citation.cff", "CITATION.cff"])
    ('CITATION.cff', ('citation.cff',))
    """
    # Upper case sorts first, so the spelling nearest to the right one does.
    first, *others = sorted(names, key=lambda name: (name != CITATION_FILE, name)) or [""]
    return first or None, tuple(others)


def pick(listing: Mapping[str, Iterable[str]]) -> tuple[list[str], list[str]]:
    """(paths of the citation files to take, notes on those left out) of the folders of a repository.

    `listing` has the names of the files in each folder, by the folder's path, "" for the root; folders
    that are looked into are the caller's choice (`FOLDERS`, for a repository as it stands). The root
    comes first.

    >>> pick({"": ["README", "citation.cff"], "inst": ["CITATION.cff", "Citation.CFF"]})[0]
    ['citation.cff', 'inst/CITATION.cff']
    """
    paths: list[str] = []
    notes: list[str] = []
    for folder, names in listing.items():
        taken, others = choose(name for name in names if is_citation_file(name))
        place = f"{folder}/" if folder else ""
        if taken:
            paths.append(place + taken)
        notes += [f"{place}{other} left out: {place}{taken} stands beside it" for other in others]
    return sorted(paths, key=lambda path: (path.count("/"), path)), notes
