"""The book as a test collection: its sections, and the rankers that look for a question in them.

`python book/search.py WORDS` prints what each ranker finds. The build writes the index of the best one for the search
box (_ext/searching.py).
"""

from __future__ import annotations

import inspect
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

import ndcg_lib as nd

BOOK = Path(__file__).parent
DATA = BOOK / "data" / "search"
# "which" is no small word here: a page and a command have this name.
STOP = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be but by can do does for from has have how i if in into is it its my not of on or so such
        than that the their then there these they this to was what when why will with you your we s t""",
    )
)
# How a word loses its ending, in this order; the search box in the page has the same list.
ENDINGS = [
    ("^(.{2,})ies$", "$1i"),
    ("^(.{2,}[^s])s$", "$1"),
    ("^(.{3,})ations?$", "$1"),
    ("^(.{4,})(ance|ant|ment|ness|ly)$", "$1"),
    ("^(.{2,})(ing|ed)$", "$1"),
    ("^(.+)([^aeiouylsz])\\2$", "$1$2"),
    ("^(.{2,})e$", "$1"),
    ("^(.{2,})y$", "$1i"),
    ("^(.+)iz$", "$1is"),
]
WEIGHTS = {"title": 6.0, "page": 2.0, "text": 1.0}
"""What a word counts in the heading of a section, in the title of its page, and in its text."""
SATURATION, LENGTH = 1.2, 0.6
"""The two numbers of BM25: how soon a repeated word stops to count, and how much a long section loses."""
OTHERS = 0.4
"""What a synonym counts."""
KINDS = {
    "Learn": "path",
    "Practise": "assignment",
    "Handbook": "handbook",
    "Puzzles": "puzzle",
    "Teach": "teaching",
    "Look up": "reference",
}
"""What a section is called that stands in a room of the book; what is sealed is called solution."""
FAVOUR = {"bibliography": 0.5, "assignment": 0.8, "solution": 0.7, "teaching": 0.7}
"""What the box makes of a section of this kind: who asks is looking for the page that explains, unless it says less."""
NEED = 4.0
"""What a word counts by which the handbook, or needs.tsv, leads to a section."""
MARKUP = [
    (r"^(`{3,}|:{3,})\{pycell\}\n(?:.*\n)*?\1$", ""),
    (r" ?\{holds\}`[^`]*`", ""),
    (r"\{(?:eval|printed|blank|noted|sealed)\}`[^`]*`", "…"),
    (r"\{[a-z:-]+\}`([^`<]*?)(?: <[^`]*)?`", r"\1"),
    (r"<span [^>]*></span>", ""),
    (r"\$\$[^$]*\$\$|\$[^$\n]*\$", "…"),
    (r"^:[a-z-]+:.*$|^:::+.*?(?:\{misconception\} (?![a-z]+-)(.*))?$|^`{3,}.*$", r"\1"),
    (r"\[([^\]]*)\]\([^)]*\)", r"\1"),
    (r"^\*[^*\n]* · [^*\n]*\*$|^- \[.\]|^\s*>|[*_`|#]|&nbsp;|^\.\. .*$|^%.*$", " "),
    (r"\s+", " "),
]
"""What a page says beside its words, and what is left of it."""


class Section(NamedTuple):
    """What a search may find: a heading with its text, a word of the glossary, a misconception or a function."""

    name: str  # page#anchor
    page: str
    title: str
    kind: str
    text: str

    @property
    def fields(self) -> dict[str, str]:
        """The texts that are searched."""
        return {"title": self.title, "page": self.page, "text": self.text}


# ---- the collection ----


@cache
def sections() -> tuple[Section, ...]:
    """All sections of the book, in its order; in the browser, where the pages are not, from a file with them."""
    if (DATA / "sections.json").exists():
        return tuple(Section(*fields) for fields in json.loads((DATA / "sections.json").read_text("utf8")))
    return tuple(
        section for page, kind in _pages() for section in _of_page(page, kind) if section.text or section.title
    )


FOR_WHOEVER_PUBLISHES = ("reference/release",)  # and so for no reader who searches


def _pages() -> Iterator[tuple[str, str]]:
    """The pages with their kinds; lessons, which say for teachers what the pages say, are none."""
    import yaml

    toc = yaml.safe_load((BOOK / "_toc.yml").read_text("utf8"))
    kinds = {part: KINDS[room] for room, parts in toc["meta"]["rooms"].items() for part in parts}
    kinds |= dict.fromkeys(toc["meta"]["sealed"], "solution")
    kinds["reference/bibliography"] = "bibliography"
    yield toc["root"], "path"
    for part in toc["parts"]:
        if not part["caption"].startswith("Lessons"):
            files = (entry["file"] for entry in part["chapters"])
            shown = (file for file in files if file not in FOR_WHOEVER_PUBLISHES)
            yield from ((file, kinds.get(file, kinds[part["caption"]])) for file in shown)


def _of_page(page: str, kind: str) -> Iterator[Section]:
    from docutils.nodes import make_id

    source = (BOOK / f"{page}.md").read_text("utf8")
    source = re.sub(r"\A---\n.*?\n---\n", "", source, flags=re.DOTALL)
    source = re.sub(r"^(`{3,})(?:\{code-cell\}|[a-z]+\b).*?^\1$", "", source, flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"^((?:\([a-z0-9-]+\)=\n+)*)(#{1,3}) (.+)$", source, flags=re.MULTILINE)
    title = ""
    for labels, level, heading, body in zip(*(parts[at::4] for at in (1, 2, 3, 4)), strict=True):
        heading = plain(heading)
        title = title or heading
        if heading in ("Check yourself", "Before you hand in"):
            continue
        anchor = (re.findall(r"\(([a-z0-9-]+)\)=", labels) or [make_id(heading)])[-1]
        yield Section(page if level == "#" else f"{page}#{anchor}", title, heading, kind, plain(body))
        yield from _entries(page, title, body)


def _entries(page: str, title: str, body: str) -> Iterator[Section]:
    """What one section lists and a reader looks for by name."""
    from docutils.nodes import make_id

    for block in re.findall(r"^:::\{glossary\}\n(.*?)^:::$", body, re.DOTALL | re.MULTILINE):
        for term, text in re.findall(r"^(\S.*)\n((?:[ \t]+.*\n)+)", block, re.MULTILINE):
            yield Section(f"{page}#term-{make_id(term)}", title, term, "glossary", plain(text))
    for half in re.findall(r"^```\{misconceptions\} (\w+)", body, re.MULTILINE):
        for slip in nd.SLIPS.values():
            if slip.choice == (half == "choices"):
                yield Section(f"{page}#slip-{slip.name}", title, slip.belief, "misconception", plain(slip.why))
    for name in re.findall(r"^\.\. autofunction:: (\w+)", body, re.MULTILINE):
        about = inspect.getdoc(getattr(nd, name)) or ""
        yield Section(f"{page}#ndcg_lib.{name}", title, f"nd.{name}", "function", plain(about.split(">>>")[0]))


def plain(text: str) -> str:
    """The words that a reader sees, without markup, computed numbers and formulas."""
    for pattern, words in MARKUP:
        text = re.sub(pattern, words, text, flags=re.MULTILINE)
    return text.strip()


def stems(text: str) -> list[str]:
    """The words of a text, without the small ones and without their endings.

    >>> stems("Ties: which are tied, and why is it normalized?")
    ['ti', 'ti', 'normalis']
    """
    return [stem(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP]


@cache
def stem(word: str) -> str:
    """A word without its ending."""
    for pattern, rest in ENDINGS:
        word = re.sub(pattern, rest.replace("$1", r"\1").replace("$2", r"\2"), word)
    return word


# ---- the rankers: each gives {section: score} for a question ----

Ranker = Callable[[str], dict[str, float]]


def bm25(fields: Mapping[str, float], others: float = 0.0) -> Ranker:
    """BM25 over weighted fields: rare words count more, repeated ones less and less, and long texts lose.

    `others` is what another word for the same thing counts, beside the word itself.
    """
    counts = weighted(fields)
    length = {name: sum(words.values()) for name, words in counts.items()}
    usual = sum(length.values()) / len(length)
    rarity = rarities(counts)

    def ranker(question: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for word, worth in asked(question, others).items():
            for name, words in counts.items():
                if tf := words.get(word, 0.0):
                    long = SATURATION * (1 - LENGTH + LENGTH * length[name] / usual)
                    found[name] = found.get(name, 0.0) + worth * rarity[word] * tf * (SATURATION + 1) / (tf + long)
        return found

    return ranker


def weighted(fields: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """How often each word stands in a section, each time as much as its field is worth."""
    counts: dict[str, dict[str, float]] = {}
    for section in sections():
        words = counts[section.name] = {}
        for field, weight in fields.items():
            for word in stems(section.fields[field]):
                words[word] = words.get(word, 0.0) + weight
    return counts


def tf_idf() -> Ranker:
    """The cosine between question and section, words weighted by how rare they are."""
    counts = {s.name: Counter(stems(" ".join(s.fields.values()))) for s in sections()}
    return cosine(counts, stems)


def letters() -> Ranker:
    """The same with pieces of four letters in place of words, which forgives spelling."""
    counts = {s.name: Counter(pieces(f"{s.title} {s.title} {s.page} {s.text}")) for s in sections()}
    return cosine(counts, pieces)


def pieces(text: str) -> list[str]:
    """Every four letters in a row.

    >>> pieces("a tie")
    [' a t', 'a ti', ' tie', 'tie ']
    """
    text = f" {' '.join(re.findall('[a-z0-9]+', text.lower()))} "
    return [text[i : i + 4] for i in range(len(text) - 3)]


def cosine(counts: Mapping[str, Mapping[str, int]], split: Callable[[str], list[str]]) -> Ranker:
    """A ranker by the angle between two lists of weights."""
    rarity = rarities(counts)
    weights = {name: {w: (1 + math.log(n)) * rarity[w] for w, n in words.items()} for name, words in counts.items()}
    norms = {name: math.sqrt(sum(w * w for w in weight.values())) or 1.0 for name, weight in weights.items()}

    def ranker(question: str) -> dict[str, float]:
        asked = {w: (1 + math.log(n)) * rarity.get(w, 0.0) for w, n in Counter(split(question)).items()}
        scores = {name: sum(v * weights[name].get(w, 0.0) for w, v in asked.items()) / norms[name] for name in counts}
        return {name: score for name, score in scores.items() if score}

    return ranker


def rarities(counts: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """How much each word says, because few sections have it."""
    in_how_many = Counter(word for words in counts.values() for word in words)
    return {w: math.log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for w, n in in_how_many.items()}


@cache
def synonyms() -> dict[str, list[str]]:
    """Other words for the same thing: one line of synonyms.txt each."""
    groups = [
        [stems(words) for words in line.split(",")] for line in (DATA / "synonyms.txt").read_text("utf8").splitlines()
    ]
    return {
        word: [w for words in group for w in words if w != word] for group in groups for one in group for word in one
    }


def asked(question: str, others: float = 0.0, known: Mapping[str, Collection[str]] | None = None) -> dict[str, float]:
    """The words of a question, each worth 1, and what else they may be called, worth `others`."""
    words, known = dict.fromkeys(stems(question), 1.0), synonyms() if known is None else known
    more = {other: others for word in words for other in known.get(word, ()) if other not in words and others}
    return words | more


RANKERS: dict[str, Callable[[], Ranker]] = {
    "TF-IDF": tf_idf,
    "BM25": lambda: bm25({"page": 1.0, "title": 1.0, "text": 1.0}),
    "BM25 with fields": lambda: bm25(WEIGHTS),
    "BM25 with fields and synonyms": lambda: bm25(WEIGHTS, OTHERS),
    "pieces of four letters": letters,
}

FORMER = "the former search"
"""What the publishing tool brings. It was typed into, question by question, before it went; its answers are stored."""
BEST = "BM25 with fields and synonyms"
"""The ranker of the search box."""


def found(ranker: Ranker, question: str, most: int = 10) -> list[str]:
    """The names of the best sections, best first; equal scores in the order of the book."""
    scores = ranker(question)
    return sorted(scores, key=lambda name: -scores[name])[:most]


# ---- the search box ----


@cache
def needs() -> dict[str, str]:
    """The words of a reader's need, by the section that answers it: of the handbook's list, and of needs.tsv."""
    need = re.compile(r"^- \[When ([^\]]+)\]\(#([a-z0-9-]+)\)$", re.MULTILINE)
    listed = need.findall((BOOK / "handbook.md").read_text("utf8"))
    said = {anchor: words for words, anchor in listed}
    told = {s.name: said[end] for s in sections() for end in [s.name.partition("#")[2]] if end in said}
    for line in (DATA / "needs.tsv").read_text("utf8").splitlines():
        name, words = line.split("\t")
        told[name] = f"{told.get(name, '')} {words}"
    return told


@cache
def box_counts() -> dict[str, dict[str, float]]:
    counts = {name: dict(words) for name, words in weighted(WEIGHTS).items()}
    for name, words in needs().items():
        for word in stems(words):
            if name in counts:
                counts[name][word] = counts[name].get(word, 0.0) + NEED
    return counts


@cache
def other_words() -> dict[str, list[str]]:
    """The synonyms, and what readers say who have not read the book."""
    more = dict(synonyms())
    for line in (DATA / "said.txt").read_text("utf8").splitlines():
        said, meant = line.split(":")
        for word in stems(said):
            more[word] = list(dict.fromkeys([*more.get(word, []), *stems(meant)]))
    return more


def boxed(question: str) -> dict[str, float]:
    """What the search box gives: the ranker that won, which knows the needs of readers and prefers what explains."""
    counts, kinds = box_counts(), {section.name: section.kind for section in sections()}
    length = {name: sum(words.values()) for name, words in counts.items()}
    usual, rarity = sum(length.values()) / len(length), rarities(counts)
    found: dict[str, float] = {}
    for word, worth in asked(question, OTHERS, other_words()).items():
        for name, held in counts.items():
            if tf := held.get(word, 0.0):
                long = SATURATION * (1 - LENGTH + LENGTH * length[name] / usual)
                score = worth * FAVOUR.get(kinds[name], 1.0) * rarity[word] * tf * (SATURATION + 1) / (tf + long)
                found[name] = found.get(name, 0.0) + score
    return found


def texts(left_out: Collection[str] = ()) -> str:
    """The words of the sections, of which a result shows those around a match; fetched when somebody has asked."""
    return json.dumps([section.text for section in kept(left_out)], ensure_ascii=False, separators=(",\n", ":"))


def kept(left_out: Collection[str]) -> list[Section]:
    return [section for section in sections() if section.name.partition("#")[0] not in left_out]


def index(left_out: Collection[str] = ()) -> str:
    """What _static/search.js reads: of a word, how many letters it shares with the word before it, the others, and the
    steps from section to section, each ended by its count (A is 1)."""
    held = kept(left_out)
    counts = box_counts()
    pages = {section.name.split("#")[0]: section.page for section in held}
    files = list(pages)
    kinds = list(dict.fromkeys(section.kind for section in held))
    words: dict[str, list[str]] = {}
    last: dict[str, int] = {}
    for at, section in enumerate(held):
        for word, count in counts[section.name].items():
            step = at - last.get(word, -1)
            last[word] = at
            words.setdefault(word, []).append(_base36(step) + _letter(count))
    made = {
        "sections": [
            [files.index(file), anchor, s.title, kinds.index(s.kind)]
            for s in held
            for file, _, anchor in [s.name.partition("#")]
        ],
        "pages": list(pages.items()),
        "kinds": kinds,
        "words": "|".join(_spelt(before, word, words) for before, word in pairwise(["", *sorted(words)])),
        "synonyms": other_words(),
        "favour": FAVOUR,
        "endings": ENDINGS,
        "stop": sorted(STOP),
        "others": OTHERS,
        "saturation": SATURATION,
        "length": LENGTH,
    }
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def _spelt(before: str, word: str, places: Mapping[str, list[str]]) -> str:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, word, strict=False)))
    return f"{_base36(shared)}{word[shared:]} " + "".join(places[word])


def _letter(count: float) -> str:
    return chr(64 + int(count)) if count in range(1, 27) else f":{count:g};"


def _base36(number: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return (_base36(number // 36) if number >= 36 else "") + digits[number % 36]


# ---- what was asked and judged ----


@cache
def questions() -> dict[str, str]:
    """The questions by number."""
    lines = (DATA / "questions.tsv").read_text("utf8").splitlines()
    return {number: words for number, words, _ in (line.split("\t") for line in lines)}


@cache
def run(name: str) -> dict[str, dict[str, float]]:
    """What a ranker returns for each question: its first ten sections with their scores."""
    if name == FORMER:
        return nd.read_run(str(DATA / "former.run.txt"))
    ranker = RANKERS[name]()
    answers = {}
    for number, question in questions().items():
        scores = ranker(question)
        answers[number] = {section: scores[section] for section in found(ranker, question)}
    return answers


def qrels(*judges: str) -> dict[str, dict[str, float]]:
    """The grades of one judge, "a" or "b"; of several or of none, the mean of their grades."""
    given = [nd.read_qrels(str(DATA / f"qrels-{judge}.txt")) for judge in judges or ("a", "b")]
    return {q: {s: sum(one[q][s] for one in given) / len(given) for s in given[0][q]} for q in given[0]}


def pool(depth: int = 5) -> dict[str, list[str]]:
    """What has to be judged: the first sections of every ranker for each question, in an order that tells nothing."""
    names = [FORMER, *RANKERS]
    return {
        number: sorted({section for name in names for section in list(run(name).get(number, {}))[:depth]})
        for number in questions()
    }


def share_judged(answers: dict[str, dict[str, float]], grades: dict[str, dict[str, float]], k: int = 5) -> float:
    """The share of the first k sections, over all questions, that a judge has seen."""
    shown = [(q, section) for q in grades for section in list(answers.get(q, {}))[:k]]
    return sum(section in grades[q] for q, section in shown) / max(len(shown), 1)


if __name__ == "__main__":
    for name, make in RANKERS.items():
        print(name, *found(make(), " ".join(sys.argv[1:]), 5), sep="\n  ")
