"""Fixtures for the contracts of ports that PostgreSQL keeps."""

from collections.abc import Iterator

import pytest

from adapters.postgres.database import Database
from adapters.postgres.migrations.runner import migrate


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
