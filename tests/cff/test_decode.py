import codecs
import re

import pytest
from cffgraph.cff.decode import MAX_CHARACTER_PROBLEMS, decode
from hypothesis import given
from hypothesis import strategies as st

TEXT = "title: Größe\nname: Žofia Ōe 李\n"


@pytest.mark.parametrize(
    ("data", "text", "problems"),
    [
        (b"", "", []),
        (b"title: a\r\nmessage: b\r", "title: a\r\nmessage: b\r", []),
        (TEXT.encode(), TEXT, []),
        (codecs.BOM_UTF8 + TEXT.encode(), TEXT, []),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), TEXT, [("encoding", 1, 1)]),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), TEXT, [("encoding", 1, 1)]),
        (codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"), TEXT, [("encoding", 1, 1)]),
        (codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"), TEXT, [("encoding", 1, 1)]),
        (TEXT.encode("utf-16-le"), TEXT, [("encoding", 1, 1)]),
        (TEXT.encode("utf-16-be"), TEXT, [("encoding", 1, 1)]),
        (TEXT.encode("utf-32-be"), TEXT, [("encoding", 1, 1)]),
        # a truncated last character
        (codecs.BOM_UTF16_LE + "title: a".encode("utf-16-le") + b"\x41", "title: a ", [("encoding", 1, 1)]),
        # Latin-1, and what Windows-1252 adds
        ("a: b\nname: Jörg".encode("latin-1"), "a: b\nname: Jörg", [("encoding", 2, 8)]),
        (b"title: \x93x\x94 \x96 \x80", "title: “x” – €", [("encoding", 1, 8)]),
        # mostly UTF-8, one line pasted from elsewhere; both in one line
        ("a: Zoë\n".encode() + b"b: Jos\xe9\n", "a: Zoë\nb: José\n", [("encoding", 2, 7)]),
        ("a: Zoë Jos".encode() + b"\xe9", "a: Zoë José", [("encoding", 1, 11)]),
        (codecs.BOM_UTF8 + b"a: \xe9", "a: é", [("encoding", 1, 4)]),
        (b"a: b\r\nc: \xe9", "a: b\r\nc: é", [("encoding", 2, 4)]),
        # a byte that Windows-1252 does not define is a control character in Latin-1
        (b"a: \x81b", "a:  b", [("bad-character", 1, 4), ("encoding", 1, 4)]),
        (b"a: \x07b\x07\n\x1bc: d\n", "a:  b \n c: d\n", [("bad-character", 1, 4), ("bad-character", 2, 1)]),
        (b"a: b\0c", "a: b c", [("bad-character", 1, 5)]),
        (b"a: \x7f", "a:  ", [("bad-character", 1, 4)]),
        (
            "a: b\u2028c: d\n\x85e".encode(),
            "a: b c: d\n e",
            [("bad-character", 1, 5), ("bad-character", 2, 1)],
        ),
        ("a: \uffffb".encode(), "a:  b", [("bad-character", 1, 4)]),
        ("a: b\ufeffc".encode(), "a: b\ufeffc", [("bad-character", 1, 5)]),
        ("a: M\ufffdller".encode(), "a: M\ufffdller", [("bad-character", 1, 5)]),
        (b"a: \xed\xa0\x80", "a: í\xa0€", [("encoding", 1, 4)]),
    ],
)
def test_decode(data, text, problems):
    got = decode(data)
    assert got.text == text
    assert sorted((p.code, p.line, p.column) for p in got.problems) == sorted(problems)


@pytest.mark.parametrize(
    ("data", "severity", "words"),
    [
        (b"a: \xe9", "warning", "byte 0xE9 is not UTF-8, read as `é` (Windows-1252)"),
        (b"a: \x0c", "warning", "U+000C is not allowed in YAML"),
        ("a: \u2029".encode(), "note", "U+2029 (a line break to YAML alone)"),
        ("a: \ufeff".encode(), "note", "U+FEFF (byte order mark)"),
        (codecs.BOM_UTF16_LE, "warning", "the file is in UTF-16, CFF is UTF-8"),
    ],
)
def test_what_a_problem_says(data, severity, words):
    (problem,) = decode(data).problems
    assert problem.severity == severity
    assert words in problem.message


def test_bad_characters_are_named_line_by_line_up_to_a_limit():
    problems = decode(b"a: \x01\x02\n" * 50).problems
    assert [p.line for p in problems[:-1]] == list(range(1, MAX_CHARACTER_PROBLEMS + 1))
    assert (len(problems), problems[-1].line) == (MAX_CHARACTER_PROBLEMS + 1, MAX_CHARACTER_PROBLEMS + 1)


@given(
    st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Cn", "Zl", "Zp"], exclude_characters="\ufeff\ufffd")
    )
)
def test_clean_utf8_comes_back_untouched(text):
    got = decode(text.encode())
    assert (got.text, got.problems) == (text, ())


@given(st.binary(max_size=200))
def test_any_bytes_give_text_that_yaml_takes(data):
    text = decode(data).text
    assert not re.search("[^\t\n\r -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if b"\xef\xbf\xbd" not in data and b"\xfd\xff" not in data and b"\xff\xfd" not in data:
        assert "\ufffd" not in text


@given(st.lists(st.sampled_from(["a", "é", "\xff", "\n", "李"]), max_size=60))
def test_a_file_of_mixed_encodings_keeps_its_lines(parts):
    data = b"".join(p.encode("latin-1" if p == "\xff" else "utf-8") for p in parts)
    got = decode(data)
    assert got.text.count("\n") == parts.count("\n")
    assert got.text == "".join(parts)
