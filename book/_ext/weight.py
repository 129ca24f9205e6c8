"""Keeps a page's first view light: the theme brings 1,100 icons and a script that draws them; the book uses a dozen.

The theme's style sheet already shows icons from a font, so the script (540 kB even when compressed) is emptied, and the
font is cut down to the icons that stand in the pages.
"""

from __future__ import annotations

import re
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


def cut(source: Path, target: Path, characters: set[int]) -> None:
    """Write the font with these characters alone."""
    from fontTools import subset

    options = subset.Options(flavor="woff2", layout_features=[])
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    subset.save_font(font, str(target), options)


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
