"""Where an export goes: its format by the file's ending, and the file moved into place when it is whole."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ...cff.errors import ExportError
from ..coauthors import Edge, Node
from .graphml import graphml

Writer = Callable[[Iterable[Node], Iterable[Edge]], Iterator[str]]

FORMATS: dict[str, Writer] = {"graphml": graphml}
"""Format -> the function that makes its text; a file's ending is the name of its format."""


def writer_for(name: str, format_: str = "") -> Writer:
    """Return what writes `format_`, or else the format that the ending of `name` asks for.

    `-` (standard output) has no ending and gets GraphML. ExportError for a format that is not known.
    """
    asked = format_ or ("graphml" if name == "-" else Path(name).suffix.removeprefix("."))
    if writer := FORMATS.get(asked.lower()):
        return writer
    known = ", ".join(f".{ending}" for ending in FORMATS)
    if format_:
        raise ExportError(f"no format {format_!r}: there is {', '.join(FORMATS)}")
    if not asked:
        raise ExportError(f"{name}: no ending that names a format: end it in {known}, or give --format")
    raise ExportError(f"{name}: no format ends in .{asked}: there is {known}")


def write_file(path: Path, pieces: Iterable[str]) -> None:
    """Write the pieces to `path` in UTF-8: all of them, or the file stays as it was, or absent.

    A link is followed. ExportError when the file cannot be written.
    """
    path = Path(os.path.realpath(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror}") from error
    try:
        if mode is None or stat.S_ISREG(mode):
            _replace(path, pieces, mode)
        else:  # a pipe or a device: nothing to move into place
            with path.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror}: nothing was changed") from error


def _replace(path: Path, pieces: Iterable[str], mode: int | None) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", suffix=".part", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        if os.name == "posix":  # mkstemp's own mode is for the owner alone
            os.chmod(name, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
