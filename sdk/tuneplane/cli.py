"""The `tuneplane` command: `run` reports a command, `doctor` tells why nothing arrives, `import` brings history in."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tuneplane.moving.command import add_options
from tuneplane.moving.command import run as run_import
from tuneplane.moving.trackers import TRACKERS

if TYPE_CHECKING:
    from collections.abc import Sequence

_RUN = """Runs a command and reports its lifecycle, output, hardware and environment.
The command's exit code is ours (128+n for a signal), whatever becomes of the reports.

With TUNEPLANE_JOB_* in the environment it reports to that run. Else TUNEPLANE_SERVER (its address)
and TUNEPLANE_TOKEN (a personal token, tp_pat_...) open a new run, whose page is printed."""
_DOCTOR = """Tells, from the machine it runs on, whether reports can arrive: is the ingest address
reachable, is the token good, do a log line and a point come back, does a proxy hold back live logs.
Each failing step says what to do. Exit code 0 where all is well, else 1.

It uses TUNEPLANE_JOB_* as a job has them. With TUNEPLANE_SERVER and TUNEPLANE_TOKEN (a personal
token) it also reads back what it sent; without TUNEPLANE_JOB_* it opens a run of its own."""

_IMPORT = (
    """Brings in what another tracker keeps on disk, as runs of its own. Needs none of these trackers installed."""
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="tuneplane", description="Report a job to TunePlane.")
    commands = top.add_subparsers(dest="action", required=True, metavar="run|doctor|import")
    raw = argparse.RawDescriptionHelpFormatter
    run = commands.add_parser("run", help="report a command", description=_RUN, formatter_class=raw)
    run.add_argument("--name", help="name of a new run; default: the command's")
    run.add_argument("--tag", action="append", default=[], help="tag of a new run; may be repeated")
    run.add_argument("--run-id", help="open another attempt of this run instead of a new run")
    run.add_argument(
        "--end-wait",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="how long the end is reported again and again while the server is away (default: 600)",
    )
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- CMD ...")
    commands.add_parser("doctor", help="why does nothing arrive?", description=_DOCTOR, formatter_class=raw)
    bring = commands.add_parser("import", help="bring another tracker's history in", description=_IMPORT)
    trackers = bring.add_subparsers(dest="tracker", required=True, metavar="|".join(TRACKERS))
    for tracker, known in TRACKERS.items():
        add_options(trackers.add_parser(tracker, help=known.about), tracker)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    options = parser()
    given = options.parse_args(arguments)
    if given.action == "doctor":
        from tuneplane.doctor import examine

        return examine(os.environ)
    if given.action == "import":
        return run_import(given, import_module(TRACKERS[given.tracker].module).runs)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        options.error("run: a command is needed, as in: tuneplane run --name first -- python train.py")
    from tuneplane.runner import run_command

    name = given.name or Path(command[0]).name
    return run_command(
        command,
        os.environ,
        name=name,
        tags=given.tag,
        run_id=given.run_id,
        end_seconds=given.end_wait,
    )


if __name__ == "__main__":
    sys.exit(main())
