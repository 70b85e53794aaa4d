import itertools

import pytest

from application.queries.round import protocol_groups, round_, rounds
from domain.errors import Refused, UnknownThing
from domain.ids import RoundId
from domain.rules.matched_comparison import mismatches
from tests import factories as a

CLASSES = ("success", "failure", "infra_error", "unscored", "training_eligible", "reported")


def counts(found):
    return tuple(getattr(found, name) for name in CLASSES)


def four_trials(reports):
    reports.of(
        a.an_outcome(trial_id="t1", trial_attempt=2, training_eligible=True),
        a.an_outcome(trial_id="t2", status="failure"),
        a.an_outcome(trial_id="t3", status="infra_error"),
        a.an_outcome(trial_id="t4", status="unscored"),
    )


def the_round(reports, round_id="r1", **asked):
    return round_(reports.views, a.RUN, RoundId(round_id), **asked)


def test_results_before_a_population_give_a_rate_and_no_coverage(reports):
    four_trials(reports)

    found = the_round(reports)

    assert (found.population, found.expected, found.not_reported, found.scoring_coverage) == ("unknown", *[None] * 3)
    assert (found.success_rate, found.protocol) == (0.5, None)


def test_trials_whose_outcome_is_of_a_retry_are_counted_whatever_the_order(reports):
    four_trials(reports)
    assert the_round(reports).retried == 1
    reports.of(a.an_outcome(trial_id="t1"), a.an_outcome(trial_id="t2", trial_attempt=1), a.an_outcome(trial_id="t5"))
    reports.of(a.an_outcome(trial_id="t2", trial_attempt=3), a.a_population(9, round_id="planned"))

    assert the_round(reports).retried == 2
    assert the_round(reports, "planned").retried == 0


def test_rounds_of_one_group_are_those_that_a_comparison_calls_matched(reports):
    protocols = {
        "a": a.a_protocol(round_id="a"),
        "b": a.a_protocol(round_id="b", split="other", checkpoint="step-200"),
        "c": a.a_protocol(round_id="c", verifier_digest="0" * 64),
        "d": None,
        "e": a.a_protocol(round_id="e", verifier_digest="0" * 64),
        "f": None,
    }
    for name, declared in protocols.items():
        reports.of(a.a_population(1, round_id=name), *([declared] if declared else []))
    found = list(reversed(rounds(reports.views, a.RUN).items))

    groups = dict(zip([one.round_id for one in found], protocol_groups(found), strict=True))

    assert groups == {"a": 0, "b": 0, "c": 1, "d": None, "e": 1, "f": None}
    for one, other in itertools.combinations(protocols, 2):
        same = groups[one] is not None and groups[one] == groups[other]
        assert same == (not mismatches(protocols[one], protocols[other])), (one, other)


def test_an_older_attempt_arriving_late_changes_nothing(reports):
    four_trials(reports)
    reports.of(a.an_outcome(trial_id="t1", trial_attempt=0, status="infra_error"), a.a_population(5))

    found = the_round(reports)

    assert counts(found) == (1, 1, 1, 1, 1, 4)
    assert (found.population, found.expected, found.not_reported) == ("declared", 5, 1)
    assert (found.scoring_coverage, found.success_rate) == (0.4, 0.5)


def test_later_declarations_and_results_change_nothing_and_are_counted(reports):
    four_trials(reports)
    reports.of(a.a_population(5), a.a_protocol(), a.a_validation_metric())
    before = the_round(reports)
    late = a.a_population(9), a.an_outcome(trial_id="t2", training_eligible=True), a.a_protocol(split="other")
    reports.of(*late, a.a_validation_metric(value=0.9), *late)

    after = the_round(reports)

    assert (before.set_aside, after.set_aside) == (0, 4)
    assert (counts(after), after.expected, after.protocol, after.metrics) == (
        counts(before),
        5,
        before.protocol,
        before.metrics,
    )


def test_a_real_retry_replaces_what_was(reports):
    four_trials(reports)
    reports.of(
        a.an_outcome(trial_id="t3", trial_attempt=2), a.an_outcome(trial_id="t1", trial_attempt=10, status="failure")
    )

    assert counts(the_round(reports)) == (1, 2, 0, 1, 0, 4)


def test_more_trials_than_declared_give_no_coverage(reports):
    reports.of(a.a_population(1), a.an_outcome(trial_id="a"), a.an_outcome(trial_id="b"))

    found = the_round(reports)

    assert (found.population, found.scoring_coverage, found.not_reported) == ("exceeded", None, None)
    assert found.success_rate == 1.0


def test_nothing_scored_gives_no_rate_and_no_trial_no_coverage(reports):
    reports.of(a.a_population(2), a.an_outcome(status="infra_error"), a.a_population(0, round_id="empty"))

    found, empty = the_round(reports), the_round(reports, "empty")

    assert (found.success_rate, found.scoring_coverage) == (None, 0.0)
    assert (empty.success_rate, empty.scoring_coverage, empty.reported, empty.not_reported) == (None, None, 0, 0)


