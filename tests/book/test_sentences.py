"""Sentences of the book on real data, each with a run that could refute it, and the facts computed a second time.

Nothing here comes from ndcg_lib: the files are read, ranked as trec_eval ranks them, and valued in plain Python. The
list of sentences is book/data/sentences.yml: place, sentence, check. A check asks for more than its page computed: the
other year, another tie rule, the other variable kept fixed, the exact expectation in place of a draw.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise
from statistics import fmean, median, stdev
from typing import Any

import pytest
import yaml
from book_pages import BOOK, FRONT
from sweeps import some_of

TREC = BOOK / "data" / "trec"
SYSTEMS = sorted(f.name.removesuffix(".dl19.txt.gz") for f in TREC.glob("*.dl19.txt.gz") if "qrels" not in f.name)
FIRST_STAGE = ("bm25", "bm25-rm3", "tasb", "ada2", "splade", "repllama")
YEARS = ("dl19", "dl20")
SENTENCES = yaml.safe_load((BOOK / "data" / "sentences.yml").read_text("utf8"))
FACTS = json.loads((BOOK / "data" / "facts.json").read_text("utf8"))["facts"]


# ---- a second author: files, ranks, values ----


@cache
def grades(collection: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    with gzip.open(TREC / f"qrels.{collection}.txt.gz", "rt") as lines:
        for query, _, doc, grade in map(str.split, lines):
            found.setdefault(query, {})[doc] = int(grade)
    return found


@cache
def ranked(system: str, collection: str, ties: str = "id") -> dict[str, list[str]]:
    """By falling score; of equal ones the larger id first, as trec_eval has it, or the order of the file."""
    found: dict[str, list[tuple[float, str]]] = {}
    with gzip.open(TREC / f"{system}.{collection}.txt.gz", "rt") as lines:
        for query, _, doc, _, score, _ in map(str.split, lines):
            found.setdefault(query, []).append((float(score), doc))
    if ties == "file":
        return {q: [d for _, d in sorted(docs, key=lambda each: -each[0])] for q, docs in found.items()}
    return {q: [d for _, d in sorted(docs, reverse=True)] for q, docs in found.items()}


def dcg(of: list[float], k: int) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(of[:k], 1))


def value(docs: list[str], judged: dict[str, int], k: int = 10, gain: Callable[[int], float] = float) -> float:
    ideal = dcg(sorted((gain(max(g, 0)) for g in judged.values()), reverse=True), k)
    return dcg([gain(max(judged.get(d, 0), 0)) for d in docs[:k]], k) / ideal if ideal else 0.0


@cache
def values(system: str, year: str, k: int = 10, ties: str = "id", exponential: bool = False) -> list[float]:
    gain = (lambda g: 2.0**g - 1) if exponential else float
    found = ranked(system, year, ties)
    return [value(found.get(q, []), judged, k, gain) for q, judged in grades(year).items()]


def mean(*of: Any, **choices: Any) -> float:
    return fmean(values(*of, **choices))


def leads(one: str, other: str, year: str, k: int = 10) -> list[float]:
    return [a - b for a, b in zip(values(one, year, k), values(other, year, k), strict=True)]


def p_value(lead: list[float], games: int = 20_000) -> float:
    """By coins, two-sided."""
    coins, size = random.Random(3), abs(sum(lead)) - 1e-12
    bits = (coins.getrandbits(len(lead)) for _ in range(games))
    return sum(abs(sum(-x if b >> i & 1 else x for i, x in enumerate(lead))) >= size for b in bits) / games


# ---- the checks ----

CHECKS: dict[str, Callable[[], bool]] = {}


def check(one: Callable[[], bool]) -> Callable[[], bool]:
    CHECKS[one.__name__] = one
    return one


@check
def three_questions_decide() -> bool:
    lead = sorted(leads("splade", "tasb", "dl19"))
    return sum(lead) > 0 > sum(lead[:-3]) and sum(sorted(lead)[:-2]) < sum(lead) / 2


@check
def pairs_need_fewer_questions() -> bool:
    """The variance of a difference of means over other questions, beside that over the same ones."""
    ratio = [
        (stdev(values("splade", y)) ** 2 + stdev(values("tasb", y)) ** 2) / stdev(leads("splade", "tasb", y)) ** 2
        for y in YEARS
    ]
    return min(ratio) > 3


@check
def a_hole_at_the_largest_win() -> bool:
    lead = leads("splade", "tasb", "dl19")
    query = list(grades("dl19"))[lead.index(max(lead))]
    return not any(d in grades("dl19")[query] for d in ranked("tasb", "dl19")[query][:2])


@check
def second_year_shows_it() -> bool:
    return p_value(leads("splade", "tasb", "dl19")) > 0.3 and p_value(leads("splade", "tasb", "dl20")) < 0.05


@check
def pairs_turn() -> bool:
    """With either rule for ties as many pairs turn, give or take the one whose means are equal to three digits."""

    def turned(ties: str) -> int:
        means = {y: {s: mean(s, y, ties=ties) for s in SYSTEMS} for y in YEARS}
        return sum(
            (means["dl19"][a] < means["dl19"][b]) != (means["dl20"][a] < means["dl20"][b])
            for a, b in combinations(SYSTEMS, 2)
        )

    return turned("id") == FACTS["pairs turned"]["value"] and abs(turned("file") - turned("id")) <= 2


@check
def intervals_hold_each_other() -> bool:
    found = True
    for one, other in (("repllama", "splade"), ("splade", "tasb")):
        both = [leads(one, other, y) for y in YEARS]
        for here, there in (both, both[::-1]):
            found &= abs(fmean(there) - fmean(here)) < 2.0 * stdev(here) / len(here) ** 0.5
    return found


@check
def first_year_had_to_be_lucky() -> bool:
    lead = leads("splade", "tasb", "dl19") + leads("splade", "tasb", "dl20")
    need = (2.8 * stdev(lead) / fmean(lead)) ** 2
    return need > 2 * 43


@check
def spread_of_pairs() -> bool:
    spread = [stdev(leads(a, b, "dl19")) for a, b in combinations(SYSTEMS, 2)]
    return (min(spread), max(spread)) == pytest.approx((FACTS["sd least"]["value"], FACTS["sd most"]["value"]))


@check
def variants_are_the_cheap_end() -> bool:
    """In both years, the runs of one program differ less from each other than the median pair does."""
    same = [s for s in SYSTEMS if "gpt35" in s]
    return all(
        max(stdev(leads(a, b, y)) for a, b in combinations(same, 2))
        < median(stdev(leads(a, b, y)) for a, b in combinations(SYSTEMS, 2))
        for y in YEARS
    )


@check
def best_of_five_is_luck() -> bool:
    same = [s for s in SYSTEMS if "gpt35" in s]
    ps = sorted(p_value(leads(a, b, "dl19")) for a, b in combinations(same, 2))
    return ps[0] < 0.05 < ps[0] * len(ps)


@check
def each_choice_changes_something() -> bool:
    ahead = [mean("splade", "dl20", k) > mean("repllama", "dl20", k) for k in (5, 10, 20)]
    with_gain = mean("splade", "dl20", exponential=True) > mean("repllama", "dl20", exponential=True)
    ties = mean("repllama", "dl19") != mean("repllama", "dl19", ties="file")
    return ahead == [False, True, True] and not with_gain and ties and mean("bm25", "covid") - _beir("bm25") > 0.002


def _beir(system: str) -> float:
    found = ranked(system, "covid")
    return fmean(value(found.get(q, []), judged) for q, judged in grades("covid-beir").items())


@check
def chosen_by_one_of_two() -> bool:
    """In both years: the lead is largest where SPLADE was chosen by, smallest where TAS-B was, between with both."""
    found = True
    for year in YEARS:
        a, b = values("tasb", year), values("splade", year)
        by = [fmean(y - x for x, y in zip(a, b, strict=True) if keep(x, y))
              for keep in (lambda x, y: x > 0.5, lambda x, y: x + y > 1, lambda x, y: y > 0.5)]  # fmt: skip
        found &= by[0] < by[1] < by[2]
    return found


@check
def neighbours_are_alike() -> bool:
    """In every system and year: a relevant result stands beside a relevant one more often than anywhere."""

    def holds(system: str, year: str) -> bool:
        found = [
            [grades(year)[q].get(d, 0) > 0 for d in docs[:10]]
            for q, docs in ranked(system, year).items()
            if q in grades(year)
        ]
        beside = [b for row in found for a, b in pairwise(row) if a]
        return fmean(beside) > fmean(x for row in found for x in row)

    return all(holds(s, y) for s in SYSTEMS for y in YEARS)


@check
def p_depends_on_k() -> bool:
    return p_value(leads("splade", "tasb", "dl19")) > 0.3 and p_value(leads("splade", "tasb", "dl19", 20)) < 0.05


@check
def generous_below_stingy_above() -> bool:
    """Of the questions as well, and not only of all pairs together."""
    people, machine = grades("rag25-a"), grades("rag25-umbrela")
    up = [fmean(machine[q][d] > 0 for d, g in of.items() if g == 0) for q, of in people.items() if 0 in of.values()]
    down = [fmean(machine[q][d] < 4 for d, g in of.items() if g == 4) for q, of in people.items() if 4 in of.values()]
    return median(up) > 1 / 4 and median(down) > 1 / 2


@check
def the_judge_praises_its_own() -> bool:
    """A list sorted by the judge's grades: how far its own value lies above that of people."""
    people, machine = grades("rag25-a"), grades("rag25-umbrela")
    praise = []
    for q in people:
        docs = sorted(people[q], key=lambda d: (machine[q][d], d), reverse=True)
        praise.append(value(docs, machine[q]) - value(docs, people[q]))
    return min(praise) > 0 and fmean(praise) > 0.2


