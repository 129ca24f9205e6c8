#!/usr/bin/env python3
"""One environment, and one command for each thing to do with it. Standard library only."""

import sys

if sys.version_info < (3, 11):  # the whole file must parse on an older Python for this line to be reached
    sys.stderr.write("kit.py: Python 3.11 or newer is needed; this is %d.%d\n" % sys.version_info[:2])
    sys.exit(2)

import argparse
import contextlib
import hashlib
import http.server
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import zipfile
from pathlib import Path

WINDOWS = os.name == "nt"
ROOT = Path(__file__).resolve().parent
REQUIREMENTS = ROOT / "requirements.txt"
PACKAGES = (ROOT, ROOT / "ndcg_course")  # each with a pyproject.toml
GROUPS = ("book", "course", "development")  # of pyproject.toml; whoever has one has those before it as well
GROUP_LINE = "# ==== {} ====\n"

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
INSTALLED = VENV / "kit-installed"  # what stands in .venv; written last
LOCK = VENV / "kit.lock"
PIP_LOG = VENV / "pip.log"

BUILD = ROOT / "book" / "_build"
SITE = BUILD / "html"
BUILT = BUILD / "kit-built"  # the sources of the site that stands in _build; written last
BOOK_TOOL = "from jupyter_book.cli.main import main; main()"  # it has no __main__, and its script an absolute path
EVERYDAY = "not sweep and not weekly"  # what `kit.py test` chooses; .ci/run adds the sweeps
QUICK = f"{EVERYDAY} and not slow"  # what `kit.py test --changed` chooses from
EXECUTED = BUILD / ".executed"  # outputs of pages, each under a fingerprint of all that it was computed with


# ---- the environment ----


def set_up(group="development"):
    """Bring .venv to what requirements.txt and pyproject.toml ask for, up to a group; it may hold more already."""
    place = f"{sys.version_info[0]}.{sys.version_info[1]} {sys.platform} {ROOT}\n"
    state = place + digest([REQUIREMENTS, *(folder / "pyproject.toml" for folder in PACKAGES)])
    enough = [f"{state}\n{name}" for name in GROUPS[GROUPS.index(group) :]]
    if read(INSTALLED) in enough and is_sound():
        return
    if VENV.is_symlink():
        stop(
            f".venv is a link to {VENV.resolve()}, which another checkout may use: remove the link, and run this again"
        )
    with one_at_a_time():
        before = read(INSTALLED) if is_sound() else ""
        if before in enough:  # another run did it while this one waited
            return
        had = before.rpartition("\n")[2]
        group = max(group, had if had in GROUPS else group, key=GROUPS.index)
        INSTALLED.unlink(missing_ok=True)
        PIP_LOG.unlink(missing_ok=True)
        doing = "bringing the environment up to date"
        if not before.startswith(place):  # new, interrupted, damaged or moved: nothing in it can be trusted
            make_venv()
            doing = "installing the pinned environment (about a minute, once)"
        chosen = VENV / "kit-requirements.txt"
        chosen.write_text("".join(section(name) for name in GROUPS[: GROUPS.index(group) + 1]), "utf-8")
        # Without a search: all that they need is pinned as well.
        install(doing, "--no-deps", "-r", chosen)
        editable = [word for folder in PACKAGES for word in ("-e", folder)]
        install("installing ndcg_lib and ndcg_course", "--no-deps", "--no-build-isolation", *editable)
        INSTALLED.write_text(f"{state}\n{group}", "utf-8")


def section(group):
    """The pins of requirements.txt that a group adds to those before it."""
    after = read(REQUIREMENTS).partition(GROUP_LINE.format(group))[2]
    return after.partition(GROUP_LINE.partition("{")[0])[0]


