"""ndcg_lib/types.py is made from the table of choices. To write it anew: python tests/test_types.py"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ndcg_lib.definition import CHOICES, ENTERS, Choice  # noqa: E402

FILE = ROOT / "ndcg_lib" / "types.py"
BESIDES = {
    "a mapping from grade to gain, or a function": " | Mapping[Any, float] | Callable[[float], float]",
    "a function of the rank": " | Callable[[int], float]",
    "the number that stands for such a query (0.0, 1.0, nan)": " | float",
    "": "",
}
"""What stands in `Choice.open`, as a type."""
HEAD = '''"""The types of the public functions, made by tests/test_types.py from the table of choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ndcg_lib.convention import Convention

Array: TypeAlias = NDArray[np.float64]
Grades: TypeAlias = Sequence[Any] | NDArray[Any]
Judged: TypeAlias = Grades | Mapping[Any, Any]
Value: TypeAlias = Any  # a float for one ranking, an array with a value per row for several
ConventionLike: TypeAlias = "Convention | str | None"

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
    return HEAD + "\n".join(lines) + "\n"


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
    assert FILE.read_text("utf8") == made(), "the table of choices has changed: run python tests/test_types.py"


if __name__ == "__main__":
    FILE.write_text(made(), "utf8", newline="\n")
