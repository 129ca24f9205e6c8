"""A teacher does whatever teachers do, in any order: every number is the model's, and none moves without its line."""

import csv
import json
import os
import random
import shutil
import zipfile

import pytest
from grade.model import DAY, TEXT, Class, Sheet, moves
from hostile.course import NAME, ROOT, notebook
from sweeps import swept_once

import ndcg_course.tasks
from ndcg_course import course, sealed
from ndcg_course.course import Course, Given
from ndcg_course.grade import cases, journal, similarity
from ndcg_course.grade.gradebook import Asked
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.lateness import Lateness
from ndcg_course.grade.run import Options, run
from ndcg_course.make import files, source
from ndcg_lib.convention import Convention

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
DUE = 1_700_000_000.0
STUDENTS = {"Ana Lima": 1001, "Ben": 1002, "Cy Öz": 1003, "Dee": 1004}
FUNCTIONS = {
    "linear": "def cg_at(grades, k=None):\n    return sum(grades[:k])",
    "exponential": "def cg_at(grades, k=None):\n    return sum(2**g - 1 for g in grades[:k])",
    "wrong": "def cg_at(grades, k=None):\n    return -1",
    "": "pass",
}
CURVE = "def cg_curve(grades):\n    return [sum(grades[: k + 1]) for k in range(len(grades))]"
OWN = {"x": (11, 8, 4, 7), "y": (7, 12, 11, 11)}  # what cg_by_hand is for the one id of each student, and for the other
WORDS = (
    "what_cg_misses = 'It does not see the order of what stands above the cut, so that it never tells the two apart.'"
)


class Killed(Exception):
    """The power went."""


