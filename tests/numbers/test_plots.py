"""Figures of the book: they take the page's colours, say in words what they show, and do not disturb each other."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from colours import contrast

from ndcg_lib import plots


@pytest.fixture(params=["ranking", "bars", "lines", "show", "differences", "intervals", "bands", "heat"])
def chart(request: pytest.FixtureRequest) -> plots.Chart:
    if request.param == "ranking":
        return plots.ranking({"A": [3, 0, 1], "B": [0, 3, 1]}, title="Two orders", k=2)
    if request.param == "bars":
        return plots.bars({"gain": [3, 0, 1], "discount": [1, 0.631, 0.5]}, title="Less & less")
    if request.param == "lines":
        return plots.lines({"modern": [1, 0.631, 0.5], "ideal": [1, 1, 1]}, title="It falls", xlabel="k")
    if request.param == "differences":
        return plots.differences({"q1": 0.2, "q2": -0.1, "q3": 0.0}, title="B is ahead once", names=("B & C", "A"))
    if request.param == "intervals":
        return plots.intervals({"B - A": (0.2, 0.1, 0.3), "C - A": (0.0, -0.1, 0.1)}, title="One is shown")
    if request.param == "bands":
        return plots.bands({"A": [(0.5, 0.4, 0.6)] * 3, "B": [(0.6, 0.4, 0.7)] * 3}, x=[1, 2, 3], title="Flat")
    if request.param == "heat":
        return plots.heat(["A", "B", "C"], {("B", "A"): 0.2, ("C", "A"): -0.1}, title="Two", shown=[("B", "A")])
    fig, ax = plots.figure()
    ax.text(0.5, 0.5, "written without a colour")
    return plots.show(fig, title="Own", alt='A figure of one\'s own, with "quotes" & 1 < 2.')


def test_it_is_one_picture_with_a_text(chart: plots.Chart) -> None:
    svg = ElementTree.fromstring(chart.svg)
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == chart.alt
    assert chart.svg in chart._repr_html_()
    assert "<figcaption>" in chart._repr_html_()


def test_it_takes_the_colours_of_the_page(chart: plots.Chart) -> None:
    root = chart.svg[: chart.svg.index(">")]
    assert "fill:currentColor" in root
    assert "fill: #ffffff" not in chart.svg, "it has a background"
    others = {f"other-{i}": colour for i, colour in enumerate(plots._OTHERS, start=1)}
    for name, colour in (plots.COLOURS | others).items():
        assert colour not in chart.svg.replace(f"var(--{name}, {colour})", "")


def test_it_fits_the_width_that_there_is(chart: plots.Chart) -> None:
    root = chart.svg[: chart.svg.index(">")]
    assert "width:100%" in root and not re.search(r'\b(?:width|height)="', root)


def test_two_figures_of_a_page_share_no_id() -> None:
    one, two = (plots.lines({"a": values}, title="t").svg for values in ([1, 2, 3], [3, 2, 1]))
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, two)]
    assert ids[0] and not ids[0] & ids[1]
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', one))
    assert used and used <= ids[0]


@pytest.mark.parametrize("draw", [plots.ranking, plots.bars, plots.lines])
@pytest.mark.parametrize("series", [{}, {"gain": []}])
def test_nothing_to_draw_is_an_error_that_says_so(draw, series) -> None:
    with pytest.raises(ValueError, match="give at least one name with a list of numbers"):
        draw(series, title="t")


def test_the_same_data_give_the_same_picture() -> None:
    assert plots.bars({"gain": [3, 2]}, title="t") == plots.bars({"gain": [3, 2]}, title="t")


def test_the_text_of_a_long_line_says_where_it_begins_turns_and_ends() -> None:
    values = [1, 0.8, 0.64, 0.71, 0.69, 0.83, 0.8, 0.78, 0.77, 0.76, 0.75, 0.82]
    alt = plots.lines({"NDCG": values}, title="It is not monotone", xlabel="k").alt
    assert alt == "Lines over k 1 to 12. NDCG: begins at 1, ends at 0.82, lowest 0.64 at 3."


def test_the_colours_can_be_read_as_small_text_on_white() -> None:
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in [*plots.COLOURS.values(), *plots._OTHERS])


def test_an_idea_keeps_its_colour_and_lends_it_to_nothing_else() -> None:
    svg = plots.lines({"modern": [1, 0.6], "ideal": [1, 1], "reciprocal": [1, 0.5]}, title="t").svg
    assert "var(--ideal," in svg and "var(--other-1," in svg and "var(--other-2," in svg
    assert not any(f"var(--{name}," in svg for name in ("gain", "discount", "contribution", "returned"))


def test_a_number_in_the_text_is_the_number_in_the_data() -> None:
    chart = plots.bars({"contribution": [3, 0, 1 / 3]}, title="t")
    assert chart.alt == "Bars by rank. contribution: 3, 0, 0.333."
    assert ">0.333<" in chart.svg.replace("\n", "")


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_line_of_the_cut_off_stands_behind_rank_k(monkeypatch, k):
    monkeypatch.setattr(plots, "show", lambda fig, **_: fig)
    (line,) = plots.ranking({"A": [3, 0, 1, 2, 0]}, title="A cut", k=k).axes[0].lines
    assert all(k < x < k + 1 for x in line.get_xdata())


@pytest.mark.parametrize("ends", [[1, 1, 1], [0.5, 0.51, 2], [0, 3]])
def test_the_names_at_the_ends_of_lines_do_not_lie_on_one_another(monkeypatch, ends):
    monkeypatch.setattr(plots, "show", lambda fig, **_: fig)
    ax = plots.lines({f"line {n}": [0, end] for n, end in enumerate(ends)}, title="Ends").axes[0]
    low, high = ax.get_ylim()
    heights = sorted(text.xy[1] for text in ax.texts)
    assert len(heights) == len(ends)
    assert all(above - below > (high - low) / 20 for below, above in pairwise(heights))
