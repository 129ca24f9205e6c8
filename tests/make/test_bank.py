"""The question bank, read by the rules of Moodle, Canvas and QTI, and its keys worked out again."""

from __future__ import annotations

import base64
import io
import math
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ndcg_course.commands.exercises import command
from ndcg_course.make import files
from ndcg_course.make.bank import items as bank
from ndcg_course.make.bank.formats import FORMATS, packed
from ndcg_course.make.bank.items import Item, number
from ndcg_course.make.bank.words import as_html
from ndcg_course.make.chapters import Chapter, chapters, outlines, question
from ndcg_course.make.source import solved_code
from ndcg_course.tasks import tasks
from ndcg_course.tasks.task import FunctionTask, ValueTask

ROOT = Path(__file__).resolve().parents[2]
TITLES = {chapter.name: chapter.numbered for chapter in outlines(ROOT)}
AWKWARD = """
:::{quiz}
Is 1/2 = {printed}`0.5`, {and} ~ 3 -> 4: "#5" & \\\\ <b> $2^{rel}-1$?

- [ ] no; a [link](#x) {braces} = # ~
  > Wrong: 100 %.
- [x] yes ]]> `a_b`
  > Right.
:::

:::{quiz}
How much is it?

- [ ] 1.5
  > Too much.
- [=] −0.5
  > Half, below 0.
:::

:::{quiz}
Put them into order.

1. A & B
2. C
3. = D

> So it is.
:::
"""


@pytest.fixture(scope="module")
def asked() -> list[Item]:
    """Two variants of each task, and three questions with every sign that a format could stumble over."""
    texts = re.findall(r":::\{quiz\}\n(.*?):::", AWKWARD, re.DOTALL)
    found = tuple(question("chapters/ndcg", n, text) for n, text in enumerate(texts, start=1))
    page = Chapter("chapters/ndcg", "The core", 5, "NDCG / awkward", 9, "", (), ())
    with files.sources(ROOT) as sources:
        drawn = list(bank.of_tasks(sources, tasks().values(), "a seed", 2))
    return bank.evenly([*(bank._of_quiz(page, one) for one in found), *drawn], "a seed")


# ---- Moodle: question/format/xml/format.php, question/format.php, question/engine/bank.php -------------------------

FRACTIONS = [1, 0.9, 0.8333333, 0.8, 0.75, 0.7, 0.6666667, 0.6, 0.5, 0.4, 0.3333333, 0.3, 0.25, 0.2, 0.1666667,
             0.1428571, 0.125, 0.1111111, 0.1, 0.05, 0]  # fmt: skip


def moodle(data: bytes) -> Iterator[dict[str, Any]]:
    """What Moodle's importer makes of a file; it refuses what the assertions refuse."""
    category, seen, names = "", set[str](), set[str]()
    for found in ET.fromstring(data).findall("question"):
        kind = found.attrib["type"]
        if kind == "category":
            category = found.findtext("category/text") or ""
            assert re.match(r"\$course\$/top/", category)
            continue
        text = found.find("questiontext")
        assert text is not None and text.attrib["format"] in ("html", "plain_text", "moodle_auto_format", "markdown")
        pictures = {file.attrib["name"]: base64.b64decode(file.text or "") for file in text.findall("file")}
        body = text.findtext("text") or ""
        assert set(re.findall(r"@@PLUGINFILE@@/([^\"]+)", body)) == set(pictures)
        name, idnumber = found.findtext("name/text") or "", found.findtext("idnumber") or ""
        assert name.strip() and body.strip() and 0 < len(idnumber) <= 100 and idnumber not in seen
        assert name not in names, "a name of its own in Moodle's list"
        seen.add(idnumber)
        names.add(name)
        made: dict[str, Any] = {"category": category, "kind": kind, "id": idnumber, "text": body, "answers": []}
        for answer in found.findall("answer"):
            fraction = float(answer.attrib["fraction"]) / 100
            assert any(abs(fraction - allowed) < 0.00001 for allowed in FRACTIONS), "match_grade_options, 'error'"
            one = {"fraction": fraction, "text": (answer.findtext("text") or "").strip()}
            one["told"] = (answer.findtext("feedback/text") or "").strip()
            if kind == "numerical":
                one["value"], one["tolerance"] = float(one["text"]), float(answer.findtext("tolerance") or 0)
            made["answers"].append(one)
        if kind == "matching":
            pairs = [(sub.findtext("text"), sub.findtext("answer/text")) for sub in found.findall("subquestion")]
            assert len(pairs) >= 3 and all(left and right for left, right in pairs)
            made["pairs"] = pairs
        else:
            assert max(one["fraction"] for one in made["answers"]) == 1, "fractionsnomax"
        if kind == "multichoice":
            assert found.findtext("single") == "true" and len(made["answers"]) >= 2
            assert all(one["text"] for one in made["answers"])
        assert all(tag.text for tag in found.findall("tags/tag/text"))
        yield made


