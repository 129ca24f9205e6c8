"""A convention: every choice that changes the number, in one frozen value; and the presets of known libraries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from ndcg_lib.checks import as_cutoff, shown
from ndcg_lib.choices import Level, explained, keywords_of, nearest, text_of
from ndcg_lib.definition import PUBLIC
from ndcg_lib.engine import AT, Recipe, following
from ndcg_lib.grid import Html, html
from ndcg_lib.presets import ALSO_CALLED, PRESETS
from ndcg_lib.types import Array, Chosen, Grades, Judged, Row, Rows, Unknown, Value

_ABOUT = ("name", "stands_for")


@dataclass(frozen=True)
class Convention(Chosen):
    """One definition of NDCG. Pass it as `convention=` wherever the keywords are.

    >>> print(Convention(gain="exponential", k=10))
    NDCG@10: gain 2^g - 1; discount 1/log2(i+1); ideal over all judged; no relevant document: 0; ties averaged; \
judged but no results: 0; mean over queries
    """

    k: int | None = None
    name: str = ""
    stands_for: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.gain, Mapping):  # a copy: what the caller does to the mapping later changes no convention
            object.__setattr__(self, "gain", dict(self.gain))
        as_cutoff(self.k)
        assert self.recipe

    @cached_property
    def recipe(self) -> Recipe:
        """The choices, checked and bound to their parameters, as the engine takes them."""
        return following(**{name: level for name, level in self.choices().items() if name != "k"})

    @property
    def levels(self) -> dict[str, Level]:
        """The level of each public choice."""
        return {name: self.recipe[AT[name]] for name in PUBLIC}

    def choices(self) -> dict[str, Any]:
        """The choices by name, as keywords.

        >>> Convention(k=5).choices()["k"]
        5
        """
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _ABOUT}

    def but(self, **changes: Any) -> Convention:
        """The same convention with some choices changed.

        >>> CONVENTIONS["sklearn"].but(k=10).k
        10
        """
        return replace(self, **changes)

    def card(self) -> str:
        """The convention in one line.

        >>> CONVENTIONS["trec_eval"].card()[:40]
        'NDCG: gain g; discount 1/log2(i+1); idea'
        """
        said = {name: text_of(name, level) for name, level in self.levels.items()}
        rest = (said["ties"], said["score_precision"], f"judged but no results: {said['missing']}", said["averaging"])
        return "; ".join([self.definition(), *filter(None, rest)])

    def definition(self) -> str:
        """What matters for a single ranking: the card without ties and averaging.

        >>> CONVENTIONS["burges"].but(k=5).definition()
        'NDCG@5: gain 2^g - 1; discount 1/log2(i+1); ideal over all judged; no relevant document: 0'
        """
        said = {name: text_of(name, level) for name, level in self.levels.items()}
        at = "" if self.k is None else f"@{self.k}"
        return (
            f"NDCG{at}: gain {said['gain']}; discount {said['discount']}; ideal {said['ideal']}; "
            f"no relevant document: {said['empty']}"
        )

    __str__ = card

    def _repr_html_(self) -> Html:
        about = ", ".join(filter(None, (self.name, self.stands_for)))
        titles = {"empty": "no relevant document", "missing": "judged but no results", "averaging": "average"}
        said = {titles.get(name, name): text_of(name, level) for name, level in self.levels.items()}
        rows = [["NDCG", about], *([name, text] for name, text in said.items() if text)]
        return html([*rows, ["k", "all ranks" if self.k is None else str(self.k)]])

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def as_convention(convention: Convention | str) -> Convention:
    """A convention by itself or by the name of its preset.

    >>> as_convention("sklearn").gain
    'linear'
    """
    if isinstance(convention, Convention):
        return convention
    if isinstance(convention, str) and convention in CONVENTIONS:
        return CONVENTIONS[convention]
    raise ValueError(_no_such(convention))


def _no_such(convention: object) -> str:
    near = nearest(convention, CONVENTIONS, ALSO_CALLED)
    if near:
        return f"there is no convention {shown(convention)}. Did you mean {near!r}? list(nd.CONVENTIONS) has all"
    return f"there is no convention {shown(convention)}. The presets are {', '.join(CONVENTIONS)}"


class _UnknownName(KeyError):
    __str__ = Exception.__str__  # KeyError shows the repr of its message


class _Presets(dict[str, Convention]):
    def __missing__(self, name: object) -> Convention:
        raise _UnknownName(_no_such(name))


CONVENTIONS: dict[str, Convention] = _Presets(
    (name, Convention(**choices, name=name, stands_for=whom)) for name, (choices, whom) in PRESETS.items()
)
"""The presets by name; `stands_for` says whose definition it is."""


# ---- the keywords of the public functions ----

P = ParamSpec("P")
R = TypeVar("R")
STANDING: dict[str, Any] = {}
"""Choices where a caller makes none; empty, unless `core.stand` was called for a course with other ones."""


class OfLists(Protocol[P]):
    """A function that gives a number for one list, and an array with a number per row for several."""

    @overload
    def __call__(self, grades: Unknown, *args: P.args, **keywords: P.kwargs) -> Value: ...
    @overload
    def __call__(self, grades: Sequence[float], *args: P.args, **keywords: P.kwargs) -> float: ...
    @overload
    def __call__(self, grades: Rows, *args: P.args, **keywords: P.kwargs) -> Array: ...
    @overload
    def __call__(self, grades: Row, *args: P.args, **keywords: P.kwargs) -> float: ...
    @overload
    def __call__(self, grades: Grades, *args: P.args, **keywords: P.kwargs) -> Value: ...


class OfJudged(Protocol[P]):
    """The same of judged documents, whose grades may come by name."""

    @overload
    def __call__(self, judged: Unknown, *args: P.args, **keywords: P.kwargs) -> Value: ...
    @overload
    def __call__(self, judged: Sequence[float], *args: P.args, **keywords: P.kwargs) -> float: ...
    @overload
    def __call__(self, judged: Rows, *args: P.args, **keywords: P.kwargs) -> Array: ...
    @overload
    def __call__(self, judged: Row | Mapping[Any, float], *args: P.args, **keywords: P.kwargs) -> float: ...
    @overload
    def __call__(self, judged: Judged, *args: P.args, **keywords: P.kwargs) -> Value: ...


def of_lists(kind: str) -> Callable[[Callable[Concatenate[Any, P], Value]], OfLists[P]]:
    """`takes` for a function of grades.

    >>> of_lists("cg")(lambda grades, k=None, **choices: choices["gain"])([1], gain="binary")
    'binary'
    """
    return takes(kind)  # type: ignore[return-value]


def of_judged(kind: str) -> Callable[[Callable[Concatenate[Any, P], Value]], OfJudged[P]]:
    """`takes` for a function of judged documents."""
    return takes(kind)  # type: ignore[return-value]


def takes(kind: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take the choices of its kind as keywords, and `convention=` fill in those that were not given.

    The function itself has `**choices`; help and completion show each of them with its default.
    """
    defaults = keywords_of(kind)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        known = frozenset(defaults).union(p.name for p in own)
        k_position = [p.name for p in own].index("k")

        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            if keywords or STANDING:
                if not known.issuperset(keywords):
                    wrong = next(iter(keywords.keys() - known))
                    near = nearest(wrong, known, {})
                    guess = f". Did you mean {near!r}?" if near else ""
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {wrong!r}{guess}")
                convention = keywords.pop("convention", None)
                if convention is None:
                    keywords = {name: value for name, value in STANDING.items() if name in known} | keywords
                else:
                    chosen = as_convention(convention).choices()
                    if len(args) > k_position:
                        del chosen["k"]
                    keywords = {name: value for name, value in chosen.items() if name in known} | keywords
            return function(*args, **keywords)

        types, only = Chosen.__annotations__, inspect.Parameter.KEYWORD_ONLY
        kinds = [inspect.Parameter(n, only, default=d, annotation=types[n]) for n, d in defaults.items()]
        at = next((at for at, p in enumerate(own) if p.name == "allow_negative"), len(own))
        call.__signature__ = signature.replace(parameters=[*own[:at], *kinds, *own[at:]])  # type: ignore[attr-defined]
        return explained(call)

    return decorate
