"""HTML is made of `tag` and `joined` of `ndcg_lib/grid.py`, which escape what is text; nothing else stands in tags."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from ndcg_lib.grid import Html, joined, page, tag, tags

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    r"(?:a|article|aside|b|body|br|button|caption|circle|code|del|desc|details|div|dl|em|fieldset|figcaption|figure|foot"
    r"er|form|g|h[1-6]|head|header|html|i|iframe|img|input|label|li|line|link|main|math|meta|nav|ndcg-[\w-]*|ol|option|p"
    r"|path|pattern|polyline|pre|rect|script|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|td|te"
    r"xt|textarea|th|thead|title|tr|u|ul)"
)
TAG = re.compile(rf"</?{NAMES}(?=[\s>/\0])|</\0|<!doctype", re.IGNORECASE)
VOUCHED = {  # where a text is said to be HTML that was not made so, or is put together by hand, and why it is safe
    "ndcg_lib/grid.py joined": "each piece was escaped or is HTML",
    "ndcg_lib/grid.py tag": "attributes are escaped, and so is what stands inside",
    "ndcg_lib/grid.py around": "the two halves of such an element",
    "ndcg_lib/plots/__init__.py _repr_html_": "SVG that matplotlib wrote",
    "ndcg_lib/comparison/report.py": "a style sheet of ours",
    "ndcg_course/grade/pages.py": "a style sheet of ours",
    "ndcg_course/grade/byhand.py": "a script of ours",
    "ndcg_course/make/bank/formats.py _cdata": "XML's other way to hold a text",
    "ndcg_course/make/bank/words.py as_html": "a reader of Markdown that escapes HTML",
    "ndcg_course/make/bank/words.py as_line": "the same, without the paragraph",
    "ndcg_course/make/bank/words.py _formula": "TeX, escaped before it gets its tags",
    "ndcg_course/make/exam/__init__.py page": "a template that escapes, and a style sheet",
    "ndcg_course/make/pages.py": "a program that writes a number between tags",
    "book/_ext/sheets.py block": "Markdown of a chapter, which may hold HTML",
    "book/_ext/sheets.py inline": "the same, without the paragraph",
    "book/_ext/sheets.py figure": "a figure of a page",
    "book/_ext/sheets.py document": "style sheets",
    "book/_ext/maths.py block": "MathML",
    "book/_ext/maths.py mathml": "MathML",
    "book/_ext/look.py": "a pattern to search for",
    "book/_ext/weight.py": "a pattern to search for",
    "book/_ext/weight.py one_sheet": "an address of ours",
    "book/_ext/notebook_page.py _picture": "a figure of a page with the names of its languages",
    "book/_ext/notebook_page.py fold": "Markdown of a page",
    "book/_ext/notebook_page.py noted": "Markdown of a page",
    "book/_ext/notes.py text": "Markdown of a page",
    "book/_ext/paper.py _inside": "what a reader of HTML wrote",
    "book/_ext/paper.py document": "style sheets",
    "book/_ext/peers.py field": "a script of ours",
    "book/_ext/pycell.py add_to_page": "JSON in which no tag ends",
    "book/_ext/website.py structured": "JSON in which no tag begins",
    "book/handouts.py _emptied": "a table of a page with cells made empty",
    "book/slides.py _cut": "a piece of a page cut in two",
    "book/slides.py _stepwise": "the same",
    "book/slides.py _section": "what a cell of a page gave",
    "book/slides.py _with_pictures": "Markdown of a teacher with addresses as data",
}
ALONE = "book/_live/run_cell.py"  # runs before the library is loaded


def broken(tree: ast.Module, file: str) -> set[str]:
    """The functions in which a text with a tag and something else become one, or such a text is said to be HTML."""
    named = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = set()

    def walk(node: ast.AST, within: str) -> None:
        text = written(node, named)
        if ("\0" in text and TAG.search(text)) or vouches(node):
            found.add(f"{file} {within}".strip())
        for each in ast.iter_child_nodes(node):
            walk(each, node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else within)

    walk(tree, "")
    return found


def written(node: ast.AST, named: Mapping[str, str]) -> str:
    """What a text is made of, with a sign for each value that is put into it."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)) if name in named:
            return named[name]
        case ast.JoinedStr(values=values):
            return "".join(written(value, named) for value in values)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return written(left, named) + written(right, named)
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "format_map")):
            return written(value, named) + "\0"
        case ast.Call(func=ast.Attribute(value=value, attr="join"), args=[parts]):
            return "\0".join(written(one, named) for one in (value, *getattr(parts, "elts", ()))) + "\0"
    return "\0"


def vouches(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="Html" | "Markup"), args=[first]):
            return not isinstance(first, ast.Constant)
        case ast.Call(func=ast.Name(id="Environment"), keywords=given):
            return not any(one.arg == "autoescape" and ast.unparse(one.value) == "True" for one in given)
    return False


def test_no_value_stands_between_tags_that_was_not_escaped() -> None:
    files = [file for top in ("ndcg_lib", "ndcg_course", "book") for file in (ROOT / top).rglob("*.py")]
    found = {
        name
        for file in files
        if "_build" not in file.parts and file != ROOT / ALONE
        for name in broken(ast.parse(file.read_text("utf-8")), file.relative_to(ROOT).as_posix())
    }
    assert found - VOUCHED.keys() == set(), "make it with tag() and joined() of ndcg_lib/grid.py"
    assert VOUCHED.keys() - found == set(), "these need no exception"


@pytest.mark.parametrize(
    "line",
    ["f'<p>{x}</p>'", "'<p>' + x", "'<p>%s</p>' % x", "'<p>{}</p>'.format(x)", "'<br>'.join(x)", "f'<{x}>{y}</{x}>'",
     "Html(x)", "Html(f'{x}')", "Markup(x)", "Environment(loader=x)", "f'a {x}' + '<i>'", "'<li>' + x + '</li>'",
     "''.join(['<p>', x])", "ROW.format(x)", "f'{ROW}{x}'"],
)  # fmt: skip
def test_the_rule_sees_each_way_to_put_a_value_between_tags(line: str) -> None:
    assert broken(ast.parse(f"ROW = '<p>{{}}</p>'\ndef made(x, y): return {line}"), "file") == {"file made"}


@pytest.mark.parametrize("line", ["Html('<br>')", "tag('p', x)", "f'{x} < {y}'", "f'<cell {x}>'", "'<p>' in x"])
def test_the_rule_lets_pass_what_is_safe(line: str) -> None:
    assert broken(ast.parse(f"def made(x, y): return {line}"), "file") == set()


def test_whatever_is_put_into_a_page_is_read_back_as_text() -> None:
    """A browser's reader of HTML finds the words that were put in, and no element more."""
    odd = "</p><script>x</script> & &amp; \"' <!-- \n]]>"
    made = page(odd, Html("p { }"), tag("p", odd, title=odd), tags("li", [odd, [odd, None]]), joined(odd))
    read = BeautifulSoup(made, "html.parser")
    assert [one.get_text() for one in read.find_all(["title", "p", "li"])] == [odd, odd, odd, odd]
    assert read.p and read.p["title"] == odd
    assert not read.find("script")