def marked(made: dict[str, Any], typed: float) -> dict[str, Any] | None:
    """The first answer that a typed number lies within: qtype_numerical's get_matching_answer."""
    return next((one for one in made["answers"] if abs(typed - one["value"]) <= one["tolerance"] + 1e-12), None)


def test_moodle_takes_every_question_and_gives_the_feedback_of_the_mistake(asked: list[Item]) -> None:
    made = {one["id"]: one for one in moodle(packed(asked, TITLES, "moodle")["moodle.xml"])}
    assert set(made) == {item.name for item in asked}
    for item in asked:
        one = made[item.name]
        assert one["category"].split("/")[3] == TITLES[item.page].replace("/", "//").split("/")[0]
        if item.kind == "number":
            for answer in item.answers:
                found = marked(one, number(answer.text))
                assert found and (found["fraction"] == 1) == answer.right, (item.name, answer)
                assert found["told"], item.name
    awkward = made["ndcg-q1"]
    assert (
        "2<sup>rel</sup>−1" in awkward["text"] and "&lt;b&gt;" in awkward["text"] and "{printed}" not in awkward["text"]
    )
    assert [one["text"] for one in awkward["answers"] if one["fraction"]] == ["yes ]]&gt; <code>a_b</code>"]
    assert (
        marked(made["ndcg-q2"], -0.5)
        == marked(made["ndcg-q2"], -0.54)
        not in (
            marked(made["ndcg-q2"], -0.6),
            marked(made["ndcg-q2"], 1.5),
        )
    )
    assert made["ndcg-q3"]["pairs"] == [("A &amp; B", "1"), ("C", "2 or 3"), ("D", "2 or 3")]


# ---- QTI 2.1: imsqti_v2p1.xsd on the elements that the bank uses, and the specification on their references -------

STATIC = "(p|ul|ol|table|pre|blockquote|em|strong|code|sub|sup|img)"
INLINE = "(em|strong|code|sub|sup|img|textEntryInteraction)"
TESTED, SET = "(match|equal)", "setOutcomeValue"
CONTENT = {  # the children in their order, a space after each; "~" first: text may stand between them
    "assessmentItem": "(responseDeclaration )+(outcomeDeclaration )*itemBody responseProcessing (modalFeedback )*",
    "responseDeclaration": "correctResponse ", "correctResponse": "(value )+", "value": "~",
    "outcomeDeclaration": "(defaultValue )?", "defaultValue": "(value )+",
    "itemBody": "((p|ul|ol|table|pre|blockquote|choiceInteraction|matchInteraction) )+",
    "p": f"~({INLINE} )*", "ul": "(li )*", "ol": "(li )*", "li": f"~({STATIC} )*", "pre": "~(code )*",
    "blockquote": "((p|ul|ol|table|pre) )+", "table": "(thead )?(tbody )+", "thead": "(tr )+", "tbody": "(tr )+",
    "tr": "((td|th) )+", "td": f"~({INLINE} )*", "th": f"~({INLINE} )*",
    "em": f"~({INLINE} )*", "strong": f"~({INLINE} )*", "code": "~", "sub": f"~({INLINE} )*",
    "sup": f"~({INLINE} )*", "img": "",
    "textEntryInteraction": "", "choiceInteraction": "(simpleChoice )+", "simpleChoice": f"~({STATIC} )*",
    "matchInteraction": "simpleMatchSet simpleMatchSet ", "simpleMatchSet": "(simpleAssociableChoice )*",
    "simpleAssociableChoice": f"~({STATIC} )*",
    "responseProcessing": "(responseCondition )*", "responseCondition": "responseIf (responseElseIf )*",
    "responseIf": f"{TESTED} ({SET} )*", "responseElseIf": f"{TESTED} ({SET} )*",
    "match": "variable (baseValue|correct) ", "equal": "variable baseValue ", SET: "baseValue ",
    "variable": "", "correct": "", "baseValue": "~", "modalFeedback": f"~({STATIC} )*",
}  # fmt: skip
NAME, NATURAL, YES_NO = r"[A-Za-z_][\w.-]*", r"\d+", "true|false"
ATTRIBUTES = {  # of each element all that the bank writes; what is in brackets may be left out
    "assessmentItem": "identifier title adaptive timeDependent",
    "responseDeclaration": "identifier cardinality baseType", "outcomeDeclaration": "identifier cardinality baseType",
    "img": "src alt", "choiceInteraction": "responseIdentifier shuffle maxChoices", "simpleChoice": "identifier",
    "textEntryInteraction": "responseIdentifier expectedLength",
    "matchInteraction": "responseIdentifier shuffle maxAssociations", "simpleAssociableChoice": "identifier matchMax",
    "equal": "toleranceMode tolerance", "variable": "identifier", "correct": "identifier", "baseValue": "baseType",
    SET: "identifier", "modalFeedback": "outcomeIdentifier identifier showHide",
}  # fmt: skip
VALUES = {
    "identifier": NAME, "responseIdentifier": NAME, "outcomeIdentifier": NAME, "title": ".+", "src": ".+", "alt": ".+",
    "adaptive": YES_NO, "timeDependent": YES_NO, "shuffle": YES_NO, "maxChoices": NATURAL, "matchMax": NATURAL,
    "maxAssociations": NATURAL, "expectedLength": NATURAL, "toleranceMode": "exact|absolute|relative",
    "tolerance": r"\d+(\.\d+)?( \d+(\.\d+)?)?", "showHide": "show|hide",
    "cardinality": "single|multiple|ordered|record",
    "baseType": "identifier|boolean|integer|float|string|point|pair|directedPair|duration|file|uri",
}  # fmt: skip
ASKS = {  # the response that an interaction is bound to
    "choiceInteraction": ("single", "identifier"), "textEntryInteraction": ("single", "float"),
    "matchInteraction": ("multiple", "directedPair"),
}  # fmt: skip
NAMESPACE = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"


