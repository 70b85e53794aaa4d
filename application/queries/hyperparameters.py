"""How a run was configured."""

from __future__ import annotations

from typing import Any

import msgspec

from application.ports.views import Views
from application.projections.hyperparameters import HYPERPARAMETERS
from application.queries.moment import moment
from application.queries.run import latest_attempt
from domain.ids import Attempt, RunId


class Hyperparameters(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration of one attempt."""

    attempt: Attempt | None
    """None where the run has none yet."""
    params: dict[str, Any]
    """All snapshots, later keys over earlier ones. Empty where none was reported."""
    reported_at: str | None
    """Of the latest snapshot; None where none was reported."""
    versions: int
    """Different snapshots reported."""


def hyperparameters(views: Views, run: RunId, *, attempt: int | None = None) -> Hyperparameters:
    """The configuration of an attempt, without one of the latest. Raises `UnknownRun`, `UnknownThing`."""
    shown = latest_attempt(views, run, attempt)
    known = None if shown is None else views.records.get(HYPERPARAMETERS, run, shown)
    return Hyperparameters(
        attempt=shown,
        params=known.params if known else {},
        reported_at=moment(known.reported_at) if known else None,
        versions=known.versions if known else 0,
    )
