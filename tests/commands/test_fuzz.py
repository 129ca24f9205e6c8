"""Damaged files, strange numbers and strange arguments: a result or one line, and never a number from garbage.

tests/fuzz_files.py and tests/fuzz_arguments.py try as many as one likes; these are some of them at every run.
"""

import contextlib
import io
import math
import random
from fractions import Fraction
from pathlib import Path

import fuzz_arguments
import pytest
from fuzz_files import check, inputs
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ndcg_lib.commands.cli import main
from ndcg_lib.commands.options import numbers
from ndcg_lib.files.fast import fast
from ndcg_lib.files.plain import RUN, number_of

usual = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


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


@settings(max_examples=300, deadline=None)
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


@settings(max_examples=20, deadline=None)
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


arguments = st.lists(
    st.one_of(
        st.sampled_from(["score", "which", "eval", "-k", "--judged", "--scores", "--gain", "--json", "--show", "--ties",
                         "--convention", "sklearn", "--digits", "--empty", "skip", "raise", "--", "-q", "--csv"]),
        st.sampled_from(["3", "2", "0", "0.5", "1e999", "nan", "-1", "1,2", "", " ", "3 2", "9" * 400, "1:2", "é"]),
        st.sampled_from(["\x00", "missing.txt", "."]),
        st.text(max_size=5).filter(lambda text: "-" not in text),
    ),
    max_size=8,
)  # fmt: skip


@usual
@given(arguments)
def test_any_arguments(words: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    assert code in (0, 1, 2)
    assert "a mistake of ndcg itself" not in err.getvalue()
    assert (err.getvalue().count("\n") == 1) is (code == 2)
    if code == 2:
        assert not out.getvalue()


@usual
@given(st.integers(0, 2**60))
def test_command_lines(folder: None, seed: int) -> None:
    fuzz_arguments.write_files(seed)
    fuzz_arguments.check(fuzz_arguments.arguments(seed))


@pytest.mark.parametrize("word", ["1_0", "٣", "0x1", "nan", "inf", "1e", "--1", "1.2.3", "½"])
def test_numbers_on_the_command_line_are_decimals(word: str) -> None:
    with pytest.raises(ValueError, match="not a number"):
        numbers([word], "grade")
