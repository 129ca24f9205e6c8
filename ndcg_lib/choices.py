"""What a caller chooses: names, parameters, mappings and functions, checked against the table and bound."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, ClassVar, NoReturn, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ndcg_lib.checks import as_number, shown
from ndcg_lib.definition import ENTERS, PARAMETERS, PUBLIC, TABLE, Choice, Option
from ndcg_lib.types import Array

# ---- what stands for a choice in a recipe ----


class Bound:
    """An option with its parameters. There is one of each, so comparing and hashing cost nothing.

    >>> Bound("gain", "linear") is Bound("gain", "linear"), Bound("discount", "modern", (2.0,))
    (True, modern(2))
    """

    __slots__ = ("choice", "key", "option", "values")
    choice: str
    key: Any
    option: Option
    values: tuple[float, ...]
    _made: ClassVar[dict[Any, Bound]] = {}

    def __new__(cls, choice: str, key: Any, values: tuple[float, ...] = ()) -> Bound:
        """The one of this choice, key and parameters."""
        name = (choice, type(key), key, values)
        if name not in cls._made:
            option = TABLE[choice].option(key) or TABLE[choice].option(str(key).rpartition("-")[0])
            if option is None:
                refuse(TABLE[choice], key)
            one = cls._made[name] = super().__new__(cls)
            one.choice, one.key, one.option, one.values = choice, key, option, values
        return cls._made[name]

    def __call__(self, x: Any, *more: Any) -> Any:
        """The option's function of grades or ranks."""
        assert self.option.function, f"{self.choice}={self.key!r} has no function"
        return self.option.function(x, *more, *self.values)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return {p.name: value for p, value in zip(self.option.parameters, self.values, strict=False)}

    @property
    def first(self) -> float:
        """The first rank at which a discount bites."""
        return self.parameters.get(self.option.starts, 1)

    def __repr__(self) -> str:
        return f"{self.key}({', '.join(f'{v:g}' for v in self.values)})" if self.values else str(self.key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Bound, (self.choice, self.key, self.values)


class Own:
    """A mapping or a function of the caller's; a mapping is copied."""

    def __init__(self, source: Mapping[Any, Any] | Callable[..., Any]) -> None:
        self.source = dict(source) if isinstance(source, Mapping) else source

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(self.source) if isinstance(self.source, dict) else self.source)


class ByGrade(Own):
    """A gain, asked once for each grade.

    >>> ByGrade({0: 0, 1: 1, 2: 10})(np.array([2.0, 0.0]))
    array([10.,  0.])
    """

    def __call__(self, grades: Array, allow_negative: bool = True, query: Any = None) -> Array:
        """The gains. `query` says which list each grade stands in, where several stand in one column."""
        flat = grades.ravel().tolist()
        gain_of = {}
        for number, grade in enumerate(flat):
            if grade not in gain_of:
                gain_of[grade] = _gain_of(grade, self.source, _place(number, grades, query), allow_negative)
        return np.array([gain_of[grade] for grade in flat], dtype=np.float64).reshape(grades.shape)


class ByRank(Own):
    """A discount, asked rank by rank: above 0 at rank 1, and never growing.

    >>> ByRank(lambda i: 0.5 ** (i - 1))(np.array([1, 2, 3]))
    array([1.  , 0.5 , 0.25])
    """

    def __call__(self, ranks: Array) -> Array:
        """The discounts of the ranks from 1 on."""
        d = [_result_of(self.source, int(i), f"the discount at rank {int(i)}") for i in ranks]
        for i, (before, here) in enumerate(zip([math.inf, *d], d, strict=False), 1):
            if here < 0 or (here == 0 and i == 1):
                raise ValueError(
                    f"the discount at rank {i} is {shown(here)}: it must be above 0 at rank 1, then at least 0"
                )
            if here > before * (1 + 1e-12):
                raise ValueError(
                    f"the discount grows from {shown(before)} at rank {i - 1} to {shown(here)} at rank {i}: a later"
                    " rank must not count more than an earlier one, or the best documents first are not the ideal order"
                )
        return np.array(d, dtype=np.float64)


P = ParamSpec("P")
R = TypeVar("R")

Level: TypeAlias = Any
"""What stands for a choice in a recipe: a Bound, a ByGrade, a ByRank, or a number."""


