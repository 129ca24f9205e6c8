"""The gate: its test by other means and on real differences, what it must notice, and a year of commits."""

from __future__ import annotations

import gzip
import json
import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_differences import COMMITS, MEASURES, asked, commits, drawn, populations, typical
from scipy import optimize, stats
from sweeps import draws

import ndcg_lib as nd
from ndcg_lib.commands.cli import main
from ndcg_lib.comparison.gate import gate
from ndcg_lib.comparison.loss import blind, loss, needed, seen
from ndcg_lib.comparison.significance import one_sided
from ndcg_lib.runs.saved import as_baseline, measured, opened

ALPHA = 0.05


# ---- the test of a loss, beside scipy ----


def hall(values: Any, mean: float) -> float:
    """Hall's t of a mean, from scipy's moments."""
    n, t = len(values), (np.mean(values) - mean) / stats.sem(values)
    g = stats.skew(values) / math.sqrt(n)
    return float(t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6)


many_values = st.lists(st.sampled_from([-1.0, -0.5, -0.3, -0.02, 0.01, 0.1, 0.4, 1.0]), min_size=20, max_size=60)


@draws(25)
@given(many_values.filter(lambda each: len(set(each)) > 2), st.sampled_from([0.01, 0.05, 0.2]))
def test_a_loss_lies_between_the_bounds_that_students_and_halls_tests_leave(values: list[float], limit: float) -> None:
    found = loss(np.array(values), limit, 0.7)
    student, critical = stats.t(len(values) - 1), stats.t(len(values) - 1).isf(ALPHA)
    low = optimize.brentq(lambda mean: hall(values, mean) - critical, -50, 50)
    high = optimize.brentq(lambda mean: hall(values, mean) + critical, -50, 50)
    assert found.low == pytest.approx(min(low, np.mean(values) - critical * stats.sem(values)), abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)
    t = (np.mean(values) + limit) / stats.sem(values)
    assert found.p_within == pytest.approx(max(student.sf(t), student.sf(hall(values, -limit))), abs=1e-9)
    assert found.p_beyond == pytest.approx(student.cdf(hall(values, -limit)), abs=1e-9)


@pytest.mark.parametrize(("values", "added"), [([0.0] * 50, True), ([0.0] * 40 + [-0.1] * 19, True), ([0.1] * 30, True),
                                               ([0.0] * 20 + [0.1, -0.1] * 10, False)])  # fmt: skip
def test_where_few_queries_moved_one_more_that_loses_all_must_be_borne(values: list[float], added: bool) -> None:
    with_one = one_sided(np.array([*values, -0.7]), ALPHA)[0]
    assert (loss(np.array(values), 0.02, 0.7).low <= with_one + 1e-12) is added


def test_what_so_many_queries_can_show_is_what_the_test_does() -> None:
    for n in (20, 54, 200):
        least = blind(n, 0.7)
        assert loss(np.zeros(n), least, 0.7).p_within == pytest.approx(ALPHA, abs=1e-9)
    assert needed(0.02, 0.12, 0.7) == next(n for n in range(2, 999) if seen(n, 0.12, 0.7) <= 0.02)
    assert seen(1, 0.1, 0.7) == math.inf and loss(np.array([0.5]), 0.1, 0.7).low == -math.inf


# ---- what keeps its level on real differences ----


def shares(measure: str, kind: str, limit: float, mean: float, samples: int, n: int, draw: Any) -> tuple[float, float]:
    """Of samples with a true mean, how many are called not worse, and worse."""
    found = [loss(each, limit, typical(measure)) for each in drawn(measure, kind, mean, samples, n, draw)]
    return float(np.mean([f.low > -limit for f in found])), float(np.mean([f.p_beyond <= ALPHA for f in found]))


