"""The built pages as a reader's browser gets them: nothing from outside, light, and with a text for every picture."""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

import kit

pytestmark = pytest.mark.slow

# What a browser fetches when it opens a page. <a href> is followed only by a person.
FETCHED = {tag: "src" for tag in ("script", "img", "iframe", "source")} | {"link": "href", "use": "href"}
DRAWING = re.compile(r"<svg\b([^>]*)>(?:\s*<title>(.*?)</title>)?(?:\s*<desc>(.*?)</desc>)?", re.DOTALL)
NOT_FETCHED = {"next", "prev", "index", "search", "canonical"}


class Page(HTMLParser):
    """The attributes of the elements of a page, in order."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.name = path.relative_to(kit.SITE).as_posix()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(path.read_text("utf8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attributes}))

    def every(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def fetched(self) -> list[str]:
        return [
            attributes[FETCHED[tag]]
            for tag, attributes in self.elements
            if tag in FETCHED and FETCHED[tag] in attributes and attributes.get("rel") not in NOT_FETCHED
        ]


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    try:
        index = kit.build(sys.executable)
    except SystemExit as stopped:
        pytest.fail(f"the book does not build ({stopped})")
    others = {"_static", "lite"}  # the latter is JupyterLite
    found = sorted(path for path in index.parent.rglob("*.html") if not others & set(path.parts))
    assert len(found) > 15
    return [Page(path) for path in found]


@pytest.fixture(scope="module")
def written(pages: list[Page]) -> list[Page]:
    """The pages that have a source, so not the index of the functions and the like."""
    source = kit.ROOT / "book"
    return [page for page in pages if (source / page.path.relative_to(kit.SITE)).with_suffix(".md").exists()]


def test_nothing_is_fetched_from_another_host_or_from_the_root(pages: list[Page]) -> None:
    wrong = {
        f"{page.name}: {address}"
        for page in pages
        for address in page.fetched()
        if urlsplit(address).netloc or address.startswith("/")
    }
    assert not wrong, "pages must work offline and under a sub-path"


def test_no_style_sheet_or_script_of_ours_names_another_host(pages: list[Page]) -> None:
    for page in pages:
        for address in page.fetched():
            file = page.path.parent / urlsplit(address).path
            if file.suffix == ".css":
                style = file.read_text("utf8")
                assert not re.search(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//", style), file
        inline = re.findall(r"<script\b(?![^>]*ld\+json)[^>]*>(.*?)</script>", page.path.read_text("utf8"), re.DOTALL)
        assert not [script for script in inline if re.search(r"https?://(?!www\.w3\.org)", script)], page.name


def test_everything_that_a_page_fetches_is_there(pages: list[Page]) -> None:
    missing = {
        f"{page.name}: {address}"
        for page in pages
        for address in page.fetched()
        if not address.startswith("data:") and not (page.path.parent / urlsplit(address).path).is_file()
    }
    assert not missing


def test_links_inside_the_book_lead_somewhere(pages: list[Page]) -> None:
    ids = {page.path.resolve(): {a["id"] for _, a in page.elements if "id" in a} for page in pages}
    dead = set()
    for page in pages:
        for link in page.every("a"):
            address, anchor = urldefrag(link.get("href", ""))
            if urlsplit(address).scheme or not link.get("href"):
                continue
            if anchor.startswith(
                ("ndcg:", "beat=")
            ):  # a list for a figure; test_book_guide.py, test_browser_ten.py open it
                anchor = ""
            target = (page.path.parent / address).resolve() if address else page.path.resolve()
            if target.suffix == ".html" and (target not in ids or (anchor and anchor not in ids[target])):
                dead.add(f"{page.name}: {link['href']}")
    assert not dead


def test_a_measure_with_its_cut_off_is_nobodys_address(pages: list[Page]) -> None:
    links = [unquote(link.get("href", "")) for page in pages for link in page.every("a")]
    assert not [link for link in links if re.match(r"mailto:\w+@\w+$", link)]


def test_every_picture_has_a_text_that_says_what_it_shows(written: list[Page]) -> None:
    seen = 0
    for page in written:
        texts = [
            a.get("alt", "") for a in page.every("img") if "dark-light" not in a.get("class", "")
        ]  # its number alone
        for attributes, *inside in DRAWING.findall(page.path.read_text("utf8")):
            if 'aria-hidden="true"' not in attributes:
                label = re.search(r'aria-label="([^"]*)"', attributes)
                texts.append(" ".join([label[1] if label else "", *inside]).strip())
        short = [text for text in texts if len(text) <= 40 or not re.search(r"\d", text)]
        assert not short, f"{page.name}: alt texts of 40 characters or less, or without a number: {short}"
        seen += len(texts)
    assert seen >= 20


def test_an_id_stands_once_in_a_page(written: list[Page]) -> None:
    for page in written:
        ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
        assert not [name for name, count in ids.items() if count > 1], page.name


def test_formulas_are_drawn_without_a_script(written: list[Page]) -> None:
    formulas = 0
    for page in written:
        formulas += len(page.every("math"))
        visible = re.sub(r"<annotation.*?</annotation>|<pre.*?</pre>|<code.*?</code>|<script.*?</script>", "",
                         page.path.read_text("utf8"), flags=re.DOTALL)  # fmt: skip
        raw = re.findall(r"\\(?:frac|sum|log|mathrm|times|text)\b.{0,30}", visible)
        assert not raw, f"{page.name} shows LaTeX: {raw[:3]}"
    assert formulas > 50


def test_the_first_view_of_a_page_is_light(written: list[Page]) -> None:
    """Under 200 kB with gzip: the page, what it fetches, and the two fonts that its style sheets ask for."""
    static = kit.SITE / "_static"
    fonts = [static / "math.woff2", *static.glob("vendor/fontawesome/webfonts/fa-solid-*.woff2")]
    assert len(fonts) == 2
    for page in written:
        files = {
            (page.path.parent / urlsplit(address).path).resolve()
            for address in page.fetched()
            if not address.startswith("data:")
        }
        weight = sum(len(gzip.compress(file.read_bytes())) for file in {page.path, *files, *fonts})
        assert weight < 200_000, f"{page.name}: {weight / 1000:.0f} kB"


def test_no_file_of_the_site_but_its_wheel_holds_a_solution() -> None:
    from solved import solutions_in

    kit.build(sys.executable)
    files = [file for kind in ("*.html", "*.js", "*.mjs", "*.json", "*.ipynb") for file in kit.SITE.rglob(kind)]
    ours = [file for file in files if not {"pyodide", "build", "static"} & set(file.parts)]
    assert len(ours) > 50
    told = {}
    for file in ours:
        text = file.read_text("utf8", "replace")
        told[file.name] = unescape(re.sub("<[^>]*>", "", text)) if file.suffix == ".html" else text
    assert solutions_in(told) == []
