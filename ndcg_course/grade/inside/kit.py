"""The names that a notebook imports from the kit, without the kit behind them."""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Mapping
from typing import Any

OF_JUPYTER = ("copyright", "credits", "display", "exit", "help", "license", "quit")  # there without an import
NAMES = ("another", "check", "check_all", "figure", "hint", "missing", "page_of", "progress", "recall", "solution")


class Axes(dict[str, Any]):
    """Axes with matplotlib's names, which keep what is drawn on them: an answer that can be read like any other.

    >>> axes = Axes()
    >>> axes.bar(["q1", "q2"], [0.5, -0.25])
    >>> axes["drawn"][0]["y"]
    [0.5, -0.25]
    """

    def __init__(self) -> None:
        super().__init__(drawn=[], intervals=[], lines=[], labels={}, limits={})

    def __getattr__(self, name: str) -> Any:
        known = ", ".join(one for one in vars(Axes) if one[0] != "_")
        raise AttributeError(f"these axes have no {name}; they have {known}")

    def bar(
        self, x: Any, height: Any, width: float = 0.8, bottom: float = 0, *, yerr: Any = None, **style: Any
    ) -> None:
        """Bars that stand."""
        self._draw("bar", "y", x, height, yerr=yerr, base=bottom)

    def barh(self, y: Any, width: Any, height: float = 0.8, left: float = 0, *, xerr: Any = None, **style: Any) -> None:
        """Bars that lie."""
        self._draw("bar", "x", width, y, xerr=xerr, base=left)

    def plot(self, x: Any, y: Any = None, *form: Any, **style: Any) -> None:
        """Points that are joined, or dots."""
        alone = y is None or isinstance(y, str)
        self._draw("line", "", range(len(_listed(x))) if alone else x, x if alone else y)

    def scatter(self, x: Any, y: Any, *form: Any, **style: Any) -> None:
        """Dots."""
        self._draw("dots", "", x, y)

    def errorbar(self, x: Any, y: Any, yerr: Any = None, xerr: Any = None, *form: Any, **style: Any) -> None:
        """Dots with an interval around each: one length for both sides, or a list of lengths below and one above."""
        self._draw("dots", "", x, y, yerr=yerr, xerr=xerr)

    def vlines(self, x: Any, ymin: Any, ymax: Any, *form: Any, **style: Any) -> None:
        """Lines that stand, from one height to another."""
        self._between("y", x, ymin, ymax)

    def hlines(self, y: Any, xmin: Any, xmax: Any, *form: Any, **style: Any) -> None:
        """Lines that lie, from one place to another."""
        self._between("x", y, xmin, xmax)

    def axhline(self, y: float = 0, *ends: Any, **style: Any) -> None:
        """A line from side to side."""
        self["lines"].append(["y", float(y)])

    def axvline(self, x: float = 0, *ends: Any, **style: Any) -> None:
        """A line from top to bottom."""
        self["lines"].append(["x", float(x)])

    def set_xlim(self, left: Any, right: Any = None) -> None:
        """Where the axis from left to right begins and ends."""
        self["limits"]["x"] = _listed(left if right is None else (left, right))

    def set_ylim(self, bottom: Any, top: Any = None) -> None:
        """Where the axis from bottom to top begins and ends."""
        self["limits"]["y"] = _listed(bottom if top is None else (bottom, top))

    def set_xlabel(self, xlabel: str, **style: Any) -> None:
        """What stands below."""
        self["labels"]["x"] = str(xlabel)

    def set_ylabel(self, ylabel: str, **style: Any) -> None:
        """What stands at the side."""
        self["labels"]["y"] = str(ylabel)

    def set_title(self, label: str, **style: Any) -> None:
        """What stands above."""
        self["labels"]["title"] = str(label)

    def legend(self, *form: Any, **style: Any) -> None:
        """Left out, as are the other looks of a figure: what it shows is kept."""

    grid = text = annotate = set_xticks = set_yticks = invert_yaxis = tick_params = margins = legend

    def _draw(
        self, form: str, along: str, x: Any, y: Any, *, yerr: Any = None, xerr: Any = None, base: Any = 0
    ) -> None:
        points = {"x": _listed(x), "y": _listed(y)}
        self["drawn"].append({"form": form, "along": along, **points, "base": float(base)})
        for side, room in (("y", yerr), ("x", xerr)):
            if room is None:
                continue
            values, other = points[side], points["x" if side == "y" else "y"]
            rooms = _listed(room)
            below, above = map(_listed, rooms) if len(rooms) == 2 and isinstance(rooms[0], list) else (rooms, rooms)
            ends = zip(other, values, below * len(values), above * len(values), strict=False)
            self["intervals"] += [{"along": side, "at": at, "low": v - b, "high": v + a} for at, v, b, a in ends]

    def _between(self, along: str, at: Any, low: Any, high: Any) -> None:
        ends = zip(*map(_listed, (at, low, high)), strict=True)
        self["intervals"] += [{"along": along, "at": where, "low": least, "high": most} for where, least, most in ends]


def _listed(given: Any) -> list[Any]:
    """A number, a text, an array or anything that can be read in order, as a list."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        given = [given]
    return [one if isinstance(one, str) else _listed(one) if hasattr(one, "__iter__") else float(one) for one in given]


class Nothing:
    """Whatever is asked of it, called with or read from, it is there and does nothing. For plots."""

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Nothing:
        return self

    def __getitem__(self, key: Any) -> Nothing:
        return self

    def __iter__(self) -> Any:
        return iter((self, self))  # fig, ax = plt.subplots()

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *args: object) -> None:
        return None


def install(names: dict[str, Any], data: Mapping[str, Any]) -> None:
    """Put the stand-ins among the modules. `names` are the notebook's own, `data` its data by task."""

    def nothing(*args: Any, **kwargs: Any) -> None:
        return None

    def own(name: str, student_id: object = None) -> Any:
        if name not in data:
            raise ValueError(f"task {name} has no data of its own")
        return copy.deepcopy(data[name])

    stand_ins: dict[str, Any] = dict.fromkeys(NAMES, nothing) | {"own": own, "Axes": Axes}
    for package in ("ndcg_course", "ndcg_lib"):
        module, exercises = types.ModuleType(package), types.ModuleType(f"{package}.exercises")
        vars(exercises).update(stand_ins)  # where a notebook that was handed out before imports them from
        vars(module).update(stand_ins, exercises=exercises, __path__=[])
        sys.modules |= {package: module, f"{package}.exercises": exercises}
    if "matplotlib" not in sys.modules:
        plots = Nothing()
        for name in ("matplotlib", "matplotlib.pyplot", "seaborn", "IPython.display"):
            sys.modules.setdefault(name, plots)  # type: ignore[arg-type]
    here = {"get_ipython": Nothing, **dict.fromkeys(OF_JUPYTER, nothing)}
    for name, stand_in in (here | stand_ins).items():
        names.setdefault(name, stand_in)
