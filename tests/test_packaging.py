"""The root of the checkout is the package: each trap of that layout has a guard here.

Nothing here asks the network: wheels are built by the setuptools at hand and installed by unpacking
them, which is all that installing a wheel of plain Python is.
"""

from __future__ import annotations

import ast
import email
import os
import shutil
import site
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NOT_PACKAGED = {"tests", "benchmarks", "docs", ".ci"}


def checkout_files() -> list[Path]:
    """Files of the checkout relative to its root: what git has or would add; in an unpacked sdist, all."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0 and (ROOT / ".git").exists():
        paths = [Path(p) for p in listing.stdout.split("\0") if p]
    else:
        left_out = {"build", "dist", "__pycache__"}
        paths = [
            p.relative_to(ROOT)
            for p in ROOT.rglob("*")
            if not any(
                part in left_out or part.endswith(".egg-info") or (part[0] == "." and part != ".ci")
                for part in p.relative_to(ROOT).parts
            )
        ]
    return sorted(p for p in paths if (ROOT / p).is_file())


def copy_checkout(target: Path) -> Path:
    """Copy the checkout without what building and testing leave behind, as a fresh clone has it."""
    for path in checkout_files():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, target / path)
    return target


def build(kind: str, source: Path, out: Path) -> Path:
    """Build a `wheel`, `sdist` or `editable` of the folder `source`; return the file."""
    out.mkdir(exist_ok=True)
    code = f"from setuptools import build_meta as b; print(b.build_{kind}({str(out)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


def wheel_content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def fresh_environment(folder: Path, wheel: Path) -> Path:
    """Make an environment that holds `wheel` and the dependencies at hand; return its Python.

    The dependencies are links to those of the running environment, less any cffgraph in it.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.check_output([python, "-c", code], text=True).strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    shared = folder / "dependencies"
    shared.mkdir()
    for place in map(Path, site.getsitepackages()):
        for entry in place.iterdir() if place.is_dir() else ():
            if not entry.name.startswith(("cffgraph", "__editable__", "_editable_")):
                (shared / entry.name).symlink_to(entry)
    (packages / "dependencies.pth").write_text(f"{shared}\n")
    return python


def run(python: Path, *arguments: str, cwd: Path) -> str:
    """Run Python in a plain environment; return its output, or fail with all that it said."""
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [python, *arguments], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # A name that is no Python name: nothing may lean on what the folder is called.
    return copy_checkout(tmp_path_factory.mktemp("clones") / "2nd clone-of.cffgraph")


@pytest.fixture(scope="module")
def sdist(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", clone, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", clone, tmp_path_factory.mktemp("wheel"))


def modules() -> list[Path]:
    """Python files of the package."""
    return [p for p in checkout_files() if p.suffix == ".py" and p.parts[0] not in NOT_PACKAGED]


def test_the_list_of_packages_is_the_folders() -> None:
    folders = {".".join(("cffgraph", *p.parent.parts)) for p in modules()}
    assert PROJECT["tool"]["setuptools"]["packages"] == sorted(folders)
    assert {p.parent for p in modules()} == {p.parent for p in modules() if p.name == "__init__.py"}


def test_no_stray_module_in_the_root() -> None:
    # A setup.py, conftest.py or script there would become part of the package.
    assert [p.name for p in modules() if len(p.parts) == 1] == ["__init__.py", "__main__.py"]


def test_the_tests_are_no_package() -> None:
    assert not [p for p in checkout_files() if p.parts[0] in NOT_PACKAGED and p.name == "__init__.py"]


ROOMS = sorted({p.parts[0] for p in modules() if len(p.parts) > 1})


@pytest.mark.parametrize("room", ROOMS)
def test_ruff_bans_the_room_as_a_top_level_name(room: str) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise"]
    command += ["--stdin-filename", str(ROOT / "cli" / "example.py"), "-"]
    code = f'"""An example."""\n\nimport {room}\n\nprint({room})\n'
    done = subprocess.run(command, input=code, cwd=ROOT, capture_output=True, text=True)
    assert "TID251" in done.stdout, done.stdout + done.stderr


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(wheel_content(wheel))
    assert {name.split("/")[0] for name in names} == {"cffgraph", f"{wheel.name.split('-py3')[0]}.dist-info"}
    data = {"cffgraph/py.typed", "cffgraph/migrations/script.py.mako"}
    code = {f"cffgraph/{p.as_posix()}" for p in modules()}
    assert {name for name in names if name.startswith("cffgraph/")} == code | data


