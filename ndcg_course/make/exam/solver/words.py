"""What the sentences of a paper ask for: each with the sum that somebody with a pencil would do."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

Grades = Sequence[Any]


class Unsolvable(ValueError):
    """A question that cannot be answered from the paper; says which, and why."""


class Answer(NamedTuple):
    """What is right, and the numbers that a reason has to agree with."""

    value: Any
    before_after: tuple[float, ...] = ()


# ---- what the words mean ----


class Pencil:
    """The sums that the paper asks for, with the gain and the logarithms that are printed on it."""

    def __init__(self, paper: str) -> None:
        self.logs = {2**i: float(i) for i in range(5)}
        if told := re.search(r"logarithms to base 2 of ([\d, and]+) are ([\d., and]+\d)", paper):
            of, are = re.findall(r"\d+", told[1]), re.findall(r"\d+\.\d+", told[2])
            self.logs |= {int(number): float(log) for number, log in zip(of, are, strict=True)}
        said = re.search(r"The gain is (the grade|2\^grade - 1|1 if above 0)", paper)
        if not said:
            raise Unsolvable("the paper does not say what the gain is")
        gains = {"the grade": float, "2^grade - 1": lambda g: 2.0**g - 1, "1 if above 0": lambda g: float(g > 0)}
        self.gain: Callable[[Any], float] = gains[said[1]]

    def log(self, number: int) -> float:
        """The logarithm to base 2, as it is printed."""
        if number not in self.logs:
            raise Unsolvable(f"it needs the logarithm of {number}, which is not printed")
        return self.logs[number]

    def d(self, rank: float) -> float:
        """What rank keeps of a gain."""
        return 1 / self.log(int(rank) + 1)

    def older(self, rank: int) -> float:
        """The same under the original discount with base 2."""
        return 1 if rank <= 2 else 1 / self.log(rank)

    def cg(self, grades: Grades, k: float = 99) -> float:
        """The sum of the first k gains."""
        return sum(self.gain(g) for g in grades[: int(k)])

    def dcg(self, grades: Grades, k: float = 99, gain: Any = None, discount: Any = None) -> float:
        """Gain by gain, discounted and added."""
        terms = [((gain or self.gain)(g), i) for i, g in enumerate(grades[: int(k)], 1)]
        return sum(worth * (discount or self.d)(i) for worth, i in terms if worth)

    def idcg(self, judged: Grades, k: float = 99) -> float:
        """The same of the best order."""
        return self.dcg(sorted(judged, reverse=True), k)

    def ndcg(self, grades: Grades, k: float = 99, judged: Grades | None = None, gain: Any = None) -> float:
        """The one divided by the other."""
        _within(grades, judged or grades)
        best = self.dcg(sorted(judged or grades, reverse=True), k, gain)
        if best == 0:
            raise Unsolvable("nothing can be reached, and NDCG has no value")
        return self.dcg(grades, k, gain) / best


def _within(returned: Grades, judged: Grades) -> bool:
    """What was returned was judged, each document once."""
    left = list(judged)
    for grade in returned:
        if grade not in left:
            raise Unsolvable(f"a document with the grade {grade:g} was returned, and none like it was judged")
        left.remove(grade)
    return True


def _swapped(grades: Grades, a: float, b: float) -> list[Any]:
    other = list(grades)
    other[int(a) - 1], other[int(b) - 1] = other[int(b) - 1], other[int(a) - 1]
    return other


def _way(before: float, after: float) -> Answer:
    word = "stays" if abs(after - before) < 1e-9 else "rises" if after > before else "falls"
    return Answer(word, (before, after))


def _only(ways: dict[str, float], told: float, slack: float = 0.003) -> str:
    """The one way that gives what is told."""
    if len(fit := [name for name, value in ways.items() if abs(value - told) <= slack]) != 1:
        raise Unsolvable(f"{told:g} fits {' and '.join(fit) or 'nothing'}")
    return fit[0]


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return sum(held) / len(held)


def _no_none(grades: Grades, put: list[int]) -> list[Any]:
    return [g for one in grades for g in ([one] if one is not None else put)]


def _exponential(grade: float) -> float:
    return float(2**grade - 1)


def _binary(grade: float) -> float:
    return float(grade > 0)


def readings(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    """A sentence of the paper, and what it asks for. <a> is a number, [a] a list, {a} a row of a table."""
    yield from _sums(x)
    yield from _discounts(x)
    yield from _ideals(x)
    yield from _shares(x)
    yield from _bounds(x)
    yield from _choices(x)
    yield from _cases(x)
    yield from _decisions(x)


# fmt: off
def _sums(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "Engine A returned documents with the grades [a], engine B [b]. By how much is CG@<k> of B larger than", \
        lambda a, b, k: x.cg(b, k) - x.cg(a, k)
    yield "A list begins with the grades <a>, <b>, x, <c>, <e>, … Its CG@4 is <s>. What is the gain of the third", \
        lambda a, b, c, e, s: s - x.gain(a) - x.gain(b) - x.gain(c)
    yield "goes down a list with the grades [a] until the gains add up to <t> or more. Up to which rank", \
        lambda a, t: next(k for k in range(1, len(a) + 1) if x.cg(a, k) >= t)
    yield "grades [a], engine B [b]. For how many of the cut-offs k = 1, 2, 3, 4, 5 is CG@k of B larger than", \
        lambda a, b: len([k for k in (1, 2, 3, 4, 5) if x.cg(b, k) > x.cg(a, k)])
    yield "with the grades [a] the documents at the ranks <p> and <q> change places. Does CG@<k> rise", \
        lambda a, p, q, k: _way(x.cg(a, k), x.cg(_swapped(a, p, q), k))
    yield "documents have the grades [a]. You may put them into any order. What is the highest CG@<k>", \
        lambda a, k: max(x.cg(one, k) for one in itertools.permutations(a))
    yield "documents have the grades [a]. An engine puts them into the worst order that there is. What is CG@<k> of" \
        " that order", \
        lambda a, k: min(x.cg(one, k) for one in itertools.permutations(a))
    yield "with the grade <g> is put at rank <r> of a list with the grades [a], and everything from there on moves" \
          " down by one. By how much does CG@<k> change? Give the sign", \
        lambda g, r, a, k: x.cg([*a[: int(r) - 1], g, *a[int(r) - 1 :]], k) - x.cg(a, k)
    yield "1 for relevant and 0 for the rest. Its CG@<k> is <s>. What share of the first", lambda k, s: s / k
    yield "gives CG@k of one list. k {k} CG@k {s} What is the gain of the document at rank <r>?", \
        lambda k, s, r: s[int(r) - 1] - s[int(r) - 2]


def _discounts(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "A list has the grades [a]. What is its DCG@<k>", lambda a, k: x.dcg(a[: int(k)])
    yield "A document with the grade <g> stands at rank <r>. What does it add to DCG", lambda g, r: x.gain(g) * x.d(r)
    yield "grades [a], the documents at the ranks <p> and <q> change places. By how much does DCG of the whole list" \
          " change? Give the sign", lambda a, p, q: x.dcg(_swapped(a, p, q)) - x.dcg(a)
    yield "has the grade <g>, all others have 0. It moves up from rank <p> to rank <q>. By how much does DCG", \
        lambda g, p, q: x.gain(g) * x.d(q) - x.gain(g) * x.d(p)
    yield "The document at rank <r> adds <t> to DCG. What is its gain, a whole number", \
        lambda r, t: round(t / x.d(r))
    yield "grades [a], engine B [b]. By how much is DCG@<k> of B larger than DCG@", \
        lambda a, b, k: x.dcg(b, k) - x.dcg(a, k)
    yield "DCG@<k> of a list is <v>, and the document at rank <r> has the grade <g>. What is DCG@<m>", \
        lambda k, v, r, g, m: v + x.gain(g) * x.d(m) if m == r == k + 1 else None
    yield "the terms of a DCG, rank by rank. rank {r} grade {g} term {t} One term is wrong. At which rank", \
        lambda r, g, t: _odd_one([x.gain(one) * x.d(i) - said for one, i, said in zip(g, r, t, strict=True)])
    yield "The first document of a list with the grades [a] is deleted, and all others move up by one rank. What is" \
          " DCG of the list that remains", lambda a: x.dcg(a[1:])
    yield "stands at rank <p>; it could stand at rank <q>. What it adds to DCG at rank <r> is which share", \
        lambda p, q, r: x.d(p) / x.d(q)
    yield "grades [a] the documents at the ranks <p> and <q> change places. Does DCG of the whole list rise", \
        lambda a, p, q: _way(x.dcg(a), x.dcg(_swapped(a, p, q)))


def _odd_one(off: Sequence[float]) -> int:
    wrong = [i for i, one in enumerate(off, 1) if abs(one) > 0.003]
    if len(wrong) != 1:
        raise Unsolvable(f"{len(wrong)} of the terms are wrong, and one should be")
    return wrong[0]


def _ideals(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "grades [a] were judged. What is IDCG@<k>", lambda a, k: x.dcg(sorted(a)[::-1], k)
    yield "grades [a] were judged, and an engine returned four of them, with the grades [b]. Which grade stands at" \
          " rank <r> of the ideal list", lambda a, b, r: _within(b, a) and sorted(a)[-int(r)]
    yield "grades [a] were judged; now one more is judged, with the grade <g>. Does IDCG@<k> rise", \
        lambda a, g, k: _way(x.idcg(a, k), x.idcg([*a, g], k))
    yield "grades [a] were judged; now one more is judged, with the grade <g>. By how much does IDCG@<k> rise", \
        lambda a, g, k: x.idcg([*a, g], k) - x.idcg(a, k)
    yield "grades [a] were judged. An engine returned two of them, with the grades [b], … What is the right NDCG@<k>", \
        lambda a, b, k: x.ndcg(b, k, a)
    yield "grades [a] were judged; an engine returned three of them, with the grades [b]. A program makes the ideal" \
          " list from the returned documents alone. By how much is its IDCG@<k> too small", \
        lambda a, b, k: _within(b, a) and x.idcg(a, k) - x.idcg(b, k)
    yield "with the grades [a]. A program takes the first <n> of them, sorts these, and calls their DCG the ideal" \
          " one. By how much is its IDCG@<k> too small", lambda a, n, k: x.idcg(a, k) - x.idcg(a[: int(n)], k)
    yield "grades [a] were judged, and a grade of 0 has no gain. From which k on does IDCG@k stay the same", \
        lambda a: next(k for k in range(1, 99) if abs(x.idcg(a, k) - x.idcg(a)) < 1e-9)
    yield "<n> documents are relevant, with the grade 1; all others have 0. What is IDCG@<k>", \
        lambda n, k: x.dcg([1] * int(n), k)
    yield "grades [a] were judged. A judge changes one grade of <g> to 0. What is IDCG@<k> now", \
        lambda a, g, k: x.idcg([*a[: a.index(g)], 0, *a[a.index(g) + 1 :]], k)
    yield "was returned, with the grades [a]. How much DCG does the list lose against the ideal order", \
        lambda a: max(x.dcg(one) for one in itertools.permutations(a)) - x.dcg(a)


def _shares(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    sheet = "returned documents with the grades [a], in this order. All that was judged for the question: [b]. "
    yield sheet + "What is CG@<k>", lambda a, b, k: x.cg(a, k)
    yield sheet + "What is DCG@<k>", lambda a, b, k: x.dcg(a, k)
    yield sheet + "What is IDCG@<k>, over all that was judged", lambda a, b, k: x.idcg(b, k)
    yield sheet + "What is NDCG@<k>", lambda a, b, k: x.ndcg(a, k, b)
    yield "All that was judged for a question was returned, with the grades [a]. What is its NDCG@<k>", \
        lambda a, k: x.dcg(a, k) / x.idcg(a, k)
    yield "a list has DCG@<k> = <v>, and the ideal order has <w>. What is NDCG@", lambda k, v, w: v / w
    yield "a list has NDCG@<k> = <v>, and IDCG@<m> is <w>. What is DCG@", lambda k, v, m, w: v * w
    yield "<n> documents are relevant, with the grade 1. An engine returned five documents; one of these is relevant," \
          " and it stands at rank <r>. What is NDCG@<k>", \
        lambda n, r, k: x.d(r) / x.dcg([1] * int(n), k)
    yield "exactly one document is relevant, with the grade 1, and the engine returned it. NDCG@<k> is <v>. At which", \
        lambda k, v: int(_only({str(r): x.d(r) for r in range(1, 8)}, v))
    yield "An engine returned documents with the grades [a]; for the question documents with the grades [b] were" \
          " judged. What is NDCG@<k>", lambda a, b, k: x.ndcg(a, k, b)
    yield "grades [a] holds all that was judged. The documents at the ranks <p> and <q> change places. By how much" \
          " does NDCG of the whole list change, without the sign", \
        lambda a, p, q: abs(x.ndcg(a) - x.ndcg(_swapped(a, p, q)))
    yield "returned three documents, with the grades [a], and nothing more; for the question documents with the" \
          " grades [b] were judged. Does NDCG rise, fall or stay when k goes from <k> to <m>", \
        lambda a, b, k, m: _way(x.ndcg(a, k, b), x.ndcg(a, m, b))
    yield "The mean NDCG over <n> questions is <m>. One of them has <v>, and is left out. What is the mean over the" \
          " others", lambda n, m, v: (n * m - v) / (n - 1)
    yield "with the grades [a]; for the question documents with the grades [b] were judged. At the end of the list a" \
          " document with the grade 0 is added. Does NDCG@<k> rise", \
        lambda a, b, k: _way(x.ndcg(a, k, b), x.ndcg([*a, 0], k, [*b, 0]))


def _bounds(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    for word, change in (("doubled", lambda g: 2 * g), ("raised by 1", lambda g: g + 1)):
        yield f"grades [a] holds all that was judged, and the gain is the grade. Every grade of it is {word}. Does" \
              " NDCG of the whole list rise", \
            lambda a, change=change: _way(x.ndcg(a, gain=float), x.ndcg([change(g) for g in a], gain=float))
    yield "were judged, with the grades [a]. What is NDCG of the whole list in their worst order", \
        lambda a: min(x.ndcg(one) for one in itertools.permutations(a))
    yield "Two documents were judged, with the grades <a> and <b>. A coin decides which stands first. What is NDCG of" \
          " the list on average", lambda a, b: _mean([x.ndcg([a, b]), x.ndcg([b, a])])
    yield "A list has <n> documents; one is relevant, with the grade 1, and its rank is drawn, each of the <m> ranks" \
          " equally likely. What is NDCG@<k> on average", \
        lambda n, m, k: _mean(x.d(r) if r <= k else 0 for r in range(1, int(n) + 1))
    yield "Three documents have the grades <a>, <b> and <c>, … How many of the six orders have an NDCG above <v>", \
        lambda a, b, c, v: len([one for one in itertools.permutations((a, b, c)) if x.ndcg(one) > v])
    yield "grades [a] were judged. An engine does not find the one with the grade 3. What is the highest NDCG@<k>", \
        lambda a, k: x.dcg(sorted(a)[-2::-1], k) / x.idcg(a, k) if a.count(3) == 1 and max(a) == 3 else None
    yield "A list has the NDCG <v>; a random order of the same documents has <c> on average. Which share of the way" \
          " from chance to 1", lambda v, c: (v - c) / (1 - c)
    yield "On question 1 an engine reaches DCG <a>, and <b> was possible; on question 2 it reaches <c>, and <e> was" \
          " possible. By how much is its NDCG larger on question 2", lambda a, b, c, e: c / e - a / b
    yield "five documents that were judged, with the grades [a]. In the worst order of them, what is NDCG@<k>", \
        lambda a, k: min(x.ndcg(one, k) for one in set(itertools.permutations(a)))
    yield "documents have the grades [a], and one of them is drawn for rank 1, each equally likely. What is NDCG@1 on" \
          " average", lambda a: _mean(x.gain(g) / x.gain(max(a)) for g in a)


def _choices(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    gains = {"linear": float, "exponential": _exponential, "binary": _binary}
    discounts = {"modern": x.d, "original": x.older, "reciprocal": lambda i: 1 / i, "none": lambda i: 1}
    yield "A report gives the NDCG <v> for a list with the grades [a], with nothing else judged. Does its gain take", \
        lambda v, a: _only({name: x.ndcg(a, gain=one) for name, one in gains.items()}, v)
    yield "A report gives the DCG <v> for a list with the grades [a], with the grade as the gain. Is its discount", \
        lambda v, a: _only({name: x.dcg(a, gain=float, discount=one) for name, one in discounts.items()}, v)
    yield "What is DCG@<k> of a list with the grades [a], if the gain is 2grade-1", \
        lambda k, a: x.dcg(a, k, gain=_exponential)
    yield "counts ranks 1 and 2 in full and divides from rank 3 on by log2 i. With it, and with the grade as the" \
          " gain, what is DCG of the list [a]", lambda a: x.dcg(a, gain=float, discount=x.older)
    yield "The gain is 2grade-1. What does a document with the grade <g> add to DCG at rank <r>", \
        lambda g, r: _exponential(g) * x.d(r)
    yield "With the gain 2grade-1, how many times as much as a document with the grade <g> is one with the grade <h>", \
        lambda g, h: _exponential(h) / _exponential(g)
    yield "divides the gain at each rank by the rank itself, and takes the grade as the gain. What is DCG of the list" \
          " [a]", lambda a: sum(g / i for i, g in enumerate(a, 1))
    yield "grade {g} gain {w} What is DCG of the list [a] with these gains", \
        lambda g, w, a: x.dcg(a, gain=lambda one: w[g.index(one)])
    yield "grades [a] holds all that was judged. By how much is its NDCG with the gain 2grade-1 larger than with the" \
          " grade as the gain", lambda a: x.ndcg(a, gain=_exponential) - x.ndcg(a, gain=float)
    yield "By how much more does a document with the grade <g> at rank <r> add to DCG under the original discount" \
          " with base 2", lambda g, r: g * (x.older(int(r)) - x.d(r))


def _cases(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "grades [a], where a dash stands for a document that nobody judged. Take those documents out", \
        lambda a: x.dcg(_no_none(a, []))
    yield "grades [a], where a dash stands for a document that nobody judged. Let such a document count as if it had" \
          " the grade 0. What is DCG", lambda a: x.dcg(_no_none(a, [0]))
    yield "grades [a] a document counts as relevant if its grade is <g> or more. What share of the first <k>", \
        lambda a, g, k: len([one for one in a[: int(k)] if one >= g]) / k
    yield "Two questions have the NDCG <a> and <b>; for a third nothing relevant exists. … reports the mean <m>", \
        lambda a, b, m: _only({"zero": (a + b) / 3, "one": (a + b + 1) / 3, "skip": (a + b) / 2}, m, 0.006)
    yield "1 divided by the rank of the first document whose grade is <g> or more. The lists of two questions have" \
          " the grades [a] and [b]. What is the mean", \
        lambda g, a, b: _mean(1 / next(i for i, one in enumerate(grades, 1) if one >= g) for grades in (a, b))
    yield "A list has the grades [a], and its third document is the first one again. It counts only at its first" \
          " place; at the other the grade is taken as 0. What is DCG", \
        lambda a: x.dcg([*a[:2], 0, *a[3:]]) if a[0] == a[2] else None
    yield "its best score to a document with the grade <g>, and one equal lower score to two documents with the" \
          " grades <a> and <b>. … What is the mean of DCG over both orders", \
        lambda g, a, b: _mean([x.dcg([g, a, b]), x.dcg([g, b, a])])
    yield "The documents at the ranks <p> and <q> have equal scores, and the grades <a> and <b>; … By how much do the" \
          " DCG of the two orders differ", \
        lambda p, q, a, b: abs(x.gain(a) * x.d(p) + x.gain(b) * x.d(q) - x.gain(b) * x.d(p) - x.gain(a) * x.d(q))
    yield "returned two documents, with the grades [a], and nothing more. For the question documents with the grades" \
          " [b] were judged. What is NDCG@<k>", lambda a, b, k: x.ndcg(a, k, b)
    yield "A question has <n> relevant documents. An engine returned relevant documents at the ranks <p> and <q>" \
          " alone. Average precision", lambda n, p, q: (1 / p + 2 / q) / n if p < q else None


def _decisions(x: Pencil) -> Iterator[tuple[str, Callable[..., Any]]]:
    rows = "NDCG@10 of two systems on the same … questions: question {n} A {a} B {b} "
    yield rows + "What is the mean lead of B over A", lambda n, a, b: _mean(b) - _mean(a)
    yield "question {n} lead {v} Leave out the question with the largest lead of B. What is the mean lead over the" \
          " other four", lambda n, v: _mean(sorted(v)[:-1])
    yield "standard deviation <s>. To find a true lead of <t> in four of five cases you need n questions, and n is" \
          " the square of <f> times the standard deviation divided by the lead. What is n, rounded up", \
        lambda s, t, f: math.ceil((f * s / t) ** 2)
    yield "the interval of this lead reaches from <p> to <q>. Does 0 lie in the interval (yes, no)", \
        lambda p, q: "yes" if p <= 0 <= q else "no"
    yield rows + "On which share of the questions is B ahead", \
        lambda n, a, b: _mean(float(q > p) for p, q in zip(a, b, strict=True))
    yield "The leads on <n> questions have the standard deviation <s>. What is the standard error", \
        lambda n, s: s / math.sqrt(n)
    yield "B leads by <m> on average, with the standard error <e>. An interval reaches <f> standard errors to both" \
          " sides. What is its lower end", lambda m, e, f: m - f * e
    yield "One machine computed <n> questions, with the mean NDCG <a>; another computed <m> other questions, with the" \
          " mean <b>. What is the mean over all", lambda n, a, m, b: (n * a + m * b) / (n + m)
    yield "You compare <n> pairs of systems, and the smallest p-value is <p>. Bonferroni multiplies it", \
        lambda n, p: n * p
    yield "<n> questions find a lead of <v> in four of five cases. How many questions does a lead need that is" \
          " 1/<t> of this one", lambda n, v, t: n * t * t
# fmt: on
