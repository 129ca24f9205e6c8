"""Judgements and runs from files: what is read, and what is said about a file that cannot be."""

import gc
import gzip
import io
import json
import math
import os
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import ndcg_lib as nd
from ndcg_lib.files import plain, source
from ndcg_lib.files.fast import fast
from ndcg_lib.files.plain import RUN
from ndcg_lib.files.values import read_values

RUN_LINES = b"51 Q0 d7 1 12.5 me\n51 Q0 d9 2 11.25 me\n52 Q0 d7 1 -3 me\n"
QRELS_LINES = b"51 0 d7 3\n51 0 d8 0\n52 0 d7 1\n"


def run_of(data: bytes) -> dict[str, dict[str, float]]:
    return nd.read_run(io.BytesIO(data))


def qrels_of(data: bytes) -> dict[str, dict[str, float]]:
    return nd.read_qrels(io.BytesIO(data))


def complaint(data: bytes, kind: str = "run", name: str = "run.txt", **keywords: str) -> str:
    """What is said about a bad file."""
    stream = io.BytesIO(data)
    stream.name = name
    with pytest.raises(ValueError) as error:
        (nd.read_run if kind == "run" else nd.read_qrels)(stream, **keywords)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    return str(error.value)


# ---- TREC files ----


def test_a_run_and_judgements() -> None:
    assert run_of(RUN_LINES) == {"51": {"d7": 12.5, "d9": 11.25}, "52": {"d7": -3.0}}
    assert qrels_of(QRELS_LINES) == {"51": {"d7": 3, "d8": 0}, "52": {"d7": 1}}
    assert all(type(grade) is int for grades in qrels_of(QRELS_LINES).values() for grade in grades.values())


@pytest.mark.parametrize(
    "data",
    [
        RUN_LINES.replace(b" ", b"\t"),
        RUN_LINES.replace(b" ", b"  \t "),
        RUN_LINES.replace(b"\n", b"\r\n"),
        RUN_LINES.replace(b"\n", b" \n"),
        RUN_LINES.replace(b"\n", b"\n\n \n"),
        RUN_LINES.replace(b" ", b"\v").replace(b"\v1\v", b"\f1\f"),
        b"  " + RUN_LINES,
        b"\n\n" + RUN_LINES,
        b"\xef\xbb\xbf" + RUN_LINES,
        b"# made by hand\n" + RUN_LINES + b"#51 Q0 d99 1 99 me\n",
        RUN_LINES[:-1],
        gzip.compress(RUN_LINES),
        gzip.compress(RUN_LINES[:20]) + gzip.compress(RUN_LINES[20:]),
    ],
    ids=range(13),
)
def test_any_whitespace_blank_lines_comments_and_gzip(data: bytes) -> None:
    assert run_of(data) == run_of(RUN_LINES)


@pytest.mark.parametrize(
    "number",
    ["1", "+1.", ".5", "-0.25", "1e3", "1E-5", "-2.5e+2", "12.3456789012345678", "0.1000000000000000055511151231257827",
     "9007199254740993", "123456789012345678901234567890", "1e-320", "-inf", "Infinity", "00012.50"],
)  # fmt: skip
def test_scores_are_the_floats_that_python_reads(number: str) -> None:
    assert run_of(f"51 Q0 d7 1 {number} me\n".encode())["51"]["d7"] == float(number)


def test_numbers_of_all_lengths_are_right_to_the_last_bit() -> None:
    random = np.random.default_rng(1)
    texts = [repr(float(x)) for x in random.standard_normal(2000) * 10.0 ** random.integers(-6, 7, 2000)]
    texts += [f"{x:.{places}f}" for places in range(18) for x in random.uniform(-1000, 1000, 50)]
    # one in 4,000 of these lies so near the middle of two floats that it is rounded twice, and wrong, by way of a third
    texts += [f"0.{digits}" for digits in random.integers(10**16, 10**17, 40_000).tolist()]
    lines = "".join(f"51 Q0 d{at} 1 {text} me\n" for at, text in enumerate(texts))
    assert list(run_of(lines.encode())["51"].values()) == [float(text) for text in texts]


