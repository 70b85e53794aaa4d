"""Every adapter of the event log keeps the same promises."""

import threading
import uuid

from application.event_log.hash_chain import GENESIS
from application.ports.event_log import Fate, Head
from domain.errors import IdentityTaken, StreamMovedOn
from domain.events import Event, ReportSetAside, decode, encode
from domain.ids import Position, stream_id
from domain.outcome import report_outcome
from domain.placement import Verdict
from domain.rules import latest_version_shows
from tests.contracts.event_log import (
    APPEND,
    IMMUTABLE,
    LATEST_SHOWS,
    OPTIMISTIC,
    STREAM,
    always,
    append,
    append_one,
    event_of,
    everything,
    fates,
    is_sound,
    placed,
    positions,
    said,
)
from tests.factories import NOON, TS, a_log, a_population, an_outcome


class TestIdentities:
    def test_a_free_place_is_taken(self, log):
        (one,) = append_one(log, placed("a", 7))
        assert (one.fate, one.position) == (Fate.ACCEPTED, 1)
        (event,) = everything(log)
        assert (event.stream, event.version, event.tag, event.run) == (STREAM, 7, "log-reported.v1", "run-1")
        assert (event.recorded_at, event.payload) == (NOON, encode(a_log("a")))

    def test_an_equal_event_is_a_duplicate_and_is_answered_as_the_first_was(self, log):
        (first,) = append_one(log, placed("a"))
        append_one(log, placed("b", 2))
        (again,) = append_one(log, placed("a"))
        assert (again.fate, again.position, again.hash) == (Fate.DUPLICATE, first.position, first.hash)
        assert said(log) == ["a", "b"]

    def test_an_event_that_differs_in_its_clock_alone_is_a_duplicate(self, log):
        append_one(log, report_outcome(an_outcome(ts=TS)))
        (again,) = append_one(log, report_outcome(an_outcome(ts="2026-01-01T00:00:09Z")))
        assert again.fate is Fate.DUPLICATE
        assert log.head().position == 1

    def test_a_different_event_is_set_aside_and_recorded(self, log):
        append_one(log, placed("a"))
        (losing,) = append_one(log, placed("b"))
        assert (losing.fate, losing.position) == (Fate.SET_ASIDE, 2)
        record = event_of(everything(log)[1])
        assert isinstance(record, ReportSetAside)
        assert (record.standing_stream, record.standing_version) == (STREAM, 1)
        assert decode(record.reported_tag, record.reported) == a_log("b")

    def test_a_losing_report_is_recorded_once_however_often_it_comes(self, log):
        append_one(log, placed("a"))
        first = append_one(log, placed("b"))
        assert append_one(log, placed("b")) == first
        assert append_one(log, placed("b"), placed("b")) == first * 2
        assert log.head().position == 2

    def test_a_losing_report_is_recorded_once_whatever_its_clock_says(self, log):
        append_one(log, report_outcome(an_outcome(status="success")))
        first = append_one(log, report_outcome(an_outcome(status="failure", ts=TS)))
        again = append_one(log, report_outcome(an_outcome(status="failure", ts="2026-01-01T00:00:09Z")))
        assert first == again
        assert log.head().position == 2

    def test_a_repeat_and_a_losing_report_in_one_request_are_told_apart(self, log):
        append_one(log, placed("a"))
        answer = append_one(log, placed("a"), placed("b"), placed("a"))
        assert fates(answer) == [Fate.DUPLICATE, Fate.SET_ASIDE, Fate.DUPLICATE]

    def test_each_different_losing_report_is_recorded(self, log):
        append_one(log, placed("a"))
        assert positions(append_one(log, placed("b"), placed("c"), placed("b"))) == [2, 3, 2]

    def test_what_loses_against_an_event_of_its_own_request_is_set_aside(self, log):
        answer = append_one(log, placed("a"), placed("b"), placed("a"))
        assert fates(answer) == [Fate.ACCEPTED, Fate.SET_ASIDE, Fate.DUPLICATE]
        assert positions(answer) == [1, 2, 1]

    def test_what_loses_against_an_event_of_another_request_of_its_group_is_set_aside(self, log):
        answers = append(log, [placed("a")], [placed("b")], [placed("a")], [placed("b")])
        assert [positions(answer) for answer in answers] == [[1], [2], [1], [2]]

    def test_an_immutable_identity_refuses_other_content(self, log):
        append_one(log, placed("a", settle=IMMUTABLE))
        (answer,) = append(log, [placed("b", settle=IMMUTABLE)])
        assert isinstance(answer, IdentityTaken)
        assert fates(append_one(log, placed("a", settle=IMMUTABLE))) == [Fate.DUPLICATE]
        assert said(log) == ["a"]

    def test_a_decision_on_old_state_is_refused_even_when_it_says_the_same(self, log):
        append_one(log, placed("a", settle=OPTIMISTIC))
        same, other = append(log, [placed("a", settle=OPTIMISTIC)], [placed("b", settle=OPTIMISTIC)])
        assert isinstance(same, StreamMovedOn)
        assert isinstance(other, StreamMovedOn)
        assert log.head().position == 1

    def test_the_next_version_is_compared_with_the_latest_alone(self, log):
        for piece in ("a", "b", "b", "a", "a"):
            append_one(log, placed(piece, None, settle=LATEST_SHOWS))
        assert said(log) == ["a", "b", "a"]
        assert [event.version for event in log.stream(STREAM)] == [1, 2, 3]

    def test_the_next_version_is_compared_with_the_latest_of_its_own_request(self, log):
        append_one(log, placed("a", None, settle=LATEST_SHOWS))
        answer = append_one(log, *(placed(piece, None, settle=LATEST_SHOWS) for piece in "abba"))
        assert fates(answer) == [Fate.DUPLICATE, Fate.ACCEPTED, Fate.DUPLICATE, Fate.ACCEPTED]
        assert said(log) == ["a", "b", "a"]

    def test_the_next_version_follows_the_greatest_there_is(self, log):
        append_one(log, placed("a", 9), placed("b", 4))
        append_one(log, placed("c", None, settle=APPEND))
        append_one(
            log, placed("d", 30), placed("e", None, settle=APPEND), placed("f", 20), placed("g", None, settle=APPEND)
        )
        append_one(log, placed("h", None, settle=APPEND))
        assert [(event.version, piece) for event, piece in zip(everything(log), said(log), strict=True)] == [
            (9, "a"), (4, "b"), (10, "c"), (30, "d"), (31, "e"), (20, "f"), (32, "g"), (33, "h"),
        ]  # fmt: skip

    def test_the_next_version_that_differs_from_the_latest_in_its_clock_alone_is_a_duplicate(self, log):
        append_one(log, latest_version_shows.place(an_outcome(ts=TS), STREAM))
        again = latest_version_shows.place(an_outcome(ts="2026-01-01T00:00:09Z"), STREAM)
        other = latest_version_shows.place(an_outcome(status="failure", ts=TS), STREAM)
        assert fates(append_one(log, again, other, again)) == [Fate.DUPLICATE, Fate.ACCEPTED, Fate.ACCEPTED]

    def test_what_is_always_appended_is_kept_twice(self, log):
        answer = append_one(log, placed("a", None, settle=APPEND), placed("a", None, settle=APPEND))
        again = append_one(log, placed("a", None, settle=APPEND))
        assert fates(answer + again) == [Fate.ACCEPTED] * 3
        assert [event.version for event in log.stream(STREAM)] == [1, 2, 3]

    def test_a_numbered_event_may_be_answered_with_the_next_version(self, log):
        append_one(log, placed("a", 1), placed("b", 5))
        answer = append_one(log, placed("c", 1, settle=APPEND), placed("d", 1, settle=APPEND))
        assert fates(answer) == [Fate.ACCEPTED] * 2
        assert [event.version for event in everything(log)] == [1, 5, 6, 7]

    def test_one_content_under_two_identities_is_two_events(self, log):
        append_one(log, placed("a", 1), placed("a", 2), placed("a", 1, stream=stream_id("other")))
        assert log.head().position == 3

    def test_an_event_of_another_type_for_a_taken_place_is_set_aside(self, log):
        append_one(log, placed(a_population()))
        assert fates(append_one(log, placed("b"))) == [Fate.SET_ASIDE]


