"""What to judge next: judgements of real runs are hidden and made again until the sign is settled. The report."""

import gzip
import math
import random
import re
from itertools import combinations
from pathlib import Path

import pytest

import ndcg_lib as nd
from ndcg_lib.commands.cli import main
from ndcg_lib.comparison.judging import what_next
from ndcg_lib.comparison.report import report

TREC = Path(__file__).parents[2] / "book" / "data" / "trec"
RUNS = ("bm25", "bm25-rm3", "tasb", "ada2", "splade", "repllama", "bm25-gpt35-1", "ada2-vicuna")
K, HIDDEN, TOP, TEN = 10, 0.5, 3, 10
SETTLED, MOST = 0.95, 0.5


def lines(name):
    return gzip.decompress((TREC / f"{name}.txt.gz").read_bytes()).decode().splitlines()


def judged(collection):
    found = {}
    for line in lines(f"qrels.{collection}"):
        q, _, d, grade = line.split()
        found.setdefault(q, {})[d] = int(grade)
    return found


def returned(run, collection):
    found = {}
    for line in lines(f"{run}.{collection}"):
        q, _, d, rank, *_ = line.split()
        if int(rank) <= K:
            found.setdefault(q, []).append(d)
    return found


def ndcg(ranked, grades):
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(grades.values(), reverse=True)[:K]))
    return sum(grades.get(d, 0) / math.log2(i + 2) for i, d in enumerate(ranked)) / ideal if ideal else 0.0


def judged_until_settled(collection, first, second, by_rank):
    """How many judgements, ten at a time, until the sign has a chance of 95 %; and whether it is the true one."""
    truth, a, b = judged(collection), returned(first, collection), returned(second, collection)
    rng = random.Random(f"{collection} {first} {second} 0")
    known = {q: {d: g for d, g in each.items() if rng.random() > HIDDEN} for q, each in truth.items()}
    ranked = sorted((i, q, d) for q in known for x in (a, b) for i, d in enumerate(x[q]) if d not in known[q])
    in_order = list(dict.fromkeys((q, d) for _, q, d in ranked))
    as_runs = {
        name: {q: {d: -i for i, d in enumerate(x)} for q, x in run.items()} for name, run in (("a", a), ("b", b))
    }
    right = sum(ndcg(b[q], truth[q]) - ndcg(a[q], truth[q]) for q in truth) > 0
    for count in range(0, len(in_order), TEN):
        found = what_next(nd.compare(known, as_runs, K), 0.0, "b", "a")
        if found.chance >= SETTLED:
            return count, (found.expected > 0) == right
        left = in_order[count:] if by_rank else [(d.query, d.document) for d in found.documents]
        for q, d in left[:TEN]:
            known[q][d] = truth[q].get(d, 0)
    return len(in_order), True


def pairs_of(collection, runs, step=1):
    return [(collection, *pair) for pair in list(combinations(runs, 2))[::step]]


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param(pairs_of("dl19", ("tasb", "splade")), id="a pair of dl19"),
        pytest.param(pairs_of("dl20", RUNS, 8), id="four of dl20", marks=pytest.mark.sweep),
        pytest.param(pairs_of("dl19", RUNS) + pairs_of("dl20", RUNS), id="all", marks=pytest.mark.weekly),
        pytest.param(pairs_of("covid", ("bm25", "bm25-rm3", "splade")), id="covid", marks=pytest.mark.weekly),
    ],
)
def test_the_list_settles_the_sign_with_half_of_the_judgements_that_ranks_take(pairs):
    listed, ranked = ([judged_until_settled(*pair, by_rank) for pair in pairs] for by_rank in (False, True))
    counts = [sum(count for count, _ in each) for each in (listed, ranked)]
    assert counts[0] <= MOST * counts[1], (listed, ranked)
    wrong = sum(not right for _, right in listed + ranked)
    assert wrong <= max(1, (1 - SETTLED) * 2 * len(pairs)), (listed, ranked)


def test_no_grades_lead_out_of_what_is_said():
    """Drawn grades for the unjudged, by other code: the difference stays between the ends, a move is what it says."""
    truth, a, b = judged("dl19"), returned("tasb", "dl19"), returned("splade", "dl19")
    as_runs = {
        name: {q: {d: -i for i, d in enumerate(x)} for q, x in run.items()} for name, run in (("a", a), ("b", b))
    }
    found = what_next(nd.compare(truth, as_runs, K), 0.01)

    def ahead(grades):
        return sum(ndcg(b[q], grades[q]) - ndcg(a[q], grades[q]) for q in truth) / len(truth)

    rng = random.Random("grades")
    for _ in range(100):
        grades = {q: dict(each) for q, each in truth.items()}
        for d in found.documents:
            grades[d.query][d.document] = rng.choice((0, 0, 1, 2, 3))
        assert found.low - 1e-9 <= ahead(grades) <= found.high + 1e-9
    for d in found.documents:
        more = truth | {d.query: truth[d.query] | {d.document: TOP}}
        assert math.isclose(ahead(more) - ahead(truth), d.move, abs_tol=1e-12)
    assert sum(abs(d.move) for d in found.documents[found.enough :]) <= 0.01
    assert sum(abs(d.move) for d in found.documents[found.enough - 1 :]) > 0.01
    assert found.low < 0 < found.high and 0.5 < found.chance < 1, "either may come out ahead"
    assert found.needed > len(truth) and next(iter(found.queries)) == "855410"


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 1\n2 0 c 1\n")
    (tmp_path / "old.txt").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 c 1 1 x\n")
    (tmp_path / "new.txt").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 <d> 1 2 x\n2 Q0 c 2 1 x\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_says_what_to_judge(files, capsys):
    assert main(["next", "qrels.txt", "old.txt", "new.txt", "-k", "2"]) == 1
    out = capsys.readouterr().out
    assert "their grades can turn the sign" in out and re.search(r"^2 +<d> +1 +- +\+0\.", out, re.M)
    assert main(["next", "qrels.txt", "old.txt", "new.txt", "-k", "2", "--json"]) == 1
    assert '"document": "<d>", "rank": 1, "other_rank": null' in capsys.readouterr().out
    assert main(["next", "qrels.txt", "old.txt"]) == 2 and "give two runs" in capsys.readouterr().err
    assert main(["next", "qrels.txt", "old.txt", "new.txt", "--limit", "-1"]) == 2
    assert "limit is -1.0" in capsys.readouterr().err


