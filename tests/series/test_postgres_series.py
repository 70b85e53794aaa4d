"""What the series view does in PostgreSQL that its readers do not see: compaction, layout, reduction, rebuilds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from adapters.postgres.series import chart as chart_module
from adapters.postgres.series import view as view_module
from adapters.postgres.series.reader import PostgresSeriesReader
from adapters.postgres.series.tables import Limits
from adapters.postgres.series.tail_cache import TailCache
from domain.ids import Attempt, RunId
from domain.rules.series_summary import CHUNK_POINTS
from tests.series.model import check_chart
from tests.series.reports import RUN, Log, a_ramp, a_report, big_reports, small_reports
from tests.series.subjects import LOG, PostgresSubject, add_to_log, connected

ANY_FIXTURE: dict[str, Any] = {
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    "deadline": None,
}
SMALL = Limits(events=4, points_a_series=20, idle_points_a_series=3)


@pytest.fixture
def conn(dsn: str) -> Iterator[Connection]:
    with connected(dsn) as conn:
        yield conn


def told(conn: Connection, log: Log, *reports, limits: Limits | None = None) -> PostgresSubject:
    subject = PostgresSubject(conn, limits=limits)
    tell(subject, log, *reports)
    return subject


def tell(subject: PostgresSubject, log: Log, *reports) -> None:
    for one in reports:
        events = log.report(one)
        add_to_log(subject.conn, events)
        subject.take_in(events)


def noted(used: list[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which adds its name to `used` each time."""

    def call(*given: Any) -> Any:
        used.append(name)
        return function(*given)

    return call


def count(subject: PostgresSubject, table: str) -> int:
    return subject.conn.execute(f"SELECT count(*) FROM {subject.schema}.{table}").fetchone()[0]


def chunk_sizes(subject: PostgresSubject) -> list[int]:
    rows = subject.conn.execute(f"SELECT n FROM {subject.schema}.chunk ORDER BY series, attempt, step_min").fetchall()
    return [size for (size,) in rows]


@settings(max_examples=10, **ANY_FIXTURE)
@given(
    reports=st.lists(st.one_of(small_reports, big_reports), max_size=10),
    batches=st.lists(st.integers(1, 5), min_size=10, max_size=10),
)
def test_a_rebuild_holds_what_following_along_held(conn, reports, batches):
    conn.execute(LOG)
    log = Log()
    followed = told(conn, log, *reports, limits=SMALL)
    followed.tidy()
    rebuilt = PostgresSubject(conn)
    events = list(log.events)
    for size in batches:
        rebuilt.take_in(events[:size])
        events = events[size:]
    rebuilt.take_in(events)

    names = [name for name, _ in followed.fingerprint()]
    assert followed.fingerprint() == rebuilt.fingerprint()
    assert names == sorted(names)
    followed.drop()
    rebuilt.drop()


@pytest.mark.parametrize(
    "other",
    [
        a_report(("loss", [(1, 1.0, 5), (2, 2.5, 6)])),
        a_report(("loss", [(1, 1.0, 5), (2, 2.0, 7)])),
        a_report(("loss", [(1, 1.0, 5), (3, 2.0, 6)])),
        a_report(("kl", [(1, 1.0, 5), (2, 2.0, 6)])),
        a_report(("loss", [(1, 1.0, 5), (2, 2.0, 6)]), attempt=1),
        a_report(("loss", [(1, 1.0, 5), (2, 2.0, 6)]), invalid=[("loss", 3, "nan")]),
    ],
)
def test_a_fingerprint_tells_other_content_apart(conn, other):
    prints = []
    for report in (a_report(("loss", [(1, 1.0, 5), (2, 2.0, 6)])), other):
        conn.execute(LOG)
        prints.append(told(conn, Log(), report).fingerprint())

    assert prints[0] != prints[1]


def test_a_tail_is_compacted_at_so_many_events(conn):
    log = Log()
    subject = told(conn, log, *(a_report(("loss", a_ramp(step, 1))) for step in range(127)))
    assert (count(subject, "tail"), count(subject, "chunk")) == (127, 0)

    tell(subject, log, a_report(("loss", a_ramp(127, 1))))
    assert (count(subject, "tail"), chunk_sizes(subject)) == (0, [128])


