"""The API router: signed-in people and programs, never ingest tokens."""

from __future__ import annotations

from litestar import Router
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from entrypoints.container import Container
from entrypoints.http.api import (
    documents,
    hardware,
    history,
    logs,
    observations,
    review,
    rounds,
    runs,
    series,
    trajectories,
)
from entrypoints.http.api.moment import provide_moment
from entrypoints.http.signed_in import SignedInAuthentication

ROUTES: tuple[ControllerRouterHandler, ...] = (
    runs.create,
    runs.open_execution,
    runs.list_runs,
    runs.read,
    runs.revoke,
    runs.share,
    runs.withdraw_share,
    series.list_series,
    series.data,
    series.csv,
    documents.read_hyperparameters,
    documents.read_environment,
    documents.list_artifacts,
    documents.list_benchmarks,
    hardware.list_hardware,
    hardware.data,
    hardware.devices,
    logs.lines,
    logs.text,
    observations.list_observations,
    observations.read_coverage,
    rounds.list_rounds,
    rounds.list_trials,
    rounds.list_trial_attempts,
    rounds.list_samples,
    trajectories.list_trajectories,
    trajectories.read,
    trajectories.remove,
    history.list_events,
    history.read,
    history.whole_log,
    review.compare_rounds,
)


def api_router(container: Container) -> Router:
    """Everything under /api but ingest and the live stream."""
    doorkeeper, moment = container.doorkeeper(), provide_moment(container.reading())
    return Router(
        path="/",
        route_handlers=ROUTES,
        middleware=[lambda app: SignedInAuthentication(app, doorkeeper)],
        dependencies={
            "moment": Provide(moment, sync_to_thread=False),
            "create_run": Provide(container.create_run, sync_to_thread=False),
            "opening": Provide(container.open_execution, sync_to_thread=False),
            "revoke_tokens": Provide(container.revoke_tokens, sync_to_thread=False),
            "share_run": Provide(container.share_run, sync_to_thread=False),
            "delete_trajectory": Provide(container.delete_trajectory, sync_to_thread=False),
            "bodies": Provide(container.bodies, sync_to_thread=False),
            "log": Provide(container.event_log, sync_to_thread=False),
            "public_address": Provide(lambda: container.settings().public_address, sync_to_thread=False),
        },
        tags=["read"],
    )