def plain(node: ET.Element) -> str:
    return node.tag.removeprefix(NAMESPACE)


def as_the_schema_says(node: ET.Element) -> None:
    name = plain(node)
    below = "".join(f"{plain(child)} " for child in node)
    assert re.fullmatch(CONTENT[name].removeprefix("~"), below), (name, below)
    assert set(node.attrib) == set(ATTRIBUTES.get(name, "").split()), (name, node.attrib)
    for key, value in node.attrib.items():
        assert re.fullmatch(VALUES[key], value, re.DOTALL), (name, key, value)
    loose = (node.text or "") + "".join(child.tail or "" for child in node)
    assert CONTENT[name].startswith("~") or not loose.strip(), (name, loose)
    for child in node:
        as_the_schema_says(child)


def as_its_declarations_say(item: ET.Element) -> None:
    """That every name stands for something that the item declares, once, and every value has its type."""
    held: dict[str, list[ET.Element]] = {}
    for node in item.iter():
        held.setdefault(plain(node), []).append(node)
    declared = {node.attrib["identifier"]: (node.attrib["cardinality"], node.attrib["baseType"])
                for kind in ("responseDeclaration", "outcomeDeclaration") for node in held[kind]}  # fmt: skip
    assert len(declared) == len(held["responseDeclaration"]) + len(held["outcomeDeclaration"])
    sets = [[one.attrib["identifier"] for one in held.get("simpleChoice", ())]]
    sets = [[one.attrib["identifier"] for one in group] for group in held.get("simpleMatchSet", ())] or sets
    choices = [choice for group in sets for choice in group]
    assert len(set(choices)) == len(choices), choices

    def typed(text: str | None, base: str) -> bool:
        parts = (text or "").split()
        if base == "directedPair":
            return len(parts) == 2 and parts[0] in sets[0] and parts[1] in sets[1]
        return text in choices if base == "identifier" else bool(re.fullmatch(r"-?\d+(\.\d+)?", text or ""))

    (asks,) = (node for kind in ASKS for node in held.get(kind, ()))
    response = asks.attrib["responseIdentifier"]
    assert declared[response] == ASKS[plain(asks)]
    right = [value.text for value in item.findall(f"{NAMESPACE}responseDeclaration//{NAMESPACE}value")]
    assert len(set(right)) == len(right) and (len(right) == 1 or declared[response][0] == "multiple")
    assert all(typed(value, declared[response][1]) for value in right), right
    for node in held["variable"] + held.get("correct", []):
        assert node.attrib["identifier"] == response
    for test in held.get("match", []) + held.get("equal", []):
        for value in test.findall(f"{NAMESPACE}baseValue"):
            assert value.attrib["baseType"] == declared[response][1] and typed(value.text, declared[response][1])
    told = [node.attrib["identifier"] for node in held["modalFeedback"]]
    assert {node.attrib["outcomeIdentifier"] for node in held["modalFeedback"]} <= set(declared) - {response}
    said = []
    for node in held[SET]:
        name, value = node.attrib["identifier"], node[0]
        assert name != response and declared[name] == ("single", value.attrib["baseType"])
        said += [value.text] if value.attrib["baseType"] == "identifier" else []
    assert sorted(told) == sorted(filter(None, said)) and len(set(told)) == len(told)


