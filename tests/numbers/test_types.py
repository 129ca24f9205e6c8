"""ndcg_lib/types.py is made from the table of choices. To write it anew: python tests/numbers/test_types.py"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from sweeps import some_of  # noqa: E402

from ndcg_lib.definition import CHOICES, ENTERS, Choice  # noqa: E402
from ndcg_lib.presets import PRESETS  # noqa: E402

FILE = ROOT / "ndcg_lib" / "types.py"
BESIDES = {
    "a mapping from grade to gain, or a function": " | Mapping[Any, float] | Callable[[float], float]",
    "a function of the rank": " | Callable[[int], float]",
    "the number that stands for such a query (0.0, 1.0, nan)": " | float",
    "": "",
}
"""What stands in `Choice.open`, as a type."""
HEAD = '''"""The types of the public functions, made by tests/numbers/test_types.py from the table of choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Never, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ndcg_lib.convention import Convention

Array: TypeAlias = NDArray[np.float64]
Grades: TypeAlias = Sequence[Any] | NDArray[Any]
Judged: TypeAlias = Grades | Mapping[Any, Any]
Unknown: TypeAlias = np.ndarray[tuple[Never, Never, Never], Any]  # an array of a shape that its type leaves open
Row: TypeAlias = np.ndarray[tuple[int], Any]
Rows: TypeAlias = Sequence[Sequence[float]] | np.ndarray[tuple[int, int], Any]
Value: TypeAlias = Any  # a float for one ranking, an array with a value per row for several
Preset: TypeAlias = Literal[
{presets}
]
ConventionLike: TypeAlias = "Convention | Preset | None"

