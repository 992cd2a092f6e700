# ruff: noqa: E501  (a dump is one line)
import html
import itertools
import re
import time
from pathlib import Path

import pytest
import yaml
from cffgraph.cff.annotated import extract
from hypothesis import example, given, settings
from hypothesis import strategies as st

DATA = Path(__file__).parents[1] / "data"
SEED = (DATA / "aosp-opengrok-annotate.txt").read_text("utf-8")
PYTORCH = (DATA / "pytorch-CITATION.cff").read_text("utf-8")
REVISIONS = ("da0073e9", "5ac0ffee", "12345678", "0badcafe")
COMMITTERS = (
    "Android Build Coastguard Worker",
    "Rhea Oake",
    "s.wick",
    "Zoë van der Kiln-Öst <zoe@kiln.example>",
)

KILN = """\
cff-version: 1.2.0
# how to cite
message: "Cite it: please."
title: >-
  Kiln, a tool
  for firing

abstract: Fires clay 7 times
  and more, see
  the "docs"
authors:
  - family-names: Oake
    given-names: Rhea
    affiliation: 'Kiln
      & Co'
    orcid: https://orcid.org/0000-0009-9000-0114
  - name: Kiln Team
    website: https://kiln.example
keywords: [clay,
  fire]
identifiers:
  - type: doi
    value: 10.5555/kiln
    description: All versions
  - description: this one
    type: other
    value: "8*5ac0ffee"
license:
  - MIT
  - Apache-2.0
version: 12
preferred-citation:
  type: article
  title: On kilns
  authors:
    - family-names: Wick
      given-names: Ole
  publisher:
    name: Kiln Press
    city: Ovenbury
  url: https://kiln.example/paper
  journal: Clay
  month: 4
  conference:
    name: ClayConf
    date-start: 2020-01-01
  editors:
    - name: The Editors
  abstract: |
    On kilns:
    a paper
  year: 2020
references:
  - type: software
    title: Oven
    authors:
      - family-names: Vale
        given-names: Ida
      - alias: mika
    identifiers:
      - type: swh
        value: swh:1:rev:0badcafe
    doi: 10.5555/oven
  - authors:
      - name: Ash
    title: Ash
    type: book
    location:
      name: Ovenbury
    start: 3
    end: 9
    keywords:
      - a
      - b
date-released: 2020-02-02
"""


# Writers of what OpenGrok shows, after Util.readableLine and Util.writeAnnotation.


def blame_of(lines, owners):
    """(revision, committer, newest) a line; `owners` is a number a line."""
    return [
        (REVISIONS[o], COMMITTERS[o], o == 0) for o, _ in zip(itertools.cycle(owners), lines, strict=False)
    ]


def page(text, owners, annotated=True):
    lines = text.split("\n")
    blame = blame_of(lines, owners)
    out = ['<!DOCTYPE html>\n<html><body><div id="src"><pre>']
    for number, (line, (revision, committer, newest)) in enumerate(zip(lines, blame, strict=True), 1):
        kind = "l" if number % 10 else "hl"
        out.append("\n" * (number > 1) + f'<a class="{kind}" name="{number}" href="#{number}">{number}</a>')
        if number == len(lines) and not line:
            break
        if annotated:
            mark = f'<span class="most_recent_revision">*{revision}</span>' if newest else revision
            out.append(
                '<span class="blame"><a class="r title-tooltip" style="background-color: #ffe" '
                f'href="CITATION.cff?a=true&amp;r={revision}" title="changeset: x&lt;br/&gt;version: 1/2">{mark}</a>'
                f'<a class="search" href="/s?hist=&quot;{revision}&quot;&amp;type=" title="Search">S</a>'
            )
            name = html.escape(committer)
            out.append(
                f'<span class="a">{name}</span></span>'
                if number % 2
                else f'<a class="a" href="/u?{number}">{name}</a></span>'
            )
        shown = html.escape(line, quote=True)
        shown = re.sub(r"(https?://[\w./-]+)", r'<a href="\1">\1</a>', shown)
        out.append(re.sub(r"\b(\d+)\b(?![^<]*>)", r'<span class="n">\1</span>', shown, count=1))
    return (
        "".join(out)
        + "</pre></div>\n<div id='footer'>served by <a href='/'>OpenGrok</a></div></body></html>\n"
    )