def test_what_is_all_judged_is_decided():
    found = what_next(nd.compare({"1": {"a": 1, "b": 0}}, {"old": {"1": ["b", "a"]}, "new": {"1": ["a", "b"]}}, 2))
    assert found.decided and "more judgements change nothing" in str(found) and found.enough == 0
    runs = {"old": {"1": ["b", "c"]}, "new": {"1": ["a", "d"]}}  # 3 at rank 1; c at rank 2 can be worth no more
    found = what_next(nd.compare({"1": {"a": 3, "b": 0}}, runs, 2))
    assert found.low > 0 and found.decided and found.chance == 1 and [d.document for d in found.documents] == ["c"]
    runs = {"old": {"1": ["b", "a", "c"]}, "new": {"1": ["a", "b", "c"]}}
    found = what_next(nd.compare({"1": {"a": 1, "b": 0}}, runs, 3))
    assert found.decided and found.chance == 1 and not found.likely and "like the judged" not in str(found)


def test_the_bars_of_a_report_are_the_differences_from_the_largest_gain_to_the_largest_loss():
    """In query q the old list has the one relevant document at rank 2, the new one at rank 1, 2 or lower."""
    places = {"up": 1, "same": 2, **{f"down{at}": at for at in range(3, 180)}}
    for some in (3, len(places)):
        asked = dict(list(places.items())[:some])
        qrels = {q: {"a": 1} for q in asked}
        old = {q: ["x", "a"] for q in asked}
        new = {q: [f"x{n}" for n in range(1, at)] + ["a"] for q, at in asked.items()}
        page = report(nd.compare(qrels, {"old": old, "new": new}, measures="RR"))
        bars = re.findall(r'<div class="bar"><div>(\w+)</div>(.*?)<div>([-+.\d]+)</div></div>', page)
        assert bars[0][::2] == ("up", "+0.500") and f"1 of {some} queries are equal" in page
        assert re.fullmatch(r'<b></b><span class="more" style="width:100.0%"></span>', bars[0][1])
        assert all(re.match(r'<span class="less" style="width:[\d.]+%"></span><b></b>', bar) for _, bar, _ in bars[1:])
        moved = sorted((1 / at - 0.5 for at in asked.values() if at != 2), reverse=True)
        shown = [float(value) for *_, value in bars]
        half = len(shown) // 2
        wanted = moved if len(shown) == len(moved) else moved[:half] + moved[-half:]
        assert shown == pytest.approx(wanted, abs=6e-4) and len(shown) == (2 if some == 3 else 100)
        assert ("more lie between" in page) is (some > 3)
        assert some == 3 or f"{len(moved) - len(shown)} more lie between." in page


def test_a_report_needs_nothing_else_and_says_what_is_known(files, capsys):
    (files / "texts.tsv").write_text("1\thow to descale\n<d>\tA <b>kettle</b>\n")
    assert (
        main(["compare", "qrels.txt", "old.txt", "new.txt", "-k", "2", "--html", "r.html", "--texts", "texts.tsv"]) == 0
    )
    capsys.readouterr()
    page = (files / "r.html").read_text("utf8")
    assert not re.search(r"https?:|<script|<link|src=|url\(", page), "no outside host, and nothing that runs"
    assert "It is not shown that new.txt differs from old.txt" in page and "1: how to descale" in page
    assert "&lt;d&gt; A &lt;b&gt;kettle&lt;/b&gt;" in page and "<d>" not in page and "not judged" in page
    for heading in ("Query by query", "What nobody judged", "What would change the verdict"):
        assert f"<h2>{heading}</h2>" in page
    opened = [tag for tag in re.findall(r"<(/?)(\w+)", page) if tag[1] not in ("meta", "doctype")]
    assert sorted(t for end, t in opened if not end) == sorted(t for end, t in opened if end)
    with pytest.raises(ValueError, match="a report is of two systems, and there are 3"):
        report(nd.compare({"1": {"a": 1}}, {n: {"1": ["a"]} for n in "abc"}, 1))
    (files / "texts.tsv").write_text("1 no tab\n")
    assert main(["compare", "qrels.txt", "old.txt", "new.txt", "--html", "r.html", "--texts", "texts.tsv"]) == 2
    assert "texts.tsv, line 1: no tab" in capsys.readouterr().err
