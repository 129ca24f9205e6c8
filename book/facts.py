"""The measured facts: what the pages say of real runs in more than one place, computed once, by one convention.

    PYTHONPATH=. python book/facts.py            # computes them anew (two minutes), and writes data/facts.json

A page quotes a fact by its name, `fact("ndcg@10 splade dl20")`, and computes none of them itself. A fact is a float;
where it was drawn by lot it has its standard error as `noise`, and where it is an estimate its 95 % `interval`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("data") / "facts.json"
CONVENTION = "trec_eval"
TOLD = "*NDCG@10 by the convention `trec_eval`: linear gain, equal scores by id, silence counts 0.*"
"""What stands under a table of them."""


class Fact(float):
    """A measured value that knows what it is."""

    noise: float | None = None
    interval: tuple[float, float] | None = None
    what: str = ""


def fact(name: str) -> Fact:
    """A fact by its name.

    >>> round(fact("ndcg@10 splade dl20"), 4)
    0.7197
    """
    known = _stored()
    if name not in known:
        raise ValueError(f"there is no fact {name!r}: data/facts.json has their names, book/facts.py computes them")
    entry = known[name]
    found = Fact(entry["value"])
    found.noise, found.what = entry.get("noise"), entry["what"]
    found.interval = tuple(entry["interval"]) if "interval" in entry else None
    return found


def names() -> list[str]:
    """The names of all facts."""
    return list(_stored())


@cache
def _stored() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(FILE.read_text("utf8"))["facts"]
    return facts


# ---- computing them: nothing below runs when a page is read ----

TOSSES, GAMES, SIZE = 2_000_000, 400, 0.01
ONE_OF_EACH = ("gpt35-2", "gpt35-3", "gpt35-4", "gpt35-5")


def _entry(what: str, value: float, **more: Any) -> dict[str, Any]:
    return {"value": float(value), **more, "what": what}


def _by_luck(leads: np.ndarray) -> Iterator[tuple[float, float]]:
    """The p-value of each column by tossed coins, and its standard error."""
    random, extreme = np.random.default_rng(20), np.zeros(leads.shape[1])
    size = abs(leads.sum(axis=0)) * (1 - 1e-10)
    for _ in range(100):
        extreme += (abs(random.choice([-1.0, 1.0], (TOSSES // 100, len(leads))) @ leads) >= size).sum(axis=0)
    p = (extreme + 1) / (TOSSES + 1)
    return zip(p.tolist(), np.sqrt(p * (1 - p) / TOSSES).tolist(), strict=True)


def _of_runs() -> Iterator[tuple[str, dict[str, Any]]]:
    from trec import SYSTEMS, qrels, run

    import ndcg_lib as nd
    from ndcg_lib.comparison.significance import holm

    values = {}
    for year in ("dl19", "dl20"):
        for system in SYSTEMS:
            found = nd.evaluate(qrels(year), run(system, year), 10, convention=CONVENTION)
            values[system, year] = np.array(list(found.per_query().values()))
            yield f"ndcg@10 {system} {year}", _entry(f"mean NDCG@10 of {system} on {year}", found["ndcg@10"])
            share = nd.evaluate(qrels(year), run(system, year), measures="judged@10", ties="id-descending")["judged@10"]
            yield (
                f"judged@10 {system} {year}",
                _entry(f"share of its first ten with a grade, {system} on {year}", share),
            )
    for system in ("bm25", "splade"):
        for copy in ("covid", "covid-beir"):
            value = nd.evaluate(qrels(copy), run(system, "covid"), 10, convention=CONVENTION)["ndcg@10"]
            yield (
                f"ndcg@10 {system} {copy}",
                _entry(f"mean NDCG@10 of {system} on TREC-COVID with the judgements {copy}", value),
            )
    pairs = [(one, other) for i, one in enumerate(SYSTEMS) for other in SYSTEMS[i + 1 :]]
    leads = {year: np.array([values[a, year] - values[b, year] for a, b in pairs]).T for year in ("dl19", "dl20")}
    leads["both"] = np.concatenate([leads["dl19"], leads["dl20"]])
    turned = (np.sign(leads["dl19"].mean(axis=0)) != np.sign(leads["dl20"].mean(axis=0))).sum()
    yield "pairs turned", _entry("pairs of systems with another winner in 2020 than in 2019", turned)
    spread = leads["dl19"].std(axis=0, ddof=1)
    for name, value in (("least", spread.min()), ("most", spread.max())):
        yield f"sd {name}", _entry(f"{name} standard deviation of the differences of a pair on dl19", value)
        yield (
            f"questions {name}",
            _entry(f"questions that show a lead of {SIZE} with it, (2.8 sd / {SIZE})²", (2.8 * value / SIZE) ** 2),
        )
    p = {year: list(_by_luck(each)) for year, each in leads.items() if year != "both"}
    raw = np.array([each[0] for each in p["dl19"]])
    yield "pairs shown", _entry("pairs of systems with p < 0.05 on dl19", (raw < 0.05).sum())
    yield "pairs shown Holm", _entry("the same, with Holm's correction", (holm(raw) < 0.05).sum())
    for one, other in (("splade", "tasb"), ("repllama", "splade")):
        at = pairs.index((one, other)) if (one, other) in pairs else pairs.index((other, one))
        sign = 1 if pairs[at] == (one, other) else -1
        for year, each in leads.items():
            lead = sign * each[:, at]
            yield f"lead {one} {other} {year}", _entry(f"mean lead of {one} over {other}, {year}", lead.mean())
            yield f"sd {one} {other} {year}", _entry("its standard deviation over questions", lead.std(ddof=1))
        for year, each in p.items():
            yield f"p {one} {other} {year}", _entry("its two-sided p-value by coins", each[at][0], noise=each[at][1])
        lead = leads["both"][:, at]
        for size in (0.05, 0.02, SIZE, 0.001):
            needed = (2.8 * lead.std(ddof=1) / size) ** 2
            yield (
                f"questions {one} {other} {size:g}",
                _entry(f"questions that show a lead of {size:g} between them, both years", needed),
            )


def _of_judges() -> Iterator[tuple[str, dict[str, Any]]]:
    """People beside a language model on the pairs of TREC RAG 2025: by pairs, and by systems."""
    from trec import qrels

    import ndcg_lib as nd

    people, machine = nd.read_qrels(qrels("rag25-a")), nd.read_qrels(qrels("rag25-umbrela"))
    p, m = (np.array([each[q][d] for q in people for d in people[q]], dtype=int) for each in (people, machine))
    seen = np.zeros((5, 5))
    np.add.at(seen, (p, m), 1)
    apart = np.subtract.outer(range(5), range(5)) ** 2
    kappa = 1 - (apart * seen).sum() / (apart * np.outer(seen.sum(1), seen.sum(0)) / len(p)).sum()
    yield "rag pairs", _entry("pairs of a question and a passage that both graded", len(p))
    yield "rag same", _entry("share of the pairs with the same grade", (p == m).mean())
    yield "rag near", _entry("share at most one step apart", (abs(p - m) <= 1).mean())
    yield "rag kappa", _entry("their kappa with squared weights", kappa)

    yield from _of_made_systems(people, machine)
    yield from _of_the_game(p, m)


def _of_made_systems(people: Any, machine: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Systems that we make: each sorts the judged passages by a grade and a noise of its own, from little to much."""
    import ndcg_lib as nd

    def tau(one: np.ndarray, other: np.ndarray) -> float:
        first, second = np.triu_indices(len(one), 1)
        return float((np.sign(one[first] - one[second]) * np.sign(other[first] - other[second])).mean())

    graded = [(np.array(list(people[q].values())), np.array([machine[q][d] for d in people[q]])) for q in people]
    for name, shared, what in (
        ("made tau", 0, "tau of 30 made systems by both sets of judgements, mistakes of their own"),
        ("made tau shared", 10, "the same, when a third of the systems sort by the judge's grades instead of people's"),
    ):
        random, found = np.random.default_rng(25), []
        for _ in range(GAMES):
            loud = random.uniform(1, 6, 30)  # how much noise hides the grade
            asked = random.integers(0, len(graded), len(graded))  # questions drawn with repeats
            by = []
            for of_people, of_machine in (graded[q] for q in asked):
                basis = np.tile(of_people.astype(float), (30, 1))
                basis[:shared] = of_machine
                scores = basis + random.normal(size=basis.shape) * loud[:, None]
                by.append([nd.ndcg_scores(np.tile(g, (30, 1)), scores, 10) for g in (of_people, of_machine)])
            means = np.nanmean(by, axis=0)
            found.append(tau(*means))
        yield (
            name,
            _entry(
                what,
                np.mean(found),
                noise=float(np.std(found) / GAMES**0.5),
                interval=np.percentile(found, [2.5, 97.5]).tolist(),
            ),
        )


