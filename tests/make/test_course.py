"""The course file: what it says is taken, and what it cannot mean is refused with line, nearest name and advice."""

from __future__ import annotations

import importlib
import itertools
import re
from pathlib import Path
from types import SimpleNamespace

import colours
import pytest
from _ext import look, taught, website

from ndcg_course import course, course_keys
from ndcg_course.explain import messages
from ndcg_course.explain.messages import Standing
from ndcg_course.make import chapters
from ndcg_course.notebook import progress
from ndcg_course.tasks import assignments

ROOT = Path(__file__).parents[2]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a course file beside sources like those of the book."""
    monkeypatch.delenv("NDCG_SITE", raising=False)
    monkeypatch.delenv("NDCG_SOLUTIONS", raising=False)
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "02-cumulative-gain.md").write_text("(cg_at)=\n## One\n\n(useless_rank)=\n## Two\n")
    (tmp_path / "book" / "chapters").mkdir(parents=True)
    (tmp_path / "solutions" / "06-ndcg.md").touch()
    for name in ("two-rankings", "cumulative-gain", "discounting", "the-ideal-ranking", "ndcg"):
        (tmp_path / "book" / "chapters" / f"{name}.md").touch()
    (tmp_path / "roster.csv").write_text("student,id\n")
    (tmp_path / "extensions.csv").write_text("student,until\n")
    (tmp_path / "logo.svg").write_text("<svg/>")

    def written(text: str) -> course.Course:
        (tmp_path / "course.toml").write_text(text)
        return course.load(tmp_path)

    return written


def test_the_course_in_the_repository_changes_nothing() -> None:
    found = course.read(ROOT / "course.toml")
    assert found == course.Course(path=found.path)


def test_each_example_in_the_table_and_each_comment_in_the_file_is_understood(write) -> None:
    told = re.sub(r"^# (?=[a-z]+ = |points\.|\[)", "", (ROOT / "course.toml").read_text("utf8"), flags=re.MULTILINE)
    found = write(told)
    assert (found.address, found.solutions) == ("https://example.org/ndcg/", False)
    assert found.given("02-cumulative-gain").points == {"cg_at": 4}
    assert found.chosen == {"gain": "exponential"}
    for key in course_keys.KEYS:
        top, _, _ = key.name.rpartition(".")
        table = {"assignments.*": "assignments.02-cumulative-gain", "convention": "convention"}.get(top, top)
        table = table.replace("*", "02-cumulative-gain", 1)
        assert write((f"[{table}]\n" if table else "") + key.example)


@pytest.mark.parametrize("key", course_keys.KEYS, ids=lambda key: key.name)
def test_a_value_of_another_kind_is_taken_or_refused_with_its_line(write, key: course_keys.Key) -> None:
    name = re.sub(r"\*$", "gain" if key.name.startswith("convention") else "cg_at", key.name)
    top, _, last = name.replace("*", "02-cumulative-gain").rpartition(".")
    refused = []
    for value in ("true", "-1", "0", "21", "1.5", "1000000", "inf", "nan", '""', '"nonsense"', "[]", "[0]", '["x"]',
                  "[[1]]", "2026-11-18", "2026-11-18T23:59:00", "{ a = 1 }"):  # fmt: skip
        try:
            write((f"[{top}]\n" if top else "") + f"{last} = {value}")
        except course.CourseError as error:
            refused.append(str(error))
    assert refused and all("line " in told and "\n" not in told for told in refused), refused


def test_what_is_said_is_taken(write) -> None:
    found = write(
        'units = ["ndcg", "discounting"]\nroster = "roster.csv"\nlate = "10%/day"\nconvention = "burges"\n'
        "[assignments.02-cumulative-gain]\ndue = 2026-11-18T23:59:00+01:00\nwithout = ['useless_rank']\n"
        "[brand]\nlogo = 'logo.svg'\ncolours.day = '#7A1F3D'\n"
    )
    assert found.in_order(["chapters/discounting", "chapters/a", "chapters/ndcg"]) == [
        "chapters/ndcg", "chapters/discounting",
    ]  # fmt: skip
    given = found.given("02-cumulative-gain")
    assert (given.due, given.late, given.without) == ("2026-11-18T23:59:00+01:00", "10%/day", ("useless_rank",))
    assert found.names(["01-a", "02-cumulative-gain"]) == ["02-cumulative-gain"]
    assert found.chosen["gain"] == "exponential" and found.colours == {"day": "#7a1f3d"}
    assert found.roster and found.roster.name == "roster.csv"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\ntitel = 'x'", "course.toml, line 2: there is no key 'titel'. Did you mean 'title'?"),
        ("[brand]\nlogos = 'x'", "line 2: there is no key 'brand.logos'. Did you mean 'brand.logo'?"),
        ("logo = 'x'", "Did you mean 'brand.logo'?"),
        ("[assignments.02-cumulative-gain]\nduo = 1", "Did you mean 'assignments.02-cumulative-gain.due'?"),
        ("[assignments.02-cumulative-gains]", "Did you mean '02-cumulative-gain'?"),
        ("assignments = ['02-cumulative-gain']", "assignments is a table: write [assignments]"),
        ("[assignments.02-cumulative-gain]\nwithout = ['useless']", "line 2: there is no task 'useless'"),
        (
            "[assignments.02-cumulative-gain.points]\ncg_ad = 2",
            "line 2: there is no task 'cg_ad'. Did you mean 'cg_at'?",
        ),
        ("[assignments.02-cumulative-gain]\npoints.cg_at = 0", "points are a whole number from 1 to 100"),
        ("units = ['discount']", "there is no chapter 'chapters/discount'. Did you mean 'chapters/discounting'?"),
        ("solutions = 'no'", "line 1: solutions is 'no': write true or false, without quotes"),
        ("address = 'example.org'", "give the whole address"),
        ("roster = 'list.csv'", "there is no such file below"),
        ("late = '10% a day'", 'write it as "10%/day"'),
        ("[assignments.02-cumulative-gain]\ndue = 2026-11-18", "say the time of the day as well"),
        ("[assignments.02-cumulative-gain]\ndue = 'Monday'", 'write it as "2026-11-18T23:59"'),
        ("[convention]\ngain = 'exp'", "gain is 'exp'. Did you mean 'exponential'?"),
        ("[convention]\ngains = 'exponential'", "the convention has no choice 'gains'"),
        ("convention = 'burgess'", "line 1: there is no convention 'burgess'. Did you mean 'burges'?"),
        (
            "[brand]\ncolours.day = '#ffffff'",
            "contrast with the page or a box is 1.0, and readers need 4.5: take a darker one",
        ),
        ("[brand]\ncolours.day = 'red'", "write a colour as #005b8f"),
        ("notebooks = ['colab']", "begin with the branch that holds the built site"),
        ("notebooks = ['https://github.com/you/ndcg/tree/gh-pages', 'collab']", "'collab' is no door"),
        ("title = ", "course.toml: this is not TOML"),
        ("title = ''", "a course needs a title"),
    ],
)
def test_what_cannot_be_meant_is_refused(write, text: str, told: str) -> None:
    with pytest.raises(course.CourseError) as refused:
        write(text)
    assert told in str(refused.value)


def test_two_colours_stand_as_far_apart_as_wcag_says() -> None:
    """Beside the same rule, written for the tests of the pages; gray 118 on white is the known edge of 4.5."""
    known = ["#000000", "#ffffff", "#767676", "#777777", "#ff0000", "#00ff00", "#0000ff", "#010203", "#7a1f3d"]
    for one, other in itertools.product(known, repeat=2):
        assert course_keys.contrast(one, other) == pytest.approx(colours.contrast(one, other))
    assert course_keys.contrast("#767676", "#ffffff") > 4.5 > course_keys.contrast("#777777", "#ffffff")


def test_the_environment_goes_first(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NDCG_SITE", "https://example.org/here")
    monkeypatch.setenv("NDCG_SOLUTIONS", "off")
    found = write("address = 'https://example.org/there/'\nsolutions = true")
    assert (found.address, found.solutions) == ("https://example.org/here/", False)
    monkeypatch.setenv("NDCG_SOLUTIONS", "no")
    with pytest.raises(course.CourseError, match="NDCG_SOLUTIONS is 'no': it can be on or off"):
        write("")


def test_a_packed_course_is_the_same_without_its_dates(write, tmp_path: Path) -> None:
    found = write("title = 'A \"q\" é'\n[convention]\ngain = 'exponential'\n[assignments.02-cumulative-gain]\n")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "course.toml").write_text(course.packed(found, solutions=False))
    copy = course.load(tmp_path / "packed")
    assert (copy.title, copy.chosen, copy.solutions) == (found.title, found.chosen, False)
    assert list(copy.assignments) == ["02-cumulative-gain"] and copy.assignments["02-cumulative-gain"].due is None


def test_the_site_takes_title_logo_links_and_licence(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taught = write(
        "title = 'Search & find'\naddress = 'https://example.org/a'\nconvention = 'burges'\n"
        "[brand]\nlogo = 'logo.svg'\nlicence = 'CC BY <us>'\ncolours.day = '#7a1f3d'\n"
    )
    monkeypatch.setattr(course, "load", lambda *_: taught)
    config = SimpleNamespace(html_theme_options={"logo": {"text": "The book"}}, html_context={})
    website.take_course(None, config)
    assert (config.html_title, config.html_baseurl) == ("Search & find", "https://example.org/a/")
    assert config.html_theme_options["logo"]["text"] == "Search &amp; find"
    assert config.html_logo == str((tmp_path / "logo.svg").resolve())
    assert "<p>CC BY &lt;us&gt;</p>" in config.html_theme_options["extra_footer"]
    assert "gain 2^g - 1" in config.html_theme_options["extra_footer"], "a site says which convention it computes with"
    try:
        assert "--link: #7a1f3d;" in importlib.reload(look).variables("light")
    finally:
        monkeypatch.undo()
        importlib.reload(look)


def test_the_chapters_of_the_course_in_their_order_feed_what_is_made_of_them(write, tmp_path: Path) -> None:
    taught = ("ndcg", "cumulative-gain", "discounting")
    for name in taught:
        text = f"# {name}\n\nWords.\n\n:::{{page-meta}}\n:minutes: 5\n:needs: nothing.\n\n- read\n:::\n"
        (tmp_path / "book" / "chapters" / f"{name}.md").write_text(text)
    files = "".join(f"  - file: chapters/{name}\n" for name in taught)
    (tmp_path / "book" / "_toc.yml").write_text(
        f"format: jb-book\nroot: i\nparts:\n- caption: One\n  chapters:\n{files}"
    )
    write("units = ['discounting', 'ndcg']")
    for made in (chapters.outlines(tmp_path), chapters.chapters(tmp_path)):
        assert [(c.number, c.title) for c in made] == [(1, "discounting"), (2, "ndcg")]
    (other,) = chapters.chapters(tmp_path, ["chapters/cumulative-gain"])
    assert other.number == 0, "a chapter that is asked for by name is there all the same, without a number"


def test_a_course_of_the_short_book_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('units = ["short-book"]\n')
    (tmp_path / "book").symlink_to(ROOT / "book")
    assert course.load(tmp_path).units == course_keys.short_book(ROOT) != ()


@pytest.fixture
def of_the_book(tmp_path: Path):
    """A checkout with the pages of the book and a course of one's own."""
    for name in ("book", "solutions"):
        (tmp_path / name).symlink_to(ROOT / name)

    def written(text: str) -> Path:
        (tmp_path / "course.toml").write_text(text)
        return tmp_path

    return written


