"""Judgements and runs from files: TREC, JSON, CSV and TSV, also gzipped."""

from ndcg_lib.files.reading import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
