"""kit.py as a newcomer meets it, in a small project of the same shape whose packages need no network."""

import ast
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import kit

KIT = Path(__file__).resolve().parents[2] / "kit.py"
pytestmark = pytest.mark.slow
CONSOLE = pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to the whole console, pytest included")

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# Installs the folder "packages"; waits, as a slow download does, for as long as there is a file "wait".
BACKEND = """\
import pathlib, time, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    while pathlib.Path("wait").exists():
        pathlib.Path("waiting").touch()
        time.sleep(0.05)
    package = "ndcg_course" if pathlib.Path.cwd().name == "ndcg_course" else "ndcg_lib"
    name, info = f"{package}-1-py3-none-any.whl", f"{package}-1.dist-info/"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        wheel.writestr(f"{package}.pth", str(pathlib.Path(__file__).with_name("packages")))
        wheel.writestr(info + "METADATA", f"Metadata-Version: 2.1\\nName: {package}\\nVersion: 1\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""
# Builds a site of one page; a page with the word "broken" is a warning, which -W makes an error.
BOOK_TOOL = """\
import pathlib, sys, time

def main():
    command, book, *options = sys.argv[1:]
    assert command == "build" and {"-W", "-n", "--keep-going"} <= set(options)
    page = pathlib.Path(book, "index.md").read_text("utf-8")
    site = pathlib.Path(book, "_build", "html")
    site.mkdir()
    (site / "index.html").write_text(page, "utf-8")
    while "endless" in page:
        pathlib.Path("building").touch()
        time.sleep(0.05)
    if "broken" in page:
        print("\\x1b[91mindex.md:1: WARNING: a broken reference\\x1b[39;49;00m")
        sys.exit(1)
