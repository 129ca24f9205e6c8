"""The page on which a person marks texts, in a browser."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from hostile.course import NAME, notebook

from ndcg_course.grade.run import Options, run


def test_marks_are_written_for_everybody_with_the_text_and_are_not_lost_unasked(browser: Any, tmp_path: Path) -> None:
    said = "cg_at counts what is there and has no eye for the order of the documents at all, so B looks like A to it"
    for student in ("ana", "bob"):
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / f"{NAME}.ipynb").write_text(notebook(f"what_cg_misses = {said!r}"), "utf8")
    run(Options(tmp_path / "in", tmp_path / "out"))
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.goto((tmp_path / "out" / "to-mark.html").as_uri())
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.locator(".answer .mark").first.fill("1.5")
    with page.expect_event("dialog", timeout=300_000):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"], "a tab with marks that are not saved asks before it goes"
    with page.expect_download() as saved:
        page.click("#save")
    rows = list(csv.DictReader(Path(saved.value.path()).read_text("utf8").splitlines()))
    assert {(row["student"], row["mark"]) for row in rows} == {("ana", "1.5"), ("bob", "1.5")}
    page.close(run_before_unload=True)
    assert asked == ["beforeunload"], "and after saving it does not"
    context.close()
