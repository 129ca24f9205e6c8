"""The tests of frames on the engines that run on many machines, here on this one: PySpark (with Java) and Dask.

    peers/bin/python -m pytest --noconftest -o addopts= tests/peers/beside_engines.py

The weekly workflow does so in the environment of requirements.txt. The cases stand in tests/runs/test_frames.py.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import dask.dataframe
import pandas
import pytest
from pyspark.sql import SparkSession

from tests.runs import test_frames as shared
from tests.runs.test_frames import Engine, Row


def in_dask(rows: list[Row], value: str) -> Any:
    return dask.dataframe.from_pandas(pandas.DataFrame(shared.columns(rows, value)), npartitions=3)


@pytest.fixture(scope="module")
def spark() -> Iterator[Engine]:
    settings = {"spark.sql.shuffle.partitions": "1", "spark.ui.enabled": "false"}
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()

    def make(rows: list[Row], value: str) -> Any:
        kinds = [{str: "string", int: "long"}[type(one)] for one in rows[0][:2]]
        return session.createDataFrame(rows, f"query {kinds[0]}, doc {kinds[1]}, {value} double").cache()

    yield make
    session.stop()


def few() -> list[dict[str, Any]]:
    """A convention for each rule for ties, and two more."""
    every = list(shared.asked())
    return [{}, *(one for one in every if list(one) == ["ties"]), *random.Random(3).sample(every, 2)]


def test_dask_gives_the_values_of_the_core() -> None:
    shared.beside_the_core(in_dask, 1, few())


def test_spark_gives_the_values_of_the_core(spark: Engine) -> None:
    shared.beside_the_core(spark, 1, few()[:2])


def the_rest(engine: Engine, kind: type) -> None:
    shared.test_gains_and_discounts_of_the_callers_own(engine)
    shared.test_what_is_no_number_or_comes_twice_is_refused(engine)
    shared.test_parts_hold_every_query_once_and_change_no_value(engine, kind)


def test_the_rest_on_dask() -> None:
    the_rest(in_dask, str)


def test_the_rest_on_spark(spark: Engine) -> None:
    the_rest(spark, int)
