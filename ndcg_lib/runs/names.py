"""One string, one number: a measure with all that decides its value, read, printed and explained by one table.

nDCG(gain=exponential,ties=id)@10: the name, the choices by the words of the options, the cut-off. A word may be cut
short where one alone begins so (gain=exp). What a string leaves out is as the textbook has it, never as the data have
it. Names of other tools are read in `dialects`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ndcg_lib.checks import shown
from ndcg_lib.choices import nearest, text_of
from ndcg_lib.convention import Convention
from ndcg_lib.definition import PARAMETERS, TABLE
from ndcg_lib.measures import EVERY, MEASURES, Measure, above_0, as_persistence

SHAPE = re.compile(r"([A-Za-z][A-Za-z0-9]*'?)(?:\(([^()]*)\))?(?:@(.*))?", re.DOTALL)
CUT = re.compile(r"[1-9][0-9]{0,17}")
OWN = {"rel": "relevant", "p": "persistence", "max": "max_grade", "beta": "beta"}
"""What no convention holds: the word in the string, and the argument of the engine."""
PLAIN = Convention()
LARGER = ("skip", "raise")


@dataclass(frozen=True, eq=False)
class Column:
    """A measure, its cut-off, and all that decides it; `asked` is how it was asked for."""

    measure: str
    k: int | None = None
    convention: Convention = PLAIN
    own: Mapping[str, float] = field(default_factory=dict)  # of `OWN`, by the argument of the engine
    asked: str = ""

    @property
    def kind(self) -> Measure:
        """The measure's entry in the table."""
        return MEASURES[self.measure]

    @property
    def key(self) -> str:
        """The name in results: what was asked for.

        >>> Column("ndcg", 10).key, Column("ndcg", 10, asked="ndcg_cut_10").key
        ('nDCG@10', 'ndcg_cut_10')
        """
        return self.asked or str(self)

    def choices(self) -> dict[str, Any]:
        """What decides the value and is not as the textbook has it."""
        found: dict[str, Any] = {}
        for word in (*self.kind.takes.split(), *EVERY.split()) if self.measure in MEASURES else ():
            name = OWN.get(word, word) if word != "p" or self.measure == "rbp" else word
            value = self.own.get(name) if name in OWN.values() else getattr(self.convention, word)
            plain = None if name in OWN.values() else getattr(PLAIN, word)
            without = word == "empty" and not self.kind.quotient and value not in LARGER
            if value != plain and not without:
                found[word] = value
        return found

    def __str__(self) -> str:
        inside = ",".join(f"{word}={_written(value)}" for word, value in self.choices().items())
        name = self.kind.heading if self.measure in MEASURES else self.measure
        return name + (f"({inside})" if inside else "") + ("" if self.k is None else f"@{self.k}")

    heading = property(__str__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def card(self) -> str:
        """What the number is, in one line.

        >>> print(own("RR(rel=2)@10").card())
        RR(rel=2)@10: 1 / rank of the first relevant; relevant from grade 2 on; ties averaged; judged but no\
 results: 0; mean over queries
        """
        convention = self.convention.but(k=self.k)
        if self.measure == "ndcg":
            return f"{self}: {convention.card().partition(': ')[2]}"
        said = {name: text_of(name, level) for name, level in convention.levels.items()}
        takes, own = self.kind.takes.split(), self.own
        parts = [self.kind.about]
        parts += [f"gain {said['gain']}"] * ("gain" in takes) + [f"discount {said['discount']}"] * ("discount" in takes)
        parts += [f"ideal {said['ideal']}"] * ("ideal" in takes)
        if "rel" in takes and "max_grade" not in own:
            level = own.get("relevant")
            parts.append("relevant above grade 0" if level is None else f"relevant from grade {_written(level)} on")
        words = {"persistence": "persistence", "max_grade": "top grade", "beta": "beta"}
        parts += [f"{words[name]} {_written(value)}" for name, value in own.items() if name in words]
        empty = self.kind.quotient or convention.empty in LARGER
        parts += [f"no relevant document: {said['empty']}"] * empty
        rest = (said["ties"], said["score_precision"], f"judged but no results: {said['missing']}", said["averaging"])
        return f"{self}: " + "; ".join([*parts, *filter(None, rest)])

    def but(self, asked: str = "", **choices: Any) -> Column:
        """The same measure with other choices of its convention."""
        return Column(self.measure, self.k, self.convention.but(**choices, name="", stands_for=""), self.own, asked)


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return ";".join(f"{_written(grade)}:{_written(gain)}" for grade, gain in sorted(value.items()))
    if isinstance(value, (int, float)):
        return repr(float(value)).removesuffix(".0")
    return value if isinstance(value, str) else getattr(value, "__name__", repr(value))


def no_such(spec: Any) -> str:
    """What to say of a name that no measure has."""
    near = nearest(spec, MEASURES, {each.quantity: name for name, each in MEASURES.items()})
    guess = f" Did you mean {near!r}?" if near else ""
    return f"there is no measure {shown(spec)}.{guess} The measures are {', '.join(MEASURES)}, also as ndcg@10"


def own(text: str, base: Convention = PLAIN) -> Column | None:
    """A string of this grammar, or None if it is none; names may be written small.

    >>> str(own("ndcg(gain=exp, ties=id-desc)@10"))
    'nDCG(gain=exponential,ties=id-descending)@10'
    """
    match = SHAPE.fullmatch(text.strip())
    name = match[1].lower() if match else ""
    name = {"r": "recall"}.get(name, name)
    if not match or name not in MEASURES:
        return None
    kind, cut, choices, given = MEASURES[name], match[3], dict[str, Any](), dict[str, float]()
    takes = (*kind.takes.split(), *EVERY.split())
    for part in filter(None, (match[2] or "").split(",")):
        short, equals, word = (piece.strip() for piece in part.partition("="))
        key = _one(short, takes)
        if not equals or key is None:
            every = {*EVERY.split(), *OWN, *(word for each in MEASURES.values() for word in each.takes.split())}
            if equals and _one(short, every) is None:
                return None  # another tool's
            raise ValueError(f"{shown(text)}: {kind.heading} does not depend on {short}; it takes {', '.join(takes)}")
        if key in choices or key in given:
            raise ValueError(f"{shown(text)}: {key} is said twice")
        if key in OWN and (key != "p" or name == "rbp"):
            given[OWN[key]] = _number(text, OWN[key], word)
        else:
            choices[key] = _value(text, key, word)
    if cut is not None and not (kind.cut and CUT.fullmatch(cut)):
        if not kind.cut:
            raise ValueError(f"{shown(text)}: {kind.heading} has no cut-off: write {kind.heading}")
        raise ValueError(f"the cut-off in {shown(text)} is not a whole number from 1: write it like ndcg@10")
    what, _, why = kind.needs.partition(": ")
    if what and OWN[what] not in given:
        raise ValueError(f"{kind.heading} is no number without {what} ({why}): write {kind.heading}({what}=…)")
    made = base.but(**choices, name="", stands_for="") if choices else base
    return Column(name, int(cut) if cut else None, made, given)


def _one(short: str, words: Iterable[str]) -> str | None:
    """The word that is meant: itself, or the only one that begins so."""
    words = list(words)
    begins = [word for word in words if word.startswith(short)] if len(short) > 1 else []
    return short if short in words else begins[0] if len(begins) == 1 else None


def _number(text: str, name: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise ValueError(f"{shown(text)}: {name} is {shown(word)}: give a number") from None
    return as_persistence(number) if name == "persistence" else above_0(name, number) or math.nan


def _value(text: str, key: str, word: str) -> Any:
    """A word of the table of choices, or a number or a table of gains where one may stand."""
    if key in PARAMETERS:
        return _number_of(text, key, word)
    choice = TABLE[key]
    also = {other: o.key for o in choice.options if not o.wrong for other in o.also.split()}
    found = _one(word, choice.names) or also.get(word)
    if found is not None:
        return found
    if key == "gain" and ":" in word:
        pairs = [pair.partition(":") for pair in word.split(";") if pair]
        return {_number_of(text, key, grade): _number_of(text, key, gain) for grade, _, gain in pairs}
    if choice.number:
        return _number_of(text, key, word)
    raise ValueError(f"{shown(text)}: {key} is {shown(word)}; it can be {', '.join(choice.names)}")


def _number_of(text: str, key: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(
            f"{shown(text)}: {key} is {shown(word)}, which is neither a word of the table nor a number"
        ) from None
