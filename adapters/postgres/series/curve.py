"""One series of one attempt as readers see it: chunks as they are, and points where chunks do not say it alone.

Chunks that the tail corrects, or that a bound cuts, are "touched": they are read and merged, and come as points. No
part of points lies across an untouched chunk, so parts and chunks can be put in order by their first step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series.chunk_rows import read_body
from adapters.postgres.series.summary_rows import Compacted
from adapters.postgres.series.tables import array
from application.ports.series_view import InvalidCounts
from application.series.columns import Ints
from application.series.held import Held
from application.series.lineage import Stretch
from application.series.merge import Points, between, cut, overlaid
from application.series.summary import added
from domain.ids import Attempt

RANGE = "series = %(series)s AND attempt = %(attempt)s AND step_max >= %(low)s AND step_min <= %(high)s"
"""The chunks of a stretch."""
UNTOUCHED = RANGE + " AND step_min <> ALL(%(touched)s::int8[])"
_BEGINS = f"SELECT step_min FROM {{schema}}.chunk WHERE {RANGE} ORDER BY step_min"  # noqa: S608 - made of constants
_CUT = f"""
    SELECT step_min FROM {{schema}}.chunk
    WHERE {RANGE} AND (step_min < %(low)s OR step_max > %(high)s)"""  # noqa: S608 - made of constants
_BODIES = """
    SELECT step_min, n, body FROM {schema}.chunk
    WHERE series = %(series)s AND attempt = %(attempt)s AND step_min = ANY(%(touched)s::int8[]) ORDER BY step_min"""
_CHUNKS_AT_ONCE = 8
# The next few untouched chunks from a step on.
_NEXT = f"""
    SELECT step_min, n, body FROM {{schema}}.chunk
    WHERE {UNTOUCHED} AND step_min > %(after)s ORDER BY step_min LIMIT {_CHUNKS_AT_ONCE}"""  # noqa: S608 - made of constants


class Curve(msgspec.Struct, frozen=True):
    """A series in one attempt."""

    series: int
    number: int
    attempt: Attempt
    compacted: Compacted
    tail: Held

    invalid: InvalidCounts
    """All that were reported."""
    first_step: int
    """The smallest step reported, finite or not."""


def curve(series: int, number: int, attempt: Attempt, compacted: Compacted, tail: Held) -> Curve | None:
    """None where nothing was reported."""
    invalid = added(compacted.invalid, tail.invalid_of(number))
    steps = [int(rows[0]["step"]) for rows in (compacted.row, tail.summary(number)) if len(rows)]
    if invalid.first_step is not None:
        steps.append(invalid.first_step)
    if not steps:
        return None
    return Curve(series, number, attempt, compacted, tail, invalid, min(steps))


class Part(msgspec.Struct, frozen=True):
    """A stretch of a curve, read as far as it has to be."""

    curve: Curve
    stretch: Stretch
    touched: frozenset[int]
    """First steps of the chunks that are in `points` instead."""
    points: list[Points]
    """In order of step."""

    def arguments(self) -> dict[str, object]:
        """For statements over `RANGE` and `UNTOUCHED`."""
        return {**_range(self.curve, self.stretch), "touched": array(self.touched)}


def part(conn: Connection[TupleRow], schema: str, curve: Curve, stretch: Stretch) -> Part:
    """What is known of a stretch of `curve`."""
    fresh = between(curve.tail.points(curve.number), stretch.low, stretch.high)
    behind = int(np.searchsorted(fresh.steps, curve.compacted.last_step, "right"))
    touched: set[int] = set()
    among: list[Points] = []
    if behind:
        begins = _steps(conn, _BEGINS, schema, _range(curve, stretch))
        owners = np.searchsorted(begins, fresh.steps[:behind], "right") - 1
        touched.update(begins[np.unique(owners[owners >= 0])].tolist())
        among = _by_owner(cut(fresh, 0, behind), owners)
    if not stretch.whole:
        touched.update(_steps(conn, _CUT, schema, _range(curve, stretch)).tolist())
    if touched:
        among = _merged(conn, schema, curve, stretch, touched, among)
    if behind < len(fresh):
        among.append(cut(fresh, behind, len(fresh)))
    return Part(curve, stretch, frozenset(touched), among)


def pieces(conn: Connection[TupleRow], schema: str, whole: Part) -> Iterator[Points]:
    """All points in order of step, a few chunks at a time."""
    waiting = list(whole.points)
    for step_min, count, body in _untouched(conn, schema, whole):
        while waiting and waiting[0].steps[0] < step_min:
            yield waiting.pop(0)
        yield read_body(body, count)
    yield from waiting


def _untouched(conn: Connection[TupleRow], schema: str, whole: Part) -> Iterator[tuple[int, int, bytes]]:
    after = -1
    rows: Sequence[tuple[int, int, bytes]] = ()
    while whole.curve.compacted.chunks and (not rows or len(rows) == _CHUNKS_AT_ONCE):
        arguments = {**whole.arguments(), "after": after}
        rows = conn.execute(_NEXT.format(schema=schema).encode(), arguments, binary=True).fetchall()
        if not rows:
            return
        yield from rows
        after = rows[-1][0]


def _merged(
    conn: Connection[TupleRow], schema: str, curve: Curve, stretch: Stretch, touched: set[int], fresh: list[Points]
) -> list[Points]:
    """Touched chunks with the `fresh` points that fall in or behind them; and those before the first chunk."""
    arguments = {"series": curve.series, "attempt": curve.attempt, "touched": array(touched)}
    rows = conn.execute(_BODIES.format(schema=schema).encode(), arguments, binary=True).fetchall()
    groups: dict[int, list[Points]] = {step_min: [read_body(body, count)] for step_min, count, body in rows}
    for each in fresh:
        owner = max((step_min for step_min in groups if step_min <= each.steps[0]), default=-1)
        groups.setdefault(owner, []).append(each)
    whole = [between(overlaid(parts), stretch.low, stretch.high) for _, parts in sorted(groups.items())]
    return [each for each in whole if len(each)]


def _by_owner(points: Points, owners: Ints) -> list[Points]:
    """The points of each owner; `owners` never falls."""
    edges = [0, *(np.flatnonzero(np.diff(owners)) + 1).tolist(), len(points)]
    return [cut(points, start, end) for start, end in pairwise(edges)]


def _steps(conn: Connection[TupleRow], statement: str, schema: str, arguments: dict[str, object]) -> Ints:
    rows = conn.execute(statement.format(schema=schema).encode(), arguments, binary=True).fetchall()
    return np.array([step for (step,) in rows], np.int64)


def _range(curve: Curve, stretch: Stretch) -> dict[str, object]:
    return {"series": curve.series, "attempt": curve.attempt, "low": stretch.low, "high": stretch.high}
