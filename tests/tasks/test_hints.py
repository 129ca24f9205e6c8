"""No hint writes the code that is asked for. Read from the sources as plain text, by a rule that knows no task."""

import builtins
import io
import keyword
import re
import tokenize
import tomllib
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parents[2] / "solutions").glob("[0-9]*.md"))
LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.COMMENT}
KEPT = {*dir(builtins), *keyword.kwlist}
RUN, SHORT, MOST = 3, 5, 0.5


def tokens(code, nameless):
    """The tokens of a piece of code; without names, any variable is as good as another."""
    found = []
    try:
        for one in tokenize.generate_tokens(io.StringIO(code).readline):
            if one.type not in LAYOUT:
                own = one.type == tokenize.NAME and one.string not in KEPT
                found.append("name" if nameless and own else one.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def given_away(line, hint, nameless=False):
    """The share of a line of code that a hint writes out, in runs of a few tokens."""
    wanted = tokens(re.sub(r"^(return|if|for) |:$", "", line), nameless)
    hit = [False] * len(wanted)
    for span in re.findall("`([^`]+)`", hint):
        told = tokens(span, nameless)
        for size in range(RUN, len(told) + 1):
            runs = [told[at : at + size] for at in range(len(told) - size + 1)]
            for at in range(len(wanted) - size + 1):
                if wanted[at : at + size] in runs:
                    hit[at : at + size] = [True] * size
    return sum(hit) / len(wanted) if wanted else 0.0, len(wanted)


def tasks_of(text):
    """The lines that are asked and the hints of each task of a source."""
    for part in re.split(r"(?m)^\(\w+\)=$", text)[1:]:
        block = re.search(r"(?ms)^```\{task\}.*?\n(.*?)^```$", part)[1]
        asked = re.findall(r"(?ms)### BEGIN SOLUTION\n(.*?)\s*### END SOLUTION", part)
        lines = [line.strip() for code in asked for line in code.splitlines()]
        yield [line for line in lines if line and not line.startswith("#")], tomllib.loads(block)["hints"]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_no_hint_writes_the_code_that_is_asked_for(source):
    found = []
    for lines, hints in tasks_of(source.read_text("utf8")):
        for line in lines:
            for hint in hints:
                share, length = given_away(line, hint)
                renamed, _ = given_away(line, hint, nameless=True)
                if (share >= MOST and length > SHORT) or (share == 1 and length >= RUN) or renamed >= 0.75:
                    found.append(f"{line!r} stands in {hint!r}: {share:.2f}, {renamed:.2f}")
    assert not found, "\n".join(found)


def test_the_rule_finds_a_line_whatever_its_names():
    line = "return sorted(judged, reverse=True)"
    assert given_away(line, "`sorted(judged, reverse=True)` does it")[0] == 1
    assert given_away(line, "`sorted(prices, reverse=True)` does it")[0] < 1
    assert given_away(line, "`sorted(prices, reverse=True)` does it", nameless=True)[0] == 1
    assert given_away(line, "It is `sorted`, with `reverse`.")[0] == 0
