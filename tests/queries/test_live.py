import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application.queries.live import (
    STREAMS,
    LifecycleNews,
    LogNews,
    Message,
    ObservationNews,
    PointsNews,
    RoundNews,
    advance,
    start,
)
from domain.errors import Refused, UnknownRun
from domain.ids import Position, RunId
from tests import factories as a
from tests.queries.reports import Reports


def heard(reports, cursor=None, streams=STREAMS):
    """Everything behind the cursor: messages, the cursor behind them, and whether the stream has ended."""
    messages: list[Message] = []
    found = None
    cursor = cursor or start(a.RUN)
    while found is None or found.more:
        found = advance(reports.views, a.RUN, streams, cursor)
        messages += found.messages
        cursor = found.cursor
    return messages, cursor, found.ended


def words(messages):
    return [line.text for one in messages if isinstance(one.data, LogNews) for line in one.data.lines]


def test_lines_come_in_order_and_once(reports):
    reports.of(a.a_log("one\n"))
    first, cursor, _ = heard(reports)
    reports.of(a.a_log("two\nthree\n"))

    then, cursor, ended = heard(reports, cursor)

    assert (words(first), words(then), ended) == (["one"], ["two", "three"], False)
    assert heard(reports, cursor)[0] == []


def test_a_line_that_grows_comes_again_under_its_number(reports):
    reports.of(a.a_log("par"))
    first, cursor, _ = heard(reports)
    reports.of(a.a_log("tial\n"))

    then, _, _ = heard(reports, cursor)

    assert [(line.n, line.text, line.partial) for one in first + then for line in getattr(one.data, "lines", ())] == [
        (0, "par", True),
        (0, "partial", False),
    ]


def test_the_stream_ends_when_the_log_has_ended_and_all_was_said(reports):
    reports.of(a.a_log("last\n", eof=True))

    messages, cursor, ended = heard(reports)

    assert (words(messages), ended) == (["last"], True)
    assert heard(reports, cursor)[::2] == ([], True)


def test_a_log_without_an_end_keeps_the_stream_open(reports):
    reports.of(a.a_log("going on\n"))

    assert heard(reports)[2] is False


def test_the_next_attempt_follows_the_one_before(restarted):
    restarted.of(a.a_log("first\n", eof=True), a.a_log("second\n", attempt=1, eof=True))

    messages, _, ended = heard(restarted)

    assert [(one.data.attempt, words([one])) for one in messages if isinstance(one.data, LogNews)] == [
        (0, ["first"]),
        (1, ["second"]),
    ]
    assert ended is True


def test_a_new_attempt_reopens_a_stream_that_had_ended(reports):
    reports.of(a.a_log("first\n", eof=True))
    _, cursor, _ = heard(reports)
    reports.of(a.an_execution(attempt=1, token_id="t2"), a.a_log("second\n", attempt=1))

    messages, _, ended = heard(reports, cursor)

    assert (words(messages), ended) == (["second"], False)


def test_each_stream_says_what_changed(reports):
    reports.of(
        a.a_lifecycle("running"),
        a.an_outcome(round_id="r1"),
        a.a_population(round_id="r2"),
        a.a_lifecycle("failed"),
    )

    messages, _, _ = heard(reports, streams=("lifecycle", "validation"))

    said = [one.data for one in messages]
    assert [one.event for one in messages] == ["lifecycle", "validation", "lifecycle"]
    assert isinstance(said[0], LifecycleNews)
    assert said[0].event == "running"
    assert isinstance(said[1], RoundNews)
    assert said[1].round_ids == ["r1", "r2"]
    assert isinstance(said[2], LifecycleNews)
    assert said[2].event == "failed"


def test_points_are_counted_not_sent(reports):
    reports.of(a.a_metrics_batch(points=2), a.a_metrics_batch(points=3))

    messages, _, _ = heard(reports, streams=("metrics",))

    assert [one.data.points for one in messages if isinstance(one.data, PointsNews)] == [5]


def test_what_was_not_asked_for_does_not_come(reports):
    reports.of(a.a_log("line\n"), a.a_lifecycle("running"))

    assert heard(reports, streams=("metrics",))[0] == []


@pytest.mark.parametrize("junk", ["junk", "-1", "1" + "0" * 30, "=" * 9000, "\x00", "WyJsaXZlIixbXV0"])
def test_a_cursor_that_was_never_given_out_is_refused(reports, junk):
    with pytest.raises(Refused):
        advance(reports.views, a.RUN, STREAMS, junk)


def test_a_cursor_of_another_run_is_refused(reports):
    with pytest.raises(Refused):
        advance(reports.views, a.RUN, STREAMS, start(RunId("another")))


def test_an_unknown_run_is_unknown(reports):
    with pytest.raises(UnknownRun):
        advance(reports.views, RunId("another"), STREAMS, start(RunId("another")))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a", "b\n", "\n", "c\nd", "e\r", "", "lifecycle", "outcome"]), max_size=20), st.data())
def test_resuming_at_any_id_repeats_nothing_and_skips_nothing(pieces, data):
    reports = Reports()
    reports.of(a.a_run(), a.an_execution())
    whole, cursor = [], start(a.RUN)
    for number, piece in enumerate(pieces):
        if piece == "lifecycle":
            reports.of(a.a_lifecycle("running"))
        elif piece == "outcome":
            reports.of(a.an_outcome(trial_id=f"t{number}"))
        else:
            reports.of(a.a_log(piece))
        messages, cursor, _ = heard(reports, cursor)
        whole += messages
    if whole:
        cut = data.draw(st.integers(0, len(whole) - 1))
        later, _, _ = heard(reports, whole[cut].id)
        assert final_lines(whole[: cut + 1] + later) == final_lines(whole)
        kept = [one for one in whole[cut + 1 :] if one.event != "logs"]
        assert positions(later) == positions(kept)


def final_lines(messages):
    return {
        line.n: (line.text, line.partial)
        for one in messages
        if isinstance(one.data, LogNews)
        for line in one.data.lines
    }


def positions(messages):
    """The last position said of each stream: neighbours may be joined."""
    return {one.event: one.data.position for one in messages if one.event != "logs"}


def test_observations_come_as_the_kinds_that_there_are(reports):
    histogram = {"kind": "histogram", "bounds": (0,), "counts": (1, 2)}
    reports.of(a.an_observation(), a.an_observation(id="e2"), a.an_observation(id="h", **histogram), a.a_contract())

    messages, cursor, _ = heard(reports, streams=("observations",))

    assert [(one.event, one.data) for one in messages] == [
        ("observations", ObservationNews(Position(6), ["event", "histogram", "contract"]))
    ]
    assert heard(reports, cursor, streams=("observations",))[0] == []
    assert {one.event for one in heard(reports, streams=("logs", "metrics", "lifecycle", "validation"))[0]} == {
        "lifecycle"
    }
