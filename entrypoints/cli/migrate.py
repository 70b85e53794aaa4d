"""`migrate`: brings the database to the tables this version needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from entrypoints.cli.database import dsn_of, opened
from entrypoints.cli.failure import CommandFailed
from entrypoints.cli.options import Commands, add_data, settings_of


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "migrate",
        help="bring the database up to date",
        description="Brings the database to the tables this version needs, under a lock, step by step. A run that was "
        "interrupted goes on where it stopped; running it again changes nothing. The server does it by itself when it "
        "starts. Writes are refused with 503 while a step runs.",
    )
    add_data(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    with opened(settings_of(arguments), make=True) as settings:
        taken = migrated(dsn_of(settings))
    print(f"{len(taken)} steps taken: {', '.join(taken)}" if taken else "The database is up to date.")
    return 0


def migrated(dsn: str) -> list[str]:
    """Migrates with progress on standard error; the names of the steps taken."""
    from adapters.postgres.migrations.runner import migrate

    with _failures_explained():
        return migrate(dsn, lambda sentence: print(sentence, file=sys.stderr, flush=True))


def lacking(dsn: str) -> list[str]:
    """The names of the steps that would be taken. Changes nothing."""
    from adapters.postgres.migrations.runner import lacking as steps_lacking

    with _failures_explained():
        return steps_lacking(dsn)


@contextmanager
def _failures_explained() -> Iterator[None]:
    from adapters.postgres.migrations.runner import DatabaseUnfit
    from domain.errors import TryAgain

    try:
        yield
    except DatabaseUnfit as problem:
        raise CommandFailed(str(problem)) from None
    except TryAgain as problem:
        # Who typed the command may read what the driver says; it names the address, never the password.
        said = " ".join(str(problem.__cause__ or problem.detail).split())
        raise CommandFailed(f"The database cannot be used. Is TUNEPLANE_DATABASE_URL right? It said: {said}") from None
