"""Software bills of materials: SPDX 2 (JSON, tag-value) and 3 (JSON), CycloneDX (JSON, XML).

They name packages by purl, and often say where the source is. What a bill is about, the product
itself, is none of its packages.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from ...cff.decode import decode
from .address import git_address
from .loose import Table, read_json, table, tables, text, texts
from .package import Content, Entry, Package, Unreadable, parse_purl
from .xml_tree import Node, read_xml

_NO_VALUES = ("NOASSERTION", "NONE", "")


def read(content: Content) -> Iterator[Entry]:
    """Yield the packages of a bill; of which kind it is, its content tells."""
    # Without the marks and NULs of UTF-16 and its like.
    start = content.data[:256].translate(None, b"\0\xef\xbb\xbf\xff\xfe \t\r\n")
    if start.startswith(b"<"):
        yield from _of_cyclonedx_xml(read_xml(content.data))
        return
    if not start.startswith((b"{", b"[")):
        yield from _of_tag_value(decode(content.data).text)
        return
    whole = read_json(content.data)
    whole = table(whole.get("sbom")) or whole  # as GitHub's interface wraps it
    if "bomFormat" in whole or "components" in whole:
        yield from _of_cyclonedx(whole)
    elif "spdxVersion" in whole or "packages" in whole:
        yield from _of_spdx2(whole)
    elif "@graph" in whole:
        yield from _of_spdx3(whole)
    else:
        raise Unreadable("is neither an SPDX nor a CycloneDX bill of materials")


def _package(
    purls: Iterable[str], name: str, version: str, addresses: Iterable[str], links: Iterable[tuple[str, str]]
) -> Package | None:
    """A package by its first purl that can be read, else by its name; None when it has neither."""
    package = next((found for purl in purls if (found := parse_purl(purl))), None)
    if package is None:
        if not name:
            return None
        package = Package("generic", name.strip("/")[:512], nowhere="has no purl, and names no repository")
    address = package.address or next(filter(None, addresses), "")
    kept = tuple((label, url) for label, url in links if url not in _NO_VALUES)
    return dataclasses.replace(package, version=package.version or version, address=address, links=kept)


def _source(url: str) -> str:
    """An address of version control; that of an archive says nothing of where the source is kept."""
    if not url.startswith(("git+", "git:", "git@", "ssh:")) and not re.search(
        r"\.git(?:[@#?]|$)|//(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)/", url
    ):
        return ""
    return git_address(url)[0]


# --- SPDX 2 (spdx.github.io/spdx-spec/v2.3) -------------------------------------------------------


def _of_spdx2(whole: Table) -> Iterator[Package]:
    listed = list(tables(whole.get("packages")))
    subjects = set(texts(whole.get("documentDescribes"))) | {
        text(relation.get("relatedSpdxElement"))
        for relation in tables(whole.get("relationships"))
        if relation.get("relationshipType") == "DESCRIBES"
    }
    for entry in _without_subject(listed, subjects, "SPDXID"):
        references = [
            (text(r.get("referenceType")), text(r.get("referenceLocator")))
            for r in tables(entry.get("externalRefs"))
        ]
        package = _package(
            (locator for kind, locator in references if kind == "purl"),
            text(entry.get("name")),
            text(entry.get("versionInfo")),
            (_source(text(entry.get("downloadLocation"))),),
            (("homepage", text(entry.get("homepage"))),),
        )
        if package is not None:
            yield package


def _without_subject(listed: list[Table], subjects: set[str], key: str) -> list[Table]:
    """The packages that the bill is not about; all, when it is about each of them."""
    others = [entry for entry in listed if text(entry.get(key)) not in subjects]
    return others or listed


_TAG = re.compile(r"^(\w+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_TAGS = {"PackageName", "SPDXID", "PackageVersion", "PackageDownloadLocation", "PackageHomePage"}


def _of_tag_value(content: str) -> Iterator[Package]:
    """The tag-value form, turned into the tables of the JSON form."""
    # A text between <text> marks may hold lines that look like tags.
    plain = re.sub(r"<text>[^<]*(?:<(?!/text>)[^<]*)*(?:</text>|\Z)", "", content)
    listed: list[Table] = []
    relations: list[Table] = []
    current: Table = {}
    is_bill = False
    for tag, value in _TAG.findall(plain):
        is_bill = is_bill or tag == "SPDXVersion"
        if tag == "PackageName":
            current = {"name": value, "externalRefs": []}
            listed.append(current)
        elif tag in ("FileName", "SnippetSPDXID", "LicenseID"):
            current = {}  # what follows is not of a package
        elif tag == "ExternalRef" and "externalRefs" in current:
            words = value.split()
            if len(words) >= 3:
                current["externalRefs"].append({"referenceType": words[1], "referenceLocator": words[2]})
        elif tag == "Relationship":
            words = value.split()
            if len(words) == 3:
                relations.append({"relationshipType": words[1], "relatedSpdxElement": words[2]})
        elif tag in _TAGS and current:
            current[_TAG_KEYS[tag]] = value
    if not is_bill and not listed:
        raise Unreadable("is neither an SPDX nor a CycloneDX bill of materials")
    yield from _of_spdx2({"packages": listed, "relationships": relations})


_TAG_KEYS = {
    "SPDXID": "SPDXID",
    "PackageVersion": "versionInfo",
    "PackageDownloadLocation": "downloadLocation",
    "PackageHomePage": "homepage",
}


# --- SPDX 3 (spdx.github.io/spdx-spec/v3.0.1) -----------------------------------------------------


def _of_spdx3(whole: Table) -> Iterator[Package]:
    graph = list(tables(whole.get("@graph")))
    listed = [e for e in graph if text(e.get("type") or e.get("@type")).endswith("software_Package")]
    subjects = {root for e in graph if "rootElement" in e for root in texts(e["rootElement"])}
    for entry in _without_subject(listed, subjects, "spdxId"):
        purls = [text(entry.get("software_packageUrl"))] + [
            text(identifier.get("identifier"))
            for identifier in tables(entry.get("externalIdentifier"))
            if text(identifier.get("externalIdentifierType")) in ("packageUrl", "packageURL", "purl")
        ]
        sources = [
            locator
            for reference in tables(entry.get("externalRef"))
            if text(reference.get("externalRefType")) == "vcs"
            for locator in texts(reference.get("locator"))
        ]
        package = _package(
            purls,
            text(entry.get("name")),
            text(entry.get("software_packageVersion")),
            (
                *(git_address(url)[0] for url in sources),
                _source(text(entry.get("software_downloadLocation"))),
            ),
            (*(("vcs", url) for url in sources), ("homepage", text(entry.get("software_homePage")))),
        )
        if package is not None:
            yield package


# --- CycloneDX (cyclonedx.org/docs, 1.2 to 1.6) ---------------------------------------------------


def _of_cyclonedx(whole: Table) -> Iterator[Package]:
    todo = [whole.get("components")]
    while todo:
        for entry in tables(todo.pop()):
            todo.append(entry.get("components"))
            if text(entry.get("type")) in ("file", "operating-system", "device", "data"):
                continue
            references = [
                (text(r.get("type")), text(r.get("url"))) for r in tables(entry.get("externalReferences"))
            ]
            package = _of_component(
                text(entry.get("purl")),
                "/".join(filter(None, (text(entry.get("group")), text(entry.get("name"))))),
                text(entry.get("version")),
                references,
            )
            if package is not None:
                yield package


def _of_cyclonedx_xml(root: Node) -> Iterator[Package]:
    if root.name != "bom":
        raise Unreadable(f"is no CycloneDX bill of materials: it begins with <{root.name[:40]}>")
    todo = list(root.all("components", "component"))
    while todo:
        entry = todo.pop()
        todo += entry.all("components", "component")
        if entry.attributes.get("type") in ("file", "operating-system", "device", "data"):
            continue
        package = _of_component(
            entry.text_at("purl"),
            "/".join(filter(None, (entry.text_at("group"), entry.text_at("name")))),
            entry.text_at("version"),
            [
                (reference.attributes.get("type", ""), reference.text_at("url"))
                for reference in entry.all("externalReferences", "reference")
            ],
        )
        if package is not None:
            yield package


def _of_component(purl: str, name: str, version: str, references: list[tuple[str, str]]) -> Package | None:
    sources = [url for kind, url in references if kind == "vcs"]
    return _package(
        (purl,),
        name,
        version,
        (git_address(url)[0] for url in sources),
        [(kind, url) for kind, url in references if kind in ("vcs", "website", "issue-tracker")],
    )
