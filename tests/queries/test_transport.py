from application.projections.transport import HEALTH
from application.queries.run import run
from application.queries.transport import REPORTERS_SHOWN
from domain.ids import Micros
from tests import factories as a
from tests.queries.reports import SECOND


def beat(number: int, dropped: int = 0, stream: str = "t", **changes):
    values = {"stream_id": stream, "queued_points": 1, "capacity_points": 100_000, "dropped_points": dropped}
    values |= {"dropped_events": 0, "send_failures": 0, "last_success_unix": 0.0}
    given = {"id": f"{stream}:{number}", "kind": "health", "name": "transport", "values": values}
    return a.an_observation(**{**given, **changes})


def transport(reports, silent: int = 0):
    return run(reports.views, a.RUN, now=Micros(reports.now + silent * SECOND)).transport


def test_nothing_lost_is_ok_and_anything_lost_is_lossy(reports):
    reports.of(beat(0))
    before = transport(reports)
    reports.of(beat(1, dropped=7))

    after = transport(reports)

    assert (before.state, before.dropped_points) == ("ok", 0)
    assert (after.state, after.dropped_points, after.capacity_points) == ("lossy", 7, 100_000)


def test_a_heartbeat_is_timed_by_the_server_and_60_s_without_one_are_unknown(reports):
    reports.of(beat(0, ts="1999-01-01T00:00:00Z"))

    assert transport(reports).last_heartbeat_at == "2026-01-01T00:00:03.000000Z"
    assert (transport(reports, silent=59).state, transport(reports, silent=60).state) == ("ok", "unknown")


def test_health_is_found_behind_any_number_of_later_events(reports):
    reports.of(beat(0, dropped=7), *(a.an_observation(id=f"n{n}", name="noise") for n in range(320)))

    assert (transport(reports).state, transport(reports).dropped_points) == ("lossy", 7)


def test_reporters_and_attempts_count_together(restarted):
    restarted.of(beat(0, dropped=1), beat(1, dropped=2), beat(0, 10, stream="u"), beat(0, 100, attempt=1))

    assert transport(restarted).dropped_points == 112


def test_the_latest_of_every_kind_of_health_is_kept_apart(reports):
    def invalid(count: int, **changes):
        values = {"invalid": count, "dropped": 0, "first_reason": "nan"}
        return a.an_observation(kind="health", name="invalid_metrics", id=f"i{count}", values=values, **changes)

    reports.of(beat(0), invalid(1), invalid(5), a.an_observation(), beat(1, dropped=3))

    found = transport(reports).reporters
    assert [(one.name, one.stream_id, one.recorded_at[-10:]) for one in found] == [
        ("transport", "t", "07.000000Z"),
        ("invalid_metrics", None, "05.000000Z"),
    ]
    assert [one.values.get("invalid") for one in found] == [None, 5]


def test_of_very_many_reporters_the_latest_attempts_are_shown(restarted):
    restarted.of(
        *(beat(0, dropped=1, stream=f"t{n}") for n in range(REPORTERS_SHOWN)), beat(0, attempt=1, stream="new")
    )

    shown = transport(restarted)
    assert (len(shown.reporters), shown.reporters[0].attempt) == (REPORTERS_SHOWN, 1)
    assert shown.dropped_points == REPORTERS_SHOWN


def test_a_reporter_may_call_itself_anything(reports):
    long = "名" * 511
    reports.of(
        beat(0, dropped=1, stream="a\0b", id="1"),
        beat(1, dropped=2, stream="a\0b", id="2"),
        beat(0, dropped=10, stream=long + "x", id="3"),
        beat(1, dropped=20, stream=long + "x", id="4"),
        beat(0, dropped=100, stream=long + "y", id="5"),
    )

    assert transport(reports).dropped_points == 122
    assert {one.stream_id for one in transport(reports).reporters} == {"a\0b", long + "x", long + "y"}


def test_what_names_a_reporter_fits_an_index_of_postgresql(reports):
    most = a.an_observation(kind="health", name="名" * 256, values={"stream_id": "名" * 512})
    reports.of(most)

    (record,) = reports.views.records.find(HEALTH)
    assert sum(len(str(getattr(record, field)).encode()) for field in HEALTH.key) < 2000
