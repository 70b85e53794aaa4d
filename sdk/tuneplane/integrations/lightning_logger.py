"""Reporting from Lightning: `Trainer(logger=TunePlaneLogger())`.

`TunePlaneLogger` is a subclass of the logger of `lightning.pytorch`, or of `pytorch_lightning` where that is what is
installed, made when it is first asked for: importing this module imports neither.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

from tuneplane import report
from tuneplane.credentials import RUN_ID
from tuneplane.foreign import Foreign

_HOMES = ("lightning.pytorch.loggers.logger", "pytorch_lightning.loggers.logger")
_RANK_ZERO = "lightning_utilities.core.rank_zero"
"""Where either of them keeps the rank."""


class Logging:
    """What the logger does. Rank zero reports alone, and nothing raises.

    `prefix` is put before each name as it is.
    """

    def __init__(self, *, monitor_hardware: bool = True, prefix: str = "") -> None:
        super().__init__()
        self._monitor_hardware = monitor_hardware
        self._prefix = prefix
        self._started = False

    @property
    def name(self) -> str:
        return "tuneplane"

    @property
    def version(self) -> str | None:
        """The run's id; None outside a job."""
        return os.environ.get(RUN_ID) or None

    @property
    def experiment(self) -> Foreign:
        """The module of reporting functions: there is no run object behind it."""
        return report

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Reports numbers at a step."""
        if _leads() and isinstance(metrics, Mapping):
            self._start()
            report.log(metrics, step=step, prefix=self._prefix)

    def log_hyperparams(self, params: Foreign, *args: Foreign, **more: Foreign) -> None:
        """A mapping or a namespace (`save_hyperparameters`); secrets are masked."""
        del args, more
        if _leads():
            self._start()
            found = params if isinstance(params, Mapping) else getattr(params, "__dict__", None)
            if found:
                report.log_hparams(found)

    def _start(self) -> None:
        if not self._started:
            self._started = True
            report.init(monitor_hardware=self._monitor_hardware)


def _leads() -> bool:
    """Asked each time: with some strategies the rank is known only once the processes are there."""
    loaded = sys.modules.get(_RANK_ZERO)
    return loaded is None or not getattr(getattr(loaded, "rank_zero_only", None), "rank", 0)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of a library that is not imported here
    if name != "TunePlaneLogger":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = type(name, (Logging, _base()), {"__doc__": Logging.__doc__, "__module__": __name__})
    globals()[name] = made
    return made


def _base() -> Any:  # noqa: ANN401 - as above
    for home in _HOMES[:-1]:
        try:
            return importlib.import_module(home).Logger
        except ModuleNotFoundError:
            continue
    return importlib.import_module(_HOMES[-1]).Logger
