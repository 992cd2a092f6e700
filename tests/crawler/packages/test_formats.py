"""Manifests, lock files and bills of materials: what each names, with the odd entries of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cffgraph.crawler.packages.files import is_package_list, merged, read_list
from cffgraph.crawler.packages.package import Package

Read = Callable[[str, Any], dict[str, Package]]

NAMES = {
    True: "requirements.txt requirements-dev.txt requirements_test.txt Requirements.TXT dev-requirements.txt"
    " requirements.in requirements3.txt constraints.txt pyproject.toml uv.lock poetry.lock pylock.toml"
    " pylock.dev.toml environment.yml environment.yaml environment-gpu.yml package-lock.json"
    " npm-shrinkwrap.json tool.spdx tool.spdx.json bom.json bom.xml sbom.json sbom-1.0.json tool.sbom.json"
    " tool.cdx.json tool.cdx.xml tool-bom.json",
    False: "README.txt CITATION.cff requirements.md notes.toml package.json pylock.a.b.toml carbom.json"
    " environments.txt my.lock tool.spdx.rdf bom.txt",
}


@pytest.mark.parametrize(
    ("name", "is_one"), [(n, is_one) for is_one, ns in NAMES.items() for n in ns.split()]
)
def test_lists_are_told_by_their_names(name: str, is_one: bool) -> None:
    assert is_package_list(Path("/some/folder") / name) is is_one


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(name: str, content: Any) -> dict[str, Package]:
        """The packages by purl, of a list without faults."""
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        packages, faults = merged(read_list(path))
        assert faults == []
        return {package.purl: package for package in packages}

    return read


def shown(packages: dict[str, Package]) -> list[str]:
    """`kind/name version address`, with an ! for what leads nowhere."""
    return [
        " ".join(filter(None, (purl[4:], p.version, p.address, "!" if p.nowhere else "")))
        for purl, p in packages.items()
    ]


def test_pyproject(read: Read) -> None:
    found = read(
        "pyproject.toml",
        """
        [build-system]
        requires = ["builder"]
        [project]
        name = "My.Tool"
        dependencies = ["foo==1.0; python_version > '3'", "Bar[x]>=2",
            "baz @ git+https://github.com/o/baz@v1"]
        [project.optional-dependencies]
        dev = ["my-tool[test]", "pytest-x"]
        [dependency-groups]
        docs = ["docs-x", { include-group = "dev" }]
        [tool.uv.sources]
        foo = { workspace = true }
        Bar = [{ git = "https://github.com/o/bar", tag = "v1", marker = "x" }, { index = "y" }]
        [tool.uv]
        dev-dependencies = ["uv-x"]
        [tool.pdm.dev-dependencies]
        test = ["pdm-x"]
        """,
    )
    assert shown(found) == [
        "pypi/bar https://github.com/o/bar", "pypi/baz https://github.com/o/baz", "pypi/docs-x",
        "pypi/foo 1.0 !", "pypi/pdm-x", "pypi/pytest-x", "pypi/uv-x",
    ]  # fmt: skip


def test_pyproject_of_poetry(read: Read) -> None:
    found = read(
        "pyproject.toml",
        """
        [tool.poetry]
        name = "my-tool"
        [tool.poetry.dependencies]
        python = "^3.11"
        exact = "1.2.3"
        caret = "^1.2"
        star = "*"
        table = { version = "==2.0", extras = ["x"], optional = true }
        ours = { git = "git@github.com:o/ours.git", branch = "main" }
        local = { path = "../local", develop = true }
        several = [{ version = "1.0", python = "<3" }, { git = "https://github.com/o/several.git" }]
        [tool.poetry.dev-dependencies]
        old-dev = "^1"
        [tool.poetry.group.docs.dependencies]
        docs-x = "^1"
        """,
    )
    assert shown(found) == [
        "pypi/caret", "pypi/docs-x", "pypi/exact 1.2.3", "pypi/local !", "pypi/old-dev",
        "pypi/ours https://github.com/o/ours", "pypi/several https://github.com/o/several", "pypi/star",
        "pypi/table 2.0",
    ]  # fmt: skip


def test_uv_lock(read: Read) -> None:
    found = read(
        "uv.lock",
        """
        version = 1
        [[package]]
        name = "my-tool"
        source = { editable = "." }
        [[package]]
        name = "root"
        source = { virtual = "." }
        [[package]]
        name = "foo"
        version = "1.0"
        source = { registry = "https://pypi.org/simple" }
        [[package]]
        name = "foo"
        version = "2.0"
        source = { registry = "https://pypi.org/simple" }
        [[package]]
        name = "bar"
        version = "0.1"
        source = { git = "https://github.com/O/Bar?rev=v1#0a1b2c" }
        [[package]]
        name = "member"
        source = { editable = "packages/member" }
        [[package]]
        name = "zip"
        version = "3"
        source = { url = "https://github.com/o/zip/archive/3.zip" }
        """,
    )
    assert shown(found) == [
        "pypi/bar 0.1 https://github.com/o/bar", "pypi/foo", "pypi/member !",
        "pypi/zip 3 https://github.com/o/zip",
    ]  # fmt: skip


def test_poetry_lock(read: Read) -> None:
    found = read(
        "poetry.lock",
        """
        [[package]]
        name = "Foo"
        version = "1.0"
        [[package]]
        name = "bar"
        version = "0.1"
        [package.source]
        type = "git"
        url = "https://git.tools.example/o/bar.git"
        resolved_reference = "0a1b"
        [[package]]
        name = "local"
        version = "0"
        [package.source]
        type = "directory"
        url = "../local"
        [[package]]
        name = "house"
        version = "2"
        [package.source]
        type = "legacy"
        url = "https://index.example/simple"
        [metadata]
        lock-version = "2.0"
        """,
    )
    assert shown(found) == [
        "pypi/bar 0.1 https://git.tools.example/o/bar.git", "pypi/foo 1.0", "pypi/house 2", "pypi/local 0 !",
    ]  # fmt: skip


def test_pylock(read: Read) -> None:
    found = read(
        "pylock.dev.toml",
        """
        lock-version = "1.0"
        created-by = "x"
        [[packages]]
        name = "foo"
        version = "1.0"
        [[packages]]
        name = "bar"
        vcs = { type = "git", url = "https://github.com/o/bar", commit-id = "0a" }
        [[packages]]
        name = "mercury"
        vcs = { type = "hg", url = "https://hg.example/mercury", commit-id = "0a" }
        [[packages]]
        name = "me"
        directory = { path = ".", editable = true }
        [[packages]]
        name = "local"
        directory = { path = "./local" }
        [[packages]]
        name = "arch"
        archive = { url = "https://files.example/arch.zip" }
        """,
    )
    assert shown(found) == [
        "pypi/arch", "pypi/bar https://github.com/o/bar", "pypi/foo 1.0", "pypi/local !", "pypi/mercury !",
    ]  # fmt: skip


def test_conda_environment(read: Read, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("included==1\n")
    found = read(
        "environment.yml",
        """
