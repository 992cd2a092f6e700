"""What the pages of gitweb and of cgit look like: where they stand, and what a line of them holds.

(gitweb(1), cgitrc(5), and the pages that gitweb 2.39 and cgit 1.2 write.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """The pages of one kind of host; in the addresses stand {base}, {name}, {path} and {commit}."""

    kind: str
    home: str
    """The page for people that lists all repositories."""
    index: str
    """The list to read; {start} is the number of its first repository."""
    listed: re.Pattern[str]
    """A repository on it: its name (group `name`) or the address of its page (group `address`)."""
    next_start: re.Pattern[str] | None
    """An address of another page of the list, with its start; None for a list on one page."""
    repository: str
    """The repository's page for people: its canonical URL."""
    top: str
    """A page that names the newest commit and where to clone from."""
    commit: re.Pattern[str]
    clone: re.Pattern[str]
    empty: re.Pattern[str]
    """On that page: there is no commit yet."""
    tree: str
    entry: re.Pattern[str]
    """On it: mode, name, and blob id where it has one (groups `mode`, `name`, `sha`)."""
    plain: str


GITWEB = Dialect(
    kind="gitweb",
    home="{base}?a=project_list",
    index="{base}?a=project_index",
    listed=re.compile(r"^(?P<name>[^\s<]+)(?:[ ][^\s<]*)?$(?P<address>(?!))?", re.MULTILINE),
    next_start=None,
    repository="{base}?p={name}",
    top="{base}?p={name};a=summary",
    commit=re.compile(r"(?:a=commit(?:;|&amp;|&)h=|/commit/)([0-9a-f]{40,64})\b"),
    clone=re.compile(r'<tr class="metadata_url">(?:<td>[^<]*</td>)?<td>(.*?)</td>', re.DOTALL),
    empty=re.compile(r'<tr id="metadata_desc">'),
    tree="{base}?p={name};a=tree;f={path};hb={commit}",
    entry=re.compile(
        r'<td class="mode">(?P<mode>[dl-][rwxsStT-]{9})</td>(?:(?!</tr>).)*?<td class="list"><a [^>]*?href="'
        r'[^"]*?(?:(?:;|&amp;|&)h=(?P<sha>[0-9a-f]{40,64})[^"]*)?"[^>]*>(?P<name>[^<]*)</a>',
        re.DOTALL,
    ),
    plain="{base}?p={name};a=blob_plain;f={path};hb={commit}",
)

CGIT = Dialect(
    kind="cgit",
    home="{base}/",
    index="{base}/?ofs={start}",
    listed=re.compile(
        r"<td class='(?:toplevel|sublevel)-repo'>\s*<a [^>]*?href='(?P<address>[^']*)'(?P<name>(?!))?"
    ),
    next_start=re.compile(r"href='[^']*[?&;]ofs=(\d{1,9})[^']*'"),
    repository="{base}/{name}",
    top="{base}/{name}/log/",
    commit=re.compile(r"/commit/[^'?]*\?(?:[^']*(?:&amp;|&))?id=([0-9a-f]{40,64})\b"),
    clone=re.compile(r"<link rel='vcs-git' href='([^']*)'"),
    empty=re.compile(r"<div class='error'>Repository seems to be empty"),
    tree="{base}/{name}/tree/{path}?id={commit}",
    entry=re.compile(
        r"<td class='ls-mode'>(?P<mode>[dl-][rwxsStT-]{9})</td>\s*<td><a class='ls-[^']*' "
        r"href='[^']*'>(?P<name>[^<]*)</a>(?P<sha>(?!))?"
    ),
    plain="{base}/{name}/plain/{path}?id={commit}",
)
