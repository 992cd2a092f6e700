"""Where git finds the source of a package, from the URLs that people write into its metadata.

What a list or a registry names *as the repository* is believed unless it plainly is none. Of any
other link (a home page, a tracker) only an address on a known forge counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from ...cff.identifiers import repository_url
from ..hosts import Hosts

_NO_HOSTS = Hosts()

_SHORTHAND = re.compile(r"(?:(github|gitlab|bitbucket):)?(?![.-])([\w.-]+/[\w.-]+?)(?:\.git)?(?:#.*)?")
"""npm's `o/r` and `gitlab:o/r` (docs.npmjs.com, "package.json", repository)."""
_SHORT_HOSTS = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}

_OTHER_VCS = {"hg": "Mercurial", "svn": "Subversion", "bzr": "Bazaar", "cvs": "CVS", "fossil": "Fossil"}
_ALIASES = (
    (re.compile(r"//(?:api\.github\.com/repos|codeload\.github\.com)/", re.IGNORECASE), "//github.com/"),
    (re.compile(r"//api\.bitbucket\.org/2\.0/repositories/", re.IGNORECASE), "//bitbucket.org/"),
)

_GREAT = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
_FORGE_KINDS = ("github", "gitlab", "forgejo", "bitbucket", "gitweb", "cgit")
_OTHER_FORGES = frozenset(
    "salsa.debian.org framagit.org invent.kde.org gitee.com notabug.org opendev.org pagure.io"
    " code.videolan.org forge.softwareheritage.org code.europa.eu source.puri.sm"
    " android.googlesource.com repo.or.cz".split()
)
_FORGE_NAME = re.compile(r"(?:c?git|gitlab|gitea|forgejo)\.[\w-]+\.[\w.-]+(?::\d+)?")
"""How houses call theirs. With a domain of its own: git.io is no forge."""
_TWO_STEPS = frozenset({"git.sr.ht", "gitee.com", "notabug.org"})

_PAGES = frozenset(
    "- tree blob raw blame commit commits tags branches issues merge_requests pulls pull wiki wikis releases"
    " archive src".split()
)
_BAD = re.compile(r"[{}<>$*|\\\"'^`\s\x00-\x1f]|%7b|\.\.(?:/|$)", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:zip|t[abgx]z2?|tar(?:\.\w+)?|whl|egg|gem|jar|html?|php|pdf|md|rst|txt)$", re.IGNORECASE
)
_NO_GIT = re.compile(
    r"(?:^|\.)(?:pypi\.org|python\.org|pythonhosted\.org|readthedocs\.(?:io|org|com)|rtfd\.(?:io|org)"
    r"|npmjs\.com|(?:github|gitlab)\.io|sourceforge\.(?:net|io)|launchpad\.net|(?:ana)?conda\.(?:org|com|io)|google\.com"
    r"|r-project\.org|r-pkg\.org|bioconductor\.org|doi\.org|zenodo\.org|crates\.io|docs\.rs|rubygems\.org)$"
    r"|^(?:docs?|www|api|blog|wiki|svn|hg|archive)\."
)


def git_address(text: str) -> tuple[str, str]:
    """(address for git, "") of what is named as a repository, or ("", why not), worded to follow a package.

    Neither user, password, branch nor fragment stay in it; a folder of a repository leads to the repository.

    >>> git_address("git+ssh://git@github.com/O/R.git@v1#egg=r")
    ('https://github.com/o/r', '')
    >>> git_address("hg+https://hg.example/r")
    ('', 'is kept in Mercurial, not in git')
    """
    text = text.strip()
    if not text or len(text) > 2048:
        return "", "names no repository"
    scheme = re.match(r"(?:scm:)?(\w+)[+:]", text)
    if scheme and scheme[1].lower() in _OTHER_VCS:
        return "", f"is kept in {_OTHER_VCS[scheme[1].lower()]}, not in git"
    if re.match(r"(?:git\+)?file:|[./~]|[A-Za-z]:\\", text):
        return "", "comes from a folder of the machine on which the list was written"
    short = _SHORTHAND.fullmatch(text)
    if short:
        text = f"https://{_SHORT_HOSTS[short[1] or 'github']}/{short[2]}"
    for pattern, plain in _ALIASES:
        text = pattern.sub(plain, text, count=1)
    base = _without_revision(re.split(r"[?#]", text, maxsplit=1)[0]).rstrip("/")
    canonical = repository_url(base)
    if canonical is None or _BAD.search(canonical):
        return "", "names no repository"
    host = urlsplit(canonical).netloc
    if host in _GREAT:
        return canonical, ""
    place, _, path = canonical.partition("://")[2].partition("/")
    steps = path.split("/")
    if host in _TWO_STEPS or _FORGE_NAME.fullmatch(host):
        ends = [2] if host in _TWO_STEPS else [i for i, step in enumerate(steps) if i > 1 and step in _PAGES]
        steps = steps[: ends[0]] if ends else steps
    # Some hosts know a repository by its name with .git alone.
    suffix = ".git" if base.lower().endswith(".git") else ""
    return f"{canonical.partition('://')[0]}://{place}/{'/'.join(steps)}{suffix}", ""


