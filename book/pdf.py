"""The book on paper: all pages of the built site as one PDF, printed by a Chromium without a window.

`python book/pdf.py [book.pdf] [--size a4|6x9]`. Needs nothing but what builds the book, and Chromium, Chrome or Edge.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from ndcg_course.make.printing import needed, print_page

BOOK = Path(__file__).resolve().parent


def named(chapters: list[str]) -> list[str]:
    """Chapters as book/_toc.yml has them, where the last part of the name says which; without a name the course's."""
    from ndcg_course import course

    chapters = chapters or list(course.load(BOOK.parent).units)
    listed = re.findall(r"file: (\S+)", (BOOK / "_toc.yml").read_text("utf8"))
    teaching = [name for name in listed if name.startswith(("chapters/", "notes/"))]
    return [next((whole for whole in teaching if whole.endswith(f"/{name}")), name) for name in chapters]


def bind(program: str, site: Path, target: Path, size: str) -> int:
    """Print the pages of a site as a book; gives the pages of paper."""
    from _ext import paper

    with tempfile.TemporaryDirectory() as folder:
        file, draft = Path(folder, "book.html"), Path(folder, "book.pdf")
        whole = paper.document(paper.Pages(site), size)
        found: dict[str, int] = {}
        for _ in range(4):  # a longer number can move a line
            file.write_text(paper.with_numbers(whole, found), "utf8")
            print_page(program, file, draft)
            before, found = found, paper.places(draft)
            if found == before:
                shutil.copyfile(draft, target)
                return len(paper.PdfReader(draft).pages)
    raise SystemExit("pdf: the page numbers move with each print; try another size")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="book/pdf.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", nargs="?", type=Path, default=Path("book.pdf"))
    parser.add_argument("--size", choices=["a4", "6x9"], default="a4", help="paper (6x9 in inches; default: a4)")
    asked = parser.parse_args(arguments)
    program = needed("pdf")
    import kit

    target = asked.target.resolve()
    target.unlink(missing_ok=True)
    pages = bind(program, kit.build(sys.executable).parent, target, asked.size)
    print(f"{target} ({pages} pages, {target.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
