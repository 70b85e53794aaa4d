"""The command as a person starts it: what it prints, its exit codes, and that all is checked before any is sent."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native_import.cohort import a_plan, a_result, a_trial, an_atif, left
from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import Ingest

EXAMPLES = Path(__file__).parents[2] / "sdk/examples"


class Import:
    """One place of work."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root, self.plan, self.output = folder / "results", folder / "plan.json", folder / "snapshot.json"
        self.root.mkdir()
        (folder / "redactors_of_mine.py").write_text("def clean(text): return text.replace('SECRET', 'x')\n")

    def command(self, *more: str) -> list[str]:
        given = ["--root", str(self.root), "--plan", str(self.plan), "--output", str(self.output)]
        return [sys.executable, "-m", "common.eval.native_import", *given, *more]

    def environment(self, ingest: Ingest | None) -> dict[str, str]:
        paths = os.pathsep.join(map(str, (EXAMPLES.parent, self.folder)))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TUNEPLANE_")}
        return {**kept, "PYTHONPATH": paths, **(job_env(ingest.endpoint) if ingest else {})}

    def __call__(self, *more: str, ingest: Ingest | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*more),
            cwd=EXAMPLES,
            env=self.environment(ingest),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def bundle(self) -> dict:
        found: dict = json.loads(self.output.read_text(encoding="utf-8"))
        return found


@pytest.fixture
def importing(tmp_path) -> Import:
    here = Import(tmp_path)
    left(here.root, "a-first", a_result(None, "EnvironmentStartTimeoutError"))
    left(here.root, "a-again", a_result(1.0), an_atif({"source": "user", "message": "a SECRET"}))
    left(here.root, "b", a_result(0.5))
    executed = a_trial("a", "0", "a-first", "a-again"), a_trial("b", "0", "b"), a_trial("c", "0", "c")
    here.plan.write_text(json.dumps(a_plan(*executed, a_trial("d", "0"))))
    return here


def test_a_snapshot_is_prepared_and_told_and_nothing_is_sent_without_upload(importing, ingest):
    ran = importing(ingest=ingest)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        f"round: {importing.bundle['round_id']}",
        "4 trials planned, 4 attempts",
        "trials: success 1, failure 0, infra_error 0, unscored 2, not reported 1",
        "text kept: none",
        "reasons, of attempts:",
        "  1 infra_error: EnvironmentStartTimeoutError (a:0, attempt 0)",
        "  1 unscored: the reward 'reward' is 0.5, neither 0 nor 1 (b:0, attempt 0)",
        "  1 unscored: no result.json: never started, still running, or killed (c:0, attempt 0)",
        f"snapshot: {importing.output}",
    ]
    assert ingest.requests == []


def test_text_is_kept_with_a_limit_and_a_redactor(importing):
    ran = importing("--trace-limit", "32", "--redactor", "redactors_of_mine:clean")

    assert ran.returncode == 0
    assert "text kept: 1 trajectory, sampled and incomplete" in ran.stdout
    assert importing.bundle["trajectories"][0]["messages"] == [{"role": "user", "content": "a x"}]
    assert "SECRET" not in importing.output.read_text()


def test_text_without_a_redactor_is_refused(importing):
    ran = importing("--trace-limit", "1")

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "refused: --trace-limit: text is kept only with a --redactor, which you write\n"
    assert not importing.output.exists()


@pytest.mark.parametrize("place", ["plan", "result", "link", "trajectory", "root"])
def test_whatever_is_refused_nothing_is_written_and_nothing_is_sent(importing, ingest, place):
    match place:
        case "plan":
            importing.plan.write_text(importing.plan.read_text().replace('"eval"', "NaN"))
        case "result":
            left(importing.root, "b", b'{"n_total_trials": 1, "stats": {}}')
        case "link":
            (importing.root / "c").symlink_to("b")
        case "trajectory":
            left(importing.root, "b", trajectory={"schema_version": "ATIF-v9.0"})
        case "root":
            importing.root.rename(importing.folder / "elsewhere")
    ran = importing("--upload", "--trace-limit", "9", "--redactor", "redactors_of_mine:clean", ingest=ingest)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("refused: ")
    assert len(ran.stderr.splitlines()) == 1
    assert not importing.output.exists()
    assert ingest.requests == []


