"""The way to PostgreSQL: what is bounded, what is rolled back, and what counts as away."""

import threading

import psycopg
import pytest
from eventsourcing import persistence

from adapters.postgres.database import Database, asking_again, storable
from domain.errors import IdentityTaken, TryAgain
from tests.contracts.event_log import wait_until


@pytest.fixture
def database(dsn):
    database = Database(dsn, pool_size=2)
    with database.connection() as connection:
        connection.execute("CREATE TABLE kept (x int)")
    yield database
    database.close()


def kept(database):
    with database.connection() as connection:
        return connection.execute("SELECT x FROM kept").fetchall()


def test_a_transaction_is_committed_at_its_end(database):
    with database.transaction() as connection:
        connection.execute("INSERT INTO kept VALUES (1)")
    assert kept(database) == [(1,)]


def test_a_transaction_is_rolled_back_on_an_error_which_comes_out_as_it_is(database):
    def refused() -> None:
        with database.transaction() as connection:
            connection.execute("INSERT INTO kept VALUES (1)")
            raise IdentityTaken

    with pytest.raises(IdentityTaken):
        refused()
    assert kept(database) == []


def test_errors_of_the_statement_itself_come_out_as_they_are(database):
    with pytest.raises(psycopg.errors.UndefinedTable), database.connection() as connection:
        connection.execute("SELECT FROM absent")


def test_a_connection_that_was_killed_while_it_was_used_says_try_again_and_is_not_used_again(database):
    with pytest.raises(TryAgain), database.connection() as connection:
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert kept(database) == []


def test_connections_that_were_killed_while_they_were_idle_are_replaced(database, dsn):
    with database.connection(), database.connection():
        pass
    with psycopg.connect(dsn, autocommit=True) as killer:
        killer.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert kept(database) == []


def test_who_finds_no_free_connection_is_told_to_try_again(database, monkeypatch):
    monkeypatch.setattr(database._pool, "timeout", 0.05)
    with database.connection(), database.connection(), pytest.raises(TryAgain), database.connection():
        pass
    assert kept(database) == []


def test_a_connection_of_ones_own_has_its_settings(database):
    connection = database.connect("SET lock_timeout = '7s'")
    assert connection.execute("SHOW lock_timeout").fetchone() == ("7s",)
    assert connection.autocommit
    connection.close()


def test_a_setting_that_fails_leaves_no_connection_open(database, dsn):
    with pytest.raises(psycopg.errors.UndefinedObject):
        database.connect("SET no_such_setting = 1")
    with psycopg.connect(dsn, autocommit=True) as connection:
        left = "SELECT FROM pg_stat_activity WHERE query LIKE 'SET no_such%' AND pid <> pg_backend_pid()"
        wait_until(lambda: not connection.execute(left).fetchall(), "the connection is closed")


def test_a_database_is_made_without_connecting(tmp_path):
    before = threading.active_count()
    Database(f"host={tmp_path} dbname=x").close()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("x"),
        psycopg.InterfaceError("x"),
        psycopg.errors.DiskFull("x"),
        psycopg.errors.AdminShutdown("x"),
        psycopg.errors.ReadOnlySqlTransaction("x"),
        psycopg.errors.DeadlockDetected("x"),
        persistence.OperationalError("x"),
        persistence.InterfaceError("x"),
        persistence.InternalError("x"),
    ],
)
def test_a_database_that_cannot_do_it_now_says_try_again_and_nothing_of_the_drivers_words(error):
    error.args = ("secret words",)
    with pytest.raises(TryAgain, match="Repeat it later") as caught, asking_again():
        raise error
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("error", [psycopg.DataError("x"), psycopg.ProgrammingError("x"), ValueError("x")])
def test_errors_that_repeating_cannot_help_come_out_as_they_are(error):
    with pytest.raises(type(error)), asking_again():
        raise error


@pytest.mark.parametrize(("text", "fits"), [("", True), ("naïve 𝄞", True), ("a\0", False), ("\ud800", False)])
def test_text_fits_unless_it_holds_nul_or_half_a_pair(text, fits):
    assert storable(text) is fits
