"""Fixtures for the contracts of ports that PostgreSQL keeps."""

from collections.abc import Iterator

import pytest

from adapters.memory.event_log import MemoryEventLog
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.migrations.runner import migrate
from application.ports.event_log import EventLog
from tests.factories import NOON


@pytest.fixture
def migrated(dsn: str) -> str:
    """The conninfo of a database of the test's own with all tables in it."""
    migrate(dsn)
    return dsn


@pytest.fixture
def database(migrated: str) -> Iterator[Database]:
    """The same, connected."""
    database = Database(migrated)
    yield database
    database.close()


@pytest.fixture(params=["memory", "postgres"])
def log(request: pytest.FixtureRequest) -> Iterator[EventLog]:
    """The log of each adapter; for it, it is always noon."""
    if request.param == "memory":
        yield MemoryEventLog(lambda: NOON)
        return
    database: Database = request.getfixturevalue("database")
    log = PostgresEventLog(database, lambda: NOON)
    yield log
    log.close()
