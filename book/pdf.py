"""The whole book as one PDF: all pages on one, printed by a Chromium without a window.

`python book/pdf.py [book.pdf]`. Needs nothing but what builds the book, and Chromium, Chrome or Edge.
"""

from __future__ import annotations

import os
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


def one_page(folder: Path) -> Path:
    """Build the book as a single HTML page."""
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(BOOK), "--builder",
               "singlehtml", "--path-output", str(folder), "-W", "-n", "--keep-going", "-q"]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    page = folder / "_build" / "singlehtml" / "index.html"
    if done.returncode or not page.exists():
        raise SystemExit(f"pdf: the book does not build:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return page


def print_page(program: str, page: Path, target: Path) -> None:
    """Let the browser print a page."""
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--disable-gpu", "--disable-background-networking", "--no-pdf-header-footer",
                   "--generate-pdf-document-outline", f"--user-data-dir={profile}", f"--print-to-pdf={target}",
                   page.resolve().as_uri()]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium refuses its sandbox to root, as in a container
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    if not target.exists():
        raise SystemExit(f"pdf: {program} printed nothing:\n{done.stderr[-2000:]}")


def main(target: Path) -> int:
    program = browser()
    if program is None:
        print("pdf: needs Chromium, Chrome or Edge, and found none (CHROME=/path/to/it names one)", file=sys.stderr)
        return 1
    target = target.resolve()
    target.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        print_page(program, one_page(Path(folder)), target)
    print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "book.pdf")))
