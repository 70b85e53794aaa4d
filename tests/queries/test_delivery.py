from application.queries.delivery import delivery_receipt
from application.queries.run import run
from domain.events.series import InvalidPoint
from tests import factories as a


def beat(n: int, name: str = "transport", stream: str = "s", **values):
    return a.an_observation(kind="health", name=name, id=f"{name}:{stream}:{n}", values={"stream_id": stream, **values})


def told(what: str, sent: int, duplicates: int = 0):
    return {f"sent_{what}": sent, f"duplicate_{what}": duplicates, f"set_aside_{what}": 0, f"dropped_{what}": 0}


def receipt(reports, attempt: int = 0):
    return delivery_receipt(reports.views, a.RUN, run(reports.views, a.RUN, now=reports.now).attempts[attempt])


def test_points_events_and_log_of_an_attempt_are_held_against_what_was_told(reports):
    invalid = (InvalidPoint(1, 0, "nan", 0),)
    reports.of(a.a_metrics_batch(points=3, invalid=invalid), a.a_log("größe\n"), a.a_contract(), a.a_population())
    reports.of(a.an_observation(), a.an_outcome(), a.a_protocol(), a.a_validation_metric())
    reports.of(beat(1, finished=True, **told("points", 4), **told("events", 7, duplicates=1)))
    reports.of(beat(1, "log_delivery", finished=True, **told("bytes", 8)), a.a_lifecycle("succeeded"))

    found = receipt(reports)

    assert (found.verdict, found.ended, found.reporters) == ("reconciled", True, 1)
    assert [(line.what, line.sent, line.stored, line.duplicates) for line in found.lines] == [
        ("points", 4, 4, 0),
        ("events", 7, 6, 1),
        ("log bytes", 8, 8, 0),
    ]


def test_only_the_latest_words_of_each_reporter_count(reports):
    reports.of(a.a_metrics_batch(points=3), beat(1, **told("points", 2)), beat(2, finished=True, **told("points", 3)))

    assert (receipt(reports).lines[0].sent, receipt(reports).lines[0].verdict) == (3, "reconciled")


def test_attempts_are_apart(restarted):
    restarted.of(a.a_metrics_batch(points=3), a.a_metrics_batch(points=5, attempt=1))
    restarted.of(beat(1, finished=True, **told("points", 3)))

    assert [receipt(restarted, n).lines[0].stored for n in (0, 1)] == [3, 5]
    assert [receipt(restarted, n).lines[0].verdict for n in (0, 1)] == ["reconciled", "unknown"]


def test_a_run_counts_all_its_attempts_and_each_attempt_its_own(restarted):
    restarted.of(a.a_metrics_batch(points=3), a.a_metrics_batch(points=5, attempt=1), a.a_log("ab", attempt=1))
    restarted.of(a.an_observation(), a.an_observation(values={"other": 1}))

    found = run(restarted.views, a.RUN, now=restarted.now)

    assert (found.counts.points, found.counts.log_bytes, found.counts.set_aside) == (8, 2, 1)
    assert [(one.received.points, one.received.log_bytes, one.received.set_aside) for one in found.attempts] == [
        (3, 0, 1),
        (5, 2, 0),
    ]


def test_an_attempt_that_sent_nothing_has_an_empty_receipt(reports):
    assert (receipt(reports).lines, receipt(reports).verdict) == ([], "unknown")