FIVE = "units = ['ndcg', 'two-rankings', 'discounting']\n[assignments.02-cumulative-gain]\n[assignments.06-ndcg]\n"


def test_a_small_course_has_its_units_and_its_assignments_and_no_other(of_the_book) -> None:
    whole = [name for _, name in chapters.contents(of_the_book(""))]
    root = of_the_book(FIVE)
    kept = [name for _, name in chapters.contents(root)]
    assert kept[:3] == ["chapters/ndcg", "chapters/two-rankings", "chapters/discounting"]
    assert [name for name in kept if name.startswith("chapters/")] == kept[:3]
    tasks = {name for name in kept if name.startswith("assignments/")}
    assert tasks == {"assignments/cumulative-gain", "assignments/ndcg"}
    lessons = {name.partition("/")[2] for name in kept if name.startswith("teaching/")}
    assert {name for name in lessons if f"chapters/{name}" in whole} == {"ndcg", "two-rankings", "discounting"}
    assert {*whole} == {*kept} | chapters.left_out(root) and not {*kept} & chapters.left_out(root)
    assert not any(name.startswith("notes/") for name in kept)
    shown = [name for parts in chapters.rooms(root).values() for names in parts.values() for name in names]
    assert sorted(shown) == sorted(kept), "each page stands in one menu, and no menu names another"


