from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cffgraph.cff.errors import ExportError
from cffgraph.graph.export.graphml import graphml
from cffgraph.graph.export.target import write_file, writer_for


@pytest.mark.parametrize(
    ("name", "format_"), [("g.graphml", ""), ("a.b/G.GraphML", ""), ("-", ""), ("g.txt", "graphml")]
)
def test_the_format_is_known(name: str, format_: str) -> None:
    assert writer_for(name, format_) is graphml


@pytest.mark.parametrize(
    ("name", "format_", "message"),
    [
        ("g.dot", "", "g.dot: no format ends in .dot: there is .graphml"),
        ("graphml", "", "graphml: no ending that names a format"),
        ("g.graphml", "jpeg", "no format 'jpeg': there is graphml"),
    ],
)
def test_the_format_is_not_known(name: str, format_: str, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        writer_for(name, format_)


def broken() -> Iterator[str]:
    yield "half"
    raise KeyboardInterrupt


def test_a_failed_export_leaves_no_file_and_no_old_one_harmed(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    with pytest.raises(KeyboardInterrupt):
        write_file(path, broken())
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_file(path, broken())
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("g.graphml", "old")]


def test_the_file_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    old = os.umask(0o022)
    try:
        write_file(path, ["Åsa\n"])
    finally:
        os.umask(old)
    assert path.read_bytes() == "Åsa\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o640)
    link = tmp_path / "link.graphml"
    link.symlink_to(path)
    write_file(link, ["new"])
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_named_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_file(pipe, ["a", "b"])
    reader.join()
    assert read == ["ab"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", [".", "missing/g.graphml", "file/g.graphml", "x" * 300])
def test_what_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match="cannot write"):
        write_file(tmp_path / name, ["text"])
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ExportError, match="Permission denied"):
            write_file(tmp_path / "g.graphml", ["text"])
    finally:
        tmp_path.chmod(0o700)
