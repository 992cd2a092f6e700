import pytest
from cffgraph.cff.decode import decode
from cffgraph.cff.sniff import MAX_BYTES, sniff
from hypothesis import given
from hypothesis import strategies as st

CFF = "cff-version: 1.2.0\nmessage: Cite it.\ntitle: Kiln\nauthors:\n  - family-names: Oake\n"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "empty", 1),
        (" \r\n\t\n", "empty", 1),
        ("\ufeff\n", "empty", 1),
        ("<!DOCTYPE html>\n<html>", "html", 1),
        ("\n\n  <HTML lang='en'>", "html", 3),
        ("<!-- saved page -->\n<html>", "html", 1),
        ('<a href="/login">Sign in</a>', "html", 1),
        ("404: Not Found", "html", 1),
        ('{"message": "Not Found", "documentation_url": "https://docs.example/"}', "html", 1),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "lfs-pointer", 1),
        ("/annex/objects/MD5E-s12--0f.cff\n", "lfs-pointer", 1),
        ("../CITATION.cff", "symlink", 1),
        ("docs/CITATION.cff\n", "symlink", 1),
        ("CITATION", "symlink", 1),
        ("../my docs/CITATION.cff", "symlink", 1),
        (
            CFF.replace("title: Kiln", "<<<<<<< HEAD\ntitle: Kiln\n=======\ntitle: Oven\n>>>>>>> dev"),
            "conflict-markers",
            3,
        ),
        (CFF + "=======\nversion: 1\n>>>>>>> dev\n", "conflict-markers", 8),
        (CFF + "<<<<<<< Updated upstream\r\n=======\r\n", "conflict-markers", 6),
        ("@misc{brisk2023,\n  author = {Brisk, Hana}\n}\n", "not-cff", 1),
        ("% a comment\n@Article {x,\n", "not-cff", 1),
        ("If you use it, cite:\n\n@article{x,\n  title = {Y},\n}\n", "not-cff", 3),
        ("\\documentclass{article}\n", "not-cff", 1),
        ('{\n "@context": "https://doi.org/10.5063/schema/codemeta-2.0",\n "name": "x"}', "not-cff", 1),
        ('[{"id": "x", "type": "book", "issued": {"date-parts": [[2020]]}}]', "not-cff", 1),
        ('{"title": "x", "upload_type": "software", "creators": []}', "not-cff", 1),
        ("TY  - COMP\nAU  - Oake, Rhea\nER  -\n", "not-cff", 1),
        ("%0 Generic\n%A Oake, Rhea\n", "not-cff", 1),
        ('<?xml version="1.0"?>\n<resource/>', "not-cff", 1),
        ('citHeader("To cite kiln:")\n', "not-cff", 1),
        ('# R\nbibentry(bibtype = "Manual",\n title = "Kiln")\n', "not-cff", 1),
        ("Oake, R. (2023). Kiln: firing faster. https://kiln.example\n", "not-cff", 1),
        ("# Citation\n\nPlease cite the paper, see README.\n", "not-cff", 3),
        ("services:\n  web:\n    image: kiln\n", "not-cff", 1),
        (CFF.replace("Kiln", "{{ cookiecutter.project_name }}"), "template", 3),
        (CFF.replace("Oake", "{{cookiecutter.family}}"), "template", 5),
        ("{% if cookiecutter.citable %}\n" + CFF, "template", 1),
        (CFF + "{# later #}\n", "template", 6),
        (CFF + "version: @PROJECT_VERSION@\n", "template", 6),
        (CFF + "version: %VERSION%\r\n", "template", 6),
    ],
)
def test_what_is_plainly_not_cff(text, code, line):
    problem = sniff(text, len(text))
    assert problem is not None
    assert (problem.code, problem.severity, problem.line) == (code, "error", line)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF file"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "a compressed file"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "a compressed file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "an image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "an image"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0", "a program"),
    ],
)
def test_binary_files(data, words):
    problem = sniff(decode(data).text, len(data))
    assert problem is not None
    assert problem.code == "not-cff"
    assert words in problem.message


@pytest.mark.parametrize(
    "text",
    [
        CFF,
        "# made by hand\n---\n" + CFF,
        CFF.replace("\n", "\r\n"),
        "title: no version\n",
        "# comments alone\n# are left to the reader\n",
        '{"cff-version": "1.2.0", "title": "@context", "authors": []}',
        "{cff-version: 1.2.0, title: x}",
        '"cff-version": 1.2.0\n',
        "familynames: x\ntitel: y\nauthor: z\n",
        # braces that YAML reads as they stand
        CFF.replace("Kiln", '"{{ kiln }}"'),
        CFF.replace("Kiln", "Kiln {{ now }}"),
        CFF + "# {{ not read }}\n",
        CFF + "abstract: |\n  {{ kiln }} is\n  {% raw %}\n\n  {{ more }}\nversion: 1\n",
        CFF + "abstract: |\n  Kiln\n  =======\n",
        CFF + "abstract: mail kiln@kiln.example, 100 %\n",
        CFF + "abstract: >-\n  see\n  <<<<<<< here\n",
    ],
)
def test_what_may_be_cff(text):
    assert sniff(text, len(text)) is None


def test_a_file_too_large_is_not_read():
    problem = sniff(CFF, MAX_BYTES + 1)
    assert problem is not None
    assert problem.code == "too-complex"


@given(st.text(st.sampled_from("@{}[]<>%#:-=\"'\\ \n\r\tcffTYtile."), max_size=120))
def test_any_text(text):
    problem = sniff(text, len(text))
    assert problem is None or problem.line <= text.count("\n") + text.count("\r") + 1
