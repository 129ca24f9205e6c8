"""Definitions as plain functions, rendered from the words of the table: no line is shared with the engine.

`made(style, choices)` gives a function of a style: "grades" (relevance, k), "scores" (y_true, y_score, k), "ids"
(ranked, qrels, k), "queries" (qrels, run, k), "frames" (qrels_df, run_df, k), "places" (positions, k), "labels"
(y_true, y_prob, k), "batch" (relevance_lists, k).
"""

import itertools
import math

GAIN = {
    "linear": lambda g: g,
    "exponential": lambda g: 2**g - 1,
    "binary": lambda g: float(g > 0),
    "presence": lambda g: 1.0,
    "power": lambda g: 2**g,
    "half-power": lambda g: 2 ** (g - 1),
    "log": lambda g: math.log2(1 + max(g, 0)),
    "square": lambda g: g * g,
}


def weight(name, i, base, p):
    def log(x):
        return math.log(x) / math.log(base)

    return {
        "modern": lambda: 1 / log(i + 1),
        "original": lambda: 1 / max(1, log(i)),
        "reciprocal": lambda: 1 / i,
        "geometric": lambda: p ** (i - 1),
        "none": lambda: 1,
        "late": lambda: 1 / log(i + 2),
        "next": lambda: 1 / (i + 1),
        "rank": lambda: i,
        "multiplied": lambda: log(i + 1),
        "unguarded": lambda: 0 if i == 1 else 1 / log(i),
        "outside": lambda: 1 if i == 1 else 1 / log(i),
        "one-plus-log": lambda: 1 / (1 + log(i)),
    }[name]()


def digits(x, rounding, kind):
    if rounding.startswith(kind + "-cut"):
        d = 10 ** int(rounding[-1])
        return math.trunc(x * d) / d
    return round(x, int(rounding[-1])) if rounding.startswith(kind) and "cut" not in rounding else x


class Definition:
    def __init__(self, choices):
        self.get = choices.get

    def side(self, grades, k, s, returned):
        gain, discount = self.get(s + "gain", "linear"), self.get(s + "discount", "modern")
        base, p, cut = self.get(s + "base", 2), self.get(s + "p", 0.8), self.get(s + "cut", "k")
        rounding = self.get("rounding", "")
        cuts = {"k": k, "none": len(grades), "less": k - 1, "more": k + 1, "list": min(k, returned)}
        k = max(0, cuts.get(cut, cut))
        terms = []
        for i, g in enumerate(grades[:k], 1):
            w = weight(discount, i, base, p)
            w = 1 / digits(1 / w, rounding, "logs") if rounding.startswith("logs") else digits(w, rounding, "discounts")
            terms.append(digits(GAIN[gain](g) * w, rounding, "terms"))
        if self.get("adding", "sum") == "last":
            return terms[-1] if terms else 0.0
        return sum(terms) / (max(1, len(terms)) if self.get("adding", "sum") == "mean" else 1)

    def regraded(self, g):
        g = max(g, 0) if self.get("negative", "") == "clipped" else g
        g = math.trunc(g) if self.get("fractions", "") == "cut" else g
        changed = {"one-higher": g + 1, "one-lower": g - 1, "zero-as-one": 1 if g == 0 else g}
        return changed.get(self.get("regrade", ""), g)

    def parts(self, ranked, judged, k):
        k = len(ranked) + len(judged) if k is None else k
        ranked, judged = ([self.regraded(g) for g in grades] for grades in (ranked, judged))
        pools = {"judged": judged, "returned": ranked, "first": judged[:k], "top": ranked[:k]}
        ideal, order = self.get("ideal", "judged"), self.get("ideal_order", "sorted")
        pool = [max(judged, default=0)] * k if ideal == "perfect" else pools[ideal]
        if order != "given":
            pool = sorted(set(pool) if order == "distinct" else pool, reverse=order != "ascending")
        top, best = self.side(ranked, k, "", len(ranked)), self.side(pool, k, "ideal_", len(ranked))
        n = min(k, len(ranked))
        divide, gain = self.get("divide", "idcg"), GAIN[self.get("gain", "linear")]
        if divide == "cg":
            best = sum(gain(g) for g in ranked[:n])
        elif divide == "max-grade":
            best = max((GAIN[self.get("ideal_gain", "linear")](g) for g in pool), default=0)
        elif divide == "discounts":
            name, base, p = self.get("discount", "modern"), self.get("base", 2), self.get("p", 0.8)
            best = sum(weight(name, i, base, p) for i in range(1, n + 1))
        elif divide in ("k", "nothing"):
            best = n if divide == "k" else 1
        top, best = (best, top) if divide == "upside-down" else (top, best)
        return (round(top, 2), round(best, 2)) if self.get("parts", "") else (top, best)

    def ratio(self, ranked, judged, k):
        top, best = self.parts(ranked, judged, k)
        empty = self.get("empty", 0.0)
        if best == 0:
            if empty == "raise":
                raise ValueError("nothing relevant")
            value = math.nan if empty == "skip" else empty
        else:
            value = top / best
        result = self.get("result", "")
        return value * 100 if result == "percent" else digits(value, result, "rounded") if result else value

    def by_score(self, grades, scores):
        pairs = list(zip(range(len(grades)), grades, scores, strict=True))
        if self.get("ranking", "") == "given":
            return list(grades)
        sign = -1 if self.get("ranking", "") == "ascending" else 1
        ties = self.get("ties", "order")
        second = {"reverse": lambda r: -r[0], "best": lambda r: -r[1], "worst": lambda r: r[1]}.get(
            ties, lambda r: r[0]
        )
        pairs.sort(key=lambda r: (-sign * r[2], second(r)))
        ranked = [r[1] for r in pairs]
        if ties == "average":  # a mean of gains over the tied, with the gain undone again
            gain = self.get("gain", "linear")
            undo = {"exponential": lambda x: math.log2(x + 1)}.get(gain, lambda x: x)
            for _, tied in itertools.groupby(range(len(pairs)), key=lambda i: pairs[i][2]):
                tied = list(tied)
                mean = undo(sum(GAIN[gain](ranked[i]) for i in tied) / len(tied)) if len(tied) > 1 else ranked[tied[0]]
                for i in tied:
                    ranked[i] = mean
        return ranked

    def documents(self, ranked, qrels):
        seen, grades = set(), []
        for d in ranked:
            if d not in qrels and self.get("unjudged", "") == "removed":
                continue
            if d not in seen or self.get("duplicates", "") == "counted":
                grades.append(qrels.get(d, 0))
            seen.add(d)
        return grades

    def over_queries(self, parted):
        """`parted`: a quotient's two sides per query; None for one that is left out."""
        values, empty = [], self.get("empty", 0.0)
        if self.get("averaging", "mean") == "ratio-of-means":
            return sum(top for top, _ in parted) / sum(best for _, best in parted)
        for top, best in parted:
            if best:
                values.append(top / best)
            elif empty != "skip":
                values.append(empty)
        total = sum(values)
        return total if self.get("averaging", "mean") == "sum" else total / len(values) if values else math.nan


