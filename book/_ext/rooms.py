"""The short book and the rooms: where a page stands on the path, what comes next, the row of rooms, a menu for each.

- ``{next}`` the button of a page of the path, with the question that the next page opens with
- ``{path}`` the whole path, with its minutes

Which pages these are, and which parts a room has, says _toc.yml.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ndcg_course import course, course_keys
from ndcg_course.make import chapters
from ndcg_lib.grid import Html, joined, tag

BOOK = Path(__file__).resolve().parents[1]
NAMES = {"index": "First page", "handbook": "All needs", "assignments": "Core practice", "teaching/index": "Start"}
"""What a page is called in a menu, where its title is longer than it needs to be."""

NEED = re.compile(r"^- \[(When [^\]]+)\]\(#([a-z0-9-]+)\)$", re.MULTILINE)
"""A line of the handbook."""

MOST = 15
"""So many entries of a menu lie open at once."""


class onward(nodes.General, nodes.Element):
    """Stands for the link to the next page until all pages have been read."""


class stations(nodes.General, nodes.Element):
    """Stands for the pages of the path until all of them have been read."""


class Next(SphinxDirective):
    """What comes next, after a question that makes one curious."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        here, book = self.env.docname, course_keys.short_book(BOOK.parent)
        if here not in book[:-1]:
            raise self.error("next: this page is not on the path, or ends it")
        if here not in path()[:-1]:
            return []
        holder = nodes.container(classes=["next-page"])
        if path()[path().index(here) + 1] == book[book.index(here) + 1]:  # which the question leads to
            self.state.nested_parse(self.content, self.content_offset, holder)
        self.env.metadata[self.env.docname]["path"] = True
        holder += nodes.paragraph("", "", onward())
        return [holder]


class Whole(SphinxDirective):
    """The pages of the short book as one line of stations."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["path"] = True
        return [stations()]


@cache
def path() -> list[str]:
    return list(course.load(BOOK.parent).units or course_keys.short_book(BOOK.parent))


@cache
def rooms() -> dict[str, dict[str, list[str]]]:
    return chapters.rooms(BOOK.parent)


@cache
def parts() -> dict[str, str]:
    return {name: part for part, name in chapters.contents(BOOK.parent)}


@cache
def left_out() -> frozenset[str]:
    return chapters.left_out(BOOK.parent)


def room_of(page: str) -> str:
    """The room in which a page stands; the first page, and what has no place, stand in the first."""
    part = parts().get(page)
    if part == "Behind the seals" and "Puzzles" in rooms():
        return "Puzzles"
    return next((room for room, held in rooms().items() if part in held), next(iter(rooms())))


def neighbours(page: str) -> tuple[str | None, str | None]:
    """The pages before and after one in its room, in a course that leaves some out."""
    listed = [name for names in rooms()[room_of(page)].values() for name in names]
    if page not in listed:
        return None, None
    at = listed.index(page)
    return (listed[at - 1] if at else None), (listed[at + 1] if at + 1 < len(listed) else None)


def _lay(app: Any, doctree: nodes.document, docname: str) -> None:
    """The links of the path, with titles and minutes of their pages."""

    def link(page: str, *inside: nodes.Node) -> nodes.reference:
        address = app.builder.get_relative_uri(docname, page)
        return nodes.reference("", "", *inside, internal=True, refuri=address)

    about = app.env.metadata
    for place in list(doctree.findall(onward)):
        page = path()[path().index(docname) + 1]
        words = f"Page {path().index(page) + 1}: {app.env.titles[page].astext()}"
        made = link(page, nodes.inline("", words), nodes.inline("", f"{about[page].get('minutes')} minutes"))
        made["classes"].append("go-on")
        place.replace_self(made)
    for place in list(doctree.findall(stations)):
        listed = nodes.enumerated_list(classes=["stations"], enumtype="arabic", prefix="", suffix=".")
        for number, page in enumerate(path(), start=1):
            inside = (
                nodes.inline("", f"{number}", classes=["station-number"]),
                nodes.inline("", app.env.titles[page].astext(), classes=["station-title"]),
                nodes.inline("", f"{about[page].get('minutes')} min", classes=["station-minutes"]),
            )
            listed += nodes.list_item("", nodes.paragraph("", "", link(page, *inside)))
        place.replace_self(listed)


def _again(app: Any, env: Any) -> list[str]:
    """Pages with such links are written with every build, because they show titles and minutes of other pages."""
    return [name for name, metadata in env.metadata.items() if "path" in metadata]


def where(app: Any, page: str) -> Html:
    """The line below the title of a page of the path: its number, its minutes, what is left, and the way to each."""
    minutes = [app.env.metadata[name].get("minutes", 0) for name in path()]
    at = path().index(page)
    left = f"{sum(minutes[at + 1 :])} minutes after it" if page != path()[-1] else "the last one"
    links = []
    for n, name in enumerate(path(), start=1):
        address, title = app.builder.get_relative_uri(page, name), app.env.titles[name].astext()
        here = "page" if name == page else None
        links.append(tag("li", tag("a", n, href=address, title=title, aria_current=here)))
    said = f"Page {at + 1} of {len(minutes)} · about {minutes[at]} minutes, estimated · {left}"
    line = tag("ol", links, class_="stations-line")
    return tag("nav", tag("p", said), line, class_="path-place", aria_label=parts()[page])


def needs(env: Any, page: str) -> Html | None:
    """What the page is for, in the words of the handbook's list: each need with the place that answers it."""
    labels = env.get_domain("std").anonlabels
    listed = NEED.findall((BOOK / "handbook.md").read_text("utf8"))
    here = [(words, labels[label][1]) for words, label in listed if label in labels and labels[label][0] == page]
    links = [tag("li", tag("a", words, href=f"#{anchor}")) for words, anchor in here]
    return tag("nav", tag("ul", links), class_="needs", aria_label="What this page is for") if here else None


