"""Wrong answers to NDCG as a whole."""

import math

import numpy as np

from . import wrong


def dcg(gains, k=None, start=2, log=math.log2):
    return sum(g / log(i) for i, g in enumerate(list(gains)[:k], start))


def best(grades):
    return sorted(grades, reverse=True)


@wrong("ndcg_of", "ideal list taken from the returned documents")
def ideal_is_my_list_sorted(grades, judged, k):
    ideal = dcg(best(grades), k)
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "first k returned documents")
def ideal_is_my_top_k(grades, judged, k):
    ideal = dcg(best(grades[:k]))
    return dcg(grades[:k]) / ideal if ideal else 0.0


@wrong("ndcg_of", "divides by 0")
def no_guard(grades, judged, k):
    return dcg(grades, k) / dcg(best(judged), k)


@wrong("ndcg_of", "divides by 0")
def no_guard_in_numpy(grades, judged, k):
    def total(values):
        values = np.asarray(values, dtype=float)[:k]
        return (values / np.log2(np.arange(2, values.size + 2))).sum()

    with np.errstate(all="ignore"):
        return total(grades) / total(best(judged))


@wrong("ndcg_of", "gives 1 where no judged document has a gain")
def one_if_nothing(grades, judged, k):
    ideal = dcg(best(judged), k)
    return dcg(grades, k) / ideal if ideal else 1.0


@wrong("ndcg_of", "no relevant document", "None")
def nothing_if_nothing(grades, judged, k):
    ideal = dcg(best(judged), k)
    return dcg(grades, k) / ideal if ideal else None


@wrong("ndcg_of", "not divided by the ideal")
def only_dcg(grades, judged, k):
    return dcg(grades, k)


@wrong("ndcg_of", "upside down")
def upside_down(grades, judged, k):
    mine = dcg(grades, k)
    return dcg(best(judged), k) / mine if mine else 0.0


@wrong("ndcg_of", "exponential gain 2^grade - 1")
def exponential(grades, judged, k):
    def gains(values):
        return [2**g - 1 for g in values]

    ideal = dcg(gains(best(judged)), k)
    return dcg(gains(grades), k) / ideal if ideal else 0.0


@wrong("ndcg_of", "exponential gain in the list and the linear gain in the ideal")
def two_gains(grades, judged, k):
    ideal = dcg(best(judged), k)
    return dcg([2**g - 1 for g in grades], k) / ideal if ideal else 0.0


@wrong("ndcg_of", "2^grade, without - 1")
def forgets_minus_one(grades, judged, k):
    def gains(values):
        return [2**g for g in values]

    return dcg(gains(grades), k) / dcg(gains(best(judged)), k)


@wrong("ndcg_of", "not cut at k while the returned list is")
def ideal_not_cut(grades, judged, k):
    ideal = dcg(best(judged))
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "k is not used")
def ignores_k(grades, judged, k):
    ideal = dcg(best(judged))
    return dcg(grades) / ideal if ideal else 0.0


@wrong("ndcg_of", "percentages")
def in_percent(grades, judged, k):
    ideal = dcg(best(judged), k)
    return 100 * dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "rounds its result to four decimals")
def rounds(grades, judged, k):
    ideal = dcg(best(judged), k)
    return round(dcg(grades, k) / ideal, 4) if ideal else 0.0


@wrong("ndcg_of", "The discount is 1/log2(i+2) in your list and 1/log2(i+1) in your ideal")
def counts_ranks_otherwise_in_the_list(grades, judged, k):
    ideal = dcg(best(judged), k)
    return dcg(grades, k, start=3) / ideal if ideal else 0.0


@wrong("ndcg_of", "Your list ends at k and your ideal one rank after k")
def one_rank_more_in_the_ideal(grades, judged, k):
    ideal = dcg(best(judged), k + 1)
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "exponential gain", "natural log", "not cut at k")
def three_slips(grades, judged, k):
    ideal = dcg([2**g - 1 for g in best(judged)])
    return dcg([2**g - 1 for g in grades], k, log=math.log) / ideal if ideal else 0.0


