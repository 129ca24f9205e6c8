"""The choices of a convention, level by level: what changes, how common it is, in which words, and when it matters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.exact import LARGEST_SAFE_EXPONENT
from ndcg_lib.recipes.queries import Queries


class Situation(NamedTuple):
    """What was asked, as far as it decides which choices can matter."""

    queries: Queries
    k: int | None
    quantities: tuple[str, ...]

    @property
    def longest(self) -> int:
        """The length of the longest list, returned or ideal."""
        q = self.queries
        return int(max(q.returned.max(initial=0), q.judged_there.sum(axis=1).max(initial=0)))


class Level(NamedTuple):
    """One way to choose. The cost is 0 for the textbook's way and grows the less common the level is."""

    choice: str
    name: Any
    cost: float
    words: str
    changes: Mapping[str, Any]
    needs: str = "always"
    instead_of: Any = None  # the level of the same choice that is tried first; None: the textbook's

    def undone_by(self, changes: Mapping[str, Any]) -> bool:
        """Whether changes leave nothing of what the level is named after.

        >>> DEFAULTS["cut"].undone_by({"ideal_cut": "none"}), DEFAULTS["cut"].undone_by({"cut": 1, "ideal_cut": 1})
        (False, True)
        """
        named = {self.choice, f"ideal_{self.choice}"} & self.changes.keys()
        return bool(named) and named <= changes.keys()


ANY = "any"
"""The name of a level that the data cannot tell from the others of its choice."""


def _both(**changes: Any) -> dict[str, Any]:
    return changes | {f"ideal_{name}": level for name, level in changes.items()}


def _original(base: float, cost: float) -> Level:
    if base == 2:
        words = "the original discount 1/max(1, log2(i))"
        return Level("discount", "original", cost, words, _both(discount="original"))
    changes = _both(discount="original", base=base)
    words = f"the original discount 1/max(1, {'ln(i)' if base == math.e else f'log{base:g}(i)'})"
    return Level("discount", f"original, base {base:g}", cost, words, changes, instead_of="original")


CHOICES: tuple[Level, ...] = (
    Level("gain", "linear", 0, "linear gain", _both(gain="linear")),
    Level("gain", "exponential", 0.5, "exponential gain 2^g - 1", _both(gain="exponential"), "exponents"),
    Level("gain", "binary", 1, "binary gain (any grade above 0 counts 1)", _both(gain="binary"), "graded"),
    Level("discount", "modern", 0, "discount 1/log2(i+1)", _both(discount="modern")),
    _original(2, 1),
    _original(math.e, 3),
    _original(10, 3),
    Level("ideal", "judged", 0, "ideal over all judged documents", {"ideal": "judged"}, "missed"),
    Level("ideal", "returned", 0.5, "ideal over the returned documents only", {"ideal": "returned"}, "missed"),
    Level("ties", "average", 0, "ties averaged", {"ties": "average"}, "tied"),
    Level("ties", "id-descending", 0.3, "ties by document id, descending", {"ties": "id-descending"}, "tied ids"),
    Level("ties", "order", 0.3, "ties in the order given", {"ties": "order"}, "tied"),
    Level("ties", "reverse", 0.5, "ties in reverse order", {"ties": "reverse"}, "tied"),
    Level("ties", "best", 0.7, "ties with the best grade first", {"ties": "best"}, "tied"),
    Level("ties", "worst", 0.7, "ties with the worst grade first", {"ties": "worst"}, "tied"),
    Level("ties", "id", 1, "ties by document id, ascending", {"ties": "id"}, "tied ids"),
    Level("scores", "double", 0, "", {"precision": "double"}, "tied in single"),
    Level("scores", "single", 1, "scores in single precision", {"precision": "single"}, "tied in single"),
    Level("empty", 0.0, 0, "a query without a relevant document counts 0", {"empty": 0.0}, "empty"),
    Level("empty", 1.0, 0.5, "a query without a relevant document counts 1", {"empty": 1.0}, "empty"),
    Level("empty", "skip", 0.5, "a query without a relevant document is left out", {"empty": "skip"}, "empty"),
    Level("missing", "zero", 0, "a judged query without results counts 0", {"missing": "zero"}, "missing"),
    Level("missing", "skip", 0.5, "a judged query without results is left out", {"missing": "skip"}, "missing"),
    Level("strangers", "skip", 0, "a query without judgements is left out", {"strangers": "skip"}, "strangers"),
    Level("strangers", "zero", 1, "a query without judgements counts 0", {"strangers": "zero"}, "strangers"),
    Level("unjudged", "zero", 0, "unjudged documents keep their rank", {"unjudged": "zero"}, "unjudged"),
    Level("unjudged", "removed", 1, "unjudged documents removed", {"unjudged": "removed"}, "unjudged"),
    Level("unreturned", "absent", 0, "", {"unreturned": "absent"}, "missed"),
    Level(
        "unreturned",
        "last",
        4.2,
        "judged documents that were not returned put behind the list",
        {"unreturned": "last"},
        "missed",
    ),
    Level("rows", "each", 0, "", {"rows": "each"}, "several scored"),
    Level("rows", "joined", 3, "all queries ranked as one list", {"rows": "joined"}, "several scored"),
    Level("negative", "kept", 0, "negative grades added up as they are", {"negative": "kept"}, "negative"),
    Level("negative", "clipped", 0.5, "negative grades counted as 0", {"negative": "clipped"}, "negative"),
    Level("fractions", "kept", 0, "", {"fractions": "kept"}, "fractions"),
    Level("fractions", "cut", 1, "grades cut to whole numbers", {"fractions": "cut"}, "fractions"),
    Level("scale", "1", 0, "", {"result": ""}, "ndcg"),
    Level("scale", "100", 1.5, "in percent", {"result": "percent"}, "ndcg"),
)
"""Every choice and its levels, the textbook's first. The cut-off, which depends on the lists, is in `cuts`."""

