from __future__ import annotations

import pytest
from cffgraph.cff import identifiers
from cffgraph.cff.identifiers import (
    EXAMPLE_DOIS,
    EXAMPLE_ORCIDS,
    arxiv,
    check_doi,
    check_orcid,
    detect,
    doi,
    isbn,
    orcid,
    pmcid,
    repository_url,
    swhid,
    url,
)
from hypothesis import given
from hypothesis import strategies as st

ORCID = "0000-0009-9000-1010"


@pytest.mark.parametrize(
    "text",
    [
        "https://orcid.org/0000-0009-9000-1010",
        "http://orcid.org/0000-0009-9000-1010",
        "https://www.orcid.org/0000-0009-9000-1010/",
        "orcid.org/0000-0009-9000-1010",
        "0000-0009-9000-1010",
        "0000000990001010",
        "0000 0009 9000 1010",
        "0000–0009–9000–1010",
        "0000‐0009‐9000‐1010",
        "https://orcid.org/ 0000-0009-9000-1010",
        "https://orcid.org/https://orcid.org/0000-0009-9000-1010",
        "https://orcid.org/0000-0009-9000-1010?lang=en",
        "ORCID: 0000-0009-9000-1010",
        " <https://orcid.org/0000-0009-9000-1010>\u200b",
        "https://orcid.org/my-orcid?orcid=0000-0009-9000-1010",
    ],
)
def test_orcid_in_any_spelling(text: str) -> None:
    assert orcid(text) == ORCID


def test_orcid_ends_in_x_of_either_case() -> None:
    assert (
        orcid("0000-0002-1694-233x")
        == orcid("https://orcid.org/0000-0002-1694-233X")
        == "0000-0002-1694-233X"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("https://orcid.org/0000-0009-9000-1011", "should end in 0"),
        ("0000-0009-9000-101X", "should end in 0"),
        ("https://orcid.org/0000-0000-0000-0000", "placeholder"),
        ("https://orcid.org/XXXX-XXXX-XXXX-XXXX", "placeholder"),
        ("https://orcid.org/0000-0002-xxxx-xxxx", "placeholder"),
        ("https://orcid.org/1234-5678-9101-1121", "placeholder"),
        ("<insert your iD>", "placeholder"),
        ("TODO", "placeholder"),
        ("", "placeholder"),
        ("https://orcid.org/188164920", "9 digits"),
        ("https://orcid.org/", "placeholder"),
        ("https://isni.org/isni/0000000990001010", "another place"),
        ("https://sandbox.orcid.org/0000-0009-9000-1010", "sandbox"),
        ("0000-0009-9000-1010, 0000-0009-9000-0165", "more than one"),
        ("https://example.org/ada", "not an ORCID iD"),
    ],
)
def test_orcid_says_why_not(text: str, reason: str) -> None:
    bare, why = check_orcid(text)
    assert bare == ""
    assert reason in why


def test_ids_of_examples_are_valid() -> None:
    assert {orcid(example) for example in EXAMPLE_ORCIDS} == EXAMPLE_ORCIDS
    assert {doi(example) for example in EXAMPLE_DOIS} == EXAMPLE_DOIS


