"""`--check-plan`: everything that can be refused without Harbor, which is not installed here."""

import copy
import importlib.util
import json

import pytest

from common.eval.execution_plan import parse_execution_plan, read_execution_plan
from common.eval.native_eval import main
from common.eval.refused import InputRefused
from common.eval.settings_evidence import settings_with_evidence
from tests.native_eval.cohort import a_config, a_task

PUBLISHED_TRIAL = {
    "agent": {
        "name": "openhands",
        "model_name": "hosted_vllm/frozen-model",
        "override_timeout_sec": 300,
        "kwargs": {"api_base": "http://model-service:8000/v1", "temperature": 0},
    },
    "environment": {"type": "docker", "delete": True},
    "verifier": {"disable": False, "override_timeout_sec": 60},
}
PUBLISHED_SETTINGS = {
    "sampling": {"temperature": 0, "seed": 42},
    "budgets": {"agent_seconds": 300, "verifier_seconds": 60},
    "tool_policy": {"network": False},
    "retry_policy": "latest explicit retry; never best reward",
}


@pytest.fixture
def config(tmp_path):
    """The published example."""
    made = a_config(tmp_path, "task-a", "task-b", timeout_seconds=600)
    made["trial"] = copy.deepcopy(PUBLISHED_TRIAL)
    made["plan"]["settings"] = copy.deepcopy(PUBLISHED_SETTINGS)
    return made


def checked(tmp_path, config, *options):
    """The exit code of --check-plan."""
    file = tmp_path / "native-eval.json"
    file.write_text(json.dumps(config))
    return main(["--config", str(file), "--output", str(tmp_path / "out"), "--check-plan", *options])


def refusal(tmp_path, config):
    with pytest.raises(InputRefused) as refused:
        parse_execution_plan(config, "native-eval.json", tmp_path)
    assert str(refused.value).startswith("native-eval.json: ")
    return refused.value.field, refused.value.rule


def changed(config, path, value):
    *outer, last = path.split("/")
    inner = config
    for name in outer:
        inner = inner[int(name) if isinstance(inner, list) else name]
    inner[last] = value
    return config


def test_the_published_example_is_checked_without_harbor_and_starts_nothing(tmp_path, config, capsys):
    assert importlib.util.find_spec("harbor") is None
    assert checked(tmp_path, config) == 0
    told = capsys.readouterr().out
    assert "2 trials of 2 tasks, one after another" in told
    assert "each is cancelled after 600 s; no automatic retries" in told
    assert not (tmp_path / "out").exists()


def test_a_refusal_names_file_field_and_rule_and_has_a_code_of_its_own(tmp_path, config, capsys):
    assert checked(tmp_path, {**config, "timeout": 600}) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path}/native-eval.json: timeout: is none of the fields" in said


def test_a_folder_that_is_there_already_is_refused(tmp_path, config, capsys):
    (tmp_path / "out").mkdir()
    assert checked(tmp_path, config) == 2
    assert "out: is there already" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", '{"schema": NaN}', '{"schema": 1, "schema": 2}', "[]", "\ud800"])
def test_what_is_no_configuration_is_refused(tmp_path, text):
    file = tmp_path / "config.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputRefused):
        read_execution_plan(file)


def test_a_configuration_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputRefused, match="cannot be read"):
        read_execution_plan(tmp_path / "config.json")


