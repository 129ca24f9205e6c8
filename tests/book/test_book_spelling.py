"""The text is spelt as in Britain, and every word of it is a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from book_pages import PAGES, name, prose
from spelling import dictionary, misspelt, own_words

TITLE = re.compile(r"\*[^*]+\*")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_word_is_a_word(page: Path) -> None:
    text = prose(page)
    if name(page) == "reference/bibliography":
        text = TITLE.sub(" ", text)  # titles keep the spelling of their authors
    assert not misspelt(text), f"correct it, or add a right word to book/words.txt: {misspelt(text)}"


def test_the_word_list_is_needed() -> None:
    words = own_words()
    assert len(words) == len(set(words))
    known = [word for word in words if dictionary().lookup(word)]
    assert not known, f"the dictionary knows these already: {known}"


def test_what_is_found() -> None:
    assert misspelt("The normalised behaviour of a ranking’s cut-off.") == []
    assert misspelt("The normalized behavior of a rankng.") == [
        "behavior (American)", "normalized (American)", "rankng",
    ]  # fmt: skip
