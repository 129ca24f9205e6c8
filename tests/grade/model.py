"""The rules of marking in plain words, written apart from the grader: nothing of it is imported here.

A class is what was handed in, a rule book, and what was written last. `numbers` says what every number has to be now;
`moves` which of them differ from those written, and which of these nobody has asked for.
"""

import math
from dataclasses import dataclass, field

POINTS = {
    "cg_by_hand": 2, "cg_at": 2, "cg_curve": 2, "cg_with_loop": 2, "useless_rank": 2, "blind_pair": 2,
    "what_cg_misses": 2,
}  # fmt: skip
TEXT, DAY = "what_cg_misses", 86400.0


@dataclass
class Sheet:
    """A notebook: what stands in it for the function, whether there is the curve, and whether there is a text."""

    function: str  # linear, exponential, wrong or ""
    curve: bool
    text: bool
    name: str
    time: float
    content: int = 0  # another number for each other content
    numbers: str = ""  # whose own numbers it answers: those of the one id of the student, of the other, or none


@dataclass
class Class:
    sheets: dict[str, list[Sheet]] = field(default_factory=dict)
    due: float | None = None
    cost: float = 0.0  # of the points, for each day begun
    extensions: dict[str, float | None] = field(default_factory=dict)
    best: bool = False
    points: dict[str, int] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    gain: str = "linear"
    hand: dict[str, float] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)  # which of two ids the roster has for a student

    def worth(self):
        return {task: self.points.get(task, n) for task, n in POINTS.items() if task not in self.without}

    def kept(self, student, time):
        """The share of the points that lateness leaves."""
        due = self.due
        if due is None:
            return 1.0
        if student in self.extensions:
            if self.extensions[student] is None:
                return 1.0
            due = max(due, self.extensions[student])
        if time <= due:
            return 1.0
        return max(0.0, 1 - self.cost * math.ceil((time - due) / DAY) / 100)

    def earned(self, student, sheet):
        worth = self.worth()
        points = dict.fromkeys(worth, 0.0)
        if sheet.function == self.gain:
            points["cg_at"] = worth["cg_at"]
        if sheet.numbers == self.ids[student] and self.gain == "linear" and "cg_by_hand" in worth:
            points["cg_by_hand"] = worth["cg_by_hand"]
        if sheet.curve and self.gain == "linear":
            points["cg_curve"] = worth["cg_curve"]
        return points

    def counted(self, student):
        """The sheet that counts: the newest, or the best; of one time the last two by name stand for all."""
        sheets = sorted(self.sheets[student], key=lambda s: (s.time, s.name))
        left = [s for i, s in enumerate(sheets) if sum(t.time == s.time for t in sheets[i + 1 :]) < 2]

        def made(s):
            return sum(self.earned(student, s).values()) * self.kept(student, s.time)

        if self.best:
            return max(left, key=lambda s: (made(s), s.time, s.name))
        return max(left, key=lambda s: (s.time, made(s), s.name))

    def numbers(self):
        found = {}
        for student in self.sheets:
            sheet = self.counted(student)
            points = self.earned(student, sheet)
            if student in self.hand:
                points[TEXT] = self.hand[student]
            elif sheet.text:
                points[TEXT] = None
            share = self.kept(student, sheet.time)
            total = round(sum(p or 0 for p in points.values()) * share, 2)
            marked = {"what_cg_misses": self.hand.get(student)}
            found[student] = {
                "total": total, "max": sum(self.worth().values()), "tasks": points, "share": share, "marked": marked,
                "content": sheet.content, "contents": {s.content for s in self.sheets[student]},
                "worth": self.worth(), "gain": self.gain,
            }  # fmt: skip
        return found


def moves(old, new):
    """The numbers that differ, as student and task; and whether any of them moved unasked."""
    moved, unasked = set(), False
    for student, before in old.items():
        after = new.get(student)
        if after is None:
            moved.add((student, "total"))
            unasked = True
            continue
        anew = after["content"] != before["content"] and after["content"] not in before["contents"]
        differ = {t for t in {**before["tasks"], **after["tasks"]} if before["tasks"].get(t) != after["tasks"].get(t)}
        by_hand = {t for t in differ if after["marked"].get(t) is not None}
        none_before = {t for t in differ if before["tasks"].get(t) is None}
        moved |= {(student, task) for task in differ}
        if differ - by_hand - none_before and not anew:
            unasked = True
        if (before["total"], before["max"]) != (after["total"], after["max"]):
            moved.add((student, "total"))
            late = before["share"] != after["share"] and not anew
            if late or before["max"] != after["max"] or not (differ or anew):
                unasked = True
    return moved, unasked
