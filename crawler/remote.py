"""A repository over the network through git alone: what HEAD is, then a partial clone of what is needed.

Over http the first question, `info/refs`, is asked by the polite session, as any other: it follows
redirects, looks at addresses, and tells whether anything changed. Git clones only what has changed, from
the address that answered, pinned to the machine that was looked at, without following anyone anywhere.
(Protocol: git's documentation, "gitprotocol-http", section "Smart Clients", and "gitprotocol-pack".)
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from ..cff.errors import SourceError
from ..cff.identifiers import repository_url
from ..db.found import Found, Known, State, Version
from .addresses import AddressRefused, addresses
from .git import Result
from .history import read_history
from .http import FetchError
from .objects import Head, read_head
from .source import Options, shown

_REFS = "/info/refs?service=git-upload-pack"
_REFS_BYTES = 64 << 10
"""HEAD is told first, and a repository may have a hundred thousand refs."""

# What git says on stderr -> (state, reason). The first that fits.
_SAYINGS: tuple[tuple[str, State, str], ...] = (
    (r"could not resolve host", "failed", "host not found"),
    ((r"could not read (username|password)|terminal prompts disabled|authentication failed|"
     r"permission denied \(|error: 401|returned error: 403|access denied|invalid credentials"),
     "private", "asks for a password"),
    (r"host key verification failed", "failed", "the host's SSH key is not known: connect once with ssh"),
    (r"returned error: (451|dmca)|access to this repository has been disabled|repository (is )?disabled",
     "blocked", "the host has blocked it"),
    ((r"repository '?.*'? ?(not found|does not exist)|error: 404|does not appear to be a git repository|"
     r"no such (repository|project)|project you were looking for could not be found|not a valid git repo"),
     "gone", "the host knows no such repository"),
    (r"connection refused|failed to connect|couldn't connect", "failed", "the host cannot be reached"),
    (r"timed out|timeout|too slow|operation too slow", "failed", "the host does not answer"),
    (r"certificate|ssl|gnutls", "failed", "no safe connection to the host"),
    (r"transport '.*' not allowed", "failed", "leads to a kind of address that is not followed"),
)  # fmt: skip


class _Failed(Exception):
    """The repository cannot be had: its state, and the reason."""

    def __init__(self, state: State, reason: str) -> None:
        super().__init__(reason)
        self.state: State = state


@dataclass(frozen=True, slots=True)
class _Told:
    """What a host says of a repository before anything is fetched."""

    head: str | None
    branch: str | None
    address: str
    """Where git gets it."""
    moved_to: str | None = None
    """Its new address, when it has moved for good."""


def fetch_remote(found: Found, address: str, known: Known | None, options: Options) -> Found:
    """`found` with head, branch, files and history as git at `address` has them, or with what went wrong.

    A repository that has moved for good comes under its new URL. `address` is http(s), ssh, or
    user@host:path.
    """
    try:
        return _fetch(found, address, known, options)
    except _Failed as error:
        return dataclasses.replace(found, state=error.state, reason=str(error))
    except FetchError as error:
        return dataclasses.replace(found, state=error.state, reason=str(error))
    except AddressRefused as error:
        return dataclasses.replace(found, state="blocked", reason=str(error))
    except SourceError as error:
        return dataclasses.replace(found, state="failed", reason=_clean(str(error)))


def canonical(address: str) -> str:
    """The URL under which a repository at a git address is known."""
    return repository_url(address) or without_password(address)


def without_password(address: str) -> str:
    """An address as it may be stored and printed.

    >>> without_password("https://me:secret@git.example/o/r.git"), without_password("ssh://git:x@git.example/r")
    ('https://git.example/o/r.git', 'ssh://git@git.example/r')
    """
    if "://" not in address:
        return address
    try:
        parts = urlsplit(address)
    except ValueError:
        return re.sub(r"//[^/]*@", "//", address)
    user, _, place = parts.netloc.rpartition("@")
    if parts.scheme.lower() == "ssh" and user:
        place = f"{user.partition(':')[0]}@{place}"
    return urlunsplit((parts.scheme.lower(), place, parts.path.rstrip("/"), parts.query, ""))


def _fetch(found: Found, address: str, known: Known | None, options: Options) -> Found:
    end = time.monotonic() + options.timeout_s

    def rest() -> Options:
        return dataclasses.replace(options, timeout_s=max(0.1, end - time.monotonic()))

    is_http = re.match("https?://", address, re.IGNORECASE) is not None
    protocols = "http:https" if address.lower().startswith("http://") else "https" if is_http else "ssh"
    if is_http and urlsplit(address).username is None:
        told = _ask_http(address, options)
        if told.moved_to is not None:
            url = canonical(told.moved_to)
            found = dataclasses.replace(
                found, url=url, name=url.rsplit("/", 1)[-1], host=urlsplit(url).netloc, asked=found.url
            )
    else:
        told = _ask_git(address, protocols, rest())
    found = dataclasses.replace(found, default_branch=told.branch)
    if told.head is None:
        return dataclasses.replace(found, state="empty", reason="has no commit", files=())
    if options.holds(known, told.head):
        return dataclasses.replace(found, head=told.head, unchanged=True)
    with tempfile.TemporaryDirectory(prefix="cffgraph-", ignore_cleanup_errors=True) as folder:
        clone = Path(folder) / "clone.git"
        depth = () if options.history else ("--depth", "1")
        words = "clone --bare --filter=blob:none --single-branch --no-tags --quiet --template="
        made = options.git.run(
            *_pins(told.address, options),
            *words.split(),
            *depth,
            "--",
            told.address,
            clone,
            protocols=protocols,
            timeout_s=rest().timeout_s,
            folder=Path(folder),
            max_bytes=options.max_clone_bytes,
        )
        if made.code:
            raise _failure(made)
        looked = dataclasses.replace(rest(), history=False)
        there = read_head(clone, known, looked, protocols=protocols, folder=Path(folder))
        history = None
        if options.history and there is not None:
            history, said = read_history(clone, known, rest(), protocols=protocols, folder=Path(folder))
            found = dataclasses.replace(
                found, notes=(*found.notes, *(f"{found.url}: {note}" for note in said))
            )
    return _filled(found, there, history)


def _filled(found: Found, there: Head | None, history: tuple[Version, ...] | None) -> Found:
    if there is None:
        raise SourceError("the host sent no commit for HEAD")
    if there.unchanged:
        return dataclasses.replace(found, head=there.commit, unchanged=True, history=history)
    refused = any(f.refused for f in there.files)
    return dataclasses.replace(
        found,
        head=None if refused else there.commit,
        files=there.files,
        history=history,
        notes=(*found.notes, *(f"{found.url}: {note}" for note in there.notes)),
    )


# --- What HEAD is -----------------------------------------------------------------------------------


def _ask_http(address: str, options: Options) -> _Told:
    answer = options.web.get(address.rstrip("/") + _REFS, max_bytes=_REFS_BYTES, cut=True)
    if answer.status == 401:
        raise _Failed("private", "asks for a password")
    if not answer.is_ok:
        raise answer.refusal()
    there = answer.url.removesuffix(_REFS)
    moved = (answer.moved_to or "").removesuffix(_REFS) or None
    if answer.headers.get("Content-Type", "").startswith("application/x-git-upload-pack-advertisement"):
        branch, head = _parse_advertisement(answer.content)
        return _Told(head, branch, there, moved)
    if re.match(rb"[0-9a-f]{40,64}\t", answer.content):
        # A folder of files behind a web server: git reads those too, without partial clone.
        told = _ask_git(there, "http:https" if there.startswith("http://") else "https", options)
        return dataclasses.replace(told, moved_to=moved)
    raise _Failed("failed", "is no git repository: the host answers with a web page")


def _ask_git(address: str, protocols: str, options: Options) -> _Told:
    told = options.git.run(
        *_pins(address, options),
        "ls-remote",
        "--symref",
        "--",
        address,
        "HEAD",
        protocols=protocols,
        timeout_s=options.timeout_s,
    )
    if told.code:
        raise _failure(told)
    branch = head = None
    for line in told.out.splitlines():
        value, _, name = line.partition(b"\t")
        if name != b"HEAD":
            continue
        if value.startswith(b"ref: refs/heads/"):
            branch = shown(value.removeprefix(b"ref: refs/heads/"))
        elif re.fullmatch(rb"[0-9a-f]{40,64}", value):
            head = value.decode()
    return _Told(head, branch, address)


def _parse_advertisement(data: bytes) -> tuple[str | None, str | None]:
    """(branch, commit) of HEAD from the beginning of an advertisement of refs."""
    for line in _packets(data):
        if line.startswith(b"ERR "):
            raise _failure(Result(128, b"", line[4:]))
        if line.startswith((b"#", b"version ")):
            continue
        ref, _, capabilities = line.rstrip(b"\n").partition(b"\0")
        sha, _, name = ref.partition(b" ")
        symref = re.search(rb"(?:^| )symref=HEAD:refs/heads/(\S+)", capabilities)
        branch = shown(symref[1]) if symref else None
        is_head = name == b"HEAD" and re.fullmatch(rb"[0-9a-f]{40,64}", sha)
        return branch, sha.decode() if is_head else None
    return None, None


def _packets(data: bytes) -> Iterator[bytes]:
    at = 0
    while at + 4 <= len(data):
        try:
            size = int(data[at : at + 4], 16)
        except ValueError:
            raise SourceError("the host's answer is not git's") from None
        if size > 4:
            yield data[at + 4 : at + size]
        at += max(size, 4)


# --- Where git goes ---------------------------------------------------------------------------------


def _pins(address: str, options: Options) -> list[str]:
    """Settings that keep git at the address that was looked at; AddressRefused when it may not be gone to."""
    scp = re.match(r"(?:[^@/:]+@)?\[?([^/\]:]+)\]?:", address) if "://" not in address else None
    parts = urlsplit(address)
    host = scp[1] if scp else parts.hostname or ""
    scheme = "ssh" if scp else parts.scheme.lower()
    port = parts.port if not scp else None
    port = port or {"http": 80, "https": 443}.get(scheme, 22)
    try:
        numbers = addresses(host, port, options.hosts)
    except (socket.gaierror, UnicodeError):
        if scheme == "ssh":
            raise _Failed(
                "failed", f"host not found (a name of your SSH configuration: --allow-host {host})"
            ) from None
        raise _Failed("failed", "host not found") from None
    if scheme == "ssh":
        return []
    pin = ",".join(f"[{number}]" if ":" in number else number for number in numbers)
    return ["-c", "http.followRedirects=false", "-c", f"http.curloptResolve={host}:{port}:{pin}"]


def _failure(result: Result) -> _Failed:
    said = result.err.decode("utf-8", "replace")
    for pattern, state, reason in _SAYINGS:
        if re.search(pattern, said, re.IGNORECASE):
            return _Failed(state, reason)
    lines = [line for line in said.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    last = (fatal or lines or [f"git ended with code {result.code}"])[-1]
    return _Failed("failed", _clean(last.removeprefix("fatal: ").removeprefix("error: ")))


def _clean(text: str) -> str:
    """One line of git's without a password that stands in a URL of it."""
    with contextlib.suppress(UnicodeError):
        text = shown(os.fsencode(text))
    return re.sub(r"://[^/@\s]*@", "://", text)[:300]
