"""Files by their addresses on the web: each is asked for again only if it has changed.

What a host says of a file (ETag, Last-Modified) belongs to one address, and a repository may have
several files. So a repository's validator is a list, one entry a file: its path, its blob id, what
changes with it, the address that gave it, and what that host said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..cff.annotated import extract
from ..cff.read import blob_id
from ..db.found import FoundFile, Known
from .http import MAX_BYTES, Answer, FetchError, TooLarge
from .source import Options


@dataclass(frozen=True, slots=True)
class Address:
    """Where a file can be had."""

    url: str
    shows: Callable[[bytes], bool] | None = None
    """For a page that shows the file: whether this one does. The page is the file's content then."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file that is to be taken, from the first of its addresses that gives it."""

    path: str
    """In its repository, as it is to be stored."""
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """The files of a repository as they stand now."""

    files: tuple[FoundFile, ...]
    head: str
    """Changes whenever one of the files does; empty when a file was refused, which is to be tried again."""
    validator: str
    """For the next time."""
    moved_to: str | None = None
    """Where the last file has moved for good."""

    def is_known(self, known: Known | None, options: Options) -> bool:
        """Whether these are the files that the database knows."""
        return known is not None and known.is_at(self.head or None) and not options.refresh


@dataclass(frozen=True, slots=True)
class _Before:
    """What was said of a file the last time."""

    sha: str
    mark: str
    url: str
    validator: str


def take(wanted: Iterable[RemoteFile], known: Known | None, options: Options, *, page: bool = False) -> Taken:
    """Fetch files; the content of those that have not changed stays away.

    FetchError when one of them cannot be had. With `page`, robots.txt is obeyed.
    """
    before = {} if known is None or options.refresh else _parse(known)
    files: list[FoundFile] = []
    said: list[list[str]] = []
    heads: list[tuple[str, str]] = []
    moved_to = None
    for file in wanted:
        last = before.get(file.path)
        try:
            address, answer = _ask(file, last, options, page=page)
        except TooLarge:
            size = f"has more than the {options.max_size_bytes:,} bytes of --max-size"
            files.append(FoundFile(file.path, "", refused=size))
            continue
        moved_to = answer.moved_to
        if answer.status == 304 and last is not None:
            sha, mark, content = last.sha, last.mark, None
            validator = answer.validator or last.validator
        else:
            sha, content, validator = blob_id(answer.content), answer.content, answer.validator
            # A page has parts that change by the hour; what it shows has a digest of its own.
            mark = sha if address.shows is None else _digest_of_shown(answer.content) or sha
        is_held = known is not None and sha in known.shas and not options.refresh
        files.append(FoundFile(file.path, sha, None if is_held else content))
        heads.append((file.path, mark))
        if validator:
            said.append([file.path, sha, mark, address.url, validator])
    refused = any(file.refused for file in files)
    return Taken(
        tuple(files),
        "" if refused else digest(heads),
        json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else "",
        moved_to,
    )


def digest(pairs: Iterable[tuple[str, str]]) -> str:
    """One head for several files, given as (path, what changes with its content)."""
    text = "".join(f"{path}\0{mark}\n" for path, mark in pairs)
    return hashlib.sha1(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def _ask(file: RemoteFile, last: _Before | None, options: Options, *, page: bool) -> tuple[Address, Answer]:
    """The first address that gives the file, and its answer; else the error of the last one."""
    failure = FetchError("it has no address")
    for address in file.addresses:
        most = options.max_size_bytes if address.shows is None else MAX_BYTES
        validator = last.validator if last and last.url == address.url else ""
        try:
            answer = options.web.get(address.url, validator=validator, max_bytes=most, page=page)
        except TooLarge:
            raise
        except FetchError as error:
            failure = error
            continue
        if answer.status == 304 and validator:
            return address, answer
        if not answer.is_ok:
            failure = refusal_of_file(answer)
        elif address.shows is not None and not address.shows(answer.content):
            failure = FetchError("its page shows no file")
        else:
            return address, answer
    raise failure


def refusal_of_file(answer: Answer) -> FetchError:
    """What an answer that is not ok means for a file."""
    if answer.status in (404, 410):
        return FetchError("the host knows no such file", "gone")
    return answer.refusal()


def _parse(known: Known) -> dict[str, _Before]:
    """What was said the last time, by path; only of files whose content the database still holds."""
    try:
        entries = json.loads(known.validator or "[]")
        return {
            path: _Before(sha, mark, url, validator)
            for path, sha, mark, url, validator in entries
            if sha in known.shas
        }
    except (ValueError, TypeError):
        return {}


def _digest_of_shown(page: bytes) -> str:
    """A digest of the file that a page shows and of its revisions; empty when it shows none."""
    shown = extract(page.decode("utf-8", "replace"))
    if shown is None:
        return ""
    return digest([(shown.text, ""), *shown.origin.lines])