@pytest.mark.parametrize(
    ("path", "value", "field", "rule"),
    [
        ("schema", "v2", "schema", "has to be tuneplane/native-evaluation-execution/v1"),
        ("timeout_seconds", 0, "timeout_seconds", "seconds over 0"),
        ("timeout_seconds", True, "timeout_seconds", "seconds over 0"),
        ("timeout_seconds", "600", "timeout_seconds", "seconds over 0"),
        ("timeout_seconds", 604_801, "timeout_seconds", "at most 604,800"),
        ("plan/verifier_digest", "B" * 64, "plan.verifier_digest", "SHA-256"),
        ("plan/source_revision", "f" * 40, "plan.source_revision", "not validated"),
        ("plan/trials/0/attempts", [{"retry": 0, "directory": "a"}], "plan.trials[0].attempts", "has to be empty"),
        ("plan/settings/execution", {}, "plan.settings.execution", "is written by this command"),
        ("task_paths/task-c", "/", "task_paths.task-c", "is no task of the plan"),
        ("task_paths/task-a", 7, "task_paths.task-a", "not a number"),
        ("task_paths/task-a", "tasks/task-b", "task_paths.task-a", "named 'task-b'"),
        ("task_paths/task-a", "elsewhere/task-a", "task_paths.task-a", "is no folder"),
        ("trial/task", {}, "trial.task", "is set by this command"),
        ("trial/trial_name", "x", "trial.trial_name", "is set by this command"),
        ("trial/trials_dir", "x", "trial.trials_dir", "is set by this command"),
        ("trial/install_only", False, "trial.install_only", "runs neither"),
        ("trial/source_trial", None, "trial.source_trial", "grades an earlier"),
        ("trial/verifier", None, "trial.verifier", "has to be an object"),
        ("trial", [], "trial", "has to be an object"),
        ("plan/settings/budgets/agent_seconds", 299, "plan.settings.budgets.agent_seconds", "gives 300"),
        ("plan/settings/budgets/verifier_seconds", 61, "plan.settings.budgets.verifier_seconds", "gives 60"),
        ("trial/timeout_multiplier", 2, "plan.settings.budgets.agent_seconds", "gives 600"),
        ("trial/agent/max_timeout_sec", 200, "plan.settings.budgets.agent_seconds", "gives 200"),
        ("trial/verifier_timeout_multiplier", 0.5, "plan.settings.budgets.verifier_seconds", "gives 30"),
        ("plan/settings/sampling/temperature", 0.7, "plan.settings.sampling.temperature", "gives 0"),
    ],
)
def test_a_rule_that_is_broken_is_named_with_its_field(tmp_path, config, path, value, field, rule):
    found = refusal(tmp_path, changed(config, path, value))
    assert found[0] == field
    assert rule in found[1]


@pytest.mark.parametrize("path", ["plan/trials", "task_paths/task-a", "trial/agent", "trial/verifier", "schema"])
def test_what_is_missing_is_named(tmp_path, config, path):
    *outer, last = path.split("/")
    inner = config
    for name in outer:
        inner = inner[name]
    del inner[last]
    field, rule = refusal(tmp_path, config)
    assert field == path.replace("/", ".")
    assert rule.startswith("is missing")


def test_a_task_without_its_file_is_refused(tmp_path, config):
    (tmp_path / "tasks" / "task-b" / "task.toml").unlink()
    field, rule = refusal(tmp_path, config)
    assert field == "task_paths.task-b"
    assert rule.endswith("holds no task.toml")


def test_a_path_is_taken_from_the_folder_of_the_configuration(tmp_path, config):
    config["task_paths"]["task-a"] = "tasks/task-a"
    first = parse_execution_plan(config, "c", tmp_path).trials[0]
    assert first.task_path == (tmp_path / "tasks" / "task-a").resolve()


def test_a_hundred_and_twenty_eight_trials_are_executed_in_their_order_and_no_more(tmp_path, config):
    config["plan"]["trials"] = [
        {"task_id": "task-a", "trial_id": f"repeat-{number}", "attempts": []} for number in range(128)
    ]
    del config["task_paths"]["task-b"]
    trials = parse_execution_plan(config, "c", tmp_path).trials
    assert [one.trial_id for one in trials] == [f"repeat-{number}" for number in range(128)]
    assert len({one.directory for one in trials}) == 128
    config["plan"]["trials"].append({"task_id": "task-a", "trial_id": "one-more", "attempts": []})
    assert refusal(tmp_path, config) == (
        "plan.trials",
        "has 129; at most 128 are executed: part a larger cohort",
    )


def test_no_two_executions_name_their_sandboxes_alike(tmp_path, config):
    first, second = (parse_execution_plan(config, "c", tmp_path).trials[0].directory for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("trial/agent/kwargs/api_key", "hunter2"),
        ("trial/agent/env", {"OPENAI_API_KEY": "hunter2"}),
        ("trial/environment/kwargs", {"nested": [{"password": "hunter2"}]}),
        ("trial/agent/kwargs/api_base", "http://someone:hunter2@model-service/v1"),
        ("trial/agent/kwargs/extra", "sk-hunter2hunter2hunter2hunter2"),
        ("plan/settings/tool_policy", {"token": "hunter2"}),
        ("plan/checkpoint", "https://someone:hunter2@models/one"),
    ],
)
def test_a_secret_is_refused_and_not_repeated(tmp_path, config, capsys, path, value):
    assert checked(tmp_path, changed(config, path, value)) == 2
    said = capsys.readouterr().err
    assert "secret" in said
    assert path.split("/")[-1] in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("trial/agent/env", {"OPENAI_API_KEY": "${OPENAI_API_KEY}"}),
        ("trial/agent/model_api_key_name", "OPENAI_API_KEY"),
        ("trial/agent/kwargs/api_key", "EMPTY"),
        ("trial/agent/kwargs/max_tokens", "4096"),
    ],
)
def test_what_only_names_a_secret_is_none(tmp_path, config, path, value):
    assert checked(tmp_path, changed(config, path, value)) == 0


