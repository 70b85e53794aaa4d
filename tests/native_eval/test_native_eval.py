"""Cohorts through the real Harbor, with its oracle agent, in sandboxes without containers."""

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from tuneplane.reporter import Reporter

from common.eval.delivery import upload
from common.eval.native_import import main as native_import
from tests.end_to_end.waiting import until
from tests.native_eval.cohort import Run, a_config
from tests.sdk.conftest import TOKEN, job_env

pytestmark = [pytest.mark.packages, pytest.mark.usefixtures("sandboxes")]
SLOW_END = {"import_path": "localenv:LocalEnvironment", "kwargs": {"stop_seconds": 1}}


def assert_nothing_is_left(run: Run) -> None:
    """No process, no sandbox, no mount."""
    assert run.processes() == {}
    assert run.sandboxes() == []
    assert str(run.folder) not in Path("/proc/mounts").read_text()


def in_the_sandbox(run: Run, program: str) -> bool:
    """Whether a program runs there: it is no child of ours, and carries the mark."""
    return any(line.startswith(program) for line in run.processes().values())


def import_again(run: Run) -> dict[str, str]:
    """What the importer makes of the evidence: each started trial's status."""
    where = ["--root", str(run.output / "trials"), "--plan", str(run.output / "import-plan.json")]
    assert native_import([*where, "--output", str(run.folder / "again.json")]) == 0
    snapshot = json.loads((run.folder / "again.json").read_text())
    assert snapshot["population"] == {"expected": len(run.read("import-plan.json")["trials"])}
    return {one["trial_id"].removesuffix(":repeat-0"): one["status"] for one in snapshot["outcomes"]}


def test_every_way_a_trial_can_end_becomes_its_outcome(run, harbor):
    tasks = ("solved", "unsolved", "half-right", "solved-too-slowly", "too-slow", "slow-verifier", "no-reward")
    code, out, said = run.done(a_config(run.folder, *tasks), harbor)
    assert code == 1, said
    agent_late = "AgentTimeoutError: Agent execution timed out after {} seconds"
    assert run.outcomes() == {
        "solved": ("success", None),
        "unsolved": ("failure", None),
        "half-right": ("unscored", "the reward 'reward' is 0.5, neither 0 nor 1"),
        "solved-too-slowly": ("success", agent_late.format("4.0")),
        "too-slow": ("failure", agent_late.format("1.0")),
        "slow-verifier": ("infra_error", "VerifierTimeoutError: Verifier execution timed out after 1.0 seconds"),
        "no-reward": ("unscored", "RewardFileNotFoundError"),
    }
    assert "success 2, failure 2, infra_error 1, unscored 2, not reported 0" in out
    assert run.read("execution-errors.json")["errors"] == []
    assert_nothing_is_left(run)
    import_again(run)
    again = json.loads((run.folder / "again.json").read_text())
    assert again["round_id"] == run.read("native-evaluation.json")["round_id"]


def test_a_cohort_with_failures_of_the_model_is_a_completed_evaluation_and_is_delivered(run, harbor, ingest):
    code, out, said = run.done(
        a_config(run.folder, "solved", "unsolved"), harbor, "--upload", **job_env(ingest.endpoint)
    )
    assert code == 0, said
    events = [(event["name"], event["values"]) for event in ingest.events()]
    assert [values["expected"] for name, values in events if name == "validation.population"] == [2]
    assert Counter(values["status"] for name, values in events if name == "validation.outcome") == {
        "success": 1,
        "failure": 1,
    }
    assert not any(values["training_eligible"] for name, values in events if name == "validation.outcome")
    assert "delivered" in out
    kept = b"".join(path.read_bytes() for path in run.output.rglob("*") if path.is_file())
    assert TOKEN.encode() not in kept


def test_what_was_not_delivered_is_saved_and_can_be_sent_as_it_is(run, harbor, ingest):
    ingest.answer = lambda path, body: 403
    code, _, said = run.done(a_config(run.folder, "solved"), harbor, "--upload", **job_env(ingest.endpoint))
    assert code == 3, said
    ingest.answer = lambda path, body: 200
    with Reporter(ingest.endpoint, "run-1", TOKEN) as reporter:
        upload(run.read("native-evaluation.json"), reporter)
    assert [event["name"] for event in ingest.events()][:2] == ["validation.population", "validation.protocol"]


def test_sigterm_ends_the_trial_that_runs_with_its_sandbox_and_keeps_the_evidence(run, harbor):
    config = a_config(run.folder, "solved", "never-ending", "unsolved", environment=SLOW_END)
    token = f"tp_ing_{run.mark}"
    process = run.start(config, harbor, TUNEPLANE_JOB_TOKEN=token)
    until(lambda: in_the_sandbox(run, "sleep 600"), "the second trial")
    assert list(run.processes(token)) == [process.pid]
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 143, said
    assert_nothing_is_left(run)
    assert run.outcomes() == {"solved": ("success", None), "never-ending": ("unscored", "CancelledError")}
    assert run.read("native-evaluation.json")["population"] == {"expected": 3}
    told = run.read("execution-errors.json")
    assert (told["planned"], told["started"]) == (3, 2)
    assert told["errors"] == [
        {
            "task_id": "never-ending",
            "trial_id": "repeat-0",
            "phase": "run",
            "error_type": "CancelledError",
            "cut_by": "SIGTERM",
        }
    ]
    assert import_again(run) == {"solved": "success", "never-ending": "unscored"}


