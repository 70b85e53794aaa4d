"""What the tests of the event log share: places, appends, and the chain computed by other code than ours."""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence

from application.event_log.settlement import as_candidate
from application.ports.event_log import EventLog, Fate, Placed, RecordedEvent
from domain.errors import DomainFault
from domain.events import Event, decode
from domain.ids import Position, StreamId, stream_id
from domain.placement import Placement, Settle, Verdict
from tests.factories import a_log

Answer = tuple[Placed, ...] | DomainFault
STREAM = stream_id("stream")
START = Position(0)


def always(verdict: Verdict) -> Settle:
    """A rule that does not look at what is said."""
    return lambda _standing, _reported: verdict


def if_equal(verdict: Verdict, otherwise: Verdict) -> Settle:
    """A rule that does."""
    return lambda standing, reported: verdict if standing == reported else otherwise


FIRST_WINS = if_equal(Verdict.DUPLICATE, Verdict.SET_ASIDE)
LATEST_SHOWS = if_equal(Verdict.DUPLICATE, Verdict.NEXT_VERSION)
IMMUTABLE = if_equal(Verdict.DUPLICATE, Verdict.TAKEN)
APPEND = always(Verdict.NEXT_VERSION)
OPTIMISTIC = always(Verdict.MOVED_ON)


def placed(
    said: str | Event = "x", version: int | None = 1, *, stream: StreamId = STREAM, settle: Settle = FIRST_WINS
) -> Placement:
    event = a_log(said) if isinstance(said, str) else said
    return Placement(event=event, stream=stream, version=version, settle=settle)


def append(log: EventLog, *requests: Sequence[Placement]) -> list[Answer]:
    return log.append([[as_candidate(one) for one in request] for request in requests])


def append_one(log: EventLog, *request: Placement) -> tuple[Placed, ...]:
    (answer,) = append(log, request)
    assert not isinstance(answer, DomainFault), answer
    return answer


def fates(answer: Answer) -> list[Fate]:
    assert not isinstance(answer, DomainFault), answer
    return [one.fate for one in answer]


def positions(answers: Answer | Iterable[RecordedEvent]) -> list[int]:
    assert not isinstance(answers, DomainFault), answers
    return [one.position for one in answers]


def everything(log: EventLog) -> list[RecordedEvent]:
    return log.read(START, limit=1_000_000, max_bytes=1 << 40)


def is_sound(events: Sequence[RecordedEvent]) -> bool:
    """Positions without gaps, places unique, bodies as digested, and every hash as RULINGS says."""
    previous = bytes(32)
    for position, event in enumerate(events, 1):
        previous = by_hand(previous, event)
        digest = hashlib.sha256(event.payload or b"").digest()
        if event.position != position or event.digest != digest or event.hash != previous:
            return False
    return len({(event.stream, event.version) for event in events}) == len(events)


def by_hand(previous: bytes, event: RecordedEvent) -> bytes:
    """The chain hash, every field with its length in 4 bytes, numbers in 8 bytes, big end first."""
    fields = [
        previous,
        event.position.to_bytes(8, "big"),
        event.recorded_at.to_bytes(8, "big"),
        event.stream.bytes,
        event.version.to_bytes(8, "big"),
        event.tag.encode(),
        event.digest,
    ]
    return hashlib.sha256(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).digest()


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Polls; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.01)


def said(log: EventLog) -> list[str]:
    """What the log pieces in the log say; other events by their type."""
    return [getattr(event, "pieces", (type(event).__name__,))[0] for event in map(event_of, everything(log))]


def event_of(recorded: RecordedEvent) -> Event:
    assert recorded.payload is not None
    return decode(recorded.tag, recorded.payload)