def bind(name: str, given: Any, parameters: Mapping[str, Any] = {}, *, wrong: bool = False) -> Level:
    """What stands for a choice in a recipe, checked; `wrong` lets the levels of slips through as well.

    >>> bind("discount", "modern", {"base": 10}), bind("empty", 0.5)
    (modern(10), 0.5)
    """
    choice = TABLE[name if name in TABLE else name.removeprefix("ideal_")]
    if isinstance(given, (Bound, Own)):
        return given
    if isinstance(given, (str, float)):
        option = choice.option(given)
        if option and (wrong or not option.wrong):
            values = [as_parameter(p.name, parameters.get(p.name, p.default)) for p in option.parameters]
            return Bound(choice.name, given, tuple(values))
        kind, _, digits = str(given).rpartition("-")
        if wrong and digits.isdigit() and choice.option(kind):  # "terms-2" carries its digits
            return Bound(choice.name, given)
    elif choice.name == "gain" and (isinstance(given, Mapping) or callable(given)):
        return ByGrade(given)
    elif choice.name == "discount" and callable(given):
        return ByRank(given)
    if choice.number and not isinstance(given, (bool, np.bool_)):
        number = as_number(given)
        if number is not None and not math.isinf(number):
            return Bound(choice.name, number) if choice.option(number) else number
    refuse(choice, given)


def as_parameter(name: str, value: Any) -> float:
    """A parameter in its range.

    >>> as_parameter("base", 10)
    10.0
    """
    p = PARAMETERS[name]
    number = None if isinstance(value, (bool, np.bool_)) else as_number(value)
    if number is None or not p.above < number < p.below:
        raise ValueError(f"{name} is {shown(value)}: {p.what}")
    return number


def refuse(choice: Choice, given: object) -> NoReturn:
    """Refuse what is no option, with the names that there are and the one that was probably meant."""
    near = nearest(given, choice.names, {word: o.key for o in choice.options for word in o.also.split()})
    guess = f" Did you mean {near!r}?" if near else ""
    names = ", ".join(map(repr, choice.names))
    more = f", {choice.open}" if choice.name == "gain" else f", or {choice.open}" if choice.open else ""
    raise ValueError(f"{choice.name} is {shown(given)}.{guess} It can be {names}{more}")


def nearest(given: object, names: Iterable[str], also_called: Mapping[str, str]) -> str | None:
    """The name that was probably meant: by another name of the same thing, by its beginning, or by its letters.

    >>> nearest("exp", TABLE["gain"].names, {}), nearest("log", TABLE["discount"].names, {"log": "modern"})
    ('exponential', 'modern')
    """
    import difflib

    word = "none" if given is None else str(given).strip().lower() if isinstance(given, str) else ""
    if not word:
        return None
    names = list(names)
    beginnings = [name for name in names if name.startswith(word) or word.startswith(name)]
    by_letters = difflib.get_close_matches(word[:80], names, n=1)
    return next(iter([*filter(None, [also_called.get(word)]), *beginnings, *by_letters]), None)


# ---- what the table says of a level ----


def text_of(name: str, level: Level, field: str = "text", **more: object) -> str:
    """What the table says of a level, with its parameters (and whatever else the text asks for) filled in.

    >>> text_of("discount", bind("discount", "modern", {"base": 10}))
    '1/log10(i+1)'
    """
    if isinstance(level, Own):
        if callable(level.source):
            return f"by {getattr(level.source, '__name__', 'a function')}"
        try:
            return " ".join(str(level.source).split())
        except Exception:  # what it maps to may be anything until a grade asks for it
            return shown(level.source)
    if not isinstance(level, Bound):
        return f"{level:g}"
    values = level.parameters
    base = values.get("base", 2.0)
    shorts = {name: "e" if value == math.e else f"{value:g}" for name, value in values.items()}
    return str(getattr(level.option, field)).format(**shorts, **more, log="ln" if base == math.e else f"log{base:g}")


def cases(*names: str) -> Iterator[dict[str, Any]]:
    """Every combination of the options of the public choices (or of those named) as keywords; errors are left out.

    >>> next(cases("gain", "empty"))
    {'gain': 'linear', 'empty': 0.0}
    """
    per = [[(name, o.key) for o in TABLE[name].options if not o.wrong and o.key != "raise"] for name in names or PUBLIC]
    yield from map(dict, product(*per))


def keywords_of(kind: str) -> dict[str, Any]:
    """The choices and parameters that functions of a kind take, with their defaults.

    >>> keywords_of("dcg")
    {'gain': 'linear', 'discount': 'modern', 'base': 2, 'p': 0.8}
    """
    found: dict[str, Any] = {}
    for name in PUBLIC:
        if TABLE[name].enters in ENTERS[: ENTERS.index(kind) + 1]:
            found[name] = TABLE[name].default
            found |= {p.name: p.default for o in TABLE[name].options if not o.wrong for p in o.parameters}
    return found


# ---- a line of help for each parameter ----