@check
def judged_shares() -> bool:
    def share(system: str) -> float:
        return fmean(d in grades("dl19")[q] for q in grades("dl19") for d in ranked(system, "dl19")[q][:10])

    newer = [share(s) for s in ("tasb", "ada2", "splade", "repllama")]
    return share("bm25") == 1 and max(newer) < 0.95 and round(10 * share("tasb")) == 9


@check
def condensed_lists_flatter_the_newer() -> bool:
    def gained(system: str) -> float:
        judged = grades("dl19")
        short = fmean(value([d for d in ranked(system, "dl19")[q] if d in judged[q]], judged[q]) for q in judged)
        return short - mean(system, "dl19")

    return min(gained(s) for s in ("tasb", "ada2", "splade", "repllama")) > max(gained(s) for s in ("bm25", "bm25-rm3"))


@check
def losing_by_lot_costs_less() -> bool:
    """Each system, each year, each list thinned twenty times."""
    lots = random.Random(11)
    for system in SYSTEMS:
        for year in YEARS:
            thin = [
                value([d for d in ranked(system, year)[q] if lots.random() < 0.9], judged)
                for _ in range(20) for q, judged in grades(year).items()
            ]  # fmt: skip
            if not 0 < 1 - fmean(thin) / mean(system, year) < 0.1:
                return False
    return True