def as_a_package_is(held: dict[str, bytes]) -> None:
    """The manifest: its parts in order, a name for each resource, every file in one of them, the item's file first."""
    manifest = ET.fromstring(held["imsmanifest.xml"])
    assert [node.tag.partition("}")[2] for node in manifest] == ["metadata", "organizations", "resources"]
    names = [manifest.attrib["identifier"], *(resource.attrib["identifier"] for resource in manifest[2])]
    assert len(set(names)) == len(names) and all(re.fullmatch(NAME, name) for name in names)
    files = [[file.attrib["href"] for file in resource] for resource in manifest[2]]
    assert sorted(file for one in files for file in one) == sorted(set(held) - {"imsmanifest.xml"})
    for resource, (first, *others) in zip(manifest[2], files, strict=True):
        assert resource.attrib["type"] == "imsqti_item_xmlv2p1" and resource.attrib["href"] == first
        shown = {f"items/{img.attrib['src']}" for img in ET.fromstring(held[first]).iter(f"{NAMESPACE}img")}
        assert shown == set(others)


def respond(item: ET.Element, response: str) -> tuple[float, str]:
    """Score and feedback: response processing for one value, by the specification."""
    find = item.find(f".//{NAMESPACE}responseCondition")
    assert find is not None
    right = [value.text for value in item.findall(f"./{NAMESPACE}responseDeclaration//{NAMESPACE}value")]
    for branch in find:
        test, *sets = branch
        value = test.findtext(f"{NAMESPACE}baseValue")
        if test.tag == f"{NAMESPACE}equal":
            hit = abs(float(response) - float(value or "nan")) <= float(test.attrib["tolerance"]) + 1e-12
        else:
            hit = response == value if value else response.split(",") == right
        if hit:
            score, shown = (one[0].text or "" for one in sets)
            feedback = item.find(f"{NAMESPACE}modalFeedback[@identifier='{shown}']")
            assert feedback is not None
            return float(score), "".join(feedback.itertext())
    return 0.0, ""


