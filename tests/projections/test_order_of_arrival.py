"""Outcome counts do not depend on the order in which results arrive, and equal a count made by hand."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from application.queries.round import rounds
from application.queries.trial import trial_attempts, trials
from domain.events import OutcomeReported
from domain.events.outcome import OutcomeStatus
from domain.ids import RoundId
from tests import factories as a
from tests.queries.reports import Reports

STATUSES: tuple[OutcomeStatus, ...] = ("success", "failure", "infra_error", "unscored")


def outcomes() -> st.SearchStrategy[OutcomeReported]:
    return st.builds(
        lambda trial, number, status, eligible: a.an_outcome(
            trial_id=f"t{trial}",
            trial_attempt=number,
            status=status,
            training_eligible=eligible and status in ("success", "failure"),
        ),
        st.integers(0, 5),
        st.integers(0, 3),
        st.sampled_from(STATUSES),
        st.booleans(),
    )


def _in_two_orders(events: list[OutcomeReported]):
    return st.tuples(st.just(events), st.permutations(events))


def identity(outcome: OutcomeReported) -> tuple[str, int]:
    return outcome.trial_id, outcome.trial_attempt


def seen(events: Sequence[OutcomeReported]):
    """Counts, trials and attempts as they are answered once `events` were reported in this order."""
    reports = Reports()
    reports.of(a.a_run(), a.an_execution(), a.a_population(4), *events)
    views = reports.views
    (found,) = rounds(views, a.RUN).items
    listed = trials(views, a.RUN, RoundId("r1")).items
    history = {
        one.trial_id: [(each.trial_attempt, each.status) for each in _attempts(views, one.trial_id)] for one in listed
    }
    current = {one.trial_id: (one.trial_attempt, one.status, one.training_eligible, one.attempts) for one in listed}
    return found, current, history


def _attempts(views, trial):
    return trial_attempts(views, a.RUN, RoundId("r1"), trial).items


def assert_counted(events: Sequence[OutcomeReported]) -> None:
    """Against a model: of each identity the first report, of each trial its highest attempt."""
    accepted: dict[tuple[str, int], OutcomeReported] = {}
    losing = set()
    for event in events:
        standing = accepted.setdefault(identity(event), event)
        if (standing.status, standing.training_eligible) != (event.status, event.training_eligible):
            losing.add((identity(event), event.status, event.training_eligible))
    by_trial: dict[str, list[OutcomeReported]] = {}
    for event in accepted.values():
        by_trial.setdefault(event.trial_id, []).append(event)
    highest = [max(several, key=lambda one: one.trial_attempt) for several in by_trial.values()]
    counted = Counter(one.status for one in highest)
    scored = counted["success"] + counted["failure"]

    found, current, history = seen(events)

    assert {status: getattr(found, status) for status in STATUSES} == {status: counted[status] for status in STATUSES}
    assert found.reported == len(by_trial)
    assert found.training_eligible == sum(one.training_eligible for one in highest)
    assert found.success_rate == (counted["success"] / scored if scored else None)
    assert found.population == ("exceeded" if len(by_trial) > 4 else "declared")
    assert found.scoring_coverage == (None if len(by_trial) > 4 else scored / 4)
    assert found.set_aside == len(losing)
    assert current == {
        one.trial_id: (one.trial_attempt, one.status, one.training_eligible, len(by_trial[one.trial_id]))
        for one in highest
    }
    assert {trial: sorted(several) for trial, several in history.items()} == {
        trial: sorted((one.trial_attempt, one.status) for one in several) for trial, several in by_trial.items()
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(outcomes(), max_size=20))
def test_counts_are_those_of_a_count_by_hand(events):
    assert_counted(events)


@settings(max_examples=40, deadline=None)
@given(st.lists(outcomes(), max_size=12, unique_by=identity).flatmap(_in_two_orders))
def test_any_order_of_arrival_gives_the_same_view(orders):
    one, other = orders

    assert seen(one) == seen(other)