@check
def what_moves_up_has_four_fifths() -> bool:
    """The grades of ranks 11 and 12 beside those of the first ten: SPLADE's in both years, no system's are as good."""

    def share(system: str, year: str) -> float:
        def grade_at(ranks: slice) -> float:
            return fmean(of.get(d, 0) for q, of in grades(year).items() for d in ranked(system, year)[q][ranks])

        return grade_at(slice(10, 12)) / grade_at(slice(0, 10))

    return all(abs(share("splade", y) - 0.8) < 0.05 for y in YEARS) and all(
        0.5 < share(s, y) < 0.9 for s in SYSTEMS for y in YEARS
    )


@check
def only_the_first_ten_and_the_ideal() -> bool:
    """Where the value stays, so do the grades that it sees; where it moves, one of them has."""
    for q, of in grades("covid").items():
        beir, docs = grades("covid-beir").get(q, {}), ranked("bm25", "covid")[q]
        seen = [
            ([max(j.get(d, 0), 0) for d in docs[:10]], sorted((max(g, 0) for g in j.values()), reverse=True)[:10])
            for j in (of, beir)
        ]
        if (abs(value(docs, of) - value(docs, beir)) > 1e-12) and seen[0] == seen[1]:
            return False
    return True


@check
def the_copy_changes_the_lead() -> bool:
    return _beir("splade") - _beir("bm25") > mean("splade", "covid") - mean("bm25", "covid") > 0


@check
def repllama_is_best_or_close() -> bool:
    """With either rule for ties: the best in 2019, and within 0.0003 of the best in 2020."""
    for ties in ("id", "file"):
        of = {y: {s: mean(s, y, ties=ties) for s in FIRST_STAGE} for y in YEARS}
        if max(of["dl19"], key=of["dl19"].__getitem__) != "repllama":
            return False
        if max(of["dl20"].values()) - of["dl20"]["repllama"] > 0.0003:
            return False
    return mean("splade", "dl20") > mean("repllama", "dl20")


