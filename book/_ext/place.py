"""The page of an assignment, laid out as the place to work that it becomes: nothing moves when its script comes.

What the script fills stands there empty; without a script place.css hides it, and the page is the notebook as text.
"""

from __future__ import annotations

import re
from typing import Any

import bs4

SHOWS = re.compile(r"(own|figure)\(")
HEAD = """<div class="place-head"><details><summary>About this assignment</summary></details>
<label>Your id <input size="9" spellcheck="false" autocomplete="off" value="demo"/></label></div>
<nav class="place-way" aria-label="Tasks"><ol class="place-steps"></ol>
<p class="place-sum"><b>0</b></p></nav>
<div class="place-aloud" role="alert"></div><p class="place-kept place-drawing" role="status"></p>"""


def laid_out(body: str, assignment: dict[str, Any]) -> str:
    """The body of the page, with the head, the steps, and each task's question apart from the reader's own data."""
    page = bs4.BeautifulSoup(body, "html.parser")
    sources = {cell["id"]: "".join(cell["source"]).strip() for cell in assignment["notebook"]["cells"]}
    tasks = [(task, page.find(id=f"task-{task['id']}".replace("_", "-"))) for task in assignment["tasks"]]
    found = [(task, mark if mark.name == "section" else mark.find_parent("section")) for task, mark in tasks if mark]
    if not page.h1 or not found:
        return body
    page.h1.insert_after(bs4.BeautifulSoup(HEAD, "html.parser"))
    steps, whole = page.select_one(".place-steps"), page.select_one(".place-sum")
    assert steps and whole
    whole.append(f" of {sum(task['points'] for task in assignment['tasks'])} points")
    for task, section in found:
        divide(page, section, task, sources[task["cell"]])
    for sign, to in [*enumerate((section["id"] for _, section in found), 1), ("⚑", "hand-in")]:
        steps.append(page.new_tag("li"))
        steps.contents[-1].append(page.new_tag("a", href=f"#{to}", string=str(sign)))
    found[0][1]["class"] += ["place-first"]
    found[-1][1].insert_after(page.new_tag("section", id="hand-in", attrs={"class": "place-task place-end"}))
    return str(page)


def divide(page: bs4.BeautifulSoup, section: bs4.Tag, task: dict[str, Any], answer: str) -> None:
    """The question, the reader's own data beside it; cells that the place to work takes over are marked."""
    ask, yours = (page.new_tag("div", attrs={"class": name}) for name in ("place-ask", "place-yours"))
    points = page.new_tag("p", attrs={"class": "place-points"})
    points.string = f"{'○' * int(task['points'])} 0 of {task['points']} point{'s' * (task['points'] != 1)}"
    ask.append(points)
    for part in [*section.children]:
        code = _code(part)
        if code and (code == answer or code.startswith(f'check("{task["id"]}"')):
            part["class"] += ["place-taken"]
        (yours if code and SHOWS.match(code) else ask).append(part)
    section["class"] = [*section.get("class", []), "place-task"]
    section.append(ask)
    if yours.contents:
        section.append(yours)


def _code(part: bs4.PageElement) -> str:
    if not isinstance(part, bs4.Tag) or "cell" not in part.get("class", []):
        return ""
    pre = part.select_one(".cell_input pre")
    return pre.get_text().strip() if pre else ""
