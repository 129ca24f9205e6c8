"""How long one check takes: every wrong and unusual answer of the tests, processor time in milliseconds."""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from wrong_answers import UNUSUAL, WRONG, lists, quotients, unusual_ones
from wrong_answers.tasks import task_of

from ndcg_course.explain.answer import verdict_on

assert lists and quotients and unusual_ones  # importing them fills WRONG and UNUSUAL


def main() -> None:
    """Print the median, the 95th percentile, the slowest five, and how many took more than 300 ms."""
    took = {}
    for answer in (*WRONG, *UNUSUAL):
        if answer.name not in ("loops_for_ever", "slow"):  # these are stopped after 2 s, or slow on purpose
            started = time.process_time()
            verdict_on(task_of(answer.task), answer.function, "demo")
            took[answer.name] = 1000 * (time.process_time() - started)
    *_, most = statistics.quantiles(took.values(), n=20)
    print(f"{len(took)} checks, median {statistics.median(took.values()):.1f} ms, 95 of 100 below {most:.0f} ms")
    print(f"{sum(ms > 300 for ms in took.values())} took more than 300 ms; the slowest:")
    for name, ms in sorted(took.items(), key=lambda pair: -pair[1])[:5]:
        print(f"{ms:8.1f}  {name}")


if __name__ == "__main__":
    main()
