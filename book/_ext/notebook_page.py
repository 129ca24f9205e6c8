"""One page on its way to a notebook: each box of its text as plain Markdown or code, by the method that has its name.

A box without one is quoted. What a reader does in a browser becomes a cell, a fold, or a line to fill in.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from os.path import relpath
from pathlib import Path
from textwrap import fill
from types import SimpleNamespace
from typing import Any

import nbformat
from _ext import misconceptions, notes, peers, pycell, tools
from _ext.blocks import mixed
from _ext.lists import named

import ndcg_lib as nd
from ndcg_course.make import pages
from ndcg_course.make.files import FOLDED, INSTALL, METADATA
from ndcg_lib.grid import tag

FENCE = re.compile(r"^(:{3,}|`{3,})(?:\{([\w-]+)\}[ \t]*(.*)|[\w+-]*)$")
ANCHOR = re.compile(r"^\(([\w-]+)\)=$")
LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]+)\)")
ROLE = re.compile(r"\{([\w:-]+)\}`([^`]+)`")
HELD = ("examples", "facts", "learning", "search", "trec")  # modules of the book that its pages import
IMPORT = re.compile(rf"^( *)(import|from) ({'|'.join(HELD)})\b", re.MULTILINE)
FIGURE = re.compile(r'<svg [^>]*aria-label="([^"]*)".*?</svg>', re.DOTALL)
FROM_DATA: dict[str, Any] = {
    "printed-values": notes.PrintedValues, "wrong-numbers": notes.WrongNumbers, "errata": notes.Errata,
    "notes-counted": notes.NotesCounted, "claims": notes.Claims, "claims-judged": notes.ClaimsJudged,
    "disagreements": notes.Disagreements, "tools-on": tools.ToolsOn, "tools-measured": tools.ToolsMeasured,
    "peers-compared": peers.Compared,
}  # fmt: skip
ABOUT = (
    "*This is a page of {where} as a notebook: run its cells from the top with Shift+Enter, change them, and run them "
    "again. Text: [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), The NDCG book maintainers; code: BSD "
    "3-Clause.*"
)


class Page:
    """One page on its way to a notebook."""

    def __init__(self, book: Any, name: str, alone: bool) -> None:
        self.book, self.name, self.alone, self.short = book, name, alone, name.rpartition("/")[2]
        self.cells: list[Any] = []
        self.anchor, self.count, self.guesses, self.quiz = "top", dict[tuple[str, str], int](), 0, 0

    # ---- cells ----

    def add(self, kind: str, source: str, **metadata: Any) -> Any:
        """A cell, named by the page and the section, so that an edit elsewhere leaves its id."""
        source = source.strip("\n")
        n = self.count[kind, self.anchor] = self.count.get((kind, self.anchor), 0) + 1
        name = f"{self.short}-{self.anchor}-{kind[0]}{n}"
        if len(name) > 64:
            name = f"{name[:50]}-{hashlib.sha256(name.encode()).hexdigest()[:10]}"
        cell = getattr(nbformat.v4, f"new_{kind}_cell")(source, id=name, metadata=metadata)
        self.cells += [cell] if source else []
        return cell

    def code(self, source: str, outputs: Any = (), shown: bool = True) -> None:
        imports = IMPORT.sub(
            lambda m: f"{m[1]}from ndcg_book{'.' + m[3] if m[2] == 'from' else f' import {m[3]}'}", source
        )
        here = re.sub(r'(?<!\w)"(data|chapters)/', r'ndcg_book.__path__[0] + "/\1/', imports)
        if here != imports:
            here = re.sub(r"\A((?:#.*\n)*)", r"\1import ndcg_book\n", here)
        cell = self.add("code", here, **({} if shown else FOLDED))
        cell.outputs, cell.execution_count = [still(output) for output in outputs], None

    def notebook(self) -> Any:
        page = self.book.runs[self.name]
        first, _, rest = page.cells[0].source.partition("\n")
        where = f"[{self.book.title}]({self.book.site}{self.name}.html)" if self.book.site else f"*{self.book.title}*"
        self.add("markdown", f"{first}\n\n{ABOUT.format(where=where)}")
        self.code(f"{install()}\n\n{pages.standing(page)}", shown=False)
        self.text(rest)
        for cell in page.cells[1:]:
            tags = set(cell.metadata.get("tags", []))
            if cell.cell_type == "markdown":
                self.text(cell.source)
            elif {"remove-cell", "remove-input", "hide-input"} & tags:
                note = (
                    ""
                    if "hide-input" in tags
                    else "# what the text is computed from\n"
                    if "remove-cell" in tags
                    else "# what is shown below\n"
                )
                self.code(note + cell.source, [] if "remove-cell" in tags else cell.outputs, shown=False)
            else:
                self.code(cell.source, cell.outputs)
        ran = [cell for cell in self.cells if cell.cell_type == "code"]
        for number, cell in enumerate(ran, start=1):
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output["execution_count"] = number
            cell.execution_count = number if cell.outputs else None
        return nbformat.from_dict({"cells": self.cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})

    # ---- text ----

    def text(self, text: str) -> None:
        """Paragraphs up to the next heading or box are one cell, each box is one."""
        lines, held, labelled, at = text.split("\n"), list[str](), False, 0
        while at < len(lines):
            line = lines[at]
            if found := ANCHOR.match(line):
                self.flush(held)
                self.anchor, labelled = found[1], True
            elif line.startswith("## "):
                self.flush(held)
                self.anchor = self.anchor if labelled else re.sub(r"\W+", "-", line.lower())[3:33].strip("-")
                held.append(line)
                labelled = False
            elif found := FENCE.match(line):
                end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == found[1])
                if found[2]:
                    self.flush(held)
                    self.box(found[2], found[3], lines[at + 1 : end])
                else:
                    held += lines[at : end + 1]
                at = end
            else:
                held.append(line)
            at += 1
        self.flush(held)

    def flush(self, held: list[str]) -> None:
        self.add("markdown", self.plain("\n".join(held)))
        held.clear()

    def plain(self, text: str) -> str:
        """Roles, links and definition lists in plain Markdown; code stays."""
        parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
        for i in range(0, len(parts), 2):
            part = re.sub(r"<span id=[^>]*></span>|^%.*$|^<p class=.*</p>$", "", parts[i], flags=re.MULTILINE)
            part = re.sub(r"<ndcg-noted( sealed)?>(.*?)</ndcg-noted>", noted, part)
            part = re.sub(r"<ndcg-blank[^>]*>…</ndcg-blank>", "____", part)
            part = ROLE.sub(self.role, part)
            part = re.sub(r"^(?![\s|>*-])(.+)\n: (.*)$", r"**\1**: \2", part, flags=re.MULTILINE)
            parts[i] = LINK.sub(self.link, part)
        return "".join(parts)

    def role(self, found: re.Match[str]) -> str:
        name, text = found[1], re.sub(r"\s*<[^>]*>$", "", found[2])
        target = found[2][len(text) :].strip(" <>") or text
        if name.startswith("py:"):
            short = f"`nd.{text.rpartition('.')[2]}`"
            return f"[{short}]({self.book.site}reference/api.html#{target})" if self.book.site else short
        return text

    def link(self, found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        if "://" in target or target.startswith("mailto:") or ".ipynb" in target:
            return found[0]
        file, _, anchor = target.partition("#")
        page = str((Path("/", self.name).parent / file).resolve())[1:].removesuffix(".md") if file else self.name
        page, heading = self.book.anchors.get(anchor, (page, "")) if anchor else (page, "")
        words = words or self.plain(heading) or self.book.titles.get(page, page)
        if page in self.book.left_out:
            return words
        if page in self.book.made and not self.alone:
            place = "" if page == self.name else relpath(f"{page}.ipynb", str(Path(self.name).parent))
            spot = f"#{re.sub(r'[$`*]', '', heading).replace(' ', '-')}" if heading else ""
            return f"[{words}]({place}{spot})" if place or spot else words
        spot = f"#{anchor}" if anchor else ""
        return f"[{words}]({self.book.site}{page}.html{spot})" if self.book.site else words

    # ---- boxes ----

    def box(self, name: str, argument: str, lines: list[str]) -> None:
        options = {}
        while lines and (found := re.match(r"^:([\w-]+):(?: +(.*))?$", lines[0])):
            options[found[1]] = found[2] or ""
            lines = lines[1:]
        body = "\n".join(lines).strip("\n")
        if name in FROM_DATA:
            self.from_data(name, argument, options)
        elif (make := getattr(self, f"_{name.replace('-', '_')}", None)) is not None:
            make(argument, options, body)
        elif body:
            self.add("markdown", quoted("", self.inner(body)))

    def inner(self, body: str) -> str:
        """What stands in a box as Markdown; boxes in it follow one another."""
        inside = Page(self.book, self.name, self.alone)
        inside.quiz, inside.guesses, inside.anchor = self.quiz, self.guesses, self.anchor
        inside.text(body)
        self.quiz, self.guesses = inside.quiz, inside.guesses
        return "\n\n".join(cell.source for cell in inside.cells)

    def said(self, head: str, body: str) -> None:
        self.add("markdown", quoted(head, self.inner(body)))

    def from_data(self, name: str, argument: str, options: dict[str, str]) -> None:
        kind = FROM_DATA[name]
        whole = argument and kind.final_argument_whitespace
        made = SimpleNamespace(arguments=[argument] if whole else argument.split(), options=options)
        made.data = json.loads(peers.DATA.read_text("utf8"))
        made.known = lambda names, of: [one.strip() for one in names.split(";")]
        lines = kind.text(made)
        self.text("\n".join(map(notes.cased, lines) if issubclass(kind, notes.FromTheNotes) else lines))

    def _prediction(self, argument: str, options: dict[str, str], body: str) -> None:
        self.said("Decide before you read on", body)
        if form := options.get("guess"):
            self.guesses += 1
            self.code(f"{self.variable()} = {asked(form)}")

    def variable(self) -> str:
        return "guess" if self.guesses <= 1 else f"guess_{self.guesses}"

    def _guessed(self, argument: str, options: dict[str, str], body: str) -> None:
        asked_in = [cell.source for cell in self.cells if cell.source.startswith(f"{self.variable()} = ")]
        if asked_in:
            names = re.findall(r'^    "(.*?)": \.\.\.', asked_in[-1], re.MULTILINE) or [""]
            truth = right(asked_in[-1].partition(" = ")[2], names, options.get("truth", ""))
            code = f"from ndcg_book import guessed\n\nguessed({self.variable()}{truth})"
            told = "o guess yet. Put one into the cell above, and run both.\n"
            text = "".join(f"{name}: n{told}" if name else f"N{told}" for name in names)
            self.code(code, [nbformat.v4.new_output("stream", name="stdout", text=text)])
        self.text(body)

    def _page_meta(self, argument: str, options: dict[str, str], body: str) -> None:
        self.said(
            "After this page you can", f"{body}\n\nTakes about {options['minutes']} minutes. Needs: {options['needs']}"
        )

    def _misconception(self, argument: str, options: dict[str, str], body: str) -> None:
        if slip := nd.SLIPS.get(argument):
            put = f"Put right in [](#{slip.page.split('#')[1]})."
            body = f"{misconceptions.on_its_example(slip)} {slip.why}\n\n{body}\n\n{put}"
        self.said(f"“{slip.belief if slip else argument}”", body)

    def _summary(self, argument: str, options: dict[str, str], body: str) -> None:
        self.said("In short", body)

    def _dropdown(self, argument: str, options: dict[str, str], body: str) -> None:
        self.add("markdown", fold(argument, self.inner(body)))

    def _assignment(self, argument: str, options: dict[str, str], body: str) -> None:
        title, file = self.book.titles.get(f"assignments/{argument}", argument), self.book.exercises.get(argument)
        near = not self.alone and file and f"{'../' * self.name.count('/')}exercises/{file}"
        link = near or (self.book.site and f"{self.book.site}assignments/{argument}.html")
        self.add(
            "markdown",
            quoted("Now you", f"Assignment: {f'[{title}]({link})' if link else title}\n\n{self.inner(body)}"),
        )

    def _pycell(self, argument: str, options: dict[str, str], body: str) -> None:
        if pycell.ASKS.search(body.strip()):
            return self.code(body.strip())
        above, _, last = body.strip().rpartition("\n")  # one of them is meant to fail, and would stop "Run all"
        self.code(f"{above}\n# {last}  # take the first # away, and run")

    def _by_hand(self, argument: str, options: dict[str, str], body: str) -> None:
        rights = re.findall(r'<ndcg-blank right="([^"]*)"', body)
        told = ", ".join(f"{float(right):.3f}".rstrip("0").rstrip(".") for right in rights)
        self.said("With pencil and paper", f"{body}\n\n" + fold("Show the answers, row by row", told))

    def _sheet(self, argument: str, options: dict[str, str], body: str) -> None:
        lines = [line.partition(" = ")[0] for line in body.split("\n")]
        self.said("Write down", "\n".join(f"{line}: ____" for line in lines if line.strip()))

    def _paragraph(self, argument: str, options: dict[str, str], body: str) -> None:
        lines = [line.partition(" = ")[0] for line in body.split("\n")]
        self.said("Your paragraph says", "\n".join(line for line in lines if line.strip()))

    def _reply(self, argument: str, options: dict[str, str], body: str) -> None:
        self.add("markdown", fold(f"If you chose: {argument}", self.inner(body)))

    def _replies(self, argument: str, options: dict[str, str], body: str) -> None:
        self.text(body)

    _your_row = _slider = _grid = _replies

    def _certificate(self, argument: str, options: dict[str, str], body: str) -> None:
        """A sheet to print, which the page fills in."""

    _next = _path = _ticked = _certificate  # the way through the site, and what was done on it

    def _grid_item_card(self, argument: str, options: dict[str, str], body: str) -> None:
        link = f"[{argument}]({options['link']}.md)" if "link" in options else argument
        self.add("markdown", self.plain(f"- **{link}** {' '.join(body.split())}"))

    # ---- questions ----

    def _quiz(self, argument: str, options: dict[str, str], body: str, head: str = "", mix: bool = True) -> None:
        self.quiz += not head
        head = head or f"Question {self.quiz}"
        if found := re.search(r"^1\. ", body, re.MULTILINE):
            return self.order(head, body[: found.start()], body[found.start() :], " ".join(body.split("\n")))
        question, *answers = re.split(r"^- \[([ x=])\] ", body, flags=re.MULTILINE)
        listed = [(mark, *self.answer(text)) for mark, text in zip(answers[::2], answers[1::2], strict=True)]
        if "=" in answers[::2]:
            listed.sort(key=lambda answer: answer[0] != "=")
            lines = [
                f"**{words}.** {why}" if mark == "=" else f"If you got **{words}**: {why}"
                for mark, words, why in listed
            ]
            return self.add("markdown", quoted(head, f"{self.inner(question)}\n\n{fold('Show the answer', *lines)}"))
        listed = mixed(listed, " ".join(body.split("\n"))) if mix else listed
        named = list(zip("abcdefgh", listed, strict=False))
        shown = "\n".join(f"- **{letter}** {words}" for letter, (_, words, _) in named)
        right = [f"**{letter}** is right. {why}" for letter, (mark, _, why) in named if mark == "x"]
        wrong = [f"Not **{letter}**: {why}" for letter, (mark, _, why) in named if mark == " "]
        self.add(
            "markdown", quoted(head, f"{self.inner(question)}\n\n{shown}\n\n{fold('Show the answer', *right, *wrong)}")
        )
        return None

    def answer(self, text: str) -> tuple[str, str]:
        words, _, why = text.partition("\n")
        lines = (line.strip().removeprefix(">").strip() for line in why.strip().split("\n"))
        return self.plain(words.strip()), self.plain(" ".join(lines))

    def order(self, head: str, question: str, rest: str, seed: str) -> None:
        items = [re.sub(r"^= ", "", item).strip() for item in re.findall(r"^\d+\. (.*)$", rest, re.MULTILINE)]
        others = mixed(items, seed)
        others = items[1:] + items[:1] if others == items else others
        key = "\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))
        answer = fold(
            "Show the answer", self.plain(key), self.plain(" ".join(re.findall(r"^> ?(.*)$", rest, re.MULTILINE)))
        )
        shown = self.plain("\n".join(f"- {item}" for item in others))
        self.add("markdown", quoted(head, f"{self.inner(question)}\n\n{shown}\n\n{answer}"))

    def _exhibit(self, argument: str, options: dict[str, str], body: str) -> None:
        self._quiz(argument, options, body, "Which line cannot be right?", mix=False)

    def _bet(self, argument: str, options: dict[str, str], body: str) -> None:
        claim, *answers = re.split(r"^- \[([ x])\] ", body, flags=re.MULTILINE)
        right = (self.answer(text) for mark, text in zip(answers[::2], answers[1::2], strict=True) if mark == "x")
        words, why = next(right)
        verdict = fold("Show the verdict", f"**{words[0].upper()}{words[1:]}.** {why}")
        self.add("markdown", quoted(argument, f"{self.plain(claim).strip()}\n\n{verdict}"))

    # ---- what the reader plays with ----

    def play(self, grades: list[float], **given: Any) -> None:
        call = ",\n        ".join(
            [str(grades), *(f"{name}={json.dumps(x, ensure_ascii=False)}" for name, x in given.items())]
        )
        made = nd.play(grades, **given)
        data = {"text/markdown": made._repr_markdown_(), "text/plain": repr(made)}
        output = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
        self.code(f"import ndcg_lib as nd\n\nnd.play({call})", [output])

    def _playground(self, argument: str, options: dict[str, str], body: str) -> None:
        told, options = [], named(options)
        if "goal" in options:
            moves = f" in {options['moves']} move{'s' * (options['moves'] != '1')}" if "moves" in options else ""
            told.append(f"Reach {options['measure'].upper()} {options['goal']}{moves}.")
        told += [fold("Show the answer", options["truth"])] if options.get("truth") else []
        if body or told:
            self.add("markdown", quoted("Your move", "\n\n".join([self.inner(body), *told])))
        lists = {
            n: [float(w) if "." in w else int(w) for w in options.get(n, "").split()] for n in ("grades", "missed")
        }
        titles = [title.strip() for title in options.get("titles", "").split(";") if title.strip()]
        given = {
            "missed": lists["missed"],
            "titles": titles,
            "k": int(options.get("k", 0)),
            "convention": options.get("convention", ""),
        }
        if options.get("measure", "ndcg") != "ndcg":
            given["measure"] = options["measure"]
        self.play(lists["grades"], **{name: value for name, value in given.items() if value})

    def _ten_minutes(self, argument: str, options: dict[str, str], body: str) -> None:
        self.text(body)
        self._playground("", {"list": "engine A"}, "")

    def _questions(self, argument: str, options: dict[str, str], body: str) -> None:
        self.text(body)
        if "differences" in options:
            numbers = fill(
                ", ".join(options["differences"].split()), 90, initial_indent="    ", subsequent_indent="    "
            )
            self.code(f"differences = sorted([\n{numbers}])\nout = 0  # how many to take out at the right end\n"
                      "sum(differences[: len(differences) - out]) / (len(differences) - out)")  # fmt: skip

    def _staircase(self, argument: str, options: dict[str, str], body: str) -> None:
        grades, scores = ([float(word) for word in named(options)[name].split()] for name in ("grades", "scores"))
        self.text(body.replace("Drag the score", "Change a score"))
        self.code(f"import ndcg_lib as nd\n\nnd.ndcg_scores({grades}, {scores})")


def quoted(head: str, body: str) -> str:
    """A box as a quotation; a formula in it on one line, because > would get into it."""
    body = re.sub(
        r"^\$\$\n(.*?)\n\$\$$", lambda m: f"$${' '.join(m[1].split())}$$", body, flags=re.DOTALL | re.MULTILINE
    )
    return "\n".join(f"> {line}".rstrip() for line in f"{f'**{head}**' if head else ''}\n\n{body}".strip().split("\n"))


def noted(found: re.Match[str]) -> str:
    """What somebody printed, folded: on the page it comes out when the reader has the number, or lifts a seal."""
    return f"<details><summary>{'sealed' if found[1] else 'printed'}</summary>{found[2]}</details>"


def fold(title: str, *body: str) -> str:
    inside = "\n\n".join(body)
    return f"<details>\n<summary>{title}</summary>\n\n{inside}\n\n</details>"


def asked(form: str) -> str:
    """The form of a guess as the code of a cell.

    >>> asked("the smaller one = A, B")
    '...  # the smaller one: "A" or "B"'
    """

    def one(words: str) -> str:
        if found := re.fullmatch(r"(\S+) to (\S+?)(?: by (\S+))?", words):
            return f"a number from {found[1]} to {found[2]}"
        return "a number" if words == "number" else " or ".join(f'"{word.strip()}"' for word in words.split(","))

    parts = [[part.strip() for part in whole.rpartition(" = ")[::2]] for whole in form.split(";")]
    if len(parts) == 1:
        return f"...  # {parts[0][0] + ': ' if parts[0][0] else ''}{one(parts[0][1])}"
    return "{\n" + "".join(f"    {json.dumps(name)}: ...,  # {one(words)}\n" for name, words in parts) + "}"


def right(form: str, names: list[str], truth: str) -> str:
    """What is true of a guess, as the second argument of `guessed`; words must be among those of its form.

    >>> right('...  # "A" or "B"', [""], "B"), right("...  # a number from 0 to 1", [""], "0.743")
    (', "B"', ', 0.743')
    """
    if not truth:
        return ""
    given = [re.sub(r"^0+(?=\d)", "", one.strip().replace("−", "-")) for one in truth.split(";")]
    if wrong := [one for one in given if not (re.fullmatch(r"-?[\d.]+", one) or json.dumps(one) in form)]:
        raise ValueError(f":truth: {wrong[0]} is none of the answers of {form}")
    said = [one if re.fullmatch(r"-?[\d.]+", one) else json.dumps(one) for one in given]
    pairs = [f"{json.dumps(name)}: {one}" for name, one in zip(names, said, strict=True)]
    return f", {said[0]}" if names == [""] else f", {{{', '.join(pairs)}}}"


def still(output: Any) -> Any:
    """An output whose figures are pictures on white: JupyterLab takes <svg> out of a notebook that was only opened."""
    output = nbformat.from_dict(json.loads(json.dumps(output)))
    if "text/html" in output.get("data", {}):
        output.data["text/html"] = FIGURE.sub(_picture, output.data["text/html"])
    return output


def _picture(found: re.Match[str]) -> str:
    head = found[0].partition(">")[0]
    spaces = {"xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink"}
    more = "".join(f'{name}="{value}" ' for name, value in spaces.items() if f" {name}=" not in head)
    svg = found[0].replace("<svg ", f"<svg {more}", 1)
    svg = svg.replace("fill:currentColor", "fill:currentColor;color:#1f2328;background:#fff", 1)
    width = re.search(r"max-width:([\d.]+)rem", found[0])
    size = f"{float(width[1]) * 16:.0f}" if width else None
    data = b64encode(svg.encode()).decode()
    return tag("img", alt=html.unescape(found[1]), width=size, src=f"data:image/svg+xml;base64,{data}")


def install() -> str:
    """The first cell: that of the assignments, for the library and the book's data instead of the course."""
    own = INSTALL.replace("    import ndcg_course\n", "    import ndcg_book\n    import ndcg_lib\n")
    return own.replace('["..[cli]", "../ndcg_course"]', "[]").replace('"ndcg_course")', '"ndcg_book")')