class Teacher:
    """What lies on the disk, and the model of it."""

    def __init__(self, place, monkeypatch, seed):
        self.place, self.patch, self.drawn = place, monkeypatch, random.Random(seed)
        self.out, self.moodle, self.runs, self.sheets, self.folders = place / "out0", False, 0, 0, 0
        self.model, self.written, self.asked = Class(ids=dict.fromkeys(STUDENTS, "x")), {}, 0
        self.text = files.read_source(ROOT, NAME)
        self.build()
        for student in STUDENTS:
            self.hand_in(student)

    # ---- what may happen ----

    def hand_in(self, student=None):
        student = student or self.drawn.choice([*STUDENTS])
        own = self.model.sheets.setdefault(student, [])
        name = self.drawn.choice("abc")
        own[:] = [sheet for sheet in own if sheet.name != name]
        self.sheets += 1
        function = self.drawn.choice([*FUNCTIONS, "linear"])
        sheet = Sheet(
            function, self.drawn.random() < 0.5, self.drawn.random() < 0.5, name, self.time(student), self.sheets,
            self.drawn.choice(["x", "x", "y", ""]),
        )  # fmt: skip
        own.append(sheet)
        self.same_time(student)

    def touch(self):
        student = self.drawn.choice([*self.model.sheets])
        self.drawn.choice(self.model.sheets[student]).time = self.time(student)
        self.same_time(student)

    def take_away(self):
        free = [student for student in self.model.sheets if student not in self.model.hand]
        if len(self.model.sheets) > 2 and free:
            del self.model.sheets[self.drawn.choice(free)]

    def dates(self):
        self.model.due = self.drawn.choice([None, DUE, DUE, DUE + DAY])
        self.model.cost = self.drawn.choice([0.0, 10.0, 25.0])

    def extension(self):
        student = self.drawn.choice([*STUDENTS])
        if self.model.extensions.pop(student, 0) == 0:
            self.model.extensions[student] = self.drawn.choice([None, DUE + DAY, DUE + 3 * DAY, DUE - DAY])

    def roster(self):
        student = self.drawn.choice([*STUDENTS])
        self.model.ids[student] = "y" if self.model.ids[student] == "x" else "x"

    def attempts(self):
        self.model.best = not self.model.best

    def points(self):
        self.model.points = self.drawn.choice([{}, {"cg_at": 4}, {"cg_at": 1, "cg_curve": 5}, {"what_cg_misses": 3}])
        self.build()

    def tasks(self):
        self.model.without = self.drawn.choice([(), ("useless_rank",), ("useless_rank", "blind_pair")])
        self.build()

    def gain(self):
        self.model.gain = "exponential" if self.model.gain == "linear" else "linear"
        self.build()

    def layout(self):
        self.moodle = not self.moodle
        for student in self.model.sheets:
            self.same_time(student)

    def mark_by_hand(self):
        student = self.drawn.choice([*self.model.sheets])
        if student in self.written:
            self.model.hand[student] = self.drawn.choice([0.0, 0.5, 1.0, 2.0])
            (self.place / "m.csv").write_text(
                f"student,task,mark\n{student},{TEXT},{self.model.hand[student]}\n", "utf8"
            )
            self.grade(marks=(self.place / "m.csv",))

    def other_folder(self):
        self.folders += 1
        self.out, self.written = self.place / f"out{self.folders}", {}
        self.model.hand = {}

    def other_machine(self):
        self.folders += 1
        place = self.place / f"machine{self.folders}"
        if self.out.is_dir():
            shutil.copytree(self.out, place)
            self.out = place

    def regrade(self):
        self.grade(regrade=True)

    def regrade_one(self):
        if self.written and self.seen == self.handed_in():  # what the others handed in meanwhile, it leaves alone
            self.grade(regrade=True, only=(self.drawn.choice([*self.model.sheets]),))

    def handed_in(self):
        return repr(
            (
                self.model.sheets,
                self.model.points,
                self.model.without,
                self.model.gain,
                self.moodle,
                self.out,
                self.model.ids,
            )
        )

    def killed(self):
        """The run ends in the middle of its writing; the next one goes on."""
        real, left = journal.write, [self.drawn.randint(0, 12)]

        def write(*args, **more):
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            real(*args, **more)

        with pytest.MonkeyPatch.context() as patch:
            for module in (journal, run.__globals__["gradebook"], run.__globals__["exports"]):
                patch.setattr(module, "write", write, raising=False)
            patch.setitem(run.__globals__, "write", write)
            try:
                self.grade(accept=True)
            except Killed:
                self.seen = ""  # what it had marked may be of another build: --only is refused until all are marked
                return
        assert left[0] >= 0

    # ---- how it is done ----

    def time(self, student):
        apart = 700.0 * [*STUDENTS].index(student)  # files of one time would be those of a download
        return DUE + apart + self.drawn.choice([-3 * DAY, -3000.0, 2000.0, 1.5 * DAY, 4 * DAY])

    def same_time(self, student):
        """All files of a student have the one time that the worksheet says."""
        if self.moodle:
            last = max(sheet.time for sheet in self.model.sheets[student])
            for sheet in self.model.sheets[student]:
                sheet.time = last // 60 * 60

    def build(self):
        """As `ndcg exercises build` does, without the files that nobody reads here."""
        given = Given(NAME, None, None, self.model.without, 1.0, self.model.points)
        chosen = {"gain": self.model.gain} if self.model.gain != "linear" else {}
        taught = Course(convention=Convention(**chosen), chosen=chosen, assignments={NAME: given})
        self.taught = taught
        self.patch.setattr(course, "load", lambda root=None: taught)
        facts = json.loads(json.dumps(files.facts(source.as_given(self.text, given))))
        made = sealed.made(json.dumps(facts), taught, NAME, {}, ())
        self.patch.setattr(sealed, "of", lambda name: made if name == NAME else {})
        self.patch.setitem(ndcg_course.tasks._unpacked, NAME, facts)
        forget()

    def put(self):
        """The class as it lies on the disk."""
        shutil.rmtree(self.place / "in", ignore_errors=True)
        texts = [(who, sheet, self.cells(who, sheet)) for who, own in self.model.sheets.items() for sheet in own]
        if not self.moodle:
            for student, sheet, cells in texts:
                path = self.place / "in" / student / f"{sheet.name}.ipynb"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(cells, "utf8")
                os.utime(path, (sheet.time, sheet.time))
            return {"submissions": self.place / "in"}
        with zipfile.ZipFile(self.place / "in.zip", "w") as archive:
            for student, sheet, cells in texts:
                archive.writestr(f"{student}_{STUDENTS[student]}_assignsubmission_file/{sheet.name}.ipynb", cells)
        rows = [
            "Identifier,Full name,Status,Grade,Maximum Grade,Last modified (submission),Last modified (grade),Feedback"
        ]
        for student, own in self.model.sheets.items():
            when = self.moment(own[0].time)
            rows.append(f'Participant {STUDENTS[student]},{student},ok,,100.00,"{when}",-,')
        (self.place / "Grades.csv").write_text("\r\n".join(rows) + "\r\n", "utf8")
        return {"submissions": self.place / "in.zip", "worksheet": self.place / "Grades.csv"}

    @staticmethod
    def moment(time):
        import datetime

        return datetime.datetime.fromtimestamp(time).strftime("%A, %d %B %Y, %I:%M %p")

    @staticmethod
    def cells(student, sheet):
        text = [FUNCTIONS[sheet.function], *[CURVE] * sheet.curve, *[WORDS] * sheet.text, f"# {sheet.content}"]
        if sheet.numbers:
            text.append(f"cg_by_hand = {OWN[sheet.numbers][[*STUDENTS].index(student)]}")
        return notebook(*text)

    def options(self, **more):
        lines = ["student,until"]
        for student, until in self.model.extensions.items():
            lines.append(f"{student},{'none' if until is None else self.moment_iso(until)}")
        (self.place / "extensions.csv").write_text("\n".join(lines) + "\n", "utf8")
        known = [f"{student},{self.model.ids[student]}{number}" for student, number in STUDENTS.items()]
        (self.place / "roster.csv").write_text("\n".join(["student,id", *known]) + "\n", "utf8")
        dates = {} if self.model.due is None else {NAME: Lateness(self.model.due, self.model.cost)}
        return Options(
            output=self.out, assignment=NAME, dates=dates, extensions=self.place / "extensions.csv", course=self.taught,
            roster=self.place / "roster.csv",
            attempts="best" if self.model.best else "newest", **self.put(), **more,
        )  # fmt: skip

    @staticmethod
    def moment_iso(time):
        import datetime

        return datetime.datetime.fromtimestamp(time, datetime.UTC).isoformat()

    def grade(self, **more):
        """Grade, and hold what comes out against the model; where it asks, agree or leave it."""
        accept = more.pop("accept", False)
        if not self.moodle and self.out.is_dir() and self.kept_worksheet():
            self.other_folder()  # a worksheet is kept, and a class of folders has no time in it
            more.pop("marks", None)
        new = self.model.numbers()
        moved, unasked = moves(self.written, new)
        before = self.table()
        try:
            run(self.options(accept=accept, **more))
        except Asked as error:
            assert unasked and not accept, (str(error), moved)
            assert self.table() == before, "nothing is written"
            told = list(csv.DictReader((self.out / "would-change.csv").open(encoding="utf8", newline="")))
            assert {(row["student"], row["task"]) for row in told} <= moved and len(told) == len(
                str(error).splitlines()
            ) - 3
            self.asked += 1
            if self.drawn.random() < 0.8:
                self.grade(accept=True, **more)
            elif more.get("marks"):
                self.grade(accept=True, **more)  # or the model would hold a mark that is nowhere
            return
        assert accept or not unasked, moved
        self.runs += 1
        self.agrees(new)
        told = self.lines() if moved else set()
        assert told == moved, (told ^ moved, self.written, new)
        self.written, self.seen = new, self.handed_in()

    def kept_worksheet(self):
        file = self.out / "run.json"
        return file.is_file() and json.loads(file.read_text("utf8"))["options"]["worksheet"] is not None

    def table(self):
        file = self.out / "grades.csv"
        return file.read_bytes() if file.is_file() else b""

    def lines(self):
        """The lines that the last run kept of the numbers that moved."""
        rows = list(csv.DictReader((self.out / "changes.csv").open(encoding="utf8", newline="")))
        last = max(int(row["run"]) for row in rows)
        assert all(row["why"] for row in rows)
        return {(row["student"], row["task"]) for row in rows if int(row["run"]) == last}

    def agrees(self, new):
        rows = {
            row["student"]: row for row in csv.DictReader((self.out / "grades.csv").open(encoding="utf8", newline=""))
        }
        assert rows.keys() == new.keys()
        for student, row in rows.items():
            told = {task: float(row[task]) if row[task] else None for task in new[student]["tasks"]}
            assert told == new[student]["tasks"], student
            assert (float(row["total"]), int(row["max"])) == (new[student]["total"], new[student]["max"]), student


