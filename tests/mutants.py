"""Which one-line changes of the code does no test notice? `kit.py mutants [ROOM ...] [--since REV] [--count N]`.

Each is tried in a copy of the checkout, against the tests near it that ran its line (everyday tier, cheapest first).
"""

from __future__ import annotations

import argparse
import ast
import difflib
import fnmatch
import functools
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import reach

import kit

ROOMS = {
    "numbers": ["ndcg_lib/*.py", "ndcg_lib/engine/*.py", "ndcg_lib/plots/*.py"],
    **{name: [f"ndcg_lib/{name}/*.py"] for name in ("files", "runs", "comparison", "identification", "commands")},
    "course": ["ndcg_course/*.py", "ndcg_course/commands/*.py"],
    **{name: [f"ndcg_course/{name}/**/*.py"] for name in ("tasks", "explain", "grade", "make")},
    "book": ["book/*.py", "book/_ext/*.py", "book/_paper/*.py"],
    "live": [
        "book/_live/*.py",
        "book/_live/*.mjs",
        "book/_static/*.js",
        "book/_static/*.mjs",
        "book/_playground/*.js",
    ],
    "house": ["kit.py"],
}
BROWSER = ["tests/browser/test_browser_engines.py"]  # for a script; with those that run it in Node
TYPES = "tests/house/test_style.py::test_code_is_clean[mypy]"  # asked of what survives the others
TYPED = ("ndcg_lib/", "ndcg_course/")
BUILDING = 300  # seconds of processor, at most, for the book
EQUAL = Path(__file__).with_name("equal_mutants.toml")  # changes that no user can notice, each with its reason
TRACER = Path(__file__).parent / "tracer"
SWAPS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
    ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is", ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*",
    ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
}  # fmt: skip
SCRIPT = [
    (r" (===) ", "!=="), (r" (!==) ", "==="), (r" (<) ", "<="), (r" (>) ", ">="), (r" (<=) ", "<"), (r" (>=) ", ">"),
    (r" (\+) ", "-"), (r" (-) ", "+"), (r" (\*) ", "/"), (r" (/) ", "*"), (r" (&&) ", "||"), (r" (\|\|) ", "&&"),
    (r"(!)[\w(]", ""), (r"\b(true)\b", "false"), (r"\b(false)\b", "true"), (r"[ (\[](\d+)[;,)\] ]", None),
    (r"^\s*((?:await )?[\w.#?]+\(.*\);)$", ""),
]  # fmt: skip


class Mutant(NamedTuple):
    path: str
    line: int
    old: str
    new: str


def python_mutants(path: str, text: str) -> Iterator[Mutant]:
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if found := re.match(r"(\s*(?:el)?if )(.+):$", line):  # its branches swapped
            yield Mutant(path, number, line, f"{found[1]}not ({found[2]}):")
    tree = ast.parse(text)
    skipped = {id(part) for node in ast.walk(tree) for part in silent(node)}
    for node in ast.walk(tree):
        if id(node) in skipped or getattr(node, "lineno", 0) != getattr(node, "end_lineno", -1):
            continue
        line = lines[node.lineno - 1]
        for first, last, new in changes(node, line.encode()):
            raw = line.encode()
            changed = (raw[:first] + new.encode() + raw[last:]).decode()
            if changed != line:
                yield Mutant(path, node.lineno, line, changed)


def silent(node: ast.AST) -> Iterator[ast.AST]:
    """What no run sees: annotations, the texts of modules and functions, what only a type checker reads."""
    parts: list[ast.AST | None] = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        parts.append(node)
    for part in filter(None, parts):
        yield from ast.walk(part)


