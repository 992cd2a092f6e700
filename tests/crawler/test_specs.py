from __future__ import annotations

import os
from pathlib import Path

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.crawler.hosts import Hosts
from cffgraph.crawler.source import shown
from cffgraph.crawler.sources.git import GitSource
from cffgraph.crawler.sources.local import LocalSource
from cffgraph.crawler.specs import listed, understand


def test_what_exists_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a@b:c").mkdir()
    (tmp_path / "-odd").mkdir()
    (tmp_path / "link").symlink_to("a@b:c")
    (tmp_path / "x.cff").touch()
    (tmp_path / "y.cff").symlink_to("x.cff")
    root = tmp_path.resolve()
    for word, path in (
        ("a@b:c", "a@b:c"),
        ("-odd", "-odd"),
        ("link", "a@b:c"),
        ("y.cff", "y.cff"),
        (".", "."),
        ("./a@b:c/", "a@b:c"),
        (f"file://{tmp_path}/link", "a@b:c"),
        (f"file://localhost{tmp_path}/x%2Ecff", "x.cff"),
        ("./none", "none"),
    ):
        source = understand(word, Hosts())
        assert isinstance(source, LocalSource)
        assert source.spec == str((root / path) if path != "." else root)
        assert understand(source.spec, Hosts()) == source


@pytest.mark.parametrize(
    "word", ["https://git.example/r", "git@git.example:o/r.git", "ssh://git@git.example/r"]
)
def test_git_urls(word: str) -> None:
    source = understand(word, Hosts())
    assert source == GitSource(word)
    assert understand(source.spec, Hosts()) == source


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("", "an empty source"),
        ("nowhere", "there is no such file or folder, and it is no URL"),
        ("a/b/c", "there is no such file or folder, and it is no URL"),
        ("ext::sh -c 'touch x'", "not understood"),
        ("fd::17/x", "not understood"),
        ("-oProxyCommand=x", "does not begin with -"),
        ("--upload-pack=x", "does not begin with -"),
        ("http://git.example/r", "use https://"),
        ("file://elsewhere/x", "names no path of this machine"),
    ],
)
def test_what_is_not_understood(word: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        understand(word, Hosts())


def test_a_list() -> None:
    lines = ["# all of ours", "", "  ./tools  ", "\thttps://git.example/r#main", "#https://git.example/s"]
    assert list(listed(lines)) == ["./tools", "https://git.example/r#main"]


def test_names_are_shown_whole_or_escaped() -> None:
    assert shown("Größe/日本 ok") == "Größe/日本 ok"
    assert shown(os.fsdecode(b"caf\xe9\n\x1b[31m")) == "caf\\xe9\\x0a\\x1b[31m"
