"""Words that are no words, or not as Britain spells them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from book_pages import BOOK, MATH, OPTION
from spylls.hunspell import Dictionary

# American in codespell's table, and right in Britain too, in another sense.
BOTH = {"check", "checks", "meter", "meters", "story", "stories", "tire", "tires", "program", "programs", "practice",
        "license", "focused", "focuses", "focusing", "biased", "routing", "specialty", "writable"}  # fmt: skip
WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
DIRECTIVE = re.compile(r"^ *:{3,}(?:\{[a-z-]+\})?|^`{3,}.*$|\{[a-z:-]+\}", re.MULTILINE)
HTML = re.compile(r"</?[a-z][^>]*>")


@cache
def american_and_british() -> tuple[set[str], set[str]]:
    table = (files("codespell_lib") / "data" / "dictionary_en-GB_to_en-US.txt").read_text("utf8")
    pairs = [line.split("->") for line in table.splitlines() if "->" in line]
    return {american.strip(" ,") for _, american in pairs} - BOTH, {british for british, _ in pairs}


@cache
def dictionary() -> Dictionary:
    return Dictionary.from_files("en_US")


@cache
def own_words() -> list[str]:
    lines = (BOOK / "words.txt").read_text("utf8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@cache
def complaint(word: str) -> str:
    american, british = american_and_british()
    plain = word.replace("’", "'")
    if plain.lower() in american:
        return f"{word} (American)"
    if {plain, plain.lower(), plain.removesuffix("'s")} & {*own_words(), *british} or dictionary().lookup(plain):
        return ""
    parts = plain.split("-")
    return "" if len(parts) > 1 and not any(map(complaint, parts)) else word


def misspelt(text: str) -> list[str]:
    for pattern in (MATH, HTML, OPTION, DIRECTIVE):
        text = pattern.sub(lambda match: "\n" * match[0].count("\n") + " ", text)
    return sorted({said for match in WORD.finditer(text) if len(match[0]) > 1 and (said := complaint(match[0]))})