def test_units_alone_bring_the_assignments_that_their_pages_name(of_the_book) -> None:
    root = of_the_book("units = ['two-rankings', 'ndcg-bounds', 'ndcg']")
    assert course.load(root).names([*assignments()]) == ["02-cumulative-gain", "06-ndcg", "07-hand-calculation"]
    assert course.load(of_the_book("units = ['which-measure']")).names([*assignments()]) == []
    assert course.load(of_the_book("")).names([*assignments()]) == [*assignments()]
    packed = course.packed(course.load(of_the_book("units = ['short-book']")), solutions=True)
    assert "07-hand-calculation" in packed and "13-" not in packed and "chapters/five-notes" in packed


def test_a_message_leads_to_no_page_that_the_course_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    given = course.Course(address="https://example.org/", units=("chapters/ndcg",))
    monkeypatch.setattr(messages, "_course", lambda: given)
    monkeypatch.delenv("NDCG_BOOK", raising=False)
    assert messages.address("chapters/ndcg#one") == "https://example.org/chapters/ndcg.html#one"
    assert messages.address("chapters/discounting#one") == ""
    assert messages.address("reference/glossary") == "https://example.org/reference/glossary.html"


def test_a_link_to_a_page_that_is_left_out_becomes_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taught, "left_out", lambda: frozenset({"chapters/judging", "handbook"}))
    kept = [
        "#here",
        "https://example.org/handbook.html",
        "../index.html",
        "ndcg.html#a",
        "judging.txt",
        "handbook.html",
    ]
    gone = ["judging.html", "judging.html#a", "../handbook.html", "../chapters/judging.html?embed=1#b"]
    for address in kept + gone:
        body = f'<p><a class="x" href="{address}"><b>the words</b></a>, and on.</p>'
        expected = body if address in kept else "<p><b>the words</b>, and on.</p>"
        assert taught.unlinked(body, "chapters/ndcg") == expected, address
    card = '<div class="sd-col"><p>x</p><a class="sd-stretched-link" href="handbook.html">y</a></div><p>z</p>'
    assert taught.unlinked(card, "index") == "<p>z</p>"


def test_a_students_record_counts_what_the_course_gives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = course.Course(assignments={"06-ndcg": course.Given("06-ndcg", due="2026-11-18T23:59")})
    (tmp_path / "course.toml").write_text(told := course.packed(given, solutions=False))
    assert "2026" not in told
    monkeypatch.setattr(course, "load", lambda root=None: course.read(tmp_path / "course.toml"))
    standing = progress()
    assert isinstance(standing, Standing) and [row[0] for row in standing.rows()] == ["06-ndcg"]
    assert f" of {assignments()['06-ndcg'].points} points" in standing.text().splitlines()[-1]
