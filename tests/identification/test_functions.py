"""Whose NDCG a function is: what plain functions compute is named, and nothing wrong is said of any of them."""

import itertools
import json
import math
import random
import re
from pathlib import Path

import pandas  # noqa: F401 - the forms of an input are those of what is loaded
import pytest
from identification.rendered import made
from sweeps import some_of

import ndcg_lib as nd
from ndcg_lib.commands.cli import main
from ndcg_lib.engine import AT, FACTORS, RIGHT, recipe_of
from ndcg_lib.identification.apart import pasted
from ndcg_lib.identification.functions import computed_by
from ndcg_lib.identification.styles import GRADED, Probe, View
from ndcg_lib.slips import SLIPS

BOOK = Path(__file__).parents[2] / "book"
TIES = {"average": "ties averaged", "order": "ties in the order given", "reverse": "ties in reverse order",
        "best": "ties best first", "worst": "ties worst first"}  # fmt: skip
EMPTY = {0.0: "0", 1.0: "1", "skip": "nan", "raise": "an error (ValueError"}
EDGES = {
    "negative": ("a negative grade", "as 0"),
    "fractions": ("a fractional grade", "cut to a whole number"),
    "duplicates": ("a document twice", "counts each time"),
    "unjudged": ("an unjudged document", "is removed"),
}


def both(**levels):
    return {side + name: level for name, level in levels.items() for side in ("", "ideal_")}


def conventions():
    gains, discounts = ("linear", "exponential", "binary"), ("modern", "original", "reciprocal", "geometric")
    for style in ("grades", "scores", "ids"):
        ideals = ("judged", "returned") if style == "ids" else ("judged",)
        ties = TIES if style == "scores" else ("order",)
        for g, d, i, e, t in itertools.product(gains, discounts, ideals, EMPTY, ties):
            if (t, g) != ("average", "binary"):  # a mean of 0/1 gains cannot be undone by the renderer
                yield (
                    style,
                    both(gain=g, discount=d) | {"ideal": i, "empty": e} | ({"ties": t} if style == "scores" else {}),
                )


def answers(style, c, probes):
    kind = {"grades": "ranked", "scores": "scored", "ids": "ids"}[style]
    out, function = [], made(style, c)
    for p in probes:
        a = View(kind).atoms(p)
        parts = {"grades": (a["G"],), "scores": (a["T"], a["S"]), "ids": (a["I"], a["Q"])}[style]
        try:
            out.append(function(*parts, p.k))
        except (ValueError, ZeroDivisionError):
            out.append(math.nan)
    return [round(x, 7) if math.isfinite(x) else repr(x) for x in out]


ODD = (Probe((1.0, 0.6, 0.0, 1.8), (), 4), Probe((3, 1, 2), (2, 1), 6))
ODD_IDS = (Probe((2, 0, 3, 2), (1,), 4, twice=True), Probe((None, 3, None, 2), (1,), 4))
NO_SLIP_OF_ONE_LIST = {"missing", "strangers", "averaging", "ties", "empty", "negative"}


def singles():
    for slip in SLIPS.values():
        plain = both(**{n: v for n, v in slip.example.items() if n in ("gain", "discount")})
        c = plain | dict(slip.changes)
        if slip.same_as or set(c) & NO_SLIP_OF_ONE_LIST or slip.name in ("judged-means-relevant", "result-whole"):
            continue
        for style in ("grades", "scores", "ids"):
            probes = [*GRADED, *ODD, *(ODD_IDS if style == "ids" else ())]
            if answers(style, c, probes) != answers(style, plain, probes):
                yield style, c


def pairs():
    for a, b in itertools.combinations(list(singles()), 2):
        c = a[1] | b[1]
        if a[0] == b[0] and not set(a[1]) & set(b[1]):
            value = answers(a[0], c, GRADED)
            if value not in (answers(a[0], a[1], GRADED), answers(a[0], b[1], GRADED)):
                yield a[0], c


