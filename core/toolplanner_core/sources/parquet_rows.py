"""Rows of a Parquet table, where pyarrow is; a sentence how to get it where it is not.

pyarrow is 100 MB and needed for this alone, so it is no dependency.
"""

import importlib
import io
from collections.abc import Iterator
from typing import Any

from toolplanner_core.sources.source import Rejected
from toolplanner_core.sources.table_rows import TableRow

MAGIC = b"PAR1"
_BATCH = 1_000


def parquet_rows(data: bytes, *, where: str) -> Iterator[TableRow | Rejected]:
    """The rows, some at a time; `where` is the file for messages."""
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        why = (
            "Parquet is read with the package pyarrow, which is not installed beside ToolPlanner:"
            " install it there, or save the table as CSV"
        )
        yield Rejected(where=where, why=why)
        return
    number = 0
    try:
        for batch in parquet.ParquetFile(io.BytesIO(data)).iter_batches(batch_size=_BATCH):
            for cells in batch.to_pylist():
                number += 1
                yield TableRow(where=f"{where} row {number}", cells=cells)
    except (OSError, ValueError) as error:  # pyarrow's errors are of these kinds
        yield Rejected(where=where, why=f"it is no Parquet table: {str(error)[:200]}")
