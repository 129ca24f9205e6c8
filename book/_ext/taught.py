"""The site of a course that leaves pages out (course.toml: units, assignments): they are read, and not written.

So a link from a page that stays can take its words from them; then it becomes these words, and a card on the first
page, which would lead there, goes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import Any

from _ext.rooms import left_out, neighbours
from bs4 import BeautifulSoup

from ndcg_lib.grid import tag

LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


def know(app: Any, env: Any, docnames: list[str]) -> None:
    env.left_out = left_out()


def leave(app: Any, env: Any) -> None:
    """What is listed or written from here on is of the course."""
    if not left_out():
        return
    write = app.builder.write
    for name in left_out():
        env.dlfiles.purge_doc(name)
    env.project.docnames -= left_out()

    def written(build: Iterable[str] | None, updated: Iterable[str], *how: Any) -> None:
        write(None if build is None else [*{*build} - left_out()], [*{*updated} - left_out()], *how)

    app.builder.write = written


def is_left_out(address: str, page: str) -> bool:
    """Whether an address on a page leads to a page that there is not."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(page), address.partition("#")[0].partition("?")[0]))
    return place.endswith(".html") and place.removesuffix(".html") in left_out()


def unlinked(body: str, page: str) -> str:
    """The body of a page without links to pages that there are not."""
    if "sd-stretched-link" in body:
        soup = BeautifulSoup(body, "html.parser")
        for link in soup.select("a.sd-stretched-link"):
            card = link.find_parent(class_="sd-col")
            if card and is_left_out(str(link.get("href", "")), page):
                card.decompose()
        body = str(soup)
    return LINK.sub(lambda found: found[2] if is_left_out(found[1], page) else found[0], body)


def restrict(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if not left_out():
        return
    if "body" in context:
        context["body"] = unlinked(context["body"], pagename)
    if context.get("prev") or context.get("next"):
        for way, name in zip(("prev", "next"), neighbours(pagename), strict=True):
            title = app.env.titles[name].astext() if name else ""
            context[way] = {"link": context["pathto"](name), "title": title} if name else None
    if pagename == "index":  # whose story ends at doors
        names = " ".join(sorted(left_out()))
        context["metatags"] = context.get("metatags", "") + tag("meta", name="ndcg-left-out", content=names)


def setup(app: Any) -> dict[str, bool]:
    app.connect("env-before-read-docs", know)
    app.connect("env-check-consistency", leave)
    app.connect("html-page-context", restrict, priority=990)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
