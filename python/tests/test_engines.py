"""Spark's mapInArrow, Ray Data's map_batches and datasets.map give what one batch of all records gives.

Only where asked for, since they are large: OBELUS_ENGINES=spark,ray,datasets (or all). OBELUS_DATA names a file of JSON
Lines to use instead of a made one, of any size; then what each took is printed (pytest -s).
"""

import json
import os
import time

import obelus
import pyarrow as pa
import pytest

ASKED = os.environ.get("OBELUS_ENGINES", "").split(",")


def engine(name):
    if name not in ASKED and "all" not in ASKED:
        pytest.skip(f"OBELUS_ENGINES does not name {name}")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    given = os.environ.get("OBELUS_DATA")
    if given:
        return given
    step = {"class_": "text_observation", "content": "list the files", "source": "user"}
    call = {"class_": "api_action", "function": "ls", "kwargs": {}, "reward": 0.1}
    path = tmp_path_factory.mktemp("data") / "records.jsonl"
    with open(path, "w") as out:
        for n in range(5000):
            out.write(json.dumps({"id": f"t{n % 4500}", "content": [step, {**call, "function": f"f{n % 7}"}]}) + "\n")
    return str(path)


def count(data):
    with open(data, "rb") as lines:
        return sum(1 for line in lines if line.strip())


class Clock:
    def __init__(self, name, data):
        self.name, self.size, self.begun = name, os.path.getsize(data), time.monotonic()

    def report(self, what):
        took = time.monotonic() - self.begun
        print(f"{self.name} {what}: {took:.1f} s, {self.size / took / 1e6:.0f} MB/s")
        self.begun = time.monotonic()


def summaries(batches):
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"summary": [json.dumps(obelus.stats(batch, column="value", format="adp"))]})


def merged(batches):
    """One summary of all that a partition has."""
    parts = [json.loads(text) for batch in batches for text in batch.column(0).to_pylist()]
    if parts:
        yield pa.RecordBatch.from_pydict({"summary": [json.dumps(obelus.merge(parts))]})


def test_spark(data):
    engine("spark")
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    def findings(batches):
        for batch in batches:
            yield obelus.check(batch, column="value", format="adp")

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = session.config("spark.driver.memory", "3g").getOrCreate()
    try:
        clock = Clock("spark", data)
        lines = spark.read.text(data)
        rows = lines.mapInArrow(findings, from_arrow_schema(obelus.FINDINGS))
        rules = {row["rule"]: row["count"] for row in rows.groupBy("rule").count().collect()}
        clock.report("check")
        parts = lines.mapInArrow(summaries, "summary string").coalesce(2).mapInArrow(merged, "summary string")
        whole = obelus.merge([json.loads(row["summary"]) for row in parts.collect()])
        clock.report("stats")
    finally:
        spark.stop()
    assert whole["records"] == count(data)
    own = {rule: n for rule, n in whole["rules"].items() if not rule.startswith("adp.duplicate")}
    assert own == {rule: n for rule, n in rules.items() if not rule.startswith("adp.duplicate")}


def test_ray(data):
    engine("ray")
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=2 * 10**9)
    try:
        clock = Clock("ray", data)
        lines = ray.data.read_text(data, override_num_blocks=16)
        options = {"batch_format": "pyarrow", "batch_size": None, "fn_kwargs": {"column": "text", "format": "adp"}}
        records = lines.map_batches(obelus.records, **options)
        steps = records.sum("steps")
        clock.report("records")

        def summary(batch, **options):
            return pa.table({"summary": [json.dumps(obelus.stats(batch, **options))]})

        parts = lines.map_batches(summary, **options).take_all()
        whole = obelus.merge([json.loads(row["summary"]) for row in parts])
        clock.report("stats")
    finally:
        ray.shutdown()
    assert (whole["records"], whole["steps"]["sum"]) == (count(data), steps)


def test_datasets(data, tmp_path):
    engine("datasets")
    import datasets

    clock = Clock("datasets", data)
    lines = datasets.load_dataset("text", data_files=data, split="train", cache_dir=str(tmp_path)).with_format("arrow")
    clock.report("load")
    options = {"batched": True, "batch_size": 2000, "remove_columns": lines.column_names, "num_proc": 2}
    records = lines.map(obelus.records, fn_kwargs={"column": "text", "format": "adp"}, **options)
    clock.report("records")
    table = records.with_format("arrow")[:]
    assert table.num_rows == count(data) and table.column_names == obelus.RECORDS.names
