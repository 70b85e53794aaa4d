import base64
import hashlib
import re
import uuid

import msgspec
import numpy as np
import pytest

from application.event_log.hash_chain import GENESIS, chained
from application.event_log.settlement import as_candidate
from application.queries.event_summary import summary
from application.queries.history import event, events, whole_log
from application.series.columns import Batch, empty_batch, pack
from domain.errors import Refused, UnknownRun, UnknownThing
from domain.events import EVENT_TYPES, Event, LogReported, RunShared, decode
from domain.ids import Micros, Position, RunId, stream_id
from domain.outcome import report_outcome
from domain.rules import first_accepted_wins
from domain.set_aside import set_aside
from tests import factories as a

OTHER = RunId("run-2")


def a_story(reports):
    """Positions 3 to 8, with another run's event between them."""
    reports.of(
        a.a_lifecycle("running"),
        a.an_outcome(status="failure"),
        a.a_log("early\n"),
        a.a_run(run=OTHER),
        a.an_outcome(),
        a.a_log("late\n", eof=True),
    )


def positions(page):
    return [one.position for one in page.items]


def test_the_history_is_a_runs_events_in_order_with_their_chain(reports):
    a_story(reports)

    items = events(reports.views, a.RUN).items

    assert [one.position for one in items] == [1, 2, 3, 4, 5, 7, 8]
    assert [one.type for one in items][3:] == [
        "outcome-reported.v1",
        "log-reported.v1",
        "report-set-aside.v1",
        "log-reported.v1",
    ]
    assert len({one.hash for one in items}) == 7
    assert all(re.fullmatch("[0-9a-f]{64}", one.hash) and re.fullmatch("[0-9a-f]{64}", one.digest) for one in items)
    assert items[0].recorded_at == "2026-01-01T00:00:01.000000Z"
    assert items[2].summary == "Attempt 0 is running"


def test_pages_leave_nothing_out(reports):
    a_story(reports)

    found: list[int] = []
    cursor = None
    for _ in range(4):
        page = events(reports.views, a.RUN, limit=2, cursor=cursor)
        found += positions(page)
        cursor = page.next_cursor

    assert (found, cursor) == ([1, 2, 3, 4, 5, 7, 8], None)


def test_a_page_of_large_events_ends_early_and_goes_on(reports, monkeypatch):
    monkeypatch.setattr("application.queries.history._BYTES", 200)
    a_story(reports)

    first = events(reports.views, a.RUN)

    assert positions(first) == [1, 2]
    assert positions(events(reports.views, a.RUN, cursor=first.next_cursor))[0] == 3


def test_after_and_until_bound_the_list(reports):
    a_story(reports)

    assert positions(events(reports.views, a.RUN, after=2, until=5)) == [3, 4, 5]
    assert positions(events(reports.views, a.RUN, after=-5, until=1)) == [1]
    assert positions(events(reports.views, a.RUN, until=0)) == []
    assert positions(events(reports.views, a.RUN, until=-1)) == []
    assert positions(events(reports.views, a.RUN, after=10**30)) == []
    first = events(reports.views, a.RUN, after=2, until=5, limit=2)
    assert positions(events(reports.views, a.RUN, after=2, until=5, cursor=first.next_cursor)) == [5]


def test_types_are_chosen_with_or_without_their_version(reports):
    a_story(reports)

    assert positions(events(reports.views, a.RUN, types=["log-reported.v1"])) == [5, 8]
    assert positions(events(reports.views, a.RUN, types=["log-reported", "outcome-reported"])) == [4, 5, 8]
    for unknown in ("log", "log-reported.v9", ""):
        with pytest.raises(Refused):
            events(reports.views, a.RUN, types=[unknown])


def test_nothing_beyond_what_the_views_took_in_is_told(reports):
    a_story(reports)
    views = reports.views_at(Position(4))

    assert positions(events(views, a.RUN)) == [1, 2, 3, 4]
    assert positions(events(views, a.RUN, until=8)) == [1, 2, 3, 4]
    with pytest.raises(UnknownThing):
        event(views, a.RUN, 5)


def test_one_event_comes_whole(reports):
    a_story(reports)

    found = event(reports.views, a.RUN, 5)

    assert (found.position, found.type, found.run_id, found.holds_text) == (5, "log-reported.v1", a.RUN, False)
    assert found.body == {"type": "log-reported.v1", "run": a.RUN, "attempt": 0, "pieces": ("early\n",)}


