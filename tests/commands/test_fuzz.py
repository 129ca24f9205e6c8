"""Damaged files, strange numbers and strange arguments: a result or one line, and never a number from garbage.

tests/fuzz_files.py and tests/fuzz_arguments.py try as many as one likes; these are some of them at every run.
"""

import math
import random
from fractions import Fraction
from pathlib import Path

import fuzz_arguments
import pytest
from fuzz_files import check, inputs
from hypothesis import example, given
from hypothesis import strategies as st
from sweeps import draws

from ndcg_lib.commands.options import numbers
from ndcg_lib.files.fast import fast
from ndcg_lib.files.plain import RUN, number_of

usual = draws(100)


@usual
@given(st.integers(0, 2**60))
def test_damaged_files(seed: int) -> None:
    kind, judged, found = inputs(seed)
    check(kind, judged, found)


word = st.one_of(
    st.sampled_from(["51", "52", "Q0", "d1", "d2", "1", "2.5", "-3", "nan", "1e3", "me", "#", "\ufeff51"]),
    st.text(max_size=4),
)
line = st.lists(word, max_size=8).flatmap(
    lambda words: st.sampled_from([" ", "\t", "  ", "\r", "\x0b"]).map(lambda s: s.join(words))
)
text = st.lists(line, max_size=5).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))


@usual
@given(text, text)
@example(b"51 0 d1 1\n", b"51 Q0 d1 1 1 me\n51 Q0 d2 1 1 m")
@example(b"51 0 d1 1\n", b"\n51 Q0 d1 1 1 me\n\n51 Q0 d2 1 1 me\n52")
def test_lines_of_any_words(judged: bytes, found: bytes) -> None:
    check("trec", judged, found)


@usual
@given(st.binary(max_size=60), st.sampled_from(["trec", "csv", "tsv", "json", "jsonl"]))
def test_any_bytes(data: bytes, kind: str) -> None:
    check(kind, data, data)


digits = st.text("0123456789", max_size=20)
decimal = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.6f}"),
    st.builds("{}{}.{}".format, st.sampled_from(["", "-", "+"]), digits, digits),
    st.text("0123456789.+-eE_xn ", min_size=1, max_size=26).map(lambda text: text.replace(" ", "1")),
)  # fmt: skip


@draws(200)
@given(st.lists(decimal, min_size=1, max_size=40))
@example(["9007199254740993", "0.1", "4503599627370497.5", "9007199254740992.5", "123456789012345678", "-0", "-.0"])
@example([".", "-", "1.2.3", "-.5", "5.", "00000000000000000000000001"])
def test_decimals_are_right_to_the_last_bit_or_refused(texts: list[str]) -> None:
    pairs = [(text, number_of(text.encode(), RUN)) for text in texts]
    for some in (pairs, [pair for pair in pairs if pair[1] is not None]):
        lines = fast("".join(f"1 Q0 d 1 {text} me\n" for text, _ in some).encode(), RUN) if some else None
        values = [value for _, value in some if value is not None]
        if lines is None:
            assert not some or len(values) < len(some)
        else:
            assert len(values) == len(some)
            assert [(v, math.copysign(1, v)) for v in lines.value.tolist()] == [
                (v, math.copysign(1, v)) for v in values
            ]


@draws(15)
@given(st.integers(0, 2**31))
def test_decimals_between_two_floats_go_to_the_right_one(seed: int) -> None:
    """Seventeen digits that all but name the middle between two floats: a quotient rounded twice goes astray."""
    drawn = random.Random(seed)
    middles = [Fraction(2**53 + 2 * drawn.randrange(2**51) + 1, 2**47) for _ in range(2000)]  # from 64 to 96
    digits = [middle.numerator * 10**15 // middle.denominator + drawn.randrange(2) for middle in middles]
    texts = [f"{str(number)[:2]}.{str(number)[2:]}" for number in digits]
    lines = fast("".join(f"1 Q0 d 1 {text} me\n" for text in texts).encode(), RUN)
    assert lines is not None
    assert lines.value.tolist() == [float(text) for text in texts]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


FOUND = [  # by such draws: each ended in a warning, a mistake of ndcg itself, or a number of many digits
    "which 2.0 995",
    "which 0.5 753 --digits 0",
    "which 2% 403 771 854 227 -k 7",
    "which 1e999 1 0 0.5 --json",
    "which dcg=0.289,cg=0.996658817018982 3 2 3 1 0 3 --digits 0 --judged 3,2,3,1,0,3,0 -k 3",
    "which 0.119946763875 0.38097332024 0.533 0.70432 2.5042 3 2.17474751277369e+302",
    "score 1000 5 --gain exponential --show",
    "compare qrels.txt run.txt second.txt --json --under",
]


@pytest.mark.parametrize("line", FOUND)
def test_command_lines_that_failed_once(folder: None, line: str) -> None:
    fuzz_arguments.write_files(4_000_001_980)  # which are not damaged
    fuzz_arguments.check(line.split())


@draws(50)
@given(st.integers(0, 2**60))
def test_command_lines(folder: None, seed: int) -> None:
    fuzz_arguments.write_files(seed)
    fuzz_arguments.check(fuzz_arguments.arguments(seed))


@draws(12)
@given(st.integers(0, 2**60))
def test_command_lines_of_numbers(seed: int) -> None:
    fuzz_arguments.check(fuzz_arguments.numbers(seed))


@pytest.mark.parametrize("word", ["1_0", "٣", "0x1", "nan", "inf", "1e", "--1", "1.2.3", "½"])
def test_numbers_on_the_command_line_are_decimals(word: str) -> None:
    with pytest.raises(ValueError, match="not a number"):
        numbers([word], "grade")
