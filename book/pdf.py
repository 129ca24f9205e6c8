"""The book on paper: all pages of the built site as one PDF, printed by a Chromium without a window.

`python book/pdf.py [book.pdf] [--size a4|6x9]`. Needs nothing but what builds the book, and Chromium, Chrome or Edge.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BOOK = Path(__file__).resolve().parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


def browser() -> str | None:
    """The path of a browser that can print; the variable CHROME names another."""
    named = os.environ.get("CHROME")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None) or next(filter(os.path.exists, PLACES), None)


def needed(who: str, else_: str = "") -> str:
    """The browser, without which the program of this name ends here."""
    if program := browser():
        return program
    raise SystemExit(f"{who}: needs Chromium, Chrome or Edge, and found none (CHROME=/path/to/it names one){else_}")


def named(chapters: list[str]) -> list[str]:
    """Chapters as book/_toc.yml has them, where the last part of the name says which; without a name the course's."""
    from ndcg_course import course

    chapters = chapters or list(course.load(BOOK.parent).units)
    listed = re.findall(r"file: (\S+)", (BOOK / "_toc.yml").read_text("utf8"))
    teaching = [name for name in listed if name.startswith(("chapters/", "notes/"))]
    return [next((whole for whole in teaching if whole.endswith(f"/{name}")), name) for name in chapters]


def print_page(program: str, page: Path, target: Path, query: str = "") -> None:
    """Let the browser print a page, once its scripts have done their work."""
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--disable-gpu", "--disable-background-networking", "--no-pdf-header-footer",
                   "--generate-pdf-document-outline", f"--user-data-dir={profile}", f"--print-to-pdf={target}",
                   "--virtual-time-budget=20000", page.resolve().as_uri() + query]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium refuses its sandbox to root, as in a container
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    if not target.exists():
        raise SystemExit(f"pdf: {program} printed nothing:\n{done.stderr[-2000:]}")


def bind(program: str, site: Path, target: Path, size: str) -> int:
    """Print the pages of a site as a book; gives the pages of paper."""
    import paper

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
    sys.path[:0] = [str(BOOK.parent), str(BOOK / "_ext")]
    import kit

    target = asked.target.resolve()
    target.unlink(missing_ok=True)
    pages = bind(program, kit.build(sys.executable).parent, target, asked.size)
    print(f"{target} ({pages} pages, {target.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
