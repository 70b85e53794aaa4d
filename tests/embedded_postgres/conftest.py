"""A folder that every account can reach, as a server's usually is, and a way to wait for a database."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tuneplane-tests-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


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
