"""Which tests a change can reach: by imports, lazy ones included, and by the files that a test names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOMS = ("ndcg_lib", "ndcg_course", "book", "tests", "kit.py")
PATHS = ("", "tests", "tests/book", "tests/make", "tests/browser", "tests/peers", "book", "book/_ext", "book/_live")
BOOK = ("tests/book/", "tests/browser/test_browser_engines")  # read what any file of the book comes to
PACKAGES = ("ndcg_lib/__init__.py", "ndcg_course/__init__.py")  # of these, what is used of them counts
EXAMPLES = ("ndcg_lib/", "ndcg_course/", "exercises/", "solutions/")
MODULE = re.compile(r"""(?:"-m", "|[ ]-m |import_module\(")(ndcg_\w+(?:\.\w+)*)""")  # by its name alone
PARTS = re.compile(r"[\"'] ?[,/] ?[\"']")  # of a path, as they stand between strings
EVERYTHING = ("tests/conftest.py", "pyproject.toml", "requirements.txt", "ndcg_course/pyproject.toml")


class Project:
    """The Python files of a checkout, and who imports whom."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.source: dict[str, str] = {}
        for room in ROOMS:
            for path in sorted([root / room] if room.endswith(".py") else (root / room).rglob("*.py")):
                name = path.relative_to(root).as_posix()
                if path.is_file() and "/_build/" not in name:
                    self.source[name] = path.read_text("utf-8")
        self.tree = {name: ast.parse(text) for name, text in self.source.items()}
        self.tests = [name for name in self.source if PurePosixPath(name).name.startswith("test_")]

    def file(self, module: str) -> str | None:
        """The file of a module, by the places that programs here put on their path."""
        path = module.replace(".", "/")
        for place in PATHS:
            for name in (f"{path}.py", f"{path}/__init__.py"):
                if (whole := f"{place}/{name}".lstrip("/")) in self.source:
                    return whole
        return None

    def given(self, name: str, wanted: str) -> Iterator[str]:
        """The files that a name of a package's __init__ comes from; for what it makes itself, all it imports."""
        everything = set()
        for node in ast.walk(self.tree[name]):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            for alias in node.names:
                files = set(self.asked(node.module, [alias.name])) if self.file(node.module) != name else set()
                if wanted in (alias.asname, alias.name):
                    yield from files
                    return
                everything |= files
        yield from everything

    def asked(self, module: str, names: Iterable[str]) -> Iterator[str]:
        """The files behind some names of a module."""
        file = self.file(module)
        if file is None:
            return
        yield file
        if file.endswith("__init__.py"):
            for name in names:
                part = self.file(f"{module}.{name}")
                yield from [part] if part else self.given(file, name)

    def imports(self, name: str) -> Iterator[str]:
        known: dict[str, str] = {}  # as what a module goes here
        nodes = list(ast.walk(self.tree[name]))
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    known[alias.asname or alias.name] = alias.name
                    yield from self.asked(alias.name, ())
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                    yield from self.asked(node.module, [alias.name])
        for module in MODULE.findall(self.source[name]):
            yield from filter(None, [self.file(module), self.file(f"{module}.__main__")])
        for node in nodes:
            if isinstance(node, ast.Attribute) and (module := known.get(dotted(node.value))):
                yield from self.asked(module, [node.attr])
        if re.search(r"import_module\(f", self.source[name]):  # by a name that is put together: any of its folder
            yield from (other for other in self.source if PurePosixPath(other).parent == PurePosixPath(name).parent)

    @cached_property
    def users(self) -> dict[str, set[str]]:
        """Who imports a file."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for name in self.source:
            for used in self.imports(name):
                if used != name and not (
                    name.endswith("/__init__.py") and name.count("/") == 1
                ):  # what is used of it counts
                    found[used].add(name)
        return found

    def reached(self, name: str) -> set[str]:
        """A Python file, and all that imports it or what imports it."""
        seen, new = {name}, [name]
        while new:
            more = self.users.get(new.pop(), set()) - seen
            seen |= more
            new += more
        return seen

    def naming(self, name: str) -> set[str]:
        """The Python files that name a file, and the tests that name its folder, as ROOT / "book" / "data"."""
        path = PurePosixPath(name)
        around = [str(folder) for folder in path.parents if len(folder.parts) > 1 or folder.name.endswith("s")]
        found = set()
        for file, text in self.source.items():
            words = [str(path), path.name, *(around if file in self.tests else ())]
            if re.search("|".join(rf"[\"'/]{re.escape(word)}[\"'/]" for word in words), PARTS.sub("/", text)):
                found.add(file)
        return found

    def chosen(self, changed: Iterable[str]) -> list[str]:
        """What pytest is to be given for the files that changed."""
        files: set[str] = set()
        for name in changed:
            if name in EVERYTHING:
                return ["."]
            seeds = {name} if name in self.source else self.naming(name)
            files |= {found for seed in seeds for found in self.reached(seed) if found in self.tests}
            if name.startswith("book/"):
                files |= {test for test in self.tests if test.startswith(BOOK)}
            if name.startswith(EXAMPLES):  # it holds examples, or is a notebook, and so a test itself
                files |= {name} if name.endswith((".py", ".ipynb")) else set()
        return sorted(name for name in files if (self.root / name).is_file())


def dotted(node: ast.AST) -> str:
    """The words of a.b.c; nothing for what is no name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
