"""The product from the wire to the views, with a projector that moves as far as a test lets it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import msgspec
import psycopg

from adapters.memory.event_log import MemoryEventLog
from adapters.memory.reading import MemoryReading, MemoryViews
from adapters.memory.series_view import MemorySeriesView
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.migrations.runner import migrate
from adapters.postgres.projection_store import PostgresProjectionStore
from adapters.postgres.projector import catch_up
from adapters.postgres.projector_bisection import advance_whatever_happens
from adapters.postgres.projector_lockstep import decoded
from adapters.postgres.projector_tracking import claim, prepare, writing_connection
from application.commands.compare_projection import compare_projection
from application.commands.drop_projection import drop_projection
from application.commands.rebuild_projection import rebuild_projection
from application.commands.report_metrics import ReportMetrics
from application.event_log.settlement import as_candidate
from application.ports.event_log import EventLog
from application.ports.views import Views
from application.projections.registry import PROJECTIONS
from application.series.numbers import SeriesNumbers
from domain.errors import DomainFault, StreamMovedOn
from domain.events import LifecycleReported, decode
from domain.ids import Attempt, Position, RunId
from domain.lifecycle import lifecycle_stream, report_lifecycle
from domain.placement import Placement
from domain.run import create_run, open_execution
from entrypoints.container import Container
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.wire import lifecycle, logs, metrics, observations
from entrypoints.projector.views import all_views
from entrypoints.settings import Settings
from tests import factories as a
from tests.model.model import Report


class Ingest:
    """Reports of one run on their way into a log."""

    def __init__(self, log: EventLog, run: RunId) -> None:
        self._log = log
        self._run = run
        self._metrics = ReportMetrics(log, SeriesNumbers())
        self._attempts = itertools.count()

    def begin(self) -> None:
        self._append([[create_run(a.a_run(run=self._run))]])

    def open_attempt(self) -> None:
        attempt = Attempt(next(self._attempts))
        self._append([[open_execution(a.an_execution(run=self._run, attempt=attempt))]])

    def tell(self, reports: Sequence[Report]) -> list[tuple[Report, str]]:
        """Appends them as one group, and those decided on old state again; each with its fate, in order of the log."""
        told: list[tuple[Report, str]] = []
        waiting = list(reports)
        while waiting:
            placed = [self._placements(one) for one in waiting]
            again = []
            for report, placements, answer in zip(waiting, placed, self._append(placed), strict=True):
                if isinstance(answer, StreamMovedOn):
                    again.append(report)
                    continue
                assert not isinstance(answer, DomainFault), answer
                self._metrics.learned(placements)
                told.append((report, answer[-1].fate.value))
            waiting = again
        return told

    def _append(self, requests: Sequence[Sequence[Placement]]) -> list[Any]:
        return list(self._log.append([list(map(as_candidate, request)) for request in requests]))

    def _placements(self, report: Report) -> list[Placement]:
        source = Source(self._run, Attempt(report.attempt))
        body = {"run_id": self._run, **report.body}
        if report.path == "metrics":
            packed = "series" in body
            raw = msgspec.msgpack.encode(body) if packed else msgspec.json.encode(body)
            batch = metrics.report_of(raw, source, packed=packed)
            return self._metrics.known(batch) or self._metrics.with_new_series(batch)
        if report.path == "logs":
            return logs.placements(msgspec.convert(body, logs.Logs), source)
        if report.path == "observations":
            return observations.observed(msgspec.convert(body, observations.Observations), source).placements
        event = lifecycle.event(msgspec.convert(body, lifecycle.Lifecycle), source)
        recorded = self._log.stream(lifecycle_stream(self._run, source.attempt))
        history = [decode(one.tag, one.payload or b"") for one in recorded]
        return [report_lifecycle([one for one in history if isinstance(one, LifecycleReported)], event)]


class MemorySystem:
    """Adapters in memory."""

    def __init__(self) -> None:
        self.run = a.RUN
        self.log = MemoryEventLog()
        self.ingest = Ingest(self.log, self.run)
        self._views = self._empty()
        self._reading = MemoryReading(
            self.log,
            PROJECTIONS,
            scalars=lambda: MemorySeriesView("scalar"),
            hardware=lambda: MemorySeriesView("hardware"),
        )

    def project(self, events: int) -> None:
        """Lets the views take in so many events more."""
        self._views.follow(min(Position(self._views.position + events), self.log.head().position))

    def catch_up(self) -> None:
        self._views.follow(self.log.head().position)

    def rebuild(self, dice: int) -> None:
        """Views made from nothing must be those that followed, record for record."""
        del dice
        self.catch_up()
        fresh = self._empty()
        fresh.follow(self._views.position)
        for projection in PROJECTIONS:
            for table in projection.tables:
                assert fresh.records.find(table) == self._views.records.find(table)
        self._views = fresh

    @contextmanager
    def views(self) -> Iterator[Views]:
        yield self._views

    def at(self, position: Position) -> AbstractContextManager[Views]:
        return self._reading.at(self.run, position)

    def close(self) -> None:
        """Nothing is open."""

    def _empty(self) -> MemoryViews:
        return MemoryViews(self.log, PROJECTIONS, MemorySeriesView("scalar"), MemorySeriesView("hardware"))


class PostgresInstallation:
    """A database for many histories, each a run of its own."""

    def __init__(self, dsn: str) -> None:
        migrate(dsn)
        self.container = Container(settings=Settings(database_url=dsn))
        self.database: Database = self.container.database()
        self.log: PostgresEventLog = self.container.event_log()
        self.projector: psycopg.Connection[Any] = writing_connection(self.database)
        self.known = all_views()
        prepare(self.projector, self.known)
        self.store = PostgresProjectionStore(self.database, self.log, self.known)
        self._runs = itertools.count(1)

    def fresh_run(self) -> RunId:
        return RunId(f"history-{next(self._runs)}")

    def close(self) -> None:
        self.container.reading().close()
        self.projector.close()
        self.log.close()
        self.database.close()


class PostgresSystem:
    """A run in an installation."""

    def __init__(self, installation: PostgresInstallation) -> None:
        self.run = installation.fresh_run()
        self.log = installation.log
        self.ingest = Ingest(self.log, self.run)
        self._in = installation
        self._held = claim(installation.projector, installation.known, [])

    def project(self, events: int) -> None:
        """One batch of so many events."""
        front = max(one.position for one in self._held)
        found = self.log.read(front, limit=events)
        if found:
            live = [one for one in self._held if one.position == front]
            advance_whatever_happens(self._in.projector, live, decoded(found, live), found[-1].position)

    def catch_up(self) -> None:
        while max(one.position for one in self._held) < self.log.head().position:
            self.project(64)
        while catch_up(self._in.projector, self.log, self._held, self.log.head().position):
            pass

    def rebuild(self, dice: int) -> None:
        """One view made from nothing must be the one that followed."""
        self.catch_up()
        name = sorted(self._in.known)[dice % len(self._in.known)]
        rebuilt = rebuild_projection(self._in.store, name, lambda *_: None)
        found = compare_projection(self._in.store, name, lambda *_: None, rebuilt.version)
        drop_projection(self._in.store, name, rebuilt.version)
        assert (found.differences, found.named) == (0, ())
        assert found.position == self.log.head().position

    @contextmanager
    def views(self) -> Iterator[Views]:
        with self._in.container.reading().now(self.log.head().position) as views:
            yield views

    def at(self, position: Position) -> AbstractContextManager[Views]:
        reading: AbstractContextManager[Views] = self._in.container.reading().at(self.run, position)
        return reading

    def close(self) -> None:
        """What is left for the next history."""
        self.catch_up()


@contextmanager
def an_installation(dsn: str) -> Iterator[PostgresInstallation]:
    with closing(PostgresInstallation(dsn)) as made:
        yield made
