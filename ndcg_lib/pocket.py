"""NDCG in plain Python, short enough to print in full and to keep: no numpy, no checks, one list at a time."""
# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from math import log2


def linear(grade):
    """The gain is the grade."""
    return grade


def modern(rank):
    """The discount of a rank: 1, 0.631, 0.5, …"""
    return 1 / log2(rank + 1)


def cg(grades, k=None, gain=linear):
    """The gains of the first k documents, added up."""
    return sum(gain(grade) for grade in grades[:k])


def dcg(grades, k=None, gain=linear, discount=modern):
    """The same sum, in which each gain is multiplied by the discount of its rank."""
    return sum(gain(grade) * discount(rank) for rank, grade in enumerate(grades[:k], start=1))


def idcg(judged, k=None, gain=linear, discount=modern):
    """The DCG of the best possible list: all judged documents, best first, then cut at k."""
    return dcg(sorted(judged, key=gain, reverse=True), k, gain, discount)


def ndcg(grades, k=None, judged=None, gain=linear, discount=modern, empty=0.0):
    """The share of the best possible DCG that the list reached."""
    ideal = idcg(grades if judged is None else judged, k, gain, discount)
    return dcg(grades, k, gain, discount) / ideal if ideal else empty
