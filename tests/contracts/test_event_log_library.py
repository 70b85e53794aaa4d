"""The contract suites of the eventsourcing library, run on our recorder."""

import hashlib
from collections.abc import Sequence
from typing import Any
from unittest import SkipTest
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError, StoredEvent
from eventsourcing.tests import persistence as suites

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from application.ports.event_log import Candidate
from domain.errors import DomainFault
from domain.placement import Verdict
from tests.contracts.event_log import always, placed, wait_until
from tests.factories import a_run

_LISTENING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
)


class LibraryRecorder(PostgresEventLog):
    """Takes events as the library hands them over; a repeat is an `IntegrityError` there."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int]:  # type: ignore[override]
        (answer,) = self.append([[_candidate(event) for event in stored_events]])
        if isinstance(answer, DomainFault):
            raise IntegrityError(str(answer))
        return [one.position for one in answer]

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Any:
        """Returns once the subscription listens: of what came between its first look and then, nobody would tell it."""
        subscription = super().subscribe(gt, topics)
        wait_until(self._is_heard, "the subscription listens")
        return subscription

    def _is_heard(self) -> bool:
        with self.datastore.get_connection() as connection:
            (listening,) = connection.execute(_LISTENING).fetchone().values()
        return bool(listening)


def _candidate(event: StoredEvent) -> Candidate:
    assert isinstance(event.originator_id, UUID)
    placement = placed(a_run(), event.originator_version, stream=event.originator_id, settle=always(Verdict.TAKEN))
    return Candidate(placement, event.topic, event.state, hashlib.sha256(event.state).digest())


class OnOurRecorder:
    @pytest.fixture(autouse=True)
    def _make(self, database: Database):
        self._recorder = LibraryRecorder(database)
        yield
        self._recorder.close()

    def create_recorder(self) -> LibraryRecorder:
        return self._recorder


class TestApplicationRecorder(OnOurRecorder, suites.ApplicationRecorderTestCase):
    def test_performance(self) -> None:
        raise SkipTest("a measurement, no promise")

    test_concurrent_throughput = test_performance


class TestNonInterleavingNotificationIds(OnOurRecorder, suites.NonInterleavingNotificationIDsBaseCase):
    pass


def test_events_enter_through_append_alone(database: Database):
    log = PostgresEventLog(database)
    with pytest.raises(TypeError, match="append"):
        log.insert_events([])


def test_the_librarys_subscription_follows_our_log(database: Database):
    recorder = LibraryRecorder(database)
    with recorder.subscribe(gt=0) as subscription:
        recorder.insert_events([StoredEvent(placed().stream, 1, "topic", b"state")])
        notification = next(subscription)
    recorder.close()
    assert (notification.id, notification.topic, notification.state) == (1, "topic", b"state")
