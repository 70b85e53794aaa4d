"""Verification, export, import and replay of the log, and every way of tampering that must show."""

import base64
import json
from collections.abc import Callable, Iterator

import msgspec
import pytest

from adapters.memory.event_log import MemoryEventLog
from application.commands.export_log import export_log, verify_export
from application.commands.import_log import import_log
from application.commands.replay_run import replay_run
from application.commands.verify_log import verify_log
from application.event_log.hash_chain import GENESIS, chained
from application.ports.event_log import Head, RecordedEvent
from domain.errors import IdentityTaken, Refused
from domain.ids import Position, RunId
from tests.contracts.event_log import append, append_one, everything, placed
from tests.factories import NOON, a_log, a_metrics_batch, a_population, an_outcome

replace = msgspec.structs.replace


@pytest.fixture
def log() -> MemoryEventLog:
    """Five events in two groups, one of another run."""
    log = MemoryEventLog(lambda: NOON)
    append(log, [placed("a"), placed("b", 2)], [placed(a_population(), 3)])
    append_one(log, placed("d", 4), placed(a_log("e", run="other"), 5))
    return log


def restored(events: list[RecordedEvent]) -> MemoryEventLog:
    log = MemoryEventLog()
    log.restore(events)
    return log


def erased(event: RecordedEvent) -> RecordedEvent:
    return replace(event, payload=None)


def rehashed(events: list[RecordedEvent]) -> list[RecordedEvent]:
    """The chain made anew, as somebody with the whole store in his hands would."""
    previous, result = GENESIS, []
    for position, event in enumerate(events, 1):
        previous = chained(
            previous, Position(position), event.recorded_at, event.stream, event.version, event.tag, event.digest
        )
        result.append(replace(event, position=Position(position), hash=previous))
    return result


def swapped(events: list[RecordedEvent]) -> list[RecordedEvent]:
    first, second = events[1], events[2]
    events[1] = replace(second, position=first.position)
    events[2] = replace(first, position=second.position)
    return events


def at(index: int, **changes: object) -> Callable[[list[RecordedEvent]], list[RecordedEvent]]:
    return lambda events: [*events[:index], replace(events[index], **changes), *events[index + 1 :]]


TAMPERING = {
    "a body": (at(2, payload=b"other"), 3, "body"),
    "a digest": (at(2, digest=bytes(32), payload=None), 3, "hash"),
    "a hash": (at(2, hash=bytes(32)), 3, "hash"),
    "a time": (at(2, recorded_at=NOON + 1), 3, "hash"),
    "a type": (at(2, tag="log-reported.v1"), 3, "hash"),
    "a version": (at(2, version=9), 3, "hash"),
    "a run": (at(2, run=RunId("other")), 3, "run"),
    "the order": (swapped, 2, "hash"),
    "the first event removed": (lambda events: events[1:], 1, "missing"),
    "an event removed": (lambda events: events[:2] + events[3:], 3, "missing"),
    "an event removed and the rest renumbered": (
        lambda events: [replace(event, position=Position(n)) for n, event in enumerate(events[:2] + events[3:], 1)],
        3,
        "hash",
    ),
    "an event repeated": (lambda events: [*events[:2], events[1], *events[2:]], 3, "missing"),
}


class TestVerifying:
    def test_a_log_that_nobody_touched_is_sound(self, log):
        checked = verify_log(log)
        assert (checked.head, checked.bodies, checked.erased, checked.fault) == (log.head(), 5, 0, None)

    def test_an_empty_log_is_sound(self):
        assert verify_log(MemoryEventLog()).head == Head(Position(0), GENESIS)

    def test_an_erased_body_is_proven_by_its_digest(self, log):
        events = everything(log)
        events[1] = erased(events[1])
        checked = verify_log(restored(events), [log.head()])
        assert (checked.head, checked.bodies, checked.erased, checked.fault) == (log.head(), 4, 1, None)

    @pytest.mark.parametrize("change", TAMPERING)
    def test_tampering_is_found_and_its_first_position_named(self, log, change):
        tampered, position, word = TAMPERING[change]
        lines = list(map(_line, tampered(everything(log))))
        fault = verify_export(lines).fault
        assert fault is not None
        assert fault.position == position
        assert word in fault.what

    def test_an_end_that_was_cut_off_shows_against_a_published_head(self, log):
        cut = restored(everything(log)[:3])
        assert verify_log(cut).fault is None
        fault = verify_log(cut, [log.head()]).fault
        assert fault is not None
        assert fault.position == 4

    def test_a_log_that_was_rewritten_as_a_whole_shows_against_a_published_head(self, log):
        events = everything(log)
        rewritten = restored(rehashed([*events[:2], *events[3:]]))
        assert verify_log(rewritten).fault is None
        fault = verify_log(rewritten, [Head(Position(2), events[1].hash), Head(Position(3), events[2].hash)]).fault
        assert fault is not None
        assert fault.position == 3
        assert "published" in fault.what

    def test_published_heads_that_agree_change_nothing(self, log):
        heads = [Head(event.position, event.hash) for event in everything(log)]
        assert verify_log(log, heads).fault is None

    def test_progress_is_told_in_positions(self, log, monkeypatch):
        monkeypatch.setattr("application.commands.verify_log.BATCH_EVENTS", 2)
        told: list[tuple[int, int]] = []
        verify_log(log, progress=lambda done, last: told.append((done, last)))
        assert told == [(2, 5), (4, 5), (5, 5)]


