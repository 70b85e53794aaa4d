"""What the ingest routes use: the way into the log, and the commands that need to read it first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from litestar import Response

from application.commands.confirm_upload import ConfirmUpload
from application.commands.report_collected_scalars import CollectedScalar, ReportCollectedScalars
from application.commands.report_hardware import ReportHardware
from application.commands.report_lifecycle import ReportLifecycle
from application.commands.report_metrics import ReportMetrics
from application.commands.sign_upload import SignUpload
from application.commands.store_trajectory import StoreTrajectory
from application.deciding import decided_async
from application.event_log.group_commit import GroupCommit, Receipt
from domain.placement import Placement
from entrypoints.http.counters import Counters
from entrypoints.http.ingest import answer
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.threads import in_thread

R_contra = TypeVar("R_contra", contravariant=True)
R = TypeVar("R")


class ReportsSeries(Protocol[R_contra]):
    """A command for batches of series: without reading while their numbers are remembered."""

    def known(self, report: R_contra) -> list[Placement] | None: ...
    def with_new_series(self, report: R_contra) -> list[Placement]: ...
    def learned(self, placements: Sequence[Placement]) -> None: ...


class Intake:
    """One for the process."""

    def __init__(  # noqa: PLR0913 - what the routes need, by name
        self,
        *,
        commit: GroupCommit,
        metrics: ReportMetrics,
        hardware: ReportHardware,
        scalars: ReportCollectedScalars,
        lifecycle: ReportLifecycle,
        trajectories: StoreTrajectory,
        confirm_upload: ConfirmUpload,
        uploads: SignUpload,
        trajectory_days: int,
        counters: Counters,
    ) -> None:
        self.metrics = metrics
        self.hardware = hardware
        self.lifecycle = lifecycle
        self.trajectories = trajectories
        self.confirm_upload = confirm_upload
        self.uploads = uploads
        self.trajectory_days = trajectory_days
        self._commit = commit
        self._scalars = scalars
        self._counters = counters

    async def events(self, placements: list[Placement]) -> Response[bytes]:
        """Appends placed facts and answers with how many were accepted."""
        receipt = await self._commit.append(placements)
        return self.answered(answer.of_events(placements, receipt), receipt)

    async def points(self, command: ReportsSeries[R], report: R, points: int) -> Response[bytes]:
        """Appends a batch of series, opening those that are new."""

        async def tried() -> Receipt:
            placements = command.known(report)
            if placements is None:
                placements = await in_thread(lambda: command.with_new_series(report))
            receipt = await self._commit.append(placements)
            command.learned(placements)
            return receipt

        receipt = await decided_async(tried)
        return self.answered(answer.of_points(points, receipt), receipt)

    async def observed(self, facts: list[Placement], scalars: list[CollectedScalar], source: Source) -> Response[bytes]:
        """Appends facts and collected scalars as one request."""
        if not scalars:
            return await self.events(facts)

        async def tried() -> Response[bytes]:
            command, run, attempt = self._scalars, source.run, source.attempt
            placed = command.known(run, attempt, scalars)
            if placed is None:
                placed = await in_thread(lambda: command.with_new_series(run, attempt, scalars))
            answered = await self.events([*facts, *placed])
            command.learned(placed)
            return answered

        return await decided_async(tried)

    def answered(self, counted: answer.Answer, receipt: Receipt) -> Response[bytes]:
        """Counts what was taken, and answers."""
        self._counters.reported(counted.accepted, counted.duplicates, counted.set_aside)
        return answer.response(counted, receipt)
