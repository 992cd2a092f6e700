"""Software Heritage's citation-blobs: every citation file in the archive, in one tarball.

The data set (annex.softwareheritage.org/public/dataset/citation-blobs/, its README) has

    blobs.tar.zst           blobs/86/24/8624bcda…: each content once, named by its SHA-1
    blobs.csv.zst           swhid,sha1,name: the names (lower-case) that it bears somewhere
    blobs-origins.csv.zst   swhid,origin_url: one origin that holds it, if any is known

and those named codemeta.json are passed over. It tells neither where in its origin a file stands, nor
which of several is the newest; so an origin is one place with all its files, those of more than one
below their ids. It is the place that `swh:ORIGIN-URL` names too. A file without origin is a place of
its own, its SWHID.

The tarball is read as a stream: nothing is written to disk and no name in it is followed. Its members
stand in the order of their hashes, which scatters the files of an origin; so it is read once for each
portion of origins whose files fit into memory together. What is kept beside is some 200 bytes a file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...cff.errors import SourceError
from ...cff.read import blob_id
from ...db.found import Found, FoundFile, Known
from ..citation_blobs import TARBALLS, Contents, Member, hash_of, rows_of, zstd
from ..hosts import Host, Hosts
from ..names import CITATION_FILE
from ..remote_files import digest
from ..source import NEW, Options, Past, Step, Trouble, shown
from .swh import content_page, origin_name, origin_page, origin_remote

_WORD = "swh-blobs:"
PORTION_BYTES = 64 << 20
"""So much content is held at once to bring the files of origins together."""
_PLACES_A_UNIT = 64
_UNIT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class BlobsSource:
    """A folder with the data set, as downloaded or unpacked."""

    folder: Path
    host: Host
    """The archive."""
    portion_bytes: int = PORTION_BYTES

    @property
    def spec(self) -> str:
        """The word that names it."""
        return f"{_WORD}{shown(str(self.folder))}"

    def units(self, options: Options, past: Past = NEW) -> Iterator[Step]:
        """Yield the places in batches, and a Trouble for what of the data set cannot be read."""
        try:
            blobs = Contents(self.folder)
            index = _Index.read(self.folder)
        except SourceError as error:
            yield Trouble(self.spec, str(error))
            return
        batch: list[_Place] = []
        size = 0
        try:
            for place in _places(blobs, index, self.portion_bytes, options):
                batch.append(place)
                size += place.size_bytes
                if len(batch) >= _PLACES_A_UNIT or size >= _UNIT_BYTES:
                    yield _Places(self.host, tuple(batch))
                    batch, size = [], 0
        except SourceError as error:
            if batch:
                yield _Places(self.host, tuple(batch))
            yield Trouble(self.spec, str(error))
            return
        if batch:
            yield _Places(self.host, tuple(batch))


def understand(word: str, hosts: Hosts) -> BlobsSource | None:
    """The data set that a word names; None when it names none.

    SourceError when it is not said where, or what reads it is not installed.
    """
    if not word.lower().startswith(_WORD):
        return None
    path = Path(word[len(_WORD) :]).expanduser()
    if not word[len(_WORD) :]:
        raise SourceError(f"{_WORD}: name the folder with the data set: {_WORD}FOLDER")
    folder = Path(os.path.abspath(path.parent if path.name in TARBALLS and path.is_file() else path))
    if any(folder.glob("*.zst")):
        zstd()
    # One that the user described stands behind the known one.
    return BlobsSource(folder, hosts.of_kind("swh")[-1])


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the archive and the contents that it holds."""

    origin: str
    """Empty for a content of which no origin is known."""
    files: tuple[FoundFile, ...]
    """Each path is the blob's id still."""

    @property
    def size_bytes(self) -> int:
        return sum(len(file.content) for file in self.files if file.content is not None)

    def found(self, host: Host, known: Known | None, options: Options) -> Found:
        """It as a repository."""
        shas = [file.path for file in self.files]
        remote = origin_remote(self.origin) if self.origin else None
        name = shown(origin_name(self.origin)) if self.origin else f"swh:1:cnt:{shas[0]}"
        head = digest((sha, "") for sha in shas)
        found = Found(self.url(host), name or shown(self.origin), host=host.name, remote=remote)
        refused = any(file.refused for file in self.files)
        if known and known.is_at(head) and not options.refresh and not refused:
            return replace(found, head=head, unchanged=True)
        held = known.shas if known and not options.refresh else frozenset[str]()
        files = tuple(
            FoundFile(
                CITATION_FILE if len(shas) == 1 else f"{file.path}/{CITATION_FILE}",
                file.sha,
                None if file.sha in held else file.content,
                file.refused,
            )
            for file in self.files
        )
        return replace(found, head=None if refused else head, files=files)

    def url(self, host: Host) -> str:
        """Its canonical URL."""
        if self.origin:
            return origin_page(host, self.origin)
        return content_page(host, f"swh:1:cnt:{self.files[0].path}")


