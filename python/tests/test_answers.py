"""The module answers what the program answers for the same records."""

import datetime
import decimal
import json

import obelus
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import ROOT

SAMPLES = ROOT / "samples"
SCHEMAS = [
    (obelus.check, obelus.FINDINGS),
    (obelus.records, obelus.RECORDS),
    (obelus.sketches, obelus.SKETCHES),
]


def equal_answers(program, texts, rows, tmp_path, *arguments, **options):
    """Asserts that all answers are those of the program, and returns the findings."""
    text = "".join(line + "\n" for line in texts)
    out = tmp_path / "findings.jsonl"
    program.run("check", *arguments, "--out", str(out), "-", text=text)
    findings = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert obelus.check(rows, **options).to_pylist() == findings
    assert obelus.records(rows, **options).to_pylist() == program.json_lines(
        "table", "--json", *arguments, "-", text=text
    )
    assert [obelus.stats(rows, **options)] == program.json_lines(
        "stats", "--summary", "--json", *arguments, "-", text=text
    )
    return findings


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.name)
def test_samples(path, program, tmp_path):
    lines = path.read_text(encoding="utf-8").splitlines()
    equal_answers(program, lines, pa.table({"value": lines}), tmp_path)


def test_trajectories(program, trajectories, tmp_path):
    rows = pa.table({"file": ["x"] * len(trajectories), "record": trajectories})
    findings = equal_answers(
        program, trajectories, rows, tmp_path, "--format", "adp", column="record", format="adp"
    )
    # What is equal is not nothing: several rules, steps and severities, and a digest for each.
    assert len({finding["rule"] for finding in findings}) > 2
    assert len({finding["digest"] for finding in findings}) > 20
    sketches = program.json_lines("table", "--sketches", "--json", "-", text="\n".join(trajectories))
    assert obelus.sketches(rows, column="record").to_pylist() == sketches
    assert all(len(row["bands"]) == 16 for row in sketches)


def test_findings_are_those_of_check_json(program, trajectories):
    rows = pa.table({"value": trajectories})
    names = ["file", "record", "step", "path", "rule", "severity", "message"]
    program_says = program.json_lines("check", "--json", "-", text="\n".join(trajectories))
    assert obelus.check(rows).select(names).to_pylist() == [
        {name: finding[name] for name in names} for finding in program_says
    ]


def test_parquet_files_have_the_same_schemas(program, trajectories, tmp_path):
    (tmp_path / "in.jsonl").write_text("\n".join(trajectories) + "\n", encoding="utf-8")
    rows = pa.table({"value": trajectories})
    for arguments, answer, schema in [
        (["check"], obelus.check, obelus.FINDINGS),
        (["table"], obelus.records, obelus.RECORDS),
        (["table", "--sketches"], obelus.sketches, obelus.SKETCHES),
    ]:
        out = tmp_path / f"{answer.__name__}.parquet"
        program.run(*arguments, "in.jsonl", "--out", str(out), cwd=tmp_path)
        table = pq.read_table(out)
        assert table.schema.names == schema.names
        assert table.schema.types == schema.types
        assert answer(rows, name="in.jsonl").equals(table.cast(schema))


