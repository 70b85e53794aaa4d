"""The ingest routes: decode, place, append, answer."""

from __future__ import annotations

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from application.clock import now
from application.queries.moment import moment
from domain.artifact import register_artifact, uploaded_sha256
from domain.rules.retention import expires_at
from entrypoints.http.ingest import answer
from entrypoints.http.ingest.body import IngestRequest
from entrypoints.http.ingest.intake import Intake
from entrypoints.http.ingest.threads import in_body_thread, in_thread
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
    """Registers what the job produced; one that names an upload is taken once the object store confirms the bytes."""
    event = artifact.event(await artifact.BODY.read(request), request.user)
    if uploaded_sha256(event.run, event.attempt, event.path) is not None:
        await in_body_thread(lambda: intake.confirm_upload(event))
    return await intake.events([register_artifact(event)])


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
    event = trajectory.event(trace, body, request.user, expires_at(now(), intake.trajectory_days))
    receipt = await in_body_thread(lambda: intake.trajectories(event, body))
    return intake.answered(answer.of_all(receipt), receipt)


@post("/artifact/upload-url", status_code=200)
async def permit_upload(request: IngestRequest, intake: Using) -> upload_url.UploadPermission:
    """A signed address to upload one artifact to."""
    wanted = await upload_url.BODY.read(request)
    source = request.user
    permitted = await in_body_thread(
        lambda: intake.uploads(
            source.run,
            source.attempt,
            size_bytes=wanted.size_bytes,
            sha256=wanted.sha256,
            content_type=wanted.content_type or "application/octet-stream",
        )
    )
    return upload_url.UploadPermission(
        upload_url=permitted.signed.url,
        method="PUT",
        headers=permitted.signed.headers,
        path=permitted.path,
        uploaded=permitted.uploaded,
        expires_at=moment(permitted.signed.expires_at),
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
