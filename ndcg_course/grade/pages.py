"""Pages that stand alone: no script, nothing loaded, every word escaped."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence

from ndcg_lib import grid
from ndcg_lib.grid import POLICY, Html, tag, tags

STYLE = Html("""
:root { color-scheme: light dark; --text: #1c2430; --soft: #4a5568; --paper: #fff; --box: #f6f7f9; --line: #d5dae1;
  --right: #00694d; --not: #a34200; --link: #005b8f; --bar: #56a3d0; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --soft: #b3bcc8; --paper: #14181d; --box: #1d2127;
  --line: #454d58; --right: #58d3ae; --not: #ff9d5c; --link: #6cc0f0; --bar: #2f78a6; } }
* { box-sizing: border-box; }
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--paper); margin: 0; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 0.6rem; }
h2.task { font: 600 1.05rem ui-monospace, monospace; margin: 0; }
p { margin: 0.4rem 0; max-width: 42rem; }
a { color: var(--link); }
code { font: 0.92em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; margin: 0.8rem 0; }
th, td { text-align: left; padding: 0.4rem 0.6rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; min-width: 3.2rem; }
thead th { color: var(--soft); font-weight: 600; font-size: 0.9rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-right: 1rem; }
.soft { color: var(--soft); }
.score { font-size: 1.5rem; font-weight: 700; margin: 0; }
.tiles { display: flex; flex-wrap: wrap; gap: 0.8rem; margin: 1rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--box); border-radius: 0.5rem;
  padding: 0.7rem 1rem; flex: 1 1 5.5rem; overflow-wrap: normal; }
.tiles strong { display: block; font-size: 1.5rem; line-height: 1.2; }
.bar { display: block; height: 0.9rem; min-width: 6rem; background: var(--box); border-radius: 0.2rem; }
.bar span { display: block; height: 100%; background: var(--bar); border-radius: 0.2rem; }
section { background: var(--box); border-left: 0.3rem solid var(--line); border-radius: 0.3rem; padding: 0.7rem 1rem;
  margin: 0.8rem 0; }
section.right { border-color: var(--right); }
section.not { border-color: var(--not); }
section header { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; justify-content: space-between; }
.right .state { color: var(--right); }
.not .state { color: var(--not); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.5rem 0; font: inherit; }
main:has(.projected) { max-width: 75rem; font-size: 1.6rem; }
.screen { min-height: 96vh; padding-top: 2rem; break-before: page; }
.projected :is(h2, p) { max-width: none; }
.projected h2 { font-size: 1.7em; margin-top: 0; }
.projected :is(th, td) { font-size: 1em; font-weight: 400; width: 50%; }
img { max-width: 100%; background: #fff; }
@media print { section { break-inside: avoid; } }
""")
UNSHOWN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"


def page(title: str, *parts: object, policy: str = POLICY) -> Html:
    """A whole page.

    >>> "&lt;b&gt;" in page("<b>")
    True
    """
    spaced = (["\n", part] for part in (tag("h1", title), *parts))
    return grid.page(title, STYLE, tag("main", *spaced, "\n"), policy=policy)


def table(head: Sequence[str], rows: Iterable[object], numbers: Container[int] = ()) -> Html:
    """A table of rows; `numbers` are the columns of numbers.

    >>> table(["id"], [])
    '<table><thead><tr><th scope="col">id</th></tr></thead><tbody></tbody></table>'
    """
    top = [tag("th", word, scope="col", class_="number" if at in numbers else None) for at, word in enumerate(head)]
    return tag("table", tag("thead", tag("tr", top)), tag("tbody", *rows))


def plain(head: Sequence[str], rows: Iterable[Iterable[object]], numbers: Container[int] = ()) -> Html:
    """A table of plain cells.

    >>> plain(["id"], [["a<b"]]).partition("<tbody>")[2]
    '<tr><td>a&lt;b</td></tr></tbody></table>'
    """
    return table(head, (tag("tr", tags("td", row)) for row in rows), numbers)


def bar(n: float, of: float) -> Html:
    """A bar as long as the share of n; the number stands beside it, in words.

    >>> bar(1, 4)
    '<span class="bar"><span style="width:25%"></span></span>'
    """
    return tag("span", tag("span", style=f"width:{round(100 * n / max(of, 1e-9), 1):g}%"), class_="bar")


def soft(*inside: object, name: str = "p") -> Html:
    """What is said beside the matter, in a softer colour.

    >>> soft("in all")
    '<p class="soft">in all</p>'
    """
    return tag(name, *inside, class_="soft")


def visible(text: str) -> str:
    """The text with what a terminal or a reader would obey instead of show written out: escapes, turns of direction.

    >>> visible("a\\x1b[8m\\u202eb\\n")
    'a\\\\x1b[8m\\\\u202eb\\n'
    """
    return re.sub(UNSHOWN, lambda match: repr(match[0])[1:-1], text)


def file_names(students: Iterable[str]) -> dict[str, str]:
    """A file name for each student, safe on every system and different from all others.

    >>> file_names(["Ana Müller", "../x", "ana müller"])["Ana Müller"]
    'Ana Müller-b4f6ae1eebecc151'
    """
    people = sorted(set(students))
    plain = {student: _plain(student) for student in people}
    folded = [name.casefold() for name in plain.values()]
    return {
        student: name if name == student and folded.count(name.casefold()) == 1 else f"{name}-{_short(student)}"
        for student, name in plain.items()
    }


def _plain(name: str) -> str:
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', "_", unicodedata.normalize("NFC", name)).strip(" .")
    name = name.encode("utf8", "replace")[:100].decode("utf8", "ignore").strip(" .")
    return f"_{name}" if not name or re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?|[-~].*", name) else name


def _short(name: str) -> str:
    return hashlib.sha256(name.encode("utf8", "replace")).hexdigest()[:16]
