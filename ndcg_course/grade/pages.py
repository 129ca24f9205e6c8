"""Pages that stand alone: no script, nothing loaded, every word escaped."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from ndcg_lib import grid
from ndcg_lib.grid import POLICY, Html, tag, tags

STYLE = Html(Path(__file__).with_name("pages.css").read_text("utf8"))
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
