"""The text is spelt as in Britain, and every word of it is a word."""

from __future__ import annotations

import re

from book_pages import PAGES, name, prose
from spelling import dictionary, misspelt, own_words

TITLE = re.compile(r"\*[^*]+\*")


def test_every_word_is_a_word() -> None:
    texts = {name(page): prose(page) for page in PAGES}
    texts["reference/bibliography"] = TITLE.sub(" ", texts["reference/bibliography"])  # as their authors spell
    odd = {page: found for page, text in texts.items() if (found := misspelt(text))}
    assert not odd, "correct it, or add a right word to book/words.txt"


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