def dump(text, owners):
    lines = text.split("\n")
    out = [
        f"{number}{'*' * newest}{revision}S{committer}{line}"
        for number, (line, (revision, committer, newest)) in enumerate(
            zip(lines, blame_of(lines, owners), strict=True), 1
        )
    ]
    if not lines[-1]:
        out[-1] = str(len(lines))
    return "\n".join(out) + "\n"


def collapsed(text, owners):
    return " ".join(dump(text, owners).split())


def data(text):
    return yaml.load(text, Loader=yaml.CBaseLoader)


# The second seed


def test_the_dump_of_the_seed_is_the_seed():
    got = extract(SEED)
    assert got is not None
    assert got.text.rstrip("\n") == PYTORCH.rstrip("\n")
    assert got.problems == ()
    assert got.origin.kind == "opengrok-annotate"
    assert got.origin.revision == "da0073e9"
    assert got.origin.lines == (("da0073e9", "Android Build Coastguard Worker"),) * 116


def test_a_cff_file_is_no_page():
    for text in (
        PYTORCH,
        KILN,
        "# 1*da0073e9SJane Roe\n" + KILN,
        "---\n" + KILN,
        "",
        "1",
        "1\n2\n",
        "{a: 1}",
    ):
        assert extract(text) is None


@pytest.mark.parametrize(
    "text", ["@article{x,\n}", "<html><body>1</body></html>", "1.2 Some prose. 2.3 Such", "../x"]
)
def test_other_texts_are_no_page(text):
    assert extract(text) is None


# The three forms, one and several committers


@pytest.mark.parametrize("owners", [[0], [0, 1], [1, 1, 2, 0, 3], [2, 3, 3]])
@pytest.mark.parametrize("text", [KILN, PYTORCH + "\n"])
def test_page_and_dump_keep_every_character(text, owners):
    lines = text.rstrip("\n").split("\n")
    expected = tuple((revision, committer) for revision, committer, _ in blame_of(lines, owners))
    for form, kind in ((page, "opengrok-page"), (dump, "opengrok-annotate")):
        got = extract(form(text, owners))
        assert got is not None
        assert got.text == text
        assert got.origin.kind == kind
        assert got.origin.lines == expected
        assert got.origin.revision == ("da0073e9" if 0 in owners else "")


@pytest.mark.parametrize("owners", [[0], [0, 1], [1, 1, 2, 0, 3], [2, 3, 3]])
@pytest.mark.parametrize("text", [KILN, PYTORCH + "\n"])
def test_collapsed_dump_keeps_the_meaning(text, owners):
    got = extract(collapsed(text, owners))
    assert got is not None
    assert data(got.text) == data(text)
    lines = text.rstrip("\n").split("\n")
    assert got.origin.lines == tuple(
        (revision, committer) for revision, committer, _ in blame_of(lines, owners)
    )


def test_a_page_without_annotations():
    got = extract(page(KILN, [0], annotated=False))
    assert got is not None
    assert (got.text, got.origin.kind, got.origin.lines) == (KILN, "opengrok-page", ())


def test_a_dump_without_annotations():
    numbered = [f"{number}{line}" for number, line in enumerate(KILN.split("\n"), 1)]
    by_line = extract("\n".join(numbered))
    assert by_line is not None
    assert by_line.text == KILN
    short = "cff-version: 1.2.0\ntitle: Kiln\nauthors:\n  - name: A\n    email: a@kiln.example\nversion: 7\nurl: x\n"
    numbered = [f"{number}{line}" for number, line in enumerate(short.split("\n"), 1)]
    flat = extract(" ".join(" ".join(numbered).split()))
    assert flat is not None
    assert flat.text == short


TOOL = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Kiln\nauthors:\n- family-names: Oake\n  given-names: Rhea\n- name: Kiln Team\nkeywords:\n- clay\n- 2-part fire\ndate-released: 2021-07-18\nversion: 2.5"


@pytest.mark.parametrize("text", [TOOL, f"---\n{TOOL}\n...", f"\n\n{TOOL}\n", f"# Kiln\n---\n{TOOL}\n...\n"])
def test_a_dump_without_annotations_keeps_lines_that_begin_with_a_dash_or_nothing(text):
    numbered = [f"{number}{line}" for number, line in enumerate(text.split("\n"), 1)]
    for between in ("\n", " "):
        got = extract(between.join(numbered))
        assert got is not None
        assert got.text.rstrip() == text.rstrip()


