"""Reporting from a Hugging Face Trainer: `Trainer(callbacks=[TunePlaneCallback()])`.

A duck type of `transformers.TrainerCallback`: transformers is not imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from tuneplane.foreign import Foreign


class TunePlaneCallback:
    """Reports what the trainer logs, from the process with world rank zero alone.

    `prefix` is put before each name as it is. NaN and infinities are reported as what they are.
    """

    def __init__(self, *, monitor_hardware: bool = True, prefix: str = "") -> None:
        self._monitor_hardware = monitor_hardware
        self._prefix = prefix
        self._logged_step = -1
        self._logged: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Every other event of the trainer, known or to come, is of no interest."""
        if name.startswith("on_"):
            return _nothing
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)

    def on_train_begin(self, args: Foreign, state: Foreign, control: Foreign, **more: Foreign) -> None:
        """Starts reporting, with the training arguments as hyperparameters."""
        del control, more
        if _leads(state):
            _report().init(hparams=_arguments(args), monitor_hardware=self._monitor_hardware)

    def on_log(self, args: Foreign, state: Foreign, control: Foreign, logs: Foreign = None, **more: Foreign) -> None:
        """Reports what was logged; text among it is left out."""
        del args, control, more
        if _leads(state) and isinstance(logs, Mapping):
            step = _step(state)
            fresh = frozenset(map(str, logs))
            self._logged = fresh | self._logged if step == self._logged_step else fresh
            self._logged_step = step
            self._send(logs, step)

    def on_evaluate(
        self, args: Foreign, state: Foreign, control: Foreign, metrics: Foreign = None, **more: Foreign
    ) -> None:
        """Reports evaluation metrics that `on_log` has not had at this step."""
        del args, control, more
        if _leads(state) and isinstance(metrics, Mapping):
            step = _step(state)
            told = self._logged if step == self._logged_step else frozenset()
            self._send({key: one for key, one in metrics.items() if str(key) not in told}, step)

    def _send(self, metrics: Mapping[Any, Any], step: int) -> None:
        numbers = {key: one for key, one in metrics.items() if not isinstance(one, (str, bool))}
        if numbers:
            _report().log(numbers, step=step, prefix=self._prefix)


def _nothing(*args: Foreign, **more: Foreign) -> None:
    del args, more


def _report() -> Foreign:
    from tuneplane import report

    return report


def _leads(state: Foreign) -> bool:
    return bool(getattr(state, "is_world_process_zero", True))


def _step(state: Foreign) -> int:
    return int(getattr(state, "global_step", 0) or 0)


def _arguments(args: Foreign) -> Mapping[str, Any]:
    """The training arguments as a dict; transformers itself masks its tokens in it."""
    try:
        found = args.to_dict() if hasattr(args, "to_dict") else vars(args)
    except Exception:  # noqa: BLE001 - reporting never fails the training
        return {}
    return found if isinstance(found, Mapping) else {}
