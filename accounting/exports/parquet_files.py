"""Parquet, in groups of rows, where the extra `parquet` is installed."""

from importlib import import_module
from itertools import batched
from pathlib import Path
from typing import Any

from accounting.exports.tables import AMOUNT, COUNT, DAY, DURATION, MOMENT, TEXT, Table

GROUP_ROWS = 10_000


class NoParquetError(RuntimeError):
    """The extra is not installed."""


def arrow() -> Any:
    """The library, loaded when it is first asked for: it takes 50 MB. Raises NoParquetError."""
    try:
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ImportError:
        raise NoParquetError(
            "Parquet needs the extra: uv sync --extra parquet, or pip install pyarrow"
        ) from None


def write_parquet(table: Table, path: Path) -> None:
    """Write the table as Parquet; amounts are decimals of 38 digits, 18 of them behind the point.

    Columns have the names that programs read; texts stay as they are. Raises NoParquetError.
    """
    pyarrow = arrow()
    types = _types(pyarrow)
    schema = pyarrow.schema([(column.name, types[column.kind]) for column in table.columns])
    with pyarrow.parquet.ParquetWriter(str(path), schema, compression="zstd") as writer:
        for rows in batched(table.rows, GROUP_ROWS, strict=False):
            arrays = [
                pyarrow.array(cells, field.type)
                for cells, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _types(pyarrow: Any) -> dict[str, Any]:
    return {
        TEXT: pyarrow.string(),
        COUNT: pyarrow.int64(),
        AMOUNT: pyarrow.decimal128(38, 18),
        DURATION: pyarrow.float64(),
        DAY: pyarrow.date32(),
        MOMENT: pyarrow.timestamp("us", tz="UTC"),
    }
