"""The database of an installation, for as long as a command needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from entrypoints.cli.failure import CommandFailed
from entrypoints.settings import Settings


def database_folder(settings: Settings) -> Path:
    """Where the embedded PostgreSQL lives."""
    return settings.data / "postgres"


@contextmanager
def opened(settings: Settings) -> Iterator[Settings]:
    """The settings with a `database_url` that answers: the one set, one that runs here already, or one started now."""
    from adapters.embedded_postgres.launcher import conninfo_of_running

    running = None if settings.database_url is not None else conninfo_of_running(database_folder(settings))
    if running is not None:
        yield msgspec.structs.replace(settings, database_url=running)
        return
    with started(settings) as found:
        yield found


@contextmanager
def started(settings: Settings) -> Iterator[Settings]:
    """As `opened`, for the server: an embedded PostgreSQL is its own, started again when it dies."""
    from adapters.embedded_postgres.errors import EmbeddedPostgresUnavailable
    from adapters.embedded_postgres.launcher import EmbeddedPostgres

    if settings.database_url is not None:
        yield settings
        return
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    server = EmbeddedPostgres(database_folder(settings))
    try:
        dsn = server.start()
    except EmbeddedPostgresUnavailable as problem:
        raise CommandFailed(str(problem)) from None
    try:
        yield msgspec.structs.replace(settings, database_url=dsn)
    finally:
        server.stop()


def dsn_of(settings: Settings) -> str:
    """The address of the opened database."""
    if settings.database_url is None:
        raise CommandFailed("No database is open.")
    return settings.database_url
