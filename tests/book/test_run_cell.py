"""What a live cell shows: book/_live/run_cell.py, which runs it in the browser, run here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LIVE = Path(__file__).parents[2] / "book" / "_live"
RUN = """
import asyncio, json, sys
import run_cell
run_cell.begin("https://book.example/")
said = []
for number, (code, quiet) in enumerate(json.loads(sys.stdin.read()), start=1):
    told = []
    well = asyncio.run(run_cell.run(code, f"cell {number}", lambda kind, text: told.append((kind, text)), quiet))
    said.append([well, told])
sys.__stdout__.write(json.dumps(said))
"""


def run(*cells: str | tuple[str, bool]) -> list[tuple[bool, list[list[str]]]]:
    """Whether each cell got to its end, and what it told the page."""
    asked = json.dumps([(cell, False) if isinstance(cell, str) else cell for cell in cells])
    screen = {**os.environ, "DISPLAY": ":9"}  # there matplotlib warns, as in a browser
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=asked, cwd=LIVE, env=screen, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [tuple(answer) for answer in json.loads(done.stdout)]


def test_a_cell_that_runs_for_a_later_one_leaves_its_picture_out_and_needs_no_matplotlib() -> None:
    code = "x = 2\nplots.bars({'gain': [x]}, title='Two')"  # without plots it would fail, if it drew
    assert run((code, True), "x") == [(True, []), (True, [["text", "2"]])]
    asked = "import run_cell, sys; print([run_cell.drawing(code, quiet) for code, quiet in eval(sys.argv[1])])"
    cells = [(code, True), (code, False), ("fig = plots.figure()", True), ("import matplotlib", True), ("x = (", False),
             ("nd.dcg([3])  # plots.bars", False)]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", asked, repr(cells)], cwd=LIVE, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[False, True, True, True, False, False]"


def shown(code: str) -> list[list[str]]:
    return run(code)[0][1]


SHOWN: list[tuple[str, list[list[str]]]] = [
    ("1 + 1", [["text", "2"]]),
    ("1 + 1;", []),
    ("x = 1", []),
    ("None", []),
    ("", []),
    ("# nothing", []),
    ("print('a')\nprint('b')\n'c'", [["printed", "a\n"], ["printed", "b\n"], ["text", "'c'"]]),
    ("import sys\nx = sys.stderr.write('careful')", [["printed", "careful"]]),
    ("int", [["text", "<class 'int'>"]]),
    ("import asyncio\nawait asyncio.sleep(0, 'late')", [["text", "'late'"]]),
    ("from IPython.display import HTML\nHTML('<b>x</b>')", [["html", "<b>x</b>"]]),
    ("from IPython.display import display\nfor i in range(2): display(i)", [["text", "0"], ["text", "1"]]),
    (
        "from IPython.display import Markdown\nMarkdown('# A *b*\\n\\n| x | y |\\n|--|--|\\n| `<` | **2** |')",
        [
            [
                "html",
                "<h1>A <em>b</em></h1>\n<table><tr><th>x</th><th>y</th></tr>"
                "<tr><td><code>&lt;</code></td><td><strong>2</strong></td></tr></table>",
            ]
        ],
    ),
    (
        "from IPython.display import Markdown\nMarkdown('- a\\n- b\\n\\n```\\nx\\n\\ny\\n```\\n2 * 3 * 4')",
        [["html", "<ul><li>a\n</li><li>b</li></ul>\n<pre>x\n\ny\n</pre>\n<p>2 * 3 * 4</p>"]],
    ),
    ("from IPython.display import Math\nMath('x < y')", [["html", "<p><code>x &lt; y</code></p>"]]),
    (
        "class A:\n  def _repr_latex_(self): return 'l'\n  def _repr_markdown_(self): return 'm'\nA()",
        [["html", "<p>m</p>"]],
    ),
    (
        "class A:\n  def _repr_mimebundle_(self): return {'text/plain': 'p', 'image/png': b'1'}, {}\nA()",
        [["html", '<img class="live-figure" alt="Figure drawn by this cell." src="data:image/png;base64,MQ==">']],
    ),
    (
        "import ndcg_lib as nd\nnd.Convention(k=3)",
        [
            [
                "html",
                "<table><thead><tr><th>NDCG</th><th></th></tr></thead><tbody><tr><th>gain</th><td>g</td></tr>"
                "<tr><th>discount</th><td>1/log2(i+1)</td></tr><tr><th>ideal</th><td>over all judged</td></tr>"
                "<tr><th>no relevant document</th><td>0</td></tr><tr><th>ties</th><td>ties averaged</td></tr>"
                "<tr><th>judged but no results</th><td>0</td></tr>"
                "<tr><th>average</th><td>mean over queries</td></tr>"
                "<tr><th>k</th><td>3</td></tr></tbody></table>",
            ]
        ],
    ),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nA(1)", [["text", "A(x=1)"]]),
]


def test_what_a_cell_shows() -> None:
    for (code, told), (well, shows) in zip(SHOWN, run(*(code for code, _ in SHOWN)), strict=True):
        assert well, code
        assert "".join(text for _, text in shows) == "".join(text for _, text in told), code
        assert {kind for kind, _ in shows} == {kind for kind, _ in told}, code


def test_cells_share_their_variables_and_a_quiet_one_shows_nothing() -> None:
    first, second = run(("grades = [3, 2]\nprint('unseen')\ngrades", True), "sum(grades)")
    assert first == (True, [])
    assert second == (True, [["text", "5"]])


def test_an_error_has_the_readers_lines_alone() -> None:
    call = "import functools\n\nfunctools.reduce(lambda a, b: half(a), [1, 2])"
    _, (well, [[kind, text]]) = run("def half(x):\n    return x / 0", call)
    assert (well, kind) == (False, "error")
    assert text.startswith("Cell 2, line 3:\n    functools.reduce(lambda a, b: half(a), [1, 2])\n")
    assert "Cell 1, line 2, in half:\n    return x / 0" in text
    assert text.endswith("ZeroDivisionError: division by zero")
    assert "functools.py" not in text and "run_cell" not in text


def test_a_syntax_error_points_at_its_place() -> None:
    (well, [[kind, text]]) = run("a = 1\nb = (2")[0]
    assert (well, kind) == (False, "error")
    assert text.startswith("Cell 1, line 2:\n    b = (2") and text.endswith("SyntaxError: '(' was never closed")


def test_what_was_printed_before_an_error_stays() -> None:
    told = shown("print('so far')\n1 / 0")
    assert "".join(text for kind, text in told if kind == "printed") == "so far\n"
    assert told[-1] == ["error", "Cell 1, line 2:\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero"]


def test_leaving_the_program_is_an_error_of_the_cell_alone() -> None:
    (first, _), (second, told) = run("exit()", "'still here'")
    assert (first, second, told) == (False, True, [["text", "'still here'"]])


def test_input_says_what_to_do_instead() -> None:
    assert shown("name = input('Who? ')")[0][1].endswith(
        "input() cannot ask inside a page: put the value into the code"
    )


def test_a_missing_package_is_named_with_those_that_are_there() -> None:
    modules = ("pandas_of_another_world", "scipy_of_another.world")
    *missing, (_, [[_, plain]]) = run(*(f"import {module}" for module in modules), "import json.nothing")
    for module, (well, [[_, text]]) in zip(modules, missing, strict=True):
        top = module.partition(".")[0]
        words = f"there is no {top} here. A page has Python's own library, numpy, matplotlib and ndcg_lib."
        assert not well and text.endswith(words)
    assert "no module named" in plain.lower(), "where the package is there, the plain words"


def test_output_without_end_is_cut_off() -> None:
    for _, told in run("for i in range(10**6): print(i)", "list(range(10**6))", "'x' * 10**7"):
        text = "".join(text for _, text in told)
        assert 100_000 <= len(text) < 100_100
        assert text.endswith("(cut off after 100,000 characters)\n")


def test_long_values_are_broken_into_lines() -> None:
    lines = shown("{f'document {i}': [i] * 3 for i in range(9)}")[0][1].splitlines()
    assert len(lines) == 9 and lines[0] == "{'document 0': [0, 0, 0],"


def test_figures_have_words_and_are_closed() -> None:
    draw = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.title('Gain \"a\"')\nplt.xlabel('rank')"
    (_, first), (_, second) = run(draw + "\nplt.show()", "1")
    [[kind, picture]] = first
    assert kind == "html"
    assert 'alt="Figure drawn by this cell. Gain &quot;a&quot;. x: rank."' in picture
    assert second == [["text", "1"]], "the figure is shown once"


def test_the_record_of_the_exercises_is_kept_for_the_next_page() -> None:
    note = "from ndcg_course.explain.record import record\nrecord.note('a', 'cg_at', tries=1);"
    _, (_, told) = run(note, "import run_cell\nrun_cell.kept_record()")
    assert '"cg_at": {"tries": 1}' in told[0][1]
