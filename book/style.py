"""Counts on the prose and the questions of each page; "!" where a count leaves its band. It is a reason to read
the page aloud, and never a test.

    python book/style.py                 all pages of the table of contents, in their order
    python book/style.py chapters/ndcg   these pages

Prose is paragraphs: no code, boxes, tables, lists, quotations, headings. The bands are those that a dozen well-loved
textbooks share.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

BOOK = Path(__file__).resolve().parent
BANDS = {  # column: what it counts, lowest, highest
    "words": ("words of running prose", 400, 1200),
    "you": ("you and we, per 100 words", 2.0, 6.5),
    "neg": ("negations, per 100 words", 0.0, 1.3),
    "link": ("connectives, per 100 words", 2.0, 4.5),
    "mean": ("words of a sentence, on average", 14.0, 20.0),
    "long": ("words of the sentence that nine of ten do not pass", 23, 34),
    "stub": ("sentences of 8 words or fewer, per cent", 0.0, 16.0),
    "quiz": ("questions", 2, 5),
    "typed": ("of them typed or ordered, per cent", 50.0, 100.0),
    "length": ("of those to choose, passed by the longest answer, or by the shortest, per cent", 0.0, 50.0),
}
COUNTED = {
    "you": r"you|your|yours|yourself|we|us|our|ours|let['’]s|(?:we|you)['’](?:ve|ll|re|d)",
    "neg": r"not|no|nothing|nobody|neither|nor|never|none|nowhere|without|cannot|\w+n['’]t",
    "link": r"because|since|so|therefore|thus|hence|which is why|which means|reason|for example"
    r"|for instance|such as|suppose|imagine|if|unless|whether|when|whenever|while|although|though|but|however|instead"
    r"|then|after|before|until",
}
NOT_PROSE = re.compile(r"\s*([#|>!%]|[-*+]\s|\d+[.)]\s|\(\S+\)=(?m:$)|:\w+:|<|\[\S+\]:|   )")
QUIZ = re.compile(r"^(:{3,})\{quiz\}\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
ANSWER = re.compile(r"^- \[([ xX=])\] (.*?)(?=^- |\n\s*>|\Z)", re.DOTALL | re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """The running prose of a page."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$|^(`{3,}).*?^\1$|^(:{3,}).*?^\2$", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    for block in re.split(r"\n\s*\n", text):
        if block.strip() and not NOT_PROSE.match(block):
            yield plain(block)


def plain(text: str) -> str:
    changes = [(r"\{holds\}`[^`]*`", ""), (r"\{(?:eval|printed)\}`[^`]*`", "42"),
               (r"\{[\w:-]+\}`([^`<]*)[^`]*`", r"\1"), (r"`[^`]*`", "code"),
               (r"\[([^\]]*)\]\([^)]*\)", r"\1"), (r"\$[^$]+\$", "x"), (r"<[^>]+>", " "), (r"[*_\\]", ""),
               (r"\s+", " ")]  # fmt: skip
    for pattern, to in changes:
        text = re.sub(pattern, to, text)
    return text.strip()


def counts(text: str) -> dict[str, float]:
    prose = list(paragraphs(text))
    sentences = [s for p in prose for s in re.split(r"(?<=[.!?])[\"”’)]*\s+", p) if re.search("[A-Za-z]{2}", s)]
    sizes = [len(s.split()) for s in sentences]
    words, whole = max(1, sum(sizes)), " ".join(prose)
    found = {
        name: 100 * len(re.findall(rf"\b(?:{of})\b", whole, re.IGNORECASE)) / words for name, of in COUNTED.items()
    }
    found |= {"words": sum(sizes), "mean": words / max(1, len(sizes))}
    found["long"] = sorted(sizes)[math.ceil(0.9 * len(sizes)) - 1] if sizes else 0
    # what leads on to a formula or to code is no stub
    found["stub"] = (
        100 * sum(size <= 8 and s[-1] != ":" for size, s in zip(sizes, sentences, strict=True)) / max(1, len(sizes))
    )
    return found | asked([match[2] for match in QUIZ.finditer(text)])


def asked(quizzes: list[str]) -> dict[str, float]:
    """How many questions there are, how many want more than a choice, and what a reader gets who picks by length."""
    answers = [ANSWER.findall(quiz) for quiz in quizzes]
    chosen = [each for each in answers if each and not any(mark == "=" for mark, _ in each)]
    typed = 100 * (len(quizzes) - len(chosen)) / max(1, len(quizzes))
    passed = max(sum(stands_out(each, sign) for each in chosen) for sign in (1, -1))
    return {
        "quiz": len(quizzes),
        "typed": typed if quizzes else 100,
        "length": 100 * passed / len(chosen) if len(chosen) > 1 else 0.0,
    }


def stands_out(answers: list[tuple[str, str]], sign: int) -> bool:
    """Whether the right answer is longer than each other one, by a tenth at least; with -1: shorter."""
    right = max(len(plain(text)) for mark, text in answers if mark in "xX")
    others = [len(plain(text)) for mark, text in answers if mark not in "xX"]
    return right >= 1.1 * max(others) if sign > 0 else 1.1 * right <= min(others)


def row(name: str, found: dict[str, float]) -> str:
    cells = []
    for column, (_, low, high) in BANDS.items():
        value = found[column]
        cells.append(f"{value:7.1f}" if isinstance(value, float) else f"{value:7}")
        cells.append(" " if name == "all" or low <= round(value, 1) <= high else "!")
    return f"{name[-32:]:32}" + "".join(cells)


def main(arguments: list[str]) -> None:
    listed = re.findall(r"^\s*- file: ((?:chapters|notes)/\S+)", (BOOK / "_toc.yml").read_text("utf8"), re.MULTILINE)
    pages = {name: (BOOK / f"{name}.md").read_text("utf8") for name in arguments or listed}
    for column, (what, low, high) in BANDS.items():
        print(f"{column:6} {what}: {low} to {high}")
    print("\n" + " " * 32 + "".join(f"{column:>7} " for column in BANDS))
    for name, text in pages.items():
        print(row(name, counts(text)))
    print(row("all", counts("\n\n".join(pages.values()))))


if __name__ == "__main__":
    main(sys.argv[1:])
