"""The one place where ports meet adapters."""

from __future__ import annotations

import secrets

from dependency_injector import containers, providers

from adapters.argon2.password_hasher import Argon2Passwords
from adapters.filesystem.object_store import FilesystemObjectStore
from adapters.filesystem.upload_signer import FilesystemUploadSigner
from adapters.memory.reading import MemoryReading
from adapters.memory.series_view import MemorySeriesView
from adapters.postgres.accounts import PostgresAccounts
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.ingest_tokens import PostgresIngestTokens
from adapters.postgres.projection_store import PostgresProjectionStore
from adapters.postgres.reading import PostgresReading, SeriesSource
from adapters.postgres.series.reader import PostgresSeriesReader
from adapters.postgres.series.tail_cache import TailCache
from adapters.postgres.series.view import PostgresSeriesView
from adapters.postgres.sole import PostgresSole
from adapters.s3.client import Bucket
from adapters.s3.object_store import S3ObjectStore
from adapters.s3.upload_signer import S3UploadSigner
from application.commands.confirm_upload import ConfirmUpload
from application.commands.create_personal_token import CreatePersonalToken
from application.commands.create_run import CreateRun
from application.commands.delete_trajectory import DeleteTrajectory
from application.commands.manage_accounts import ManageAccounts
from application.commands.open_execution import OpenExecution
from application.commands.report_collected_scalars import ReportCollectedScalars
from application.commands.report_hardware import ReportHardware
from application.commands.report_lifecycle import ReportLifecycle
from application.commands.report_metrics import ReportMetrics
from application.commands.revoke_tokens import RevokeTokens
from application.commands.share_run import ShareRun
from application.commands.sign_in import SignIn
from application.commands.sign_out import SignOut
from application.commands.sign_upload import SignUpload
from application.commands.store_trajectory import StoreTrajectory
from application.commands.sweep_bodies import SweepBodies
from application.event_log.group_commit import GroupCommit
from application.ports.accounts import Accounts
from application.ports.event_log import EventLog
from application.projections.registry import PROJECTIONS
from application.queries.job_table import JobTable
from application.series.numbers import SeriesNumbers
from domain.events.series import Family
from entrypoints.http.counters import Counters
from entrypoints.http.health import Health
from entrypoints.http.ingest.authentication import KnownTokens
from entrypoints.http.ingest.intake import Intake
from entrypoints.http.live.hub import LiveHub
from entrypoints.http.live.route import LiveStreams
from entrypoints.http.signed_in import Doorkeeper
from entrypoints.http.stopping import Stopping
from entrypoints.projector.views import all_views
from entrypoints.settings import Settings


def _series_source(family: Family, tails: TailCache) -> SeriesSource:
    view = PostgresSeriesView(family)
    return SeriesSource(
        view=view.name, version=view.version, open=lambda conn, schema: PostgresSeriesReader(conn, schema, tails)
    )


def _reading(database: Database, log: EventLog) -> PostgresReading:
    """As it is from the projector's views; as it was by folding the log in memory."""
    tails = TailCache()
    history = MemoryReading(
        log,
        PROJECTIONS,
        scalars=lambda: MemorySeriesView("scalar"),
        hardware=lambda: MemorySeriesView("hardware"),
    )
    return PostgresReading(
        database,
        log,
        PROJECTIONS,
        scalars=_series_source("scalar", tails),
        hardware=_series_source("hardware", tails),
        as_of=history.at,
    )


def _endpoint(settings: Settings) -> str:
    return f"{settings.public_address}/api/ingest"


def _file_signer(settings: Settings, accounts: Accounts) -> FilesystemUploadSigner:
    return FilesystemUploadSigner(
        settings.public_address, lambda: accounts.setting("upload-signing-key", secrets.token_bytes(32))
    )


