"""The summary rows of series, as of their last compaction, read and written for many series at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.series.tables import array
from application.ports.series_view import InvalidCounts
from application.series.columns import Ints
from application.series.spans import SUMMARY, Rows, stacked
from domain.ids import Attempt
from domain.rules.series_summary import CHUNK_POINTS


class Compacted(msgspec.Struct):
    """What is compacted of one (series, attempt)."""

    row: Rows
    """One `SUMMARY` row, or none."""
    chunks: int = 0
    full_until: int = -1
    """Last step of the last full chunk; -1 without one."""
    invalid: InvalidCounts = InvalidCounts()

    @property
    def last_step(self) -> int:
        """The greatest compacted step; -1 without points."""
        return int(self.row[0]["last_step"]) if len(self.row) else -1


NOT_COMPACTED = Compacted(np.empty(0, SUMMARY))
COLUMNS = (
    "count, min, max, mean, first, last, first_step, last_step, first_at, last_at, chunks, full_until, "
    "nan, pos_inf, neg_inf, invalid_first_step"
)
_STATISTICS = len(SUMMARY.names or ())
_READ = f"SELECT series, {COLUMNS} FROM {{schema}}.summary WHERE attempt = %s AND series = ANY(%s::int4[])"  # noqa: S608
_UPDATES = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", "))
_WRITE = (
    f"INSERT INTO {{schema}}.summary (attempt, series, {COLUMNS}) SELECT %s, * FROM unnest(%s::int4[], %s::int8[],"  # noqa: S608
    " %s::float8[], %s::float8[], %s::float8[], %s::float8[], %s::float8[], %s::int8[], %s::int8[], %s::int8[],"
    " %s::int8[], %s::int4[], %s::int8[], %s::int8[], %s::int8[], %s::int8[], %s::int8[])"
    f" ON CONFLICT (series, attempt) DO UPDATE SET {_UPDATES}"
)
# The chunks of series, in order of step: (series, a SUMMARY row).
_OF_CHUNKS = """
    SELECT series, n::int8, vmin, vmax, vmean, vfirst, vlast, step_min, step_max, time_first, time_last
    FROM {schema}.chunk WHERE attempt = %s AND series = ANY(%s::int4[]) ORDER BY series, step_min"""


def compacted(values: Sequence[Any]) -> Compacted:
    """Of a row of `COLUMNS`."""
    statistics, (chunks, full_until, nan, pos_inf, neg_inf, first) = values[:_STATISTICS], values[_STATISTICS:]
    return Compacted(
        row=np.array([tuple(statistics)] if statistics[0] else [], SUMMARY),
        chunks=chunks,
        full_until=full_until,
        invalid=InvalidCounts(nan=nan, pos_inf=pos_inf, neg_inf=neg_inf, first_step=first),
    )


def read(conn: Connection[TupleRow], schema: str, attempt: Attempt, series: Sequence[int]) -> dict[int, Compacted]:
    """What is compacted of each of `series`; those never compacted have nothing."""
    found = {identity: Compacted(np.empty(0, SUMMARY)) for identity in series}
    rows = conn.execute(_READ.format(schema=schema).encode(), (attempt, array(series)), binary=True)
    for row in rows.fetchall():
        found[row[0]] = compacted(row[1:])
    return found


def write(conn: Connection[TupleRow], schema: str, attempt: Attempt, summaries: dict[int, Compacted]) -> None:
    """Makes the rows say so."""
    none = np.zeros(1, SUMMARY)
    rows = stacked(SUMMARY, (one.row if len(one.row) else none for one in summaries.values()))
    invalid = [one.invalid for one in summaries.values()]
    columns = [
        array(summaries),
        *(array(rows[name].tolist()) for name in SUMMARY.names or ()),
        array(one.chunks for one in summaries.values()),
        array(one.full_until for one in summaries.values()),
        array(one.nan for one in invalid),
        array(one.pos_inf for one in invalid),
        array(one.neg_inf for one in invalid),
        array(one.first_step for one in invalid).replace("None", "NULL"),
    ]
    conn.execute(_WRITE.format(schema=schema).encode(), (attempt, *columns))


def of_chunks(conn: Connection[TupleRow], schema: str, attempt: Attempt, series: Sequence[int]) -> dict[int, Rows]:
    """The chunks of each series as `SUMMARY` rows in order of step: what a summary is repaired from."""
    rows = conn.execute(_OF_CHUNKS.format(schema=schema).encode(), (attempt, array(series)), binary=True).fetchall()
    statistics = np.array([row[1:] for row in rows], SUMMARY)
    owners = np.array([row[0] for row in rows], np.int64)
    return {identity: statistics[slice(*_range(owners, identity))] for identity in series}


def full_until(chunks: Rows) -> int:
    """The last step of the last full one of `chunks`; -1 without one."""
    full = chunks["last_step"][chunks["count"] >= CHUNK_POINTS]
    return int(full[-1]) if len(full) else -1


def _range(owners: Ints, identity: int) -> tuple[int, int]:
    return int(np.searchsorted(owners, identity, "left")), int(np.searchsorted(owners, identity, "right"))
