import pytest
from tuneplane.contract import trajectory_id

from application.queries.trial import TrialFilter, trial_attempts, trial_count, trials
from domain.errors import UnknownThing
from domain.ids import RoundId, TrialId
from tests import factories as a

R1 = RoundId("r1")
FAILED = TrialFilter(status="failure")


def a_story(reports):
    reports.of(
        a.an_outcome(trial_id="t1", trial_attempt=2, training_eligible=True),
        a.an_outcome(trial_id="t2", status="failure"),
        a.an_outcome(trial_id="t3", status="infra_error"),
        a.an_outcome(trial_id="t4", status="unscored"),
        a.an_outcome(trial_id="t1", trial_attempt=0, status="infra_error"),
        a.an_outcome(trial_id="t3", trial_attempt=2),
        a.an_outcome(trial_id="t1", trial_attempt=10, status="failure"),
    )


def attempts(reports, trial="t1", **asked):
    return trial_attempts(reports.views, a.RUN, R1, TrialId(trial), **asked).items


def test_every_attempt_stays_in_the_history_highest_first(reports):
    a_story(reports)

    found = [(one.trial_attempt, one.status) for one in attempts(reports)]

    assert found == [(10, "failure"), (2, "success"), (0, "infra_error")]


def test_trials_filter_by_their_current_outcome(reports):
    a_story(reports)

    found = {
        status: [one.trial_id for one in trials(reports.views, a.RUN, R1, TrialFilter(status=status)).items]
        for status in ("success", "failure", "infra_error", "unscored")
    }

    assert found == {"success": ["t3"], "failure": ["t1", "t2"], "infra_error": [], "unscored": ["t4"]}


def listed(reports, **wanted):
    return [one.trial_id for one in trials(reports.views, a.RUN, R1, TrialFilter(**wanted)).items]


def test_trials_are_found_by_a_part_of_their_id_and_nothing_in_it_is_a_pattern(reports):
    reports.of(*(a.an_outcome(trial_id=name) for name in ("Task-1:0", "task-12:0", "task.1", "other")))

    assert listed(reports, search="TASK-1") == ["Task-1:0", "task-12:0"]
    assert listed(reports, search="task.1") == ["task.1"]
    assert listed(reports, search="%") == []
    assert trial_count(reports.views, a.RUN, R1, TrialFilter(search="task")) == 3


def test_retried_trials_and_those_with_a_set_aside_report_are_found(reports):
    a_story(reports)
    reports.of(
        a.an_outcome(trial_id="t4", status="failure"),
        a.an_outcome(trial_id="t1", trial_attempt=2, status="failure"),
        a.an_outcome(trial_id="t1", trial_attempt=11),
    )

    assert listed(reports, retried=True) == ["t1", "t3"]
    assert listed(reports, set_aside=True) == ["t1", "t4"]
    assert listed(reports, set_aside=True, status="unscored") == ["t4"]
    assert [one.set_aside for one in trials(reports.views, a.RUN, R1).items] == [1, 0, 0, 1]
    assert trial_count(reports.views, a.RUN, R1, TrialFilter(retried=True)) == 2


def test_trials_are_paged_without_gap_or_repeat(reports):
    a_story(reports)

    found, cursor = [], None
    for _ in range(4):
        page = trials(reports.views, a.RUN, R1, limit=1, cursor=cursor)
        found += [(one.trial_id, one.trial_attempt, one.attempts) for one in page.items]
        cursor = page.next_cursor

    assert found == [("t1", 10, 3), ("t2", 0, 1), ("t3", 2, 2), ("t4", 0, 1)]
    assert cursor is None


def test_a_filtered_list_pages_too(reports):
    reports.of(*(a.an_outcome(trial_id=f"t{n}", status="failure" if n % 2 else "success") for n in range(9)))

    first = trials(reports.views, a.RUN, R1, FAILED, limit=3)
    second = trials(reports.views, a.RUN, R1, FAILED, limit=3, cursor=first.next_cursor)

    assert [one.trial_id for one in (*first.items, *second.items)] == ["t1", "t3", "t5", "t7"]


def test_a_trial_says_when_its_current_outcome_came_and_whether_it_is_eligible(reports):
    reports.of(a.an_outcome(training_eligible=True), a.an_outcome(trial_attempt=1, status="failure"))

    (trial,) = trials(reports.views, a.RUN, R1).items

    assert (trial.reported_at, trial.training_eligible) == ("2026-01-01T00:00:04.000000Z", False)


def test_an_older_attempt_arriving_late_leaves_the_current_outcome_alone(reports):
    reports.of(a.an_outcome(trial_attempt=1, training_eligible=True), a.an_outcome(status="failure"))

    (trial,) = trials(reports.views, a.RUN, R1).items

    assert (trial.status, trial.trial_attempt, trial.attempts, trial.training_eligible) == ("success", 1, 2, True)
    assert trial.reported_at == "2026-01-01T00:00:03.000000Z"


def test_a_losing_report_is_on_record_once(reports):
    late = a.an_outcome(training_eligible=True)
    reports.of(a.an_outcome(status="failure"), late, late, a.an_outcome(training_eligible=True, ts="later"))

    (found,) = attempts(reports)

    assert (found.status, found.position) == ("failure", 3)
    assert [(one.status, one.training_eligible, one.position) for one in found.set_aside] == [("success", True, 4)]
    assert found.set_aside[0].reported_at == "2026-01-01T00:00:04.000000Z"


def test_a_losing_report_is_at_its_own_attempt(restarted):
    restarted.of(a.an_outcome(trial_attempt=1), a.an_outcome(), a.an_outcome(attempt=1), a.an_outcome(status="failure"))

    assert [(one.trial_attempt, len(one.set_aside)) for one in attempts(restarted, attempt=0)] == [(1, 0), (0, 1)]
    assert [(one.trial_attempt, len(one.set_aside)) for one in attempts(restarted)] == [(0, 0)]


