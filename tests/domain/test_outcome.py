from __future__ import annotations

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.errors import Refused
from domain.events import OutcomeReported
from domain.events.outcome import OutcomeStatus
from domain.outcome import report_outcome as reporting
from domain.rules.highest_attempt_wins import supersedes
from domain.rules.outcome_counts import OutcomeCounts
from tests.domain.given import events_of, given
from tests.factories import an_outcome

STATUSES: tuple[OutcomeStatus, ...] = ("success", "failure", "infra_error", "unscored")


def counted(events: list[OutcomeReported]) -> OutcomeCounts:
    """The counts as the projector keeps them: one event after the other."""
    counts, current = OutcomeCounts(), dict[str, OutcomeReported]()
    for event in events:
        if supersedes(event, current.get(event.trial_id)):
            counts = counts.replaced(current.get(event.trial_id), event)
            current[event.trial_id] = event
    return counts


def test_an_outcome_is_recorded():
    given().when(reporting(an_outcome())).then(an_outcome())


def test_its_repeat_changes_nothing_whenever_it_was_sent():
    given(reporting(an_outcome(ts="2026-01-01T00:00:00Z"))).when(reporting(an_outcome(ts="2026-01-01T00:05:00Z"))).then(
        duplicates=1
    )


@pytest.mark.parametrize("change", [{"status": "failure"}, {"training_eligible": True}])
def test_a_different_outcome_for_the_same_attempt_is_set_aside(change):
    late = an_outcome(**change)
    given(reporting(an_outcome())).when(reporting(late)).then(set_aside=[late])


def test_an_outcome_that_was_set_aside_is_on_record_once_whatever_its_clock():
    late, again = an_outcome(status="failure"), an_outcome(status="failure", ts="2027-01-01T00:00:00Z")
    given(reporting(an_outcome()), reporting(late)).when(reporting(again)).then(lost_again=[again])


def test_a_retry_of_the_trial_is_recorded_beside_the_first_attempt():
    retry = an_outcome(trial_attempt=1, status="failure")
    given(reporting(an_outcome())).when(reporting(retry)).then(retry)


def test_an_older_attempt_that_arrives_late_is_recorded_too():
    older = an_outcome(trial_attempt=1)
    given(reporting(an_outcome(trial_attempt=2))).when(reporting(older)).then(older)


def test_attempts_of_a_trial_have_versions_from_1():
    assert reporting(an_outcome(trial_attempt=0)).version == 1
    assert reporting(an_outcome(trial_attempt=2**31 - 1)).version == 2**31


@pytest.mark.parametrize("status", ["infra_error", "unscored"])
def test_what_was_not_scored_is_never_eligible_for_training(status):
    with pytest.raises(Refused) as refusal:
        reporting(an_outcome(status=status, training_eligible=True))
    assert [fault.path for fault in refusal.value.faults] == ["training_eligible"]
    reporting(an_outcome(status=status, training_eligible=False))


@pytest.mark.parametrize("status", ["success", "failure"])
def test_what_was_scored_may_be_eligible(status):
    eligible = an_outcome(status=status, training_eligible=True)
    given().when(reporting(eligible)).then(eligible)


def test_the_highest_attempt_supersedes_and_no_equal_or_lower_one():
    second = an_outcome(trial_attempt=1)
    assert supersedes(second, None)
    assert supersedes(an_outcome(trial_attempt=2), second)
    assert not supersedes(an_outcome(trial_attempt=1, status="failure"), second)
    assert not supersedes(an_outcome(trial_attempt=0), second)


def test_a_trial_moves_from_its_old_class_to_its_new_one():
    failed = an_outcome(status="failure", training_eligible=True)
    counts = OutcomeCounts().replaced(None, failed)
    assert counts == OutcomeCounts(failure=1, reported=1, training_eligible=1)
    assert counts.replaced(failed, an_outcome(status="unscored")) == OutcomeCounts(unscored=1, reported=1)


OUTCOMES = st.lists(
    st.builds(
        lambda trial, attempt, status, eligible: an_outcome(
            trial_id=trial,
            trial_attempt=attempt,
            status=status,
            training_eligible=eligible and status in ("success", "failure"),
        ),
        st.sampled_from("abc"),
        st.integers(0, 3),
        st.sampled_from(STATUSES),
        st.booleans(),
    ),
    max_size=12,
    unique_by=lambda event: (event.trial_id, event.trial_attempt),
)


@for_all(OUTCOMES.flatmap(lambda events: st.tuples(st.just(events), st.permutations(events))))
def test_the_order_of_arrival_does_not_change_the_counts(both):
    one, other = both
    assert counted(one) == counted(other)


@for_all(OUTCOMES)
def test_counts_are_those_of_the_highest_attempt_of_each_trial(events):
    highest = {event.trial_id: event for event in sorted(events, key=lambda event: event.trial_attempt)}
    by_class = [event.status for event in highest.values()]
    assert counted(events) == OutcomeCounts(
        success=by_class.count("success"),
        failure=by_class.count("failure"),
        infra_error=by_class.count("infra_error"),
        unscored=by_class.count("unscored"),
        training_eligible=sum(event.training_eligible for event in highest.values()),
        retried=sum(event.trial_attempt > 0 for event in highest.values()),
        reported=len(highest),
    )


@for_all(OUTCOMES, st.data())
def test_repeats_and_contradictions_do_not_change_the_counts(events, data):
    noise = [msgspec.structs.replace(event, status="unscored", training_eligible=False) for event in events]
    noisy = events + data.draw(st.permutations(events + noise))
    accepted = [event for event in events_of(map(reporting, noisy)) if isinstance(event, OutcomeReported)]
    assert counted(accepted) == counted(events)
