"""What a text is, when it is plainly not CFF.

A file called CITATION.cff may hold BibTeX, a web page, a Git LFS pointer, half of a merge. YAML's
own message about such a text (or, worse, its success) helps nobody; these tables name the thing.
"""

from __future__ import annotations

import re

from .keys import ALL_KEYS, NEAR_MISSES
from .records import Problem

MAX_BYTES = 8 * 1024 * 1024
"""The largest known real file has half a megabyte."""

# What a text begins with (after blanks) -> (code, what it is, what to do). Control characters
# have become blanks when a text comes here, so signatures of binary files are written with them.
_ADD_CFF = "write a CITATION.cff with cff-version, message, title and authors"
_CONVERT = "convert it to CFF"
_BEGINNINGS: tuple[tuple[str, str, str, str], ...] = (
    (r"version https?://(?:git-lfs\.github\.com|git-media\.io|hawser\.github\.com)/", "lfs-pointer",
     "a Git LFS pointer, not the file itself", "take CITATION.cff out of Git LFS"),
    (r"/annex/objects/", "lfs-pointer",
     "a git-annex pointer, not the file itself", "take CITATION.cff out of git-annex"),
    (r"(?i:<!--(?:(?!-->).){0,2000}-->\s*)?(?i:<!doctype\s+html|<(?:html|head|body|script|style|title|meta|link|div|span|p|h[1-6]|table|ul|center|br|img|a)[\s/>])",
     "html", "an HTML page", "download the raw file instead of its page"),
    (r"(?:404: Not Found|404 page not found|Not Found|404 Not Found)\s*\Z", "html",
     "the error text of a web server", "download the file from where it is now"),
    (r'\{\s*"message"\s*:[^{}]*"(?:documentation_url|status)"\s*:', "html",
     "the error answer of a forge", "download the file from where it is now"),
    (r"<\?xml|<[A-Za-z][\w:.-]*[\s/>]", "not-cff", "XML", _ADD_CFF),
    (r"(?:%[^\n]*\n\s*){0,50}@[A-Za-z]+\s*[{(]", "not-cff", "BibTeX", _CONVERT),
    (r"(?:%[^\n]*\n\s*){0,50}\\[A-Za-z]+\s*[\[{]", "not-cff", "LaTeX", _ADD_CFF),
    (r"TY  - |PMID- |%0 [A-Z]|FN (?:Clarivate|ISI)|Record #?\d", "not-cff", "a reference manager's export",
     _CONVERT),
    (r"(?:#[^\n]*\n\s*){0,50}(?:[\w.]+\s*(?:<-|=)\s*)?(?:citHeader|citFooter|citEntry|bibentry|readCitationFile|c)\s*\(",
     "not-cff", "an R CITATION file", "convert it with the R package cffr"),
    (r"%PDF-", "not-cff", "a PDF file", _ADD_CFF),
    (r"PK  |Rar! |7z¼¯|ý7zXZ|BZh\d|‹|\(µ/ý", "not-cff", "a compressed file", "unpack it"),
    (r"‰PNG|GIF8|ÿØÿ|RIFF|II\* |MM \*", "not-cff", "an image", _ADD_CFF),
    (r"ELF |MZ ", "not-cff", "a program", _ADD_CFF),
    (r"ÐÏ\x11?\xa0?|{\\rtf", "not-cff", "a word processor's file", "save it as plain text in CFF"),
    (r"#!\s*/", "not-cff", "a script", _ADD_CFF),
    (r'[\[{][\s\S]{0,2000}?"@context"\s*:', "not-cff", "JSON-LD (CodeMeta or schema.org)", _CONVERT),
    (r'\{[\s\S]{0,4000}?"(?:upload_type|creators)"\s*:', "not-cff", "JSON of Zenodo", _CONVERT),
    (r'\[?\s*\{[\s\S]{0,4000}?"(?:issued|container-title|DOI)"\s*:', "not-cff", "CSL JSON", _CONVERT),
    (r'\{[\s\S]{0,4000}?"(?:nbformat|cells)"\s*:', "not-cff", "a notebook", _ADD_CFF),
)  # fmt: skip
_BEGINNING = re.compile("|".join(f"({pattern})" for pattern, *_ in _BEGINNINGS))
# Anywhere in a text without one key of CFF.
_INSIDE = (
    (re.compile(r"^[ \t]*@[A-Za-z]+[ \t]*\{[^\n=]*,[ \t\r]*$", re.MULTILINE), "BibTeX", _CONVERT),
    (re.compile(r"^[ \t]*(?:citHeader|citEntry|bibentry)[ \t]*\(", re.MULTILINE), "an R CITATION file",
     "convert it with the R package cffr"),
    (re.compile(r"\\(?:documentclass|begin|bibitem)\b"), "LaTeX", _ADD_CFF),
    (re.compile(r"^TY  - \w", re.MULTILINE), "RIS", _CONVERT),
)  # fmt: skip

