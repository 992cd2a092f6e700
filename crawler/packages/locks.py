"""The lock files of Python: uv.lock, poetry.lock, and pylock.toml (PEP 751)."""

from __future__ import annotations

from collections.abc import Iterator

from .address import git_address, linked_address
from .loose import Table, read_toml, table, tables, text
from .package import Content, Entry, Package, Unreadable, pypi_package
from .requirements import FROM_HERE


def read_uv(content: Content) -> Iterator[Entry]:
    """Yield the packages of a uv.lock but for the project itself and its workspace."""
    for entry in _entries(content, "package"):
        source = table(entry.get("source"))
        if "virtual" in source or text(source.get("editable")) == ".":
            continue
        yield _package(
            entry,
            git=text(source.get("git")),
            url=text(source.get("url")),
            path=text(source.get("path")) or text(source.get("directory")) or text(source.get("editable")),
        )


def read_poetry(content: Content) -> Iterator[Entry]:
    """Yield the packages of a poetry.lock."""
    for entry in _entries(content, "package"):
        source = table(entry.get("source"))
        kind, url = text(source.get("type")), text(source.get("url"))
        yield _package(
            entry,
            git=url if kind == "git" else "",
            url=url if kind == "url" else "",
            path=url if kind in ("directory", "file") else "",
        )


def read_pylock(content: Content) -> Iterator[Entry]:
    """Yield the packages of a pylock.toml."""
    for entry in _entries(content, "packages"):
        vcs, archive = table(entry.get("vcs")), table(entry.get("archive"))
        kind, url = text(vcs.get("type")), text(vcs.get("url"))
        path = text(vcs.get("path")) or text(table(entry.get("directory")).get("path"))
        if path in (".", "./"):
            continue
        yield _package(
            entry,
            git=f"{kind}+{url}" if kind and kind != "git" and url else url,
            url=text(archive.get("url")),
            path=path or text(archive.get("path")),
        )


def _entries(content: Content, key: str) -> Iterator[Table]:
    whole = read_toml(content.data)
    if key not in whole and not whole.keys() & {"version", "lock-version", "metadata"}:
        raise Unreadable(f"is no lock file: it has no [[{key}]]")
    yield from (entry for entry in tables(whole.get(key)) if text(entry.get("name")))


def _package(entry: Table, *, git: str, url: str, path: str) -> Package:
    name, version = text(entry.get("name")), text(entry.get("version"))
    if git:
        address, why = git_address(git)
        return pypi_package(name, version, address, nowhere=why)
    if url:
        return pypi_package(name, version, linked_address(url))
    return pypi_package(name, version, nowhere=FROM_HERE if path else "")
