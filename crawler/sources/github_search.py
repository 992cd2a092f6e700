"""Search results past the first thousand: the same search in windows of time, or of stars.

GitHub gives a thousand results of a search and no more ("REST API endpoints for search"). A search that
finds more is asked again for windows of the repositories' dates of creation, cut until each holds less.
Neighbouring windows share an edge, so that nothing falls between them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

CAP = 1000
"""Results of one search."""
_GOAL = 500
"""Results that a window is cut for: they are not spread evenly."""
_PIECES = 16
"""Into so many at once, at most: each costs a count."""
_BEGINNING = int(datetime(2007, 10, 1, tzinfo=UTC).timestamp())
"""GitHub's first repository is of that month."""
_MOST_STARS = 1 << 20


@dataclass(frozen=True, slots=True)
class Window:
    """A part of what a search finds: all when it has no axis."""

    axis: str = ""
    """`created` (in seconds of Unix time) or `stars`."""
    low: int = 0
    high: int = 0

    def search(self, text: str) -> str:
        """The search for this part.

        >>> Window("stars", 10, 20).search("topic:fog")
        'topic:fog stars:10..20'
        """
        if not self.axis:
            return text
        low, high = (_stamp(n) if self.axis == "created" else str(n) for n in (self.low, self.high))
        return f"{text} {self.axis}:{low}..{high}"

    def pieces(self, number: int) -> list[Window]:
        """It, cut into so many that share their edges; itself alone when it cannot be cut."""
        width = self.high - self.low
        edges = sorted({self.low + width * i // number for i in range(number + 1)})
        if len(edges) < 3:
            return [Window(self.axis, edge, edge) for edge in edges]
        return [Window(self.axis, a, b) for a, b in pairwise(edges)]


def _stamp(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def widest(text: str) -> Window:
    """The window that holds all that a search finds, on an axis that the search does not speak of itself.

    Without an axis when it speaks of both.
    """
    if not re.search(r"\bcreated:", text):
        return Window("created", _BEGINNING, int(time.time()) + 86_400)
    if not re.search(r"\bstars:", text):
        return Window("stars", 0, _MOST_STARS)
    return Window()


def rest_of(text: str, window: Window) -> Window | None:
    """What comes behind a window that was left off; None when nothing does."""
    end = widest(text)
    if not window.axis or end.axis != window.axis or window.high >= end.high:
        return None
    return Window(window.axis, window.high, end.high)


def windows(
    text: str, whole: Window, count: Callable[[Sequence[str]], Sequence[int]]
) -> Iterator[tuple[Window, int]]:
    """(window, how many results it has), in order, each with no more than the cap where it can be cut so.

    `whole` is what is to be looked through: all that the search finds, when it has no axis. `count` says
    how many results searches have; the errors that it raises pass.
    """
    todo = [(whole, count([whole.search(text)])[0])]
    while todo:
        window, found = todo.pop()
        if found > CAP:
            pieces = (window if window.axis else widest(text)).pieces(min(_PIECES, -(-found // _GOAL)))
            if len(pieces) > 1:
                counted = count([piece.search(text) for piece in pieces])
                todo += reversed([*zip(pieces, counted, strict=True)])
                continue
        if found:
            yield window, found
