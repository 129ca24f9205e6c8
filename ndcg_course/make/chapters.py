"""The chapters of the book, read into their parts; slides, handouts, question bank and syllabus are made of these."""

from __future__ import annotations

import difflib
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course import course, course_keys

FENCE = re.compile(r"(:{3,}|`{3,})\{([\w-]+)\}[ \t]*(.*)")
HEADING = re.compile(r"(#{1,4})\s+(.+)")
LABEL = re.compile(r"\(([\w-]+)\)=")
OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
ANSWER = re.compile(r"- \[([ xX=])\]\s+(.*)")
PLACE = re.compile(r"\d+\.\s+(=\s+)?(.*)")

OWN = "The course"  # the part of the chapters that a course names itself
PUZZLES = "chapters/the-notes-checked"  # whose solutions are the pages of the notes


@dataclass(frozen=True)
class Part:
    """A piece of a page, in the order of the page.

    `kind` is heading, text, list, table, formula, code, figure, output, or the name of a box such as quiz. `text`
    is Markdown with its numbers filled in; of a formula LaTeX, of a figure SVG, of an output HTML or plain text.
    """

    kind: str
    text: str
    title: str = ""
    anchor: str = ""
    level: int = 0
    tags: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """One answer of a question: its words, whether it is right, and what the reader is told."""

    text: str
    right: bool
    feedback: str
    free: bool = False  # in an order: may change places with the one above


@dataclass(frozen=True)
class Question:
    """A question of a page, to choose, to type (a number) or to order; its answers as they are written."""

    place: str
    number: int
    kind: str
    stem: str
    answers: tuple[Answer, ...]


class Lesson(NamedTuple):
    """A lesson of the teacher's guide: the minutes to ask, to show, and to do."""

    title: str
    ask: int
    show: int
    do: int

    @property
    def minutes(self) -> int:
        """All of them together."""
        return self.ask + self.show + self.do


PARTS = Lesson._fields[1:]