def is_sound():
    """Tell whether .venv runs and holds pip and both packages."""
    look = "import importlib.util as u, sys; sys.exit(None in map(u.find_spec, ('pip', 'ndcg_lib', 'ndcg_course')))"
    try:
        return subprocess.run([PYTHON, "-I", "-c", look], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_venv():
    if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        stop("this Python cannot make environments; on Debian and Ubuntu: sudo apt install python3-venv")
    if shutil.disk_usage(ROOT).free < 1.2e9:
        stop(f"not enough disk space: the environment and the book need 1.2 GB in {ROOT}")
    unfit = [entry for entry in VENV.iterdir() if entry != LOCK]
    for entry in unfit:
        remove(entry)
    base = getattr(sys, "_base_executable", sys.executable)  # kit.py may be run by the Python of .venv itself
    if run([base, "-m", "venv", VENV], PIP_LOG, "making .venv anew" if unfit else "making .venv") != 0:
        stop(f"making .venv failed: {cause()}")


def install(doing, *what):
    if run([PYTHON, "-m", "pip", "install", "--no-input", *what], PIP_LOG, doing) != 0:
        stop(f"{doing.split(' (')[0]} failed: {cause()}")


def cause():
    """Say in a few words why venv or pip failed."""
    log = read(PIP_LOG)
    known = {
        r"No space left|not enough space": "the disk is full",
        r"Permission denied|Read-only file system|Access is denied": f"{VENV} cannot be written",
        r"Retrying \(|ConnectionError|SSLError": "there is no network, or no way through it",
        r"No matching distribution": "there is no network, or no such version for this Python",
    }
    words = [word for pattern, word in known.items() if re.search(pattern, log)]
    words += re.findall(r"^ *error: (.+)", log, re.MULTILINE | re.IGNORECASE)[-1:]
    return " ".join([*words, "see the log"][:1]) + " (details: .venv/pip.log)"


def run(command, log, doing, python=PYTHON):
    """Run what takes long: its output goes to the log, the latest line of it to the terminal as well."""
    say(f"{doing} ...")
    width = shutil.get_terminal_size().columns - 1 if sys.stdout.isatty() else 0
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    text = {"encoding": "utf-8", "errors": "replace"}
    with open(log, "a", encoding="utf-8") as record:
        child = subprocess.Popen(command, cwd=ROOT, env=variables(python), **pipes, **text)
        try:
            for line in child.stdout:
                record.write(line)
                print("\r" + line.strip().ljust(width)[:width] if width else "", end="", flush=True)
            return child.wait()
        finally:
            print("\r" + " " * width + "\r" if width else "", end="", flush=True)
            child.terminate()
            child.wait()


def variables(python=PYTHON):
    """Return those of an activated environment, without what would reach into it from outside."""
    # The last would have hundreds of starts compile the same files.
    outside = ("PYTHONPATH", "PYTHONHOME", "MPLBACKEND", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in outside}
    folder = Path(python).parent
    own = {"VIRTUAL_ENV": str(folder.parent), "PYTHONUTF8": "1", "JUPYTER_PREFER_ENV_PATH": "1", "PIP_USER": "0"}
    return {**kept, **own, "PATH": os.pathsep.join([str(folder), kept.get("PATH", "")])}


def become(*arguments):
    """Hand over to the Python of .venv."""
    os.chdir(ROOT)
    command = [PYTHON, *arguments]
    if WINDOWS:  # where exec would return to the prompt before its program ends
        return subprocess.call(command, env=variables())
    os.execve(PYTHON, command, variables())


@contextlib.contextmanager
def one_at_a_time():
    """Let one run install or build; the system takes the lock back when a run dies."""
    VENV.mkdir(exist_ok=True)
    with open(LOCK, "a") as file:
        if WINDOWS:
            import msvcrt

            take, parameters = msvcrt.locking, (msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            take, parameters = fcntl.flock, (fcntl.LOCK_EX | fcntl.LOCK_NB,)
        waiting = False
        while True:
            try:
                take(file.fileno(), *parameters)
                break
            except (BlockingIOError, PermissionError):
                if not waiting:
                    say("waiting for another kit.py in this folder ...")
                waiting = True
                time.sleep(0.2)
        yield


# ---- the book ----


def build(python=PYTHON):
    """Build the book, warnings as errors, unless it stands; return the path of its first page."""
    index = SITE / "index.html"
    with one_at_a_time():
        asked = {name: os.environ.get(name) for name in ("NDCG_SITE", "NDCG_LIVE", "NDCG_SOLUTIONS")}
        wanted = f"{digest(sources())} {python} {sys.version_info[:2]} {asked}"
        if read(BUILT) == wanted and index.is_file():
            return index
        BUILD.mkdir(exist_ok=True)
        BUILT.unlink(missing_ok=True)
        for entry in BUILD.iterdir():  # Sphinx repeats no warning for a page that it need not read again
            if entry != EXECUTED:
                remove(entry)
        log = BUILD / "build.log"
        command = [python, "-c", BOOK_TOOL, "build", ROOT / "book", "-W", "-n", "--keep-going"]
        if run(command, log, "building the book", python) != 0 or not index.is_file():
            plain = re.sub(r"\x1b\[[\d;]*m", "", read(log))
            told = re.findall(r"^.*(?:WARNING|ERROR|CRITICAL|Error: .).*$", plain, re.MULTILINE)
            stop("\n".join(["the book did not build (details: book/_build/build.log)", *dict.fromkeys(told)]), code=1)
        for line in dict.fromkeys(re.findall(r"^live cells: .*", read(log), re.MULTILINE)):
            say(line)
        BUILT.write_text(wanted, "utf-8")
        return index


def sources():
    """Yield every file that a page may be made from."""
    yield from (REQUIREMENTS, ROOT / "course.toml")
    for top in ("book", "exercises", "solutions", "ndcg_lib", "ndcg_course"):
        for folder, folders, names in os.walk(ROOT / top):
            folders[:] = sorted(set(folders) - {"_build", "__pycache__", ".ipynb_checkpoints"})
            yield from (Path(folder, name) for name in sorted(names))


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = not WINDOWS  # there it would share a port that another program holds

    def handle_error(self, request, client_address):
        pass  # the reader has gone on to another page


TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}

# A page that no other site reaches may share memory with its Python, so that Stop asks it and what was computed stays.
ALONE = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


class Pages(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | TYPES  # whatever this machine says of them

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=str(SITE))

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # so that the next build is seen
        for name, value in ALONE.items():
            self.send_header(name, value)
        super().end_headers()

    def send_error(self, code, *arguments):  # a host of pages shows the page for dead links by itself
        page = SITE / "404.html"
        if code != 404 or not page.is_file():
            return super().send_error(code, *arguments)
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else page.read_bytes())

    def log_message(self, *arguments):
        pass


