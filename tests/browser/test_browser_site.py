"""Every page in a browser: nothing from outside, no complaint, no barrier; and what a site needs besides its pages."""

from __future__ import annotations

import itertools
import json
import math
import re
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import axe_playwright_python
import pytest
from sweeps import PARTS

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf8")
# Every rule of WCAG 2.0 to 2.2, A and AA, those that axe calls experimental too, and its settled good practice.
BEGIN = """(but) => {
  const wanted = ({ ruleId, tags }) => !but?.includes(ruleId) && (tags.some((tag) => /^wcag2\\d?a{1,2}$/.test(tag))
    || (tags.includes("best-practice") && !tags.includes("experimental")));
  const values = axe.getRules().filter(wanted).map(({ ruleId }) => ruleId);
  const said = (node) => [...node.any, ...node.all, ...node.none].map(({ message }) => message)[0];
  const how = { runOnly: { type: "rule", values }, resultTypes: ["violations"], preload: false };
  window.barriers = axe.run(document, how).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map((node) => `${id} (${nodes.length}): ${node.target.join(" ")}: ${said(node)}`)));
}"""
# All that decides whether a text can be told from its ground: two texts with one style pass or fail together.
TEXT_STYLES = """() => [...new Set([...document.querySelectorAll("body *")].flatMap((part) => {
  const text = [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!text || !part.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return [];
  const { color, fontSize, fontWeight } = getComputedStyle(part);
  const grounds = [], size = parseFloat(fontSize);
  for (let around = part; around; around = around.parentElement) {
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(around);
    const ground = [backgroundColor, backgroundImage, opacity].join();
    if (ground !== "rgba(0, 0, 0, 0),none,1") grounds.push(ground);
  }
  return [[color, size >= 24 || (size >= 18.66 && fontWeight >= 700), ...grounds].join()];
}))]"""
OPEN = "() => document.querySelectorAll('.bd-article details').forEach((fold) => { fold.open = true; })"
THEME = "document.documentElement.dataset.theme"
SETTLED = "() => new Promise((done) => setTimeout(done, 60))"  # those who watch the sizes of things have been told
JUMPS = """window.jumps = []; new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput) jumps.push([value, sources.map(({ node }) => (node?.outerHTML ?? node?.data)?.slice(0, 90))]);
}).observe({ type: "layout-shift", buffered: true });"""
# What sticks out of the screen, and of nothing that scrolls.
CUT_OFF = """() => [...document.querySelectorAll(".bd-article :is(table, math, pre, svg, img, p, li, button)")]
  .filter((part) => {
    const box = part.getBoundingClientRect();
    if (!box.width || box.right <= innerWidth + 1 || part.closest("[aria-hidden=true], .visually-hidden")) return false;
    for (let out = part; out; out = out.parentElement)
      if (/auto|scroll/.test(getComputedStyle(out).overflowX)) return false;
    return true;
  }).map((part) => part.outerHTML.slice(0, 90))"""
# Where the focus is, and whether one sees it; of a fold in the contents the arrow shows it, of a card its whole area.
RING = """() => {
  let part = document.activeElement;
  while (part.shadowRoot?.activeElement) part = part.shadowRoot.activeElement;
  if (part === document.body) return null;
  window.met ??= new Set();
  const again = window.met.has(part);
  window.met.add(part);
  const card = part.closest(".sd-card");
  const shown = part.offsetHeight ? part : card ?? part.firstElementChild;
  const style = getComputedStyle(part === shown || !card ? shown : part, part === shown || !card ? null : "::after");
  const ring = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== "none";
  const { width, height, bottom, top } = shown.getBoundingClientRect();
  return { what: part.outerHTML.slice(0, 120), again, first: part === [...window.met][0],
           seen: ring && width > 0 && height > 0, inView: bottom > 0 && top < innerHeight };
}"""
UNMET = """() => [...document.querySelectorAll("a[href], button, summary, input, select, textarea, [tabindex='0']")]
  .filter((part) => !window.met.has(part) && !part.disabled)
  .filter((part) => part.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
  .map((part) => part.outerHTML.slice(0, 120))"""
