"""Fixtures that every test may ask for: a real PostgreSQL, started once, and a fresh database in it."""

import itertools
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from adapters.embedded_postgres.launcher import EmbeddedPostgres

collect_ignore = ["bench"]  # measurements run by `make bench`

# Started in a shell's background, we and every process that a test starts would ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The conninfo of a PostgreSQL for the whole run. Tests need no fsync, so it does without."""
    folder = Path(tempfile.mkdtemp(prefix="tuneplane-tests-"))
    server = EmbeddedPostgres(folder / "postgres", durable=False)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture
def dsn(postgres: str) -> Iterator[str]:
    """The conninfo of an empty database of the test's own, dropped afterwards with whatever is still connected."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        yield make_conninfo(postgres, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