def _of_the_game(p: np.ndarray, m: np.ndarray) -> Iterator[tuple[str, dict[str, Any]]]:
    """Eleven real systems, whose judgements are exchanged for such as the model might have given."""
    from trec import SYSTEMS, qrels, run

    import ndcg_lib as nd

    judged = nd.read_qrels(qrels("dl19"))
    systems = [s for s in SYSTEMS if not s.endswith(ONE_OF_EACH)]
    of_four = np.zeros((4, 4))
    np.add.at(of_four, (np.minimum(p, 3), np.minimum(m, 3)), 1)
    steps = (of_four / of_four.sum(1, keepdims=True)).cumsum(1)
    longest = max(map(len, judged.values()))
    grades = np.array([[*docs.values(), *[0] * (longest + 1 - len(docs))] for docs in judged.values()])
    blank = np.array([[i >= len(d) for i in range(longest + 1)] for d in judged.values()])
    place = {q: {d: i for i, d in enumerate(docs)} for q, docs in judged.items()}
    at = {}
    for s in systems:
        ranked = nd.read_run(run(s, "dl19"))
        tops = {q: sorted(docs, key=lambda d, docs=docs: (docs[d], d), reverse=True)[:10] for q, docs in ranked.items()}
        at[s] = np.array([[place[q].get(d, longest) for d in tops[q]] for q in judged])

    def means(grades: np.ndarray) -> np.ndarray:
        rows = np.arange(len(grades))[:, None]
        return np.array([nd.ndcg(grades[rows, at[s]], 10, judged=grades).mean() for s in systems])

    random, true, kept, won = np.random.default_rng(0), means(grades), [], []
    first, second = np.triu_indices(len(systems), 1)
    for _ in range(GAMES):
        drawn = means(np.where(blank, 0, (random.random(grades.shape)[..., None] > steps[grades.astype(int)]).sum(-1)))
        kept.append(((true[first] > true[second]) == (drawn[first] > drawn[second])).mean())
        won.append(drawn.argmax() == true.argmax())
    yield "game systems", _entry("real systems in the game of drawn judgements", len(systems))
    yield (
        "game kept",
        _entry("share of their pairs that keep their order", np.mean(kept), noise=float(np.std(kept) / GAMES**0.5)),
    )
    yield (
        "game won",
        _entry(
            "share of the draws in which the best stays the best", np.mean(won), noise=float(np.std(won) / GAMES**0.5)
        ),
    )