def serve(port):
    if not BUILT.is_file():
        stop("there is no finished book to serve; make it with: python3 kit.py book")
    try:
        server = Server(("127.0.0.1", port or 8000), Pages)
    except OSError as error:
        if port:
            stop(f"port {port} cannot be used: {error.strerror}")
        server = Server(("127.0.0.1", 0), Pages)
    with server, contextlib.suppress(KeyboardInterrupt):
        say(f"the book is at http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)")
        server.serve_forever()


# ---- small things ----


def say(line):
    print(line, flush=True)


def stop(reason, code=2):
    """End the run: 2 for something that is missing, 1 for something that is wrong."""
    print(f"kit.py: {reason}", file=sys.stderr)
    sys.exit(code)


def read(path):
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def digest(paths):
    """Return one hash of the names and contents of files."""
    total = hashlib.sha256()
    for path in filter(Path.is_file, paths):  # an editor's lock can be a link to nowhere
        total.update(f"{path.relative_to(ROOT).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# ---- the commands ----


def book(rest):
    options = parse("book", rest, "--no-serve", "--port")
    set_up("book")
    index = build()
    say(index) if options.no_serve else serve(options.port)


def test(rest):
    several = ["-n", "auto", "--maxprocesses=4", "--dist=loadfile", "--no-loadscope-reorder"]
    if not any(word.startswith(("--changed", "--since")) for word in rest):
        set_up()
        return become("-m", "pytest", *(rest or [*several, "-m", EVERYDAY]))
    chosen = reached(parse("test", rest, "--changed", "--since").since)
    if not chosen:
        return say("no test can reach what has changed")
    set_up()
    return become("-m", "pytest", *(several if len(chosen) > 2 else ()), "-m", QUICK, *chosen)


def reached(since):
    """The tests that can see what is not yet on main, or what has changed since a revision."""

    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)

    base = since or git("merge-base", "HEAD", "main").stdout.strip() or "HEAD"
    differs = git("diff", "--name-only", "--no-renames", base)
    if differs.returncode:
        stop(differs.stderr.strip().splitlines()[0])
    sys.path.insert(0, str(ROOT / "tests"))
    import reach

    new = git("ls-files", "--others", "--exclude-standard").stdout
    return reach.Project(ROOT).chosen([*differs.stdout.splitlines(), *new.splitlines()])


def program(path):
    """A command that is a program of its own."""

    def command(rest):
        set_up("book" if path.startswith("book") else "development")
        return become(path, *rest)

    return command


def lab(rest):
    """Open JupyterLab on copies; with the built book served beside it, so that what a check names can be opened."""
    set_up("course")
    work = copies(ROOT / "work")
    environment = variables()
    for wheel in SITE.glob("wheels/ndcg_book-*.whl"):  # what the pages import, for them alone
        shutil.unpack_archive(wheel, BUILD / "ndcg_book", "zip")
        environment["PYTHONPATH"] = str(BUILD / "ndcg_book")
    with contextlib.ExitStack() as stack:
        if BUILT.is_file() and "NDCG_BOOK" not in environment:
            server = stack.enter_context(Server(("127.0.0.1", 0), Pages))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            environment["NDCG_BOOK"] = f"http://127.0.0.1:{server.server_port}/"
        start = "--LabApp.default_url=/lab/tree/START.ipynb"
        return subprocess.call([PYTHON, "-m", "jupyter", "lab", start, *rest, work], env=environment)


