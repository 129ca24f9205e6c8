"""What an evaluation must give, the slow way: every order of the tied documents is written out and judged by itself."""

import itertools
import math
import random

MEASURES = ("ndcg", "dcg", "cg", "p", "recall", "ap", "rr", "rbp", "err", "ndcg'", "success", "judged", "f", "relp")
WITHOUT_CUT = ("rprec", "bpref", "infap", "setap")


def rankings(results, grades, ties):
    """All orders in which the documents may stand, each equally likely."""
    by_score = {}
    for document, score in results.items():
        by_score.setdefault(score, []).append(document)
    groups = [by_score[score] for score in sorted(by_score, reverse=True)]
    if ties == "average":
        orders = [[list(order) for order in itertools.permutations(group)] for group in groups]
    elif ties == "order":
        orders = [[group] for group in groups]
    elif ties == "reverse":
        orders = [[group[::-1]] for group in groups]
    elif ties in ("id", "id-descending"):
        orders = [[sorted(group, key=str.encode, reverse=ties == "id-descending")] for group in groups]
    else:
        orders = [
            [sorted(group, key=lambda document: max(grades.get(document, 0), 0), reverse=ties == "best")]
            for group in groups
        ]
    return [list(itertools.chain(*choice)) for choice in itertools.product(*orders)]


def value(measure, k, ranking, grades, convention, scale):
    """The measure of one ranking, from its definition, in plain Python."""
    if measure == "ndcg'":
        condensed = [document for document in ranking if grades.get(document, -1) >= 0]
        return value("ndcg", k, condensed, grades, convention, scale)
    if measure == "judged":
        return sum(document in grades for document in ranking[:k]) / len(ranking[:k])
    if measure in WITHOUT_CUT:
        return without_cut(measure, ranking, grades, convention)
    got = [max(grades.get(document, 0), 0) for document in ranking]
    judged = [max(grade, 0) for grade in grades.values()]
    top, hits = got[:k], [grade > 0 for grade in got[:k]]
    wanted = sum(grade > 0 for grade in judged)
    if measure in ("cg", "dcg", "ndcg"):
        gain = {"linear": lambda g: g, "exponential": lambda g: 2**g - 1, "binary": lambda g: float(g > 0)}
        gains = [gain[convention.gain](grade) for grade in top]
        d = [discount(rank, convention) for rank in range(1, max(len(got), len(judged)) + 1)]
        dcg = math.fsum(g * w for g, w in zip(gains, d, strict=False))
        if measure != "ndcg":
            return math.fsum(gains) if measure == "cg" else dcg
        pool = sorted(map(gain[convention.gain], judged if convention.ideal == "judged" else got), reverse=True)[:k]
        ideal = math.fsum(g * w for g, w in zip(pool, d, strict=False))
        return dcg / ideal if ideal else convention.empty
    if measure == "success":
        return float(any(hits))
    if measure == "p":
        return sum(hits) / (k or len(got))
    if measure == "f":
        p, r = sum(hits) / (k or len(got)), sum(hits) / (wanted or 1)
        return 2 * p * r / (p + r) if any(hits) else 0.0
    if measure == "relp":
        return sum(hits) / min(wanted, k or len(got)) if wanted else convention.empty
    if measure == "recall":
        return sum(hits) / wanted if wanted else convention.empty
    if measure == "ap":
        precisions = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
        return math.fsum(precisions) / wanted if wanted else convention.empty
    if measure == "rr":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if measure == "rbp":
        return 0.2 * math.fsum(0.8**at for at, hit in enumerate(hits) if hit)
    reached, expected = 1.0, 0.0
    for rank, grade in enumerate(top, 1):
        stop = (2**grade - 1) / 2 ** (scale or 1)
        expected += reached * stop / rank
        reached *= 1 - stop
    return expected


def without_cut(measure, ranking, grades, convention):
    """What reads the whole list; grades below 0 are those of documents in the pool that nobody judged."""
    relevant = [document for document, grade in grades.items() if grade > 0]
    others = [document for document, grade in grades.items() if grade == 0]
    if not relevant:
        return convention.empty
    if measure == "rprec":
        return sum(document in relevant for document in ranking[: len(relevant)]) / len(relevant)
    if measure == "setap":
        hits = sum(document in relevant for document in ranking)
        return hits / len(ranking) * hits / len(relevant)
    total = 0.0
    for rank, document in enumerate(ranking, 1):
        above = ranking[: rank - 1]
        if document in relevant and measure == "bpref":
            worse = sum(other in others for other in above)
            total += 1 - (min(worse, len(relevant)) / min(len(others), len(relevant)) if worse else 0)
        elif document in relevant:
            good, bad = (sum(other in some for other in above) for some in (relevant, others))
            pool = sum(other in grades for other in above)
            chance = (good + 0.00001) / (good + bad + 0.00002)
            total += 1 if rank == 1 else 1 / rank + (rank - 1) / rank * (pool / (rank - 1)) * chance
    return total / len(relevant)


def discount(rank, convention):
    """What a rank is worth."""
    log = math.log(rank + 1, convention.base), math.log(rank, convention.base)
    return {"modern": 1 / log[0], "original": 1 / max(1, log[1]), "reciprocal": 1 / rank, "none": 1}[
        convention.discount
    ]


def evaluate(qrels, run, measure, k, convention):
    """The value of every judged query that returned something."""
    scale = max((grade for grades in qrels.values() for grade in grades.values()), default=0)
    values = {}
    for query, grades in qrels.items():
        if run.get(query):
            orders = rankings(run[query], grades, convention.ties)
            values[query] = math.fsum(value(measure, k, order, grades, convention, scale) for order in orders) / len(
                orders
            )
    return values


def example(seed, most_documents=6, queries=4):
    """Judgements and a run with many ties, unjudged documents, missing and empty queries, grades below 0."""
    random_ = random.Random(seed)
    documents = [f"d{number}" for number in random_.sample(range(200), 12)]
    qrels, run = {}, {}
    for number in range(queries):
        pool = random_.sample(documents, random_.randrange(1, 9))
        qrels[f"q{number}"] = {document: random_.choice([-1, 0, 0, 1, 1, 2, 3]) for document in pool}
        if random_.random() < 0.9:
            found = random_.sample(documents, random_.randrange(1, most_documents + 1))
            run[f"q{number}"] = {document: random_.choice([0.5, 0.25, 1.0, -2.0]) for document in found}
    run["stranger"] = {"d1": 1.0}
    return qrels, run


def as_lines(qrels, run, shuffle=None):
    """Both as TREC files."""
    judged = [f"{query} 0 {document} {grade}\n" for query, each in qrels.items() for document, grade in each.items()]
    found = [f"{query} Q0 {document} 1 {score} me\n" for query, each in run.items() for document, score in each.items()]
    if shuffle is not None:
        random.Random(shuffle).shuffle(judged)
    return "".join(judged).encode(), "".join(found).encode()
