"""What a person may have meant: each kind of small change is made in code that has its mistake, and undone again."""

import ast

import pytest

from ndcg_course.explain.changes import Code
from ndcg_course.explain.repairs import THOUGHTS
from ndcg_course.make.files import run

LOOP = "t = 0\nfor x in a:\n    {}\nreturn t"
MEANT = {
    "log": [("log(k)", "log2(k)"), ("math.log10(k)", "math.log2(k)")],
    "function": [("max(a)", "sum(a)"), ("all(a)", "any(a)"), ("abs(a)", "a ** 2"), ("np.sum(a)", "np.mean(a)"),
                 ("(a != k) + (k != a)", "abs(a - k) + abs(k - a)"),
                 ("(a != k) + (k != a)", "(a - k) ** 2 + (k - a) ** 2")],
    "order": [("sorted(a)", "sorted(a, reverse=True)"), ("sorted(a, reverse=True)", "sorted(a)"), ("sorted(a)", "a"),
              ("sorted(a, key=len)", "sorted(a)"), ("sorted(a)", "sorted(a, key=k.get)"), ("[x for x in a]",
              "[x for x in sorted(a, reverse=True)]"), ("[x for x in a]", "[x for x in a[::-1]]"), ("a[::-1]", "a[:]"),
              ("a[:k]", "a[:k:-1]"), ("a[:k]", "sorted(a, reverse=True)"), ("[*a]", "sorted([*a])")],
    "unordered": [("set(a)", "dict.fromkeys(a)")],
    "turned": [("pow(a, k)", "pow(k, a)"), ("a - k", "k - a"), ("a / k", "k / a")],
    "begins-early": [("range(k)", "range(1, k)"), ("range(1, k)", "range(1 + 1, k)")],
    "begins-late": [("range(1, k)", "range(1 - 1, k)")],
    "ends-early": [("range(k)", "range(0, k + 1)"), ("range(1, k, 2)", "range(1, k + 1, 2)")],
    "ends-late": [("range(k)", "range(0, k - 1)"), ("range(1, k)", "range(1, k - 1)")],
    "runs-high": [("range(1, k)", "range(1 - 1, k - 1)")],
    "runs-low": [("range(k)", "range(1, k + 1)"), ("range(1, k)", "range(1 + 1, k + 1)")],
    "range": [("range(k)", "range(min(k, len(a)))"), ("range(1, k)", "range(1 - 1, k + 1)"),
              ("enumerate(a)", "enumerate(a, 1)"), ("enumerate(a, 1)", "enumerate(a, 0)"),
              ("enumerate(a)", "enumerate(a, 2)")],
    "cut": [("[x for x in a]", "[x for x in a[:k]]"), ("sum(a)", "sum(a[:k + 1])"), ("sorted(a)", "sorted(a)[:k]"),
            ("zip(a, k)", "zip(a, k)[:a]")],
    "slice": [("a[1:k]", "a[:k]"), ("a[:k]", "a[:]"), ("a[1:]", "a[1:k]"), ("a[:3]", "a[:k]"), ("a[1:k]", "a[:]")],
    "too-small": [("len(a)", "len(a) + 1"), ("a * k", "a * k + 1"), ("k - 1", "k"), ("a[k]", "a[k + 1]"),
                  ("a * 2", "a * 3"),
                  ("a[k] + k", "a[k + 1] + (k + 1)"), ("a[2] * 2", "a[3] * 3"), ("log2(k)", "log2(k) + 1")],
    "too-large": [("len(a)", "len(a) - 1"), ("a * k", "a * k - 1"), ("k + 1", "k"), ("a[k]", "a[k - 1]"),
                  ("a * 2", "a * 1"),
                  ("a[k] + k", "a[k - 1] + (k - 1)")],
    "too-much": [("round(sum(a), 2)", "sum(a)"), ("max(a, default=0)", "max(a)"), ("a.copy()", "a"), ("a / k", "a"),
                 ("a / k", "k"), ("[a, k]", "[k]"), ("(a, k)", "(a,)"), ("{a, k}", "{a}"), ("a / k + 2 / k", "a + 2"),
                 ("float(a) + float(k)", "a + k"), ("a.lower() + k.lower()", "a + k")],
    "name": [("a + 2", "k + 2"), ("len(a)", "k"), ("a + a", "k + k")],
    "number": [("k > 2", "k > 3"), ("k > 2", "k > 1"), ("a * 3", "a * 10"), ("a * 3", "a * len(a)"), ("a * 3", "a * k"),
               ("a > k", "a + 1 > k"), ("a * 7", "a * -7")],
    "operator": [("a + k", "a - k"), ("a * k", "a / k"), ("a / k", "a // k"), ("-a", "a"),
                 ("a / k + 2 / k", "a * k + 2 * k"),
                 ("a - 1", "a + 1")],
    "missing": [("a / k", "a / log2(k)"), ("a / k", "a / log2(k + 1)"), ("a[k]", "a.get(k, 0)"), ("a + 1", "a * k + 1"),
                ("a + 1", "a / len(k) + 1"), ("k + 1", "min(k, len(a)) + 1"), ("a - k", "abs(a - k)"),
                ("a - k", "(a - k) ** 2"),
                ("sum(a)", "1 / sum(a)"), ("log2(k)", "abs(log2(k))"),
                ("log2(a) + log2(k)", "1 / log2(a) + 1 / log2(k)")],
    "zero": [("a / k", "a / k if k else 0.0")],
    "comparison": [("a < k", "a <= k"), ("a in k", "a not in k"), ("a > k", "a < k"), ("a == k", "a != k")],
    "condition": [("a and k", "a or k"), ("a or k", "a and k"), ("a and k", "k"), ("not a", "a"),
                  ("a if k else 0", "0 if k else a"),
                  ("a and k and 7", "a and 7"), ("sum(a, True)", "sum(a, False)"),
                  ("if a:\n    return 1\nreturn 0", "if not a:\n    return 1\nreturn 0")],
    "falsy": [("a or k", "k if a is None else a"), ("not a", "a is None"),
              ("a if k else 0", "a if k is not None else 0")],
    "condition-off": [("a if k else 0", "a"), ("a if k else 0", "0"),
                      ("[x for x in a if x > 1]", "[x for x in a if True]"),
                      ("if a:\n    k = 1\nreturn k", "k = 1\nreturn k")],
    "left-out": [("[x for x in a if x]", "[x if x else 0 for x in a]"),
                 ("sum(x for x in a if x if k)", "sum(x if x and k else 0 for x in a)")],
    "kept": [("[x if x else 0 for x in a]", "[x for x in a if x]"),
             ("[x if x else 0 for x in a]", "[0 for x in a if not x]"),
             (LOOP.format("t.append(x if x else 0)"), LOOP.format("if x:\n        t.append(x)"))],
    "assign": [(LOOP.format("t += x"), LOOP.format("t -= x")), (LOOP.format("t += x"), LOOP.format("t = x"))],
    "added": [(LOOP.format("t = x"), LOOP.format("t += x")), (LOOP.format("t = x"), LOOP.format("t *= x"))],
    "stop": [("for x in a:\n    if x:\n        break\nreturn k", "for x in a:\n    if x:\n        continue\nreturn k"),
             ("for x in a:\n    if x:\n        break\nreturn k", "for x in a:\n    if x:\n        pass\nreturn k"),
             ("for x in a:\n    if x:\n        return x\nreturn k", "for x in a:\n    if x:\n        break\nreturn k"),
             ("if a:\n    k = 1\n    return k\nreturn 0", "if a:\n    k = 1\nreturn 0")],
    "out-of-loop": [(LOOP.format("t += x\n    k += 1"), "t = 0\nfor x in a:\n    t += x\nk += 1\nreturn t"),
                    (LOOP.format("t += x\n    k += 1"), "t = 0\nk += 1\nfor x in a:\n    t += x\nreturn t"),
                    ("while k:\n    k -= 1\n    a = 0\nreturn a", "a = 0\nwhile k:\n    k -= 1\nreturn a")],
    "into-loop": [("t = 0\nfor x in a:\n    k = x\nt += k\nreturn t", LOOP.format("k = x\n    t += k"))],
    "sequence": [("t = 1\nk = t\nreturn k", "k = t\nt = 1\nreturn k")],
    "line": [("t = 1\nk = 2\nreturn k", "k = 2\nreturn k")],
    "alias": [("t = a\nreturn t", "t = list(a)\nreturn t")],
}  # fmt: skip