def _bucket(settings: Settings) -> Bucket:
    if settings.s3_bucket is None:
        raise ValueError("no bucket is set")
    return Bucket(
        settings.s3_bucket, endpoint=settings.s3_endpoint, region=settings.s3_region, prefix=settings.s3_prefix or ""
    )


def _body_store(settings: Settings) -> str:
    return "file" if settings.s3_bucket is None else "s3"


class Container(containers.DeclarativeContainer):
    """Made of `settings`, whose `database_url` is set. Tests put their own adapters in place of these."""

    settings = providers.Dependency(instance_of=Settings)

    database = providers.Singleton(Database, settings.provided.database_url)
    event_log = providers.Singleton(PostgresEventLog, database)
    ingest_tokens = providers.Singleton(PostgresIngestTokens, database)
    accounts = providers.Singleton(PostgresAccounts, database)
    passwords = providers.Singleton(Argon2Passwords)
    file_store = providers.Singleton(FilesystemObjectStore, settings.provided.bodies)
    file_signer = providers.Singleton(_file_signer, settings, accounts)
    bucket = providers.Singleton(_bucket, settings)
    body_store = providers.Callable(_body_store, settings)
    bodies = providers.Selector(body_store, file=file_store, s3=providers.Singleton(S3ObjectStore, bucket))
    upload_signer = providers.Selector(body_store, file=file_signer, s3=providers.Singleton(S3UploadSigner, bucket))

    commit = providers.Singleton(GroupCommit, event_log)
    series_numbers = providers.Singleton(SeriesNumbers)
    stopping = providers.Singleton(Stopping)
    counters = providers.Singleton(Counters)
    health = providers.Singleton(Health, event_log, commit, counters, stopping)

    create_run = providers.Singleton(CreateRun, commit)
    open_execution = providers.Singleton(
        OpenExecution,
        commit,
        event_log,
        ingest_tokens,
        endpoint=providers.Callable(_endpoint, settings),
        token_days=settings.provided.ingest_token_days,
    )
    revoke_tokens = providers.Singleton(RevokeTokens, commit, event_log, ingest_tokens)
    share_run = providers.Singleton(ShareRun, commit, event_log, accounts)
    sole = providers.Singleton(PostgresSole, database)
    sweep_bodies = providers.Singleton(SweepBodies, event_log, bodies, sole)
    delete_trajectory = providers.Singleton(DeleteTrajectory, commit, event_log, bodies)

    projection_store = providers.Singleton(PostgresProjectionStore, database, event_log, providers.Callable(all_views))
    reading = providers.Singleton(_reading, database, event_log)
    job_table = providers.Singleton(JobTable)
    doorkeeper = providers.Singleton(Doorkeeper, accounts)
    live_hub = providers.Singleton(LiveHub, reading, stopping)
    live_streams = providers.Singleton(LiveStreams, live_hub, stopping)

    create_personal_token = providers.Singleton(CreatePersonalToken, accounts)
    manage_accounts = providers.Singleton(ManageAccounts, accounts, passwords)
    sign_in = providers.Singleton(SignIn, accounts, passwords)
    sign_out = providers.Singleton(SignOut, accounts)

    known_tokens = providers.Singleton(KnownTokens, ingest_tokens)
    intake = providers.Singleton(
        Intake,
        commit=commit,
        metrics=providers.Singleton(ReportMetrics, event_log, series_numbers),
        hardware=providers.Singleton(ReportHardware, event_log, series_numbers),
        scalars=providers.Singleton(ReportCollectedScalars, event_log, series_numbers),
        lifecycle=providers.Singleton(ReportLifecycle, commit, event_log),
        trajectories=providers.Singleton(StoreTrajectory, commit, event_log, bodies),
        confirm_upload=providers.Singleton(ConfirmUpload, event_log, bodies),
        uploads=providers.Singleton(SignUpload, upload_signer, event_log, bodies, settings.provided.artifact_bytes),
        trajectory_days=settings.provided.trajectory_days,
        counters=counters,
    )
