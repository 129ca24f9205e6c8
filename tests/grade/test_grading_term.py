"""One gradebook over the assignments: the final mark against a second calculation, and no final that moves unseen."""

import csv
import random

import pytest

from ndcg_course.grade import term
from ndcg_course.grade.gradebook import Asked
from ndcg_course.grade.journal import Record


def graded(folder, name, most, totals, waiting=0):
    folder.mkdir(parents=True, exist_ok=True)
    record = Record(folder / "run.json", seal="abc123")
    record.numbers = {
        student: {"total": total, "max": most, "waiting": waiting, "tasks": {}, "from": {name: ["", 0, "", 1.0]}}
        for student, total in totals.items()
    }
    record.write()
    return folder


def final(shares, weights, drop):
    """The mark by hand: each share with its weight, the lowest crossed out one by one."""
    left = sorted(zip(shares, weights, strict=True), key=lambda pair: (pair[0], -pair[1]))
    while drop and len(left) > 1:
        left.pop(0)
        drop -= 1
    over = sum(weight for _, weight in left)
    return sum(share * weight for share, weight in left) / over * 100 if over else None


def test_the_final_mark_is_the_weighted_mean_without_the_lowest(tmp_path):
    drawn = random.Random("final")
    for number in range(40):
        items = [f"item{i}" for i in range(drawn.randint(1, 5))]
        most, weights = [{item: drawn.choice(pool) for item in items} for pool in ([4, 10, 22], [0.5, 1.0, 2.0])]
        students = [f"s{i}" for i in range(4)]
        points = {item: {s: drawn.randint(0, most[item]) for s in students if drawn.random() < 0.8} for item in items}
        excused = {(drawn.choice(students), drawn.choice(items))} if number % 2 else set()
        place = tmp_path / str(number)
        folders = [graded(place / item, item, most[item], {"s0": 0, **points[item]}) for item in items]
        lines = ["student,item,points,max", *(f"{student},{item},excused," for student, item in excused)]
        place.joinpath("marks.csv").write_text("\n".join(lines) + "\n")
        drop = drawn.randint(0, 2)
        known = {student for item in items for student in ("s0", *points[item])}
        if any(student not in known for student, _ in excused):
            continue
        made = term.read(folders, weights, [place / "marks.csv"], drop)
        for student in known:
            counted = [item for item in items if (student, item) not in excused]
            shares = [({"s0": 0} | points[item]).get(student, 0) / most[item] for item in counted]
            expected = final(shares, [weights[item] for item in counted], drop)
            assert made.final(student)[0] == pytest.approx(expected, abs=0.0051), (number, student)


def test_a_final_mark_that_was_written_moves_only_when_told(tmp_path):
    folder = graded(tmp_path / "a", "02-x", 10, {"ana": 5, "=ben": 10}, waiting=2)
    hand = tmp_path / "project.csv"
    hand.write_text("student;item;points;max\nana;project;7,5;10\n=ben;project;excused;\n")
    term.put(term.read([folder], {"project": 3.0}, [hand]), tmp_path / "out")
    book, canvas, moodle = (
        list(csv.reader((tmp_path / "out" / f"{name}.csv").open(newline="")))
        for name in ("gradebook", "canvas", "moodle")
    )
    assert book == [
        ["student", "02-x", "project", "left out", "to mark", "final"],
        ["'=ben", "10", "excused", "", "2", "100"], ["ana", "5", "7.5", "", "2", "68.75"],
    ]  # fmt: skip
    assert [[row[0], row[5]] for row in canvas] == [
        ["Student", "Final"], ["    Points Possible", "100"], ["'=ben", "100"], ["ana", "68.75"],
    ]  # fmt: skip
    seal = canvas[1][4].removeprefix("seal ")
    assert (
        moodle == [["Full name", "Final", "seal"], ["'=ben", "100", seal], ["ana", "68.75", seal]] and len(seal) == 12
    )
    page = (tmp_path / "out/gradebook.html").read_text()
    assert "02-x: 10 points, weight 1, seal abc123; project: 10 points, weight 3. Of each student the lowest 0" in page
    before = (tmp_path / "out/gradebook.csv").read_bytes()
    graded(tmp_path / "a", "02-x", 10, {"ana": 9, "=ben": 10})
    with pytest.raises(Asked, match=r"ana\s+final\s+68.75\s+78.75\s+other points in 02-x"):
        term.put(term.read([folder], {"project": 3.0}, [hand]), tmp_path / "out")
    assert (tmp_path / "out/gradebook.csv").read_bytes() == before
    term.put(term.read([folder], {"project": 3.0}, [hand]), tmp_path / "out", accept=True)
    assert (
        "78.75" in (tmp_path / "out/changes.csv").read_text() and "78.75" in (tmp_path / "out/canvas.csv").read_text()
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ana,project,11,10", "line 2: 11 of 10 is no mark"),
        ("ana,project,x,10", "line 2: points and max are numbers"),
        ("zoe,project,1,10", "no student is called 'zoe'"),
        ("ana,project,1,", "line 2: 1 of nothing is no mark"),
        ("ana,02-x,1,12", "02-x has 10 points above, and 12 here"),
    ],
)
def test_a_mark_by_hand_that_cannot_be_is_refused(line, told, tmp_path):
    folder = graded(tmp_path / "a", "02-x", 10, {"ana": 5})
    (tmp_path / "m.csv").write_text(f"student,item,points,max\n{line}\n")
    with pytest.raises(ValueError, match=told):
        term.read([folder], {}, [tmp_path / "m.csv"])