@given(st.integers(min_value=10, max_value=10**15 - 1))
def test_every_iso_7064_check_digit(number: int) -> None:
    digits, total = f"{number:015}", 0
    for digit in digits:
        total = (total + int(digit)) * 2
    check = "0123456789X"[(12 - total % 11) % 11]
    bare, why = check_orcid(digits + check)
    assert why.startswith("is a placeholder") or bare.replace("-", "") == digits + check
    wrong = "0123456789X"[(12 - total % 11 + 1) % 11]
    assert orcid(digits + wrong) is None


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("10.1145/3620665.3640366", "10.1145/3620665.3640366"),
        ("https://doi.org/10.1145/3620665.3640366", "10.1145/3620665.3640366"),
        ("http://dx.doi.org/10.5555/ABC.Def", "10.5555/abc.def"),
        ("doi.org/10.5555/abc", "10.5555/abc"),
        ("doi:10.5555/abc", "10.5555/abc"),
        ("DOI 10.5555/abc", "10.5555/abc"),
        ("DOI: https://doi.org/10.5555/abc", "10.5555/abc"),
        ("https://doi.org/doi:10.5555/abc", "10.5555/abc"),
        ("https://doi.org/https://doi.org/10.5555/abc", "10.5555/abc"),
        ("https://doi.org/10.5555%2Fabc", "10.5555/abc"),
        ("10.5555%2Fabc", "10.5555/abc"),
        ("<https://doi.org/10.5555/abc>", "10.5555/abc"),
        ("(doi:10.5555/abc).", "10.5555/abc"),
        ("10.5555/abc;", "10.5555/abc"),
        ("10.5555/foo(bar)", "10.5555/foo(bar)"),
        ("10.5555/foo(bar))", "10.5555/foo(bar)"),
        ("https://doi.org/10.5555/abc?ref=x#top", "10.5555/abc"),
        (
            "10.5555/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
            "10.5555/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o",
        ),
        ("10.5555.1/abc", "10.5555.1/abc"),
        ("10.5555/abc - EDIT", "10.5555/abc"),
        ("10.5281/zenodo.1234", "10.5281/zenodo.1234"),
        ("10.5555/abc\u200b", "10.5555/abc"),
        ("10.48550/arXiv.2109.02846", "10.48550/arxiv.2109.02846"),
        # words that begin like those of a template
        ("10.5555/tbdata.1", "10.5555/tbdata.1"),
        ("10.5555/todomap", "10.5555/todomap"),
        ("10.5555/abcxxx", "10.5555/abcxxx"),
        ("10.5555/xx.yyy", "10.5555/xx.yyy"),
        ("10.5281/zenodo.10", "10.5281/zenodo.10"),
        ("10.5555/000.1", "10.5555/000.1"),
    ],
)
def test_doi_in_any_spelling(text: str, bare: str) -> None:
    assert doi(text) == bare
    assert doi(bare) == bare


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("10.5281/zenodo.XXXXXXX", "placeholder"),
        ("10.5281/zenodo.xxxxxxx", "placeholder"),
        ("10.5281/zenodo.0000000", "placeholder"),
        ("https://doi.org/10.5281/zenodo.0", "placeholder"),
        ("10.5555/kettle.todo", "placeholder"),
        ("10.5555/nnnn", "placeholder"),
        ("10.xxxx/abc", "placeholder"),
        ("10.XXXX/XXXX", "placeholder"),
        ("10.0000/FIXME", "placeholder"),
        ("10.5555/your-doi-here", "placeholder"),
        ("10.5281/zenodo.<id>", "placeholder"),
        ("10.5281/zenodo.{{ id }}", ""),
        ("<insert your DOI here>", "placeholder"),
        ("TODO", "placeholder"),
        ("tbd", "placeholder"),
        ("", "placeholder"),
        ("10.1/x", "not a DOI"),
        ("1010.051", "not a DOI"),
        ("10.5555/", "not a DOI"),
        ("10.5555/...", "not a DOI"),
        ("10.5555/a, 10.5555/b", "several"),
        ("https://zenodo.org/record/1234", "not a DOI"),
        ("https://journal.example/papers/10.5555/abc", "not a DOI"),
    ],
)
def test_doi_says_why_not(text: str, reason: str) -> None:
    bare, why = check_doi(text)
    assert bare == ""
    assert why
    assert reason in why


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("arXiv:2109.02846", "2109.02846"),
        ("arXiv.2309.07711", "2309.07711"),
        ("2109.02846v3", "2109.02846"),
        ("https://arxiv.org/abs/2109.02846", "2109.02846"),
        ("http://arxiv.org/pdf/2109.02846v1.pdf", "2109.02846"),
        ("arXiv:2109.02846 [cs.LG]", "2109.02846"),
        ("https://doi.org/10.48550/arXiv.2109.02846", "2109.02846"),
        ("math.GT/0309136", "math/0309136"),
        ("arXiv:hep-th/9901001v2", "hep-th/9901001"),
        ("1711.014", None),
        ("2199.02846", None),
        ("hal-03663345", None),
        ("", None),
    ],
)
def test_arxiv(text: str, normal: str | None) -> None:
    assert arxiv(text) == normal


