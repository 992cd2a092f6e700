"""Any host that speaks git: a partial clone of one commit, then the files in it. No interface of a forge.

First `ls-remote`, which tells whether anything changed; then a bare clone without blobs into a
temporary folder, in which git fetches just the blobs that are asked for.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from ...cff.errors import SourceError
from ...cff.identifiers import repository_url
from ...db.found import Found, Known, State
from ..git import Result
from ..objects import read_head
from ..source import Options, Trouble, Unit, shown

_SCP = re.compile(r"\w[\w.-]*@\w[\w.-]*:(?!/?/)\S+")
"""user@host:path, as git takes it (git's documentation, "GIT URLS")."""

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


@dataclass(frozen=True, slots=True)
class GitSource:
    """One repository by its git URL."""

    address: str
    """As the user gave it; git gets it so."""

    @property
    def spec(self) -> str:
        """The address without password; a user name is kept for ssh alone, which needs it."""
        return without_password(self.address)

    def units(self, options: Options) -> Iterator[Unit | Trouble]:
        """Yield the one repository."""
        yield _Remote(self.address)


def understand(word: str) -> GitSource | None:
    """The source that a git URL names; None when the word is none. SourceError for one that is not safe."""
    if _SCP.fullmatch(word):
        return GitSource(word)
    if "://" not in word:
        return None
    scheme = word.partition("://")[0].lower()
    try:
        parts = urlsplit(word)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise SourceError(f"{shown(without_password(word))}: not a URL: {error}") from error
    named = shown(without_password(word))
    if scheme not in ("https", "ssh", "http"):
        raise SourceError(f"{named}: {scheme}:// is not taken: https://, ssh://, file:// or git@host:path")
    if not host or host.startswith("-") or re.search(r"[\s\x00-\x1f]", word):
        raise SourceError(f"{named}: not a URL of a repository")
    if scheme == "http" and not _is_loopback(host):
        raise SourceError(f"{named}: http:// can be changed on its way: use https://")
    return GitSource(word)


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


@dataclass(frozen=True, slots=True)
class _Remote:
    address: str

    @property
    def urls(self) -> tuple[str, ...]:
        return (_canonical(self.address),)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        (url,) = self.urls
        found = Found(url, url.rsplit("/", 1)[-1], host=urlsplit(url).netloc)
        try:
            yield self._fetch(found, known.get(url), options)
        except SourceError as error:
            yield dataclasses.replace(found, state="failed", reason=_clean(str(error)))

    def _fetch(self, found: Found, known: Known | None, options: Options) -> Found:
        protocols = "http:https" if self.address.lower().startswith("http://") else "https:ssh"
        end = time.monotonic() + options.timeout_s

        def left() -> float:
            return max(0.1, end - time.monotonic())

        told = options.git.run(
            "ls-remote", "--symref", "--", self.address, "HEAD", protocols=protocols, timeout_s=left()
        )
        if told.code:
            return _failed(found, told)
        branch, head = _parse_heads(told.out)
        found = dataclasses.replace(found, default_branch=branch)
        if head is None:
            return dataclasses.replace(found, state="empty", reason="has no commit", files=())
        if known and known.head == head and not options.refresh and not options.nested:
            return dataclasses.replace(found, head=head, unchanged=True)
        with tempfile.TemporaryDirectory(prefix="cffgraph-", ignore_cleanup_errors=True) as folder:
            clone = Path(folder) / "clone.git"
            words = "clone --bare --depth 1 --filter=blob:none --single-branch --no-tags --quiet --template="
            made = options.git.run(
                *words.split(),
                "--",
                self.address,
                clone,
                protocols=protocols,
                timeout_s=left(),
                folder=Path(folder),
                max_bytes=options.max_clone_bytes,
            )
            if made.code:
                return _failed(found, made)
            there = read_head(
                clone,
                known,
                dataclasses.replace(options, timeout_s=left()),
                protocols=protocols,
                folder=Path(folder),
            )
        if there is None:
            raise SourceError("the host sent no commit for HEAD")
        if there.unchanged:
            return dataclasses.replace(found, head=there.commit, unchanged=True)
        refused = any(f.refused for f in there.files)
        return dataclasses.replace(
            found,
            head=None if refused else there.commit,
            files=there.files,
            notes=tuple(f"{found.url}: {note}" for note in there.notes),
        )


def _canonical(address: str) -> str:
    return repository_url(address) or without_password(address)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _parse_heads(out: bytes) -> tuple[str | None, str | None]:
    """(branch, commit) of HEAD, from `ref: refs/heads/main TAB HEAD` and `<id> TAB HEAD`."""
    branch = head = None
    for line in out.splitlines():
        value, _, name = line.partition(b"\t")
        if name != b"HEAD":
            continue
        if value.startswith(b"ref: refs/heads/"):
            branch = shown(value.removeprefix(b"ref: refs/heads/"))
        elif re.fullmatch(rb"[0-9a-f]{40,64}", value):
            head = value.decode()
    return branch, head


def _failed(found: Found, result: Result) -> Found:
    said = result.err.decode("utf-8", "replace")
    for pattern, state, reason in _SAYINGS:
        if re.search(pattern, said, re.IGNORECASE):
            return dataclasses.replace(found, state=state, reason=reason)
    lines = [line for line in said.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    last = (fatal or lines or [f"git ended with code {result.code}"])[-1]
    return dataclasses.replace(
        found, state="failed", reason=_clean(last.removeprefix("fatal: ").removeprefix("error: "))
    )


def _clean(text: str) -> str:
    """One line of git's without a password that stands in a URL of it."""
    return re.sub(r"://[^/@\s]*@", "://", shown(os.fsencode(text)))[:300]
