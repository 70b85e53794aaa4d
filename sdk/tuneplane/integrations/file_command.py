"""What the commands share that bring files into a job: options, where to, exit codes."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator

from tuneplane.destination import history_opened, job_for, shown
from tuneplane.reporter import Reporter

ALL, SOME_REFUSED, NOTHING_DONE, BROKEN_OFF = 0, 1, 2, 3
WHERE_TO = """With TUNEPLANE_JOB_* in the environment it goes to that job. Else --job opens one, with TUNEPLANE_SERVER
(its address) and TUNEPLANE_TOKEN (a personal token, tp_pat_...). Repeating it in the same job changes nothing.

Exit code 0: all is there. 1: something was refused, the rest is there. 2: nothing was done.
3: the delivery broke off; the same command in the same job goes on."""


def options(module: str, about: str) -> argparse.ArgumentParser:
    """The options on where to."""
    raw = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(
        prog=f"python -m tuneplane.integrations.{module}", description=f"{about}\n\n{WHERE_TO}", formatter_class=raw
    )
    made.add_argument("--dry-run", action="store_true", help="read everything, send nothing")
    made.add_argument("--job", metavar="NAME", help="open a new job of this name")
    made.add_argument("--run-id", metavar="ID", help="open another attempt of this run instead")
    return made


@contextlib.contextmanager
def destination(given: argparse.Namespace, tag: str) -> Iterator[tuple[Reporter | None, str]]:
    """The reporter, None for a dry run, and what to say of a job that was opened. Raises NoDestination."""
    if given.dry_run:
        yield None, ""
        return
    with job_for(os.environ, given.job, given.run_id, (tag, "imported"), history_opened) as (reporter, page):
        yield reporter, shown(page, reporter) if page else ""