def test_a_tail_is_compacted_at_so_many_points_a_series(conn):
    log = Log()
    subject = told(conn, log, *(a_report(("a", a_ramp(at, 1024)), ("b", a_ramp(at, 1024))) for at in (0, 1024, 2048)))
    assert (count(subject, "tail"), count(subject, "chunk")) == (3, 0)

    tell(subject, log, a_report(("a", a_ramp(3072, 1024)), ("b", a_ramp(3072, 1024))))
    assert (count(subject, "tail"), chunk_sizes(subject)) == (0, [4096, 4096])


def test_events_that_fill_the_tail_at_once_are_never_pointed_to(conn):
    log = Log()
    subject = PostgresSubject(conn)
    for start in range(0, 3 * 4096, 2048):
        log.report(a_report(("loss", a_ramp(start, 2048))))
    subject.take_in(log.events)  # the log is empty: what is in hand is not read again

    assert (count(subject, "tail"), chunk_sizes(subject)) == (0, [4096, 4096, 4096])


def test_idle_time_compacts_tails_of_enough_points_and_leaves_small_ones(conn):
    log = Log()
    subject = told(conn, log, a_report(("loss", a_ramp(0, 255))))
    subject.tidy()
    assert count(subject, "tail") == 1

    tell(subject, log, a_report(("loss", a_ramp(255, 1))))
    subject.tidy()
    assert (count(subject, "tail"), chunk_sizes(subject)) == (0, [256])


def test_a_tail_is_counted_anew_after_idle_time_compacted_it(conn):
    log = Log()
    subject = told(conn, log, a_report(("loss", a_ramp(0, 128))), a_report(("loss", a_ramp(128, 128))))
    subject.tidy()
    tell(subject, log, *(a_report(("loss", a_ramp(256 + at, 1))) for at in range(127)))

    assert (count(subject, "tail"), chunk_sizes(subject)) == (127, [256])


def test_idle_time_finds_tails_of_before_a_restart(conn):
    subject = told(conn, Log(), a_report(("loss", a_ramp(0, 300))))
    subject.view.reset_cache()
    subject.tidy()

    assert (count(subject, "tail"), chunk_sizes(subject)) == (0, [300])


def test_a_rolled_back_batch_leaves_nothing_behind(conn):
    log = Log()
    subject = told(conn, log, *(a_report(("loss", a_ramp(at, 1))) for at in range(3)), limits=SMALL)
    events = log.report(a_report(("loss", a_ramp(3, 1))))
    add_to_log(conn, events)
    with conn.transaction(force_rollback=True):
        subject.view.project(conn, subject.schema, events)
    subject.view.reset_cache()
    assert (count(subject, "tail"), count(subject, "chunk")) == (3, 0)

    subject.take_in(events)
    assert (count(subject, "tail"), chunk_sizes(subject)) == (0, [4])


def test_small_chunks_are_merged_tier_by_tier(conn):
    log = Log()
    subject = PostgresSubject(conn, limits=Limits(events=1))
    for at in range(40):
        tell(subject, log, a_report(("loss", a_ramp(at * 128, 128))))

    assert sum(chunk_sizes(subject)) == 40 * 128
    assert len(chunk_sizes(subject)) < 20
    assert max(chunk_sizes(subject)) >= CHUNK_POINTS


def test_corrections_split_what_outgrows_two_full_chunks_and_touch_no_other(conn):
    log = Log()
    subject = told(conn, log, *(a_report(("loss", a_ramp(at * 10, 2048, stride=10))) for at in range(0, 8192, 2048)))
    ids = f"SELECT step_min, xmin::text FROM {subject.schema}.chunk ORDER BY step_min"
    before = dict(conn.execute(ids).fetchall())
    assert chunk_sizes(subject) == [4096, 4096]

    for first in (3, 20_483):
        tell(subject, log, a_report(("loss", a_ramp(first, 2047, stride=10))))
        tell(subject, log, a_report(("loss", a_ramp(first + 1, 2047, stride=10))))
    with conn.transaction():
        subject.view._compact(conn, subject.schema, RUN, Attempt(0), in_hand=[])

    after = dict(conn.execute(ids).fetchall())
    assert [size for size in chunk_sizes(subject) if size < CHUNK_POINTS] == []
    assert after[40_960] == before[40_960]
    assert len(after) == 3
    assert subject.overlaps() == 0