@pytest.mark.parametrize("only", [a.samples(), a.a_validation_metric(), a.a_protocol()])
def test_a_round_without_classified_outcomes_has_unknown_counts(reports, only):
    reports.of(only)

    found = the_round(reports)

    assert counts(found) == (None,) * 6
    assert (found.population, found.success_rate, found.scoring_coverage) == ("unknown", None, None)


def test_a_protocol_and_metrics_come_back_as_declared(reports):
    reports.of(a.a_protocol(), a.a_validation_metric(), a.a_validation_metric(key="len", value=812.5, unit="native"))

    found = the_round(reports)

    assert (found.protocol.dataset_digest, found.protocol.split, found.protocol.checkpoint) == (
        "d" * 64,
        "heldout",
        "step-100",
    )
    assert [(one.key, one.value, one.unit) for one in found.metrics] == [
        ("acc", 0.5, "ratio"),
        ("len", 812.5, "native"),
    ]


def test_a_restart_reports_anew_and_is_isolated_from_the_first(restarted):
    four_trials(restarted)
    restarted.of(a.a_population(4), a.a_validation_metric(), a.a_population(9))
    restarted.of(a.an_outcome(trial_id="t4", trial_attempt=7, attempt=1), a.an_outcome(trial_id="t2", attempt=1))

    first, second = the_round(restarted, attempt=0), the_round(restarted, attempt=1)

    assert (counts(first), first.population, first.set_aside) == ((1, 1, 1, 1, 1, 4), "declared", 1)
    assert (counts(second), second.population, second.set_aside) == ((2, 0, 0, 0, 0, 2), "unknown", 0)
    assert (first.metrics != [], second.metrics) == (True, [])


def test_the_highest_attempt_that_reported_a_round_is_shown_whatever_the_order(restarted):
    restarted.of(
        a.an_outcome(round_id="both", attempt=1),
        a.an_outcome(round_id="both"),
        a.an_outcome(round_id="first"),
        a.an_outcome(round_id="late"),
        a.an_outcome(round_id="late", attempt=1),
    )

    shown = [(one.round_id, one.attempt) for one in rounds(restarted.views, a.RUN).items]

    assert shown == [("late", 1), ("first", 0), ("both", 1)]
    assert the_round(restarted, "both").attempt == 1
    of_first = [(one.round_id, one.attempt) for one in rounds(restarted.views, a.RUN, attempt=0).items]
    assert of_first == [("late", 0), ("first", 0), ("both", 0)]


def test_a_third_attempt_takes_over_from_the_second(restarted):
    restarted.of(a.an_execution(attempt=2, token_id="t3"), *(a.an_outcome(attempt=n) for n in (0, 1, 2)))

    assert [(one.round_id, one.attempt) for one in rounds(restarted.views, a.RUN).items] == [("r1", 2)]


def test_rounds_page_newest_first_without_gap_or_repeat(reports):
    reports.of(*(a.an_outcome(round_id=f"r{n}") for n in range(5)), a.an_outcome(round_id="r0", trial_id="more"))

    first = rounds(reports.views, a.RUN, limit=2)
    second = rounds(reports.views, a.RUN, limit=2, cursor=first.next_cursor)
    third = rounds(reports.views, a.RUN, limit=2, cursor=second.next_cursor)

    pages = [[one.round_id for one in page.items] for page in (first, second, third)]
    assert (pages, third.next_cursor) == ([["r4", "r3"], ["r2", "r1"], ["r0"]], None)


def test_metrics_stay_with_their_round_on_a_page_of_many(restarted):
    restarted.of(
        a.a_validation_metric(round_id="x", key="k", value=0.1),
        a.a_validation_metric(round_id="y", key="k", value=0.2, attempt=1),
        a.a_validation_metric(round_id="x", key="k", value=0.3, attempt=1),
        a.a_validation_metric(round_id="y", key="k", value=0.4),
    )

    found = {one.round_id: [metric.value for metric in one.metrics] for one in rounds(restarted.views, a.RUN).items}

    assert found == {"x": [0.3], "y": [0.2]}


def test_names_beyond_ascii_are_names(reports):
    reports.of(a.an_outcome(round_id="ré:1", trial_id="ü 0"))

    assert the_round(reports, "ré:1").reported == 1


def test_a_round_nobody_reported_is_unknown(reports):
    reports.of(a.an_outcome())

    for asked in ({"round_id": "r2"}, {"attempt": 1}):
        with pytest.raises(UnknownThing):
            the_round(reports, **asked)


def test_a_cursor_of_another_attempt_is_refused(restarted):
    restarted.of(*(a.an_outcome(round_id=f"r{n}", attempt=n % 2) for n in range(8)))
    cursor = rounds(restarted.views, a.RUN, attempt=0, limit=1).next_cursor

    with pytest.raises(Refused):
        rounds(restarted.views, a.RUN, attempt=1, cursor=cursor)


def test_a_round_can_be_read_as_it_was(reports):
    before = reports.of(a.an_outcome(status="failure"))[-1]
    reports.of(a.a_population(1), a.an_outcome(trial_attempt=1))

    found = round_(reports.views_at(before), a.RUN, RoundId("r1"))

    assert (found.population, found.success, found.failure) == ("unknown", 0, 1)
