"""HTML is made of `tag` and `joined` of `ndcg_lib/grid.py`, which escape what is text; nothing else stands in tags."""

import ast
import re
from collections.abc import Iterator
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
VOUCHED = {  # where a text is said to be HTML that was not made so, and why it is
    "ndcg_lib/grid.py joined": "each piece was escaped or is HTML",
    "ndcg_lib/grid.py tag": "name and attributes are escaped, and so is what stands inside",
    "ndcg_lib/plots/__init__.py _repr_html_": "SVG that matplotlib wrote",
    "ndcg_course/make/bank/formats.py _cdata": "XML's other way to hold a text",
    "ndcg_course/make/bank/words.py as_html": "a reader of Markdown that escapes HTML",
    "ndcg_course/make/bank/words.py as_line": "the same, without the paragraph",
    "ndcg_course/make/bank/words.py _formula": "TeX, escaped before it gets its tags",
    "ndcg_course/make/exam/__init__.py page": "a template that escapes, and a style sheet",
    "ndcg_course/make/pages.py": "a program that writes a number between tags",
}


def broken(tree: ast.AST, file: str, within: str = "") -> Iterator[str]:
    """The functions in which a text with a tag and something else become one, or such a text is said to be HTML."""
    text = written(tree)
    if ("\0" in text and TAG.search(text)) or vouches(tree):
        yield f"{file} {within}".strip()
    for node in ast.iter_child_nodes(tree):
        inside = isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from broken(node, file, tree.name if inside and not isinstance(node, ast.Constant) else within)


def written(node: ast.AST) -> str:
    """What a text is made of, with a sign for each value that is put into it."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(written, values))
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return written(left) + written(right)
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "format_map")):
            return written(value) + "\0"
        case ast.Call(func=ast.Attribute(value=value, attr="join"), args=[parts]):
            return written(value) + "\0" + "".join(map(written, getattr(parts, "elts", ())))
    return "\0"


def vouches(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="Html" | "Markup"), args=[first]):
            return not isinstance(first, ast.Constant)
        case ast.Call(func=ast.Name(id="Environment"), keywords=given):
            return not any(one.arg == "autoescape" and ast.unparse(one.value) == "True" for one in given)
    return False


def test_no_value_stands_between_tags_that_was_not_escaped() -> None:
    files = [file for top in ("ndcg_lib", "ndcg_course") for file in (ROOT / top).rglob("*.py")]
    found = {
        name
        for file in files
        if "_build" not in file.parts
        for name in broken(ast.parse(file.read_text("utf-8")), file.relative_to(ROOT).as_posix())
    }
    assert found - VOUCHED.keys() == set(), "make it with tag() and joined() of ndcg_lib/grid.py"
    assert VOUCHED.keys() - found == set(), "these need no exception"


@pytest.mark.parametrize(
    "line",
    ["f'<p>{x}</p>'", "'<p>' + x", "'<p>%s</p>' % x", "'<p>{}</p>'.format(x)", "'<br>'.join(x)", "f'<{x}>{y}</{x}>'",
     "Html(x)", "Html(f'{x}')", "Markup(x)", "Environment(loader=x)", "f'a {x}' + '<i>'", "'<li>' + x + '</li>'",
     "''.join(['<p>', x])"],
)  # fmt: skip
def test_the_rule_sees_each_way_to_put_a_value_between_tags(line: str) -> None:
    assert set(broken(ast.parse(f"def made(x, y): return {line}"), "file")) == {"file made"}


@pytest.mark.parametrize("line", ["Html('<br>')", "tag('p', x)", "f'{x} < {y}'", "f'<cell {x}>'", "'<p>' in x"])
def test_the_rule_lets_pass_what_is_safe(line: str) -> None:
    assert not [*broken(ast.parse(f"def made(x, y): return {line}"), "file")]


def test_whatever_is_put_into_a_page_is_read_back_as_text() -> None:
    """A browser's reader of HTML finds the words that were put in, and no element more."""
    odd = "</p><script>x</script> & &amp; \"' <!-- \n]]>"
    made = page(odd, Html("p { }"), tag("p", odd, title=odd), tags("li", [odd, [odd, None]]), joined(odd))
    read = BeautifulSoup(made, "html.parser")
    assert [one.get_text() for one in read.find_all(["title", "p", "li"])] == [odd, odd, odd, odd]
    assert read.p and read.p["title"] == odd
    assert not read.find("script")
