"""Runs against judgements: matched, ranked, cut, and evaluated; from files, dictionaries and data frames."""
