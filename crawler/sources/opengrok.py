"""OpenGrok: one file, a folder, a project, or all projects of a host.

It shows source code and tells nothing of the repositories that the code came from. So it is treated
as folders outside git are: the folder that holds a citation file is the repository, and one in
`.github/`, `docs/` or `inst/` belongs to the folder above. A project's own file stands in its root.

What there is, the search of its interface tells, and where that is closed, the pages of its folders.
A file comes from `/raw/`, else from `/download/`, and where both are closed from the page that shows
it with who changed each line last (`/xref/…?a=true`). That page is much larger, and costs its host a
walk through the history of the file, so it is not asked for besides the file.

(The interface: OpenGrok's `SearchController`; the pages: its `DirectoryListing` and `Util`.)
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urlencode

from ...cff.annotated import extract
from ...cff.errors import SourceError
from ...db.found import Found, Known
from ..hosts import Host, Hosts
from ..http import Answer, FetchError
from ..links import Link, parse_link
from ..names import FOLDERS, is_citation_file, pick
from ..remote_files import Address, RemoteFile, take
from ..source import NEW, Options, Past, Step, Trouble, shown

_SPELLINGS = ("CITATION.cff", "citation.cff")
"""Asked for in turn: whether its search tells upper from lower case depends on its version."""
_PAGE = 1000
"""Results of a search at once (the most that OpenGrok gives unasked)."""
_FOLDER_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class OpenGrokSource:
    """A file, folder or project that an OpenGrok shows, or all projects."""

    host: Host
    base: str
    """The address before `/xref/`, without a slash at the end."""
    path: str
    """Below that; empty for all projects."""
    is_file: bool

    @property
    def spec(self) -> str:
        """The address of its page."""
        return _xref(self.base, self.path)

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the file, the folder, or each project; with --nested, each folder that holds a file."""
        if self.is_file:
            yield _Folder(self.host, self.base, _owner(self.path), (self.path,), is_named=True)
            return
        try:
            found = self._searched(options)
        except FetchError as error:
            if error.state not in ("private", "gone") and not isinstance(error, _Closed):
                yield Trouble(self.spec, str(error), _state(error))
                return
            yield from self._from_pages(options)
            return
        yield from self._units(found, options)

    def _units(self, found: list[str], options: Options) -> Iterator[Step]:
        owned: dict[str, list[str]] = {}
        for path in found:
            owned.setdefault(_owner(path), []).append(path)
        if options.nested:
            tops = {owner: owner for owner in owned}
        else:
            tops = {owner: self.path or owner.partition("/")[0] for owner in owned}
        deeper: dict[str, int] = {}
        units: dict[str, list[str]] = {}
        for owner, top in tops.items():
            if owner == top:
                units[owner] = owned[owner]
            else:
                deeper[top] = deeper.get(top, 0) + len(owned[owner])
        for top in sorted({*units, *deeper, *([self.path] if self.path else [])}):
            # What the search does not know may be there all the same, or not exist: its page tells.
            paths = tuple(units.get(top, ())) if top in units or top in deeper else None
            yield _Folder(self.host, self.base, top, paths, deeper=deeper.get(top, 0))

    def _searched(self, options: Options) -> list[str]:
        """The paths of all citation files below the named folder, by the search."""
        project = self.path.partition("/")[0]
        found: set[str] = set()
        for spelling in _SPELLINGS:
            start, count = 0, 1
            while start < count:
                fields = {"path": f'"{spelling}"', "maxresults": _PAGE, "start": start}
                query = urlencode({**fields, **({"projects": project} if project else {})})
                answer = options.web.get(
                    f"{_api(self.host, self.base)}/search?{query}", accept="application/json"
                )
                if not answer.is_ok:
                    raise answer.refusal()
                paths, count = _results(answer)
                if not paths:
                    break
                found.update(path for path in paths if self._holds(path))
                start += _PAGE
        return sorted(found)

    def _holds(self, path: str) -> bool:
        return is_citation_file(path.rpartition("/")[2]) and f"{path}/".startswith(
            f"{self.path}/" if self.path else ""
        )

    def _from_pages(self, options: Options) -> Iterator[Step]:
        if self.path:
            yield _Folder(self.host, self.base, self.path, None)
            return
        try:
            listing = _listing(options, self.base, "")
        except FetchError as error:
            yield Trouble(self.spec, str(error), _state(error))
            return
        for name in listing:
            if name.endswith("/"):
                yield _Folder(self.host, self.base, name.strip("/"), None)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that may hold citation files, itself and in its inner folders."""

    host: Host
    base: str
    path: str
    paths: tuple[str, ...] | None
    """Of the files, from the root of the host; None: its page is to be looked at."""
    is_named: bool = False
    """The user named the file."""
    deeper: int = 0
    """Citation files in folders below, which are not taken."""

    @property
    def urls(self) -> tuple[str, ...]:
        return (_xref(self.base, self.path),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        (url,) = self.urls
        found = Found(url, shown(self.path.rpartition("/")[2]) or self.host.name, host=self.host.name)
        before = known.get(url)
        try:
            paths, notes = self._chosen(options)
            wanted = [RemoteFile(shown(path), self._addresses(path)) for path in paths]
            taken = take(wanted, before, options, page=not self.is_named)
        except FetchError as error:
            yield replace(found, state=error.state, reason=str(error))
            return
        found = replace(found, head=taken.head or None, validator=taken.validator, notes=notes)
        if taken.is_known(before, options):
            yield replace(found, unchanged=True)
        else:
            yield replace(found, files=taken.files)

    def _chosen(self, options: Options) -> tuple[list[str], tuple[str, ...]]:
        """(paths in this folder of the files to take, notes)."""
        inside = len(self.path) + 1 if self.path else 0
        if self.is_named:
            return [path[inside:] for path in self.paths or ()], ()
        listing: dict[str, list[str]] = {}
        if self.paths is None:
            top = _listing(options, self.base, self.path)
            listing[""] = top
            for folder in FOLDERS:
                if f"{folder}/" in top:
                    listing[folder] = _listing(options, self.base, f"{self.path}/{folder}")
        for path in self.paths or ():
            folder, _, name = path[inside:].rpartition("/")
            listing.setdefault(folder, []).append(name)
        paths, notes = pick(listing)
        if self.paths is None and options.nested:
            notes.append("the search of the host is closed: folders below it were not looked into")
        if self.deeper:
            notes.append(f"{self.deeper} citation files lie in folders below: --nested takes them")
        url = self.urls[0]
        return paths, tuple(f"{url}: {shown(note)}" for note in notes)

    def _addresses(self, path: str) -> tuple[Address, ...]:
        whole = quote(f"{self.path}/{path}" if self.path else path)
        return (
            Address(f"{self.base}/raw/{whole}"),
            Address(f"{self.base}/download/{whole}"),
            Address(f"{self.base}/xref/{whole}?a=true", shows=_shows_a_file),
        )


class _Closed(FetchError):
    """The search answers with something else than results."""


_WORD = re.compile(r"(.*?)/(xref|raw|download)(?:/(.*))?")


def understand(word: str, hosts: Hosts) -> OpenGrokSource | None:
    """What an address of OpenGrok names; None when it is none. SourceError for one that is not safe.

    On a host that is not described, `/xref/` says OpenGrok wherever it stands, `/raw/` and `/download/`
    only where OpenGrok has them, behind one name at most: other hosts have them as well.
    """
    link = parse_link(word)
    if link is None:
        return None
    host = link.described(hosts)
    if host.kind not in ("opengrok", "git"):
        return None
    match = _WORD.fullmatch(link.path)
    if match is not None and host.kind == "git" and match[2] != "xref" and match[1].count("/") > 1:
        return None
    if match is None and host.kind == "git":
        return None
    link.refuse_unsafe(hosts)
    prefix, path = (match[1], match[3] or "") if match else (link.path, "")
    path = "/".join(step for step in unquote(path).split("/") if step not in ("", "."))
    if ".." in path.split("/") or re.search(r"[\x00-\x1f\x7f]", path):
        raise SourceError(f"{shown(link.public_url)}: not a path in OpenGrok")
    is_file = path.lower().endswith(".cff") and not link.path.endswith("/")
    return OpenGrokSource(host, _place(link, host, prefix), path, is_file)


def _place(link: Link, host: Host, prefix: str) -> str:
    """The address before `/xref/`; the description of the host tells it when the address does not."""
    if not prefix.strip("/") and "/api/" in host.api:
        return host.api.rpartition("/api/")[0]
    return link.place + prefix.rstrip("/")


def _owner(path: str) -> str:
    """The folder that a citation file at `path` belongs to."""
    folder = path.rpartition("/")[0]
    above, _, name = folder.rpartition("/")
    return above if name in FOLDERS and above else folder


def _xref(base: str, path: str) -> str:
    return f"{base}/xref/{quote(path)}" if path else f"{base}/xref"


def _api(host: Host, base: str) -> str:
    return host.api if host.api.startswith(f"{base}/") else f"{base}/api/v1"


def _state(error: FetchError) -> str:
    return "place" if error.state == "failed" else error.state


def _results(answer: Answer) -> tuple[list[str], int]:
    """(paths, number of all results) of an answer of the search."""
    try:
        said = answer.json()
        return [path.strip("/") for path in said["results"]], int(said["resultCount"])
    except (FetchError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise _Closed("its search gives no results") from error


_ROWS = re.compile(r'<table[^>]*\bid="?dirlist"?[^>]*>(.*?)</table>', re.DOTALL)
_NAME = re.compile(
    r'<tr[^>]*>\s*<td[^>]*>.*?</td>\s*<td[^>]*>\s*(?:<b>)?\s*<a [^>]*?href="([^"]*)"', re.DOTALL
)


def _listing(options: Options, base: str, path: str) -> list[str]:
    """The names in a folder, as its page shows them; those of folders end with a slash.

    A folder that holds nothing but one folder is shown with it, as `docs/api/`.
    """
    answer = options.web.get(f"{_xref(base, path)}/", max_bytes=_FOLDER_BYTES, page=True)
    if not answer.is_ok:
        raise answer.refusal()
    table = _ROWS.search(answer.content.decode("utf-8", "replace"))
    if table is None:
        raise FetchError("the page of its folder shows no list of files")
    names = (unquote(html.unescape(address)) for address in _NAME.findall(table[1]))
    return [name for name in names if name not in ("..", "../")]


def _shows_a_file(page: bytes) -> bool:
    return extract(page.decode("utf-8", "replace")) is not None
