"""Pages as PDF, printed by a Chromium without a window."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

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
