"""What a site needs besides its pages: descriptions for search engines and previews, a page for dead links, a site map.

Its title, logo, line of licence and address are those of course.toml. The address where the site will stand makes site
map and previews complete; without it their addresses are relative.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from _ext import rooms, sharing, sheets
from _ext.look import variables
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ndcg_course import course
from ndcg_course.make import pages
from ndcg_lib.grid import Html, joined, tag, tags

ROOT = Path(__file__).resolve().parents[2]
TEXT_FACE = ROOT / "book" / "_static" / "fonts" / "text.woff2"
PICTURES: dict[str, tuple[str, str, str]] = {}  # what a shared link shows, by its address: page, title, words below
NOT_A_PAGE = {"404", "search", "genindex"}
# A host shows this page below any folder. Built without an address, it looks for the nearest folder that holds a book.
FIND_BOOK = Html("""<script>
(async () => {
  for (let path = location.pathname; path.includes("/"); path = path.slice(0, -1)) {
    path = path.slice(0, path.lastIndexOf("/") + 1);
    const there = await fetch(path + "objects.inv", { method: "HEAD" }).catch(() => ({}));
    if (there.ok) return void (document.querySelector("base").href = path);
  }
})();
</script>
""")


def take_course(app: Any, config: Any) -> None:
    """What the course says goes before _config.yml."""
    taught = course.load()
    config.html_baseurl, config.html_title = taught.address, taught.title
    config.html_theme_options["logo"] = {"text": str(joined(taught.title))}
    if taught.logo:
        config.html_logo = str(taught.logo.resolve())
    foot = [taught.licence, taught.computes()]
    config.html_theme_options["extra_footer"] = str(tags("p", filter(None, foot)))
    config.html_context.setdefault("default_mode", "auto")


def tell_convention(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """A page that does not follow the course says below its title what it computes."""
    file = app.env.doc2path(pagename) if doctree is not None else ""
    if not file.endswith(".md") or not (told := course.load().computes(follows=False)):
        return
    page = pages.as_notebook(Path(file).read_text("utf8"))
    if pages.computes(page) and not pages.follows(page) and not pagename.startswith("assignments/"):
        rooms.below_title(context, tag("p", tag("em", told)))


def describe(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """The description of a page is its first paragraph that is a sentence or two."""
    if doctree is None:
        return
    title, description = unescape(re.sub("<.*?>", "", str(context.get("title", "")))), first_words(doctree)
    base = app.config.html_baseurl
    site = app.config.html_title or app.config.project
    picture = sharing.address(pagename, title, site)
    PICTURES[picture] = (pagename, title, site)
    image, shows = (base or "../" * pagename.count("/")) + picture, sharing.told(sharing.grades_of(pagename))
    shared = {
        "og:type": "website" if pagename == "index" else "article",
        "og:site_name": site,
        "og:title": title,
    }
    shared |= {"og:description": description, "og:image": image, "og:image:width": "1200", "og:image:height": "630"}
    shared |= {"og:image:alt": shows} | ({"og:url": address(base, pagename)} if base else {})
    named = {"description": description, "twitter:card": "summary_large_image", "twitter:title": title}
    named |= {"twitter:description": description, "twitter:image": image, "twitter:image:alt": shows}
    lines: list[str] = [tag("meta", name=name, content=text) for name, text in named.items()]
    lines += [tag("meta", property=name, content=text) for name, text in shared.items()]
    lines.append(structured(pagename, title, description, base, site))
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)


def first_words(doctree: Any, most: int = 200) -> str:
    for paragraph in doctree.findall(nodes.paragraph):
        if paragraph.astext().startswith(("This lesson goes with", "A lesson of")):  # so does every other
            continue
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
    entries = [[tag("url", tag("loc", address(base, name))), "\n"] for name in pages]
    listed = tag("urlset", "\n", entries, xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    (out / "sitemap.xml").write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{listed}\n', "utf8")
    for page in pages:  # those that this build did not write, too
        if not any(page == named for named, *_ in PICTURES.values()):
            name = unescape(re.sub("<.*?>", "", app.env.titles[page].astext()))
            PICTURES[sharing.address(page, name, title)] = (page, name, title)
    sharing.write(out, PICTURES)


def dead_page(base: str, title: str) -> str:
    colours = {theme: variables(theme) for theme in ("light", "dark")}
    script = None if base else FIND_BOOK
    font = b64encode(TEXT_FACE.read_bytes()).decode()  # within the page, which does not know how deep it is shown
    doors = rooms.row({"pathto": lambda page: f"{page}.html"}, "")
    figure = sharing.svg((0, 3, 2, 1, 0), "A hundred readers looked for it", title)
    told = {"title": title, "base": urlsplit(base).path or "/", "script": script, "font": font, "rooms": doors}
    return str(sheets.pages().get_template("404.html").render(**told, **colours, figure=figure))


def address(base: str, name: str) -> str:
    return base if base and name == "index" else f"{base}{name}.html"


def structured(page: str, title: str, description: str, base: str, site: str) -> str:
    """What search engines and programs that manage references read: the book as a course, a page as a part of it."""
    cited = citation()
    by = [{"@type": "Organization", "name": author["name"]} for author in cited["authors"]]
    told: dict[str, Any] = {"@context": "https://schema.org", "name": title, "description": description, "author": by}
    told |= {"inLanguage": "en-GB", "isAccessibleForFree": True, "version": cited["version"]}
    whole = {"@type": "Course", "name": site, "description": cited["title"]} | ({"url": base} if base else {})
    kinds = {"assignments": "assignment", "teaching": "lesson plan", "reference": "reference", "chapters": "chapter"}
    if page == "index":
        told |= {"@type": "Course", "provider": by[0], "keywords": ", ".join(cited["keywords"])}
    else:
        told |= {"@type": "LearningResource", "learningResourceType": kinds.get(page.partition("/")[0], "page")}
        told |= {"isPartOf": whole}
    told |= {"url": address(base, page)} if base else {}
    names = {"citation_title": title, "citation_inbook_title": site, "citation_language": "en"}
    names |= {"citation_public_url": address(base, page)} if base else {}
    lines = [tag("meta", name=name, content=text) for name, text in names.items()]
    lines += [tag("meta", name="citation_author", content=author["name"]) for author in cited["authors"]]
    data = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
    return "\n".join([*lines, tag("script", Html(data), type="application/ld+json")])


@cache
def citation() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "CITATION.cff").read_text("utf8")))


def source() -> str:
    """Where the source of the book is: what course.toml says of the branch with the built site, less the branch."""
    return next(iter(course.load().notebooks), "").partition("/tree/")[0]


class Cite(SphinxDirective):
    """How to cite the book, as CITATION.cff has it, in words and as BibTeX; and where its source is."""

    def run(self) -> list[nodes.Node]:
        cited, given = citation(), course.load()
        names = " and ".join(author["name"] for author in cited["authors"])
        at = f" {given.address}" if given.address else ""
        lines = {"author": f"{{{names}}}", "title": cited["title"], "note": f"Version {cited['version']}"}
        lines |= {"url": given.address} if given.address else {}
        entry = "".join(f"  {name} = {{{text}}},\n" for name, text in lines.items())
        where = source()
        text = nodes.paragraph("", f"{names}. {cited['title']}. Version {cited['version']}.{at}")
        here = nodes.paragraph("", "The source of this book: ")
        if where:
            here += nodes.reference("", where, refuri=where)
        else:
            here += nodes.Text("this copy was built without a public address; whoever gave you the book has it.")
        made = nodes.literal_block("", f"@misc{{ndcg_book,\n{entry}}}", language="bibtex")
        return [text, made, here]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("cite-book", Cite)
    app.connect("config-inited", take_course)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", tell_convention)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