CORE = "swh:1:dir:1e3e28077c43ca999f434f29b6a872f5581b48e2"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (CORE, CORE),
        (CORE.replace("1e3e", "1E3E"), CORE),
        (f"{CORE};origin=https://git.example/o/r;path=/a%3Bb/", CORE),
        (f"https://archive.softwareheritage.org/{CORE}/", CORE),
        (f"https://archive.softwareheritage.org/browse/{CORE};lines=1-2/", CORE),
        (CORE[:-1], None),
        (CORE.replace("dir", "dri"), None),
        (CORE.replace("swh:1", "swh:2"), None),
        ("", None),
    ],
)
def test_swhid(text: str, normal: str | None) -> None:
    assert swhid(text) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("0-306-40615-2", "9780306406157"),
        ("ISBN-13: 978-0-306-40615-7", "9780306406157"),
        ("ISBN-10 0306406152", "9780306406157"),
        ("urn:isbn:9780306406157", "9780306406157"),
        ("978–0–306–40615–7", "9780306406157"),
        ("0-8044-2957-x", "9780804429573"),
        ("978-0-306-40615-8", None),
        ("0-306-40615-3", None),
        ("978111976304", None),
        ("4006381333931", None),
        ("", None),
    ],
)
def test_isbn(text: str, normal: str | None) -> None:
    assert isbn(text) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("PMC1234567", "PMC1234567"),
        ("pmcid: pmc1234567", "PMC1234567"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/", "PMC1234567"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567", "PMC1234567"),
        ("1234567", None),
        ("PMC", None),
    ],
)
def test_pmcid(text: str, normal: str | None) -> None:
    assert pmcid(text) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://example.org", "https://example.org"),
        ("HTTPS://Example.ORG/", "https://example.org"),
        ("http://www.example.org/A/?q=1#f", "http://www.example.org/A/?q=1#f"),
        ("https://ada:secret@example.org/a", "https://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:8080", "http://example.org:8080"),
        ("ftp://ftp.example.org/a.tgz", "ftp://ftp.example.org/a.tgz"),
        ("sftp://example.org/a", "sftp://example.org/a"),
        ("<https://example.org/a>", "https://example.org/a"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("https://bücher.example/ä", "https://bücher.example/ä"),
        ("http://example.org/blah_(x)#cite-1", "http://example.org/blah_(x)#cite-1"),
        ("https://example.org/a b", None),
        ("example.org", None),
        ("https://", None),
        ("https:///a", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("<insert your URL>", None),
        ("https://kettle.example", "https://kettle.example"),
        ("https://kettle", "https://kettle"),
    ],
)
def test_url(text: str, normal: str | None) -> None:
    assert url(text) == normal
    if normal:
        assert url(normal) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://github.com/Quill/Tool", "https://github.com/quill/tool"),
        ("http://www.github.com/quill/tool.git/", "https://github.com/quill/tool"),
        ("git@github.com:Quill/tool.git", "https://github.com/quill/tool"),
        ("ssh://git@github.com/quill/tool.git", "https://github.com/quill/tool"),
        ("git+https://github.com/quill/tool.git#main", "https://github.com/quill/tool"),
        ("git+ssh://git@github.com/quill/tool.git", "https://github.com/quill/tool"),
        ("git://github.com/quill/tool.git", "https://github.com/quill/tool"),
        ("scm:git:https://github.com/quill/tool", "https://github.com/quill/tool"),
        ("github.com/quill/tool", "https://github.com/quill/tool"),
        ("https://token:x@github.com/quill/tool", "https://github.com/quill/tool"),
        ("https://github.com/quill/tool/tree/main/docs", "https://github.com/quill/tool"),
        ("https://github.com/quill/tool/blob/main/CITATION.cff?raw=1", "https://github.com/quill/tool"),
        ("https://github.com/quill/tool/releases/tag/v1.0", "https://github.com/quill/tool"),
        ("https://raw.githubusercontent.com/quill/tool/main/x", "https://github.com/quill/tool"),
        ("https://gitlab.com/Group/Sub/Tool/-/tree/main", "https://gitlab.com/group/sub/tool"),
        ("https://gitlab.com/group/sub/tool/tree/main", "https://gitlab.com/group/sub/tool"),
        ("https://codeberg.org/Quill/Tool/src/branch/main", "https://codeberg.org/quill/tool"),
        ("https://bitbucket.org/Quill/Tool/src/main/", "https://bitbucket.org/quill/tool"),
        ("https://git.example.edu/Quill/Tool.git", "https://git.example.edu/Quill/Tool"),
        ("https://git.example.edu/Quill/Tool/-/blob/main/a", "https://git.example.edu/Quill/Tool"),
        ("ssh://git@git.example.edu:2222/quill/tool.git", "https://git.example.edu/quill/tool"),
        ("git@git.example.edu:quill/tool", "https://git.example.edu/quill/tool"),
        ("https://git.example.edu:8443/quill/tool", "https://git.example.edu:8443/quill/tool"),
        ("http://127.0.0.1:8080/quill/tool", "http://127.0.0.1:8080/quill/tool"),
        ("https://git.sr.ht/~quill/tool", "https://git.sr.ht/~quill/tool"),
        ("https://github.com/quill", None),
        ("https://github.com/orgs/quill/repositories", None),
        ("https://example.org", None),
        ("https://example.org/", None),
        ("https://github.com/quill/.git", None),
        ("quill/tool", None),
        ("example.org/quill/tool", None),
        ("file:///home/quill/tool", None),
        ("<your repository>", None),
        ("", None),
        ("https://github.com/Kettle/-", None),
        ("https://github.com/orgs/kettle", None),
        ("https://github.com/Kettle/.git", None),
    ],
)
def test_repository_url(text: str, normal: str | None) -> None:
    assert repository_url(text) == normal
    if normal:
        assert repository_url(normal) == normal


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("https://doi.org/10.5555/ABC", "doi", "10.5555/abc"),
        ("10.5555/abc", "doi", "10.5555/abc"),
        (CORE, "swh", CORE),
        (f"https://archive.softwareheritage.org/{CORE}", "swh", CORE),
        ("https://arxiv.org/abs/2109.02846", "arxiv", "2109.02846"),
        ("https://doi.org/10.48550/arXiv.2109.02846", "doi", "10.48550/arxiv.2109.02846"),
        ("ISBN 0-306-40615-2", "isbn", "9780306406157"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/", "pmcid", "PMC1234567"),
        ("https://Example.org/a10.b", "url", "https://example.org/a10.b"),
        ("https://doi.org/", "url", "https://doi.org"),
    ],
)
def test_detect(text: str, kind: str, value: str) -> None:
    found = detect(text)
    assert found is not None
    assert (found.kind, found.value) == (kind, value)


@pytest.mark.parametrize(
    "text", ["hal-03663345", "2017ascl.soft11014D", "urn:issn:2475-9066", "2109.02846", ""]
)
def test_detects_nothing(text: str) -> None:
    assert detect(text) is None


FUNCTIONS = [doi, orcid, arxiv, swhid, isbn, pmcid, url, repository_url]


@given(st.text(alphabet=st.sampled_from("01x9./:-<>()[]{}@%2Fabdgisthoprc \u200b\u2013\x07é")))
def test_normal_forms_are_normal(text: str) -> None:
    for function in FUNCTIONS:
        normal = function(text)
        if normal is not None:
            assert function(normal) == normal, function.__name__
    identifiers.detect(text)
