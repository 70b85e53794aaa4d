"""Reporting from OpenRLHF: a stand-in for its TensorboardLogger, which its code makes by name.

`install` puts it in that place; it has to run in the process that holds the trainer, which is a Ray worker, before the
trainer is imported. OpenRLHF makes one logger, in that process alone, where `--logger.tensorboard_dir` is given.
"""

from __future__ import annotations

import argparse
import importlib
import types
from collections.abc import Mapping
from typing import Any

from tuneplane import report
from tuneplane.flatten import as_number, as_step
from tuneplane.foreign import Foreign
from tuneplane.integrations.rollout_uploads import rollout_uploader
from tuneplane.integrations.rollouts import Rollout, trajectories
from tuneplane.rollouts.trace import Message
from tuneplane.rollouts.uploader import Batch, Uploader

_SAMPLE = "generated_samples"
_TEXT_AND_REWARD = 2
_NESTED = (argparse.Namespace, types.SimpleNamespace, Mapping)


def install() -> None:
    """Has OpenRLHF make this logger where it would make its TensorboardLogger: a worker process set-up hook of Ray."""
    importlib.import_module("openrlhf.utils.logging_utils").TensorboardLogger = TunePlaneLogger  # type: ignore[attr-defined]


class TunePlaneLogger:
    """`log_train` and `log_eval` report numbers under `train/` and `eval/`, as OpenRLHF's own loggers name them."""

    def __init__(self, args: Foreign = None, *, monitor_hardware: bool = True) -> None:
        report.init(hparams=_parameters(args), monitor_hardware=monitor_hardware)
        self._uploader: Uploader[Batch] | None = rollout_uploader(lambda batch: [batch])

    def log_train(self, global_step: int, logs_dict: Mapping[str, Any]) -> None:
        """Numbers, and one generated sample as the text of a training rollout."""
        if isinstance(logs_dict, Mapping):
            self._log("train/", global_step, logs_dict)
            self._keep(global_step, logs_dict.get(_SAMPLE))

    def log_eval(self, global_step: int, logs_dict: Mapping[str, Any]) -> None:
        if isinstance(logs_dict, Mapping):
            self._log("eval/", global_step, logs_dict)

    def close(self) -> None:
        """Waits at most 10 s for what is queued."""
        if self._uploader is not None:
            self._uploader.close()
        report.finish()

    def _log(self, prefix: str, step: int, logs: Mapping[str, Any]) -> None:
        numbers = {key: one for key, one in logs.items() if one is not None and key != _SAMPLE}
        if numbers:
            report.log(numbers, step=step, prefix=prefix)

    def _keep(self, step: int, sample: Foreign) -> None:
        """`sample` is a text and its reward. The text holds prompt and answer without saying where one ends."""
        if self._uploader is None or not isinstance(sample, (list, tuple)) or len(sample) != _TEXT_AND_REWARD:
            return
        try:
            rollout = Rollout(0, [Message("assistant", str(sample[0]))], _reward(sample[1]), roles_inferred=True)
            (made,) = trajectories([rollout], as_step(step), 1, whole_step=False)
            del made["source_rows"]  # it is one of a batch whose size is not told
            self._uploader.put(Batch([made]))
        except Exception:  # noqa: BLE001 - reporting never fails the training
            return


def _reward(value: Foreign) -> float | None:
    try:
        return as_number(value)
    except Exception:  # noqa: BLE001 - a foreign type may raise anything
        return None


def _parameters(args: Foreign) -> dict[str, Any]:
    """OpenRLHF's arguments are namespaces in namespaces."""
    try:
        found = args if isinstance(args, Mapping) else vars(args)
        return {str(key): _parameters(one) if isinstance(one, _NESTED) else one for key, one in found.items()}
    except Exception:  # noqa: BLE001 - reporting never fails the training
        return {}