@dataclass(frozen=True)
class Chapter:
    """A page that teaches: what it is for, and its parts in order. Pages of the handbook have the number 0."""

    name: str
    part: str
    number: int
    title: str
    minutes: int
    needs: str
    objectives: tuple[str, ...]
    parts: tuple[Part, ...]
    convention: str = ""  # what it computes, in a course that differs from the book

    def boxes(self, kind: str) -> list[Part]:
        """The parts of one kind."""
        return [part for part in self.parts if part.kind == kind]

    def sections(self) -> Iterator[tuple[Part, list[Part]]]:
        """Each heading below the title with the parts that follow it."""
        held: list[Part] = []
        heading: Part | None = None
        for part in self.parts:
            if part.kind == "heading" and part.level == 2:
                if heading:
                    yield heading, held
                heading, held = part, []
            elif heading:
                held.append(part)
        if heading:
            yield heading, held

    @property
    def practice(self) -> tuple[str, ...]:
        """The tasks of the core practice that go with the page."""
        return tuple(self._meta.get("practice", "").split())

    @property
    def by_hand(self) -> int:
        """The minutes that the fields on the page take."""
        return int(self._meta.get("by-hand", 0))

    @property
    def _meta(self) -> Mapping[str, str]:
        return next((box.options for box in self.boxes("page-meta")), {})

    @property
    def numbered(self) -> str:
        """Its title, behind its number if it has one."""
        return f"{self.number:02d} {self.title}" if self.number else self.title

    @property
    def opening(self) -> str:
        """The case from life before anything is explained."""
        return next(part.text for part in self.parts if part.kind == "text")

    @property
    def prediction(self) -> Part | None:
        """The question that the reader answers before reading on."""
        return next(iter(self.boxes("prediction")), None)

    @property
    def summary(self) -> tuple[str, ...]:
        """What to remember, a sentence each."""
        return tuple(point for box in self.boxes("summary") for point in items(box.text))

    @property
    def assignment(self) -> str | None:
        """The assignment that goes with the page."""
        return next((box.title for box in self.boxes("assignment")), None)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What the page asks at its end."""
        return tuple(question(self.name, n, box.text) for n, box in enumerate(self.boxes("quiz"), start=1))


def chapters(root: Path, names: Iterable[str] = ()) -> list[Chapter]:
    """The chapters of the table of contents that say how many minutes they take, run and read; or only some of them.

    Those that the course teaches, in its order, where it names some.
    """
    wanted, listed = set(names), _numbered(root)
    known = [name for _, _, name in listed]
    if unknown := sorted(wanted - {*known}):
        near = difflib.get_close_matches(unknown[0], known, n=1)
        help_ = f"did you mean {near[0]!r}?" if near else "book/_toc.yml names the pages"
        raise ValueError(f"no chapter is called {unknown[0]!r}; {help_}")
    asked = wanted or {*course.load(root).in_order(known)}
    numbered = [entry for entry in listed if entry[2] in asked]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda entry: _chapter(root, *entry), numbered))


def guide(root: Path, name: str) -> dict[str, str]:
    """The sections of a chapter's page in the teacher's guide as Markdown, by heading; none where there is no page."""
    page = f"teaching/{name.rpartition('/')[2]}"
    if not (root / "book" / f"{page}.md").exists():
        return {}
    held: dict[str, str] = {}
    heading = ""
    for part in _parts(_run(root, page)):
        if part.kind == "heading" and part.level < 3:
            heading = part.title if part.level == 2 else ""
        elif part.kind in ("text", "list", "table"):
            held[heading] = f"{held[heading]}\n\n{part.text}" if heading in held else part.text
    return held


def lessons(root: Path) -> dict[str, Lesson]:
    """The lessons of the teacher's guide by the name of their page, in its order."""
    found: dict[str, Lesson] = {}
    for _, name in contents(root):
        parts = list(_markdown(_source(root, name))) if name.startswith("teaching/") else []
        for box in (part for part in parts if part.kind == "lesson"):
            title = next(part.title for part in parts if part.kind == "heading").removeprefix("Teaching: ")
            found[name.partition("/")[2]] = lesson(title, box.options)
    return found


def lesson(title: str, options: Mapping[str, str]) -> Lesson:
    """The lesson that a box describes.

    >>> lesson("NDCG", {"ask": "10", "show": "20", "do": "15"}).minutes
    45
    """
    for part in PARTS:
        if not options.get(part, "").strip().isdecimal():
            raise ValueError(f"a lesson needs the option :{part}:, in minutes")
    return Lesson(title, *(int(options[part]) for part in PARTS))


def outlines(root: Path) -> list[Chapter]:
    """The chapters of the course as they are written, without running their code: for titles, minutes, objectives."""
    numbered = _numbered(root)
    taught = course.load(root).in_order([name for *_, name in numbered])
    return [_read(*entry, _markdown(_source(root, entry[2]))) for entry in numbered if entry[2] in taught]


def _numbered(root: Path) -> list[tuple[int, str, str]]:
    """Number, part and name of each chapter: first those that the course teaches, in its order, then the others.

    The units of the course have numbers; of a course that names none, the pages of the short book.
    """
    every = whole_book(root)  # a chapter that the course leaves out can be asked for by name
    there = [entry for entry in every if (root / "book" / f"{entry[1]}.md").exists()]
    listed = {name: caption for caption, name in there if "{page-meta}" in _source(root, name)}
    given = course.load(root)
    number = {name: n for n, name in enumerate(given.units or course_keys.short_book(root), start=1)}
    order = dict.fromkeys([*given.in_order([*listed]), *listed])
    return [(number.get(name, 0), listed[name], name) for name in order]


