"""Every page is run here, and each number that it prints is looked at: rounded once, no measured fact computed anew.

The facts themselves are computed once more in tests/book/test_sentences.py, by code that shares nothing with ours.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from contextlib import redirect_stdout
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from book_pages import BOOK, PAGES, name
from sweeps import some_of

from ndcg_course.make import pages

sys.path.insert(0, str(BOOK))
import facts

FORM = re.compile(r"[<>=+, ]*\d*,?(?:\.(\d+))?([f%])$")
RUN = [page for page in PAGES if "{code-cell}" in page.read_text("utf8")]


class Printing(ast.NodeTransformer):
    """Hands each number that an f-string formats to the test first."""

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.FormattedValue:
        self.generic_visit(node)
        spec = node.format_spec
        if isinstance(spec, ast.JoinedStr) and len(spec.values) == 1 and isinstance(spec.values[0], ast.Constant):
            called = ast.Call(ast.Name("__seen", ast.Load()), [node.value, spec.values[0]], [])
            node.value = ast.copy_location(called, node)
        return node


def complaints(text: str) -> list[str]:
    """What is wrong with the numbers of a page."""
    wrong: list[str] = []
    known = [(fact, facts.fact(fact)) for fact in facts.names()]
    known = [(fact, value) for fact, value in known if value != int(value)]

    def seen(value: Any, form: str, what: str = "an f-string") -> Any:
        found = FORM.match(form)
        if found and isinstance(value, float):
            shift = 2 if found[2] == "%" else 0
            if fault := rounded_before(float(value), int(found[1] if found[1] is not None else 6) + shift):
                wrong.append(f"{what}, format {form}: {fault}")
        return value

    page = pages.as_notebook(text)
    space: dict[str, Any] = {"__name__": "page", "__seen": seen}
    run = compile_and_run(space)
    with redirect_stdout(io.StringIO()):
        run(pages._setup(page))
        for cell in page.cells:
            if cell.cell_type == "code":
                run(cell.source)
            for kind, expression in pages.EVAL.findall(cell.source) if cell.cell_type != "code" else ():
                if kind != "eval":
                    continue
                split = pages.WITH_FORMAT.fullmatch(expression.strip())
                code, form = (split[1], split[2]) if split else (expression, "")
                value = run(code, "eval")
                seen(value, form or (".3f" if isinstance(value, float) else ""), expression)
                wrong += [f"{expression} computes the fact {each!r} anew" for each in anew(code, space, known)]
    return wrong


def compile_and_run(space: dict[str, Any]) -> Any:
    def run(code: str, mode: str = "exec") -> Any:
        tree = ast.fix_missing_locations(Printing().visit(ast.parse(code.strip(), mode=mode)))
        return eval(compile(tree, "<page>", mode), space)

    return run


def rounded_before(value: float, decimals: int) -> str:
    """Why the last digit that is printed is open, or nothing.

    A value that ends in a 5 just behind it is a half, or was rounded to one before: 0.40846 to 0.4085, then to 0.409.
    """
    if value != value or abs(value) == float("inf"):
        return ""
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    half = -int(exponent) == decimals + 1 and digits[-1] == 5
    return f"{value!r} is a half: it was rounded before, or it needs a digit more" if half else ""


def anew(code: str, space: dict[str, Any], known: list[tuple[str, Any]]) -> list[str]:
    """The facts that a part of an expression computes, where it does not quote them."""
    found = []
    for node in ast.walk(ast.parse(code.strip(), mode="eval")):
        if isinstance(node, (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.BinOp)):
            try:
                value = eval(compile(ast.Expression(node), "<page>", "eval"), space)
            except Exception:  # a part that stands for nothing alone, as the variable of a loop
                continue
            if isinstance(value, float) and not isinstance(value, facts.Fact):
                found += [fact for fact, own in known if abs(value - own) <= 1e-9 * abs(own)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("page", some_of([pytest.param(page, id=name(page)) for page in RUN], 6))
def test_each_number_of_a_page_is_rounded_once_and_no_fact_is_computed_anew(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(BOOK)
    monkeypatch.setenv("MPLBACKEND", "agg")
    found = complaints(page.read_text("utf8"))
    assert not found, f"{name(page)}.md:\n" + "\n".join(found)


HEAD = (BOOK / "chapters" / "ndcg.md").read_text("utf8").split("# NDCG")[0] + "# One\n\n"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("{eval}`round(0.40846, 4)`", "0.4085 is a half"),
        ("{eval}`100 * 0.125:.0f` %", "12.5 is a half"),
        ("```{code-cell} python\nx = round(0.40846, 4)\nprint(f'{x:.3f}')\n```", "0.4085 is a half"),
        ("{eval}`1 / 8:.2f`", "0.125 is a half"),
        ('{eval}`0.0 + facts.fact("ndcg@10 splade dl20")`', "computes the fact 'ndcg@10 splade dl20' anew"),
    ],
)
def test_what_is_found(page: str, told: str) -> None:
    found = complaints(f"{HEAD}```{{code-cell}} python\nimport facts\n```\n\n{page}\n")
    assert found and told in found[0]


def test_what_is_in_order() -> None:
    quoted = '{eval}`facts.fact("ndcg@10 splade dl20"):.4f` {eval}`1 / 3` {eval}`0.05:.2f` {eval}`3 / 4:.2f`'
    assert not complaints(f"{HEAD}```{{code-cell}} python\nimport facts\n```\n\n{quoted}\n")


def test_a_fact_has_its_noise_and_its_words() -> None:
    """What was drawn by lot is drawn often enough for the digits that pages print."""
    for each in map(facts.fact, facts.names()):
        assert len(each.what) > 10
        assert each.noise is None or each.noise < 0.03
    assert all(facts.fact(each).noise < 0.0005 for each in facts.names() if each.startswith("p "))


def test_an_unknown_fact_is_named() -> None:
    with pytest.raises(ValueError, match=r"there is no fact 'ndcg@10 splade dl21': data/facts.json has their names"):
        facts.fact("ndcg@10 splade dl21")


TABLED = [page for page in RUN if "from facts import" in page.read_text("utf8")]


@pytest.mark.parametrize("page", TABLED, ids=name)
def test_the_convention_of_real_runs_is_said(page: Path) -> None:
    """A page on real runs names the convention of what it computes, and under each table of values."""
    text = page.read_text("utf8")
    asked = re.findall(r"(?:nd\.evaluate|nd\.compare)\((?:[^()]|\([^()]*\))*\)", text)
    silent = [each for each in asked if "qrels(" in each and not re.search(r"convention|ties|\*\*", each)]
    assert not silent, f"{name(page)}.md: say the convention: {silent}"
