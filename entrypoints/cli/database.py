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
def opened(settings: Settings, *, make: bool = False) -> Iterator[Settings]:
    """The settings with a `database_url` that answers: the one set, one that runs here already, or one started now.

    Without `make` an embedded one has to be there: what looks at an installation must not look at a new, empty one.
    """
    running = _running(settings, needed=not make) if settings.database_url is None else None
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
        _check_address(settings.database_url)
        yield settings
        return
    try:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise CommandFailed(
            f"The folder {settings.data} cannot be made: {problem.strerror}. Choose another: --data or TUNEPLANE_DATA."
        ) from None
    server = EmbeddedPostgres(database_folder(settings))
    try:
        dsn = server.start()
    except EmbeddedPostgresUnavailable as problem:
        raise CommandFailed(str(problem)) from None
    except OSError as problem:
        raise CommandFailed(_closed(settings, problem)) from None
    try:
        yield msgspec.structs.replace(settings, database_url=dsn)
    finally:
        server.stop()


def dsn_of(settings: Settings) -> str:
    """The address of the opened database."""
    if settings.database_url is None:
        raise CommandFailed("No database is open.")
    return settings.database_url


def _running(settings: Settings, *, needed: bool) -> str | None:
    """The address of the embedded database where it runs already.

    Raises `CommandFailed` where its files are `needed` and not there, or cannot be looked at.
    """
    from adapters.embedded_postgres.launcher import conninfo_of_running

    folder = database_folder(settings)
    try:
        if needed and not folder.exists():
            raise CommandFailed(_none_there(settings))
        return conninfo_of_running(folder)
    except OSError as problem:
        raise CommandFailed(_closed(settings, problem)) from None


def _closed(settings: Settings, problem: OSError) -> str:
    return (
        f"The database in {settings.data} cannot be opened: {problem.strerror}. Use the account that made it, or "
        "another --data."
    )


def _check_address(url: str) -> None:
    """Refuses what is no address at all, without repeating it: it may hold a password."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise CommandFailed(
            "TUNEPLANE_DATABASE_URL is no address of a PostgreSQL, as in postgresql://user:password@host/name."
        ) from None


def _none_there(settings: Settings) -> str:
    """Says that there is no database, and where one may be."""
    said = f"There is no database in {settings.data}. Name its folder with --data, or its address with "
    demonstration = Path(".tuneplane-demo")
    if settings.data != demonstration and demonstration.is_dir():
        return f"{said}TUNEPLANE_DATABASE_URL; that of the demonstration is in --data {demonstration}."
    return f"{said}TUNEPLANE_DATABASE_URL; `tuneplane-server serve` makes a new one."
