"""Folders that every account can reach, as a server's usually are, and ways to talk to a database."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters.embedded_postgres.launcher import EmbeddedPostgres


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tuneplane-tests-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def made() -> Iterator[Path]:
    """A folder with a database made once, to be copied."""
    folder = Path(tempfile.mkdtemp(prefix="tuneplane-tests-"))
    with EmbeddedPostgres(folder / "data", durable=False):
        pass
    yield folder / "data"
    shutil.rmtree(folder)


@pytest.fixture
def data(made: Path, place: Path) -> Path:
    """A server's folder in `place` whose database is made already, for tests of what comes after."""
    subprocess.run(["cp", "--archive", made, place / "data"], check=True)
    return place / "data"


def ask(dsn: str, question: str) -> str:
    """The single value that a statement answers."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return str(row[0])


def ask_when_back(dsn: str, question: str, seconds: float = 20.0) -> str:
    """As `ask`, after waiting until the database takes sessions again."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return ask(dsn, question)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def write(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn) as connection:
        for statement in statements:
            connection.execute(statement.encode())
