"""The real runs and judgements of data/trec by name; data/trec/README.md has their sources, licences and surprises."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "trec"
SYSTEMS = sorted(
    file.name.removesuffix(".dl19.txt.gz") for file in FOLDER.glob("*.dl19.txt.gz") if "qrels" not in file.name
)
"""Those that ran on both years of TREC Deep Learning, dl19 and dl20."""
FIRST_STAGE = ("bm25", "bm25-rm3", "tasb", "ada2", "splade", "repllama")
"""Those among them whose scores serve a model as features."""


def qrels(collection: str) -> str:
    """The file with the judgements of a collection.

    >>> Path(qrels("dl19")).name
    'qrels.dl19.txt.gz'
    """
    return _file(f"qrels.{collection}.txt.gz")


def run(system: str, collection: str) -> str:
    """The file with the first 100 documents of a system for each question of a collection.

    >>> Path(run("splade", "covid")).name
    'splade.covid.txt.gz'
    """
    return _file(f"{system}.{collection}.txt.gz")


def _file(name: str) -> str:
    if not (FOLDER / name).is_file():
        raise ValueError(f"there is no {name}: the files are {', '.join(sorted(f.name for f in FOLDER.glob('*.gz')))}")
    return str(FOLDER / name)