class TestRequests:
    def test_a_refused_request_leaves_no_trace_and_does_not_concern_the_others(self, log):
        append_one(log, placed("a", settle=OPTIMISTIC))
        before, refused, after = append(
            log,
            [placed("b", 2)],
            [placed("c", 3), placed("d", 2), placed("f", 5), placed("e", 1, settle=OPTIMISTIC)],
            [placed("g", 3), placed("h", None, settle=APPEND)],
        )
        assert isinstance(refused, StreamMovedOn)
        assert (positions(before), positions(after)) == ([2], [3, 4])
        assert said(log) == ["a", "b", "g", "h"]
        assert [event.version for event in everything(log)] == [1, 2, 3, 4]

    def test_a_losing_report_of_a_refused_request_is_recorded_when_it_comes_again(self, log):
        append_one(log, placed("a"))
        refused, accepted = append(log, [placed("b"), placed("a", settle=OPTIMISTIC)], [placed("b")])
        assert isinstance(refused, StreamMovedOn)
        assert positions(accepted) == [2]
        assert said(log) == ["a", "ReportSetAside"]

    def test_what_an_earlier_request_put_on_record_stays_when_a_later_one_is_refused(self, log):
        append_one(log, placed("a"))
        kept, refused, again = append(log, [placed("b")], [placed("b"), placed("a", settle=OPTIMISTIC)], [placed("b")])
        assert isinstance(refused, StreamMovedOn)
        assert positions(kept) == positions(again) == [2]
        assert log.head().position == 2

    def test_a_request_decided_on_what_an_earlier_one_of_its_group_changed_is_refused(self, log):
        first, second = append(log, [placed("a", settle=OPTIMISTIC)], [placed("b", settle=OPTIMISTIC)])
        assert positions(first) == [1]
        assert isinstance(second, StreamMovedOn)

    def test_an_identity_refused_in_a_group_is_free_for_the_next_request(self, log):
        append_one(log, placed("a", settle=OPTIMISTIC))
        refused, accepted = append(
            log, [placed("b", 2), placed("z", settle=OPTIMISTIC)], [placed("c", 2), placed("d", None, settle=APPEND)]
        )
        assert isinstance(refused, StreamMovedOn)
        assert positions(accepted) == [2, 3]
        assert said(log) == ["a", "c", "d"]

    def test_nothing_new_leaves_the_head_where_it_is(self, log):
        append_one(log, placed("a"))
        head = log.head()
        append(log, [placed("a")], [placed("x", settle=OPTIMISTIC)], [])
        assert log.head() == head

    def test_no_requests_are_answered_with_nothing(self, log):
        assert log.append([]) == []
        assert append(log, []) == [()]

    def test_2049_events_of_one_request_are_appended_whole(self, log):
        answer = append_one(log, *(placed(f"{n}", n, settle=OPTIMISTIC) for n in range(1, 2050)))
        assert positions(answer) == list(range(1, 2050))
        assert fates(append_one(log, *(placed(f"{n}", n) for n in range(1, 2050)))) == [Fate.DUPLICATE] * 2049
        assert is_sound(everything(log))

    def test_5000_events_of_one_request_are_looked_up_and_appended_whole(self, log):
        request = [placed(f"{n}", n) for n in range(1, 5001)]
        append_one(log, *request)
        assert positions(append_one(log, *request)) == list(range(1, 5001))

    def test_bodies_over_5_mb_are_appended_in_one_request_and_in_one_group(self, log):
        big = ["a" * 3_000_000, "b" * 3_000_000, "c" * 6_000_000]
        append_one(log, placed(big[0], 1), placed(big[1], 2))
        append(log, *([placed(piece, version)] for version, piece in enumerate([*big, "d" * 1_000_000], 3)))
        assert [len(piece) for piece in said(log)] == [3_000_000, 3_000_000, 3_000_000, 3_000_000, 6_000_000, 1_000_000]
        assert is_sound(everything(log))

    def test_a_body_over_5_mb_is_compared_with_what_stands(self, log):
        append_one(log, placed("a" * 6_000_000))
        answer = append_one(log, placed("b" * 6_000_000), placed("a" * 6_000_000))
        assert fates(answer) == [Fate.SET_ASIDE, Fate.DUPLICATE]


