#!/usr/bin/env python3
"""Measures the module in Spark, Ray Data and `datasets`, beside the program on the same files.

    python/benches/engines.py FOLDER [--cores 2] [--only program,module,spark,ray,datasets]

FOLDER has the parts of a dataset as `*.jsonl`. Prints a row of a Markdown table for each: time to start (for `datasets`,
to copy the parts into its cache), wall time, CPU time, peak memory of all its processes, records and megabytes a second.
Memory is the proportional set size, so that what processes share counts once; the object store of Ray is among it.
OBELUS names the program.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import uuid

MARK = "OBELUS_BENCH"


def parts(data):
    return sorted(str(path) for path in pathlib.Path(data).glob("*.jsonl"))


def reading(column):
    return {"column": column, "format": "adp"}


def spark(data, cores, what):
    import obelus
    import pyarrow as pa
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    session = session.config("spark.driver.memory", "2g").config("spark.sql.execution.arrow.maxRecordsPerBatch", 1000)
    spark = session.getOrCreate()
    yield
    lines = spark.read.text(data)
    options = reading("value")
    if what == "check":

        def findings(batches):
            for batch in batches:
                yield obelus.check(batch, **options)

        yield lines.mapInArrow(findings, from_arrow_schema(obelus.FINDINGS)).count()
        return

    def summaries(batches):
        merged = obelus.merge(obelus.stats(batch, **options) for batch in batches)
        yield pa.RecordBatch.from_pydict({"summary": [json.dumps(merged)]})

    merged = [json.loads(row["summary"]) for row in lines.mapInArrow(summaries, "summary string").toLocalIterator()]
    yield obelus.merge(merged)["records"]


def ray(data, cores, what):
    import logging

    import obelus
    import pyarrow as pa
    import ray

    # As all others, also where other programs run.
    os.environ["RAY_worker_niceness"] = "0"
    ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=False, object_store_memory=10**9)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    # The first run starts the workers.
    lines = ray.data.read_text(data).limit(1000)
    lines.map_batches(obelus.check, batch_format="pyarrow", fn_kwargs=reading("text")).count()
    yield
    lines = ray.data.read_text(data)
    options = {"batch_format": "pyarrow", "batch_size": 1000, "fn_kwargs": reading("text")}
    if what == "check":
        yield lines.map_batches(obelus.check, **options).count()
        return

    def summary(batch, **reading):
        return pa.table({"summary": [json.dumps(obelus.stats(batch, **reading))]})

    rows = lines.map_batches(summary, **options).iter_rows()
    yield obelus.merge(json.loads(row["summary"]) for row in rows)["records"]


def datasets(data, cores, what):
    import tempfile

    import datasets
    import obelus
    import pyarrow as pa

    with tempfile.TemporaryDirectory() as cache:
        lines = datasets.load_dataset("text", data_files=f"{data}/*.jsonl", split="train", cache_dir=cache).with_format("arrow")
        yield
        options = {"batched": True, "batch_size": 1000, "remove_columns": lines.column_names, "num_proc": cores}
        if what == "check":
            yield lines.map(obelus.check, fn_kwargs=reading("text"), **options).num_rows
            return

        def summary(batch):
            return pa.table({"summary": [json.dumps(obelus.stats(batch, **reading("text")))]})

        rows = lines.map(summary, **options)
        yield obelus.merge(json.loads(text) for text in rows.with_format(None)["summary"])["records"]


def module(data, cores, what):
    """The module alone: batches of 1,000 lines, on a pool of threads."""
    from concurrent.futures import ThreadPoolExecutor
    from itertools import islice

    import obelus
    import pyarrow as pa

    def batches():
        for part in parts(data):
            with open(part, "rb") as file:
                while lines := list(islice(file, 1000)):
                    yield pa.record_batch({"value": lines})

    yield
    answer = obelus.check if what == "check" else obelus.stats
    answers = []
    with ThreadPoolExecutor(cores) as pool:
        waiting = []
        for batch in batches():
            waiting.append(pool.submit(answer, batch, **reading("value")))
            if len(waiting) > cores:
                answers.append(waiting.pop(0).result())
        answers += [future.result() for future in waiting]
    yield sum(a.num_rows for a in answers) if what == "check" else obelus.merge(answers)["records"]


def program(data, cores, what):
    yield
    arguments = ["check", "--json"] if what == "check" else ["stats", "--summary", "--json"]
    command = ["taskset", "-c", f"0-{cores - 1}", os.environ.get("OBELUS", "obelus"), *arguments, "--format", "adp", data]
    answer = subprocess.run(command, stdout=subprocess.PIPE)
    yield answer.stdout.count(b"\n") if what == "check" else sum(json.loads(line)["records"] for line in answer.stdout.splitlines())


WAYS = {"program": program, "module": module, "spark": spark, "ray": ray, "datasets": datasets}


class Watch(threading.Thread):
    """Follows the processes that have a mark in their environment: their CPU time, and their memory at its peak."""

    def __init__(self, mark):
        super().__init__(daemon=True)
        self.mark, self.cpu, self.peak, self.is_done = mark, {}, 0, False
        self.others = set(os.listdir("/proc"))

    def run(self):
        tick = os.sysconf("SC_CLK_TCK")
        while not self.is_done:
            memory = 0
            for pid in filter(str.isdigit, os.listdir("/proc")):
                if pid in self.others:
                    continue
                try:
                    with open(f"/proc/{pid}/environ", "rb") as file:
                        if self.mark not in file.read():
                            continue
                    with open(f"/proc/{pid}/stat") as file:
                        fields = file.read().rsplit(")", 1)[1].split()
                    self.cpu[pid] = (int(fields[11]) + int(fields[12])) / tick
                    with open(f"/proc/{pid}/smaps_rollup") as file:
                        memory += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
                except (OSError, IndexError):
                    continue
            self.peak = max(self.peak, memory)
            time.sleep(0.1)


def measure(way, data, cores, what):
    mark = f"{MARK}={uuid.uuid4()}"
    watch = Watch(mark.encode())
    watch.start()
    command = [sys.executable, __file__, data, "--cores", str(cores), "--child", way, what]
    name, value = mark.split("=")
    answer = subprocess.run(command, env={**os.environ, name: value}, stdout=subprocess.PIPE, text=True, check=True)
    watch.is_done = True
    watch.join()
    return json.loads(answer.stdout.splitlines()[-1]), sum(watch.cpu.values()), watch.peak / 1e3


def child(way, data, cores, what):
    begun = time.monotonic()
    steps = WAYS[way](data, cores, what)
    # Up to here it starts, and loads what it loads.
    next(steps)
    started = time.monotonic()
    answer = next(steps)
    print(json.dumps({"answer": answer, "took": time.monotonic() - started, "start": started - begun}))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data")
    arguments.add_argument("--cores", type=int, default=2)
    arguments.add_argument("--only", default=",".join(WAYS))
    arguments.add_argument("--child", nargs=2, metavar=("WAY", "WHAT"), help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.child:
        way, what = options.child
        return child(way, options.data, options.cores, what)
    size = sum(os.path.getsize(part) for part in parts(options.data))
    records = 0
    for part in parts(options.data):
        with open(part, "rb") as file:
            records += sum(1 for _ in file)
    print("| way | asked | start, s | time, s | CPU, s | memory, MB | records/s | MB/s | answer |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for way in options.only.split(","):
        for what in ("check", "stats"):
            answer, cpu, memory = measure(way, options.data, options.cores, what)
            took = answer["took"]
            print(
                f"| {way} | `{what}` | {answer['start']:.1f} | {took:.1f} | {cpu:.0f} | {memory:,.0f} | {records / took:,.0f} | "
                f"{size / took / 1e6:,.0f} | {answer['answer']:,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
