"""The teacher's guide has a lesson for each chapter, and what it takes from other sources is there."""

import json
import re

from _ext import guide
from playground_program import ask, needs_node

import kit
from ndcg_course.make.chapters import contents

LESSONS = sorted((kit.ROOT / "book" / "teaching").glob("*.md"))
PARTS = ("Ask", "Show", "Do", "Where students stumble", "Discuss", "Live", "Afterwards")
LISTED = dict((name, part) for part, name in contents(kit.ROOT))
CHAPTERS = [name for name in LISTED if name.startswith("chapters/")]
DEMOS = [found for page in LESSONS for found in re.findall(r"\{demo\}`([^`]+)`", page.read_text("utf8"))]


def test_each_chapter_has_a_lesson():
    for chapter in CHAPTERS:
        lesson = f"teaching/{chapter.partition('/')[2]}"
        assert LISTED.get(lesson, "").startswith("Lessons"), (
            f"write book/{lesson}.md, and put it into _toc.yml, with the lessons"
        )
        text = (kit.ROOT / "book" / f"{lesson}.md").read_text("utf8")
        assert tuple(re.findall(r"^## (.*)$", text, re.MULTILINE)) == PARTS, lesson
        assert f"../{chapter}.md" in text and f"{{stumbles}} {chapter}\n" in text, lesson
        assert sum(int(n) for n in re.findall(r"^:(?:ask|show|do): (\d+)$", text, re.MULTILINE)) <= 45, lesson


def test_what_the_last_class_did_comes_first(tmp_path, monkeypatch):
    last = tmp_path / "slips.json"
    monkeypatch.setattr(guide, "LAST", last)
    before = guide.stumbles("chapters/ndcg")
    name = sorted(name for name in guide.slips_of("chapters/ndcg") if not guide.DIGITS.search(name))[-1]
    last.write_text(json.dumps({"students": 41, "slips": {name: 7}}), "utf8")
    first, *rest = guide.stumbles("chapters/ndcg")
    assert first.endswith("(your last class: 7 of 41)") and not any("class" in line for line in [*rest, *before])


def test_where_students_stumble_no_count_stands_that_nobody_made(tmp_path, monkeypatch):
    monkeypatch.setattr(guide, "LAST", tmp_path / "none.json")
    lines = [line for chapter in CHAPTERS for line in guide.stumbles(chapter)]
    assert lines and not [line for line in lines if re.search(r"\d+ of \d+|seen in", line, re.IGNORECASE)]


@needs_node
def test_a_list_of_a_lesson_opens_in_the_playground():
    for text in DEMOS:
        [link], _ = guide.demo("demo", "", text, 1, Page())
        returned, missed = (text + "|").split("|")[:2]
        read = f"const {{ returned, missed }} = fromHash({json.dumps('#' + link['refuri'].partition('#')[2])});"
        opened = ask(read, "console.log(JSON.stringify([returned, missed].map((list) => list.map((d) => d.grade))))")
        assert opened == [[float(g) for g in grades.split()] for grades in (returned, missed)]


class Page:
    """What a role is told of the page that it stands on."""

    class document:
        class settings:
            class env:
                docname = "teaching/ndcg"
