"""How a run was configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from application.ports.views import Views
from application.projections.hyperparameters import HYPERPARAMETERS
from application.queries.asked_attempt import latest_attempt
from application.queries.config_diff import leaves
from application.queries.csv_text import csv_lines, csv_text
from application.queries.moment import moment
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


def hyperparameters_csv(views: Views, run: RunId, *, attempt: int | None = None) -> Iterator[str]:
    """`path,kind,value` as CSV (RFC 4180), nested values flattened. Raises as `hyperparameters`, at once."""
    known = leaves(hyperparameters(views, run, attempt=attempt).params)
    # A number is what a spreadsheet is to take it for.
    rows = [
        (csv_text(one.path), one.kind, one.text if one.kind in {"number", "whole number"} else csv_text(one.text))
        for one in known
    ]
    return csv_lines(("path", "kind", "value"), rows)
