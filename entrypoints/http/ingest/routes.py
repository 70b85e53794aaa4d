"""The ingest routes: decode, place, append, answer."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from tuneplane.contract import trajectory_id

from application.commands.open_execution import DAY_MICROS
from application.commands.store_trajectory import body_key, digest_of
from domain.events import TrajectoryStored
from domain.ids import Micros, RoundId, TrialId
from entrypoints.http.ingest import answer
from entrypoints.http.ingest.body import IngestRequest
from entrypoints.http.ingest.intake import Intake, in_thread
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.wire import (
    artifact,
    benchmark,
    environment,
    hardware,
    hparams,
    lifecycle,
    logs,
    metrics,
    observations,
    trajectory,
    upload_url,
    validation,
)

Using = NamedDependency[SkipValidation[Intake]]


@post("/metrics", status_code=200)
async def report_metrics(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Scalar points: 1 to 2,048, as a list or in columns."""
    report = await metrics.read(request)
    points = len(report.batch.steps) + len(report.batch.invalid)
    return await intake.points(intake.metrics, report, points)


@post("/hardware", status_code=200)
async def report_hardware(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Samples of hosts and cards."""
    report = await hardware.read(request)
    return await intake.points(intake.hardware, report, len(report.batch.steps))


@post("/hparams", status_code=200)
async def report_hparams(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Hyperparameters; later keys merge over earlier ones."""
    return await intake.events(hparams.placements(await hparams.BODY.read(request), request.user))


@post("/logs", status_code=200)
async def report_logs(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Pieces of what the job printed."""
    return await intake.events(logs.placements(await logs.BODY.read(request), request.user))


@post("/validation", status_code=200)
async def report_validation(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Samples of an evaluation round, in chunks."""
    return await intake.events(validation.placements(await validation.BODY.read(request), request.user))


@post("/artifact", status_code=200)
async def report_artifact(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Registers what the job produced."""
    return await intake.events(artifact.placements(await artifact.BODY.read(request), request.user))


@post("/benchmark", status_code=200)
async def report_benchmark(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Benchmark scores; idempotent."""
    return await intake.events(benchmark.placements(await benchmark.BODY.read(request), request.user))


@post("/environment", status_code=200)
async def report_environment(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Packages, devices, versions."""
    return await intake.events(environment.placements(await environment.BODY.read(request), request.user))


@post("/environment/nodes", status_code=200)
async def report_nodes(request: IngestRequest, intake: Using) -> Response[bytes]:
    """The same for each node of a job."""
    return await intake.events(environment.nodes_placements(await environment.NODES_BODY.read(request), request.user))


@post("/observations", status_code=200)
async def report_observations(request: IngestRequest, intake: Using) -> Response[bytes]:
    """Events, histograms, health, evaluation facts, collected scalars, and the observation contract."""
    said = observations.observed(await observations.BODY.read(request), request.user)
    return await intake.observed(said.placements, said.scalars, request.user)


@post("/lifecycle", status_code=200)
async def report_lifecycle(request: IngestRequest, intake: Using) -> Response[bytes]:
    """What the runner says of the attempt."""
    event = lifecycle.event(await lifecycle.BODY.read(request), request.user)
    receipt = await in_thread(lambda: intake.lifecycle(event))
    return intake.answered(answer.of_all(receipt), receipt)


@post("/trajectory", status_code=200)
async def report_trajectory(request: IngestRequest, intake: Using) -> Response[bytes]:
    """The retained text of one execution of one trial; a known identity with other bytes is 409."""
    trace = (await trajectory.BODY.read(request)).trace
    body = trajectory.canonical(trace)
    event = _stored(trace, body, request.user, intake.trajectory_days)
    receipt = await in_thread(lambda: intake.trajectories(event, body))
    return intake.answered(answer.of_all(receipt), receipt)


@post("/artifact/upload-url", status_code=200)
async def permit_upload(request: IngestRequest, intake: Using) -> upload_url.UploadPermission:
    """A signed address to upload one artifact to."""
    wanted = await upload_url.BODY.read(request)
    source = request.user
    permitted = await in_thread(
        lambda: intake.uploads(
            source.run,
            source.attempt,
            size_bytes=wanted.size_bytes,
            sha256=wanted.sha256,
            content_type=wanted.content_type or "application/octet-stream",
        )
    )
    expires_at = datetime.fromtimestamp(permitted.signed.expires_at / 1e6, UTC)
    return upload_url.UploadPermission(
        upload_url=permitted.signed.url,
        method="PUT",
        headers=permitted.signed.headers,
        path=permitted.path,
        expires_at=expires_at.isoformat().replace("+00:00", "Z"),
    )


def _stored(trace: trajectory.Trace, body: bytes, source: Source, days: int) -> TrajectoryStored:
    identity = trajectory_id(trace.scope, trace.round_id, trace.trial_id, trace.trial_attempt)
    digest = digest_of(body)
    return TrajectoryStored(
        run=source.run,
        attempt=source.attempt,
        trajectory_id=identity,
        scope=trace.scope,
        round_id=RoundId(trace.round_id),
        trial_id=TrialId(trace.trial_id),
        trial_attempt=trace.trial_attempt,
        total_messages=trace.total_messages,
        retained_messages=len(trace.messages),
        complete=trace.complete,
        capture_policy=trace.capture_policy,
        object_key=body_key(source.run, source.attempt, identity, digest),
        body_digest=digest,
        size_bytes=len(body),
        expires_at=Micros(time.time_ns() // 1000 + days * DAY_MICROS),
        termination=trace.termination,
        collection_policy=trace.collection_policy,
        consumption_policy=trace.consumption_policy,
        diagnostic=trace.diagnostic,
        reward=trace.reward,
        step=trace.step,
        source_rows=trace.source_rows,
        roles_inferred=trace.roles_inferred,
    )


ROUTES = (
    report_metrics,
    report_hardware,
    report_hparams,
    report_logs,
    report_validation,
    report_artifact,
    report_benchmark,
    report_environment,
    report_nodes,
    report_observations,
    report_lifecycle,
    report_trajectory,
    permit_upload,
)
