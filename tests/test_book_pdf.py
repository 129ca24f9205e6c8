"""The PDF of the book: printed by whatever browser there is, and one clear line where there is none."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from book_pages import BOOK

pdf = runpy.run_path(str(BOOK / "pdf.py"))


def test_without_a_browser_one_line_names_what_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, str(BOOK / "pdf.py"), str(tmp_path / "book.pdf")]
    done = subprocess.run(command, env={"CHROME": "no-such-browser"}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("pdf: needs Chromium, Chrome or Edge") and done.stderr.count("\n") == 1
    assert not (tmp_path / "book.pdf").exists()


@pytest.mark.slow
@pytest.mark.skipif(pdf["browser"]() is None, reason="no Chromium, Chrome or Edge on this machine")
def test_a_page_is_printed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<h1>One</h1>" + "<p>More.</p>" * 200, "utf8")
    pdf["print_page"](pdf["browser"](), page, tmp_path / "page.pdf")
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF-") and printed.count(b"/Type /Page\n") >= 3
