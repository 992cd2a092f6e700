"""requirements.txt, as pip reads it and as people write it (pip, "Requirements File Format").

Markers and extras are not weighed: the list says what may be used, not what this machine would install.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from packaging.requirements import Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)

from ...cff.decode import decode
from .address import git_address, linked_address
from .package import Content, Entry, Fault, Package, Unreadable, cited, pypi_package

_MAX_LINE = 1 << 20
_MAX_REQUIREMENT = 4096

_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")
_OPTION = re.compile(
    r"(-[A-Za-z]|--[a-z][a-z-]*)(?:\s*=\s*|\s+|(?<=^-[A-Za-z]))(.*)|(--?[a-z][a-z-]*)", re.DOTALL
)
_PER_REQUIREMENT = re.compile(r"\s--(?:hash|global-option|config-settings?|install-option)\b")
_VCS = re.compile(r"(?:git|hg|svn|bzr)\+|git@", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][\w+.-]*://")
_CONDA_EXPORT = re.compile(r"([A-Za-z0-9_][\w.-]*)=([\w.!+-]+)(?:=([\w.]+))?")
_CONDA_FILE = re.compile(r"https?://\S+/([\w.+-]+?)-([\w.!+]+)-[\w.]+\.(?:conda|tar\.bz2)(?:#\w+)?")
_NAME_FIRST = re.compile(
    r"([A-Za-z0-9](?:[\w.-]{0,200}[A-Za-z0-9])?)\s*(?:\[[\w\s,.-]*\])?\s*(?:[(<>=!~;].*)?", re.DOTALL
)
_LOCAL = re.compile(
    r"\.{0,2}[/\\]|\.{1,2}(?:\[|$)|~|file:|[A-Za-z]:[\\/]|\S+\.(?:whl|zip|tar\.\w+|tgz)$", re.IGNORECASE
)
_CONDA_BUILD = re.compile(
    r"/(?:croot|feedstock_root|conda-bld|ci(?:_\w+)?|80754af9|[a-z]+_[0-9]{13})/", re.IGNORECASE
)
"""Folders in which conda packages are built: `pip freeze` names them for what is in truth published."""

FROM_HERE = "comes from a folder or file of the machine on which the list was written"


def read(content: Content) -> Iterator[Entry]:
    """Yield the packages of a requirements file, and of those that it includes from its own folder."""
    for number, line in _logical_lines(decode(content.data).text):
        yield from read_line(line, content, f"{content.path}:{number}")


def read_line(line: str, content: Content, place: str) -> Iterator[Entry]:
    """Yield what one line of a requirements file names; `place` is told of a line that is not understood."""
    if len(line) > _MAX_LINE:
        yield Fault(place, f"a line of more than {_MAX_LINE:,} characters")
        return
    line = _COMMENT.sub("", line).strip()
    if not line or line.startswith("@"):  # conda's `@EXPLICIT`
        return
    if line.startswith("-"):
        option = _OPTION.fullmatch(line)
        name, value = (option[1], option[2]) if option and option[1] else (line, "")
        if name in ("-e", "--editable"):
            yield from _requirement(_unquoted(value), place, editable=True)
        elif name in ("-r", "--requirement"):
            yield from _included(_unquoted(value), content, place)
        # Indexes, hashes and constraints (`-c`) name no package to use.
        return
    yield from _requirement(_PER_REQUIREMENT.split(line, maxsplit=1)[0].strip(), place)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number of its first line, line) with those that a backslash continues joined."""
    parts: list[str] = []
    first = 1
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if not parts:
            first = number
        if line.endswith("\\") and not re.match(r"\s*#", line):
            parts.append(line[:-1])
            continue
        # A comment ends what was continued (pip, `join_lines`).
        parts.append(f" {line}" if parts and re.match(r"\s*#", line) else line)
        yield first, "".join(parts)
        parts = []
    if parts:
        yield first, "".join(parts)


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _included(name: str, content: Content, place: str) -> Iterator[Entry]:
    if "://" in name:
        yield Fault(place, "includes a file of another host, which is not followed: name it as a source")
        return
    try:
        inner = content.open_beside(name, content.path)
    except Unreadable as error:
        yield Fault(place, f"includes {name}, which {error}")
        return
    if inner is not None:
        yield from read(inner)


def _requirement(text: str, place: str, *, editable: bool = False) -> Iterator[Entry]:
    if len(text) > _MAX_REQUIREMENT:
        yield Fault(place, f"a requirement of more than {_MAX_REQUIREMENT:,} characters")
        return
    if "${" in text and not re.match(r"[\w.-]+\s*(?:\[[^]]*\])?\s*(?:[<>=!~;]|$)", text):
        # pip fills in variables of the environment, as a token in a URL; what they held is not known here.
        text = re.sub(r"\$\{\w+\}@?", "", text)
    package = parse_requirement(text, editable=editable)
    if package is not None:
        yield package
    elif not is_project_itself(text):
        yield Fault(place, f"not understood as a requirement: {cited(text)}")


