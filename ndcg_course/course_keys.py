"""What course.toml may say: `KEYS` is the one table. Messages and the page of the book about it are made from it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ndcg_course.grade.lateness import Lateness

BACKS = {"day": ("#fffefb", "#f6f4ee"), "night": ("#16181b", "#202327")}  # what a link stands on: the page, a box
CONTRAST = 4.5  # of WCAG 2.2, for text
SHORT = "short-book"  # what units are called that are the numbered pages of the book


class Key(NamedTuple):
    """What the file may say. In its name, * stands for a name of an assignment, a task or a choice."""

    name: str
    about: str
    example: str
    read: Callable[[Any, Path], Any]


def _text(value: Any, folder: Path) -> str:
    if not isinstance(value, str):
        raise ValueError("write a text in quotes")
    return value.strip()


def _title(value: Any, folder: Path) -> str:
    if not (text := _text(value, folder)):
        raise ValueError("a course needs a title: write one, or leave the line out")
    return text


def _switch(value: Any, folder: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("write true or false, without quotes")
    return value


def as_address(value: Any, folder: Path = Path()) -> str:
    """A whole address with a slash at its end, or "".

    >>> as_address("https://example.org/ndcg")
    'https://example.org/ndcg/'
    """
    text = _text(value, folder)
    if text and (urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).netloc):
        raise ValueError("give the whole address, as in https://example.org/ndcg/")
    return text.rstrip("/") + "/" if text else ""


def _file(value: Any, folder: Path) -> Path | None:
    if not (text := _text(value, folder)):
        return None
    if not (folder / text).is_file():
        raise ValueError(f"there is no such file below {folder.resolve()}")
    return folder / text


def _picture(value: Any, folder: Path) -> Path | None:
    found = _file(value, folder)
    if found and found.suffix.lower() not in (".svg", ".png", ".jpg", ".jpeg", ".webp"):
        raise ValueError("a logo is an .svg, .png, .jpg or .webp file")
    return found


def _names(value: Any, folder: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError('write a list of names in quotes, as in ["one", "two"]')
    if twice := sorted({name for name in value if value.count(name) > 1}):
        raise ValueError(f"{twice[0]} stands twice in it")
    return tuple(value)


def short_book(folder: Path) -> tuple[str, ...]:
    """The pages of the short book, in their order: those of the parts that the table of contents calls its path."""
    import yaml  # type: ignore[import-untyped]  # comes with jupyter-book

    told = yaml.safe_load((folder / "book" / "_toc.yml").read_text("utf8"))
    path = told.get("meta", {}).get("path", ())
    return tuple(page["file"] for part in told["parts"] if part["caption"] in path for page in part["chapters"])


def _units(value: Any, folder: Path) -> tuple[str, ...]:
    if (given := _names(value, folder)) == (SHORT,):
        return short_book(folder)
    names = tuple(name if "/" in name else f"chapters/{name}" for name in given)
    must_be_known(names, [f"chapters/{file.stem}" for file in (folder / "book" / "chapters").glob("*.md")], "chapter")
    return names


def _due(value: Any, folder: Path) -> str:
    if isinstance(value, date) and not isinstance(value, datetime):
        raise ValueError('say the time of the day as well, as in "2026-11-18T23:59+01:00"')
    text = value.isoformat() if isinstance(value, datetime) else _text(value, folder)
    try:
        Lateness.of(text, None)
    except ValueError:
        raise ValueError('write it as "2026-11-18T23:59" or "2026-11-18T23:59+01:00"') from None
    return text


def _late(value: Any, folder: Path) -> str:
    text = _text(value, folder)
    try:
        Lateness.of("2026-11-18T23:59", text or None)
    except ValueError:
        raise ValueError('write it as "10%/day" or "5%/hour,max 50%,grace 10min"') from None
    return text


def _points(value: Any, folder: Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100:
        raise ValueError("points are a whole number from 1 to 100")
    return value


def _weight(value: Any, folder: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1000:
        raise ValueError("a weight is a number from 0 to 1000")
    return float(value)


def _few(value: Any, folder: Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 20:
        raise ValueError("it is a whole number from 0 to 20")
    return value


def _tries(value: Any, folder: Path) -> tuple[float, ...]:
    numbers = isinstance(value, list) and all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in value)
    if (
        not numbers
        or not 1 <= len(value) <= 10
        or value[0] <= 0
        or sorted(value, reverse=True) != value
        or value[-1] < 0
    ):
        raise ValueError("write at most ten numbers of which none is larger than the one before, as in [2, 1, 0]")
    return tuple(value)


def _notebooks(value: Any, folder: Path) -> tuple[str, ...]:
    where, *doors = _names(value, folder) or [""]
    if not re.fullmatch(r"https://github\.com/[^/]+/[^/]+/tree/[^/]+", where):
        raise ValueError("begin with the branch that holds the built site: https://github.com/you/ndcg/tree/gh-pages")
    if wrong := [door for door in doors if not re.match(r"colab$|binder$|https://", door)]:
        raise ValueError(f"{wrong[0]!r} is no door: after the branch write colab, binder, or a hub's https address")
    return where, *doors


def _colour(day: str) -> Callable[[Any, Path], str]:
    def read(value: Any, folder: Path) -> str:
        text = _text(value, folder)
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", text):
            raise ValueError("write a colour as #005b8f")
        if (seen := min(contrast(text, back) for back in BACKS[day])) < CONTRAST:
            told = f"by {day} its contrast with the page or a box is {seen:.1f}, and readers need {CONTRAST}"
            raise ValueError(f"{told}: take a {'darker' if day == 'day' else 'lighter'} one")
        return text.lower()

    return read


def _choice(value: Any, folder: Path) -> Any:
    return value  # judged together with the others, by the library


# fmt: off
KEYS: tuple[Key, ...] = (
    Key("title", "The name of the course, on every page and on all that is made from the book.",
        'title = "Search engines, winter 2026"', _title),
    Key("address", "Where the book is published: feedback links there, the release names it. `NDCG_SITE` goes first.",
        'address = "https://example.org/ndcg/"', as_address),
    Key("units", "The chapters that are taught, in your order, for all that is made of them. `[\"short-book\"]`"
        " stands for the pages of the short book. The site, its menus, search and notebooks, the book on paper and the"
        " guide for teachers have these alone.",
        'units = ["two-rankings", "cumulative-gain", "discounting"]', _units),
    Key("solutions", "Whether the site holds worked solutions, and a release may. `NDCG_SOLUTIONS=off` goes first.",
        "solutions = false", _switch),
    Key("notebooks", "Where the menu \"As a notebook\" opens a page besides the browser: first the branch with the"
        " built site, then `colab`, `binder` or the address of a hub.",
        'notebooks = ["https://github.com/you/ndcg/tree/gh-pages", "colab", "https://hub.example.org"]', _notebooks),
    Key("roster", "A CSV file with the columns student and id, for grading; beside this file.",
        'roster = "roster.csv"', _file),
    Key("extensions", "A CSV file with the columns student and until, for those who have more time; beside this file.",
        'extensions = "extensions.csv"', _file),
    Key("drop", "How many of the lowest items the final mark leaves out, in `ndcg grade book`.", "drop = 1", _few),
    Key("tries", "What a choice, or a number that is read off a plot, earns at the first try, the second, and so on,"
        " as parts of the first; a prediction counts its first answer. `[1]` lets tries change nothing. Run `ndcg"
        " exercises build` afterwards.",
        "tries = [3, 2, 1, 0]", _tries),
    Key("late", "What lateness costs, where an assignment says nothing of its own.",
        'late = "10%/day,max 50%"', _late),
    Key("assignments.*.due", "When the assignment of this name is due. An assignment that is named in the file belongs"
        " to the course; where none is named, those of the units do.", 'due = "2026-11-18T23:59+01:00"', _due),
    Key("assignments.*.late", "What lateness costs there.", 'late = "5%/hour,max 50%,grace 10min"', _late),
    Key("assignments.*.weight", "How much it counts in the final mark, where others count 1.", "weight = 2", _weight),
    Key("assignments.*.without", "Tasks that are left out. Run `ndcg exercises build` afterwards.",
        'without = ["useless_rank"]', _names),
    Key("assignments.*.points.*", "Other points for the task of this name. Run `ndcg exercises build` afterwards.",
        "cg_at = 4", _points),
    Key("convention.*", "The choices of the course's NDCG, as for `nd.Convention`; the core follows them, the"
        " assignments the gain. Or write the name of a preset at the top: `convention = \"burges\"`. Run `ndcg"
        " exercises build` afterwards.",
        'gain = "exponential"', _choice),
    Key("brand.logo", "A picture beside the title of the site, and on slides, handouts and paper.",
        'logo = "logo.svg"', _picture),
    Key("brand.licence", "A line at the foot of every page.", 'licence = "CC BY 4.0, Example University"', _text),
    Key("brand.colours.day", "The colour of links by day, and of lines on slides and paper; one that cannot be read is"
        " refused.",
        'day = "#7a1f3d"', _colour("day")),
    Key("brand.colours.night", "The colour of links by night.", 'night = "#f0a8c0"', _colour("night")),
)
# fmt: on


def must_be_known(names: tuple[str, ...], there: list[str], what: str) -> None:
    """Refuse a name that is not there, with the nearest; where nothing is there, nothing is refused.

    >>> must_be_known(("ndgc",), ["ndcg"], "chapter")
    Traceback (most recent call last):
    ValueError: there is no chapter 'ndgc'. Did you mean 'ndcg'?
    """
    for name in names:
        if there and name not in there:
            near = difflib.get_close_matches(name, there, n=1, cutoff=0.4)
            raise ValueError(f"there is no {what} {name!r}" + (f". Did you mean {near[0]!r}?" if near else ""))


def contrast(one: str, other: str) -> float:
    """How far apart two colours are, from 1 to 21, as WCAG 2 counts it.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    brighter, darker = sorted((light(one), light(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)
