"""Reading a series view: keys, summaries, charts, points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.database import storable
from adapters.postgres.series import across, chart, curve
from adapters.postgres.series.curve import WANTED, Curve, Wanted, arguments
from adapters.postgres.series.summary_rows import COLUMNS, NOT_COMPACTED, Compacted, compacted
from adapters.postgres.series.tables import array
from adapters.postgres.series.tail_cache import TailCache
from application.ports.series_across import SeriesValues
from application.ports.series_view import Chart, InvalidCounts, PointRow, SeriesSummary
from application.series.held import NOTHING, Held
from application.series.keys import matching, point_rows
from application.series.lineage import Stretch, stretches
from application.series.spans import SUMMARY, Rows, spans, stacked
from application.series.summary import series_summaries, surviving_invalid
from domain.ids import Attempt, RunId

_KEYS = """
    SELECT key FROM {schema}.series WHERE run = %s AND (%s::text IS NULL OR key > %s::text COLLATE "C")
    ORDER BY key LIMIT %s"""
# Series of one attempt that are in no chunk yet, by number, and those that are.
_REPORTED = """
    SELECT key FROM {schema}.series WHERE run = %s AND (number = ANY(%s::int4[])
        OR EXISTS (SELECT FROM {schema}.summary WHERE series = id AND attempt = %s))
    ORDER BY key"""
_COUNT = "SELECT count(*) FROM {schema}.series WHERE run = %s"
_SERIES = f"""
    SELECT run, key, id, number, attempt, {COLUMNS} FROM {{schema}}.series LEFT JOIN {{schema}}.summary ON series = id
    WHERE run = ANY(%s::text[]) AND key = ANY(%s::text[])"""  # noqa: S608 - made of constants
# The chunks of several stretches that are not touched: (place of the stretch, a SUMMARY row).
_CHUNK_ROWS = f"""
    SELECT place, n::int8, vmin, vmax, vmean, vfirst, vlast, step_min, step_max, time_first, time_last {WANTED}
        AND (place, step_min) NOT IN (SELECT * FROM unnest(%(touched_places)s::int4[], %(touched_steps)s::int8[]))
    ORDER BY place, step_min"""  # noqa: S608 - made of constants


_KEYS_AT_ONCE = 256
_CHUNKS_AT_ONCE = 256
"""Of stretches that are read together."""


_FROM_THE_START = np.zeros(1, np.int64)


class _Series(msgspec.Struct, frozen=True):
    id: int
    number: int
    compacted: dict[Attempt, Compacted]


class PostgresSeriesReader:
    """The view of one family in one schema; see `application/ports/series_view.py`.

    `conn` must be in a transaction that sees one snapshot (REPEATABLE READ): a compaction moves points between the
    tail and the chunks, which are read one after the other.
    """

    def __init__(self, conn: Connection[TupleRow], schema: str, tails: TailCache) -> None:
        """`tails` is shared by the readers of a process."""
        self._conn = conn
        self._schema = schema
        self._tails = tails
        self._held: dict[RunId, dict[Attempt, Held]] = {}

    def keys(self, run: RunId, *, q: str = "", after: str | None = None, limit: int | None = None) -> list[str]:
        """In code-point order behind `after`."""
        if not storable(run):
            return []
        sought = after is None or storable(after)
        behind = after if sought else None
        found = self._rows(_KEYS, (run, behind, behind, limit if sought and not q else None))
        return matching((key for (key,) in found if after is None or key > after), q)[:limit]

    def reported_keys(self, run: RunId, attempt: Attempt) -> list[str]:
        """Invalid measurements included, in code-point order."""
        if not storable(run):
            return []
        tail = self._tail_of(run).get(attempt, NOTHING)
        return [key for (key,) in self._rows(_REPORTED, (run, sorted(tail.numbers), attempt))]

    def series_count(self, run: RunId) -> int:
        """Series the run has opened."""
        return int(self._rows(_COUNT, (run,))[0][0]) if storable(run) else 0

    def summaries(self, run: RunId, keys: Sequence[str], attempt: Attempt | None = None) -> list[SeriesSummary]:
        """In the order of `keys`; those without any report are left out."""
        curves = self._curves(run, keys)
        chosen = {key: _chosen(curves[key], attempt) for key in keys if key in curves}
        reported = [key for key in keys if chosen.get(key)]
        summarised = iter(self._summarised([each for key in reported for each in chosen[key]]))
        parts = [[rows for _ in chosen[key] for rows in next(summarised)] for key in reported]
        invalid = [surviving_invalid([(one.invalid, stretch) for one, stretch in chosen[key]]) for key in reported]
        return series_summaries(reported, parts, invalid)

    def chart(
        self,
        run: RunId,
        key: str,
        *,
        attempt: Attempt | None = None,
        buckets: int = 1000,
        first_step: int | None = None,
        last_step: int | None = None,
    ) -> Chart | None:
        """At most `buckets` rows; None for an unknown key."""
        curves = self._curves(run, [key]).get(key)
        if curves is None:
            return None
        chosen = _chosen(curves, attempt, first_step, last_step)
        return chart.chart(self._conn, self._schema, curve.parts(self._conn, self._schema, chosen), buckets)

    def points(self, run: RunId, keys: Sequence[str], attempt: Attempt | None = None) -> Iterator[list[PointRow]]:
        """By key in code-point order and by step, a chunk or so at a time."""
        wanted = sorted(set(keys))
        for start in range(0, len(wanted), _KEYS_AT_ONCE):
            for key, curves in sorted(self._curves(run, wanted[start : start + _KEYS_AT_ONCE]).items()):
                for part in curve.parts(self._conn, self._schema, _chosen(curves, attempt)):
                    for points in curve.pieces(self._conn, self._schema, part):
                        yield point_rows(part.curve.attempt, key, points)

    def _curves(self, run: RunId, keys: Sequence[str]) -> dict[str, dict[Attempt, Curve]]:
        keys = [key for key in keys if storable(key)]
        if not keys or not storable(run):
            return {}
        return curves_of(self._conn, self._schema, self._tail_of(run), run, keys)

    def _tail_of(self, run: RunId) -> dict[Attempt, Held]:
        if run not in self._held:
            self._held[run] = self._tails.read(self._conn, self._schema, run)
        return self._held[run]

    def across(self, key: str, runs: Sequence[RunId] | None = None) -> dict[RunId, SeriesValues]:
        """What is known of `key` in each run that reported a finite point."""
        tails = self._tails.read_many(self._conn, self._schema, runs)
        found, asked = across.settled(self._conn, self._schema, key, runs, tails)
        chosen = {run: _chosen(one, None) for run, one in self._of_runs(tails, asked, key).items()}
        summarised = iter(self._summarised([each for several in chosen.values() for each in several]))
        parts = [[rows for _ in several for rows in next(summarised)] for several in chosen.values()]
        for one in series_summaries(list(chosen), parts, [InvalidCounts()] * len(chosen)):
            if one.min is not None and one.max is not None and one.mean is not None and one.last is not None:
                found[RunId(one.key)] = SeriesValues(one.min, one.max, one.mean, one.last)
        return found

    def known_keys(self, *, q: str = "", limit: int) -> list[str]:
        """Of all runs, in code-point order."""
        return across.known_keys(self._conn, self._schema, q, limit)

    def _of_runs(
        self, tails: Mapping[RunId, Mapping[Attempt, Held]], runs: Sequence[RunId], key: str
    ) -> dict[RunId, dict[Attempt, Curve]]:
        rows = self._rows(_SERIES, (list(runs), [key])) if runs else []
        series: dict[RunId, _Series] = {}
        for run, _, *row in rows:
            _add(series.setdefault(run, _Series(row[0], row[1], {})), row)
        return {run: _attempts(one, tails.get(run, {})) for run, one in series.items()}

    def _summarised(self, wanted: Wanted) -> list[list[Rows]]:
        """`SUMMARY` rows of each stretch in order of step: one or two where nothing is corrected or cut."""
        result = [_whole_rows(one) for one, _ in wanted]
        places = [
            place
            for place, (rows, (_, stretch)) in enumerate(zip(result, wanted, strict=True))
            if rows and not _in_order(rows, stretch)
        ]
        for some in _few_chunks(places, wanted):
            for place, rows in zip(some, self._read([wanted[place] for place in some]), strict=True):
                result[place] = [rows]
        return result

    def _read(self, wanted: Wanted) -> list[Rows]:
        """`SUMMARY` rows of each stretch in order of step, of its chunks and of the points beside them."""
        parts = curve.parts(self._conn, self._schema, wanted)
        touched = [(place, step) for place, part in enumerate(parts) for step in part.touched]
        asked = {
            **arguments(wanted, range(len(wanted))),
            "touched_places": array(place for place, _ in touched),
            "touched_steps": array(step for _, step in touched),
        }
        of_chunks: list[list[TupleRow]] = [[] for _ in wanted]
        for place, *row in self._rows(_CHUNK_ROWS, asked):
            of_chunks[place].append(tuple(row))
        result = []
        for part, rows in zip(parts, of_chunks, strict=True):
            of_points = [spans(SUMMARY, each.steps, each.times, each.values, _FROM_THE_START) for each in part.points]
            together = stacked(SUMMARY, [np.array(rows, SUMMARY), *of_points])
            result.append(together[np.argsort(together["step"], kind="stable")])
        return result

    def _rows(self, statement: str, arguments: Sequence[object] | Mapping[str, object]) -> list[TupleRow]:
        return self._conn.execute(statement.format(schema=self._schema).encode(), arguments, binary=True).fetchall()


def curves_of(
    conn: Connection[TupleRow], schema: str, tails: Mapping[Attempt, Held], run: RunId, keys: Sequence[str]
) -> dict[str, dict[Attempt, Curve]]:
    """The attempts of each of `keys` that is known; `tails` are those of the run."""
    series: dict[str, _Series] = {}
    rows = conn.execute(_SERIES.format(schema=schema).encode(), ([run], list(keys)), binary=True).fetchall()
    for _, key, *row in rows:
        _add(series.setdefault(key, _Series(row[0], row[1], {})), row)
    return {key: _attempts(each, tails) for key, each in series.items()}


def _add(series: _Series, row: Sequence[Any]) -> None:
    """What was compacted of one attempt, where there is any."""
    _, _, attempt, *values = row
    if attempt is not None:
        series.compacted[attempt] = compacted(values)


def _attempts(series: _Series, tails: Mapping[Attempt, Held]) -> dict[Attempt, Curve]:
    """The curves of a series, where something was reported."""
    found = {}
    for attempt in sorted({*series.compacted, *tails}):
        held = series.compacted.get(attempt, NOT_COMPACTED)
        one = curve.curve(series.id, series.number, attempt, held, tails.get(attempt, NOTHING))
        if one is not None:
            found[attempt] = one
    return found


def _chosen(
    curves: Mapping[Attempt, Curve],
    attempt: Attempt | None,
    first_step: int | None = None,
    last_step: int | None = None,
) -> list[tuple[Curve, Stretch]]:
    """The curves a question is about, in order of step."""
    firsts = {each: one.first_step for each, one in curves.items()}
    return [(curves[each.attempt], each) for each in stretches(firsts, attempt, first_step, last_step)]


def _whole_rows(one: Curve) -> list[Rows]:
    """What chunks and tail say of all points of a curve."""
    return [rows for rows in (one.compacted.row, one.tail.summary(one.number)) if len(rows)]


def _few_chunks(places: Sequence[int], wanted: Wanted) -> Iterator[list[int]]:
    """The `places` in runs whose curves have few chunks together."""
    run: list[int] = []
    chunks = 0
    for place in places:
        count = wanted[place][0].compacted.chunks + 1
        if run and chunks + count > _CHUNKS_AT_ONCE:
            yield run
            run, chunks = [], 0
        run.append(place)
        chunks += count
    if run:
        yield run


def _in_order(rows: Sequence[Rows], stretch: Stretch) -> bool:
    """Whether the rows lie behind each other, and in the stretch."""
    inside = stretch.low <= rows[0][0]["step"] and rows[-1][0]["last_step"] <= stretch.high
    return bool(inside and (len(rows) == 1 or rows[0][0]["last_step"] < rows[1][0]["step"]))