def spelt(card):
    """The definition of a card in the words of the renderer."""
    c = {}
    for n in FACTORS:
        level = card.recipe[AT[n]]
        c[n] = getattr(level, "key", level)
        c[n] = int(c[n]) if n.endswith("cut") and isinstance(c[n], (int, float)) else c[n]
        side = n.removesuffix("discount")
        c |= {side + p: v for p, v in level.parameters.items()} if n.endswith("discount") else {}
    return c


def fresh():
    rng = random.Random("fresh")
    for _ in range(40):
        grades = tuple(rng.choice((0, 1, 1, 2, 3, 4)) for _ in range(rng.randint(2, 20)))
        missed = tuple(rng.choice((1, 2, 3)) for _ in range(rng.randint(0, 3)))
        yield Probe(grades, missed, rng.randint(1, len(grades)))


FRESH = [p for p in fresh() if any(p.grades)]


def wrong(style, card, c):
    """What a card says that is not so; empty where all of it is true, though it may not be all."""
    if not card.identified:
        return ""
    said = {n: card.recipe[AT[n]] for n in FACTORS if card.recipe[AT[n]] != RIGHT[AT[n]]}
    wanted = levels(c)
    if c.get("ideal_cut") == "list" and card.edges["k beyond the list"] == "the ideal is cut at the list":
        wanted.pop("ideal_cut")
    if c.get("divide") == "nothing":  # then there is no ideal to speak of
        said, wanted = ({n: v for n, v in one.items() if not n.startswith("ideal")} for one in (said, wanted))
    if len(said) > len(wanted) and answers(style, c, FRESH) != answers(style, spelt(card), FRESH):
        return f"{said} where {wanted} was made\n{card}"
    edges = dict(EDGES[n] for n in EDGES if n in c)
    if "empty" in c:
        edges["no relevant document"] = EMPTY[c["empty"]]
    if "ties" in c and c.get("gain") != "binary":
        edges["equal scores"] = TIES[c["ties"]]
    off = {about: card.edges.get(about, "") for about, told in edges.items()}
    return "" if all(off[about].startswith(told) for about, told in edges.items()) else f"{off}\n{card}"


def levels(c):
    """What departs from the textbook at the core."""
    asked = recipe_of(**{n: v for n, v in c.items() if n not in ("ties", "empty", "roles", *EDGES)})
    return {n: asked[AT[n]] for n in FACTORS if asked[AT[n]] != RIGHT[AT[n]]}


@pytest.mark.parametrize("part", some_of([slice(n, None, 24) for n in range(24)], 24))
def test_every_convention_is_named_exactly(part):
    for style, c in list(conventions())[part]:
        card = computed_by(made(style, c))
        assert not wrong(style, card, c)
        exactly = {n: card.recipe[AT[n]] for n in FACTORS if card.recipe[AT[n]] != RIGHT[AT[n]]}
        assert exactly == levels(c), card


@pytest.mark.parametrize("part", some_of([slice(n, None, 16) for n in range(16)], 16))
def test_of_a_single_slip_nothing_wrong_is_said(part):
    for style, c in list(singles())[part]:
        assert not wrong(style, computed_by(made(style, c)), c)


@pytest.mark.parametrize(
    "number", [pytest.param(25, marks=pytest.mark.sweep), pytest.param(1000, marks=pytest.mark.weekly)]
)
def test_of_two_slips_nothing_wrong_is_said(number):
    for style, c in random.Random("pairs").sample(list(pairs()), number):
        assert not wrong(style, computed_by(made(style, c)), c)


# several queries, frames, places, labels


OF_EMPTY = {0.0: "counts 0", 1.0: "counts 1", "skip": "is left out"}
OF_AVERAGING = {"mean": "the mean", "sum": "the sum", "ratio-of-means": "all DCG over all IDCG"}
FORMS = itertools.product(["queries", "frames", "batch"], ["ratio-of-means", "sum", "mean"])
SEVERAL = [pytest.param(*case, ("modern", "original")[at % 2]) for at, case in enumerate(FORMS)]