class TestChain:
    def test_an_empty_log_ends_at_genesis(self, log):
        assert log.head() == Head(Position(0), GENESIS)
        assert bytes(32) == GENESIS

    def test_every_hash_follows_from_the_one_before(self, log):
        append(log, [placed("a"), placed("b", 2)], [placed("c")])
        append_one(log, placed("d" * 100_000, 1 << 62), placed(a_population(), None, settle=APPEND))
        events = everything(log)
        assert len(events) == 5
        assert is_sound(events)
        assert log.head() == Head(events[-1].position, events[-1].hash)

    def test_hashes_are_those_of_the_published_vectors(self, log):
        append_one(log, placed("a", stream=uuid.UUID(int=1)), placed("b", 2, stream=uuid.UUID(int=1)))
        assert [event.hash.hex() for event in everything(log)] == VECTORS

    def test_answers_carry_the_hash_at_their_position(self, log):
        answer = append_one(log, placed("a"), placed("b", 2), placed("a"))
        events = everything(log)
        assert [one.hash for one in answer] == [events[0].hash, events[1].hash, events[0].hash]


VECTORS = [
    "a3e44c2fa192f99bc9d29902ed750c212f0bbf4ee113dddea457a2903881d6e9",
    "82c7e527eb9fc79ad3becc9afea222ac7b333a5d37a4b7278053570d7fe63c10",
]
"""Positions 1 and 2, recorded at noon of 1 January 2026; computed with sha256sum."""


