"""How long one check takes: the wrong and the odd answers of the tests, processor time in milliseconds."""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from wrong_answers.cells import read, solved, verdict_on_cell

from ndcg_course.tasks import assignments


def main() -> None:
    """Print the median, the 95th percentile, the slowest five, and how many took more than 300 ms."""
    took = {}
    for assignment in assignments():
        solved(assignment)
    for n, cell in enumerate([*read("cells_wrong.txt"), *read("cells_odd.txt")]):
        if not any(word in cell.code for word in ("while ", "sleep")):  # stopped after 2 s, or slow on purpose
            started = time.process_time()
            verdict_on_cell(cell)
            took[f"{n}, {cell.name}"] = 1000 * (time.process_time() - started)
    *_, most = statistics.quantiles(took.values(), n=20)
    print(f"{len(took)} checks, median {statistics.median(took.values()):.1f} ms, 95 of 100 below {most:.0f} ms")
    print(f"{sum(ms > 300 for ms in took.values())} took more than 300 ms; the slowest:")
    for name, ms in sorted(took.items(), key=lambda pair: -pair[1])[:5]:
        print(f"{ms:8.1f}  {name}")


if __name__ == "__main__":
    main()
