"""`play`: the cards of a notebook. What its script computes is what the library computes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ndcg_lib as nd
from ndcg_lib.plots import playing

TOOLS = [None, "burges", "jarvelin-kekalainen", "trec_eval", "sklearn", "xgboost", "gdeval", "beir"]
OWN = [nd.Convention(gain="linear", discount="reciprocal"), nd.Convention(ideal="returned"), nd.Convention(k=3)]
ASK = """
globalThis.HTMLElement = class {}; globalThis.matchMedia = () => ({});
const { score } = await import("./play.mjs");
const cases = JSON.parse(await (await import("node:fs")).promises.readFile("cases.json", "utf8"));
console.log(JSON.stringify(cases.map(({ grades, missed, k, convention }) => {
  const pages = Object.fromEntries([...grades, ...missed].map((grade, i) => [`p${i}`, { grade }]));
  const ids = Object.keys(pages);
  const found = score(pages, ids.slice(0, grades.length), { missed: ids.slice(grades.length), k, convention });
  return [found.ndcg, found.dcg];
})));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_script_of_the_widget_gives_what_the_library_gives(tmp_path: Path) -> None:
    draw, cases, wanted = random.Random(7), [], []
    for number in range(300):
        convention = [*TOOLS, *OWN][number % (len(TOOLS) + len(OWN))]
        grades = [draw.choice([0, 0, 1, 2, 3, 4, 0.5]) for _ in range(draw.randint(1, 30))]
        missed = [draw.randint(0, 4) for _ in range(draw.choice([0, 0, 3, 8]))]
        k = draw.choice([None, 1, 3, 5, 10, 20])
        w = nd.play(grades, missed=missed, k=k, convention=convention)
        how: dict[str, Any] = {"k": w.k, "convention": convention}
        cases.append({"grades": grades, "missed": missed, "k": w.k, "convention": playing.chosen(convention)})
        wanted.append((nd.ndcg(grades, judged=[*grades, *missed], **how), nd.dcg(grades, **how)))
    (tmp_path / "cases.json").write_text(json.dumps(cases), "utf8")
    (tmp_path / "play.mjs").write_text(playing.FRONT_END.read_text("utf8"), "utf8")
    (tmp_path / "ask.mjs").write_text(ASK, "utf8")
    done = subprocess.run(["node", "ask.mjs"], cwd=tmp_path, capture_output=True, encoding="utf8", check=True)
    for case, found, (ndcg, dcg) in zip(cases, json.loads(done.stdout), wanted, strict=True):
        assert found == pytest.approx([ndcg, dcg], rel=1e-12, abs=1e-12), case


def test_the_list_that_is_moved_and_the_list_that_is_set() -> None:
    pytest.importorskip("anywidget")
    w = nd.play([3, 0, 1, 0, 2], titles=list("abcde"))
    w.cards = {"grades": [0, 3, 1, 0, 2], "missed": [], "titles": list("bacde")}  # what a drag sends
    assert w.grades == [0, 3, 1, 0, 2] and w.value == nd.ndcg([0, 3, 1, 0, 2])
    w.grades = [3, 2, 1, 0, 0]  # what Python sets: each card keeps its title
    assert w.cards["titles"] == list("aecbd") and w.value == 1
    w.k, w.convention = 2, "burges"
    assert w.value == nd.ndcg([3, 2, 1, 0, 0], k=2, convention="burges") and w.chosen == {"gain": "exponential"}
    w.grades = [1, 2]
    assert w.titles == ["d1", "d2"]
    data = w._repr_mimebundle_()[0]
    assert "| 1 | d1 | ●○○ |" in data["text/markdown"] and data["text/plain"].startswith("play([1, 2]): ndcg@2 0.")


def test_without_anywidget_it_is_a_table_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "_widget", lambda: None)
    w = nd.play([3, 0, 1, 0, 2], missed=[2], k=3)
    assert w.value == nd.ndcg([3, 0, 1, 0, 2], k=3, judged=[3, 0, 1, 0, 2, 2])
    assert "**NDCG@3 = 0." in w._repr_markdown_() and "pip install anywidget" in w._repr_markdown_()


def test_the_table_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "_widget", lambda: None)
    w = nd.play([3, 0, 1.5], missed=[2], titles=["a|b", "c", "d", "e"], k=2)
    assert w._repr_markdown_().splitlines()[:9] == [
        "| rank | page | grade | readers who arrive |", "|--:|:--|:--|--:|", "| 1 | a∣b | ●●● | 100 of 100 |",
        "| 2 | c | ○○○ | 63 of 100 |", "| 3 | d | 1.5 | 50 of 100 |", "", "Judged, not returned: e (2).", "",
        "**NDCG@2 = 0.704**",  # 3 / (3 + 2 · 0.63093)
    ]  # fmt: skip
    assert repr(w) == "play([3, 0, 1.5]): ndcg@2 0.704"
    w = nd.play([6, 5, 0], measure="cg", convention="xgboost")
    assert [line.split(" | ")[2] for line in w._repr_markdown_().splitlines()[2:5]] == ["6", "●●●●●○", "○○○○○○"]
    assert "**CG@32 = 94.000**" in w._repr_markdown_() and "not returned" not in w._repr_markdown_()
    assert repr(nd.play([2, 0], measure="readers")) == "play([2, 0]): readers 1.000"
    assert "**" not in nd.play([2, 0], measure="readers")._repr_markdown_()
    assert nd.play([2, 1], k=50, convention="xgboost").k == 32 and nd.play([2, 1], k=5, convention="xgboost").k == 5


@pytest.mark.parametrize(
    "given", [{"k": 0}, {"titles": ["a"]}, {"measure": "map"}, {"convention": "lucene"}, {"missed": [-1]}]
)
def test_what_is_no_list_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        nd.play([3, 0], **given)
    with pytest.raises(ValueError, match="by its name"):
        nd.play([3, 0], convention=nd.Convention(gain=abs))
