"""Everything a series view holds, in an order and form that do not depend on how it is laid out."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from psycopg import Connection
from psycopg.rows import TupleRow
from tuneplane.contract import INT64_MAX

from adapters.postgres.series import curve
from adapters.postgres.series.curve import Curve
from adapters.postgres.series.reader import curves_of
from adapters.postgres.series.tail_cache import TailCache
from application.series.lineage import Stretch

_POINT = np.dtype([("step", "<i8"), ("time", "<i8"), ("value", "<f8")])
_RUNS = "SELECT DISTINCT run FROM {schema}.series WHERE run > %s ORDER BY run LIMIT 1"
_KEYS = "SELECT key FROM {schema}.series WHERE run = %s ORDER BY key"


def content(conn: Connection[TupleRow], schema: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """(run, key and attempt, what is held of them) in code-point order of the names.

    `conn` is in a transaction that sees one snapshot. The pieces of a name must be taken before the next name is.
    """
    cache = TailCache()
    run = ""
    while (row := conn.execute(_RUNS.format(schema=schema).encode(), (run,)).fetchone()) is not None:
        run = row[0]
        tails = cache.read(conn, schema, run)
        for (key,) in conn.execute(_KEYS.format(schema=schema).encode(), (run,)).fetchall():
            for attempt, one in sorted(curves_of(conn, schema, tails, run, [key])[key].items()):
                yield f"{run}\0{key}\0{attempt:010}", _content(conn, schema, one)


def _content(conn: Connection[TupleRow], schema: str, one: Curve) -> Iterator[bytes]:
    yield msgspec.json.encode(one.invalid)
    (whole,) = curve.parts(conn, schema, [(one, Stretch(one.attempt, 0, INT64_MAX))])
    for points in curve.pieces(conn, schema, whole):
        # Point by point, so that cutting the series elsewhere changes nothing.
        rows = np.empty(len(points), _POINT)
        rows["step"], rows["time"], rows["value"] = points.steps, points.times, points.values
        yield rows.tobytes()
