"""The Python of assignment 16: two real engines on drawn questions, and what a table, a figure and a page must show."""

from __future__ import annotations

import csv
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_lib.grid import tag, tags

QUESTIONS, K, EDGE = 16, 5, 0.004
OFF = 0.0015  # three decimals, however they were rounded
ENTRIES = ("questions", "A", "B", "lead", "low", "high")
VERDICTS = ("A", "B", "not shown")

Own = Mapping[str, Any]
Row = tuple[str, float, float, float]


@cache
def _engines() -> list[dict[str, Any]]:
    """The questions on which the two engines of the book's search box differ, with two judges' grades."""
    lines = csv.DictReader(files("ndcg_course.tasks").joinpath("engines.csv").read_text("utf8").splitlines())
    return [
        {
            "text": line["question"],
            "A": line["A"].split(),
            "B": line["B"].split(),
            "judged": {name: grades for name, _, grades in (one.rpartition("=") for one in line["judged"].split())},
        }
        for line in lines
    ]


def _project(draw: Draw) -> dict[str, Any]:
    """Sixteen of the questions, one of the judges, and the engines under either name; no verdict on the edge."""
    while True:
        chosen, judge, turned = draw.sample(_engines(), QUESTIONS), draw.integer(0, 1), draw.integer(0, 1)
        names = [f"q{i}" for i in range(1, QUESTIONS + 1)]
        own = {
            "k": K,
            "questions": {name: each["text"] for name, each in zip(names, chosen, strict=True)},
            "judged": {
                name: {document: int(grades[judge]) for document, grades in each["judged"].items()}
                for name, each in zip(names, chosen, strict=True)
            },
            "A": {name: each["AB"[turned]] for name, each in zip(names, chosen, strict=True)},
            "B": {name: each["BA"[turned]] for name, each in zip(names, chosen, strict=True)},
        }
        if min(abs(_summary(own)[side]) for side in ("low", "high")) > EDGE:
            return own


def _rows(own: Own) -> list[Row]:
    """Question, A, B and the lead of B, the largest lead first."""
    rows = []
    for name, text in own["questions"].items():
        judged = own["judged"][name]
        a, b = (
            float(nd.ndcg([judged.get(d, 0) for d in own[engine][name]], own["k"], judged=[*judged.values()]))
            for engine in "AB"
        )
        rows.append((text, a, b, b - a))
    return sorted(rows, key=lambda row: -row[3])


def _summary(own: Own) -> dict[str, Any]:
    """What the table comes to: the means, and the lead with two standard errors on either side."""
    rows = _rows(own)
    a, b, leads = zip(*(row[1:] for row in rows), strict=True)
    lead, room = statistics.mean(leads), 2 * statistics.stdev(leads) / len(leads) ** 0.5
    verdict = "B" if lead > room else "A" if lead < -room else "not shown"
    means = {"A": statistics.mean(a), "B": statistics.mean(b), "lead": lead}
    return {"questions": len(rows), **means, "low": lead - room, "high": lead + room, "verdict": verdict}


def _near(one: Any, other: float, off: float = OFF) -> bool:
    return isinstance(one, (int, float)) and not isinstance(one, bool) and abs(one - other) <= off


# ---- the table ----


def _asked(answer: Any, own: Own) -> bool:
    """Whether there is a row for each question."""
    rows = isinstance(answer, list) and all(isinstance(row, list) and len(row) == 4 for row in answer)
    return rows and sorted(row[0] for row in answer) == sorted(own["questions"].values())


def _values(answer: Any, own: Own) -> bool:
    right = {text: values for text, *values in _rows(own)}
    return all(_near(row[1], right[row[0]][0]) and _near(row[2], right[row[0]][1]) for row in answer)


def _leads(answer: Any, own: Own) -> bool:
    return all(_near(row[3], row[2] - row[1], 2 * OFF) for row in answer)


def _sorted(answer: Any) -> bool:
    return all(above[3] >= below[3] - OFF for above, below in pairwise(answer))


def _as_table(own: Own, *, worse: float = 0, turned: int = 1, order: int = 1) -> list[list[Any]]:
    """The right table, or one with a mistake in it."""
    return [[text, a, b + worse, turned * (b + worse - a)] for text, a, b, _ in _rows(own)[::order]]


# ---- the summary ----


def _has_entries(answer: Any) -> bool:
    return (
        isinstance(answer, dict)
        and sorted(map(str, answer)) == sorted([*ENTRIES, "verdict"])
        and all(isinstance(answer[name], (int, float)) for name in ENTRIES)
        and answer["verdict"] in VERDICTS
    )


def _says(answer: Any, own: Own, *names: str) -> bool:
    right = _summary(own)
    return all(_near(answer[name], right[name]) for name in names)


# ---- the figure: what was drawn on the axes ----


def _is_figure(answer: Any) -> bool:
    return isinstance(answer, dict) and {"drawn", "intervals", "lines", "labels", "limits"} <= answer.keys()


def _along(figure: Own, own: Own) -> tuple[str, Own] | None:
    """Along which axis the leads are drawn, one mark for each question; and these marks."""
    right = sorted(row[3] for row in _rows(own))
    for along in ("y", "x"):
        for one in figure["drawn"]:
            found = one[along]
            fits = len(found) == len(right) and all(isinstance(value, (int, float)) for value in found)
            if one["along"] in ("", along) and fits and all(map(_near, sorted(found), right)):
                return along, one
    return None


