"""Rows for one chart, reduced in PostgreSQL so far that few of them reach Python, however long the series is.

From fine to coarse: points, cells of 64 points, coarse cells of 512, whole chunks, groups of whole chunks.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series.chunk_rows import read_body
from adapters.postgres.series.curve import UNTOUCHED, Part
from application.ports.series_view import Chart
from application.series.chart import chart_of_points, chart_of_rows
from application.series.columns import Ints
from application.series.merge import overlaid
from application.series.spans import CELL, CELL_POINTS, COARSE_CELLS, Rows, pieces, spans, stacked
from domain.rules.series_summary import CHUNK_POINTS

MOST_ROWS = 20_000
"""Rows or points that reach Python for one chart; the tail comes on top."""
CHUNKS_A_BUCKET = 2
"""With so many chunks for each bucket, buckets are made of whole chunks."""
_COARSE_POINTS = CELL_POINTS * COARSE_CELLS
_GROUPS = 4_000
"""Groups of chunks: as many as a chart can have buckets."""

_SIZE = f"SELECT count(*), coalesce(sum(n), 0)::int8 FROM {{schema}}.chunk WHERE {UNTOUCHED}"  # noqa: S608
_BODIES = f"SELECT n, body FROM {{schema}}.chunk WHERE {UNTOUCHED} ORDER BY step_min"  # noqa: S608
_WHOLE = f"SELECT string_agg(whole, '' ORDER BY step_min) FROM {{schema}}.chunk WHERE {UNTOUCHED}"  # noqa: S608
_COARSE = f"SELECT string_agg(coarse, '' ORDER BY step_min) FROM {{schema}}.chunk WHERE {UNTOUCHED}"  # noqa: S608
_CELLS = f"SELECT cells FROM {{schema}}.chunk WHERE {UNTOUCHED} ORDER BY step_min"  # noqa: S608
# Groups of neighbouring chunks that do not reach across a touched one. PostgreSQL's float arithmetic stops at overflow
# and underflow, so means are weighed with less than 1 in all, and those nearest to zero count as zero.
_GROUPED = """
    SELECT min(step_min), (array_agg(time_first ORDER BY step_min))[1], min(vmin), max(vmax),
           sum(CASE WHEN abs(vmean) > 1e-290 THEN vmean * (n / %(weight)s::float8) ELSE 0 END),
           (array_agg(vlast ORDER BY step_min DESC))[1], sum(n)::int8
    FROM (
        SELECT *, (row_number() OVER place - 1) / %(size)s::int8 AS bucket,
               count(*) FILTER (WHERE step_min = ANY(%(touched)s::int8[])) OVER place AS gap
        FROM {schema}.chunk WHERE series = %(series)s AND attempt = %(attempt)s
            AND step_max >= %(low)s AND step_min <= %(high)s
        WINDOW place AS (ORDER BY step_min ROWS UNBOUNDED PRECEDING)
    ) numbered WHERE step_min <> ALL(%(touched)s::int8[]) GROUP BY bucket, gap ORDER BY 1"""


class _Extent(msgspec.Struct, frozen=True):
    """What a chart would have to read."""

    chunks: int
    points: int
    """All of them, those of touched chunks and of the tail included."""


def chart(conn: Connection[TupleRow], schema: str, parts: Sequence[Part], buckets: int) -> Chart:
    """The chart of `parts`, which are in order of step."""
    extents = [_extent(conn, schema, each) for each in parts]
    whole = _Extent(sum(each.chunks for each in extents), sum(each.points for each in extents))
    if whole.points <= MOST_ROWS:
        return _from_points(conn, schema, parts, buckets)
    rows = [_rows(conn, schema, each, whole, buckets) for each in parts]
    return chart_of_rows(stacked(CELL, rows), buckets)


def _extent(conn: Connection[TupleRow], schema: str, each: Part) -> _Extent:
    beside = sum(len(points) for points in each.points)
    compacted = each.curve.compacted
    if each.stretch.whole and not each.touched:
        return _Extent(compacted.chunks, (int(compacted.row[0]["count"]) if compacted.chunks else 0) + beside)
    row = conn.execute(_SIZE.format(schema=schema).encode(), each.arguments(), binary=True).fetchone()
    chunks, points = row or (0, 0)
    return _Extent(chunks, points + beside)


def _from_points(conn: Connection[TupleRow], schema: str, parts: Sequence[Part], buckets: int) -> Chart:
    points = [one for each in parts for one in each.points]
    for each in parts:
        if each.curve.compacted.chunks:
            rows = conn.execute(_BODIES.format(schema=schema).encode(), each.arguments(), binary=True).fetchall()
            points += [read_body(body, count) for count, body in rows]
    return chart_of_points(overlaid(points), buckets)


def _rows(conn: Connection[TupleRow], schema: str, each: Part, whole: _Extent, buckets: int) -> Rows:
    """`CELL` rows of a part in order of step, as coarse as the `whole` of the chart asks for."""
    rows = [_cells(one.steps, one.times, one.values) for one in each.points]
    if each.curve.compacted.chunks:
        rows.append(_of_chunks(conn, schema, each, whole, buckets))
    result = stacked(CELL, rows)
    return result if len(rows) == 1 else result[np.argsort(result["step"], kind="stable")]


def _of_chunks(conn: Connection[TupleRow], schema: str, each: Part, whole: _Extent, buckets: int) -> Rows:
    coarse = whole.points // _COARSE_POINTS
    if coarse < buckets and whole.points // CELL_POINTS + whole.chunks <= MOST_ROWS:
        rows = conn.execute(_CELLS.format(schema=schema).encode(), each.arguments(), binary=True).fetchall()
        return np.frombuffer(b"".join(cells for (cells,) in rows), CELL)
    if whole.chunks < CHUNKS_A_BUCKET * buckets and coarse + whole.chunks <= MOST_ROWS + whole.points // CHUNK_POINTS:
        return _collected(conn, schema, _COARSE, each)
    if whole.chunks <= MOST_ROWS:
        return _collected(conn, schema, _WHOLE, each)
    return _grouped(conn, schema, each, -(-whole.chunks // _GROUPS))


def _collected(conn: Connection[TupleRow], schema: str, statement: str, each: Part) -> Rows:
    row = conn.execute(statement.format(schema=schema).encode(), each.arguments(), binary=True).fetchone()
    return np.frombuffer((row and row[0]) or b"", CELL)


def _grouped(conn: Connection[TupleRow], schema: str, each: Part, size: int) -> Rows:
    weight = 2 * CHUNK_POINTS * size
    arguments = {**each.arguments(), "size": size, "weight": weight}
    rows = conn.execute(_GROUPED.format(schema=schema).encode(), arguments, binary=True).fetchall()
    result = np.array(rows, CELL)
    result["mean"] = np.clip(result["mean"] * (weight / result["count"]), result["min"], result["max"])
    return result


def _cells(steps: Ints, times: Ints, values: np.typing.NDArray[np.float64]) -> Rows:
    return spans(CELL, steps, times, values, pieces(np.array([len(steps)]), CELL_POINTS)[0])