AS_ASKED = Level("cut", "asked", 0, "", _both(cut="k"))
NO_GRADES = Level("gain", ANY, 0, "any gain (the grades are 0 and 1)", _both(gain="linear"))
DEFAULTS: dict[str, Level] = {level.choice: level for level in reversed((*CHOICES, AS_ASKED))}
USUAL_CUTS = {10: 1.0, 5: 1.5, 20: 2.0, 32: 2.0, 100: 2.0, 1000: 2.0}
ANOTHER_CUT = 2.5
NOT_ASKED = 2.5
"""What a cut-off costs more where another one was asked for."""


def cuts(s: Situation) -> Iterator[Level]:
    """The cut-offs that would change something: the one asked for, none, the defaults of tools, other small ones.

    >>> [level.name for level in cuts(Situation(Queries.of([1, 0, 2, 3]), 2, ("ndcg",)))]
    ['asked', 'none', 1, 3]
    """
    yield AS_ASKED
    longest = s.longest
    if s.k is not None and s.k < longest:
        yield Level("cut", "none", 1.5, f"the whole list instead of k = {s.k}", _both(cut="none"))
    for k in sorted({*range(1, min(longest, 21)), *(k for k in USUAL_CUTS if k < longest)} - {s.k}):
        cost = USUAL_CUTS.get(k, ANOTHER_CUT) + (0 if s.k is None else NOT_ASKED)
        yield Level("cut", k, cost, f"cut at {k}", _both(cut=k))


def levels(s: Situation) -> dict[str, list[Level]]:
    """The choices that matter in a situation, each with its levels.

    >>> situation = Situation(Queries.of([3, 0]), None, ("ndcg",))
    >>> {choice: [level.name for level in them] for choice, them in levels(situation).items()}["gain"]
    ['linear', 'exponential', 'binary']
    """
    holds = {name: test(s) for name, test in NEEDS.items()}
    by_choice: dict[str, list[Level]] = {}
    for level in [*CHOICES, *cuts(s)]:
        if holds[level.needs]:
            by_choice.setdefault(level.choice, []).append(level)
    if not holds["graded"]:
        by_choice["gain"] = [NO_GRADES]
    return by_choice


def _graded(s: Situation) -> bool:
    grades = np.concatenate([s.queries.grades.ravel(), s.queries.judged.ravel()])
    return bool(((grades != 0) & (grades != 1)).any())


def within_reach_of_2(queries: Queries) -> bool:
    """Whether 2^grade is a number that can be added up.

    >>> within_reach_of_2(Queries.of([3, 0])), within_reach_of_2(Queries.of([1100, 0]))
    (True, False)
    """
    return bool(max(queries.grades.max(initial=0), queries.judged.max(initial=0)) <= LARGEST_SAFE_EXPONENT)


def _missed(s: Situation) -> bool:
    """Whether the judged are others than the returned."""
    q = s.queries
    listed = np.where(q.there & ~q.again & ~q.unjudged, q.grades, 0.0)
    width = max(listed.shape[1], q.judged.shape[1])
    returned, judged = (np.sort(np.pad(g, ((0, 0), (0, width - g.shape[1])))) for g in (listed, q.judged))
    return not np.array_equal(returned, judged)


def _ties(scores: Any, grades: Any, there: Any) -> bool:
    """Whether documents with the same score have different grades."""
    for row, values, flags in zip(scores, grades, there, strict=True):
        seen: dict[float, float] = {}
        for score, grade in zip(row[flags].tolist(), values[flags].tolist(), strict=True):
            if seen.setdefault(score, grade) != grade:
                return True
    return False


def _tied_in_double(s: Situation) -> bool:
    return s.queries.scores is not None and _ties(s.queries.scores, s.queries.grades, s.queries.there)


def _tied_in_single(s: Situation) -> bool:
    q = s.queries
    return q.scores is not None and not _tied_in_double(s) and _ties(q.scores.astype(np.float32), q.grades, q.there)


def _tied(s: Situation) -> bool:
    return _tied_in_double(s) or _tied_in_single(s)


NEEDS: dict[str, Callable[[Situation], bool]] = {
    "always": lambda s: True,
    "graded": _graded,
    "exponents": lambda s: within_reach_of_2(s.queries) and _graded(s),
    "missed": _missed,
    "tied": _tied,
    "tied ids": lambda s: s.queries.id_order is not None and _tied(s),
    "tied in single": _tied_in_single,
    "empty": lambda s: bool((s.queries.judged_there.any(axis=1) & ~(s.queries.judged > 0).any(axis=1)).any()),
    "missing": lambda s: bool(((s.queries.returned == 0) & s.queries.judged_there.any(axis=1)).any()),
    "strangers": lambda s: not s.queries.single and not s.queries.judged_there.any(axis=1).all(),
    "several scored": lambda s: len(s.queries.grades) > 1 and s.queries.scores is not None,
    "unjudged": lambda s: bool(s.queries.unjudged.any()),
    "negative": lambda s: bool((s.queries.grades < 0).any() or (s.queries.judged < 0).any()),
    "fractions": lambda s: bool((s.queries.grades % 1 != 0).any() or (s.queries.judged % 1 != 0).any()),
    "ndcg": lambda s: bool({"ndcg", "mean"} & set(s.quantities)),
}
"""What must be true of the data for a level to make a difference."""
