"""What the package answers is what the command answers: OBELUS names the program (default: obelus on the PATH)."""

import json
import os
import pathlib
import shutil
import subprocess

import obelus
import pyarrow as pa
import pyarrow.json
import pytest

PROGRAM = os.environ.get("OBELUS") or shutil.which("obelus")
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"


def lines(path):
    return path.read_text().splitlines()


def told(*arguments, text):
    if PROGRAM is None:
        pytest.skip("there is no obelus to compare with")
    answer = subprocess.run([PROGRAM, *arguments, "-"], input=text, capture_output=True, text=True)
    assert answer.returncode in (0, 1), answer.stderr
    return answer.stdout


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.name)
def test_answers_of_the_command(path, tmp_path):
    text = "".join(line + "\n" for line in lines(path))
    rows = pa.table({"value": lines(path)})
    out = tmp_path / "found.jsonl"
    told("check", "--out", str(out), text=text)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert obelus.check(rows).to_pylist() == found
    records = [json.loads(line) for line in told("table", "--json", text=text).splitlines()]
    assert obelus.records(rows).to_pylist() == records
    assert obelus.stats(rows) == json.loads(told("stats", "--summary", "--json", text=text))


def test_columns_are_members():
    messages = [{"role": "user", "content": "Is it open?"}, {"role": "assistant", "content": "Yes."}]
    rows = pa.table({"id": ["a", "b"], "messages": [messages, messages[:1]], "reward": [1.0, None]})
    records = obelus.records(rows).to_pylist()
    assert [record["id"] for record in records] == ["a", "b"]
    assert [record["steps"] for record in records] == [2, 1]
    assert [record["reward"] for record in records] == [1.0, None]
    batch = rows.to_batches()[0]
    assert isinstance(obelus.records(batch), pa.RecordBatch) and isinstance(obelus.records(rows), pa.Table)
    assert obelus.records(pa.RecordBatchReader.from_batches(rows.schema, [batch])).to_pylist() == records


def test_schemas():
    empty = pa.table({"value": pa.array([], pa.string())})
    for answer, schema in [
        (obelus.check, obelus.FINDINGS),
        (obelus.records, obelus.RECORDS),
        (obelus.sketches, obelus.SKETCHES),
    ]:
        assert answer(empty).schema == schema and answer(empty).num_rows == 0


def test_statistics_merge_in_any_order():
    rows = lines(SAMPLES / "desk-rollouts.jsonl")
    parts = [obelus.stats(pa.table({"value": rows[n::3]}), format="adp") for n in range(3)]
    whole = obelus.merge(parts)
    assert whole == obelus.merge([parts[2], obelus.merge(parts[:2])])
    assert whole["records"] == len(rows) and whole["type"] == "summary"


def test_what_is_no_batch_is_reported():
    with pytest.raises(TypeError, match="pass a pyarrow Table"):
        obelus.check([1, 2])
    with pytest.raises(ValueError, match="there is no column `x`.*value"):
        obelus.check(pa.table({"value": ["{}"]}), column="x")
    with pytest.raises(ValueError, match="no texts of JSON"):
        obelus.check(pa.table({"n": [1]}), column="n")
    with pytest.raises(ValueError, match="there is no format `actz`"):
        obelus.check(pa.table({"value": ["{}"]}), format="actz")
    with pytest.raises(ValueError, match="no line of a summary"):
        obelus.merge([{"obelus": 1, "type": "summary", "records": 1}])
