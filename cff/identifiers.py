"""Identifiers of people, works and code repositories: found in any spelling, checked, normalised.

Every function takes text as people write it and returns the normal form, or None where there is no
identifier of that kind. `check_orcid` and `check_doi` also say why not. Nothing is looked up: a right
check digit means that an identifier can exist, not that it does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from .folding import squeeze
from .records import Identifier

EXAMPLE_ORCIDS = frozenset(
    {"0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X", "0000-0001-2345-6789"}
)
"""Valid iDs that documentation shows (the first is the fictitious Josiah Carberry) and people copy: no
evidence that two mentions are one person."""

EXAMPLE_DOIS = frozenset({"10.5281/zenodo.1234", "10.5281/zenodo.12345", "10.5281/zenodo.123456",
                          "10.5281/zenodo.1234567", "10.5281/zenodo.12345678"})  # fmt: skip
"""Well-formed DOIs that guides and templates show: no evidence that two records are one work."""

_PLACEHOLDER = re.compile(
    r"(?<![^\W_])(?:todo|tbd|tba|fixme|n/?a|none|null|placeholder|insert|your|enter|pending|x{3,})(?![^\W_])"
    r"|^[<{\[(].*[>}\])]$|^[\W_]*$",
    re.IGNORECASE,
)
_DASHES = re.compile("[\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")

# As ORCID writes its iDs, of the ranges that it gives out (0000 and 0009 lead), and so no placeholder.
_PLAIN_ORCID = re.compile(r"https://orcid\.org/(?!0{4}-0{4}-0{4})(000\d-\d{4}-\d{4}-\d{3}[\dX])", re.ASCII)
_ANY_ORCID = re.compile(r"(?<![0-9a-z])\d{4}([-_. ]?)\d{4}\1\d{4}\1\d{3}[\dx](?![0-9a-z])", re.ASCII)
_NO_ORCID_DIGITS = re.compile(
    r"([1-9])\1{15}|1234567891011121|12345678(?:9012345\d|1234567\d|91011121)|0{15}[01]"
)


@lru_cache(maxsize=65536)
def check_orcid(text: str) -> tuple[str, str]:
    """Return (bare iD, '') or ('', why not), the reason worded to follow the text it speaks of.

    The check digit is ISO 7064 mod 11-2 (support.orcid.org, "Structure of the ORCID Identifier").
    Ranges are not looked at, so an ISNI that was written without its host passes.

    >>> check_orcid("orcid.org/0000 0009 9000 1010/")
    ('0000-0009-9000-1010', '')
    >>> check_orcid("0000-0009-9000-1011")
    ('', 'has a wrong check digit: 0000-0009-9000-1011 should end in 0')
    """
    plain = _PLAIN_ORCID.fullmatch(text)
    if plain:
        return _with_right_digit(plain[1])
    lowered = _DASHES.sub("-", squeeze(unquote(text))).lower()
    found = {re.sub(r"[-_. ]", "", m[0]) for m in _ANY_ORCID.finditer(lowered)}
    if not found:
        return "", _why_no_orcid(lowered)
    if len(found) > 1:
        return "", "names more than one iD"
    around = _ANY_ORCID.sub("", lowered)
    if "sandbox.orcid" in around:
        return "", "is an iD of ORCID's sandbox, which names nobody"
    if re.search(r"\w", around) and not re.search(r"orc?h?id", around):
        return "", "is not an ORCID iD: it belongs to another place"
    digits = found.pop().upper()
    if _NO_ORCID_DIGITS.fullmatch(digits):
        return "", "is a placeholder: write a real iD, or leave the key out"
    return _with_right_digit("-".join((digits[:4], digits[4:8], digits[8:12], digits[12:])))


def _with_right_digit(bare: str) -> tuple[str, str]:
    digits = bare.replace("-", "")
    # The standard doubles at each digit; 13 is 2 modulo 11, and `int` reads base 13 in one step.
    right = "0123456789X"[(1 - 2 * int(digits[:15], 13)) % 11]
    if digits[15] != right:
        return "", f"has a wrong check digit: {bare} should end in {right}"
    return bare, ""


def _why_no_orcid(lowered: str) -> str:
    tail = lowered.rsplit("orcid.org/", 1)[-1]
    if _PLACEHOLDER.search(tail.strip(" /")) or re.search(r"xxx", tail):
        return "is a placeholder: write a real iD, or leave the key out"
    count = len(re.sub(r"[^0-9x]", "", tail))
    if re.fullmatch(r"[-\s0-9x/.]+", tail) and count != 16:
        return f"is not an ORCID iD: it has {count} digits, an iD has 16"
    return "is not an ORCID iD"


def orcid(text: str) -> str | None:
    """Return the bare iD that `text` names, in any spelling, if its check digit is right.

    >>> orcid("http://www.orcid.org/0000-0002-1694-233x")
    '0000-0002-1694-233X'
    """
    return check_orcid(text)[0] or None


_DOI_WORD = r"(?!x{3}|n{4}|y{4}|todo|tb[ad]|fixme|placeholder|your|insert)[a-z0-9]+"
# Most DOIs, in capitals or not: nothing to strip, and no word that a placeholder might begin with.
_PLAIN_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/)?"
    rf"(10\.[1-9]\d{{3,8}}/(?!(?:zenodo\.)?0+\Z){_DOI_WORD}(?:[./_-]{_DOI_WORD})*)",
    re.ASCII | re.IGNORECASE,
)
_DOI_PREFIX = re.compile(
    r"(?:[\s<(\[{\"'\u201c\u2018]|https?:/+|(?:www\.|dx\.)?doi\.org[/:]|hdl\.handle\.net/|doi\.acm\.org/"
    r"|info:doi/|urn:doi:|doi\s*[:=]?)*",
    re.IGNORECASE,
)
_DOI = re.compile(r"(10\.\d{4,9}(?:\.\d+)*)/+([^\s\x00-\x1f\x7f]+)(.*)", re.ASCII | re.DOTALL)
_CLOSERS = {")": "(", "]": "[", ">": "<", "}": "{"}
_DOI_TEMPLATE = re.compile(
    r"<[a-z_ -]*>|[{}]|\[[a-z_ -]*\]|(?:^|[./_-])(?:x{3,}|n{4,}|y{4,}|\?+|todo|tbd|tba|fixme|placeholder"
    r"|(?:your|insert)[\w.-]*)(?:$|[./_-])|^(?:zenodo\.)?0+$"
)


def check_doi(text: str) -> tuple[str, str]:
    """Return (bare DOI in lower case, '') or ('', why not), the reason worded to follow the text.

    DOI names are case-insensitive in ASCII (DOI Handbook, 2.4). Closing punctuation is dropped,
    balanced brackets stay; `%2F` and its like are read in what comes as a URL or has no plain slash.

    >>> check_doi("https://doi.org/10.1145/3620665.3640366).")
    ('10.1145/3620665.3640366', '')
    >>> check_doi("10.5281/zenodo.XXXXXXX")
    ('', 'is a placeholder: write the real DOI, or leave the key out')
    """
    plain = _PLAIN_DOI.fullmatch(text)
    if plain:
        return plain[1].lower(), ""
    cleaned = squeeze(text)
    is_url = re.match(r"\W*(?:https?:|(?:www\.|dx\.)?doi\.org)", cleaned, re.IGNORECASE)
    if is_url:
        cleaned = re.split(r"[?#]", cleaned, maxsplit=1)[0]
    if re.search(r"%[0-9a-f]{2}", cleaned, re.IGNORECASE) and (
        is_url or re.search("%2f", cleaned, re.IGNORECASE)
    ):
        cleaned = unquote(cleaned)
    body = cleaned[_DOI_PREFIX.match(cleaned).end() :]  # type: ignore[union-attr]  # it can match nothing
    found = _DOI.fullmatch(body)
    if not found:
        if _PLACEHOLDER.search(cleaned) or re.match(r"10\.[x0-9]*x", body, re.IGNORECASE):
            return "", "is a placeholder: write the real DOI, or leave the key out"
        return "", "is not a DOI: one is written 10.PREFIX/SUFFIX"
    prefix, suffix, rest = found.groups()
    suffix = suffix.lower() if suffix.isascii() else re.sub("[A-Z]", lambda m: m[0].lower(), suffix)
    if prefix.startswith("10.0000") or _DOI_TEMPLATE.search(suffix):
        return "", "is a placeholder: write the real DOI, or leave the key out"
    trimmed = _without_trailing_punctuation(suffix)
    if not trimmed:
        return "", "is not a DOI: nothing follows the prefix"
    if rest.strip() and (trimmed != suffix or _DOI.search(rest)):
        return "", "is not one DOI: it has blanks or names several"
    return f"{prefix}/{trimmed}", ""


def _without_trailing_punctuation(suffix: str) -> str:
    """SICI-like names hold brackets of their own, so a closing one goes only if nothing opens it."""
    while suffix:
        last = suffix[-1]
        unbalanced = last in _CLOSERS and suffix.count(last) > suffix.count(_CLOSERS[last])
        if not unbalanced and last not in ".,;:!?/'\"*\\\u2019\u201d":
            break
        suffix = suffix[:-1]
    return suffix


def doi(text: str) -> str | None:
    """Return the bare DOI that `text` is, in any spelling, in lower case; None for placeholders.

    A page of a publisher that has a DOI in its path is not read as one.

    >>> doi("DOI: 10.5555/Foo(bar)"), doi("https://journal.example/10.5555/foo")
    ('10.5555/foo(bar)', None)
    """
    return check_doi(text)[0] or None


_ARXIV = re.compile(
    r"\W*(?:https?://)?(?:(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html|format|e-print|ps)/"
    r"|(?:(?:dx\.)?doi\.org/|doi:\s*)?10\.48550/arxiv\.|arxiv\s*[:.]?\s*(?:e-?prints?\s*)?)*"
    r"(?:(?P<new>\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})|(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?/(?P<old>\d{7}))"
    r"(?:v\d+)?(?:\.pdf)?(?:\s*\[[\w. -]+\])?/?\W*",
    re.IGNORECASE,
)


def arxiv(text: str) -> str | None:
    """Return the arXiv identifier without `arXiv:`, subject class and version, in lower case.

    The two schemes are those of info.arxiv.org/help/arxiv_identifier.html. The DOI that arXiv gives
    to each paper counts too.

    >>> arxiv("https://arxiv.org/pdf/2109.02846v3.pdf"), arxiv("math.GT/0309136")
    ('2109.02846', 'math/0309136')
    """
    found = _ARXIV.fullmatch(squeeze(text))
    if not found:
        return None
    return found["new"] or f"{found['archive'].lower()}/{found['old']}"


_SWHID = re.compile(
    r"\W*(?:https?://[a-z0-9.-]+/(?:browse/)?)?(swh:1:(?:snp|rel|rev|dir|cnt):[0-9a-f]{40})(?:;\w+=[^;\s]*)*;?/?\W*",
    re.IGNORECASE,
)


def swhid(text: str) -> str | None:
    """Return the core SWHID in lower case, without its qualifiers (ISO/IEC 18670).

    >>> swhid("https://archive.softwareheritage.org/swh:1:dir:1E3E28077C43CA999F434F29B6A872F5581B48E2;path=/a/")
    'swh:1:dir:1e3e28077c43ca999f434f29b6a872f5581b48e2'
    """
    found = _SWHID.fullmatch(text)
    return found[1].lower() if found else None


def isbn(text: str) -> str | None:
    """Return the ISBN as 13 digits without hyphens, if the check digit (of 10 or 13) is right.

    >>> isbn("ISBN 0-306-40615-2")
    '9780306406157'
    """
    digits = re.sub(
        r"^(?:urn:)?isbn(?:-?1[03](?![0-9]))?:?|[\s-]", "", _DASHES.sub("-", text).strip().lower()
    )
    if re.fullmatch(r"\d{9}[\dx]", digits, re.ASCII):
        values = [10 if d == "x" else int(d) for d in digits]
        if sum(v * w for v, w in zip(values, range(10, 0, -1), strict=True)) % 11:
            return None
        return "978" + digits[:9] + _ean_check_digit("978" + digits[:9])
    if re.fullmatch(r"97[89]\d{10}", digits, re.ASCII) and digits[12] == _ean_check_digit(digits[:12]):
        return digits
    return None


def _ean_check_digit(twelve: str) -> str:
    return str(-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(twelve)) % 10)


_PMCID = re.compile(
    r"\s*(?:https?://(?:www\.ncbi\.nlm\.nih\.gov/pmc|pmc\.ncbi\.nlm\.nih\.gov|europepmc\.org)/articles?/(?:pmc/)?)?"
    r"(?:pmcid:?\s*)?(pmc\d{1,8})(?:\.\d+)?/?\s*",
    re.IGNORECASE | re.ASCII,
)


def pmcid(text: str) -> str | None:
    """Return the identifier of PubMed Central, as in PMC1234567; a bare number is none, it may be a PMID.

    >>> pmcid("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/")
    'PMC1234567'
    """
    found = _PMCID.fullmatch(text)
    return found[1].upper() if found else None


_PLAIN_URL = re.compile(r"https?://(?:[a-z0-9-]+\.)+(?:[a-z0-9-]+/[\w./~%+=&?#,:;@!-]+|[a-z]+)", re.ASCII)
_URL = re.compile(
    r"(https?|s?ftp)://(?:[^/?#\s]*@)?(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{0,5}))?([/?#][^\s<>\"\x00-\x1f\x7f]*)?",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"http": "80", "https": "443", "ftp": "21", "sftp": "22"}


def url(text: str) -> str | None:
    """Return an http, https, ftp or sftp URL: scheme and host in lower case, no user, no default port.

    Path, query and fragment stay as they are, but a bare host has no slash (RFC 3986, 6.2).

    >>> url("HTTPS://user:secret@Example.ORG:443/")
    'https://example.org'
    """
    if _PLAIN_URL.fullmatch(text):
        return text
    found = _URL.fullmatch(squeeze(text).strip("<> "))
    if not found or not found[2].strip("._-"):
        return None
    scheme, host, port, rest = found[1].lower(), found[2].lower(), found[3], found[4] or ""
    place = host if not port or port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"
    return f"{scheme}://{place}{'' if rest == '/' else rest}"


_REPOSITORY = re.compile(
    r"(?:scm:)?(?:(?:git|hg|svn)[+:])?(?:(?P<scheme>https?|ssh|git)://|(?=[\w.-]+@)|(?=\w[\w.-]*\.\w+/))"
    r"(?:[^/?#\s@]*@)?(?P<host>\[[0-9a-f:.]+\]|[\w.-]+)(?::(?P<port>\d+)(?=/|$))?[/:](?P<path>[^\s?#<>\"]+)(?:[?#]\S*)?",
    re.IGNORECASE,
)
_HOST_ALIASES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "raw.githubusercontent.com": "github.com",
    "www.gitlab.com": "gitlab.com",
    "altssh.gitlab.com": "gitlab.com",
    "www.bitbucket.org": "bitbucket.org",
    "altssh.bitbucket.org": "bitbucket.org",
    "www.codeberg.org": "codeberg.org",
}
# How many steps of a path name a repository there; GitLab has groups in groups, so any number.
_FORGES = {"github.com": 2, "codeberg.org": 2, "bitbucket.org": 2, "gitlab.com": 0}
_NO_OWNERS = frozenset(
    "orgs users topics search features sponsors about marketplace settings apps explore collections groups"
    " explore projects dashboard login site contact pricing customer-stories enterprise account repo".split()
)
_GITLAB_PAGES = frozenset(
    "- tree blob raw blame commit commits tags branches issues merge_requests wikis".split()
)


_PLAIN_REPOSITORY = re.compile(r"https://github\.com/([a-z0-9-]+)/[a-z0-9_][a-z0-9_-]*", re.ASCII)


def repository_url(text: str) -> str | None:
    """Return the canonical URL of the code repository that `text` names or points into.

    https without user, `.git`, query and last slash; `git@host:o/r.git`, `ssh://`, `git://` and
    `git+https://` read as https. On github.com, gitlab.com, codeberg.org and bitbucket.org the path is
    in lower case (they tell no repositories apart by case) and `/tree/…`, `/blob/…` go. An http
    address with a port of its own keeps its scheme: such a host may not speak https. None for a
    place that cannot be a repository, such as a bare host or an account. Whether it exists is not asked.

    >>> repository_url("git@github.com:PyTorch/PyTorch.git")
    'https://github.com/pytorch/pytorch'
    >>> repository_url("https://gitlab.com/group/sub/Tool/-/tree/main/docs")
    'https://gitlab.com/group/sub/tool'
    """
    lowered = text.lower()
    plain = _PLAIN_REPOSITORY.fullmatch(lowered)
    if plain and plain[1] not in _NO_OWNERS:
        return lowered
    found = _REPOSITORY.fullmatch(squeeze(text).strip("<> "))
    if not found:
        return None
    scheme, port = (found["scheme"] or "").lower(), found["port"]
    host = found["host"].lower()
    host = _HOST_ALIASES.get(host, host)
    if not scheme and "@" not in text and host not in _FORGES:
        return None
    steps = [step for step in found["path"].split("/") if step]
    if "-" in steps[1:]:
        steps = steps[: steps.index("-", 1)]
    if host in _FORGES:
        steps = [step.lower() for step in steps]
        ends = [i for i, step in enumerate(steps) if i > 1 and step in _GITLAB_PAGES]
        steps = steps[: _FORGES[host] or (ends[0] if ends else None)]
        if len(steps) < 2 or steps[0] in _NO_OWNERS:
            return None
    if steps:
        steps[-1] = re.sub(r"\.git$", "", steps[-1], flags=re.IGNORECASE)
    if not steps or not steps[-1]:
        return None
    if scheme in ("ssh", "git", "") or port == _DEFAULT_PORTS[scheme]:
        port = None
    place = (
        f"http://{host}:{port}"
        if scheme == "http" and port
        else f"https://{host}{f':{port}' if port else ''}"
    )
    return f"{place}/{'/'.join(steps)}"


def detect(text: str) -> Identifier | None:
    """Return what a loose text (a URL, an identifier of type `other`) names, or None; URL last.

    >>> detect("https://doi.org/10.5555/ABC"), detect("hal-03663345")
    (Identifier(kind='doi', value='10.5555/abc', description=''), None)
    """
    if found := detect_inside(text):
        return found
    value = url(text)
    return Identifier("url", value) if value else None


def detect_inside(text: str) -> Identifier | None:
    """Return the DOI, SWHID, arXiv identifier, PMCID or ISBN that a URL or loose text is, or None.

    arXiv and ISBN must say their name: bare digits are too easily something else.
    """
    lowered = text.lower()
    if "10." in lowered and (value := doi(text)):
        return Identifier("doi", value)
    if "swh:1:" in lowered and (value := swhid(text)):
        return Identifier("swh", value)
    if "arxiv" in lowered and (value := arxiv(text)):
        return Identifier("arxiv", value)
    if "pmc" in lowered and (value := pmcid(text)):
        return Identifier("pmcid", value)
    if "isbn" in lowered and (value := isbn(text)):
        return Identifier("isbn", value)
    return None
