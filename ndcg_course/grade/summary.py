"""What the teacher sees: how the class did, task by task, and which slips were made how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from statistics import median

from ndcg_course.explain.messages import where
from ndcg_course.grade.gradebook import Gradebook, number
from ndcg_course.grade.pages import bar, marked, page, table
from ndcg_course.grade.similarity import Likeness

SAID = {
    "error": "raises an error",
    "loop": "does not end",
    "none": "returns None",
    "type": "returns another type than the one asked",
    "value": "other values, by no mistake known here",
}


def slips(book: Gradebook) -> list[tuple[str, str, int, int, str, str]]:
    """Task, slip, how many made it, of how many who tried, a sentence about it, the place in the book; most first."""
    counted: Counter[tuple[str, str]] = Counter()
    tried: Counter[str] = Counter()
    said: dict[tuple[str, str], tuple[str, str]] = {}
    known = {(task.name, slip.name): slip.sentence for task in book.tasks for slip in task.slips}
    for row in book.rows:
        for result in row.results:
            for task, told in result["tasks"].items():
                tried[task] += told["status"] != "not attempted"
                for name in dict.fromkeys([*told["slips"], *([told["fault"]] if told["fault"] else [])]):
                    counted[task, name] += 1
                    first = next(iter(told["sentences"]), "")
                    sentence = known.get((task, name)) or SAID.get(name) or first
                    said.setdefault((task, name), (sentence, told["place"]))
    return [
        (task, name, n, tried[task], *said[task, name])
        for (task, name), n in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ]


def summary(book: Gradebook, alike: Likeness, names: Mapping[str, str], facts: Sequence[str]) -> str:
    """The page for the teacher."""
    parts = [_tiles(book), *(f"<p>{escape(fact)}</p>" for fact in facts)]
    if book.tasks:
        parts += ["<h2>What to teach next</h2>", _slips(book), "<h2>Marks</h2>", _totals(book)]
        parts += ["<h2>Task by task</h2>", _tasks(book)]
    parts += ["<h2>Look at these</h2>", _look(book)]
    if ids := _same_ids(book):
        parts += [
            "<h2>The same id</h2><p>These students work on the same numbers.</p>",
            _table(["id", "students"], ids),
        ]
    if alike.pairs or alike.left_out:
        rows = [[a["assignment"], a["one"], a["other"], f"{100 * a['share']:.0f} %"] for a in alike.pairs[:200]]
        parts += [
            "<h2>Alike in structure</h2><p>A hint for a person, and no proof: short tasks have few right answers.</p>",
            *(f"<p>{escape(told)}</p>" for told in alike.left_out),
            _table(["assignment", "one", "other", "shared"], rows) if rows else "<p>No pair was found.</p>",
        ]
    parts += ["<h2>Students</h2>", _students(book, names)]
    return page("A class in numbers", parts)


def _tiles(book: Gradebook) -> str:
    """The class at a glance: how many, how good, and how many of each status."""
    totals = sorted(row.total for row in book.rows if row.total is not None)
    tiles = [(str(len(book.rows)), "students")]
    if totals:
        tiles.append((f"{sum(totals) / len(totals):.1f}", f"mean of {book.out_of} points"))
        tiles.append((number(median(totals)), "median"))
    statuses = Counter(row.status for row in book.rows)
    tiles += [(str(n), status) for status, n in sorted(statuses.items(), key=lambda item: (-item[1], item[0]))]
    return f'<ul class="tiles">{"".join(f"<li><strong>{n}</strong> {escape(what)}</li>" for n, what in tiles)}</ul>'


def _totals(book: Gradebook) -> str:
    totals = [row.total for row in book.rows if row.total is not None]
    if not totals:
        return "<p>Nobody has a mark yet.</p>"
    width = max(1, -(-book.out_of // 10))
    bins = Counter(min(int(total // width), book.out_of // width) for total in totals)
    rows = []
    for i in range(book.out_of // width + 1):
        low, high = i * width, min((i + 1) * width, book.out_of + 1)
        last = f"under {high}" if high <= book.out_of else f"{book.out_of}"
        span = f"{low}" if high - low == 1 else f"{low} to {last}"
        rows.append(_row_of(span, bins[i], max(bins.values()), str(bins[i])))
    return table(["points", "students"], rows)


def _tasks(book: Gradebook) -> str:
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
        rows.append(_row_of(task.name, full, len(told), said) if not task.by_hand else _row_of(task.name, 0, 1, said))
    return table(["task", "students with all points, and how many have how many"], rows)


def _row_of(name: str, n: int, of: int, said: str) -> str:
    return f'<tr><th scope="row">{escape(name)}</th><td>{bar(n, of)}{escape(said)}</td></tr>'


def _slips(book: Gradebook) -> str:
    rows = [
        f'<tr><td class="number">{n} of {of}</td><td>{marked(sentence)}<br><span class="soft">{escape(name)} in'
        f" <code>{escape(task)}</code>{f'; in the book {escape(where(place))}' if place else ''}</span></td></tr>"
        for task, name, n, of, sentence, place in slips(book)[:60]
    ]
    return table(["students", "what they did"], rows, [0]) if rows else "<p>No slip was found.</p>"


def _students(book: Gradebook, names: Mapping[str, str]) -> str:
    rows = [
        f'<tr><th scope="row"><a href="feedback/{_quoted(names[row.student])}.html">{escape(row.student)}</a></th>'
        f'<td class="number">{number(row.total) or "–"}</td><td class="number">{number(row.machine)}</td>'
        f'<td class="number">{number(row.by_hand)}{f" ({row.waiting} to mark)" if row.waiting else ""}</td>'
        f"<td>{escape(row.status)}"
        f"{f', late by {row.late} h' if row.hours_late else ', late' if row.late_mark else ''}</td></tr>"
        for row in book.rows
    ]
    return table(["student", f"of {book.out_of}", "by the check", "by hand", "status"], rows, range(1, 4))


def _look(book: Gradebook) -> str:
    rows = [[*note[:2], "look", *note[2:]] for note in book.notes]
    for row in book.rows:
        for result in [*row.results, *row.others]:
            if result["status"] not in ("graded",):
                rows.append([row.student, result["file"], result["status"], result["reason"]])
    return _table(["student", "file", "status", "why"], rows) if rows else "<p>All could be read and run.</p>"


def _same_ids(book: Gradebook) -> list[list[str]]:
    holders: dict[str, list[str]] = {}
    for row in book.rows:
        for identity in dict.fromkeys(result["id"] for result in row.results):
            holders.setdefault(identity, []).append(row.student)
    return [[identity, ", ".join(people[:30])] for identity, people in sorted(holders.items()) if len(people) > 1]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain text."""
    return table(head, (f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows))


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name)
