"""Errors, threads and types of the module."""

import inspect
import pathlib
import subprocess
import sys
import threading
import time

import obelus
import pyarrow as pa
import pytest


def test_data_that_has_no_batches():
    for data in ([1, 2], "x", None, {"a": 1}):
        with pytest.raises(TypeError, match="pass a pyarrow Table"):
            obelus.check(data)


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match="there is no column `x`.*value"):
        obelus.check(pa.table({"value": ["{}"]}), column="x")
    with pytest.raises(ValueError, match="`n` has no texts of JSON, it is Int64"):
        obelus.check(pa.table({"n": [1]}), column="n")
    with pytest.raises(ValueError, match="there is no format `actz`"):
        obelus.check(pa.table({"value": ["{}"]}), format="actz")
    with pytest.raises(ValueError, match="not a line of a summary"):
        obelus.merge([{"obelus": 1, "type": "summary", "records": 1}])
    with pytest.raises(TypeError):
        obelus.check(pa.table({"value": ["{}"]}), "value")


def test_a_type_without_json_is_an_error():
    union = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])])
    with pytest.raises(ValueError, match="have no JSON"):
        obelus.check(pa.table({"a": [1, 2], "u": union}))


def test_a_stream_that_fails_is_an_error():
    def batches():
        yield pa.record_batch({"value": ['{"a":1}']})
        raise OSError("the connection was lost")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"value": pa.string()}), batches())
    with pytest.raises(ValueError, match="the connection was lost"):
        obelus.records(reader)


def test_other_threads_run_meanwhile(trajectories):
    """A call releases the interpreter lock: another thread of Python goes on while it works."""
    rows = pa.table({"value": trajectories * 40})
    is_done, pauses = threading.Event(), []

    def watch():
        last = time.perf_counter()
        while not is_done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            pauses.append(now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    obelus.check(rows, format="adp")
    took = time.perf_counter() - started
    is_done.set()
    watcher.join()
    assert took > 0.1, "the call is too short to show anything"
    assert max(pauses) < took / 2, f"a thread waited {max(pauses):.3f} s of {took:.3f} s"


def test_threads_get_the_same_answers(trajectories):
    rows = pa.table({"value": trajectories})
    expected, answers = obelus.check(rows, format="adp"), []
    threads = [
        threading.Thread(target=lambda: answers.append(obelus.check(rows, format="adp"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert all(answer.equals(expected) for answer in answers)


def test_functions_are_documented():
    for name in obelus.__all__:
        value = getattr(obelus, name)
        if callable(value):
            assert inspect.getdoc(value), name
    folder = pathlib.Path(obelus.__file__).parent
    assert (folder / "py.typed").is_file()
    assert (folder / "_obelus.pyi").is_file()


def test_types(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import obelus\n"
        "import pyarrow as pa\n"
        "def of_table(table: pa.Table) -> pa.Table:\n"
        "    return obelus.check(table, format='adp')\n"
        "number: int = obelus.stats(pa.table({}))\n"
        "obelus.check(pa.table({}), 'column')\n"
    )
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", str(program)]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    errors = [line.split(":")[1] for line in answer.stdout.splitlines() if "error:" in line]
    assert errors == ["5", "6"], answer.stdout


def test_without_pyarrow():
    code = (
        "import sys\n"
        "sys.modules['pyarrow'] = None\n"
        "try:\n"
        "    import obelus\n"
        "except ImportError as e:\n"
        "    print(e)\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'obelus[arrow]'" in answer.stdout
