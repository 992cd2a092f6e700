"""What a site closes to programs: its robots.txt, read once a crawl (RFC 9309)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .answers import Answer, FetchError
from .urls import Url

if TYPE_CHECKING:
    from protego import Protego

AGENT = "cffgraph"
MAX_BYTES = 512 << 10
"""Of a robots.txt that are read (RFC 9309, section 2.5: at least 500 KiB)."""
_CLOSED = "User-agent: *\nDisallow: /"
_MOST_DELAY_S = 30.0
"""A longer Crawl-delay is taken for this: nobody would see the end of the crawl."""


@dataclass(slots=True)
class _Site:
    lock: threading.Lock = field(default_factory=threading.Lock)
    rules: Protego | None = None


class Robots:
    """The robots.txt of each scheme, host and port; `get` fetches one."""

    def __init__(self, get: Callable[[str, int], Answer]) -> None:
        self._get = get
        self._lock = threading.Lock()
        self._sites: dict[tuple[str, str, int], _Site] = {}

    def check(self, url: Url) -> float:
        """The least seconds between two requests to this site; FetchError when the page is closed."""
        with self._lock:
            site = self._sites.setdefault(url.origin, _Site())
        with site.lock:
            if site.rules is None:
                site.rules = self._fetch(url)
            rules = site.rules
        if not rules.can_fetch(str(url), AGENT):
            raise FetchError(f"{url.netloc}: its robots.txt closes {urlsplit(str(url)).path}", "blocked")
        return min(float(rules.crawl_delay(AGENT) or 0), _MOST_DELAY_S)

    def _fetch(self, url: Url) -> Protego:
        """The rules of a site: without any all is open, and in trouble all is closed (section 2.3.1)."""
        from protego import Protego

        answer = self._get(str(url.join("/robots.txt")), MAX_BYTES)
        if answer.status >= 500:
            return Protego.parse(_CLOSED)
        return Protego.parse(answer.content.decode("utf-8-sig", "replace") if answer.is_ok else "")
