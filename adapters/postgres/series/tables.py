"""The tables of a series view, and when its tail is compacted."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from psycopg import Connection
from psycopg.rows import TupleRow

_CREATE = """
CREATE TABLE {schema}.series (
    id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run    text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    key    text COLLATE "C" NOT NULL,
    UNIQUE (run, number),
    UNIQUE (run, key)
);
CREATE INDEX ON {schema}.series (key, run);
-- One row for each event whose points are in no chunk yet: they are read from the log.
CREATE TABLE {schema}.tail (
    run          text COLLATE "C" NOT NULL,
    attempt      integer NOT NULL,
    position     bigint NOT NULL,
    points       integer NOT NULL,
    series_count integer NOT NULL,
    PRIMARY KEY (run, attempt, position)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- A series of one attempt, as of its last compaction. Without points, count is 0 and only the invalid_ columns speak.
CREATE TABLE {schema}.summary (
    series             integer NOT NULL,
    attempt            integer NOT NULL,
    count              bigint NOT NULL,
    chunks             integer NOT NULL,
    full_until         bigint NOT NULL,   -- step_max of the last full chunk, -1 without one
    min                double precision NOT NULL,
    max                double precision NOT NULL,
    mean               double precision NOT NULL,
    first              double precision NOT NULL,
    last               double precision NOT NULL,
    first_step         bigint NOT NULL,
    last_step          bigint NOT NULL,
    first_at           bigint NOT NULL,
    last_at            bigint NOT NULL,
    nan                bigint NOT NULL,
    pos_inf            bigint NOT NULL,
    neg_inf            bigint NOT NULL,
    invalid_first_step bigint,
    PRIMARY KEY (series, attempt)
) WITH (fillfactor = 50);
-- Chunks of one series and attempt never overlap.
CREATE TABLE {schema}.chunk (
    series     integer NOT NULL,
    attempt    integer NOT NULL,
    n          integer NOT NULL,
    step_min   bigint NOT NULL,
    step_max   bigint NOT NULL,
    vmin       double precision NOT NULL,
    vmax       double precision NOT NULL,
    vmean      double precision NOT NULL,
    vfirst     double precision NOT NULL,
    vlast      double precision NOT NULL,
    time_first bigint NOT NULL,
    time_last  bigint NOT NULL,
    whole      bytea NOT NULL,            -- one cell of all points: quicker to collect than the columns above
    coarse     bytea NOT NULL,            -- cells of 512 points, in the row itself
    cells      bytea NOT NULL,            -- cells of 64 points
    body       bytea NOT NULL,
    PRIMARY KEY (series, attempt, step_min)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000);
ALTER TABLE {schema}.chunk ALTER coarse SET STORAGE MAIN, ALTER cells SET STORAGE EXTERNAL,
    ALTER body SET STORAGE EXTERNAL
"""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """When the tail of a (run, attempt) is compacted."""

    events: int = 128
    points_a_series: int = 4096
    """While events come in: points of the tail over the series in it."""
    idle_points_a_series: int = 256
    """When there is nothing to read."""
    quiet_seconds: float = 300.0
    """A tail that has not grown for so long is compacted however short it is: no reader has to unpack it again."""


def create(conn: Connection[TupleRow], schema: str) -> None:
    """Makes the tables in the empty schema `schema`."""
    for statement in _CREATE.format(schema=schema).split(";"):
        conn.execute(statement.encode())


def array(values: Iterable[object]) -> str:
    """Numbers as PostgreSQL's text of an array, whatever their sizes; exact for floats."""
    return "{" + ",".join(map(repr, values)) + "}"
