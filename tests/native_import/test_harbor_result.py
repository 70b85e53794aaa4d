"""What one result says: only 0 and 1 are verdicts, and what broke is not what the model answered."""

import json

import pytest
from tuneplane.contract import POLICY_CHARS

from common.eval.harbor_result import INFRASTRUCTURE, Verdict, missing, read_result
from common.eval.refused import InputRefused
from tests.native_import.cohort import a_result, same

FORBIDDEN = "sk-secret in /somewhere/private"


def verdict(result: object, clean=None) -> Verdict:
    return read_result(json.dumps(result).encode(), "a/result.json", clean)


def said(result: object, clean=None) -> tuple[str, str | None]:
    found = verdict(result, clean)
    return found.status, found.reason


def refusal(data: object) -> tuple[str, str]:
    with pytest.raises(InputRefused) as refused:
        read_result(data if isinstance(data, bytes) else json.dumps(data).encode(), "a/result.json")
    assert refused.value.file == "a/result.json"
    return refused.value.field, refused.value.rule


@pytest.mark.parametrize(
    ("reward", "status"), [(1, "success"), (1.0, "success"), (0, "failure"), (0.0, "failure"), (-0.0, "failure")]
)
def test_a_reward_of_exactly_one_or_nought_is_a_verdict_and_needs_no_reason(reward, status):
    assert said(a_result(reward)) == (status, None)


@pytest.mark.parametrize("reward", [0.5, 0.1667, 2, -1, 1e-300, 0.9999999999, True, False, "1", None, [1], {}])
def test_any_other_reward_is_unscored_and_the_reason_says_what_it_is(reward):
    status, reason = said(a_result(verifier_result={"rewards": {"reward": reward}}))
    assert status == "unscored"
    assert reason is not None
    assert reason.startswith("the reward 'reward' is ")


@pytest.mark.parametrize(
    ("verifier_result", "reason"),
    [
        (None, "no reward: the verifier gave none"),
        ({}, "no reward: the verifier gave none"),
        ({"rewards": None}, "no reward: the verifier gave none"),
        ({"rewards": {}}, "no reward: the verifier's list of rewards is empty"),
    ],
    ids=str,
)
def test_no_reward_is_unscored_and_never_a_failure(verifier_result, reason):
    assert said(a_result(verifier_result=verifier_result)) == ("unscored", reason)


def rewards(**named: object) -> tuple[str, str | None]:
    return said(a_result(verifier_result={"rewards": named}))


def test_of_several_rewards_the_one_called_reward_counts():
    assert rewards(correctness=0, style=0.25, reward=1.0) == ("success", None)
    assert rewards(reward=0, correctness=1) == ("failure", None)
    assert rewards(reward=0.5, correctness=1) == ("unscored", "the reward 'reward' is 0.5, neither 0 nor 1")


def test_a_single_reward_counts_whatever_its_name():
    assert rewards(correctness=1) == ("success", None)
    assert rewards(correctness=0.25) == ("unscored", "the reward 'correctness' is 0.25, neither 0 nor 1")


def test_several_rewards_without_one_called_reward_are_unscored():
    assert rewards(style=0, correctness=1) == (
        "unscored",
        "2 rewards, none of them called `reward`: correctness, style",
    )


@pytest.mark.parametrize("kind", ["VerifierTimeoutError", "EnvironmentStartTimeoutError", "AgentSetupTimeoutError"])
@pytest.mark.parametrize("reward", [None, 0.0, 1.0])
def test_timeouts_of_verifier_environment_and_setup_are_infrastructure_whatever_the_reward(kind, reward):
    assert said(a_result(reward, kind)) == ("infra_error", kind)


def test_those_three_are_all_the_infrastructure_errors():
    assert len(INFRASTRUCTURE) == 3


def test_an_agents_timeout_keeps_a_binary_verdict_and_says_so():
    message = "Agent execution timed out after 3000.0 seconds"

    assert said(a_result(1.0, "AgentTimeoutError", message)) == ("success", f"AgentTimeoutError: {message}")
    assert said(a_result(0, "AgentTimeoutError", message)) == ("failure", f"AgentTimeoutError: {message}")