def test_the_snapshot_is_there_before_anything_is_sent(importing, ingest):
    there: list[bool] = []

    def look(path: str, body: bytes) -> int:
        there.append(importing.output.exists())
        return 200

    ingest.answer = look
    ran = importing("--upload", ingest=ingest)

    assert ran.returncode == 0
    assert ran.stdout.endswith("delivered to run-1\n")
    assert there
    assert all(there)


def test_a_refused_delivery_stops_the_command_and_keeps_the_snapshot(importing, ingest):
    ingest.answer = lambda path, body: 403
    ran = importing("--upload", ingest=ingest)

    assert ran.returncode == 3
    assert ran.stderr.startswith("not delivered: observations: ")
    assert f"The snapshot {importing.output} is kept; send it again." in ran.stderr
    assert len(ingest.requests) == 1
    assert importing.bundle["outcomes"]


@pytest.mark.parametrize("enabled", [None, "0"])
def test_an_upload_outside_of_a_job_keeps_the_snapshot_and_says_what_is_missing(importing, enabled):
    environment = importing.environment(None)
    if enabled is not None:
        environment["TUNEPLANE_JOB_ENABLED"] = enabled
    ran = subprocess.run(
        importing.command("--upload"), cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 3
    assert "TUNEPLANE_JOB_ENABLED" in ran.stderr
    assert importing.output.exists()


def test_an_import_that_was_killed_is_finished_by_the_same_command(importing, ingest):
    trials = [a_trial(f"t{at:03}", "0", f"d{at}") for at in range(200)]
    importing.plan.write_text(json.dumps(a_plan(*trials)))
    begun = subprocess.Popen(importing.command("--upload"), cwd=EXAMPLES, env=importing.environment(ingest))

    def kill_at_the_third(path: str, body: bytes) -> int:
        if len(ingest.requests) == 2:
            begun.send_signal(signal.SIGKILL)
        return 200

    ingest.answer = kill_at_the_third
    assert begun.wait(60) == -signal.SIGKILL
    before = [event["id"] for event in events(ingest)]
    ingest.answer = lambda path, body: 200
    assert importing("--upload", ingest=ingest).returncode == 0
    after = [event["id"] for event in events(ingest)][len(before) :]

    assert 0 < len(before) < len(after) == 402, "2 declarations, 200 outcomes, 200 reasons"
    assert after[: len(before)] == before


def events(ingest: Ingest) -> list[dict]:
    return [event for request in ingest.requests for event in request.document["events"]]


def test_an_evaluators_names_reach_no_terminal_as_commands(importing):
    (importing.root / "b/result.json").write_text('{"\\u001b[2J\\nrefused": 1, "\\u001b[2J\\nrefused": 2}')
    done = importing()
    assert done.returncode == 2
    assert "b/result.json: \\x1b[2J\\nrefused: stands twice in one object" in done.stderr
    assert done.stderr.rstrip("\n").isprintable()


def test_a_summary_that_the_stream_has_no_letters_for_stops_no_delivery(importing, ingest):
    left(importing.root, "b", {**a_result(), "verifier_result": {"rewards": {"größe": 0.5}}})
    done = subprocess.run(
        importing.command("--upload"),
        cwd=EXAMPLES,
        env={**importing.environment(ingest), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "the reward 'gr\\xf6\\xdfe' is 0.5" in done.stdout
    assert events(ingest)


def test_a_pipe_in_place_of_the_snapshot_is_refused_and_not_waited_for(importing):
    os.mkfifo(importing.output)
    done = importing()
    assert done.returncode == 2
    assert "is there already and is no ordinary file" in done.stderr


@pytest.mark.parametrize("code", ["def clean(:", "raise LookupError", "raise SystemExit(0)"])
def test_a_redactor_that_cannot_be_loaded_is_refused(importing, code):
    (importing.folder / "broken_redactor.py").write_text(code)
    done = importing("--trace-limit", "1", "--redactor", "broken_redactor:clean")
    assert done.returncode == 2
    assert "refused: --redactor: broken_redactor cannot be imported" in done.stderr
    assert not importing.output.exists()
