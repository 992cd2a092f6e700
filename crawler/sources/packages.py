"""Lists of packages (requirements, lock files, bills of materials, `env:`): the repositories behind them.

A repository is fetched as if it had been named itself, so that those on one forge are asked for
together. A package without one becomes a place too, under its purl, with the reason: what cannot be
cited is counted, and found again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...cff.errors import SourceError
from ...cff.identifiers import repository_url
from ...db.found import Found, Known
from ..hosts import Hosts
from ..packages.files import is_package_list, merged, read_list
from ..packages.installed import installed
from ..packages.package import Fault, Package, Unreadable, parse_purl
from ..packages.registry import REGISTRIES, Located, Registry, locate
from ..source import NEW, Mark, Options, Past, Step, Trouble, Unit, shown

_CHUNK = 256
"""Packages between two marks: enough to fill a question to a forge, which a mark sends off."""
_ASKING = 8
"""So many questions to registries at once; each host has its own spacing besides."""


@dataclass(frozen=True, slots=True)
class PackagesSource:
    """A list of packages: a file, an environment, or one package by its purl."""

    place: str
    """Absolute path of a file, `env:`, `env:` and the absolute path of an environment, or a purl."""
    registries: Mapping[str, Registry] = field(default_factory=lambda: REGISTRIES, compare=False)

    @property
    def spec(self) -> str:
        """The place."""
        return shown(self.place)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the repositories of the packages, each once, and the packages that have none.

        The registries are asked here, many packages at once; a mark stands behind each chunk of them.
        """
        from ..specs import understand

        packages, faults = self.packages(options.hosts)
        yield from (Trouble(shown(fault.place), shown(fault.reason)) for fault in faults)
        if not packages and not faults:
            yield Trouble(self.spec, "names no package")
        left = [package for package in packages if package.purl > past.cursor]
        seen: set[str] = set()
        with ThreadPoolExecutor(_ASKING, thread_name_prefix="registry") as pool:
            for at in range(0, len(left), _CHUNK):
                chunk = left[at : at + _CHUNK]
                without = []
                for located in pool.map(lambda p: locate(p, options.web, self.registries), chunk):
                    if located.state == "failed" and not located.address:
                        yield Trouble(located.package.purl, shown(located.reason), "failed")
                        continue
                    if not located.address:
                        without.append(located)
                        continue
                    url = repository_url(located.address) or located.address
                    if url in seen:
                        continue
                    seen.add(url)
                    try:
                        source = understand(located.address, options.hosts)
                    except SourceError as error:
                        yield Trouble(located.package.purl, str(error))
                        continue
                    steps = one_repository(source.units(options))
                    if steps is None:
                        reason = f"names no single repository: {located.address} holds several"
                        without.append(replace(located, address="", reason=reason))
                        continue
                    yield from steps
                if without:
                    yield _Without(tuple(without))
                yield Mark(chunk[-1].purl)

    def packages(self, hosts: Hosts) -> tuple[list[Package], list[Fault]]:
        """(packages by purl, what could not be read) of the list. No network."""
        if self.place.startswith("pkg:"):
            package = parse_purl(self.place)
            return ([package], []) if package else ([], [Fault(self.place, "is no purl")])
        if self.place.startswith("env:"):
            try:
                return [package for package, _ in installed(self.place, hosts)], []
            except Unreadable as error:
                return [], [Fault(self.place, str(error))]
        return merged(read_list(Path(os.fsdecode(self.place))))


def one_repository(steps: Iterator[Step]) -> list[Unit | Trouble] | None:
    """What a source yields that is one repository; None when it is more, as a group of a forge.

    An author may name the group that a package belongs to: whose repositories the others are, nobody said.
    """
    found: list[Unit | Trouble] = []
    for step in steps:
        if isinstance(step, Mark):
            continue
        if found or (not isinstance(step, Trouble) and len(step.urls) > 1):
            return None
        found.append(step)
    return found


@dataclass(frozen=True, slots=True)
class _Without:
    """Packages that have no repository: each a place without a file, with its reason."""

    located: tuple[Located, ...]

    @property
    def urls(self) -> Sequence[str]:
        return tuple(each.package.purl for each in self.located)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        for each in self.located:
            purl, reason = each.package.purl, shown(each.reason)
            yield Found(
                purl,
                shown(each.package.name),
                state="no-file",
                reason=reason,
                files=(),
                notes=(f"{purl}: {reason}",),
            )


def understand(word: str, hosts: Hosts) -> PackagesSource | None:
    """The list of packages that a word names; None when it names none.

    `env:` is the running Python environment, `env:PATH` another one; `pkg:…` is one package. A file
    counts when its name is that of a list and no folder has it.
    """
    if word.startswith("env:"):
        where = word.removeprefix("env:")
        return PackagesSource("env:" + str(Path(where).expanduser().absolute()) if where else "env:")
    if word.startswith("pkg:"):
        package = parse_purl(word)
        if package is None:
            raise SourceError(f"{shown(word)}: is no purl: one is written pkg:TYPE/NAME")
        return PackagesSource(package.purl)
    if "://" in word or not is_package_list(word):
        return None
    path = Path(word).expanduser()
    if path.is_dir() or not (path.is_absolute() or os.path.lexists(path)):
        return None
    return PackagesSource(str(path.parent.resolve() / path.name))