def opened(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_qti_2_1_keeps_to_its_schema_and_marks_right(asked: list[Item]) -> None:
    held = opened(packed(asked, TITLES, "qti21")["qti21.zip"])
    as_a_package_is(held)
    for item in asked:
        node = ET.fromstring(held[f"items/{item.name}.xml"])
        as_the_schema_says(node)
        as_its_declarations_say(node)
        assert node.tag == f"{NAMESPACE}assessmentItem" and node.attrib["identifier"] == item.name
        if item.kind == "match":
            right = [value.text or "" for value in node.findall(f"./{NAMESPACE}responseDeclaration//{NAMESPACE}value")]
            assert respond(node, ",".join(right))[0] == 1 and respond(node, ",".join(right[1:]))[0] == 0
            continue
        for i, answer in enumerate(item.answers, start=1):
            score, told = respond(node, f"A{i}" if item.kind == "choose" else str(number(answer.text)))
            assert score == answer.right and (answer.right or told), (item.name, answer)


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("choose", '<outcomeDeclaration identifier="FEEDBACK"', '<outcomeDeclaration identifier="SCORE"'),
        ("choose", 'cardinality="single"', 'cardinality="one"'),
        ("choose", ' adaptive="false"', ""),
        ("choose", 'identifier="A2"', 'identifier="A1"'),
        ("choose", 'identifier="A1" showHide', 'identifier="A9" showHide'),
        ("choose", 'baseType="identifier">A1<', 'baseType="identifier">A9<'),
        ("choose", 'identifier="A1"', 'identifier="1 A"'),
        ("choose", "<itemBody>", "<itemBody>text"),
        ("choose", "</responseProcessing>", "</responseProcessing><itemBody><p/></itemBody>"),
        ("choose", 'maxChoices="1"', 'maxChoices="one"'),
        ("number", 'toleranceMode="absolute"', 'toleranceMode="near"'),
        ("number", 'baseType="float"', 'baseType="string"'),
        ("number", '<variable identifier="RESPONSE"></variable>', ""),
        ("number", "<correctResponse><value>", "<correctResponse><value>1</value><value>"),
        ("match", "</simpleMatchSet><simpleMatchSet>", ""),
        ("match", "<value>A1 P0</value>", "<value>P0 A1</value>"),
    ],
)
def test_what_the_schema_or_a_declaration_does_not_allow_is_seen(
    asked: list[Item], kind: str, right: str, wrong: str
) -> None:
    item = next(item for item in asked if item.kind == kind)
    text = opened(packed([item], TITLES, "qti21")["qti21.zip"])[f"items/{item.name}.xml"].decode()
    assert right in text
    broken = ET.fromstring(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        as_the_schema_says(broken)
        as_its_declarations_say(broken)


# ---- QTI 1.2, as text2qti writes it and Canvas reads it --------------------------------------------------------------


def test_canvas_finds_every_file_question_and_feedback(asked: list[Item]) -> None:
    held = opened(packed(asked, TITLES, "qti12")["qti12-canvas.zip"])
    manifest = ET.fromstring(held["imsmanifest.xml"])
    bare = {name: ET.fromstring(re.sub(r' xmlns="[^"]+"', "", data.decode())) for name, data in held.items()}
    resources = [node for node in manifest.iter() if node.tag.endswith("}resource")]
    assert {node.attrib["href"] for node in manifest.iter() if "href" in node.attrib} == set(held) - {"imsmanifest.xml"}
    quizzes = [node for node in resources if node.attrib["type"] == "imsqti_xmlv1p2"]
    known = {node.attrib["identifier"] for node in resources}
    assert all(node[1].attrib["identifierref"] in known for node in quizzes)
    found: dict[str, ET.Element] = {}
    for quiz in quizzes:
        assessment = bare[quiz[0].attrib["href"]].find("assessment")
        assert assessment is not None and assessment.attrib["ident"] == quiz.attrib["identifier"]
        for section in assessment.findall("section/section"):
            assert section.findtext("selection_ordering/selection/selection_number") == "1"
        found |= {item.attrib["ident"]: item for item in assessment.iter("item")}
    assert set(found) == {item.name for item in asked}
    kinds = {"choose": "multiple_choice_question", "number": "numerical_question", "match": "matching_question"}
    for item in asked:
        node = found[item.name]
        facts = {f.findtext("fieldlabel"): f.findtext("fieldentry") for f in node.iter("qtimetadatafield")}
        assert facts["question_type"] == kinds[item.kind] and facts["points_possible"] == "1"
        told = {one.attrib["ident"] for one in node.iter("itemfeedback")}
        assert {one.attrib["linkrefid"] for one in node.iter("displayfeedback")} == told
        asks = {one.attrib["ident"] for kind in ("response_lid", "response_str") for one in node.iter(kind)}
        assert {one.attrib["respident"] for one in node.iter() if "respident" in one.attrib} == asks
        for text in node.iter("mattext"):
            assert (text.text or "").strip(), item.name
        scores = [float(one.text or 0) for one in node.iter("setvar")]
        assert math.isclose(sum(scores), 100, abs_tol=0.1), "one way to full marks"
        labels = {label.attrib["ident"] for label in node.iter("response_label")}
        if item.kind == "number":
            low, high = float(node.findtext(".//vargte") or "nan"), float(node.findtext(".//varlte") or "nan")
            assert [low <= number(answer.text) <= high for answer in item.answers] == [a.right for a in item.answers]
        else:
            assert {one.text for one in node.iter("varequal")} <= labels
        for picture in re.findall(r"\$IMS-CC-FILEBASE\$/([^\"]+)", ET.tostring(node, "unicode")):
            assert unescape(picture) in held


# ---- the questions themselves --------------------------------------------------------------------------------------


def as_data(text: str, like: Any) -> Any:
    """What a printed line of data holds, of the same type as another student's."""

    def scalar(text: str) -> Any:
        if text in ("None", "True", "False"):
            return {"None": None, "True": True, "False": False}[text]
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text) if re.fullmatch(r"-?[\d.]+", text) else text

    if isinstance(like, dict):
        return {name: scalar(value) for name, value in (part.split(": ") for part in text.split("; "))}
    if isinstance(like, (list, tuple)) and "[" in text:
        return [[scalar(cell) for cell in row.split(", ")] for row in re.findall(r"\[([^\]]*)\]", text)]
    return [scalar(part) for part in text.split(", ")] if isinstance(like, (list, tuple)) else scalar(text)


