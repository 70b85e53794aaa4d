"""F8: random histories against a small model. HISTORIES=long looks for longer."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from psycopg.conninfo import make_conninfo

from tests.model.histories import Histories
from tests.model.systems import MemorySystem, PostgresInstallation, PostgresSystem, an_installation

PROFILE = settings.get_profile(os.environ.get("HISTORIES", "quick"))
POSTGRES_SHARE = 10
"""Of so many examples in memory, one is for PostgreSQL."""


class InMemory(Histories):
    def new_system(self) -> MemorySystem:
        return MemorySystem()


@pytest.fixture(scope="module")
def installation(postgres: str) -> Iterator[PostgresInstallation]:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE histories")
        with an_installation(make_conninfo(postgres, dbname="histories")) as made:
            yield made
        connection.execute("DROP DATABASE histories WITH (FORCE)")


def test_any_history_answers_as_the_model_does_in_memory():
    run_state_machine_as_test(InMemory, settings=PROFILE)


def test_any_history_answers_as_the_model_does_in_postgresql(installation):
    class InPostgres(Histories):
        def new_system(self) -> PostgresSystem:
            return PostgresSystem(installation)

    examples = max(1, PROFILE.max_examples // POSTGRES_SHARE)
    run_state_machine_as_test(InPostgres, settings=settings(PROFILE, max_examples=examples))
