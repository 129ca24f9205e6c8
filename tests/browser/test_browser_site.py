"""Every page in a browser: nothing from outside, no complaint, no barrier; and what a site needs besides its pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

AXE = """async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  resultTypes: ["violations"],
})).violations.map(({ id, nodes }) =>
  [id, nodes.length, ...nodes.slice(0, 3).map(n => n.target.join(" ") + " " + n.any[0]?.message)].join(" | "))"""


@pytest.fixture(scope="module")
def addresses(site: Path) -> list[str]:
    found = sorted(file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    found = [name for name in found if not name.startswith(("_static/", "lite/"))]
    assert len(found) > 20
    return found


def test_no_page_asks_an_outside_host_or_complains(watched: Any, book: str, addresses: list[str]) -> None:
    for name in addresses:
        watched.page.goto(book + name)
    assert watched.outside(book) == []
    assert watched.wrong == []


def test_no_page_has_a_barrier_that_axe_sees(watched: Any, book: str, addresses: list[str]) -> None:
    """WCAG 2.2 A and AA, light and dark, on a phone and on a desk."""
    import axe_playwright_python

    axe = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf8")
    barriers: dict[str, list[str]] = {}
    for name in addresses:
        watched.page.goto(book + name)
        watched.page.evaluate(axe)
        for width in (1280, 320):
            watched.page.set_viewport_size({"width": width, "height": 900})
            watched.page.evaluate("() => new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))")
            for theme in ("light", "dark"):
                watched.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
                watched.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                for found in watched.page.evaluate(AXE):
                    barriers.setdefault(found, []).append(f"{name} {theme} {width}")
    assert barriers == {}


def test_no_page_is_wider_than_a_phone(watched: Any, book: str, addresses: list[str]) -> None:
    watched.page.set_viewport_size({"width": 320, "height": 700})
    wide = []
    for name in addresses:
        watched.page.goto(book + name)
        if watched.page.evaluate("document.documentElement.scrollWidth") > 320:
            wide.append(name)
    assert wide == []


def test_pages_read_from_the_disk(watched: Any, site: Path) -> None:
    watched.page.goto((site / "chapters" / "discounting.html").as_uri())
    assert watched.page.locator(".bd-article h1").is_visible()
    assert watched.page.locator("math").first.bounding_box()["height"] > 5
    assert watched.page.locator(".cell_output").first.inner_text()
    assert not [address for address in watched.asked if not address.startswith(("file:", "data:"))]


def test_search_finds_every_term_of_the_glossary(watched: Any, book: str, site: Path) -> None:
    page = (site / "reference" / "glossary.html").read_text("utf8")
    terms = re.findall(r'<dt[^>]* id="term-[^"]*"[^>]*>(.*?)(?:<a |</dt>)', page)
    assert len(terms) > 15
    lost = []
    for term in (re.sub("<.*?>", "", term) for term in terms):
        watched.page.goto(f"{book}search.html?q={term}")
        watched.page.wait_for_function("/found|match/i.test(document.querySelector('#search-results p')?.textContent)")
        if not watched.page.locator("#search-results a[href*='reference/glossary.html']").count():
            lost.append(term)
    assert lost == []


def test_a_site_has_its_icon_its_descriptions_and_a_page_for_dead_links(watched: Any, book: str, site: Path) -> None:
    watched.page.goto(book + "index.html")
    icon = watched.page.locator("link[rel=icon]").evaluate("link => link.href")
    assert watched.page.request.get(icon).ok
    for file in (site / "chapters").glob("*.html"):
        found = re.search(r'<meta property="og:description" content="([^"]{30,})"', file.read_text("utf8"))
        assert found, f"{file.name} has no description"
    dead = (site / "404.html").read_text("utf8")
    assert 'href="index.html"' in dead and "<base " in dead
