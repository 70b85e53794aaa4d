"""What is killed with SIGKILL comes back: the database under a living server, the server over a living database."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from adapters.embedded_postgres.launcher import EmbeddedPostgres, conninfo_of_running
from tests.embedded_postgres.conftest import ask, ask_when_back, write

KILLED_SERVER = Path(__file__).with_name("killed_server.py")
ROOT = Path(__file__).parents[2]


@contextmanager
def left_running(data: Path) -> Iterator[tuple[psutil.Process, str]]:
    """A database whose server was killed, with a worker of that server still alive, and the database's conninfo."""
    command = [sys.executable, str(KILLED_SERVER), str(data)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        pid, worker, dsn = server.stdout.readline().strip().split(" ", 2)
        server.kill()
    try:
        yield psutil.Process(int(pid)), dsn
    finally:
        os.kill(int(worker), signal.SIGKILL)


@pytest.mark.parametrize("private", [False, True])
def test_a_killed_database_is_back_at_the_same_address_with_all_it_had_committed(data, place, private):
    place.chmod(0o700 if private else 0o755)
    killed = []
    with EmbeddedPostgres(data) as server:
        dsn = server.conninfo
        write(dsn, "CREATE TABLE number (n int)")
        for n in range(3):
            write(dsn, f"INSERT INTO number VALUES ({n})")
            killed.append(server.pid)
            os.kill(server.pid, signal.SIGKILL)
            assert ask_when_back(dsn, "SELECT array_agg(n ORDER BY n) FROM number") == str(list(range(n + 1)))
        assert server.pid not in killed
        assert not any(psutil.pid_exists(pid) for pid in killed)


def test_a_busy_session_does_not_hold_up_the_restart(data):
    with EmbeddedPostgres(data, durable=False) as server, closing(psycopg.connect(server.conninfo)) as busy:
        busy.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000)")
        os.kill(server.pid, signal.SIGKILL)
        assert ask_when_back(server.conninfo, "SELECT 1") == "1"


def test_a_killed_session_takes_only_the_other_sessions_with_it(data):
    with (
        EmbeddedPostgres(data, durable=False) as server,
        closing(psycopg.connect(server.conninfo)) as session,
    ):
        pid = server.pid
        os.kill(session.info.backend_pid, signal.SIGKILL)
        assert ask_when_back(server.conninfo, "SELECT 1") == "1"
        assert server.pid == pid


@pytest.mark.parametrize("private", [False, True])
def test_a_database_left_by_a_killed_server_is_taken_over_watched_and_stopped(data, place, private):
    place.chmod(0o700 if private else 0o755)
    with left_running(data) as (left, dsn):
        write(dsn, "CREATE TABLE note AS SELECT 'kept' AS text")
        with EmbeddedPostgres(data, durable=False) as server:
            assert server.conninfo == dsn
            assert server.pid == left.pid
            left.kill()
            assert ask_when_back(dsn, "SELECT text FROM note") == "kept"
            assert server.pid != left.pid
    assert conninfo_of_running(data) is None


def test_a_database_taken_over_is_stopped_in_good_order(data):
    with left_running(data) as (left, _):
        server = EmbeddedPostgres(data, durable=False)
        server.start()
        server.stop()
        assert not left.is_running()
    assert "database system is shut down" in (data / "postgres.log").read_text()


def test_server_and_database_both_killed_start_anew(data):
    with left_running(data) as (left, dsn):
        write(dsn, "CREATE TABLE note AS SELECT 'kept' AS text")
        left.kill()
        with EmbeddedPostgres(data, durable=False):
            assert ask(dsn, "SELECT text FROM note") == "kept"


def test_a_database_that_lost_its_socket_is_replaced(data):
    with left_running(data) as (left, dsn):
        (data / "run" / ".s.PGSQL.5432").unlink()
        with EmbeddedPostgres(data, durable=False):
            assert ask(dsn, "SELECT 1") == "1"
            assert not left.is_running()


def test_lock_files_that_name_a_process_of_somebody_else_do_not_hinder(data):
    with EmbeddedPostgres(data, durable=False):
        record = (data / "pgdata" / "postmaster.pid").read_text()
    stranger = str(os.getpid())
    (data / "pgdata" / "postmaster.pid").write_text("\n".join([stranger, *record.splitlines()[1:]]) + "\n")
    (data / "run" / ".s.PGSQL.5432.lock").write_text(f"{stranger}\n")
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(data / "run" / ".s.PGSQL.5432"))
    with EmbeddedPostgres(data, durable=False) as server:
        assert server.pid != os.getpid()
