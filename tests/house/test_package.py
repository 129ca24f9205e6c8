"""What an engineer gets from pip: the whole of ndcg_lib, and nothing but numpy with it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a build needs and git knows, in a folder of its own, because setuptools leaves files behind."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("ndcg_lib", "tests", "ndcg_course"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "browser"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "CHANGELOG.md", "CITATION.cff", "kit.py"):
        shutil.copy(ROOT / name, copy)
    for name in ("book/pdf.py", "book/data/peers.json"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(copy: Path) -> zipfile.ZipFile:
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "-w", copy / "made", copy], check=True)
    (made,) = (copy / "made").glob("*.whl")
    return zipfile.ZipFile(made)


@pytest.mark.slow
def test_every_file_of_the_library_is_in_it(wheel: zipfile.ZipFile) -> None:
    files = {file.relative_to(ROOT).as_posix() for file in (ROOT / "ndcg_lib").rglob("*") if file.is_file()}
    sources = {name for name in files if "__pycache__" not in name}
    assert sources == {name for name in wheel.namelist() if ".dist-info/" not in name}, "no exercise is in it"


SPARED = ("CHANGELOG.md", "book/reference/release.md", "tests/house/test_package.py")


def test_no_text_installs_by_a_name_that_no_index_has() -> None:
    """Until somebody has published it, what a reader types works from a clone or an archive: see "Release"."""
    told = re.compile(r"pip3? install[^\n]*?[\s\"'\\](ndcg[-_](?:lib|course))")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    kinds = (".md", ".py", ".yml", ".toml", ".ipynb", ".html", ".js")
    texts = [name for name in listed.split() if name.endswith(kinds) and name not in SPARED]
    assert [name for name in texts if told.search((ROOT / name).read_text("utf8"))] == []


@pytest.mark.slow
def test_it_asks_for_numpy_alone(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("METADATA"))
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert [line.split()[1].split(">")[0] for line in needed] == ["numpy"]


@pytest.mark.slow
def test_the_page_of_an_index_needs_nothing_of_the_clone(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("METADATA"))
    about, _, page = metadata.partition("\n\n")
    assert "Description-Content-Type: text/markdown" in about
    assert "pip install" in page
    assert not re.search(r"\]\((?!https?:)", page), "a link that is relative to the clone is dead on an index"
    assert "git" not in re.findall(r"\w+", page)


@pytest.fixture(scope="module")
def unpacked(copy: Path) -> Path:
    """The sdist, unpacked."""
    code = "import setuptools.build_meta as b; b.build_sdist('made')"
    subprocess.run([sys.executable, "-c", code], cwd=copy, check=True, capture_output=True)
    (made,) = (copy / "made").glob("*.tar.gz")
    with tarfile.open(made) as packed:
        packed.extractall(copy / "unpacked", filter="data")
    (folder,) = (copy / "unpacked").iterdir()
    return folder


@pytest.mark.sweep
def test_the_sdist_holds_no_answer_and_its_tests_run(unpacked: Path) -> None:
    assert not [file for file in unpacked.rglob("*") if "ndcg_course" in file.parts or "solutions" in file.parts]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=unpacked, env=own, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
        return done.stdout

    assert "test_peers.py" in run("--collect-only", "tests")
    assert "passed" in run("tests/numbers/test_core.py", "tests/numbers/test_measures.py")
    where = [sys.executable, "-c", "import ndcg_lib; print(ndcg_lib.__file__)"]
    found = subprocess.run(where, cwd=unpacked, env=own, capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()).is_relative_to(unpacked), "the tests tried another copy of the library"
