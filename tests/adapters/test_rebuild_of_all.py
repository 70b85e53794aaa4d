"""For every view: what was followed live, what is built from nothing, and what memory folds are the same."""

import random
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from adapters.memory.reading import MemoryReading
from adapters.memory.series_view import MemorySeriesView
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.projection_store import PostgresProjectionStore
from adapters.postgres.projector_tracked import schema_of
from adapters.postgres.records import PostgresRecords
from application.commands.compare_projection import compare_projection
from application.commands.rebuild_projection import rebuild_projection
from application.event_log.settlement import as_candidate
from application.projections.projection import Projection
from application.projections.registry import PROJECTIONS
from domain.events import EVENT_TYPES
from entrypoints.projector.views import all_views
from tests.adapters.histories import a_whole_history
from tests.adapters.projecting import a_log, all_at, projecting, wait_until

VIEWS = all_views()
LENGTH = 600


@pytest.fixture(scope="module")
def kept_dsn(postgres: str) -> Iterator[str]:
    """A database for all stories of this file."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE rebuild_of_all")
        yield make_conninfo(postgres, dbname="rebuild_of_all")
        connection.execute("DROP DATABASE rebuild_of_all WITH (FORCE)")


@pytest.fixture(scope="module")
def followed(kept_dsn: str) -> Iterator[tuple[Database, PostgresEventLog, PostgresProjectionStore]]:
    """A log whose events were followed as they came, in groups of any size."""
    with a_log(kept_dsn) as (database, log):
        dice = random.Random(7)
        with projecting((database, log), VIEWS):
            requests = [[as_candidate(one) for one in request] for request in a_whole_history(LENGTH)]
            while requests:
                size = dice.choice((1, 2, 30))
                log.append(requests[:size])
                del requests[:size]
            head = log.head().position
            wait_until(all_at(kept_dsn, head))
        yield database, log, PostgresProjectionStore(database, log, VIEWS)


def test_the_history_holds_every_kind_of_event(followed):
    tags = {event.tag for event in followed[1].read(0, limit=100_000, max_bytes=10**9)}
    assert {str(kind.__struct_config__.tag) for kind in EVENT_TYPES} - tags <= {"share-withdrawn.v1"}


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_a_rebuild_equals_what_was_followed(followed, name):
    _, log, store = followed
    rebuilt = rebuild_projection(store, name, lambda *_: None)
    found = compare_projection(store, name, lambda *_: None, rebuilt.version)
    assert (found.differences, found.named) == (0, ())
    assert found.compared > 0
    assert found.position == log.head().position
    assert {one.faults for one in store.versions(name)} == {0}


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda one: one.name)
def test_memory_holds_the_same_records(followed, projection: Projection):
    database, log, _ = followed
    in_memory = MemoryReading(
        log,
        PROJECTIONS,
        scalars=lambda: MemorySeriesView("scalar"),
        hardware=lambda: MemorySeriesView("hardware"),
    )
    schema = schema_of(projection.name, projection.version)
    with in_memory.now() as views, database.connection() as conn:
        records = PostgresRecords(conn, dict.fromkeys(projection.tables, schema))
        for table in projection.tables:
            assert records.find(table) == views.records.find(table)
