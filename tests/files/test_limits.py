"""What a file may not do: fill the memory with one query, or hide what is no number."""

import gzip
import io
from pathlib import Path

import pytest

import ndcg_lib as nd
from ndcg_lib.files import source


def test_a_packed_file_of_one_query_is_stopped_by_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "BLOCK", 1 << 12)
    monkeypatch.setattr(source, "MOST_ROWS", 1000)
    bomb = gzip.compress(b"51 Q0 d 1 0.5 me\n" * 200_000)
    with pytest.raises(ValueError, match="query '51' at line 1 has more than 1,000 lines"):
        nd.evaluate({"51": {"d": 1}}, io.BytesIO(bomb))
    lists = "".join(f"{q} Q0 d{at} 1 {-at} me\n" for q in range(9) for at in range(900)).encode()
    assert nd.evaluate({"5": {"d1": 1}}, io.BytesIO(lists), measures="rr")["rr"] == 0.5


@pytest.mark.parametrize(("form", "start", "line", "end"), [
    ("csv", "query,document,score\n", "51,d{},1\n", ""),
    ("jsonl", "", '{{"query":"51","document":"d{}","score":1}}\n', ""),
    ("json", '{"51":{"x":1', ',"d{}":1', "}}"), ("json", '{"51":["x"', ',"d{}"', "]}"),
    ("json", '[{"query":"51","document":"x","score":1}', ',{{"query":"51","document":"d{}","score":1}}', "]"),
])  # fmt: skip
def test_the_limits_hold_for_every_form_of_file(
    form: str, start: str, line: str, end: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So many lines of one query, and so much that is unpacked into memory as a whole."""
    text = start + "".join(map(line.format, range(1500))) + end
    monkeypatch.setattr(source, "MOST_ROWS", 1500 + (form == "json"))
    packed = tmp_path / f"run.{form}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert len(nd.read_run(packed)["51"]) >= 1500
    monkeypatch.setattr(source, "MOST_ROWS", 1499)
    with pytest.raises(ValueError, match="query '51' has more than 1,499 lines"):
        nd.read_run(packed)
    monkeypatch.setattr(source, "BLOCK", 1 << 10)
    monkeypatch.setattr(source, "MOST_TEXT", 1 << 13)
    with pytest.raises(ValueError, match="MiB when unpacked: unpack it, or give TREC lines"):
        nd.read_run(packed)


@pytest.mark.parametrize("value", ["1e400", "-1e999", "true", "NaN"])
@pytest.mark.parametrize("text", ['{"51": {"d1": %s}}', '[{"query": "51", "document": "d1", "score": %s}]'])
def test_what_is_no_number_in_json_is_refused_as_in_trec_files(text: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number|too large for a number"):
        nd.read_run(io.BytesIO((text % value).encode()), "json")
    with pytest.raises(ValueError, match=r"is not a number|too large for a number"):
        nd.read_run(io.BytesIO((text % value).encode().strip(b"[]")), "jsonl" if text[0] == "[" else "json")


def test_the_limit_holds_to_the_end_of_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The last piece is read to its end, however many lines are in it."""
    monkeypatch.setattr(source, "MOST_ROWS", 1000)
    lines = [f"1 Q0 d{at} 1 1 x\n" for at in range(1200)]
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n")
    for name, opened in (("run.txt", open), ("run.txt.gz", gzip.open)):
        with opened(tmp_path / name, "wt") as file:
            file.write("".join(lines))
        with pytest.raises(ValueError, match="more than 1,000 lines"):
            nd.evaluate(tmp_path / "qrels.txt", tmp_path / name, 10)
    (tmp_path / "run.txt").write_text("".join(lines[:900]) + "2 Q0 d1 1 1 x\n" * 1 + "3 Q0 d2 1 1 x\n" * 1)
    assert nd.evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", 10)
