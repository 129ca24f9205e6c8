"""A comparison as one HTML page that needs nothing else: for a meeting, and for paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ndcg_lib.comparison.judging import what_next
from ndcg_lib.comparison.scrutiny import Change
from ndcg_lib.comparison.table import Comparison
from ndcg_lib.grid import Html, fixed, html, page, tag, tags

STYLE = Html(Path(__file__).with_name("report.css").read_text("utf8"))
CHANGES, DOCUMENTS, BARS = 5, 20, 100


def report(comparison: Comparison, texts: Mapping[str, str] | None = None, limit: float = 0.01) -> Html:
    """The page of two systems: verdict, differences by query, lists, holes, and what would change the verdict.

    `texts` has the words of documents and queries by their ids.
    """
    if len(comparison) != 2:
        raise ValueError(f"a report is of two systems, and there are {len(comparison)}: give two")
    one, coming = comparison.pairs[0], what_next(comparison, limit)
    said = texts or {}
    title = f"{one.run} beside {one.other}"
    return page(
        title, STYLE, tag("h1", title),
        _section("Is it better?", tag("p", one.sentence(), class_="verdict"), comparison._repr_html_()),
        _section("Query by query", *_bars(one.per_query, one.run, one.other)),
        _section("The queries that moved most", *(_change(each, said) for each in comparison.changed(CHANGES))),
        _section("What nobody judged", tags("p", coming.lines()),
                 html(coming.table(DOCUMENTS)) if coming.documents else None),
        _section("What would change the verdict", tag("p", comparison.under(), "."),
                 tag("pre", comparison.under().table())),
    )  # fmt: skip


def _section(title: str, *parts: object) -> Html:
    return tag("section", tag("h2", title), "\n", parts, "\n")


def _bars(values: Mapping[str, float], run: str, other: str) -> list[Html]:
    """A bar for each query that differs, the largest gain first."""
    moved = {query: value for query, value in values.items() if abs(value) > 1e-12}
    most = max(map(abs, moved.values()), default=1.0)
    order = sorted(moved, key=lambda query: -moved[query])
    left = len(order) - BARS
    order = order if left <= 0 else order[: BARS // 2] + order[-BARS // 2 :]
    equal = f"{len(values) - len(moved)} of {len(values)} queries are equal."
    rows = [tag("p", f"To the right, {run} is better; to the left, {other}. {equal}", class_="muted")]
    for query in order:
        value = moved[query]
        kind = "less" if value < 0 else "more"
        span, none = tag("span", class_=kind, style=f"width:{100 * abs(value) / most:.1f}%"), tag("b")
        both = [span, none] if value < 0 else [none, span]
        rows.append(tag("div", tag("div", query), both, tag("div", fixed(value, 3, "+")), class_="bar"))
    return rows + ([tag("p", f"{left} more lie between.", class_="muted")] if left > 0 else [])


def _change(one: Change, texts: Mapping[str, str]) -> list[Html]:
    head = tag("h3", one.query, f": {texts[one.query]}" if one.query in texts else "")
    values = tag("p", f"{one.measure}: {fixed(one.ours)} and {fixed(one.theirs)}. {one.swap}")
    lists = [
        tag("div", tag("strong", name), tag("ol", [_item(*each, texts) for each in documents]))
        for name, documents in one.lists.items()
    ]
    return [head, values, tag("div", lists, class_="lists")]


def _item(document: str, grade: float | None, texts: Mapping[str, str]) -> Html:
    words = f" {texts[document]}" if document in texts else ""
    return tag("li", tag("b", "not judged" if grade is None else f"{grade:g}"), f" {document}{words}")


def read_texts(file: str) -> dict[str, str]:
    """The words of queries and documents: a line each, the id, a tab, the words."""
    found = {}
    for number, line in enumerate(Path(file).read_text("utf8").splitlines(), 1):
        name, tab, words = line.partition("\t")
        if line.strip() and not tab:
            raise ValueError(f"{file}, line {number}: no tab: write the id, a tab, and the words")
        found[name.strip()] = words.strip()
    return found