@pytest.mark.parametrize(
    ("most_rows", "buckets", "level"),
    [
        (100, 10, "coarse"),
        (100, 4, "whole"),
        (2_000, 1000, "cells"),
        (6, 5, "groups"),
        (1_000_000, 50, "points"),
    ],
)
def test_every_level_of_reduction_tells_the_truth(conn, monkeypatch, most_rows, buckets, level):
    log = Log()
    subject = told(conn, log, *(a_report(("loss", a_ramp(at * 2, 2048, stride=2))) for at in range(0, 40_960, 2048)))
    tell(subject, log, a_report(("loss", [(10_000, -9e9, 1), (10_001, 9e9, 2), (90_000, 5.0, 3)])))
    monkeypatch.setattr(chart_module, "MOST_ROWS", most_rows)
    monkeypatch.setattr(chart_module, "_GROUPS", 4)
    used: list[str] = []
    for name in ("_grouped", "_from_points"):
        monkeypatch.setattr(chart_module, name, noted(used, name, getattr(chart_module, name)))
    for name in ("_WHOLE", "_COARSE"):
        monkeypatch.setattr(chart_module, name, f"{getattr(chart_module, name)} -- {name}")
    collected = chart_module._collected

    def noting(conn, schema, statement, each):
        used.append(statement.rpartition("-- ")[2])
        return collected(conn, schema, statement, each)

    monkeypatch.setattr(chart_module, "_collected", noting)

    points = [point for _, point in log.models[RUN].points("loss", None)]
    assert (count(subject, "tail"), len(chunk_sizes(subject))) == (1, 10)
    for low, high in ((0, 2**63 - 1), (4_000, 70_001), (10_001, 10_001)):
        with subject.reader() as reader:
            chart = reader.chart(RUN, "loss", buckets=buckets, first_step=low, last_step=high)
        assert chart is not None
        check_chart(chart, [point for point in points if low <= point[0] <= high], buckets)
    whole_series = {"coarse": "_COARSE", "whole": "_WHOLE", "groups": "_grouped"}
    assert used[0] == whole_series.get(level, "_from_points")
    assert "_from_points" in used


def test_groups_of_chunks_keep_means_of_the_largest_and_smallest_numbers(conn, monkeypatch):
    monkeypatch.setattr(chart_module, "MOST_ROWS", 7)
    monkeypatch.setattr(chart_module, "_GROUPS", 2)
    values = {"huge": 1.7e308, "tiny": 5e-324}
    log = Log()
    subject = told(
        conn,
        log,
        *(
            a_report(*((key, [(at + n, value, n) for n in range(1024)]) for key, value in values.items()))
            for at in range(0, 8 * 4096, 1024)
        ),
    )
    with subject.reader() as reader:
        assert reader.chart(RUN, "huge", buckets=3).mean == [1.7e308] * 2
        assert reader.chart(RUN, "tiny", buckets=3).mean == [5e-324] * 2


def test_room_of_replaced_rows_is_given_back_in_idle_time(conn, monkeypatch):
    monkeypatch.setattr(view_module, "_REPLACED_BEFORE_VACUUM", 10)
    log = Log()
    subject = told(conn, log, *(a_report(("loss", a_ramp(at, 2))) for at in range(0, 40, 2)), limits=SMALL)
    assert subject.view.idle(conn, subject.schema)
    assert not subject.view.idle(conn, subject.schema)
    vacuumed = "SELECT vacuum_count FROM pg_stat_user_tables WHERE schemaname = %s AND relname = 'tail'"
    conn.execute("SELECT pg_stat_force_next_flush()")
    assert conn.execute(vacuumed, (subject.schema,)).fetchone() == (1,)