def changes(node: ast.AST, line: bytes) -> Iterator[tuple[int, int, str]]:
    """Where a node can be changed, and into what: first byte, the one after the last, new text."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
        yield between(node.left, node.comparators[0], SWAPS[type(node.ops[0])], line)
    elif (
        isinstance(node, ast.BinOp)
        and type(node.op) in SWAPS
        and not isinstance(node.left, ast.Constant | ast.JoinedStr)
    ):
        yield between(node.left, node.right, SWAPS[type(node.op)], line)
    elif isinstance(node, ast.BoolOp):
        yield between(node.values[0], node.values[1], "or" if isinstance(node.op, ast.And) else "and", line)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.col_offset, node.operand.col_offset, ""
    elif isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
        new = repr(not node.value) if isinstance(node.value, bool) else repr(node.value + 1)
        yield node.col_offset, node.end_col_offset or 0, new
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node.col_offset, node.end_col_offset or 0, "pass"
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and isinstance(node.func, ast.Name):
        argument = node.args[0]
        yield node.col_offset, node.end_col_offset or 0, line[argument.col_offset : argument.end_col_offset].decode()
    elif isinstance(node, ast.IfExp):
        test = node.test
        yield test.col_offset, test.end_col_offset or 0, f"not ({line[test.col_offset : test.end_col_offset].decode()})"


def between(left: ast.expr, right: ast.expr, new: str, line: bytes) -> tuple[int, int, str]:
    """The operator alone: brackets around what stands beside it stay."""
    first = left.end_col_offset or 0
    found = re.search(rb"[^\s()]+(\s+[^\s()]+)?", line[first : right.col_offset])
    assert found is not None
    return first + found.start(), first + found.end(), new


def script_mutants(path: str, text: str) -> Iterator[Mutant]:
    for number, line in enumerate(text.splitlines(), 1):
        seen = re.sub(r"//.*|/\*.*|^\s*\*.*", lambda m: " " * len(m[0]), line)
        seen = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", lambda m: "_" * len(m[0]), seen)  # words are no code
        for pattern, new in SCRIPT:
            for found in re.finditer(pattern, seen):
                text_ = str(int(found[1]) + 1) if new is None else new
                yield Mutant(path, number, line, line[: found.start(1)] + text_ + line[found.end(1) :])


def drawn(root: Path, rooms: list[str], count: int, seed: int, since: str) -> list[tuple[str, Mutant]]:
    """As many from each room as from the next, so long as there are."""
    changed = changed_lines(root, since) if since else None
    lots: dict[str, list[Mutant]] = {}
    for room in rooms:
        found: list[Mutant] = []
        for path in sorted({path for pattern in ROOMS[room] for path in root.glob(pattern)}):
            name, text = path.relative_to(root).as_posix(), path.read_text("utf-8")
            script = path.suffix in (".js", ".mjs")
            found += script_mutants(name, text) if script else python_mutants(name, text)
        found = [one for one in dict.fromkeys(found) if not unnoticed(one)]
        found = [one for one in found if changed is None or one.line in changed.get(one.path, ())]
        random.Random(f"{seed} {room}").shuffle(found)
        lots[room] = found
    chosen: list[tuple[str, Mutant]] = []
    while len(chosen) < count and any(lots.values()):
        chosen += [(room, lot.pop()) for room, lot in lots.items() if lot][: count - len(chosen)]
    return chosen


@functools.cache
def listed() -> dict[str, list[dict[str, str]]]:
    """Changes that nobody can notice, one by one and by kind; the head of the file says how."""
    return {"equal": [], "kind": [], **tomllib.loads(EQUAL.read_text("utf-8"))}


def unnoticed(mutant: Mutant) -> bool:
    as_listed = {"path": mutant.path, "line": mutant.old.strip(), "becomes": mutant.new.strip()}
    if any(as_listed.items() <= one.items() for one in listed()["equal"]):
        return True
    at = next(n for n in range(len(mutant.old) + 1) if mutant.old[: n + 1] != mutant.new[: n + 1])
    return any(
        found.start() <= at < found.end()
        for one in listed()["kind"]
        if fnmatch.fnmatch(mutant.path, one["path"])
        for found in re.finditer(one["change"], mutant.old)
    )


def changed_lines(root: Path, since: str) -> dict[str, set[int]]:
    told = subprocess.run(["git", "diff", "-U0", since], cwd=root, capture_output=True, text=True, check=True).stdout
    found: defaultdict[str, set[int]] = defaultdict(set)
    path = ""
    for line in told.splitlines():
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/")
        elif at := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            found[path] |= set(range(int(at[1]), int(at[1]) + int(at[2] or 1)))
    return found


class Copy:
    """A copy of the checkout in which lines are broken."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder, self.types = root, folder, False
        told = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, text=True, check=True
        )
        for name in filter(None, told.stdout.split("\0")):
            if (root / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, folder / name)
        for name in ("book/_build", ".git", ".mypy_cache"):
            if (root / name).is_dir():
                shutil.copytree(root / name, folder / name, symlinks=True)
        if (root / ".venv").is_dir():
            (folder / ".venv").symlink_to(root / ".venv")

    def pytest(self, tests: list[str], limit: float, **more: str) -> int | None:
        """The exit code; None where the processor time ran out."""
        given = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NDCG_ALL": "", **more}
        given.pop("PYTEST_CURRENT_TEST", None)  # of a test of this program
        given["PYTHONPATH"] = os.pathsep.join([str(self.folder), *filter(None, [more.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", kit.EVERYDAY, *tests]
        bound = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))) if limit else None
        with open(self.folder.parent / f"{self.folder.name}.log", "w") as log:
            done = subprocess.run(
                command, cwd=self.folder, env=given, stdout=log, stderr=log, preexec_fn=bound, check=False
            )
        return None if done.returncode < 0 else done.returncode

    def keep_the_book(self) -> None:
        """Let the site pass for that of the broken library, so that no test builds it anew."""
        built = self.folder / "book" / "_build" / "kit-built"
        if built.exists():
            code = "import kit; print(kit.digest(kit.sources()))"
            now = subprocess.run(
                [sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, check=True
            )
            built.write_text(f"{now.stdout.strip()} {built.read_text('utf-8').partition(' ')[2]}", "utf-8")

    def typed(self) -> bool:
        return (self.folder / TYPES.partition("::")[0]).exists() and self.pytest([TYPES], 0) == 0

    def survives(self, mutant: Mutant, tests: list[str], limit: float) -> bool:
        path = self.folder / mutant.path
        text = path.read_text("utf-8")
        lines = text.splitlines(keepends=True)
        lines[mutant.line - 1] = lines[mutant.line - 1].replace(mutant.old, mutant.new)
        broken = "".join(lines)
        if path.suffix == ".py":
            try:
                ast.parse(broken)
            except SyntaxError:
                return False
        twins = [path]
        if path.suffix != ".py":  # in the built site as well, where it stands as it is
            built = (self.folder / "book" / "_build" / "html").rglob(path.name)
            twins += [twin for twin in built if twin.read_text("utf-8") == text]
        try:
            for twin in twins:
                twin.write_text(broken, "utf-8")
            if not mutant.path.startswith("book/"):
                self.keep_the_book()
            site = self.folder / "book" / "_build" / "html"
            more = {"NDCG_BUILT_SITE": str(site)} if len(twins) > 1 else {}
            if tests and self.pytest(tests, limit, **more) not in (0, 5):
                return False
            return not mutant.path.startswith(TYPED) or not self.types or self.typed()
        finally:
            for twin in twins:
                twin.write_text(text, "utf-8")


class Seen(NamedTuple):
    """Which tests ran a line, or any line of a file, or import it, what runs once, and what each test takes."""

    lines: dict[tuple[str, int], set[str]]
    files: dict[str, set[str]]
    users: dict[str, set[str]]
    once: set[tuple[str, int]]
    took: dict[str, float]

    def tests(self, mutant: Mutant, most: float) -> tuple[list[str], float]:
        """The cheapest tests that ran the line, for as long as they fit; of what runs once, those of its file."""
        key = mutant.path, mutant.line
        ran, near = self.lines.get(key, set()), set[str]()
        if "" in ran or (ran and key in self.once):
            ran = ran - {""} | self.files.get(mutant.path, set())
            near = {name for name in self.took if name.partition("::")[0] in self.users.get(mutant.path, ())} - ran
        chosen, total = [], 0.0
        for name in (name for some in (ran, near) for name in sorted(some, key=lambda name: self.took.get(name, 0.1))):
            if chosen and total + self.took.get(name, 0.1) > most:
                break
            chosen.append(name)
            total += self.took.get(name, 0.1)
        return chosen, total


def kept(root: Path, mutants: list[Mutant]) -> set[tuple[str, int]]:
    """The lines of functions that keep what they gave: the first test runs them for all that follow."""
    found = set()
    for path in {one.path for one in mutants if one.path.endswith(".py")}:
        for node in ast.walk(ast.parse((root / path).read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and "cache" in " ".join(map(ast.unparse, node.decorator_list)):
                found |= {(path, line) for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    return found


def watch(copy: Copy, chosen: list[tuple[str, Mutant]], jobs: int) -> Seen:
    """Run the tests of the rooms, and those that import what is to be broken, and note who runs which line."""
    mutants = [one for _, one in chosen]
    project = reach.Project(copy.folder)
    files = sorted({one.path for one in mutants if one.path.endswith(".py")})
    rooms = {f"tests/{room}/" for room, one in chosen if one.path.endswith(".py")}
    direct = {test for path in files for test in project.users.get(path, ())}
    tests = [name for name in project.chosen(files) if name.startswith(tuple(rooms)) or name in direct]
    scripts = [one.path for one in mutants if not one.path.endswith(".py")]
    wanted, log, times = (copy.folder.parent / name for name in ("wanted.json", "seen.log", "times.json"))
    wanted.write_text(json.dumps(sorted({(str(copy.folder / one.path), one.line) for one in mutants})), "utf-8")
    more = {"NDCG_TRACE": f"{wanted}{os.pathsep}{log}", "PYTHONPATH": str(TRACER), "NDCG_TIMES": str(times)}
    of_scripts = sorted(
        {*BROWSER, *(name for path in scripts for name in project.naming(path) if name in project.tests)}
    )
    if not tests and not scripts:
        return Seen({}, {}, {}, set(), {})
    options = ["--maxfail=1000", "-n", str(jobs), "-p", "tracing"]
    code = copy.pytest([*tests, *(of_scripts if scripts else ()), *options], 0, **more)
    took = json.loads(times.read_text("utf-8")) if times.exists() else {}
    if not took:
        sys.exit(
            "kit.py mutants: no test runs, unbroken:\n" + (copy.folder.parent / f"{copy.folder.name}.log").read_text()
        )
    if code:
        print("some tests fail before anything is broken; what they see does not count", file=sys.stderr)
    users = {path: set(project.users.get(path, ())) for path in files}
    seen = Seen(defaultdict(set), defaultdict(set), users, kept(copy.folder, mutants), took)
    for line in log.read_text("utf-8").splitlines() if log.exists() else ():
        path, number, name = line.split("\t")
        path = Path(path).relative_to(copy.folder).as_posix()
        name = name.rpartition(" (")[0]
        if name in took:
            seen.files[path].add(name)
        if number != "0" and (not name or name in took):
            seen.lines[path, int(number)].add(name)
    for path in scripts:
        near = {
            name
            for name in took
            if name.partition("::")[0] in of_scripts and "Firefox" not in name and "WebKit" not in name
        }
        for one in mutants:
            if one.path == path:
                seen.lines[path, one.line] |= near
    return seen


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kit.py mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"one of {', '.join(ROOMS)}; all of them, without any")
    parser.add_argument("--since", default="", metavar="REV", help="only lines that changed since then")
    parser.add_argument("--count", type=int, default=50, help="how many to draw (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    parser.add_argument("--most", type=float, default=60, help="seconds of tests for one of them (default: 60)")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.rooms) - set(ROOMS):
        parser.error(f"there is no room {', '.join(sorted(unknown))}; there are {', '.join(ROOMS)}")
    root = Path.cwd()
    chosen = drawn(root, asked.rooms or list(ROOMS), asked.count, asked.seed, asked.since)
    if not chosen:
        return told([], Seen({}, {}, {}, set(), {}))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        first = Copy(root, Path(folder, "first"))
        seen = watch(first, chosen, asked.jobs)
        typed = first.typed()
        for copy in (first, *(Copy(root, Path(folder, str(number))) for number in range(1, asked.jobs))):
            copy.types = typed
            copies.put(copy)

        def tried(pair: tuple[str, Mutant]) -> tuple[str, Mutant, bool]:
            tests, time = seen.tests(pair[1], asked.most)
            copy = copies.get()
            try:
                limit = 20 + 5 * time + BUILDING * pair[1].path.startswith("book/")
                alive = copy.survives(pair[1], tests, limit)
            finally:
                copies.put(copy)
            print("alive" if alive else "dead ", f"{pair[1].path}:{pair[1].line}", file=sys.stderr, flush=True)
            return (*pair, alive)

        with ThreadPoolExecutor(asked.jobs) as several:
            return told(list(several.map(tried, chosen)), seen)


def told(tried: list[tuple[str, Mutant, bool]], seen: Seen) -> int:
    """The survivors as a diff, and a table by room."""
    alive: Counter[str] = Counter()
    for room, mutant, survives in tried:
        alive[room] += survives
        if survives:
            why = "" if seen.lines.get((mutant.path, mutant.line)) else "  (no test runs this line)"
            print(f"{mutant.path}:{mutant.line}{why}")
            print("\n".join(list(difflib.unified_diff([mutant.old], [mutant.new], lineterm=""))[3:]))
    print(f"\n{'room':<16}{'drawn':>6}{'alive':>6}")
    for room, count in Counter(room for room, _, _ in tried).items():
        print(f"{room:<16}{count:>6}{alive[room]:>6}")
    share = f"{alive.total() / len(tried):.0%}" if tried else "nothing to draw"
    print(f"{'in all':<16}{len(tried):>6}{alive.total():>6}  {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
