"""An OpenGrok page, or a text dump of one -> the text of the file, with revision and committer by line.

OpenGrok shows a file at `/xref/PATH` and, with `?a=true`, who changed each line last: the line
number, a star on lines of the newest revision, the revision, an `S` (a search link), the
committer, and at once the text (`web/Util.java` of OpenGrok, readableLine and writeAnnotation). What
people save is that page, or its text, or its text with all white space collapsed.
"""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .indentation import regrow
from .keys import ALL_KEYS, NEAR_MISSES
from .records import Origin, Problem

# A CFF file, so no page and no dump: the check that every file pays for. (`xref:` heads a saved page.)
_PLAIN_FILE = re.compile(r"[\ufeff\s]*(?:#|---|%|[{\"'A-Za-z](?!ref:)[\w\"'-]*[ \t]*:(?:\s|$))")
# `contributors` comes with the drafts of 1.3.0.
_KEYS = "|".join(sorted({*ALL_KEYS, *NEAR_MISSES, "contributors"}, key=len, reverse=True))
_KEY = rf"[\"']?(?:{_KEYS})[\"']?[ \t]*:(?=\s|$)"
_AUTHOR_LENGTH = 120
"""Longer than any name: so far into a line a committer is looked for."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The file that a page or dump shows."""

    text: str
    """Of the file, each line with its line end; what a dump cannot know (blanks at line ends) is gone."""
    origin: Origin
    problems: tuple[Problem, ...] = ()
    """Notes `annotated-indent` and `annotated-author`: what was lost and could have been otherwise."""


class _Line(NamedTuple):
    text: str
    revision: str = ""
    author: str = ""
    newest: bool = False


def extract(text: str) -> Extract | None:
    r"""Return the file that an OpenGrok page or a text dump of one shows; None if `text` is neither.

    >>> extract("1*da0073e9SJane Roecff-version: 1.2.0 2*da0073e9SJane Roetitle: Kiln").text
    'cff-version: 1.2.0\ntitle: Kiln\n'
    >>> extract("cff-version: 1.2.0\n")
    """
    if _PLAIN_FILE.match(text):
        return None
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        page = _page_lines(text)
        return _extract("opengrok-page", page, []) if page else None
    found = _dump_lines(text) or _bare_dump_lines(text)
    if not found:
        return None
    lines, problems = found
    texts = [line.text for line in lines]
    if not any(line.startswith(("  ", "\t")) for line in texts):
        texts, notes = regrow(texts)
        problems += notes
    lines = [line._replace(text=grown) for line, grown in zip(lines, texts, strict=True)]
    return _extract("opengrok-annotate", lines, problems)


def _extract(kind: str, lines: list[_Line], problems: list[Problem]) -> Extract:
    revision = next((line.revision for line in lines if line.newest), "")
    annotated = any(line.revision or line.author for line in lines)
    origin = Origin(kind, revision, tuple((n.revision, n.author) for n in lines) if annotated else ())
    return Extract("".join(f"{line.text}\n" for line in lines), origin, tuple(problems))


# The page

# html.parser is not used: it takes quadratic time on `<!--<!--` and raises on `<![`. OpenGrok escapes
# < and > everywhere, so its tags are regular.
_LINE_ANCHOR = re.compile(r"<a\b[^<>]*\bname=[\"']1[\"'][^<>]*>[ ]?1[ ]?</a>")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>|<![^<>]*>")
_ATTRIBUTE = re.compile(r"(?<!\S)(class|name|style)=(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))")
_HIDDEN = frozenset({"fold-space", "fold-icon", "unfold-icon", "scope-signature"})
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr", "col", "area", "base", "embed"})


def _page_lines(text: str) -> list[_Line]:
    """Return the lines of an HTML page, none if it shows no numbered source."""
    start = _LINE_ANCHOR.search(text)
    if start is None:
        return []
    end = text.find("</pre", start.end())
    reader = _PageReader()
    reader.read(text[start.start() : end if end >= 0 else len(text)])
    lines = [_line_of(fields) for fields in reader.lines]
    # After a last line end the page numbers one line more, which nobody wrote.
    if lines and not lines[-1].text and not lines[-1].revision:
        lines.pop()
    return lines