def _of_files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Bytes of a row as zstd Parquet: of each run of the book, and of three million rows with ids and scores by lot."""
    import tempfile

    import pyarrow as pa
    from pyarrow import parquet
    from trec import FOLDER

    import ndcg_lib as nd

    def weight(**columns: Any) -> float:
        with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
            parquet.write_table(pa.table(columns), file.name, compression="zstd")
            return Path(file.name).stat().st_size / len(columns["doc"])

    found = []
    for file in sorted(FOLDER.glob("*.gz")):
        if not file.name.startswith("qrels"):
            rows = [(q, d, s) for q, docs in nd.read_run(str(file)).items() for d, s in docs.items()]
            found.append(
                weight(**dict(zip(("query", "doc", "score"), map(list, zip(*rows, strict=True)), strict=True)))
            )
    random, n = np.random.default_rng(0), 3_000_000
    query, doc = np.arange(n, dtype=np.int32) // 1000, random.integers(0, 10_000_000, n, dtype=np.int32)
    score = -np.sort(-random.random((n // 1000, 1000)), axis=1).ravel()
    found += [weight(query=query, doc=doc, score=score.astype(kind)) for kind in (np.float32, np.float64)]
    yield "bytes least", _entry("least bytes of a row of a run as zstd Parquet", min(found))
    yield "bytes most", _entry("most bytes of a row of a run as zstd Parquet", max(found))


def compute() -> dict[str, Any]:
    """All facts anew; those of files stay as they were where pyarrow is not installed."""
    facts = {**dict(_of_runs()), **dict(_of_judges())}
    try:
        facts |= dict(_of_files())
    except ModuleNotFoundError:
        facts |= {name: each for name, each in _stored().items() if name.startswith("bytes")}
    return {"convention": CONVENTION, "facts": facts}


if __name__ == "__main__":
    FILE.write_text(json.dumps(compute(), indent=1, ensure_ascii=False) + "\n", "utf8")
    sys.stdout.write(f"{FILE.name}: {len(json.loads(FILE.read_text('utf8'))['facts'])} facts\n")
