"""pyproject.toml: what a project depends on, by the standard's tables and by those of its tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .address import git_address
from .loose import Table, read_toml, table, text, texts
from .package import Content, Entry, Fault, Package, cited, pypi_package
from .requirements import FROM_HERE, is_project_itself, parse_requirement


def read(content: Content) -> Iterator[Entry]:
    """Yield the dependencies of a project: of itself, its extras, its groups; not what builds it."""
    whole = read_toml(content.data)
    project, tool = table(whole.get("project")), table(whole.get("tool"))
    poetry = table(tool.get("poetry"))
    own = {pypi_package(name).name for each in (project, poetry) if (name := text(each.get("name")))}
    sources = {
        pypi_package(name).name: source
        for name, source in table(table(tool.get("uv")).get("sources")).items()
    }
    for where, requirement in _requirements(whole, project, tool):
        package = parse_requirement(requirement) if len(requirement) <= 4096 else None
        if package is None:
            if not is_project_itself(requirement):
                yield Fault(
                    f"{content.path}: {where}", f"not understood as a requirement: {cited(requirement)}"
                )
        elif package.name not in own:
            yield _with_source(package, sources.get(package.name))
    for name, wanted in _of_poetry(poetry):
        if name.lower() != "python" and pypi_package(name).name not in own:
            yield _with_source(pypi_package(name, _poetry_pin(wanted)), wanted)


def _requirements(whole: Table, project: Table, tool: Table) -> Iterator[tuple[str, str]]:
    """(table, requirement) of all requirements in the form of PEP 508."""
    yield from (("project.dependencies", each) for each in texts(project.get("dependencies")))
    for key, groups in (
        ("project.optional-dependencies", project.get("optional-dependencies")),
        # PEP 735; its `include-group` tables name groups that are read by themselves.
        ("dependency-groups", whole.get("dependency-groups")),
        ("tool.pdm.dev-dependencies", table(tool.get("pdm")).get("dev-dependencies")),
    ):
        for group, listed in table(groups).items():
            yield from ((f"{key}.{group}", each) for each in texts(listed))
    uv = table(tool.get("uv")).get("dev-dependencies")
    yield from (("tool.uv.dev-dependencies", each) for each in texts(uv))


def _of_poetry(poetry: Table) -> Iterator[tuple[str, object]]:
    """(name, constraint) of Poetry's own tables (python-poetry.org, "Dependency specification")."""
    groups = [poetry, *(table(group) for group in table(poetry.get("group")).values())]
    for group in groups:
        for key in ("dependencies", "dev-dependencies"):
            yield from table(group.get(key)).items()


def _poetry_pin(wanted: object) -> str:
    written = text(wanted) or text(table(wanted).get("version"))
    exact = re.fullmatch(r"==?\s*([\w.!+-]+)|(\d+(?:\.\d+)*)", written.strip())
    return (exact[1] or exact[2]) if exact and "*" not in written else ""


def _with_source(package: Package, source: object) -> Package:
    """A package whose list says beside it where its source is (`{git = …}`, `{path = …}`)."""
    # Several are told apart by markers; the first that names a repository counts.
    choices = [table(each) for each in source] if isinstance(source, list) else [table(source)]
    for choice in choices:
        if address := git_address(text(choice.get("git")))[0]:
            return pypi_package(package.name, package.version, address)
    if any(choice.get("path") or choice.get("workspace") for choice in choices) and not package.address:
        return pypi_package(package.name, package.version, nowhere=FROM_HERE)
    return package