_KNOWN_KEYS = ALL_KEYS | NEAR_MISSES.keys()
_KEY = re.compile(
    r"(?:^[ \t]*(?:[-?][ \t]+)*|[{,\[][ \t]*)(?:\"([\w-]+)\"|'([\w-]+)'|([\w-]+))[ \t]*:(?=[\s\"'\[{]|$)",
    re.MULTILINE,
)
_CONTENT_LINE = re.compile(r"^[ \t]*(?!#|---|\.\.\.|%|[ \t\r]*$)\S", re.MULTILINE)
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?=[ \t\r]|$)", re.MULTILINE)
_RELATIVE_PATH = re.compile(
    r"(?:\.{0,2}/|[A-Za-z0-9_.-]+/)[^\s:]*|[^\s:/#]+\.(?:cff|ya?ml|md|txt|bib)|(?i:CITATIONS?)|"
    r"\.\.?/[^:\n]*\.cff"
)
# One character tells most files from a template, and is found much faster than two.
_PLACEHOLDERS = (("{", ("{{", "{%", "{#")), ("@", (": @",)), ("%", (": %",)))
# Where YAML expects a value and a brace opens a mapping, or @ and % open nothing at all.
_TEMPLATE_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?P<key>(?:-[ \t]+)*(?:[\w-]+[ \t]*:[ \t]+)?)"
    r"(?P<mark>\{\{|\{%|\{#|@[A-Z][A-Z0-9_]*@|%[A-Z][A-Z0-9_]*%)"
)
_BLOCK_HEADER = re.compile(r"(?:.*[:\-][ \t]+)?[|>][+\-0-9]*[ \t]*(?:[ \t]#.*)?$")


def sniff(text: str, size: int) -> Problem | None:
    r"""Return an error that names what `text` is, or None when it may be CFF.

    `text` is the text that `decode` gave for `size` bytes. None says nothing about validity: a
    text with one key of CFF is left to the reader, and so is one of comments alone.

    >>> sniff("@article{key,\n}\n", 16).message
    'this is BibTeX, not CFF: convert it to CFF'
    >>> sniff("../docs/CITATION.cff", 20).code
    'symlink'
    >>> sniff("cff-version: 1.2.0\n", 19)
    """
    if size > MAX_BYTES:
        message = f"the file has {size} bytes, more than {MAX_BYTES}: a citation file lists less"
        return Problem("too-complex", "error", message)
    start = len(text) - len(text.lstrip(" \t\r\n\xa0\ufeff"))
    if start == len(text):
        return Problem("empty", "error", f"the file is empty: {_ADD_CFF}")
    if ("<<<<<<<" in text or ">>>>>>>" in text) and (found := _CONFLICT.search(text)):
        message = "a merge conflict was left in the file: choose one side and remove the markers"
        return Problem("conflict-markers", "error", message, _line(text, found.start()))
    if _has_key(text, "cff-version"):
        return _template(text)
    beginning = _BEGINNING.match(text, start)
    if beginning and beginning.lastindex:
        _, code, what, remedy = _BEGINNINGS[beginning.lastindex - 1]
        return _named(code, what, remedy, _line(text, start))
    body = text[start:].rstrip()
    if len(body) <= 400 and _RELATIVE_PATH.fullmatch(body):
        message = f"this is the path of a symbolic link (`{body}`), not the file: read the file it points to"
        return Problem("symlink", "error", message)
    return _template(text) or _without_keys(text)


def _named(code: str, what: str, remedy: str, line: int) -> Problem:
    return Problem(code, "error", f"this is {what}, not CFF: {remedy}", line)


def _line(text: str, offset: int) -> int:
    """Return the number, from 1, of the line at `offset`."""
    head = text[:offset]
    return 1 + head.count("\n") + head.count("\r") - head.count("\r\n")


def _has_key(text: str, key: str) -> bool:
    """Return whether `key` stands in `text` as a key at the start of a line or in braces."""
    at = text.find(key)
    while at >= 0:
        before = text[max(0, at - 80) : at].rstrip(" \t\"'")
        after = text[at + len(key) : at + len(key) + 3].lstrip("\"' \t")
        if after[:1] == ":" and (not before or before[-1] in "\n\r{,\ufeff?-"):
            return True
        at = text.find(key, at + 1)
    return False


def _template(text: str) -> Problem | None:
    """Return the problem of a placeholder that breaks YAML; one in quotes or inside a text does not."""
    if not any(first in text and any(mark in text for mark in marks) for first, marks in _PLACEHOLDERS):
        return None
    block_indent = -1
    for number, line in enumerate(re.split("\r\n|\r|\n", text), 1):
        indent = len(line) - len(line.lstrip(" "))
        if block_indent >= 0 and (indent > block_indent or not line.strip()):
            continue
        block_indent = -1
        if found := _TEMPLATE_LINE.match(line):
            column = found.start("mark") + 1
            shown = line[found.start("mark") :].strip()[:60]
            message = f"a placeholder of a template was left in the file (`{shown}`): fill it in"
            return Problem("template", "error", message, number, column)
        if _BLOCK_HEADER.match(line):
            block_indent = indent
    return None


def _without_keys(text: str) -> Problem | None:
    """Return `not-cff` for a text that has content and not one key that CFF knows."""
    for found in _KEY.finditer(text):
        if found[found.lastindex or 0].lower().replace("_", "-") in _KNOWN_KEYS:
            return None
    content = _CONTENT_LINE.search(text)
    if content is None:
        return None
    for pattern, what, remedy in _INSIDE:
        if inside := pattern.search(text):
            return _named("not-cff", what, remedy, _line(text, inside.start()))
    return _named("not-cff", "text without a single key of CFF", _ADD_CFF, _line(text, content.start()))
