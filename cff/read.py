"""Read a CITATION.cff file: bytes become a typed record of it, with its problems.

>>> file = read(b"cff-version: 1.2.0\\nmessage: Cite it.\\ntitle: Kettle\\nauthors:\\n- name: Kettle Team\\n")
>>> file.outcome, file.works[0].title, file.works[0].authors[0].kind
('ok', 'Kettle', 'entity')
>>> read(b"title: [").problems[0].code
'yaml-syntax'

The steps, a module each: `decode` (bytes to text), `annotated` (a page or dump of one to the
file's text), `compose` (text to nodes), `walk` (nodes to a checked document), and here the last:
the document to works, identifiers and mentions. `sniff` says what a text is that is no CFF at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import yaml

from . import annotated, identifiers, scalars
from .agents import Finding, meaning
from .compose import compose
from .decode import decode
from .entries import Record
from .folding import fold, squeeze
from .nodes import key_position
from .records import CffFile, Identifier, Mention, Outcome, Problem, Value, Work
from .resting import collector_at_rest
from .sniff import sniff
from .values import TooComplex, join, step
from .walk import Walk

MAX_CHARACTERS = 8 << 20
"""A longer text is refused: the largest CITATION.cff known has not a tenth of it."""


def blob_id(data: bytes) -> str:
    """Return git's object id of a blob with these bytes (SHA-1, hex); `swh:1:cnt:` before it is its SWHID."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def read(data: bytes, *, name: str = "CITATION.cff") -> CffFile:
    """Return what `data` says as a CFF file; never raises for what is in it.

    `name` is the file's name, which CFF fixes as `CITATION.cff` (schema guide, "Format").
    An OpenGrok page, or a text dump of one, is read as the file that it shows.
    """
    # It would visit every node several times, of a tree that has no cycles and is dropped whole at the end.
    with collector_at_rest():
        return _read(data, name)


def _read(data: bytes, name: str) -> CffFile:
    decoded = decode(data)
    text, problems = decoded.text, list(decoded.problems)
    if len(text) > MAX_CHARACTERS:
        message = f"the file has {len(text):,} characters, and more than {MAX_CHARACTERS:,} are not read"
        return _unreadable([*problems, Problem("too-complex", "error", message)])
    page = annotated.extract(text)
    if page is None:
        return _read_text(text, [*problems, *_of_name(name)], len(data))
    file = _read_text(page.text, [*problems, *page.problems], len(data))
    return replace(file, problems=_onto_page(file.problems, data), origin=page.origin)


def _of_name(name: str) -> Iterable[Problem]:
    if name != "CITATION.cff" and name.lower().endswith(".cff"):
        message = f"the file is called {name}: programs look for CITATION.cff, spelled like that"
        yield Problem("file-name", "warning", message)


def _read_text(text: str, problems: list[Problem], size: int) -> CffFile:
    """Return what the text of a file says; `problems` are those found so far, `size` is that of the data."""
    composed = compose(text)
    problems += composed.problems
    if not isinstance(composed.root, yaml.MappingNode):
        return _unreadable(_why_unreadable(text, size, composed.root, problems))
    walk = Walk(text)
    try:
        walk.root(composed.root)
    except TooComplex:
        message = "the file is nested too deeply, or its aliases expand to too much: write it without them"
        return _unreadable([*problems, *walk.problems, Problem("too-complex", "error", message)])
    problems += walk.problems
    works = tuple(
        _work(record, problems, as_root=i == 0) for i, record in enumerate(sorted(walk.records, key=_order))
    )
    if not any(work.title or work.authors for work in works):
        return _unreadable([*problems, _not_cff(text, size)])
    if "\t" in text:
        problems += _tabs(text)
    problems += _breach(problems, walk)
    version = walk.document.get("cff-version", "")
    return CffFile(
        outcome=_outcome(problems),
        cff_version=version if isinstance(version, str) else "",
        works=works,
        problems=_in_order(problems),
        document=walk.document,
    )


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.line, p.column)))


def _unreadable(problems: Iterable[Problem]) -> CffFile:
    return CffFile("error", problems=_in_order(problems))


