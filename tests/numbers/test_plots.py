"""Figures of the book: they take the page's colours, say in words what they show, and do not disturb each other."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from colours import contrast
from matplotlib.colors import to_hex

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


# ---- what is drawn, read back from the figure ----


@pytest.fixture
def drawn(monkeypatch):
    monkeypatch.setattr(plots, "show", lambda fig, **_: fig)
    return lambda kind, *args, **more: getattr(plots, kind)(*args, title="t", **more).axes


def box(patch):
    """Left, right, lower and upper end."""
    (x0, y0), (x1, y1) = patch.get_path().transformed(patch.get_patch_transform()).get_extents().get_points().tolist()
    return x0, x1, y0, y1


def inside(ax, x, y):
    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    return left <= x <= right and low <= y <= high


def test_a_ranking_has_each_grade_in_a_box_of_its_own(drawn) -> None:
    (ax,) = drawn("ranking", {"A": [4, 0, 1, -1], "B": [3, 2]}, k=1)
    boxes = [box(patch) for patch in ax.patches]
    words = {(round(t.get_position()[0], 3), round(t.get_position()[1], 3)): t for t in ax.texts}
    wanted = {(1, 0): "4", (2, 0): "0", (3, 0): "1", (4, 0): "-1", (1, 1): "3", (2, 1): "2"}
    for (x, y), text in wanted.items():
        assert words[x, y].get_text() == text
        (own,) = [b for b in boxes if b[0] < x < b[1] and b[2] < y < b[3]]
        assert own[1] - own[0] > 0.5 and own[3] - own[2] > 0.5 and inside(ax, own[0], own[2]) and inside(ax, *own[1::2])
    for (l1, r1, b1, t1), (l2, r2, b2, t2) in combinations(boxes, 2):
        assert r1 <= l2 or r2 <= l1 or t1 <= b2 or t2 <= b1, "two boxes lie on one another"
    assert [patch.get_facecolor()[3] for patch in ax.patches] == [1, 0, 0.25, 0, 0.75, 0.5]
    named = {t.get_text(): t.get_position() for at, t in words.items() if at not in wanted}
    first = min(b[0] for b in boxes)
    assert named.keys() == {"A", "B", "rank", "1", "2", "3", "4"}
    for name, (x, y) in named.items():
        if name in "AB":
            assert (x < first, y) == (True, "AB".index(name))
        else:  # above the first row, over its box
            assert y < min(b[2] for b in boxes) and (x < first if name == "rank" else x == int(name))
        assert inside(ax, x, y)
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first list stands on top"
    assert words[1, 0].get_color() == plots._ON_GAIN and words[1, 1].get_color() == plots._ON_PALE
    assert {words[at].get_color() for at in [(2, 0), (3, 0), (4, 0), (2, 1)]} == {plots._PAGE_COLOUR}
    assert not ax.axison


def test_bars_stand_at_their_ranks_and_carry_their_values(drawn) -> None:
    series = {"gain": [3, 0, -0.5], "other": [1, 1, 2]}
    for ax, (label, values) in zip(drawn("bars", series, start=2, digits=1), series.items(), strict=True):
        ends = [box(patch) for patch in ax.patches]
        assert [(x0 + x1) / 2 for x0, x1, _, _ in ends] == pytest.approx(range(2, 2 + len(values)))
        assert [y1 if v > 0 else y0 for (_, _, y0, y1), v in zip(ends, values, strict=True)] == values
        assert all(a[1] < b[0] for a, b in pairwise(ends)) and all(x1 - x0 > 0.5 for x0, x1, _, _ in ends)
        assert [(t.get_text(), *t.xy) for t in ax.texts] == [
            (f"{v:g}", at, max(v, 0)) for at, v in enumerate(values, 2)
        ]
        assert all(inside(ax, 2, y) for y in (*values, 0)) and max(values) * 2 > ax.get_ylim()[1]
        assert ax.get_title(loc="left") == label and list(ax.get_yticks()) == []
        assert not ax.spines["left"].get_visible() and ax.get_xticks().tolist() == [*range(2, 2 + len(values))]
    assert ax.get_xlabel() == "rank"


def test_lines_run_through_their_values(drawn) -> None:
    (ax,) = drawn("lines", {"a": [1, 0.5], "b": [0.4, 0.2]}, x=[5, 10], ylabel="NDCG")
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[5, 1], [10, 0.5]], [[5, 0.4], [10, 0.2]]]
    assert {t.get_text(): t.xy for t in ax.texts} == {"a": (10, 0.5), "b": (10, 0.2)}
    assert ax.get_ylim()[0] == 0 and inside(ax, 5, 1) and ax.get_xticks().tolist() == [5, 10]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rank", "NDCG")
    assert len({(line.get_linestyle(), line.get_marker(), line.get_color()) for line in ax.lines}) == 2
    assert all(line.get_marker() != "" for line in ax.lines)
    for n, ticks in ((12, [*range(1, 13)]), (13, [*range(1, 14, 2)]), (15, [*range(1, 16, 2)])):
        assert drawn("lines", {"a": [1] * n})[0].get_xticks().tolist() == ticks
    (ax,) = drawn("lines", {"a": [1] * 16}, from_zero=False, log_x=True)
    assert ax.get_xscale() == "log" and ax.get_ylim()[0] > 0.5 and ax.lines[0].get_marker() == ""
    assert (
        drawn("lines", {"a": [-1, 1]})[0].get_ylim()[0] < -1 and drawn("lines", {"a": [1]})[0].get_xscale() == "linear"
    )


def test_differences_rise_from_left_to_right_about_their_mean(drawn) -> None:
    (ax,) = drawn("differences", {"q1": 0.5, "q2": -0.25, "q3": 0.5, "q4": 0.0}, measure="NDCG")
    ends = [box(patch) for patch in ax.patches]
    assert [(x0 + x1) / 2 for x0, x1, _, _ in ends] == pytest.approx([1, 2, 3, 4])
    assert [y1 if y1 > 0 else y0 for _, _, y0, y1 in ends] == [-0.25, 0, 0.5, 0.5]
    assert [to_hex(p.get_facecolor()) == plots.COLOURS["gain"] for p in ax.patches] == [False, False, True, True]
    assert [line.get_ydata()[0] for line in ax.lines] == [0, 0.1875]
    assert [t.get_text() for t in ax.texts] == ["mean +0.188", "A ahead on 1", "B ahead on 2"]
    (mean, left, right) = (t.get_position() if at else t.xy for at, t in enumerate(ax.texts))
    assert mean[1] == 0.1875 and mean[0] > ends[-1][1] and 0 < left[0] < 0.5 < right[0] < 1 > left[1] > right[1] > 0
    assert [to_hex(t.get_color()) for t in ax.texts[1:]] == [plots.COLOURS["discount"], plots.COLOURS["gain"]]
    assert ax.get_ylabel() == "B minus A, NDCG"


def test_intervals_lie_between_their_ends_and_are_blue_where_they_leave_out_0(drawn) -> None:
    rows = {"up": (0.2, 0.1, 0.3), "open": (0.1, -0.1, 0.3), "down": (-0.2, -0.3, -0.1), "at": (0.1, 0.0, 0.2)}
    for shown, blue in ((None, {"up", "down"}), (["open"], {"open"})):
        (ax,) = drawn("intervals", rows, shown=shown)
        for row, (name, (middle, low, high)) in enumerate(rows.items()):
            line, point = ax.lines[2 * row : 2 * row + 2]
            assert line.get_xydata().tolist() == [[low, row], [high, row]] and point.get_xydata().tolist() == [
                [middle, row]
            ]
            assert [each.get_color() == plots.COLOURS["gain"] for each in (line, point)] == [name in blue] * 2
        assert [t.get_text() for t in ax.get_yticklabels()] == [*rows] and ax.lines[-1].get_xdata()[0] == 0
        assert ax.get_yticks().tolist() == [0, 1, 2, 3] and ax.get_ylim() == (3.5, -0.5)
        assert not ax.spines["left"].get_visible()


def test_bands_reach_from_the_lower_to_the_upper_values(drawn) -> None:
    (ax,) = drawn("bands", {"A": [(0.5, 0.4, 0.7), (0.6, 0.5, 0.8)]}, x=[5, 10], ylabel="NDCG")
    assert ax.lines[0].get_xydata().tolist() == [[5, 0.5], [10, 0.6]]
    corners = {tuple(corner) for corner in ax.collections[0].get_paths()[0].vertices.tolist()}
    assert corners == {(5, 0.4), (5, 0.7), (10, 0.5), (10, 0.8)}
    assert [(t.get_text(), t.xy) for t in ax.texts] == [("A", (10, 0.6))]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("k", "NDCG")


def test_a_heat_map_has_row_minus_column_in_each_cell(drawn) -> None:
    (ax,) = drawn(
        "heat", ["A", "B", "C"], {("B", "A"): 0.2, ("C", "A"): -0.1, ("C", "B"): 0.05}, shown=[("B", "A"), ("C", "B")]
    )
    said = {t.get_position(): t.get_text() for t in ax.texts}  # x is the column, y the row
    assert said == {
        (0, 1): "+0.200",
        (1, 0): "-0.200",
        (0, 2): "-0.100",
        (2, 0): "+0.100",
        (1, 2): "+0.050",
        (2, 1): "-0.050",
    }
    for text, patch in zip(ax.texts, ax.patches, strict=True):
        x0, x1, y0, y1 = box(patch)
        at, number = text.get_position(), float(text.get_text())
        assert (
            x0 < at[0] < x1
            and y0 < at[1] < y1
            and x1 - x0 < 1
            and y1 - y0 < 1
            and inside(ax, x0, y0)
            and inside(ax, x1, y1)
        )
        assert patch.get_facecolor()[3] == {0.2: 1, 0.1: 0, 0.05: 0.25}[abs(number)]
        assert to_hex(patch.get_facecolor()) == plots.COLOURS["gain" if number > 0 else "discount"]
        assert text.get_color() == (plots._ON_GAIN if abs(number) == 0.2 else plots._PAGE_COLOUR)
    assert [[t.get_text() for t in labels] for labels in (ax.get_xticklabels(), ax.get_yticklabels())] == [
        ["A", "B", "C"]
    ] * 2
    assert ax.get_ylim()[0] > ax.get_ylim()[1] and not any(spine.get_visible() for spine in ax.spines.values())
    (ax,) = drawn("heat", ["A", "B"], {("A", "B"): 0.0})
    assert [t.get_text() for t in ax.texts] == ["+0.000", "+0.000"]
