"""A page of the book in a frame on another site, with the lines that the book tells a teacher to paste."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kit

HEIGHT = "document.getElementById('ndcg').getBoundingClientRect().height"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address at which another origin serves it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield tmp_path, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def pasted(address: str) -> str:
    """The lines of the reference page, with another address in them."""
    text = (kit.ROOT / "book" / "reference" / "course-file.md").read_text("utf8")
    (lines,) = re.findall(r"```html\n(.*?)```", text, re.DOTALL)
    return "<!doctype html><title>Elsewhere</title>" + re.sub(r'src="[^"]*"', f'src="{address}"', lines)


def shown(watched: Any, elsewhere: tuple[Path, str], address: str) -> Any:
    """The frame, when it has told its height to the page around it."""
    folder, outer = elsewhere
    (folder / "page.html").write_text(pasted(address), "utf8")
    watched.page.goto(outer + "page.html")
    watched.page.wait_for_function(f"{HEIGHT} !== 600")
    return watched.page.frame(url=re.compile("embed=1"))


def test_a_page_stands_in_a_frame_as_high_as_it_is(watched: Any, book: str, elsewhere: tuple[Path, str]) -> None:
    frame = shown(watched, elsewhere, book + "chapters/ndcg.html?embed=1")
    for part in (".bd-header", ".bd-sidebar-primary", ".prev-next-footer", ".bd-footer"):
        assert not any(found.is_visible() for found in frame.locator(part).all()), part
    assert frame.locator("article h1").is_visible()
    watched.page.wait_for_function(f"{HEIGHT} > 2000")
    frame.wait_for_function("document.documentElement.scrollHeight <= innerHeight + 2")  # nothing is left to scroll
    end = frame.evaluate("document.querySelector('article').getBoundingClientRect().bottom")
    assert 0 <= watched.page.evaluate(HEIGHT) - end < 200, "there is no empty space below"
    before = watched.page.evaluate(HEIGHT)
    watched.page.set_viewport_size({"width": 500, "height": 900})  # narrower, so higher
    watched.page.wait_for_function(f"{HEIGHT} > {before + 100}")


def test_a_link_stays_in_the_frame_and_the_page_without_it_has_its_header(
    watched: Any, book: str, elsewhere: tuple[Path, str]
) -> None:
    frame = shown(watched, elsewhere, book + "chapters/ndcg.html?embed=1")
    inside = frame.locator("article a[href*='ndcg-bounds.html']").first
    assert "embed=1" in inside.get_attribute("href")
    watched.page.goto(book + "chapters/ndcg.html")
    assert watched.page.locator(".bd-sidebar-primary").is_visible()
    assert "embed" not in watched.page.locator("article a[href*='ndcg-bounds.html']").first.get_attribute("href")


def test_a_link_carries_the_list_of_the_playground_into_the_frame(
    watched: Any, book: str, elsewhere: tuple[Path, str]
) -> None:
    watched.page.goto(book + "playground.html")
    play = watched.page.locator("ndcg-playground")
    play.locator("[data-key=up-d3]").first.click()
    watched.page.wait_for_function("location.hash.length > 1")
    value = play.locator(".numbers .main dd").first.inner_text()
    link = watched.page.url.replace("#", "?embed=1#")
    frame = shown(watched, elsewhere, link)
    there = frame.locator("ndcg-playground .numbers .main dd").first
    there.wait_for()
    assert there.inner_text() == value
    frame.locator("ndcg-playground [data-key=up-d3]").first.click()
    frame.wait_for_function("location.search === '?embed=1'")