ACTIONS = {
    Teacher.grade: 9, Teacher.hand_in: 5, Teacher.extension: 3, Teacher.touch: 2, Teacher.dates: 2, Teacher.points: 2,
    Teacher.mark_by_hand: 2, Teacher.take_away: 1, Teacher.attempts: 1, Teacher.tasks: 1, Teacher.gain: 1,
    Teacher.layout: 1, Teacher.other_folder: 1, Teacher.other_machine: 1, Teacher.regrade: 1, Teacher.regrade_one: 1,
    Teacher.killed: 1, Teacher.roster: 2,
}  # fmt: skip


def forget():
    """What was worked out for a course that is no longer there."""
    for kept in (ndcg_course.tasks._facts, ndcg_course.tasks._loaded, sealed.now, similarity._handed_out):
        kept.cache_clear()
    for kept in (cases.tasks_of, cases.cases_of, cases.data_of):
        kept.cache_clear()


@pytest.fixture(autouse=True)
def course_as_before():
    """Set up before the patches of a test and so ended after them: no later test sees the walk's course."""
    yield
    forget()


def walk(place, monkeypatch, seed, steps):
    teacher = Teacher(place, monkeypatch, seed)
    done = []
    for _ in range(steps):
        action = teacher.drawn.choices([*ACTIONS], [*ACTIONS.values()])[0]
        done.append(action.__name__)
        try:
            action(teacher)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, after {len(done)} actions, the last {done[-8:]}: {error}") from error
    teacher.grade(accept=True)
    return teacher


@pytest.mark.parametrize("seed", [1, 2])
def test_no_number_moves_without_its_line_and_the_model_agrees_on_each(seed, tmp_path, monkeypatch):
    walk(tmp_path, monkeypatch, seed, 60)


@pytest.mark.parametrize("seed", swept_once([10, 11, 12, 13]))
def test_a_thousand_actions_of_a_teacher_move_no_number_without_its_line(seed, tmp_path, monkeypatch):
    assert walk(tmp_path, monkeypatch, seed, 250).asked > 3
