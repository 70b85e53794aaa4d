"""Chunks as rows: many are made of points at once, one is read back at a time.

A body is the lengths of the packed steps and times (u4 each, little-endian), those two
(`application/series/columns.py`), and the values as float64.
"""

from __future__ import annotations

import struct

import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from application.series.columns import Batch, Ints, pack_each, starts_of, unpack_series
from application.series.merge import Points
from application.series.spans import CELL, CELL_POINTS, COARSE_CELLS, SUMMARY, Rows, combined, pieces, spans
from domain.rules.series_summary import CHUNK_POINTS

_LENGTHS = struct.Struct("<II")
_TYPES = (*["int4"] * 3, *["int8"] * 2, *["float8"] * 5, *["int8"] * 2, *["bytea"] * 4)
_COPY = (
    "COPY {schema}.chunk (series, attempt, n, step_min, step_max, vmin, vmax, vmean, vfirst, vlast, time_first, "
    "time_last, whole, coarse, cells, body) FROM STDIN (FORMAT BINARY)"
)
_OF_ROW = ("count", "step", "last_step", "min", "max", "mean", "first", "last", "time", "last_at")


def chunk_sizes(counts: Ints) -> tuple[Ints, Ints]:
    """How series of `counts` points are cut: the size of each chunk, and how many chunks each series has.

    Even sizes, and as many full chunks as there can be.
    """
    numbers = np.maximum(counts // CHUNK_POINTS, 1)
    within = np.arange(int(numbers.sum())) - np.repeat(starts_of(numbers), numbers)
    return np.repeat(counts // numbers, numbers) + (within < np.repeat(counts % numbers, numbers)), numbers


def write(conn: Connection[TupleRow], schema: str, attempt: int, chunks: Batch) -> None:
    """Adds a chunk for each segment of `chunks`, whose numbers are ids of series."""
    with conn.cursor().copy(_COPY.format(schema=schema).encode()) as copy:
        copy.set_types(_TYPES)
        for row in _rows(attempt, chunks):
            copy.write_row(row)


def read_body(body: bytes, count: int) -> Points:
    """The points of a chunk of `count`. ValueError where the body is none."""
    steps, times = _LENGTHS.unpack_from(body)
    view = memoryview(body)[_LENGTHS.size :]
    return Points(
        unpack_series(view, count),
        unpack_series(view[steps:], count),
        np.frombuffer(view, "<f8", count, steps + times),
    )


def _rows(attempt: int, chunks: Batch) -> list[tuple[object, ...]]:
    columns = chunks.steps, chunks.times, chunks.values
    starts = starts_of(chunks.counts)
    summaries = spans(SUMMARY, *columns, starts)
    cell_starts, cell_counts = pieces(chunks.counts, CELL_POINTS)
    cells = spans(CELL, *columns, cell_starts)
    coarse_starts, coarse_counts = pieces(cell_counts, COARSE_CELLS)
    coarse = combined(cells, coarse_starts)
    return list(
        zip(
            chunks.numbers.tolist(),
            [attempt] * len(starts),
            *(summaries[name].tolist() for name in _OF_ROW),
            _slices(_as_cells(summaries).tobytes(), np.ones(len(starts), np.int64), CELL.itemsize),
            _slices(coarse.tobytes(), coarse_counts, CELL.itemsize),
            _slices(cells.tobytes(), cell_counts, CELL.itemsize),
            _bodies(chunks),
            strict=True,
        )
    )


def _as_cells(summaries: Rows) -> Rows:
    result = np.empty(len(summaries), CELL)
    for name in CELL.names or ():
        result[name] = summaries[name]
    return result


def _bodies(chunks: Batch) -> list[bytes]:
    steps = pack_each(chunks.steps, chunks.counts)
    times = pack_each(chunks.times, chunks.counts)
    values = _slices(chunks.values.astype("<f8", copy=False).tobytes(), chunks.counts, 8)
    return [
        b"".join((_LENGTHS.pack(len(step), len(time)), step, time, value))
        for step, time, value in zip(steps, times, values, strict=True)
    ]


def _slices(data: bytes, counts: Ints, size: int) -> list[bytes]:
    """`data` cut into pieces of `counts` items of `size` bytes."""
    ends = (np.cumsum(counts) * size).tolist()
    return [data[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
