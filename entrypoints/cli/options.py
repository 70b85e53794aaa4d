"""Options that several commands take."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TypeAlias

import msgspec

from entrypoints.cli.failure import CommandFailed
from entrypoints.settings import Settings, SettingsUnreadable, read

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse has no other name


def add_data(parser: argparse.ArgumentParser) -> None:
    """`--data DIR`."""
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder of the embedded PostgreSQL and of bodies (default: TUNEPLANE_DATA or ./.tuneplane); "
        "TUNEPLANE_DATABASE_URL uses a PostgreSQL of yours instead",
    )


def settings_of(arguments: argparse.Namespace, **changes: object) -> Settings:
    """The environment's settings, those given on the command line over them."""
    try:
        settings = read(os.environ)
    except SettingsUnreadable as problem:
        raise CommandFailed(str(problem)) from None
    given = {"data": getattr(arguments, "data", None), **changes}
    return msgspec.structs.replace(settings, **{name: value for name, value in given.items() if value is not None})