def test_any_column_of_texts():
    lines = (SAMPLES / "desk-rollouts.jsonl").read_text(encoding="utf-8").splitlines()
    answer = obelus.check(pa.table({"value": lines})).to_pylist()
    records = obelus.records(pa.table({"value": lines})).to_pylist()
    assert len(records) == len(lines)
    kinds = [pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
    for kind in kinds:
        rows = pa.table({"value": pa.array([line.encode() for line in lines]).cast(kind)})
        assert obelus.check(rows).to_pylist() == answer, kind
    assert obelus.records(pa.table({"value": pa.array(lines).dictionary_encode()})).to_pylist() == records
    chunked = pa.table({"value": pa.chunked_array([lines[:3], [], lines[3:]])})
    assert obelus.records(chunked).to_pylist() == records
    assert obelus.records(pa.table({"value": lines})[2:5]).column("digest").to_pylist() == [
        record["digest"] for record in records[2:5]
    ]


def test_columns_are_members():
    messages = [{"role": "user", "content": "Is it open?"}, {"role": "assistant", "content": "Yes."}]
    rows = pa.table({"id": ["a", "b"], "messages": [messages, messages[:1]], "reward": [1.0, None]})
    records = obelus.records(rows).to_pylist()
    assert [record["id"] for record in records] == ["a", "b"]
    assert [record["steps"] for record in records] == [2, 1]
    assert [record["reward"] for record in records] == [1.0, None]
    batch = rows.to_batches()[0]
    assert isinstance(obelus.records(batch), pa.RecordBatch)
    assert isinstance(obelus.records(rows), pa.Table)
    assert obelus.records(pa.RecordBatchReader.from_batches(rows.schema, [batch])).to_pylist() == records


def test_rows_have_the_text_that_they_have_in_a_parquet_file(program, tmp_path):
    """Digests of a table and of the same table in a file are equal, whatever the types of its columns."""
    at = datetime.datetime(2026, 5, 1, 10, 20, 30, 123456)
    columns = {
        "id": pa.array(["a", None, "quote \" and \u2028 and 🚚"]),
        "flag": pa.array([True, False, None]),
        "small": pa.array([-1, 127, None], pa.int8()),
        "big": pa.array([2**63 - 1, -(2**63), 9007199254740993]),
        "unsigned": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "single": pa.array([0.1, float("nan"), float("-inf")], pa.float32()),
        "double": pa.array([0.1, 1e300, None]),
        "half": pa.array([0.5, 1.5, None]).cast(pa.float16()),
        "bytes": pa.array([b"\0\xff", b"", None]),
        "fixed": pa.array([b"abcd", b"efgh", None], pa.binary(4)),
        "price": pa.array([decimal.Decimal("12.50"), decimal.Decimal("-0.01"), None], pa.decimal128(9, 2)),
        "day": pa.array([at.date(), datetime.date(1969, 12, 31), None]),
        "millis": pa.array([at, None, None], pa.timestamp("ms", "UTC")),
        "micros": pa.array([at, datetime.datetime(1969, 12, 31, 23, 59, 59, 500000), None], pa.timestamp("us")),
        "nanos": pa.array([1_777_630_830_123_456_789, -1, None], pa.timestamp("ns")),
        "clock": pa.array([at.time(), None, None], pa.time64("us")),
        "short_clock": pa.array([at.time().replace(microsecond=0), None, None], pa.time32("ms")),
        "category": pa.array(["x", "y", "x"]).dictionary_encode(),
        "struct": pa.array([{"a": 1, "b": None}, None, {"a": None, "b": [{}, {"c": "x"}]}]),
        "list": pa.array([[1, None], [], None]),
        "large_list": pa.array([[["x"]], [[], None], None], pa.large_list(pa.list_(pa.string()))),
        "map": pa.array([[("k", 1), ("l", None)], [], None], pa.map_(pa.string(), pa.int64())),
        "numbered": pa.array([[(1, "x")], None, []], pa.map_(pa.int64(), pa.string())),
        "no": pa.nulls(3),
    }
    long = pa.array([-(2**63), 2**63 - 1, -1])
    short = pa.array([-(2**31), 2**31 - 1, -1], pa.int32())
    for unit in ("ms", "us", "ns"):
        columns[f"{unit}_extremes"] = long.cast(pa.timestamp(unit))
        columns[f"{unit}_utc_extremes"] = long.cast(pa.timestamp(unit, "UTC"))
        columns[f"{unit}_spans"] = long.cast(pa.duration(unit))
    columns |= {
        # Parquet files have no seconds.
        "seconds": pa.array([0, 253_402_300_800, None]).cast(pa.timestamp("s", "UTC")),
        "clock_seconds": pa.array([0, 86_399, 86_400], pa.int32()).cast(pa.time32("s")),
        "days": short.cast(pa.date32()),
        "day_millis": pa.array([0, 86_400_000, -86_400_001]).cast(pa.date64()),
        "clock_millis": short.cast(pa.time32("ms")),
        "clock_micros": long.cast(pa.time64("us")),
        "clock_nanos": long.cast(pa.time64("ns")),
        "whole": pa.array([decimal.Decimal("-99999"), decimal.Decimal(0), None], pa.decimal128(5, 0)),
        "small_decimal": pa.array([decimal.Decimal("0.01"), decimal.Decimal("-9.99"), None], pa.decimal32(3, 2)),
        "wide": pa.array([decimal.Decimal("9" * 38), decimal.Decimal("-1"), None], pa.decimal256(76, 9)),
        "id": pa.array([b"0" * 16, b"\xff" * 16, None], pa.binary(16)),
    }
    messages = [[{"role": "user", "content": f"message {n}"}] for n in range(3)]
    for name, column in columns.items():
        rows = pa.table({"messages": messages, name: column})
        path = tmp_path / f"{name}.parquet"
        pq.write_table(rows, path)
        records = program.json_lines("table", "--json", path.name, cwd=tmp_path)
        assert obelus.records(rows, name=path.name).to_pylist() == records, program.run("query", str(path), ".")
        assert len({record["digest"] for record in records}) == 3
    fixed_lists = pa.table({"messages": messages[:2], "xs": pa.array([[1, 2], [3, None]], pa.list_(pa.int64(), 2))})
    lists = pa.table({"messages": messages[:2], "xs": pa.array([[1, 2], [3, None]])})
    assert obelus.records(fixed_lists[1:]).equals(obelus.records(lists[1:]))


def test_schemas():
    empty = pa.table({"value": pa.array([], pa.string())})
    for answer, schema in SCHEMAS:
        assert answer(empty).schema == schema
        assert answer(empty).num_rows == 0
    assert obelus.stats(empty)["type"] == "summary"
    nothing = pa.table({})
    assert obelus.records(nothing).num_rows == 0


def test_broken_records_are_rows(program, tmp_path):
    texts = ['{"id":"a","content":[]}', '{"id": broken', "7", '{"id":"d"', '{"id":"b","content":[]}']
    rows = pa.table({"value": texts})
    findings = equal_answers(program, texts, rows, tmp_path, "--format", "adp", format="adp")
    assert [finding["record"] for finding in findings if finding["severity"] == "error"] == [1, 2]
    with_null = pa.table({"value": [texts[0], None, texts[4]]})
    assert obelus.records(with_null, format="adp").column("id").to_pylist() == ["a", "b"]


def test_statistics_merge_in_any_order():
    rows = (SAMPLES / "desk-rollouts.jsonl").read_text(encoding="utf-8").splitlines()
    parts = [obelus.stats(pa.table({"value": rows[n::3]}), format="adp") for n in range(3)]
    whole = obelus.merge(parts)
    assert whole == obelus.merge(part for part in [parts[2], obelus.merge(parts[:2])])
    assert whole["records"] == len(rows)
    assert whole["type"] == "summary"


def test_more_parts_than_are_merged_at_once(trajectories):
    parts = [obelus.stats(pa.table({"value": [trajectory]}), format="adp") for trajectory in trajectories]
    whole = obelus.merge(part for part in parts)
    assert whole["records"] == 300
    halves = [obelus.merge(parts[:131]), obelus.merge(parts[131:])]
    assert whole == obelus.merge(halves)


def test_statistics_of_parts_are_those_of_the_whole(program, trajectories):
    parts = [trajectories[at : at + 70] for at in range(0, len(trajectories), 70)]
    summaries = [obelus.stats(pa.table({"value": part}), format="adp") for part in parts]
    text = "\n".join(trajectories)
    (whole,) = program.json_lines("stats", "--summary", "--json", "--format", "adp", "-", text=text)
    # Repeated ids and bodies are counted within a part.
    merged = obelus.merge(summaries)
    for summary in (whole, merged):
        for rule in [rule for rule in summary["rules"] if rule.startswith("adp.duplicate")]:
            del summary["rules"][rule]
        for name in ("with_warnings", "warnings", "with_errors", "errors", "found"):
            summary.pop(name, None)
    assert merged == whole
