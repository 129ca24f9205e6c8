"""The page on threats: each sentence is held by a test or an attack that it names; and what no other file tries."""

import ast
import os
import re
import subprocess
import sys

import pytest
from grade.test_grading_judge import results, students
from grade.test_grading_rules import in_a_process_of_its_own
from hostile.attacks import ATTACKS
from hostile.course import NAME, ROOT, notebook, solved

from ndcg_course.grade.inside import sandbox, syscalls
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.process import Zygote
from ndcg_course.grade.run import Options, run
from ndcg_course.grade.session import Batch, ask

needs_sandbox = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
PAGE = (ROOT / "book/reference/grading-threats.md").read_text("utf8")
PAGE = re.sub(r"(?m)^- \*\*[^*]+\.\*\*", "-", PAGE).replace("**", "")  # a point's title is no sentence
ADVICE = "no test can hold it"


def sentences(text):
    """The sentences, points of a list and rows of a table."""
    for block in re.split(r"\n\s*\n|\n(?=[-|])", text):
        block = " ".join(block.split())
        if block and not block.startswith(("#", "|--", "| door")):
            yield from [block] if block.startswith("|") else re.split(r"(?<=[.!?]) +(?=[A-Z`])", block)


def test_each_sentence_of_the_page_on_threats_is_held_by_a_test_that_it_names():
    begin, middle = PAGE.index("## Two sides"), PAGE.index("## How it is tested")
    limits = PAGE[PAGE.index("## What is not defended") : PAGE.index("## What passes between students")]
    rows = re.findall(r"(?m)^\| (.+) \| (.+) \|$", PAGE[middle:])[1:]
    held = {words: names for quotes, names in rows for words in quotes.split(" · ")}
    told = list(sentences(PAGE[begin:middle]))
    assert [one for one in told if not any(words in one for words in held)] == []
    assert [words for words in held if not any(words in one for one in told)] == []
    assert all(words in limits for words, names in held.items() if names == ADVICE)
    files = (ROOT / "tests/grade").glob("test_*.py")
    parts = [part for file in files for part in ast.parse(file.read_text("utf8")).body]
    known = {part.name for part in parts if isinstance(part, ast.FunctionDef)} | {*ATTACKS}
    named = set(re.findall(r"`([^`]+)`", " ".join(names for names in held.values() if names != ADVICE)))
    named |= set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 1 and named <= known, named - known


@needs_sandbox
def test_nothing_of_a_notebook_is_parsed_or_unpickled_in_a_run(tmp_path):
    place = students(tmp_path / "in", {"ana": notebook(*solved(), "sentinel_of_this_test = 1")})

    def work():
        seen = []

        def hear(event, args):
            if event == "pickle.find_class" or (event in ("compile", "exec") and "sentinel_of" in str(args[0])):
                seen.append((event, args))

        run(Options(place, tmp_path / "before", seed="s", assignment=NAME))  # what is imported is imported
        sys.addaudithook(hear)
        book = run(Options(place, tmp_path / "out", seed="s", assignment=NAME))
        assert book.rows[0].total == 12 and not seen

    in_a_process_of_its_own(work)


HEADERS = ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h")


@pytest.mark.parametrize("machine", [0, 1])
def test_the_numbers_of_system_calls_are_those_of_the_kernel_s_headers(machine):
    if not os.path.exists(HEADERS[machine]):
        pytest.skip("the kernel's headers are not here")
    with open(HEADERS[machine]) as file:
        told = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", file.read()))
    renamed = {"newfstatat": "fstatat", "fadvise64": "fadvise64"} if machine else {}
    for name, numbers in syscalls.ALLOWED.items():
        number = told.get(name) or told.get(renamed.get(name, name))
        assert number is None or numbers[machine] in (None, int(number)), name


@needs_sandbox
def test_an_end_costs_the_cell_or_the_call_in_which_it_happened(tmp_path):
    end = "import os\nos._exit(1)\nuseless_rank = 1"
    call = "def cg_curve(g):\n    import os\n    os._exit(1)"
    place = students(tmp_path / "in", {"cell": notebook(end, *solved()), "call": notebook(*solved(), call)})
    rows = {row.student: row for row in run(Options(place, tmp_path / "out", seed="s", assignment=NAME)).rows}
    assert rows["cell"].total == 12 and "cell 1" in results(tmp_path / "out")["cell"]["reason"]
    assert {task for task, points in rows["call"].points.items() if points == 0} == {"cg_curve"}


@needs_sandbox
def test_an_id_that_occurs_twice_is_listed(tmp_path):
    texts = {name: notebook(*solved(), f'student_id = "{n}"') for name, n in (("ana", 7), ("ben", 7), ("cy", 8))}
    run(Options(students(tmp_path / "in", texts), tmp_path / "out", assignment=NAME))
    told = (
        (tmp_path / "out/summary.html").read_text("utf8").partition("<h2>The same id</h2>")[2].partition("</table>")[0]
    )
    assert "ana" in told and "ben" in told and "cy" not in told


@needs_sandbox
def test_of_a_file_outside_its_size_can_be_asked_and_no_byte_read():
    there = ROOT / "README.md"
    cells = [
        f"import os\nplace = {str(there)!r}\ntry: size = os.stat(place).st_size\nexcept OSError: size = -1",
        "try: read = open(place).read()[:3]\nexcept OSError: read = 'refused'",
    ]
    zygote = Zygote(Limits())
    try:
        answers = ask(zygote, cells, {}, [Batch("size"), Batch("read")], Limits()).outcomes
    finally:
        zygote.close()
    assert answers["read"][0].value == "refused" and answers["size"][0].value in (
        -1,
        (ROOT / "README.md").stat().st_size,
    )


@needs_sandbox
def test_without_a_sandbox_nothing_of_proc_is_needed(tmp_path):
    bare = ["unshare", *["-r"] * bool(os.getuid()), "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    try:
        if subprocess.run([*bare, "true"], capture_output=True, check=False).returncode:
            pytest.skip("this system lets nobody hide /proc")
    except OSError:
        pytest.skip("there is no unshare here")
    place = students(tmp_path / "in", {"ana": notebook(*solved())})
    command = [sys.executable, "-m", "ndcg_lib", "grade", place, "-o", tmp_path / "out", "--unsafe", "--jobs", "1"]
    done = subprocess.run([*bare, *map(str, command)], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0 and results(tmp_path / "out")["ana"]["points"] == 12, done.stderr
    assert "these marks can be faked" in (tmp_path / "out/summary.html").read_text("utf8")
