from collections import Counter
from itertools import count

import pytest
from tuneplane.contract import trajectory_id

from application.queries.review_rounds import Side, review_rounds, side_of
from domain.errors import Refused, UnknownThing
from domain.events import Event
from domain.ids import Position, RoundId, RunId
from tests import factories as a

OTHER = RunId("run-2")
DIGESTS = ("dataset_digest", "cohort_digest", "verifier_digest", "settings_digest")
LEFT = Side(run=a.RUN, round_id=RoundId("r1"))
RIGHT = Side(run=OTHER, round_id=RoundId("r1"))


@pytest.fixture
def two(reports):
    """Two runs with an open attempt each."""
    reports.of(a.a_run(run=OTHER), a.an_execution(run=OTHER, token_id="t2"))
    return reports


def report(reports, side, expected, statuses, *, protocol=True, **changed):
    """A round of `side`: its trials in order, None where one is not reported."""
    told = {"run": side.run, "round_id": side.round_id}
    told_of = ((f"t{n:02}", status) for n, status in zip(count(), statuses) if status)
    events: list[Event] = [a.an_outcome(**told, trial_id=trial, status=status) for trial, status in told_of]
    if expected is not None:
        events.append(a.a_population(expected, **told))
    if protocol:
        events.append(a.a_protocol(**told, checkpoint=side.run, **changed))
    reports.of(*events)


def compared(reports, **asked):
    return review_rounds(reports.views, LEFT, RIGHT, **asked)


def test_matched_and_complete_rounds_show_the_difference(two):
    report(two, LEFT, 2, ["failure", "success"])
    report(two, RIGHT, 2, ["success", "success"])

    found = compared(two)

    assert (found.matched, found.mismatches, found.difference) == (True, [], 0.5)
    assert (found.left.run_id, found.left.success_rate, found.right.run_id) == (a.RUN, 0.5, OTHER)
    assert found.left.protocol.checkpoint != found.right.protocol.checkpoint


@pytest.mark.parametrize("field", DIGESTS)
def test_another_digest_shows_no_difference(two, field):
    report(two, LEFT, 1, ["failure"])
    report(two, RIGHT, 1, ["success"], **{field: "0" * 64})

    found = compared(two)

    assert (found.matched, found.mismatches, found.difference) == (False, [field], None)


@pytest.mark.parametrize(("left", "right"), [(False, True), (True, False), (False, False)])
def test_a_side_without_protocol_is_not_matched(two, left, right):
    report(two, LEFT, 1, ["failure"], protocol=left)
    report(two, RIGHT, 1, ["success"], protocol=right)

    found = compared(two)

    assert (found.matched, found.difference) == (False, None)
    assert "protocol" in found.mismatches


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((None, ["failure"]), (None, ["success"])),
        ((2, ["failure", "success"]), (2, ["success"])),
        ((2, ["failure"]), (2, ["success", "success"])),
        ((2, ["failure", "failure"]), (2, ["success", "unscored"])),
        ((1, ["failure", "failure"]), (1, ["success", "failure"])),
    ],
    ids=["no population", "missing right", "missing left", "unscored", "more than declared"],
)
def test_matched_rounds_that_are_not_completely_scored_show_no_difference(two, left, right):
    report(two, LEFT, *left)
    report(two, RIGHT, *right)

    found = compared(two)

    assert (found.matched, found.difference) == (True, None)


PLAN = (
    [("failure", "success")] * 1
    + [("success", "failure")] * 2
    + [("success", "success")] * 3
    + [("failure", "failure")] * 4
    + [(None, "success")] * 5
    + [("failure", None)] * 6
    + [("infra_error", "success")]
    + [("failure", "unscored")] * 6
)


def planned(reports):
    report(reports, LEFT, 28, [left for left, _ in PLAN])
    report(reports, RIGHT, 28, [right for _, right in PLAN])


def test_transitions_are_counted(two):
    planned(two)

    found = compared(two).transitions

    assert (found.failure_to_success, found.success_to_failure, found.both_success, found.both_failure) == (1, 2, 3, 4)
    assert (found.missing_left, found.missing_right, found.not_scored) == (5, 6, 7)


def test_every_pair_of_outcomes_is_counted(two):
    planned(two)

    found = {(one.left, one.right): one.trials for one in compared(two).outcomes}

    assert found == dict(Counter(PLAN))


def sent(trial, trial_attempt, **of):
    known = trajectory_id("validation", "r1", trial, trial_attempt)
    return a.a_trajectory(trajectory_id=known, trial_id=trial, trial_attempt=trial_attempt, **of)


def test_a_trial_names_the_attempts_that_count_and_the_trajectories_they_sent(two):
    report(two, LEFT, 2, ["failure", "success"])
    report(two, RIGHT, 2, [None, "success"])
    two.of(
        a.an_outcome(trial_id="t01", trial_attempt=2, status="failure"),
        sent("t01", 1),
        sent("t01", 2),
        sent("t01", 1, run=OTHER),
    )

    first, second = compared(two).trials.items

    assert (first.left_trial_attempt, first.left_attempts, first.left_trajectory_id) == (0, 1, None)
    assert (first.right_trial_attempt, first.right_attempts, first.right_trajectory_id) == (None, None, None)
    assert (second.left_trial_attempt, second.left_attempts) == (2, 2)
    assert (second.right_trial_attempt, second.right_attempts) == (0, 1)
    assert second.left_trajectory_id == trajectory_id("validation", "r1", "t01", 2)
    assert second.right_trajectory_id is None