def expected(ranks: range, sample: int, films: int = 10_000) -> float:
    """The mean NDCG@10 over these ranks when so many other films are drawn: no lot, the hypergeometric distribution."""

    def log_choose(n: int, m: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)

    whole, total = log_choose(films - 1, sample), 0.0
    for rank in ranks:
        above, below = rank - 1, films - rank
        for j in range(max(0, sample - below), min(9, above, sample) + 1):
            total += math.exp(log_choose(above, j) + log_choose(below, sample - j) - whole) / math.log2(j + 2)
    return total / len(ranks)


def _gap(sample: int) -> float:
    a = 0.3 * expected(range(1, 11), sample) + 0.7 * expected(range(1_000, 10_001, 15), sample)
    return a - expected(range(20, 201, 3), sample)


@check
def the_better_wins_from_about_700() -> bool:
    return _gap(600) < 0 < _gap(800) and all(_gap(m) < 0 for m in (10, 30, 100, 300))


@check
def the_reversal_is_no_noise() -> bool:
    return _gap(100) < -0.05


@check
def time_is_a_straight_line() -> bool:
    measured = json.loads((BOOK / "data" / "scale.json").read_text("utf8"))
    for way in {each["way"] for each in measured}:
        per_row = [each["cpu"] / each["rows"] for each in measured if each["way"] == way and each["rows"] >= 10]
        if max(per_row) > 1.5 * min(per_row):
            return False
    return True


@cache
def _engines() -> tuple[dict[str, Any], dict[str, Any]]:
    """Our own engines' lists, and both judges' grades as they stand in their files."""
    import search

    def judge(name: str) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for line in (BOOK / "data" / "search" / f"qrels-{name}.txt").read_text("utf8").splitlines():
            query, _, doc, grade = line.split()
            found.setdefault(query, {})[doc] = int(grade)
        return found

    lists = {
        n: {q: sorted(s, key=lambda d: (-s[d], d)) for q, s in search.run(n).items()}
        for n in (search.FORMER, *search.RANKERS)
    }
    return lists, {name: judge(name) for name in "ab"}


def _ours(engine: str, judged: dict[str, dict[str, float]]) -> dict[str, float]:
    lists = _engines()[0][engine]
    return {q: value(lists.get(q, []), of, 5) for q, of in judged.items() if any(of.values())}


def _both() -> dict[str, dict[str, float]]:
    a, b = _engines()[1]["a"], _engines()[1]["b"]
    return {q: {d: (a[q][d] + b[q][d]) / 2 for d in a[q]} for q in a}


@check
def either_judge_alone_gives_one_order() -> bool:
    lists, judges = _engines()
    orders = [sorted(lists, key=lambda n: -fmean(_ours(n, judges[j]).values())) for j in "ab"]
    import search

    return orders[0] == orders[1] and orders[0][0] == search.BEST


@check
def choosing_flatters() -> bool:
    """Over five hundred ways to halve the questions, the chosen engine has more where it was chosen."""
    lots, engines = random.Random(5), [n for n in _engines()[0] if n != "former"]
    of = {n: _ours(n, _both()) for n in engines}
    queries, gap = list(of[engines[0]]), []
    for _ in range(500):
        lots.shuffle(queries)
        here, there = queries[::2], queries[1::2]
        chosen = max(engines, key=lambda n: sum(of[n][q] for q in here))
        gap.append(fmean(of[chosen][q] for q in here) - fmean(of[chosen][q] for q in there))
    return fmean(gap) > 0


@check
def silence_and_tops_are_a_part() -> bool:
    """What the silent questions bring of the gain, and what is left of it when whole pages are found."""
    import search

    lists, both = _engines()[0], _both()
    new, old = (_ours(n, both) for n in (search.BEST, search.FORMER))
    gain = sum(new.values()) - sum(old.values())
    silent = sum(new[q] - old[q] for q in new if not lists[search.FORMER].get(q)) / gain

    def by_page(engine: str, q: str) -> float:
        best: dict[str, float] = {}
        for section, grade in both[q].items():
            page = section.partition("#")[0]
            best[page] = max(best.get(page, 0.0), grade)
        return value(list(dict.fromkeys(s.partition("#")[0] for s in lists[engine].get(q, []))), best, 5)

    left = sum(by_page(search.BEST, q) - by_page(search.FORMER, q) for q in new) / gain
    return 0 < silent < 0.5 and 0.4 < left < 0.9


# ---- the list ----

SLOW = {"losing_by_lot_costs_less", "best_of_five_is_luck", "either_judge_alone_gives_one_order"}
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
COMPUTED = re.compile(r"\{(eval|printed)\}`[^`]*`")
HELD = re.compile(r"\s*\{holds\}`[^`]*`")