def _line(event: RecordedEvent) -> bytes:
    return next(export_log(_Only(event)))


class _Only(MemoryEventLog):
    """A log of one event, whatever its position."""

    def __init__(self, event: RecordedEvent) -> None:
        super().__init__()
        self._only = event

    def read(self, *_: object, **__: object) -> list[RecordedEvent]:
        return [self._only]


class TestExporting:
    def test_a_line_holds_everything_that_is_hashed(self, log):
        first = json.loads(next(export_log(log)))
        event = everything(log)[0]
        assert first == {
            "position": 1,
            "recorded_at": NOON,
            "type": "log-reported.v1",
            "stream": str(event.stream),
            "version": 1,
            "run": "run-1",
            "digest": event.digest.hex(),
            "hash": event.hash.hex(),
            "payload": base64.b64encode(event.payload or b"").decode(),
        }

    def test_an_export_verifies_without_the_server(self, log):
        checked = verify_export(export_log(log), [log.head()])
        assert (checked.head, checked.bodies, checked.fault) == (log.head(), 5, None)

    def test_an_export_ends_where_it_is_told_to(self, log):
        lines = list(export_log(log, until=Position(2)))
        assert len(lines) == 2
        assert all(line.endswith(b"\n") for line in lines)

    def test_an_export_that_was_cut_shows_against_a_published_head(self, log):
        fault = verify_export(list(export_log(log))[:4], [log.head()]).fault
        assert fault is not None
        assert fault.position == 5

    def test_a_line_that_is_none_is_named(self, log):
        lines = list(export_log(log))
        for torn in (b"{", b'{"position": 1}', lines[1].replace(b'"digest":"', b'"digest":"xx')):
            with pytest.raises(Refused, match="line 2"):
                verify_export([lines[0], torn])

    def test_an_erased_body_is_exported_as_null(self, log):
        events = everything(log)
        events[0] = erased(events[0])
        line = next(export_log(restored(events)))
        assert json.loads(line)["payload"] is None


class TestImporting:
    def test_an_import_is_the_log_that_was_exported(self, log):
        copy = MemoryEventLog()
        assert import_log(export_log(log), copy, [log.head()]) == log.head()
        assert everything(copy) == everything(log)

    @pytest.mark.parametrize("change", TAMPERING)
    def test_what_was_tampered_with_is_refused_by_position_and_nothing_is_imported(self, log, change):
        tampered, position, _ = TAMPERING[change]
        copy = MemoryEventLog()
        with pytest.raises(Refused, match=f"event {position}"):
            import_log(map(_line, tampered(everything(log))), copy)
        assert everything(copy) == []

    def test_an_export_that_was_cut_is_refused_against_a_published_head(self, log):
        copy = MemoryEventLog()
        with pytest.raises(Refused, match="event 5"):
            import_log(list(export_log(log))[:4], copy, [log.head()])
        assert everything(copy) == []

    def test_only_an_empty_log_is_filled(self, log):
        with pytest.raises(IdentityTaken):
            import_log(export_log(log), log)

    def test_progress_is_told(self, log, monkeypatch):
        monkeypatch.setattr("application.commands.import_log.PROGRESS_EVERY", 2)
        told: list[int] = []
        import_log(export_log(log), MemoryEventLog(), progress=told.append)
        assert told == [2, 4]


class TestReplaying:
    def lines(self, log: MemoryEventLog, run: str = "run-1", until: int | None = None) -> Iterator[str]:
        return replay_run(log, RunId(run), None if until is None else Position(until))

    def test_a_run_is_told_in_the_order_it_was_accepted(self, log):
        append_one(log, placed(an_outcome(status="failure"), 6))
        told = list(self.lines(log))
        assert [line.split()[0] for line in told] == ["1", "2", "3", "4", "6"]
        assert told[0].split()[1:3] == ["2026-01-01T00:00:00.000000Z", "log-reported.v1"]
        assert "expected=5" in told[2]
        assert "status='failure'" in told[4]

    def test_a_replay_ends_where_it_is_told_to(self, log):
        assert len(list(self.lines(log, until=3))) == 3
        assert len(list(self.lines(log, "other"))) == 1
        assert list(self.lines(log, "absent")) == []

    def test_control_characters_come_escaped(self, log):
        append_one(log, placed(a_log("\x1b[2J\r\n\u202e", run="ansi"), 7))
        (line,) = self.lines(log, "ansi")
        assert line.isprintable()
        assert line.isascii()
        assert "\\x1b[2J" in line

    def test_bodies_are_told_by_size_and_long_values_cut(self, log):
        append_one(log, placed(a_metrics_batch(run="big"), 7), placed(a_log("x" * 5_000, run="big"), 8))
        metrics, text = self.lines(log, "big")
        assert "<1 bytes>" in metrics
        assert "characters]" in text
        assert len(text) < 400

    def test_an_erased_body_is_told_as_erased(self, log):
        events = [erased(event) for event in everything(log)]
        assert events[0].digest.hex() in next(self.lines(restored(events)))
