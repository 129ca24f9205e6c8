"""One list of cases through every entry point, against the thirty plain lines of `pocket`.

The conventions come from the table of choices, the queries from QUERIES, and the ways in from ENTRIES: a new option, a
new query or a new way in joins by being there. What an option means is read off its card, so that a function that does
not do what the card says is found here too.
"""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import permutations
from pathlib import Path
from types import MappingProxyType
from typing import Any

import mpmath
import numpy as np
import pytest
from _ext import playground
from hypothesis import given
from hypothesis import strategies as st

import ndcg_lib as nd
from ndcg_lib import formula, pocket
from ndcg_lib.choices import Bound, bind, cases, text_of
from ndcg_lib.definition import ENTERS, PARAMETERS, TABLE
from ndcg_lib.engine import recipe_of
from ndcg_lib.slips import value as any_definition

Case = dict[str, Any]
CUTS = (None, 1, 3, 10)
QUERIES: dict[str, tuple[dict[str, float], dict[str, float]]] = {  # what was judged, and the scores of what returned
    "plain": ({"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}, {"a": 9, "b": 8, "c": 7, "d": 6, "e": 5, "f": 4}),
    "tied": ({"a": 0, "b": 3, "c": 1, "d10": 2}, {"b": 0.5, "a": 0.9, "d10": 0.5, "c": 0.5}),
    "missed": ({"a": 1, "b": 3, "c": 3, "z": 2}, {"a": 2.0, "b": 1.0, "x": 1.5}),
    "all_tied": ({"a": 0, "b": 1, "c": 2}, {"c": 0.0, "a": 0.0, "b": -0.0}),
    "tied_in_single": ({"a": 1, "b": 3}, {"a": 1.00000001, "b": 1.0}),
    "nothing_relevant": ({"a": 0, "b": 0}, {"a": 1.0, "b": 2.0}),
    "nothing_returned": ({"a": 2}, {}),
    "huge": ({"a": 5000, "b": 4999, "c": 0}, {"b": 3.0, "a": 2.0, "c": 1.0}),
    "fractions": ({"a": 0.5, "b": 1.0, "c": 0.25}, {"c": 3.0, "a": 2.0, "b": 1.0}),
}
QRELS = {name: judged for name, (judged, _) in QUERIES.items()}
RUN = {name: run for name, (_, run) in QUERIES.items() if run}


# ---- the oracle ----


def by_card(name: str, key: Any, values: Mapping[str, float] = MappingProxyType({})) -> Callable[[float], mpmath.mpf]:
    """A gain or a discount as its card says it, in many digits: 2^g - 1, 1/log2(i+1), 1 if g > 0."""
    text, argument = text_of(name, bind(name, key, values)), "g" if name == "gain" else "i"
    text = re.sub(r"log([0-9.]+)\(", r"log_base(\1, ", text)
    text = {"none": "1"}.get(text, text).replace("^", "**")
    source = f"lambda {argument}: {text} else 0" if " if " in text else f"lambda {argument}: {text}"
    function = eval(
        source, vars(mpmath) | {"log_base": lambda base, x: mpmath.log(x, base), "ln": mpmath.ln, "max": max}
    )
    return lambda x: function(mpmath.mpf(x))


def in_order(case: Case, judged: dict[str, float], run: dict[str, float]) -> Iterator[list[str]]:
    """The orders whose mean counts: one, or with ties="average" all that the scores allow."""
    kind = np.float32 if case["score_precision"] == "single" else np.float64
    score = {document: float(kind(value)) + 0.0 for document, value in run.items()}
    place = {document: at for at, document in enumerate(run)}
    second: dict[str, Callable[[str], Any]] = {
        "order": place.__getitem__, "reverse": lambda d: -place[d],
        "best": lambda d: -judged.get(d, 0), "worst": lambda d: judged.get(d, 0),
    }  # fmt: skip
    documents = sorted(run, reverse=case["ties"] == "id-descending") if case["ties"].startswith("id") else list(run)
    if case["ties"] in second:
        documents.sort(key=second[case["ties"]])
    documents.sort(key=lambda d: -score[d])
    if case["ties"] != "average":
        yield documents
        return
    ranked = [score[d] for d in documents]
    for order in permutations(documents):
        if [score[d] for d in order] == ranked:
            yield list(order)


def oracle(case: Case, name: str, k: int | None) -> float:
    judged, run = QUERIES[name]
    if not run:
        return math.nan if case["missing"] == "skip" else 0.0
    gain, discount = by_card("gain", case["gain"]), by_card("discount", case["discount"])
    empty = case["empty"] if isinstance(case["empty"], float) else math.nan
    values = []
    for order in in_order(case, judged, run):
        grades = [judged.get(document, 0) for document in order]
        pool = grades if case["ideal"] == "returned" else list(judged.values())
        values.append(pocket.ndcg(grades, k, pool, gain, discount, empty))
    return float(sum(values) / len(values))


# ---- the ways in ----


def one_list(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    for name, ranked, judged in untied():
        yield name, nd.ndcg(ranked, k, judged=judged, **of(case, "ndcg"))


def arrays(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    for name, ranked, judged in untied():
        values = nd.ndcg(np.array([ranked] * 2), k, judged=np.array([judged] * 2), **of(case, "ndcg"))
        yield name, values[1]


def working(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    for name, ranked, judged in untied():
        yield name, nd.working(ranked, k, judged=judged, **of(case, "ndcg")).ndcg


def slips(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    for name, (judged, run) in QUERIES.items():
        if run:
            row = {"scores": list(run.values()), "ids": list(run), "judged": list(judged.values())}
            grades = [judged.get(document) for document in run]
            yield name, any_definition(grades, k, **row, **of(case, "scores"))


def rows(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    for name, (judged, run) in QUERIES.items():
        if run:
            row = {"judged": list(judged.values()), "ids": list(run)}
            grades = [judged.get(document, 0) for document in run]
            yield name, nd.ndcg_scores(grades, list(run.values()), k, **row, **of(case, "scores"))


def dense(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    for name, (judged, run) in QUERIES.items():
        if run and set(run) >= set(judged):
            grades, ids = np.array([[judged[d] for d in run]] * 3), np.array([list(run)] * 3)
            scores = np.array([list(run.values())] * 3)
            yield name, nd.ndcg_scores(grades, scores, k, ids=ids, **of(case, "scores"))[2]


def dictionaries(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    yield from evaluated(QRELS, RUN, k, case)


def trec_files(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    qrels, run = folder / "qrels", folder / "run"
    if not qrels.exists():
        qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))
        run.write_text("".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, docs in RUN.items() for d, s in docs.items()))
    yield from evaluated(str(qrels), str(run), k, case)


def frames(case: Case, k: int | None, folder: Path) -> Iterator[tuple[str, float]]:
    yield from evaluated(Frame(QRELS, "grade"), Frame(RUN, "score"), k, case)


class Frame:
    """As much of a data frame as every library agrees on."""

    def __init__(self, table: dict[str, dict[str, float]], value: str) -> None:
        self.data: dict[str, list[Any]] = {
            "query": [query for query in table for _ in table[query]],
            "document": [document for query in table for document in table[query]],
            value: [float(number) for query in table for number in table[query].values()],
        }

    @property
    def columns(self) -> list[str]:
        return list(self.data)

    def __getitem__(self, column: str) -> list[Any]:
        return self.data[column]


def evaluated(qrels: Any, run: Any, k: int | None, case: Case) -> Iterator[tuple[str, float]]:
    """The value of every query; nan for those that the convention leaves out."""
    found = nd.evaluate(qrels, run, k, **of(case, "queries")).per_query()
    for name in QUERIES:
        yield name, found.get(name, math.nan)


ENTRIES = (one_list, arrays, working, slips, rows, dense, dictionaries, trec_files, frames)


def of(case: Case, function: str) -> Case:
    """The choices that a kind of function takes."""
    known = ENTERS[: ENTERS.index(function) + 1]
    return {name: key for name, key in case.items() if TABLE[name].enters in known}


def untied() -> Iterator[tuple[str, list[float], list[float]]]:
    """The queries without equal scores, as the list that `ndcg` takes."""
    for name, (judged, run) in QUERIES.items():
        if run and len({np.float32(score) for score in run.values()}) == len(run):
            ranked = [judged.get(document, 0) for document in sorted(run, key=lambda d: -run[d])]
            yield name, ranked, list(judged.values())


# ---- the cases ----

ALL = list(cases())


def some(count: int) -> list[tuple[int, Case]]:
    """A few cases, the same each time, in which every option comes at least once."""
    drawn = random.Random(7).sample(range(len(ALL)), min(count, len(ALL)))
    for choice in TABLE.values():
        for option in choice.options:
            if any(choice.name in ALL[at] and ALL[at][choice.name] == option.key for at in drawn):
                continue
            drawn += [at for at, case in enumerate(ALL) if case.get(choice.name) == option.key][:1]
    return [(at, ALL[at]) for at in drawn]


@cache
def right_for(at: int, name: str) -> float:
    """What the oracle says of a case, at its cut-off: once for all ways in."""
    return oracle(ALL[at], name, CUTS[at % len(CUTS)])


def differences(entry: Callable[..., Any], chosen: list[tuple[int, Case]], folder: Path) -> list[Any]:
    wrong = []
    for at, case in chosen:
        k = CUTS[at % len(CUTS)]
        for name, value in entry(case, k, folder):
            right = right_for(at, name)
            if not (abs(value - right) <= 1e-12 or (math.isnan(value) and math.isnan(right))):
                wrong.append((name, k, case, float(value), right))
    return wrong


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_way_in_gives_the_number_of_the_definition(entry: Callable[..., Any], tmp_path: Path) -> None:
    assert differences(entry, some(60), tmp_path) == []


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_way_in_gives_it_under_every_other_convention(entry: Callable[..., Any], tmp_path: Path) -> None:
    assert differences(entry, list(enumerate(ALL))[ENTRIES.index(entry) % 2 :: 2], tmp_path) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_playground_gives_the_number_of_the_definition() -> None:
    asked, right, parameters = [], [], {name: p.default for name, p in PARAMETERS.items()}
    for at, case in some(300):
        if case["score_precision"] == "single":
            continue
        k = CUTS[at % len(CUTS)]
        for name, (judged, run) in QUERIES.items():
            if run and name != "huge":  # the grades of the playground end before
                documents = sorted(run, key=lambda d: -run[d])
                tied = [i > 0 and run[documents[i]] == run[documents[i - 1]] for i in range(len(documents))]
                grades = [judged.get(d, 0) for d in documents]
                missed = [grade for d, grade in judged.items() if d not in run]
                convention = {"table": {}, "k": k, **parameters, **of(case, "scores")}
                asked.append([{"names": documents, "grades": grades, "tied": tied, "missed": missed}, convention])
                right.append(right_for(at, name))
    lines = f"const asked = {json.dumps(asked)};\n" + (
        "const none = (x) => (Number.isNaN(x) ? null : x);\n"
        "console.log(JSON.stringify(asked.map(([list, how]) => none(evaluate(list, how).ndcg))));\n"
    )
    source = playground.choices() + playground.bare((playground.SOURCES / "math.js").read_text("utf8"))
    done = subprocess.run(["node", "-"], input=source + lines, capture_output=True, encoding="utf8", check=True)
    given = [math.nan if value is None else value for value in json.loads(done.stdout)]
    assert given == pytest.approx(right, abs=1e-12, nan_ok=True)


# ---- what stands beside the number ----

LEVELS = [  # each gain and discount, with every value of a parameter that `which` tries
    (choice.name, option.key, values)
    for choice in (TABLE["gain"], TABLE["discount"])
    for option in choice.options
    if not option.wrong
    for values in [{}, *({p.name: value} for p in option.parameters for value in p.tried)]
]


@pytest.mark.parametrize(("name", "key", "values"), LEVELS)
def test_a_function_computes_what_its_card_says(name: str, key: str, values: dict[str, float]) -> None:
    says = by_card(name, key, values)
    if name == "gain":
        grades = [0, 0.25, 1, 2.5, 3, 10]
        assert nd.gains(grades, key) == pytest.approx([float(says(grade)) for grade in grades], rel=1e-12)
    else:
        wanted = [float(says(rank)) for rank in range(1, 1200)]
        assert nd.discounts(1199, key, **values) == pytest.approx(wanted, rel=1e-5)  # the card has six digits


@pytest.mark.parametrize("gain", TABLE["gain"].names)
@pytest.mark.parametrize("discount", TABLE["discount"].names)
def test_the_sums_in_latex_and_in_text_are_the_sums(gain: Any, discount: Any) -> None:
    work = nd.working([2, 0, 3, 1], judged=[2, 0, 3, 1, 3], decimals=9, gain=gain, discount=discount)
    for line, total in zip(work.latex().splitlines()[1:3], (work.dcg, work.idcg), strict=True):
        assert in_latex(line.split("=")[1]) == pytest.approx(total, rel=1e-9)
    for line, total in zip(work.sums(), (work.dcg, work.idcg), strict=False):
        assert eval(line.split("=")[1].replace("x", "*")) == pytest.approx(total, rel=1e-7)


def in_latex(text: str) -> float:
    """The value of a sum as the workings write it."""
    plain = text.replace(r"\cdot", "*").replace("^", "**").replace(r"\sqrt", "math.sqrt")
    while (again := re.sub(r"\\log_\{([^{}]*)\} (\d+)", r"math.log(\2, \1)", plain)) != plain:
        plain = again
    inside = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
    while (again := re.sub(r"\\frac" + 2 * inside, r"((\1)/(\2))", plain)) != plain:
        plain = again
    return float(eval(plain.replace("{", "(").replace("}", ")")))


@given(st.lists(st.integers(0, 4), max_size=8), st.permutations(range(5)), st.none() | st.integers(1, 9))
def test_the_thirty_lines_put_the_largest_gain_first_also_where_it_is_not_the_largest_grade(
    judged: list[int], worth: list[int], k: int | None
) -> None:
    gain = dict(enumerate(worth))
    assert pocket.idcg(judged, k, gain.__getitem__) == pytest.approx(nd.idcg(judged, k, gain=gain), rel=1e-12)


def test_a_level_for_slips_is_refused_from_callers_and_a_misspelt_one_from_slips() -> None:
    for choice in TABLE.values():
        for option in choice.options:
            assert isinstance(bind(choice.name, option.key, wrong=True), Bound)
            if option.wrong:
                with pytest.raises(ValueError, match=f"{choice.name} is {option.key!r}"):
                    bind(choice.name, option.key)
        with pytest.raises(ValueError, match=f"{choice.name} is 'powr'"):
            recipe_of(**{choice.name: "powr"})


def test_a_choice_is_checked_also_where_its_equal_was_given_before() -> None:
    assert nd.ndcg([0], empty=1) == 1
    with pytest.raises(ValueError, match="empty is True"):
        nd.ndcg([0], empty=True)


def test_only_rounding_is_taken_for_one() -> None:
    assert nd.ndcg([1, 1 + 1e-9]) < 1
    assert formula.ndcg(np.float64(1.0001), np.float64(1.0), 0.0) == 1.0001
    assert formula.ndcg(np.array([3.0, 1 - 1e-12]), np.array([2.0, 1.0]), 0.0).tolist() == [1.5, 1 - 1e-12]
    for case in cases("gain", "discount"):
        ideal = [3.3, 3.3, 1.1, 0.7, 0.7, 0.1]
        assert nd.ndcg(ideal, **case) == nd.ndcg_scores(ideal, [3, 3, 2, 1, 1, 0], **case) == 1.0


def test_what_follows_a_list_never_changes_its_sum() -> None:
    draw = random.Random(3)
    grades = [draw.random() for _ in range(150)]
    for zeros in (1, 50, 1000):
        assert nd.dcg(grades) == nd.dcg(grades + [0] * zeros) == nd.dcg([grades + [0] * zeros] * 3)[2]


def test_a_document_that_comes_twice_stands_once_in_the_ideal() -> None:
    assert any_definition([1, 1], ids=["a", "a"]) == 1.0


def test_every_option_shows_on_the_card() -> None:
    usual = nd.Convention()
    for choice in TABLE.values():
        keys = [option.key for option in choice.options if choice.enters and not option.wrong]
        assert len({usual.but(**{choice.name: key}).card() for key in keys}) == len(keys)