def contents(root: Path) -> list[tuple[str, str]]:
    """The pages of the course in their order, each with the heading of its part; all, if it leaves none out."""
    units, left = course.load(root).units, left_out(root)
    kept = [(part, name) for part, name in whole_book(root) if name not in left]
    if not units:
        return kept
    part_of = {name: part for part, name in kept}
    own = [(part_of[name] if units == course_keys.short_book(root) else OWN, name) for name in units]
    rest = [(part, name) for part, name in kept if name not in units]
    # What is left of the handbook without its chapters is to be looked up.
    few = _order(root).get("meta", {}).get("rooms", {}).get("Handbook", ())
    spare = [("Look up", name) for part, name in rest if part in few]
    rest = [entry for entry in rest if entry[0] not in few]
    at = next((i for i, (part, _) in enumerate(rest) if part == "Look up"), len(rest))
    return [*own, *rest[:at], *spare, *rest[at:]]


def left_out(root: Path) -> frozenset[str]:
    """The pages of the book that are not of the course: what it does not teach, and the lessons about that."""
    given, named = course.load(root), {file.stem for file in (root / "solutions").glob("[0-9]*.md")}
    tasks = {f"assignments/{name.partition('-')[2]}" for name in named.difference(given.names(sorted(named)))}
    units = {*given.units}
    names = [name for _, name in whole_book(root)]
    if units:
        others = {name for name in names if name.startswith("chapters/") and name not in units}
        tasks |= others | {name.replace("chapters/", "teaching/") for name in others} | {"handbook"}
        tasks |= {name for name in names if name.startswith("notes/") and PUZZLES not in units}
    return frozenset(tasks.intersection(names))


def whole_book(root: Path) -> list[tuple[str, str]]:
    """All pages of the book in their order, each with the heading of its part."""

    def below(entries: Any) -> Iterator[str]:
        for entry in entries:
            yield entry["file"]
            yield from below(entry.get("sections", []))

    return [(part["caption"], name) for part in _order(root)["parts"] for name in below(part["chapters"])]


def rooms(root: Path) -> dict[str, dict[str, list[str]]]:
    """The rooms of the book, each with the parts of its menu and their pages; what is sealed stands in no menu."""
    told = _order(root).get("meta", {})
    held: dict[str, list[str]] = {}
    for part, name in contents(root):
        if part not in told["sealed"]:
            held.setdefault(part, []).append(name)
    made = {room: {part: held[part] for part in parts if part in held} for room, parts in told.get("rooms", {}).items()}
    if OWN in held:
        made["Learn"] = {OWN: held[OWN]}
    return {room: parts for room, parts in made.items() if parts}


def _order(root: Path) -> Any:
    import yaml  # type: ignore[import-untyped]  # comes with jupyter-book

    return yaml.safe_load((root / "book" / "_toc.yml").read_text("utf8"))


def question(place: str, number: int, text: str) -> Question:
    """A question as book/AUTHORS.md says how to write it."""
    stem: list[str] = []
    answers: list[tuple[str, str, list[str], list[str]]] = []
    below: list[str] = []  # the feedback of an order
    for line in text.splitlines():
        if found := ANSWER.match(line):
            answers.append((found[1].lower(), "", [found[2]], []))
        elif found := PLACE.match(line):
            answers.append(("order", found[1] or "", [found[2]], []))
        elif answers and line.lstrip().startswith(">"):
            (below if line.startswith(">") else answers[-1][3]).append(line.lstrip().removeprefix(">").strip())
        elif answers and line.strip():
            answers[-1][2].append(line.strip())
        elif not answers:
            stem.append(line)
    marks = {mark for mark, *_ in answers}
    kind = "order" if "order" in marks else "number" if "=" in marks else "choose"
    told = [
        Answer(" ".join(words), mark != " ", " ".join(said or below), bool(free)) for mark, free, words, said in answers
    ]
    return Question(place, number, kind, "\n".join(stem).strip(), tuple(told))


def items(text: str) -> list[str]:
    """The points of a Markdown list, each on one line."""
    points: list[str] = []
    for line in text.splitlines():
        if line.startswith(("- ", "* ")):
            points.append(line[2:].strip())
        elif points and line.strip():
            points[-1] += " " + line.strip()
    return points


def _source(root: Path, name: str) -> str:
    return (root / "book" / f"{name}.md").read_text("utf8")