SCROLLERS = """() => [...document.querySelectorAll(".bd-article *")].filter((part) =>
    part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX)
    && !part.matches("textarea, input") && !part.querySelector("textarea") && part.checkVisibility())
  .map((part) => [part.outerHTML.slice(0, 90), part.tabIndex, part.getAttribute("aria-label")])"""

TOLD = """() => Object.fromEntries([...document.querySelectorAll("meta")].map((told) =>
  [told.getAttribute("property") ?? told.name, told.content]))"""


@pytest.fixture(scope="module")
def addresses(site: Path) -> list[str]:
    found = sorted(file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    found = [name for name in found if not name.startswith(("_static/", "lite/"))]
    assert len(found) > 40
    return found


@pytest.fixture(scope="module", params=PARTS)
def pages(request: pytest.FixtureRequest, addresses: list[str]) -> list[str]:
    """A part of the pages, for what takes long."""
    return addresses[request.param]


@pytest.fixture(scope="module")
def chapters(pages: list[str]) -> list[str]:
    return [name for name in pages if name.startswith("chapters/")]


def test_no_page_asks_an_outside_host_complains_or_jumps(watched: Any, book: str, pages: list[str]) -> None:
    """On a desk and on a phone; how far the layout jumps while a page opens is what the browser itself counts."""
    jumps = {}
    watched.page.add_init_script(JUMPS)
    for name, width in itertools.product(pages, (390, 1280)):
        watched.page.set_viewport_size({"width": width, "height": 900})
        watched.page.goto(book + name)
        watched.page.evaluate(SETTLED)
        jumped = watched.page.evaluate("jumps")
        if sum(value for value, _ in jumped) >= 0.02:
            jumps[name, width] = jumped
        heights = watched.page.evaluate(
            "[...document.querySelectorAll('.bd-article math')].filter(m => m.checkVisibility())"
            ".map(m => m.getBoundingClientRect().height)"
        )
        assert not heights or min(heights) > 5, f"{name}: a formula is not drawn"
    assert watched.outside(book) == []
    assert watched.wrong == []
    assert jumps == {}


def test_no_page_has_a_barrier_that_axe_sees(browser: Any, book: str, pages: list[str]) -> None:
    """WCAG 2.2 A and AA with all folds open, light and dark, on a desk and on a phone; two pages at a time.

    Contrast takes most of the time. It is asked again at the second width for pages that show a text style only there.
    """
    contexts = [browser.new_context(reduced_motion="reduce") for _ in range(2)]
    tabs = [context.new_page() for context in contexts]
    barriers: dict[str, list[str]] = {}
    names = [*pages, "search.html?q=gain", "no/such/page"]
    for first in range(0, len(names), 2):
        both = list(zip(tabs, names[first : first + 2], strict=False))
        known: dict[tuple[str, str], set[str]] = {}
        for tab, name in both:
            tab.goto(book + name)
            if "?" in name:
                tab.locator(".bd-search-container .found a").first.wait_for(state="attached")
            tab.evaluate(AXE)
            tab.evaluate(OPEN)
        for width, theme in itertools.product((1280, 320), ("light", "dark")):
            for tab, name in both:
                tab.set_viewport_size({"width": width, "height": 900})
                tab.emulate_media(color_scheme=theme)
                tab.evaluate(SETTLED)
                styles = set(tab.evaluate(TEXT_STYLES))
                tab.evaluate(BEGIN, ["color-contrast"] if styles <= known.get((name, theme), set()) else [])
                known[name, theme] = styles
            for tab, name in both:
                for barrier in tab.evaluate("() => window.barriers"):
                    barriers.setdefault(barrier, []).append(f"{name} {theme} {width}")
                assert name in ("404.html", "no/such/page") or tab.evaluate(THEME) == theme
    for context in contexts:
        context.close()
    assert barriers == {}


@pytest.mark.parametrize("opener", [".search-button__button:visible", ".primary-toggle", ".secondary-toggle"])
def test_what_opens_over_a_page_has_no_barrier_and_closes_by_keyboard(watched: Any, book: str, opener: str) -> None:
    page = watched.page
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(book + "chapters/ndcg.html")
    page.evaluate(AXE)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.evaluate(SETTLED)
        assert page.evaluate(THEME) == theme
        page.locator(opener).first.focus()
        page.keyboard.press("Enter")
        page.locator("dialog[open]").wait_for()
        page.evaluate("() => Promise.all(document.getAnimations().map((one) => one.finished))")
        page.evaluate(BEGIN)
        assert page.evaluate("() => window.barriers") == []
        assert page.evaluate("document.querySelector('dialog[open]').contains(document.activeElement)")
        page.keyboard.press("Escape")
        page.locator("dialog[open]").wait_for(state="hidden")
        assert page.locator(opener).first.evaluate("button => button === document.activeElement"), "the focus is back"


def test_no_page_is_wider_than_a_phone(watched: Any, book: str, pages: list[str], width: int = 320) -> None:
    watched.page.set_viewport_size({"width": width, "height": 700})
    wrong = {}
    for name in pages:
        watched.page.goto(book + name)
        watched.page.evaluate(OPEN)
        watched.page.evaluate(SETTLED)
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        unreached = [what for what, index, named in watched.page.evaluate(SCROLLERS) if index < 0 or not named]
        if wide > width or (found := watched.page.evaluate(CUT_OFF)) or unreached:
            wrong[name] = [wide, found, unreached]
    assert wrong == {}


def test_code_is_read_whole_on_a_phone_and_typed_where_it_is_seen(live: Any, book: str, chapters: list[str]) -> None:
    """The letters that a reader types stand over coloured ones, line for line."""
    page = live.page
    page.set_viewport_size({"width": 390, "height": 844})
    for name in chapters:
        page.goto(book + name)
        page.evaluate(OPEN)
        page.wait_for_function("document.documentElement.dataset.live")
        off = page.evaluate("""() => {
          for (const edit of document.querySelectorAll(".live-edit")) edit.click();
          const areas = [...document.querySelectorAll(".live-area")].filter((area) => area.checkVisibility());
          return areas.filter((area) => area.scrollHeight > area.clientHeight || area.scrollWidth > area.clientWidth
            || area.previousElementSibling.scrollWidth > area.clientWidth).map((area) => area.value.slice(0, 60));
        }""")
        assert off == [], name


def walk(page: Any, key: str) -> list[str]:
    """Press this key until the focus has left the page or begins anew: what is wrong with its stops."""
    page.evaluate("() => { window.met = null; }")
    wrong: list[str] = []
    for step in itertools.count():
        page.keyboard.press(key)
        ring = page.evaluate(RING)
        if ring is None or (ring["first"] and step):
            return wrong
        if ring["again"]:
            return [*wrong, f"{key}: a trap after {step} stops: {ring['what']}"]
        if not (ring["seen"] and ring["inView"]):
            wrong.append(f"{key}: not seen: {ring['what']}")
    return wrong


def walk_both_ways(page: Any, book: str, name: str) -> list[str]:
    """Through a page with all its folds and editors open, to its end and back."""
    page.goto(book + name)
    page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    if page.locator("#live-page").count():
        page.wait_for_function("document.documentElement.dataset.live")
        page.evaluate("() => document.querySelectorAll('.live-edit:not([hidden])').forEach(b => b.click())")
    page.evaluate("() => { document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0); }")
    wrong = walk(page, "Tab")
    wrong += [f"not reached: {part}" for part in page.evaluate(UNMET)]
    return wrong + walk(page, "Shift+Tab")  # on the way back the contents on the right unfold where one is


def test_everything_is_reached_by_keyboard_and_has_a_ring(watched: Any, book: str) -> None:
    page = watched.page
    page.emulate_media(reduced_motion="reduce")
    for name in (
        "chapters/which-ndcg.html",
        "index.html",
        "reference/who-computes-what.html",
        "assignments/cumulative-gain.html",
        "404.html",
    ):
        assert walk_both_ways(page, book, name) == [], name


@pytest.mark.weekly
def test_no_page_keeps_the_focus_of_a_keyboard_for_itself(watched: Any, book: str, addresses: list[str]) -> None:
    watched.page.emulate_media(reduced_motion="reduce")
    walked = {name: walk_both_ways(watched.page, book, name) for name in addresses}
    assert not {name: wrong for name, wrong in walked.items() if wrong}


def test_the_skip_link_skips(watched: Any, book: str) -> None:
    watched.page.goto(book + "chapters/ndcg.html")
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Enter")
    watched.page.keyboard.press("Tab")
    assert watched.page.evaluate("document.getElementById('main-content').contains(document.activeElement)")


def test_folds_tables_and_colours_by_keyboard(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/the-ideal-ranking.html")
    fold = page.locator(".quiz-answer summary").first
    fold.focus()
    page.keyboard.press("Enter")
    assert page.locator(".quiz-answer .quiz-feedback").first.is_visible()
    switch = page.locator(".theme-switch-button:visible").first
    switch.focus()
    seen = set()
    for _ in range(3):
        page.keyboard.press("Enter")
        seen.add(page.evaluate("document.documentElement.dataset.mode"))
    assert seen == {"light", "dark", "auto"}
    while page.evaluate("document.documentElement.dataset.mode") != "dark":
        page.keyboard.press("Enter")
    page.goto(book + "chapters/ndcg.html")
    assert page.evaluate(THEME) == "dark", "the choice is kept for the next page"
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(book + "reference/who-computes-what.html")
    table = page.locator(".pst-scrollable-table-container[tabindex='0']").first
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def test_the_search_is_opened_and_used_by_keyboard(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/ndcg.html")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog[open]").wait_for()
    page.keyboard.type("logarithm")
    page.locator("dialog .found a[href*='why-a-logarithm.html']").first.wait_for()
    page.keyboard.press("Enter")
    page.locator(".bd-search-container .found a[href*='why-a-logarithm.html']").first.wait_for()
    assert watched.wrong == []


def test_a_result_is_chosen_by_the_arrows(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/ndcg.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("tie")
    page.locator("dialog .found li").nth(2).wait_for()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    wanted = page.locator("dialog .found li").nth(1).locator("a").get_attribute("href")
    named = page.locator("dialog input").get_attribute("aria-activedescendant")
    assert page.locator(f"#{named}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    page.wait_for_url(wanted)


def test_pages_read_from_the_disk(watched: Any, site: Path, pages: list[str]) -> None:
    for name in pages:
        watched.page.goto((site / name).as_uri())
        assert watched.page.locator("h1:visible").count() == 1, name
    assert not [line for line in watched.wrong if line.startswith("script error")]
    page = watched.page
    page.goto((site / "chapters" / "discounting.html").as_uri())
    assert page.locator("math").first.bounding_box()["height"] > 5
    assert page.locator(".cell_output").first.inner_text()
    page.goto((site / "search.html").as_uri() + "?q=discount")
    page.locator(".found a[href*='chapters/discounting.html']").first.wait_for()
    assert not [address for address in watched.asked if not address.startswith(("file:", "data:"))]


def test_a_dead_link_below_any_folder_leads_back(watched: Any, book: str) -> None:
    page = watched.page
    for dead in ("none", "none.html", "chapters/none.html", "chapters/none/none/none/"):
        assert page.goto(book + dead).status == 404
        page.wait_for_function(f"document.baseURI == {book!r}")
        page.get_by_role("link", name="The first page").click()
        page.wait_for_url(book + "index.html")


def test_a_dead_link_of_a_published_site_needs_no_script(browser: Any, book: str) -> None:

    from _ext.website import dead_page

    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.route(
        "**/none", lambda route: route.fulfill(status=404, body=dead_page(book, "Book"), content_type="text/html")
    )
    page.goto(book + "a/b/none")
    page.get_by_role("link", name="The first page").click()
    page.wait_for_url(book + "index.html")
    context.close()


def test_the_site_map_names_every_page(site: Path, addresses: list[str]) -> None:
    places = [place.text or "" for place in ElementTree.parse(site / "sitemap.xml").iter() if place.tag.endswith("loc")]
    written = set(addresses) - {"404.html", "search.html", "genindex.html"}
    assert len(places) == len(set(places))
    assert {name for name in written if not any(p.endswith(name) for p in places)} <= {"index.html"}
    assert len(places) == len(written)


def test_every_page_has_its_icon_and_its_preview(watched: Any, book: str, site: Path, pages: list[str]) -> None:

    def dcg(grades: list[int]) -> float:
        return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))

    pictures: set[str] = set()
    described: set[str] = set()
    for name in set(pages) - {"404.html", "search.html", "genindex.html"}:
        watched.page.goto(book + name)
        told = watched.page.evaluate(TOLD)
        assert len(told["og:description"]) >= 30 and told["description"] == told["twitter:description"], name
        assert told["og:title"] and told["twitter:card"] == "summary_large_image" and len(told["og:image:alt"]) > 20
        image = watched.page.evaluate("place => new URL(place, location).pathname", told["og:image"])
        assert told["twitter:image"] == told["og:image"] and image not in pictures, f"{name}: a picture of its own"
        pictures.add(image)
        picture = (site / image[image.index("_static/share/") :]).read_bytes()
        assert struct.unpack(">II", picture[16:24]) == (1200, 630)
        grades = [int(x) for x in re.findall(r"\d", told["og:image:alt"].partition("NDCG")[0])]
        assert f"NDCG {dcg(grades) / dcg(sorted(grades, reverse=True)):.3f}" in told["og:image:alt"], name
        read = json.loads(watched.page.locator("script[type='application/ld+json']").text_content())
        assert read["@type"] == ("Course" if name == "index.html" else "LearningResource") and read["author"], name
        assert told["citation_title"] == read["name"] and told["description"] not in described, (
            f"{name}: one of its own"
        )
        described.add(told["description"])
        icon = watched.page.locator("link[rel=icon]").evaluate("link => link.href")
    assert watched.page.request.get(icon).ok


def test_on_paper_a_page_stands_alone_with_its_answers(watched: Any, book: str) -> None:
    page = watched.page
    page.emulate_media(color_scheme="dark")
    page.goto(book + "chapters/ndcg.html")
    page.evaluate("addEventListener('beforeprint', () => { window.onPaper = document.documentElement.dataset.theme; })")
    paper = page.pdf(format="A4")
    assert 3 <= paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") <= 14
    assert (page.evaluate("window.onPaper"), page.evaluate(THEME)) == ("light", "dark"), "printed in light colours"
    page.emulate_media(media="print")
    for beside in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".bd-header", ".prev-next-area", ".copybtn"):
        assert not page.locator(beside).first.is_visible(), beside
    assert not page.locator(".quiz .quiz-feedback").first.is_visible(), "the answer is no longer under its question"
    answers = page.locator(".paper-answers > li")
    assert answers.count() == page.locator(".quiz").count() > 0
    last = page.locator(".quiz").last.bounding_box()
    assert answers.first.is_visible() and answers.first.bounding_box()["y"] > last["y"] + last["height"]
    outside = page.locator("a.external[href^=http]")
    if outside.count():
        after = outside.first.evaluate("link => getComputedStyle(link, '::after').content")
        assert "http" in after or "attr(href)" in after