def plain(text: str) -> str:
    """The words of a page on one line, with … for what is computed, and no marks."""
    text = LINK.sub(r"\1", COMPUTED.sub("…", HELD.sub("", FRONT.sub("", text))))
    return " ".join(re.sub(r"[*`]", "", text).split())


@pytest.mark.parametrize("one", SENTENCES, ids=lambda one: one["check"])
def test_each_sentence_stands_in_its_page(one: dict[str, str]) -> None:
    text = plain((BOOK / f"{one['place']}.md").read_text("utf8"))
    assert plain(one["sentence"]) in text, (
        f"{one['place']}.md no longer says this: change sentences.yml; does {one['check']} still ask that?"
    )


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n in SLOW else ()) for n in CHECKS])
def test_no_sentence_is_refuted(name: str) -> None:
    assert CHECKS[name](), f"a sentence of the book does not hold: {[s for s in SENTENCES if s['check'] == name]}"


def test_each_check_has_a_sentence() -> None:
    assert {one["check"] for one in SENTENCES} == CHECKS.keys()


@pytest.mark.parametrize("name", some_of([n for n in FACTS if n.startswith("ndcg@10") and "covid-" not in n], 4))
def test_a_fact_is_what_a_second_author_computes(name: str) -> None:
    _, system, collection = name.split()
    assert mean(system, collection) == pytest.approx(FACTS[name]["value"], abs=1e-9)


def test_leads_and_their_spread_are_what_a_second_author_computes() -> None:
    for one, other in (("splade", "tasb"), ("repllama", "splade")):
        both = []
        for year in YEARS:
            lead = leads(one, other, year)
            both += lead
            assert fmean(lead) == pytest.approx(FACTS[f"lead {one} {other} {year}"]["value"])
            assert stdev(lead) == pytest.approx(FACTS[f"sd {one} {other} {year}"]["value"])
        for size in ("0.05", "0.02", "0.01", "0.001"):
            needed = (2.8 * stdev(both) / float(size)) ** 2
            assert needed == pytest.approx(FACTS[f"questions {one} {other} {size}"]["value"])


@pytest.mark.sweep
def test_p_values_are_what_a_second_author_tosses() -> None:
    for name, each in FACTS.items():
        if name.startswith("p "):
            p = p_value(leads(*name.split()[1:]), 40_000)
            assert abs(p - each["value"]) < 4 * (p * (1 - p) / 40_000) ** 0.5 + 4 * each["noise"] + 1e-4


def test_pairs_of_people_and_machine() -> None:
    people, machine = grades("rag25-a"), grades("rag25-umbrela")
    pairs = [(g, machine[q][d]) for q, of in people.items() for d, g in of.items()]
    assert len(pairs) == FACTS["rag pairs"]["value"]
    assert fmean(a == b for a, b in pairs) == pytest.approx(FACTS["rag same"]["value"])
    assert fmean(abs(a - b) <= 1 for a, b in pairs) == pytest.approx(FACTS["rag near"]["value"])
    first, second = ([pair[i] for pair in pairs] for i in (0, 1))
    by_luck = fmean(a * a for a in first) + fmean(b * b for b in second) - 2 * fmean(first) * fmean(second)
    assert 1 - fmean((a - b) ** 2 for a, b in pairs) / by_luck == pytest.approx(FACTS["rag kappa"]["value"])


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "shared"), [("made tau", 0), ("made tau shared", 10)])
def test_made_systems_are_ranked_alike_by_a_second_author(name: str, shared: int) -> None:
    people, machine, lots, found = grades("rag25-a"), grades("rag25-umbrela"), random.Random(8), []
    for _ in range(15):
        means: list[tuple[float, float]] = []
        asked = lots.choices(list(people), k=len(people))
        for number in range(30):
            loud, basis = lots.uniform(1, 6), machine if number < shared else people
            lists = [sorted(basis[q], key=lambda d, of=basis[q], n=loud: -of[d] - lots.gauss(0, n)) for q in asked]
            by = [
                fmean(value(docs, each[q]) for docs, q in zip(lists, asked, strict=True)) for each in (people, machine)
            ]
            means.append((by[0], by[1]))
        signs = [(a - c) * (b - d) for (a, b), (c, d) in combinations(means, 2)]
        found.append(fmean((each > 0) - (each < 0) for each in signs))
    assert abs(fmean(found) - FACTS[name]["value"]) < 4 * (stdev(found) / len(found) ** 0.5 + FACTS[name]["noise"])