def shown_data(item: Item, like: dict[str, Any]) -> dict[str, Any]:
    lines = re.findall(r"<li>(\w+): (.*?)</li>", as_html(item.stem))
    return {name: as_data(unescape(value), like[name]) for name, value in lines if name in like}


FROM_THE_PLOT = {  # what a reader of the plot finds, from the values that stand in its description
    "useless_rank": lambda v: next(i for i in range(1, len(v)) if v[i] == v[i - 1]) + 1,
    "half_worth": lambda v: next(i for i, worth in enumerate(v, start=1) if worth <= v[0] / 2),
    "read_the_gain": lambda v: round(v[-1] / v[1]),
    "ideal_flat_from": lambda v: next(i for i, value in enumerate(v, start=1) if value == v[-1]),
    "lowest_at": lambda v: v.index(min(v)) + 1,
    "from_the_curve": lambda v: round((v[-1] - v[-2]) * math.log2(len(v) + 1)),
    "second_hit": lambda v: (
        [i for i in range(len(v)) if round(v[i] * (i + 1)) > (round(v[i - 1] * i) if i else 0)][1] + 1
    ),
}


def test_the_solutions_find_the_key_from_what_is_printed(asked: list[Item]) -> None:
    """The solution of a task is written without the library, by another way than its reference."""
    known = tasks()
    drawn = [item for item in asked if item.group in known]
    assert {task.name for task in known.values() if isinstance(task, ValueTask)} <= {item.group for item in drawn}
    with files.sources(ROOT) as sources:
        for source in sources.values():
            if source.facts.keys().isdisjoint(item.group for item in drawn):
                continue  # a report is asked in no bank
            for turn in range(2):
                of_turn = {
                    item.group: item
                    for item in drawn
                    if item.group in source.facts and item.name.endswith(str(turn + 1))
                }

                def own(name: str, of_turn: dict[str, Item] = of_turn) -> Any:
                    task = known[name]
                    assert isinstance(task, ValueTask)
                    shown = shown_data(of_turn[name], task.data("demo")) if name in of_turn else {}
                    return task.data("demo") | shown

                space: dict[str, Any] = {"own": own}
                for cell in source.cells:
                    if cell.role == "answer":
                        exec(solved_code(cell), space)
                for name, item in of_turn.items():
                    task = known[name]
                    if item.figure is not None:
                        values = [float(v) for v in item.figure.text().rpartition(": ")[2].split(", ")]
                        find = FROM_THE_PLOT[name]
                        answer = find(values) if find else values.index(round(own(name)["reported"], 2)) + 1
                    elif isinstance(task, FunctionTask):
                        like = dict(
                            zip(re.findall(r"<li>(\w+):", as_html(item.stem)), task.cases("x")[-1].args, strict=False)
                        )
                        answer = space[name](*shown_data(item, like).values())
                    else:
                        answer = space[name]
                    if item.kind == "number":
                        assert abs(answer - number(item.right.text)) <= max(item.tolerance, 1e-9), (item.name, answer)
                    else:
                        assert item.right.text == bank.shown(answer), (item.name, answer)


def test_what_is_asked_stands_in_the_text(asked: list[Item]) -> None:
    """A student sees neither the name of a question nor the heading of its task."""
    drawn = {item.group: item for item in asked if isinstance(tasks().get(item.group), ValueTask)}
    assert all(as_html(item.title).removeprefix("<p>")[:-4] in as_html(item.stem) for item in drawn.values())
    assert "DCG" in drawn["dcg_by_hand"].stem and "NDCG" in drawn["ndcg_by_hand"].stem


def test_no_wrong_answer_is_right_too_and_each_says_why(asked: list[Item]) -> None:
    for item in asked:
        if item.kind == "match":
            continue
        texts = [answer.text for answer in item.answers]
        assert len(set(texts)) == len(texts) and [a.right for a in item.answers].count(True) == 1, item.name
        for answer in item.answers:
            assert answer.feedback.strip(), (item.name, answer)
            if item.kind == "number" and not answer.right:
                assert abs(number(answer.text) - number(item.right.text)) > item.tolerance, (item.name, answer)


def test_no_variant_is_the_one_that_everybody_sees_and_none_comes_twice() -> None:
    known = tasks()
    with files.sources(ROOT) as sources:
        for name, home in (("dcg_by_hand", "03-discounting"), ("when_equal", "04-what-a-grade-is-worth")):
            task = known[name]
            assert isinstance(task, ValueTask)
            made = bank.variants_of(task, sources[home], "s", 40)
            assert (
                made == bank.variants_of(task, sources[home], "s", 40) != bank.variants_of(task, sources[home], "t", 40)
            )
            assert len({item.stem for item in made}) == len(made) == (40 if name == "dcg_by_hand" else len(made))
            assert not any(item.stem.endswith(bank.listed(task.data("demo"))) for item in made), name