def test_an_agents_timeout_gives_no_verdict_where_there_is_none():
    assert said(a_result(None, "AgentTimeoutError")) == (
        "unscored",
        "AgentTimeoutError; no reward: the verifier gave none",
    )
    assert said(a_result(0.5, "AgentTimeoutError"))[0] == "unscored"


@pytest.mark.parametrize(
    "kind",
    [
        "ValueError",
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "ValidationError",
        "CancelledError",
        "NonZeroAgentExitCodeError",
        "ContextWindowExceededError",
        "RuntimeError",
        "agenttimeouterror",
        "my.AgentTimeoutError",
    ],
)
@pytest.mark.parametrize("reward", [None, 0.0, 1.0])
def test_any_other_exception_is_unscored_even_with_a_reward(kind, reward):
    assert said(a_result(reward, kind, reward_valid=True)) == ("unscored", kind)


@pytest.mark.parametrize("kind", [None, "", "<b>Error", "E" * 200, "with space"])
def test_an_exception_without_a_readable_type_is_unscored(kind):
    info = {"exception_type": kind, "exception_message": FORBIDDEN}
    assert said(a_result(1.0, exception_info=info)) == ("unscored", "an exception whose type is not told")


def test_an_exceptions_message_is_told_only_where_something_cleaned_it():
    result = a_result(None, "RuntimeError", f"failed: {FORBIDDEN}")

    assert said(result) == ("unscored", "RuntimeError")
    assert said(result, lambda text: text.replace(FORBIDDEN, "X")) == ("unscored", "RuntimeError: failed: X")
    assert said(a_result(None, "RuntimeError", FORBIDDEN), lambda _: "") == ("unscored", "RuntimeError")


@pytest.mark.parametrize(
    "message",
    [
        "Verifier execution timed out after 60.0 seconds",
        "Environment start timed out after 0.6 seconds",
        "Agent setup timed out after 360 seconds",
    ],
)
def test_a_timeouts_own_sentence_is_told_and_nothing_that_follows_it(message):
    kind = "VerifierTimeoutError"
    assert said(a_result(None, kind, message)) == ("infra_error", f"{kind}: {message}")
    assert said(a_result(None, kind, f"{message}\n{FORBIDDEN}")) == ("infra_error", kind)


def test_a_reason_is_one_line_of_at_most_256_characters():
    _, reason = said(a_result(None, "RuntimeError", "a\nb\x1b[0m\0" + "x" * 500), same)

    assert reason is not None
    assert len(reason) == POLICY_CHARS
    assert reason.startswith("RuntimeError: a b [0m x")
    assert reason.endswith("x…")


def test_a_reward_that_the_evaluator_calls_invalid_is_unscored():
    assert said(a_result(1.0, reward_valid=False)) == ("unscored", "the evaluator calls the reward invalid")
    assert said(a_result(0.0, "AgentTimeoutError", reward_valid=False))[0] == "unscored"
    for tolerated in ({"reward_valid": True}, {"reward_valid": None}, {}):
        assert said(a_result(1.0, **tolerated)) == ("success", None)


def stepped(*kinds: str | None, reward: float = 1.0) -> tuple[str, str | None]:
    steps = [{"step_name": "s", "exception_info": kind and {"exception_type": kind}} for kind in kinds]
    return said(a_result(reward, step_results=steps))


def test_an_exception_of_a_step_counts_as_the_trials():
    assert stepped(None, None) == ("success", None)
    assert stepped(None, "ValueError") == ("unscored", "ValueError")
    assert stepped("AgentTimeoutError", None) == ("success", "AgentTimeoutError")


def test_of_several_steps_the_gravest_exception_counts():
    assert stepped("AgentTimeoutError", "ValueError", "VerifierTimeoutError") == ("infra_error", "VerifierTimeoutError")
    assert stepped("AgentTimeoutError", "ValueError") == ("unscored", "ValueError")


