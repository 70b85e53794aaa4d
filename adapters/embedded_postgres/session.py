"""The first sessions with a server: waiting until it takes them, and making our database in it."""

import logging
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from adapters.embedded_postgres.cluster import SUPERUSER
from adapters.embedded_postgres.postmaster import Postmaster

DATABASE = "tuneplane"

PATIENCE_SECONDS = 10.0
"""How often a start that takes long is reported."""

log = logging.getLogger(__name__)


def conninfo(socket_folder: Path, database: str = DATABASE) -> str:
    return make_conninfo(host=str(socket_folder), user=SUPERUSER, dbname=database)


def takes_sessions(postmaster: Postmaster, seconds: float) -> bool:
    """Wait until the server takes sessions. Returns False when it ends instead, or is not that far in time.

    After a crash it refuses sessions until it has replayed its log.
    """
    began = reported = time.monotonic()
    while (now := time.monotonic()) - began < seconds:
        try:
            psycopg.connect(conninfo(postmaster.socket_folder, "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            if postmaster.wait(0.02):
                return False
        else:
            return True
        if now - reported > PATIENCE_SECONDS:
            reported = now
            log.info("PostgreSQL (process %d) is still starting after %.0f s", postmaster.pid, now - began)
    return False


def make_database(socket_folder: Path) -> None:
    """Make our database where it is not there yet."""
    with psycopg.connect(conninfo(socket_folder, "postgres"), autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", (DATABASE,)).fetchall():
            connection.execute(f"CREATE DATABASE {DATABASE}")
