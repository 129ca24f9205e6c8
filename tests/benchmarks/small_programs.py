"""A search over small programs made from a grammar: which of the wrong ones does a check accept?

python tests/benchmarks/small_programs.py [TASK …]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from math import log, log2

from ndcg_course.explain import calls
from ndcg_course.explain.faults import fault
from ndcg_course.tasks import task_named

LISTS = (
    "{0}", "sorted({0})", "sorted({0}, reverse=True)", "{0}[::-1]", "list(set({0}))", "[g for g in {0} if g]",
    "sorted(map(str, {0}), reverse=True)", "list(map(abs, {0}))", "list(map(int, {0}))",
)  # fmt: skip
CUTS = ("{1}", "{1}[:K]", "{1}[: K - 1]", "{1}[: K + 1]", "{1}[1:K]", "{1}[-K:]", "{1}[: min(K, 3)]", "{1}[:10]")
GAINS = ("g", "2 ** g - 1", "2 ** g", "min(g, 3)", "float(g > 0)", "g * g", "abs(g)", "round(g)")
WORTH = (
    "1",
    "1 / log2(i + 1)",
    "1 / log2(i + 2)",
    "1 / log(i + 1)",
    "1 / i",
    "1 / max(1, log2(i))",
    "1 / (1 + log2(i))",
)
WHOLE = ("sum({2})", "float(sum({2}))", "round(sum({2}), 3)", "sum({2}) / max(1, len({3}))", "max({2}, default=0)")
RIGHT = {
    "cg_at": ("{0}", "{1}[:K]", "g", "1"),
    "dcg_at": ("{0}", "{1}[:K]", "g", "1 / log2(i + 1)"),
    "idcg_at": ("sorted({0}, reverse=True)", "{1}[:K]", "g", "1 / log2(i + 1)"),
}
EQUAL = {"abs(g)": "g"}


def programs(argument: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each choice of the grammar, and its code."""
    for items, cut, gain, worth, whole in itertools.product(LISTS, CUTS, GAINS, WORTH, WHOLE):
        first = items.format(argument)
        top = cut.replace("{1}", f"({first})").replace("K", f"(len({argument}) if k is None else k)")
        terms = f"({gain}) * ({worth}) for i, g in enumerate({top}, start=1)"
        yield (items, cut, gain, worth, whole), f"lambda {argument}, k=None: " + whole.format("", "", f"[{terms}]", top)


def search(name: str) -> tuple[int, list[tuple[str, ...]]]:
    """How many programs were tried, and the choices of those that pass."""
    task = task_named(name)
    argument = "judged" if name == "idcg_at" else "grades"
    cases = sorted(task.cases("check"), key=lambda case: -len(repr(case.args)))
    targets = [task.target(case.args) for case in cases]
    passed, tried = [], 0
    for choice, code in programs(argument):
        tried += 1
        function = eval(code, {"log": log, "log2": log2})
        for case, target in zip(cases, targets, strict=True):
            try:
                outcome = calls.Outcome(function(*case.args))
            except (ArithmeticError, TypeError, ValueError):
                break
            if fault(outcome, target, task.tolerance):
                break
        else:
            passed.append(choice)
    return tried, passed


def is_right(name: str, choice: tuple[str, ...]) -> bool:
    """Whether the choice is the definition, or another way to write it."""
    items, cut, gain, worth, whole = choice
    items = items.replace("list(map(abs, {0}))", "{0}")  # no grade is below 0
    if (items, cut) == ("{0}[::-1]", "{1}[-K:]") and name == "cg_at":  # the same documents, from the other side
        items, cut = RIGHT[name][:2]
    return (items, cut, EQUAL.get(gain, gain), worth) == RIGHT[name] and whole in WHOLE[:2]


def main(names: list[str]) -> None:
    for name in names or RIGHT:
        tried, passed = search(name)
        wrong = [choice for choice in passed if not is_right(name, choice)]
        print(f"{name}: {tried} programs, {len(passed)} pass, {len(wrong)} of them not by the definition")
        for choice in wrong:
            print("  ", *choice, sep="  ")


if __name__ == "__main__":
    main(sys.argv[1:])
