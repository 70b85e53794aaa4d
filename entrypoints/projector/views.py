"""Every view that the projector keeps up to date: the projections, and the curves of both families."""

from __future__ import annotations

from adapters.postgres.projector_tracking import Factories, factories
from adapters.postgres.series.view import PostgresSeriesView
from application.projections.registry import PROJECTIONS


def all_views() -> Factories:
    """By name."""
    return factories(PROJECTIONS, (lambda: PostgresSeriesView("scalar"), lambda: PostgresSeriesView("hardware")))