class TestTogether:
    def test_a_reader_never_misses_an_event_committed_late(self, log):
        """Writers of groups of changing size; a reader that follows must see 1, 2, 3, … and whole requests."""
        writers, groups = 4, 25
        stop = threading.Event()
        problems: list[str] = []

        def write(number: int) -> None:
            for group in range(groups):
                size = 1 + (group * 7 + number) % 5
                requests = [
                    [placed(f"{number}", (group << 8) + one * 2 + half, stream=stream_id(number)) for half in (0, 1)]
                    for one in range(size)
                ]
                append(log, *requests)

        def follow() -> None:
            seen = 0
            while True:
                last = stop.is_set()
                events = log.read(seen, limit=1_000)
                if positions(events) != list(range(seen + 1, seen + 1 + len(events))):
                    problems.append(f"after {seen}: {positions(events)}")
                if len(events) % 2 and len(events) < 1_000:
                    problems.append(f"half a request after {seen}")
                seen += len(events)
                if last:
                    return

        reader = threading.Thread(target=follow)
        threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
        for thread in (reader, *threads):
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        reader.join()
        assert problems == []
        assert is_sound(everything(log))
        assert log.head().position == 2 * sum(1 + (g * 7 + n) % 5 for g in range(groups) for n in range(writers))

    def test_threads_that_report_the_same_record_it_once(self, log):
        answers: list[Fate] = []

        def report() -> None:
            answers.extend(fates(append_one(log, *(placed(f"{n}", n) for n in range(1, 21)))))

        threads = [threading.Thread(target=report) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers, key=str) == [Fate.ACCEPTED] * 20 + [Fate.DUPLICATE] * 100
        assert log.head().position == 20


def test_rules_are_asked_with_what_stands_first_and_what_came_second(log):
    asked: list[tuple[Event, Event]] = []

    def settle(standing, reported):
        asked.append((standing, reported))
        return Verdict.DUPLICATE

    append_one(log, placed("a"))
    append_one(log, placed("b", settle=settle))
    assert asked[-1] == (a_log("a"), a_log("b"))


def test_a_rule_that_does_not_look_at_contents_is_not_given_them(log):
    append_one(log, placed("a"))
    assert fates(append_one(log, placed("b", settle=always(Verdict.DUPLICATE)))) == [Fate.DUPLICATE]
