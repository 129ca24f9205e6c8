"""What an evaluation must give, the slow way: every order of the tied documents is written out and judged by itself."""

import itertools
import math
import random

import ndcg_lib as nd
from ndcg_lib.measures import average_precision, err, precision, rbp, recall, reciprocal_rank

MEASURES = ("ndcg", "dcg", "cg", "p", "recall", "ap", "rr", "rbp", "err")


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
    """The measure of one ranking."""
    got = [max(grades.get(document, 0), 0) for document in ranking]
    judged = [max(grade, 0) for grade in grades.values()]
    gain = {"gain": convention.gain}
    discount = {"discount": convention.discount, "base": convention.base}
    if measure == "ndcg":
        pool = judged + [0] * sum(document not in grades for document in ranking)
        return nd.ndcg(got, k, judged=pool, ideal=convention.ideal, empty=convention.empty, **gain, **discount)
    if measure == "dcg":
        return nd.dcg(got, k, **gain, **discount)
    if measure == "cg":
        return nd.cg(got, k, **gain)
    if measure in ("recall", "ap"):
        function = recall if measure == "recall" else average_precision
        return function(got, k, judged=judged, empty=convention.empty) if judged else convention.empty
    function = {"p": precision, "rr": reciprocal_rank, "rbp": rbp, "err": err}[measure]
    return function(got, k, **({"max_grade": scale or 1} if measure == "err" else {}))


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