def test_hidden_parts_of_a_page_are_not_text():
    markup = (
        '<a class="l" name="1" href="#1">1</a><span class="fold-space">&nbsp;</span>cff-version: 1.2.0\n'
        '<a class="l" name="2" href="#2">2</a><span class="scope-signature">x()</span><b>title</b>: A &amp;amp; B\n'
        '<a class="l" name="3" href="#3">3</a><span style="display: none">no</span>doi: 10.5555/a<br>\n'
    )
    got = extract(f"<pre>{markup}</pre>")
    assert got is not None
    assert got.text == "cff-version: 1.2.0\ntitle: A &amp; B\ndoi: 10.5555/a\n"


@pytest.mark.parametrize(
    ("text", "expected", "committers"),
    [
        # what other programs make of the page: blanks between its parts, a head and a foot
        (
            "xref: /kiln/CITATION.cff Home | Annotate | 1 * da0073e9 S Jane Roe cff-version: 1.2.0 2 * da0073e9 S Jane Roe title: Kiln 3 served by {OpenGrok}",
            "cff-version: 1.2.0\ntitle: Kiln\n",
            {"Jane Roe"},
        ),
        # wrapped by a mail program
        (
            "1*da0073e9SJane Roecff-version: 1.2.0 2*da0073e9SJane\nRoetitle: Kiln and\nmore 3*da0073e9SJane Roedoi: x",
            "cff-version: 1.2.0\ntitle: Kiln and more\ndoi: x\n",
            {"Jane Roe"},
        ),
        # Subversion: numbers run together
        ("11041Sjroecff-version: 1.2.0\n2987Sanntitle: Kiln\n3*1042Sjroedoi: x\n", "cff-version: 1.2.0\ntitle: Kiln\ndoi: x\n", {"jroe", "ann"}),
        # a key in the name, a name that begins another name
        (
            "1da0073e9SAnn Titlecff-version: 1.2.0 2da0073e9SAnn Titletitle: Kiln 35ac0ffeeSAnn Title-Roecollection-title: x",
            "cff-version: 1.2.0\ntitle: Kiln\ncollection-title: x\n",
            {"Ann Title", "Ann Title-Roe"},
        ),
        # text that looks like the next number
        (
            "1*da0073e9SJane Roecff-version: 1.2.0 2*da0073e9SJane Roetitle: 3 kilns 3*d 3 3*da0073e9SJane Roeversion: 4",
            "cff-version: 1.2.0\ntitle: 3 kilns 3*d 3\nversion: 4\n",
            {"Jane Roe"},
        ),
        # a continuation alone changed by somebody: the name is known from another line
        (
            "15ac0ffeeSJane Roecff-version: 1.2.0 25ac0ffeeSJane Roetitle: Kiln 3*0badcafeSJane Roe fires clay",
            "cff-version: 1.2.0\ntitle: Kiln\n  fires clay\n",
            {"Jane Roe"},
        ),
        # an unknown key
        (
            "15ac0ffeeSJane Roecff-version: 1.2.0 2*0badcafeSJane Roex-title: a",
            "cff-version: 1.2.0\nx-title: a\n",
            {"Jane Roe"},
        ),
    ],
)  # fmt: skip
def test_dumps(text, expected, committers):
    got = extract(text)
    assert got is not None
    assert got.text == expected
    assert {committer for _, committer in got.origin.lines} == committers


def test_a_guessed_committer_is_said():
    got = extract(
        "15ac0ffeeSJane Roecff-version: 1.2.0 25ac0ffeeSJane Roetitle: Kiln 3*0badcafeSOle Wick fires clay"
    )
    assert got is not None
    assert got.text.endswith("\n  fires clay\n")
    assert [(p.code, p.severity, p.line) for p in got.problems] == [("annotated-author", "note", 3)]


# Lost indentation


def regrown(text):
    """What comes back of a text of which each line has kept one blank at most."""
    got = extract(collapsed(text, [0]))
    assert got is not None
    return got


