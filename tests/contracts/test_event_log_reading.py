"""Every adapter of the event log is read alike, and restored alike."""

import pytest

from adapters.memory.event_log import MemoryEventLog
from application.event_log.hash_chain import GENESIS
from application.ports.event_log import Fate, Head
from domain.errors import IdentityTaken
from domain.ids import Micros, Position, RunId, stream_id
from tests.contracts.event_log import STREAM, append, append_one, everything, fates, is_sound, placed, positions, said
from tests.factories import NOON, a_log, a_population

NOWHERE = stream_id("nowhere")


class TestReading:
    @pytest.fixture
    def filled(self, log):
        """Positions 1 to 6: runs one, two, one, two, ...; every third event is a population."""
        for n in range(1, 7):
            run = RunId("one" if n % 2 else "two")
            event = a_population(run=run) if n % 3 == 0 else a_log("x" * 100, run=run)
            append_one(log, placed(event, n))
        return log

    def test_what_is_behind_a_position_comes_in_order(self, filled):
        assert positions(filled.read(0)) == [1, 2, 3, 4, 5, 6]
        assert positions(filled.read(4)) == [5, 6]
        assert filled.read(6) == filled.read(99) == []

    def test_until_is_included(self, filled):
        assert positions(filled.read(2, until=4)) == [3, 4]
        assert filled.read(4, until=4) == []
        assert filled.read(0, until=0) == []

    def test_at_most_limit_events_come(self, filled):
        assert positions(filled.read(1, limit=2)) == [2, 3]
        assert filled.read(0, limit=0) == []

    def test_at_most_max_bytes_of_payload_come_but_always_the_first(self, filled):
        size = len(filled.read(0, limit=1)[0].payload)
        assert positions(filled.read(0, max_bytes=2 * size)) == [1, 2]
        assert positions(filled.read(0, max_bytes=2 * size - 1)) == [1]
        assert positions(filled.read(0, max_bytes=0)) == [1]

    def test_one_run_is_read_alone(self, filled):
        assert positions(filled.read(0, run="two")) == [2, 4, 6]
        assert positions(filled.read(2, run="two", until=5)) == [4]
        assert filled.read(0, run="three") == []

    def test_types_are_read_alone(self, filled):
        assert positions(filled.read(0, tags={"population-declared.v1"})) == [3, 6]
        assert positions(filled.read(0, tags=["population-declared.v1"], run="two")) == [6]
        assert positions(filled.read(0, tags=("population-declared.v1", "log-reported.v1"), limit=3)) == [1, 2, 3]
        assert filled.read(0, tags=()) == []

    def test_limits_count_what_is_asked_for_alone(self, filled):
        size = len(filled.read(0, run="two", limit=1)[0].payload)
        assert positions(filled.read(0, run="two", limit=2, max_bytes=2 * size)) == [2, 4]

    def test_what_is_before_a_position_comes_from_the_latest_back(self, filled):
        assert positions(filled.read_back(7)) == [6, 5, 4, 3, 2, 1]
        assert positions(filled.read_back(3)) == [2, 1]
        assert positions(filled.read_back(99, limit=2)) == [6, 5]
        assert filled.read_back(1) == filled.read_back(7, limit=0) == []

    def test_reading_back_is_bounded_and_filtered_alike(self, filled):
        size = len(filled.read(0, limit=1)[0].payload)
        assert positions(filled.read_back(6, max_bytes=2 * size)) == [5, 4]
        assert positions(filled.read_back(6, max_bytes=2 * size - 1)) == [5]
        assert positions(filled.read_back(6, max_bytes=0)) == [5]
        assert positions(filled.read_back(6, run="two")) == [4, 2]
        assert positions(filled.read_back(6, tags={"population-declared.v1"})) == [3]
        assert positions(filled.read_back(7, tags=["population-declared.v1"], run="two")) == [6]
        assert filled.read_back(7, run="three") == filled.read_back(7, tags=()) == []

    def test_positions_are_fetched_in_order_and_absent_ones_left_out(self, filled):
        assert positions(filled.at([5, 2, 99, 0, 2])) == [2, 5]
        assert filled.at([]) == []

    def test_a_stream_is_read_by_version(self, log):
        append_one(log, placed("c", 3), placed("a", 1), placed("z", 1, stream=stream_id("other")), placed("b", 2))
        assert [event.version for event in log.stream(STREAM)] == [1, 2, 3]
        assert [event.version for event in log.stream(STREAM, 1)] == [2, 3]
        assert log.stream(STREAM, 3) == log.stream(NOWHERE) == []

    @pytest.mark.parametrize("text", ["naïve ✓ 𝄞", "quote ' \" \\ %s {}", "a\nb\tc"])
    def test_any_text_names_a_run(self, log, text):
        append_one(log, placed(a_log("x", run=text)))
        (event,) = log.read(0, run=text)
        assert event.run == text

    def test_every_reading_of_an_event_is_alike(self, log):
        append_one(log, placed("a"))
        (event,) = log.read(0)
        assert log.at([1]) == log.stream(STREAM) == log.read(0, run=event.run) == [event]
        assert type(event.digest) is type(event.hash) is type(event.payload) is bytes

    def test_a_version_may_be_as_large_as_63_bits(self, log):
        append_one(log, placed("a", (1 << 63) - 1))
        assert [event.version for event in log.stream(STREAM)] == [(1 << 63) - 1]


class TestRestoring:
    @pytest.fixture
    def original(self):
        log = MemoryEventLog(lambda: Micros(NOON + 1))
        append(log, [placed("a"), placed("b" * 100_000, 2)], [placed("c")])
        return everything(log)

    def test_a_restored_log_is_the_one_it_was(self, log, original):
        assert log.restore(original) == Head(Position(3), original[-1].hash)
        assert everything(log) == original
        assert log.head() == Head(Position(3), original[-1].hash)

    def test_a_restored_log_goes_on(self, log, original):
        log.restore(original)
        assert fates(append_one(log, placed("a"), placed("d", 4))) == [Fate.DUPLICATE, Fate.ACCEPTED]
        assert is_sound(everything(log))

    def test_nothing_restored_is_an_empty_log(self, log):
        assert log.restore([]) == Head(Position(0), GENESIS)

    def test_only_an_empty_log_is_restored(self, log, original):
        append_one(log, placed("here"))
        with pytest.raises(IdentityTaken):
            log.restore(original)
        assert said(log) == ["here"]

    def test_an_error_while_restoring_leaves_the_log_empty(self, log, original):
        def broken():
            yield from original
            raise KeyError("source")

        with pytest.raises(KeyError):
            log.restore(broken())
        assert everything(log) == []
        assert log.head() == Head(Position(0), GENESIS)
