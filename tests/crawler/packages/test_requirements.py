"""requirements.txt in the spellings that people, pip, pip-tools and conda leave behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cffgraph.crawler.packages.files import merged, read_list
from cffgraph.crawler.packages.package import Fault, Package

Read = Callable[..., list[Package | Fault]]

# line -> (kind/name, version, address, whether it is known to lead nowhere)
ODD: list[tuple[str, tuple[str, str, str, bool]]] = [
    ("Foo_Bar.baz", ("pypi/foo-bar-baz", "", "", False)),
    ("foo[a, b]==1.0", ("pypi/foo", "1.0", "", False)),
    ("foo == 1.0 ; python_version < '3' and sys_platform == \"win32\"", ("pypi/foo", "1.0", "", False)),
    ("foo>=1,<2,!=1.5", ("pypi/foo", "", "", False)),
    ("foo==1.*", ("pypi/foo", "", "", False)),
    ("foo===1.0-local", ("pypi/foo", "1.0-local", "", False)),
    ("foo==1.0  # said someone", ("pypi/foo", "1.0", "", False)),
    ("foo==1.0 --hash=sha256:00 --hash=sha256:11", ("pypi/foo", "1.0", "", False)),
    ("foo==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11", ("pypi/foo", "1.0", "", False)),
    ("foo (>=1.0)", ("pypi/foo", "", "", False)),
    ("foo>dev", ("pypi/foo", "", "", False)),  # was legal once
    ("foo>=1.0,", ("pypi/foo", "", "", False)),
    ("foo; " + "(" * 3000, ("pypi/foo", "", "", False)),
    ("torch==1.10.0+cu113", ("pypi/torch", "1.10.0+cu113", "", False)),
    ("foo @ git+https://github.com/O/R.git@v1.0", ("pypi/foo", "", "https://github.com/o/r", False)),
    ("foo@git+https://github.com/o/r@feature/x", ("pypi/foo", "", "https://github.com/o/r", False)),
    ("foo @ git+ssh://git@gitlab.com/g/s/t.git ; extra == 'x'",
     ("pypi/foo", "", "https://gitlab.com/g/s/t", False)),
    ("-e git+https://github.com/o/r.git@0a1b#egg=Foo&subdirectory=py",
     ("pypi/foo", "", "https://github.com/o/r", False)),
    ("--editable=git+ssh://git@git.tools.example:2222/o/r.git#egg=foo",
     ("pypi/foo", "", "https://git.tools.example/o/r.git", False)),
    ("git+https://github.com/o/some-tool.git",
     ("pypi/some-tool", "", "https://github.com/o/some-tool", False)),
    ("git+https://me:secret@git.tools.example/o/r@main#egg=foo[x]",
     ("pypi/foo", "", "https://git.tools.example/o/r", False)),
    ("git+https://${TOKEN}@github.com/o/r.git#egg=foo", ("pypi/foo", "", "https://github.com/o/r", False)),
    ("hg+https://hg.tools.example/r#egg=foo", ("pypi/foo", "", "", True)),
    ("git+file:///home/ada/r#egg=foo", ("pypi/foo", "", "", True)),
    ("https://github.com/o/r/archive/refs/heads/main.zip", ("pypi/r", "", "https://github.com/o/r", False)),
    ("https://github.com/o/r/releases/download/v1/foo-1.2-py3-none-any.whl",
     ("pypi/foo", "1.2", "https://github.com/o/r", False)),
    ("https://files.tools.example/foo-1.2.tar.gz", ("pypi/foo", "1.2", "", False)),
    ("https://files.tools.example/latest", ("pypi/latest", "", "", True)),
    ("foo @ file:///home/ada/foo", ("pypi/foo", "", "", True)),
    # What `pip freeze` writes in an environment of conda: the package is a published one.
    ("foo @ file:///croot/foo_1669828391/work", ("pypi/foo", "", "", False)),
    ("foo @ file:///home/conda/feedstock_root/build_artifacts/foo_1/work", ("pypi/foo", "", "", False)),
    ("./libs/foo", ("generic/foo", "", "", True)),
    ("-e ../Foo[extra]", ("generic/foo", "", "", True)),
    (r"C:\wheels\foo-1.0-py3-none-any.whl", ("pypi/foo", "1.0", "", True)),
    ("wheels/foo-1.0-cp311-cp311-linux_x86_64.whl", ("pypi/foo", "1.0", "", True)),
    # `conda list --export > requirements.txt`
    ("numeric=1.21.5=py39h7a5d4dd_2", ("conda/numeric", "1.21.5", "", False)),
    ("foo=1.0=pypi_0", ("pypi/foo", "1.0", "", False)),
    ("https://conda.anaconda.org/conda-forge/linux-64/foo-bar-1.2-h1_0.tar.bz2#0f",
     ("conda/foo-bar", "1.2", "", False)),
]  # fmt: skip

SILENT = [
    "", "   ", "# foo==1.0", "-i https://index.example/simple", "--extra-index-url https://u:p@index.example",
    "--no-binary :all:", "-c constraints.txt", "-e .", "-e .[dev]", ".", "./", "@EXPLICIT",
    "--hash=sha256:00",
    "-f ./wheels", "--pre",
]  # fmt: skip

NOT_UNDERSTOOD = ["<<<<<<< HEAD", "foo bar baz", "{{ name }}", "=1.0", "x" * 5000]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(content: str | bytes, name: str = "requirements.txt") -> list[Package | Fault]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(read_list(path))

    return read


@pytest.mark.parametrize(("line", "expected"), ODD, ids=[line[:50] for line, _ in ODD])
def test_odd_lines(read: Read, line: str, expected: tuple[str, str, str, bool]) -> None:
    [package] = read(f"{line}\n")
    assert isinstance(package, Package)
    assert (
        f"{package.kind}/{package.name}",
        package.version,
        package.address,
        bool(package.nowhere),
    ) == expected


@pytest.mark.parametrize("line", SILENT)
def test_lines_that_name_no_package(read: Read, line: str) -> None:
    assert read(f"{line}\n") == []


@pytest.mark.parametrize("line", NOT_UNDERSTOOD, ids=range(len(NOT_UNDERSTOOD)))
def test_what_is_not_understood_is_told_with_its_line_and_the_rest_is_read(
    read: Read, tmp_path: Path, line: str
) -> None:
    entries = read(f"# one\nfoo\n{line}\nbar\n")
    assert [e.name for e in entries if isinstance(e, Package)] == ["foo", "bar"]
    [fault] = [e for e in entries if isinstance(e, Fault)]
    assert fault.place == f"{tmp_path / 'requirements.txt'}:3"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_encodings(read: Read, encoding: str) -> None:
    """PowerShell's `pip freeze > requirements.txt` is UTF-16."""
    entries = read("foo==1.0\r\n# für später\r\nbar==2.0\r\n".encode(encoding))
    assert [e.name for e in entries if isinstance(e, Package)] == ["foo", "bar"]
    assert len(entries) == 2