@dataclass(frozen=True, slots=True)
class _Places:
    host: Host
    places: tuple[_Place, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(place.url(self.host) for place in self.places)

    def fetch(self, known: Mapping[str, Known], options: Options) -> Iterator[Found]:
        for place in self.places:
            yield place.found(self.host, known.get(place.url(self.host)), options)


# --- What belongs together --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Index:
    """Which of the blobs are citation files, and the origin of each. Hashes are kept as 20 bytes."""

    ids: dict[bytes, bytes] | None
    """Git's id of each citation file, by its SHA-1; None when the data set does not say."""
    origins: dict[bytes, str]
    """By git's id."""
    counts: dict[str, int]
    """Files of each origin."""

    @classmethod
    def read(cls, folder: Path) -> _Index:
        """The tables of a data set. SourceError for one that is broken."""
        rows = rows_of(folder, "blobs.csv", ("swhid", "sha1", "name"))
        if rows is None:
            return cls(None, {}, {})
        named = ((hash_of(sha1), hash_of(swhid)) for swhid, sha1, name in rows if name == "citation.cff")
        ids = {key: oid for key, oid in named if key and oid}
        wanted = set(ids.values())
        origins: dict[bytes, str] = {}
        counts: dict[str, int] = {}
        one: dict[str, str] = {}
        for swhid, origin in rows_of(folder, "blobs-origins.csv", ("swhid", "origin_url")) or ():
            oid = hash_of(swhid)
            if origin and oid in wanted and oid not in origins:
                origins[oid] = one.setdefault(origin, origin)
                counts[origin] = counts.get(origin, 0) + 1
        return cls(ids, origins, counts)


def _places(blobs: Contents, index: _Index, portion_bytes: int, options: Options) -> Iterator[_Place]:
    """The places of a data set: first those with one file, as they come, then the others by portions."""
    sizes: dict[str, int] = {}
    for member in blobs.members(options):
        if index.ids is None:
            file = _read(member, "", options)
            # codemeta.json, in a data set that does not say so.
            if (file.content or b"").lstrip()[:1] != b"{":
                yield _Place("", (file,))
            continue
        oid = index.ids.get(member.key)
        if oid is None:
            continue
        origin = index.origins.get(oid, "")
        if index.counts.get(origin, 0) > 1:
            sizes[origin] = sizes.get(origin, 0) + member.size_bytes
        else:
            yield _Place(origin, (_read(member, oid.hex(), options),))
    for portion in _portions(sizes, portion_bytes):
        yield from _together(blobs, index, portion, options)


def _portions(sizes: Mapping[str, int], portion_bytes: int) -> Iterator[set[str]]:
    """Origins whose files fit into memory together."""
    portion: set[str] = set()
    total = 0
    for origin, size in sizes.items():
        if portion and total + size > portion_bytes:
            yield portion
            portion, total = set(), 0
        portion.add(origin)
        total += size
    if portion:
        yield portion


def _together(blobs: Contents, index: _Index, portion: set[str], options: Options) -> Iterator[_Place]:
    held: dict[str, list[FoundFile]] = {}
    for member in blobs.members(options):
        oid = (index.ids or {}).get(member.key)
        origin = index.origins.get(oid, "") if oid else ""
        if oid is None or origin not in portion:
            continue
        files = held.setdefault(origin, [])
        files.append(_read(member, oid.hex(), options))
        if len(files) == index.counts[origin]:
            yield _place(origin, held.pop(origin))
    # Of these some files are not in the tarball.
    for origin, files in held.items():
        yield _place(origin, files)


def _place(origin: str, files: list[FoundFile]) -> _Place:
    return _Place(origin, tuple(sorted(files, key=lambda file: file.path)))


def _read(member: Member, oid: str, options: Options) -> FoundFile:
    """A content whose path is its blob id, `oid` if that is known; refused when it is another one."""
    most = options.max_size_bytes
    if member.size_bytes > most:
        said = f"has {member.size_bytes:,} bytes, more than the {most:,} of --max-size"
        return FoundFile(oid or member.key.hex(), "", refused=said)
    content = member.read()
    sha = blob_id(content)
    if (oid and sha != oid) or hashlib.sha1(content, usedforsecurity=False).digest() != member.key:
        return FoundFile(oid or sha, "", refused="is damaged: its content is not what its id says")
    return FoundFile(sha, sha, content)
