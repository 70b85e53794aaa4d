"""One series of one attempt as readers see it: chunks as they are, and points where chunks do not say it alone.

Chunks that the tail corrects, or that a bound cuts, are "touched": they are read and merged, and come as points. No
part of points lies across an untouched chunk, so parts and chunks can be put in order by their first step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
WANTED = """
    FROM unnest(%(series)s::int4[], %(attempts)s::int4[], %(lows)s::int8[], %(highs)s::int8[], %(places)s::int4[])
        AS wanted(series, attempt, low, high, place)
    JOIN {schema}.chunk USING (series, attempt)
    WHERE step_max >= low AND step_min <= high"""
"""The chunks of several stretches at once, with the place of each stretch in the question."""
_BEGINS = f"SELECT place, step_min {WANTED} ORDER BY place, step_min"
_CUT = f"SELECT place, step_min {WANTED} AND (step_min < low OR step_max > high)"
_BODIES = """
    SELECT place, step_min, n, body
    FROM unnest(%(series)s::int4[], %(attempts)s::int4[], %(steps)s::int8[], %(places)s::int4[])
        AS touched(series, attempt, step_min, place)
    JOIN {schema}.chunk USING (series, attempt, step_min) ORDER BY place, step_min"""
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
        return {
            "series": self.curve.series,
            "attempt": self.curve.attempt,
            "low": self.stretch.low,
            "high": self.stretch.high,
            "touched": array(self.touched),
        }


Wanted = Sequence[tuple[Curve, Stretch]]


def parts(conn: Connection[TupleRow], schema: str, wanted: Wanted) -> list[Part]:
    """What is known of each of `wanted`, in a few statements for all of them."""
    fresh = [between(one.tail.points(one.number), stretch.low, stretch.high) for one, stretch in wanted]
    behind = [
        int(np.searchsorted(points.steps, one.compacted.last_step, "right"))
        for points, (one, _) in zip(fresh, wanted, strict=True)
    ]
    begins = _steps(conn, _BEGINS, schema, wanted, [place for place, count in enumerate(behind) if count])
    bounded = [place for place, (one, stretch) in enumerate(wanted) if one.compacted.chunks and not stretch.whole]
    touched = {place: set(steps) for place, steps in _steps(conn, _CUT, schema, wanted, bounded).items()}
    among: dict[int, list[Points]] = {}
    for place, steps in begins.items():
        old = cut(fresh[place], 0, behind[place])
        owners = np.searchsorted(np.array(steps, np.int64), old.steps, "right") - 1
        touched.setdefault(place, set()).update(steps[owner] for owner in np.unique(owners[owners >= 0]).tolist())
        among[place] = _by_owner(old, owners)
    bodies = _bodies(conn, schema, wanted, touched)
    result = []
    for place, (one, stretch) in enumerate(wanted):
        points = _merged(bodies.get(place, {}), stretch, among.get(place, []))
        if behind[place] < len(fresh[place]):
            points.append(cut(fresh[place], behind[place], len(fresh[place])))
        result.append(Part(one, stretch, frozenset(touched.get(place, ())), points))
    return result


def arguments(wanted: Wanted, places: Sequence[int]) -> dict[str, object]:
    """For statements over `WANTED`: those of `wanted` that are at `places`."""
    chosen = [wanted[place] for place in places]
    return {
        "series": array(one.series for one, _ in chosen),
        "attempts": array(int(one.attempt) for one, _ in chosen),
        "lows": array(stretch.low for _, stretch in chosen),
        "highs": array(stretch.high for _, stretch in chosen),
        "places": array(places),
    }


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


def _merged(bodies: Mapping[int, Points], stretch: Stretch, fresh: Sequence[Points]) -> list[Points]:
    """Touched chunks (by first step) with the `fresh` points that fall in or behind them; and those before all."""
    groups = {step_min: [points] for step_min, points in bodies.items()}
    for each in fresh:
        owner = max((step_min for step_min in groups if step_min <= each.steps[0]), default=-1)
        groups.setdefault(owner, []).append(each)
    whole = [between(overlaid(parts), stretch.low, stretch.high) for _, parts in sorted(groups.items())]
    return [each for each in whole if len(each)]


def _by_owner(points: Points, owners: Ints) -> list[Points]:
    """The points of each owner; `owners` never falls."""
    edges = [0, *(np.flatnonzero(np.diff(owners)) + 1).tolist(), len(points)]
    return [cut(points, start, end) for start, end in pairwise(edges)]


def _steps(
    conn: Connection[TupleRow], statement: str, schema: str, wanted: Wanted, places: Sequence[int]
) -> dict[int, list[int]]:
    """First steps of chunks for each of `places` that has any; for those alone that `wanted` needs them of."""
    found: dict[int, list[int]] = {place: [] for place in places}
    if places:
        for place, step_min in _rows(conn, statement, schema, arguments(wanted, places)):
            found[place].append(step_min)
    return found


def _bodies(
    conn: Connection[TupleRow], schema: str, wanted: Wanted, touched: Mapping[int, set[int]]
) -> dict[int, dict[int, Points]]:
    """The points of touched chunks, by place and first step."""
    found: dict[int, dict[int, Points]] = {}
    chunks = [(place, step_min) for place, steps in touched.items() for step_min in steps]
    if chunks:
        asked = {**arguments(wanted, [place for place, _ in chunks]), "steps": array(step for _, step in chunks)}
        for place, step_min, count, body in _rows(conn, _BODIES, schema, asked):
            found.setdefault(place, {})[step_min] = read_body(body, count)
    return found


def _rows(conn: Connection[TupleRow], statement: str, schema: str, asked: Mapping[str, object]) -> list[TupleRow]:
    return conn.execute(statement.format(schema=schema).encode(), asked, binary=True).fetchall()
