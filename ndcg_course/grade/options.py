"""What `ndcg grade` may be told: one table, from which its help, what is kept of a run, and its words are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ndcg_course.course import Course

NOT = object()  # it holds for one run, and is not kept


class Option(NamedTuple):
    """An option: its name in `Options`, how it is typed, what help says, and what holds where it was never given."""

    name: str
    flags: str
    kind: str  # text, file, number, names (given again and again) or switch
    about: str
    metavar: str = ""
    default: Any = NOT  # of an option that is kept in run.json
    brief: bool = False  # too long to be said when it is taken over from before
    course: Callable[[Course], Any] = lambda taught: None  # what course.toml says of it
    least: float | None = None
    most: float | None = None
    words: tuple[str, ...] = ()


# fmt: off
TABLE: tuple[Option, ...] = (
    Option("assignment", "--assignment", "text", "The assignment; else each notebook's own.", "NAME",
           course=lambda taught: next(iter(taught.assignments), None) if len(taught.assignments) == 1 else None),
    Option("workers", "--jobs", "number", "Processes; as many as there are cores.", "N", least=1, most=256),
    Option("attempts", "--attempts", "text", "Which attempt counts; else the newest.", default="newest",
           words=("newest", "best")),
    Option("due", "--due", "text", "When it is due, as 2026-11-18T23:59+01:00, or none.", "TIME"),
    Option("late", "--late", "text", "What lateness costs, as 10%/day,max 50%.", "RULE"),
    Option("lateness", "", "", "--due and --late together.", default=None),
    Option("dates", "", "", "Those of course.toml, by assignment.", default={}, brief=True,
           course=lambda taught: taught.dates()),
    Option("extensions", "--extensions", "file", "CSV: student, until, and perhaps assignment: who has more time.",
           default=None, brief=True, course=lambda taught: taught.extensions),
    Option("worksheet", "--worksheet", "file", "The grading worksheet that Moodle exports: for the times, and to be"
           " filled in.", default=None, brief=True),
    Option("only", "--only", "names", "Mark this student only; repeat for more.", "STUDENT"),
    Option("regrade", "--regrade", "switch", "Mark again, with new inputs; with --only, with the same."),
    Option("accept", "--accept", "switch", "Change numbers that were written before, as the table said."),
    Option("marks", "--marks", "files", "Marks given by hand; repeat for each tutor's list."),
    Option("anonymous", "--anonymous/--names", "switch", "Codes in the place of names on the page to mark by hand.",
           default=False),
    Option("forms", "--export", "names", "canvas, moodle, nbgrader, all, slips or none.", "FORM", default=[]),
    Option("title", "--title", "text", "The name of the assignment in Canvas.", "TEXT", default=""),
    Option("points", "--points", "number", "The points possible in Canvas.", default=None, least=0.01, most=10000),
    Option("book", "--book", "text", "Where the book is published, for links on the pages of feedback.", "ADDRESS",
           default="", course=lambda taught: taught.address),
    Option("ids", "--ids", "text", "Whose own numbers: the id that the notebook sets, or the student's name.",
           words=("notebook", "folder")),
    Option("roster", "--roster", "file", "CSV: student, id.", default=None, brief=True,
           course=lambda taught: taught.roster),
    Option("typed_ids", "--typed-ids", "text", "Whether an answer counts that is right for the id that a student typed,"
           " where a roster says another.", default="refuse", words=("count", "refuse")),
    Option("compare", "--compare", "names", "Look for likeness with the work in this folder, too.", "DIR", default=[]),
    Option("seed", "--seed", "text", "Draw the inputs from this.", "TEXT"),
    Option("magics", "--magics", "text", "Run cells in IPython; auto: where a line needs it.",
           words=("auto", "always", "never")),
    Option("packages", "--allow", "names", "A package that notebooks may import.", "PACKAGE"),
    Option("deadline", "--deadline", "number", "Seconds of a processor per submission; 15.", "S", least=1.0, most=3600),
    Option("memory", "--memory", "number", "Memory per submission; 512.", "MB", least=64, most=65536),
    Option("unsafe", "--unsafe", "switch", "Run without a sandbox, where there is none: notebooks can read your files,"
           " use the network and fake their marks, and nothing limits their memory."),
)
# fmt: on
KEPT: dict[str, Any] = {option.name: option.default for option in TABLE if option.default is not NOT}


def said(name: str) -> str:
    """How an option is called in a line to the teacher.

    >>> said("typed_ids"), said("lateness")
    ('--typed-ids', '--due and --late')
    """
    option = next(option for option in TABLE if option.name == name)
    return option.flags.partition("/")[0] or {"dates": "course.toml"}.get(name, "--due and --late")


def is_brief(name: str) -> bool:
    """Whether only its name is said."""
    return next(option.brief for option in TABLE if option.name == name)


def from_course(taught: Course) -> dict[str, Any]:
    """What a course file says of the options, of those of which it says something."""
    return {option.name: value for option in TABLE if (value := option.course(taught))}
