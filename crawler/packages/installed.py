"""The packages of a Python environment, and their repositories by what is installed: no network.

Each installed package carries its metadata (core metadata: `Project-URL`, `Home-page`) and, when it
came from version control, the address it came from (PEP 610).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from email import message_from_string
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

from ...cff.decode import decode
from ..hosts import Hosts
from .address import best_address, git_address
from .loose import table, text
from .package import Package, Unreadable, pypi_package


class Mapped(NamedTuple):
    """An installed package, and its repository or why there is none."""

    package: str
    version: str
    repository: str | None
    reason: str
    """Under which label the repository stands, or why there is none."""


def mapped(env: str = "env:", hosts: Hosts | None = None) -> list[Mapped]:
    """Every package of an environment with its repository, by name. No network.

    `env` is `env:` (the running interpreter's) or `env:PATH` (of a virtual environment, or a folder
    of installed packages). Unreadable when there is none.
    """
    return [
        Mapped(p.name, p.version, p.address or None, said) for p, said in installed(env, hosts or Hosts())
    ]


def installed(env: str, hosts: Hosts) -> Iterator[tuple[Package, str]]:
    """(package, label of its repository or why there is none) of all of an environment, by name."""
    where = env.removeprefix("env:")
    found: dict[str, tuple[Package, str]] = {}
    for distribution in distributions() if not where else distributions(path=_folders(Path(where))):
        located = _located(distribution, hosts)
        if located is not None:
            found.setdefault(located[0].name, located)  # the first one is what Python imports
    yield from (found[name] for name in sorted(found))


def _folders(path: Path) -> list[str]:
    """The folders of an environment that hold installed packages."""
    if not path.is_dir():
        raise Unreadable("is no Python environment: there is no such folder")
    inside = [*path.glob("lib*/python3*/site-packages"), *path.glob("Lib/site-packages")]
    if not inside and (any(path.glob("*.dist-info")) or any(path.glob("*.egg-info"))):
        inside = [path]
    if not inside:
        raise Unreadable("is no Python environment: it holds no site-packages")
    return [str(folder) for folder in dict.fromkeys(each.resolve() for each in inside)]


def _located(distribution: Distribution, hosts: Hosts) -> tuple[Package, str] | None:
    """As `installed`; None for a folder without metadata, as an interrupted installation leaves one."""
    metadata = _metadata(distribution)
    name = next(_texts(metadata.get_all("Name")), "")
    if not name:
        return None
    version = next(_texts(metadata.get_all("Version")), "")
    direct, why = _direct(distribution)
    if direct:
        return pypi_package(name, version, direct), "direct_url.json"
    links = [_labelled(value) for value in _texts(metadata.get_all("Project-URL"))]
    links += [("homepage", url) for url in _texts(metadata.get_all("Home-page"))]
    links += [("downloadurl", url) for url in _texts(metadata.get_all("Download-URL"))]
    description = next(_texts(metadata.get_all("Description")), "") or text(metadata.get_payload())
    address, label = best_address(links, hosts, description=description, name=name)
    if address:
        return pypi_package(name, version, address), label
    reason = why or ("its metadata name no repository" if links else "its metadata hold no links")
    return pypi_package(name, version, nowhere=reason), reason


def _metadata(distribution: Distribution) -> Message:
    """The metadata as a message; since core metadata 2.1 the description is its body.

    Read from the file itself: `distribution.metadata` differs between versions of Python where a
    file is absent, and fails as a whole for one byte that is not UTF-8 (an author's name, in old ones).
    """
    for name in ("METADATA", "PKG-INFO", ""):
        try:
            if content := distribution.read_text(name):
                return message_from_string(content)
        except UnicodeDecodeError as error:
            return message_from_string(decode(bytes(error.object)).text)
        except OSError:
            continue
    return Message()


def _direct(distribution: Distribution) -> tuple[str, str]:
    """(address, why none) of what was installed straight from a URL."""
    try:
        content = table(json.loads(distribution.read_text("direct_url.json") or "{}"))
    except (ValueError, OSError, RecursionError):
        return "", ""
    vcs = text(table(content.get("vcs_info")).get("vcs"))
    url = text(content.get("url"))
    if vcs:
        return git_address(f"{vcs}+{url}")
    return "", _FROM_FOLDER if "dir_info" in content else ""


_FROM_FOLDER = "comes from a folder of this machine, and its metadata name no repository"


def _labelled(value: str) -> tuple[str, str]:
    """(label, URL) of a `Project-URL`. A label may hold a comma, and there may be none."""
    label, comma, url = value.rpartition(",")
    return (label.strip(), url.strip()) if comma else ("", value)


def _texts(values: Iterable[object] | None) -> Iterator[str]:
    yield from (value for each in values or () if (value := str(each).strip()) not in ("", "UNKNOWN"))
