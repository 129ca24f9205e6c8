"""No point hangs on a kind of input that the task does not tell: what is special in a graded call has its word.

Read as a student reads: what is told stands in the notebook, and what is asked is seen in the arguments alone.
"""

import functools
import itertools
import json
import math
import re
from pathlib import Path

import pytest

from ndcg_course.tasks import assignments, tasks

EXERCISES = Path(__file__).parents[2] / "exercises"
TASK = re.compile(r"(?m)^## Task \d+: .*\n\n\*.*`(\w+)`.*\*")
SEEDS = ("one", "two", "three")
TASKS = [task for one in assignments().values() for task in one.tasks]
FUNCTIONS = [task for task in TASKS if task.calls]
DRAWN = [task for task in TASKS if task.has_data]
WORDS = {
    "nothing in it": "empty|Without any|run lacks",
    "no rank": "`n` is 0",
    "nothing to find": r"none has|no document has a gain|without a gain|no 1\b|nothing (is relevant|relevant|to find)",
    "None": "`?None`?",
    "a text as a grade": "a text such as",
    "nan": r"\bnan\b",
    "a number below 0": r"below 0|B minus A|have the other sign",
    "a fraction": "fraction",
    "equal scores": "equal scores|scores are equal|ties",
    "k beyond the list": "fewer",
    "k left out": "Without `k`",
    "k is 0": "k is 0",
    "a name that comes again": r"again|twice|\bonce\b",
    "names that differ in a capital": "[Aa] capital makes",
    "names in an order of their own": "Python",
    "a document without a grade": r"nobody judged|others have 0|\.get\(document, 0\)",
    "a name that is missing": "not in the table|is missing there",
    "a query that the run lacks": "run does not have|run lacks",
    "a query without a judgement": "nobody judged|over all judged",
    "a machine without a question": "had no question",
    "ranks from the back": "either order",
    "one rank twice": "the same rank",
    "a grade above the best": "whatever the other grades",
    "a value that equals its limit": "not below",
}
FOR_ALL = ("a fraction", "names that differ in a capital")  # said once, at the top of the assignment
DIVIDES = re.compile(r"\bn?NDCG|nDCG|reciprocal|[Aa]verage precision")


def parts(value):
    """A value and all that it holds, names of a dictionary too."""
    yield value
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        yield from parts(part)


def numbers(value):
    return [one for one in parts(value) if isinstance(one, int | float)]


def anywhere(args):
    """What is special whatever the arguments are called."""
    every = list(parts([value for name, value in args.items() if name != "worth"]))
    texts = {word for one in every if isinstance(one, str) for word in one.split()}
    yield "nothing in it", any(one in ([], {}) for one in every)
    yield "None", any(one is None for one in every)
    yield "nan", any(math.isnan(one) for one in numbers(every))
    yield "a number below 0", any(one < 0 for one in numbers(every))
    yield "names that differ in a capital", len({text.lower() for text in texts}) < len(texts)


def of_grades(args):
    """What is special in grades and hits."""
    held = [args.get(name) for name in ("grades", "judged", "queries", "qrels", "grade", "hits")]
    lists = [[*one.values()] if isinstance(one, dict) else one for one in parts(held) if isinstance(one, dict | list)]
    yield "a fraction", any(one != int(one) for one in numbers(held) if one >= 0)
    yield "nothing to find", any(one and all(part == 0 for part in one) for one in lists)
    yield "a text as a grade", "worth" not in args and any(isinstance(one, str) for one in parts(args.get("grades")))
    yield "a grade above the best", max(numbers(args.get("grades")), default=0) > args.get("top", math.inf)


def of_ranks(args):
    """What is special in scores, ranks and limits."""
    scores = numbers(args.get("scores"))
    k, held = args.get("k"), [one for name, one in args.items() if isinstance(one, list | dict) and name != "qrels"]
    lists = [one for many in held for one in ([many] if args.get("queries") != many else many)]
    yield "equal scores", len(set(scores)) < len(scores)
    yield "no rank", args.get("n") == 0
    yield "k is 0", k == 0
    yield "k beyond the list", k is not None and "run" not in args and any(len(one) < k for one in lists)
    yield "ranks from the back", args.get("i", 0) > args.get("j", 0)
    yield "one rank twice", "i" in args and args["i"] == args["j"]
    limits = zip(sorted(args.get("ps", [])), range(len(args.get("ps", [])), 0, -1), strict=True)
    yield "a value that equals its limit", any(p == args["limit"] / rest for p, rest in limits)
    yield "a machine without a question", any(questions == 0 for questions, _ in args.get("parts", []))


