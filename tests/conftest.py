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
from adapters.s3.client import Bucket
from tests.sdk.ingest_stub import Ingest
from tests.seaweed import BUCKET, REGION, Seaweed, seaweed

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


@pytest.fixture(scope="session")
def s3() -> Iterator[Seaweed]:
    """A real S3 server for all tests of this process; its credentials are in the environment, where AWS tools look."""
    with seaweed() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment().items():
            patch.setenv(name, value)
        yield server


@pytest.fixture
def bucket(s3: Seaweed) -> Bucket:
    """A part of its bucket for the test alone, empty."""
    return Bucket(BUCKET, endpoint=s3.endpoint, region=REGION, prefix=f"test-{os.getpid()}-{next(_numbers)}/")


@pytest.fixture
def dsn(postgres: str) -> Iterator[str]:
    """The conninfo of an empty database of the test's own, dropped afterwards with whatever is still connected."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        yield make_conninfo(postgres, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def ingest() -> Iterator[Ingest]:
    """What a job's client reports to: it keeps what came, and may be told to fail."""
    server = Ingest()
    yield server
    server.close()


@pytest.fixture
def outside_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of TunePlane and no rank of a launcher, wherever the tests are run."""
    for name in list(os.environ):
        if name.startswith("TUNEPLANE_") or name in ("RANK", "LOCAL_RANK"):
            monkeypatch.delenv(name)
