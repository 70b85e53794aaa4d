"""`python -m tuneplane.integrations.nemo_rl DIR`: sends the rollouts of step files that are there already.

Exit codes: 0 all was sent; 1 a file is not complete yet, or holds what cannot be read, and the rest was sent; 2 nothing
could be done (wrong use, no job to report to); 3 the delivery broke off, and the same command goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tuneplane.destination import NoDestination, job_here, job_opened
from tuneplane.integrations.nemo_folder import Candidate, candidates, step_files
from tuneplane.integrations.nemo_rollouts import StepFile, StepRead, read_step
from tuneplane.integrations.nemo_steps import Caps
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.retention import CapUnusable

_DESCRIPTION = """Sends a few rollouts of each complete train_data_step{N}.jsonl and val_data_step{N}.jsonl in DIR,
which NeMo-RL 0.7 wrote. Repeating is safe: what the server has is counted once.

With TUNEPLANE_JOB_* in the environment they go to that job. Else --job opens one, with TUNEPLANE_SERVER (its address)
and TUNEPLANE_TOKEN (a personal token, tp_pat_...).

Exit code 0: all was sent. 1: a file is not complete yet or holds what cannot be read; the rest was sent.
2: nothing was done. 3: the delivery broke off; give the same command again."""
_TAKEN = 409


class NoStepFiles(RuntimeError):
    """The folder cannot be read, or holds none of the files."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        prog="python -m tuneplane.integrations.nemo_rl", description=_DESCRIPTION, formatter_class=raw
    )
    top.add_argument("folder", type=Path, metavar="DIR", help="NeMo-RL's logger.log_dir of one launch")
    top.add_argument(
        "--settle",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="how long the last step's file has to keep its size (default: 5)",
    )
    top.add_argument("--dry-run", action="store_true", help="say what would be sent, and send nothing")
    top.add_argument("--job", metavar="NAME", help="open a new job of this name for them")
    top.add_argument("--run-id", metavar="ID", help="open another attempt of this run instead, to repeat")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    given = parser().parse_args(arguments)
    try:
        caps, files = Caps.from_env(os.environ), _files(given.folder)
        with contextlib.nullcontext() if given.dry_run else _destination(given.job, given.run_id) as reporter:
            return _send(candidates(files, given.settle), len(files), caps, reporter)
    except (NoStepFiles, NoDestination, CapUnusable) as problem:
        _say(str(problem))
        return 2
    except ReporterError as problem:
        _say(f"{problem}; what was sent stands, and the same command goes on")
        return 3


def _files(folder: Path) -> list[StepFile]:
    """Raises NoStepFiles."""
    try:
        found = step_files(folder)
    except OSError as problem:
        raise NoStepFiles(f"{folder}: cannot be read: {problem.strerror}") from None
    if not found:
        raise NoStepFiles(f"{folder} holds no train_data_step*.jsonl and no val_data_step*.jsonl")
    return found


def _send(ready: Sequence[Candidate], there: int, caps: Caps, reporter: Reporter | None) -> int:
    """The exit code."""
    incomplete, faulty = there - len(ready), 0
    for file, over in ready:
        most = caps.of(file)
        if most == 0:
            sys.stdout.write(f"{file.path.name}: not read, its cap is 0\n")
            continue
        try:
            found = read_step(file, most)
        except OSError as problem:
            _say(f"{file.path.name}: cannot be read: {problem.strerror}")
            faulty += 1
            continue
        if not over and not found.ended:
            incomplete += 1
            continue
        sys.stdout.write(f"{file.path.name}: {_shown(found)}\n")
        for one in found.problems:
            _say(one)
        taken = 0 if reporter is None else _deliver(found, reporter)
        faulty += bool(found.counts["unread"] or taken)
    if incomplete:
        _say(f"{incomplete} files are still written; give the same command again later")
    return 1 if incomplete or faulty else 0


def _deliver(found: StepRead, reporter: Reporter) -> int:
    """How many samples the server keeps otherwise under the same name."""
    taken = 0
    for one in found.traces:
        try:
            reporter.trajectory(one)
        except ReporterError as problem:
            if problem.status != _TAKEN:
                raise
            taken += 1
    reporter.observations({"events": [found.event]})
    if taken:
        _say(f"{found.event['values']['source']}: {taken} samples are kept already, sent differently (another cap?)")
    return taken


def _shown(found: StepRead) -> str:
    counts = found.counts
    return (
        f"{counts['rows']} samples: {counts['anomaly']} without a valid reward, {counts['low_reward']} low, "
        f"{counts['representative']} ordinary, {counts['unread']} unreadable; {counts['masked']} left out of the loss; "
        f"text of {counts['chosen']}"
    )


@contextlib.contextmanager
def _destination(name: str | None, run_id: str | None) -> Iterator[Reporter]:
    """The job of the environment, or one that is opened and ends with the block. Raises NoDestination."""
    here = job_here(os.environ)
    own = name is not None or run_id is not None
    if here is not None and own:
        raise NoDestination("TUNEPLANE_JOB_* are set: the rollouts go to that job, so leave --job and --run-id out")
    if here is None and not own:
        raise NoDestination("there is no job here (TUNEPLANE_JOB_*): --job NAME opens one, --dry-run sends nothing")
    if here is not None:
        with here:
            yield here
        return
    with job_opened(os.environ, name or "NeMo-RL rollouts", run_id, ["rollouts"]) as (reporter, page):
        _say(f"{page} (attempt {reporter.attempt}); to repeat: --run-id {reporter.run_id}")
        yield reporter


def _say(text: str) -> None:
    sys.stderr.write(f"nemo-rl: {text}\n")
    sys.stderr.flush()