def _why_unreadable(text: str, size: int, root: Any, problems: list[Problem]) -> list[Problem]:
    """Return the problems of a text whose root is no mapping: what it is, rather than how YAML fails."""
    found = None if any(p.code == "too-complex" for p in problems) else sniff(text, size)
    if found:
        return [p for p in problems if p.code in ("file-name", "encoding")] + [found]
    if any(p.severity == "error" for p in problems):
        return problems
    if root is None:
        return [*problems, Problem("empty", "error", "there is nothing in the file but blanks and comments")]
    message = "the file is no mapping of keys to values: a CFF file begins with `cff-version: 1.2.0`"
    return [
        *problems,
        Problem("not-cff", "error", message, root.start_mark.line + 1, root.start_mark.column + 1),
    ]


def _not_cff(text: str, size: int) -> Problem:
    """Return the problem of a mapping that says nothing of a work: most often another format."""
    message = "neither a title nor an author can be taken from the file: it is no CFF file, or an empty one"
    return sniff(text, size) or Problem("not-cff", "error", message)


def _breach(problems: list[Problem], walk: Walk) -> list[Problem]:
    """Say once, under one code, that a file breaks the schema: its faults have codes of their own."""
    errors = [p for p in problems if p.severity == "error"]
    if not errors or any(p.code == "schema" for p in errors):
        return []
    faults = "in one place" if len(errors) == 1 else f"in {len(errors)} places"
    message = f"the file breaks the schema of CFF {walk.version} {faults}: programs that validate refuse it"
    line, column = key_position(walk.records[0].node, "cff-version")
    return [Problem("schema", "note", message, line, column)]


def _outcome(problems: Iterable[Problem]) -> Outcome:
    return "ok" if all(p.severity == "note" for p in problems) else "ok-warn"


def _tabs(text: str) -> list[Problem]:
    """YAML allows a tab behind a colon, and several parsers refuse it."""
    found = []
    for number, row in enumerate(text.split("\n"), 1):
        head, colon, tail = row.partition(":")
        if colon and tail.startswith("\t") and '"' not in head and "'" not in head and "#" not in head:
            message = "a tab behind the colon: write a blank, some programs do not read it"
            found.append(Problem("tab", "warning", message, number, len(head) + 2))
    return found


def _order(record: Record) -> int:
    """The root, the preferred citation, the references in the order of the file."""
    return 0 if not record.pointer else 2 if record.pointer.startswith("references") else 1


def _onto_page(problems: Iterable[Problem], data: bytes) -> tuple[Problem, ...]:
    """Keep problems inside the page at hand: a dump on one line has only that line to point at."""
    rows = data.count(b"\n") + 1
    return _in_order(p if p.line <= rows else _moved(p, rows) for p in problems)


def _moved(problem: Problem, line: int) -> Problem:
    message = f"{problem.message} (line {problem.line} of the file shown)"
    return Problem(problem.code, problem.severity, message, line, 1, problem.path)


def _work(record: Record, problems: list[Problem], *, as_root: bool) -> Work:
    said = _texts(record.fields)
    get = said.get
    title = squeeze(get("title", ""))
    date = scalars.iso_date(get("date-released", "")) or scalars.iso_date(get("date-published", ""))
    year = scalars.year_of(get("year", ""))
    doi = _doi(record, get("doi", ""), problems)
    authors, others = _mentions(record, title, problems)
    return Work(
        pointer=record.pointer,
        type=get("type") or ("software" if as_root else "generic"),
        title=title,
        version=get("version", "").strip(),
        doi=doi,
        date=date,
        year=int(date[:4]) if year is None and date else year,
        url=_normal(identifiers.url, get("url", "")),
        repository_code=_normal(identifiers.repository_url, get("repository-code", "")),
        authors=authors,
        others=others,
        identifiers=_identifiers(record, doi, said),
        fields=record.fields,
        line=record.node.start_mark.line + 1,
    )


def _texts(fields: dict[str, Value]) -> dict[str, str]:
    """Return the fields without lists and mappings."""
    return {key: value for key, value in fields.items() if isinstance(value, str)}


def _normal(normalise: Callable[[str], str | None], text: str) -> str:
    return normalise(text) or "" if text else ""


