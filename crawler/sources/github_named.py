"""Single repositories of GitHub, joined to as many as were named: a hundred of them are one question."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ...db.found import Found, Known
from ..hosts import Host
from ..http import FetchError
from ..remote import fetch_remote
from ..source import NEW, Joinable, Options, Past, Step, Unit
from . import github_query as query
from .github_fetch import complete
from .github_graphql import Graph
from .github_query import Snapshot
from .github_rest import Rest, RestRepository

_JOINED = 1000
"""Names in one unit: what is missing of all is asked for together."""


@dataclass(frozen=True, slots=True)
class RepositorySource:
    """One repository."""

    host: Host
    path: str
    """`o/r`, as it was written."""
    address: str = ""
    """For git over ssh, where it was named so: it may let in whom the interface does not know."""

    @property
    def spec(self) -> str:
        """Its canonical URL, or its address for ssh."""
        return self.address or self.host.repository(self.path)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield it; it can be joined to others of its host."""
        yield _Named(self.host, (self,), (self.host.repository(self.path),))


@dataclass(frozen=True, slots=True)
class _Named:
    """A unit of repositories that were named, as many as there are."""

    host: Host
    names: tuple[RepositorySource, ...]
    urls: tuple[str, ...]

    @property
    def group(self) -> tuple[str, str]:
        return ("github", self.host.name)

    @property
    def most(self) -> int:
        return _JOINED

    def join(self, others: Sequence[Joinable]) -> Unit:
        units = [self, *(other for other in others if isinstance(other, _Named))]
        names = tuple(name for unit in units for name in unit.names)
        return _Named(self.host, names, tuple(url for unit in units for url in unit.urls))

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        names = dict(zip(self.urls, self.names, strict=True))
        for found in self._fetch(names, known, options):
            url = found.asked or found.url
            name = names.get(url)
            if found.state in ("gone", "private") and name is not None and name.address:
                yield fetch_remote(query.named(self.host, name.path), name.address, known.get(url), options)
            else:
                yield found

    def _fetch(
        self, names: Mapping[str, RepositorySource], known: Mapping[str, Known], options: Options
    ) -> Iterator[Found]:
        if self.host.tokens():
            yield from complete(self.host, self._snapshots(names, known, options), known, options)
            return
        for name in names.values():
            yield from RestRepository(self.host, name.path).fetch(known, options)

    def _snapshots(
        self, names: Mapping[str, RepositorySource], known: Mapping[str, Known], options: Options
    ) -> Iterator[Snapshot | Found]:
        """What GitHub shows of them: of those that are known, first no more than whether they changed."""
        graph = Graph(self.host, options.web)
        for light in (True, False):
            paths = [n.path for url, n in names.items() if light == (url in known and not options.refresh)]

            def write(some: Sequence[str], light: bool = light) -> str:
                return query.by_names(some, light=light)

            for path, said in graph.each(paths, write):
                shown = query.parse_repository(said, self.host)
                if isinstance(shown, FetchError):
                    yield self._refused(path, shown, options)
                else:
                    yield shown.asked_as(self.host.repository(path))

    def _refused(self, path: str, error: FetchError, options: Options) -> Found:
        if error.state == "blocked":
            error = self._notice(path, options) or error
        return dataclasses.replace(query.named(self.host, path), state=error.state, reason=str(error))

    def _notice(self, path: str, options: Options) -> FetchError | None:
        """Why a repository is blocked: REST alone says where the notice is."""
        try:
            answer = Rest(self.host, options.web).get(f"repos/{quote(path)}")
        except FetchError:
            return None
        return None if answer.is_ok else answer.refusal()
