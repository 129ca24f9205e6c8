"""Pictures of the built site, to be looked at: `python book/shots.py FOLDER [page …]`, after `python3 kit.py book`.

Each page in three widths, by day and by night, the first two screens of it; and a handout, as wide as its paper. Needs
Chromium or Chrome and the packages of the tests.
"""

from __future__ import annotations

import functools
import http.server
import sys
import threading
from pathlib import Path

import handouts
from playwright.sync_api import sync_playwright

from ndcg_course.make import printing
from ndcg_course.make.chapters import chapters

SITE = Path(__file__).parent / "_build" / "html"
PAGES = [
    "index",
    "chapters/ndcg",
    "playground",
    "assignments/discounting",
    "reference/who-computes-what",
    "reference/api",
    "404",
]
HANDOUT = "chapters/ndcg"
PAPER = {"width": 794, "height": 1123}  # A4, of 96 dots to the inch
SIZES = [(1440, 900), (768, 1024), (390, 844)]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


def main(folder: Path, pages: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=printing.browser(), args=["--disable-gpu", "--no-sandbox"])
        for width, height in SIZES:
            for theme in ("light", "dark"):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                context.add_init_script(f"localStorage.setItem('mode', '{theme}')")
                page = context.new_page()
                page.emulate_media(reduced_motion="reduce", color_scheme=theme)
                for name in pages:
                    page.goto(f"http://127.0.0.1:{server.server_port}/{name}.html")
                    page.evaluate("document.fonts.ready")
                    page.wait_for_timeout(300)
                    target = folder / f"{name.replace('/', '-')}-{width}-{theme}.png"
                    clip = {"x": 0, "y": 0, "width": width, "height": 2 * height}
                    page.screenshot(path=target, clip=clip, full_page=True)
                    print(target)
                context.close()
        if pages == PAGES:
            page = browser.new_page(viewport=PAPER)
            page.emulate_media(media="print")
            [chapter] = chapters(handouts.ROOT, [HANDOUT])
            margins = "<style>body { padding: 14mm 15mm }</style>"
            page.set_content(handouts.document(chapter.title, "handouts.css", handouts.handout(chapter), margins))
            page.screenshot(path=folder / "handout.png", full_page=True)
            print(folder / "handout.png")
    server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:] or PAGES)