def test_a_comment_ends_what_a_backslash_continues(read: Read) -> None:
    entries = read("foo==1.0 \\\n# why\nbar\n")
    assert [(e.name, e.version) for e in entries if isinstance(e, Package)] == [("foo", "1.0"), ("bar", "")]


def test_includes_within_the_folder(read: Read, tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "base.txt").write_text("base\n-r more.in\n-r ../requirements.txt\n")
    (tmp_path / "requirements" / "more.in").write_text("more\n")
    entries = read(
        'top\n-r requirements/base.txt\n--requirement=requirements/more.in\n-r"requirements/base.txt"\n'
    )
    assert [e.name if isinstance(e, Package) else e for e in entries] == ["top", "base", "more"]


def test_includes_that_are_not_followed(read: Read, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret-tool\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.txt").symlink_to(outside)
    (tmp_path / "in" / "loop.txt").symlink_to("loop.txt")
    lines = ["-r ../outside.txt", f"-r {outside}", "-r link.txt", "-r loop.txt", "-r https://h.example/r.txt",
             "-r missing.txt", "-r ."]  # fmt: skip
    entries = read("\n".join([*lines, "foo"]), "in/requirements.txt")
    assert [e.name for e in entries if isinstance(e, Package)] == ["foo"]
    faults = [e for e in entries if isinstance(e, Fault)]
    assert [fault.place.rpartition(":")[2] for fault in faults] == ["1", "2", "3", "4", "5", "6", "7"]
    assert "lies outside of the folder" in faults[0].reason
    assert "lies outside of the folder" in faults[2].reason


def test_a_list_that_includes_without_end(read: Read, tmp_path: Path) -> None:
    for n in range(150):
        (tmp_path / f"r{n}.txt").write_text(f"tool{n}\n-r r{n + 1}.txt\n")
    entries = read("-r r0.txt\n")
    packages = [e for e in entries if isinstance(e, Package)]
    assert len(packages) == 99
    assert "more than the 100 files" in str([e for e in entries if isinstance(e, Fault)])


def test_packages_of_all_lines_are_merged_by_purl(read: Read) -> None:
    packages, faults = merged(
        iter(
            read("foo==1.0; python_version<'3'\nFoo==2.0\nbar\nbar @ git+https://github.com/o/bar\nbaz==1\n")
        )
    )
    assert faults == []
    assert [(p.purl, p.version, p.address) for p in packages] == [
        ("pkg:pypi/bar", "", "https://github.com/o/bar"),
        ("pkg:pypi/baz", "1", ""),
        ("pkg:pypi/foo", "", ""),
    ]
