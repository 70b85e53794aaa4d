from __future__ import annotations

from domain.events import ReportSetAside, decode
from domain.outcome import report_outcome
from domain.placement import Verdict
from domain.set_aside import set_aside
from tests.factories import an_outcome


def test_a_losing_report_is_kept_as_it_would_have_been_stored_with_the_place_it_lost():
    losing = report_outcome(an_outcome(status="failure", attempt=3))
    record = set_aside(losing, 1).event
    assert isinstance(record, ReportSetAside)
    assert (record.run, record.attempt) == (losing.event.run, 3)
    assert (record.standing_stream, record.standing_version) == (losing.stream, 1)
    assert decode(record.reported_tag, record.reported) == losing.event


def test_its_place_is_what_was_said_and_the_place_it_lost_without_the_clock():
    def place(version=1, **changes):
        placement = set_aside(report_outcome(an_outcome(**changes)), version)
        return placement.stream, placement.version

    assert place(status="failure") == place(status="failure", ts="2027-01-01T00:00:00Z")
    others = {
        place(status="failure"),
        place(status="unscored"),
        place(status="failure", trial_id="t2"),
        place(status="failure", attempt=1),
        place(status="failure", version=2),
    }
    assert len(others) == 5


def test_it_is_on_record_once():
    placement = set_aside(report_outcome(an_outcome()), 1)
    assert placement.settle(placement.event, placement.event) is Verdict.DUPLICATE
