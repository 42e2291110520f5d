"""The extension module. ``obelus`` wraps its functions; use those."""

import pyarrow as pa

FINDINGS: pa.Schema
"""Schema of the rows of ``check``."""
RECORDS: pa.Schema
"""Schema of the rows of ``records``."""
SKETCHES: pa.Schema
"""Schema of the rows of ``sketches``."""
__version__: str

def check(data: object, column: str | None, format: str | None, name: str) -> pa.RecordBatch: ...
def records(data: object, column: str | None, format: str | None, name: str) -> pa.RecordBatch: ...
def sketches(data: object, column: str | None, format: str | None, name: str) -> pa.RecordBatch: ...
def stats(data: object, column: str | None, format: str | None, name: str) -> str: ...
def merge(parts: list[str]) -> str: ...
