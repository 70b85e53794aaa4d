"""`project`: a projector alone."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading

from entrypoints.cli.options import Commands, add_data, settings_of


def add(commands: Commands) -> None:
    """Declares the command."""
    parser = commands.add_parser(
        "project",
        help="keep the views up to date, without serving",
        description="Follows the log and keeps every view up to date. Any number may run on one database: a view is "
        "driven by one of them, the others take over. SIGTERM ends it after its current batch.",
    )
    parser.add_argument(
        "--until-stdin-ends", action="store_true", help="end when standard input ends, as a child of a server does"
    )
    add_data(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The command."""
    from entrypoints import logging_setup
    from entrypoints.cli.database import dsn_of, opened
    from entrypoints.cli.migrate import migrated
    from entrypoints.projector.process import run_projector

    logging_setup.configure()
    if arguments.until_stdin_ends:
        threading.Thread(target=_end_with_stdin, name="parent-watch", daemon=True).start()
    with opened(settings_of(arguments)) as settings:
        migrated(dsn_of(settings))
        run_projector(dsn_of(settings))
    return 0


def _end_with_stdin() -> None:
    while sys.stdin.buffer.read(4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
