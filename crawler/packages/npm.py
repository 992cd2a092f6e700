"""package-lock.json of npm, versions 1 to 3 (docs.npmjs.com, "package-lock.json")."""

from __future__ import annotations

from collections.abc import Iterator

from .address import git_address
from .loose import Table, read_json, table, text
from .package import Content, Entry, Package, Unreadable
from .requirements import FROM_HERE

_FOLDER = "node_modules/"


def read(content: Content) -> Iterator[Entry]:
    """Yield the packages of a lock file but for the project itself and its workspaces."""
    whole = read_json(content.data)
    if "packages" in whole:
        yield from _of_packages(table(whole["packages"]))
    elif "dependencies" in whole:
        yield from _of_dependencies(table(whole["dependencies"]))
    elif "lockfileVersion" not in whole:
        raise Unreadable("is no lock file of npm: it has neither `packages` nor `dependencies`")


def _of_packages(packages: Table) -> Iterator[Package]:
    """Versions 2 and 3: paths below the project."""
    for path, entry in packages.items():
        facts = table(entry)
        if _FOLDER not in f"/{path}" or facts.get("link"):
            continue  # the project, a folder of its workspace, or the link to one
        # With an alias (`npm:other@1`) the folder has another name than what lies in it.
        yield _package(text(facts.get("name")) or path.rpartition(_FOLDER)[2], facts)


def _of_dependencies(dependencies: Table) -> Iterator[Package]:
    """Version 1: a tree, walked without recursion."""
    todo = [dependencies]
    while todo:
        for name, entry in todo.pop().items():
            facts = table(entry)
            alias = text(facts.get("version")).removeprefix("npm:")
            if alias != text(facts.get("version")):
                name, _, version = alias.rpartition("@")
                facts = {**facts, "version": version}
            yield _package(name, facts)
            if inner := table(facts.get("dependencies")):
                todo.append(inner)


def _package(name: str, facts: Table) -> Package:
    version, resolved = text(facts.get("version")), text(facts.get("resolved"))
    # Version 1 has the address of what is not from the registry in place of a version.
    for place in (resolved, version):
        if place.startswith(("git+", "git:", "git@", "github:", "gitlab:", "bitbucket:")):
            address, why = git_address(place)
            return Package("npm", name, "" if place == version else version, address, nowhere=why)
        if place.startswith("file:"):
            return Package("npm", name, nowhere=FROM_HERE)
    if "://" in version:  # an archive somewhere
        address, _ = git_address(version)
        return Package("npm", name, address=address if "github.com" in address else "")
    return Package("npm", name, version)
