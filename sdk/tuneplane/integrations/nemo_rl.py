"""Reporting from NeMo-RL 0.7: `attach(logger)` after its `Logger` was made.

    from tuneplane.integrations.nemo_rl import attach

    logger = Logger(master_config["logger"])
    attach(logger)

A logger beside those of wandb and TensorBoard: metrics, hyperparameters and histograms go where `tuneplane.report`
sends them, and of each finished step the text of a few rollouts is read from its file and sent in the background. None
of it raises into the training or waits for a server. NeMo-RL is not imported.

python -m tuneplane.integrations.nemo_rl DIR        sends the rollouts of files that are there already
"""

from __future__ import annotations

import logging
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

from tuneplane import report
from tuneplane.flatten import NoNumber, as_number, as_step
from tuneplane.foreign import Foreign
from tuneplane.integrations.histogram import histogram
from tuneplane.integrations.nemo_steps import Caps, StepFiles
from tuneplane.integrations.rollout_uploads import rollout_uploader
from tuneplane.rollouts.uploader import Uploader

_log = logging.getLogger("tuneplane")
_MOST_COMPLAINTS = 100
_MOST_VALUES = 65_536
"""Of a histogram; more are not counted while a training step waits."""


def attach(logger: Foreign, *, monitor_hardware: bool = True) -> TunePlaneLogger | None:
    """Adds a `TunePlaneLogger` to NeMo-RL's `Logger`; None, and a line in the log, where that cannot be done."""
    try:
        made = TunePlaneLogger(getattr(logger, "base_log_dir", None), monitor_hardware=monitor_hardware)
        logger.loggers.append(made)
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _log.warning("tuneplane: nothing is reported of this NeMo-RL run: %s: %s", type(problem).__name__, problem)
        return None
    return made


class TunePlaneLogger:
    """The four methods of NeMo-RL's `LoggerInterface`, and `finish`. For its driver process alone.

    `log_dir` is where its `Logger` writes `train_data_step{N}.jsonl`; None: no rollouts are read.
    """

    def __init__(self, log_dir: str | Path | None = None, *, monitor_hardware: bool = True) -> None:
        self._folder = None if log_dir is None else Path(log_dir)
        self._told: set[str] = set()
        self.rollouts: Uploader[int] | None = None
        """None: no text is sent, for there is nowhere to send it to, it was switched off, or there is no folder."""
        self._safely("init", lambda: report.init(monitor_hardware=monitor_hardware))
        self._safely("rollouts", self._open_rollouts)

    def log_metrics(
        self,
        metrics: Mapping[str, Any],
        step: int,
        prefix: str | None = "",
        step_metric: str | None = None,
        step_finished: bool = False,  # noqa: FBT001, FBT002 - NeMo-RL's signature
    ) -> None:
        """Numbers under `prefix/name`; text and other things are counted as invalid, lists become their mean.

        Where `step_metric` is among them it gives the step. `step_finished` leaves the step's files to the background.
        """
        self._safely("log_metrics", lambda: self._log(metrics, step, prefix, step_metric))
        if step_finished:
            self._safely("rollouts", lambda: self._finished(step))

    def log_hyperparams(self, params: Mapping[str, Any]) -> None:
        """Hyperparameters; later ones merge over earlier ones."""
        report.log_hparams(params)

    def log_histogram(self, histogram: Foreign, step: int, name: str) -> None:
        """A histogram of these values; of more than 65,536 it is left out, and that is said once."""
        self._safely("log_histogram", lambda: self._distribution(histogram, step, name))

    def log_plot(self, figure: Foreign, step: int, name: str) -> None:
        """Nothing: there is no place for a drawing. It is said once."""
        del figure, step
        self._say(f"plots are not kept: {name} and any other")

    def close(self) -> None:
        """Sends the rollouts that wait, for at most 10 s, and says what is left."""
        if self.rollouts is not None:
            self._safely("rollouts", self.rollouts.close)

    def finish(self) -> None:
        """As `close`, then delivers the rest of what is queued, for at most 10 s."""
        self.close()
        report.finish()

    def _log(self, metrics: Mapping[str, Any], step: Foreign, prefix: str | None, step_metric: str | None) -> None:
        if step_metric and step_metric in metrics:
            metrics = dict(metrics)
            try:
                step = as_step(metrics.pop(step_metric))
            except NoNumber as problem:
                self._say(f"{step_metric} gives no step ({problem}), so the trainer's own is used")
        report.log(metrics, step=step, prefix=f"{prefix}/" if prefix else "")

    def _distribution(self, values: Foreign, step: int, name: str) -> None:
        values = values.tolist() if hasattr(values, "tolist") else values
        if len(values) > _MOST_VALUES:
            self._say(f"{name}: a histogram of {len(values):,} values is left out, {_MOST_VALUES:,} are allowed")
            return
        finite = [number for number in map(as_number, values) if math.isfinite(number)]
        if not finite:
            self._say(f"{name}: a histogram without finite values is left out")
            return
        bounds, counts = histogram(finite)
        invalid = len(values) - len(finite)
        told = {"invalid": invalid} if invalid else None
        report.observe(name, step=step, bounds=bounds, counts=counts, values=told)

    def _open_rollouts(self) -> None:
        if self._folder is not None:
            caps = Caps.from_env(os.environ)
            self.rollouts = rollout_uploader(StepFiles(self._folder, caps).batches, lambda _: caps != (0, 0))

    def _finished(self, step: Foreign) -> None:
        if self.rollouts is not None:
            self.rollouts.put(as_step(step))

    def _safely(self, what: str, act: Callable[[], object]) -> None:
        try:
            act()
        except Exception as problem:  # noqa: BLE001 - reporting never fails the training
            self._say(f"{what}: {type(problem).__name__}: {problem}")

    def _say(self, text: str) -> None:
        if text not in self._told and len(self._told) < _MOST_COMPLAINTS:
            self._told.add(text)
            _log.warning("tuneplane: NeMo-RL: %s", text)


if __name__ == "__main__":
    from tuneplane.integrations.nemo_import import main

    sys.exit(main())