def _line_of(fields: dict[str, list[str]]) -> _Line:
    text, mark, author = ("".join(fields[name]) for name in ("text", "revision", "author"))
    text = _unescaped(text).split("\n", 1)[0].removesuffix("\r")
    mark = _unescaped(mark).strip()
    return _Line(text, mark.lstrip("*").strip(), _unescaped(author).strip(), mark.startswith("*"))


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits
        return text


class _PageReader:
    """Sorts the text of a page into lines and their fields: text, revision, author, and what is no text."""

    def __init__(self) -> None:
        self.lines: list[dict[str, list[str]]] = []
        self.open: list[tuple[str, str]] = []  # tag, the field around it
        self.tags: Counter[str] = Counter()
        self.field = "text"

    def read(self, page: str) -> None:
        """Read a page from its first line on."""
        at = 0
        for tag in _TAG.finditer(page):
            self._text(page[at : tag.start()])
            at = tag.end()
            name = (tag[2] or "").lower()
            if tag[1]:
                self._end(name)
            elif name and name not in _VOID:
                self._start(name, {m[1]: m[2] or m[3] or m[4] or "" for m in _ATTRIBUTE.finditer(tag[3])})
        self._text(page[at:])

    def _text(self, text: str) -> None:
        if text and self.lines:
            self.lines[-1][self.field].append(text)

    def _start(self, tag: str, given: dict[str, str]) -> None:
        """Open a field, or a line at its numbered anchor."""
        classes = frozenset(given.get("class", "").split())
        field = self.field
        if tag == "a" and given.get("name") == str(len(self.lines) + 1) and not classes - {"l", "hl"}:
            self.lines.append(defaultdict(list))
            field = "number"
        elif classes & _HIDDEN or "display:none" in given.get("style", "").replace(" ", ""):
            field = "hidden"
        elif "blame" in classes:
            field = "revision"
        elif field == "revision" and classes & {"a", "search"}:
            field = "author" if "a" in classes else "search"
        self.open.append((tag, self.field))
        self.tags[tag] += 1
        self.field = field

    def _end(self, tag: str) -> None:
        """Go back to the field around; an end tag of nothing is passed over."""
        while self.tags[tag]:
            opened, self.field = self.open.pop()
            self.tags[opened] -= 1
            if opened == tag:
                return


# The dump

# Number, star, revision and S, touching; or each apart, as other programs write the text of a page. A
# number without star runs into its revision: which digits are whose, the count of lines tells.
_MARKS = (
    re.compile(r"(?<!\S)(\d[0-9a-f.:]{0,46})(?:(\*)([0-9a-f][0-9a-f.:]{0,39}))?S(?=\S)"),
    re.compile(r"(?<!\S)(\d{1,7})(?:[ \t]?(\*)[ \t]?|[ \t])([0-9a-f][0-9a-f.:]{0,39})[ \t]S[ \t](?=\S)"),
)
# Behind a number that is none of a line: `2.5`, `2021-07-18`. But a line may begin with `- `, `---`, `...`.
_GOES_ON = r"[\d,:/%]|\.(?!\.\.(?:\s|\Z))|-(?!\s|--(?:\s|\Z))"
_BARE_NUMBER = re.compile(rf"(?<!\S)(\d{{1,7}})(?!{_GOES_ON})")
_SECOND_LINE = re.compile(rf"^2(?!{_GOES_ON})", re.MULTILINE)
_BARE_START = re.compile(rf"\s*1(?:\s+[2-9])*[ \t]?(?:#|---|{_KEY})")
_TEXT_START = re.compile(rf"(?:[ \t]*(?:-[ \t]+)*{_KEY}|[ \t]*#|[ \t]*- |(?:---|\.\.\.)(?:\s|\Z))")


