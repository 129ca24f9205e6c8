"""The boxes of a page: page-meta, prediction, quiz, exhibit, summary, assignment. AUTHORS.md shows each in use."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

from ndcg_course.make.chapters import PARTS, lesson
from ndcg_course.tasks import task_named
from ndcg_course.tasks.task import off_by
from ndcg_lib.grid import around, tag


class details(nodes.General, nodes.Element):
    """A fold that opens without a script."""


class fold_title(nodes.General, nodes.TextElement):
    """What one clicks to open a fold."""


class Box(SphinxDirective):
    """A titled box: an admonition with a class of its own."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    title = ""
    css = ""

    def run(self) -> list[nodes.Node]:
        return [self.box(self.title, self.css, self.content)]

    def box(self, title: str, css: str, content: Any) -> nodes.admonition:
        box = nodes.admonition(classes=["box", css])
        parts, messages = self.state.inline_text(title, self.lineno)
        box += nodes.title(title, "", *parts, *messages)
        self.state.nested_parse(content, self.content_offset, box)
        self.set_source_info(box)
        return box


class Prediction(Box):
    """A question that the page answers later; with :guess: a field whose answer is kept until {guessed} shows it."""

    title, css = "Decide before you read on", "prediction"
    option_spec: ClassVar = {"guess": directives.unchanged_required, "key": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        box = self.box(self.title, self.css, self.content)
        if form := self.options.get("guess"):
            key = self.options.get("key", "first")
            self.env.metadata[self.env.docname]["asks"] = True
            rows = 3 if len(form) > 60 and "=" not in form else None  # on a phone; its place is kept free
            box += nodes.raw("", tag("ndcg-guess", key=key, form=form, rows=rows), format="html")
        return [box]


class Guessed(SphinxDirective):
    """What the reader guessed, before the text that says what is true; without a guess, the text alone.

    `:truth:` is for the page as a notebook, which compares.
    """

    has_content = True
    option_spec: ClassVar = {"truth": directives.unchanged_required}
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        key = self.arguments[0] if self.arguments else "first"
        self.env.metadata[self.env.docname]["asks"] = True
        holder = nodes.container(classes=["guessed"])
        self.state.nested_parse(self.content, self.content_offset, holder)
        opening, ending = (nodes.raw("", end, format="html") for end in around("ndcg-guessed", key=key))
        return [opening, holder, ending]


class Slider(SphinxDirective):
    """A table, made by {eval}, that a slider goes through row by row; without a script, the whole table."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["asks"] = True
        holder = nodes.container(classes=["slider"])
        self.state.nested_parse(self.content, self.content_offset, holder)
        if not list(holder.findall(nodes.table)):
            raise self.error("slider: there is no table in it")
        ends = around("ndcg-slider", label=self.arguments[0])
        opening, ending = (nodes.raw("", end, format="html") for end in ends)
        return [opening, holder, ending]


class Summary(Box):
    title, css = "In short", "summary"


class PageMeta(Box):
    """What the page is for: a list of objectives, and :minutes: and :needs: as options."""

    css = "page-meta"
    option_spec: ClassVar = {
        "minutes": directives.positive_int,
        "needs": directives.unchanged_required,
        "practice": directives.unchanged_required,
        "by-hand": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        for name in ("minutes", "needs"):
            if name not in self.options:
                raise self.error(f"page-meta needs the option :{name}:")
        about = self.env.metadata[self.env.docname]
        about["minutes"], about["practice"] = self.options["minutes"], self.options.get("practice", "").split()
        box = self.box("After this page you can", self.css, self.content)
        line = f"Needs: {self.options['needs']}"
        parts, messages = self.state.inline_text(line, self.lineno)
        box += nodes.paragraph(line, "", *parts, *messages, classes=["page-meta-line"])
        return [box]


class Lesson(SphinxDirective):
    """The minutes of a lesson on a page of the teacher's guide: to ask, to show, and to do."""

    option_spec: ClassVar = dict.fromkeys(PARTS, directives.unchanged)

    def run(self) -> list[nodes.Node]:
        try:
            told = lesson("", self.options)
        except ValueError as error:
            raise self.error(str(error)) from None
        words = ", ".join(f"{getattr(told, part)} to {part}" for part in PARTS)
        line = f"A lesson of {told.minutes} minutes: {words}."
        return [nodes.paragraph(line, line, classes=["lesson"])]


def mixed(things: Iterable[Any], seed: str) -> list[Any]:
    """The things in an order that depends on the question alone, so that each build has the same."""
    return (listed := list(things)) and random.Random(seed).sample(listed, len(listed))


class Quiz(SphinxDirective):
    """A question and its answers: a list to choose from ([x] right, [ ] wrong), a number to type ([=] right, [ ] the
    numbers that a known mistake gives), or an order to restore (a numbered list). Each answer has a quoted feedback.
    The build shuffles what is to be chosen or ordered, always in the same way, so that no position gives it away.
    """

    has_content = True
    MARK = re.compile(r"\[([ xX=])\]\s*")
    NUMBER = re.compile(r"[-−]?\d[\d ]*(?:\.\d+)?(?=\D*$)")
    SAID: ClassVar = {True: "Yes. ", False: "Not quite. "}
    css, label, shuffled = "quiz", "Question", True

    def run(self) -> list[nodes.Node]:
        number = self.env.temp_data[self.css] = self.env.temp_data.get(self.css, 0) + 1
        holder = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, holder)
        quiz = nodes.container(classes=["quiz", self.css])
        title = f"{self.label} {number}." if self.shuffled else f"{self.label}."
        quiz += nodes.paragraph("", "", nodes.strong("", title), classes=["quiz-number"])
        self.seed = " ".join(self.content)
        children, answers = list(holder.children), []
        for i, child in enumerate(children):
            if isinstance(child, nodes.bullet_list):
                answers = [self._read(item) for item in child.children]
                marks = [mark for mark, *_ in answers]
                if "=" in marks:
                    quiz += self._number(answers)
                    quiz["classes"].append("typed")
                elif "x" not in marks:
                    raise self.error("quiz: no answer is marked [x]")
                elif len(marks) < 2:
                    raise self.error("quiz: needs a list of at least two answers, '- [ ] …' or '- [x] …'")
                else:
                    folds = [self._choice(*answer) for answer in answers]
                    quiz += mixed(folds, self.seed) if self.shuffled else folds
            elif isinstance(child, nodes.enumerated_list):
                answers = list(child.children)
                quiz += self._order(answers, children[i + 1 :])
                quiz["classes"].append("ordered")
                break
            else:
                quiz += child
        if not answers:
            raise self.error("quiz: needs a list of answers, '- [x] …', '- [=] 0.897' or '1. the first of an order'")
        if "typed" in quiz["classes"] or "ordered" in quiz["classes"] or not self.shuffled:
            self.env.metadata[self.env.docname]["asks"] = True
        return [quiz]

    def _read(self, item: Any) -> tuple[str, list[nodes.Node], list[nodes.Node]]:
        """The mark of an answer, its words, and its feedback."""
        first = item.children[0] if item.children else None
        lead = first.children[0] if isinstance(first, nodes.paragraph) and first.children else None
        match = self.MARK.match(lead.astext()) if isinstance(lead, nodes.Text) else None
        feedback = item.children[1:]
        if match is None:
            raise self.error(f"quiz: an answer must begin with [ ], [x] or [=]: {item.astext()[:60]!r}")
        if not feedback:
            raise self.error(f"quiz: no feedback (a line that begins with >) under {first.astext()[:60]!r}")
        inner = feedback[0].children if isinstance(feedback[0], nodes.block_quote) else feedback
        words = [nodes.Text(lead.astext()[match.end() :]), *first.children[1:]]
        return match[1].lower(), words, [node.deepcopy() for node in inner]

    def _fold(self, title: list[nodes.Node], body: list[nodes.Node], lead: nodes.Node, css: str) -> details:
        holder = nodes.container(classes=["quiz-feedback"])
        if body and isinstance(body[0], nodes.paragraph):
            body[0].insert(0, lead)
        else:
            holder += nodes.paragraph("", "", lead)
        holder += body
        fold = details("", fold_title("", "", *title), holder)
        fold["classes"] = ["quiz-answer", css]
        return fold

    def _choice(self, mark: str, words: list[nodes.Node], feedback: list[nodes.Node]) -> details:
        right = mark == "x"
        return self._fold(words, feedback, nodes.strong("", self.SAID[right]), "right" if right else "wrong")

    def _number(self, answers: list[tuple[str, list[nodes.Node], list[nodes.Node]]]) -> details:
        """A fold that shows the answer; the field above it is made by asks.js, which reads the numbers from here."""
        body: list[nodes.Node] = []
        shown: dict[str, str] = {}
        for mark, words, feedback in sorted(answers, key=lambda answer: answer[0] != "="):
            written = "".join(word.astext() for word in words).strip()
            if mark == "x" or not self.NUMBER.search(written):
                raise self.error(f"quiz: {written!r} beside a typed number must be a number, marked [=] or [ ]")
            if (right := next(iter(shown), "")) and self._same(written, right):
                raise self.error(f"quiz: {written} would pass for {right}, the right answer; write more decimals")
            shown[written] = mark
            value = nodes.strong("", written, classes=["quiz-value"])
            lead = [value, nodes.Text(". ")] if mark == "=" else [nodes.Text("If you got "), value, nodes.Text(": ")]
            if not isinstance(feedback[0], nodes.paragraph):
                feedback.insert(0, nodes.paragraph())
            for part in reversed(lead):
                feedback[0].insert(0, part)
            body.append(nodes.container("", *feedback, classes=["quiz-case", "right" if mark == "=" else "wrong"]))
        if list(shown.values()).count("=") != 1:
            raise self.error("quiz: a typed number has one right answer, marked [=]")
        holder = nodes.container("", *body, classes=["quiz-feedback"])
        fold = details("", fold_title("", "Show the answer"), holder)
        fold["classes"] = ["quiz-answer", "key"]
        return fold

    def _same(self, one: str, other: str) -> bool:
        """Whether asks.js takes one number for the other."""
        x, y = (float(re.sub(r"\s", "", self.NUMBER.search(text)[0]).replace("−", "-")) for text in (one, other))  # type: ignore[index]
        decimals = len(match[1]) if (match := re.search(r"\.(\d+)\D*$", other)) else 0
        return abs(x - y) <= (off_by(decimals) or 1e-9)

    def _order(self, items: list[Any], rest: list[Any]) -> list[nodes.Node]:
        """The items in another order, and a fold with the right one; asks.js lets them be moved."""
        if len(items) < 3 or not rest or not isinstance(rest[0], nodes.block_quote):
            raise self.error(
                "quiz: an order needs three items or more and, below the list, a feedback that begins with >"
            )
        for item in items:  # "3. = Prices" may change places with the item above it
            first = item.children[0].children[0]
            if isinstance(first, nodes.Text) and first.astext().startswith("= "):
                item.children[0].replace(first, nodes.Text(first.astext()[2:]))
                item["classes"].append("free")
        others = mixed(items, self.seed)
        if others == items:
            others = items[1:] + items[:1]
        loose = nodes.bullet_list("", *[item.deepcopy() for item in others], classes=["quiz-order"])
        feedback = [node.deepcopy() for node in rest[0].children]
        key = nodes.enumerated_list("", *[item.deepcopy() for item in items], enumtype="arabic", prefix="", suffix=".")
        holder = nodes.container("", key, *feedback, classes=["quiz-feedback"])
        fold = details("", fold_title("", "Show the answer"), holder)
        fold["classes"] = ["quiz-answer", "key"]
        return [loose, fold]


