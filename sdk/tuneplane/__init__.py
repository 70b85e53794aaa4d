"""Report metrics, logs, evaluation outcomes and trajectories of a training job to TunePlane.

Public names load on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tuneplane.report import (
        TunePlaneCallback,
        configure_observability,
        finish,
        init,
        log,
        log_hparams,
        observe,
        validation_metric,
        validation_outcome,
        validation_population,
        validation_protocol,
    )
    from tuneplane.reporter import Reporter, ReporterError

__version__ = "0.5.0"

_HOMES = {
    "TunePlaneCallback": "tuneplane.report",
    "configure_observability": "tuneplane.report",
    "finish": "tuneplane.report",
    "init": "tuneplane.report",
    "log": "tuneplane.report",
    "log_hparams": "tuneplane.report",
    "observe": "tuneplane.report",
    "validation_metric": "tuneplane.report",
    "validation_outcome": "tuneplane.report",
    "validation_population": "tuneplane.report",
    "validation_protocol": "tuneplane.report",
    "Reporter": "tuneplane.reporter",
    "ReporterError": "tuneplane.reporter",
}

__all__ = [
    "Reporter",
    "ReporterError",
    "TunePlaneCallback",
    "configure_observability",
    "finish",
    "init",
    "log",
    "log_hparams",
    "observe",
    "validation_metric",
    "validation_outcome",
    "validation_population",
    "validation_protocol",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions and classes
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'tuneplane' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value
