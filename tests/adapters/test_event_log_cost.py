"""What it costs to read one run's events does not grow with the log."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from domain.ids import Position, RunId
from tests.adapters.projecting import a_log
from tests.contracts.event_log import append, placed
from tests.factories import a_log as printed

EARLY, LATE = RunId("early"), RunId("late")
MANY, FEW = 3_000, 5
_FETCHED = "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_user_tables WHERE relname = 'stored_events'"


@pytest.fixture
def place(dsn: str) -> Iterator[tuple[Database, PostgresEventLog]]:
    """A log in which another run has nearly all events, the first and the last among them; known to the planner."""
    with a_log(dsn) as both:
        database, log = both
        events = [printed("x", run=EARLY) for _ in range(MANY)]
        events[MANY // 2 : MANY // 2] = [printed("y", run=LATE) for _ in range(FEW)]
        append(log, *([placed(event, n)] for n, event in enumerate(events, 1)))
        with database.connection() as connection:
            connection.execute("ANALYZE stored_events")
        yield both


def fetched(database: Database) -> int:
    """Rows that were read of the table so far."""
    with database.connection() as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        row = connection.execute(_FETCHED).fetchone()
    assert row is not None
    return int(row[0])


def test_events_of_other_runs_are_not_walked_over(place):
    database, log = place
    with closing(database):
        before = fetched(database)
        forward = log.read(Position(0), run=LATE)
        back = log.read_back(Position(MANY + FEW + 1), run=LATE)
        assert [one.run for one in [*forward, *back]] == [LATE] * 2 * FEW
        assert fetched(database) - before <= 2 * FEW
