"""Against a data set made here, with the files and columns that its README describes."""

from __future__ import annotations

import csv
import hashlib
import importlib
import io
import random
import tarfile
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.cff.read import blob_id
from cffgraph.crawler import citation_blobs
from cffgraph.crawler.git import Git, Stopped
from cffgraph.crawler.hosts import Hosts
from cffgraph.crawler.source import Options, Trouble
from cffgraph.crawler.sources import swh
from cffgraph.crawler.sources.swh_blobs import BlobsSource, understand
from cffgraph.db.found import Found, Known

zstd: Any = None
for _name in ("compression.zstd", "backports.zstd"):
    try:
        zstd = importlib.import_module(_name)
        break
    except ImportError:
        continue
needs_zstd = pytest.mark.skipif(zstd is None, reason="zstd is not installed: pip install 'backports.zstd'")

ARCHIVE = "https://archive.softwareheritage.org"


def cff(title: str) -> bytes:
    return (
        f"cff-version: 1.2.0\nmessage: Cite it.\ntitle: {title}\nauthors:\n- family-names: Probe\n".encode()
    )


def sha1(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def swhid(content: bytes) -> str:
    return f"swh:1:cnt:{blob_id(content)}"


KILN, KILN_OLD, GLAZE, ALONE = cff("Kiln"), cff("Kiln of old"), cff("Gläze"), cff("Alone")
CODEMETA = b'{"@type": "SoftwareSourceCode"}'
ORIGINS = [
    (KILN, "https://forge.example/o/Kiln"),
    (KILN_OLD, "https://forge.example/o/Kiln"),
    (GLAZE, "https://forge.example/o/glaze.git"),
    (CODEMETA, "https://forge.example/o/Kiln"),
]
CONTENTS = (KILN, KILN_OLD, GLAZE, ALONE, CODEMETA)


def table(rows: Iterable[Iterable[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "surrogateescape")


def tarball(contents: Iterable[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        folder = tarfile.TarInfo("blobs/")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for name, content in contents:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


def place(content: bytes) -> str:
    name = sha1(content)
    return f"blobs/{name[:2]}/{name[2:4]}/{name}"


def make(
    folder: Path, contents: Iterable[bytes] = CONTENTS, *, packed: bool = True, tables: bool = True
) -> Path:
    """A data set, as downloaded or unpacked."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = sorted(contents, key=sha1)
    rows = [("swhid", "sha1", "name")]
    rows += [(swhid(c), sha1(c), "codemeta.json" if c == CODEMETA else "citation.cff") for c in contents]
    # A content may bear both names, and the archive may not know its SHA-1.
    rows += [(swhid(GLAZE), sha1(GLAZE), "codemeta.json"), (swhid(b"x"), "", "citation.cff")]
    origins = [("swhid", "origin_url"), *((swhid(c), o) for c, o in ORIGINS), (swhid(ALONE), "")]
    files = {"blobs.csv": table(rows), "blobs-origins.csv": table(origins)} if tables else {}
    if packed:
        files["blobs.tar"] = tarball((place(c), c) for c in contents)
    else:
        for content in contents:
            path = folder / place(content)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for name, data in files.items():
        (folder / (f"{name}.zst" if packed else name)).write_bytes(zstd.compress(data) if packed else data)
    return folder


def options(**changes: Any) -> Options:
    return Options(Git(), **changes)


def crawl(
    source: BlobsSource | Path, known: dict[str, Known] | None = None, chosen: Options | None = None
) -> tuple[dict[str, Found], list[Trouble]]:
    chosen = chosen or options()
    if isinstance(source, Path):
        understood = understand(f"swh-blobs:{source}", Hosts())
        assert understood is not None
        source = understood
    found, troubles = {}, []
    for step in source.units(chosen):
        if isinstance(step, Trouble):
            troubles.append(step)
            continue
        here = list(step.fetch(known or {}, chosen))  # type: ignore[union-attr]
        assert [each.url for each in here] == list(step.urls)  # type: ignore[union-attr]
        assert not found.keys() & {each.url for each in here}
        found |= {each.url: each for each in here}
    return found, troubles


KILN_PLACE = f"{ARCHIVE}/browse/origin/?origin_url=https://forge.example/o/Kiln"
GLAZE_PLACE = f"{ARCHIVE}/browse/origin/?origin_url=https://forge.example/o/glaze.git"
ALONE_PLACE = f"{ARCHIVE}/{swhid(ALONE)}"


@needs_zstd
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("portion", [1, 1 << 20])
def test_places(tmp_path: Path, packed: bool, portion: int) -> None:
    source = understand(f"swh-blobs:{make(tmp_path / 'set', packed=packed)}", Hosts())
    assert source is not None
    found, troubles = crawl(BlobsSource(source.folder, source.host, portion))
    assert troubles == []
    assert {url: (f.name, f.remote, f.host) for url, f in found.items()} == {
        KILN_PLACE: ("Kiln", "https://forge.example/o/Kiln", "archive.softwareheritage.org"),
        GLAZE_PLACE: ("glaze", "https://forge.example/o/glaze", "archive.softwareheritage.org"),
        ALONE_PLACE: (swhid(ALONE), None, "archive.softwareheritage.org"),
    }
    assert [(f.path, f.sha, f.content) for f in found[GLAZE_PLACE].files or ()] == [
        ("CITATION.cff", blob_id(GLAZE), GLAZE)
    ]
    # Which of them stands where in its origin the data set does not say.
    both = sorted((blob_id(c), c) for c in (KILN, KILN_OLD))
    assert [(f.path, f.sha, f.content) for f in found[KILN_PLACE].files or ()] == [
        (f"{oid}/CITATION.cff", oid, content) for oid, content in both
    ]
    swh_source = swh.understand("swh:https://forge.example/o/Kiln", Hosts())
    assert swh_source is not None
    assert swh_source.urls == (KILN_PLACE,)


@needs_zstd
def test_a_second_crawl(tmp_path: Path) -> None:
    folder = make(tmp_path / "set")
    first, _ = crawl(folder)
    known = {url: Known(f.head, f.state, frozenset(x.sha for x in f.files or ())) for url, f in first.items()}
    again, _ = crawl(folder, known)
    assert all(f.unchanged for f in again.values())
    # A newer data set with one more file of an origin.
    newer = cff("Kiln, newer")
    ORIGINS.append((newer, "https://forge.example/o/Kiln"))
    try:
        again, _ = crawl(make(tmp_path / "newer", (*CONTENTS, newer)), known)
    finally:
        ORIGINS.pop()
    assert [url for url, f in again.items() if not f.unchanged] == [KILN_PLACE]
    assert [f.sha for f in again[KILN_PLACE].files or () if f.content is not None] == [blob_id(newer)]
    fresh, _ = crawl(folder, known, options(refresh=True))
    assert all(f.content for each in fresh.values() for f in each.files or ())


@needs_zstd
def test_without_its_tables(tmp_path: Path) -> None:
    found, troubles = crawl(make(tmp_path / "set", tables=False))
    assert troubles == []
    assert sorted(found) == sorted(f"{ARCHIVE}/{swhid(c)}" for c in (KILN, KILN_OLD, GLAZE, ALONE))
    assert crawl(make(tmp_path / "unpacked", packed=False, tables=False))[0].keys() == found.keys()
    assert crawl(tmp_path / "unpacked" / "blobs")[0].keys() == found.keys()


@needs_zstd
def test_no_name_in_the_tarball_is_followed(tmp_path: Path) -> None:
    folder = make(tmp_path / "set")
    odd = io.BytesIO()
    with tarfile.open(fileobj=odd, mode="w") as tar:
        for name, kind, target in (
            ("../../../etc/passwd", tarfile.REGTYPE, ""),
            ("/tmp/" + sha1(GLAZE), tarfile.REGTYPE, ""),
            (place(KILN), tarfile.SYMTYPE, "/etc/passwd"),
            (place(KILN_OLD), tarfile.LNKTYPE, "/etc/passwd"),
            ("blobs/" + "x" * 300, tarfile.REGTYPE, ""),  # in two members, with a longer name
            (place(ALONE), tarfile.REGTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            content = ALONE if name == place(ALONE) else b"stray"
            member.size = len(content) if kind == tarfile.REGTYPE else 0
            tar.addfile(member, io.BytesIO(content))
    (folder / "blobs.tar.zst").write_bytes(zstd.compress(odd.getvalue()))
    before = sorted(tmp_path.rglob("*"))
    found, troubles = crawl(folder)
    assert (list(found), troubles) == ([ALONE_PLACE], [])
    assert sorted(tmp_path.rglob("*")) == before


@needs_zstd
@pytest.mark.parametrize("cut", [10, 300, -1])
def test_a_download_that_is_cut_off(tmp_path: Path, cut: int) -> None:
    folder = make(tmp_path / "set")
    whole = (folder / "blobs.tar.zst").read_bytes()
    (folder / "blobs.tar.zst").write_bytes(whole[:cut])
    _found, (trouble,) = crawl(folder)
    assert "download it again" in trouble.reason


@needs_zstd
@pytest.mark.parametrize("offset", [100, 5000, 700_000, 1_200_000])
def test_a_download_that_is_cut_off_within_a_content(tmp_path: Path, offset: int) -> None:
    # Large and hard to pack, so that what comes before has been given out already.
    contents = [
        cff(f"Tool {n}") + b"# " + random.Random(n).randbytes(40_000).hex().encode() for n in range(40)
    ]
    folder = make(tmp_path / "set", contents)
    whole = (folder / "blobs.tar.zst").read_bytes()
    assert len(whole) > 1_500_000
    (folder / "blobs.tar.zst").write_bytes(whole[:offset])
    found, (trouble,) = crawl(folder)
    assert "download it again" in trouble.reason
    assert bool(found) == (offset > 600_000)
    assert len(found) < 40


def test_an_unpacked_content_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(tmp_path / "set", packed=False)

    def fail(path: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", fail)
    _found, (trouble,) = crawl(folder)
    assert "Input/output error" in trouble.reason


@needs_zstd
@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("blobs.tar.zst", b"no zstd", "broken"),
        ("blobs.csv.zst", b"no zstd", "broken"),
        ("blobs.csv.zst", None, "does not begin with swhid,sha1,name"),
        ("blobs-origins.csv.zst", None, "does not begin with swhid,origin_url"),
        ("blobs.tar.zst", None, "broken"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, name: str, data: bytes | None, told: str) -> None:
    folder = make(tmp_path / "set")
    (folder / name).write_bytes(zstd.compress(b"a,b\n1,2\n" * 100) if data is None else data)
    _found, (trouble,) = crawl(folder)
    assert told in trouble.reason
    assert name in trouble.reason


@needs_zstd
def test_contents_that_are_not_what_their_names_say(tmp_path: Path) -> None:
    folder = make(tmp_path / "set")
    members = [(place(ALONE), b"another"), (place(KILN), KILN), (place(KILN_OLD), b"another")]
    (folder / "blobs.tar.zst").write_bytes(zstd.compress(tarball(members)))
    found, troubles = crawl(folder)
    assert troubles == []
    (file,) = found[ALONE_PLACE].files or ()
    assert (file.content, "damaged" in file.refused, found[ALONE_PLACE].head) == (None, True, None)
    assert sorted(bool(f.refused) for f in found[KILN_PLACE].files or ()) == [False, True]


@needs_zstd
def test_large_contents_are_refused(tmp_path: Path) -> None:
    found, _ = crawl(make(tmp_path / "set"), None, options(max_size_bytes=10))
    assert all("--max-size" in file.refused for each in found.values() for file in each.files or ())


def test_what_is_not_there(tmp_path: Path) -> None:
    _found, (trouble,) = crawl(tmp_path / "none")
    assert "no such folder" in trouble.reason
    _found, (trouble,) = crawl(tmp_path)
    assert "blobs.tar.zst" in trouble.reason


@needs_zstd
def test_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(tmp_path / "set")
    monkeypatch.chdir(tmp_path)
    for word in ("swh-blobs:set", "SWH-BLOBS:./set/", f"swh-blobs:{folder}/blobs.tar.zst"):
        source = understand(word, Hosts())
        assert source is not None
        assert source.spec == f"swh-blobs:{folder}"
        assert understand(source.spec, Hosts()) == source
    assert understand("swh:https://forge.example/r", Hosts()) is None
    assert understand(str(folder), Hosts()) is None
    with pytest.raises(SourceError, match="name the folder"):
        understand("swh-blobs:", Hosts())


def test_without_zstd_what_brings_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "blobs.tar.zst").touch()

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(citation_blobs.importlib, "import_module", missing)
    with pytest.raises(SourceError, match=r"pip install backports\.zstd"):
        understand(f"swh-blobs:{tmp_path}", Hosts())


@needs_zstd
def test_it_can_be_stopped(tmp_path: Path) -> None:
    chosen = options()
    chosen.git.stop()
    source = understand(f"swh-blobs:{make(tmp_path / 'set')}", Hosts())
    assert source is not None
    with pytest.raises(Stopped):
        list(source.units(chosen))


@needs_zstd
def test_memory_stays_flat(tmp_path: Path) -> None:
    """All contents together are many times what is held at once, in one place or in many."""
    contents = [cff(f"Tool {number}") + b"# " + b"x" * 60_000 + b"\n" for number in range(600)]
    ORIGINS.extend((content, f"https://forge.example/o/r{i % 200}") for i, content in enumerate(contents))
    try:
        folder = make(tmp_path / "set", contents)
    finally:
        del ORIGINS[4:]
    source = understand(f"swh-blobs:{folder}", Hosts())
    assert source is not None
    source = BlobsSource(source.folder, source.host, 1 << 20)
    chosen = options()
    list(source.units(chosen))  # what is imported and cached once is not counted
    tracemalloc.start()
    count = 0
    for step in source.units(chosen):
        count += sum(len(f.files or ()) for f in step.fetch({}, chosen))  # type: ignore[union-attr]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 600
    assert peak < sum(map(len, contents)) / 3