@pytest.mark.parametrize(("n", "samples"), [
    (25, 40), *(pytest.param(n, 1000, marks=pytest.mark.sweep) for n in (10, 25, 100, 1000)),
])  # fmt: skip
def test_a_loss_at_the_limit_is_seldom_called_one_or_the_other(n: int, samples: int) -> None:
    """24 populations of real differences with a true loss exactly at the limit: either word is wrong."""
    draw = np.random.default_rng(n)
    cases = [(m, kind, limit) for m in MEASURES for kind in populations(m) for limit in (0.01, 0.02, 0.05)]
    called = np.array([shares(m, kind, limit, -limit, samples, n, draw) for m, kind, limit in cases])
    chance = 2.6 * math.sqrt(0.08 * 0.92 / samples)
    assert len(called) == 24 and (called.mean(axis=0) <= 0.06).all()
    assert (called.max(axis=0) <= 0.08 + chance).all(), dict(zip(cases, called.tolist(), strict=True))


@pytest.mark.sweep
def test_a_harmless_change_passes_as_often_as_is_said_when_the_baseline_is_made() -> None:
    draw = np.random.default_rng(4)
    for measure in MEASURES:
        for kind, made in populations(measure).items():
            atoms, weights = made(0.0)
            sd, share = math.sqrt(weights @ atoms**2), float(weights[abs(atoms) > 1e-12].sum())
            n = needed(0.05, sd, typical(measure), share)
            assert shares(measure, kind, 0.05, 0.0, 400, n, draw)[0] > 0.7, (measure, kind, n)


@pytest.mark.sweep
@pytest.mark.parametrize(("n", "alarms", "missed"), [(50, 4.0, 1.5), (200, 1.0, 0.2), (1000, 0.1, 0.1)])
def test_a_year_of_commits(n: int, alarms: float, missed: float) -> None:
    """Of 250 commits 235 are allowed; what the gate blocks of them, and lets through of the others."""
    draw, limit = np.random.default_rng(11), 0.02
    wrong = {True: 0.0, False: 0.0}
    for many, _, kind, mean in COMMITS:
        blocked = [asked(d, kind, limit).exit() != 0 for d in commits(kind, mean, 200, n, draw)]
        allowed, share = mean >= -limit, float(np.mean(blocked))
        wrong[allowed] += many * (share if allowed else 1 - share)
    assert wrong[True] <= alarms and wrong[False] <= missed, wrong


# ---- what must be noticed before any mean ----

DOCUMENTS = [f"d{at}" for at in range(40)]
random_ = random.Random(8)
QRELS = {f"q{at}": {d: random_.choice([0, 0, 1, 2, 3]) for d in random_.sample(DOCUMENTS, 24)} for at in range(60)}
RUN = {q: {d: round(20 - at * 0.37, 2) for at, d in enumerate(random_.sample(DOCUMENTS, 25))} for q in QRELS}
LIMITS = {"ndcg@10": 0.03, "rr": 0.08}


