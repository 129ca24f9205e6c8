"""Formulas become MathML that a browser draws without a script."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from _ext.maths import mathml

MATHML = "{http://www.w3.org/1998/Math/MathML}"


@pytest.fixture
def tree():
    return lambda latex, display="block": ElementTree.fromstring(mathml(latex, display))


def tags(element: ElementTree.Element) -> list[str]:
    return [child.tag.removeprefix(MATHML) for child in element.iter()]


def test_it_carries_its_source_for_copying(tree) -> None:
    formula = tree(r"\frac{g_i}{\log_2(i+1)} < 1", "inline")
    assert formula.find(f".//{MATHML}annotation").text == r"\frac{g_i}{\log_2(i+1)} < 1"
    assert formula.get("display") == "inline"


@pytest.mark.parametrize("latex", [r"\log_2 3", r"\log_b i", r"\log_{10} x", r"\log x", r"3 \times \log_2 g_i"])
def test_a_logarithm_stands_apart_from_its_argument(tree, latex: str) -> None:
    assert tags(tree(latex)).count("mspace") == 1


@pytest.mark.parametrize("latex", [r"\log_2(i+1)", r"\frac{1}{\log_2 (i+1)}"])
def test_a_bracket_needs_no_space_before_it(tree, latex: str) -> None:
    formula = tree(latex)
    assert "mspace" not in tags(formula)
    assert [child.text for child in formula.find(f".//{MATHML}msub")] == ["log", "2"]


@pytest.mark.parametrize("name", ["aligned", "align*", "align", "split"])
def test_equations_stand_below_each_other(tree, name: str) -> None:
    formula = tree(rf"\begin{{{name}}} a &= b \\ c &= d \end{{{name}}}")
    assert tags(formula).count("mtr") == 2
    assert "&" not in "".join(formula.find(f".//{MATHML}mtable").itertext())
