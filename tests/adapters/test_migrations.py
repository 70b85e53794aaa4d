"""Bringing a database to the tables of this code: once, whole, resumable, and never backwards."""

import threading

import psycopg
import pytest

from adapters.postgres.migrations import runner
from adapters.postgres.migrations.runner import DatabaseUnfit, Step, migrate, steps
from domain.errors import TryAgain
from tests.contracts.event_log import wait_until


def a_step(number: int, sql: str, name: str = "") -> Step:
    return Step(number=number, name=name or f"{number:04}_step", sql=sql)


FIRST = a_step(1, "CREATE TABLE one (x int); INSERT INTO one VALUES (1);")
SECOND = a_step(2, "CREATE TABLE two (x int)")
BROKEN = a_step(2, "CREATE TABLE two (x int); SELECT nonsense")


def ask(dsn: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()


def tables(dsn: str) -> set[object]:
    return {name for (name,) in ask(dsn, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}


def test_an_empty_database_gets_all_tables(dsn):
    told: list[str] = []
    assert migrate(dsn, told.append) == [step.name for step in steps()]
    assert told == [f"migrating: {step.name}" for step in steps()]
    assert {
        "stored_events", "chain_head", "ingest_token", "account", "secret", "setting",
        "projection", "projection_serving", "projection_fault",
    } <= tables(dsn)  # fmt: skip


def test_a_second_time_there_is_nothing_to_do(dsn):
    migrate(dsn)
    assert migrate(dsn) == []


def test_steps_are_numbered_from_1_without_gaps_and_named_by_their_files():
    assert [step.number for step in steps()] == list(range(1, len(steps()) + 1))
    assert all(step.name.startswith(f"{step.number:04}_") for step in steps())


def test_a_new_step_is_taken_alone(dsn):
    migrate(dsn, known=[FIRST])
    assert migrate(dsn, known=[FIRST, SECOND]) == ["0002_step"]
    assert ask(dsn, "SELECT x FROM one") == [(1,)]


def test_a_step_that_fails_leaves_nothing_of_itself_and_the_next_run_goes_on(dsn):
    with pytest.raises(psycopg.errors.UndefinedColumn):
        migrate(dsn, known=[FIRST, BROKEN])
    assert tables(dsn) == {"migration", "one"}
    assert migrate(dsn, known=[FIRST, SECOND]) == ["0002_step"]
    assert tables(dsn) == {"migration", "one", "two"}


def test_a_database_newer_than_the_code_is_refused_and_left_alone(dsn):
    migrate(dsn, known=[FIRST, SECOND])
    with pytest.raises(DatabaseUnfit, match="newer than this server: it has step 0002_step"):
        migrate(dsn, known=[FIRST])
    assert tables(dsn) == {"migration", "one", "two"}


def test_a_step_taken_with_another_text_is_refused(dsn):
    migrate(dsn, known=[FIRST])
    with pytest.raises(DatabaseUnfit, match="0001_step was taken with another text"):
        migrate(dsn, known=[a_step(1, "CREATE TABLE other (x int)"), SECOND])
    assert tables(dsn) == {"migration", "one"}


def test_steps_make_their_tables_in_public_whatever_the_account_looks_at_first(dsn):
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA tuneplane")
    migrate(dsn, known=[FIRST])
    assert tables(dsn) == {"migration", "one"}


def test_two_that_migrate_at_once_take_each_step_once(dsn):
    told: list[str] = []
    taken: list[list[str]] = []
    with psycopg.connect(dsn, autocommit=True) as first:
        first.execute("SELECT pg_advisory_lock(%s)", (runner._LOCK,))
        threads = [
            threading.Thread(target=lambda: taken.append(migrate(dsn, told.append, [FIRST, SECOND]))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(told) == 2, "both wait")
    for thread in threads:
        thread.join()
    assert told[:2] == ["waiting: another process is migrating this database"] * 2
    assert sorted(taken) == [[], ["0001_step", "0002_step"]]


def test_a_database_in_another_encoding_is_refused(postgres):
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try:
            with pytest.raises(DatabaseUnfit, match="UTF8; this one is LATIN1"):
                migrate(f"{postgres} dbname=latin")
        finally:
            connection.execute("DROP DATABASE latin WITH (FORCE)")


def test_an_old_server_is_refused(dsn, monkeypatch):
    monkeypatch.setattr(runner, "OLDEST_SERVER", 990_000)
    with pytest.raises(DatabaseUnfit, match="newer is needed; this server is version 1"):
        migrate(dsn)


def test_a_database_that_is_away_says_try_again(tmp_path):
    with pytest.raises(TryAgain):
        migrate(f"host={tmp_path} dbname=x")