"""
GROUPS = ("book", "course", "development")
MOST = (
    "pytest got ['-n', 'auto', '--maxprocesses=4', '--dist=loadfile', '--no-loadscope-reorder', "
    "'-m', 'not sweep and not weekly']"
)
PYTEST = "import sys\nprint('pytest got', sys.argv[1:])\nsys.exit(5)\n"
# By the name of the file that was copied, so that `kit.py mutants` sees which test runs which line.
RUN = f"exec(compile(open('kit.py').read(), {str(KIT)!r}, 'exec'), {{'__name__': '__main__', '__file__': 'kit.py'}})"


@dataclass
class Ended:
    code: int
    out: str
    err: str


@dataclass
class Project:
    """A checkout, and kit.py run in it."""

    root: Path

    def start(self, *arguments: str, world: str = "", **environment: str) -> subprocess.Popen[str]:
        """Start kit.py; world is Python that changes what it finds around itself."""
        code = f"import sys; sys.argv = ['kit.py', *sys.argv[1:]]\n{world}\n{RUN}"
        return subprocess.Popen(
            [sys.executable, *(["-c", code] if world or "NDCG_TRACE" in os.environ else ["kit.py"]), *arguments],
            cwd=self.root,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )

    def kit(self, *arguments: str, world: str = "", **environment: str) -> Ended:
        process = self.start(*arguments, world=world, **environment)
        out, err = process.communicate(timeout=600)
        return Ended(process.returncode, out, err)

    def refusal(self, *arguments: str, world: str = "", **environment: str) -> str:
        """Run, expect exit code 2 and one line; return the line."""
        ended = self.kit(*arguments, world=world, **environment)
        assert ended.code == 2, ended
        assert re.fullmatch(r"kit\.py: .+\n", ended.err), ended
        return ended.err

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path


def requirements(**asked: str) -> str:
    """The file of pins, with lines for some of its groups."""
    return "".join(f"# ==== {group} ====\n{asked.get(group, '')}" for group in GROUPS)


def clone(root: Path) -> Project:
    project = Project(root)
    project.write("kit.py", KIT.read_text("utf-8"))
    project.write("pyproject.toml", PYPROJECT)
    project.write("requirements.txt", requirements())
    project.write("backend.py", BACKEND)
    project.write("ndcg_course/pyproject.toml", PYPROJECT)
    project.write("ndcg_course/backend.py", BACKEND)
    project.write("book/index.md", "A page.\n")
    project.write("packages/ndcg_lib/__init__.py", "")
    project.write("ndcg_course/packages/ndcg_course/__init__.py", "")
    project.write("packages/jupyter_book/cli/main.py", BOOK_TOOL)
    project.write("packages/pytest.py", PYTEST)
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh clone, in a folder whose name needs care."""
    return clone(tmp_path / "a clone, là")


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A clone whose first runs are over."""
    project = clone(tmp_path_factory.mktemp("kit") / "a clone")
    first = project.kit("test")
    assert first.code == 5, first
    assert first.out.startswith("making .venv ...\ninstalling the pinned environment"), first
    assert project.kit("book", "--no-serve").code == 0
    return project


# A world is what kit.py finds around itself.
NO_VENV = "sys.modules['ensurepip'] = None"


def wants_a_new_environment(project: Project) -> bool:
    """Tell whether a run would make .venv anew, in a world where it cannot."""
    return "sudo apt install python3-venv" in project.refusal("test", world=NO_VENV)


@pytest.fixture
def intact(ready: Project) -> Iterator[Project]:
    """The clone after its first run, put back afterwards by a test that stops before anything is installed."""
    names = ("requirements.txt", "pyproject.toml", ".venv/kit-installed")
    kept = {name: (ready.root / name).read_text("utf-8") for name in names}
    yield ready
    for name, text in kept.items():
        ready.write(name, text)


def appears(path: Path) -> None:
    for _ in range(3600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} has not come")


# ---- the environment ----


def test_a_second_run_does_nothing(ready: Project) -> None:
    ready.kit("book", "--no-serve")
    second = ready.kit("book", "--no-serve")
    assert (second.code, second.out) == (0, f"{ready.root / 'book' / '_build' / 'html' / 'index.html'}\n")


def test_a_change_of_what_is_asked_for_is_installed_once(ready: Project) -> None:
    """Also where two runs want it at once; of either file."""
    place = f"{sys.version_info[0]}.{sys.version_info[1]} {sys.platform} {ready.root}\n"
    assert (ready.root / ".venv" / "kit-installed").read_text("utf-8").startswith(place)
    for name in ("requirements.txt", "pyproject.toml"):
        with open(ready.root / name, "a", encoding="utf-8") as file:
            file.write("# changed\n")
        wait = ready.write("wait", "")
        first = ready.start("test")
        appears(ready.root / "waiting")
        second = ready.start("test")
        assert second.stdout is not None
        assert second.stdout.readline() == "waiting for another kit.py in this folder ...\n"
        wait.unlink()
        changed = first.communicate(timeout=600)[0]
        (ready.root / "waiting").unlink()
        assert "bringing the environment up to date" in changed and "making" not in changed
        assert second.communicate(timeout=600)[0] == MOST + "\n"


@pytest.mark.sweep
@pytest.mark.parametrize("group", (1, 2), ids=GROUPS[1:])
def test_a_command_installs_the_groups_that_it_needs_and_no_more(project: Project, group: int) -> None:
    """A group asks for what is not there: the commands of the groups before it work, its own does not."""
    commands = (("book", "--no-serve"), ("lab", "--version"), ("test",))
    project.write("packages/jupyter.py", "print('jupyter is here')\n")
    project.write("requirements.txt", requirements(**{GROUPS[group]: "./no/such/folder\n"}))
    for command in commands[:group]:
        assert project.kit(*command, PIP_NO_INDEX="1").code in (0, 5)
    assert "/no/such/folder" in project.refusal(*commands[group], PIP_NO_INDEX="1")


def test_an_environment_with_more_than_a_command_needs_stays_as_it_is(intact: Project) -> None:
    assert "installing" not in intact.kit("book", "--no-serve").out
    intact.write("pyproject.toml", PYPROJECT + "# other\n")
    intact.write("requirements.txt", requirements(development="./no/such/folder\n"))
    assert "/no/such/folder" in intact.refusal("book", PIP_NO_INDEX="1")  # its development group is kept up to date


def test_arguments_of_test_and_its_exit_code_are_those_of_pytest(ready: Project) -> None:
    ended = ready.kit("test", "-k", "a or b", "-x", "--port", "--", "tests")
    assert ended.out.splitlines()[-1] == "pytest got ['-k', 'a or b', '-x', '--port', '--', 'tests']"
    assert ended.code == 5


@pytest.mark.sweep
def test_an_environment_that_lost_its_python_is_made_anew(ready: Project) -> None:
    kept = ready.root / ".venv"
    next(path for path in (kept / "bin" / "python", kept / "Scripts" / "python.exe") if path.exists()).unlink()
    assert "making .venv anew" in ready.kit("test").out
    assert ready.kit("test").out == MOST + "\n"


@pytest.mark.parametrize("lost", ["pip", "ndcg_lib.pth", "ndcg_course.pth"])
def test_an_environment_that_lost_a_package_is_not_trusted(intact: Project, tmp_path: Path, lost: str) -> None:
    (path,) = (intact.root / ".venv").glob(f"[lL]ib/**/site-packages/{lost}")
    shutil.move(path, tmp_path / lost)
    assert wants_a_new_environment(intact)
    shutil.move(tmp_path / lost, path)


def test_a_moved_checkout_gets_its_own_environment_and_clean_leaves_the_sources(ready: Project, tmp_path: Path) -> None:
    moved = Project(tmp_path / "moved")
    shutil.copytree(ready.root, moved.root, symlinks=True)
    assert wants_a_new_environment(moved)
    assert moved.kit("clean").out.splitlines() == ["removing .venv", f"removing {Path('book', '_build')}"]
    assert {path.name for path in moved.root.iterdir()} == {path.name for path in ready.root.iterdir()} - {".venv"}
    assert not (moved.root / "book" / "_build").exists()


def test_the_environment_of_another_checkout_is_left_alone(project: Project, intact: Project) -> None:
    here, there = project.root / ".venv", intact.root / ".venv"
    try:
        here.symlink_to(there, target_is_directory=True)
    except OSError:
        pytest.skip("Windows makes no links for everybody")
    held = {path: path.stat().st_mtime_ns for path in there.rglob("*") if path.suffix != ".pyc"}
    assert "is a link to" in project.refusal("test")
    assert all(path.stat().st_mtime_ns == when for path, when in held.items())


@pytest.mark.sweep
@CONSOLE
def test_an_interrupted_first_run_is_taken_up_again(project: Project) -> None:
    wait, waiting = project.write("wait", ""), project.root / "waiting"
    first = project.start("test")
    appears(waiting)
    os.killpg(first.pid, signal.SIGINT)  # as a terminal does
    _, err = first.communicate(timeout=600)
    assert (first.returncode, err) == (130, "kit.py: interrupted; run the command again to go on\n")
    wait.unlink()
    assert project.kit("test").out.splitlines()[-1] == MOST


@CONSOLE
def test_an_interrupted_update_is_not_trusted(intact: Project) -> None:
    before = (intact.root / "requirements.txt").read_text("utf-8")
    wait = intact.write("wait", "")
    intact.write("requirements.txt", before + "# more\n")
    update = intact.start("test")
    appears(intact.root / "waiting")
    os.killpg(update.pid, signal.SIGINT)
    assert update.communicate(timeout=600)[1] == "kit.py: interrupted; run the command again to go on\n"
    wait.unlink()
    (intact.root / "waiting").unlink()
    intact.write("requirements.txt", before)
    assert wants_a_new_environment(intact)


def test_without_a_network_it_says_so(intact: Project) -> None:
    intact.write("requirements.txt", requirements(book="a-package-from-outside==1.0\n"))
    said = intact.refusal("book", PIP_NO_INDEX="1")
    assert "there is no network" in said
    assert ".venv/pip.log" in said
    assert "a-package-from-outside" in (intact.root / ".venv" / "pip.log").read_text("utf-8")


def test_any_other_failure_of_pip_is_told_in_its_own_words(intact: Project) -> None:
    intact.write("requirements.txt", requirements(book="./no/such/folder\n"))
    assert "/no/such/folder" in intact.refusal("book", PIP_NO_INDEX="1")


WORLDS = {
    "an old Python": ("sys.version_info = (3, 8, 18, 'final', 0)", "Python 3.11 or newer is needed; this is 3.8"),
    "no venv": (NO_VENV, "sudo apt install python3-venv"),
    "a full disk": (
        "import shutil, types; shutil.disk_usage = lambda path: types.SimpleNamespace(free=1e9)",
        "disk space",
    ),
    "a folder that cannot be written": (
        "import pathlib\ndef refuse(path, **_): raise PermissionError(13, 'Permission denied', str(path))\n"
        "pathlib.Path.mkdir = refuse",
        "Permission denied: ",
    ),
}


@pytest.mark.parametrize(("world", "told"), WORLDS.values(), ids=WORLDS)
def test_what_is_missing_is_told_in_one_line(project: Project, world: str, told: str) -> None:
    assert told in project.refusal("book", world=world)


def test_an_old_python_can_read_the_file_far_enough_to_say_so() -> None:
    ast.parse(KIT.read_text("utf-8"), feature_version=(3, 7))


# ---- the book ----


def test_the_book_is_built_again_only_after_a_change(ready: Project) -> None:
    ready.kit("book", "--no-serve")
    for name in ("book/index.md", "ndcg_lib/new.py", "solutions/first.py"):
        ready.write(name, "changed\n")
        assert "building the book" in ready.kit("book", "--no-serve").out
        assert "building the book" not in ready.kit("book", "--no-serve").out


def test_a_warning_is_shown_and_leaves_nothing_to_serve(ready: Project) -> None:
    ready.write("book/index.md", "A broken page.\n")
    ended = ready.kit("book")
    assert ended.code == 1
    assert ended.err.splitlines() == [
        "kit.py: the book did not build (details: book/_build/build.log)",
        "index.md:1: WARNING: a broken reference",
    ]
    assert "no finished book" in ready.refusal("serve")
    ready.write("book/index.md", "A mended page.\n")
    assert ready.kit("book", "--no-serve").code == 0


def test_a_dead_link_gets_the_page_for_dead_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.html").write_text("<p>the first page</p>")
    (tmp_path / "404.html").write_text("<p>no such page</p>")
    monkeypatch.setattr(kit, "SITE", tmp_path)
    with kit.Server(("127.0.0.1", 0), kit.Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = {}
        for place, sent in (("", None), ("gone.html", None), ("index.html", b"a form")):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{place}", sent) as answer:
                    found[place] = answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                found[place] = error.code, error.read().decode()
        server.shutdown()
    assert found[""] == (200, "<p>the first page</p>")
    assert found["gone.html"] == (404, "<p>no such page</p>")
    assert found["index.html"][0] == 501 and "no such page" not in found["index.html"][1]


@CONSOLE
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_build_ends_and_leaves_nothing_to_serve(ready: Project, how: signal.Signals, code: int) -> None:
    ready.write("book/index.md", f"An endless page, until {how}.\n")
    building = ready.root / "building"
    process = ready.start("book")
    appears(building)
    process.send_signal(how)
    process.communicate(timeout=600)
    assert process.returncode == code
    building.unlink()
    time.sleep(0.3)
    assert not building.exists()
    assert "no finished book" in ready.refusal("serve")
    ready.write("book/index.md", "A short page.\n")
    assert ready.kit("book", "--no-serve").code == 0


def test_the_book_is_served_at_a_free_port_until_ctrl_c(ready: Project) -> None:
    """While another program holds port 8000; a browser runs what it gets."""
    types = {"": "text/html", "module.mjs": "text/javascript", "code.wasm": "application/wasm"}
    types["script.js"] = "text/javascript"
    ready.kit("book", "--no-serve")
    for name in filter(None, types):
        ready.write(f"book/_build/html/{name}", "")
    with socket.socket() as holder:
        if os.name != "nt":  # a port that was left a moment ago can be taken, as the server takes it
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # then some other program holds it already
            holder.bind(("127.0.0.1", 8000))
            holder.listen()
        process = ready.start("book")
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert address and int(address[1]) > 1023 and address[1] != "8000", line
    for name, type_ in types.items():
        with urllib.request.urlopen(address[0] + name) as answer:
            assert b"page" in answer.read() or name
            assert answer.headers["Content-Type"].startswith(type_), name
    process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
    _, err = process.communicate(timeout=600)
    assert os.name == "nt" or (process.returncode, err) == (0, "")


def test_the_book_on_a_stick_is_served_by_python_alone(ready: Project, tmp_path: Path) -> None:
    packed = ready.kit("zip")
    assert packed.code == 0 and packed.out.rstrip().endswith("ndcg-book.zip")
    stick = tmp_path / "a stick"
    shutil.unpack_archive(packed.out.splitlines()[-1], stick)
    assert not (stick / "ndcg-book" / ".venv").exists()
    command = [sys.executable, "-I", "-S", stick / "ndcg-book" / "kit.py", "serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address
        with urllib.request.urlopen(address[0]) as answer:
            assert b"page" in answer.read()
    finally:
        process.terminate()
        process.wait()


def test_the_same_port_can_be_used_again_at_once(ready: Project) -> None:
    ready.kit("book", "--no-serve")
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = str(holder.getsockname()[1])
    for _ in range(2):
        process = ready.start("serve", "--port", port)
        assert process.stdout is not None
        assert f":{port}/" in process.stdout.readline()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=600) == 0
        process.communicate()


def test_a_port_that_was_asked_for_and_is_taken_is_told(ready: Project) -> None:
    ready.kit("book", "--no-serve")
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = str(holder.getsockname()[1])
        assert f"port {port} cannot be used" in ready.refusal("serve", "--port", port)


# ---- the rest ----


def test_help_has_a_line_for_each_command(project: Project) -> None:
    ended = project.kit()
    assert ended.code == 0
    named = re.findall(r"^  (\w+)", ended.out, re.MULTILINE)
    assert named == list(kit.COMMANDS)


def test_an_unknown_command_is_told(project: Project) -> None:
    assert "there is no command 'bok'" in project.refusal("bok")


def test_lab_works_on_copies_that_stay(tmp_path, monkeypatch):
    (tmp_path / "site/notebooks").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "site/notebooks/all.zip", "w") as packed:
        for name in ("chapters/ndcg.ipynb", "chapters/discounting.ipynb", "exercises/02.ipynb", "README.md"):
            packed.writestr(name, "{}")
    monkeypatch.setattr(kit, "SITE", tmp_path / "site")
    work = kit.copies(tmp_path / "work")
    mine = work / "exercises/02-cumulative-gain.ipynb"
    mine.write_text("my answers")
    assert kit.copies(work) == work and mine.read_text() == "my answers"
    start = (work / "START.ipynb").read_text("utf8")
    (cell,) = json.loads(start)["cells"]
    pages, tasks = cell["source"].partition("## Pages\n")[2].split("\n\n## Assignments\n")
    assert pages.splitlines() == ["- [discounting](chapters/discounting.ipynb)", "- [ndcg](chapters/ndcg.ipynb)"]
    assert "- [02-cumulative-gain](exercises/02-cumulative-gain.ipynb)" in tasks.splitlines()
    assert (work / "chapters/ndcg.ipynb").is_file() and not (work / "exercises/02.ipynb").exists()


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What kit.py would have become, in an environment that stands."""
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(kit, "set_up", lambda *group: told.append(("set up", *group)))
    monkeypatch.setattr(kit, "become", lambda *arguments: told.append(arguments))
    monkeypatch.setattr(kit, "build", lambda: told.append(("build",)))
    return told


