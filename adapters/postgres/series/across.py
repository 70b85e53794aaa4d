"""One series key across runs: compacted summaries as they are, and whatever needs a rule through the readers' own way.

Most runs have one attempt and nothing in the tail: all of its points survive (`domain/rules/surviving_lineage.py`, and
a contract test compares), so that their summary rows are the answer. The others are put together as `summaries` does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.database import storable
from application.ports.series_across import MOST_KEYS, SeriesValues
from application.series.keys import matching
from domain.ids import RunId

_OF_KEY = """
    SELECT run, attempt, count, min, max, mean, last
    FROM {schema}.series LEFT JOIN {schema}.summary ON series = id
    WHERE key = %s"""
_OF_RUNS = " AND run = ANY(%s::text[])"
# Distinct keys, each found by one step down the index instead of by reading every series.
_KEYS = """
    WITH RECURSIVE known(key) AS (
        (SELECT key FROM {schema}.series ORDER BY key LIMIT 1)
        UNION ALL
        SELECT (SELECT key FROM {schema}.series WHERE key > known.key ORDER BY key LIMIT 1)
        FROM known WHERE known.key IS NOT NULL
    ) SELECT key FROM known WHERE key IS NOT NULL LIMIT %s"""


def settled(
    conn: Connection[TupleRow],
    schema: str,
    key: str,
    runs: Sequence[RunId] | None,
    in_tails: Collection[RunId],
) -> tuple[dict[RunId, SeriesValues], list[RunId]]:
    """What one summary row says alone, and the runs of which more must be asked. `in_tails`: runs that have a tail."""
    if not storable(key):
        return {}, []
    statement = (_OF_KEY if runs is None else _OF_KEY + _OF_RUNS).format(schema=schema)
    asked = (key,) if runs is None else (key, [run for run in runs if storable(run)])
    rows = conn.execute(statement.encode(), asked, binary=True).fetchall()
    found: dict[RunId, SeriesValues] = {}
    several: set[RunId] = set()
    seen: set[RunId] = set()
    for run, attempt, count, *values in rows:
        if run in seen or run in in_tails:
            several.add(run)
        elif attempt is not None and count:
            found[run] = SeriesValues(*values)
        seen.add(run)
    for run in several:
        found.pop(run, None)
    return found, list(several)


def known_keys(conn: Connection[TupleRow], schema: str, q: str, limit: int) -> list[str]:
    """Of all runs, in code-point order."""
    rows = conn.execute(_KEYS.format(schema=schema).encode(), (MOST_KEYS,), binary=True).fetchall()
    return matching((key for (key,) in rows), q)[:limit]
