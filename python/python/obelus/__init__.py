"""Findings, facts and statistics of agent trajectories in pyarrow tables.

Each function takes a pyarrow ``Table`` or ``RecordBatch``, or any object with the Arrow C stream interface, and answers
what the command of that name answers for a file with one row in each line:

>>> import obelus, pyarrow as pa
>>> rows = pa.table({"messages": [[{"role": "user", "content": "Hello"}]]})
>>> obelus.records(rows).column("steps").to_pylist()
[1]

All functions take the same keyword arguments:

``column``
    Column that holds each record as a JSON text. Without it, a table with a single column of texts holds records as
    JSON, and in any other table each row is a record with its columns as members.
``format``
    Name of the format of the records, as ``obelus formats`` lists them. Without it, the first records of the data
    decide, so name it where batches are small.
``name``
    Content of ``file`` in the answer.

A call knows only the rows that it is given: ``record`` counts from 0 in each call. Join rows of several calls by
``digest``, the digest of the content of a record. The answer for a table is a table, for anything else a record batch.

The interpreter lock is released while records are processed. Each call runs on one thread of its own.
"""

from __future__ import annotations

import json as _json
from collections.abc import Iterable as _Iterable
from itertools import islice as _islice
from typing import TYPE_CHECKING, Any, overload

try:
    import pyarrow as _pa
except ImportError as _missing:
    raise ImportError("the module obelus needs pyarrow: pip install 'obelus[arrow]'") from _missing

from . import _obelus
from ._obelus import FINDINGS, RECORDS, SKETCHES, __version__

if TYPE_CHECKING:
    from typing import Protocol

    class _ArrowStream(Protocol):
        def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...


__all__ = ["FINDINGS", "RECORDS", "SKETCHES", "__version__", "check", "merge", "records", "sketches", "stats"]


_PARTS_AT_ONCE = 64


def _answer(data: object, batch: _pa.RecordBatch) -> _pa.Table | _pa.RecordBatch:
    return _pa.Table.from_batches([batch]) if isinstance(data, _pa.Table) else batch


@overload
def check(data: _pa.Table, *, column: str | None = ..., format: str | None = ..., name: str = ...) -> _pa.Table: ...
@overload
def check(
    data: _pa.RecordBatch | _ArrowStream, *, column: str | None = ..., format: str | None = ..., name: str = ...
) -> _pa.RecordBatch: ...
def check(data: Any, *, column: str | None = None, format: str | None = None, name: str = "-") -> Any:
    """Return a row for each finding, with the schema ``FINDINGS``, as ``obelus check --out`` writes them.

    Raises ``TypeError`` if ``data`` has no Arrow batches, and ``ValueError`` if there is no such column or format.
    """
    return _answer(data, _obelus.check(data, column, format, name))


@overload
def records(data: _pa.Table, *, column: str | None = ..., format: str | None = ..., name: str = ...) -> _pa.Table: ...
@overload
def records(
    data: _pa.RecordBatch | _ArrowStream, *, column: str | None = ..., format: str | None = ..., name: str = ...
) -> _pa.RecordBatch: ...
def records(data: Any, *, column: str | None = None, format: str | None = None, name: str = "-") -> Any:
    """Return a row of facts for each record, with the schema ``RECORDS``, as ``obelus table --out`` writes them.

    Raises the same errors as :func:`check`.
    """
    return _answer(data, _obelus.records(data, column, format, name))


@overload
def sketches(data: _pa.Table, *, column: str | None = ..., format: str | None = ..., name: str = ...) -> _pa.Table: ...
@overload
def sketches(
    data: _pa.RecordBatch | _ArrowStream, *, column: str | None = ..., format: str | None = ..., name: str = ...
) -> _pa.RecordBatch: ...
def sketches(data: Any, *, column: str | None = None, format: str | None = None, name: str = "-") -> Any:
    """Return a row for each record that identifies its copies and near copies, with the schema ``SKETCHES``.

    The rows are those of ``obelus table --sketches``. Raises the same errors as :func:`check`.
    """
    return _answer(data, _obelus.sketches(data, column, format, name))


def stats(
    data: _pa.Table | _pa.RecordBatch | _ArrowStream,
    *,
    column: str | None = None,
    format: str | None = None,
    name: str = "-",
) -> dict[str, Any]:
    """Return statistics of constant size, as ``obelus stats --summary --json`` prints them.

    :func:`merge` joins those of several batches. Raises the same errors as :func:`check`.
    """
    summary: dict[str, Any] = _json.loads(_obelus.stats(data, column, format, name))
    return summary


def merge(parts: _Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the statistics of the whole from those of its parts, in any order and grouping.

    Takes the parts one after the other, so that an iterator of any length needs no more memory than a few of them.
    Raises ``ValueError`` if a part is not an answer of :func:`stats` or :func:`merge`.
    """
    texts = (_json.dumps(part) for part in parts)
    merged = _obelus.merge(list(_islice(texts, _PARTS_AT_ONCE)))
    while some := list(_islice(texts, _PARTS_AT_ONCE)):
        merged = _obelus.merge([merged, *some])
    summary: dict[str, Any] = _json.loads(merged)
    return summary