@pytest.mark.parametrize(("style", "averaging", "discount"), some_of(SEVERAL, 4))
def test_a_function_of_several_queries(style, averaging, discount):
    for empty, missing, strangers in itertools.product(OF_EMPTY, ("zero", "skip"), ("zero", "skip")):
        if (averaging != "mean" and empty != 0.0) or (style == "batch" and (missing, strangers) != ("zero", "skip")):
            continue
        c = both(gain="exponential", discount=discount) | {"empty": empty, "averaging": averaging}
        card = computed_by(made(style, c | {"missing": missing, "strangers": strangers}), ())
        told = card.edges
        assert told["several queries"] == OF_AVERAGING[averaging], card
        assert discount == "original" or "gain 2^g - 1; discount 1/log2(i+1)" in card.verdict
        if averaging == "mean":
            assert told["a query with nothing relevant, among others"] == OF_EMPTY[empty], card
        if averaging == "mean" and style != "batch":
            assert told["a judged query without results"] == {"zero": "counts 0", "skip": "is left out"}[missing], card
            assert told["a query without judgements"] == {"zero": "counts 0", "skip": "is left out"}[strangers], card


@pytest.mark.parametrize("discount", ["modern", "original", "reciprocal"])
@pytest.mark.parametrize("style", ["places", "labels"])
def test_places_and_class_labels(style, discount):
    card = computed_by(made(style, both(discount=discount, gain="binary")), ())
    named = {"modern": "1/log2(i+1)", "original": "1/max(1, log2(i))", "reciprocal": "1/i"}[discount]
    assert card.verdict.startswith(f"NDCG with gain 1 for what is relevant; discount {named}; ideal over"), card
    assert card.called.startswith({"places": "the ranks of the relevant, k", "labels": "class labels"}[style])
    assert card.edges.get("several queries") == {"labels": "the mean"}.get(style)


def rank_of_the_target(rank, k=10):
    return 1 / math.log2(rank + 2) if rank < k else 0.0


def test_the_rank_of_the_one_relevant_document():
    card = computed_by(rank_of_the_target)
    assert card.called.startswith("the rank of the one relevant, from 0") and card.edges["no k given"] == "cut at 10"


# what the table does not hold


def dcg(grades):
    return sum((2**g - 1) / math.log2(i + 2) for i, g in enumerate(grades))


def sorts_in_place(relevance):
    top = dcg(relevance)
    relevance.sort(reverse=True)
    return top / dcg(relevance) if any(relevance) else 0


def cuts_before_sorting(relevance, k=10):
    best = dcg(sorted(relevance[:k], reverse=True))
    return dcg(relevance[:k]) / best if best else 0.0


def always_half(relevance, k):
    return 0.5


def own_gain(relevance, k):
    def value(x):
        return sum(g**1.7 / math.log2(i + 2) for i, g in enumerate(x[:k]))

    return value(relevance) / value(sorted(relevance, reverse=True))


def right_from_four(relevance, k):
    best = sorted(relevance, reverse=True)[: max(k, 4)]
    return dcg(relevance[:k]) / dcg(best)


def like_trec_eval(ranked, qrels, k=10):
    def linear(x):
        return sum(g / math.log2(i + 2) for i, g in enumerate(x))

    first = list(dict.fromkeys(ranked[:k]))
    best = linear(sorted(qrels.values(), reverse=True)[:k])
    return linear([qrels.get(d, 0) for d in first]) / best if best else 0.0


def many_lists(a, b, c, d, e):
    return 0


def prints(relevance):
    print("NDCG:", dcg(relevance) / (dcg(sorted(relevance, reverse=True)) or 1))


def test_a_mistake_is_said_with_how_to_mend_it():
    card = nd.which(sorts_in_place)
    assert "! It changes what it is given. To mend it, sort a copy" in str(card) and card.slips == ["input-changed"]
    card = nd.which(cuts_before_sorting)
    assert card.slips == ["ideal-from-top-k"] and "To mend it, sort the grades of all judged" in str(card)


def test_what_keeps_something_between_calls_is_said():
    seen = []

    def remembers(relevance, k):
        seen.append(1)
        return dcg(relevance[:k]) / len(seen)

    assert "state-kept" in nd.which(remembers).slips