def _dump_lines(text: str) -> tuple[list[_Line], list[Problem]] | None:
    """Return the lines of an annotated dump, in either form, or None."""
    for pattern in _MARKS:
        if marks := _marks(pattern.finditer(text)):
            break
    else:
        return None
    at_line_starts = _marks(
        m for m in pattern.finditer(text) if not m.start() or text[m.start() - 1] in "\r\n"
    )
    by_line = len(at_line_starts) >= len(marks)
    marks = at_line_starts if by_line else marks
    ends = [match.start() for match, _, _ in marks[1:]] + [len(text)]
    rests = [text[m.end() : end] for (m, _, _), end in zip(marks, ends, strict=True)]
    if by_line:
        rests = [re.split(r"[\r\n]", rest.lstrip(), maxsplit=1)[0] for rest in rests]
    else:
        rests[-1] = _without_foot(rests[-1], len(rests) + 1)
        rests = [" ".join(rest.split()) for rest in rests]
    if len(marks) == 1 and not re.search(_KEY, rests[0][: 2 * _AUTHOR_LENGTH]):
        return None
    authors, problems = _authors([revision for _, revision, _ in marks], rests)
    texts = [rest[len(author) :] for rest, author in zip(rests, authors, strict=True)]
    if all(t.startswith((" ", "\t")) for t in texts if t):  # a separator, not indentation
        texts = [t[1:] for t in texts]
    return [
        _Line(t, revision, author, newest)
        for t, author, (_, revision, newest) in zip(texts, authors, marks, strict=True)
    ], problems


def _marks(found: Iterable[re.Match[str]]) -> list[tuple[re.Match[str], str, bool]]:
    """Return (match, revision, newest) of the marks numbered 1, 2, 3, ...; other matches are text."""
    marks: list[tuple[re.Match[str], str, bool]] = []
    width = 0
    for match in found:
        number, head = str(len(marks) + 1), match[1]
        if match[3]:
            revision = match[3] if head == number else ""
        else:
            revision = head[len(number) :] if head.startswith(number) else ""
        # Git's revisions are all cut to one length; Subversion's and CVS's grow.
        if not revision or (width >= 7 and len(revision) != width):
            continue
        width = width or len(revision)
        marks.append((match, revision, bool(match[2])))
    return marks


def _without_foot(rest: str, number: int) -> str:
    """Return the text of the last line without the number of the empty line after it and the page's foot."""
    found = re.search(rf"\s{number}(?:\s+(?:served by|Last Index)\b.*)?\Z", rest.rstrip(), re.DOTALL)
    if found is None or rest[: found.start()].rstrip().endswith(":"):  # the number is the value of a key
        return rest
    return rest[: found.start()]


def _bare_dump_lines(text: str) -> tuple[list[_Line], list[Problem]] | None:
    """Return the lines of a dump of a page without annotations (`1cff-version: 1.2.0`), or None."""
    if not _BARE_START.match(text):
        return None
    places: dict[int, list[re.Match[str]]] = defaultdict(list)
    for match in _BARE_NUMBER.finditer(text):
        if len(same := places[int(match[1])]) < 1000:
            same.append(match)
    by_line = _SECOND_LINE.search(text) is not None
    marks: list[re.Match[str]] = []
    at = 0
    while candidates := [m for m in places[len(marks) + 1] if m.start() >= at]:
        if by_line:
            candidates = [m for m in candidates if not m.start() or text[m.start() - 1] in "\r\n"]
        likely = [m for m in candidates if _TEXT_START.match(text, m.end())]
        if not candidates:
            break
        marks.append((likely or candidates)[0])
        at = marks[-1].end()
    if not marks:
        return None
    ends = [m.start() for m in marks[1:]] + [len(text)]
    rests = [text[m.end() : end].rstrip() for m, end in zip(marks, ends, strict=True)]
    if by_line:
        rests = [re.split(r"[\r\n]", rest, maxsplit=1)[0] for rest in rests]
    if rests and not rests[-1].strip():
        rests.pop()
    return ([_Line(rest) for rest in rests], []) if len(rests) > 1 else None


