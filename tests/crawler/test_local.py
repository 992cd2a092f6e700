from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cff.read import blob_id
from cffgraph.crawler.git import Git
from cffgraph.crawler.source import Options, Trouble
from cffgraph.crawler.sources.local import LocalSource
from cffgraph.db.found import Found, Known

Make = Callable[..., Any]


def cff(title: str) -> str:
    return f"cff-version: 1.2.0\nmessage: Cite it.\ntitle: {title}\nauthors:\n- family-names: Probe\n"


def crawl(path: Path, known: dict[str, Known] | None = None, **options: Any) -> list[Found | Trouble]:
    """All that a source at a path yields, in order of place."""
    chosen = Options(Git(), **options)
    found: list[Found | Trouble] = []
    for unit in LocalSource(path).units(chosen):
        found += [unit] if isinstance(unit, Trouble) else unit.fetch(known or {}, chosen)
    return sorted(found, key=lambda f: f.url if isinstance(f, Found) else f.place)


def one(path: Path, known: dict[str, Known] | None = None, **options: Any) -> Found:
    (found,) = crawl(path, known, **options)
    assert isinstance(found, Found)
    return found


def paths(found: Found) -> list[str]:
    return [f.path for f in found.files or ()]


def known_after(found: Found) -> dict[str, Known]:
    return {found.url: Known(found.head, "ok", frozenset(f.sha for f in found.files or ()))}


# --- Git repositories -----------------------------------------------------------------------------


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_repository_at_head(make_repository: Make, object_format: str) -> None:
    repository = make_repository(
        "tool",
        {
            "CITATION.cff": cff("Root"),
            "docs/citation.CFF": cff("Docs"),
            ".github/CITATION.cff": cff("Github"),
            "inst/CITATION.cff": cff("Inst"),
            "src/CITATION.cff": cff("Below"),
            "docs/deep/CITATION.cff": cff("Deep"),
            "CITATION.cff.bak": "x",
        },
        object_format=object_format,
    )
    (repository.path / "CITATION.cff").write_text("not committed")
    found = one(repository.path)
    assert (found.url, found.name, found.host) == (f"file://{repository.path}", "tool", "")
    assert (found.head, found.default_branch) == (repository.git("rev-parse", "HEAD"), "main")
    assert paths(found) == ["CITATION.cff", ".github/CITATION.cff", "docs/citation.CFF", "inst/CITATION.cff"]
    assert found.files is not None
    assert found.files[0].content == cff("Root").encode()
    assert found.files[0].sha == blob_id(cff("Root").encode())
    assert len(paths(one(repository.path, nested=True))) == 6


def test_bare_and_linked_work_trees(make_repository: Make, tmp_path: Path) -> None:
    repository = make_repository("a/tool", {"CITATION.cff": cff("Tool")})
    subprocess.run(["git", "clone", "-q", "--bare", repository.path, tmp_path / "b" / "copy.git"], check=True)
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "c" / "linked"))
    head = repository.git("rev-parse", "HEAD")
    found = [f for f in crawl(tmp_path) if isinstance(f, Found)]
    assert [f.url.removeprefix(f"file://{tmp_path}") for f in found] == [
        "/a/tool",
        "/b/copy.git",
        "/c/linked",
    ]
    assert {f.head for f in found} == {head}


def test_what_has_not_changed_is_not_read(make_repository: Make) -> None:
    repository = make_repository("tool", {"CITATION.cff": cff("Tool")})
    known = known_after(one(repository.path))
    assert one(repository.path, known).unchanged
    fresh = one(repository.path, known, refresh=True)
    assert fresh.files is not None
    assert fresh.files[0].content is not None
    repository.commit({"other.txt": "x"})
    later = one(repository.path, known)
    assert (later.unchanged, later.head) == (False, repository.git("rev-parse", "HEAD"))
    assert later.files is not None
    assert (later.files[0].content, later.files[0].sha) == (None, blob_id(cff("Tool").encode()))


@pytest.mark.parametrize(
    ("origin", "remote", "name"),
    [
        ("https://me:secret@git.example/Group/Tool.git", "https://git.example/Group/Tool", "Tool"),
        ("git@github.com:Owner/Tool.git", "https://github.com/owner/tool", "tool"),
        ("../elsewhere", None, "here"),
    ],
)
def test_where_a_clone_comes_from(make_repository: Make, origin: str, remote: str | None, name: str) -> None:
    repository = make_repository("here", {"CITATION.cff": cff("Tool")})
    repository.git("remote", "add", "upstream", "https://git.example/other")
    repository.git("remote", "add", "origin", origin)
    found = one(repository.path)
    assert (found.remote, found.name) == (remote, name)


