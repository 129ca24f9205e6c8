"""The playground computes what ndcg_lib computes, its copies and links say the same, and it stays small."""

from __future__ import annotations

import ast
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from _ext import lists, look, playground
from playground_program import ASKED, ask, differences, needs_node
from playground_vectors import vectors

import ndcg_lib as nd


@pytest.fixture(scope="module")
def asked() -> list[dict[str, Any]]:
    return vectors()


@pytest.fixture(scope="module")
def answered(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return ask(ASKED, f"console.log(JSON.stringify({json.dumps(asked)}.map(answer)))")


@needs_node
def test_its_numbers_are_those_of_the_library(asked: list[dict[str, Any]], answered: list[dict[str, Any]]) -> None:
    for vector, answer in zip(asked, answered, strict=True):
        assert max(differences(vector["is"], answer)) <= 1e-12, (vector, answer)


@needs_node
def test_the_small_figure_has_the_numbers_of_the_library(asked: list[dict[str, Any]]) -> None:
    """Its terms add up to what nd.dcg says of list and ideal, from the judged and from the returned alone."""
    figure = """const figure = ({ grades, missed, k }) => {
      const pages = Object.fromEntries([...grades, ...missed].map((grade, i) => [`p${i}`, { grade, title: "" }]));
      const ids = Object.keys(pages), list = ids.slice(0, grades.length), rest = ids.slice(grades.length);
      return ["judged", "returned"].map((ideal) => {
        const { cg, dcg, idcg, ndcg, terms, best } = score(pages, list, { missed: rest, ideal, k });
        return { cg, dcg, idcg, ndcg, terms: terms.map(({ value }) => value), best: best.map(({ value }) => value) };
      });
    };"""
    pages = playground.bare((playground.SOURCES / "pages.js").read_text("utf8"))
    lists = [{"grades": v["grades"], "missed": v["missed"], "k": v["convention"]["k"]} for v in asked]
    found = ask(pages, figure, f"console.log(JSON.stringify({json.dumps(lists)}.map(figure)))")
    for given, answers in zip(lists, found, strict=True):
        grades, k = given["grades"], given["k"]
        for judged, answer in zip((grades + given["missed"], grades), answers, strict=True):
            right = {"cg": nd.cg(grades, k), "dcg": nd.dcg(grades, k), "idcg": nd.idcg(judged, k)}
            right["ndcg"] = nd.ndcg(grades, k, judged=judged)
            assert max(differences(right, answer)) <= 1e-12, (given, answer)
            assert abs(sum(answer["terms"]) - answer["dcg"]) <= 1e-12
            assert abs(sum(answer["best"]) - answer["idcg"]) <= 1e-12


@needs_node
def test_the_python_that_it_copies_gives_its_number(answered: list[dict[str, Any]]) -> None:
    for answer in answered[::5]:
        *lines, last = ast.parse(answer["python"]).body
        assert isinstance(last, ast.Expr)
        if "raise" in ast.unparse(last) and answer["ndcg"] is None:
            continue
        names: dict[str, Any] = {}
        exec(compile(ast.Module(lines, []), "copied", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "copied", "eval"), names)
        assert differences(answer["ndcg"], None if value != value else value)[0] <= 1e-12, answer["python"]


@needs_node
def test_the_tables_and_formulas_that_it_copies_are_those_of_the_library(
    asked: list[dict[str, Any]], answered: list[dict[str, Any]]
) -> None:
    for vector, answer in zip(asked, answered, strict=True):
        told = {name: value for name, value in vector["convention"].items() if name not in ("table", "ties")}
        if told["gain"] == "table":
            told["gain"] = {grade: worth for grade, worth in vector["convention"]["table"]}
        if any(vector["tied"]) or (told["empty"] == "raise" and vector["is"]["ndcg"] is None):
            continue
        judged = vector["grades"] + vector["missed"]
        if told["empty"] == "raise":
            told["empty"] = "skip"  # nd.working shows each k, and k = 1 may have no gain yet
        work = nd.working(vector["grades"], judged=judged, documents=vector["names"], **told)
        assert answer["latex"] == work.latex()
        assert answer["markdown"].split("\n\n")[0] == work.markdown().split("\n\n")[0]
        if told["gain"] in ("linear", "exponential", "binary") and vector["convention"]["empty"] != "raise":
            assert answer["card"] == work.convention.definition()


@needs_node
def test_numbers_are_rounded_as_python_rounds_them() -> None:
    numbers = [i / 16 for i in range(60)] + [i / 10 for i in range(30)] + [0.0005, 1.0005, 2.0**70, 1e22]
    asked = f"console.log(JSON.stringify({json.dumps(numbers)}.map((x) => [fixed(x, 3), fixed(x, 1), fixed(x, 0)])))"
    assert ask(asked) == [[f"{x:.{n}f}" for n in (3, 1, 0)] for x in numbers]


@needs_node
def test_a_link_brings_the_list_back(answered: list[dict[str, Any]]) -> None:
    assert all(answer["hash"] == answer["again"] for answer in answered)
    assert all(re.fullmatch(r"#ndcg:[a-z0-9=;,.\-]+", answer["hash"]) for answer in answered)


@needs_node
@pytest.mark.parametrize(
    ("hash", "says"),
    [
        ("#ndcg:r=1-x", "document 1-x is not a number"),
        ("#ndcg:r=1-3,1-2", "twice"),
        ("#ndcg:r=1--3", "document 1--3 is not a number"),
        ("#ndcg:r=1-3;g=mauve", "gain cannot be mauve"),
        ("#ndcg:r=1-3;k=0", "k is not a number from 1"),
        ("#ndcg:r=1-3;b=1", "base is not a number"),
        ("#ndcg:r=" + ",".join(f"{i}-0" for i in range(1, 42)), "more than 40 documents"),
        ("#ndcg:%", "URI"),
    ],
)
def test_a_damaged_link_is_refused_with_a_reason(hash: str, says: str) -> None:
    assert says in ask(f"console.log(JSON.stringify(fromHash({json.dumps(hash)}).message))")


@needs_node
def test_an_address_of_something_else_is_left_alone() -> None:
    assert ask('console.log(JSON.stringify(fromHash("#on-your-own-page")))') is None


@needs_node
def test_moves_keep_every_document_and_equal_scores_stay_with_the_ranks() -> None:
    moves = """
    let s = tiedWithAbove(newState([3, 2, 1], [5]), 1, true);
    const seen = [s], go = (next) => seen.push(s = next);
    go(moved(s, "d3", "returned", 0)); go(moved(s, "d4", "returned", 1)); go(moved(s, "d3", "missed", 0));
    go(graded(s, "d1", 7)); go(tiedWithAbove(s, 2, true)); go(tiedWithAbove(s, 1, false));
    go(moved(s, "d1", "missed", 0));
    const names = (documents) => documents.map((document) => document.name).join("");
    console.log(JSON.stringify(seen.map((x) => [names(x.returned), names(x.missed), x.tied])));
    """
    assert ask(moves) == [
        ["d1d2d3", "d4", [False, True, False]],
        ["d3d1d2", "d4", [False, True, False]],
        ["d3d4d1d2", "", [False, True, True, False]],
        ["d4d1d2", "d3", [False, True, False]],
        ["d4d1d2", "d3", [False, True, False]],
        ["d4d1d2", "d3", [False, True, True]],
        ["d4d1d2", "d3", [False, False, True]],
        ["d4d2", "d1d3", [False, False]],
    ]


@needs_node
def test_undo_goes_back_step_by_step_and_typing_is_one_step() -> None:
    steps = """
    const h = new History("a"); h.change("b"); h.change("b1", "typing"); h.change("b12", "typing"); h.change("c");
    const seen = []; while (h.step(-1)) seen.push(h.state);
    h.step(1); h.change("d"); seen.push(h.canRedo, h.state);
    console.log(JSON.stringify(seen));
    """
    assert ask(steps) == ["b12", "b", "a", False, "d"]


def test_it_is_small_and_needs_nothing_from_elsewhere() -> None:
    for name in playground.SCRIPTS:
        script = playground.bundle(name)
        assert len(gzip.compress(script.encode())) < 30_000, name
        assert not re.search(
            r"https?://(?!www\.w3\.org/2000/svg)|^import|\bimport\(|\bfetch\(|XMLHttpRequest", script, re.MULTILINE
        )


def test_it_has_the_colours_of_the_book() -> None:
    for name in playground.SHEETS:
        script = playground.bundle(name)
        for theme in (look.LIGHT, look.DARK):
            used = [idea for idea in ("gain", "discount", "contribution", "ideal") if f"var(--{idea})" in script]
            assert used and all(f"--{idea}:{theme[idea]}" in script for idea in used), name


def test_every_preset_is_in_it() -> None:
    told = {library["name"]: library for library in playground.libraries()}
    assert list(told) == list(nd.CONVENTIONS)
    assert told["xgboost"] == {"name": "xgboost", "whom": nd.CONVENTIONS["xgboost"].stands_for, "gain": "exponential",
                               "ideal": "returned", "k": 32, "ties": "order", "empty": 1.0}  # fmt: skip


def test_the_widget_of_a_notebook_is_made_of_the_figure_of_the_site() -> None:
    made = Path(nd.__file__).parent.joinpath("plots", "playing.js").read_text("utf8")
    assert made == playground.widget(), "run in book/: python -m _ext.playground"


def test_a_list_by_a_wrong_name_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"no list 'engine C' in data/lists.yml, only engine A, engine B"):
        lists.named({"list": "engine C"})
