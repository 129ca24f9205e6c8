"""Judgements and runs from files: TREC, CSV, TSV and JSON."""