def test_each_digest_stands_with_both_declarations_and_each_side_with_what_it_lacks(two):
    report(two, LEFT, 3, ["failure", "infra_error"], cohort_digest="0" * 64)
    report(two, RIGHT, 1, ["success"], protocol=False)

    found = compared(two)

    assert [one.field for one in found.digests] == list(DIGESTS)
    assert {one.agreement for one in found.digests} == {"missing"}
    assert (found.digests[1].left, found.digests[1].right) == ("0" * 64, None)
    assert [(one.kind, one.trials) for one in found.left.shortfalls] == [("not_reported", 1), ("infra_error", 1)]
    assert found.right.shortfalls == []


def test_two_runs_are_compared_as_they_were_at_one_position(two):
    report(two, LEFT, 1, ["failure"])
    report(two, RIGHT, 1, ["success"])
    (then,) = two.of(a.an_outcome(run=OTHER, trial_attempt=1, trial_id="t00", status="failure"))

    before = review_rounds(two.views_at(Position(then - 1), a.RUN, OTHER), LEFT, RIGHT)
    after = review_rounds(two.views_at(then, a.RUN, OTHER), LEFT, RIGHT)

    assert (before.difference, before.transitions.failure_to_success) == (1.0, 1)
    assert (after.difference, after.transitions.both_failure) == (0.0, 1)


def test_every_trial_of_either_side_is_listed_once_whatever_the_page(two):
    planned(two)

    found, cursor = [], None
    for _ in range(6):
        answer = compared(two, limit=5, cursor=cursor)
        found += [(one.trial_id, one.left, one.right) for one in answer.trials.items]
        cursor = answer.trials.next_cursor
        assert answer.transitions.not_scored == 7

    assert found == [(f"t{n:02}", left, right) for n, (left, right) in enumerate(PLAN)]
    assert cursor is None


def test_a_last_page_of_trials_that_is_full_says_that_nothing_follows(two):
    planned(two)

    assert compared(two, limit=28).trials.next_cursor is None
    assert len(compared(two, limit=28).trials.items) == 28


def test_trials_filter_by_transition(two):
    planned(two)

    first = compared(two, transition="both_failure", limit=3)
    second = compared(two, transition="both_failure", limit=3, cursor=first.trials.next_cursor)

    assert [one.trial_id for one in first.trials.items] == ["t06", "t07", "t08"]
    assert [one.trial_id for one in second.trials.items] == ["t09"]
    assert second.trials.next_cursor is None


def test_a_second_protocol_changes_nothing_and_a_retry_that_fails_to_score_takes_the_difference_away(two):
    report(two, LEFT, 2, ["failure", "success"])
    report(two, RIGHT, 2, ["success", "success"])
    two.of(a.a_protocol(run=OTHER, **dict.fromkeys(DIGESTS, "0" * 64)))
    still = compared(two)
    two.of(a.an_outcome(trial_id="t01", trial_attempt=1, status="infra_error"))

    found = compared(two)

    assert (still.matched, still.difference) == (True, 0.5)
    assert (found.matched, found.difference) == (True, None)


def test_a_round_may_be_compared_with_one_of_the_same_run_and_an_attempt_picked(two):
    two.of(
        a.an_execution(attempt=1, token_id="t3"),
        a.an_outcome(status="failure"),
        a.an_outcome(attempt=1),
        a.an_outcome(round_id="r2", status="failure"),
    )
    right = Side(run=a.RUN, round_id=RoundId("r2"))

    found = review_rounds(two.views, LEFT, right)
    older = review_rounds(two.views, Side(run=a.RUN, round_id=RoundId("r1"), attempt=0), right)

    assert (found.left.attempt, found.transitions.success_to_failure) == (1, 1)
    assert (older.left.attempt, older.transitions.both_failure) == (0, 1)


def test_a_round_that_only_has_samples_may_stand_on_a_side(two):
    two.of(a.samples())
    report(two, RIGHT, 1, ["success"])

    found = compared(two)

    assert (found.left.reported, found.transitions.missing_left, found.difference) == (None, 1, None)


def test_an_unknown_round_is_unknown(two):
    report(two, LEFT, 1, ["success"])

    with pytest.raises(UnknownThing):
        compared(two)


def test_a_side_is_written_run_colon_round_and_the_round_may_hold_colons():
    assert side_of("run-1:native:m", "left") == Side(run=RunId("run-1"), round_id=RoundId("native:m"))


@pytest.mark.parametrize("junk", ["", "run-1", "run-1:", ":r1"])
def test_a_side_without_run_or_round_is_refused(junk):
    with pytest.raises(Refused):
        side_of(junk, "left")
