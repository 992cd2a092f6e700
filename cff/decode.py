"""Bytes -> text that YAML can take, whatever the bytes are.

CFF is UTF-8 (schema guide, "Format"). Files in other encodings are read as what they most likely
are, with a problem that says so; no letter is ever turned into U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import islice

from .records import Problem, Severity

MAX_CHARACTER_PROBLEMS = 20
"""So many lines with characters that YAML does not allow are named; one more problem stands for the rest."""

# All that YAML 1.1 allows (section 5.1) in one-byte form: a file of these alone needs no second look.
_PLAIN = bytes([9, 10, 13, *range(0x20, 0x7F)])
# In what is left of UTF-8 text without them: other ASCII, C1, U+2028 and U+2029, U+FEFF and U+FFFD to U+FFFF.
_SUSPECT_BYTES = re.compile(
    rb"[\x00-\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef(?:\xbb\xbf|\xbf[\xbd-\xbf])"
)
_SUSPECT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffd-\uffff]")
_NOT_ALLOWED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
# libyaml breaks lines here, editors and git do not: as blanks they keep the line numbers equal.
_LINE_BREAKS = "\x85\u2028\u2029"
_BREAK = re.compile("\r\n|\r|\n")
_BYTE_BREAK = re.compile(rb"\r\n|\r|\n")

# Of the five bytes that Windows-1252 leaves undefined, the Latin-1 character.
_CP1252 = "".join(bytes((b,)).decode("cp1252", "ignore") or chr(b) for b in range(256))
_NOT_UTF8 = re.compile(
    rb"(?:(?![\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})[\x80-\xff])+"
)
# With so many bad places a file is not UTF-8 with some slips, and reading it as if it were is slow.
_MAX_SLIPS = 10_000

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encoding, bytes a character, the place of the byte that carries ASCII.
_WIDE = (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1))


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, and what had to be done to get it."""

    text: str
    """Line ends as in the file (LF, CRLF or CR); every character is one that YAML allows."""
    problems: tuple[Problem, ...] = ()
    """Codes `encoding` (at most one) and `bad-character`, in the order of the file."""


def decode(data: bytes) -> Decoded:
    r"""Return the text of `data`: UTF-8, else UTF-16 or UTF-32 by their marks or NULs, else Windows-1252.

    In a file of mixed encodings each byte that is not UTF-8 is read as Windows-1252, the rest as UTF-8.
    A character that YAML does not allow becomes one blank, so that columns stay right.

    >>> decode("name: Zoë".encode("latin-1")).text
    'name: Zoë'
    >>> decode(b"title: a\x07b").problems[0].message
    'U+0007 is not allowed in YAML and was read as a blank: remove it'
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    if b"\0" in data[:1024] or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        wide = _wide(data)
        if wide is not None:
            return wide
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if sum(1 for _ in islice(_NOT_UTF8.finditer(data), _MAX_SLIPS)) < _MAX_SLIPS:
            text = data.decode("utf-8", "cffgraph-cp1252")
        else:
            text = codecs.charmap_decode(data, "strict", _CP1252)[0]
        return _cleaned(text, (_not_utf8(data, error.start),))
    if _SUSPECT_BYTES.search(data.translate(None, _PLAIN)):
        return _cleaned(text, ())
    return Decoded(text)


def _wide(data: bytes) -> Decoded | None:
    """Return the text of UTF-16 or UTF-32 data, or None if it is neither."""
    marked = [(mark, name) for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)]
    if marked:
        mark, encoding = marked[0]
    else:
        mark = b""
        sample = data[:1024]
        for name, width, place in _WIDE:
            lanes = [sample[i::width] for i in range(width)]
            carrier = lanes.pop(place)
            # The keys of CFF are ASCII, so even a file of Chinese names has NULs in half of its characters.
            if carrier.count(0) == 0 and all(2 * lane.count(0) > len(lane) > 0 for lane in lanes):
                encoding = name
                break
        else:
            return None
    text = data[len(mark) :].decode(encoding, "cffgraph-blank")
    name = encoding[:6].upper()
    message = f"the file is in {name}, CFF is UTF-8: save it as UTF-8"
    return _cleaned(text, (Problem("encoding", "warning", message),))


def _not_utf8(data: bytes, start: int) -> Problem:
    """Return the problem of data whose first byte that is not UTF-8 stands at `start`."""
    line, line_start = 1, 0
    for found in _BYTE_BREAK.finditer(data, 0, start):
        line, line_start = line + 1, found.end()
    column = len(data[line_start:start].decode("utf-8", "cffgraph-cp1252")) + 1
    byte = data[start]
    letter = _CP1252[byte]
    shown = f"`{letter}` (Windows-1252)" if letter.isprintable() else "Windows-1252"
    message = f"byte 0x{byte:02X} is not UTF-8, read as {shown}: save the file as UTF-8"
    return Problem("encoding", "warning", message, line, column)


def _cleaned(text: str, problems: tuple[Problem, ...]) -> Decoded:
    """Return `text` with a blank for each character that YAML does not allow, and a problem a line."""
    found: list[Problem] = []
    line, line_start, at = 1, 0, 0
    while match := _SUSPECT.search(text, at):
        for end in _BREAK.finditer(text, at, match.start()):
            line, line_start = line + 1, end.end()
        column = match.start() - line_start + 1
        if len(found) == MAX_CHARACTER_PROBLEMS:
            message = "more lines, from this one on, hold characters that YAML does not allow"
            found.append(Problem("bad-character", "warning", message, line, column))
            break
        severity, message = _described(match[0])
        found.append(Problem("bad-character", severity, message, line, column))
        end_of_line = _BREAK.search(text, match.end())
        if end_of_line is None:
            break
        at = end_of_line.start()
    if found:
        text = _NOT_ALLOWED.sub(" ", text)
    return Decoded(text, tuple(sorted((*problems, *found), key=lambda p: (p.line, p.column))))


def _described(character: str) -> tuple[Severity, str]:
    """Return the severity of a suspect character and what to say about it."""
    name = f"U+{ord(character):04X}"
    if character == "\ufeff":
        return "note", f"{name} (byte order mark) stands inside the text: remove it"
    if character == "\ufffd":
        return "warning", f"{name} stands where an earlier program lost a letter: write the word again"
    if character in _LINE_BREAKS:
        return "note", f"{name} (a line break to YAML alone) was read as a blank: remove it"
    return "warning", f"{name} is not allowed in YAML and was read as a blank: remove it"


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Return the Windows-1252 text of the bytes that no UTF-8 character covers, and where they end."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101  (registered for decoding alone)
    run = _NOT_UTF8.match(error.object, error.start)
    end = max(error.end, run.end() if run else 0)
    return codecs.charmap_decode(error.object[error.start : end], "strict", _CP1252)[0], end


def _as_blank(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101
    return " ", error.end


codecs.register_error("cffgraph-cp1252", _as_cp1252)
codecs.register_error("cffgraph-blank", _as_blank)