def test_absent_and_unknown_fields_are_tolerated():
    assert said({"trial_name": "x", "verifier_result": {"rewards": {"reward": 1}}}) == ("success", None)
    assert said({"task_name": "x"}) == ("unscored", "no reward: the verifier gave none")
    assert said(a_result(1.0, schema_version=99, something={"new": [1, {}]})) == ("success", None)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("2026-12-01T20:09:41.474562Z", "2026-12-01T20:09:41.474562+00:00"),
        ("2026-12-01T20:09:41+02:00", "2026-12-01T20:09:41+02:00"),
        ("2026-01-21T03:44:18.458309", None),  # naive: whose zone it is, nobody wrote
        ("2026-12-01T20:09:41+00:00:30", "2026-12-01T20:09:11+00:00"),  # no server takes seconds in an offset
        ("0001-01-01T00:00:00+23:00", None),  # in the year 0 of UTC
        ("9999-12-31T23:59:59-23:00", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_the_time_is_the_evaluators_and_unknown_where_its_zone_is_not_written(written, told):
    assert verdict(a_result(finished_at=written)).finished_at == told


def test_a_jobs_result_given_as_a_trials_is_refused_by_name():
    assert refusal({"id": "x", "n_total_trials": 12, "stats": {}}) == (
        "task_name",
        "is the result of a whole job, not of a trial: name the trial's own directory in the plan",
    )
    assert refusal({"stats": {"n_trials": 1, "evals": {}}})[1].startswith("is the result of a whole job")
    assert refusal({}) == ("task_name", "is missing: this is no result of a Harbor trial")


def test_a_trials_configuration_given_as_its_result_is_refused():
    of_every_config = {"task": {"path": "/tasks/a"}, "trial_name": "a__x", "trials_dir": "trials", "agent": {}}
    assert refusal({**of_every_config, "verifier": {}, "environment": {}}) == (
        "task_name",
        "is missing: this is no result of a Harbor trial",
    )


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"verifier_result": "1"}, "verifier_result"),
        ({"verifier_result": {"rewards": [1]}}, "verifier_result.rewards"),
        ({"exception_info": "ValueError"}, "exception_info"),
        ({"exception_info": {"exception_type": 5}}, "exception_info.exception_type"),
        ({"exception_info": {"exception_type": "E", "exception_message": {}}}, "exception_info.exception_message"),
        ({"step_results": {}}, "step_results"),
        ({"step_results": [1]}, "step_results[0]"),
        ({"step_results": [{"exception_info": []}]}, "step_results[0].exception_info"),
        ({"finished_at": 5}, "finished_at"),
    ],
    ids=str,
)
def test_a_field_of_another_shape_is_refused_by_name(changes, field):
    assert refusal(a_result(**changes))[0] == field


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "is no JSON"),
        (b'{"task_name": "a"', "is no JSON"),
        (b'{"task_name": "a"} {}', "is no JSON"),
        (b"\xef\xbb\xbf{}", "is no JSON"),
        (b'{"task_name": "\xff"}', "is no UTF-8 at byte 15"),
        (b'{"task_name": NaN}', "holds NaN; only finite numbers are read"),
        (b'{"task_name": [-Infinity]}', "holds -Infinity; only finite numbers are read"),
        (b'{"task_name": 1e999}', "holds 1e999; only finite numbers are read"),
        (b'{"task_name": ' + b"9" * 5000 + b"}", "holds an integer of too many digits"),
        (b'{"task_name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "is nested too deeply"),
        (b'{"task_name": ' + b"[" * 101 + b"]" * 101 + b"}", "is nested more than 100 levels deep"),
        (b"[]", "has to be an object, not a list"),
        (b"null", "has to be an object, not null"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_what_is_no_finite_json_object_is_refused(data, rule):
    field, found = refusal(data)
    assert field == ""
    assert found.startswith(rule)


def test_a_field_that_stands_twice_is_refused():
    assert refusal(b'{"task_name": "a", "verifier_result": {"rewards": {"reward": 0, "reward": 1}}}') == (
        "reward",
        "stands twice in one object",
    )


def test_an_attempt_without_a_result_is_unscored():
    assert missing() == Verdict("unscored", "no result.json: never started, still running, or killed", None)
