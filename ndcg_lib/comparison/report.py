"""A comparison as one HTML page that needs nothing else: for a meeting, and for paper."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from ndcg_lib import grid
from ndcg_lib.comparison.judging import what_next
from ndcg_lib.comparison.scrutiny import Change
from ndcg_lib.comparison.table import Comparison

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; border-bottom: 1px solid #8884; }
.verdict { font-size: 1.25rem; }
.muted { opacity: .75; }
.bar { display: grid; grid-template-columns: 9rem 1fr 1fr 5rem; gap: .5rem; align-items: center; line-height: 1.25; }
.bar span { display: block; height: .7em; }
.bar .less { background: #c2410c; justify-self: end; }
.bar .more { background: #1d4ed8; }
.lists { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }
ol { padding-left: 1.5rem; }
.bar, li, tr { break-inside: avoid; print-color-adjust: exact; }
@media print { body { margin: 0; font-size: 11pt; } }
@media (max-width: 40rem) { .lists { grid-template-columns: 1fr; } .bar { grid-template-columns: 5rem 1fr 1fr 4rem; } }
"""
CHANGES, DOCUMENTS, BARS = 5, 20, 100


def report(comparison: Comparison, texts: Mapping[str, str] | None = None, limit: float = 0.01) -> str:
    """The page of two systems: verdict, differences by query, lists, holes, and what would change the verdict.

    `texts` has the words of documents and queries by their ids.
    """
    if len(comparison) != 2:
        raise ValueError(f"a report is of two systems, and there are {len(comparison)}: give two")
    one, coming = comparison.pairs[0], what_next(comparison, limit)
    said = texts or {}
    parts = [
        _section("Is it better?", f'<p class="verdict">{escape(one.sentence())}</p>', comparison._repr_html_()),
        _section("Query by query", *_bars(one.per_query, one.run, one.other)),
        _section("The queries that moved most", *(_change(each, said) for each in comparison.changed(CHANGES))),
        _section("What nobody judged", _paragraphs(coming.lines()),
                 grid.html(coming.table(DOCUMENTS)) if coming.documents else ""),
        _section("What would change the verdict", f"<p>{escape(str(comparison.under()))}.</p>",
                 f"<pre>{escape(comparison.under().table())}</pre>"),
    ]  # fmt: skip
    title = f"{escape(one.run)} beside {escape(one.other)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        + "\n".join([*parts, "</body></html>\n"])
    )


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{title}</h2>\n" + "\n".join(filter(None, parts)) + "\n</section>"


def _paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _bars(values: Mapping[str, float], run: str, other: str) -> list[str]:
    """A bar for each query that differs, the largest gain first."""
    moved = {query: value for query, value in values.items() if abs(value) > 1e-12}
    most = max(map(abs, moved.values()), default=1.0)
    order = sorted(moved, key=lambda query: -moved[query])
    left = len(order) - BARS
    order = order if left <= 0 else order[: BARS // 2] + order[-BARS // 2 :]
    rows = [f'<p class="muted">To the right, {escape(run)} is better; to the left, {escape(other)}. '
            f"{len(values) - len(moved)} of {len(values)} queries are equal.</p>"]  # fmt: skip
    for query in order:
        value = moved[query]
        bar = f'style="width:{100 * abs(value) / most:.1f}%"'
        span = f'<span class="{"less" if value < 0 else "more"}" {bar}></span>'
        both = f"{span}<b></b>" if value < 0 else f"<b></b>{span}"
        rows.append(f'<div class="bar"><div>{escape(query)}</div>{both}<div>{grid.fixed(value, 3, "+")}</div></div>')
    return rows + ([f'<p class="muted">{left} more lie between.</p>'] if left > 0 else [])


def _change(one: Change, texts: Mapping[str, str]) -> str:
    head = f"<h3>{escape(one.query)}{escape(': ' + texts[one.query]) if one.query in texts else ''}</h3>"
    values = f"<p>{escape(one.measure)}: {grid.fixed(one.ours)} and {grid.fixed(one.theirs)}. {escape(one.swap)}</p>"
    lists = "".join(
        f"<div><strong>{escape(name)}</strong><ol>{''.join(_item(*each, texts) for each in documents)}</ol></div>"
        for name, documents in one.lists.items()
    )
    return f'{head}{values}<div class="lists">{lists}</div>'


def _item(document: str, grade: float | None, texts: Mapping[str, str]) -> str:
    words = f" {escape(texts[document])}" if document in texts else ""
    return f"<li><b>{'not judged' if grade is None else f'{grade:g}'}</b> {escape(document)}{words}</li>"


def read_texts(file: str) -> dict[str, str]:
    """The words of queries and documents: a line each, the id, a tab, the words."""
    found = {}
    for number, line in enumerate(Path(file).read_text("utf8").splitlines(), 1):
        name, tab, words = line.partition("\t")
        if line.strip() and not tab:
            raise ValueError(f"{file}, line {number}: no tab: write the id, a tab, and the words")
        found[name.strip()] = words.strip()
    return found