def _chapter(root: Path, number: int, caption: str, name: str) -> Chapter:
    from ndcg_course.make import pages  # which needs what a kernel needs

    page = _run(root, name)
    told = course.load(root).computes(follows=pages.follows(page)) if pages.computes(page) else ""
    return replace(_read(number, caption, name, _parts(page)), convention=told)


def _read(number: int, caption: str, name: str, found: Iterable[Part]) -> Chapter:
    parts = list(found)
    title = next(part.title for part in parts if part.kind == "heading" and part.level == 1)
    meta = next(part for part in parts if part.kind == "page-meta")
    return Chapter(
        name=name, part=caption, number=number, title=title, minutes=int(meta.options["minutes"]),
        needs=meta.options["needs"], objectives=tuple(items(meta.text)), parts=tuple(parts),
    )  # fmt: skip


def _run(root: Path, name: str) -> Any:
    """The page with outputs and numbers, by the book's own way of running it."""
    from ndcg_course.make import pages

    page, wrong = pages.run_page(root / "book", _source(root, name), f"book/{name}.md")
    if wrong:
        raise ValueError(wrong[0].strip())
    return page


def _parts(page: Any) -> Iterator[Part]:
    for cell in page.cells:
        if cell.cell_type != "code":
            yield from _markdown(cell.source)
            continue
        tags = tuple(cell.metadata.get("tags", ()))
        if "remove-cell" in tags:
            continue
        if "remove-input" not in tags:
            yield Part("code", cell.source, tags=tags)
        yield from _outputs(cell.outputs, tags)


def _outputs(outputs: Iterable[Any], tags: tuple[str, ...]) -> Iterator[Part]:
    for output in outputs:
        data = output.get("data", {})
        if "svg role" in (shown := data.get("text/html", "")):
            caption = re.search(r"<figcaption>(.*?)</figcaption>", shown)
            for svg in re.findall(r"<svg role.*?</svg>", shown, re.DOTALL):
                yield Part("figure", svg, title=html.unescape(caption[1]) if caption else "", tags=tags)
        elif text := data.get("text/markdown") or shown or data.get("text/plain") or output.get("text"):
            yield Part("output", text, tags=("html",) if text == shown else ())


def _markdown(text: str) -> Iterator[Part]:
    lines = text.splitlines()
    anchor, i = "", 0
    while i < len(lines):
        line = lines[i]
        if not line.strip() or line.strip() == "+++":
            i += 1
        elif found := LABEL.fullmatch(line.strip()):
            anchor, i = found[1], i + 1
        elif found := HEADING.match(line):
            yield Part("heading", "", title=found[2].strip(), anchor=anchor, level=len(found[1]))
            anchor, i = "", i + 1
        elif found := FENCE.match(line):
            end = next(n for n in range(i + 1, len(lines)) if lines[n].strip() == found[1])
            yield _box(found[2], found[3].strip(), lines[i + 1 : end])
            i = end + 1
        elif line.startswith("$$"):
            one_line = len(line) > 2 and line.rstrip().endswith("$$")
            end = i if one_line else next(n for n in range(i + 1, len(lines)) if lines[n].startswith("$$"))
            yield Part("formula", "\n".join(lines[i : end + 1]).strip("$ \n"))
            i = end + 1
        else:
            end = next(
                (n for n in range(i, len(lines)) if not lines[n].strip() or lines[n].startswith("$$")), len(lines)
            )
            kind = "table" if line.startswith("|") else "list" if re.match(r"[-*] |\d+\. ", line) else "text"
            yield Part(kind, "\n".join(lines[i:end]), anchor=anchor)
            anchor, i = "", end


def _box(name: str, title: str, lines: list[str]) -> Part:
    options: dict[str, str] = {}
    while lines and (found := OPTION.fullmatch(lines[0].strip())):
        options[found[1]] = found[2]
        lines = lines[1:]
    return Part(name, "\n".join(lines).strip(), title=title, options=options)
