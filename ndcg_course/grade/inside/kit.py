"""The names that a notebook imports from the kit, without the kit behind them."""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Mapping
from typing import Any

OF_JUPYTER = ("copyright", "credits", "display", "exit", "help", "license", "quit")  # there without an import
NAMES = ("another", "check", "check_all", "figure", "hint", "missing", "progress", "recall", "solution")


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

    stand_ins: dict[str, Any] = dict.fromkeys(NAMES, nothing) | {"own": own}
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