def test_an_event_whose_body_was_erased_is_left_out(conn):
    log = Log()
    subject = told(conn, log, a_report(("loss", a_ramp(0, 3))), a_report(("loss", a_ramp(3, 300))))
    conn.execute("UPDATE stored_events SET state = NULL WHERE notification_id = 2")

    with subject.reader() as reader:
        assert reader.summaries(RUN, ["loss"])[0].count == 300
    subject.tidy()
    assert chunk_sizes(subject) == [300]


def test_a_tail_that_grew_is_read_on_from_where_it_was_read_before(conn):
    log = Log()
    subject = told(conn, log, a_report(("loss", a_ramp(0, 3))))
    with subject.reader() as reader:
        assert reader.summaries(RUN, ["loss"])[0].count == 3
    conn.execute("UPDATE stored_events SET state = NULL")  # shows whether it is read again
    tell(subject, log, a_report(("loss", a_ramp(3, 2))))

    with subject.reader() as reader:
        assert reader.summaries(RUN, ["loss"])[0].count == 5


def test_tails_are_remembered_in_bounded_room(conn):
    cache = TailCache(most_bytes=3000)
    log = Log()
    subject = PostgresSubject(conn)
    for run in ("a", "b", "c"):
        events = log.report(a_report(("loss", a_ramp(0, 50))), RunId(run))
        add_to_log(conn, events)
        subject.take_in(events)
        assert [len(held) for held in cache.read(conn, subject.schema, RunId(run)).values()] == [50]

    conn.execute("UPDATE stored_events SET state = NULL")
    lengths = [len(cache.read(conn, subject.schema, RunId(run))[0]) for run in ("c", "b", "a")]
    assert lengths == [50, 50, 0]


class Counted:
    """A connection that counts its statements."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self.statements = 0

    def execute(self, *given: Any, **named: Any) -> Any:
        self.statements += 1
        return self._conn.execute(*given, **named)


def restarted(attempt: int, keys: int):
    """An attempt that does half of what the one before it did again, for each of many series."""
    return a_report(*((f"k{key}", a_ramp(10 * attempt, 20)) for key in range(keys)), attempt=attempt)


@pytest.mark.parametrize("limits", [SMALL, Limits()], ids=["in chunks", "in the tail"])
def test_summaries_of_many_restarted_series_take_no_more_statements_than_those_of_one(conn, limits):
    subject = told(conn, Log(), *(restarted(attempt, keys=30) for attempt in range(4)), limits=limits)
    subject.tidy()
    keys = [f"k{key}" for key in range(30)]
    statements = []
    with subject.snapshot():
        for some in (keys[:1], keys):
            counted = Counted(conn)
            found = PostgresSeriesReader(counted, subject.schema, TailCache()).summaries(RUN, some)  # type: ignore[arg-type]  # all it uses of one
            assert [(one.count, one.last_step) for one in found] == [(50, 49)] * len(some)
            statements.append(counted.statements)
    assert statements[0] == statements[1]


def test_points_in_the_tail_take_no_statement_for_each_attempt(conn):
    subject = told(conn, Log(), *(restarted(attempt, keys=1) for attempt in range(10)))
    tails, statements = TailCache(), []
    with subject.snapshot():
        for _ in range(2):  # the second time the tails are remembered
            counted = Counted(conn)
            reader = PostgresSeriesReader(counted, subject.schema, tails)  # type: ignore[arg-type]  # as above
            assert sum(map(len, reader.points(RUN, ["k0"]))) == 110
            statements.append(counted.statements)
    assert statements[1] == 2


@pytest.mark.parametrize("remembered", [True, False], ids=["seen to grow", "of an earlier process"])
def test_a_short_tail_that_no_longer_grows_is_compacted(conn, remembered):
    subject = told(conn, Log(), a_report(("loss", a_ramp(0, 3))), limits=Limits(quiet_seconds=0))
    if not remembered:
        subject.view.reset_cache()
    assert count(subject, "tail") == 1

    subject.tidy()

    assert count(subject, "tail") == 0


def test_a_short_tail_that_grew_just_now_is_left_alone(conn):
    subject = told(conn, Log(), a_report(("loss", a_ramp(0, 3))), limits=Limits(quiet_seconds=3600))

    subject.tidy()

    assert count(subject, "tail") == 1
