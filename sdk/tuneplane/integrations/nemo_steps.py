"""The files of a finished step, as what is sent of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tuneplane.integrations.nemo_rollouts import StepFile, read_step
from tuneplane.parcels import breathe
from tuneplane.retention import cap_from
from tuneplane.rollouts.cap import rollout_cap
from tuneplane.rollouts.uploader import Batch

_log = logging.getLogger("tuneplane")
_WHY_NONE = "none is written with env.should_log_nemo_gym_responses, nor by PPO"


class Caps(NamedTuple):
    """How many samples of one file are sent; 0: the file is not read."""

    training: int
    validation: int | None
    """None: all of up to 128, of more 32."""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Caps:
        """Raises CapUnusable."""
        return cls(rollout_cap(env), cap_from(env))

    def of(self, file: StepFile) -> int | None:
        return self.training if file.training else self.validation


class StepFiles:
    """What a logger's folder holds of each step that is over. For the background: it waits for the disk."""

    def __init__(self, folder: Path, caps: Caps) -> None:
        self._folder = folder
        self._caps = caps
        self._first = True
        self._told = False

    def batches(self, step: int) -> Iterator[Batch]:
        """One for each file of the step; with the first step, also of the validation before the training."""
        before = (0, step) if self._first and step else (step,)
        self._first = False
        for number in before:
            yield from self._batch(StepFile(self._folder / f"val_data_step{number}.jsonl", training=False, step=number))
        yield from self._batch(StepFile(self._folder / f"train_data_step{step}.jsonl", training=True, step=step))

    def _batch(self, file: StepFile) -> Iterator[Batch]:
        most = self._caps.of(file)
        if most == 0:
            return
        try:
            found = read_step(file, most, breathe)
        except FileNotFoundError:
            if file.training and not self._told:
                self._told = True
                _log.warning("tuneplane: NeMo-RL: no rollouts of this step: there is no %s (%s)", file.path, _WHY_NONE)
            return
        for problem in found.problems:
            _log.warning("tuneplane: NeMo-RL: %s", problem)
        yield Batch(found.traces, [found.event])
