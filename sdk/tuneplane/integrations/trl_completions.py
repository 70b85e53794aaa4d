"""Completions of TRL's online trainers (GRPO, RLOO): `callbacks=[TunePlaneCallback(), TrlCompletionsCallback()]`.

With `log_completions=True` the trainer writes `output_dir/completions/completions_{step:05d}.parquet` right after it
has logged a step. The next event of the trainer takes the file's bytes; reading and sending happen beside the training.
A duck type of `transformers.TrainerCallback`; transformers and pyarrow are imported by TRL, not here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Callable

from tuneplane.foreign import Foreign
from tuneplane.integrations.rollout_uploads import rollout_uploader
from tuneplane.integrations.trl_table import Logged, Table, read_table
from tuneplane.rollouts.uploader import Uploader

log = logging.getLogger("tuneplane")

LARGEST_BYTES = 64 * 1024 * 1024
_EVALUATION = "eval_"
_REWARDS, _MEAN = "rewards/", "/mean"


class TrlCompletionsCallback:
    """Keeps up to 32 completions a step of training as trajectories, those of an evaluation as validation samples.

    Works in the process with world rank zero alone, which is the one that writes the file. Never raises.
    """

    def __init__(self) -> None:
        self._uploader: Uploader[Table] | None = None
        self._begun = False
        self._next: Logged | None = None
        self._taken: set[tuple[int, bool]] = set()
        self._evaluated_batches = 0
        self._missed = False

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Any other event comes after the file was written."""
        if name.startswith("on_"):
            return self._after
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def on_log(self, args: Foreign, state: Foreign, control: Foreign, logs: Foreign = None, **more: Foreign) -> None:
        """Comes right before the file of this step is written."""
        del control, more
        self._after()
        if not getattr(args, "log_completions", False) or not getattr(state, "is_world_process_zero", True):
            return
        try:
            logged = _logged(args, state, logs, self._evaluated_batches)
            self._evaluated_batches = 0
        except Exception:  # noqa: BLE001 - reporting never fails the training
            return
        if logged is not None and (logged.step, logged.evaluation) not in self._taken:
            self._next = logged

    def on_prediction_step(self, args: Foreign, state: Foreign, control: Foreign, **more: Foreign) -> None:
        """A batch of an evaluation is done."""
        del args, state, control, more
        self._evaluated_batches += 1
        self._after()

    def _after(self, *args: Foreign, **more: Foreign) -> None:
        del args, more
        logged, self._next = self._next, None
        if logged is None:
            return
        try:
            self._take(logged)
        except Exception as problem:  # noqa: BLE001 - reporting never fails the training
            self._miss(str(problem))

    def _take(self, logged: Logged) -> None:
        if not self._begun:
            self._begun = True
            self._uploader = rollout_uploader(read_table)
        if self._uploader is None:
            return
        size = logged.path.stat().st_size
        if size > LARGEST_BYTES:
            self._miss(f"{logged.path} has {size} bytes; at most {LARGEST_BYTES} are read")
            return
        table = logged.path.read_bytes()
        self._taken.add((logged.step, logged.evaluation))
        self._uploader.put(Table(table, logged))

    def _miss(self, reason: str) -> None:
        if not self._missed:
            self._missed = True
            log.warning("tuneplane: completions are not reported: %s", reason)


def _logged(args: Foreign, state: Foreign, logs: Foreign, evaluated_batches: int) -> Logged | None:
    """None where the log is not one of completions, such as the summary at the end of the training."""
    names = [str(name) for name in logs] if isinstance(logs, Mapping) else []
    evaluation = any(name.startswith(_EVALUATION + _REWARDS) for name in names)
    rewards = tuple(_reward_names(names, _EVALUATION if evaluation else ""))
    if not rewards:
        return None
    step = int(state.global_step)
    path = Path(args.output_dir) / "completions" / f"completions_{step:05d}.parquet"
    rows = _evaluated_rows(args, evaluated_batches) if evaluation else None
    return Logged(step, evaluation, path, rewards, _weights(args, len(rewards)), rows)


def _evaluated_rows(args: Foreign, batches: int) -> int:
    """At least this many completions were evaluated: whole batches, and one group of the last, which may be short.

    A table holds the last completions that were generated, a fixed number of them: after a short evaluation it begins
    with completions of the training. A training step fills it whole.
    """
    group = getattr(args, "num_generations_eval", None) or getattr(args, "num_generations", None) or 1
    whole = int(args.per_device_eval_batch_size) * int(getattr(args, "world_size", 1))
    return max(batches - 1, 0) * whole + min(int(group), whole) if batches else 0


def _reward_names(names: Iterable[str], prefix: str) -> Iterable[str]:
    """`rewards/<function>/mean` is logged for each reward function, in their order."""
    for name in names:
        inner = name[len(prefix) :] if name.startswith(prefix) else ""
        if inner.startswith(_REWARDS) and inner.endswith(_MEAN):
            yield inner[len(_REWARDS) : -len(_MEAN)]


def _weights(args: Foreign, count: int) -> tuple[float, ...] | None:
    if getattr(args, "multi_objective_aggregation", "sum_then_normalize") != "sum_then_normalize":
        return None
    given: Any = getattr(args, "reward_weights", None)
    weights = tuple(map(float, given)) if given else (1.0,) * count
    return weights if len(weights) == count else None
