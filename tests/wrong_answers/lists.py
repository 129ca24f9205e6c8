"""Wrong answers to the tasks on gain and on the ideal list."""

import math
import time
from collections import Counter

import numpy as np

from . import wrong

KEPT: list = []


@wrong("best_first", "None", "`x.sort()`", "sorted(x)")
def returns_what_sort_returns(judged):
    return judged.sort(reverse=True)


@wrong("best_first", "changes what it is given", "`x.sort()`")
def sorts_the_argument(judged):
    judged.sort(reverse=True)
    return judged


@wrong("best_first", "merged")
def sorts_a_set(judged):
    return sorted(set(judged), reverse=True)


@wrong("best_first", "sorted from the lowest")
def forgets_reverse(judged):
    return sorted(judged)


@wrong("best_first", "backwards")
def reverses_instead(judged):
    return judged[::-1]


@wrong("best_first", "dictionary")
def counts_grades(judged):
    return dict(Counter(judged))


@wrong("best_first", "the text")
def joins_to_text(judged):
    return " ".join(map(str, sorted(judged, reverse=True)))


@wrong("best_first", "prints its answer", "`return`")
def prints_only(judged):
    print(sorted(judged, reverse=True))


@wrong("best_first", "grades that repeat, and fractions")
def whole_grades_only(judged):
    return [grade for grade in range(20, -1, -1) for _ in range(judged.count(grade))]


@wrong("best_first", "had not finished in its time")
def loops_for_ever(judged):
    swapped = True
    while swapped:
        for i in range(len(judged) - 1):
            if judged[i] <= judged[i + 1]:
                judged[i], judged[i + 1] = judged[i + 1], judged[i]
    return judged


@wrong("ideal_top", "cut at k first and sorted afterwards")
def cuts_then_sorts(judged, k):
    return sorted(judged[:k], reverse=True)


@wrong("ideal_top", "k is not used")
def forgets_k(judged, k):
    return sorted(judged, reverse=True)


@wrong("ideal_top", "k - 1 ranks")
def counts_from_zero(judged, k):
    return sorted(judged, reverse=True)[: k - 1]


@wrong("ideal_top", "k beyond the list")
def needs_k_documents(judged, k):
    ranked = sorted(judged, reverse=True)
    return [ranked[i] for i in range(k)]


@wrong("ideal_top", "k beyond the list")
def pads_with_zeros(judged, k):
    ranked = sorted(judged, reverse=True)[:k]
    return ranked + [0] * (k - len(ranked))


@wrong("ideal_top", "cannot be called as")
def takes_no_k(judged):
    return sorted(judged, reverse=True)


@wrong("ideal_top", "answers are not right yet")
def cuts_first_and_sorts_upwards(judged, k):
    return sorted(judged[:k])


