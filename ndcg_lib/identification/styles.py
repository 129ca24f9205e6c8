"""What a function is asked, and the ways to ask it: probes, the forms of an input, and where a number stands."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.engine import Sheet
from ndcg_lib.inputs import of_rows


class Probe(NamedTuple):
    """A query: the grades of what is returned, best rank first (None is unjudged), and of what was missed."""

    grades: tuple[Any, ...]
    missed: tuple[float, ...] = ()
    k: int | None = None
    scores: tuple[float, ...] = ()
    twice: bool = False  # the first document comes again at the end


LONG = (1, 0, 3, 2, 0, 1, 4, 0, 2, 3, 1, 0, 0, 2, 1, 3, 0, 4, 1, 2, 0, 3, 1, 2)
GRADED = (
    *(Probe((2, 3, 0, 1, 2), (3,), 5), Probe((1, 0, 3, 2, 3, 0, 1), (2, 3), 3), Probe((1, 0, 0, 3, 2, 1), (0, 2), 2)),
    *(Probe(LONG, (4, 2), 10), Probe((1, 2, 4, 0, 3, 0), (3,), 6), Probe((1, 0, 3), (2, 2), 1)),
    Probe(LONG[:13], (1, 3), 12),
)
"""No ties, nothing empty: what a definition is at its core."""


def only(rank: int, length: int, k: int | None = None, scores: tuple[float, ...] = ()) -> Probe:
    """A list with one relevant document.

    >>> only(2, 3).grades
    (0, 1, 0)
    """
    return Probe(tuple(int(i == rank) for i in range(1, length + 1)), (), k or length, scores)


HELD = (
    *(Probe((0, 4, 1, 3, 2, 1), (2, 3), 4), Probe(LONG[5:20], (4,), 9), Probe((3, 2, 2, 0, 1, 4, 0, 1), (1, 2), 5)),
    *(Probe((0, 3, 0, 0, 1, 0), (), 5), Probe((4, 3, 4, 4, 3, 2, 4, 1, 4, 3), (4, 4, 3), 3), Probe(LONG, (4, 4, 3), 2)),
)
"""By these no definition is found: one that was found has to be right on them."""
HELD_ONE = (only(2, 7, 5), only(4, 9), only(7, 12), only(1, 6, 3), only(3, 3, 2))
ONE = (only(2, 4, 3), only(3, 5), only(4, 6, 3), only(1, 3, 2), only(6, 8), only(13, 24, 20), only(5, 7, 6))


class View:
    """What a function gets to see of a probe, and what the engine computes from the same."""

    def __init__(self, kind: str, binary: bool = False, single: bool = False):
        self.kind, self.binary, self.single = kind, binary or single, single
        self.core: tuple[Probe, ...]
        self.held: tuple[Probe, ...]
        self.core, self.held = (ONE, HELD_ONE) if single else (GRADED, HELD)

    def atoms(self, p: Probe) -> dict[str, Any]:
        """The parts of an input by their letter in a style."""
        n, every = len(p.grades), [*p.grades, *p.missed]
        rng = np.random.default_rng(n + len(every))
        rows, pool = rng.permutation(n).tolist(), rng.permutation(len(every)).tolist()
        scores = list(p.scores or (round(1 - i / (n + 1), 6) for i in range(n)))
        grades = [g if g is None or not self.binary else int(g > 0) for g in every]
        name = rng.permutation(900)[: len(every)].tolist()
        if p.twice:
            name[n - 1], pool = name[0], [i for i in pool if i != n - 1]
        pool = [i for i in pool if grades[i] is not None]
        first = next((at for at, i in enumerate(pool) if grades[i] > 0), 0)
        pool = pool[first:] + pool[:first]
        zero = [0 if g is None else g for g in grades]
        ranks = [i for i, g in enumerate(zero[:n]) if g > 0]
        hit = next((at for at, i in enumerate(rows) if zero[i] > 0), 0)
        return {
            **{"G": zero[:n], "J": [grades[i] for i in pool], "T": [zero[i] for i in rows], "grades": grades[:n]},
            **{"S": [scores[i] for i in rows], "M": [scores[i] for i in rows], "L": hit, "rows": rows},
            **{"I": name[:n], "R": [name[i] for i in pool if grades[i] > 0], "Q": {name[i]: grades[i] for i in pool}},
            **{"U": {name[i]: scores[i] for i in rows}, "scores": scores, "names": name},
            **{"P": [i + 1 for i in ranks], "Z": ranks, "p": (ranks or [n])[0] + 1, "z": (ranks or [n])[0]},
        }

    def sheet(self, probes: Sequence[Probe], k: Any, whole: bool = False) -> Sheet:
        """The columns of the engine, a query per probe; `whole`: with all that was judged, whatever it sees."""
        every, kind = [self.atoms(p) for p in probes], self.kind
        grades, judged, ids = ([a[name] for a in every] for name in ("grades", "J", "I"))
        if kind == "ranked" and not whole:
            made = of_rows([a["G"] for a in every])[0]
        elif kind == "scored":
            made = of_rows([a["T"] for a in every], None, judged if whole else None, [a["S"] for a in every])[0]
        elif kind == "run":
            grades, ids = ([[a[name][i] for i in a["rows"]] for a in every] for name in ("grades", "I"))
            made = of_rows(grades, None, judged, [[a["scores"][i] for i in a["rows"]] for a in every], ids)[0]
        else:
            made = of_rows(grades, None, judged, None, ids)[0]
        made.given["k"] = k
        return made


# ---- forms ----

K_NAME = re.compile(
    r"^(k|n|p|i|m|l|ats?|thr|pos|top|topk|nranks?|rank|limit|depth|ndcg_?at|beam_size)$|top_?[knp]|cut_?off"
    r"|(max|num)_?rank|k_|_k$|_at$",
    re.I,
)
PREDICTED = re.compile(
    r"pred|scor|rank|run|output|retriev|recom|recs|result|hyp|logit|prob|rec|my|given|order|returned", re.I
)
TRUTH = re.compile(r"tru|label|gold|gt|ideal|target|actual|rel|judg|correct|test|ground|pos_|liked|grade|gain", re.I)
PLACE = re.compile(r"pos|rank|place|hit|ind(ex|ic)|idx", re.I)
FRAME = re.compile(r"^d$|df|frame|table|data", re.I)
QUERY = re.compile(r"quer|^q_?(id)?$|topic|user|session|group|request|search", re.I)
DOCUMENT = re.compile(r"doc|item|product|movie|pid|(^|_)id$", re.I)
PAIRS = (
    *(("TS", "scored"), ("GJ", "pair"), ("IR", "ids"), ("IQ", "ids"), ("UQ", "run"), ("UR", "run")),
    *(("LM", "scored"), ("DE", "run")),
)
WORDS = {
    **{"G": "the grades in ranked order", "J": "the grades of all judged", "T": "grades", "S": "scores"},
    **{"I": "the ranked ids", "R": "the relevant ids", "Q": "{id: grade}", "U": "{id: score}"},
    **{"P": "the ranks of the relevant", "Z": "the ranks of the relevant, from 0", "p": "the rank of the one relevant"},
    **{"z": "the rank of the one relevant, from 0", "L": "class labels", "M": "a score for each class"},
    **{"F": "a row for each document", "O": "a row for each document, best first"},
    **{"D": "the judgements", "E": "the results"},
}
FORMS = {
    **{"list": "lists", "array": "arrays", "rows": "lists of rows", "table": "2-d arrays", "tensor": "tensors"},
    **{"tensors": "2-d tensors", "set": "lists, the relevant as a set", "text": "ids as text", "query": "{query: …}"},
    **{"number": "a number", "pandas": "data frames of pandas", "polars": "data frames of Polars"},
}
SEVERAL = ("rows", "table", "tensors", "query", "pandas", "polars")
"""The forms that hold several queries."""


class Style(NamedTuple):
    """A way to call a function: what it gets, in which form, where its k goes, and where its number stands."""

    view: View
    atoms: str
    form: str
    k: str  # the parameter that cuts; "" if there is none
    cost: float
    place: str = ""

    @property
    def sees(self) -> tuple[Any, ...]:
        """What makes two styles the same but for their form."""
        return self.view.kind, self.view.binary, self.atoms

    @property
    def several(self) -> bool:
        """Whether it takes several queries at once."""
        return self.form in SEVERAL or "L" in self.atoms

    def words(self) -> str:
        """The way in words."""
        told = ", ".join(WORDS[a] for a in self.atoms) + (", k" if self.k else "")
        return f"{told}, as {FORMS[self.form]}" + (f"; its number is {self.place}" if self.place else "")


def formed(atom: str, parts: list[Any], form: str) -> Any:
    """A part of the input, of each query, as the function may want it.

    >>> formed("G", [[3, 2]], "rows"), formed("R", [[7, 9]], "text"), formed("I", [[7]], "query")
    ([[3, 2]], ['d7', 'd9'], {'q0': [7]})
    """
    x = parts[0]
    if atom in "LM":
        return np.array(parts) if form == "table" else parts
    if atom in "pz":
        return x
    if atom in "GJTSPZ":
        if form in ("tensor", "tensors"):
            made = sys.modules["torch"].tensor([[float(v) for v in part] for part in parts])
            return made if form == "tensors" else made[0]
        return {"array": np.array(x), "rows": parts, "table": np.array(parts)}.get(form, x) if form != "query" else x
    if form == "text":
        return {f"d{i}": v for i, v in x.items()} if isinstance(x, dict) else [f"d{i}" for i in x]
    if form == "set" and atom == "R":
        return set(x)
    if form == "query":
        return {f"q{at}": part for at, part in enumerate(parts) if part is not None}
    return parts if form == "rows" else x


def framed(atom: str, parts: list[Any], columns: dict[str, str], library: str) -> Any:
    """The rows of all queries as a data frame with these columns: what each of them holds is a role."""
    data: dict[str, list[Any]] = {name: [] for name, role in columns.items() if role in HOLDS[atom]}
    for at, a in enumerate(parts):
        if a is None:
            continue
        places = a["rows"] if atom in "FE" else range(len(a["grades"]))
        wanted = [{"query": f"q{at}", "document": f"d{a['names'][i]}", "score": a["scores"][i], "rank": i + 1,
                   "grade": a["G"][i]} for i in places]  # fmt: skip
        if atom == "D":
            wanted = [{"query": f"q{at}", "document": f"d{i}", "grade": grade} for i, grade in a["Q"].items()]
        for name in data:
            data[name] += [row[columns[name]] for row in wanted]
    return sys.modules[library].DataFrame(data)


HOLDS = {"F": ("query", "document", "score", "rank", "grade"), "O": ("query", "document", "rank", "grade", "score"),
         "D": ("query", "document", "grade"), "E": ("query", "document", "score", "rank")}  # fmt: skip


def role(column: str) -> str:
    """What a column of this name holds; "" where nobody can tell.

    >>> role("query_id"), role("docno"), role("relevance"), role("pred"), role("rank"), role("x")
    ('query', 'document', 'grade', 'score', 'rank', '')
    """
    for pattern, held in ((QUERY, "query"), (DOCUMENT, "document"), (re.compile(r"^rank|position", re.I), "rank")):
        if pattern.search(column):
            return held
    return "grade" if TRUTH.search(column) else "score" if PREDICTED.search(column) else ""


def styles(function: Callable[..., Any]) -> tuple[list[Style], str, list[inspect.Parameter]]:
    """The ways to call that its parameters allow, or why there are none."""
    try:
        own = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], "its parameters cannot be read", []
    given = [p for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    cuts = [p for p in given[1:] if K_NAME.search(p.name)]
    needed = [p for p in given if p.default is p.empty and p not in cuts] or given[:1]
    if len(needed) == 3 and not cuts:
        cuts, needed = needed[2:], needed[:2]
    beside = given[1] if len(needed) == 1 and len(given) > 1 and given[1] not in cuts else None
    if beside and beside.default is None and PREDICTED.search(beside.name) and not PREDICTED.search(needed[0].name):
        needed = given[:2]
    k = cuts[0].name if cuts else ""
    if [p for p in cuts[1:] if p.default is p.empty] or len(needed) not in (1, 2):
        wants = ", ".join(p.name for p in needed + cuts) or "nothing"
        return [], f"it wants {wants}: give a function of one or two lists (and k)", given
    libraries: list[str] = [name for name in ("pandas", "polars") if name in sys.modules]
    ways = _of_one(needed[0], k, libraries) if len(needed) == 1 else _of_two(needed, k, libraries)
    return sorted(ways, key=lambda s: s.cost), "", given


def _arrays() -> tuple[str, ...]:
    return ("list", "array", "rows", "table", *(("tensor", "tensors") if "torch" in sys.modules else ()))


def _takes_frame(p: inspect.Parameter) -> bool:
    return bool(FRAME.search(p.name)) or "Frame" in str(p.annotation)


def _of_one(p: inspect.Parameter, k: str, libraries: list[str]) -> list[Style]:
    frame, places = _takes_frame(p), 0.05 if PLACE.search(p.name) else 1.5
    ways = [Style(View("ranked"), "G", form, k, frame + i / 10) for i, form in enumerate(_arrays())]
    ways += [Style(View("ranked", True), atom, form, k, places + i / 100) for atom in "PZ"
             for i, form in enumerate(_arrays())]  # fmt: skip
    ways += [Style(View("ranked", single=True), atom, "number", k, places + 0.1) for atom in "pz"]
    for library in libraries:
        for atom, kind in (("F", "scored"), ("O", "ranked")):
            ways.append(Style(View(kind), atom, library, k, (0.1 if frame else 3.0) + (atom == "O") / 10))
    return ways


def _of_two(needed: list[inspect.Parameter], k: str, libraries: list[str]) -> list[Style]:
    ways = []
    frames = all(map(_takes_frame, needed))
    for rank, (atoms, kind) in enumerate(PAIRS):
        forms: Sequence[str] = ("list", "text", "set", "query", "rows")
        forms = {"scored": _arrays(), "pair": _arrays()}.get(kind, forms)
        forms = {"LM": ("list", "table"), "DE": libraries}.get(atoms, forms)
        for order in (atoms, atoms[::-1]):
            cost = sum(_unlike(p.name, a) for p, a in zip(needed, order, strict=True)) + rank / 100
            cost += 1.0 * (atoms == "DE" and not frames) - 1.0 * (atoms == "DE" and frames)
            view = View(kind, "R" in order, "L" in order)
            ways += [Style(view, order, form, k, cost + i / 1000) for i, form in enumerate(forms)]
    return ways


def _unlike(name: str, atom: str) -> float:
    predicted, truth = bool(PREDICTED.search(name)), bool(TRUTH.search(name))
    return 0.3 if predicted == truth else 0.0 if predicted == (atom in "SIUGME") else 2.0


def numbers(value: Any, printed: str = "") -> dict[str, float]:
    """The numbers that can be read from what came back, by the place where they stand.

    >>> numbers([0.5]), numbers({"NDCG": 0.5, "n": 3}), numbers(None, "NDCG: 0.25")
    ({'': 0.5}, {"['NDCG']": 0.5, "['n']": 3.0}, {'what it prints last': 0.25})
    """
    for way in ("detach", "tolist", "to_list"):
        value = getattr(value, way)() if hasattr(value, way) and not isinstance(value, type) else value
    if hasattr(value, "__dict__") and not isinstance(value, (str, type)):
        value = dict(vars(value))
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, (bool, int, float)):
        return {"": float(value)}
    if isinstance(value, (list, tuple)):
        ends = [*list(enumerate(value))[:3], (-1, value[-1])] if value else []
        found = {f"[{i}]": numbers(x).get("") for i, x in ends}
    elif isinstance(value, dict):
        found = {f"[{key!r}]": numbers(x).get("") for key, x in value.items()}
        found |= {"[the only one]": next(iter(found.values()))} if len(found) == 1 else {}
    else:
        last = re.findall(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+|nan|inf", printed) if value is None else []
        found = {"what it prints last": float(last[-1])} if last else {}
    return {place: x for place, x in found.items() if x is not None}
