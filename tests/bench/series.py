"""What the series view costs: charts, rebuild, room. Each beside a floor measured in the same run.

python -m tests.bench.series "host=… dbname=…"     (an empty database; its `public` schema is overwritten)
"""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import msgspec
import numpy as np
import psycopg
from psycopg import Connection, pq

from adapters.postgres.series.reader import PostgresSeriesReader
from adapters.postgres.series.tail_cache import TailCache
from adapters.postgres.series.view import PostgresSeriesView
from application.ports.event_log import RecordedEvent
from application.series.columns import Batch, pack
from domain.events import MetricsReported, SeriesOpened, decode, encode, tag_of
from domain.ids import Attempt, Micros, RunId

_SCHEMA = "proj_series_v2"
_BATCH_POINTS = 2048
_CATCHING_UP = (512, 4_000_000)
"""Events and bytes in one batch of a projector that is behind."""
_LOG = """
    DROP TABLE IF EXISTS stored_events;
    CREATE TABLE stored_events (
        notification_id bigint NOT NULL UNIQUE, recorded_at bigint NOT NULL, originator_version bigint NOT NULL,
        originator_id uuid NOT NULL, topic text NOT NULL, run text NOT NULL, digest bytea NOT NULL,
        hash bytea NOT NULL, state bytea, PRIMARY KEY (originator_id, originator_version)
    );
    ALTER TABLE stored_events ALTER state SET STORAGE EXTERNAL"""


class Row(msgspec.Struct, frozen=True):
    """One measurement."""

    what: str
    value: float
    unit: str
    floor: float | None = None
    """The same by the simplest means that does the same work, measured in this run."""


def measure(dsn: str) -> list[Row]:
    """All rows, printed as they come."""
    rows = []
    with psycopg.connect(dsn, autocommit=True) as conn:
        for part in (_rebuild, _charts, _wide):
            for row in part(conn):
                print(row.what, f"{row.value:.3f} {row.unit}", "" if row.floor is None else f"(floor {row.floor:.3f})")
                rows.append(row)
    return rows


def _rebuild(conn: Connection) -> Iterator[Row]:
    """10 M points of 4 runs, 10 series each."""
    points = _fill(conn, runs=4, series=10, points=10_000_000)
    view = PostgresSeriesView("scalar")
    (wall, cpu), (floor, _) = _timed(conn, lambda: _project(conn, view)), _timed(conn, lambda: _floor(conn))
    conn.execute("DEALLOCATE floor")
    yield Row("rebuild of 10 M points", wall, "s", floor * 10)
    yield Row("projector and PostgreSQL, 1 M points in 10 series", cpu / points * 1e6, "CPU s")
    yield from _room(conn, points, "10 series a batch")


def _charts(conn: Connection) -> Iterator[Row]:
    for count in (100_000, 1_000_000, 10_000_000):
        _fill(conn, runs=1, series=1, points=count)
        view = PostgresSeriesView("scalar")
        _project(conn, view)
        conn.execute(f"VACUUM ANALYZE {_SCHEMA}.chunk")
        chart = _median(lambda: _chart(conn))
        yield Row(f"chart of {count:,} points", chart * 1e3, "ms", _row_scan(conn, count) * 1e3)


def _wide(conn: Connection) -> Iterator[Row]:
    """1 M points, 2,048 series of one point each a batch."""
    points = _fill(conn, runs=1, series=2048, points=2_000_000)
    view = PostgresSeriesView("scalar")
    _, cpu = _timed(conn, lambda: _project(conn, view))
    yield Row("projector and PostgreSQL, 1 M points in 2,048 series", cpu / points * 1e6, "CPU s")
    yield from _room(conn, points, "2,048 series a batch")
    with_tail = _median(lambda: _chart(conn))
    yield Row("chart of one of 2,048 series, tail merged in", with_tail * 1e3, "ms")
    summaries = _median(lambda: _summaries(conn))
    yield Row("summaries of 1,000 series", summaries * 1e3, "ms")


