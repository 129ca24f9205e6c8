"""Python for the browser: Pyodide, numpy and matplotlib out of one pinned wheel, our own library and real data beside.

Every file is checked against the sha256 in _live/runtime.json, each time it is used. What was fetched stays in a cache
outside the repository: NDCG_CACHE names the folder, NDCG_LIVE=off builds the book without live cells,
NDCG_LIVE=required no book without them.
`python book/_ext/runtime.py pin PACKAGE==VERSION` writes runtime.json anew.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ndcg_course import course

BOOK = Path(__file__).resolve().parents[1]
ROOT = BOOK.parent
PINS = BOOK / "_live" / "runtime.json"
CORE = ["pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs", "python_stdlib.zip"]
START = BOOK / "_live" / "pyodide.packed.mjs"
PACKED = "pyodide.asm.wasm.packed"  # not .gz, which some hosts unpack on the way
LOCK = "pyodide-lock.json"
WANTED = ["numpy", "matplotlib", "micropip"]
AT_START = ["numpy", "ndcg-lib", "ndcg-course"]  # loaded with Python itself; the rest when a cell asks for it
PACKAGES = {  # each with the folder that its build starts in, and what it is made from
    "ndcg_lib": (".", ["pyproject.toml", "README.md", "LICENSE", "ndcg_lib"]),
    "ndcg_course": ("ndcg_course", ["ndcg_course"]),
}
DATA = {
    "trec": ["book/trec.py", "book/data/trec", "book/data/scale.json"],
    "search": ["book/search.py", "book/data/search"],
    "learning": ["book/learning.py"],
    "facts": ["book/facts.py", "book/data/facts.json"],
}
"""What a page fetches with its first import of the name."""


class Missing(Exception):
    """Why there is no runtime, in a few words."""


def pins() -> dict[str, Any]:
    return json.loads(PINS.read_text("utf8"))


def cache_folder() -> Path:
    import platformdirs

    return Path(os.environ.get("NDCG_CACHE") or platformdirs.user_cache_dir("ndcg-book", appauthor=False))


@cache
def runtime() -> Path:
    """The folder with the verified files; fetched where it is not in the cache."""
    wanted = pins()

    def fill(folder: Path) -> None:
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            fetch({wanted["package"]: wanted["sha256"]}, Path(place))
            unpack(next(Path(place).glob("*.whl")), wanted["files"], folder)

    return from_cache("-".join(["pyodide", wanted["pyodide"], wanted["sha256"][:8]]), wanted["files"], fill)


def from_cache(name: str, files: dict[str, str], fill: Callable[[Path], None]) -> Path:
    """The folder of this name in the cache, each file in it as pinned; filled where it is not."""
    if os.environ.get("NDCG_LIVE") == "off":
        raise Missing("NDCG_LIVE=off was asked for")
    kept = cache_folder() / name
    if sound(kept, files):
        return kept
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as place:
            fresh = Path(place, "fresh")
            fresh.mkdir()
            fill(fresh)
            if not sound(fresh, files):
                raise Missing("a file of the runtime is not the pinned one")
            shutil.rmtree(kept, ignore_errors=True)
            fresh.replace(kept)
    except OSError as error:
        if not sound(kept, files):  # else another build was faster
            raise Missing(f"the cache cannot be written ({error.strerror or error})") from error
    return kept


def sound(folder: Path, files: dict[str, str]) -> bool:
    return all((folder / name).is_file() and sha256(folder / name) == pin for name, pin in files.items())


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(packages: dict[str, str], folder: Path) -> None:
    """Download wheels with pip, which knows the registry of this machine, and refuse any other bytes."""
    with tempfile.TemporaryDirectory() as place:
        asked = Path(place, "asked.txt")
        asked.write_text("".join(f"{package} --hash=sha256:{pin}\n" for package, pin in packages.items()), "utf8")
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary=:all:",
                   "--ignore-requires-python", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
                   "--retries=1", "--timeout=20", f"--dest={folder}", f"--requirement={asked}"]  # fmt: skip
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        other = "MISMATCH" in done.stderr or "DO NOT MATCH" in done.stderr
        named = ", ".join(package for package in packages if package in done.stderr) or next(iter(packages))
        raise Missing(f"{named} is not the pinned file" if other else f"{named} cannot be fetched")


def unpack(whole: Path, files: dict[str, str], folder: Path) -> None:
    with zipfile.ZipFile(whole) as wheel:
        inside = {name.rpartition("/")[2]: name for name in wheel.namelist() if "/frontend/pyodide/" in name}
        for name in files:
            if name not in inside:
                raise Missing(f"{name} is not in {whole.name}")
            (folder / name).write_bytes(wheel.read(inside[name]))


def closure(packages: dict[str, Any], names: list[str]) -> list[str]:
    """The packages and all that they depend on."""
    found: list[str] = []
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.append(name)
            todo += packages[name]["depends"]
    return sorted(found)


def lock_for(official: dict[str, Any], wheels: list[Path]) -> dict[str, Any]:
    """The lock cut down to what the site has, with our own packages in it."""
    packages = official["packages"]
    kept = {name: packages[name] for name in closure(packages, WANTED)}
    for wheel, depends in zip(wheels, (["numpy"], ["ndcg-lib"], *([] for _ in DATA)), strict=True):
        module, version = wheel.name.split("-")[:2]
        name = module.replace("_", "-")
        kept[name] = {
            "name": name, "version": version, "file_name": wheel.name, "install_dir": "site", "imports": [module],
            "sha256": sha256(wheel), "package_type": "package", "depends": depends, "unvendored_tests": False,
        }  # fmt: skip
    return {**official, "packages": dict(sorted(kept.items()))}


def own_wheel(package: str, folder: Path) -> Path:
    """The wheel of a package of ours, made by its own build from a copy, so that nothing is left in the checkout.

    Its name holds a fingerprint, so that no browser takes an old one out of its cache.
    """
    start, parts = PACKAGES[package]
    told = course.load(ROOT)
    about = course.packed(told, solutions=told.solutions)
    mark = fingerprint(parts, about if package == "ndcg_course" else "")
    if found := list(folder.glob(f"{package}-*-1{mark}-*.whl")):
        return found[0]
    for old in folder.glob(f"{package}-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as place:
        for part in parts:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
            options = {"ignore": shutil.ignore_patterns("__pycache__")} if copy is shutil.copytree else {}
            copy(ROOT / part, Path(place, part), **options)
        if package == "ndcg_course":
            Path(place, package, course.FILE).write_text(about, "utf8")
            if not told.solutions:
                shutil.rmtree(Path(place, package, "solutions"))
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                   "--disable-pip-version-check", f"--wheel-dir={place}", str(Path(place, start))]  # fmt: skip
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        made = list(Path(place).glob(f"{package}-*.whl"))
        if not made:
            raise Missing(f"the wheel of {package} was not made: {done.stderr.strip()[-300:]}")
        name, version, rest = made[0].name.split("-", 2)
        return Path(shutil.copy(made[0], folder / f"{name}-{version}-1{mark}-{rest}"))


def data_wheel(package: str, folder: Path) -> Path:
    """A module of the pages with its data as a wheel."""
    files = [
        file for part in DATA[package] for file in [ROOT / part, *sorted((ROOT / part).glob("*"))] if file.is_file()
    ]
    held = {file.relative_to(BOOK).as_posix(): file.read_bytes() for file in files}
    if package == "search":  # the pages that it searches are not in the browser
        import search

        held["data/search/sections.json"] = json.dumps(search.sections()).encode()
    mark = hashlib.sha256(repr(sorted(held.items())).encode()).hexdigest()[:10]
    wheel = folder / f"{package}-1-1{mark}-py3-none-any.whl"
    if not wheel.exists():
        for old in folder.glob(f"{package}-*.whl"):
            old.unlink()
        about = {
            "METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n",
            "WHEEL": "Wheel-Version: 1.0\nGenerator: ndcg\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": "",
        }
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in [*held.items(), *((f"{package}-1.dist-info/{name}", x) for name, x in about.items())]:
                packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return wheel


def fingerprint(parts: list[str], more: str) -> str:
    total = hashlib.sha256(more.encode())
    for part in parts:
        whole = ROOT / part
        for file in sorted(whole.rglob("*")) if whole.is_dir() else [whole]:
            if file.is_file() and file.suffix != ".pyc":
                total.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:10]


def install(target: Path) -> dict[str, Any]:
    """Put the runtime into the site. Gives what a page must know to start it."""
    source = runtime()
    target.mkdir(parents=True, exist_ok=True)
    official = json.loads((source / LOCK).read_text("utf8"))
    ours = [*(own_wheel(package, target) for package in PACKAGES), *(data_wheel(package, target) for package in DATA)]
    lock = lock_for(official, ours)
    wheels = [
        package["file_name"] for package in lock["packages"].values() if target / package["file_name"] not in ours
    ]
    for name in [*CORE, *wheels]:
        copy = target / name
        if not copy.is_file() or sha256(copy) != pins()["files"][name]:
            shutil.copyfile(source / name, copy)
    shutil.copyfile(START, target / START.name)
    pack(target / "pyodide.asm.wasm", target / PACKED)
    text = json.dumps(lock)
    name = f"pyodide-lock-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
    for old in target.glob("pyodide-lock*.json"):
        old.unlink()
    (target / name).write_text(text, "utf8")
    first = [PACKED, "python_stdlib.zip"]
    first += [lock["packages"][package]["file_name"] for package in closure(lock["packages"], AT_START)]
    parts = [*CORE, PACKED, START.name, name, *(package["file_name"] for package in lock["packages"].values())]
    return {
        "lock": name,
        "packages": AT_START,
        "bytes": {file: (target / file).stat().st_size for file in first},
        "sums": {file: sum_of(target / file) for file in parts},
    }


def sum_of(path: Path) -> str:
    """What a browser tells a damaged file by."""
    return b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()


def pack(plain: Path, packed: Path) -> None:
    """Write the file in gzip's form, where it does not stand there already."""
    data = plain.read_bytes()
    try:
        there = gzip.decompress(packed.read_bytes()) == data
    except (OSError, EOFError, zlib.error):
        there = False
    if not there:
        packed.write_bytes(gzip.compress(data, mtime=0))


