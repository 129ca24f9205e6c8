"""What a reader of the numbers must know about the data: one line, always."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ndcg_lib.choices import as_empty
from ndcg_lib.convention import Convention
from ndcg_lib.files.decimals import Flags
from ndcg_lib.matching.hits import Matched
from ndcg_lib.matching.judgements import Judgements


def report(judgements: Judgements, matched: Matched, convention: Convention, missing: Flags, empty: Flags) -> str:
    """The line."""
    queries, grades_below = len(judgements), int(np.count_nonzero(judgements.grade < 0))
    sentences = [f"{_count(queries, 'judged query', 'judged queries')}."]
    if missing.any():
        what = _count(int(missing.sum()), "judged query", "judged queries")
        sentences.append(f"{what} returned nothing: {'counted 0' if convention.missing == 'zero' else 'left out'}.")
    if empty.any():
        without = "returned no relevant document" if convention.ideal == "returned" else ""
        what = _count(int(empty.sum()), "query", "queries")
        has = without or ("has no relevant document" if empty.sum() == 1 else "have no relevant document")
        counted = "left out" if convention.empty == "skip" else f"counted {as_empty(convention.empty):g}"
        sentences.append(f"{what} {has}: {counted}.")
    if not missing.any() and not empty.any():
        sentences[0] = sentences[0][:-1] + ", none without results, none without a relevant document."
    if matched.strangers:
        one = len(matched.strangers) == 1
        what = _count(len(matched.strangers), "query", "queries")
        sentences.append(f"{what} of the run {'is' if one else 'are'} not judged: left out.")
    if grades_below and isinstance(convention.gain, str):
        sentences.append(f"{_count(grades_below, 'grade is', 'grades are')} below 0: no gain.")
    if matched.reordered:
        what = _count(matched.reordered, "query", "queries")
        sentences.append(f"The lines of {what} are not in the order of their scores: ranked by score.")
    comments = judgements.comments + matched.comments
    if comments:
        sentences.append(f"{_count(comments, 'line begins', 'lines begin')} with #: not read.")
    if not len(matched.hits) and (matched.returned > 0).any():
        sentences.append("No returned document is judged: are the document ids the same?")
    return " ".join(sentences)


def some_of(names: Iterable[str]) -> str:
    """The first of many names.

    >>> some_of(["51", "52", "53", "54"])
    '51, 52, 53 and 1 more'
    """
    names = list(names)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
