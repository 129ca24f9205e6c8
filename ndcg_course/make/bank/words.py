"""The Markdown of the book as HTML that needs no filter of a learning platform, and as plain text."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

from ndcg_course.explain.messages import where
from ndcg_lib.grid import Html

ROLE = re.compile(r"\{(place|\w+(?::\w+)?)\}`([^`]*)`")
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
MATHS = re.compile(r"\$([^$]+)\$")
COMMANDS = {r"\log": "log", r"\ln": "ln", r"\div": "÷", r"\times": "×", r"\cdot": "·", r"\ge": "≥", r"\le": "≤"}


def bare(markdown: str) -> str:
    """Without roles and links, which lead nowhere outside of the book.

    >>> bare("see [the base](#log-base), {printed}`0.92`")
    'see the base, 0.92'
    """
    return LINK.sub(r"\1", ROLE.sub(lambda m: where(m[2]) if m[1] == "place" else m[2], markdown))


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt  # comes with jupyter-book

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def as_html(markdown: str) -> Html:
    """As HTML that is XML too. Formulas are letters with <sub> and <sup>, since no platform is sure to draw TeX.

    >>> as_html("a *page* with $2^{rel}-1$")
    '<p>a <em>page</em> with 2<sup>rel</sup>−1</p>'
    """
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(_formula(match[1]))
        return f"\ue000{len(kept) - 1}\ue001"

    made = str(_markdown().render(MATHS.sub(keep, bare(markdown))))
    return Html(re.sub("\ue000(\\d+)\ue001", lambda m: kept[int(m[1])], made).strip())


def as_line(markdown: str) -> Html:
    """As HTML without a paragraph around it."""
    made = as_html(markdown)
    return Html(made.removeprefix("<p>").removesuffix("</p>")) if made.count("<p>") == 1 else made


def as_text(markdown: str) -> str:
    """As plain text; tables stay as they are written.

    >>> as_text("`a` *page* with $2^{rel}-1$ and $\\\\log_2 3$")
    'a page with 2^rel−1 and log_2 3'
    """

    def plain(match: re.Match[str]) -> str:
        made = re.sub(r"<(sub|sup)>(.*?)</\1>", lambda m: ("_" if m[1] == "sub" else "^") + m[2], _formula(match[1]))
        return html.unescape(made)

    return re.sub(r"[`*]", "", MATHS.sub(plain, bare(markdown))).strip()


def _formula(latex: str) -> str:
    made = html.escape(latex.strip()).replace("-", "−")
    made = re.sub(r"\\[a-z]+", lambda m: COMMANDS.get(m[0], m[0]), made)
    for mark, tag in (("_", "sub"), (r"\^", "sup")):
        made = re.sub(rf"{mark}(?:\{{([^{{}}]*)\}}|(\w))", rf"<{tag}>\1\2</{tag}>", made)
    if "\\" in made or "{" in made:
        raise ValueError(f"the formula {latex!r} has signs that ndcg_course/make/bank/words.py does not know")
    return made