def _draws_each(figure: Own, own: Own) -> bool:
    return _along(figure, own) is not None


def _begins_at_zero(figure: Own, own: Own) -> bool:
    """Whether each bar begins at 0, 0 is on the axis, and nothing that was drawn lies beyond its ends."""
    along, leads = _along(figure, own) or ("y", {})
    shown = [value for one in figure["drawn"] for value in one[along] if isinstance(value, (int, float))]
    shown += [end for one in figure["intervals"] if one["along"] == along for end in (one["low"], one["high"])]
    zero = leads["form"] == "bar" or [along, 0] in figure["lines"] or min(shown) <= 0 <= max(shown)
    low, high = figure["limits"].get(along) or (min(shown), max(shown))
    bars = (one["base"] == 0 for one in figure["drawn"] if one["form"] == "bar")
    return zero and all(bars) and low <= min(0, *shown) and max(0, *shown) <= high


def _draws_interval(figure: Own, own: Own) -> bool:
    (along, _), right = _along(figure, own) or ("y", {}), _summary(own)
    ends = [(one["low"], one["high"]) for one in figure["intervals"] if one["along"] == along]
    return any(_near(low, right["low"]) and _near(high, right["high"]) for low, high in ends)


def _is_labelled(figure: Own, own: Own) -> bool:
    along, _ = _along(figure, own) or ("y", {})
    labels = {name: str(text).strip() for name, text in figure["labels"].items()}
    names_it = re.search(rf"ndcg\s*@\s*{own['k']}\b", labels.get(along, ""), re.IGNORECASE)
    return bool(names_it) and all(labels.get(name) for name in ("x", "y", "title"))


def _as_figure(own: Own, **changes: Any) -> dict[str, Any]:
    """What an honest figure has on it, or one that lacks something."""
    rows, told = _rows(own), _summary(own)
    bars = {"form": "bar", "along": "y", "x": [*range(len(rows))], "y": [row[3] for row in rows], "base": 0}
    interval = {"along": "y", "at": -1, "low": told["low"], "high": told["high"]}
    return {"drawn": [bars], "intervals": [interval], "lines": [], "labels": {}, "limits": {}} | changes


# ---- the page ----


class _Read(HTMLParser):
    """What a reader of a page gets: headings, rows of cells, pictures with their words, paragraphs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.headings, self.rows, self.pictures, self.paragraphs = ([] for _ in range(4))  # type: ignore[var-annotated]
        self._into: list[str] | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """A new heading, row, cell, paragraph or picture."""
        if tag == "tr":
            self.rows.append([])
        elif tag == "img":
            self.pictures.append(dict(attrs).get("alt") or "")
        of = {"h1": self.headings, "p": self.paragraphs, "td": self.rows[-1] if self.rows else None}
        if (into := of.get(tag)) is not None:
            into.append("")
            self._into = into

    def handle_endtag(self, tag: str) -> None:
        """The end of what text goes into."""
        if tag in ("h1", "p", "td"):
            self._into = None

    def handle_data(self, data: str) -> None:
        """Text."""
        if self._into:
            self._into[-1] += data


def _page(answer: Any) -> _Read:
    return _Read("\n".join(answer))


def _is_page(answer: Any) -> bool:
    lines = isinstance(answer, list) and all(isinstance(line, str) for line in answer)
    return lines and len([text for text in _page(answer).headings if text.strip()]) == 1


def _holds_table(answer: Any, own: Own) -> bool:
    """Whether each question has its row, as it was typed, with its three numbers."""
    rows = {row[0].strip(): row[1:] for row in _page(answer).rows if row}
    return all(
        len(rows.get(text, ())) == 3 and all(map(_near, map(_number, rows[text]), right)) for text, *right in _rows(own)
    )


def _describes_figure(answer: Any, own: Own) -> bool:
    """Whether a picture has words for who does not see it, with the lead in them."""
    return any(_holds(alt, _summary(own)["lead"]) for alt in _page(answer).pictures)


def _holds_paragraph(answer: Any, own: Own) -> bool:
    """Whether a paragraph says how many questions, which measure, and both ends of the interval."""
    told = _summary(own)
    return any(
        re.search(rf"ndcg\s*@\s*{own['k']}\b", text, re.IGNORECASE)
        and all(_holds(text, told[name]) for name in ("questions", "low", "high"))
        for text in _page(answer).paragraphs
    )


def _number(text: str) -> Any:
    found = [*_numbers(text)]
    return found[0] if len(found) == 1 else None


def _numbers(text: str) -> Iterator[float]:
    for found in re.findall(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?", text):
        yield float(found.replace("−", "-"))


def _holds(text: str, number: float) -> bool:
    return any(_near(found, number) for found in _numbers(text))


def _as_page(own: Own, *, table: bool = True, figure: bool = True) -> list[str]:
    """A page, or one that lacks something."""
    cells = [(text, *(f"{value:.3f}" for value in values)) for text, *values in _rows(own)]
    rows = [tag("tr", tags("td", row)) for row in cells if table]
    picture = [tag("img", src="figure.svg", alt=f"the mean lead is {_summary(own)['lead']:.3f}")] if figure else []
    return [str(line) for line in ("<h1>A and B</h1>", "<table>", *rows, "</table>", *picture)]