ARGUMENTS = {
    "grades": "The grades of the documents in ranked order; for many queries, rows of one length.",
    "judged": "All judged grades of the query, the returned ones included; without them the list is all there is.",
    "k": "The cut-off: only the first k ranks count; None takes all. Evaluate, compare and which take several.",
    "convention": "A convention or the name of one, for all choices that are not given here.",
    "allow_negative": "Whether a gain may be below 0, where NDCG may leave 0 to 1.",
    "scores": "The score of each document, laid out as the grades; the highest ranks first.",
    "ids": "The id of each document, laid out as the grades, for ties that go by it.",
    "offsets": "For queries one after another in flat lists: where each begins, and the end of the last.",
    "documents": "What the documents are called in the table.",
    "decimals": "How many decimals are printed.",
    "name": "What the measure is called; without it, by its cut-off.",
    "relevant": "The lowest grade of a relevant document; without it, every grade above 0 is relevant.",
    "persistence": "Of RBP: how likely a reader goes on to the next rank.",
    "max_grade": "The top of the scale of grades; without it, the highest grade that is there.",
    "qrels": "The judgements: a file or its name, {query: {document: grade}}, or a data frame.",
    "run": "The results: a file or its name, {query: {document: score}}, or a data frame.",
    "runs": "The results of each system by name, or a list of files; a list under one name is one system, run again.",
    "measures": "The names of measures, as ndcg@10 or ap; several in a list.",
    "qrels_format": "The format of the judgements, where the name of the file does not tell.",
    "run_format": "The format of the results, where the name of the file does not tell.",
    "progress": "A function that is told the name of a file, how many bytes of it were read, and of how many.",
    "against": "The name of the system that all others are compared with; without it, all pairs are compared.",
    "correction": "What is done about many comparisons: 'holm', 'tukey' or None.",
    "confidence": "How often an interval is to hold the true difference.",
    "resamples": "How many times the differences are drawn again.",
    "seed": "The seed of these draws.",
    "value": "The number to explain, or a text that keeps its zeros; a list or a mapping of several; or a function.",
    "digits": "How many decimals of the value count; without it, as many as it shows.",
    "y_true": "The grades under the name that scikit-learn gives them.",
    "y_score": "The scores under the name that scikit-learn gives them.",
    "quantity": "What the value is: 'ndcg', 'dcg', 'idcg', 'cg' or 'mean'.",
    "limit": "How many answers are shown.",
    "beside": "Of a function: the presets whose smallest difference to it is looked for.",
}
"""What a parameter means that is no choice of the table."""


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """Let help give each parameter of a function its line and its default."""
    lines = []
    for name, parameter in inspect.signature(function).parameters.items():
        default = "" if parameter.default is parameter.empty else f" (default {parameter.default!r})"
        lines.append(f"{name}{default}\n    {_line_of(name)}")
    function.__doc__ = "\n\n".join([inspect.cleandoc(function.__doc__ or ""), "\n".join(lines)])
    return function


@cache
def _line_of(name: str) -> str:
    if parameter := PARAMETERS.get(name):
        below = "" if parameter.below == math.inf else f" and below {parameter.below:g}"
        return f"{parameter.label.capitalize()}, above {parameter.above:g}{below}."
    if name not in TABLE:
        return ARGUMENTS[name]
    choice = TABLE[name]
    told = {repr(o.key): o.text.replace("{log}", "log_base").replace("{p}", "p") for o in choice.options if not o.wrong}
    keys = [key if text in ("", "0", "1", key[1:-1]) else f"{key} ({text})" for key, text in told.items()]
    return f"{choice.heading}. {', '.join(keys)}{choice.open and f'; or {choice.open}'}."


def _gain_of(grade: float, gain: Any, place: str, allow_negative: bool) -> float:
    what = f"the gain of grade {shown(grade)} ({place})"
    if not isinstance(gain, Mapping):
        value = _result_of(gain, grade, what)
    elif grade in gain:
        value = _finite(gain[grade], what)
    else:
        known = ", ".join(map(shown, gain))
        raise ValueError(
            f"the gain mapping has no grade {shown(grade)} ({place}), it knows {known}: add this grade to it"
        )
    if value < 0 <= grade and not allow_negative:
        raise ValueError(
            f"{what} is {shown(value)}. A negative gain breaks the bounds 0 and 1: give gains from 0, or pass"
            " allow_negative=True"
        )
    return value


def _place(number: int, grades: Array, query: Any) -> str:
    row, column = divmod(number, grades.shape[-1])
    if query is not None and query[-1]:  # columns of several lists
        row, column = int(query[number]), number - int(np.searchsorted(query, query[number]))
        return f"number {column + 1} of row {row}"
    return f"number {column + 1} of its list" if grades.ndim == 1 else f"number {column + 1} of row {row}"


def _result_of(function: Any, argument: float, what: str) -> float:
    try:
        value = function(argument)
    except Exception as error:
        raise ValueError(f"{what} cannot be computed: the function raises {type(error).__name__}: {error}") from error
    return _finite(value, what, " (is a return missing?)" if value is None else "")


def _finite(value: Any, what: str, hint: str = "") -> float:
    number = as_number(value)
    if number is None or not math.isfinite(number):
        raise ValueError(f"{what} is {shown(value)}: it must be a finite number{hint}")
    return number