@pytest.mark.parametrize(
    "text",
    [
        # lists under the letter of their key
        "authors:\n- family-names: A\n  given-names: B\n- name: C\npreferred-citation:\n  authors:\n  - name: D\n  type: book\n",
        # the reference goes on after its people and its publisher
        "references:\n  - type: book\n    authors:\n      - name: A\n    publisher:\n      name: P\n    doi: 10.5555/a\n  - title: B\n",
        # an identifier's type, a reference's type
        "references:\n  - identifiers:\n      - value: x\n        type: doi\n    type: article\n  - identifiers:\n      - value: y\n    type: book\n",
        # a mapping and a list without value
        "preferred-citation:\n  publisher:\n  year: 2020\n  keywords:\n  - a\n  title: T\n".replace("  - a", "    - a"),
        # near misses know their place
        "authors:\n  - familiy-names: A\n    given_names: B\npreferred-citation:\n  authors:\n    - name: A\n  colection-title: C\n",
        # unknown mappings
        "x-more:\n  title: A\n  what: B\nversion: 1\n",
        # a block of text in an item, and the next item
        "authors:\n  - name: A\n    affiliation: >-\n      one\n      - two\n  - affiliation: b\n    name: C\n",
        # a key that CFF does not know belongs to the reference when no other author has one
        "preferred-citation:\n  authors:\n    - name: A\n    - name: B\n  booktitle: C\n  type: book\n",
        "authors:\n  - name: A\n    github: a\n  - name: B\n    github: b\n",
        "preferred-citation:\n  authors:\n    - name: A\n      affiliation: 1\n  affiliations:\n    - name: B\n      index: 1\n  title: T\n",
        "authors:\n  - name: A\ncontributors:\n  - given-names: B\n    name-suffix: III\n  - given-names: C\n",
        "references:\n  - authors:\n      - name: A\n    location:\n      name: B\n    year: 2020\n",
        # an item on its own line
        "authors:\n  -\n    name: A\n  -\n    family-names: B\n",
        # comments, document marks
        "---\n# a\nauthors:\n  # b\n  - name: A\n    # c\n    alias: d\n# e\nversion: 1\n",
        # a text that runs on, with a dash and a colon
        "abstract: one\n  - two\n  three:four\nversion: 1\n",
        "abstract: |\n  - a: b\n  # c\n\n  title: d\nversion: 1\n",
        "preferred-citation:\n  abstract: >\n    one\n    - two\n  title: T\n  notes: 'it''s\n    so: it'\n  scope: \"a \\\" b\n    c\"\n  year: 1\n",
        "references:\n  - type: book\n    notes: a\n      b\n    keywords:\n      - c\n        d\n      - e\n",
        "keywords: [a,\n  b, 'c]', # d]\n  e]\nauthors: [{name: A,\n  alias: b}]\n",
        "authors:\n  - &a\n    name: A\n  - *a\ncontact: &c\n  - name: A\n",
    ],
)  # fmt: skip
def test_indentation_comes_back(text):
    got = regrown(text)
    assert data(got.text) == data(text)


def test_what_is_ambiguous_is_said():
    lines = [
        "title: K",
        "preferred-citation:",
        "type: book",
        "title: T",
        "publisher:",
        "name: P",
        "url: u",
        "cff-version: 1",
    ]
    got = extract("".join(f"{n}*da0073e9SJane Roe{line}\n" for n, line in enumerate(lines, 1)))
    assert got is not None
    assert got.text == (
        "title: K\npreferred-citation:\n  type: book\n  title: T\n  publisher:\n    name: P\n  url: u\ncff-version: 1\n"
    )
    assert ("annotated-indent", "note", 7) in [(p.code, p.severity, p.line) for p in got.problems]


# Properties

WORDS = st.text("abcz XÖ李019.,", min_size=1, max_size=25).map(lambda t: " ".join(t.split())).filter(bool)
QUOTED = WORDS.map(lambda t: f'"{t}: #1"')
PLAIN = WORDS.map(lambda t: "w " + t).map(lambda t: t.replace(" #", ""))
SCALAR = st.one_of(PLAIN, QUOTED)


def mapping(*keys):
    return st.lists(st.sampled_from(keys), unique=True, min_size=1).flatmap(
        lambda chosen: st.tuples(*[SCALAR for _ in chosen]).map(
            lambda values: list(zip(chosen, values, strict=True))
        )
    )


