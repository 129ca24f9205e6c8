"""Keeps a page's first view light: the theme brings 1,100 icons and a script that draws them; the book uses a dozen.

The theme's style sheet already shows icons from a font, so the script (540 kB even when compressed) is emptied, and the
font is cut down to the icons that stand in the pages. Of the theme's style sheets, rules for classes that stand in no
page and no script are left out, and variables that nothing asks for; then all sheets become one. Scripts for which a
page has no use are left out of it, and no script keeps the text waiting.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pydata_sphinx_theme

ICON = re.compile(r"\bfa-([a-z][a-z-]*)")
RULE = re.compile(r"((?:\.fa-[a-z0-9-]+:before,?)+)\{content:\"(.+?)\"")
THEME_ICON = re.compile(r"--pst-icon-[a-z-]+:\s*\"(.)\"")
ALWAYS = {"xmark", "check", "copy", "bars", "expand", "chevron-down", "angle-down"}  # set by scripts, not in any page


def lighten(app: Any, error: Exception | None) -> None:
    static = Path(app.outdir) / "_static"
    script = static / "scripts" / "fontawesome.js"
    if error or app.builder.format != "html" or not script.exists():
        return
    style = (static / "styles" / "pydata-sphinx-theme.css").read_text("utf8")
    names = ALWAYS.union(*(ICON.findall(page.read_text("utf8")) for page in Path(app.outdir).rglob("*.html")))
    wanted = {ord(icon) for icon in THEME_ICON.findall(style)}
    for selectors, icon in RULE.findall(style):
        if names & set(ICON.findall(selectors)):
            wanted.add(int(icon[1:], 16) if icon.startswith("\\") else ord(icon))
    done = f"// The style sheet draws these icons: {' '.join(f'{icon:x}' for icon in sorted(wanted))}\n"
    if script.read_text("utf8") == done:
        return
    fonts = Path("vendor") / "fontawesome" / "webfonts"
    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
    for font in (theme / fonts).glob("*.woff2"):
        cut(font, static / fonts / font.name, wanted)
        (static / fonts / font.with_suffix(".ttf").name).unlink(missing_ok=True)
    script.write_text(done, "utf8")


CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
WORD = re.compile(r"[A-Za-z_][\w-]*")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[{};]')
CLASSES = re.compile(r"""class=\\?["']([^"'\\]*)""")
VARIABLE = re.compile(r"--[a-z][\w-]*")
ASKED = re.compile(r"var\(\s*(--[\w-]+)")
SET = re.compile(r"""(?<![\w-])(--[\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;{}"'])*(?:;|(?=\}))""")
THEIRS = ("styles/*.css", "basic.css", "mystnb*.css", "sphinx-design*.css")
GROUP = re.compile(r"\((?:[^()]|\([^()]*\))*\)")


def thin_sheets(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    files = [file for kind in ("*.js", "*.mjs") for file in static.rglob(kind) if _acts(file)]
    pages = [page.read_text("utf8") for page in Path(app.outdir).rglob("*.html") if "lite" not in page.parts]
    scripts = [file.read_text("utf8") for file in files]
    known = {word for script in scripts for word in WORD.findall(script)}
    known |= {name for page in pages for names in CLASSES.findall(page) for name in names.split()}
    theirs = [sheet for name in THEIRS for sheet in static.glob(name)]
    ours = [sheet.read_text("utf8") for sheet in static.rglob("*.css") if sheet not in theirs]
    asked = {name for text in (*scripts, *pages, *ours) for name in VARIABLE.findall(text)}
    for sheet in theirs:
        before = sheet.read_text("utf8")
        licences = "\n".join(re.findall(r"/\*!.*?\*/", before, re.DOTALL))
        sheet.write_text(licences + thinner(re.sub(r"/\*.*?\*/", "", before, flags=re.DOTALL), known), "utf8")
    asked |= {name for sheet in theirs for name in ASKED.findall(sheet.read_text("utf8"))}
    for sheet in theirs:
        before = sheet.read_text("utf8")
        sheet.write_text(SET.sub(lambda found: found[0] if found[1] in asked else "", before), "utf8")


def _acts(file: Path) -> bool:
    """A script whose words can be classes: no runtime, no text that is searched, none that every page goes without."""
    return "pyodide" not in file.parts and not file.name.startswith("search-") and file.name not in UNUSED


def thinner(sheet: str, known: set[str]) -> str:
    """The style sheet without rules for classes that nothing has."""
    kept = []
    for name, body in rules(sheet):
        if body is None:
            kept.append(name)
        elif name.startswith(("@media", "@supports")):
            inside = thinner(body, known)
            kept += [f"{name}{{{inside}}}"] if inside else []
        elif name.startswith("@"):
            kept.append(f"{name}{{{body}}}")
        else:
            parts = GROUP.sub(lambda group: group[0].replace(",", "\0"), name).split(",")
            used = [part.replace("\0", ",") for part in parts if set(CLASS.findall(GROUP.sub("", part))) <= known]
            kept += [f"{','.join(used)}{{{body}}}"] if used else []
    return "".join(kept)


SCRIPT = re.compile(r"<script (?![^>]*\b(?:defer|module))(?=[^>]*\bsrc=)")
SHEET = re.compile(r'[ \t]*<link (?=[^>]*rel="stylesheet")[^>]*href="(?:\.\./)*([^"?]+)[^>]*>\n?')
# Tips below three buttons, marks and keys of a search that the book has of its own, tabs that no page has.
UNUSED = ("fontawesome.js", "bootstrap.js", "sphinx_highlight.js", "doctools.js", "translations.js", "design-tabs.js")
# These scripts, scripts announced before the text, options of a search that is not there, and the tips' own marks.
NEEDLESS = re.compile(
    rf"\s*<script[^>]*/(?:{'|'.join(map(re.escape, UNUSED))})[^>]*></script>"
    r'|\s*<link rel="preload" as="script"[^>]*>|\s*<script>DOCUMENTATION_OPTIONS\.[^<]*</script>'
    r'|\s+data-bs-(?:toggle="tooltip"|placement="bottom")|(?<=\s)data-bs-(?=title=)'
)
COPIES = re.compile(r"\s*<script[^>]*/(?:clipboard\.min|copybutton)\.js[^>]*></script>")
IMPORT = re.compile(r'@import "([^"]+)";')
ONE = "_static/all.css"
URL = re.compile(r"url\(([\"']?)(?![\"']?(?:data:|#|/))(.*?)\1\)")


def one_sheet(app: Any, error: Exception | None) -> None:
    """Fifteen sheets are fifteen answers to wait for before a letter is drawn; the pages share one."""
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    inside = [out / f"{name}.html" for name in sorted(app.env.found_docs | {"genindex", "search"})]
    pages = {page: page.read_text("utf8") for page in inside if page.exists()}
    lists = [SHEET.findall(text) for text in pages.values()]
    if (out / ONE).exists():  # a page that was not written anew names no other sheet
        lists.append((out / ONE).read_text("utf8").partition("*/")[0].removeprefix("/* ").strip().split(", "))
    names = [name for name in one_order(lists) if name != ONE and (out / name).exists()]
    whole = f"/* {', '.join(names)} */\n" + "".join(with_imports(out, name) for name in names)
    (out / ONE).write_text(whole, "utf8", newline="\n")
    mark = hashlib.sha256(whole.encode()).hexdigest()[:8]
    for page, text in pages.items():
        up = "../" * (len(page.relative_to(out).parts) - 1)
        link = f'<link rel="stylesheet" href="{up}{ONE}?v={mark}" />\n'
        first = SHEET.search(text)
        assert first, page
        text = text[: first.start()] + link + SHEET.sub("", text[first.start() :])
        text = NEEDLESS.sub("", text if 'class="highlight' in text else COPIES.sub("", text))
        page.write_text(SCRIPT.sub("<script defer ", text), "utf8", newline="\n")
    for file in (file for name in UNUSED for file in (out / "_static").rglob(f"{name}*")):
        file.unlink()


def one_order(lists: list[list[str]]) -> list[str]:
    """All names, each where the longest list has it last; what it lacks comes before what follows that elsewhere."""
    merged: list[str] = []
    for names in sorted(lists, key=len, reverse=True):
        at = len(merged)
        for name in dict.fromkeys(reversed(names)):
            if name in merged:
                at = merged.index(name)
            else:
                merged.insert(at, name)
    return merged


def with_imports(out: Path, name: str) -> str:
    """The text of a sheet, with those that it imports, and its addresses as the one sheet must say them."""
    beside = posixpath.dirname(name)
    text = URL.sub(
        lambda url: f'url("{posixpath.relpath(posixpath.join(beside, url[2]), posixpath.dirname(ONE))}")',
        (out / name).read_text("utf8"),
    )
    return IMPORT.sub(lambda found: with_imports(out, posixpath.normpath(posixpath.join(beside, found[1]))), text)


def rules(sheet: str) -> Iterator[tuple[str, str | None]]:
    """The rules of a style sheet: what stands before the braces, and what is in them; None for @import and its like."""
    depth = start = opened = 0
    for token in TOKEN.finditer(sheet):
        if token[0] == "{":
            depth += 1
            opened = token.start() if depth == 1 else opened
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                yield sheet[start:opened].strip(), sheet[opened + 1 : token.start()]
                start = token.end()
        elif token[0] == ";" and depth == 0:
            yield sheet[start : token.end()].strip(), None
            start = token.end()


def cut(source: Path, target: Path, characters: set[int], features: tuple[str, ...] = ()) -> None:
    """Write the font with these characters alone."""
    from fontTools import subset

    options = subset.Options(flavor="woff2", layout_features=list(features), hinting=not features)
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    subset.save_font(font, str(target), options)


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", lighten)
    app.connect("build-finished", thin_sheets, priority=800)  # when all pages and scripts are there
    app.connect("build-finished", one_sheet, priority=850)  # before the list of what is kept
    return {"parallel_read_safe": True, "parallel_write_safe": True}
