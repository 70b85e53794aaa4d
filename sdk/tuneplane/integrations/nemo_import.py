"""`python -m tuneplane.integrations.nemo_rl DIR`: sends the rollouts of step files that are there already.

Exit codes: 0 all was sent; 1 a file is not complete yet, or holds what cannot be read, and the rest was sent; 2 nothing
could be done (wrong use, no job to report to); 3 the delivery broke off, and the same command goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tuneplane.bulk import send_text
from tuneplane.destination import NoDestination
from tuneplane.integrations.file_command import ALL, BROKEN_OFF, NOTHING_DONE, SOME_REFUSED, destination, options
from tuneplane.integrations.nemo_folder import Candidate, candidates, step_files
from tuneplane.integrations.nemo_rollouts import StepFile, StepRead, read_step
from tuneplane.integrations.nemo_steps import Caps
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.retention import CapUnusable
from tuneplane.terminal import tell, tell_lines

_ABOUT = """Sends a few rollouts of each complete train_data_step{N}.jsonl and val_data_step{N}.jsonl in DIR, which
NeMo-RL 0.7 wrote: complete is a file that a later step follows, or whose size stays as it is."""


class NoStepFiles(RuntimeError):
    """The folder cannot be read, or holds none of the files."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = options("nemo_rl", _ABOUT)
    top.add_argument("folder", type=Path, metavar="DIR", help="NeMo-RL's logger.log_dir of one launch")
    top.add_argument(
        "--settle",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="how long the last step's file has to keep its size (default: 5)",
    )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    given = parser().parse_args(arguments)
    try:
        caps, files = Caps.from_env(os.environ), _files(given.folder)
        with destination(given, "rollouts") as (reporter, page):
            if page:
                _say(page)
            return _send(candidates(files, given.settle), len(files), caps, reporter)
    except (NoStepFiles, NoDestination, CapUnusable) as problem:
        _say(str(problem))
        return NOTHING_DONE
    except ReporterError as problem:
        _say(f"{problem}; what was sent stands, and the same command goes on")
        return BROKEN_OFF


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
            tell_lines(sys.stdout, [f"{file.path.name}: not read, its cap is 0"])
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
        tell_lines(sys.stdout, [f"{file.path.name}: {_shown(found)}"])
        for one in found.problems:
            _say(one)
        taken = 0 if reporter is None else _deliver(found, reporter)
        faulty += bool(found.counts["unread"] or taken)
    if incomplete:
        _say(f"{incomplete} files are still written; give the same command again later")
    return SOME_REFUSED if incomplete or faulty else ALL


def _deliver(found: StepRead, reporter: Reporter) -> int:
    """How many samples the server keeps otherwise under the same name."""
    taken = sum(not send_text(reporter, one) for one in found.traces)
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


def _say(text: str) -> None:
    tell(f"nemo-rl: {text}")
