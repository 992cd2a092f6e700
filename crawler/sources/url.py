"""One CFF file by its address on the web, or by the page on which a forge shows it.

Such a file is a repository of its own, as a single file on this machine is: nothing around it was
named. Where the address tells of which repository it is a file, that is noted as its `remote`, so
that both are seen as places of one software. The user named the file: robots.txt is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import unquote

from ...cff.identifiers import repository_url
from ...db.found import Found, Known
from ..hosts import Hosts
from ..http import FetchError
from ..links import Link, parse_link
from ..names import is_citation_file
from ..remote_files import Address, RemoteFile, take
from ..source import NEW, Options, Past, Step, shown

_FORGES = ("github", "gitlab", "forgejo", "bitbucket")


class _Page(NamedTuple):
    """How the page of a file leads to the file itself."""

    hosts: str
    """Which hosts have it: a host's name, a kind in brackets, or `*`."""
    pattern: str
    """Of the path, and of the query behind a `?` when the place of the file stands there."""
    raw: str
    """Address of the file: scheme and host are the page's own when it begins with a slash."""
    repository: str
    """Likewise."""


# The first that fits. (GitHub, GitLab, Forgejo and Bitbucket: the addresses of their "Raw" links;
# cgit's `plain` and gitweb's `blob_plain`: cgitrc(5), gitweb(1); git.sr.ht: its "View raw".)
_PAGES = (
    _Page("raw.githubusercontent.com", r"/([^/]+)/([^/]+)/([^?]+)(\?.+)?",
          r"https://raw.githubusercontent.com/\1/\2/\3\4", r"https://github.com/\1/\2"),
    _Page("github.com", r"/([^/]+)/([^/]+)/(?:blob|raw|blame|edit)/(.+)",
          r"https://raw.githubusercontent.com/\1/\2/\3", r"https://github.com/\1/\2"),
    _Page("[github]", r"/([^/]+)/([^/]+)/(?:blob|raw|blame|edit)/(.+)", r"/\1/\2/raw/\3", r"/\1/\2"),
    _Page("*", r"/(.+?)/-/(?:blob|raw|blame|edit)/(.+)", r"/\1/-/raw/\2", r"/\1"),
    _Page("[gitlab]", r"/(.+?)/(?:blob|raw|blame)/(.+)", r"/\1/-/raw/\2", r"/\1"),
    _Page("[bitbucket]", r"/([^/]+)/([^/]+)/(?:src|raw|annotate)/(.+)", r"/\1/\2/raw/\3", r"/\1/\2"),
    _Page("*", r"/([^/]+)/([^/]+)/(?:src|raw|blame|media)/((?:branch|tag|commit)/.+)", r"/\1/\2/raw/\3",
          r"/\1/\2"),
    _Page("git.sr.ht", r"/(~[^/]+)/([^/]+)/(?:tree|blob|blame)/([^/]+)/(?:item/)?(.+)",
          r"/\1/\2/blob/\3/\4", r"/\1/\2"),
    _Page("*", r"/((?:.+/)?cgit(?:\.cgi)?/.+?)/(?:tree|plain|blame)/([^?]+)(\?.+)?", r"/\1/plain/\2\3",
          r"/\1"),
    _Page("[cgit]", r"/(.+?)/(?:tree|plain|blame)/([^?]+)(\?.+)?", r"/\1/plain/\2\3", r"/\1"),
    _Page("*", r"/([^?]*)\?p=([^;&]+)[;&]a=(?:blob|blob_plain|blame)([;&].+)", r"/\1?p=\2;a=blob_plain\3",
          r"/\1?p=\2"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UrlSource:
    """One file."""

    address: str
    """Where it is; may hold a secret in its query."""
    url: str
    """The same without: the canonical URL."""
    path: str
    """The file's name."""
    name: str
    """Of the place."""
    remote: str | None = None
    """The repository that it is a file of, where the address tells."""

    @property
    def spec(self) -> str:
        """The address of the file."""
        return self.url

    @property
    def urls(self) -> tuple[str, ...]:
        """The file's own: it is its one unit."""
        return (self.url,)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the one file."""
        yield self

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        """Yield it, whatever it is: a page in its place is told by its content."""
        host = options.hosts.behind(self.url)
        found = Found(self.url, self.name, host=host.name, remote=self.remote)
        before = known.get(self.url)
        try:
            taken = take([RemoteFile(self.path, (Address(self.address),))], before, options)
        except FetchError as error:
            yield replace(found, state=error.state, reason=str(error))
            return
        found = replace(found, head=taken.head or None, validator=taken.validator)
        moved = understand(taken.moved_to, options.hosts) if taken.moved_to else None
        if moved is not None and moved.url != self.url:
            found = replace(found, url=moved.url, remote=moved.remote or self.remote, asked=self.url)
        if taken.is_known(before, options):
            yield replace(found, unchanged=True)
        else:
            yield replace(found, files=taken.files)


def understand(word: str, hosts: Hosts) -> UrlSource | None:
    """The file that an address names; None when it names none. SourceError for one that is not safe."""
    link = parse_link(word)
    if link is None:
        return None
    fields = dict(field.partition("=")[::2] for field in re.split("[;&]", link.query))
    place = fields["f"] if {"p", "a", "f"} <= fields.keys() else link.path
    if not unquote(place).lower().endswith(".cff"):
        return None
    found = _of_forge(link, hosts)
    if found is None and link.described(hosts).kind in _FORGES:
        return None  # a repository of that name
    link.refuse_unsafe(hosts)
    raw, repository = found or (link, None)
    path = shown(unquote(place).rpartition("/")[2])
    if repository is None:
        steps = [step for step in unquote(link.path).split("/")[:-1] if step]
        name = steps[-1] if steps and is_citation_file(path) else path
        return UrlSource(raw.url, raw.public_url, path, shown(name))
    remote = repository.url if repository.query else repository_url(repository.url)
    name = unquote(repository.url).rstrip("/").rpartition("/")[2].rpartition("?p=")[2].removesuffix(".git")
    return UrlSource(raw.url, raw.public_url, path, shown(name), remote)


def _of_forge(link: Link, hosts: Hosts) -> tuple[Link, Link] | None:
    """(the file, its repository) when the address is of a page or file of a forge."""
    kind = f"[{link.described(hosts).kind}]"
    for page in _PAGES:
        if page.hosts not in ("*", link.host, kind):
            continue
        whole = f"{link.path}?{link.query}" if link.query else link.path
        # What stands behind a `?` says how the page looks, unless the pattern has a place for it.
        match = re.fullmatch(page.pattern, whole if r"\?" in page.pattern else link.path)
        if match is None:
            continue
        raw, repository = (match.expand(t) for t in (page.raw, page.repository))
        found = parse_link(raw if "://" in raw else link.place + raw)
        of = parse_link(repository if "://" in repository else link.place + repository)
        if found is not None and of is not None:
            return found, of
    return None
