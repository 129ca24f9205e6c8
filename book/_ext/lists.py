"""The lists that pages share, from data/lists.yml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml


@cache
def shared() -> dict[str, dict[str, str]]:
    return yaml.safe_load((Path(__file__).parents[1] / "data" / "lists.yml").read_text("utf8"))


def named(options: Mapping[str, str]) -> dict[str, str]:
    """The options of a figure, where :list: stands for its grades, its titles and by which name the page knows it.

    >>> named({"list": "engine A", "measure": "cg"})["grades"]
    '3 0 1 0 2'
    """
    name = options.get("list")
    if name is None:
        return dict(options)
    if name not in shared():
        raise ValueError(f"there is no list {name!r} in data/lists.yml, only {', '.join(shared())}")
    whole = shared()[name] | {"whose": name} | options
    return {option: value for option, value in whole.items() if option != "list" and (value or option != "whose")}
