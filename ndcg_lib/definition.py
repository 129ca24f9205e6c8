"""The one table: every choice that changes the number, its options, and all that is known about each of them.

A new option is one entry here. Checks and their messages, types, command line, card, LaTeX, the playground, glossary
rows, the levels of `which` and of slips, and the cases of the tests are made from it; the engine finds its functions
here. Wrong levels, which only slips may take, stand beside the right ones, so that a misspelt one is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

LN2 = math.log(2)


class Parameter(NamedTuple):
    """A number that an option takes, between `above` and `below`; `tried` says what other values cost in `which`."""

    name: str
    default: float
    above: float
    below: float
    label: str
    what: str  # the end of the message that refuses a value
    tried: Mapping[float, float] = {}


class Option(NamedTuple):
    """One way to choose. Without a cost it is never tried by `which`; if `wrong`, it is a level for slips alone."""

    key: Any
    text: str = ""  # on the card
    label: str = ""  # in the playground and in tables of the book
    words: str = ""  # in the answers of `which`
    cost: float | None = None
    function: Callable[..., Any] | None = None
    js: str = ""  # the same function
    latex: str = ""  # of a gain: the gain of the grade {g}
    spelled: bool = False  # whether a sum with numbers spells the gain out, as in 2^3 - 1
    under: str = (
        ""  # of a discount, in LaTeX: what the gain is divided by at rank {i}; {next} and {before} lie beside it
    )
    times: str = ""  # of a discount, in LaTeX: what the gain is multiplied by instead
    starts: str = ""  # the parameter that names the first rank at which the discount bites
    also: str = ""  # other names of it, which a message understands
    parameters: tuple[Parameter, ...] = ()
    needs: str = "always"  # what must be true of the data for this to differ from the default
    wrong: bool = False


class Choice(NamedTuple):
    """What can be chosen. `enters` names the first kind of function that takes it, as in `ENTERS`; "": none does."""

    name: str
    about: str
    options: tuple[Option, ...]
    enters: str = ""
    open: str = ""  # what may stand there besides a name
    twice: bool = False  # a slip may choose otherwise for the ideal
    number: bool = False  # a number may stand there
    title: str = ""  # where the name alone says too little

    @property
    def heading(self) -> str:
        """What stands above the options.

        >>> TABLE["gain"].heading
        'Gain: what a grade is worth'
        """
        return f"{self.title or self.name.capitalize()}: {self.about}"

    @property
    def default(self) -> Any:
        """The key of the textbook's way, which comes first."""
        return self.options[0].key

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a caller may give.

        >>> TABLE["ideal"].names
        ('judged', 'returned')
        """
        return tuple(o.key for o in self.options if isinstance(o.key, str) and not o.wrong)

    def option(self, key: Any) -> Option | None:
        """The option with this key; 0.0 is not False, and 1 is not "1"."""
        return next((o for o in self.options if o.key == key and type(o.key) is type(key)), None)


def log(x: Any, base: float) -> Any:
    """The logarithm to a base; to base 2 without a rounding at the powers of 2.

    >>> log(np.array([2.0, 8.0]), 2)
    array([1., 3.])
    """
    return np.log2(x) if base == 2 else np.log(x) / math.log(base)


def exp2m1(g: Any, shift: Any = 0.0) -> Any:
    """2^g - 1, divided by 2^shift, without the loss of digits near 0.

    >>> exp2m1(np.array([0.0, 1.0, 3.0]))
    array([0., 1., 7.])
    """
    with np.errstate(over="ignore"):
        y = np.subtract(np.exp2(g - shift), np.exp2(-shift), out=np.empty_like(g, dtype=float))
    small = g < 1
    np.expm1(g * LN2, out=y, where=small)
    return np.multiply(y, np.exp2(-shift), out=y, where=small) if np.any(shift) else y


BASE = Parameter("base", 2, 1, math.inf, "base of the logarithm", "the base of the logarithm must be a number above 1",
                 {math.e: 3, 10: 3})  # fmt: skip
PATIENCE = Parameter("p", 0.8, 0, 1, "patience p", "the patience p must lie between 0 and 1", {0.5: 3, 0.9: 3})


def wrong(key: str, text: str = "", function: Callable[..., Any] | None = None, **more: Any) -> Option:
    """A level that only slips may take."""
    return Option(key, text, function=function, wrong=True, **more)


# fmt: off
CHOICES: tuple[Choice, ...] = (
    Choice("gain", "what a grade is worth", (
        Option("linear", "g", "the grade", "linear gain", 0, lambda g: g,
               js="g", latex="{g}", also="identity raw"),
        Option("exponential", "2^g - 1", "2^grade − 1", "exponential gain 2^g - 1", 0.5, exp2m1,
               js="g < 1 ? Math.expm1(g * Math.LN2) : 2 ** g - 1", latex="2^{{{g}}}-1", spelled=True,
               also="2^g-1 2^rel-1 burges power", needs="exponents"),
        Option("binary", "1 if g > 0", "1 if above 0", "binary gain (any grade above 0 counts 1)", 1,
               lambda g: (g > 0) * 1.0, js="g > 0 ? 1 : 0", latex="[{g} > 0]", also="presence bool", needs="graded"),
        wrong("presence", "1 if judged", np.ones_like),
        wrong("power", "2^g", np.exp2),
        wrong("half-power", "2^(g-1)", lambda g: np.exp2(g - 1)),
        wrong("log", "log2(1+g)", lambda g: np.log2(1 + np.maximum(g, 0))),
        wrong("square", "g^2", lambda g: g * g),
    ), "cg", "a mapping from grade to gain, or a function", twice=True),
    Choice("discount", "what a rank is worth", (
        Option("modern", "1/{log}(i+1)", "1 / log(i + 1)", "discount 1/{log}(i+1)", 0,
               lambda i, base: 1 / log(i + 1, base), js="1 / log(i + 1, base)", under=r"\log_{{{base}}} {next}",
               also="log log2 ln logarithmic burges", parameters=(BASE,)),
        Option("original", "1/max(1, {log}(i))", "1 / max(1, log i)", "the original discount 1/max(1, {log}(i))", 1,
               lambda i, base: 1 / np.maximum(1, log(i, base)),
               js="1 / Math.max(1, log(i, base))", under=r"\log_{{{base}}} {i}", starts="base",
               also="jarvelin jarvelin-kekalainen", parameters=(BASE,)),
        Option("reciprocal", "1/i", "1 / i", "discount 1/i", 1.5, lambda i: 1 / i,
               js="1 / i", under="{i}", also="1/i inverse zipf"),
        Option("geometric", "{p}^(i-1)", "p^(i − 1)", "discount {p}^(i-1)", 2, lambda i, p: p ** (i - 1),
               js="p ** (i - 1)", times="{p}^{{{before}}}", also="rbp patience persistence", parameters=(PATIENCE,)),
        Option("none", "none", "none", "no discount", None, np.ones_like, js="1", also="uniform flat"),
        wrong("late", "1/{log}(i+2)", lambda i, base: 1 / log(i + 2, base), parameters=(BASE,)),
        wrong("next", "1/(i+1)", lambda i: 1 / (i + 1)),
        wrong("rank", "i", lambda i: i * 1.0),
        wrong("multiplied", "{log}(i+1)", lambda i, base: log(i + 1, base), parameters=(BASE,)),
        wrong("unguarded", "1/{log}(i), 0 at rank 1",
              lambda i, base: np.where(i == 1, 0.0, 1 / log(np.maximum(i, 2), base)), parameters=(BASE,)),
        wrong("outside", "1/{log}(i) from rank 2 on",
              lambda i, base: np.where(i == 1, 1.0, 1 / log(np.maximum(i, 2), base)), parameters=(BASE,)),
        wrong("one-plus-log", "1/(1+{log}(i))", lambda i, base: 1 / (1 + log(i, base)), parameters=(BASE,)),
    ), "dcg", "a function of the rank", twice=True),
    Choice("ideal", "whose documents it holds", (
        Option("judged", "over all judged", "all judged", "ideal over all judged documents", 0,
               also="all corpus qrels", needs="missed"),
        Option("returned", "over the returned list", "the returned list", "ideal over the returned documents only", 0.5,
               also="list retrieved", needs="missed"),
        wrong("first", "the first k judged"),
        wrong("top", "the first k returned"),
        wrong("perfect", "k times the best grade"),
    ), "ndcg", title="Ideal list"),
    Choice("empty", "what a query without any gain counts", (
        Option(0.0, "0", "0", "a query without a relevant document counts 0", 0, needs="empty"),
        Option(1.0, "1", "1", "a query without a relevant document counts 1", 0.5, needs="empty"),
        Option("skip", "left out", "leave out", "a query without a relevant document is left out", 0.5,
               also="drop ignore nan", needs="empty"),
        Option("raise", "an error", "an error", also="error"),
    ), "ndcg", "the number that stands for such a query (0.0, 1.0, nan)", number=True, title="Nothing relevant"),
    Choice("ties", "how they count", (
        Option("average", "ties averaged", "mean over all orders", "ties averaged", 0,
               also="mean expected", needs="tied"),
        Option("order", "ties in the order given", "in the order shown", "ties in the order given", 0.3,
               lambda place, grade, name: place, js="place", also="input stable", needs="tied"),
        Option("reverse", "ties in reverse order", "in reverse order", "ties in reverse order", 0.5,
               lambda place, grade, name: -place, js="-place", needs="tied"),
        Option("best", "ties best first", "best first", "ties with the best grade first", 0.7,
               lambda place, grade, name: -grade, js="-grade", needs="tied"),
        Option("worst", "ties worst first", "worst first", "ties with the worst grade first", 0.7,
               lambda place, grade, name: grade, js="grade", needs="tied"),
        Option("id", "ties by ascending id", "by name, ascending", "ties by document id, ascending", 1,
               lambda place, grade, name: name, js="name", needs="tied ids"),
        Option("id-descending", "ties by descending id", "by name, descending", "ties by document id, descending", 0.3,
               lambda place, grade, name: -name, js="-name", also="docno", needs="tied ids"),
    ), "scores", title="Equal scores"),
    Choice("score_precision", "in which precision scores are compared", (
        Option("double", "", "double", "", 0, also="float64", needs="tied in single"),
        Option("single", "scores in single precision", "single", "scores in single precision", 1,
               also="float32 float", needs="tied in single"),
    ), "scores", title="Precision of scores"),
    Choice("missing", "what a judged query that returned nothing counts", (
        Option("zero", "0", "0", "a judged query without results counts 0", 0, also="0", needs="missing"),
        Option("skip", "left out", "leave out", "a judged query without results is left out", 0.5,
               also="drop ignore", needs="missing"),
        Option("raise", "an error", "an error", also="error"),
    ), "queries", title="Nothing returned"),
    Choice("averaging", "how queries are put together", (
        Option("mean", "mean over queries", "mean over queries", also="average macro"),
        wrong("ratio-of-means"), wrong("sum"),
    ), "queries"),

    # what no public function takes: conventions of other tools, for `which`
    Choice("strangers", "what a query without judgements counts", (
        Option("skip", words="a query without judgements is left out", cost=0, needs="strangers"),
        Option("zero", words="a query without judgements counts 0", cost=1, needs="strangers"))),
    Choice("unjudged", "documents that nobody judged", (
        Option("zero", words="unjudged documents keep their rank", cost=0, needs="unjudged"),
        Option("removed", words="unjudged documents removed", cost=1, needs="unjudged"))),
    Choice("negative", "grades below 0", (
        Option("kept", words="negative grades added up as they are", cost=0, needs="negative"),
        Option("clipped", words="negative grades counted as 0", cost=0.5, needs="negative"))),
    Choice("fractions", "grades that are no whole numbers", (
        Option("kept", cost=0, needs="fractions"),
        Option("cut", words="grades cut to whole numbers", cost=1, needs="fractions"))),
    Choice("result", "how the value is given", (
        Option("", cost=0, needs="ndcg"), Option("percent", words="in percent", cost=1.5, needs="ndcg"),
        wrong("rounded"), wrong("cut"))),
    Choice("cut", "how many ranks count", (
        Option("k", cost=0), Option("none", words="the whole list instead of k", cost=1.5, needs="k"),
        wrong("less"), wrong("more"), wrong("list"),
    ), twice=True, number=True),

    # what is only ever done wrong
    Choice("ranking", "what puts the documents in order", (Option("scores"), wrong("ascending"), wrong("given"))),
    Choice("roles", "which list is which", (Option("right"), wrong("swapped"))),
    Choice("duplicates", "a document that comes twice", (Option("once"), wrong("counted"))),
    Choice("values", "what the gains of the list are made from", (Option("grades"), wrong("scores"))),
    Choice("regrade", "what happens to a grade before its gain", (
        Option("", function=lambda g: g),
        wrong("one-higher", "", lambda g: g + 1), wrong("one-lower", "", lambda g: g - 1),
        wrong("zero-as-one", "", lambda g: np.where(g == 0, 1.0, g)))),
    Choice("ideal_order", "the order of the ideal list", (
        Option("sorted"), wrong("ascending"), wrong("given"), wrong("distinct"))),
    Choice("adding", "how terms are put together", (Option("sum"), wrong("mean"), wrong("last"))),
    Choice("rounding", "what is rounded on the way", (
        Option(""), wrong("terms"), wrong("terms-cut"), wrong("discounts"), wrong("logs"))),
    Choice("parts", "DCG and IDCG before the division", (Option(""), wrong("rounded"))),
    Choice("divide", "what the DCG is divided by", (
        Option("idcg"), wrong("cg"), wrong("max-grade"), wrong("discounts"), wrong("k"), wrong("nothing"),
        wrong("upside-down"))),
)
# fmt: on
ENTERS = ("cg", "dcg", "ndcg", "scores", "queries")
"""Where choices enter; each takes what those before it take."""


def by_name(choices: tuple[Choice, ...]) -> dict[str, Choice]:
    """The table by name; a name that comes twice is refused when the module is imported.

    >>> by_name((Choice("ideal", "", (Option("judged"), Option("judged"))),))
    Traceback (most recent call last):
    ValueError: ideal: 'judged' comes twice in the table of choices
    """
    table: dict[str, Choice] = {}
    for choice in choices:
        right = [word for o in choice.options if not o.wrong for word in {str(o.key), *o.also.split()}]
        for name in (*right, *(str(o.key) for o in choice.options if o.wrong)):
            if [*right, *(str(o.key) for o in choice.options if o.wrong and str(o.key) not in right)].count(name) > 1:
                raise ValueError(f"{choice.name}: {name!r} comes twice in the table of choices")
        if choice.name in table:
            raise ValueError(f"the choice {choice.name!r} comes twice in the table")
        table[choice.name] = choice
    return table


TABLE: dict[str, Choice] = by_name(CHOICES)
PUBLIC = tuple(choice.name for choice in CHOICES if choice.enters)
PARAMETERS: dict[str, Parameter] = {p.name: p for c in CHOICES for o in c.options for p in o.parameters}
CHOICE_OF = {p.name: c.name for c in CHOICES for o in c.options for p in o.parameters}
"""Which choice a parameter belongs to."""
