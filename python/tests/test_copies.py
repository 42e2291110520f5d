"""The SQL of `docs/scale.md`, run by DuckDB on sketches of a partitioned dataset, finds the copies and near copies that
`obelus check --data` finds in the whole."""

import re

import obelus
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import ROOT

PARTS = ["a.jsonl", "b.jsonl", "c.jsonl"]


def statements():
    """The statements of the page: read sketches, list copies, take one record of each body, list near copies."""
    page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    return [statement for statement in block.split(";") if statement.strip()]


def answer(connection, statement):
    rows = connection.execute(statement)
    names = [column[0] for column in rows.description]
    return [dict(zip(names, row)) for row in rows.fetchall()]


def test_joins_find_what_one_check_finds(program, trajectories, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "sketches").mkdir()
    # The parts are dealt out, so that copies are in other parts than their originals.
    for number, part in enumerate(PARTS):
        (tmp_path / part).write_text("".join(line + "\n" for line in trajectories[number::3]), encoding="utf-8")
        program.run("table", "--sketches", "--out", f"sketches/{part}.parquet", part, cwd=tmp_path)
        rows = obelus.sketches(pa.table({"value": trajectories[number::3]}), name=part)
        assert rows.equals(pq.read_table(tmp_path / f"sketches/{part}.parquet").cast(obelus.SKETCHES))

    monkeypatch.chdir(tmp_path)
    read, copies, one, near = statements()
    connection = duckdb.connect()
    connection.execute(read)
    of_copies = answer(connection, copies)
    connection.execute(one)
    of_near = answer(connection, near)

    found = program.json_lines("check", "--data", "--json", *PARTS, cwd=tmp_path)
    checked = {
        rule: {(finding["file"], finding["record"]) for finding in found if finding["rule"] == rule}
        for rule in ("data.duplicate", "data.near-duplicate")
    }

    # Every copy but the first of its group.
    sketches = connection.execute("SELECT file, record, body FROM s ORDER BY file, record").fetchall()
    firsts = {row["body"]: (row["first"]["file"], row["first"]["record"]) for row in of_copies}
    joined = {(file, record) for file, record, body in sketches if body in firsts and firsts[body] != (file, record)}
    assert len(joined) == 30
    assert joined == checked["data.duplicate"]
    assert sum(row["copies"] - 1 for row in of_copies) == len(joined)

    near_copies = {(row["near"]["file"], row["near"]["record"]) for row in of_near}
    assert len(near_copies) == 30
    assert near_copies == checked["data.near-duplicate"]
    # An estimate: one that differs in a few runs of words may share all bins.
    assert all(0.85 <= row["share"] <= 1 for row in of_near)
