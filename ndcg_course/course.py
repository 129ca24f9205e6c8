"""The course that is taught: course.toml, read by release, grading, the site, and all that is made from the book.

`KEYS` is the one table of what the file may say; messages and the page of the book about it are made from it.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ndcg_course.grade.lateness import Lateness
from ndcg_lib.convention import Convention, as_convention

FILE = "course.toml"
BACKS = {"day": ("#fffefb", "#f6f4ee"), "night": ("#16181b", "#202327")}  # what a link stands on: the page, a box
CONTRAST = 4.5  # of WCAG 2.2, for text

ASSIGNMENT = re.compile(r"^:{3,}\{assignment\} (\S+)", re.MULTILINE)
SHORT = "short-book"  # what units are called that are the numbered pages of the book


@dataclass(frozen=True)
class Given:
    """An assignment as the course gives it: when it is due, what lateness costs, which tasks, and other points."""

    name: str
    due: str | None = None
    late: str | None = None
    without: tuple[str, ...] = ()
    weight: float = 1.0
    points: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Course:
    """What course.toml says, with defaults for the rest. Empty `units` and `assignments` stand for all of the book."""

    title: str = "The NDCG book"
    address: str = ""  # where the book is published, with a slash at its end; "" where it is not
    units: tuple[str, ...] = ()  # chapters, in the order of the course
    assignments: Mapping[str, Given] = field(default_factory=dict)
    convention: Convention = field(default_factory=Convention)
    chosen: Mapping[str, Any] = field(default_factory=dict)  # the choices of the convention, as keywords
    solutions: bool = True
    roster: Path | None = None
    extensions: Path | None = None
    tries: tuple[float, ...] = (2, 1, 0)  # what a choice earns at the first try, the second and so on, as parts
    drop: int = 0  # how many of the lowest items the final mark leaves out
    logo: Path | None = None
    colours: Mapping[str, str] = field(default_factory=dict)  # of links, by "day" and by "night"
    licence: str = ""
    notebooks: tuple[str, ...] = ()  # the branch with the built site, then what opens a page of it besides the browser
    path: Path | None = None  # of the file

    def given(self, name: str) -> Given:
        """An assignment as the course gives it; one that it does not name, as it is.

        >>> Course().given("06-ndcg")
        Given(name='06-ndcg', due=None, late=None, without=(), weight=1.0, points={})
        """
        return self.assignments.get(name, Given(name))

    def dates(self) -> dict[str, Lateness]:
        """When each assignment is due, of those that say so.

        >>> Course(assignments={"06-ndcg": Given("06-ndcg", "1970-01-01T00:00+00:00")}).dates()["06-ndcg"].due
        0.0
        """
        return {name: Lateness.of(one.due, one.late) for name, one in self.assignments.items() if one.due}

    def computes(self, *, follows: bool = True) -> str:
        """What a page says about its convention if the course has another than the book: its own, or that of the book.

        >>> Course().computes()
        ''
        """
        if not self.chosen:
            return ""
        if follows:
            return f"This course computes {self.convention.definition()}."
        book = Convention().definition().removeprefix("NDCG: ")
        return f"Where nothing else is named, the book's definition holds here: {book}."

    def names(self, known: list[str]) -> list[str]:
        """Those of the known assignments that the course names, in the order of the book; all, if it names none.

        >>> Course(assignments={"06-ndcg": Given("06-ndcg")}).names(["05-the-ideal-ranking", "06-ndcg"])
        ['06-ndcg']
        """
        return [name for name in known if not (self.assignments or self.units) or name in self.assignments]

    def in_order(self, known: list[str]) -> list[str]:
        """Those of the known chapters that the course teaches, in its order; all, if it names none.

        >>> Course(units=("chapters/ndcg", "chapters/discounting")).in_order(["chapters/discounting", "chapters/ndcg"])
        ['chapters/ndcg', 'chapters/discounting']
        """
        return [name for name in self.units if name in known] if self.units else list(known)


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
    _known(names, [f"chapters/{file.stem}" for file in (folder / "book" / "chapters").glob("*.md")], "chapter")
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


class CourseError(ValueError):
    """Course.toml says something that cannot be meant; says where, and what to do."""


def find(start: Path) -> Path | None:
    """The course file in a folder or above it.

    >>> find(Path("/")) is None
    True
    """
    return next((file for folder in (start, *start.parents) if (file := folder / FILE).is_file()), None)


def load(root: Path | None = None) -> Course:
    """The course of a checkout; without one, the one that this copy was packed with, or that of its own checkout."""
    here = Path(__file__).resolve().parent
    packed = [root] if root else [here, here.parent]
    file = next((folder / FILE for folder in packed if (folder / FILE).is_file()), None)
    return _with_environment(read(file) if file else Course())


def read(file: Path) -> Course:
    """A course file; an error names its line, what is wrong there, and what to do."""
    text = file.read_text("utf8")
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{FILE}: this is not TOML: {error}") from None
    preset = said.pop("convention") if isinstance(said.get("convention"), str) else None
    values: dict[str, Any] = {}
    for path, value in _leaves(said):
        key = next((key for key in KEYS if _matches(key.name, path)), None)
        if key is None:
            raise CourseError(f"{_at(text, path)}{_no_such(path)}")
        try:
            values[".".join(path)] = key.read(value, file.parent)
        except ValueError as error:
            raise CourseError(f"{_at(text, path)}{'.'.join(path)} is {value!r}: {error}") from None
    chosen = {path.partition(".")[2]: value for path, value in values.items() if path.startswith("convention.")}
    try:
        convention = as_convention(preset) if preset else Convention(**chosen)
    except (ValueError, TypeError) as error:
        raise CourseError(f"{_at(text, ('convention',))}{_tidied(error)}") from None
    plain = {path: value for path, value in values.items() if "." not in path and path != "late"}
    given = _given(text, file.parent, said.get("assignments", {}), values)
    return Course(
        **plain,
        assignments=given or {name: Given(name) for name in _of_units(file.parent, plain.get("units", ()))},
        convention=convention,
        chosen=_different(convention),
        logo=values.get("brand.logo"),
        licence=values.get("brand.licence", ""),
        colours={time: values[f"brand.colours.{time}"] for time in BACKS if f"brand.colours.{time}" in values},
        path=file,
    )


def _given(text: str, folder: Path, said: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Given]:
    """The assignments that the course names, with names of assignments and tasks that there are."""
    found = {}
    for name, about in sorted(said.items()):
        source = folder / "solutions" / f"{name}.md"
        if names := [file.stem for file in source.parent.glob("[0-9]*.md")]:  # a package has none of them
            _named(text, ("assignments", name), names, "assignment")
            there = re.findall(r"^\((\w+)\)=$", source.read_text("utf8"), re.MULTILINE)
            for task in about.get("without", ()):
                _named(text, ("assignments", name, "without"), there, "task", task)
            for task in about.get("points", {}):
                _named(text, ("assignments", name, "points", task), there, "task")
        under = {
            path.split(".", 2)[2]: value for path, value in values.items() if path.startswith(f"assignments.{name}.")
        }
        late = under.get("late", values.get("late")) if "due" in under else None
        points = {path.partition(".")[2]: value for path, value in under.items() if path.startswith("points.")}
        weight = under.get("weight", 1.0)
        found[name] = Given(name, under.get("due"), late or None, under.get("without", ()), weight, points)
    return found


def _of_units(folder: Path, units: tuple[str, ...]) -> list[str]:
    """The assignments that these chapters name in their boxes."""
    files = [file for unit in units if (file := folder / "book" / f"{unit}.md").is_file()]
    named = {name for file in files for name in ASSIGNMENT.findall(file.read_text("utf8"))}
    return sorted(f.stem for f in (folder / "solutions").glob("[0-9]*.md") if f.stem.partition("-")[2] in named)


def _different(convention: Convention) -> dict[str, Any]:
    plain = Convention().choices()
    return {name: value for name, value in convention.choices().items() if name != "k" and value != plain[name]}


def _with_environment(course: Course) -> Course:
    from dataclasses import replace

    if site := os.environ.get("NDCG_SITE", "").strip():
        try:
            course = replace(course, address=as_address(site))
        except ValueError as error:
            raise CourseError(f"NDCG_SITE is {site!r}: {error}") from None
    if wish := os.environ.get("NDCG_SOLUTIONS", "").strip():
        if wish not in ("on", "off"):
            raise CourseError(f"NDCG_SOLUTIONS is {wish!r}: it can be on or off")
        course = replace(course, solutions=wish == "on")
    return course


def packed(course: Course, *, solutions: bool) -> str:
    """What a copy for students keeps of the course, as TOML: which assignments, nothing of the roster, and no date.

    >>> print(packed(Course(address="https://example.org/"), solutions=False))
    title = "The NDCG book"
    address = "https://example.org/"
    solutions = false
    <BLANKLINE>
    """
    import json

    lines = [f"title = {json.dumps(course.title)}", f"address = {json.dumps(course.address)}"]
    lines += [f"solutions = {json.dumps(solutions)}"]
    lines += [f"units = {json.dumps(course.units)}"] * bool(course.units)
    lines += [f"tries = {json.dumps(course.tries)}"] * (course.tries != Course.tries)
    lines += [f"[assignments.{name}]" for name in course.assignments]
    lines += ["[convention]"] * bool(course.chosen) + [f"{n} = {json.dumps(v)}" for n, v in course.chosen.items()]
    return "\n".join(lines) + "\n"


# ---- names and places ----


def _leaves(said: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in said.items():
        path = (*above, name)
        if isinstance(value, dict) and any(
            key.name.count(".") >= len(path) and _begins(key.name, path) for key in KEYS
        ):
            yield from _leaves(value, path)
        else:
            yield path, value


def _matches(pattern: str, path: tuple[str, ...]) -> bool:
    return pattern.count(".") + 1 == len(path) and _begins(pattern, path)


def _begins(pattern: str, path: tuple[str, ...]) -> bool:
    return all(part in ("*", name) for part, name in zip(pattern.split("."), path, strict=False))


def _no_such(path: tuple[str, ...]) -> str:
    """That a key is not known, with the nearest one that could stand in its place, or all."""
    name, patterns = ".".join(path), [key.name for key in KEYS]
    if below := [pattern for pattern in patterns if _begins(pattern, path) and pattern.count(".") >= len(path)]:
        return f"{name} is a table: write [{name}] above its lines, as in {below[0].replace('*', 'NAME')} = …"
    beside = {pattern.split(".")[len(path) - 1] for pattern in patterns if _beside(pattern, path)} - {"*"}
    elsewhere = {pattern.rpartition(".")[2]: pattern.replace("*", "NAME") for pattern in patterns}
    if near := difflib.get_close_matches(path[-1], beside, n=1):
        return f"there is no key {name!r}. Did you mean {'.'.join([*path[:-1], near[0]])!r}?"
    if near := difflib.get_close_matches(path[-1], elsewhere, n=1):
        return f"there is no key {name!r}. Did you mean {elsewhere[near[0]]!r}?"
    return f"there is no key {name!r}: there are {', '.join(sorted(beside))}"


def _beside(pattern: str, path: tuple[str, ...]) -> bool:
    return pattern.count(".") >= len(path) - 1 and _begins(pattern, path[:-1])


def _known(names: tuple[str, ...], known: list[str], what: str) -> None:
    for name in names:
        if known and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            raise ValueError(f"there is no {what} {name!r}" + (f". Did you mean {near[0]!r}?" if near else ""))


def _named(text: str, path: tuple[str, ...], known: list[str], what: str, name: str = "") -> None:
    try:
        _known((name or path[-1],), known, what)
    except ValueError as error:
        raise CourseError(f"{_at(text, path)}{error}") from None


def _at(text: str, path: tuple[str, ...]) -> str:
    """The file and the line that a key stands in, as far as that can be seen."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            table = heading[1].replace('"', "").replace(" ", "")
        named = re.match(r"\s*([\w\".-]+)\s*=", line)
        here = ".".join(part for part in (table, named[1].replace('"', "") if named else "") if part)
        if ".".join(path) == here or (named and ".".join(path).startswith(f"{here}.")):
            return f"{FILE}, line {number}: "
    return f"{FILE}: "


def _tidied(error: Exception) -> str:
    return re.sub(r"^.*__init__\(\) got an unexpected keyword argument", "the convention has no choice", str(error))


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