def is_project_itself(text: str) -> bool:
    """Whether a requirement is the folder of the list, or one above: the project whose list it is."""
    return bool(re.fullmatch(r"(?:file:)?(?:\.{1,2}[/\\]?)*(?:\[[^\]]*\])?", text.strip()))


def parse_requirement(text: str, *, editable: bool = False) -> Package | None:
    """The package of one requirement in any spelling; None when it is none, or is the project itself.

    >>> parse_requirement("Foo_Bar[x] == 1.0 ; python_version < '3'")
    Package(kind='pypi', name='foo-bar', version='1.0', address='', links=(), channel='', nowhere='')
    >>> parse_requirement("-e git+https://github.com/o/r@v1#egg=Tool".removeprefix("-e ")).address
    'https://github.com/o/r'
    """
    text = text.strip()
    if _VCS.match(text) or (_URL.match(text) and not text.lower().startswith("file:")):
        return _of_url(text.partition(" ")[0])
    if is_project_itself(text):
        return None
    if _LOCAL.match(text) or (editable and "@" not in text):
        return _of_file(text)
    try:
        requirement = Requirement(text)
    except (ValueError, RecursionError):  # brackets in a marker may stand a thousand deep
        return _of_odd(text)
    if requirement.url:
        return _of_direct(requirement.name, requirement.url)
    return pypi_package(requirement.name, _pinned(requirement))


def _pinned(requirement: Requirement) -> str:
    pins = [s.version for s in requirement.specifier if s.operator in ("==", "===") and "*" not in s.version]
    return pins[0] if len(pins) == 1 else ""


def _of_direct(name: str, url: str) -> Package:
    """`name @ url` (PEP 508)."""
    if url.lower().startswith("file:") or "://" not in url:
        if _CONDA_BUILD.search(url):
            return pypi_package(name)
        return pypi_package(name, nowhere=FROM_HERE)
    found = _of_url(url)
    return pypi_package(name, found.version, found.address, nowhere=found.nowhere)


def _of_url(url: str) -> Package:
    """A URL of version control, or of an archive."""
    conda = _CONDA_FILE.fullmatch(url)
    if conda:
        return Package("conda", conda[1].lower(), conda[2], channel=_channel(url))
    egg = re.search(r"[#&]egg=([^&\[]+)", url)
    path = PurePosixPath(
        unquote(urlsplit(url.partition("#")[0]).path.rpartition("@")[0] or urlsplit(url).path)
    )
    name = unquote(egg[1]) if egg else path.name.removesuffix(".git")
    if _VCS.match(url):
        address, why = git_address(url)
        return pypi_package(name or "unnamed", address=address, nowhere=why)
    known = _of_archive(path.name)
    address = linked_address(url)
    if known is not None and not egg:
        name, version = known.name, known.version
    else:
        version = ""
        if address and not egg:  # `archive/main.zip` is no name of a package; that of the repository may be
            name = address.rpartition("/")[2]
    nowhere = "" if address or known or egg else "comes from a URL that names neither package nor repository"
    return pypi_package(name or "unnamed", version, address, nowhere=nowhere)


def _channel(url: str) -> str:
    """`conda-forge` of `https://conda.anaconda.org/conda-forge/linux-64/…`."""
    steps = urlsplit(url).path.strip("/").split("/")
    return steps[-3] if len(steps) > 2 else ""


def _of_archive(file_name: str) -> Package | None:
    try:
        if file_name.endswith(".whl"):
            name, version, *_ = parse_wheel_filename(file_name)
        else:
            name, version = parse_sdist_filename(file_name)
    except (InvalidWheelFilename, InvalidSdistFilename, ValueError):
        return None
    return pypi_package(name, str(version))


def _of_file(text: str) -> Package:
    """A path: an archive tells its name, a folder has its own."""
    plain = (
        re.sub(r"\[[^\]]*\]$", "", re.split(r"[#;\s]", text, maxsplit=1)[0]).replace("\\", "/").rstrip("/")
    )
    file_name = plain.rpartition("/")[2]
    known = _of_archive(file_name)
    if known is not None:
        return pypi_package(known.name, known.version, nowhere=FROM_HERE)
    return Package("generic", file_name.lower() or "unnamed", nowhere=FROM_HERE)


def _of_odd(text: str) -> Package | None:
    """What packaging refuses and pip once took, or `conda list --export` wrote: the name counts."""
    conda = _CONDA_EXPORT.fullmatch(text)
    if conda:
        if (conda[3] or "").startswith("pypi"):
            return pypi_package(conda[1], conda[2])
        return Package("conda", conda[1].lower(), conda[2])
    first = _NAME_FIRST.fullmatch(text)
    if not first:
        return None
    pin = re.fullmatch(r"[^=<>!~;]*===?\s*([\w.!+-]+)\s*(?:;.*)?", text)
    return pypi_package(first[1], pin[1] if pin else "")