def test_an_interrupt_while_a_sandbox_is_ending_lets_it_end(run, harbor):
    """Harbor does not wait for it where it is cancelled right there. Sent to the group, as a terminal does."""
    process = run.start(a_config(run.folder, "solved", "unsolved", environment=SLOW_END), harbor)
    until(lambda: list(run.folder.glob("sandboxes/*/stopping")), "the end of the first sandbox")
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert_nothing_is_left(run)
    assert import_again(run) == {"solved": "success"}


def test_the_deadline_cancels_the_trial_waits_for_its_cleaning_and_stops_the_cohort(run, harbor):
    config = a_config(run.folder, "never-ending", "unsolved", timeout_seconds=3, environment=SLOW_END)
    code, out, said = run.done(config, harbor)
    assert code == 1, said
    assert_nothing_is_left(run)
    assert run.outcomes() == {"never-ending": ("unscored", "CancelledError")}
    assert "success 0, failure 0, infra_error 0, unscored 1, not reported 1" in out
    (error,) = run.read("execution-errors.json")["errors"]
    assert (error["task_id"], error["error_type"], error["cut_by"]) == ("never-ending", "TimeoutError", "deadline")


def test_a_killed_coordinator_leaves_no_orphan_and_evidence_that_is_imported(run, harbor):
    process = run.start(a_config(run.folder, "solved", "never-ending", "unsolved"), harbor)
    until(lambda: in_the_sandbox(run, "sleep 600"), "the second trial")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: not run.processes(), "the end of Harbor")
    assert_nothing_is_left(run)
    assert not (run.output / "execution-errors.json").exists()
    assert import_again(run) == {"solved": "success", "never-ending": "unscored"}


def test_a_killed_harbor_is_told_and_its_trial_has_no_outcome(run, harbor):
    process = run.start(a_config(run.folder, "solved", "never-ending", "unsolved"), harbor)
    until(lambda: in_the_sandbox(run, "sleep 600"), "the second trial")
    (runner,) = (number for number, line in run.processes().items() if "common.eval.harbor_runner" in line)
    os.kill(runner, signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 1
    assert "was killed by SIGKILL" in said
    reason = "no result.json: never started, still running, or killed"
    assert run.outcomes() == {"solved": ("success", None), "never-ending": ("unscored", reason)}
    assert [one["error_type"] for one in run.read("execution-errors.json")["errors"]] == ["HarborProcessEnded"]


def test_an_agent_that_cannot_be_made_stops_the_cohort_and_its_denominator_stays(run, harbor):
    config = a_config(run.folder, "solved", "unsolved", agent={"import_path": "nowhere:Agent"})
    code, _, said = run.done(config, harbor)
    assert code == 1
    assert "nowhere" in said
    (error,) = run.read("execution-errors.json")["errors"]
    assert (error["task_id"], error["phase"], error["error_type"], error["cut_by"]) == (
        "solved",
        "create",
        "ValueError",
        None,
    )
    assert "nowhere" not in json.dumps(run.read("execution-errors.json"))
    assert run.read("native-evaluation.json")["population"] == {"expected": 2}
    assert import_again(run) == {"solved": "unscored"}


def test_text_is_kept_once_the_outcomes_are_saved(run, harbor):
    (run.folder / "project.py").write_text("def clean(text):\n    return text.upper()\n")
    code, _, said = run.done(a_config(run.folder, "told"), harbor, "--trace-limit", "1", "--redactor", "project:clean")
    assert code == 0, said
    (kept,) = run.read("native-evaluation.json")["trajectories"]
    assert [message["content"] for message in kept["messages"]] == ["I WROTE THE FILE"]


def test_text_that_cannot_be_cleaned_leaves_the_outcomes_saved(run, harbor):
    (run.folder / "project.py").write_text("def clean(text):\n    raise RuntimeError(text)\n")
    code, _, said = run.done(a_config(run.folder, "told"), harbor, "--trace-limit", "1", "--redactor", "project:clean")
    assert code == 4, said
    assert run.outcomes() == {"told": ("success", None)}
    assert run.read("native-evaluation.json")["trajectories"] == []


def test_settings_that_harbor_would_ignore_or_refuses_are_refused_by_name_before_anything_starts(run, harbor):
    config = a_config(
        run.folder,
        "solved",
        agent={"name": "oracle", "override_timeout": 1, "kwargs": {"anything": 1}},
        environment={
            "import_path": "localenv:LocalEnvironment",
            "mounts": [{"type": "bind", "source": "/a", "target": "/b", "readonly": True}],
            "mounts_json": [],
            "override_cpus": "many",
        },
        timeout_multiplyer=2,
    )
    code, _, said = run.done(config, harbor)
    assert code == 2
    assert "trial.environment.override_cpus" in said
    config["trial"]["environment"].pop("override_cpus")
    code, _, said = run.done(config, harbor)
    assert code == 2
    ignored = "is no setting of this Harbor, which would ignore it (Harbor 0.26.0)"
    assert {line for line in said.splitlines() if "trial." in line} == {
        f"refused, nothing was started: trial.agent.override_timeout: {ignored}",
        f"trial.environment.mounts[0].readonly: {ignored}",
        f"trial.environment.mounts_json: {ignored}",
        f"trial.timeout_multiplyer: {ignored}",
    }
    assert not run.output.exists()
    assert run.sandboxes() == []


def test_evidence_is_never_added_to_what_was_executed_before(run, harbor):
    run.output.mkdir()
    code, _, said = run.done(a_config(run.folder, "solved"), harbor)
    assert code == 2
    assert "is there already" in said
    assert list(run.output.iterdir()) == []