def test_right_answers_stand_at_every_place_alike(asked: list[Item]) -> None:
    for n in (2, 3, 4):
        places = Counter(
            item.answers.index(item.right) for item in asked if item.kind == "choose" and len(item.answers) == n
        )
        assert max(places.values()) - min(places[i] for i in range(n)) <= 1, (n, places)


def test_a_formula_that_cannot_be_shown_everywhere_is_refused() -> None:
    assert as_html("$3/\\log_2 3$") == "<p>3/log<sub>2</sub> 3</p>"
    with pytest.raises(ValueError, match=r"\\frac.*words\.py"):
        as_html("$\\frac{1}{2}$")


def test_the_command_writes_all_or_nothing(tmp_path: Path) -> None:
    run = CliRunner()
    given = ["bank", "-o", str(tmp_path / "bank"), "--only", "tasks", "--variants", "1", "--root", str(ROOT)]
    done = run.invoke(command, [*given, "--format", "text"], catch_exceptions=False)
    assert done.exit_code in (0, None) and [f.name for f in (tmp_path / "bank").iterdir()] == ["bank.txt"]
    with pytest.raises(ValueError, match="exists: choose another folder, or pass --overwrite"):
        run.invoke(command, given, catch_exceptions=False)
    assert [f.name for f in (tmp_path / "bank").iterdir()] == ["bank.txt"]
    with pytest.raises(ValueError, match="Did you mean 'moodle'"):
        run.invoke(command, [*given, "--format", "moodel"], catch_exceptions=False)
    assert set(FORMATS) == {"moodle", "qti21", "qti12", "text"}


# ---- the quizzes of the book, for which all its chapters are run -----------------------------------------------------