def written(body, head="def f(a, k=None):"):
    lines = body if "return" in body else f"return {body}"
    return ast.unparse(ast.parse(head + "".join(f"\n    {line}" for line in lines.splitlines())))


def changes(text):
    code = Code.of_text("f", text)
    for draft in code.changes():
        yield ast.unparse(code.tree), draft.kind
    assert ast.unparse(code.tree) == text, "every change is undone"


@pytest.mark.parametrize("kind", MEANT)
def test_what_was_meant_is_among_the_changes_under_its_kind(kind):
    for wrong, right in MEANT[kind]:
        assert (written(right), kind) in set(changes(written(wrong))), (wrong, right)


def test_a_number_that_stands_for_nothing_given_is_none():
    assert (written("a[:k]"), "default") in set(changes(written("a[:k]", head="def f(a, k=10):")))


def test_each_thought_has_its_example():
    assert {*MEANT, "default"} == {*THOUGHTS}


def test_code_is_found_of_a_function_with_what_it_calls_and_of_a_lambda():
    names = {}
    run(["def twice(x):\n    return 2 * x\ndef f(a):\n    return twice(a)\ng = lambda a: a + 1\n"], names)
    assert ast.unparse(Code.of(names["f"]).tree).count("def ") == 2
    assert "a + 1" in ast.unparse(Code.of(names["g"]).tree)
    assert Code.of(len) is None and Code.of_text("f", "def f(:") is None and Code.of_text("f", "x = 1") is None