def made(style, c):
    it = Definition(c)

    def of_grades(relevance, k=None):
        return it.ratio(list(relevance), list(relevance), k)

    def of_scores(y_true, y_score, k=None):
        if c.get("roles", "") == "swapped":
            y_true, y_score = y_score, y_true
        pay = y_score if c.get("values", "") == "scores" else y_true
        return it.ratio(it.by_score(list(pay), list(y_score)), list(y_true), k)

    def of_ids(ranked, qrels, k=None):
        return it.ratio(it.documents(ranked, qrels), list(qrels.values()), k)

    def of_queries(qrels, run, k=None):
        parted = []
        for q in [*qrels, *(q for q in run if q not in qrels)]:
            if q not in qrels:
                if c.get("strangers", "skip") == "zero":
                    parted.append((0, 1))
            elif q not in run:
                if c.get("missing", "zero") == "zero":
                    parted.append((0, 1))
            else:
                ranked = sorted(run[q], key=lambda d, q=q: -run[q][d])
                parted.append(it.parts(it.documents(ranked, qrels[q]), list(qrels[q].values()), k))
        return it.over_queries(parted)

    def of_frames(qrels_df, run_df, k=None):
        qrels, run = {}, {}
        for q, d, g in zip(qrels_df["query_id"], qrels_df["doc_id"], qrels_df["relevance"], strict=True):
            qrels.setdefault(q, {})[d] = g
        for q, d, s in zip(run_df["query_id"], run_df["doc_id"], run_df["score"], strict=True):
            run.setdefault(q, {})[d] = s
        return of_queries(qrels, run, k)

    def of_places(positions, k=None):
        n = max(positions, default=0)
        grades = [int(i in positions) for i in range(1, n + 1)]
        return it.ratio(grades, grades, k)

    def of_labels(y_true, y_prob, k=None):
        parted = []
        for label, scores in zip(y_true, y_prob, strict=True):
            relevance = [int(i == label) for i in range(len(scores))]
            parted.append(it.parts(it.by_score(relevance, list(scores)), relevance, k))
        return it.over_queries(parted)

    def of_batch(relevance_lists, k=None):
        return it.over_queries([it.parts(list(row), list(row), k) for row in relevance_lists])

    return {
        **{"grades": of_grades, "scores": of_scores, "ids": of_ids, "queries": of_queries, "frames": of_frames},
        **{"places": of_places, "labels": of_labels, "batch": of_batch},
    }[style]
