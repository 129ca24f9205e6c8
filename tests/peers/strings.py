"""Every name of a measure in the tests and documents of trec_eval, ir_measures and ranx, asked of the tools themselves.

    python strings.py FILE.json          writes what the tools give on a few random tables, for the everyday tests
    python strings.py --check [TABLES]   asks anew, on many tables, and compares with this library

`strings.tsv` holds the names. trec_eval is asked through pytrec_eval.
"""

from __future__ import annotations

import collections
import json
import random
import sys
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Values = dict[str, dict[str, float]]  # of each measure that a name stands for, or "" for the only one


def names() -> list[tuple[str, str]]:
    """Tool and name, the collected ones and some that are made."""
    found = [tuple(line.split("\t")) for line in (HERE / "strings.tsv").read_text("utf8").splitlines()]
    draw = random.Random(2)
    for k in (1, 2, 3, 7, 25):
        found += [
            ("trec_eval", f"{name}{draw.choice('_.')}{k}")
            for name in ("P", "recall", "ndcg_cut", "map_cut", "success", "relative_P")
        ]
        found += [
            ("ranx", f"{name}@{k}")
            for name in ("ndcg", "ndcg_burges", "dcg", "hits", "hit_rate", "precision", "recall", "f1", "mrr", "map")
        ]
        found += [("ranx", f"{name}@{k}-l2") for name in ("hits", "precision", "mrr", "map", "ndcg")]
        found += [("ir_measures", f"{name}@{k}") for name in ("nDCG", "P", "R", "RR", "AP", "Success", "Judged", "ERR")]
        found += [("ir_measures", f"{name}(rel=2)@{k}") for name in ("P", "R", "RR", "AP", "Success")]
        found += [
            ("ir_measures", f"nDCG(dcg='exp-log2')@{k}"),
            ("ir_measures", f"RBP(p=0.{k},rel=1)@{k}"),
            ("ranx", f"rbp.{k}5"),
        ]
    return sorted({(tool, name) for tool, name, *_ in found})


def table(number: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and a run, with ties in every other table; the stored ones are small."""
    draw = random.Random(number)
    scale = draw.choice([[0, 1, 2, 3], [0, 1], [0, 1, 2, 3, 4], [0, 1, 2]])
    documents = [f"d{at}" for at in range(draw.choice([4, 9, 14]))]
    qrels = {
        f"{q}": {d: draw.choice(scale) for d in draw.sample(documents, draw.randrange(2, len(documents) + 1))}
        for q in range(1, 4 if number < 12 else 21)
    }
    run = {}
    for query in qrels:
        some = draw.sample(documents, draw.randrange(1, len(documents) + 1))
        run[query] = {d: float(draw.randrange(6)) if number % 2 else round(draw.random(), 6) for d in some}
    return qrels, run


def of_trec_eval(name: str, qrels: Any, run: Any) -> Values:
    import pytrec_eval

    if "=" in name:
        raise ValueError("pytrec_eval falls over gains in a name")
    given = name
    head, _, cuts = name.rpartition("_")
    if head in ("ndcg_cut", "map_cut", "P", "recall", "success", "relative_P"):
        given = f"{head}.{cuts}"
    found: Values = collections.defaultdict(dict)
    for query, each in pytrec_eval.RelevanceEvaluator(qrels, {given}).evaluate(run).items():
        for measure, value in each.items():
            found[measure.rpartition("_")[2] if measure.rpartition("_")[2].isdigit() else ""][query] = value
    return found if len(found) > 1 else {"": next(iter(found.values()))}


def of_ir_measures(name: str, qrels: Any, run: Any) -> Values:
    import ir_measures

    return {
        "": {one.query_id: one.value for one in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)}
    }


def of_ranx(name: str, qrels: Any, run: Any) -> Values:
    import ranx

    judged = ranx.Qrels(qrels)
    found = ranx.evaluate(judged, ranx.Run(run), name, return_mean=False)
    return {"": dict(zip(judged.keys(), map(float, found), strict=True))}


ASK = {"trec_eval": of_trec_eval, "ir_measures": of_ir_measures, "ranx": of_ranx}
PRESET = {"trec_eval": "pytrec_eval", "ir_measures": "ir_measures", "ranx": "ranx"}


def asked(tool: str, name: str, qrels: Any, run: Any) -> Values | str:
    """What the tool gives, or why it gives nothing."""
    try:
        return ASK[tool](name, qrels, run)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {str(error)[:60]}"


def ours(tool: str, name: str, qrels: Any, run: Any) -> Values | str:
    """The same by this library, or its refusal."""
    import ndcg_lib as nd

    try:
        found = nd.evaluate(qrels, run, measures=name, convention=PRESET[tool])
    except ValueError as error:
        return str(error)
    return {f"{one.k}" if len(found) > 1 else "": found.per_query(one.key) for one in found.columns}


def differing(tool: str, name: str, theirs: Values, mine: Values) -> int:
    """How many values are not the tool's; gdeval prints five decimals."""
    near = 1.1e-5 if tool == "ir_measures" and (name.startswith("ERR") or "exp-log2" in name) else 1e-9
    pairs = [(mine.get(m, {}).get(q), value) for m, each in theirs.items() for q, value in each.items()]
    return sum(one is None or not abs(one - value) <= near for one, value in pairs)


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    check = arguments[:1] == ["--check"]
    many = int(arguments[1]) if check and len(arguments) > 1 else 20 if check else 5
    kept, counts, wrong = {}, collections.Counter(), []
    for tool, name in names():
        answers = []
        for number in range(many):
            qrels, run = table(number)
            mine = ours(tool, name, qrels, run)
            theirs = asked(tool, name, qrels, run) if not isinstance(mine, str) else mine
            told = isinstance(mine, str) or isinstance(theirs, str)
            counts[
                tool,
                "refused here" if isinstance(mine, str) else "refused there" if isinstance(theirs, str) else "values",
            ] += (
                1 if told else sum(map(len, theirs.values()))  # type: ignore[union-attr]
            )
            if not told and differing(tool, name, theirs, mine):  # type: ignore[arg-type]
                wrong.append(f"{tool} {name}: {theirs} there, {mine} here (table {number})")
            answers.append(None if isinstance(theirs, str) else theirs)
        kept[f"{tool} {name}"] = answers
    for (tool, what), count in sorted(counts.items()):
        print(f"{tool}: {count:,} {what}")
    print(f"{len(kept)} names; {len(wrong)} tables differ", *wrong[:20], sep="\n")
    if not check:
        Path(arguments[0]).write_text(json.dumps(kept, separators=(",", ":")).replace('],"', '],\n"') + "\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
