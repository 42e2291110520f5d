"""Checks, facts and statistics of agent trajectories in pyarrow tables.

Each function takes a pyarrow ``Table`` or ``RecordBatch`` (or anything that gives batches by the Arrow C stream) and
answers what the command of that name says of a file with a row in each line:

>>> import obelus, pyarrow as pa
>>> rows = pa.table({"messages": [[{"role": "user", "content": "Hello"}]]})
>>> obelus.records(rows).column("steps").to_pylist()
[1]

``column`` names the column that holds each record as a text of JSON; without it, that is the only column if it has
texts, and else all columns are the members of a record. ``format`` names the format (``obelus formats``), which is
known by content otherwise; name it where batches are small. ``name`` is what ``file`` says in the answer.

A batch knows no other: ``record`` counts from 0 in each, and rows are joined by ``digest``, the digest of the content
of a record. A table comes back for a table, a record batch for anything else.
"""

import json as _json

import pyarrow as _pa

from . import _obelus
from ._obelus import FINDINGS, RECORDS, SKETCHES, __version__

__all__ = ["FINDINGS", "RECORDS", "SKETCHES", "__version__", "check", "merge", "records", "sketches", "stats"]


def _answer(data, batch):
    return _pa.Table.from_batches([batch]) if isinstance(data, _pa.Table) else batch


def check(data, column=None, format=None, name="-"):
    """What is wrong with the records, a row a finding, as ``obelus check --out`` writes it (schema ``FINDINGS``)."""
    return _answer(data, _obelus.check(data, column, format, name))


def records(data, column=None, format=None, name="-"):
    """Facts on the records, a row each, as ``obelus table`` tells them (schema ``RECORDS``)."""
    return _answer(data, _obelus.records(data, column, format, name))


def sketches(data, column=None, format=None, name="-"):
    """What tells copies and near copies, a row a record, as ``obelus table --sketches`` (schema ``SKETCHES``)."""
    return _answer(data, _obelus.sketches(data, column, format, name))


def stats(data, column=None, format=None, name="-"):
    """Statistics in constant size as a dictionary, as ``obelus stats --summary --json`` prints them."""
    return _json.loads(_obelus.stats(data, column, format, name))


def merge(parts):
    """Statistics of the whole from those of parts, in any order and grouping: dictionaries of :func:`stats`."""
    return _json.loads(_obelus.merge([_json.dumps(part) for part in parts]))
