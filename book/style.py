"""Counts on the prose and the questions of each page; "!" where a count leaves its band. It is a reason to read
the page aloud, and never a test.

    python book/style.py                 all pages of the table of contents, in their order
    python book/style.py chapters/ndcg   these pages

Prose is paragraphs: no code, boxes, tables, lists, quotations, headings. The bands are those that a dozen well-loved
textbooks share.
"""

from __future__ import annotations

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
    "stub": ("sentences of 8 words or fewer, per cent", 0.0, 16.0),
    "quiz": ("questions", 2, 5),
    "typed": ("of them typed or ordered, per cent", 50.0, 100.0),
    "long": ("of those to choose, passed by the longest answer, per cent", 0.0, 50.0),
}
COUNTED = {
    "you": r"you|your|yours|yourself|we|us|our|ours|let['’]s|(?:we|you)['’](?:ve|ll|re|d)",
    "neg": r"not|no|nothing|nobody|neither|nor|never|none|nowhere|without|cannot|\w+n['’]t",
    "link": r"because|since|so|therefore|thus|hence|which is why|which means|reason|for example"
    r"|for instance|such as|suppose|imagine|if|unless|whether|when|whenever|while|although|though|but|however|instead"
    r"|then|after|before|until",
}
NOT_PROSE = re.compile(r"\s*([#|>!%]|[-*+]\s|\d+[.)]\s|\(\S+\)=$|:\w+:|<|\[\S+\]:|   )")
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
    changes = [(r"\{(?:eval|printed)\}`[^`]*`", "42"), (r"\{[\w:-]+\}`([^`<]*)[^`]*`", r"\1"), (r"`[^`]*`", "code"),
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
    found["stub"] = 100 * sum(size <= 8 for size in sizes) / max(1, len(sizes))
    return found | asked([match[2] for match in QUIZ.finditer(text)])


def asked(quizzes: list[str]) -> dict[str, float]:
    """How many questions there are, how many want more than a choice, and what a reader gets who picks by length."""
    answers = [ANSWER.findall(quiz) for quiz in quizzes]
    chosen = [each for each in answers if each and not any(mark == "=" for mark, _ in each)]
    longest = [max(each, key=lambda answer: len(plain(answer[1])))[0] in "xX" for each in chosen]
    typed = 100 * (len(quizzes) - len(chosen)) / max(1, len(quizzes))
    return {"quiz": len(quizzes), "typed": typed if quizzes else 100, "long": 100 * sum(longest) / max(1, len(longest))}


def row(name: str, found: dict[str, float]) -> str:
    cells = []
    for column, (_, low, high) in BANDS.items():
        value = found[column]
        cells.append(f"{value:7.1f}" if isinstance(value, float) else f"{value:7}")
        cells.append(" " if low <= round(value, 1) <= high else "!")
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