def test_no_commit_yet(make_repository: Make) -> None:
    repository = make_repository("tool")
    (repository.path / "CITATION.cff").write_text(cff("Not committed"))
    found = one(repository.path)
    assert (found.state, found.files) == ("empty", ())
    assert found.reason.startswith("refs/heads/main has no commit, its CITATION.cff is not committed")


def test_a_broken_repository_is_a_failure_and_no_more(make_repository: Make, tmp_path: Path) -> None:
    good = make_repository("a", {"CITATION.cff": cff("Tool")})
    lost = make_repository("b", {"CITATION.cff": cff("Tool")})
    for kept in (lost.path / ".git/objects").rglob("*"):
        if kept.is_file():
            kept.unlink()
    no_blob = make_repository("c", {"CITATION.cff": cff("Tool")})
    blob = no_blob.git("rev-parse", "HEAD:CITATION.cff")
    (no_blob.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (tmp_path / "d" / ".git").mkdir(parents=True)
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / ".git").write_text("gitdir: /nowhere/at/all\n")
    states = {f.url[-1]: (f.state, f.reason) for f in crawl(tmp_path) if isinstance(f, Found)}
    assert states["a"] == ("ok", "")
    assert states["b"] == ("failed", "the commit that HEAD names is not there: try `git fsck`")
    assert states["c"] == ("failed", f"object {blob} is missing or damaged: try `git fsck`")
    assert states["d"][0] == "failed"
    assert "not a git repository" in states["d"][1]
    assert states["e"][0] == "failed"
    assert one(good.path).state == "ok"


def test_a_git_repository_around_the_folder_does_not_count(make_repository: Make) -> None:
    repository = make_repository("around", {"inner/CITATION.cff": cff("Inner"), "x": "y"})
    found = one(repository.path / "inner")
    assert (found.url, found.head) != (f"file://{repository.path}", repository.git("rev-parse", "HEAD"))
    assert found.url == f"file://{repository.path}/inner"


def test_links_in_git_are_followed_inside_the_repository(make_repository: Make) -> None:
    repository = make_repository("tool", {"docs/CITATION.cff": cff("Docs")})
    (repository.path / "CITATION.cff").symlink_to("docs/CITATION.cff")
    repository.commit({})
    found = one(repository.path)
    assert [(f.path, f.content) for f in found.files or ()] == [
        ("CITATION.cff", cff("Docs").encode()),
        ("docs/CITATION.cff", cff("Docs").encode()),
    ]


def test_two_spellings_in_one_folder(make_repository: Make, tmp_path: Path) -> None:
    files = {"CITATION.cff": cff("Right"), "citation.cff": cff("Wrong"), "Citation.cff": cff("Wrong too")}
    repository = make_repository("git", files)
    plain = tmp_path / "plain"
    plain.mkdir()
    for name, text in files.items():
        (plain / name).write_text(text)
    for path in (repository.path, plain):
        found = one(path)
        assert paths(found) == ["CITATION.cff"]
        assert [note.count("left out") for note in found.notes] == [1, 1]


def test_a_file_that_is_too_large_is_refused(make_repository: Make, tmp_path: Path) -> None:
    large = cff("Large") + "# " + "x" * 5000 + "\n"
    repository = make_repository("git", {"CITATION.cff": large, "docs/CITATION.cff": cff("Docs")})
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "CITATION.cff").write_text(large)
    for path in (repository.path, tmp_path / "plain"):
        found = one(path, max_size_bytes=4000)
        assert found.files is not None
        assert found.files[0].refused == f"has {len(large):,} bytes, more than the 4,000 of --max-size"
        assert all(f.content for f in found.files[1:])
        # Another limit must not find it unchanged.
        again = one(path, known_after(found))
        assert [f.refused for f in again.files or ()] == [""] * len(found.files)


# --- Folders and files ----------------------------------------------------------------------------


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(cff(name))