def test_what_cannot_be_told_is_said():
    assert str(nd.which(many_lists)).startswith("many_lists: I cannot call it: it wants a, b, c, d, e")
    card = nd.which(own_gain)
    assert card.status == "unknown" and card.verdict.startswith("I cannot tell")
    assert "at rank 1, 2, … 6 gives 1, 0.6309" in str(card)
    assert nd.which(always_half).verdict == "it gives 0.5 for all lists that were tried."
    card = nd.which(right_from_four)
    assert card.status == "partly" and "2^g - 1" in card.verdict and "Not for" in str(card)


def test_a_number_that_is_printed_is_read():
    card = nd.which(prints)
    assert card.identified and card.called.endswith("its number is what it prints last")


def hundredths(grades, k=None):
    gains = [2**grade - 1 for grade in grades]
    of = lambda values: sum(value / place for place, value in enumerate(values[:k], 1))  # noqa: E731
    return 100 * of(gains) / of(sorted(gains, reverse=True)) if any(gains) else 100.0


def test_a_card_says_what_a_function_does_and_no_more():
    assert str(nd.which(hundredths, beside=["burges"])).splitlines() == [
        "hundredths: NDCG with gain 2^g - 1; discount 1/i; ideal over the list it is given.",
        "  Called with the grades in ranked order, k, as lists.",
        "  It gives percentages.",
        "  No relevant document: 100.",
        "  An empty list: 100.",
        "  A grade of 1100: an error (OverflowError: integer division result too large for a float).",
        "  No k given: the whole list.",
        "  Beside burges: [3], k = 1: 100, burges 1.",
    ]


def test_the_smallest_difference_to_a_tool_is_shown():
    card = nd.which(cuts_before_sorting, beside=["burges"])
    assert card.beside == {"burges": "Beside burges: [2, 3], k = 1: 1, burges 0.428571."}
    with pytest.raises(ValueError, match="there is no convention 'trek_eval'"):
        nd.which(cuts_before_sorting, beside=["trek_eval"])
    with pytest.raises(ValueError, match="asked by itself"):
        nd.which(cuts_before_sorting, [3, 2])


def test_a_suite_asserts_what_its_function_computes():
    nd.testing.assert_computes(like_trec_eval, "trec_eval")
    with pytest.raises(AssertionError, match=r"what trec_eval does\nsorts_in_place: NDCG with gain 2\^g"):
        nd.testing.assert_computes(sorts_in_place, "trec_eval")


def test_a_card_as_data_and_as_html():
    card = nd.which(cuts_before_sorting)
    assert str(type(card).of(json.loads(card.to_json()))) == str(card)
    assert card._repr_html_().startswith("<p><strong>cuts_before_sorting: NDCG with")


# a function of a file, in a process of its own

