"""What a snapshot sends: population and protocol first, every outcome, every reason, then text; the same each time."""

import copy
import json

import pytest

from common.eval.native_import import upload
from common.eval.plan import parse_plan
from common.eval.refused import InputRefused
from common.eval.snapshot import content_digest, prepare, round_identity, save
from common.eval.traces import Traces
from tests.native_import.cohort import Sent, a_plan, a_result, a_trial, an_atif, left, same

UNKNOWN_TIME = "2026-01-21T03:44:18"


@pytest.fixture
def bundle(tmp_path):
    left(tmp_path, "a", a_result(1.0), an_atif())
    left(tmp_path, "b", a_result(0.5, finished_at=UNKNOWN_TIME))
    plan = a_plan(a_trial("a", "0", "a"), a_trial("b", "0", "b"), a_trial("c", "0"))
    return prepare(parse_plan(plan), tmp_path, Traces(1, same))


def sent(bundle) -> Sent:
    kept = Sent()
    upload(bundle, kept)
    return kept


def test_population_protocol_outcomes_reasons_and_text_are_sent_in_this_order(bundle):
    kept = sent(bundle)
    names = [event["name"] for request in kept.requests for event in request]

    assert names == [
        "validation.population",
        "validation.protocol",
        "validation.outcome",
        "validation.outcome",
        "trial.reason",
    ]
    assert kept.named("validation.population") == [{"round_id": bundle["round_id"], "expected": 3}]
    assert kept.named("validation.protocol") == [{"round_id": bundle["round_id"], **bundle["protocol"]}]
    assert [(one["trial_id"], one["status"]) for one in kept.named("validation.outcome")] == [
        ("a:0", "success"),
        ("b:0", "unscored"),
    ]
    assert kept.named("trial.reason") == [
        {
            "round_id": bundle["round_id"],
            "trial_id": "b:0",
            "trial_attempt": 0,
            "reason": "the reward 'reward' is 0.5, neither 0 nor 1",
        }
    ]


def test_text_is_sent_as_sampled_and_incomplete_under_the_rounds_identity(bundle):
    (trace,) = sent(bundle).trajectories

    assert trace == {
        "scope": "validation",
        "round_id": bundle["round_id"],
        "trial_id": "a:0",
        "trial_attempt": 0,
        "messages": [{"role": "user", "content": "Say hello."}, {"role": "assistant", "content": "Hello."}],
        "total_messages": 2,
        "complete": False,
        "capture_policy": "sampled",
    }


def test_an_event_has_the_evaluators_time_and_the_snapshots_where_there_is_none(bundle):
    (events,) = sent(bundle).requests
    assert [one["ts"] for one in events] == [
        bundle["prepared_at"],
        bundle["prepared_at"],
        "2026-12-01T20:09:41.474562+00:00",
        bundle["prepared_at"],
        bundle["prepared_at"],
    ]


def test_a_planned_trial_without_attempts_is_in_the_population_and_nothing_is_sent_of_it(bundle):
    assert "c:0" not in json.dumps(sent(bundle).requests)


def test_a_snapshot_read_back_sends_the_same_bytes(bundle, tmp_path):
    save(bundle, tmp_path / "snapshot.json")
    read = json.loads((tmp_path / "snapshot.json").read_text(encoding="utf-8"))
    one, other = sent(bundle), sent(read)
    assert (one.requests, one.trajectories) == (other.requests, other.trajectories)


def test_progress_is_told_after_each_request(tmp_path):
    plan = a_plan(*(a_trial(f"t{at:02}", "0", f"d{at}") for at in range(40)))
    told: list[int] = []
    upload(prepare(parse_plan(plan), tmp_path), Sent(), told.append)
    assert told == [32, 64, 82], "2 declarations, 40 outcomes, 40 reasons"


def refusal(bundle) -> tuple[str, str]:
    kept = Sent()
    with pytest.raises(InputRefused) as refused:
        upload(bundle, kept)
    assert (kept.requests, kept.trajectories) == ([], [])
    return refused.value.field, refused.value.rule


@pytest.mark.parametrize("wrong", [[], None, "x"])
def test_what_is_no_object_is_refused(wrong):
    assert refusal(wrong)[1].startswith("has to be an object")


def test_another_schema_is_refused(bundle):
    assert refusal({**bundle, "schema": "tuneplane/native-evaluation-import/v1"})[0] == "schema"


def test_a_snapshot_that_was_changed_is_refused_before_anything_is_sent(bundle):
    for change in (
        lambda one: one["outcomes"][1].update(status="success"),
        lambda one: one["population"].update(expected=2),
        lambda one: one["trajectories"].clear(),
        lambda one: one.update(planned_round="other"),
        lambda one: one.update(round_id="native:heldout-1:" + "0" * 32),
        lambda one: one.update(content_digest="0" * 64),
    ):
        changed = copy.deepcopy(bundle)
        change(changed)
        assert refusal(changed)[0] == "content_digest"
    assert refusal({**bundle, "outcomes": float("nan")})[1] == "has to be JSON with finite numbers alone"


def signed(bundle):
    digest = content_digest(bundle)
    return {**bundle, "content_digest": digest, "round_id": round_identity(bundle["planned_round"], digest)}


@pytest.mark.parametrize(
    "broken",
    [
        {"outcomes": [{}]},
        {"outcomes": 5},
        {"population": {}},
        {"population": {"expected": -1}},
        {"protocol": {}},
        {"trajectories": None},
        {"trajectories": [5]},
    ],
    ids=str,
)
def test_a_snapshot_of_another_shape_is_refused_before_anything_is_sent(bundle, broken):
    assert refusal(signed({**bundle, **broken}))[1].startswith("cannot be sent")


def test_an_outcome_that_no_server_would_take_is_refused_before_anything_is_sent(bundle):
    for change in ({"status": "won"}, {"training_eligible": True}, {"trial_attempt": -1}, {"trial_id": "t" * 129}):
        outcomes = [bundle["outcomes"][0], {**bundle["outcomes"][1], **change}]
        assert refusal(signed({**bundle, "outcomes": outcomes}))[1].startswith("cannot be sent")
