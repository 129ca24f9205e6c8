"""The known wrong definitions of CG, DCG, IDCG and NDCG: the one table behind feedback, boxes and `which`.

A slip computes its wrong value from the same inputs as the right one:

>>> slip = SLIPS["ideal-from-returned"]
>>> round(slip([1, 2, 3, 3], k=4, judged=[1, 2, 3, 3, 3, 3], quantity="ndcg"), 4)
0.7992
>>> round(slip.right([1, 2, 3, 3], k=4, judged=[1, 2, 3, 3, 3, 3], quantity="ndcg"), 4)
0.6576
>>> slip.belief
'The ideal list is my list, sorted.'
"""

from __future__ import annotations

import copyreg
import difflib
import math
from collections.abc import Mapping
from typing import Any

from ndcg_lib.engine.changed import Slip, by_name, value

__all__ = ["SLIPS", "Slip", "slip_families", "slip_named", "value"]

RANKING = "chapters/two-rankings#why-position-matters"
CUT_OFF = "chapters/cumulative-gain#cg-definition"
ADDING = "chapters/cumulative-gain#cg-rank-by-rank"
DEFAULTS = "chapters/which-ndcg#choices-of-a-convention"
TWO_DISCOUNTS = "chapters/why-a-logarithm#modern-and-original"
FIRST_RANKS = "chapters/why-a-logarithm#ranks-one-and-two"
DISCOUNT = "chapters/discounting#why-a-discount"
BY_HAND = "chapters/discounting#dcg-by-hand"
RECIPROCAL = "chapters/why-a-logarithm#discounts-compared"
LOG_BASE = "chapters/why-a-logarithm#log-base"
GAIN = "chapters/what-a-grade-is-worth#linear-and-exponential"
BINARY = "chapters/what-a-grade-is-worth#equal-when-binary"
GAIN_TWICE = "chapters/what-a-grade-is-worth#same-gain-on-both-sides"
GRADE_ONLY = "chapters/what-a-grade-is-worth#gain-knows-no-rank"
SCALE = "chapters/what-a-grade-is-worth#choosing-gain-values"
IDEAL = "chapters/the-ideal-ranking#ideal-definition"
ALL_JUDGED = "chapters/the-ideal-ranking#all-judged-or-returned"
SORT_THEN_CUT = "chapters/the-ideal-ranking#first-sort-then-cut"
EQUAL_GRADES = "chapters/the-ideal-ranking#ties-in-the-ideal"
DIVIDE = "chapters/ndcg#ndcg-definition"
WHY_DIVIDE = "chapters/ndcg#why-normalise"
MEAN = "chapters/comparing-systems#mean-over-queries"
NOTHING_RELEVANT = "chapters/awkward-cases#no-relevant-document"
SHORT_LIST = "chapters/awkward-cases#k-beyond-the-list"
TIES = "chapters/awkward-grades#ties-in-scores"
DUPLICATES = "chapters/awkward-cases#duplicates"
UNJUDGED = "chapters/awkward-cases#unjudged-documents"
NEGATIVE = "chapters/awkward-grades#negative-grades"
FRACTIONS = "chapters/awkward-grades#fractional-grades"

FILMS = [4, 2, 5, 3, 5]
LONG = [0, 2, 1, 3, 0, 1, 0, 2, 0, 1, 3, 0]
TIED = {"grades": [0, 3, 1, 2], "scores": [0.9, 0.5, 0.5, 0.5]}


def _both(**changes: Any) -> dict[str, Any]:
    """The change on the returned list and on the ideal list."""
    return changes | {f"ideal_{name}": level for name, level in changes.items()}


