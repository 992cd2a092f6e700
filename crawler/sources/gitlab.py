"""GitLab: projects, groups with their subgroups, users, whole hosts.

A first listing is REST's, which tells forks and their parents. One that was crawled before is listed by
GraphQL with the commit of each project's default branch, so what has not changed costs a hundredth of a
request. (`last_activity_at` would be in every listing, but GitLab moves it once an hour at most, so a
push soon after another would be missed; and a mirror is updated without it.) Projects are fetched fifty
at a time, see gitlab_projects.py.

(Interface: GitLab, "Projects API", "Groups API", "REST API", section "Pagination", "GraphQL API".)
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from ...cff.errors import SourceError
from ...db.found import Found
from ..forge import Facts, Interface, Told, failed, field, flag, inner, place_trouble, text, walk
from ..forge_words import forge_word, parse_forge_word
from ..hosts import Host, Hosts
from ..http import FetchError
from ..source import NEW, Mark, Options, Past, Step, shown
from .gitlab_graphql import MOST, OF_GROUP, OF_HOST, GraphQL, head_of, project_id
from .gitlab_projects import Lead, Project, Projects, read_page

_HOME = "gitlab.com"
_LISTED = "order_by=id&sort=asc&per_page=100"
_PROJECT_PAGES = frozenset("blame blob commit commits raw tree wikis".split())
"""Steps behind a project's path in older addresses; no project or group may have such a name."""
_NO_GROUPS = frozenset(
    "- .well-known admin api assets dashboard explore files groups health_check help import jwt login oauth"
    " projects public robots.txt search sitemap.xml uploads users v2".split()
)
"""First steps that are pages of the host's own ("Reserved project and group names")."""
_GRAPHQL = "graphql "
"""Before a cursor of GraphQL's."""


@dataclass(frozen=True, slots=True)
class GitLabSource:
    """A project, a group or user, or a whole host; of an address it may be open which."""

    host: Host
    kind: Literal["project", "group", "open", "host"]
    path: str = ""
    """Of the project or group, of any depth."""

    @property
    def spec(self) -> str:
        """`gitlab:…` for a group or host, else the address."""
        if self.kind in ("group", "host"):
            return forge_word(self.host, "gitlab", self.path, home=_HOME)
        return self.host.repository(self.path)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield units of fifty projects, page after page; what an open address names is asked once."""
        if self.kind == "project":
            yield Project(self.host, Lead(self.path))
            return
        is_listing = self.kind != "open" or "/" not in self.path
        is_first = not past.is_known and not past.cursor.startswith(_GRAPHQL)
        # GraphQL does not tell forks, nor what a cursor of REST's means.
        if is_listing and not is_first and options.forks and not options.refresh:
            cursor = past.cursor.removeprefix(_GRAPHQL)
            if cursor != past.cursor or not cursor:
                if (yield from self._by_graphql(options, cursor)):
                    return
                past = Past(past.is_known)
        interface = Interface(self.host, options.web)
        yield from walk(interface, self._starts(options), past, read_page, self._units, self._otherwise)

    def _starts(self, options: Options) -> list[str]:
        """Addresses of what it may be, in turn."""
        listed = _LISTED if options.archived else f"{_LISTED}&archived=false"
        if self.kind == "host":
            return [f"projects?pagination=keyset&{listed}"]
        name = quote(self.path, safe="")
        # Without `with_shared`, a group lists what others share with it too.
        group = f"groups/{name}/projects?include_subgroups=true&with_shared=false&{listed}"
        if "/" not in self.path:
            return [group, f"users/{name}/projects?{listed}"]
        project = f"projects/{name}"
        return [project, group] if self.kind == "open" else [group, project]

    def _units(self, items: Sequence[Facts]) -> Iterator[Step]:
        asked = self.path if self.kind == "open" and "/" in self.path and len(items) == 1 else ""
        leads = tuple(
            Lead(field(item, "path_with_namespace"), field(item, "id"), item, asked=asked) for item in items
        )
        for at in range(0, len(leads), MOST):
            yield Projects(self.host, leads[at : at + MOST])

    def _by_graphql(self, options: Options, cursor: str) -> Generator[Step, None, bool]:
        """As `units`, with the commit of each project; False, at any time, when the host does not list so."""
        graph, after = GraphQL(self.host, options.web), cursor or None
        while True:
            query, name = (OF_HOST, {}) if self.kind == "host" else (OF_GROUP, {"path": self.path})
            page = graph.page(query, {**name, "after": after})
            if page is None:
                return False
            nodes, following = page
            leads = tuple(_lead(node) for node in nodes if text(node, "fullPath"))
            if leads:
                yield Projects(self.host, leads)
            if following is None or following == after:
                return True
            after = following
            yield Mark(f"{_GRAPHQL}{after}")

    def _otherwise(self, error: FetchError) -> Step:
        if self.kind == "open" and "/" in self.path:
            found = Found(self.host.repository(self.path), self.path.rpartition("/")[2], host=self.host.name)
            return Told(failed(found, error))
        return place_trouble(self.spec, self.host, "group or user", error)


def understand(word: str, hosts: Hosts) -> GitLabSource | None:
    """The source that a word names: `gitlab:GROUP`, `gitlab:HOST`, `gitlab:HOST/GROUP`, an address.

    SourceError for one that is GitLab's and names nothing that can be crawled.
    """
    named = parse_forge_word(word, hosts, "gitlab", home=_HOME)
    if named is None:
        return None
    host, steps = named.host, list(named.steps)
    if named.form == "page" and steps[:1] in (["groups"], ["users"]) and len(steps) > 1:
        steps, is_group = _upto(steps[1:], {"-"}), True
        steps = steps[:1] if named.steps[0] == "users" else steps
    else:
        steps, is_group = _upto(_upto(steps, {"-"}), _PROJECT_PAGES, least=2), named.form == "kind"
    path = "/".join(steps).lower()
    if not steps:
        if named.form != "kind" and host.name == _HOME:
            raise SourceError(f"{shown(word)}: millions of projects: if all are meant, write gitlab:{_HOME}")
        return GitLabSource(host, "host")
    if steps[0].lower() in _NO_GROUPS or (named.form == "git" and len(steps) < 2):
        raise SourceError(f"{shown(word)}: a page of the host's own, and no project or group")
    # Pages behind a path of two steps or more are those of a project; groups have theirs behind `/groups/`.
    has_page = len(steps) < len(named.steps) and len(steps) > 1 and not is_group
    if named.form == "git" or has_page:
        return GitLabSource(host, "project", path)
    return GitLabSource(host, "group" if is_group else "open", path)


def _upto(steps: list[str], ends: Collection[str], *, least: int = 1) -> list[str]:
    """The steps before the first of the `ends`, of which there are so many at least."""
    return next((steps[:at] for at, step in enumerate(steps) if at >= least and step in ends), steps)


def _lead(node: Facts) -> Lead:
    repository = inner(node, "repository")
    return Lead(
        field(node, "fullPath"),
        project_id(node),
        head=head_of(node),
        branch=text(repository, "rootRef"),
        archived=flag(node, "archived"),
        empty=flag(repository, "empty") is True,
    )
