"""What page authors rely on, shown on a small book: computed numbers, boxes, questions, complaints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from _ext import blocks, look, weight
from _ext.misconceptions import apart
from book_pages import BOOK
from colours import contrast

from ndcg_lib.slips import SLIPS

pytestmark = pytest.mark.slow

HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
---

# One page
"""
GOOD = """
```{code-cell} python
grades = [3, 2]
share = 2 / 3
```

Before: {eval}`share`, {eval}`share:.1%`, {eval}`sum(grades)`, {eval}`grades[0:1]`, printed {printed}`0.66`.

| grade | {eval}`grades[1]` |
|---|---|
| share | {eval}`share:.2f` |

$$
\\frac{2}{3} = {eval}`share:.4f`
$$

```{code-cell} python
:tags: [remove-cell]
share = 0.25
```

After: {eval}`share:.2f`. {holds}`share < 1` Two more words.

The **discount** stops at rank k: `k` in code, NDCG@k and k = 3 in words, $\\mathrm{IDCG}@k = rel_1 d_1$ as a formula.

:::{misconception} ideal-from-returned
More words.
:::

:::{misconception} no-discount
:::

:::{quiz}
What is 2 + 1?

- [ ] 2
  > Add again.
- [x] {eval}`2 + 1`
  > By counting: $2 + 1 = {eval}`2 + 1`$.
:::

:::{quiz}
What is a half of one?

- [ ] 2
  > That is twice one.
- [=] {eval}`1 / 2`
  > Divide one by two.
:::

:::{quiz}
Put them in order.

1. One
2. Two
3. Three
4. = Drei

> By counting up.
:::

:::{exhibit}
Two lines of a bill.

- [ ] 1 + 1 = 2
  > One and one are two.
- [x] 2 + 2 = 5
  > Two and two are four.
:::

:::{bet} C1
"Two is even."

- [x] true
  > Halve it.
- [ ] false
  > Try to halve it.
:::

:::{lesson}
:ask: 10
:show: 20
:do: 15
:::

:::{prediction}
:guess: 0 to 1 by 0.05
How much?
:::

:::{guessed}
A half.
:::

:::{assignment} not-there-yet
:::

:::{assignment} there
Bring a pencil.
:::

(why-a-discount)=
(all-judged-or-returned)=
## The ideal
"""
BAD = """
```{code-cell} python
grades = [3, 2]
grades[7]
```

:::{quiz}
No right answer?

- [ ] 2
  > Feedback.
- [ ] 3
  > Feedback.
:::

:::{quiz}
Twice the same?

- [=] 2
  > Feedback.
- [ ] 2
  > Feedback.
:::

[dead](#no-such-anchor)
"""
WARNS = """
First words. Two is more than {eval}`1 + 2`. {holds}`2 > 3` Last words.

```{code-cell} python
import warnings
warnings.warn("the reader would see this")
```
"""


def skeleton() -> str:
    """The page that AUTHORS.md offers for copying."""
    found = re.search(r"^`````markdown\n(.*?)^`````", (BOOK / "AUTHORS.md").read_text("utf8"), re.DOTALL | re.MULTILINE)
    return found[1]


