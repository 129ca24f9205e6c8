"""For tests and pipelines: is a run worse than a baseline, beyond chance?"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

from ndcg_lib.comparison.difference import Difference, counted, p_text
from ndcg_lib.comparison.table import compare

WORST = 5


class Verdict(NamedTuple):
    """Whether a run may pass, and why."""

    passed: bool
    reason: str
    difference: Difference
    worst: list[tuple[str, float]]  # the queries that lost most, with what they lost

    def __str__(self) -> str:
        lost = [f"  query {query}: {value:+.4f}" for query, value in self.worst]
        return "\n".join([self.reason, *(["The queries that lost most:", *lost] if lost else [])])


def gate(
    qrels: Any, baseline: Any, run: Any, measure: str = "ndcg@10", *, max_loss: float = 0.0, strict: bool = False,
    **options: Any,
) -> Verdict:  # fmt: skip
    """A run beside a baseline: it fails if it loses more than `max_loss` on average, and is worse beyond chance.

    Beyond chance means that p, for no difference at all, is at most 0.05; fewer than 6 queries cannot show that. With
    `strict` it fails as well where such a loss cannot be ruled out: where the interval of the difference reaches
    further down; a run that differs in no query passes. `options` are those of `compare`.

    >>> qrels = {f"q{at}": {"a": 1} for at in range(8)}
    >>> good, bad = ({query: documents for query in qrels} for documents in (["a", "b"], ["b", "a"]))
    >>> gate(qrels, good, bad, "rr", max_loss=0.01).passed
    False
    """
    if not max_loss >= 0:
        raise ValueError(f"max_loss is {max_loss}: pass the loss that is still accepted, from 0")
    one = compare(qrels, {"baseline": baseline, "run": run}, measures=measure, **options).pairs[0]
    low, high = one.interval
    said = f"{one.measure} {one.mean:+.4f} on {counted(one.n)} (interval [{low:+.4f}, {high:+.4f}], {p_text(one.p)})"
    if one.mean < -max_loss and one.shown:
        passed, reason = False, f"worse: {said}, a loss above {max_loss:g}, and beyond chance"
    elif strict and low < -max_loss and one.equal < one.n:
        passed, reason = False, f"not ruled out: {said}, a loss above {max_loss:g} lies within the interval"
    elif one.mean < -max_loss:
        seen = f"losses from {one.mdd:.4f} on would be seen" if isfinite(one.mdd) else "so few queries can show no loss"
        passed, reason = True, f"not shown to be worse: {said}; {seen}"
    else:
        passed, reason = True, f"not worse: {said}, the accepted loss is {max_loss:g}"
    worst = sorted((query, value) for query, value in one.per_query.items() if value < 0)
    return Verdict(passed, reason, one, sorted(worst, key=lambda each: each[1])[:WORST])


def assert_not_worse(
    qrels: Any, baseline: Any, run: Any, measure: str = "ndcg@10", *, max_loss: float = 0.0, strict: bool = False,
    **options: Any,
) -> None:  # fmt: skip
    """For pytest: `gate`, as an assertion that names the reason and the queries that lost most.

    >>> qrels = {"51": {"a": 1}}
    >>> assert_not_worse(qrels, {"51": ["b", "a"]}, {"51": ["a", "b"]})
    """
    verdict = gate(qrels, baseline, run, measure, max_loss=max_loss, strict=strict, **options)
    if not verdict.passed:
        raise AssertionError(str(verdict))
