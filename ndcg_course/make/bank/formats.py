"""The bank as Moodle XML, QTI 2.1, QTI 1.2 for Canvas, and plain text; each by the rules of its importer."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ndcg_course.make.bank.items import Item, number
from ndcg_course.make.bank.words import as_html, as_line, as_text
from ndcg_course.make.chapters import Answer
from ndcg_course.make.files import zipped
from ndcg_lib.grid import Html, joined, tag, tags

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
TOP = "NDCG"  # the category above those of the chapters


def packed(items: Sequence[Item], titles: Mapping[str, str], name: str) -> dict[str, bytes]:
    """The files of a format, by their names; `titles` are those of the chapters."""
    return {file: made if isinstance(made, bytes) else made.encode() for file, made in FORMATS[name](items, titles)}


def _by_place(items: Sequence[Item]) -> Iterator[tuple[str, list[tuple[str, list[Item]]]]]:
    """The items by chapter, and in it by the task that they are variants of."""
    for page in dict.fromkeys(item.page for item in items):
        held = [item for item in items if item.page == page]
        groups = dict.fromkeys(item.group for item in held)
        yield page, [(group, [item for item in held if item.group == group]) for group in groups]


def _named(item: Item) -> list[tuple[str, Answer]]:
    return [(f"A{i}", answer) for i, answer in enumerate(item.answers, start=1)]


def _value(answer: Answer) -> str:
    return f"{number(answer.text):.12g}"


def _plain(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _stem(item: Item, picture: str) -> Html:
    """The question in HTML, with its plot below."""
    if item.figure is None:
        return as_html(item.stem)
    return joined(as_html(item.stem), tag("p", tag("img", src=picture, alt=item.figure.text())))


def _svg(item: Item) -> str:
    """The plot as a file of its own, in a colour that shows on light and dark."""
    return XML + str(item.figure.html()).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" color="#767676" ', 1)


def _resource(name: str, kind: str, files: Iterable[str], *inside: object, **attributes: str) -> Html:
    return tag("resource", *(tag("file", href=file) for file in files), *inside, identifier=name, type=kind,
                **attributes)  # fmt: skip


def _package(schema: str, version: str, space: str, resources: Sequence[str], files: Mapping[str, str]) -> bytes:
    """A zip of the files and their manifest, which is the same for the same files."""
    about = tag("metadata", tag("schema", schema), tag("schemaversion", version))
    manifest = tag("manifest", about, Html("<organizations/>"), tag("resources", *resources), xmlns=space,
                    identifier="ndcg-bank")  # fmt: skip
    return zipped({"imsmanifest.xml": XML + manifest, **files})


# ---- Moodle ---------------------------------------------------------------------------------------------------

_MOODLE = {"choose": "multichoice", "number": "numerical", "match": "matching"}


def _categories(items: Sequence[Item], titles: Mapping[str, str]) -> Iterator[tuple[str, list[Item]]]:
    """Paths of categories, with their items; in a name of a path a slash is written twice."""
    for page, groups in _by_place(items):
        for group, held in groups:
            names = [TOP, titles[page], *([group] if len(held) > 1 else [])]
            yield "/".join(["$course$", "top", *(name.replace("/", "//") for name in names)]), held


def _moodle(items: Sequence[Item], titles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    lines = []
    for path, held in _categories(items, titles):
        lines.append(tag("question", tag("category", tag("text", path)), type="category"))
        lines += [_moodle_question(item) for item in held]
    yield "moodle.xml", XML + tag("quiz", "\n", *([line, "\n"] for line in lines)) + "\n"


def _cdata(html: str) -> Html:
    return tag("text", Html(f"<![CDATA[{html.replace(']]>', ']]]]><![CDATA[>')}]]>"))


def _html(name: str, html: str, *inside: object, **attributes: object) -> Html:
    return tag(name, _cdata(html), *inside, format="html", **attributes)


def _moodle_question(item: Item) -> Html:
    drawn = base64.b64encode(_svg(item).encode()).decode() if item.figure else ""
    picture = tag("file", drawn, name=f"{item.name}.svg", path="/", encoding="base64") if drawn else ""
    return tag(
        "question",
        tag("name", tag("text", f"{item.title} ({item.name})")),
        _html("questiontext", _stem(item, f"@@PLUGINFILE@@/{item.name}.svg"), picture),
        _html("generalfeedback", as_html(item.answers[0].feedback) if item.kind == "match" else ""),
        Html("<defaultgrade>1</defaultgrade><penalty>0.3333333</penalty><hidden>0</hidden>"),
        tag("idnumber", item.name),
        *_moodle_answers(item),
        tag("tags", *(tag("tag", tag("text", name)) for name in dict.fromkeys((item.page, item.group)))),
        type=_MOODLE[item.kind],
    )


def _moodle_answers(item: Item) -> Iterator[Html]:
    if item.kind != "number":
        yield Html("<shuffleanswers>true</shuffleanswers>")
    if item.kind == "choose":
        yield Html("<single>true</single><answernumbering>abc</answernumbering>")
    for answer, place in zip(item.answers, item.places, strict=True):
        told = _html("feedback", as_line(answer.feedback))
        if item.kind == "match":
            yield _html("subquestion", as_line(answer.text), tag("answer", tag("text", place)))
        elif item.kind == "choose":
            yield _html("answer", as_line(answer.text), told, fraction=100 * answer.right)
        else:
            typed, slack = tag("text", _value(answer)), tag("tolerance", _plain(item.slack(answer)))
            yield tag("answer", typed, told, slack, fraction=100 * answer.right, format="plain_text")


# ---- QTI 2.1 --------------------------------------------------------------------------------------------------


def _qti21(items: Sequence[Item], titles: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    files: dict[str, str] = {}
    resources = []
    for item in items:
        held = {(first := f"items/{item.name}.xml"): _item21(item)}
        if item.figure:
            held[f"items/{item.name}.svg"] = _svg(item)
        resources.append(_resource(f"R-{item.name}", "imsqti_item_xmlv2p1", held, href=first))
        files |= held
    space = "http://www.imsglobal.org/xsd/imscp_v1p1"
    yield "qti21.zip", _package("QTIv2.1 Package", "1.0.0", space, resources, files)


def _item21(item: Item) -> str:
    """An item that says something to each answer; their identifiers are A1, A2, …"""
    base, correct, ask, tests = {"choose": _choose21, "number": _number21, "match": _match21}[item.kind](item)
    told = list(zip(_named(item), tests, strict=False))
    rules = [
        tag("responseElseIf" if i else "responseIf", test, _set21("SCORE", "float", f"{answer.right:d}"),
             _set21("FEEDBACK", "identifier", name))
        for i, ((name, answer), test) in enumerate(told)
    ]  # fmt: skip
    many = "multiple" if item.kind == "match" else "single"
    return XML + tag(
        "assessmentItem",
        tag("responseDeclaration", tag("correctResponse", *(tag("value", one) for one in correct)),
             identifier="RESPONSE", cardinality=many, baseType=base),
        tag("outcomeDeclaration", Html("<defaultValue><value>0</value></defaultValue>"),
             identifier="SCORE", cardinality="single", baseType="float"),
        tag("outcomeDeclaration", identifier="FEEDBACK", cardinality="single", baseType="identifier"),
        tag("itemBody", _stem(item, f"{item.name}.svg"), ask),
        tag("responseProcessing", tag("responseCondition", *rules)),
        *(tag("modalFeedback", as_line(answer.feedback), outcomeIdentifier="FEEDBACK", identifier=name,
               showHide="show") for (name, answer), _ in told),
        xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1", identifier=item.name, title=item.title, adaptive="false",
        timeDependent="false",
    )  # fmt: skip


Asked = tuple[
    str, list[str], Html, list[Html]
]  # base type, right response, interaction, a test for each answer told apart


def _choose21(item: Item) -> Asked:
    choices = [tag("simpleChoice", as_line(answer.text), identifier=name) for name, answer in _named(item)]
    ask = tag("choiceInteraction", *choices, responseIdentifier="RESPONSE", shuffle="true", maxChoices=1)
    tests = [tag("match", _GIVEN, tag("baseValue", name, baseType="identifier")) for name, _ in _named(item)]
    return "identifier", [name for name, answer in _named(item) if answer.right], ask, tests


def _number21(item: Item) -> Asked:
    ask = tag("p", tag("textEntryInteraction", responseIdentifier="RESPONSE", expectedLength=10))
    tests = [
        tag("equal", _GIVEN, tag("baseValue", _value(answer), baseType="float"),
             toleranceMode="absolute", tolerance=_plain(item.slack(answer)))
        for answer in item.answers
    ]  # fmt: skip
    return "float", [_value(item.right)], ask, tests


def _match21(item: Item) -> Asked:
    places = list(dict.fromkeys(item.places))
    left = [tag("simpleAssociableChoice", as_line(a.text), identifier=name, matchMax=1) for name, a in _named(item)]
    right = [tag("simpleAssociableChoice", place, identifier=f"P{i}", matchMax=item.places.count(place))
             for i, place in enumerate(places)]  # fmt: skip
    ask = tag("matchInteraction", tag("simpleMatchSet", *left), tag("simpleMatchSet", *right),
               responseIdentifier="RESPONSE", shuffle="true", maxAssociations=len(left))  # fmt: skip
    correct = [f"{n} P{places.index(place)}" for (n, _), place in zip(_named(item), item.places, strict=True)]
    return "directedPair", correct, ask, [tag("match", _GIVEN, tag("correct", identifier="RESPONSE"))]


_GIVEN = tag("variable", identifier="RESPONSE")


def _set21(name: str, base: str, value: str) -> Html:
    return tag("setOutcomeValue", tag("baseValue", value, baseType=base), identifier=name)


# ---- QTI 1.2, as Canvas reads it ------------------------------------------------------------------------------

QTI12 = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_CANVAS = {"choose": "multiple_choice_question", "number": "numerical_question", "match": "matching_question"}


def _qti12(items: Sequence[Item], titles: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """A practice quiz for each chapter, in which a student gets one of the variants of a task."""
    files: dict[str, str] = {}
    resources = []
    for page, groups in _by_place(items):
        ident, title = "ndcg-" + page.rpartition("/")[2], f"{TOP}: {titles[page]}"
        root = tag("section", *(_section12(group, held) for group, held in groups), ident="root_section")
        quiz = tag("assessment", root, ident=ident, title=title)
        files[f"{ident}/{ident}.xml"] = XML + tag("questestinterop", quiz, xmlns=QTI12)
        files[meta := f"{ident}/assessment_meta.xml"] = XML + tag(
            "quiz", tag("title", title), Html("<description/><shuffle_answers>true</shuffle_answers>"),
            Html("<quiz_type>practice_quiz</quiz_type><allowed_attempts>-1</allowed_attempts><available>false</available>"),
            tag("points_possible", f"{len(groups)}.0"), identifier=ident, xmlns="http://canvas.instructure.com/xsd/cccv1p0",
        )  # fmt: skip
        needs = tag("dependency", identifierref=f"{ident}-meta")
        resources.append(_resource(ident, "imsqti_xmlv1p2", [f"{ident}/{ident}.xml"], needs))
        kind = "associatedcontent/imscc_xmlv1p1/learning-application-resource"
        resources.append(_resource(f"{ident}-meta", kind, [meta], href=meta))
    for item in (item for item in items if item.figure):
        files[path := f"pictures/{item.name}.svg"] = _svg(item)
        resources.append(_resource(f"P-{item.name}", "webcontent", [path], href=path))
    space = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
    yield "qti12-canvas.zip", _package("IMS Content", "1.1.3", space, resources, files)


def _section12(group: str, held: Sequence[Item]) -> Html:
    if len(held) == 1:
        return _item12(held[0])
    one = [tag("selection_number", 1), tag("selection_extension", tag("points_per_item", 1))]
    pick = tag("selection_ordering", tag("selection", one))
    return tag("section", pick, *map(_item12, held), ident=f"group-{group}", title=group)


def _item12(item: Item) -> Html:
    names = [f"{item.name}-{i}" for i in range(1, len(item.answers) + 1)]
    facts = {"question_type": _CANVAS[item.kind], "points_possible": "1", "original_answer_ids": ",".join(names),
             "assessment_question_identifierref": f"{item.name}-ref"}  # fmt: skip
    listed = (tag("qtimetadatafield", tag("fieldlabel", key), tag("fieldentry", value)) for key, value in facts.items())
    asks, rules, told = {"choose": _choose12, "number": _number12, "match": _match12}[item.kind](item, names)
    score = tag("outcomes", tag("decvar", maxvalue=100, minvalue=0, varname="SCORE", vartype="Decimal"))
    return tag(
        "item",
        tag("itemmetadata", tag("qtimetadata", *listed)),
        tag("presentation", _material(_stem(item, f"$IMS-CC-FILEBASE$/pictures/{item.name}.svg")), *asks),
        tag("resprocessing", score, *rules),
        *(tag("itemfeedback", tag("flow_mat", _material(text)), ident=name) for name, text in told.items()),
        ident=item.name, title=item.title,
    )  # fmt: skip


def _material(words: str) -> Html:
    return tag("material", tag("mattext", str(joined(words)), texttype="text/html"))


def _rule12(test: Html, feedback: str = "", points: str = "", action: str = "Set") -> Html:
    """What happens to a response: a feedback is shown and the next rule is read, or points are given."""
    set_ = tag("setvar", points, action=action, varname="SCORE") if points else ""
    shown = tag("displayfeedback", feedbacktype="Response", linkrefid=feedback) if feedback else ""
    return tag("respcondition", tag("conditionvar", test), set_, shown, continue_="No" if points == "100" else "Yes")


def _equal12(value: str, response: str = "response1") -> Html:
    return tag("varequal", value, respident=response)


Asked12 = tuple[list[Html], list[Html], dict[str, Html]]  # presentations, rules, feedback by name


def _choose12(item: Item, names: list[str]) -> Asked12:
    both = list(zip(names, item.answers, strict=True))
    labels = [tag("response_label", _material(as_line(answer.text)), ident=name) for name, answer in both]
    ask = tag("response_lid", tag("render_choice", *labels), ident="response1", rcardinality="Single")
    rules = [_rule12(_equal12(name), f"{name}_fb") for name in names]
    rules += [_rule12(_equal12(name), points="100") for name, answer in both if answer.right]
    return [ask], rules, {f"{name}_fb": as_line(answer.feedback) for name, answer in both}


def _number12(item: Item, names: list[str]) -> Asked12:
    """Canvas has one feedback for all wrong numbers, so it names the mistake behind each."""
    ask = tag("render_fib", tag("response_label", ident="answer1"), fibtype="Decimal")
    key, slack = number(item.right.text), item.slack(item.right)
    ends = (("vargte", key - slack), ("varlte", key + slack))
    low, high = (tag(name, _plain(end), respident="response1") for name, end in ends)
    near = tag("or", _equal12(_value(item.right)), tag("and", low, high))
    wrong = [[as_line(a.text), ": ", as_line(a.feedback)] for a in item.answers if not a.right]
    ways = joined(tag("p", "If you got"), tag("ul", tags("li", wrong)))
    told = {"correct_fb": as_line(item.right.feedback), "general_incorrect_fb": ways}
    rules = [_rule12(near, "correct_fb", "100"), _rule12(Html("<other/>"), "general_incorrect_fb")]
    return [tag("response_str", ask, ident="response1", rcardinality="Single")], rules, told


def _match12(item: Item, names: list[str]) -> Asked12:
    ends = {place: f"{item.name}-p{i}" for i, place in enumerate(dict.fromkeys(item.places))}
    labels = tag("render_choice", *(tag("response_label", _material(place), ident=end) for place, end in ends.items()))
    asks = [tag("response_lid", _material(as_line(answer.text)), labels, ident=f"response_{name}")
            for name, answer in zip(names, item.answers, strict=True)]  # fmt: skip
    part = f"{100 / len(names):.2f}"
    rules = [_rule12(Html("<other/>"), "general_fb")]
    rules += [_rule12(_equal12(ends[place], f"response_{name}"), points=part, action="Add")
              for name, place in zip(names, item.places, strict=True)]  # fmt: skip
    return asks, rules, {"general_fb": as_line(item.answers[0].feedback)}


# ---- plain text -----------------------------------------------------------------------------------------------


def _text(items: Sequence[Item], titles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    blocks = []
    for page, groups in _by_place(items):
        blocks.append(f"{titles[page]}\n{'=' * len(titles[page])}")
        blocks += [as_printed(item) for _, held in groups for item in held]
    yield "bank.txt", "\n\n".join(blocks) + "\n"


def as_printed(item: Item) -> str:
    """A question with its key: a star before what is right."""
    lines = [f"[{item.name}] {item.title}", as_text(item.stem)] + ([item.figure.text()] if item.figure else [])
    for i, (answer, place) in enumerate(zip(item.answers, item.places, strict=True)):
        mark = {"match": f"{place}.", "choose": f"{chr(97 + i)})", "number": "="}[item.kind]
        lines.append(f"{'*' if answer.right else ' '} {mark} {as_text(answer.text)}")
        if item.kind != "match" or answer is item.answers[-1]:
            lines.append(f"      {as_text(answer.feedback)}")
    return "\n".join(lines)


Made = Iterator[tuple[str, str]] | Iterator[tuple[str, bytes]]
FORMATS: dict[str, Callable[[Sequence[Item], Mapping[str, str]], Made]] = {
    "moodle": _moodle, "qti21": _qti21, "qti12": _qti12, "text": _text,
}  # fmt: skip