PERSON = mapping(
    "family-names", "given-names", "name-particle", "affiliation", "orcid", "email", "alias", "website"
)
ENTITY = mapping("name", "city", "country", "alias", "website", "date-start")
IDENTIFIER = st.tuples(st.sampled_from(["doi", "url", "swh", "other"]), SCALAR).map(
    lambda pair: [("type", pair[0]), ("value", pair[1])]
)
AGENTS = st.lists(st.one_of(PERSON, ENTITY), min_size=1, max_size=4)
REFERENCE = st.fixed_dictionaries(
    {"type": st.sampled_from(["article", "book", "software"]), "title": SCALAR, "authors": AGENTS},
    optional={
        "publisher": ENTITY,
        "conference": ENTITY,
        "doi": SCALAR,
        "url": SCALAR,
        "year": SCALAR,
        "editors": AGENTS,
        "identifiers": st.lists(IDENTIFIER, min_size=1, max_size=2),
        "keywords": st.lists(SCALAR, min_size=1, max_size=3),
        "collection-title": SCALAR,
    },
).flatmap(lambda fields: st.permutations(list(fields.items())))
ROOT = st.fixed_dictionaries(
    {"cff-version": st.just("1.2.0"), "message": SCALAR, "title": SCALAR, "authors": AGENTS},
    optional={
        "abstract": SCALAR,
        "version": SCALAR,
        "keywords": st.lists(SCALAR, min_size=1, max_size=3),
        "contact": AGENTS,
        "identifiers": st.lists(IDENTIFIER, min_size=1, max_size=2),
        "preferred-citation": REFERENCE,
        "references": st.lists(REFERENCE, min_size=1, max_size=2),
        "license": SCALAR,
    },
).flatmap(lambda fields: st.permutations(list(fields.items())))


def written(fields, indent, dash):
    """A mapping as CFF text; lists set in by `dash`."""
    lines = []
    for key, value in fields:
        if isinstance(value, str):
            lines.append(f"{key}: {value}")
        elif isinstance(value[0], tuple):
            lines += [f"{key}:", *("  " + line for line in written(value, indent + 2, dash))]
        else:
            lines.append(f"{key}:")
            for item in value:
                below = [item] if isinstance(item, str) else written(item, indent, dash)
                lines += [" " * dash + ("- " if not n else "  ") + line for n, line in enumerate(below)]
    return lines


@settings(max_examples=60, deadline=None)
@given(ROOT, st.sampled_from([0, 2, 4]), st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_reading_a_dump_is_reading_the_file(fields, dash, owners):
    text = "\n".join(written(fields, 0, dash)) + "\n"
    expected = data(text)
    for form in (page, dump):
        got = extract(form(text, owners))
        assert got is not None
        assert data(got.text) == expected
    got = extract(collapsed(text, owners))
    assert got is not None
    assert data(got.text) == expected
    got = extract("\n".join(f"{number}{line}" for number, line in enumerate(text.split("\n"), 1)))
    assert got is not None
    assert data(got.text) == expected


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("1234*daS0 -:#'\"[|>\nJRoe<>/a=&;"), max_size=80))
@example("<a name='1'>1</a>")
@example("\n*da 3*d")
def test_any_text(text):
    extract(text)
    extract("1---" + text)
    extract("1cff-version: 1 2- " + text)
    extract("1*da0073e9SJane Roecff-version: 1 2*da0073e9SJane Roe" + text)
    extract('<pre><a class="l" name="1" href="#1">1</a>' + text)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_damaged_seed(given_data):
    start = given_data.draw(st.integers(0, len(SEED)))
    length = given_data.draw(st.integers(0, 200))
    put_in = given_data.draw(st.text(max_size=10))
    extract(SEED[:start] + put_in + SEED[start + length :])


@pytest.mark.parametrize(
    "text",
    [
        "<a name='1'>1</a>" + "<" * 200_000,
        "<a name='1' class='l'>1</a>" + "<b>" * 20_000 + "</i>" * 20_000,
        "<a name='1' class='l'>1</a>" + "<!--" * 60_000,
        "<a name='1' class='l'>1</a>" + "<a b='" * 60_000,
        "<a name='1' class='l'>1</a>&#" + "9" * 200_000,
        "<a" + " name='" * 60_000,
        "1" * 200_000,
        "1*da0073e9SJane Roetitle: x " * 9_000,
        " ".join(f"{n}*da0073e9SJane Roek{n}: x" for n in range(1, 4_000)),
        " ".join(
            f"{n}*da0073e9SJane Roe references: {n + 1}*da0073e9SJane Roe -" for n in range(1, 4_000, 2)
        ),
        " ".join(f"{n}{n % 999:08x}SJane Roe x" for n in range(1, 4_000)),
        " ".join(f"{n} title: " for n in range(1, 4_000)),
        "1cff-version: 1 2" + " 2" * 50_000,
    ],
)
def test_time_is_linear(text):
    start = time.perf_counter()
    extract(text)
    assert time.perf_counter() - start < 5
