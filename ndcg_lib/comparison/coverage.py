"""What must be settled before two means are looked at: are these the same questions, judged the same, all answered?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ndcg_lib.comparison.difference import counted
from ndcg_lib.files.plain import named
from ndcg_lib.runs.saved import Line, Record

KNOWN = 5  # judged documents of a query, none of which comes back by chance
FLAT = 0.1


class Fault(NamedTuple):
    """What two runs do not have in common. It stops the comparison, or is said beside it."""

    word: str
    what: str
    queries: tuple[str, ...]
    stops: bool

    def __str__(self) -> str:
        return f"{self.word}: {self.what}{named(self.queries)}"


def coverage(old: Record, new: Record) -> list[Fault]:
    """What differs between a baseline and a run besides the order of the documents; what stops comes first."""
    faults: list[Fault] = []

    def say(word: str, what: str, queries: Sequence[str] = (), stops: bool = False) -> None:
        faults.append(Fault(word, what, tuple(queries), stops))

    every = dict.fromkeys([*old.lines, *new.lines])
    judged = [{query: line.judgements for query, line in each.lines.items()} for each in (old, new)]
    other = [query for query in every if judged[0].get(query) != judged[1].get(query)]
    if other:
        say("other judgements", f"{counted(len(other))} judged otherwise than in the baseline", other, True)
    pairs = {query: (line, new.lines[query]) for query, line in old.lines.items() if query in new.lines}
    lost = [query for query, (was, now) in pairs.items() if was.results and not now.results]
    if lost:
        say("lost", f"{counted(len(lost))} of {len(pairs)} without results", lost, True)
    fewer = [query for query, (was, now) in pairs.items() if 0 < now.results < was.results]
    short = [query for query in fewer if pairs[query][1].results < old.depth]
    if fewer:
        least = min(fewer, key=lambda query: pairs[query][1].results)
        before, total = (sum(pair[at].results for query, pair in pairs.items() if query not in lost) for at in (0, 1))
        what = f"{counted(len(fewer))} with fewer results than before, down to {pairs[least][1].results:,} of"
        say("short", f"{what} {pairs[least][0].results:,}", short or fewer, bool(short) or 2 * total < before)
    _unknown(pairs, say)
    flat = [query for query, (was, now) in pairs.items() if now.results > 1 and now.scores == 1 < was.scores]
    if flat:
        what = f"{counted(len(flat))} whose first results all have the same score"
        say("one score", what, flat, len(flat) > FLAT * len(pairs))
    for word, what, queries in (
        ("found", "with results that had none", [q for q, (was, now) in pairs.items() if now[1] > was[1] == 0]),
        ("nothing", "without results in both", [q for q, (was, now) in pairs.items() if not was.results + now.results]),
        ("not judged", "of the run that nobody judged", [q for q in new.strangers if q not in old.strangers]),
    ):  # fmt: skip
        if queries:
            say(word, f"{counted(len(queries))} {what}", queries)
    return sorted(faults, key=lambda fault: not fault.stops)


def _unknown(pairs: Mapping[str, tuple[Line, Line]], say: Callable[..., None]) -> None:
    """Documents under other ids: of a query none is judged any more, or of all far fewer."""
    gone = [query for query, (was, now) in pairs.items() if now.results and not now.judged and was.judged >= KNOWN]
    before, share = (
        sum(pair[at].judged for pair in pairs.values()) / max(sum(pair[at].results for pair in pairs.values()), 1)
        for at in (0, 1)
    )
    if gone:
        what = f"{counted(len(gone))} with no judged result, where the baseline has {KNOWN} or more"
        say("unknown documents", f"{what}: are the ids the same?", gone, True)
    elif 2 * share < before and any(now.results for _, now in pairs.values()):
        what = f"{100 * share:.1f} % of the results are judged, of the baseline's {100 * before:.1f} %"
        say("unknown documents", f"{what}: are the ids the same?", (), True)