def trec(qrels: Any, run: Any) -> tuple[str, str]:
    judged = "".join(f"{q} 0 {d} {g}\n" for q, each in qrels.items() for d, g in each.items())
    return judged, "".join(
        f"{q} Q0 {d} {at} {s} me\n" for q, each in run.items() for at, (d, s) in enumerate(each.items())
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements, a run, and its baseline."""
    made = tmp_path_factory.mktemp("gate")
    judged, returned = trec(QRELS, RUN)
    (made / "qrels.txt").write_text(judged)
    (made / "run.txt").write_text(returned)
    nd.save(as_baseline(measured(QRELS, RUN, measures=list(LIMITS)), LIMITS, ALPHA), made / "baseline.json")
    return made


def told(capsys: pytest.CaptureFixture[str], folder: Path, qrels: bytes, run: bytes, *more: str) -> tuple[int, str]:
    """What the command says of altered files."""
    (folder / "q").write_bytes(qrels)
    (folder / "r").write_bytes(run)
    code = main(["gate", str(folder / "q"), str(folder / "baseline.json"), str(folder / "r"), *more])
    out, err = capsys.readouterr()
    return code, out + err


def of_all(change: Callable[[dict[str, float], random.Random], dict[str, float]]) -> Callable[..., Any]:
    """A change of every list."""
    return lambda qrels, run, draw: (qrels, {q: change(each, draw) for q, each in run.items()})


def of_one(change: Callable[[dict[str, float], random.Random], dict[str, float]]) -> Callable[..., Any]:
    """A change of one list."""
    return lambda qrels, run, draw: (qrels, run | {q: change(run[q], draw) for q in draw.sample(list(run), 1)})


def of_run(change: Callable[[dict[str, Any], random.Random], dict[str, Any]]) -> Callable[..., Any]:
    """A change of the run."""
    return lambda qrels, run, draw: (qrels, change(run, draw))


def of_qrels(change: Callable[[dict[str, Any], random.Random], dict[str, Any]]) -> Callable[..., Any]:
    """A change of the judgements."""
    return lambda qrels, run, draw: (change(qrels, draw), run)


def first(each: dict[str, float], many: int) -> dict[str, float]:
    return dict(list(each.items())[:many])


def kept(queries: dict[str, Any], names: Any) -> dict[str, Any]:
    return {name: queries[name] for name in names}


def turned(each: dict[str, float]) -> dict[str, float]:
    """The first two in the other order."""
    names = list(each)
    return dict(zip([names[1], names[0], *names[2:]], each.values(), strict=True))


ALTERED: dict[str, tuple[Callable[..., Any], int | None, str]] = {
    # what is altered in judgements and run, the exit code (None: any), and a word that must be said
    "nothing": (lambda q, r, x: (q, r), 0, "every ranking is the baseline's"),
    "scores doubled": (of_all(lambda e, x: {d: 2 * s + 1 for d, s in e.items()}), 0, "every ranking"),
    "queries in another order": (of_run(lambda r, x: kept(r, x.sample(list(r), len(r)))), 0, "every ranking"),
    "a query lost": (of_run(lambda r, x: kept(r, x.sample(list(r), 59))), 4, "lost: 1 query of 60"),
    "queries lost": (of_run(lambda r, x: kept(r, x.sample(list(r), x.randrange(1, 58)))), 4, "lost:"),
    "the end is missing": (of_run(lambda r, x: first(r, x.randrange(2, 50))), 4, "lost:"),
    "a list cut short": (of_one(lambda e, x: first(e, x.randrange(1, 9))), 4, "short: 1 query"),
    "all lists cut": (of_all(lambda e, x: first(e, 12)), 4, "short: 60 queries"),
    "a list cut below the cut-off": (of_one(lambda e, x: first(e, 18)), None, "short: 1 query"),
    "documents with a prefix": (of_all(lambda e, x: {f"p{d}": s for d, s in e.items()}), 4, "unknown"),
    "documents of one query": (of_one(lambda e, x: {f"D-{d}": s for d, s in e.items()}), 4, "documents: 1 query"),
    "queries with a prefix": (of_run(lambda r, x: {f"p{q}": e for q, e in r.items()}), 4, "lost: 60 queries"),
    "some with zeros before": (of_run(lambda r, x: {"0" * x.randrange(2) + q: e for q, e in r.items()}), 4, "lost:"),
    "a query that nobody judged": (of_run(lambda r, x: r | {"new": r["q1"]}), 0, "not judged: 1 query"),
    "one score for all": (of_all(lambda e, x: dict.fromkeys(e, 1.0)), 4, "one score: 60"),
    "one score for some": (of_run(lambda r, x: r | {q: dict.fromkeys(r[q], 0.0) for q in x.sample(list(r), 5)}),
                           None, "one score: 5"),
    "rounded scores": (of_all(lambda e, x: {d: round(s / 3) for d, s in e.items()}), None, "lists: 60"),
    "upside down": (of_all(lambda e, x: {d: -s for d, s in e.items()}), None, "lists: 60 queries"),
    "lists exchanged": (of_run(lambda r, x: dict(zip(r, x.sample([*r.values()], 60), strict=True))), None, "lists"),
    "two neighbours exchanged": (of_one(lambda e, x: turned(e)), None, "lists: 1 query"),
    "another document far down": (of_one(lambda e, x: first(e, 24) | {"other": 0.1}), None, "lists: 1 query"),
    "a stranger at the top": (of_one(lambda e, x: {"new": 99.0, **e}), None, "lists: 1 query"),
    "a grade changed": (of_qrels(lambda q, x: q | {"q7": q["q7"] | {next(iter(q["q7"])): 4}}), 4, "judgements: 1"),
    "a judgement lost": (of_qrels(lambda q, x: q | {"q7": first(q["q7"], 23)}), 4, "judgements: 1 query"),
    "a judged query more": (of_qrels(lambda q, x: q | {"new": {"d1": 1}}), 4, "judgements: 1 query"),
    "judged queries lost": (of_qrels(lambda q, x: kept(q, x.sample(list(q), 40))), 4, "judgements: 20 queries"),
    "all grades one higher": (of_qrels(lambda q, x: {a: {d: g + 1 for d, g in e.items()} for a, e in q.items()}),
                              4, "other judgements: 60 queries"),
}  # fmt: skip


@pytest.mark.parametrize("what", ALTERED)
def test_what_is_altered_is_said(what: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, code, word = ALTERED[what]
    for seed in (1, 2):
        judged, returned = trec(*change(QRELS, RUN, random.Random(seed)))
        got, said = told(capsys, folder, judged.encode(), returned.encode())
        assert (code is None or got == code) and word in said, said
        if got == 4:
            assert re.search(r"\((q\d|new)|ids the same", said), "queries have names"


def rows(change: Callable[[list[str], random.Random], list[str]]) -> Callable[..., bytes]:
    return lambda text, draw: "".join(change(text.splitlines(keepends=True), draw)).encode()


def some(lines: list[str], draw: random.Random) -> int:
    return draw.randrange(len(lines))


SPOILT: dict[str, Callable[[str, random.Random], bytes]] = {
    "a line twice": rows(lambda lines, x: [*lines, lines[some(lines, x)]]),
    "a line gone": rows(lambda lines, x: [one for at, one in enumerate(lines) if at != len(lines) // 3]),
    "lines gone": rows(lambda lines, x: [one for one in lines if x.random() < 0.9]),
    "half a file": lambda text, x: text.encode()[: x.randrange(2000, 30000)],
    "lines shuffled": rows(lambda lines, x: x.sample(lines, len(lines))),
    "a score that is no number": rows(lambda lines, x: [*lines[:77], lines[77].replace(" me", "e me"), *lines[78:]]),
    "a column less": rows(lambda lines, x: [one.replace(" me", "") for one in lines]),
    "a byte in an id": lambda text, x: text.encode().replace(b" d7 ", b" d\xff ", 1),
    "Latin letters": lambda text, x: text.replace(" d3 ", " dé ").encode("latin-1"),
    "UTF-16": lambda text, x: text.encode("utf-16"),
    "a mark at the start": lambda text, x: b"\xef\xbb\xbf" + text.encode(),
    "Windows lines": lambda text, x: text.replace("\n", "\r\n").encode(),
    "packed": lambda text, x: gzip.compress(text.encode()),
    "packed and cut": lambda text, x: gzip.compress(text.encode())[:-x.randrange(1, 900)],
    "nothing": lambda text, x: b"",
    "capital ids": lambda text, x: text.replace(" d", " D").encode(),
    "a digit": lambda text, x: (at := x.randrange(len(text)), text[:at] + "7" + text[at + 1 :])[1].encode(),
    "scores as text": lambda text, x: text.replace(".", ",").encode(),
}  # fmt: skip


def plainly(data: bytes, file: str) -> Any:
    """What a file says, by a reader of its own: of a run the order of each query's documents, else the judgements."""
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    found: dict[bytes, list[tuple[float, bytes]]] = {}
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip() and file == "run":
            query, _, document, _, score, _ = line.split()
            found.setdefault(query, []).append((-float(score), document))
        elif line.strip():
            query, _, document, grade = line.split()
            found.setdefault(query, []).append((float(grade), document))
    return {query: [document if file == "run" else (grade, document) for grade, document in sorted(each)]
            for query, each in found.items()}  # fmt: skip


@pytest.mark.parametrize("file", ["run", "judgements"])
@pytest.mark.parametrize("what", SPOILT)
def test_no_spoilt_file_passes_in_silence(
    what: str, file: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If a plain reader finds something else in a file, so does the gate, or it refuses the file and says why."""
    texts = dict(zip(("judgements", "run"), trec(QRELS, RUN), strict=True))
    for seed in range(3):
        data = {name: text.encode() for name, text in texts.items()}
        data[file] = SPOILT[what](texts[file], random.Random(seed))
        code, said = told(capsys, folder, data["judgements"], data["run"])
        try:
            same = plainly(data[file], file) == plainly(texts[file].encode(), file)
        except (ValueError, EOFError, OSError):
            same = False
        quiet = code == 0 and said.strip().splitlines() == ["not worse: every ranking is the baseline's"]
        assert quiet == same and "Traceback" not in said and "mistake of ndcg" not in said, (seed, said)


# ---- verdicts ----


def moved_by(values: Any) -> tuple[Any, Any, Any]:
    """Judgements and two runs whose RR differs by what is asked for in each query: 0, or -0.5 (from rank 1 to 2)."""
    qrels = {f"q{at}": {"a": 1} for at in range(len(values))}
    return qrels, {query: ["a", "b", "c"] for query in qrels}, {
        q: ["b", "a", "c"] if d else ["a", "c", "b"] for q, d in zip(qrels, values, strict=True)}  # fmt: skip


def test_three_verdicts_and_their_exit_codes() -> None:
    for values, limit, verdict, codes in (
        ([0] * 400, 0.02, "not worse", (0, 0, 0)),
        ([0] * 50, 0.02, "cannot tell", (0, 0, 3)),  # 50 queries that stand still cannot show so little
        ([-1] * 3 + [0] * 47, 0.02, "cannot tell", (3, 0, 3)),
        ([-1] * 30 + [0] * 30, 0.02, "worse", (1, 1, 1)),
    ):
        answer = gate(*moved_by(values), {"rr": limit})
        assert answer.verdict == verdict, str(answer)
        assert tuple(answer.exit(unsure) for unsure in ("mean", "pass", "block")) == codes
        assert answer.as_dict()["seed"] is None and str(answer).startswith(verdict)
    assert "takes" in str(gate(*moved_by([-1] * 3 + [0] * 47), {"rr": 0.02}))
    nd.testing.assert_not_worse(*moved_by([0] * 50), {"rr": 0.02})
    with pytest.raises(AssertionError, match=r"worse: a loss is above[^\0]*lost most in rr: q0 -0\.5000"):
        nd.testing.assert_not_worse(*moved_by([-1] * 30), {"rr": 0.02})


def test_several_measures_and_slices_are_corrected_by_their_number() -> None:
    qrels, old, new = moved_by([-1] * 11 + [0] * 189)
    slices = {"broken": [f"q{at}" for at in range(14)], "fine": [f"q{at}" for at in range(14, 200)], "small": ["q3"]}
    whole, parted = gate(qrels, old, new, {"rr": 0.03}), gate(qrels, old, new, {"rr": 0.03}, slices=slices)
    assert whole.verdict != "worse" and parted.verdict == "worse", "a slice that loses a third hides in the mean"
    assert [row.place for row in parted.rows if row.verdict == "worse"] == ["rr in broken"]
    assert "slice: small has 1 query" in str(parted)
    some = gate(qrels, old, new, {"rr": 0.03}, slices=slices | {"typing": ["q1", "Q2"]})
    assert "slice: 1 query that the baseline has not (Q2)" in str(some)
    alone = {row.place: loss(row.differences, 0.03, 1.0).p_beyond for row in parted.rows}
    order = sorted(alone.values())
    for row in parted.rows:
        steps = [min(1.0, p * (len(order) - at)) for at, p in enumerate(order) if p <= alone[row.place]]
        assert row.p == pytest.approx(max(steps))


def test_a_query_that_loses_all_fails_by_itself() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(500)}
    old = {query: ["a", "b", "c"] for query in qrels}
    answer = gate(qrels, old, old | {"q9": ["b", "c", "d"]}, {"rr": 0.1})
    assert answer.verdict == "worse" and "query q9: rr 1.0000 -> 0.0000" in str(answer)
    assert "worse: 1 query lost all" in answer.to_markdown()


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {  # what is given besides judgements and run, and what is said
    "no limit": ("run", {}, "give limits, such as"),
    "names alone": ("run", {"limits": ["rr"]}, "give limits, such as"),
    "none": ("saved", {"limits": {}}, "give limits, such as"),
    "no number": ("run", {"limits": {"rr": "0.1"}}, "the limit of rr is '0.1'"),
    "a truth value": ("run", {"limits": {"rr": True}}, "the limit of rr is True"),
    "not a number": ("run", {"limits": {"rr": math.nan}}, "the limit of rr is nan"),
    "per cent": ("run", {"limits": {"rr": 2}}, "0.02 is two hundredths"),
    "another measure": ("saved", {"limits": {"ap": 0.1}}, "ap was not computed, but ndcg@10, rr"),
    "alpha alone": ("saved", {"alpha": 0.1}, "give limits as well to change alpha"),
    "alpha in words": ("run", {"limits": {"rr": 0.1}, "alpha": "few"}, "alpha is 'few'"),
    "a choice": ("saved", {"ties": "id"}, "leave out ties"),
    "slices without names": ("saved", {"slices": ["q1"]}, "groups of queries by name"),
    "a slice of letters": ("saved", {"slices": {"one": "q1"}}, "groups of queries by name"),
    "slices of others": ("saved", {"slices": {"one": ["p1", "p2"]}}, "hold no query of the baseline"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_the_gate_cannot_use_it_refuses(what: str, folder: Path) -> None:
    baseline, given, said = WRONG[what]
    with pytest.raises((ValueError, KeyError), match=re.escape(said)):
        gate(QRELS, RUN if baseline == "run" else nd.load(folder / "baseline.json"), RUN, **given)


def test_a_limit_belongs_to_the_measure_of_its_name() -> None:
    both = nd.evaluate(QRELS, RUN, measures=["ndcg@10", "RR(rel=2)"])
    worse = {query: turned(each) for query, each in RUN.items()}
    for limits in ({"RR(rel=2.0)": 0.05, "ndcg@10": 0.1}, {"RR(rel=2)": 0.05}):
        found = {row.measure: row.limit for row in gate(QRELS, both, worse, limits).rows}
        assert found == {name.replace(".0", ""): limit for name, limit in limits.items()}


# ---- files ----


def test_a_result_is_kept_read_and_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = nd.evaluate(folder / "qrels.txt", folder / "run.txt", measures=["ndcg@10", "RR(rel=2)"])
    nd.save(result, folder / "result.json")
    again = nd.load(folder / "result.json")
    assert {m: again.per_query(m) for m in again} == {m: result.per_query(m) for m in result}
    nd.save(again, folder / "again.json")
    assert (folder / "again.json").read_bytes() == (folder / "result.json").read_bytes()
    files = [str(folder / name) for name in ("result.json", "qrels.txt", "run.txt")]
    assert main(["verify", *files]) == 0 and "60 queries" in capsys.readouterr().out
    judged, returned = trec(QRELS | {"q7": QRELS["q7"] | {"d1": 9}}, RUN | {"q8": dict(list(RUN["q8"].items())[1:])})
    (folder / "q2").write_text(judged)
    (folder / "r2").write_text(returned)
    assert main(["verify", files[0], str(folder / "q2"), str(folder / "r2")]) == 1
    said = capsys.readouterr().out
    assert "other judgements: 1 query (q7)" in said and "other lists: 1 query (q8)" in said
    text = (folder / "result.json").read_text()
    value = json.dumps(result.per_query()["q9"])
    assert text.count(value) == 1
    record = opened(folder / "result.json")
    assert record is not None
    forged = record.lines | {"q9": record.lines["q9"]._replace(values=(0.99, *record.lines["q9"].values[1:]))}
    nd.save(replace(record, lines=forged), folder / "forged.json")  # with fingerprints of its own
    assert main(["verify", str(folder / "forged.json"), *files[1:]]) == 1
    assert "other values: 1 query (q9)" in capsys.readouterr().out
    (folder / "edited.json").write_text(text.replace('"q9", ', '"q99", '))
    assert (
        main(["verify", str(folder / "edited.json"), *files[1:]]) == 2 and "changed by hand" in capsys.readouterr().err
    )


def test_no_letter_of_a_baseline_is_changed_in_silence(folder: Path) -> None:
    """A limit, alpha, a measure, a value, a fingerprint: what is not what was saved is refused."""
    text, draw = (folder / "baseline.json").read_text(), random.Random(5)
    head = text.index('"queries"')
    for at in [*range(head), *draw.sample(range(head, len(text)), 200)]:
        for letter in draw.sample('0123456789-,."aqs ', 2):
            changed = text[:at] + letter + text[at + 1 :]
            try:
                same = json.loads(changed) == json.loads(text)
            except ValueError:
                same = False
            if not same:
                (folder / "changed.json").write_text(changed)
                with pytest.raises(ValueError, match=r"is no saved result|was changed by hand"):
                    nd.load(folder / "changed.json")


def test_saving_says_what_the_limit_can_show(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "like.txt").write_text(trec(QRELS, {q: turned(e) for q, e in RUN.items()})[1])
    files = [str(folder / name) for name in ("qrels.txt", "run.txt")]
    assert main(["gate", "save", *files, "-m", "ndcg@10=.03,rr=.001", "--like", str(folder / "like.txt")]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["limits"] == {"ndcg@10": 0.03, "rr": 0.001}
    assert "is less than they can show" in err and "passes in four of five cases from a limit of" in err
    slices = folder / "slices.tsv"
    slices.write_text("".join(f"q{at}\tname with spaces\n" for at in range(30)))
    (folder / "baseline2.json").write_text(out)
    files = [files[0], str(folder / "baseline2.json"), str(folder / "like.txt")]
    code = main(["gate", *files, "--slices", str(slices), "--json", "--summary", str(folder / "summary.md")])
    told = json.loads(capsys.readouterr().out)
    assert told["exit"] == code and {row["slice"] for row in told["rows"]} == {None, "name with spaces"}
    assert {"verdict", "alpha", "rows", "faults", "collapsed", "correction"} <= told.keys()
    assert (folder / "summary.md").read_text().startswith(f"**{told['verdict']}")


@pytest.mark.parametrize(("arguments", "said"), [
    ("gate q r r", "make one with ndcg gate save, or give -m nDCG@10=.02"),
    ("gate q r r -m rr", "give the loss that is allowed behind the measure"),
    ("gate q r r -m rr=0", "give the loss that is allowed, above 0"),
    ("gate q b r -m rr=.1", "save it anew to change them"),
    ("gate q b r --as trec_eval", "save it anew to change them"),
    ("gate q b r --alpha .1", "save it anew to change them"),
    ("gate q b r --alpha .05", "save it anew to change them"),
    ("gate q b r --like r", "--like belongs to ndcg gate save"),
    ("gate save q r -m rr=.1 --slices q", "--slices belongs to the question"),
    ("gate save q r -m rr=.1 --json", "--json belongs to the question"),
    ("gate q r r -m rr=2", "a run that lost all would pass"),
    ("gate q r r -m rr=.1 -m rr=.2", "rr has a limit already"),
    ("gate q r r -m rr=.1,RR=.2", "rr and RR are one measure"),
    ("gate q b r --slices swapped", "the slices hold no query of the baseline"),
    ("gate q b r --slices packed", "packed is not text in UTF-8"),
    ("gate save q r", "say what is measured and what may be lost"),
    ("gate save q r -m rr=.1 --alpha 2", "alpha is 2"),
    ("verify q q r", "is no saved result"),
])  # fmt: skip
def test_wrong_use_says_what_to_do(
    arguments: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names = {"q": "qrels.txt", "r": "run.txt", "b": "baseline.json"}
    (folder / "packed").write_bytes(gzip.compress(b"q1 some"))
    (folder / "swapped").write_text("some q1\nsome q2\n")
    assert main([names.get(word, word) for word in arguments.split()]) == 2
    assert said in capsys.readouterr().err
