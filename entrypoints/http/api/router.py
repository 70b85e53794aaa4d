"""The API router: signed-in people and programs, never ingest tokens."""

from __future__ import annotations

from collections.abc import Callable

from litestar import Router
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from entrypoints.container import Container
from entrypoints.http.api import (
    config,
    delivery,
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
from entrypoints.http.api.asked import asked_of
from entrypoints.http.api.json_body import only_json
from entrypoints.http.api.moment import provide_moment
from entrypoints.http.signed_in import SignedInAuthentication

ROUTES: tuple[ControllerRouterHandler, ...] = (
    runs.create,
    runs.open_execution,
    runs.issue_token,
    runs.list_runs,
    runs.read,
    runs.revoke,
    runs.share,
    runs.list_shares,
    runs.withdraw_share,
    series.list_series,
    series.data,
    series.superseded,
    series.csv,
    documents.read_hyperparameters,
    documents.read_environment,
    config.hyperparameters_file,
    config.packages_file,
    documents.list_artifacts,
    documents.read_artifact_bytes,
    documents.list_benchmarks,
    documents.list_score_versions,
    hardware.list_hardware,
    hardware.data,
    hardware.devices,
    hardware.hosts,
    logs.lines,
    logs.find,
    logs.at,
    logs.line,
    logs.text,
    observations.list_observations,
    observations.list_histograms,
    observations.list_reporters,
    observations.read_coverage,
    delivery.list_receipts,
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
    review.compare_runs,
    review.compare_rounds,
)


def given(make: Callable[[], object]) -> Provide:
    """A dependency from the container. In a function: Litestar cannot read the signature of a provider."""
    return Provide(lambda: make(), sync_to_thread=False)  # noqa: PLW0108


def api_router(container: Container) -> Router:
    """Everything under /api but ingest and the live stream."""
    doorkeeper, moment = container.doorkeeper(), provide_moment(container.reading())
    return Router(
        path="/",
        route_handlers=ROUTES,
        guards=[only_json],
        middleware=[lambda app: SignedInAuthentication(app, doorkeeper)],
        dependencies={
            "moment": Provide(moment, sync_to_thread=False),
            "create_run": given(container.create_run),
            "opening": given(container.open_execution),
            "revoke_tokens": given(container.revoke_tokens),
            "share_run": given(container.share_run),
            "accounts": given(container.accounts),
            "delete_trajectory": given(container.delete_trajectory),
            "bodies": given(container.bodies),
            "log": given(container.event_log),
            "job_table": given(container.job_table),
            "asked": Provide(asked_of, sync_to_thread=False),
            "public_address": given(lambda: container.settings().public_address),
        },
        tags=["read"],
    )