name: on
channels: [https://conda.anaconda.org/bioconda/label/main, defaults]
dependencies:
  - python=3.10
  - numeric = 1.10
  - other=1.2=h91753b0_8
  - loose>=1.2,<2
  - "bracket[version='>=1']"
  - conda-forge/linux-64::elsewhere==2
  - defaults::base-x
  - pip
  - pip:
    - foo==1.0
    - -e git+https://github.com/o/bar.git#egg=bar
    - -r requirements.txt
    - -e .
""",
    )
    assert shown(found) == [
        "conda/base-x", "conda/bracket", "conda/elsewhere 2", "conda/loose", "conda/numeric 1.10",
        "conda/other 1.2",
        "conda/pip", "conda/python 3.10", "pypi/bar https://github.com/o/bar", "pypi/foo 1.0",
        "pypi/included 1",
    ]  # fmt: skip
    channels = {p.name: p.channel for p in found.values() if p.kind == "conda"}
    assert (channels["numeric"], channels["elsewhere"], channels["base-x"]) == (
        "bioconda",
        "conda-forge",
        "main",
    )


def test_package_lock_version_1(read: Read) -> None:
    found = read(
        "package-lock.json",
        {
            "name": "app",
            "lockfileVersion": 1,
            "dependencies": {
                "foo": {"version": "1.0.0", "dependencies": {"@s/inner": {"version": "2.0.0"}}},
                "bar": {"version": "git+ssh://git@github.com/o/bar.git#0a1b", "from": "bar@github:o/bar"},
                "short": {"version": "github:o/short#0a1b"},
                "alias": {"version": "npm:real@3.0.0"},
                "local": {"version": "file:../local"},
                "tar": {"version": "https://files.example/tar-1.tgz"},
            },
        },
    )
    assert shown(found) == [
        "npm/%40s/inner 2.0.0", "npm/bar https://github.com/o/bar", "npm/foo 1.0.0", "npm/local !",
        "npm/real 3.0.0", "npm/short https://github.com/o/short", "npm/tar",
    ]  # fmt: skip


@pytest.mark.parametrize("version", [2, 3])
def test_package_lock_versions_2_and_3(read: Read, version: int) -> None:
    found = read(
        "package-lock.json",
        {
            "lockfileVersion": version,
            "packages": {
                "": {"name": "app", "version": "1.0.0"},
                "node_modules/foo": {
                    "version": "1.0.0",
                    "resolved": "https://registry.npmjs.org/foo/-/foo-1.0.0.tgz",
                },
                "node_modules/foo/node_modules/@s/inner": {"version": "2.0.0"},
                "node_modules/bar": {"version": "0.1.0", "resolved": "git+ssh://git@github.com/o/bar.git#0a"},
                "node_modules/alias": {"name": "real", "version": "3.0.0"},
                "node_modules/member": {"resolved": "packages/member", "link": True},
                "packages/member": {"name": "member", "version": "1.0.0"},
                "packages/member/node_modules/deep": {"version": "4.0.0"},
            },
            "dependencies": {"ignored-by-2": {"version": "1.0.0"}},
        },
    )
    assert shown(found) == [
        "npm/%40s/inner 2.0.0", "npm/bar 0.1.0 https://github.com/o/bar", "npm/deep 4.0.0", "npm/foo 1.0.0",
        "npm/real 3.0.0",
    ]  # fmt: skip


_SPDX2 = {
    "spdxVersion": "SPDX-2.3",
    "packages": [
        {"SPDXID": "SPDXRef-Root", "name": "app"},
        {
            "SPDXID": "SPDXRef-1",
            "name": "foo",
            "versionInfo": "1.0",
            "downloadLocation": "NOASSERTION",
            "externalRefs": [
                {"referenceType": "cpe23Type", "referenceLocator": "cpe:2.3:a:x"},
                {"referenceType": "purl", "referenceLocator": "pkg:pypi/foo@1.0"},
            ],
        },
        {
            "SPDXID": "SPDXRef-2",
            "name": "bar",
            "versionInfo": "2",
            "downloadLocation": "git+https://github.com/o/bar@0a1b",
            "externalRefs": [],
        },
        {"SPDXID": "SPDXRef-3", "name": "deb-x", "downloadLocation": "https://deb.example/x.tar.gz",
         "homepage": "https://github.com/o/deb-x"},
        {"SPDXID": "SPDXRef-4", "name": "act", "externalRefs": [
            {"referenceType": "purl", "referenceLocator": "pkg:githubactions/o/act@v4"}]},
    ],
    "relationships": [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
         "relatedSpdxElement": "SPDXRef-Root"}
    ],
}  # fmt: skip

_OF_SPDX2 = [
    "generic/bar 2 https://github.com/o/bar !",
    "generic/deb-x !",
    "githubactions/o/act v4 https://github.com/o/act",
    "pypi/foo 1.0",
]


@pytest.mark.parametrize("content", [_SPDX2, {"sbom": _SPDX2}], ids=["plain", "as GitHub wraps it"])
def test_spdx_2_json(read: Read, content: Any) -> None:
    found = read("tool.spdx.json", content)
    assert shown(found) == _OF_SPDX2
    assert found["pkg:generic/deb-x"].links == (("homepage", "https://github.com/o/deb-x"),)


def test_spdx_2_tag_value(read: Read) -> None:
    found = read(
        "tool.spdx",
        """SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
DocumentComment: <text>
PackageName: not-one
</text>
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Root

PackageName: app
SPDXID: SPDXRef-Root

PackageName: foo
SPDXID: SPDXRef-1
PackageVersion: 1.0
PackageDownloadLocation: NOASSERTION
ExternalRef: SECURITY cpe23Type cpe:2.3:a:x
ExternalRef: PACKAGE-MANAGER purl pkg:pypi/foo@1.0

PackageName: bar
SPDXID: SPDXRef-2
PackageVersion: 2
PackageDownloadLocation: git+https://github.com/o/bar@0a1b

PackageName: deb-x
SPDXID: SPDXRef-3
PackageHomePage: https://github.com/o/deb-x

PackageName: act
ExternalRef: PACKAGE-MANAGER purl pkg:githubactions/o/act@v4

FileName: ./x.c
SPDXID: SPDXRef-File
""",
    )
    assert shown(found) == _OF_SPDX2


def test_spdx_3(read: Read) -> None:
    found = read(
        "sbom-3.json",
        {
            "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld",
            "@graph": [
                {"type": "SpdxDocument", "spdxId": "urn:doc", "rootElement": ["urn:app"]},
                {"type": "software_Package", "spdxId": "urn:app", "name": "app"},
                {"type": "software_Package", "spdxId": "urn:1", "name": "foo",
                 "software_packageVersion": "1.0",
                 "software_packageUrl": "pkg:pypi/foo"},
                {"type": "software_Package", "spdxId": "urn:2", "name": "bar",
                 "externalRef": [{"externalRefType": "vcs", "locator": ["git@github.com:o/bar.git"]}],
                 "externalIdentifier": [
                     {"externalIdentifierType": "packageUrl", "identifier": "pkg:npm/bar@2"}
                 ]},
                {"type": "software_File", "spdxId": "urn:3", "name": "x.c"},
            ],
        },
    )  # fmt: skip
    assert shown(found) == ["npm/bar 2 https://github.com/o/bar", "pypi/foo 1.0"]


def test_cyclonedx_json(read: Read) -> None:
    found = read(
        "bom.json",
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "metadata": {"component": {"name": "app", "purl": "pkg:npm/app"}},
            "components": [
                {"type": "library", "name": "foo", "version": "1.0", "purl": "pkg:pypi/foo@1.0",
                 "components": [{"type": "library", "name": "inner", "purl": "pkg:npm/inner@3"}]},
                {"type": "library", "group": "org.x", "name": "bar", "purl": "pkg:maven/org.x/bar@2",
                 "externalReferences": [{"type": "vcs", "url": "https://git.tools.example/o/bar"}]},
                {"type": "library", "group": "g", "name": "nopurl",
                 "externalReferences": [{"type": "website", "url": "https://github.com/o/nopurl"}]},
                {"type": "file", "name": "x.c"},
            ],
        },
    )  # fmt: skip
    assert shown(found) == [
        "generic/g/nopurl !", "maven/org.x/bar 2 https://git.tools.example/o/bar", "npm/inner 3",
        "pypi/foo 1.0",
    ]  # fmt: skip


def test_cyclonedx_xml(read: Read) -> None:
    found = read(
        "bom.xml",
        """<?xml version="1.0" encoding="UTF-8"?>
<c:bom xmlns:c="http://cyclonedx.org/schema/bom/1.4"><c:metadata><c:component type="application">
<c:name>app</c:name></c:component></c:metadata><c:components>
<c:component type="library"><c:name>foo</c:name><c:version>1.0</c:version><c:purl> pkg:pypi/foo@1.0 </c:purl>
  <c:components><c:component type="library"><c:purl>pkg:npm/inner@3</c:purl></c:component></c:components>
</c:component>
<c:component type="library"><c:name>bar</c:name><c:purl>pkg:npm/bar</c:purl><c:externalReferences>
  <c:reference type="vcs"><c:url>https://github.com/o/bar.git</c:url></c:reference></c:externalReferences>
</c:component></c:components></c:bom>""",
    )
    assert shown(found) == ["npm/bar https://github.com/o/bar", "npm/inner 3", "pypi/foo 1.0"]


_DEEP = 200_000
_BILLION = (
    '<?xml version="1.0"?><!DOCTYPE bom [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><bom><components><component><name>&j;</name></component></components></bom>"
)
_YAML_BOMB = "a: &a [x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 10)}]\n" for i in range(9)
)

HOSTILE: list[tuple[str, str | bytes, str]] = [
    ("bom.xml", _BILLION, "document type"),
    ("bom.xml", _BILLION.encode("utf-16"), "document type"),
    ("bom.xml", '<!DOCTYPE x SYSTEM "file:///etc/passwd"><bom/>', "document type"),
    ("bom.xml", "<a>" * _DEEP, "nested too deeply"),
    ("bom.xml", "<html><body>Not found</body></html>", "no CycloneDX"),
    ("bom.xml", "<bom", "is not XML"),
    ("bom.xml", '<?xml version="1.0" encoding="no-such"?><bom/>', "XML|encoding"),
    ("bom.json", '{"components":' + "[" * _DEEP, "nested too deeply"),
    ("bom.json", "{", "is not JSON"),
    ("bom.json", '{"x": 1}', "neither an SPDX nor"),
    ("sbom.json", "[1]", "neither an SPDX nor"),
    ("sbom.json", '{"components": ' + "9" * 5000 + "}", "is not JSON"),
    ("tool.spdx", "just text\n" * 1000, "neither an SPDX nor"),
    ("package-lock.json", "[]", "no lock file of npm"),
    ("package-lock.json", '{"a":' * _DEEP, "nested too deeply"),
    ("uv.lock", "a = " + "[" * _DEEP, "nested too deeply"),
    ("uv.lock", ".".join("a" * 100_000) + " = 1", "more than 40 parts"),
    ("uv.lock", "x = {" + ".".join("a" * 100_000) + " = 1}", "more than 40 parts"),
    ("uv.lock", "a = 1\na = 2", "is not TOML"),
    ("uv.lock", "title = 'x'", "no lock file"),
    ("poetry.lock", "<<<<<<< HEAD\n", "is not TOML"),
    ("pyproject.toml", b"\x80 = ", "is not TOML"),
    ("environment.yml", _YAML_BOMB + "dependencies: *j\n", "aliases"),
    ("environment.yml", "dependencies: " + "[" * _DEEP, "not YAML|too deeply"),
    ("environment.yml", "dependencies: &d [*d]", "aliases"),
    ("environment.yml", "a: 'b", "is not YAML in line"),
    ("environment.yml", "- x", "no environment of conda"),
    ("environment.yml", "!!python/object/apply:os.system ['touch pwned']", "no environment of conda"),
]


@pytest.mark.parametrize(("name", "content", "reason"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_lists_end_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | bytes, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    packages, faults = merged(read_list(path))
    assert packages == []
    assert len(faults) == 1
    assert faults[0].place == str(path)
    assert any(part in faults[0].reason for part in reason.split("|")), faults[0].reason
    assert [p.name for p in tmp_path.iterdir()] == [name]


# Each is large and ends soon all the same: a reader that goes back and forth would not end at all.
LARGE: list[tuple[str, str, int]] = [
    ("requirements.txt", "foo\\\n" * 200_000, 0),
    ("requirements.txt", "a" * 3_000_000, 0),
    ("requirements.txt", "foo " + "#" * 1_000_000, 1),
    ("requirements.txt", "foo" + " " * 1_000_000 + "x", 0),
    ("requirements.txt", ("foo[" + "a," * 2000 + "\n") * 200, 0),
    ("tool.spdx", "SPDXVersion: SPDX-2.3\nPackageName: a\n" + "<text>" * 200_000, 1),
    ("tool.spdx", "SPDXVersion: SPDX-2.3\nPackageName: a\nPackageComment: " + "<text><" * 200_000, 1),
    ("uv.lock", "version = 1\n" + '[[package]]\nname = "foo"\n' * 20_000, 1),
    ("package-lock.json",
     '{"dependencies":{' + '"foo":{"version":"1"},' * 50_000 + '"bar":{"version":"1"}}}', 2),
    ("environment.yml", "dependencies:\n" + "- foo\n" * 20_000, 1),
    ("bom.xml",
     "<bom><components>" + "<component><name>a</name></component>" * 20_000 + "</components></bom>", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "count"), LARGE, ids=range(len(LARGE)))
def test_large_lists_are_read_to_their_end(tmp_path: Path, name: str, content: str, count: int) -> None:
    path = tmp_path / name
    path.write_text(content)
    packages, faults = merged(read_list(path))
    assert len(packages) == count
    assert bool(faults) is (count == 0)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").mkdir()
    for place in (tmp_path / "uv.lock", tmp_path / "poetry.lock"):
        packages, [fault] = merged(read_list(place))
        assert packages == []
        assert fault.place == str(place)


def test_a_list_of_more_bytes_than_are_read(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    with path.open("wb") as file:
        file.truncate((32 << 20) + 1)
    packages, [fault] = merged(read_list(path))
    assert packages == []
    assert "more than 33,554,432 bytes" in fault.reason


def test_no_password_of_a_list_is_told(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("foo bar @ https://me:secret@tool.example/x\n-r https://me:secret@tool.example/x\n")
    _, faults = merged(read_list(path))
    assert len(faults) == 2
    assert "secret" not in str(faults)
