"""What a site needs besides its pages: descriptions for search engines and previews, a page for dead links, a site map.

Its title, logo, line of licence and address are those of course.toml. The address where the site will stand makes site
map and previews complete; without it their addresses are relative.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from _ext import rooms, sharing
from _ext.look import variables
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ndcg_course import course
from ndcg_course.make import pages

ROOT = Path(__file__).resolve().parents[2]
TEXT_FACE = ROOT / "book" / "_static" / "fonts" / "text.woff2"
PICTURES: dict[str, tuple[str, str, str]] = {}  # what a shared link shows, by its address: page, title, words below
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
@font-face {{ font-family: "Book Text"; font-display: block; src: url("data:font/woff2;base64,{font}"); }}
:root {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ margin: 0; color: var(--text); background: var(--back); }}
body {{ font: 1.1rem/1.6 "Book Text", "STIX Two Text", Georgia, serif; }}
header {{ display: flex; flex-wrap: wrap; align-items: center; gap: .2rem 1.3rem; }}
header {{ padding: .5rem max(1rem, calc(50vw - 43rem)); }}
header {{ border-bottom: 1px solid var(--line); }}
header a {{ text-decoration: none; color: var(--quiet); min-height: 1.7rem; }}
header > a {{ font-weight: 700; color: var(--text); }}
header ul {{ display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; margin: 0; padding: 0; }}
main {{ max-width: 44rem; margin: 2rem auto; padding: 0 1.2rem; }}
svg {{ width: 100%; height: auto; border-radius: .5rem; }}
h1 {{ font-size: 2.2rem; font-weight: 400; line-height: 1.2; margin: 1rem 0; }}
a {{ color: var(--link); }}
:focus-visible {{ outline: 3px solid var(--link); outline-offset: 2px; }}
input, button {{ font: inherit; color: inherit; background: var(--back); }}
input, button {{ border: 1px solid var(--edge); border-radius: .3rem; padding: .1rem .7rem; }}
</style>
</head>
<body>
<header><a href="index.html">{title}</a><nav aria-label="Rooms"><ul>{rooms}</ul></nav></header>
<main>
<h1>There is no page at this address</h1>
<p>It may have moved when the book grew. <a href="index.html">The first page</a> lists all chapters, and
<a href="search.html">the search</a> finds words in them:</p>
<form action="search.html" role="search">
<input name="q" aria-label="Words to search for" required> <button>Search</button>
</form>
<p>Meanwhile, a list that you can beat: <a href="index.html#beat=03210">which card would you move?</a></p>
{figure}
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
    site = app.config.html_title or app.config.project
    picture = sharing.address(pagename, title, site)
    PICTURES[picture] = (pagename, title, site)
    image, shows = (base or "../" * pagename.count("/")) + picture, sharing.told(sharing.grades_of(pagename))
    tags = {
        "og:type": "website" if pagename == "index" else "article",
        "og:site_name": site,
        "og:title": title,
    }
    tags |= {"og:description": description, "og:image": image, "og:image:width": "1200", "og:image:height": "630"}
    tags |= {"og:image:alt": shows} | ({"og:url": address(base, pagename)} if base else {})
    named = {"description": description, "twitter:card": "summary_large_image", "twitter:title": title}
    named |= {"twitter:description": description, "twitter:image": image, "twitter:image:alt": shows}
    lines = [f'<meta name="{name}" content="{escape(text)}" />' for name, text in named.items()]
    lines += [f'<meta property="{name}" content="{escape(text)}" />' for name, text in tags.items()]
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
    entries = "".join(f"<url><loc>{escape(address(base, name))}</loc></url>\n" for name in pages)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    (out / "sitemap.xml").write_text(f"{head}{entries}</urlset>\n", "utf8")
    for page in pages:  # those that this build did not write, too
        if not any(page == named for named, *_ in PICTURES.values()):
            name = unescape(re.sub("<.*?>", "", app.env.titles[page].astext()))
            PICTURES[sharing.address(page, name, title)] = (page, name, title)
    sharing.write(out, PICTURES)


def dead_page(base: str, title: str) -> str:
    colours = {theme: variables(theme) for theme in ("light", "dark")}
    script = "" if base else FIND_BOOK
    font = b64encode(TEXT_FACE.read_bytes()).decode()  # within the page, which does not know how deep it is shown
    doors = rooms.row({"pathto": lambda page: f"{page}.html"}, "")[4:-5].replace(' aria-current="true"', "")
    figure = sharing.svg((0, 3, 2, 1, 0), "A hundred readers looked for it", title)
    told = {"title": escape(title), "script": script, "font": font, "rooms": doors, "figure": figure}
    return DEAD.format(base=urlsplit(base).path or "/", **told, **colours)


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
    lines = [f'<meta name="{name}" content="{escape(text)}" />' for name, text in names.items()]
    lines += [f'<meta name="citation_author" content="{escape(author["name"])}" />' for author in cited["authors"]]
    data = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
    return "\n".join([*lines, f'<script type="application/ld+json">{data}</script>'])


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
