"""What the teacher sees: how the class did, task by task, and which slips were made how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ndcg_lib.exercises.verdict import where
from ndcg_lib.grading.gradebook import Gradebook, number
from ndcg_lib.grading.pages import marked, page

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


def summary(book: Gradebook, alike: Sequence[Mapping[str, Any]], names: Mapping[str, str], facts: Sequence[str]) -> str:
    """The page for the teacher."""
    parts = [f"<p>{escape(fact)}</p>" for fact in facts]
    statuses = Counter(row.status for row in book.rows)
    parts.append(_table(["status", "students"], [[s, str(n)] for s, n in sorted(statuses.items())]))
    if book.tasks:
        parts += [
            "<h2>Marks</h2>",
            _totals(book),
            "<h2>Task by task</h2>",
            _tasks(book),
            "<h2>What to teach next</h2>",
            _slips(book),
        ]
    parts += ["<h2>Look at these</h2>", _look(book)]
    if ids := _same_ids(book):
        parts += [
            "<h2>The same id</h2><p>These students work on the same numbers.</p>",
            _table(["id", "students"], ids),
        ]
    if alike:
        rows = [[a["assignment"], a["one"], a["other"], f"{100 * a['share']:.0f} %"] for a in alike[:200]]
        parts += [
            "<h2>Alike in structure</h2><p>A hint for a person, and no proof: short tasks have few right answers.</p>",
            _table(["assignment", "one", "other", "shared"], rows),
        ]
    links = [
        f'<li><a href="feedback/{escape(_quoted(names[row.student]))}.html">{escape(row.student)}</a>: '
        f"{number(row.total) or '–'} of {book.out_of}, {escape(row.status)}</li>"
        for row in book.rows
    ]
    parts += ["<h2>Students</h2>", f"<ul>{''.join(links)}</ul>"]
    return page("A class in numbers", parts)


def to_mark(book: Gradebook, names: Mapping[str, str]) -> str:
    """The texts that a person reads, task by task."""
    parts = [
        "<p>Put the points into <code>to-mark.csv</code>, then run the same command again with"
        " <code>--marks</code> and the name of that file.</p>"
    ]
    for task in book.tasks:
        texts = [
            (row.student, told)
            for row in book.rows
            for result in row.results
            if (told := result["tasks"].get(task.name)) and told["status"] in ("collected", "problem")
        ]
        if not texts:
            continue
        look_for = getattr(task, "look_for", ())
        parts.append(f"<h2>{escape(task.name)}, up to {task.points} points</h2>")
        if look_for:
            parts.append(f"<ul>{''.join(f'<li>{escape(point)}</li>' for point in look_for)}</ul>")
        for student, told in texts:
            parts.append(f"<section><p><strong>{escape(student)}</strong></p>")
            parts.append(f"<pre>{escape(str(told.get('text', '(see the notebook)')))}</pre></section>")
    return page("To mark by hand", parts)


def _totals(book: Gradebook) -> str:
    totals = [row.total for row in book.rows if row.total is not None]
    if not totals:
        return "<p>Nobody has a mark yet.</p>"
    width = max(1, -(-book.out_of // 10))
    bins = Counter(min(int(total // width), book.out_of // width) for total in totals)
    rows = []
    for i in range(book.out_of // width + 1):
        low, high = i * width, min((i + 1) * width, book.out_of + 1)
        span = (
            f"{low}"
            if high - low == 1
            else f"{low} to under {high}"
            if high <= book.out_of
            else f"{low} to {book.out_of}"
        )
        rows.append(f"<tr><th>{span}</th><td>{_bar(bins[i], len(totals))} {bins[i]}</td></tr>")
    middle = sorted(totals)[len(totals) // 2]
    mean = sum(totals) / len(totals)
    return (
        f"<p>{len(totals)} students; mean {mean:.1f}, median {number(middle)} of {book.out_of} points.</p>"
        f"<table>{''.join(rows)}</table>"
    )


def _tasks(book: Gradebook) -> str:
    rows = []
    for task in book.tasks:
        told = [
            result["tasks"][task.name] for row in book.rows for result in row.results if task.name in result["tasks"]
        ]
        spread = Counter(t["points"] for t in told)
        full = sum(t["status"] == "right" for t in told)
        none = sum(t["status"] == "not attempted" for t in told)
        points = ", ".join(f"{number(p)}: {n}" for p, n in sorted(spread.items(), reverse=True))
        rows.append(
            f"<tr><th>{escape(task.name)}</th><td>{_bar(full, len(told))} {full} of {len(told)} right</td>"
            f"<td>{none} not attempted</td><td>points {points if not task.by_hand else 'by hand'}</td></tr>"
        )
    return f"<table>{''.join(rows)}</table>"


def _slips(book: Gradebook) -> str:
    rows = [
        f'<tr><td class="number">{n} of {of}</td><td><strong>{escape(name)}</strong> in {escape(task)}<br>'
        f"{marked(sentence)}</td><td>{escape(where(place)) if place else ''}</td></tr>"
        for task, name, n, of, sentence, place in slips(book)[:60]
    ]
    return f"<table>{''.join(rows)}</table>" if rows else "<p>No slip was found.</p>"


def _look(book: Gradebook) -> str:
    rows = []
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
    top = "".join(f'<th scope="col">{escape(word)}</th>' for word in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _bar(n: int, of: int) -> str:
    return f'<span class="bar" style="width:{8 * n / max(of, 1):.2f}rem"></span>'


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name)
