"""In Spark, Ray Data and `datasets`, the module gives for batches what it gives for all records at once.

Each test runs if its engine is installed: `pip install pyspark 'ray[data]' datasets`; Spark also needs Java.
"""

import json
import os
import shutil
import sys

import obelus
import pyarrow as pa
import pytest


@pytest.fixture(scope="module")
def data(tmp_path_factory, trajectories):
    path = tmp_path_factory.mktemp("data") / "records.jsonl"
    path.write_text("\n".join(trajectories) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def whole(trajectories):
    return pa.table({"value": trajectories})


def as_set(rows, *but):
    """Rows regardless of their order, without the columns that depend on how records are divided."""
    return sorted(json.dumps([row[name] for name in row if name not in ("record", "line", *but)]) for row in rows)


def findings_of_records(rows):
    """Findings but for those that compare records: these see one batch."""
    return [row for row in rows if not row["rule"].startswith("adp.duplicate")]


def without_repetition(summary):
    """Statistics but for what compares records."""
    names = ("warnings", "with_warnings", "errors", "with_errors", "found")
    rules = {rule: n for rule, n in summary["rules"].items() if not rule.startswith("adp.duplicate")}
    return {name: value for name, value in summary.items() if name not in names} | {"rules": rules}


def conversation(number):
    messages = [{"role": "user", "content": f"Is {number} open?"}, {"role": "assistant", "content": f"Yes, {number}."}]
    return messages[: 1 + number % 2]


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 40)
        .getOrCreate()
    )
    yield session
    session.stop()


def test_spark_map_in_arrow(spark, data, whole):
    from pyspark.sql.pandas.types import from_arrow_schema

    def findings(batches):
        for batch in batches:
            yield obelus.check(batch, column="value", format="adp")

    def records(batches):
        for batch in batches:
            yield obelus.records(batch, column="value", format="adp")

    def summaries(batches):
        merged = obelus.merge(obelus.stats(batch, column="value", format="adp") for batch in batches)
        yield pa.RecordBatch.from_pydict({"summary": [json.dumps(merged)]})

    lines = spark.read.text(data).repartition(3)
    rows = lines.mapInArrow(findings, from_arrow_schema(obelus.FINDINGS)).collect()
    expected = findings_of_records(obelus.check(whole, format="adp").to_pylist())
    assert len(expected) > 10
    assert as_set(findings_of_records(row.asDict() for row in rows)) == as_set(expected)

    rows = lines.mapInArrow(records, from_arrow_schema(obelus.RECORDS)).collect()
    expected = obelus.records(whole, format="adp").to_pylist()
    but = ("warnings", "errors", "rules")
    assert as_set((row.asDict() for row in rows), *but) == as_set(expected, *but)

    parts = lines.mapInArrow(summaries, "summary string").toLocalIterator()
    merged = obelus.merge(json.loads(row["summary"]) for row in parts)
    assert without_repetition(merged) == without_repetition(obelus.stats(whole, format="adp"))


def test_spark_reads_parquet_with_columns(spark, tmp_path):
    from pyspark.sql.pandas.types import from_arrow_schema
    import pyarrow.parquet as pq

    rows = pa.table({"id": [f"r{n}" for n in range(90)], "messages": [conversation(n) for n in range(90)]})
    pq.write_table(rows, tmp_path / "rows.parquet", compression="gzip")

    def records(batches):
        for batch in batches:
            yield obelus.records(batch)

    answer = spark.read.parquet(str(tmp_path)).mapInArrow(records, from_arrow_schema(obelus.RECORDS)).collect()
    assert as_set(row.asDict() for row in answer) == as_set(obelus.records(rows).to_pylist())


def test_ray_map_batches(data, whole):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 * 10**6)
    try:
        lines = ray.data.read_text(data, override_num_blocks=4)
        options = {"batch_format": "pyarrow", "batch_size": 40, "fn_kwargs": {"column": "text", "format": "adp"}}
        expected = findings_of_records(obelus.check(whole, format="adp").to_pylist())
        assert as_set(findings_of_records(lines.map_batches(obelus.check, **options).take_all())) == as_set(expected)

        records = lines.map_batches(obelus.records, **options)
        assert records.sum("steps") == sum(obelus.records(whole, format="adp").column("steps").to_pylist())

        def summary(batch, **reading):
            return pa.table({"summary": [json.dumps(obelus.stats(batch, **reading))]})

        parts = lines.map_batches(summary, **options).take_all()
        merged = obelus.merge(json.loads(row["summary"]) for row in parts)
        assert without_repetition(merged) == without_repetition(obelus.stats(whole, format="adp"))
    finally:
        ray.shutdown()


def test_datasets_map(data, whole, tmp_path):
    datasets = pytest.importorskip("datasets")
    lines = datasets.load_dataset("text", data_files=data, split="train", cache_dir=str(tmp_path)).with_format("arrow")
    options = {"batched": True, "batch_size": 40, "remove_columns": lines.column_names, "num_proc": 2}
    reading = {"column": "text", "format": "adp"}
    records = lines.map(obelus.records, fn_kwargs=reading, **options)
    expected = obelus.records(whole, format="adp")
    assert records.column_names == obelus.RECORDS.names
    but = ("warnings", "errors", "rules")
    table = records.with_format("arrow")[:]
    assert as_set(table.to_pylist(), *but) == as_set(expected.to_pylist(), *but)
    assert table.column("digest").to_pylist() == expected.column("digest").to_pylist()

    findings = lines.map(obelus.check, fn_kwargs=reading, **options).with_format("arrow")[:]
    expected = findings_of_records(obelus.check(whole, format="adp").to_pylist())
    assert as_set(findings_of_records(findings.to_pylist())) == as_set(expected)


def test_datasets_with_columns():
    datasets = pytest.importorskip("datasets")
    rows = [{"id": f"r{n}", "messages": conversation(n)} for n in range(30)]
    dataset = datasets.Dataset.from_list(rows).with_format("arrow")
    records = dataset.map(obelus.records, batched=True, batch_size=8, remove_columns=dataset.column_names)
    assert [row["steps"] for row in records.with_format(None)] == [1 + n % 2 for n in range(30)]
