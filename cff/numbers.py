"""Numbers made of content: the same text leads to the same number on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Container

_LOW, _SPAN = 100_000_000, 900_000_000  # nine digits


def number_for(key: str, taken: Container[int] = ()) -> int:
    """Return the number of nine digits that `key` leads to, or the next one that is not in `taken`.

    >>> number_for("soumith chintala") == number_for("soumith chintala")
    True
    >>> number_for("a", {number_for("a")}) == number_for("a") + 1
    True
    """
    digest = hashlib.sha1(key.encode(), usedforsecurity=False).digest()
    number = int.from_bytes(digest[:8]) % _SPAN
    while number + _LOW in taken:
        number = (number + 1) % _SPAN
    return number + _LOW
