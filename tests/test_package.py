"""What an engineer gets from pip: the whole of ndcg_lib, and nothing but numpy with it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy because setuptools leaves a folder behind."""
    copy = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "ndcg_lib", copy / "ndcg_lib", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "-w", copy / "made", copy], check=True)
    (made,) = (copy / "made").glob("*.whl")
    return zipfile.ZipFile(made)


@pytest.mark.slow
def test_every_file_of_the_library_is_in_it(wheel: zipfile.ZipFile) -> None:
    files = {file.relative_to(ROOT).as_posix() for file in (ROOT / "ndcg_lib").rglob("*") if file.is_file()}
    sources = {name for name in files if "__pycache__" not in name}
    assert sources == {name for name in wheel.namelist() if name.startswith("ndcg_lib/")}


@pytest.mark.slow
def test_it_asks_for_numpy_alone(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("METADATA"))
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert [line.split()[1].split(">")[0] for line in needed] == ["numpy"]
