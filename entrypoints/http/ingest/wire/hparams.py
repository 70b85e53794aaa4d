"""`hparams`: the hyperparameter snapshot."""

from __future__ import annotations

from typing import Any

from tuneplane.contract import HPARAMS_BODY_BYTES

from domain.events import HyperparametersReported
from domain.hyperparameters import report_hyperparameters
from domain.placement import Placement
from entrypoints.http.ingest.body import Body, Report
from entrypoints.http.ingest.guards import free_form
from entrypoints.http.ingest.source import Source


class Hyperparameters(Report, frozen=True, kw_only=True):
    """Later keys merge over earlier ones."""

    params: dict[str, Any]


BODY = Body(Hyperparameters, HPARAMS_BODY_BYTES)


def placements(report: Hyperparameters, source: Source) -> list[Placement]:
    """One event."""
    free_form("params", report.params)
    event = HyperparametersReported(run=source.run, attempt=source.attempt, params=report.params)
    return [report_hyperparameters(event)]
