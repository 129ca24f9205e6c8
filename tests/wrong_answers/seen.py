"""Which slips the collected wrong answers hold, and how often: written to book/data/seen.json for the teacher's guide.

python tests/wrong_answers/seen.py
"""

import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEEN = ROOT / "book" / "data" / "seen.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from ndcg_course.explain.answer import verdict_on  # noqa: E402
from wrong_answers import WRONG, decisions, lists, quotients  # noqa: E402
from wrong_answers.cells import read, verdict_on_cell  # noqa: E402
from wrong_answers.tasks import task_of  # noqa: E402

assert decisions and lists and quotients  # importing them fills WRONG


def main() -> None:
    verdicts = [verdict_on(task_of(answer.task), answer.function, "demo") for answer in WRONG]
    verdicts += [verdict_on_cell(cell) for cell in [*read("cells_wrong.txt"), *read("cells_blind.txt")]]
    slips = Counter(slip for verdict in verdicts for slip in verdict.slips)
    SEEN.write_text(
        json.dumps({"answers": len(verdicts), "slips": dict(sorted(slips.items()))}, indent=1) + "\n", "utf8"
    )
    print(f"{len(verdicts)} wrong answers, {sum(map(bool, (v.slips for v in verdicts)))} with a slip: {SEEN}")


if __name__ == "__main__":
    main()