def pin(package: str) -> None:
    """Write the pins of another release; look at the difference before you commit it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input",
                   "--ignore-requires-python", f"--dest={folder}", package]  # fmt: skip
        subprocess.run(command, check=True)
        whole = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(whole) as wheel:
            inside = {name.rpartition("/")[2]: name for name in wheel.namelist() if "/frontend/pyodide/" in name}
            lock = json.loads(wheel.read(inside[LOCK]))
            names = [lock["packages"][name]["file_name"] for name in closure(lock["packages"], WANTED)]
            files = {name: hashlib.sha256(wheel.read(inside[name])).hexdigest() for name in [*CORE, LOCK, *names]}
            version = json.loads(wheel.read(inside["package.json"]))["version"]
        for name in names:
            locked = next(p["sha256"] for p in lock["packages"].values() if p["file_name"] == name)
            if files[name] != locked:
                raise SystemExit(f"{name} in {whole.name} is not the file that its lock names")
        new = {"pyodide": version, "package": package, "sha256": sha256(whole), "files": dict(sorted(files.items()))}
    PINS.write_text(json.dumps(new, indent=1) + "\n", "utf8")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "pin" or not re.fullmatch(r"[\w.-]+==[\w.]+", sys.argv[2]):
        raise SystemExit("usage: python book/_ext/runtime.py pin PACKAGE==VERSION")
    pin(sys.argv[2])