def test_wheel_metadata(wheel: Path) -> None:
    content = wheel_content(wheel)
    dist_info = next(name for name in content if name.endswith("/METADATA")).split("/")[0]
    assert content[f"{dist_info}/top_level.txt"].split() == [b"cffgraph"]
    assert f"{dist_info}/licenses/LICENSE" in content
    assert b"cffgraph = cffgraph.cli.main:main" in content[f"{dist_info}/entry_points.txt"]
    metadata = email.message_from_bytes(content[f"{dist_info}/METADATA"])
    assert (metadata["Name"], metadata["License-Expression"]) == ("cffgraph", "MIT")


def test_wheel_is_pure_python(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


def test_sdist_holds_the_checkout(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {Path(*Path(m.name).parts[1:]) for m in archive.getmembers() if m.isfile()}
    made_by_git_only = {Path(".gitignore"), Path(".gitattributes")}
    assert set(checkout_files()) - made_by_git_only <= names


def test_sdist_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build("wheel", tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path / "out")
    mine, theirs = wheel_content(wheel), wheel_content(again)
    assert sorted(mine) == sorted(theirs)
    # The tables of hashes list the same files in the order of the folders, which is the machine's.
    assert [name for name in mine if mine[name] != theirs[name] and not name.endswith("/RECORD")] == []


def test_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    python = fresh_environment(tmp_path, wheel)
    version = run(python, "-m", "cffgraph", "--version", cwd=tmp_path)
    assert wheel.name.split("-")[1] in version
    where = run(python, "-c", "import cffgraph; print(cffgraph.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path / "env")
    names = run(
        python, "-c", f"from importlib.util import find_spec as f; print(*map(f, {ROOMS}))", cwd=tmp_path
    )
    assert set(names.split()) == {"None"}


def test_editable_install_follows_the_checkout(clone: Path, tmp_path: Path) -> None:
    python = fresh_environment(tmp_path, build("editable", clone, tmp_path / "out"))
    where = run(python, "-c", "import cffgraph.db; print(cffgraph.db.__file__)", cwd=tmp_path)
    assert where.strip() == str(clone / "db" / "__init__.py")


def test_the_root_module_does_no_work() -> None:
    # pytest takes the root for a package of tests and runs its __init__.py once more, as `__init__`.
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    assert [type(node).__name__ for node in tree.body] == ["Expr", "Assign"]


@pytest.fixture(scope="module")
def small_clone(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A checkout with two small tests, and the Python that it is installed in, editable."""
    folder = tmp_path_factory.mktemp("small")
    copy = folder / "another clone.2"
    shutil.copytree(clone, copy, ignore=shutil.ignore_patterns("tests"))
    for room in ("cff", "db"):  # the same file name twice, as tests that mirror the folders have it
        (copy / "tests" / room).mkdir(parents=True)
        (copy / "tests" / room / "test_same.py").write_text(
            "import sys\n"
            f"import cffgraph.{room} as room\n"
            "def test_the_room_is_of_this_checkout_and_loaded_once():\n"
            f"    assert room.__file__ == {str(copy / room / '__init__.py')!r}\n"
            "    files = {n: getattr(m, '__file__', None) for n, m in list(sys.modules.items())}\n"
            f"    assert [n for n, f in files.items() if f == room.__file__] == ['cffgraph.{room}']\n"
        )
    return copy, fresh_environment(folder, build("editable", copy, folder / "out"))


@pytest.mark.parametrize("cwd", [".", "tests/cff", "db", ".."])
def test_pytest_runs_from_anywhere(small_clone: tuple[Path, Path], cwd: str) -> None:
    copy, python = small_clone
    options = ("-q", "-p", "no:cacheprovider", "-c", str(copy / "pyproject.toml"))
    said = run(python, "-m", "pytest", *options, str(copy / "tests"), cwd=copy / cwd)
    assert "2 passed" in said
