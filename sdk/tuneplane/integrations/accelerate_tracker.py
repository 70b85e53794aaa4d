"""Reporting from Hugging Face Accelerate: `Accelerator(log_with=TunePlaneTracker())`.

`TunePlaneTracker` is a subclass of `accelerate.tracking.GeneralTracker`, made when it is first asked for: importing
this module does not import accelerate.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from tuneplane import report
from tuneplane.foreign import Foreign


class Tracking:
    """What the tracker does. Everything is reported by the main process alone, and nothing raises.

    `prefix` is put before each name as it is.
    """

    name = "tuneplane"
    requires_logging_directory = False
    main_process_only = True

    def __init__(self, *, monitor_hardware: bool = True, prefix: str = "") -> None:
        self._monitor_hardware = monitor_hardware
        self._prefix = prefix
        self._leads: bool | None = None
        super().__init__()

    @property
    def tracker(self) -> Foreign:
        """The module of reporting functions: there is no run object behind it."""
        return report

    def start(self) -> None:
        """Called by `Accelerator.init_trackers`."""
        if self._leading():
            report.init(monitor_hardware=self._monitor_hardware)

    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        """The `config` of `init_trackers`, as hyperparameters; secrets are masked."""
        if self._leading():
            report.log_hparams(values)

    def log(self, values: Mapping[str, Any], step: int | None = None, **more: Foreign) -> None:
        """Reports numbers at a step; text and flags among them are left out."""
        del more
        if self._leading() and isinstance(values, Mapping):
            numbers = {key: one for key, one in values.items() if not isinstance(one, (str, bool))}
            if numbers:
                report.log(numbers, step=step, prefix=self._prefix)

    def finish(self) -> None:
        """Called by `Accelerator.end_training`: waits at most 10 s for what is queued."""
        if self._leading():
            report.finish()

    def _leading(self) -> bool:
        """Looked up once: the state is made by the Accelerator, before it starts its trackers."""
        if self._leads is None:
            try:
                self._leads = bool(importlib.import_module("accelerate.state").PartialState().is_main_process)
            except Exception:  # noqa: BLE001 - reporting never fails the training
                self._leads = False
        return self._leads


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of a library that is not imported here
    if name != "TunePlaneTracker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = importlib.import_module("accelerate.tracking").GeneralTracker
    made = type(name, (Tracking, base), {"__doc__": Tracking.__doc__, "__module__": __name__})
    globals()[name] = made
    return made