def _doi(record: Record, text: str, problems: list[Problem]) -> str:
    doi = _normal(identifiers.doi, text)
    if text and not doi and scalars.DOI.fullmatch(text):  # what is no DOI by the schema, the walk has named
        line, column = key_position(record.node, "doi")
        path = f"{record.pointer}.doi" if record.pointer else "doi"
        message = f"`{text}` is a placeholder, not a DOI: fill it in or take it out"
        problems.append(Problem("bad-doi", "warning", message, line, column, path))
    return doi


def _identifiers(record: Record, doi: str, said: dict[str, str]) -> tuple[Identifier, ...]:
    """Return the identifiers of a record, normalised, each once, in the order of the file."""
    found: dict[tuple[str, str], Identifier] = {}

    def add(kind: str, value: str, description: str = "") -> None:
        if value:
            found.setdefault((kind, value), Identifier(kind, value, description))

    add("doi", doi)
    for entry in record.identifiers:
        texts = _texts(entry)
        kind, value = texts.get("type"), texts.get("value", "").strip()
        description = squeeze(texts.get("description", ""))
        if kind == "doi":
            add("doi", identifiers.doi(value) or "", description)
        elif kind == "swh":
            add("swh", identifiers.swhid(value) or "", description)
        elif value:
            told = identifiers.detect(value)
            add(told.kind if told else "other", told.value if told else squeeze(value), description)
    add("isbn", _normal(identifiers.isbn, said.get("isbn", "")))
    add("pmcid", _normal(identifiers.pmcid, said.get("pmcid", "")))
    url = said.get("url", "")
    if url and (told := identifiers.detect_inside(url)):
        add(told.kind, told.value)
    return tuple(found.values())


def _mentions(
    record: Record, title: str, problems: list[Problem]
) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
    """Return whom the entries of a record mean, the authors and all others; who has no name is left out."""
    authors: list[Mention] = []
    others: list[Mention] = []
    bearers: list[tuple[Mention, list[str], Any]] = []
    for role, steps, entries in record.people:
        mentions = authors if role == "authors" else others
        for position, (fields, written, node) in enumerate(entries):
            *agent, findings = meaning(fields, title)
            if findings:
                problems += _as_problems(findings, fields, join([*steps, step(position)]), node)
                if any(finding.code == "empty-name" for finding in findings):
                    continue
            # As Mention(...) does, in a third of the time.
            line = node.start_mark.line + 1
            mention = tuple.__new__(Mention, (role, position, *agent, written, line))
            mentions.append(mention)
            if mention.orcid:
                bearers.append((mention, steps, node))
    problems += _shared_orcids(bearers)
    return tuple(authors), tuple(others)


def _as_problems(
    findings: Iterable[Finding], fields: dict[str, str], path: str, node: Any
) -> Iterator[Problem]:
    """Yield the findings of an entry with `fields`, which stands at `path`."""
    for finding in findings:
        if finding.code == "bad-orcid" and not scalars.ORCID.search(fields["orcid"]):
            continue  # the walk said so, by the schema
        line, column = key_position(node, finding.key)
        place = f"{path}.{finding.key}" if finding.key else path
        yield Problem(finding.code, finding.severity, finding.message, line, column, place)


def _shared_orcids(bearers: list[tuple[Mention, list[str], Any]]) -> Iterator[Problem]:
    """One iD on two people of one list: most often it was copied down with the lines of the first.

    `bearers` are the mentions with an iD, each with the steps to its list and its node.
    """
    if len({mention.orcid for mention, _, _ in bearers}) == len(bearers):
        return
    firsts: dict[tuple[str, str], Mention] = {}
    for mention, steps, node in bearers:
        if mention.kind != "person":
            continue
        first = firsts.setdefault((mention.role, mention.orcid), mention)
        if first is not mention and fold(first.family_names) != fold(mention.family_names):
            line, column = key_position(node, "orcid")
            message = f"{mention.full_name} has the iD of {first.full_name} (line {first.line}): whose is it?"
            path = join([*steps, step(mention.position), "orcid"])
            yield Problem("orcid-conflict", "note", message, line, column, path)
