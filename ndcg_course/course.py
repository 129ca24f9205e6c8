"""The course that is taught: course.toml, read by release, grading, the site, and all that is made from the book."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ndcg_course.course_keys import BACKS, KEYS, as_address, must_be_known
from ndcg_course.grade.lateness import Lateness
from ndcg_lib.convention import Convention, as_convention

FILE = "course.toml"
ASSIGNMENT = re.compile(r"^:{3,}\{assignment\} (\S+)", re.MULTILINE)


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


def _named(text: str, path: tuple[str, ...], known: list[str], what: str, name: str = "") -> None:
    try:
        must_be_known((name or path[-1],), known, what)
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