@wrong("idcg_at", "natural log")
def uses_ln(judged, k=None):
    return sum(g / math.log(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@wrong("idcg_at", "base 10")
def uses_log10(judged, k=None):
    return sum(g / math.log10(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@wrong("idcg_at", "ZeroDivisionError", "math.log2(i")
def divides_by_log_of_one(judged, k=None):
    return sum(g / math.log2(i) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@wrong("idcg_at", "log2(i+2)")
def starts_the_log_too_late(judged, k=None):
    return sum(g / math.log2(i + 3) for i, g in enumerate(sorted(judged, reverse=True)[:k]))


@wrong("idcg_at", "rounds its result to two decimals")
def rounds_the_sum(judged, k=None):
    return round(sum(g / math.log2(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1)), 2)


@wrong("idcg_at", "rounded to two decimals before")
def rounds_each_term(judged, k=None):
    return sum(round(g / math.log2(i + 1), 2) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@wrong("idcg_at", "an array of 1")
def returns_an_array(judged, k=None):
    ranked = np.sort(np.asarray(judged, dtype=float))[::-1][:k]
    return np.array([(ranked / np.log2(np.arange(2, ranked.size + 2))).sum()])


@wrong("idcg_at", "the text")
def formats_the_number(judged, k=None):
    return f"{sum(g / math.log2(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1)):.3f}"


@wrong("idcg_at", "whole list")
def tests_k_for_truth_backwards(judged, k=None):
    ranked = sorted(judged, reverse=True)
    if not k:
        ranked = ranked[:k]
    return sum(g / math.log2(i + 1) for i, g in enumerate(ranked, 1))


@wrong("idcg_at", "does not use `k`")
def cuts_at_ten_and_uses_gain_2_to_the_g(judged, k=None):
    ranked = sorted(judged, reverse=True)[:10]
    return sum((2**g - 1) / math.log2(i + 1) for i, g in enumerate(ranked, 1))


@wrong("idcg_at", "for the same call")
def keeps_a_default_list(judged, k=None, terms=[]):  # noqa: B006
    for i, g in enumerate(sorted(judged, reverse=True)[:k], 1):
        terms.append(g / math.log2(i + 1))
    return sum(terms)


@wrong("idcg_at", "for the same call")
def keeps_a_global(judged, k=None):
    KEPT.extend(sorted(judged, reverse=True)[:k])
    return sum(g / math.log2(i + 1) for i, g in enumerate(KEPT[-len(judged) :] if len(KEPT) < 20 else KEPT[:3], 1))


@wrong("idcg_at", "for every other input")
def knows_the_example(judged, k=None):
    """>>> idcg_at([0, 3, 1], 1)"""
    return 3.0 if judged == [0, 3, 1] and k == 1 else 0.0


@wrong("idcg_at", "for every input")
def returns_a_constant(judged, k=None):
    return 4.2618


@wrong("idcg_at", "no document, or none with a gain", "ValueError")
def takes_the_max_of_nothing(judged, k=None):
    top = max(judged)
    ranked = sorted((min(g, top) for g in judged), reverse=True)[:k]
    return sum(g / math.log2(i + 1) for i, g in enumerate(ranked, 1))


@wrong("idcg_at", "NameError", "judgd")
def mistypes_a_name(judged, k=None):
    return sum(judgd)  # noqa: F821


@wrong("idcg_at", "calls itself")
def calls_itself(judged, k=None):
    return calls_itself(judged, k)


@wrong("idcg_at", "calls exit()")
def exits(judged, k=None):
    raise SystemExit(0)


@wrong("idcg_at", "without any discount")
def forgets_the_discount(judged, k=None):
    return sum(sorted(judged, reverse=True)[:k])


@wrong("idcg_at", "multiplied")
def multiplies(judged, k=None):
    return sum(g * math.log2(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@wrong("idcg_at", "fractional grades")
def counts_whole_grades(judged, k=None):
    ranked = [g for g in range(20, -1, -1) for _ in range([int(x) for x in judged].count(g))][:k]
    return sum(g / math.log2(i + 1) for i, g in enumerate(ranked, 1))


@wrong("idcg_of_query", "first k returned")
def ideal_of_the_top_k(returned, judged, k):
    grades = sorted((judged.get(d, 0) for d in returned[:k]), reverse=True)
    return sum(g / math.log2(i + 1) for i, g in enumerate(grades, 1))


@wrong("idcg_of_query", "KeyError", "nobody judged")
def stumbles_over_the_unjudged(returned, judged, k):
    grades = sorted({d: judged[d] for d in returned} | judged, key=judged.get, reverse=True)
    return sum(judged[d] / math.log2(i + 1) for i, d in enumerate(grades[:k], 1))


@wrong("idcg_of_query", "cut at the number of returned documents")
def cuts_at_what_came_back(returned, judged, k):
    grades = sorted(judged.values(), reverse=True)[: min(k, len(returned))]
    return sum(g / math.log2(i + 1) for i, g in enumerate(grades, 1))


@wrong("idcg_of_query", "merged")
def turns_the_pool_around(returned, judged, k):
    documents = {grade: document for document, grade in judged.items()}
    grades = sorted(documents, reverse=True)[:k]
    return sum(g / math.log2(i + 1) for i, g in enumerate(grades, 1))


@wrong("cg_at", "mean over the ranks")
def averages(grades, k=None):
    part = grades[:k]
    return sum(part) / len(part) if part else 0


@wrong("cg_at", "Rank 1 is left out")
def skips_the_first(grades, k=None):
    return sum(grades[1:k])


@wrong("cg_at", "binary gains")
def counts_hits(grades, k=None):
    return sum(1 for grade in grades[:k] if grade > 0)


@wrong("cg_at", "k - 1")
def stops_before_the_end(grades, k=None):
    k = len(grades) if k is None else k
    return sum(grades[i] for i in range(min(k - 1, len(grades))))


@wrong("cg_at", "IndexError", "k beyond the list")
def indexes_past_the_end(grades, k=None):
    total = 0
    for i in range(len(grades) if k is None else k):
        total += grades[i]
    return total


@wrong("cg_at", "TypeError", "without k")
def needs_a_k(grades, k=None):
    return sum(grades[i] for i in range(min(k, len(grades))))


@wrong("cg_at", "changes what it is given")
def pops_them_off(grades, k=None):
    total = 0
    for _ in range(len(grades) if k is None else min(k, len(grades))):
        total += grades.pop(0)
    return total


@wrong("cg_at", "a list of")
def returns_the_part(grades, k=None):
    return grades[:k]


@wrong("cg_at", "whole numbers")
def floors_each_grade(grades, k=None):
    return sum(map(int, grades[:k]))


@wrong("cg_curve", "not what the ranks up to it bring")
def copies(grades):
    return list(grades)


@wrong("cg_curve", "one value too many")
def begins_at_zero(grades):
    sums = [0]
    for grade in grades:
        sums.append(sums[-1] + grade)
    return sums


@wrong("cg_curve", "an empty list", "IndexError")
def takes_the_first_for_granted(grades):
    sums = [grades[0]]
    for grade in grades[1:]:
        sums.append(sums[-1] + grade)
    return sums


@wrong("cg_curve", "the number")
def returns_the_last_sum(grades):
    total = 0
    for grade in grades:
        total += grade
    return total


@wrong("cg_curve", "ends in its first round")
def returns_too_early(grades):
    sums, total = [], 0
    for grade in grades:
        total += grade
        sums.append(total)
        return sums
    return sums


@wrong("cg_curve", "changes what it is given")
def adds_up_in_place(grades):
    for i in range(1, len(grades)):
        grades[i] += grades[i - 1]
    return grades


@wrong("cg_curve", "in the reverse order")
def collects_at_the_front(grades):
    sums, total = [], 0
    for grade in grades:
        total += grade
        sums.insert(0, total)
    return sums


def pause(seconds):
    time.sleep(seconds)