def _link(context: dict[str, Any], page: str, here: str, words: str) -> Html:
    kind = "current reference internal" if page == here else "reference internal"
    return tag("a", words, class_=kind, href=context["pathto"](page))


def row(context: dict[str, Any], here: str) -> Html:
    """The rooms, each a link to its first page; `here` is "" for a page that stands in none."""
    stands = room_of(here) if here else None
    made = []
    for room, held in rooms().items():
        page = "index" if room == next(iter(rooms())) else next(iter(held.values()))[0]
        marked = "true" if room == stands else None
        made.append(tag("li", tag("a", room, href=context["pathto"](page), aria_current=marked)))
    return tag("ul", made)


def menu(app: Any, context: dict[str, Any], here: str) -> Html:
    """The menu of the room in which a page stands: one of its parts open, the others folded."""
    room = room_of(here)
    held = rooms()[room]
    numbers = {name: f"{n} " for n, name in enumerate(path(), start=1)}

    def entry(page: str) -> Html:
        title = app.env.titles[page].astext().removeprefix("Teaching: ").removeprefix("API: ")
        kind = "toctree-l1 current active" if page == here else "toctree-l1"
        name = NAMES.get(page) or numbers.get(page, "") + title
        return tag("li", _link(context, page, here, name), class_=kind)

    made = [entry("index")] if room == next(iter(rooms())) else []
    first, *others = map(len, held.values())
    whole = len(made) + first + len(others) + max(others, default=0) <= MOST  # else the first part is folded, too
    for i, (part, names) in enumerate(held.items()):
        listed = joined(map(entry, names))
        opened = "" if here in names or not (i or whole or any(here in page for page in held.values())) else None
        inside = [tag("summary", part), tag("ul", listed)]
        fold = tag("details", inside, name="part", open=opened)  # one of the same name is open at once
        made.append(tag("li", fold, class_="toctree-l1") if i or not whole else listed)
    above = tag("nav", row(context, here), class_="rooms", aria_label="Rooms of the book")
    return joined(above, tag("ul", made, class_="nav bd-sidenav"))


def below_title(context: dict[str, Any], piece: Html) -> None:
    """Put a piece below the title of a page."""
    above, title, rest = context["body"].partition("</h1>")
    context["body"] = "".join([above, title, "\n", piece, rest]) if title else above


def furnish(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    context["generate_toctree_html"] = lambda *given, **options: menu(app, context, pagename)
    context["rooms_row"] = row(context, pagename)
    room = room_of(pagename)
    if room in ("Learn", "Handbook", "Puzzles"):
        context["prev"] = context["next"] = None
    if doctree is None:
        return
    if pagename in path():
        below_title(context, where(app, pagename))
    elif room == "Handbook" and pagename != "handbook":
        if asked := needs(app.env, pagename):
            below_title(context, asked)
        back = tag("a", "Back to the short book", class_="back-to-path", href=context["pathto"](path()[0]))
        every = _link(context, "handbook", pagename, "All needs")
        context["body"] += tag("p", every, " · ", back, class_="handbook-end")


def _templates(app: Any, config: Any) -> None:
    config.templates_path.append(str(BOOK / "_templates"))
    config.html_sidebars = {
        "**": ["sbt-sidebar-nav.html"]
    }  # name and search stand in the header (sections/header.html)


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("next", Next)
    app.add_directive("path", Whole)
    app.connect("config-inited", _templates)
    app.connect("doctree-resolved", _lay)
    app.connect("env-updated", _again)
    app.connect("html-page-context", furnish, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