def test_an_event_elsewhere_or_of_another_run_is_unknown(reports):
    a_story(reports)

    for position in (0, -1, 6, 9, 10**30):
        with pytest.raises(UnknownThing):
            event(reports.views, a.RUN, position)
    with pytest.raises(UnknownRun):
        event(reports.views, RunId("nowhere"), 1)
    with pytest.raises(UnknownRun):
        events(reports.views, RunId("nowhere"))


def test_the_points_of_a_batch_are_shown_by_series(reports):
    ints = lambda *values: np.array(values, np.int64)  # noqa: E731
    batch = Batch(ints(1, 2), ints(2, 1), ints(5, 6, 7), ints(10, 20, 30), np.array([0.5, -1.0, 2.0]))
    reports.of(a.a_series(1, "loss"), a.a_series(2, "lr"), a.a_metrics_batch(points=3, columns=pack(batch)))

    body = event(reports.views, a.RUN, 5).body

    assert body is not None
    assert body["columns"] == [
        {"number": 1, "key": "loss", "steps": [5, 6], "times": [10, 20], "values": [0.5, -1.0]},
        {"number": 2, "key": "lr", "steps": [7], "times": [30], "values": [2.0]},
    ]
    assert msgspec.json.encode(body)


def test_what_was_set_aside_can_be_read(reports):
    reports.of(a.an_outcome(status="failure"), a.an_outcome())

    found = event(reports.views, a.RUN, 4)

    assert found.body is not None
    assert found.body["reported"]["status"] == "success"
    assert found.summary.startswith("Set aside, another report stands: Trial 't1'")


def test_validation_text_is_marked_set_aside_or_not(reports):
    reports.of(a.samples(), a.samples(total_chunks=9), a.an_outcome())

    assert [event(reports.views, a.RUN, position).holds_text for position in (3, 4, 5)] == [True, True, False]


def test_an_erased_event_keeps_its_place(reports):
    a_story(reports)
    reports.log._events[4] = msgspec.structs.replace(reports.log._events[4], payload=None)

    found = event(reports.views, a.RUN, 5)

    assert (found.body, found.holds_text, found.summary) == (None, False, "Erased; the chain holds its digest")


def test_the_whole_log_has_no_gap_and_its_chain_can_be_checked(reports):
    a_story(reports)

    previous = GENESIS
    for number, one in enumerate(whole_log(reports.log), 1):
        payload = base64.b64decode(one.payload or "")
        assert (one.position, one.digest) == (number, hashlib.sha256(payload).hexdigest())
        told = uuid.UUID(one.stream), one.version, one.type, bytes.fromhex(one.digest)
        previous = chained(previous, Position(number), Micros(a.NOON + number * 1_000_000), *told)
        assert one.hash == previous.hex()
        assert decode(one.type, payload).run == one.run_id
    assert number == 8


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
def test_every_type_of_event_has_a_sentence_and_a_body(reports, kind):
    said = next(one for one in EXAMPLES if type(one) is kind)
    (answer,) = reports.log.append([[as_candidate(first_accepted_wins.place(said, stream_id("example")))]])

    found = event(reports.views, a.RUN, answer[0].position)

    assert found.summary == summary(said) != kind.__name__
    assert 8 < len(summary(said)) <= 200
    assert msgspec.json.encode(found.body)


def test_a_sentence_is_never_long_and_never_holds_a_log():
    assert len(summary(a.an_artifact(path="x" * 4096))) == 200
    assert summary(LogReported(run=a.RUN, attempt=a.FIRST, pieces=("secret", "s"), eof=True)) == (
        "7 characters of log, and its end"
    )
    assert summary(RunShared(run=a.RUN, share_id="s", shared_by="ada")) == "ada shared the run"
    ending = RunShared(run=a.RUN, share_id="s", shared_by="ada", name="paper", expires_at=a.NOON)
    assert summary(ending) == "ada shared the run as 'paper' until 2026-01-01"


EMPTY = pack(empty_batch())
EXAMPLES: list[Event] = [
    a.a_run(),
    a.an_execution(),
    a.a_further_token(),
    a.a_revocation(),
    a.a_share(),
    a.a_withdrawal(),
    a.a_lifecycle(),
    a.a_series(),
    a.a_metrics_batch(columns=EMPTY),
    a.a_hardware_batch(columns=EMPTY),
    a.a_log(),
    a.hyperparameters(),
    a.an_environment(),
    a.nodes(),
    a.an_observation(),
    a.a_contract(),
    a.a_population(),
    a.a_protocol(),
    a.a_validation_metric(),
    a.an_outcome(),
    a.samples(),
    a.a_trajectory(),
    a.a_trajectory_deletion(),
    a.an_artifact(),
    a.a_benchmark_score(),
    set_aside(report_outcome(a.an_outcome()), 1).event,
]
