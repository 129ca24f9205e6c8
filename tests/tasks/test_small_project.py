"""The small project: data from the book's runs, axes as those of matplotlib, and figures that hide something.

What a figure shows is read off matplotlib's own axes, on which the same lines have drawn.
"""

import math
import random
import statistics
from pathlib import Path

import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from ndcg_course import Axes
from ndcg_course.explain.answer import verdict_on
from ndcg_course.tasks import task_named

DESK = Path(__file__).parents[2] / "book" / "data" / "search" / "verdict"
IDS = [f"student {i}" for i in range(6)]


def lines(name):
    return (DESK / name).read_text("utf8").splitlines()


def judged_by(judge):
    grades = {}
    for line in lines(f"qrels-{judge}.txt"):
        query, _, document, grade = line.split()
        grades.setdefault(query, {})[document] = int(grade)
    return grades


def found_by(engine):
    found = {}
    for line in lines(f"{engine}.run.txt"):
        query, _, document, rank, _, _ = line.split()
        found.setdefault(query, {})[int(rank)] = document
    return {query: [ranked[rank] for rank in sorted(ranked)][:5] for query, ranked in found.items()}


def test_own_data_are_runs_and_judgements_of_the_book():
    query_of = {text: query for query, text, *_ in (line.split("\t") for line in lines("questions.tsv"))}
    judges, runs = [judged_by("a"), judged_by("b")], [found_by("a"), found_by("b")]
    seen = set()
    for student in IDS:
        own = task_named("small_table").data(student)
        queries = {name: query_of[text] for name, text in own["questions"].items()}
        judge = [all(own["judged"][n] == one[q] for n, q in queries.items()) for one in judges]
        pairs = [[all(own[e][n] == one[q] for n, q in queries.items()) for one in runs] for e in "AB"]
        assert sum(judge) == 1 and pairs in ([[True, False], [False, True]], [[False, True], [True, False]])
        seen.add((judge[0], pairs[0][0]))
        assert len(queries) == 16
    assert len(seen) > 2


def table(own):
    """By arithmetic of its own, as the statement tells it."""

    def dcg(grades):
        return sum(grade / math.log(rank + 1, 2) for rank, grade in enumerate(grades, 1))

    rows = []
    for name, text in own["questions"].items():
        known, best = own["judged"][name], dcg(sorted(own["judged"][name].values())[::-1][:5])
        a, b = (dcg([known.get(one, 0) for one in own[engine][name]]) / (best or 1) for engine in "AB")
        rows.append([text, a, b, b - a])
    return sorted(rows, key=lambda row: row[3])[::-1]


def drawn(axes, own, *, left_out=0, low=None, base=0, interval=1.0, points=False, lying=False, label="lead in NDCG@5"):
    """The lines of a student, on our axes or on those of matplotlib."""
    leads = [row[3] for row in table(own)][left_out:]
    lead, room = statistics.mean(leads), interval * 2 * statistics.stdev(leads) / len(leads) ** 0.5
    places, names = range(len(leads)), ("set_ylabel", "set_xlabel")[:: -1 if lying else 1]
    if points:
        axes.scatter(*(leads, places)[:: 1 if lying else -1])
        (axes.axvline if lying else axes.axhline)(0, color="grey")
    elif lying:
        axes.barh(places, [one - base for one in leads], left=base)
    else:
        axes.bar(places, [one - base for one in leads] if base else leads, bottom=base)
    if interval:
        where = ([-1], [lead])[:: -1 if lying else 1]
        axes.errorbar(*where, **{"xerr" if lying else "yerr": [[room], [room]]}, fmt="o")
    if low is not None:
        (axes.set_xlim if lying else axes.set_ylim)(low, 1)
    getattr(axes, names[0])(label)
    getattr(axes, names[1])("question")
    axes.set_title("B against A")
    return axes


HONEST = [{}, {"points": True}, {"lying": True}, {"points": True, "lying": True}, {"low": -1}]
HIDING = {
    "every question is drawn": [{"left_out": 1}, {"left_out": 1, "points": True}],
    "nothing is cut off": [{"low": 0.01}, {"low": 0.01, "lying": True}, {"low": -0.0001}],
    "the interval is drawn": [{"interval": 0}, {"interval": 0.5}, {"interval": 0.5, "lying": True}],
    "names and a title": [{"label": "lead"}, {"label": ""}, {"label": "NDCG@50"}],
}