def _without_revision(base: str) -> str:
    """`https://host/o/r.git@feature/x` without what git is to check out (pip, "VCS Support")."""
    start = base.find("://")
    start = base.find("/", start + 3) if start >= 0 else base.find(":")
    at = base.rfind("@")
    return base[:at] if 0 < start < at and base[at - 1] != "/" else base


def is_forge(host: str, hosts: Hosts = _NO_HOSTS) -> bool:
    """Whether a host serves repositories, as far as its name or the user's description tells."""
    return hosts.at(host).kind in _FORGE_KINDS or host in _OTHER_FORGES or bool(_FORGE_NAME.fullmatch(host))


def linked_address(url: str, hosts: Hosts = _NO_HOSTS, *, as_repository: bool = False) -> str:
    """The address of the repository that a link of a package leads into; "" when it leads into none.

    With `as_repository` its label says that it is one, and the host need not be known.
    """
    address, _ = git_address(url)
    if not address:
        return ""
    parts = urlsplit(address)
    steps = parts.path.strip("/").split("/")
    if is_forge(parts.netloc, hosts):
        # `o/.github` holds what an organisation has in common: its code of conduct, not this package.
        return address if len(steps) > 1 and steps[1] != ".github" else ""
    if not as_repository:
        return ""
    if url.startswith(("git+", "git:", "git@")) or parts.path.endswith(".git"):
        return address
    strange = _NO_GIT.search(parts.netloc) or _FILE.search(parts.path) or len(steps) < 2
    return "" if strange else address


# Labels of links, best first (PyPA, "Well-known Project URLs in Metadata", and what people write).
_REPOSITORY = """repository source sourcecode code github gitlab codeberg bitbucket git repo githubrepo
    githubrepository gitrepository gitrepo sourcerepository sourcerepo sourcecoderepository coderepository vcs
    scm sources sourcecodeurl sourceurl githubhomepage githubproject project sourcegiturl devurl""".split()
_TRACKERS = """issues issuetracker tracker bugtracker bugs bugreports bugreport issue bugtracking reportissues
    changelog changes releasenotes releases history pullrequests contributing ci""".split()
_HOME = "homepage home website url".split()
_LAST = "downloadurl download documentation docs".split()
_NEVER = re.compile(r"sponsor|fund|donat|conduct|licen[sc]e|twitter|chat|forum|paper|tidelift")
_RANKS = {
    label: rank
    for base, labels in ((0, _REPOSITORY), (100, _TRACKERS), (300, _HOME), (400, _LAST))
    for rank, label in enumerate(labels, base)
}
_OTHER_LABEL = 200


def best_address(
    links: Iterable[tuple[str, str]], hosts: Hosts = _NO_HOSTS, *, description: str = "", name: str = ""
) -> tuple[str, str]:
    """(address, the label it stood under) of the repository that labelled links of a package name.

    In turn: links labelled as the repository; of the others those to a repository of the package's own
    `name`, then trackers, any other, and the home page; then a repository of that name which the
    description names. ("", "") for none.

    >>> best_address([("Home", "https://tool.example"), ("Bug Tracker", "https://github.com/o/r/issues")])
    ('https://github.com/o/r', 'Bug Tracker')
    """
    ranked = []
    for label, url in links:
        normal = re.sub(r"[\W_]+", "", label).lower()
        rank = _RANKS.get(normal, _OTHER_LABEL)
        is_repository = rank < len(_REPOSITORY)
        if not _NEVER.search(normal) and (a := linked_address(url, hosts, as_repository=is_repository)):
            # A tracker may be that of a greater project, of which this one is a part.
            ranked.append((not is_repository, not is_repository and not _is_called(a, name), rank, a, label))
    if ranked:
        *_, address, label = min(ranked, key=lambda each: each[:3])
        return address, label
    if name and description:
        for found in _FORGE_LINK.finditer(description, 0, 1 << 18):
            if _is_called(found[0], name) and (address := linked_address(found[0], hosts)):
                return address, "description"
    return "", ""


_FORGE_LINK = re.compile(r"https?://[\w.-]{1,100}/[\w.-]{1,100}/[\w.-]{0,99}[\w-]")


def _is_called(address: str, name: str) -> bool:
    """Whether a repository has the name of a package, as far as people spell the two alike.

    >>> _is_called("https://github.com/o/python-Tool.git", "tool")
    True
    """
    return bool(name) and _folded(address.rpartition("/")[2].removesuffix(".git")) == _folded(name)


def _folded(name: str) -> str:
    plain = re.sub(r"[-_.]+", "", name).lower()
    return re.sub(r"^(?:python|py)(?=\w{2})|(?<=\w{2})(?:python|py)$", "", plain)
