"""What a site needs besides its pages: descriptions for search engines and previews, a page for dead links, a site map.

Its title, logo, line of licence and address are those of course.toml. The address where the site will stand makes site
map and previews complete; without it their addresses are relative.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from _ext.look import variables
from docutils import nodes

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make import pages

IMAGE = "_static/preview.png"
TEXT_FACE = Path(__file__).resolve().parents[1] / "_static" / "fonts" / "text.woff2"
RANKINGS = ([3, 0, 1, 0, 2], [0, 3, 2, 1, 0])  # what the image shows
NOT_A_PAGE = {"404", "search", "genindex"}
DEAD = """<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<base href="{base}">
<title>There is no such page: {title}</title>
<link rel="icon" href="data:,">
<style>
@font-face {{ font-family: "Book Text"; src: url("data:font/woff2;base64,{font}"); }}
:root {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ max-width: 36rem; margin: 10vh auto; padding: 0 1.2rem; color: var(--text); background: var(--back); }}
body {{ font: 1.15rem/1.6 "Book Text", "STIX Two Text", Georgia, serif; }}
h1 {{ font-size: 2.2rem; font-weight: 400; line-height: 1.2; margin: 1rem 0; }}
a {{ color: var(--link); }}
input, button {{ font: inherit; color: inherit; background: var(--back); }}
input, button {{ border: 1px solid var(--edge); border-radius: .3rem; padding: .1rem .7rem; }}
</style>
</head>
<body>
<main>
<p><a href="index.html">{title}</a></p>
<h1>There is no page at this address</h1>
<p>It may have moved when the book grew. <a href="index.html">The first page</a> lists all chapters, and
<a href="search.html">the search</a> finds words in them:</p>
<form action="search.html" role="search">
<input name="q" aria-label="Words to search for" required> <button>Search</button>
</form>
</main>
{script}</body>
</html>
"""
# A host shows this page below any folder. Built without an address, it looks for the nearest folder that holds a book.
FIND_BOOK = """<script>
(async () => {
  for (let path = location.pathname; path.includes("/"); path = path.slice(0, -1)) {
    path = path.slice(0, path.lastIndexOf("/") + 1);
    const there = await fetch(path + "objects.inv", { method: "HEAD" }).catch(() => ({}));
    if (there.ok) return void (document.querySelector("base").href = path);
  }
})();
</script>
"""


def take_course(app: Any, config: Any) -> None:
    """What the course says goes before _config.yml."""
    taught = course.load()
    config.html_baseurl, config.html_title = taught.address, taught.title
    config.html_theme_options["logo"] = {"text": escape(taught.title)}
    if taught.logo:
        config.html_logo = str(taught.logo.resolve())
    foot = [taught.licence, taught.computes()]
    config.html_theme_options["extra_footer"] = "".join(f"<p>{escape(line)}</p>" for line in foot if line)
    config.html_context.setdefault("default_mode", "auto")


def tell_convention(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """A page that does not follow the course says below its title what it computes."""
    file = app.env.doc2path(pagename) if doctree is not None else ""
    if not file.endswith(".md") or not (told := course.load().computes(follows=False)):
        return
    page = pages.as_notebook(Path(file).read_text("utf8"))
    if pages.computes(page) and not pages.follows(page) and not pagename.startswith("assignments/"):
        context["body"] = context["body"].replace("</h1>", f"</h1>\n<p><em>{escape(told)}</em></p>", 1)


def describe(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """The description of a page is its first paragraph that is a sentence or two."""
    if doctree is None:
        return
    title, description = unescape(re.sub("<.*?>", "", str(context.get("title", "")))), first_words(doctree)
    base = app.config.html_baseurl
    image = (base or "../" * pagename.count("/")) + IMAGE
    tags = {
        "og:type": "website" if pagename == "index" else "article",
        "og:site_name": app.config.html_title or app.config.project,
        "og:title": title,
    }
    tags |= {"og:description": description, "og:image": image, "og:image:width": "1200", "og:image:height": "630"}
    tags |= {"og:image:alt": image_shows()} | ({"og:url": address(base, pagename)} if base else {})
    named = {"description": description, "twitter:card": "summary_large_image", "twitter:title": title}
    named |= {"twitter:description": description, "twitter:image": image, "twitter:image:alt": image_shows()}
    lines = [f'<meta name="{name}" content="{escape(text)}" />' for name, text in named.items()]
    lines += [f'<meta property="{name}" content="{escape(text)}" />' for name, text in tags.items()]
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)


def first_words(doctree: Any, most: int = 200) -> str:
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) > 40 and not list(paragraph.findall(nodes.math)):
            return text if len(text) <= most else text[:most].rsplit(" ", 1)[0].rstrip(",;:") + " …"
    return "From CG to DCG, IDCG and NDCG, by hand and in code."


def finish(app: Any, error: Exception | None) -> None:
    if error or app.builder.name not in ("html", "dirhtml"):
        return
    out, base = Path(app.outdir), app.config.html_baseurl
    title = app.config.html_title or app.config.project
    (out / "404.html").write_text(dead_page(base, title), "utf8")
    (out / ".nojekyll").touch()  # else GitHub Pages leaves out folders that begin with _
    (out / "robots.txt").write_text("User-agent: *\nAllow: /\n" + (f"Sitemap: {base}sitemap.xml\n" if base else ""))
    pages = [name for name in sorted(app.env.found_docs) if name not in NOT_A_PAGE]
    entries = "".join(f"<url><loc>{escape(address(base, name))}</loc></url>\n" for name in pages)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    (out / "sitemap.xml").write_text(f"{head}{entries}</urlset>\n", "utf8")
    draw_preview(out / IMAGE, title)


def dead_page(base: str, title: str) -> str:
    colours = {theme: variables(theme) for theme in ("light", "dark")}
    script = "" if base else FIND_BOOK
    font = b64encode(TEXT_FACE.read_bytes()).decode()  # within the page, which does not know how deep it is shown
    return DEAD.format(base=urlsplit(base).path or "/", title=escape(title), script=script, font=font, **colours)


def address(base: str, name: str) -> str:
    return base if base and name == "index" else f"{base}{name}.html"


@cache
def image_shows() -> str:
    values = " and ".join(f"{nd.ndcg(grades):.3f}" for grades in RANKINGS)
    return f"Two rankings of the same five documents, with NDCG {values}"


def draw_preview(target: Path, title: str) -> None:
    """The picture that a shared link shows: two orders of the same documents, with their values."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#0e2a3d")
    figure.text(0.07, 0.8, title, color="white", fontsize=46, weight="bold")
    for row, grades in enumerate(RANKINGS):
        for rank, grade in enumerate(grades):
            axes = figure.add_axes((0.07 + 0.11 * rank, 0.44 - 0.28 * row, 0.095, 0.2))
            axes.set_facecolor((0.34, 0.71, 0.91, 0.15 + 0.28 * grade))
            axes.text(0.5, 0.48, str(grade), ha="center", va="center", color="white", fontsize=34)
            axes.set(xticks=[], yticks=[])
        value = f"NDCG {nd.ndcg(grades):.3f}"
        figure.text(0.66, 0.51 - 0.28 * row, value, color="white", fontsize=34, family="monospace")
    figure.savefig(target)


def setup(app: Any) -> dict[str, bool]:
    app.connect("config-inited", take_course)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", tell_convention)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