@pytest.mark.parametrize("student", IDS)
def test_an_honest_figure_passes_and_one_that_hides_something_is_told_what(student):
    task = task_named("small_figure")
    own = task.data(student)
    for ways in HONEST:
        assert verdict_on(task, drawn(Axes(), own, **ways), student).passed, ways
    for name, each in HIDING.items():
        for ways in each:
            assert verdict_on(task, drawn(Axes(), own, **ways), student).slips == (name,), ways
    bars = drawn(Axes(), own, base=0.1)
    assert not verdict_on(task, bars, student).passed


@pytest.mark.parametrize("ways", [*HONEST, *(ways for each in HIDING.values() for ways in each)], ids=str)
def test_the_axes_show_what_those_of_matplotlib_show(ways):
    own = task_named("small_figure").data("ana")
    ours, theirs = drawn(Axes(), own, **ways), drawn(Figure().subplots(), own, **ways)
    along = "x" if ways.get("lying") else "y"
    bars = [(bar.get_height(), bar.get_width())[along == "x"] for bar in theirs.patches]
    dots = [
        tuple(map(float, one)) for dots in theirs.collections[: bool(ways.get("points"))] for one in dots.get_offsets()
    ]
    assert [value for one in ours["drawn"] if one["form"] == "bar" for value in one[along]] == pytest.approx(bars)
    if dots:
        for side, values in zip("xy", zip(*dots, strict=True), strict=True):
            assert ours["drawn"][0][side] == pytest.approx(list(values))
    held = [one for one in theirs.containers if isinstance(one, ErrorbarContainer)]
    ends = [segment[:, int(along == "y")] for one in held for bar in one[2] for segment in bar.get_segments()]
    assert [(one["low"], one["high"]) for one in ours["intervals"]] == [
        pytest.approx(tuple(map(float, one))) for one in ends
    ]
    assert ours["labels"] == {"x": theirs.get_xlabel(), "y": theirs.get_ylabel(), "title": theirs.get_title()}
    limits = {"x": theirs.get_xlim(), "y": theirs.get_ylim()}[along]
    assert ours["limits"].get(along, limits) == pytest.approx(limits) and (
        ways not in HONEST or limits[0] <= 0 <= limits[1]
    )
    assert ours.svg().count("<line") >= len(bars)


def test_a_table_with_one_thing_changed_is_refused():
    task, changes = task_named("small_table"), random.Random("small table")
    own = task.data("ana")
    right = table(own)
    assert verdict_on(task, right, "ana").passed
    for _ in range(60):
        rows = [list(row) for row in right]
        at, column = changes.randrange(len(rows)), changes.randrange(5)
        if column == 4:
            rows.append(rows.pop(0)) if rows[0][3] > rows[-1][3] + 0.01 else rows.clear()
        elif column == 0:
            rows[at][0] += "?"
        else:
            rows[at][column] += changes.choice([-1, 1]) * changes.uniform(0.004, 1)
        assert not verdict_on(task, rows, "ana").passed, (at, column)


def test_what_people_typed_stands_in_the_page_as_they_typed_it():
    task = task_named("small_page")
    student = next(
        f"typed {n}"
        for n in range(99)
        if any("&" in t or "<" in t or "^" in t for t in task.data(f"typed {n}")["questions"].values())
    )
    own = task.data(student)
    leads = [row[3] for row in table(own)]
    lead, room = statistics.mean(leads), 2 * statistics.stdev(leads) / 4
    told = f"<p>NDCG@5, {len(leads)} questions, {lead - room:.3f} to {lead + room:.3f}".replace("-", "−") + "</p>"
    rows = [
        "<tr>" + "".join(f"<td>{one if isinstance(one, str) else f'{one:.3f}'}</td>" for one in row)
        for row in table(own)
    ]
    page = ["<h1>A or B</h1><table>", *rows, f'</table><img alt="lead {lead:.3f}">', told]
    assert verdict_on(task, page, student).passed
    for gone in range(len(page)):
        assert not verdict_on(task, page[:gone] + page[gone + 1 :], student).passed, page[gone]
