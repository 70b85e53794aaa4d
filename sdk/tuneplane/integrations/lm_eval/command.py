"""`python -m tuneplane.integrations.lm_eval`: imports what lm_eval wrote.

Exit codes are those of `file_command`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tuneplane.destination import NoDestination, job_for, shown
from tuneplane.integrations.file_command import ALL, BROKEN_OFF, NOTHING_DONE, SOME_REFUSED, options
from tuneplane.integrations.lm_eval.delivery import Plan, plan_folder, send
from tuneplane.integrations.lm_eval.refusals import ResultsRefused
from tuneplane.integrations.lm_eval.rounds import PREFIX, Choices
from tuneplane.integrations.lm_eval.summary import lines
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.retention import CapUnusable, cap_from
from tuneplane.terminal import NowAndThen, tell, tell_lines

_ABOUT = """Imports what lm_eval 0.4 wrote with --output_path and --log_samples: each task and filter is a
round, each document a trial. Everything is read and checked before anything is sent."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = options("lm_eval", _ABOUT)
    top.add_argument("place", nargs="+", type=Path, metavar="DIR", help="lm_eval's output folder, or a results file")
    top.add_argument("--round", default=PREFIX, metavar="NAME", help=f"how the rounds' names begin (default: {PREFIX})")
    top.add_argument("--checkpoint", metavar="REF", help="immutable reference to the weights; default: as reported")
    top.add_argument(
        "--metric", metavar="NAME", help="decides a trial where a task has it; default: see docs/lm-eval.md"
    )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    given = parser().parse_args(arguments)
    try:
        choices = Choices(given.round, given.checkpoint, given.metric, cap_from(os.environ))
        job = None if given.dry_run else job_for(os.environ, given.job, given.run_id, ["evaluation"])
    except (CapUnusable, NoDestination) as problem:
        _say(str(problem))
        return NOTHING_DONE
    plan = plan_folder(given.place, choices)
    tell_lines(sys.stdout, lines(plan))
    if not plan.rounds or not _decides(given.metric, plan):
        return NOTHING_DONE
    if job is None:
        return SOME_REFUSED if plan.refused else ALL
    try:
        with job as (reporter, page):
            if page:
                _say(shown(page, reporter))
            _deliver(plan, reporter)
    except NoDestination as problem:
        _say(str(problem))
        return NOTHING_DONE
    except (ReporterError, ResultsRefused) as problem:
        _say(f"{problem}; what was sent stands, and the same command goes on")
        return BROKEN_OFF
    return SOME_REFUSED if plan.refused else ALL


def _decides(metric: str | None, plan: Plan) -> bool:
    """Whether the metric that was asked for decides anything where there is something to decide; says so if not."""
    deciding = {one.trials.metric for one in plan.rounds if one.source is not None}
    if metric is None or not deciding or metric in deciding:
        return True
    _say(f"--metric {metric}: no filter has it, or less of it is better; leave it out or name another")
    return False


def _deliver(plan: Plan, reporter: Reporter) -> None:
    now_and_then = NowAndThen()

    def progress(text: str) -> None:
        if now_and_then.due():
            _say(text)

    sent = send(plan, reporter, progress)
    before = f", {sent.texts_kept_before} texts kept before" if sent.texts_kept_before else ""
    _say(f"sent {sent.events:,} events, {sent.texts:,} texts, {sent.scores:,} scores{before}")


def _say(text: str) -> None:
    tell(f"lm-eval: {text}")
