"""Reads coverage.yml. `python book/covered.py [page]` prints the anchors that a page needs, and what belongs there."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

import yaml

BOOK = Path(__file__).parent
LABEL = re.compile(r"^\(([a-z0-9-]+)\)=\s*$", re.MULTILINE)


def wanted() -> dict[str, dict[str, list[str]]]:
    """For each page, its anchors, and for each anchor the claims, errata and topics that it treats."""
    pages: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for section, rows in yaml.safe_load((BOOK / "coverage.yml").read_text("utf8")).items():
        for item, places in rows.items():
            for place in [places] if isinstance(places, str) else places:
                if not place.startswith("later: "):
                    page, anchor = place.split("#")
                    short = section in ("claims", "errata")
                    pages[page][anchor].append(item if short else f"{item} [{section}]")
    return pages


def anchors(page: str) -> set[str]:
    """The labels in the source of a page, given by its file name without folder and suffix."""
    return {label for file in BOOK.glob(f"*/{page}.md") for label in LABEL.findall(file.read_text("utf8"))}


if __name__ == "__main__":
    for page, needs in wanted().items():
        if page in (sys.argv[1:] or [page]):
            print(page)
            for anchor, items in needs.items():
                state = "    " if anchor in anchors(page) else "MISSING "
                print(f"  {state}({anchor})=  {'; '.join(items)}")
