"""environment.yml of conda: packages of channels, and those that pip installs.

(conda, "Managing environments")
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .loose import read_yaml, table, texts
from .package import Content, Entry, Fault, Package, Unreadable, cited
from .requirements import read_line

_DEFAULT_CHANNEL = "conda-forge"
_MATCH = re.compile(
    r"(?:(?P<channel>[^\s:]+)::)?(?P<name>[A-Za-z0-9_][\w.-]*)(?:\[[^\]]*\])?"
    r"\s*(?P<version>[=<>!~*\s\d].*)?(?:\[[^\]]*\])?",
    re.DOTALL,
)
"""A match specification, `channel::name=version=build` (conda, "Package match specifications")."""


def read(content: Content) -> Iterator[Entry]:
    """Yield the packages of an environment file."""
    whole = read_yaml(content.data)
    if "dependencies" not in whole:
        raise Unreadable("is no environment of conda: it has no `dependencies`")
    named = [c for c in texts(whole.get("channels")) if c not in ("nodefaults", "defaults")]
    channel = (
        named[0] if named else "defaults" if "defaults" in texts(whole.get("channels")) else _DEFAULT_CHANNEL
    )
    listed = whole["dependencies"]
    for number, entry in enumerate(listed if isinstance(listed, list) else [], 1):
        place = f"{content.path}: dependencies[{number - 1}]"
        if isinstance(entry, str):
            package = parse_match(entry, channel)
            yield package or Fault(place, f"not understood as a package: {cited(entry)}")
        for line in texts(table(entry).get("pip")):
            yield from read_line(line, content, f"{place}.pip")


def parse_match(spec: str, channel: str = _DEFAULT_CHANNEL) -> Package | None:
    """The package of a match specification; None when it is none.

    >>> parse_match("bioconda::samtools=1.9=h91753b0_8").version
    '1.9'
    """
    found = _MATCH.fullmatch(spec.strip()) if len(spec) <= 4096 else None
    if not found:
        return None
    pin = re.fullmatch(r"={1,2}\s*([\w.!+]+)(?:=[\w.*]+)?", (found["version"] or "").strip())
    return Package(
        "conda", found["name"].lower(), pin[1] if pin else "", channel=_channel(found["channel"] or channel)
    )


def _channel(written: str) -> str:
    """The channel's name at anaconda.org, without subfolder, label or a mirror's address."""
    plain = re.sub(
        r"^https?://(?:conda\.anaconda\.org|repo\.(?:anaconda|prefix)\.\w+(?:/pkgs)?)/", "", written
    )
    if "://" in plain:
        plain = plain.rstrip("/").rpartition("/")[2]
    name = plain.strip("/").partition("/")[0]
    return "main" if name in ("defaults", "pkgs") else name
