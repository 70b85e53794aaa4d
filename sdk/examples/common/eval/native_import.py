"""Imports what an evaluator left: `python -m common.eval.native_import --root … --plan … --output …`.

It starts no agent, no sandbox and no training. It reads the planned cohort and the results that the plan names, writes
a snapshot, and sends it where --upload says so. Exit codes: 0 done, 2 an input was refused and nothing was written or
sent, 3 the snapshot is written and its delivery failed: the same command, or `upload`, may be repeated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tuneplane.contract import EVENTS_PER_CALL
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.terminal import tell, tell_lines

from common.eval import redactor
from common.eval.delivery import upload
from common.eval.plan import read_plan
from common.eval.refused import InputRefused
from common.eval.snapshot import Bundle, prepare, save
from common.eval.summary import summary
from common.eval.traces import Traces

__all__ = ["main", "upload"]

REFUSED = 2
NOT_DELIVERED = 3
_EVERY = 2_000
"""How often progress is told."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code."""
    given = _parser().parse_args(arguments)
    try:
        bundle = _prepared(given)
        tell_lines(sys.stdout, [*summary(bundle), f"snapshot: {given.output}"])
        if given.upload:
            _deliver(bundle)
    except InputRefused as refused:
        tell(f"refused: {refused}")
        return REFUSED
    except ReporterError as problem:
        tell(f"not delivered: {problem}")
        tell(f"The snapshot {given.output} is kept; send it again.")
        return NOT_DELIVERED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m common.eval.native_import", description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the folder that holds the attempts' directories")
    parser.add_argument("--plan", type=Path, required=True, help="the planned cohort, JSON")
    parser.add_argument("--output", type=Path, required=True, help="where the snapshot is written")
    parser.add_argument("--trace-limit", type=int, default=0, metavar="N", help="keep text of at most N attempts (0)")
    parser.add_argument("--redactor", metavar="PKG.MOD:FUNC", help="your function that cleans a text")
    parser.add_argument("--upload", action="store_true", help="send the snapshot to the job this runs in")
    return parser


def _prepared(given: argparse.Namespace) -> Bundle:
    clean = redactor.load(given.redactor) if given.redactor else None
    traces = Traces(given.trace_limit, clean)
    plan = read_plan(given.plan)
    total = sum(len(trial.attempts) for trial in plan.trials)

    def read(count: int) -> None:
        if count % _EVERY == 0:
            tell(f"read {count:,} of {total:,} attempts")

    bundle = prepare(plan, given.root, traces, read)
    save(bundle, given.output)
    return bundle


def _deliver(bundle: Bundle) -> None:
    reporter = Reporter.from_env()
    if reporter is None:
        raise ReporterError("TUNEPLANE_JOB_ENABLED is 0, and --upload needs the credentials of a job")

    def sent(count: int) -> None:
        if count >= _EVERY and count % _EVERY < EVENTS_PER_CALL:
            tell(f"sent {count:,} observations")

    with reporter:
        upload(bundle, reporter, sent)
    tell_lines(sys.stdout, [f"delivered to {reporter.run_id}"])


if __name__ == "__main__":
    sys.exit(main())