def copies(work):
    """Copy assignments and, of a built book, pages into a folder that git leaves alone; what is there stays."""
    work.mkdir(exist_ok=True)
    packed, listed = SITE / "notebooks" / "all.zip", {"Pages": {}, "Assignments": {}}
    if packed.is_file():
        with zipfile.ZipFile(packed) as archive:
            names = [name for name in sorted(archive.namelist()) if name.endswith(".ipynb")]
            listed["Pages"] = {name: archive.read(name) for name in names if not name.startswith("exercises/")}
    listed["Assignments"] = {f"exercises/{f.name}": f.read_bytes() for f in sorted(ROOT.glob("exercises/*.ipynb"))}
    lines = ["# Where to begin", "Your own copies: what you write here is never overwritten, and another copy of a"
             " notebook comes when you delete yours."]  # fmt: skip
    for part, files in listed.items():
        lines.append(f"## {part}")
        lines += [] if files else ["`python3 kit.py book` makes them; then run `kit.py lab` again."]
        for name, data in files.items():
            place = work / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                place.write_bytes(data)
            lines.append(f"- [{place.stem}]({name})")
    text = "\n\n".join(lines).replace("\n\n- ", "\n- ")
    cell = {"cell_type": "markdown", "id": "start", "metadata": {}, "source": text}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}  # else JupyterLab asks which one
    start = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (work / "START.ipynb").write_text(json.dumps(start, indent=1) + "\n", "utf-8")
    return work


def serve_only(rest):
    serve(parse("serve", rest, "--port").port)


def zip_up(rest):
    """Pack the built book with what serves it: `python3 kit.py serve` shows it wherever it is unpacked."""
    parse("zip", rest)
    set_up("book")
    build()
    packed = BUILD / "ndcg-book.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (ROOT / "kit.py", *ROOT.glob("LICENSE*"), BUILT, *sorted(SITE.rglob("*"))):
            archive.write(path, Path("ndcg-book", path.relative_to(ROOT)))
    say(packed)


def links(rest):
    set_up("book")
    build()
    return become("-c", BOOK_TOOL, "build", "book", "--builder", "linkcheck", *rest)


def pin(rest):
    return subprocess.call(
        [sys.executable, ROOT / "tests" / "pin.py", *rest]
    )  # it wants no .venv, which it may replace


def clean(rest):
    for path in (VENV, BUILD, *(left for folder in PACKAGES for left in folder.glob("*.egg-info"))):
        if path.exists() or path.is_symlink():
            say(f"removing {path.relative_to(ROOT)}")
            remove(path)


COMMANDS = {
    "book": (book, "[--no-serve] [--port N]", "build the book and serve it on this machine"),
    "test": (test, "[pytest arguments]", "prove everything: library, notebooks, book; --changed: what you changed"),
    "mutants": (program("tests/mutants.py"), "[ROOM ...] [--count N]", "break lines: which does no test notice?"),
    "lab": (lab, "[jupyter arguments]", "open JupyterLab on your copies in work/"),
    "serve": (serve_only, "[--port N]", "serve the book as it was last built"),
    "zip": (zip_up, "", "pack the book for a USB stick: unpack, then serve"),
    "links": (links, "", "ask every outside link of the book whether it lives"),
    "style": (program("book/style.py"), "[pages]", "report how the pages talk: sentences, address, lengths"),
    "slides": (program("book/slides.py"), "[CHAPTER] [-o FOLDER]", "a deck for each chapter, as HTML and PDF"),
    "handouts": (program("book/handouts.py"), "[CHAPTER] [-o FOLDER]", "two pages to write on for each chapter, keys"),
    "pin": (pin, "[--upgrade]", "write requirements.txt anew, from the groups in pyproject.toml"),
    "clean": (clean, "", "remove .venv and all that was built"),
}


def parse(name, rest, *options):
    parser = argparse.ArgumentParser(prog=f"kit.py {name}", description=COMMANDS[name][2])
    known = {
        "--no-serve": {"action": "store_true", "help": "build only, and print the path of index.html"},
        "--changed": {"action": "store_true", "help": "only the tests that can see what is not on main"},
        "--since": {"metavar": "REV", "help": "only the tests that can see what changed since then"},
        "--port": {"type": int, "help": "where to serve (default: 8000, or a free one)"},
    }
    for option in options:
        parser.add_argument(option, **known[option])
    return parser.parse_args(rest)


def main(arguments):
    name, *rest = arguments or ["help"]
    if name in ("help", "-h", "--help"):
        say("usage: python3 kit.py COMMAND\n")
        say("\n".join(f"  {name:9}{how:25}{what}" for name, (_, how, what) in COMMANDS.items()))
        return 0
    if name not in COMMANDS:
        stop(f"there is no command {name!r}; python3 kit.py help lists them")
    try:
        return COMMANDS[name][0](rest)
    except OSError as error:
        stop(": ".join(str(part) for part in (error.strerror, error.filename) if part))
    except subprocess.CalledProcessError as error:
        stop(error)
    except KeyboardInterrupt:
        stop("interrupted; run the command again to go on", code=130)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that pip is not left behind
    sys.exit(main(sys.argv[1:]))
