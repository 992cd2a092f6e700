"""From a package to its repository: what each registry says of it. A kind of package is one row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..http import Answer, FetchError, Web
from .address import best_address
from .loose import table, tables, text
from .package import Package

_MAX_ANSWER = 48 << 20
"""An answer of anaconda.org tells of every file of a package."""


@dataclass(frozen=True, slots=True)
class Links:
    """What a registry tells of where a package is at home."""

    labelled: list[tuple[str, str]]
    """(label, URL)"""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Registry:
    """One registry: where it is asked, and how its answer is read."""

    base: str
    """Without a slash at the end."""
    paths: Callable[[Package], tuple[str, ...]]
    """Where to ask, in turn, until one answer names a repository."""
    links: Callable[[Answer, Package], Links]


@dataclass(frozen=True, slots=True)
class Located:
    """A package, and its repository or why there is none."""

    package: Package
    address: str = ""
    """For git; empty when there is none."""
    reason: str = ""
    """Where it was found, or why there is none, worded to follow the package's name."""
    state: str = "no-file"
    """`failed` when its registry could not be asked: a later crawl may find it."""


def locate(package: Package, web: Web, registries: Mapping[str, Registry] | None = None) -> Located:
    """Where the source of a package is: by its list, else by its registry, else by the list's links.

    A registry is asked for the fixed version first, which is a small answer, and then for the newest,
    whose links are kept up. `git.Stopped` may pass; all else becomes a reason.
    """
    if package.address:
        return Located(package, package.address, "as the list says")
    if package.nowhere and not package.links:
        return Located(package, reason=package.nowhere)
    registry = (registries if registries is not None else REGISTRIES).get(package.kind)
    reason, state = package.nowhere or f"is of a kind that is not looked up ({package.kind})", "no-file"
    if registry is not None and not package.nowhere:
        try:
            address, reason = _ask(registry, package, web)
        except FetchError as error:
            address, reason, state = "", str(error), "failed"
        if address:
            return Located(package, address, reason)
    address, label = best_address(package.links, web.hosts, name=package.name.rpartition("/")[2])
    if address:
        return Located(package, address, f"as the list says ({label})")
    return Located(package, reason=reason, state=state)


def _ask(registry: Registry, package: Package, web: Web) -> tuple[str, str]:
    host = registry.base.partition("://")[2]
    reason = f"is not known to {host}"
    for path in registry.paths(package):
        answer = web.get(f"{registry.base}/{path}", max_bytes=_MAX_ANSWER)
        if answer.status in (404, 410):
            continue
        if not answer.is_ok:
            raise FetchError(f"{host} answered {answer.status}")
        links = registry.links(answer, package)
        address, label = best_address(
            links.labelled, web.hosts, description=links.description, name=package.name.rpartition("/")[2]
        )
        if address:
            return address, f"as {host} says ({label})"
        reason = f"names no repository at {host}"
    return "", reason


def _json(answer: Answer) -> dict[str, Any]:
    return table(answer.json())


def _step(name: str) -> str:
    return quote(name, safe="")


def _pypi(answer: Answer, package: Package) -> Links:
    info = table(_json(answer).get("info"))
    labelled = [(label, text(url)) for label, url in table(info.get("project_urls")).items()]
    labelled += [("homepage", text(info.get("home_page"))), ("downloadurl", text(info.get("download_url")))]
    return Links(labelled, text(info.get("description")))


def _npm(answer: Answer, package: Package) -> Links:
    facts = _json(answer)
    repository = facts.get("repository")
    repository = text(repository) or text(table(repository).get("url"))
    bugs = text(facts.get("bugs")) or text(table(facts.get("bugs")).get("url"))
    return Links([("repository", repository), ("bugs", bugs), ("homepage", text(facts.get("homepage")))])


def _conda(answer: Answer, package: Package) -> Links:
    facts = _json(answer)
    labels = ("dev_url", "source_git_url", "source_url", "home", "url", "doc_url")
    return Links([(label, text(facts.get(label))) for label in labels], text(facts.get("description")))


def _cran(answer: Answer, package: Package) -> Links:
    """A DESCRIPTION: `Key: value`, lines that begin with a blank go on (Writing R Extensions, 1.1.1)."""
    unfolded = re.sub(r"\n[ \t]+", " ", answer.content[: 1 << 20].decode("utf-8", "replace"))
    found = dict(re.findall(r"^(\w+): *(.*)$", unfolded, re.MULTILINE))
    urls = [url for url in re.split(r"[\s,]+", found.get("URL", "")) if url]
    return Links([("homepage", url) for url in urls] + [("bugs", found.get("BugReports", "").strip())])


def _cargo(answer: Answer, package: Package) -> Links:
    crate = table(_json(answer).get("crate"))
    return Links([(label, text(crate.get(label))) for label in ("repository", "homepage")])


def _gem(answer: Answer, package: Package) -> Links:
    facts = _json(answer)
    labels = {
        "source_code_uri": "source",
        "bug_tracker_uri": "bugs",
        "changelog_uri": "changelog",
        "homepage_uri": "homepage",
    }
    return Links([(label, text(facts.get(key))) for key, label in labels.items()])


def _composer(answer: Answer, package: Package) -> Links:
    versions = table(_json(answer).get("packages")).get(package.name)
    newest = next(tables(versions), {})
    return Links(
        [("source", text(table(newest.get("source")).get("url"))), ("homepage", text(newest.get("homepage")))]
    )


def _versions(plain: str, fixed: str) -> Callable[[Package], tuple[str, ...]]:
    """Paths of a registry that has one for each version too."""

    def paths(package: Package) -> tuple[str, ...]:
        name, version = _step(package.name), _step(package.version)
        newest = plain.format(name=name)
        return (fixed.format(name=name, version=version), newest) if version else (newest,)

    return paths


def _conda_paths(package: Package) -> tuple[str, ...]:
    channels = dict.fromkeys((package.channel or "conda-forge", "conda-forge"))
    return tuple(f"package/{_step(channel)}/{_step(package.name)}" for channel in channels)


REGISTRIES: dict[str, Registry] = {
    # docs.pypi.org/api/json
    "pypi": Registry("https://pypi.org", _versions("pypi/{name}/json", "pypi/{name}/{version}/json"), _pypi),
    # github.com/npm/registry, docs/REGISTRY-API.md
    "npm": Registry("https://registry.npmjs.org", _versions("{name}/latest", "{name}/{version}"), _npm),
    # api.anaconda.org/docs
    "conda": Registry("https://api.anaconda.org", _conda_paths, _conda),
    "cran": Registry(
        "https://cran.r-project.org", lambda p: (f"web/packages/{_step(p.name)}/DESCRIPTION",), _cran
    ),
    # doc.rust-lang.org/cargo, "Web API"; crates.io's data access policy: one request a second
    "cargo": Registry("https://crates.io", lambda p: (f"api/v1/crates/{_step(p.name)}",), _cargo),
    # guides.rubygems.org/rubygems-org-api
    "gem": Registry("https://rubygems.org", lambda p: (f"api/v1/gems/{_step(p.name)}.json",), _gem),
    # packagist.org/apidoc
    "composer": Registry(
        "https://repo.packagist.org",
        lambda p: (f"p2/{'/'.join(map(_step, p.name.split('/')))}.json",),
        _composer,
    ),
}
"""By the type of a purl."""
