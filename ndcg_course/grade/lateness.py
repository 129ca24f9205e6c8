"""How late a submission is, and what that costs."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime

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
