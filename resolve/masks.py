"""Old names taken out of what is said about authors who changed theirs and want the old one gone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from ..cff.folding import fold, latin
from .labels import shown
from .mentions import Candidate, Clustering, Conflict, Link, MentionRow


class Masks:
    """The names that are not to be said: what each renamed author's mentions write, but the new name."""

    def __init__(self, renamed: Iterable[tuple[Iterable[MentionRow], str]]) -> None:
        self._forms: dict[int, tuple[str, str]] = {}
        self._words: set[str] = set()
        for rows, name in renamed:
            new = {*fold(name).split(), *latin(name).split()}
            for row in rows:
                form = shown(row)
                words = {*fold(form).split(), *latin(form).split()} - new
                self._words |= {word for word in words if len(word) > 1}
                if fold(form) != fold(name):
                    self._forms[row.id] = (form, name)

    @property
    def digest(self) -> int:
        """The same as long as the same is hidden."""
        text = repr((sorted(self._forms.items()), sorted(self._words)))
        return (
            int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()) >> 1
        )

    def __bool__(self) -> bool:
        return bool(self._forms)

    def reason(self, text: str) -> str:
        """Return a reason without details that hold a word of an old name: they stand behind a colon.

        Also where the word is somebody else's: a reason can spare it.
        """
        if self._words.isdisjoint(_words(text)):
            return text
        parts = []
        for part in text.split("; "):
            head, _, detail = part.partition(": ")
            hit = detail and not self._words.isdisjoint(_words(detail))
            parts.append(head if hit else part)
        return "; ".join(parts)

    def message(self, text: str, mentions: Iterable[int]) -> str:
        """Return what is said about `mentions` with new names in the place of old ones."""
        forms = {self._forms[m] for m in mentions if m in self._forms}
        for old, new in sorted(forms, key=lambda pair: (-len(pair[0]), pair)):
            text = text.replace(old, new)
        return text

    def over(self, people: Clustering) -> Clustering:
        """Return all that was found, with the names masked in every reason and message."""
        if not self:
            return people
        return Clustering(
            [
                replace(a, links=tuple(Link(k.mention, self.reason(k.reason), k.confidence) for k in a.links))
                for a in people.authors
            ],
            [Conflict(c.code, self.message(c.message, c.mentions), c.mentions) for c in people.conflicts],
            [
                Candidate(c.a, c.b, c.score, tuple(self.reason(reason) for reason in c.reasons))
                for c in people.candidates
            ],
        )


def _words(text: str) -> set[str]:
    return {*fold(text).split(), *latin(text).split()}