'''


def made() -> str:
    public = [choice for choice in CHOICES if choice.enters]
    lines = [f"{title(choice)}: TypeAlias = {literal(choice)}" for choice in public]
    before = "TypedDict"
    for kind in ENTERS:
        fields = {name: text for c in public if c.enters == kind for name, (text, _) in fields_of(c).items()}
        lines += ["", "", f"class Of{kind.title()}({before}, total=False):"]
        lines += [f'    """The choices that functions of the kind of `{kind}` take."""', ""]
        lines += [f"    {name}: {text}" for name, text in fields.items()]
        before = f"Of{kind.title()}"
    lines += [
        "",
        "",
        "@dataclass(frozen=True)",
        "class Chosen:",
        '    """Every public choice, the textbook\'s by default."""',
        "",
    ]
    lines += [f"    {name}: {text} = {default}" for c in public for name, (text, default) in fields_of(c).items()]
    presets = "\n".join(f'    "{name}",' for name in PRESETS)
    return HEAD.replace("{presets}", presets) + "\n".join(lines) + "\n"


def title(choice: Choice) -> str:
    return choice.name.title().replace("_", "")


def literal(choice: Choice) -> str:
    return f"Literal[{', '.join(quoted(name) for name in choice.names)}]{BESIDES[choice.open]}"


def fields_of(choice: Choice) -> dict[str, tuple[str, str]]:
    parameters = {p.name: p for o in choice.options if not o.wrong for p in o.parameters}.values()
    default = quoted(choice.default) if isinstance(choice.default, str) else repr(choice.default)
    return {choice.name: (title(choice), default)} | {p.name: ("float", repr(p.default)) for p in parameters}


def quoted(name: str) -> str:
    return f'"{name}"'


def test_the_types_are_those_of_the_table() -> None:
    assert FILE.read_text("utf8") == made(), "the table of choices has changed: run python tests/numbers/test_types.py"


USED = """
import numpy as np
from numpy.typing import NDArray
from typing import Any, assert_type
import ndcg_lib as nd

value: float = nd.ndcg([3, 2, 0])
for number in (nd.ndcg([3, 2, 0], 2), nd.cg((3, 2)), nd.dcg([3.5]), nd.idcg([3]), nd.ndcg_scores([3, 0], [1, 2])):
    assert_type(number, float)
for number in (nd.ndcg(np.ones(3)), nd.dcg(np.ones(3)), nd.idcg({"a": 1}), nd.ndcg(grades=[3]), nd.idcg(judged=[3])):
    assert_type(number, float)
for rows in (nd.ndcg([[3, 2], [1, 0]]), nd.cg([[1]]), nd.dcg([[1]]), nd.idcg([[1]]), nd.ndcg_scores([[1]], [[1]])):
    assert_type(rows, NDArray[np.float64])
    rows.mean()  # a number has no such method
open_: NDArray[np.float64] = np.array([[3.0, 2.0], [1.0, 0.0]])  # an array of any shape, so the result may be either
assert_type(nd.ndcg(open_), Any)
nd.ndcg(open_).mean() + nd.dcg(open_).mean() + nd.ndcg_scores(open_, open_).mean()
nd.ndcg(np.array([[3, 2], [1, 0]])).mean()
result = nd.evaluate({"q": {"a": 1}}, {"q": {"a": 0.5}}, k=[5, 10], gain="exponential", ties="order")
assert_type(result["ndcg@5"], float)
value = nd.ndcg([3, 2, 0], 10, judged={"d1": 3, "d2": 2, "d3": 0}, gain="exponential", empty="skip")
either: np.ndarray = nd.ndcg(np.ones((2, 3)), gain={1: 1.0}, discount=lambda i: 1 / i)
convention: nd.Convention = nd.CONVENTIONS["sklearn"].but(k=10)
card: str = convention.card()
print(nd.idcg([True, False], convention=convention), nd.gains([1]), nd.discounts(3), either)
"""
MISSPELT = [
    'nd.ndcg([3, 2], gain="exponentiall")',
    'nd.ndcg_scores([3, 2], [1, 2], ties="avrage")',
    'nd.evaluate({}, {}, discount="modernn")',
    'nd.evaluate({}, {}, tis="order")',
    'nd.dcg([3], discont="modern")',
    "nd.ndgc",
    "nd.ndcg([3, 2]).mean()",
    "nd.dcg(np.ones(3)).mean()",
    "nd.idcg([3], discount='modernn')",
    "nd.dcg([[3, 2]]).is_integer()",
    'nd.ndcg([3, 2, 0], k="ten")',
    "nd.Convention(kk=3)",
    'nd.Convention(ties="avarage")',
    'nd.ndcg([3, 2], convention="trek_eval")',
    'nd.evaluate({}, {}, convention="sklern")',
    'nd.testing.assert_computes(nd.ndcg, "trek_eval")',
    'nd.which(nd.ndcg, beside=["sklern"])',
    'nd.curve([1], discuont="modern")',
    "text: str = nd.ndcg([3, 2, 0])",
    "wide: float = nd.ndcg([[3, 2, 0]])",
]
CHECKERS = {
    "pyright": ["-m", "basedpyright", "--level", "error", "--pythonpath", sys.executable],
    "mypy": ["-m", "mypy", "--strict", f"--cache-dir={ROOT / '.mypy_cache'}", "--config-file="],
}


@pytest.mark.parametrize("checker", some_of(list(CHECKERS), one_in=2))
def test_a_type_checker_finds_each_misspelt_word_and_nothing_else(tmp_path: Path, checker: str) -> None:
    file = tmp_path / "used.py"
    file.write_text(USED + "\n".join(MISSPELT) + "\n", "utf8")
    found = subprocess.run(
        [sys.executable, *CHECKERS[checker], str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    lines = {int(line) for line in re.findall(r"used\.py:(\d+).*? error: ", found.stdout)}
    before = USED.count("\n")
    assert lines == set(range(before + 1, before + 1 + len(MISSPELT))), found.stdout + found.stderr


def test_the_program_that_writes_them_anew_can_be_started() -> None:
    started = [sys.executable, "-I", "-c", "import runpy, sys; runpy.run_path(sys.argv[1])", __file__]
    assert subprocess.run(started, capture_output=True, text=True, check=False).stderr == ""


if __name__ == "__main__":
    FILE.write_text(made(), "utf8", newline="\n")
