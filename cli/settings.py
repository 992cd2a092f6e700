"""What is in force: options over environment over `cffgraph.toml` in the current folder over defaults."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cff.errors import CffgraphError

if TYPE_CHECKING:
    from ..crawler.hosts import Host

FILE = "cffgraph.toml"

CRAWL_OPTIONS: dict[str, type] = {
    "jobs": int,
    "nested": bool,
    "history": bool,
    "forks": bool,
    "archived": bool,
    "timeout": int,
    "max-size": int,
    "allow-host": list,
}
"""Options of `crawl` that the file may set, under [crawl], and what each is."""

_HOST_KEYS: dict[str, type | tuple[type, ...]] = {
    "kind": str,
    "api": str,
    "token": str,
    "spacing_s": (int, float),
    "allow_private": bool,
}


class SettingsError(CffgraphError):
    """`cffgraph.toml` says what cannot be."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """What `cffgraph.toml` says; empty when there is none."""

    db: str | None = None
    crawl: Mapping[str, Any] | None = None
    """Option of `crawl` (as `max-size`) -> its value."""
    hosts: tuple[Host, ...] = ()


@functools.cache
def settings() -> Settings:
    """The settings of the current folder, read once. SettingsError with the key that is wrong."""
    try:
        raw = Path(FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except OSError as error:
        raise SettingsError(f"{FILE}: cannot be read: {error.strerror}") from error
    import tomllib

    try:
        found = tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{FILE}: {error}") from error
    _check(found, {"db": str, "crawl": dict, "hosts": dict}, "")
    crawl = found.get("crawl", {})
    _check(crawl, CRAWL_OPTIONS, "crawl.")
    hosts = tuple(_host(name.lower(), said) for name, said in found.get("hosts", {}).items())
    return Settings(found.get("db"), crawl, hosts)


def default_map(commands: Iterable[str], groups: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """The file's values as defaults of the options of commands, and of commands in groups."""
    said = settings()
    db = {"db": said.db} if said.db else {}
    defaults: dict[str, Any] = {name: dict(db) for name in commands}
    defaults |= {group: {name: dict(db) for name in names} for group, names in groups.items()}
    defaults["crawl"] |= {name.replace("-", "_"): value for name, value in (said.crawl or {}).items()}
    return defaults


def in_force(db_default: str, db_named: str | None) -> Iterator[tuple[str, str, str]]:
    """(key, value, where it comes from) of all settings. Of a token, the variable and whether it is set."""
    from ..crawler.hosts import KNOWN_HOSTS, Hosts

    said = settings()
    if db_named is not None:
        yield "db", db_named, "--db"
    elif os.environ.get("CFFGRAPH_DB"):
        yield "db", os.environ["CFFGRAPH_DB"], "CFFGRAPH_DB"
    else:
        yield "db", said.db or db_default, FILE if said.db else "default"
    for name, value in (said.crawl or {}).items():
        yield f"crawl.{name}", str(value).lower() if isinstance(value, bool) else str(value), FILE
    described = {host.name for host in said.hosts}
    hosts = Hosts(said.hosts)
    for name in dict.fromkeys([*(host.name for host in KNOWN_HOSTS), *sorted(described)]):
        host = hosts.at(name)
        origin = FILE if name in described else "default"
        yield f"hosts.{name}.kind", host.kind, origin
        if host.api:
            yield f"hosts.{name}.api", host.api, origin
        for token in host.token_names:
            yield f"hosts.{name}.token", token, "set" if os.environ.get(token) else "not set"
        yield f"hosts.{name}.spacing_s", f"{host.spacing_s:g}", origin
        if host.allow_private:
            yield f"hosts.{name}.allow_private", "true", origin


def _host(name: str, said: Any) -> Host:
    from ..crawler.hosts import DEFAULT_API, KINDS, KNOWN_HOSTS, PAGE_SPACING_S, Host

    where = f'hosts."{name}".'
    if not isinstance(said, dict):
        raise SettingsError(f'{FILE}: hosts."{name}" is no table: write [hosts."{name}"]')
    _check(said, _HOST_KEYS, where)
    known = next((host for host in KNOWN_HOSTS if host.name == name), Host(name, "git"))
    kind = said.get("kind", known.kind)
    if kind not in KINDS:
        raise SettingsError(f"{FILE}: {where}kind is {kind!r}, not one of {', '.join(KINDS)}")
    api = str(said.get("api", known.api)).rstrip("/") or DEFAULT_API.get(kind, "").format(name=name)
    if api and not api.startswith(("https://", "http://")):
        raise SettingsError(f"{FILE}: {where}api is {api!r}, not an https:// address")
    allow_private = bool(said.get("allow_private", False))
    if api.startswith("http://") and not allow_private:
        raise SettingsError(f"{FILE}: {where}api is not https://: only with allow_private = true")
    token = said.get("token", "")
    if token and not token.replace("_", "a").isalnum():
        raise SettingsError(f"{FILE}: {where}token is the name of an environment variable, never a token")
    spacing = said.get("spacing_s", known.spacing_s if known.api else PAGE_SPACING_S)
    if spacing < 0:
        raise SettingsError(f"{FILE}: {where}spacing_s is less than 0")
    return Host(name, kind, api, (token,) if token else known.token_names, float(spacing), allow_private)


def _check(found: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    for key, value in found.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise SettingsError(f"{FILE}: {where}{key} is not known: {hint}")
        if not isinstance(value, known[key]) or (isinstance(value, bool) and known[key] is not bool):
            kind = known[key] if isinstance(known[key], type) else known[key][-1]
            words = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
            raise SettingsError(f"{FILE}: {where}{key} is not {words.get(kind, f'a {kind.__name__}')}")