def test_a_task_may_be_about_passwords(tmp_path):
    config = a_config(tmp_path, "crack-the-password")
    config["task_paths"]["crack-the-password"] = str(a_task(tmp_path / "tasks", "crack-the-password"))
    assert checked(tmp_path, config) == 0


def test_an_upload_without_credentials_is_refused_before_anything_runs(tmp_path, config, capsys, monkeypatch):
    monkeypatch.setenv("TUNEPLANE_JOB_ENABLED", "0")
    file = tmp_path / "native-eval.json"
    file.write_text(json.dumps(config))
    assert main(["--config", str(file), "--output", str(tmp_path / "out"), "--upload"]) == 2
    assert "needs the credentials of a platform job" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("python", "why"),
    [("", "cannot import Harbor"), ("/nowhere/python", "cannot be started")],
)
def test_an_interpreter_without_harbor_is_refused_with_what_to_do(tmp_path, config, capsys, python, why):
    file = tmp_path / "native-eval.json"
    file.write_text(json.dumps(config))
    which = ["--harbor-python", python] if python else []
    assert main(["--config", str(file), "--output", str(tmp_path / "out"), *which]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert python or "--harbor-python" in said
    assert not (tmp_path / "out").exists()


def test_text_without_what_cleans_it_is_refused(tmp_path, config, capsys):
    assert checked(tmp_path, config, "--trace-limit", "1") == 2
    assert "only with a --redactor" in capsys.readouterr().err


def test_two_checkpoints_that_are_served_apart_have_the_same_settings(tmp_path, config):
    other = copy.deepcopy(PUBLISHED_TRIAL)
    other["agent"]["model_name"] = "hosted_vllm/other-model"
    other["agent"]["kwargs"]["api_base"] = "http://elsewhere:8000/v1"
    one = settings_with_evidence(PUBLISHED_SETTINGS, PUBLISHED_TRIAL, 600, "0.26.0")
    assert settings_with_evidence(PUBLISHED_SETTINGS, other, 600, "0.26.0") == one
    assert one["execution"]["trial"]["agent"] == {
        "name": "openhands",
        "override_timeout_sec": 300,
        "kwargs": {"temperature": 0},
    }
    assert one["tool_policy"] == {"network": False}


@pytest.mark.parametrize(
    ("seconds", "harbor", "name"), [(601, "0.26.0", "oracle"), (600, "0.26.1", "oracle"), (600, "0.26.0", "nop")]
)
def test_what_was_executed_otherwise_has_other_settings(seconds, harbor, name):
    trial = {"agent": {"name": "oracle"}, "environment": {}, "verifier": {}}
    one = settings_with_evidence({}, trial, 600, "0.26.0")
    assert settings_with_evidence({}, {**trial, "agent": {"name": name}}, seconds, harbor) != one


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ("x" * 300 + "/task-a", "cannot be looked at: File name too long"),
        ("round/task-a", "leads into a loop of symbolic links"),
        ("\ud800/task-a", "holds half a character, which no file's name has"),
    ],
)
def test_a_task_path_that_cannot_be_looked_at_is_named(tmp_path, config, place, rule):
    (tmp_path / "round").symlink_to("round")
    config["task_paths"]["task-a"] = place
    assert refusal(tmp_path, config) == ("task_paths.task-a", rule)


@pytest.mark.parametrize("place", ["a-file/out", "x" * 300])
def test_an_output_that_cannot_be_there_is_refused_before_anything_runs(tmp_path, config, capsys, place):
    (tmp_path / "a-file").write_text("")
    assert checked(tmp_path, config, "--output", str(tmp_path / place)) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_a_budget_beyond_all_numbers_contradicts_what_is_declared(tmp_path, config):
    config["trial"]["agent"]["override_timeout_sec"] = 10**400
    field, _ = refusal(tmp_path, config)
    assert field == "plan.settings.budgets.agent_seconds"
