"""What comes back: how the class did, task by task and slip by slip, for its teacher; a page for each student."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ndcg_course.explain.messages import marked, where
from ndcg_course.grade.gradebook import Gradebook, Mark, Row, number
from ndcg_course.grade.lateness import Rules
from ndcg_course.grade.pages import bar, page, plain, soft, table, visible
from ndcg_course.grade.similarity import Likeness
from ndcg_course.sealed import title_of
from ndcg_course.tasks import assignments
from ndcg_lib.grid import Html, joined, tag, tags
from ndcg_lib.slips import SLIPS

SCREENS = 6  # what a lesson can take up again
SAID = {
    "error": "raises an error",
    "loop": "does not end",
    "none": "returns None",
    "type": "returns another type than the one asked",
    "value": "other values, and no cause is sure",
}


@dataclass(frozen=True)
class Topic:
    """What a class should hear again: mistakes of one kind, put together across tasks, the most frequent first."""

    mistakes: tuple[tuple[str, str, int], ...]  # name, a sentence about it, how many made it
    made: int  # students, each counted once
    tried: int  # of those who tried one of the tasks
    tasks: tuple[str, ...]  # titles
    place: str  # in the book
    known: bool  # whether there is something to teach


def topics(book: Gradebook) -> list[Topic]:
    """What to teach, that of most students first; at the end what no known mistake explains."""
    sentences = {(task.name, slip.name): slip.sentence for task in book.tasks for slip in task.slips}
    made: dict[str, dict[str, set[str]]] = {}  # kind, mistake, students
    tried: dict[str, set[str]] = {}
    told: dict[str, list[tuple[str, str, str]]] = {}  # mistake: task, sentence, place
    marks = ((row, *item) for row in book.rows for one in row.results for item in one["tasks"].items())
    for row, task, mark in marks:
        if mark["status"] != "not attempted":
            tried.setdefault(task, set()).add(row.student)
        for name in dict.fromkeys([*mark["slips"], *([mark["fault"]] if mark["fault"] else [])]):
            kind = SLIPS[name].family if name in SLIPS else name
            made.setdefault(kind, {}).setdefault(name, set()).add(row.student)
            said = sentences.get((task, name)) or SAID.get(name) or next(iter(mark["sentences"]), "")
            told.setdefault(name, []).append((task, said, mark["place"]))
    found = []
    for by_name in made.values():
        names = sorted(by_name, key=lambda name: (-len(by_name[name]), name))
        tasks = dict.fromkeys(task for name in names for task, *_ in told[name])
        found.append(
            Topic(
                tuple((name, _most([said for _, said, _ in told[name]]), len(by_name[name])) for name in names),
                len(set().union(*by_name.values())),
                len(set().union(*(tried.get(task, set()) for task in tasks))),
                tuple(map(titled, tasks)),
                _most([place for name in names for *_, place in told[name]]),
                names[0] not in SAID,
            )
        )
    return sorted(found, key=lambda topic: (not topic.known, -topic.made, topic.mistakes[0][0]))


def titled(task: str) -> str:
    """A task by its title and its assignment, since some have the same title.

    >>> titled("cg_at")
    'The same for any list (cumulative gain)'
    """
    of = next(
        (assignment.name for assignment in assignments().values() if task in {one.name for one in assignment.tasks}), ""
    )
    return f"{title_of(task)} ({of.partition('-')[2].replace('-', ' ')})" if of else task


def _most(words: Sequence[str]) -> str:
    return Counter(words).most_common(1)[0][0]


def projected(book: Gradebook) -> Html:
    """The page for the class, without a name: what most stumbled over, one thing on each screen."""
    shown = [topic for topic in topics(book) if topic.known][:SCREENS]
    rows = [_row_of(_plain(topic.mistakes[0][1]), topic.made, topic.tried, f"{topic.made} of {topic.tried}")
            for topic in shown]  # fmt: skip
    parts = [table(["", "how many of you"], rows) if rows else tag("p", "Nothing stands out.")]
    for topic in shown:
        name, sentence, _ = topic.mistakes[0]
        slip = SLIPS.get(name)
        right = tag("p", marked(slip.why)) if slip else None
        belief = tag("h2", "“", marked(slip.belief.rstrip(".")), "”") if slip else tag("h2", marked(sentence))
        below = [soft("In: ", "; ".join(topic.tasks)), soft("Read again: ", where(topic.place)) if topic.place else ""]
        parts.append(tag("div", belief, _bars(topic), right, below, class_="screen"))
    return page("What we look at again", tag("div", parts, class_="projected"))


def _plain(sentence: str) -> str:
    return sentence.replace("`", "")


def _bars(topic: Topic) -> Html:
    """How many made each mistake of a kind."""
    rows = [_row_of(_plain(said), n, topic.tried, f"{n} of {topic.tried}") for _, said, n in topic.mistakes]
    return table(["", "students"], rows)


def summary(book: Gradebook, alike: Likeness, names: Mapping[str, str], facts: Sequence[str]) -> Html:
    """The page for the teacher."""
    parts = [_tiles(book), tags("p", facts)]
    if book.tasks:
        parts += [tag("h2", "What to teach next"), _topics(book), tag("h2", "Marks"), _totals(book)]
        parts += [tag("h2", "Task by task"), _tasks(book)]
    parts += [tag("h2", "Look at these"), _look(book)]
    if ids := _same_ids(book):
        parts += [tag("h2", "The same id"), tag("p", "These students work on the same numbers.")]
        parts.append(plain(["id", "students"], ids))
    if alike.pairs or alike.left_out:
        rows = [[a["assignment"], a["one"], a["other"], f"{100 * a['share']:.0f} %"] for a in alike.pairs[:200]]
        parts.append(tag("h2", "Alike in structure"))
        parts.append(tag("p", "A hint for a person, and no proof: short tasks have few right answers."))
        parts.append(tags("p", alike.left_out))
        parts.append(plain(["assignment", "one", "other", "shared"], rows) if rows else tag("p", "No pair was found."))
    return page("A class in numbers", *parts, tag("h2", "Students"), _students(book, names))


def _tiles(book: Gradebook) -> Html:
    """The class at a glance: how many, how good, and how many of each status."""
    totals = sorted(row.total for row in book.rows if row.total is not None)
    tiles = [(str(len(book.rows)), "students")]
    if totals:
        tiles.append((f"{sum(totals) / len(totals):.1f}", f"mean of {book.out_of} points"))
        tiles.append((number(median(totals)), "median"))
    statuses = Counter(row.status for row in book.rows)
    tiles += [(str(n), status) for status, n in sorted(statuses.items(), key=lambda item: (-item[1], item[0]))]
    return tag("ul", tags("li", ([tag("strong", n), f" {what}"] for n, what in tiles)), class_="tiles")


def _totals(book: Gradebook) -> Html:
    totals = [row.total for row in book.rows if row.total is not None]
    if not totals:
        return tag("p", "Nobody has a mark yet.")
    width = max(1, -(-book.out_of // 10))
    bins = Counter(min(int(total // width), book.out_of // width) for total in totals)
    rows = []
    for i in range(book.out_of // width + 1):
        low, high = i * width, min((i + 1) * width, book.out_of + 1)
        last = f"under {high}" if high <= book.out_of else f"{book.out_of}"
        span = f"{low}" if high - low == 1 else f"{low} to {last}"
        rows.append(_row_of(span, bins[i], max(bins.values()), str(bins[i])))
    return table(["points", "students"], rows)


def _tasks(book: Gradebook) -> Html:
    rows = []
    for task in book.tasks:
        told = [
            result["tasks"][task.name] for row in book.rows for result in row.results if task.name in result["tasks"]
        ]
        spread = Counter(t["points"] for t in told)
        full = sum(t["status"] == "right" for t in told)
        none = sum(t["status"] == "not attempted" for t in told)
        points = ", ".join(f"{n} with {number(p)}" for p, n in sorted(spread.items(), reverse=True))
        said = f"{full} of {len(told)} right; {points}" if not task.by_hand else "marked by hand"
        said += f"; {none} not attempted" if none else ""
        title = f"{title_of(task.name)} ({task.name})"
        rows.append(_row_of(title, 0 if task.by_hand else full, max(len(told), 1), said))
    return table(["task", "students with all points, and how many have how many"], rows)


def _row_of(name: str, n: int, of: int, said: str) -> Html:
    return tag("tr", tag("th", name, scope="row"), tag("td", bar(n, of), said))


def _topics(book: Gradebook) -> Html:
    rows = []
    for topic in topics(book)[:60]:
        many = len(topic.mistakes) > 1
        said = [
            [marked(sentence), " ", soft(f"{name}, {n}" if many else name, name="span"), Html("<br>")]
            for name, sentence, n in topic.mistakes
        ]
        place = f"; in the book {where(topic.place)}" if topic.place else ""
        below = soft(f"In {'; '.join(topic.tasks)}{place}", name="span")
        share = tag("td", f"{topic.made} of {topic.tried}", bar(topic.made, topic.tried), class_="number")
        rows.append(tag("tr", share, tag("td", said, below)))
    if not rows:
        return tag("p", "No slip was found.")
    link = tag("p", tag("a", "To project, without a name", href="class.html"))
    return joined(link, table(["students", "what they did"], rows, [0]))


def _students(book: Gradebook, names: Mapping[str, str]) -> Html:
    rows = []
    for row in book.rows:
        link = tag("a", row.student, href=f"feedback/{_quoted(names[row.student])}.html")
        by_hand = f"{number(row.by_hand)}{f' ({row.waiting} to mark)' if row.waiting else ''}"
        points = tags("td", [number(row.total) or "–", number(row.machine), by_hand], class_="number")
        late = f", late by {row.late} h" if row.hours_late else ", late" if row.late_mark else ""
        rows.append(tag("tr", tag("th", link, scope="row"), points, tag("td", row.status + late)))
    return table(["student", f"of {book.out_of}", "by the check", "by hand", "status"], rows, range(1, 4))


def _look(book: Gradebook) -> Html:
    rows = [[*note[:2], "look", *note[2:]] for note in book.notes]
    for row in book.rows:
        for result in [*row.results, *row.others]:
            if result["status"] not in ("graded",):
                rows.append([row.student, result["file"], result["status"], result["reason"]])
    return plain(["student", "file", "status", "why"], rows) if rows else tag("p", "All could be read and run.")


def _same_ids(book: Gradebook) -> list[list[str]]:
    holders: dict[str, list[str]] = {}
    for row in book.rows:
        for identity in dict.fromkeys(result["id"] for result in row.results):
            holders.setdefault(identity, []).append(row.student)
    return [[identity, ", ".join(people[:30])] for identity, people in sorted(holders.items()) if len(people) > 1]


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name)


# ---- what a student gets back ----


TOLD = {
    "unreadable": "The file could not be read, so nothing was marked:",
    "no notebook": "There was no notebook in what you handed in.",
    "not graded": "The grading itself failed here; your teacher has been told, and it will be repeated.",
    "crashed": "Your notebook ended its process. What could be read without that part is marked below.",
    "stopped": "Your notebook took longer than it may. What could be read until then is marked below.",
    "another assignment": "What you handed in answers another assignment, so it was not marked here.",
}
WORDS = {
    "right": "Right",
    "wrong": "Not yet",
    "not attempted": "Not attempted",
    "collected": "Read by a person",
    "problem": "Looked at by a person",
}


def feedback(row: Row, book: Gradebook, marks: Mapping[tuple[str, str], Mark], rules: Rules, base: str = "") -> Html:
    """The page of one student; `base` is the address of the published book."""
    parts: list[object] = []
    told = "; ".join({rules.of(row.student, r["assignment"]).told(): 1 for r in row.results})
    if row.total is not None:
        parts.append(tag("p", f"{number(row.total)} of {book.out_of} points", class_="score"))
        parts.append(bar(row.total, book.out_of))
    if row.total is not None and row.reached is not None and abs(row.total - row.reached) > 0.005:
        parts.append(tag("p", f"{number(row.reached)} before the deduction for {row.late} hours: {told}."))
    if row.waiting:
        parts.append(tag("p", "A person still reads part of it; points for that are added later."))
    for status, words in TOLD.items():
        if status in row.status:
            reasons = {r["reason"] for r in row.others if r["status"] == status == "unreadable"}
            why = f" {'; '.join(sorted(reasons))}. Hand in the .ipynb that Jupyter saves." if reasons else ""
            parts.append(tag("p", words + why))
    for result in row.results:
        parts.append(_cells(result))
        for name, told in result["tasks"].items():
            parts.append(_task(name, told, row.points.get(name), marks.get((row.student, name)), base))
    parts.append(soft(f"Made from what has the seal {book.seal}."))
    return page(f"Feedback for {row.student}", *parts)


def _cells(result: Mapping[str, Any]) -> Html | None:
    told = [f"cell {cell}: {_ended(error)}" for cell, error in result.get("cells", {}).items()]
    return tag("p", "Not every code cell ran as it stands. ", marked("; ".join(told[:8])), ".") if told else None


def _ended(error: str) -> str:
    return {
        "Stopped": "took too long",
        "stopped": "took too long",
        "crashed": "ended the process",
        "Unavailable": "uses threads, other programs or asyncio.run, which are not available while you are graded",
    }.get(error, error)


def _task(name: str, told: Mapping[str, Any], points: float | None, mark: Mark | None, base: str) -> Html:
    right = told["status"] == "right"
    worth = f"{number(points)} of {told['out_of']}" if points is not None else f"up to {told['out_of']}"
    state = f"{WORDS.get(told['status'], 'Not finished')}, {worth} point{'' if told['out_of'] == 1 else 's'}"
    title = tag("h2", title_of(name), class_="task")
    lines: list[object] = [tag("header", title, tag("span", state, class_="state")), soft(tag("code", name))]
    if mark is None or told["status"] != "problem":
        lines += [tag("p", marked(sentence)) for sentence in told["sentences"]]
    if told["properties"] and not right and told["status"] != "not attempted":
        earned = (
            f"{part}: {f'{number(worth_)} earned' if passed else f'0 of {number(worth_)}'}"
            for part, worth_, passed in told["properties"]
        )
        lines.append(tag("ul", tags("li", earned)))
    if code := told.get("code"):
        lines.append(tag("details", tag("summary", "Your answer"), tag("pre", visible(code), class_="code")))
    if mark and mark.comment:
        lines.append(tag("p", mark.comment))
    if not right and told["place"] and told["status"] not in ("collected",):
        page_, _, anchor = told["place"].partition("#")
        link, words = f"{base.rstrip('/')}/{page_}.html" + (f"#{anchor}" if anchor else ""), where(told["place"])
        lines.append(soft("Read on in the book: ", tag("a", words, href=link) if base else words, "."))
    return tag("section", lines, class_="right" if right else "not")
