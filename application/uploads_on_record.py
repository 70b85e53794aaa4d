"""Which uploaded bodies an artifact is registered under."""

from __future__ import annotations

from collections.abc import Iterator

from application.ports.event_log import EventLog, RecordedEvent
from domain.artifact import uploaded_sha256
from domain.events import ArtifactRegistered, decode
from domain.ids import Position, RunId

_TAGS = (str(ArtifactRegistered.__struct_config__.tag),)
_START = Position(0)


class UploadsOnRecord:
    """Remembers what it has read of the log, about 200 bytes an upload, and reads on from there. For one thread."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._seen = _START
        self._keys: set[str] = set()

    def __contains__(self, key: str) -> bool:
        """Whether an artifact is registered under the key now."""
        head = self._log.head().position
        for recorded in _registrations(self._log, self._seen, until=head):
            self._keys |= _key_of(recorded)
        self._seen = head
        return key in self._keys


def is_on_record(log: EventLog, run: RunId, key: str) -> bool:
    """Whether an artifact of the run is registered under the key; reads the run's registrations."""
    return any(key in _key_of(recorded) for recorded in _registrations(log, _START, run=run))


def _registrations(
    log: EventLog, after: Position, *, run: RunId | None = None, until: Position | None = None
) -> Iterator[RecordedEvent]:
    while some := log.read(after, run=run, until=until, tags=_TAGS):
        yield from some
        after = some[-1].position


def _key_of(recorded: RecordedEvent) -> set[str]:
    """The key of the upload that it is registered under, if any."""
    event = None if recorded.payload is None else decode(recorded.tag, recorded.payload)
    if not isinstance(event, ArtifactRegistered):
        return set()
    return {event.path} if uploaded_sha256(event.run, event.attempt, event.path) else set()