def d(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def dcg(grades: list[float]) -> float:
    return sum(grade * d(rank) for rank, grade in enumerate(grades, start=1))


def older(grades: list[float]) -> float:
    """DCG as note 002 has it: ranks 1 and 2 in full."""
    return sum(grade / max(1, math.log2(rank)) for rank, grade in enumerate(grades, start=1))


BY_HAND = {
    "two-rankings-q2": (90 * 0 + 10 * 6) / 100,
    "cumulative-gain-q1": 3 + 0 + 1 + 0,
    "discounting-q1": 4 + 2 * d(2) + 5 / 2,
    "the-ideal-ranking-q1": 3 + 2 * d(2),
    "five-notes-q2": (1 + 7 * d(2)) / (7 + d(2)),
    "the-verdict-q1": 117 - 35 - 21,
    "ndcg-q1": 3 * d(2) / 3,
    "ndcg-bounds-q1": 1 / 2,
    "ndcg-bounds-q3": 1,
    "what-a-grade-is-worth-q1": (2**4 - 1) / (2**1 - 1),
    "what-a-grade-is-worth-q2": 1 + 0 + 3 / 2,
    "why-a-logarithm-q1": 6.166 * math.log(2),
    "why-a-logarithm-q2": 0.7**2,
    "which-ndcg-q1": dcg([3, 0, 2]) / dcg([3, 3, 2, 1, 0]),
    "awkward-cases-q1": 0.72 * 50 / 40,
    "awkward-cases-q4": 1 + d(2),
    "awkward-grades-q1": 2 * (1 + d(2)) / 2,
    "awkward-grades-q3": (dcg([1, -1, 0]) - dcg([-1, 0, 1])) / (dcg([1, 0, -1]) - dcg([-1, 0, 1])),
    "comparing-systems-q1": 2 / 2**3,
    "comparing-systems-q2": (8 / 20 + 1 / 2) / 2,
    "how-many-questions-q1": (2.8 * 5) ** 2,
    "how-many-questions-q2": 0.08 / math.sqrt(4),
    "judging-q1": 1 - 0.25 / 0.5,
    "judging-q2": 8 / 10,
    "a-search-engine-of-our-own-q1": 6 * 5,
    "a-search-engine-of-our-own-q2": 0.8 / 2,
    "make-two-tools-agree-q2": 0.6 * 40 / 50,
    "which-measure-q1": 1 / 4,
    "which-measure-q2": (1 / 1 + 2 / 3) / 4,
    "which-measure-q4": (1 - 0.5) * (1 + 0.5**2),
    "what-ndcg-does-not-see-q1": dcg([1, 1]) / dcg([1] * 5),
    "what-ndcg-does-not-see-q2": 10 + 10,
    "recommenders-q1": 1 / math.log2(8),
    "recommenders-q2": (1 + d(3)) / (1 + d(2)),
    "rag-q2": (3 + 2 / 2) / (6 + 2 / 2),
    "rag-q3": dcg([2, 3]) / dcg([3, 2]),
    "what-to-report-q2": 1 - 0.95**10,
    "learning-to-rank-q2": 0,
    "learning-to-rank-q1": (2 - 1) * (d(3) - d(4)) / dcg([3, 2, 1]),
    "beyond-one-machine-q1": (10 * 0.4 + 30 * 0.8) / 40,
    "beyond-one-machine-q3": 3 * 1000 / 10,
    "the-notes-checked-q2": 2 + 1.893 + 0.5 + 0.387,
    "note-000-q1": 13,
    "note-000-q2": (2 + 3) - (3 + 2),
    "note-002-q2": older([1, 0.6, 0.2, 0, 0.8, 0, 1]) / older([1, 1, 0.8, 0.6, 0.2]),
    "note-003-q1": dcg([3, 3, 2, 2, 1, 0]) / dcg([7, 7, 3, 3, 1, 0]),
    "note-003-q2": dcg([3, 2, 3, 0, 1, 2]) / dcg([3, 3, 2, 2, 1, 0]),
    "note-004-q1": math.log(2) / math.log(11),
    "note-004-q3": dcg([3, 1]) / dcg([3, 3]),
    "what-the-notes-claim-q2": dcg([1, 1, 1, -1]) / dcg([1, 1, 1, 0]),
    "names-and-history-q3": 1 + 3,
    "names-and-history-q4": 10,
}


@pytest.fixture(scope="module")
def quizzes() -> list[Chapter]:
    return chapters(ROOT)


@pytest.mark.slow
def test_the_keys_of_all_quizzes_are_right_and_moodle_takes_them(quizzes: list[Chapter]) -> None:
    found = bank.evenly(bank.of_quizzes(quizzes), "s")
    assert not {*BY_HAND} - {item.name for item in found if item.kind == "number"}, "these are asked no more"
    for item in found:
        if item.kind == "number":
            decimals = len(item.right.text.partition(".")[2])
            assert item.slack(item.right) < (0.6 if decimals < 3 else 1.1) * 10**-decimals, "it takes its neighbour"
            assert item.name in BY_HAND, f"work out the answer of {item.name} by hand, and write it here"
            apart = abs(number(item.right.text) - BY_HAND[item.name])
            assert apart <= max(item.tolerance, 1e-9), (item.name, BY_HAND[item.name], item.right.text)
    made = {one["id"]: one for one in moodle(packed(found, TITLES, "moodle")["moodle.xml"])}
    for item in found:
        for answer in item.answers if item.kind == "number" else ():
            hit = marked(made[item.name], number(answer.text))
            assert hit is not None and (hit["fraction"] == 1) == answer.right, (item.name, answer)
    names = re.findall(r"<name><text>(.*?)</text>", packed(found, TITLES, "moodle")["moodle.xml"].decode())
    assert len(names) == len(set(names)) == len(found), "Moodle's list shows the name alone"
    for name, data in opened(packed(found, TITLES, "qti21")["qti21.zip"]).items():
        if name.endswith(".xml") and name.startswith("items/"):
            as_the_schema_says(ET.fromstring(data))
            as_its_declarations_say(ET.fromstring(data))


@pytest.mark.slow
def test_in_the_book_no_place_gives_the_right_answer_away(quizzes: list[Chapter]) -> None:
    """As book/_ext/blocks.py shuffles them: who always takes one place is right no more often than by chance."""
    from _ext import blocks

    places: dict[int, Counter[int]] = {}
    for chapter in quizzes:
        for box, asked in zip(chapter.boxes("quiz"), chapter.questions, strict=True):
            if asked.kind == "choose":
                order = blocks.mixed(asked.answers, " ".join(box.text.splitlines()))
                places.setdefault(len(order), Counter())[next(i for i, a in enumerate(order) if a.right)] += 1
    for n, found in places.items():
        asked_of = sum(found.values())
        spread = math.sqrt(asked_of * (1 / n) * (1 - 1 / n))
        assert all(abs(found[i] - asked_of / n) <= 2.6 * spread for i in range(n)), places
