"""How late a submission is, and what that costs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

POLICY = re.compile(
    r"(?P<cost>\d+(?:\.\d+)?)%/(?P<per>hour|day|week)(?:,max (?P<most>\d+(?:\.\d+)?)%)?(?:,grace (?P<grace>\d+)min)?"
)
SECONDS = {"hour": 3600, "day": 86400, "week": 604800}


@dataclass(frozen=True)
class Lateness:
    """When submissions are due, and what a begun hour, day or week costs of the points reached."""

    due: float | None = None
    cost: float = 0.0
    per: str = "day"
    most: float = 100.0
    grace: float = 0.0

    @classmethod
    def of(cls, due: str | None, policy: str | None) -> Lateness:
        """From the texts of the command line.

        >>> Lateness.of("2026-11-18T12:00+00:00", "10%/day,max 50%").most
        50.0
        """
        moment = None
        if due is not None:
            try:
                read = datetime.fromisoformat(due)
            except ValueError:
                raise ValueError(f"--due {due}: write it as 2026-11-18T23:59 or 2026-11-18T23:59+01:00") from None
            moment = read.timestamp()
        if policy is None:
            return cls(moment)
        match = POLICY.fullmatch(policy.strip())
        if match is None:
            raise ValueError(f"--late {policy}: write it as 10%/day or 5%/hour,max 50%,grace 10min")
        if moment is None:
            raise ValueError("--late needs --due, the time from which it counts")
        return cls(
            moment, float(match["cost"]), match["per"], float(match["most"] or 100), 60 * float(match["grace"] or 0)
        )

    def hours(self, time: float) -> float:
        """How many hours after the due time, rounded up to a tenth.

        >>> Lateness(due=0).hours(3700)
        1.1
        """
        if self.due is None or time <= self.due + self.grace:
            return 0.0
        return math.ceil((time - self.due) / 360) / 10

    def factor(self, time: float) -> float:
        """What is left of the points.

        >>> Lateness(due=0, cost=10, per="day", most=50).factor(90000)
        0.8
        """
        if self.due is None or not self.hours(time):
            return 1.0
        begun = math.ceil((time - self.due) / SECONDS[self.per])
        return round(1 - min(self.cost * begun, self.most, 100) / 100, 9)

    def told(self) -> str:
        """The rule in words.

        >>> Lateness(due=0, cost=10).told()
        'due 1970-01-01 00:00 UTC; 10 % less for each day begun, at most 100 %'
        """
        if self.due is None:
            return "no due time"
        when = datetime.fromtimestamp(self.due, UTC).strftime("%Y-%m-%d %H:%M UTC")
        return f"due {when}" + (
            f"; {self.cost:g} % less for each {self.per} begun, at most {self.most:g} %" if self.cost else ""
        )


@dataclass(frozen=True)
class Rules:
    """When each assignment is due for each student: by assignment, "" for every other; and what was granted to some."""

    dates: Mapping[str, Lateness] = field(default_factory=dict)
    extensions: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)  # student: assignment: until

    def of(self, student: str, assignment: str) -> Lateness:
        """The rule for a student. An extension never takes time away; one without an end asks for none.

        >>> Rules({"": Lateness(due=0)}, {"ana": {"": 7200.0}}).of("ana", "06-ndcg").due
        7200.0
        """
        rule = self.dates.get(assignment) or self.dates.get("") or Lateness()
        granted = self.extensions.get(student, {})
        key = assignment if assignment in granted else ""
        if key not in granted or rule.due is None:
            return rule
        until = granted[key]
        return Lateness() if until is None else replace(rule, due=max(rule.due, until))

    @classmethod
    def kept(cls, options: Mapping[str, Any]) -> Rules:
        """From the options of a run: what was said on the command line counts for all, else the course's dates."""
        said = options["lateness"]
        dates = {"": said} if said is not None else options["dates"] or {}
        rules = {name: Lateness(**rule) for name, rule in dates.items()}
        return cls(rules, options["extensions"] or {})

    def told(self, assignments: Iterable[str]) -> str:
        """The rules in words, for the assignments that were handed in."""
        rules = {name: self.dates.get(name) or self.dates.get("") or Lateness() for name in assignments}
        if len(set(rules.values())) < 2:
            return next(iter(rules.values()), Lateness()).told()
        return "; ".join(f"{name} {rule.told()}" for name, rule in rules.items())