def test_a_program_is_handed_its_arguments_in_the_environment_that_it_needs(became: list[tuple[str, ...]]) -> None:
    for name, group in (("mutants", "development"), ("style", "book"), ("slides", "book"), ("handouts", "book")):
        became.clear()
        kit.main([name, "one", "-o", "two"])
        (asked, (program, *rest)) = became
        assert asked == ("set up", group) and rest == ["one", "-o", "two"]
        assert (kit.ROOT / program).stem == name and (kit.ROOT / program).is_file()
    became.clear()
    kit.main(["links", "-q"])
    assert became[:2] == [("set up", "book"), ("build",)]
    assert became[2] == ("-c", kit.BOOK_TOOL, "build", "book", "--builder", "linkcheck", "-q")


def test_of_a_change_only_what_it_reaches_is_run(
    became: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[str] = []
    monkeypatch.setattr(kit, "reached", lambda since: [*found, *([since] if since else [])])
    kit.main(["test", "--changed"])
    assert became == [] and "no test can reach what has changed" in capsys.readouterr().out
    found += ["a.py", "b.py"]
    kit.main(["test", "--changed"])
    assert became == [("set up",), ("-m", "pytest", "-m", kit.QUICK, "a.py", "b.py")]
    kit.main(["test", "--since", "v1"])
    assert became[-1][-3:] == ("a.py", "b.py", "v1") and "--dist=loadfile" in became[-1]


def test_what_differs_from_a_revision_is_asked_of_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    for name in ("ndcg_lib", "ndcg_course"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    old, new = "tests/numbers/test_old.py", "tests/numbers/test_new.py"
    (tmp_path / "tests" / "numbers").mkdir(parents=True)
    for name in (old, "tests/numbers/test_same.py"):
        (tmp_path / name).write_text("")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    monkeypatch.setattr(kit, "ROOT", tmp_path)
    assert kit.reached("") == []
    (tmp_path / old).write_text("x = 1\n")
    (tmp_path / new).write_text("")
    assert kit.reached("") == [new, old] == kit.reached("HEAD")
    git("checkout", "-q", "-b", "mine")
    git("add", "-A")
    git("commit", "-q", "-m", "two")
    assert kit.reached("") == [new, old] and kit.reached("HEAD") == []


def test_nothing_of_this_machine_reaches_into_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "NDCG_OF_MINE"):
        monkeypatch.setenv(name, "1")
    assert {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "NDCG_OF_MINE"} & set(kit.variables()) == {"NDCG_OF_MINE"}