class Exhibit(Quiz):
    """Lines as somebody printed them, in their order; the reader clicks the one that cannot be right ([x])."""

    css, label, shuffled = "exhibit", "Click what cannot be right", False
    SAID: ClassVar = {True: "Found. ", False: "This line is right. "}


class Bet(Quiz):
    """A claim with its four possible verdicts, always in the same order; asks.js keeps the score."""

    required_arguments, final_argument_whitespace = 1, True
    css, shuffled = "bet", False
    SAID: ClassVar = {True: "You win. ", False: "You lose. "}

    def run(self) -> list[nodes.Node]:
        self.label = self.arguments[0]
        return super().run()


class Assignment(SphinxDirective):
    """The door to the tasks of a page, and to their assignment; nothing where there is no such page in the course.

    Without `tasks` they are those of the core practice.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"tasks": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name = f"assignments/{self.arguments[0]}"
        if name not in self.env.found_docs or name in getattr(self.env, "left_out", ()):
            return []
        box = nodes.admonition(classes=["box", "assignment"])
        given = Path(self.env.doc2path(name)).read_text("utf8")
        practice = self.options.get("tasks", "").split() or self.env.metadata[self.env.docname].get("practice", ())
        tasks = [task for task in practice if f"(task-{task.replace('_', '-')})=" in given]
        if not tasks:
            box += nodes.title("", "Now you")
            box += nodes.paragraph("", "", nodes.Text("Assignment: "), self._link("doc", f"/{name}"))
        else:
            many = f"{COUNTED[len(tasks) - 1]} task{'s' if len(tasks) > 1 else ''}"
            minutes = sum(task_named(task).minutes for task in tasks)
            box += nodes.title("", f"Now you: {many}, {minutes} minutes")
            listed = nodes.bullet_list()
            for task in tasks:
                listed += nodes.list_item(
                    "", nodes.paragraph("", "", self._link("ref", f"task-{task}".replace("_", "-")))
                )
            box += listed
            box += nodes.paragraph(
                "", "", nodes.Text("They and more are in the assignment "), self._link("doc", f"/{name}")
            )
            box[-1] += nodes.Text(".")
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]

    def _link(self, kind: str, target: str) -> nodes.Node:
        return pending_xref("", nodes.inline("", ""), refdomain="std", reftype=kind, reftarget=target,
                            refdoc=self.env.docname, refexplicit=False, refwarn=True)  # fmt: skip


COUNTED = ("one", "two", "three", "four", "five", "six")


def printed(name: str, rawtext: str, text: str, *rest: Any, **options: Any) -> tuple[list[nodes.Node], list[Any]]:
    """A number as somebody printed it: typed on purpose, so the test for typed numbers passes it over."""
    return [nodes.inline(rawtext, text, classes=["printed"])], []


def _open_details(self: Any, node: Any) -> None:
    self.body += [around("details", class_=" ".join(node["classes"]))[0], "\n"]


def _close_details(self: Any, node: Any) -> None:
    self.body.append("</details>\n")


def _open_title(self: Any, node: Any) -> None:
    words = any(child.astext().strip() for child in node.children if not isinstance(child, nodes.math))
    # A formula alone gives no name that every screen reader reads.
    self.body.append("<summary><span>" if words else '<summary><span><span class="visually-hidden">Answer: </span>')


def _close_title(self: Any, node: Any) -> None:
    self.body.append("</span></summary>\n")


def _nothing(self: Any, node: Any) -> None:
    pass


def setup(app: Any) -> dict[str, bool]:
    plain = (_nothing, _nothing)
    app.add_node(details, html=(_open_details, _close_details), latex=plain, text=plain)
    app.add_node(fold_title, html=(_open_title, _close_title), latex=plain, text=plain)
    app.add_role("printed", printed)
    app.add_directive("page-meta", PageMeta)
    app.add_directive("lesson", Lesson)
    app.add_directive("prediction", Prediction)
    app.add_directive("summary", Summary)
    app.add_directive("guessed", Guessed)
    app.add_directive("slider", Slider)
    app.add_directive("quiz", Quiz)
    app.add_directive("exhibit", Exhibit)
    app.add_directive("bet", Bet)
    app.add_directive("assignment", Assignment)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