def test_folders_that_hold_a_citation_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a/CITATION.cff",
        "a/docs/citation.cff",
        "a/docs/deeper/CITATION.cff",
        "b/.github/CITATION.cff",
        "c/d/e/CITATION.cff",
        "c/inst/CITATION.cff",
        "a/node_modules/x/CITATION.cff",
        "a/.hidden/CITATION.cff",
        "a/env/pyvenv.cfg",
        "a/env/lib/CITATION.cff",
        "f/CITATION.txt",
    )
    found = [f for f in crawl(tmp_path) if isinstance(f, Found)]
    assert [(f.url.removeprefix(f"file://{tmp_path}/"), paths(f)) for f in found] == [
        ("a", ["CITATION.cff", "docs/citation.cff"]),
        ("a/docs/deeper", ["CITATION.cff"]),
        ("b", [".github/CITATION.cff"]),
        ("c", ["inst/CITATION.cff"]),
        ("c/d/e", ["CITATION.cff"]),
    ]
    # The named folder has nothing above it.
    assert paths(one(tmp_path / "a" / "docs" / "deeper")) == ["CITATION.cff"]
    assert [f.url for f in crawl(tmp_path / "c" / "inst") if isinstance(f, Found)] == [
        f"file://{tmp_path}/c/inst"
    ]


def test_links_of_folders_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "a/CITATION.cff", "outside/CITATION.cff")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "docs").symlink_to(tmp_path / "outside")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "CITATION.cff").symlink_to("../outside/CITATION.cff")
    assert [f.url for f in crawl(tmp_path / "a") if isinstance(f, Found)] == [f"file://{tmp_path}/a"]
    found = one(tmp_path / "b")
    assert found.files is not None
    assert found.files[0].content == b"../outside/CITATION.cff"


def test_a_folder_is_unchanged_by_what_its_files_say(tmp_path: Path) -> None:
    write(tmp_path, "CITATION.cff")
    known = known_after(one(tmp_path))
    os.utime(tmp_path / "CITATION.cff", (1, 1))
    assert one(tmp_path, known).unchanged
    (tmp_path / "CITATION.cff").write_text(cff("CITATION.cfg"))  # as long as before
    os.utime(tmp_path / "CITATION.cff", (1, 1))
    changed = one(tmp_path, known)
    assert not changed.unchanged
    assert changed.files is not None
    assert changed.files[0].content is not None


@pytest.mark.parametrize(("name", "title"), [("CITATION.cff", "folder"), ("annotate.txt", "annotate.txt")])
def test_a_named_file_is_a_repository_of_its_own(tmp_path: Path, name: str, title: str) -> None:
    write(tmp_path / "folder", name)
    found = one(tmp_path / "folder" / name)
    assert (found.url, found.name) == (f"file://{tmp_path}/folder/{name}", title)
    assert paths(found) == [name]


def test_a_pipe_by_that_name_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "CITATION.cff")
    found = one(tmp_path)
    assert [f.refused for f in found.files or ()] == ["is not a file"]
    assert crawl(tmp_path / "CITATION.cff") == [
        Trouble(f"{tmp_path}/CITATION.cff", "is neither a file nor a folder")
    ]


def test_what_is_not_there(tmp_path: Path) -> None:
    assert crawl(tmp_path / "none") == [
        Trouble(f"{tmp_path}/none", "cannot be read: No such file or directory")
    ]
    assert crawl(tmp_path) == []


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9 \x1b[31m/docs"
    os.makedirs(folder)
    with open(folder + b"/CITATION.cff", "wb") as file:
        file.write(cff("Odd").encode())
    found = one(tmp_path)
    assert found.url == f"file://{tmp_path}/caf\\xe9 \\x1b[31m"
    assert paths(found) == ["docs/CITATION.cff"]
    assert found.files is not None
    assert found.files[0].content == cff("Odd").encode()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_what_may_not_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are for one user alone
        root = Path(folder)
        write(root, "a/CITATION.cff", "b/CITATION.cff", "c/CITATION.cff")
        root.chmod(0o755)
        (root / "b").chmod(0)
        (root / "c/CITATION.cff").chmod(0)
        os.seteuid(65534)
        try:
            found = crawl(root)
        finally:
            os.seteuid(0)
    told = [f.reason if isinstance(f, Trouble) else [g.refused for g in f.files or ()] for f in found]
    reason = "cannot be read: Permission denied"
    assert (reason in told, [""] in told, [reason] in told, len(told)) == (True, True, True, 3)
