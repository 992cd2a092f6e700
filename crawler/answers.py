"""What a host said, or why nothing is to be had from it, and what that makes of a repository."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from ..cff.errors import SourceError
from ..db.found import State


class FetchError(SourceError):
    """A request without a usable answer: `state` is what it makes of a repository."""

    def __init__(self, reason: str, state: State = "failed") -> None:
        super().__init__(reason)
        self.state: State = state


class TooLarge(FetchError):
    """An answer that has more bytes than were asked for at most."""


class Unreached(FetchError):
    """There was no answer at all, or half of one."""

    def __init__(self, reason: str, *, is_final: bool = False, is_host: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final
        """Asking again cannot help."""
        self.is_host = is_host
        """It came to no connection: that is nothing of one address alone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host said."""

    url: str
    """That answered, after redirects."""
    status: int
    headers: Mapping[str, str]
    """Names in any case."""
    content: bytes
    """Of an error or a redirect no more than its beginning."""
    moved_to: str | None = None
    """Where permanent redirects (301, 308) led from the beginning; None when there was none."""
    had_token: bool = False
    """A token was sent with the question."""

    @property
    def is_ok(self) -> bool:
        """Whether it is what was asked for."""
        return 200 <= self.status < 300

    @property
    def validator(self) -> str:
        """What to ask with next time whether it changed: the ETag, else `Last-Modified`; "" for none."""
        return self.headers.get("ETag") or self.headers.get("Last-Modified") or ""

    def json(self) -> Any:
        """The content as JSON in UTF-8; FetchError when it is none: a host in trouble sends pages."""
        try:
            return json.loads(self.content.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
            kind = kind if re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind) else "no type"
        raise FetchError(f"{self._where} answered with {kind} and not with JSON")

    def next_url(self) -> str | None:
        """The next page of a listing (RFC 8288: `Link` with rel="next")."""
        for target, parameters in _LINK.findall(self.headers.get("Link", "")):
            relations = [
                (quoted or plain).lower().split()
                for name, quoted, plain in _PARAMETER.findall(parameters)
                if name.lower() == "rel"
            ]
            if relations and "next" in relations[0]:  # the first counts (RFC 8288, section 3.3)
                try:
                    return urljoin(self.url, str(target).strip())
                except ValueError:
                    return None
        return None

    def refusal(self) -> FetchError:
        """What an answer that is not ok means for the repository that was asked for."""
        where = self._where
        if self.status == 451:
            return FetchError(f"blocked for legal reasons{_notice(self.content)}", "blocked")
        if self.status in (404, 410):
            return FetchError("the host knows no such repository", "gone")
        if self.status in (401, 407):
            said = "does not take the token: renew it" if self.had_token else "asks for a token"
            return FetchError(f"{where} {said}", "private")
        if self.status == 403:
            blocked = re.search(rb"access (to this repository )?(has been )?(blocked|disabled)", self.content)
            return (
                FetchError(f"{where} has blocked it{_notice(self.content)}", "blocked")
                if blocked
                else FetchError(f"{where} refuses it", "private")
            )
        return FetchError(f"{where} answered {self.status}")

    @property
    def _where(self) -> str:
        return urlsplit(self.url).netloc


_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]*))*)')
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]*))')


def _notice(content: bytes) -> str:
    """`: ADDRESS` of the notice that GitHub names when it has blocked a repository."""
    try:
        address = json.loads(content)["block"]["html_url"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""
    return f": {address}" if isinstance(address, str) and re.fullmatch(r"https://[!-~]+", address) else ""