def build(folder: Path, **pages: str) -> tuple[int, str]:
    """A small book with the settings of the book: exit code and complaints."""
    for part in ("_static", "_templates"):
        shutil.copytree(BOOK / part, folder / part)
    (folder / "data").mkdir()
    for file in ("examples.py", "facts.py", "learning.py", "data/examples.json", "trec.py", "search.py"):
        shutil.copy(BOOK / file, folder / file)
    settings = yaml.safe_load((BOOK / "_config.yml").read_text("utf8"))
    settings["sphinx"]["local_extensions"] = {"_ext.pages": str(BOOK)}
    about_the_whole = ("notes", "playground", "pycell", "lite", "rooms", "taught", "notebooks", "searching", "website")
    for extension in about_the_whole:
        settings["sphinx"]["config"]["extensions"].remove(f"_ext.{extension}")
    (folder / "_config.yml").write_text(yaml.safe_dump(settings), "utf8")
    others = {"assignments/there": "# Sort it yourself\n", "two-rankings": "# Two rankings\n", "skeleton": skeleton()}
    others |= {name: HEADER + text for name, text in pages.items()}
    (folder / "assignments").mkdir()
    for other, source in others.items():
        (folder / f"{other}.md").write_text(source, "utf8")
    files = "\n".join(f"- file: {other}" for other in others if other != "page")
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: page\nchapters:\n{files}\n", "utf8")
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", folder, "-W", "-n",
               "--keep-going"]  # fmt: skip
    all_tests = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}  # it is for each
    done = subprocess.run(command, env=all_tests, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def seen(html: str) -> str:
    """The text of the article."""
    article = html[html.index("<article") : html.index("</article>")]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"<annotation.*?</annotation>", "", article)))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A page that is right beside two that are not: its HTML, and all complaints."""
    folder = tmp_path_factory.mktemp("small")
    code, complaints = build(folder, page=GOOD, wrong=BAD, careless=WARNS)
    assert code != 0
    return (folder / "_build" / "html" / "page.html").read_text("utf8"), complaints


@pytest.fixture(scope="module")
def good(built: tuple[str, str]) -> str:
    return built[0]


@pytest.fixture(scope="module")
def bad(built: tuple[str, str]) -> str:
    return built[1]


def test_nobody_complains_of_a_page_that_is_right(bad: str) -> None:
    told = re.findall(r"^.*(?:WARNING|ERROR|CRITICAL): .*$", bad, re.MULTILINE)
    assert told and all(re.search(r"\b(?:wrong|careless)\.md\b", line) for line in told), bad


def test_a_value_is_the_one_at_its_place_in_the_page(good: str) -> None:
    assert "Before: 0.667, 66.7%, 5, [3], printed 0.66 ." in seen(good)
    assert "After: 0.25. Two more words." in seen(good)
    assert "0.67" in seen(good)


def test_a_value_stands_in_a_formula_and_in_an_answer(good: str) -> None:
    assert "<mn>0.6667</mn>" in good
    assert "<annotation" in good
    assert re.search(r'<details class="quiz-answer right">\s*<summary><span>3</span></summary>', good)


def test_an_answer_opens_without_a_script_and_says_whether_it_is_right(good: str) -> None:
    assert "Not quite. Add again." in seen(good)
    assert "Yes. By counting:" in seen(good)


def test_a_number_to_type_and_its_slips_stand_in_a_fold(good: str) -> None:
    fold = good[good.index('<details class="quiz-answer key">') :]
    fold = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", fold[: fold.index("</details>")]))
    assert "Show the answer" in fold and "0.500 . Divide one by two." in fold
    assert "If you got 2 : That is twice one." in fold


def test_an_order_is_shuffled_and_its_fold_has_it_right(good: str) -> None:
    loose, key = good[good.index("quiz-order") :].split("<details", 1)
    assert (items := re.findall(r"<p>(One|Two|Three|Drei)</p>", loose)) != ["One", "Two", "Three", "Drei"]
    assert sorted(items) == ["Drei", "One", "Three", "Two"]
    assert re.findall(r"<p>(One|Two|Three|Drei)</p>", key[: key.index("</details>")]) == ["One", "Two", "Three", "Drei"]
    assert re.search(r'<li class="free">\s*<p>Drei', key), "the fourth may change places with the third"


def test_the_lines_of_an_exhibit_stay_in_their_order(good: str) -> None:
    assert "1 + 1 = 2 This line is right. One and one are two. 2 + 2 = 5 Found. Two and two are four." in seen(good)


def test_a_bet_has_its_verdicts_in_their_order(good: str) -> None:
    assert "C1. “Two is even.” true You win. Halve it. false You lose. Try to halve it." in seen(good)


def test_a_guess_and_the_place_that_tells_it_share_a_key(good: str) -> None:
    assert '<ndcg-guess key="first" form="0 to 1 by 0.05">' in good and '<ndcg-guessed key="first">' in good


def test_an_idea_has_one_colour_in_words_and_formulas_and_k_one_face(good: str) -> None:
    words = good[good.index("The <strong") : good.index("as a formula.")]
    assert '<strong class="discount">discount</strong>' in words and '<mi class="discount">d</mi>' in words
    assert '<mi class="ideal">IDCG</mi>' in words, "one word, read aloud as one"
    assert '<mi class="word gain">rel</mi>' in words
    assert words.count('<em class="k">k</em>') == 3 and '<em class="k">k</em></span></code>' not in words


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_coloured_can_be_read_on_page_and_box(theme: str) -> None:
    colours = {"light": look.LIGHT, "dark": look.DARK}[theme]
    grounds = {"back", "box", "line", "on-gain"}
    for name in colours.keys() - grounds - {"edge"}:
        assert all(contrast(colours[name], colours[ground]) >= 4.5 for ground in ("back", "box")), name
    assert contrast(colours["edge"], colours["back"]) >= 3, "the edge of a field"
    assert look.LIGHT.keys() == look.DARK.keys()


def test_a_style_sheet_loses_the_rules_that_nothing_uses_and_no_other() -> None:
    sheet = (
        '@charset "utf-8";a:is(.here, p:not(.gone)),.gone .here{color:red}.gone{content:"}{"}.gone,b{x:1}'
        "@media print{.gone{x:1}.here>i{x:2}}@media screen{.gone{x:1}}@font-face{src:url(x)}"
    )
    kept = '@charset "utf-8";a:is(.here, p:not(.gone)){color:red}b{x:1}@media print{.here>i{x:2}}@font-face{src:url(x)}'
    assert weight.thinner(sheet, {"here"}) == kept


def test_a_style_sheet_loses_the_variables_that_nothing_asks_for_and_no_other(tmp_path: Path) -> None:
    sheet = tmp_path / "_static" / "styles" / "theme.css"
    sheet.parent.mkdir(parents=True)
    sheet.write_text('.a{--none:url("data:x;y");--far:1px;display:flex;--near:var(--far)}.b{color:red;--gone:1}')
    (tmp_path / "index.html").write_text('<p class="a b" style="margin: var(--near)">.c</p>')
    app: Any = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    weight.thin_sheets(app, None)
    assert sheet.read_text() == ".a{--far:1px;display:flex;--near:var(--far)}.b{color:red;}"


def test_the_sheets_of_a_page_become_one_that_says_the_same_in_the_same_order(tmp_path: Path) -> None:
    static = tmp_path / "_static"
    (static / "styles").mkdir(parents=True)
    (static / "base.css").write_text('a{src:url("a.woff2")}')
    (static / "styles" / "theme.css").write_text('@import "../base.css";b{src:url(../b.png) url("data:x")}')
    (static / "last.css").write_text("c{src:url('c.svg')}")
    sheets = ("styles/theme.css?digest=1", "last.css?v=2")
    links = "".join(f'  <link href="_static/{sheet}" rel="stylesheet" />\n' for sheet in sheets)
    (tmp_path / "index.html").write_text(f'{links}<script src="x.js"></script><script type="module" src="y"></script>')
    app: Any = SimpleNamespace(
        outdir=tmp_path, builder=SimpleNamespace(name="html"), env=SimpleNamespace(found_docs={"index"})
    )
    for _ in range(2):  # and once more, as when no page was written anew
        weight.one_sheet(app, None)
        whole = (static / "all.css").read_text().partition("*/")[2]
        assert "".join(whole.split()) == 'a{src:url("a.woff2")}b{src:url("b.png")url("data:x")}c{src:url("c.svg")}'
        page = (tmp_path / "index.html").read_text()
        assert page.count('rel="stylesheet"') == 1 and '<script defer src="x.js">' in page and "module" in page


def test_a_sheet_keeps_its_place_behind_those_that_it_overrides() -> None:
    pages = [["theme", "live", "book"], ["theme", "notes", "cards", "book", "notes"]]
    assert weight.one_order(pages) == ["theme", "cards", "live", "book", "notes"]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_right_answers_stand_at_every_place_alike(count: int) -> None:
    """A reader who always takes the same place passes one question in `count`."""
    places = Counter(blocks.mixed(range(count), f"Question {i} of a page?").index(0) for i in range(600))
    assert len(places) == count and all(abs(times - 600 / count) < 75 for times in places.values()), places
    assert blocks.mixed(range(count), "The same?") == blocks.mixed(range(count), "The same?")


def test_a_slip_makes_a_misconception_box(good: str) -> None:
    assert "“The ideal list is my list, sorted.”" in seen(good)
    choice = "judged 1, 2, 3, 3, 3, 3 this choice gives IDCG = 6.3235 , and the other choice 8.8147"
    assert choice in seen(good), "another convention is right with it, so no box calls it wrong"
    assert "More words." in seen(good) and "Told in The ideal" in seen(good)
    assert "For the grades 2, 3, 1 it gives DCG = 6 ; right is 4.3928" in seen(good), "no convention is right with this"


def test_the_two_numbers_of_a_slip_are_seen_to_differ() -> None:
    shown = {name: apart(*slip.on_example()) for name, slip in SLIPS.items()}
    assert {name: right for name, (right, wrong) in shown.items() if right == wrong} == {}


def test_a_lesson_says_its_minutes(good: str) -> None:
    assert "A lesson of 45 minutes: 10 to ask, 20 to show, 15 to do." in seen(good)


def test_an_assignment_is_linked_once_it_is_there(good: str) -> None:
    assert "Assignment: Sort it yourself Bring a pencil." in seen(good)
    assert 'href="assignments/there.html"' in good
    assert "not-there-yet" not in good and seen(good).count("Assignment:") == 1


def test_an_error_of_a_page_names_the_page_and_the_line(bad: str) -> None:
    assert "wrong.md: the code of this page complains" in bad
    assert "grades[7]" in bad and "IndexError" in bad
    assert re.search(r"wrong\.md:\d+: .*quiz: no answer is marked \[x\]", bad)
    assert re.search(r"wrong\.md:\d+: .*quiz: 2 would pass for 2, the right answer", bad)
    assert "no-such-anchor" in bad


def test_a_warning_of_the_code_and_a_false_sentence_are_complained_of(bad: str) -> None:
    assert "careless.md: the code of this page complains" in bad and "the reader would see this" in bad
    line = 1 + (HEADER + WARNS).splitlines().index(
        "First words. Two is more than {eval}`1 + 2`. {holds}`2 > 3` Last words."
    )
    told = f"careless.md, line {line}: this is not so with these data: “Two is more than 3.” ({{holds}}`2 > 3` fails)"
    assert told in bad
