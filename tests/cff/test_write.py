"""What is written is valid by the official rules, and reads to an equal record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cff import keys
from cffgraph.cff.errors import CffgraphError
from cffgraph.cff.keys import Kind
from cffgraph.cff.read import read
from cffgraph.cff.records import CffFile
from cffgraph.cff.vocabularies import COUNTRIES, LICENSES, REFERENCE_TYPES, STATUSES
from cffgraph.cff.write import write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DATA = Path(__file__).parent.parent / "data"


def meaning(file: CffFile) -> list[Any]:
    """What a file says, without how it says it."""
    return [
        (
            (w.pointer, w.type, w.title, w.version, w.doi, w.date, w.year, w.url, w.repository_code),
            w.identifiers,
            sorted(
                (
                    m.role,
                    m.position,
                    m.kind,
                    m.full_name,
                    m.family_names,
                    m.alias,
                    m.orcid,
                    m.email,
                    m.website,
                )
                for m in (*w.authors, *w.others)
            ),
        )
        for w in file.works
    ]


def test_the_seed_is_written_in_canonical_order() -> None:
    file = read((DATA / "pytorch-CITATION.cff").read_bytes())
    written = write(file)
    assert written.left_out == ()
    assert written.text.startswith(
        "cff-version: 1.2.0\n"
        "message: If you use this software, please cite it as below.\n"
        "title: PyTorch\n"
        "authors:\n"
        "  - name: PyTorch Team\n"
        "url: https://pytorch.org\n"
        "preferred-citation:\n"
        "  type: conference-paper\n"
    )
    again = read(written.text.encode())
    assert again.problems == ()
    assert meaning(again) == meaning(file)
    assert write(again).text == written.text


def test_what_cannot_stay_is_named() -> None:
    data = (
        b"cff-version: 1.1.0\ntitle: K\nextra: 1\nlicense: none\ndate-released: 2024-02-30\n"
        b"author:\n- name: The K Team\n  tel: 1\n"
    )
    written = write(read(data))
    assert written.text == (
        "cff-version: 1.2.0\n"
        "message: If you use this software, please cite it using the metadata from this file.\n"
        "title: K\n"
        "authors:\n"
        "  - name: The K Team\n"
        '    tel: "1"\n'
    )
    assert [line.split(":")[0] for line in written.left_out] == ["extra", "license", "date-released"]


@pytest.mark.parametrize("data", [b"cff-version: 1.2.0\ntitle: K\n", b"authors: [{name: K Team}]\n", b"["])
def test_nothing_is_written_without_title_and_author(data: bytes) -> None:
    with pytest.raises(CffgraphError, match="a title and an author"):
        write(read(data))


text = st.text(st.characters(exclude_categories=("Cs", "Cn", "Co")), min_size=1, max_size=12)
words = st.sampled_from(
    ["No", "1.10", "~", "a: b", "x #y", "- z", "'q'", '"d"', "O’Hara", "Šimková", "[int]", "日本"]
)
name = st.one_of(words, text)
person = st.fixed_dictionaries(
    {"family-names": st.sampled_from(["Tresk", "van Holt", "Okonjo", "Łukaszek"])},
    optional={
        "given-names": st.sampled_from(["Moira", "T. K.", "Jean-Luc"]),
        "orcid": st.just("https://orcid.org/0000-0009-9000-0210"),
        "email": st.just("a@example.org"),
        "affiliation": name,
        "city": name,
    },
)
entity = st.fixed_dictionaries(
    {"name": st.just("The Kettle Team")}, optional={"website": st.just("https://k.example")}
)
VALUES: dict[Kind, Any] = {
    Kind.TEXT: name,
    Kind.TEXT_OR_NUMBER: name,
    Kind.TEXT_OR_INTEGER: name,
    Kind.MONTH: st.sampled_from(["1", "12"]),
    Kind.DATE: st.dates().map(lambda d: d.isoformat()),
    Kind.DOI: st.sampled_from(["10.5555/abc", "10.5555/(x)1"]),
    Kind.URL: st.sampled_from(["https://k.example", "https://k.example/a?b=c#d"]),
    Kind.LICENSE: st.sampled_from(sorted(LICENSES)),
    Kind.COUNTRY: st.sampled_from(sorted(COUNTRIES)),
    Kind.STATUS: st.sampled_from(sorted(STATUSES)),
    Kind.REFERENCE_TYPE: st.sampled_from(sorted(REFERENCE_TYPES)),
    Kind.TEXTS: st.lists(name, min_size=1, max_size=3, unique=True),
    Kind.LANGUAGES: st.just(["en", "nl"]),
    Kind.AGENTS: st.lists(
        st.one_of(person, entity), min_size=1, max_size=3, unique_by=lambda a: json.dumps(a, sort_keys=True)
    ),
    Kind.ENTITY: entity,
    Kind.ISBN: st.just("978-3-16-148410-0"),
    Kind.ISSN: st.just("1234-567X"),
    Kind.PMCID: st.just("PMC1234567"),
    Kind.IDENTIFIERS: st.just([{"type": "doi", "value": "10.5555/x"}, {"type": "other", "value": "y"}]),
}
reference = st.fixed_dictionaries(
    {k: VALUES[keys.REFERENCE[k]] for k in keys.REFERENCE_REQUIRED},
    optional={k: VALUES[kind] for k, kind in keys.REFERENCE.items() if k not in keys.REFERENCE_REQUIRED},
)


@given(reference)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_reading_what_was_written_gives_an_equal_record(cited: dict[str, Any]) -> None:
    document = {
        "cff-version": "1.2.0",
        "message": "Cite it.",
        "title": "Kettle",
        "authors": [{"name": "The Kettle Team"}],
        "preferred-citation": cited,
        "references": [cited],
    }
    file = read(json.dumps(document).encode())
    if not file.works[1].title:  # a title of nothing but invisible characters
        return
    again = read(write(file).text.encode())
    assert [p for p in again.problems if p.severity == "error"] == []
    assert meaning(again) == meaning(file)