@pytest.mark.parametrize("form", ["51 Q0 d7 1 {} me\n", "51\tQ0\td7\t1\t{}\tme\n", "51  Q0 d7 1 {} \tme \r\n"])
def test_usual_lines_are_read_all_at_once(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one they take ten times as long: numbers of up to 15 digits, each length alone and all together."""
    monkeypatch.setattr(plain, "number_of", lambda *_: pytest.fail("a number is read by itself"))
    digits = "918273645546372819"
    texts = [
        [f"{sign}{digits[:point]}.{digits[point:size]}" for point in range(size + 1) for sign in ("", "-")]
        + [digits[:size], f"-{digits[:size]}", "0" * size]
        for size in range(1, 16)
    ]
    for some in (*texts, [text for each in texts for text in each]):
        lines = fast("".join(map(form.format, some)).encode(), RUN)
        assert lines is not None and lines.value.tolist() == [float(text) for text in some]
        assert lines.document.at() == [b"d7"] * len(some) and lines.bounds.tolist() == [0, len(some)]
    other = fast(form.format(1).replace("d7", "文書").encode(), RUN)
    assert other is not None and other.document.at() == ["文書".encode()]


def test_grades_are_not_cut_to_whole_numbers() -> None:
    assert qrels_of(b"51 0 d7 0.6\n51 0 d8 -2\n51 0 d9 1e0\n") == {"51": {"d7": 0.6, "d8": -2, "d9": 1}}


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 31, 255, 256, 257, 300, 5000, 100_000])
def test_ids_of_any_length(length: int) -> None:
    one, other = "x" * length, "x" * (length - 1) + "y"
    qrels = f"{one} 0 {one} 3\n{one} 0 {other}z 1\n".encode()
    run = f"{one} Q0 {other} 1 3.5 me\n{one} Q0 {one} 2 2.5 me\n".encode()
    assert run_of(run) == {one: {other: 3.5, one: 2.5}}
    result = nd.evaluate(io.BytesIO(qrels), io.BytesIO(run))
    assert result["ndcg"] == pytest.approx(3 / np.log2(3) / (3 + 1 / np.log2(3)))


def test_a_control_character_separates_nothing() -> None:
    with pytest.raises(ValueError, match="line 1: 3 columns, where a qrels file has 4"):
        nd.read_qrels(io.BytesIO(b"51 0\x01d1 1\n52 0 d1 1\n"))


def test_ids_in_any_script() -> None:
    run = "frage-ä Q0 文書１ 1 2.5 me\nfrage-ä Q0 d\u00a0e\u2028f 2 1.5 me\n".encode()
    assert run_of(run) == {"frage-ä": {"文書１": 2.5, "d\u00a0e\u2028f": 1.5}}


@pytest.mark.parametrize("size", [1, 2, 7, 30, 64, 100, 1000])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_blocks_of_any_size_give_the_same(size: int, mark: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = mark + b"".join(
        b"q%d Q0 d%d %d %d.5 me\n" % (q, (q * 7 + d) % 50, d, 50 - d) for q in range(9) for d in range(q + 1)
    )
    judged = b"".join(b"q%d 0 d%d %d\n" % (q, (q * 7 + d * 3) % 50, d % 4) for q in range(9) for d in range(5))
    whole, table = nd.evaluate(io.BytesIO(judged), io.BytesIO(lines)), run_of(lines)
    assert len(table) == 9
    monkeypatch.setattr(source, "BLOCK", size)
    assert size > 500 or len(list(source.open_source(io.BytesIO(lines)).blocks(RUN))) > 2
    pieces = nd.evaluate(io.BytesIO(judged), io.BytesIO(lines))
    assert pieces.per_query() == whole.per_query()
    assert run_of(lines) == table


def test_the_first_block_with_an_error_tells_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "BLOCK", 50)
    lines = b"".join(b"q%d Q0 d%d 1 0.5 me\n" % (q, d) for q in range(20) for d in range(10))
    assert complaint(lines + b"\nq9 Q0 d10 1 x me\n").startswith('run.txt, line 202: score "x" is not a number')


# ---- what is wrong, and where ----


@pytest.mark.parametrize(
    "number",
    ["n/a", "nan", "-", ".", "+", "e5", "1e", "1_000", "0x10", "1,5", "--1", "1.2.3", "1.23456789.5", "٣", "1e5.5"],
)
def test_a_score_that_is_no_number(number: str) -> None:
    said = complaint(RUN_LINES + f"51 Q0 WT03-B12-9 3 {number} me\n".encode())
    assert said == f'run.txt, line 4: score "{number}" is not a number (query 51, document WT03-B12-9)'


@pytest.mark.parametrize("grade", ["high", "nan", "inf", "1e999"])
def test_a_grade_that_is_no_number(grade: str) -> None:
    said = complaint(QRELS_LINES + f"52 0 d9 {grade}\n".encode(), "qrels", "qrels.txt")
    assert said.startswith(f'qrels.txt, line 4: grade "{grade}" is ')


BAD = {
    "empty": (b"", "run.txt is empty"),
    "blank": (b"\n \n\t\n", "run.txt holds nothing"),
    "one column too few": (b"51 Q0 d7 1 12.5\n", "run.txt, line 1: 5 columns, where a run file has 6"),
    "one too many": (b"51 Q0 d 7 1 12.5 me\n", "run.txt, line 1: 7 columns, where a run file has 6"),
    "columns that even out": (b"51 Q0 d7 1 12.5\nme 51 Q0 d9 2 11.25 me\n", "run.txt, line 1: 5 columns"),
    "judgements": (QRELS_LINES, "is it a qrels file?"),
    "too large": (b"51 Q0 d7 1 1e999 me\n", 'score "1e999" is too large for a number'),
    "nul": (b"51 Q0 d7 1 12.5 me\n51 Q0 d\0 2 1 me\n", "run.txt, line 2: a NUL byte"),
    "latin-1": ("51 Q0 Müller 1 12.5 me\n".encode("latin-1"), "run.txt, line 1: byte 0xfc is not UTF-8"),
    "utf-16": ("51 Q0 d7 1 12.5 me\n".encode("utf-16"), "run.txt is UTF-16"),
    "binary": (bytes(range(256)) * 40, "run.txt, line 1: a NUL byte"),
    "json": (b'{"51": {"d7": 12.5}}\n', "if this is JSON"),
    "csv": (b"query,document,score\n51,d7,12.5\n", "if this is CSV"),
    "half a last line": (RUN_LINES + b"52 Q0 d8", "run.txt, line 4: 3 columns"),
    "half a last tag": (RUN_LINES.replace(b"me", b"bm25") + b"52 Q0 d8 2 -4 bm", "run.txt, line 4: the file seems"),
    "gzip cut short": (gzip.compress(RUN_LINES * 50)[:-9], "run.txt: the gzip data end in the middle"),
    "gzip damaged": (gzip.compress(RUN_LINES)[:-8] + bytes(8), "run.txt: the gzip data are damaged"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), BAD.values(), ids=BAD)
def test_a_bad_file_is_named_with_line_and_cause(data: bytes, expected: str) -> None:
    assert expected in complaint(data)
    with pytest.raises(ValueError):
        nd.evaluate(io.BytesIO(QRELS_LINES), io.BytesIO(data))


def test_a_last_line_without_a_newline_may_have_its_own_tag() -> None:
    assert run_of(RUN_LINES + b"52 Q0 d8 2 -4 you")["52"]["d8"] == -4


@pytest.mark.parametrize("scattered", [False, True])
def test_a_document_twice_in_a_query_names_both_lines(scattered: bool) -> None:
    between = b"53 Q0 d1 1 1 me\n" if scattered else b""
    lines = b"\n" + RUN_LINES + between + b"52 Q0 d7 2 -4 me\n"
    said = (
        f"run.txt, lines 4 and {5 + scattered}: document d7 comes twice in query 52: give each document of a query once"
    )
    assert complaint(lines) == said
    stream = io.BytesIO(lines)
    stream.name = "run.txt"
    with pytest.raises(ValueError) as error:
        nd.evaluate(io.BytesIO(QRELS_LINES), stream)
    assert str(error.value) == said


def test_a_document_judged_twice_names_both_lines() -> None:
    lines = QRELS_LINES + b"51 0 d8 2\n"
    said = "qrels.txt, lines 2 and 4: document d8 comes twice in query 51: give each document of a query once"
    assert complaint(lines, "qrels", "qrels.txt") == said
    stream = io.BytesIO(lines)
    stream.name = "qrels.txt"
    with pytest.raises(ValueError, match="lines 2 and 4"):
        nd.evaluate(stream, io.BytesIO(RUN_LINES))


def test_a_line_without_end_is_refused_before_the_memory_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LONGEST_LINE", 1 << 16)
    monkeypatch.setattr(source, "BLOCK", 1 << 12)
    assert "run.txt, line 1: longer than" in complaint(b"x" * (1 << 20))


def test_a_huge_id_is_not_printed_in_full() -> None:
    assert len(complaint(b"51 Q0 " + b"x" * 100_000 + b" 1 no me\n")) < 200


def test_control_characters_of_an_id_are_not_printed() -> None:
    assert "\\x1b[31m" in complaint(b"51 Q0 \x1b[31mred 1 no me\n")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        nd.read_run(tmp_path / "missing.txt")
    with pytest.raises(ValueError, match="is a folder"):
        nd.read_run(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of Unix")
def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(RUN_LINES),))
    writer.start()
    assert nd.read_run(pipe) == run_of(RUN_LINES)
    writer.join()


def test_a_text_stream_is_read_through_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(RUN_LINES)
    with open(tmp_path / "run.txt", encoding="utf-8") as stream:
        assert nd.read_run(stream) == run_of(RUN_LINES)
    with pytest.raises(ValueError, match="stream of text"):
        nd.read_run(io.StringIO("51 Q0 d7 1 12.5 me\n"))


# ---- CSV, TSV, JSON ----

TABLE = {"51": {"d7": 12.5, "d9": 11.25}, "52": {"d7": -3.0}}
RECORDS = [{"qid": query, "docno": d, "score": score} for query, each in TABLE.items() for d, score in each.items()]
HEAD = "query,document,score\n"
TWICE_IN_JSON = '{"51":\n {"d7": 1,\n "d8": 1,\n "d7": 2}}'
RECORD = '{"qid": "1", "docno": "a", "score": 1}\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.csv", HEAD + "51,d7,12.5\n51,d9,11.25\n52,d7,-3\n"),
        ("run.csv", "\ufeffqid;docno;rank;score\r\n51;d7;1;12.5\r\n51;d9;2;11.25\r\n\r\n52;d7;1;-3\r\n"),
        ("run.csv", '"Query ID","doc-id","Score"\n"51","d7","12.5"\n51,d9,11.25\n52,d7,-3\n'),
        ("run.csv", "query,query,document,score,Score\n51,8,d7,12.5,1\n51,8,d9,11.25,1\n52,8,d7,-3,1\n"),  # the first
        ("run.tsv", "query-id\tcorpus-id\tscore\n51\td7\t12.5\n51\td9\t11.25\n52\td7\t-3\n"),
        ("run.tsv", RUN_LINES.decode().replace(" ", "\t")),
        ("run.json", json.dumps(TABLE)),
        ("run.json", json.dumps(RECORDS)),
        ("run.jsonl", "\n".join(map(json.dumps, RECORDS))),
    ],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_tables_by_the_name_of_the_file(tmp_path: Path, name: str, text: str, packed: bool) -> None:
    file = tmp_path / (name + ".gz" * packed)
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert nd.read_run(file) == TABLE


def test_a_format_can_be_said() -> None:
    assert nd.read_run(io.BytesIO(json.dumps(TABLE).encode()), format="json") == TABLE
    with pytest.raises(ValueError, match="it can be trec, json, jsonl, csv, tsv"):
        nd.read_run(io.BytesIO(b"x"), format="xml")


def test_the_judgements_of_beir() -> None:
    assert nd.read_qrels(io.BytesIO(b"query-id\tcorpus-id\tscore\nq1\td1\t2\n"), format="tsv") == {"q1": {"d1": 2}}


BAD_TABLES = {
    "no number": ("run.csv", HEAD + "51,d7,high\n", "run.csv, line 2: score 'high' is not a number (query 51, "),
    "nan": ("run.csv", HEAD + "51,d7,nan\n", "line 2: score 'nan' is not a number"),
    "empty number": ("run.csv", HEAD + "51,d7,\n", "line 2: score '' is not a number"),
    "no document": ("run.csv", HEAD + "51,,1\n", "line 2: the document is empty"),
    "short line": ("run.csv", HEAD + "51,d7\n", "line 2: 2 columns, but the header has 3"),
    "no header": ("run.csv", "51,d7,1\n", "line 1: no column for the query among 51, d7, 1"),
    "only a header": ("run.csv", HEAD, "run.csv holds no results"),
    "twice": ("run.csv", HEAD + "51,d7,1\n52,d7,1\n51,d7,2\n", "run.csv, lines 2 and 4: document d7 comes twice"),
    "open quote": ("run.csv", HEAD + '51,"d7,1\n', "run.csv, line 2: unexpected end of data"),
    "text behind a quote": ("run.tsv", HEAD.replace(",", "\t") + '51\t"d"7\t1\n', "line 2: '\\t' expected after"),
    "nul in csv": ("run.csv", HEAD + "51,d\0,1\n", "run.csv, line 2: a NUL byte"),
    "empty": ("run.json", "", "run.json is empty"),
    "not json": ("run.json", '{"51": {"d7": 1,}}', "run.json, line 1, column "),
    "cut json": ("run.json", '{"51": {"d7": 1', "run.json, line 1, column "),
    "json nan": ("run.json", '{"51": {"d7": NaN}}', "run.json: NaN is not a number"),
    "text": ("run.json", '{"51": {"d7": "1"}}', "query 51, document d7: score '1' is not a number"),
    "null": ("run.json", '{"51": {"d7": null}}', "query 51, document d7: score None is not a number"),
    "true": ("run.json", '{"51": 3}', "query 51: 3 is not a table"),
    "a list": ("run.json", "[1, 2]", "record 1: 1 is not a record"),
    "a number": ("run.json", "3", "run.json is of type int"),
    "twice in json": ("run.json", TWICE_IN_JSON, "run.json, lines 2 and 4: d7 comes twice in the same object"),
    "query twice": ("run.json", '{"51": {"d7": 1}, "51": {"d8": 2}}', "51 comes twice in the same object"),
    "deep": ("run.json", "[" * 100_000, "nested too deep"),
    "a huge whole number": ("run.json", '{"51": {"d7": ' + "9" * 5000 + "}}", "run.json"),
    "bad line": ("run.jsonl", RECORD + "{oops}\n", "run.jsonl, line 2: not JSON"),
    "twice in jsonl": ("run.jsonl", RECORD * 2, "run.jsonl, lines 1 and 2: document a"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_a_bad_table(name: str, text: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError) as error:
        nd.evaluate({"51": {"d7": 1}}, tmp_path / name)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


# ---- data frames; those of pandas, Polars and pyarrow are read in tests/peers/beside_packages.py ----


class Frame:
    """As little of a data frame as pandas and Polars have in common."""

    def __init__(self, **columns: list[object]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
        return np.array(self._columns[name], dtype=object)


def test_data_frames() -> None:
    run = Frame(qid=["51", "51", "52"], query=["some words"] * 3, docno=["d7", "d9", "d7"], score=[12.5, 11.25, -3])
    qrels = Frame(query_id=["51", "51", "52"], doc_id=["d7", "d8", "d7"], relevance=[3, 0, 1])
    assert nd.read_run(run) == TABLE
    assert nd.evaluate(qrels, run)["ndcg"] == 1.0


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"qid": ["1", "1"], "docno": ["a", "a"], "score": [1.0, 2.0]}, "run, rows 0 and 1: document a comes twice"),
        ({"qid": ["1", None], "docno": ["a", "b"], "score": [1.0, 2.0]}, "run, row 1: the query is missing"),
        ({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1.0, float("nan")]}, "run, row 1: score nan is not"),
        ({"qid": ["1"], "docno": ["a"], "points": [1.0]}, "no column for the score among qid, docno, points"),
    ],
)  # fmt: skip
def test_a_bad_data_frame(columns: dict[str, list[object]], expected: str) -> None:
    with pytest.raises(ValueError) as error:
        nd.evaluate({"1": {"a": 1}}, Frame(**columns))
    assert expected in str(error.value)


def test_a_score_may_be_infinite_and_a_grade_may_not() -> None:
    assert nd.read_run({"1": {"a": math.inf, "b": -math.inf}}) == {"1": {"a": math.inf, "b": -math.inf}}
    with pytest.raises(ValueError, match="grade inf is not a number"):
        nd.read_qrels({"1": {"a": math.inf}})


def test_what_was_opened_is_closed(tmp_path: Path) -> None:
    for name, data, read in (("q.txt", QRELS_LINES, nd.read_qrels), ("v.txt", b"ndcg 51 0.5\n", read_values)):
        for packed in (False, True):
            (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                read(tmp_path / name)
                gc.collect()
            assert not said, [str(each.message) for each in said]


def test_a_tag_of_several_words_is_read_as_trec_eval_reads_it() -> None:
    long_tags = RUN_LINES.replace(b" me", b" STANDARD more junk at")
    assert long_tags != RUN_LINES
    assert nd.read_run(io.BytesIO(long_tags)) == nd.read_run(io.BytesIO(RUN_LINES))


def beir(folder: Path, *splits: str) -> Path:
    (folder / "qrels").mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "d7", "text": "a"}\n', "utf8")
    for at, split in enumerate(splits):
        (folder / "qrels" / split).write_text(f"query-id\tcorpus-id\tscore\n51\td7\t{at + 1}\n", "utf8")
    return folder


def test_a_folder_of_beir_stands_for_its_test_judgements(tmp_path: Path) -> None:
    folder = beir(tmp_path, "dev.tsv", "test.tsv", "train.tsv")
    assert nd.read_qrels(folder) == {"51": {"d7": 2}}
    assert nd.evaluate(str(folder), io.BytesIO(RUN_LINES))["ndcg"] == 1.0
    with pytest.raises(ValueError, match="is a folder: name the file with the run"):
        nd.read_run(folder)


@pytest.mark.parametrize(
    ("splits", "said"),
    [(["dev.tsv", "train.tsv"], "holds dev.tsv, train.tsv: name one"), ([], r"they are in qrels/\*")],
)
def test_a_folder_without_test_judgements(tmp_path: Path, splits: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        nd.read_qrels(beir(tmp_path, *splits))


def test_parquet_is_known_by_its_first_bytes_and_asks_for_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyarrow.parquet", "polars"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ValueError, match="is Parquet: pip install pyarrow to read it"):
        nd.read_run(io.BytesIO(b"PAR1 and more PAR1"))


class Unknown:
    """The NA of pandas: what is compared with it is as unknown."""

    def __ne__(self, other: object) -> "Unknown":  # type: ignore[override]
        return self

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("missing", [None, float("nan"), Unknown()], ids=["None", "nan", "NA"])
def test_a_missing_entry_of_a_data_frame(missing: object) -> None:
    with pytest.raises(ValueError, match="run, row 1: the document is missing"):
        nd.read_run(Frame(qid=["1", "1"], docno=["a", missing], score=[1.0, 2.0]))


def test_a_table_of_blank_lines_has_no_header_in_line_1() -> None:
    with pytest.raises(ValueError, match="line 1: no column for the query"):
        nd.read_qrels(io.BytesIO(b"\n\n\n"), "csv")
