from application.queries.reporter import REPORTERS, reporters
from domain.ids import Micros
from tests import factories as a
from tests.queries.reports import SECOND
from tests.queries.test_transport import beat


def found(reports, silent: int = 0, attempt: int | None = None):
    return reporters(reports.views, a.RUN, now=Micros(reports.now + silent * SECOND), attempt=attempt)


def test_each_reporter_stands_for_itself_with_what_it_said_over_time(restarted):
    restarted.of(beat(0, stream="t"), beat(1, stream="t", dropped=7), beat(0, stream="u"), beat(0, attempt=1))

    said = found(restarted)

    assert [(one.attempt, one.stream_id, one.dropped_points) for one in said.reporters] == [
        (1, "t", 0),
        (0, "u", 0),
        (0, "t", 7),
    ]
    assert [[then.dropped_points for then in one.over_time] for one in said.reporters] == [[0], [0], [0, 7]]
    assert [one.stream_id for one in found(restarted, attempt=1).reporters] == ["t"]


def test_silence_is_unknown_unless_the_reporter_said_that_it_has_finished(reports):
    values = {"stream_id": "t", "queued_points": 0}
    reports.of(a.an_observation(id="1", kind="health", name="transport", values=values))
    assert [found(reports, silent=n).reporters[0].state for n in (59, 60)] == ["heard", "unknown"]
    reports.of(a.an_observation(id="2", kind="health", name="transport", values={**values, "finished": True}))
    assert found(reports, silent=600).reporters[0].state == "finished"


def test_what_a_reporter_did_not_say_or_said_oddly_is_unknown(reports):
    values = {"queued_points": "many", "node": 7, "pid": True}
    reports.of(a.an_observation(kind="health", name="transport", values=values))

    (one,) = found(reports).reporters

    assert (one.stream_id, one.node, one.pid, one.queued_points, one.send_failures) == (None, None, None, None, None)


def test_other_kinds_of_health_are_found_behind_any_number_of_later_events(reports):
    invalid = a.an_observation(id="i", kind="health", name="invalid_metrics", values={"invalid": 3})
    reports.of(invalid, *(a.an_observation(id=f"n{n}", name="noise") for n in range(320)))

    (one,) = found(reports).others

    assert (one.name, one.values) == ("invalid_metrics", {"invalid": 3})


def test_of_very_many_reporters_some_are_left_out_and_it_is_said(reports):
    reports.of(*(beat(0, stream=f"t{n}") for n in range(REPORTERS)))
    assert (len(found(reports).reporters), found(reports).more) == (REPORTERS, False)
    reports.of(beat(0, stream="one more"))
    assert (len(found(reports).reporters), found(reports).more) == (REPORTERS, True)