def by_eye(text):
    """Where you would look for a name: capitals beside small letters, 10 after 9."""
    return [(part.isdigit(), part.zfill(9)) for part in re.findall(r"\d+|\D+", text.lower())]


def of_names(args):
    """What is special in ids and words, and what one side has and the other has not."""
    pooled = list(itertools.chain.from_iterable(args.get("lists", [])))
    named = [args.get("documents", []), args.get("returned", []), args.get("chunks", []), pooled]
    yield "a name that comes again", any(len(set(one)) < len(one) for one in named)
    texts = [one for one in parts(args.get("scores")) if isinstance(one, str)] + pooled
    yield "names in an order of their own", sorted(texts, key=by_eye) != sorted(texts)
    judged = args.get("judged")
    yield "a document without a grade", isinstance(judged, dict) and not {*named[0], *named[1]} <= {*judged}
    yield "a name that is missing", "worth" in args and not {*args["grades"]} <= {*args["worth"]}
    yield "a name that is missing", "questions" in args and not {*args["questions"]} <= {*args["a"]} & {*args["b"]}
    asked, found = ({one.split()[0] for one in args.get(side, [])} for side in ("qrels", "run"))
    yield "a query that the run lacks", not asked <= found
    yield "a query without a judgement", not found <= asked


def special(names, values, text):
    """The kinds of a call."""
    args = dict(zip(names, values, strict=False))
    looks = itertools.chain.from_iterable(look(args) for look in (anywhere, of_grades, of_ranks, of_names))
    found = {kind for kind, is_so in looks if is_so} | ({"k left out"} if len(values) < len(names) else set())
    return found if DIVIDES.search(text) else found - {"nothing to find"}


def told():
    """What each task tells, statement and code, and what the top of its assignment says."""
    found, tops = {}, {}
    for assignment in assignments():
        cells = json.loads((EXERCISES / f"{assignment}.ipynb").read_text("utf8"))["cells"]
        task, top = "", "".join(cells[0]["source"])
        for cell in cells:
            text = "".join(cell["source"])
            if begun := TASK.search(text):
                task = begun[1]
            elif text.startswith("## "):
                task = ""
            found[task], tops[task] = found.get(task, "") + text + "\n", top
    return found, tops


TOLD, TOPS = told()


@pytest.mark.parametrize("task", FUNCTIONS, ids=lambda task: task.name)
def test_what_is_special_in_a_graded_call_is_told(task):
    text = TOLD[task.name]
    header = re.search(rf"^def {task.name}\((.*)\):$", text, re.MULTILINE)[1]
    names = [one.split("=")[0].strip() for one in header.split(",")]
    untold = {}
    for case in itertools.chain.from_iterable(task.cases(seed) for seed in SEEDS):
        for kind in special(names, case.args, text):
            if not re.search(WORDS[kind], TOPS[task.name] + text if kind in FOR_ALL else text):
                untold.setdefault(kind, case)
    assert untold == {}, "tell it in the statement, or drop the case"


@functools.cache
def in_data(name):
    """The kinds of what thirty students were given for a task; those of one sheet have it together."""
    data = [tasks()[name].data(f"student {n}") for n in range(30)]
    return {kind for one in data for look in (anywhere, of_grades, of_ranks) for kind, is_so in look(one) if is_so}


@pytest.mark.parametrize("task", DRAWN, ids=lambda task: task.name)
def test_what_is_special_in_drawn_data_is_told(task):
    """What one student's numbers hold by chance, and another's do not, may not decide what the right answer is."""
    text = TOLD[task.name]
    found = in_data((task.sheet()[0] if task.sheet else task).name)
    if not DIVIDES.search(text):
        found -= {"nothing to find"}
    untold = {kind for kind in found - {FOR_ALL[1]} if not re.search(WORDS[kind], TOPS[task.name] + text)}
    assert untold == set(), "tell it in the statement, or draw otherwise"
