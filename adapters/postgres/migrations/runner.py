"""Brings a database to the tables this code needs, step by step.

Steps are the numbered `.sql` files beside this module. Each is one transaction together with its entry in
the table `migration`, so a run that was interrupted goes on where it stopped. Whoever comes second waits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from importlib import resources

import msgspec
import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.database import asking_again

OLDEST_SERVER = 150_000
_LOCK = 7_390_214_865_113_402
"""Advisory lock of everyone who migrates; any number of our own."""


class DatabaseUnfit(Exception):
    """The database cannot be used by this version of the server."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hex."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def steps() -> list[Step]:
    """All steps of this version, in order."""
    files = sorted((f for f in resources.files(__package__).iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [
        Step(number=int(file.name[:4]), name=file.name.removesuffix(".sql"), sql=file.read_text(encoding="utf-8"))
        for file in files
    ]


def migrate(
    dsn: str, progress: Callable[[str], None] = lambda _: None, known: Sequence[Step] | None = None
) -> list[str]:
    """Takes the steps (`known`, by default all of this version) that the database lacks; the names of those taken.

    `progress` gets a sentence for each. Raises `DatabaseUnfit` where the database is newer than the code, where a
    step that was taken differs from the one known, or where the server is too old; `TryAgain` where it is away.
    """
    known = steps() if known is None else known
    with asking_again(), psycopg.connect(dsn, autocommit=True) as connection:
        _check_server(connection)
        _lock(connection, progress)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS public.migration (number integer PRIMARY KEY, name text NOT NULL,"
            " checksum text NOT NULL, taken_at timestamptz NOT NULL DEFAULT now())"
        )
        missing = _missing(connection, known)
        for step in missing:
            progress(f"migrating: {step.name}")
            _take(connection, step)
        return [step.name for step in missing]


def lacking(dsn: str) -> list[str]:
    """The names of the steps that the database lacks. Changes nothing; raises as `migrate` does."""
    with asking_again(), psycopg.connect(dsn, autocommit=True) as connection:
        _check_server(connection)
        return [step.name for step in _missing(connection, steps())]


def _check_server(connection: Connection[TupleRow]) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        found = connection.info.server_version // 10_000
        raise DatabaseUnfit(f"PostgreSQL 15 or newer is needed; this server is version {found}.")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise DatabaseUnfit(f"The database must be encoded as UTF8; this one is {encoding}.")


def _lock(connection: Connection[TupleRow], progress: Callable[[str], None]) -> None:
    """Held by the session, so that it ends with the connection, however that ends."""
    if connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,)).fetchone() != (True,):
        progress("waiting: another process is migrating this database")
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))


def _missing(connection: Connection[TupleRow], known: Sequence[Step]) -> list[Step]:
    if connection.execute("SELECT to_regclass('public.migration')").fetchone() == (None,):
        return list(known)
    taken = {
        number: (name, checksum)
        for number, name, checksum in connection.execute("SELECT number, name, checksum FROM public.migration")
    }
    expected = {step.number: step for step in known}
    for number, (name, checksum) in sorted(taken.items()):
        if number not in expected:
            raise DatabaseUnfit(
                f"The database is newer than this server: it has step {name}, which this version does not know. "
                "Install the newer version again, or restore a backup made before it."
            )
        if checksum != expected[number].checksum:
            raise DatabaseUnfit(
                f"Step {name} was taken with another text than this version has. "
                "The server and its database do not belong together."
            )
    return [step for step in known if step.number not in taken]


def _take(connection: Connection[TupleRow], step: Step) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL search_path TO public")
        connection.execute(step.sql.encode())
        connection.execute(
            "INSERT INTO public.migration (number, name, checksum) VALUES (%s, %s, %s)",
            (step.number, step.name, step.checksum),
        )
