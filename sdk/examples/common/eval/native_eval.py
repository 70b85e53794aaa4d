"""Runs a small cohort of trials through Harbor and makes the import snapshot of what came of it.

    python -m common.eval.native_eval --config native-eval.json --output ./run-1 --check-plan
    python -m common.eval.native_eval --config native-eval.json --output ./run-1 --upload

Exit codes: 0 every planned trial is scored, whatever the scores; 1 some trial is not, or the execution broke off;
2 refused, nothing was started; 3 the snapshot is saved but was not delivered; 4 the results are there but no snapshot
(or none with text) could be made of them; 130, 143 ended by SIGINT, SIGTERM, partial evidence is saved.
Source: SPEC "Execute a fixed-checkpoint native evaluation".
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from tuneplane.redaction import redacted
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.terminal import tell, tell_lines

from common.eval import redactor
from common.eval.delivery import upload
from common.eval.execution_plan import ExecutionPlan, read_execution_plan
from common.eval.harbor_process import HarborProcess, HarborRefuses
from common.eval.native_run import ERRORS, TRIALS_FOLDER, Evidence, Execution, execute
from common.eval.plan import parse_plan
from common.eval.refused import InputRefused
from common.eval.snapshot import Bundle, prepare, save
from common.eval.summary import summary
from common.eval.traces import Traces

SNAPSHOT = "native-evaluation.json"
UNSCORED, REFUSED, UNDELIVERED, UNPREPARED = 1, 2, 3, 4
_SCORED = ("success", "failure")


class Signals:
    """Takes SIGTERM and SIGINT while it is entered.

    The first one stops Harbor; a second would only disturb its clean-up, so it does nothing.
    """

    def __init__(self) -> None:
        self.came: signal.Signals | None = None
        self._harbor: HarborProcess | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Signals:  # noqa: PYI034 - Self came after 3.9
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def stop(self, harbor: HarborProcess) -> None:
        """Which process a signal stops; one that came already stops it now."""
        self._harbor = harbor
        if self.came:
            harbor.stop()

    def name(self) -> str | None:
        return self.came.name if self.came else None

    def _take(self, number: int, _frame: FrameType | None) -> None:
        if self.came is None:
            self.came = signal.Signals(number)
            if self._harbor:
                self._harbor.stop()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    raw = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser(prog="native_eval", description=__doc__, formatter_class=raw)
    options.add_argument("--config", type=Path, required=True, help="the configuration, JSON")
    options.add_argument("--output", type=Path, required=True, help="folder for the evidence; has to be new")
    options.add_argument("--check-plan", action="store_true", help="check all that needs no Harbor, start nothing")
    options.add_argument("--upload", action="store_true", help="send the snapshot to the job this runs in")
    options.add_argument("--harbor-python", default=sys.executable, metavar="PATH", help="interpreter that has Harbor")
    options.add_argument("--trace-limit", type=int, default=0, metavar="N", help="keep text of at most N trials")
    options.add_argument("--redactor", metavar="MODULE:FUNCTION", help="takes what is sensitive out of that text")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    given = parser().parse_args(arguments)
    try:
        config = read_execution_plan(given.config)
        _refuse_old(given.output)
        traces = Traces(given.trace_limit, redactor.load(given.redactor) if given.redactor else None)
        if given.check_plan:
            return _checked(config)
        reporter = _reporter() if given.upload else None
    except InputRefused as problem:
        return _refused(problem)
    with Signals() as signals:
        code, bundle = _evaluated(config, given.output, given.harbor_python, traces, signals)
    if signals.came:
        return 128 + signals.came
    if bundle and reporter and not _delivered(bundle, reporter):
        return UNDELIVERED
    return code


def _refuse_old(output: Path) -> None:
    try:
        output.lstat()
    except FileNotFoundError:
        return
    except OSError as problem:
        raise InputRefused(str(output), "", f"cannot be made: {problem.strerror}") from None
    else:
        rule = "is there already, and what was executed before is never taken up again: give --output a new name"
        raise InputRefused(str(output), "", rule)


def _reporter() -> Reporter:
    """Before anything runs, so that nobody learns after hours that nothing can be sent."""
    try:
        found = Reporter.from_env()
    except ReporterError as problem:
        raise InputRefused("--upload", "", str(problem)) from None
    if found is None:
        raise InputRefused("--upload", "", "needs the credentials of a platform job, and TUNEPLANE_JOB_ENABLED is 0")
    return found


def _checked(config: ExecutionPlan) -> int:
    plan = config.checked_plan
    lines = [
        f"round {plan.round_id}, checkpoint {plan.checkpoint}, split {plan.split}",
        f"{len(config.trials)} trials of {len({one.task_id for one in config.trials})} tasks, one after another",
        f"each is cancelled after {config.timeout_seconds:g} s; no automatic retries",
        "Harbor's own settings (trial) are checked when it is there: before the first trial starts",
    ]
    tell_lines(sys.stdout, lines)
    return 0


def _evaluated(
    config: ExecutionPlan, output: Path, python: str, traces: Traces, signals: Signals
) -> tuple[int, Bundle | None]:
    """The exit code as far as it is known before delivery, and the snapshot that is to be delivered."""
    try:
        execution, evidence = _execute(config, output, python, signals)
    except (InputRefused, HarborRefuses) as problem:
        return _refused(problem), None
    bundle = _snapshot(evidence, None if signals.came else traces)
    if bundle is None:
        return UNPREPARED, None
    scored = _tell(execution, bundle, evidence.output / SNAPSHOT)
    return 0 if execution.whole and scored == execution.planned else UNSCORED, bundle


def _execute(config: ExecutionPlan, output: Path, python: str, signals: Signals) -> tuple[Execution, Evidence]:
    trials_dir = output.resolve() / TRIALS_FOLDER
    with HarborProcess(python) as harbor:
        signals.stop(harbor)
        harbor.check([config.native_trial(one, trials_dir) for one in config.trials], config.timeout_seconds)
        _say(f"Harbor {harbor.version} takes the settings of all {len(config.trials)} trials")
        evidence = Evidence(output, config, harbor.version)
        execution = execute(config, harbor, evidence, signals.name, _say)
    return execution, evidence


def _snapshot(evidence: Evidence, traces: Traces | None) -> Bundle | None:
    """The snapshot, saved without text before any text is read; None where there is none of what was asked for."""
    plan = parse_plan(evidence.plan)
    path = evidence.output / SNAPSHOT
    try:
        bundle = prepare(plan, evidence.trials)
        save(bundle, path)
        if traces and traces.limit:
            bundle = prepare(plan, evidence.trials, traces)
            save(bundle, path)
    except InputRefused as problem:
        kept = f"{path} is saved without text" if path.exists() else "no snapshot is made of them"
        _say(f"the results are in {evidence.trials}; {kept}, since one cannot be read: {problem}")
        return None
    return bundle


def _tell(execution: Execution, bundle: Bundle, path: Path) -> int:
    """Says what came of the cohort; how many trials are scored."""
    lines = summary(bundle)
    if execution.errors:
        lines.append(f"broke off after {execution.started} of {execution.planned}: see {path.with_name(ERRORS)}")
    tell_lines(sys.stdout, [*lines, f"snapshot: {path}"])
    return sum(one["status"] in _SCORED for one in bundle["outcomes"])


def _delivered(bundle: Bundle, reporter: Reporter) -> bool:
    try:
        upload(bundle, reporter)
    except (InputRefused, ReporterError) as problem:
        _say(f"not delivered: {problem}; the snapshot can be sent again as it is")
        return False
    finally:
        reporter.close()
    tell_lines(sys.stdout, ["delivered"])
    return True


def _refused(problem: Exception) -> int:
    reasons = problem.args if isinstance(problem, HarborRefuses) else [str(problem)]
    _say(f"refused, nothing was started: {reasons[0]}")
    for reason in reasons[1:]:
        _say(reason)
    return REFUSED


def _say(line: str) -> None:
    """To a person, beside the results. What Harbor raised may hold anything, hence the masking."""
    tell(redacted(line))


if __name__ == "__main__":
    sys.exit(main())