@wrong("ndcg_of", "not sorted")
def forgets_to_sort(grades, judged, k):
    ideal = dcg(judged, k)
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "lowest grade to the highest")
def sorts_upwards(grades, judged, k):
    ideal = dcg(sorted(judged), k)
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "original discount, 1/log2(i)")
def original_discount(grades, judged, k):
    def total(values):
        return sum(g / max(1, math.log2(i)) for i, g in enumerate(values[:k], 1))

    ideal = total(best(judged))
    return total(grades) / ideal if ideal else 0.0


@wrong("ndcg_of", "discount 1/i")
def by_rank(grades, judged, k):
    def total(values):
        return sum(g / i for i, g in enumerate(values[:k], 1))

    ideal = total(best(judged))
    return total(grades) / ideal if ideal else 0.0


@wrong("ndcg_of", "ideal list taken from the returned documents", "exponential gain")
def two_slips(grades, judged, k):
    def gains(values):
        return [2**g - 1 for g in values]

    ideal = dcg(gains(best(grades)), k)
    return dcg(gains(grades), k) / ideal if ideal else 0.0


@wrong("ndcg_of", "ideal list taken from the returned documents", "ZeroDivisionError")
def a_slip_and_no_guard(grades, judged, k):
    return dcg(grades, k) / dcg(best(grades), k)


@wrong("ndcg_of", "more than 1")
def ideal_of_the_missed(grades, judged, k):
    missed = judged[len(grades) :]
    ideal = dcg(best(missed), k)
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_of", "a list of", "one number is asked")
def returns_all_ks(grades, judged, k):
    ideal = [dcg(best(judged), i) for i in range(1, k + 1)]
    return [dcg(grades, i) / d if d else 0.0 for i, d in enumerate(ideal, 1)]


@wrong("ndcg_of", "cuts its result to a whole number")
def integer_division(grades, judged, k):
    ideal = dcg(best(judged), k)
    return dcg(grades, k) // ideal if ideal else 0.0


@wrong("ndcg_of", "minus")
def subtracts(grades, judged, k):
    ideal = dcg(best(judged), k)
    return -dcg(grades, k) / ideal if ideal else 0.0


def by_score(grades, scores):
    return [g for _, g in sorted(zip(scores, grades, strict=True), key=lambda pair: -pair[0])]


@wrong("ndcg_scored", "order given, without sorting them by score")
def ignores_scores(grades, scores, k):
    ideal = dcg(best(grades), k)
    return dcg(grades, k) / ideal if ideal else 0.0


@wrong("ndcg_scored", "roles swapped")
def swaps_the_roles(grades, scores, k):
    ranked = by_score(scores, grades)
    ideal = dcg(best(scores), k)
    return dcg(ranked, k) / ideal if ideal else 0.0


@wrong("ndcg_scored", "turned upside down")
def lowest_score_first(grades, scores, k):
    ranked = [g for _, g in sorted(zip(scores, grades, strict=True), key=lambda pair: pair[0])]
    ideal = dcg(best(grades), k)
    return dcg(ranked, k) / ideal if ideal else 0.0


@wrong("ndcg_scored", "best grade first")
def sorts_pairs(grades, scores, k):
    ranked = [g for _, g in sorted(zip(scores, grades, strict=True), reverse=True)]
    ideal = dcg(best(grades), k)
    return dcg(ranked, k) / ideal if ideal else 0.0


@wrong("ndcg_scored", "reverse order")
def reverses_a_sort(grades, scores, k):
    order = list(np.argsort(scores, kind="stable")[::-1])
    ideal = dcg(best(grades), k)
    return dcg([grades[i] for i in order], k) / ideal if ideal else 0.0


@wrong("ndcg_scored", "tied scores")
def keeps_one_per_score(grades, scores, k):
    ranked = [g for _, g in sorted(dict(zip(scores, grades, strict=True)).items(), reverse=True)]
    ideal = dcg(best(grades), k)
    return dcg(ranked, k) / ideal if ideal else 0.0


@wrong("ndcg_scored", "taken from the predicted scores")
def pays_by_score(grades, scores, k):
    ideal = dcg(best(grades), k)
    return dcg(best(scores), k) / ideal if ideal else 0.0
