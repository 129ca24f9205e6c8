"""The figure as a picture that needs no script: what a shared link of a page shows, and the page of a dead link.

One list of shapes, written as SVG or drawn as PNG: for each page its title, the first list of grades that stands in it
(engine A's, where there is none), a hundred readers on their way down it, its tower beside the best one, its number.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import ndcg_lib as nd
from ndcg_lib.grid import Html, tag

BOOK = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 1200, 630
ENGINE_A = (3, 0, 1, 0, 2)
BACK, CARD, INK, DIM, QUIET = "#15181d", "#22262d", "#f3f1ea", "#3b4048", "#9aa1ab"
GAIN, LIT, EDGE, IDEAL = "#56b4e9", "#3ecf9f", "#ff9d5c", "#e39bd8"
LIST = re.compile(r"\[(\d(?:, \d){2,5})\]|^:grades: (\d(?: \d){2,5})$", re.MULTILINE)
Shape = tuple[
    Any, ...
]  # ("box", x, y, width, height, colour) | ("dot", x, y, r, colour) | ("text", x, y, size, words, colour, anchor)


def grades_of(page: str) -> tuple[int, ...]:
    """The first list of a page whose number says something; a lesson has that of its chapter."""
    for name in (page, page.replace("teaching/", "chapters/")):
        file = BOOK / f"{name}.md"
        for found in LIST.finditer(file.read_text("utf8") if file.exists() else ""):
            grades = tuple(map(int, re.findall(r"\d", found[0])))
            if 0 < nd.ndcg(grades) < 1:
                return grades
    return ENGINE_A


def told(grades: tuple[int, ...]) -> str:
    """What the picture shows, in words."""
    listed = ", ".join(map(str, grades))
    shown = f"A ranking with the grades {listed}, the readers who get to each rank, and two towers"
    return f"{shown}: NDCG {nd.ndcg(grades):.3f}"


def shapes(grades: tuple[int, ...], title: str, below: str) -> Iterator[Shape]:
    yield "box", 0, 0, WIDTH, HEIGHT, BACK
    yield "text", 48, 84, 52 if len(title) < 40 else 38 if len(title) < 56 else 30, title, INK, "start"
    high = 380 / len(grades)
    scale = 320 / (nd.idcg(grades) * 1.05)
    for i, (grade, share) in enumerate(zip(grades, nd.discounts(len(grades)), strict=True)):
        y, arrive = 128 + i * high, round(100 * share)
        yield "box", 48, y, 96, high - 12, CARD
        yield "text", 96, y + high / 2 + 8, 36, str(grade), GAIN if grade else QUIET, "middle"
        for n in range(100):
            here = n < arrive
            radius = 3.4 + 0.5 * min(grade, 4) if here and grade else 2.6
            at = 176 + 26.5 * (n // 4), y + (high - 12) * (0.5 + (n % 4 - 1.5) * 0.23)
            yield "dot", *at, radius, (LIT if grade else QUIET) if here else DIM
        yield "box", 166 + 26.5 * arrive / 4, y - 4, 4, high - 4, EDGE
    ideal = sorted(grades, reverse=True)
    for x, order, colour, name in ((896, grades, LIT, "DCG"), (1036, ideal, IDEAL, "ideal")):
        y = 476.0
        for grade, share in zip(order, nd.discounts(len(order)), strict=True):
            y -= scale * grade * share
            if grade:
                yield "box", x, y, 104, scale * grade * share - 3, colour
        yield "text", x + 52, y - 12, 26, f"{nd.dcg(order):.3f}", INK, "middle"
        yield "text", x + 52, 504, 22, name, QUIET, "middle"
    yield "text", 48, 588, 60, f"NDCG {nd.ndcg(grades):.3f}", EDGE, "start"
    yield "text", 1140, 588, 28, below, QUIET, "end"


def svg(grades: tuple[int, ...], title: str, below: str) -> Html:
    made = []
    for kind, x, y, *rest in shapes(grades, title, below):
        if kind == "box":
            wide, high, fill = rest
            made.append(tag("rect", x=f"{x:.0f}", y=f"{y:.0f}", width=f"{wide:.0f}", height=f"{high:.0f}", fill=fill))
        elif kind == "dot":
            made.append(tag("circle", cx=f"{x:.0f}", cy=f"{y:.0f}", r=f"{rest[0]:.1f}", fill=rest[1]))
        else:
            size, words, colour, anchor = rest
            place = {"x": f"{x:.0f}", "y": f"{y:.0f}", "font_size": size, "fill": colour, "text_anchor": anchor}
            made.append(tag("text", words, **place))
    return tag("svg", made, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=told(grades))


@cache
def face(size: int) -> Any:
    """The book's own face, as the drawing library reads it."""
    from fontTools.ttLib import TTFont
    from PIL import ImageFont

    font, plain = TTFont(BOOK / "_static" / "fonts" / "text.woff2"), io.BytesIO()
    font.flavor = None
    font.save(plain)
    plain.seek(0)
    return ImageFont.truetype(plain, size)


def png(grades: tuple[int, ...], title: str, below: str) -> bytes:
    from PIL import Image, ImageDraw

    twice = Image.new("RGB", (2 * WIDTH, 2 * HEIGHT))  # and then made smaller, so that edges are smooth
    draw = ImageDraw.Draw(twice)
    for kind, x, y, *rest in shapes(grades, title, below):
        x, y = 2 * x, 2 * y
        if kind == "box":
            draw.rounded_rectangle((x, y, x + 2 * rest[0], y + 2 * rest[1]), 6 if rest[0] < WIDTH else 0, rest[2])
        elif kind == "dot":
            draw.ellipse((x - 2 * rest[0], y - 2 * rest[0], x + 2 * rest[0], y + 2 * rest[0]), rest[1])
        else:
            size, words, colour, anchor = rest
            draw.text((x, y), words, colour, face(2 * size), {"start": "ls", "middle": "ms", "end": "rs"}[anchor])
    target = io.BytesIO()
    twice.resize((WIDTH, HEIGHT), Image.Resampling.BOX).quantize(64).save(target, "png", optimize=True)
    return target.getvalue()


def address(page: str, title: str, below: str) -> str:
    """Where the picture of a page lies; another picture has another address, because those who show it keep it."""
    made = hashlib.sha256(repr((grades_of(page), title, below, Path(__file__).read_bytes())).encode()).hexdigest()
    return f"_static/share/{page.replace('/', '-')}-{made[:8]}.png"


def write(out: Path, wanted: dict[str, tuple[str, str, str]]) -> None:
    """The pictures by their addresses, each of a page with its title and the words below; those that are there stay."""
    folder = out / "_static" / "share"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        if f"_static/share/{old.name}" not in wanted:
            old.unlink()
    for name, (page, title, below) in wanted.items():
        if not (out / name).exists():
            (out / name).write_bytes(png(grades_of(page), title, below))