FILE = """
import math
import nowhere
open("made.txt", "w")
def ndcg(r, k=5):
    d = lambda x: sum(g / math.log2(i + 2) for i, g in enumerate(x))
    return d(r[:k]) / d(sorted(r[:k])[::-1])
def writes(r, k):
    open(__file__, "w")
def ends(r, k):
    import os
    os._exit(0)
class Measure:
    score = staticmethod(ndcg)
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    (tmp_path / "metrics.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "metrics.py"


def asked(capfd, *words):
    code = main(["which", *words])
    out, err = capfd.readouterr()
    return code, out or err


def test_the_command_asks_a_function_of_a_file(file, capfd):
    code, out = asked(capfd, "metrics.py:ndcg", "--beside", "burges", "--json")
    card = json.loads(out)
    assert code == 0 and card["slips"] == ["ideal-from-top-k"] and [*card["beside"]] == ["burges"]
    assert card["lines"][-2].startswith("Of the file, line 3 failed: import nowhere (ModuleNotFoundError")
    assert card["lines"][-1] == "Of the file, line 4 was not run: open('made.txt', 'w')."
    assert not (file.parent / "made.txt").exists()


def test_what_a_function_of_a_file_must_not_do(file, capfd):
    code, out = asked(capfd, "metrics.py:writes")
    assert code == 1 and "I cannot call it: PermissionError: open is refused" in out
    assert file.read_text() == FILE
    code, out = asked(capfd, "metrics.py:ends")
    assert code == 2 and "its process ended without an answer" in out


def test_wrong_use_of_a_file_is_said(file, capfd):
    assert "metrics.py has no nope: it has ndcg, writes, ends, Measure" in asked(capfd, "metrics.py:nope")[1]
    assert "no.py" in asked(capfd, "no.py:f")[1]
    assert "--beside goes with FILE:FUNCTION" in asked(capfd, "0.5", "1", "--beside", "sklearn")[1]
    assert "a function takes --beside and --json alone" in asked(capfd, "metrics.py:ndcg", "1")[1]
    assert "there is no convention 'trek'" in asked(capfd, "metrics.py:ndcg", "--beside", "trek")[1]


def test_a_file_alone_asks_what_is_named_after_ndcg(file, capfd):
    assert asked(capfd, "metrics.py")[1].startswith("metrics.py:ndcg: NDCG with gain g")
    with open(file, "a", encoding="utf-8") as more:
        more.write("\nNDCG_OF_TEN = Measure()  # no function, and last\n")
    assert asked(capfd, "metrics.py")[1].startswith("metrics.py:ndcg: NDCG with gain g")


# a text, as it is pasted into the page


def test_of_a_text_the_named_function_is_asked_and_what_is_not_run_is_said():
    text = "def dcg_at(g, k):\n    return sum(g[:k])\ndef ndcg(g):\n    return 0\nprint(1)\n"
    assert pasted(text).function == "ndcg" and "line 5 was not run: print(1)" in str(pasted(text))
    assert pasted(text + "dcg_at").function == "dcg_at"
    card = pasted(text + "nd.which(dcg_at, beside='ranx')")
    assert card.quantity == "DCG" and [*card.beside] == ["ranx"]
    with pytest.raises(ValueError, match=r"the text, line 1 cannot be read as Python 3"):
        pasted("print 'NDCG'")
    with pytest.raises(ValueError, match="it has no function; line 1 was not run: 1 / 0"):
        pasted("1 / 0")
    with pytest.raises(ValueError, match="the text has no nope: it has f"):
        pasted("def f(g):\n    return 1\nnope")


SURVEYED = {
    "The ideal is cut at the length of the list": "k beyond the list: the ideal is cut at the list.",
    "The list is cut before it is sorted": "ideal the first k returned",
    "The default of k fails": "No k given: an error",
    "It cannot run": "I cannot call it: NameError",
    "The lowest score comes first": "the lowest score at rank 1",
    "Grades that are one off": "grades that are all one lower",
    "The last document is lost": "the last one is missing",
    "The gain 2^g without the − 1": "the gain 2^grade, without - 1",
    "A rank is lost": "gives 1, 0, 1, 0.6309",
    "The logarithm of the wrong rank": "log2(i+2) with ranks counted from 1",
    "It is never divided": "DCG with gain 2^g - 1",
    "The ideal knows grade 1 alone": "I cannot tell",
    "The order of the ranking is ignored": "gives 1, 1, 1, 1, 1, 1",
    "It fails where k is the length": "I cannot call it: IndexError",
    "The guard is never true": "No relevant document: an error (ZeroDivisionError",
    "A random number": "it keeps something, or is random",
}
BOX = re.compile(r"^\*\*(.*)\.\*\* .+\n\n```\{pycell\}\n((?:.*\n)*?)```", re.MULTILINE)


def test_each_mistake_of_the_survey_is_named_in_its_box():
    boxes = dict(BOX.findall((BOOK / "reference" / "public-ndcgs.md").read_text("utf8")))
    assert [*boxes] == [*SURVEYED] == [*json.loads((BOOK / "data" / "survey.json").read_text("utf8"))["mistakes"]]
    for title, code in boxes.items():
        assert SURVEYED[title] in str(pasted(code)), f"{title}\n{pasted(code)}"
