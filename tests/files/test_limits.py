"""What a file may not do: fill the memory with one query, or hide what is no number."""

import gzip
import io

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


@pytest.mark.parametrize("value", ["1e400", "-1e999", "true", "NaN"])
@pytest.mark.parametrize("text", ['{"51": {"d1": %s}}', '[{"query": "51", "document": "d1", "score": %s}]'])
def test_what_is_no_number_in_json_is_refused_as_in_trec_files(text: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number|too large for a number"):
        nd.read_run(io.BytesIO((text % value).encode()), "json")
    with pytest.raises(ValueError, match=r"is not a number|too large for a number"):
        nd.read_run(io.BytesIO((text % value).encode().strip(b"[]")), "jsonl" if text[0] == "[" else "json")