def test_at_most_the_highest_100_attempts_are_listed(reports):
    reports.of(*(a.an_outcome(trial_attempt=n) for n in range(105)))

    assert [one.trial_attempt for one in attempts(reports)] == list(range(104, 4, -1))


def test_a_trial_names_the_trajectory_of_its_current_attempt(reports):
    first, second = (trajectory_id("validation", "r1", "t1", attempt) for attempt in (0, 1))
    training = trajectory_id("training", "r1", "t2", 0)
    reports.of(
        a.an_outcome(),
        a.an_outcome(trial_id="t2"),
        a.a_trajectory(trajectory_id=first),
        a.a_trajectory(trajectory_id=training, scope="training", trial_id="t2"),
    )
    before = {one.trial_id: one.trajectory_id for one in trials(reports.views, a.RUN, R1).items}
    reports.of(a.an_outcome(trial_attempt=1))
    without = trials(reports.views, a.RUN, R1).items[0].trajectory_id
    reports.of(a.a_trajectory(trajectory_id=second, trial_attempt=1))

    assert before == {"t1": first, "t2": None}
    assert without is None
    assert trials(reports.views, a.RUN, R1).items[0].trajectory_id == second
    assert [one.trajectory_id for one in attempts(reports)] == [second, first]


def test_a_trial_says_why_it_ended_where_the_trajectory_of_that_attempt_does(reports):
    first, second = (trajectory_id("validation", "r1", "t1", attempt) for attempt in (0, 1))
    reports.of(a.an_outcome(), a.a_trajectory(trajectory_id=first, termination="VerifierTimeoutError: after 60 s"))
    before = trials(reports.views, a.RUN, R1).items[0].termination
    reports.of(a.an_outcome(trial_attempt=1), a.a_trajectory(trajectory_id=second, trial_attempt=1, termination=None))

    assert before == "VerifierTimeoutError: after 60 s"
    assert trials(reports.views, a.RUN, R1).items[0].termination is None
    assert [one.termination for one in attempts(reports)] == [None, "VerifierTimeoutError: after 60 s"]


def test_a_trial_without_text_says_why_it_ended_where_an_observation_does(reports):
    reports.of(
        a.an_outcome(status="unscored"),
        a.an_outcome(trial_id="t2", status="unscored"),
        a.an_outcome(trial_attempt=1, status="infra_error"),
        a.a_trial_reason(reason="no result.json"),
        a.a_trial_reason(reason="VerifierTimeoutError", id="later", trial_attempt=1),
        a.a_trial_reason(reason="of another round", id="other", trial_id="t2", round_id="r2"),
    )

    assert {one.trial_id: one.reason for one in trials(reports.views, a.RUN, R1).items} == {
        "t1": "VerifierTimeoutError",
        "t2": None,
    }
    assert [one.reason for one in attempts(reports)] == ["VerifierTimeoutError", "no result.json"]
    assert {one.termination for one in attempts(reports)} == {None}


def test_the_first_reason_of_a_trial_attempt_stands(reports):
    reports.of(a.an_outcome(), a.a_trial_reason(reason="the first"), a.a_trial_reason(reason="another", id="again"))

    assert attempts(reports)[0].reason == "the first"


def test_a_reason_of_another_execution_attempt_is_not_this_trials(restarted):
    restarted.of(a.an_outcome(attempt=1), a.a_trial_reason(reason="of attempt 0"))

    assert [one.reason for one in trials(restarted.views, a.RUN, R1).items] == [None]


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": ""},
        {"reason": "r" * 257},
        {"reason": 5},
        {"trial_attempt": True},
        {"trial_attempt": "0"},
        {"trial_attempt": -1},
        {"more": {"another": 1}},
        {"kind": "health"},
    ],
    ids=str,
)
def test_what_only_has_the_name_of_a_reason_is_an_observation_and_nothing_more(reports, changes):
    reports.of(a.an_outcome(), a.a_trial_reason(**changes))

    assert attempts(reports)[0].reason is None


def test_a_trajectory_of_another_execution_attempt_is_not_this_trials(restarted):
    restarted.of(a.an_outcome(attempt=1), a.a_trajectory(trajectory_id=trajectory_id("validation", "r1", "t1", 0)))

    assert [one.trajectory_id for one in trials(restarted.views, a.RUN, R1).items] == [None]


def test_a_deleted_trajectory_is_still_named(reports):
    name = trajectory_id("validation", "r1", "t1", 0)
    reports.of(a.an_outcome(), a.a_trajectory(trajectory_id=name), a.a_trajectory_deletion(trajectory_id=name))

    assert [one.trajectory_id for one in trials(reports.views, a.RUN, R1).items] == [name]


def test_trials_are_those_of_the_attempt_that_is_shown(restarted):
    restarted.of(a.an_outcome(trial_id="old"), a.an_outcome(trial_id="new", attempt=1))

    assert [one.trial_id for one in trials(restarted.views, a.RUN, R1).items] == ["new"]
    assert [one.trial_id for one in trials(restarted.views, a.RUN, R1, attempt=0).items] == ["old"]


def test_unknown_rounds_and_trials_are_unknown(reports):
    reports.of(a.an_outcome())

    with pytest.raises(UnknownThing):
        trials(reports.views, a.RUN, RoundId("other"))
    with pytest.raises(UnknownThing):
        attempts(reports, "other")


def test_a_round_without_outcomes_has_no_trials(reports):
    reports.of(a.a_population())

    assert trials(reports.views, a.RUN, R1).items == []