# fmt: off
_TABLE = (
    # ranking
    Slip("ranking-ascending", "ranking", "dcg", "The lowest score comes first.",
         "Your numbers are those of a ranking turned upside down, with the lowest score at rank 1.",
         "A higher score means a better document, so the highest score takes rank 1.",
         RANKING, {"grades": [1, 3, 0], "scores": [0.5, 0.9, 0.1]}, {"ranking": "ascending"}, rarity=1),
    Slip("ranking-given", "ranking", "dcg", "The documents are ranked already.",
         "Your numbers are those of the documents in the order given, without sorting them by score.",
         "The scores decide the ranking. The order of the rows in a file or an array does not.",
         RANKING, {"grades": [1, 3, 0], "scores": [0.5, 0.9, 0.1]}, {"ranking": "given"}),
    Slip("roles-swapped", "ranking", "ndcg", "It does not matter which of the two lists comes first.",
         "Your numbers are those of grades and scores with their roles swapped: ranked by grade, paid by score.",
         "Scores put the documents in order and grades say what they are worth. NDCG is not symmetric in them.",
         GRADE_ONLY, {"grades": [1, 3, 0], "scores": [0.5, 0.2, 0.1]}, {"roles": "swapped"}, rarity=1),
    Slip("scores-as-gains", "ranking", "dcg", "The gain of a document is the score that my system gave it.",
         "Your numbers are those of gains taken from the predicted scores.",
         "A system must not judge itself: the gain comes from the judge's grade, the score only decides the rank.",
         GRADE_ONLY, {"grades": [1, 3, 0], "scores": [0.5, 0.2, 0.1]}, {"values": "scores"}),

    # ideal
    Slip("ideal-from-returned", "ideal", "idcg", "The ideal list is my list, sorted.",
         "Your numbers are those of an ideal list taken from the returned documents.",
         "What was judged and not returned belongs to the ideal too. Without it a system is never charged for what"
         " it missed.", ALL_JUDGED, {"grades": [1, 2, 3, 3], "judged": [1, 2, 3, 3, 3, 3]}, {"ideal": "returned"},
         rarity=1, choice=True),
    Slip("ideal-from-top-k", "ideal", "idcg", "The ideal at k is my first k documents, sorted.",
         "Your numbers are those of an ideal list taken from the first k returned documents.",
         "The best k documents may stand below rank k. Sort everything that is judged, then cut.",
         SORT_THEN_CUT, {"grades": FILMS, "k": 3}, {"ideal": "top"}, rarity=1),
    Slip("ideal-cut-before-sorting", "ideal", "idcg", "First cut the grades at k, then sort them.",
         "Your numbers are those of judged grades that were cut at k first and sorted afterwards.",
         "The cut throws away good documents before the sort can bring them up. Sort first, then cut.",
         SORT_THEN_CUT, {"grades": [3, 2], "judged": [0, 2, 1, 3], "k": 2}, {"ideal": "first"}, rarity=1),
    Slip("ideal-not-sorted", "ideal", "idcg", "The ideal DCG is the DCG of the judged documents.",
         "Your numbers are those of an ideal list that is not sorted.",
         "The ideal is the best possible order, so its grades fall from rank to rank.",
         IDEAL, {"grades": [3, 1, 2], "judged": [1, 3, 2]}, {"ideal_order": "given"}, rarity=1),
    Slip("ideal-ascending", "ideal", "idcg", "Sorting puts the best grade first.",
         "Your numbers are those of an ideal list sorted from the lowest grade to the highest.",
         "sort and sorted begin with the smallest. The ideal begins with the largest grade.",
         IDEAL, {"grades": [3, 1, 2]}, {"ideal_order": "ascending"}, rarity=1),
    Slip("ideal-distinct", "ideal", "idcg", "A set of the grades is enough for the ideal.",
         "Your numbers are those of an ideal list in which equal grades were merged into one.",
         "Two documents with the same grade are two documents, and both bring their gain.",
         EQUAL_GRADES, {"grades": [3, 2, 3]}, {"ideal_order": "distinct"}),
    Slip("ideal-all-perfect", "ideal", "idcg", "In the ideal list every place holds a perfect document.",
         "Your numbers are those of an ideal list with the best grade at all k ranks.",
         "The ideal may only hold documents that exist. With one good document the rest of the list is empty.",
         IDEAL, {"grades": [3, 1, 2]}, {"ideal": "perfect"}),

    # cut-off
    Slip("ideal-not-cut", "cut-off", "idcg", "The cut-off is for my list only.",
         "Your numbers are those of an ideal list that is not cut at k while the returned list is.",
         "Both sides must have the same k. Otherwise even a perfect top k stays below 1.",
         SORT_THEN_CUT, {"grades": FILMS, "k": 3}, {"ideal_cut": "none"}, rarity=1),
    Slip("list-not-cut", "cut-off", "dcg", "The cut-off is for the ideal only.",
         "Your numbers are those of a returned list that is not cut at k while the ideal list is.",
         "What stands below rank k does not count at k. Counting it lets NDCG@k pass 1.",
         SORT_THEN_CUT, {"grades": FILMS, "k": 3}, {"cut": "none"}, rarity=1),
    Slip("k-ignored", "cut-off", "cg", "k only labels the result.",
         "Your numbers are those of the whole list: k is not used.",
         "At k, the ranks after k are left out on both sides.",
         CUT_OFF, {"grades": FILMS, "k": 3}, _both(cut="none"), rarity=1),
    Slip("k-one-less", "cut-off", "cg", "The first k documents are those before number k.",
         "Your numbers are those of k - 1 ranks: the last one is missing.",
         "A range that ends at k leaves k out. NDCG@3 counts ranks 1, 2 and 3.",
         CUT_OFF, {"grades": FILMS, "k": 3}, _both(cut="less"), rarity=1),
    Slip("k-one-more", "cut-off", "cg", "Counting starts at 0, so k stands for k + 1 documents.",
         "Your numbers are those of k + 1 ranks: one too many.",
         "k says how many documents count. The first 3 of a list are [:3], numbers 0, 1 and 2.",
         CUT_OFF, {"grades": FILMS, "k": 3}, _both(cut="more"), rarity=1),
    Slip("k-default-10", "cut-off", "cg", "Without a k, the first ten count.",
         "Your numbers are those of a cut-off at rank 10 that nobody asked for.",
         "Some tools cut by themselves if you give no k. Here the whole list counts.",
         DEFAULTS, {"grades": LONG}, _both(cut=10)),
    Slip("ideal-cut-at-list", "cut-off", "idcg", "The ideal list is as long as my list.",
         "Your numbers are those of an ideal list cut at the number of returned documents.",
         "A short list does not shorten the ideal: it is cut at k, and what is missing below the list costs.",
         SHORT_LIST, {"grades": [1], "judged": [1, 1, 1, 1, 1], "k": 5}, {"ideal_cut": "list"}, rarity=1),

    # discount
    Slip("original-for-modern", "discount", "dcg", "The discount is 1 over the logarithm of the rank.",
         "Your numbers are those of the original discount, 1/log2(i) from rank 2 on, with ranks 1 and 2 in full.",
         "Here the modern discount 1/log2(i+1) is asked. It takes something off from rank 2 on.",
         TWO_DISCOUNTS, {"grades": [2, 3, 1]}, _both(discount="original"), rarity=1, choice=True),
    Slip("modern-for-original", "discount", "dcg", "There is only one discount, 1/log2(i+1).",
         "Your numbers are those of the modern discount 1/log2(i+1).",
         "Here the original discount is asked: ranks 1 and 2 count in full, then 1/log2(i).",
         TWO_DISCOUNTS, {"grades": [2, 3, 1], "discount": "original"}, _both(discount="modern"), rarity=1, choice=True),
    Slip("rank-from-zero", "discount", "dcg", "The first rank is number 0.",
         "Your numbers are those of log2(i+1) with ranks counted from 0, so that rank 2 is not discounted.",
         "Code counts from 0, the formula from 1: with a counter from 0 the discount is 1/log2(i+2).",
         FIRST_RANKS, {"grades": [2, 3, 1]}, _both(discount="original"), same_as="original-for-modern", rarity=1),
    Slip("rank-too-late", "discount", "dcg", "The discount is 1/log2(i+2).",
         "Your numbers are those of log2(i+2) with ranks counted from 1, so that even rank 1 is discounted.",
         "log2(i+2) belongs to a counter from 0. With ranks from 1 it is log2(i+1), and rank 1 counts in full.",
         FIRST_RANKS, {"grades": [2, 3, 1]}, _both(discount="late"), rarity=1),
    Slip("first-rank-lost", "discount", "dcg", "log2(1) is 0, so rank 1 is left out.",
         "Your numbers are those of 1/log2(i) with nothing counted at rank 1.",
         "The first document counts most. With log2(i+1) rank 1 is divided by log2(2) = 1.",
         FIRST_RANKS, {"grades": [2, 3, 1]}, _both(discount="unguarded")),
    Slip("weight-above-one", "discount", "dcg", "Only rank 1 stands before the sum, whatever the base.",
         "Your numbers are those of a rank 1 in full and 1/log_b(i) from rank 2 on, which is above 1 at first.",
         "With a base above 2 early ranks would be worth more than rank 1. The original discount caps them at 1.",
         LOG_BASE, {"grades": [2, 3, 1], "discount": "original", "base": 10}, _both(discount="outside"), rarity=3),
    Slip("original-over-modern", "discount", "ndcg", "Each side may have its own discount.",
         "Your numbers are those of the original discount in the list and the modern one in the ideal.",
         "Both sides must be discounted alike, else the quotient compares two definitions and can pass 1.",
         TWO_DISCOUNTS, {"grades": [2, 3, 1]}, {"discount": "original", "ideal_discount": "modern"}),
    Slip("modern-over-original", "discount", "ndcg", "The discount of the ideal is a matter of taste.",
         "Your numbers are those of the modern discount in the list and the original one in the ideal.",
         "Both sides must be discounted alike, else a perfect ranking of two useful documents is already below 1.",
         TWO_DISCOUNTS, {"grades": [2, 3, 1]}, {"discount": "modern", "ideal_discount": "original"}),
    Slip("no-discount", "discount", "dcg", "Adding up the gains is enough.",
         "Your numbers are those of gains without any discount: that is CG.",
         "Without a discount the order of the first k documents does not matter.",
         DISCOUNT, {"grades": [2, 3, 1]}, _both(discount="none"), rarity=1),
    Slip("list-not-discounted", "discount", "dcg", "Only the ideal needs a discount.",
         "Your numbers are those of a returned list without a discount over a discounted ideal: CG / IDCG.",
         "Both sides must be discounted alike. CG / IDCG is above 1 for good rankings and blind to their order.",
         DISCOUNT, {"grades": [2, 3, 1]}, {"discount": "none"}),
    Slip("ideal-not-discounted", "discount", "idcg", "The ideal is the sum of the best gains.",
         "Your numbers are those of an ideal without a discount: DCG divided by the ideal CG.",
         "Both sides must be discounted alike, else a perfect ranking of two useful documents is already below 1.",
         WHY_DIVIDE, {"grades": [2, 3, 1]}, {"ideal_discount": "none"}),
    Slip("reciprocal-discount", "discount", "dcg", "The discount is 1 over the rank.",
         "Your numbers are those of the discount 1/i.",
         "Dividing by the rank falls faster than dividing by its logarithm: rank 10 keeps 0.1, not 0.289.",
         RECIPROCAL, {"grades": [2, 3, 1]}, _both(discount="reciprocal"), rarity=1, choice=True),
    Slip("reciprocal-of-next", "discount", "dcg", "The logarithm in 1/log2(i+1) makes no great difference.",
         "Your numbers are those of the discount 1/(i+1), without the logarithm.",
         "The logarithm makes the discount fall slowly. Without it rank 1 already counts only a half.",
         RECIPROCAL, {"grades": [2, 3, 1]}, _both(discount="next"), rarity=1),
    Slip("discount-multiplied", "discount", "dcg", "Multiply each gain by log2(i+1).",
         "Your numbers are those of gains multiplied by log2(i+1) instead of divided by it.",
         "The logarithm grows with the rank. Multiplied by it, late documents would count more than early ones.",
         DISCOUNT, {"grades": [2, 3, 1]}, _both(discount="multiplied"), rarity=1),
    Slip("multiplied-by-rank", "discount", "dcg", "The discount is the rank.",
         "Your numbers are those of gains multiplied by their rank.",
         "A discount makes late documents count less. Multiplied by the rank, they would count more.",
         DISCOUNT, {"grades": [2, 3, 1]}, _both(discount="rank")),
    Slip("one-plus-log", "discount", "dcg", "The 1 may stand outside the logarithm.",
         "Your numbers are those of the discount 1/(1 + log2(i)).",
         "1 + log2(i) is log2(2i), which grows faster: rank 2 would get 0.5 instead of 0.631.",
         FIRST_RANKS, {"grades": [2, 3, 1]}, _both(discount="one-plus-log")),

    # logarithm
    Slip("natural-log", "logarithm", "dcg", "The log of a program has base 2.",
         "Your numbers are those of the natural logarithm.",
         "In Python, as in C and JavaScript, log is the natural one. NDCG with log(i+1) does not notice, DCG does:"
         " it is 1.44 times too large.", LOG_BASE, {"grades": [2, 3, 1]}, _both(base=math.e), rarity=1),
    Slip("common-log", "logarithm", "dcg", "log is the logarithm to base 10.",
         "Your numbers are those of the logarithm to base 10.",
         "Here the base is 2. With base 10 every term is 3.32 times too large.",
         LOG_BASE, {"grades": [2, 3, 1]}, _both(base=10), rarity=1),
    Slip("natural-log-in-list", "logarithm", "dcg", "The base cancels, so it need not be the same.",
         "Your numbers are those of the natural logarithm in the list and log2 in the ideal.",
         "The base cancels only if numerator and denominator have the same one.",
         LOG_BASE, {"grades": [2, 3, 1]}, {"base": math.e}, rarity=3),
    Slip("natural-log-in-ideal", "logarithm", "idcg", "The ideal may use another logarithm.",
         "Your numbers are those of log2 in the list and the natural logarithm in the ideal.",
         "The base cancels only if numerator and denominator have the same one.",
         LOG_BASE, {"grades": [2, 3, 1]}, {"ideal_base": math.e}, rarity=3),

    # gain
    Slip("exponential-for-linear", "gain", "cg", "The gain is always 2^grade - 1.",
         "Your numbers are those of the exponential gain 2^grade - 1.",
         "Here the linear gain is asked: the grade itself.",
         GAIN, {"grades": [2, 3, 1]}, _both(gain="exponential"), rarity=1, choice=True),
    Slip("linear-for-exponential", "gain", "cg", "The gain is always the grade.",
         "Your numbers are those of the linear gain, the grade itself.",
         "Here the exponential gain is asked: 2^grade - 1.",
         GAIN, {"grades": [2, 3, 1], "gain": "exponential"}, _both(gain="linear"), rarity=1, choice=True),
    Slip("grades-binarised", "gain", "cg", "A document is relevant or it is not.",
         "Your numbers are those of binary gains: every grade above 0 counts 1.",
         "Graded judgements say more. Binarised, a grade of 1 is worth as much as a 3.",
         BINARY, {"grades": [2, 3, 0, 1]}, _both(gain="binary"), rarity=1, choice=True),
    Slip("judged-means-relevant", "gain", "cg", "A document that has a grade is relevant.",
         "Your numbers are those of a gain of 1 for every judged document, even with a grade of 0.",
         "Grade 0 says that a judge looked and found the document useless.",
         BINARY, {"grades": [2, 3, 0, 1]}, _both(gain="presence")),
    Slip("power-without-minus-one", "gain", "cg", "The exponential gain is 2^grade.",
         "Your numbers are those of the gain 2^grade, without - 1.",
         "2^0 is 1, so a useless document would earn a gain. The - 1 takes it away.",
         GAIN, {"grades": [2, 0, 1], "gain": "exponential"}, _both(gain="power"), rarity=1),
    Slip("minus-one-in-exponent", "gain", "cg", "2^grade - 1 is 2^(grade-1).",
         "Your numbers are those of the gain 2^(grade-1), with the - 1 in the exponent.",
         "First the power, then minus 1: a grade of 3 is worth 7, and a grade of 0 nothing.",
         GAIN, {"grades": [2, 0, 1], "gain": "exponential"}, _both(gain="half-power")),
    Slip("grade-squared", "gain", "cg", "2^grade and grade^2 are the same thing.",
         "Your numbers are those of the gain grade^2.", "Base and exponent are swapped: 2^3 - 1 is 7, 3^2 is 9.",
         GAIN, {"grades": [2, 3, 1], "gain": "exponential"}, _both(gain="square"), rarity=3),
    Slip("log-of-gain", "gain", "cg", "The logarithm is taken of the grade.",
         "Your numbers are those of the gain log2(1 + grade).",
         "The logarithm belongs to the rank. A grade is worth what it says, or 2^grade - 1.",
         GRADE_ONLY, {"grades": [2, 3, 1]}, _both(gain="log"), rarity=3),
    Slip("exponential-over-linear", "gain", "ndcg", "The gain of the ideal list is the grade.",
         "Your numbers are those of the exponential gain in the list and the linear gain in the ideal.",
         "Both sides must pay alike, else NDCG can pass 1.",
         GAIN_TWICE, {"grades": [2, 3, 1]}, {"gain": "exponential", "ideal_gain": "linear"}),
    Slip("linear-over-exponential", "gain", "ndcg", "The gain of the ideal list is 2^grade - 1, whatever the list has.",
         "Your numbers are those of the linear gain in the list and the exponential gain in the ideal.",
         "Both sides must pay alike, else a perfect ranking with a grade above 1 stays below 1.",
         GAIN_TWICE, {"grades": [2, 3, 1]}, {"gain": "linear", "ideal_gain": "exponential"}),

    # grades
    Slip("zero-as-one", "grades", "cg", "A gain cannot be 0.", "Your numbers are those of a grade of 0 counted as 1.",
         "A useless document brings nothing, and 0 is a grade like any other.",
         GRADE_ONLY, {"grades": [2, 0, 1]}, {"regrade": "zero-as-one"}),
    Slip("grades-one-higher", "grades", "cg", "It does not matter where the scale begins.",
         "Your numbers are those of grades that are all one higher.",
         "Adding 1 to every grade pays even the useless documents. NDCG changes with it.",
         SCALE, {"grades": [2, 0, 1]}, {"regrade": "one-higher"}),
    Slip("grades-one-lower", "grades", "cg", "A scale from 1 to 5 is the same as one from 0 to 4.",
         "Your numbers are those of grades that are all one lower.",
         "Taking 1 from every grade changes what a document is worth beside another, and so NDCG.",
         SCALE, {"grades": FILMS}, {"regrade": "one-lower"}, rarity=3),
    Slip("grades-truncated", "grades", "cg", "Grades are whole numbers.",
         "Your numbers are those of grades cut to whole numbers.",
         "A grade of 0.6 becomes 0 and its gain is lost. Several tools do this without a word.",
         FRACTIONS, {"grades": [1.0, 0.6, 0.0, 0.8]}, {"fractions": "cut"}, choice=True),
    Slip("negative-clipped", "grades", "cg", "A negative grade is the same as 0.",
         "Your numbers are those of negative grades counted as 0.",
         "Here the grades are to be used as they are, and a harmful document is to cost something.",
         NEGATIVE, {"grades": [2, -1, 1]}, {"negative": "clipped"}, choice=True),
    Slip("negative-kept", "grades", "cg", "NDCG works for any numbers.",
         "Your numbers are those of negative grades added up as they are.",
         "With negative gains the ideal DCG can come close to 0, and the quotient loses its bounds. Count them as 0.",
         NEGATIVE, {"grades": [2, -1, 1], "negative": "clipped"}, {"negative": "kept"}, choice=True),

    # documents
    Slip("duplicates-counted", "documents", "cg", "Every hit counts, also the second time.",
         "Your numbers are those of a document credited each time that it was returned.",
         "A document helps once. Counted twice, the list can beat its ideal.",
         DUPLICATES, {"grades": [1, 1], "ids": ["a", "a"], "judged": [1]}, {"duplicates": "counted"}, rarity=1),
    Slip("unjudged-removed", "documents", "dcg", "What nobody judged is not part of the list.",
         "Your numbers are those of a list from which the unjudged documents were removed, so that the rest moved up.",
         "Here an unjudged document keeps its rank and brings nothing. Removing it is another measure, of the"
         " condensed list.", UNJUDGED, {"grades": [3, None, 2]}, {"unjudged": "removed"}, choice=True),
    Slip("unjudged-kept", "documents", "dcg", "An unjudged document is a useless document.",
         "Your numbers are those of unjudged documents that keep their rank with a gain of 0.",
         "Here the condensed list is asked: unjudged documents are removed and the rest moves up.",
         UNJUDGED, {"grades": [3, None, 2], "unjudged": "removed"}, {"unjudged": "zero"}, choice=True),

    # adding up
    Slip("terms-averaged", "adding up", "cg", "The gain of a list is the average of its gains.",
         "Your numbers are those of a mean over the ranks instead of a sum.",
         "Gains add up. A mean would punish a list for being longer.",
         ADDING, {"grades": [2, 3, 1]}, {"adding": "mean"}),
    Slip("last-term-only", "adding up", "cg", "The loop leaves the sum in the variable.",
         "Your numbers are those of the last rank alone.",
         "The sum is replaced at each rank where it should grow: += in place of =.",
         ADDING, {"grades": [2, 3, 1]}, {"adding": "last"}),

    # normalising
    Slip("not-normalised", "normalising", "ndcg", "DCG and NDCG are the same.",
         "Your numbers are those of DCG: it is not divided by the ideal.",
         "DCG grows with the number and the grades of the relevant documents. Divided by the ideal it is at most 1.",
         WHY_DIVIDE, {"grades": [2, 3, 1]}, {"divide": "nothing"}, rarity=1),
    Slip("divided-by-cg", "normalising", "ndcg", "Normalising means dividing by the sum of the gains.",
         "Your numbers are those of DCG divided by CG.",
         "CG is the sum without a discount. As soon as two documents have a gain, DCG / CG is below 1, even for the"
         " best order.", DIVIDE, {"grades": [2, 3, 1]}, {"divide": "cg"}),
    Slip("divided-by-max-grade", "normalising", "ndcg", "Normalising means dividing by the largest gain.",
         "Your numbers are those of DCG divided by the largest gain.",
         "The largest gain is only the first term of the ideal DCG.",
         DIVIDE, {"grades": [2, 3, 1]}, {"divide": "max-grade"}),
    Slip("divided-by-discounts", "normalising", "ndcg", "Normalising means dividing by the sum of the discounts.",
         "Your numbers are those of DCG divided by the sum of the discounts.",
         "That is a weighted mean of the gains. NDCG compares with what the judged documents allow.",
         DIVIDE, {"grades": [2, 3, 1]}, {"divide": "discounts"}),
    Slip("divided-by-k", "normalising", "ndcg", "Normalising means dividing by the number of documents.",
         "Your numbers are those of DCG divided by k.",
         "The number of documents says nothing about the best possible DCG.",
         DIVIDE, {"grades": [2, 3, 1]}, {"divide": "k"}),
    Slip("upside-down", "normalising", "ndcg", "NDCG is the ideal divided by the DCG.",
         "Your numbers are those of IDCG / DCG, the quotient upside down.",
         "NDCG is DCG / IDCG, at most 1: the share of the ideal that was reached.",
         DIVIDE, {"grades": [2, 3, 1]}, {"divide": "upside-down"}),

    # no relevant document
    Slip("no-zero-guard", "no relevant document", "ndcg", "The ideal DCG is never 0.",
         "Your function divides by 0 where no judged document has a gain.",
         "A query without a relevant document has an ideal DCG of 0. Decide what it gives, and say so.",
         NOTHING_RELEVANT, {"grades": [0, 0]}, {"empty": math.nan}, rarity=1),
    Slip("one-for-empty", "no relevant document", "ndcg", "Nothing to find, nothing missed: that is perfect.",
         "Your function gives 1 where no judged document has a gain; 0 is asked.",
         "Some tools count such a query as perfect. Here it counts 0.",
         NOTHING_RELEVANT, {"grades": [0, 0]}, {"empty": 1.0}, choice=True),
    Slip("zero-for-empty", "no relevant document", "ndcg", "Without a relevant document the value is always 0.",
         "Your function gives 0 where no judged document has a gain; another value is asked.",
         "0, 1 or leaving the query out are all in use. What is asked decides.",
         NOTHING_RELEVANT, {"grades": [0, 0], "empty": 1.0}, {"empty": 0.0}, choice=True),

    # ties
    Slip("ties-as-given", "ties", "dcg", "Equal scores stay in the order in which they came.",
         "Your numbers are those of tied documents in the order given.",
         "Here ties are to be averaged. Otherwise the value depends on the order of the rows.",
         TIES, TIED, {"ties": "order"}, choice=True),
    Slip("ties-averaged", "ties", "dcg", "Equal scores are always averaged.",
         "Your numbers are those of an average over all orders of the tied documents.",
         "Here tied documents are to stay in the order given.",
         TIES, TIED | {"ties": "order"}, {"ties": "average"}, choice=True),
    Slip("ties-reversed", "ties", "dcg", "Sorting upwards and turning the list round keeps equal scores in order.",
         "Your numbers are those of tied documents in reverse order.",
         "A sort that is turned round turns the ties round too.", TIES, TIED, {"ties": "reverse"}, choice=True),
    Slip("ties-best-first", "ties", "dcg", "Among equal scores the better document comes first.",
         "Your numbers are those of tied documents with the best grade first.",
         "The system did not know which one is better. A model with equal scores for all would get 1.",
         TIES, TIED, {"ties": "best"}, choice=True),
    Slip("ties-worst-first", "ties", "dcg", "Among equal scores assume the worst.",
         "Your numbers are those of tied documents with the worst grade first.",
         "The worst case is as arbitrary as the best one. Here ties are to be averaged.",
         TIES, TIED, {"ties": "worst"}, choice=True),

    # mean over queries
    Slip("missing-dropped", "mean over queries", "mean", "A query without results has no value.",
         "Your mean leaves out the judged queries that returned nothing.",
         "A system that returns nothing for the hard queries would look better. They count 0.",
         MEAN, {"grades": [[0, 1], []], "judged": [[0, 1], [1]]}, {"missing": "skip"}, rarity=1, choice=True),
    Slip("missing-as-zero", "mean over queries", "mean", "Every judged query counts.",
         "Your mean counts 0 for the judged queries that returned nothing.",
         "Here only the queries with results are to be averaged.",
         MEAN, {"grades": [[0, 1], []], "judged": [[0, 1], [1]], "missing": "skip"}, {"missing": "zero"}, choice=True),
    Slip("unjudged-queries-counted", "mean over queries", "mean", "Every query of the run counts.",
         "Your mean counts 0 for queries that nobody judged.",
         "Nothing is known about a query without judgements. It is left out.",
         MEAN, {"grades": [[0, 1], [0]], "judged": [[0, 1], []]}, {"strangers": "zero"}),
    Slip("empty-dropped", "mean over queries", "mean", "A query without a relevant document does not count.",
         "Your mean leaves out the queries without a relevant document; they count 0 here.",
         "Leaving them out changes how many queries are averaged, and so the mean.",
         MEAN, {"grades": [[0, 1], [0, 0]]}, {"empty": "skip"}, choice=True),
    Slip("ratio-of-means", "mean over queries", "mean", "The mean NDCG is the mean DCG over the mean IDCG.",
         "Your numbers are those of all DCG added up, divided by all IDCG added up.",
         "That lets queries with many relevant documents outweigh the others. First divide, then average.",
         MEAN, {"grades": [[0, 1], [3, 2, 3]]}, {"averaging": "ratio-of-means"}),
    Slip("sum-over-queries", "mean over queries", "mean", "Add up the NDCG of all queries.",
         "Your numbers are those of a sum over the queries, not of their mean.",
         "A sum grows with the number of queries. Divide by it.",
         MEAN, {"grades": [[0, 1], [3, 2, 3]]}, {"averaging": "sum"}),

    # rounding
    Slip("terms-rounded", "rounding", "dcg", "Two decimals are enough for each term.",
         "Your numbers are those of terms rounded to two decimals before they were added.",
         "Rounding errors add up. Round once, at the end.", BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "terms-2"}),
    Slip("terms-rounded-3", "rounding", "dcg", "Three decimals are enough for each term.",
         "Your numbers are those of terms rounded to three decimals before they were added.",
         "Rounding errors add up. Round once, at the end.",
         BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "terms-3"}, rarity=3),
    Slip("terms-cut", "rounding", "dcg", "Write down two decimals and drop the rest.",
         "Your numbers are those of terms cut after two decimals.",
         "Cut terms are all too small, and the errors do not cancel. Round once, at the end.",
         BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "terms-cut-2"}, rarity=3),
    Slip("terms-whole", "rounding", "dcg", "Integer division is good enough.",
         "Your numbers are those of terms cut to whole numbers.",
         "An integer division drops everything after the point. 3 / log2(3) is 1.893, not 1.",
         BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "terms-cut-0"}),
    Slip("discounts-rounded", "rounding", "dcg", "Two decimals are enough for a discount.",
         "Your numbers are those of discounts rounded to two decimals.", "0.63 is not 0.6309. Round once, at the end.",
         BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "discounts-2"}),
    Slip("discounts-rounded-3", "rounding", "dcg", "Three decimals are enough for a discount.",
         "Your numbers are those of discounts rounded to three decimals.",
         "0.631 is not 0.6309. Round once, at the end.",
         BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "discounts-3"}, rarity=3),
    Slip("logs-rounded", "rounding", "dcg", "Two decimals are enough for a logarithm.",
         "Your numbers are those of logarithms rounded to two decimals.", "1.58 is not 1.585. Round once, at the end.",
         BY_HAND, {"grades": [2, 3, 1]}, {"rounding": "logs-2"}),
    Slip("parts-rounded", "rounding", "ndcg", "DCG and IDCG may be rounded before the division.",
         "Your numbers are those of DCG and IDCG rounded to two decimals and then divided.",
         "The quotient of two rounded numbers is not the rounded quotient. Round once, at the end.",
         DIVIDE, {"grades": [2, 3, 1]}, {"parts": "rounded-2"}),
    Slip("result-rounded", "rounding", "dcg", "Two decimals are enough.",
         "Your function rounds its result to two decimals.",
         "Give back the whole number and round where it is shown: rounded values make two systems look equal.",
         DIVIDE, {"grades": [2, 3, 1]}, {"result": "rounded-2"}, rarity=1),
    Slip("result-rounded-3", "rounding", "dcg", "Three decimals are enough.",
         "Your function rounds its result to three decimals.",
         "Give back the whole number and round where it is shown: rounded values make two systems look equal.",
         DIVIDE, {"grades": [2, 3, 1]}, {"result": "rounded-3"}, rarity=1),
    Slip("result-rounded-4", "rounding", "dcg", "Four decimals are enough.",
         "Your function rounds its result to four decimals.",
         "Give back the whole number and round where it is shown: rounded values make two systems look equal.",
         DIVIDE, {"grades": [2, 3, 1]}, {"result": "rounded-4"}),
    Slip("result-whole", "rounding", "dcg", "The result is a whole number.",
         "Your function cuts its result to a whole number.",
         "NDCG lives between 0 and 1. Cut to a whole number almost everything becomes 0.",
         DIVIDE, {"grades": [2, 3, 1]}, {"result": "cut-0"}),
    Slip("result-in-percent", "rounding", "ndcg", "NDCG is a percentage.",
         "Your numbers are 100 times too large: they are percentages.",
         "NDCG runs from 0 to 1. Papers print it in percent to save space.",
         DIVIDE, {"grades": [2, 3, 1]}, {"result": "percent"}, choice=True),
)
# fmt: on

SLIPS: Mapping[str, Slip] = by_name(_TABLE)
"""The slips by name, family by family."""


def slip_named(name: str) -> Slip:
    """The slip of that name, or an error with the nearest names.

    >>> slip_named("natural-log").family
    'logarithm'
    """
    if name in SLIPS:
        return SLIPS[name]
    near = difflib.get_close_matches(name, SLIPS, n=3, cutoff=0.4) or SLIPS
    raise ValueError(f"there is no slip {name!r}: did you mean {', '.join(near)}?")


def slip_families() -> dict[str, list[Slip]]:
    """The slips by family, in the order of the table.

    >>> [slip.name for slip in slip_families()["logarithm"]][:2]
    ['natural-log', 'common-log']
    """
    grouped: dict[str, list[Slip]] = {}
    for slip in SLIPS.values():
        grouped.setdefault(slip.family, []).append(slip)
    return grouped


copyreg.pickle(Slip, lambda slip: (slip_named, (slip.name,)))  # by name: a copy of a slip is the slip
