"""Takes what the runner says of an execution attempt."""

from __future__ import annotations

from application.deciding import decided
from application.event_log.group_commit import GroupCommit, Receipt
from application.ports.event_log import EventLog, RecordedEvent
from domain.events import LifecycleReported, decode
from domain.lifecycle import lifecycle_stream, report_lifecycle


class ReportLifecycle:
    """A repeat is a duplicate, a step back or anything after a terminal event is set aside."""

    def __init__(self, commit: GroupCommit, log: EventLog) -> None:
        self._commit = commit
        self._log = log

    def __call__(self, reported: LifecycleReported) -> Receipt:
        """Read, decide, append."""
        return decided(lambda: self._tried(reported))

    def _tried(self, reported: LifecycleReported) -> Receipt:
        recorded = self._log.stream(lifecycle_stream(reported.run, reported.attempt))
        history = [event for event in map(_event, recorded) if isinstance(event, LifecycleReported)]
        return self._commit.append_now([report_lifecycle(history, reported)])


def _event(recorded: RecordedEvent) -> object:
    return None if recorded.payload is None else decode(recorded.tag, recorded.payload)
