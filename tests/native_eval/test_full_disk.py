"""Evidence that can no longer be written, with a runtime in Harbor's place that takes every order."""

import sys

from tests.native_eval.cohort import a_config

RUNTIME = f"""#!{sys.executable}
import json, pathlib, sys

job = json.loads(sys.stdin.readline())
print(json.dumps({{"harbor": "0.0", "python": "3", "refused": []}}), flush=True)
for number in sys.stdin:
    output = pathlib.Path(job["trials"][int(number)]["trials_dir"]).parent
    for name in ("import-plan", "execution-errors"):
        (output / f".{{name}}.json.new").mkdir()
    print(json.dumps({{"phase": "run", "cut": None, "error": None, "message": None}}), flush=True)
"""


def test_no_trial_is_started_that_the_evidence_does_not_know_and_what_was_executed_is_told(run):
    runtime = run.folder / "runtime"
    runtime.write_text(RUNTIME)
    runtime.chmod(0o755)
    code, out, said = run.done(a_config(run.folder, "solved", "unsolved", "told"), runtime)
    assert (code, "Traceback" in said) == (1, False)
    assert said.count("the evidence cannot be written") == 2
    assert "trial 3 of 3" not in said
    assert "broke off after 1 of 3" in out
    started = [one["task_id"] for one in run.read("import-plan.json")["trials"] if one["attempts"]]
    assert started == ["solved"]