# Committers

_CUT = re.compile(rf"(?=[ \t]*(?:-[ \t]+)*{_KEY})")
_ANY_KEY = re.compile(r"[ \t]*(?:-[ \t]+)*[\"']?[a-z][\w-]*[\"']?[ \t]*:(?:\s|$)")
_WEAK_CUT = re.compile(r"(?=[ \t]{2,}\S|[ \t]*[#\"\[{]|[ \t]+['-]|[ \t]+[a-z][\w-]*:(?:\s|$))")
_ADDRESS = re.compile(r"[^<>]{0,100}<[^<>\s]+@[^<>\s]+>")
_PARTICLES = "van|von|der|den|de|del|dos|da|di|la|le|el|al|bin|ter|ten|zu"
_NAME = re.compile(rf"\w[\w.'@-]*(?:(?:[ ](?:{_PARTICLES})(?=[ ]))*[ ][A-Z\u00c0-\u00de][\w.'-]*){{0,3}}")


def _authors(revisions: list[str], rests: list[str]) -> tuple[list[str], list[Problem]]:
    """Return the committer that each line of a dump begins with; nothing separates it from the text.

    All lines of a revision begin with the same name, and behind it stands a key of CFF in at least
    one of them; a committer known from one revision is looked for in the others.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for index, revision in enumerate(revisions):
        members[revision].append(index)
    prefixes = {r: _common_beginning([rests[i] for i in lines]) for r, lines in members.items()}
    found = {r: _voted(_CUT, prefixes[r], [rests[i] for i in lines]) for r, lines in members.items()}
    known = sorted({author for author in found.values() if author}, key=len)
    problems: list[Problem] = []
    for revision, lines in members.items():
        prefix, own = prefixes[revision], found[revision]
        starts = [author for author in known if prefix.startswith(author)]
        if own:
            # `x-key: ...` behind a known name, where `key` alone is one of CFF.
            better = [a for a in starts if len(a) < len(own) and _ANY_KEY.match(rests[lines[0]], len(a))]
            found[revision] = better[-1] if better else own
        elif starts:
            found[revision] = starts[-1]
        else:
            found[revision], certain = _guessed(prefix, [rests[i] for i in lines])
            if not certain:
                message = (
                    f"where the name of the committer of {revision} ends is a guess: `{found[revision]}`"
                )
                problems.append(Problem("annotated-author", "note", message, lines[0] + 1))
    return [found[revision] for revision in revisions], problems[:20]


def _common_beginning(rests: list[str]) -> str:
    """Return what all of `rests` begin with, as far as a name may reach."""
    first, last = min(rests)[:_AUTHOR_LENGTH], max(rests)[:_AUTHOR_LENGTH]
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[:length] if length is not None else min(first, last, key=len)


def _voted(cut: re.Pattern[str], prefix: str, rests: list[str]) -> str:
    """Return the beginning that most of `rests` can be cut off at, the shortest of several."""
    votes: Counter[str] = Counter()
    for rest in rests[:500]:
        places = (m.start() for m in cut.finditer(rest, 0, 2 * _AUTHOR_LENGTH))
        votes.update({rest[:place].rstrip() for place in places if place <= len(prefix)})
    del votes[""]
    return min(votes, key=lambda author: (-votes[author], len(author))) if votes else ""


def _guessed(prefix: str, rests: list[str]) -> tuple[str, bool]:
    """Return the committer of lines without a key, and whether that is certain."""
    if address := _ADDRESS.match(prefix):
        return address[0], True
    if author := _voted(_WEAK_CUT, prefix, rests):
        return author, True
    if prefix in rests and len(set(rests)) > 1:  # an empty line shows the name alone
        return prefix, True
    name = _NAME.match(prefix)
    return (name[0] if name else prefix), False