def _fill(conn: Connection, *, runs: int, series: int, points: int) -> int:
    """A log of `points` and so many more as fill the last round; returns how many."""
    conn.execute(_LOG)
    each = _BATCH_POINTS // series
    rounds = -(-points // (each * series * runs))
    rng = np.random.default_rng(0)
    position = 0
    with conn.cursor().copy("COPY stored_events FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(("int8", "int8", "int8", "uuid", "text", "text", "bytea", "bytea", "bytea"))

        def add(event: MetricsReported | SeriesOpened) -> None:
            nonlocal position
            position += 1
            copy.write_row(
                (position, 0, 1, uuid.uuid4(), tag_of(event), event.run, bytes(32), bytes(32), encode(event))
            )

        for run in range(runs):
            for number in range(1, series + 1):
                add(SeriesOpened(run=RunId(f"run-{run}"), family="scalar", number=number, key=f"train/metric_{number}"))
        for at in range(rounds):
            for run in range(runs):
                add(_batch(RunId(f"run-{run}"), series, each, at * each, rng))
    conn.execute("VACUUM ANALYZE stored_events")
    return rounds * each * series * runs


def _batch(run: RunId, series: int, each: int, first: int, rng: np.random.Generator) -> MetricsReported:
    """A step takes 100 ms, give or take 5 ms; all series are logged together."""
    steps = np.arange(first, first + each)
    times = 1_767_225_600_000_000 + steps * 100_000 + rng.integers(0, 5_000, each)
    batch = Batch(
        numbers=np.arange(1, series + 1),
        counts=np.full(series, each),
        steps=np.tile(steps, series),
        times=np.tile(times, series),
        values=rng.standard_normal(series * each),
    )
    return MetricsReported(run=run, attempt=Attempt(0), points=series * each, columns=pack(batch))


def _project(conn: Connection, view: PostgresSeriesView) -> None:
    """As a projector that is behind does it."""
    conn.execute(f"DROP SCHEMA IF EXISTS {_SCHEMA} CASCADE; CREATE SCHEMA {_SCHEMA}")
    view.create(conn, _SCHEMA)
    after, (limit, most) = 0, _CATCHING_UP
    conn.execute("SET synchronous_commit TO off")
    while events := _read(conn, after, limit, most):
        with conn.transaction():
            view.project(conn, _SCHEMA, [(one, decode(one.tag, one.payload or b"")) for one in events])
        after = events[-1].position
    while view.idle(conn, _SCHEMA):
        pass


def _read(conn: Connection, after: int, limit: int, most: int) -> list[RecordedEvent]:
    rows = conn.execute(
        "SELECT notification_id, topic, run, state FROM stored_events WHERE notification_id > %s"
        " ORDER BY notification_id LIMIT %s",
        (after, min(limit, max(1, most // 17_000))),
        binary=True,
    ).fetchall()
    return [RecordedEvent(at, Micros(0), _NOBODY, 1, tag, run, b"", b"", state) for at, tag, run, state in rows]


def _chart(conn: Connection) -> None:
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        chart = PostgresSeriesReader(conn, _SCHEMA, _TAILS).chart(RunId("run-0"), "train/metric_1")
    assert chart
    assert sum(chart.count) > 0


def _summaries(conn: Connection) -> None:
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        keys = [f"train/metric_{number}" for number in range(1, 1001)]
        assert len(PostgresSeriesReader(conn, _SCHEMA, _TAILS).summaries(RunId("run-0"), keys)) == 1000


def _room(conn: Connection, points: int, what: str) -> Iterator[Row]:
    def size(*names: str) -> float:
        return sum(conn.execute("SELECT pg_total_relation_size(%s)", (name,)).fetchone()[0] for name in names) / points

    view = size(*(f"{_SCHEMA}.{name}" for name in ("series", "tail", "summary", "chunk")))
    yield Row(f"room of the log, {what}", size("stored_events"), "bytes a point")
    yield Row(f"room of the view, {what}", view, "bytes a point")


def _floor(conn: Connection) -> None:
    """1 M points as rows of an indexed table, 2,048 a statement."""
    conn.execute(
        "DROP TABLE IF EXISTS floor; CREATE TABLE floor (series int4, step int8, value float8, ts float8,"
        " PRIMARY KEY (series, step))"
    )
    pg, at, points = conn.pgconn, np.arange(_BATCH_POINTS), np.random.default_rng(0).standard_normal(_BATCH_POINTS)
    statement = b"INSERT INTO floor SELECT * FROM unnest($1::int4[], $2::int8[], $3::float8[], $4::float8[])"
    pg.prepare(b"floor", statement)
    for batch in range(1_000_000 // _BATCH_POINTS):
        steps = batch * 205 + at // 10
        columns = [(23, ">i4", at % 10), (20, ">i8", steps), (701, ">f8", points), (701, ">f8", steps)]
        result = pg.exec_prepared(b"floor", [_binary_array(*each) for each in columns], [1] * 4)
        assert result.status == pq.ExecStatus.COMMAND_OK, result.error_message


def _binary_array(element: int, kind: str, values: np.typing.NDArray[np.number]) -> bytes:
    """PostgreSQL's binary array of elements of type `element`."""
    rows = np.empty(len(values), [("length", ">i4"), ("value", kind)])
    rows["length"], rows["value"] = np.dtype(kind).itemsize, values
    return np.array([1, 0, element, len(values), 1], ">i4").tobytes() + rows.tobytes()


def _row_scan(conn: Connection, points: int) -> float:
    """The chart from a table of rows: what the chart is compared with."""
    conn.execute("DROP TABLE IF EXISTS floor; CREATE TABLE floor (series int4, step int8, value float8)")
    conn.execute(f"INSERT INTO floor SELECT 1, g, random() FROM generate_series(1, {points}) g")
    conn.execute("CREATE INDEX ON floor (series, step)")
    conn.execute("VACUUM ANALYZE floor")
    scan = (
        "SELECT min(step), min(value), max(value), avg(value), count(*) FROM floor WHERE series = 1"
        f" GROUP BY step * 1000 / {points} ORDER BY 1"
    )
    return _median(lambda: conn.execute(scan).fetchall(), times=3)


def _timed(conn: Connection, work: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU seconds of this process and its connection's."""
    wall, mine, theirs = time.perf_counter(), time.process_time(), _cpu_of(conn)
    work()
    return time.perf_counter() - wall, time.process_time() - mine + _cpu_of(conn) - theirs


def _cpu_of(conn: Connection) -> float:
    fields = Path(f"/proc/{conn.info.backend_pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _median(work: Callable[[], object], times: int = 21) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


_NOBODY = uuid.UUID(int=0)
_TAILS = TailCache()

if __name__ == "__main__":
    measure(sys.argv[1])
