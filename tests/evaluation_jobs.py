"""Two evaluation jobs over one cohort, made of what real evaluators wrote, with counts made by hand.

The earlier checkpoint has ended; of the later one some reports were lost, and nobody said that it ended.

python -m tests.evaluation_jobs http://127.0.0.1:8420 PASSWORD      prints the ids of the two jobs
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
from tuneplane.contract import EVENTS_PER_CALL, validation_event_id
from tuneplane.observations import now_iso
from tuneplane.reporter import Reporter

from tests.evaluation_samples import (
    as_termination,
    atif,
    harbor,
    lm_eval_results,
    lm_eval_rows,
    system_message,
    was_cut,
)

MATHS = "2026-01-21T03-44-18.458309"
CHUNK = 4


class Trial(msgspec.Struct, frozen=True):
    """One execution of a planned trial: the Harbor result that stands for it, and an ATIF file for its text."""

    trial_id: str
    result: str
    attempt: int = 0
    text: str | None = None


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """One round, counted by hand from the tables below."""

    expected: int
    reported: int
    success: int
    failure: int
    infra_error: int = 0
    unscored: int = 0
    not_reported: int = 0
    retried: int = 0
    set_aside: int = 0
    rate: str
    coverage: str


TASKS_PLANNED = 13
"""hello-file four times; bool-reward, multi-reward, partial-reward, no-reward, slow-agent, slow-agent-unsolved,
slow-verifier, and two tasks of a public benchmark once each."""
BEAM, BUSTUB = "beam-pipeline-builder-refac-001", "bustub-hyperloglog-impl-001"
OPENHANDS, TERMINUS = "openhands_v1.5_hello-world", "terminus2_v1.6_timeout"
EARLIER = (
    Trial("hello-file:0", "hello-file__nop"),  # failure
    Trial("hello-file:1", "hello-file__envstart_timeout"),  # execution error, then
    Trial("hello-file:1", "hello-file__hLM5ukt", attempt=1),  # failure
    Trial("hello-file:2", "hello-file__onksGBV", text=OPENHANDS),  # success
    Trial("hello-file:3", "hello-file__8pgHSN9"),  # success
    Trial("bool-reward:0", "bool-reward__oracle"),  # success
    Trial("multi-reward:0", "multi-reward__oracle"),  # success
    Trial("partial-reward:0", "partial-reward__oracle"),  # unscored: 0.5
    Trial("no-reward:0", "no-reward__oracle"),  # unscored: no reward file
    Trial("slow-agent:0", "slow-agent__solved_then_timeout"),  # success, the agent's time was over
    Trial("slow-agent-unsolved:0", "slow-agent__unsolved_timeout", text=TERMINUS),  # failure
    Trial("slow-verifier:0", "slow-verifier__timeout"),  # execution error
    Trial(f"{BEAM}:0", f"{BEAM}__6apbeoW", text="claude-code_1.0.0_v1.7_representative"),  # success
)
"""bustub was planned and never reported."""
LATER = (
    Trial("hello-file:0", "hello-file__TinyAtif", text="tiny-agent_v1.8_run-here"),  # success
    Trial("hello-file:1", "hello-file__envstart_timeout"),  # execution error, then
    Trial("hello-file:1", "hello-file__oracle", attempt=1, text=OPENHANDS),  # success
    Trial("hello-file:2", "hello-file__62M97oJ"),  # failure
    Trial("hello-file:3", "hello-file__Raises"),  # unscored: the agent raised, whatever the reward
    Trial("bool-reward:0", "bool-reward__oracle"),  # success
    Trial("partial-reward:0", "partial-reward__oracle"),  # unscored
    Trial("no-reward:0", "no-reward__oracle"),  # unscored
    Trial("slow-agent:0", "slow-agent__solved_then_timeout"),  # success
    Trial("slow-agent-unsolved:0", "slow-agent__unsolved_timeout", text=TERMINUS),  # failure
    Trial("slow-verifier:0", "slow-verifier__timeout"),  # execution error, and again
    Trial("slow-verifier:0", "slow-verifier__timeout", attempt=1),  # execution error
    Trial(f"{BEAM}:0", f"{BEAM}__6apbeoW"),  # success
    Trial(f"{BUSTUB}:0", f"{BUSTUB}__H3miQeM", text="claude-code_unknown_v1.7_sample-session"),  # unscored: 0.1667
)
"""multi-reward was planned and never reported."""
EARLIER_HELLO = (
    Trial("repeat-0", "hello-file__nop"),
    Trial("repeat-1", "hello-file__hLM5ukt"),
    Trial("repeat-2", "hello-file__8pgHSN9"),
)
LATER_HELLO = (
    Trial("repeat-0", "hello-file__oracle"),
    Trial("repeat-1", "hello-file__TinyAtif", text="tiny-agent_v1.8_run-here"),
    Trial("repeat-2", "hello-file__62M97oJ"),
)
EARLIER_COUNTS = {
    "agent-tasks": Expected(
        expected=13,
        reported=12,
        success=6,  # hello-file:2, hello-file:3, bool-reward, multi-reward, slow-agent, beam
        failure=3,  # hello-file:0, hello-file:1, slow-agent-unsolved
        infra_error=1,  # slow-verifier
        unscored=2,  # partial-reward, no-reward
        not_reported=1,  # bustub
        retried=1,  # hello-file:1
        rate="66.7 %: 6 of 9 scored",
        coverage="69.2 %: 9 scored of 13 planned",
    ),
    "hello-file": Expected(
        expected=3, reported=3, success=1, failure=2, rate="33.3 %: 1 of 3", coverage="100 %: 3 scored of 3 planned"
    ),
    "lm-eval:tp_mc": Expected(
        expected=5, reported=5, success=1, failure=4, rate="20.0 %: 1 of 5", coverage="100 %: 5 scored of 5 planned"
    ),
}
LATER_COUNTS = {
    "agent-tasks": Expected(
        expected=13,
        reported=12,
        success=5,  # hello-file:0, hello-file:1, bool-reward, slow-agent, beam
        failure=2,  # hello-file:2, slow-agent-unsolved
        infra_error=1,  # slow-verifier
        unscored=4,  # hello-file:3, partial-reward, no-reward, bustub
        not_reported=1,  # multi-reward
        retried=2,  # hello-file:1, slow-verifier
        set_aside=1,  # of hello-file:0, a second and different verdict
        rate="71.4 %: 5 of 7 scored",
        coverage="53.8 %: 7 scored of 13 planned",
    ),
    "hello-file": Expected(
        expected=3, reported=3, success=2, failure=1, rate="66.7 %: 2 of 3", coverage="100 %: 3 scored of 3 planned"
    ),
    "lm-eval:tp_mc": Expected(
        expected=5, reported=5, success=0, failure=5, rate="0 %: 0 of 5", coverage="100 %: 5 scored of 5 planned"
    ),
}
TRANSITIONS = {
    "agent-tasks": {
        "failure_to_success": 2,  # hello-file:0, hello-file:1
        "success_to_failure": 1,  # hello-file:2
        "both_success": 3,  # bool-reward, slow-agent, beam
        "both_failure": 1,  # slow-agent-unsolved
        "missing_left": 1,  # bustub
        "missing_right": 1,  # multi-reward
        "not_scored": 4,  # hello-file:3, partial-reward, no-reward, slow-verifier
    },
    "hello-file": {"failure_to_success": 2, "success_to_failure": 1},
}
"""From the earlier job to the later. `hello-file` alone is matched and completely scored on both sides, so that its
rates may be subtracted; of `lm-eval:tp_mc` the verifiers differ."""


def report_earlier(reporter: Reporter) -> None:
    """The checkpoint of step 200: everything arrived, and the job said that it was done."""
    _begin(reporter, "policy@step-200")
    _tasks(reporter, "agent-tasks", EARLIER, planned=TASKS_PLANNED, checkpoint="policy@step-200")
    _tasks(reporter, "hello-file", EARLIER_HELLO, planned=3, checkpoint="policy@step-200")
    _choices(reporter, metric="acc", checkpoint="policy@step-200")
    _maths(reporter, step=200, lost=())
    _heartbeat(reporter, dropped_points=0, dropped_events=0)
    reporter.logs([], eof=True)
    reporter.lifecycle("succeeded")


def report_later(reporter: Reporter) -> None:
    """The checkpoint of step 400: a chunk of samples never came, the client dropped reports, and no end was told."""
    _begin(reporter, "policy@step-400")
    _tasks(reporter, "agent-tasks", LATER, planned=TASKS_PLANNED, checkpoint="policy@step-400")
    _send(reporter, [_outcome("agent-tasks", "hello-file:0", 0, "failure")])
    _tasks(reporter, "hello-file", LATER_HELLO, planned=3, checkpoint="policy@step-400")
    _choices(reporter, metric="acc_norm", checkpoint="policy@step-400")
    _maths(reporter, step=400, lost=(1,))
    _heartbeat(reporter, dropped_points=5, dropped_events=2)


def _begin(reporter: Reporter, checkpoint: str) -> None:
    reporter.lifecycle("starting")
    reporter.lifecycle("running")
    reporter.hparams({"checkpoint": checkpoint, "harbor": "0.26.0", "lm_eval": "0.4.13", "temperature": 0.0})


def _tasks(reporter: Reporter, round_id: str, executed: Sequence[Trial], *, planned: int, checkpoint: str) -> None:
    protocol = _protocol(round_id, verifier="harbor 0.26.0", checkpoint=checkpoint)
    _send(reporter, [_event("validation.population", round_id, expected=planned), protocol])
    for number, one in enumerate(executed):
        told = harbor(one.result)
        _send(reporter, [_outcome(round_id, one.trial_id, one.attempt, told.status)])
        reporter.logs([f"{round_id} {one.trial_id} attempt {one.attempt}: {told.status} {told.reason or ''}\n"])
        reporter.metrics_points(
            [{"key": f"{round_id}/executed", "step": number, "value": number + 1.0, "ts": now_iso()}]
        )
        if one.text or told.reason:
            messages = atif(one.text) if one.text else [system_message(told.text)]
            ended: dict[str, Any] = {"termination": as_termination(told.reason)} if told.reason else {}
            reporter.trajectory(
                scope="validation",
                round_id=round_id,
                trial_id=one.trial_id,
                trial_attempt=one.attempt,
                messages=messages,
                total_messages=len(messages),
                complete=not was_cut(messages),
                capture_policy="sampled",
                **ended,
            )


def _choices(reporter: Reporter, *, metric: str, checkpoint: str) -> None:
    """lm-eval's multiple choice task, each job scored by another of its metrics."""
    round_id, results = "lm-eval:tp_mc", lm_eval_results("dummy_results_limit5")
    rows = lm_eval_rows("dummy_samples_tp_mc_2026-12-01T20-15-02.017795")
    value = results["results"]["tp_mc"][f"{metric},none"]
    events = [
        _event("validation.population", round_id, expected=results["n-samples"]["tp_mc"]["effective"]),
        _protocol(round_id, verifier=f"lm_eval 0.4.13 {metric}", checkpoint=checkpoint),
        _event("validation.metric", round_id, key=metric, value=value, unit="ratio", identity=(metric,)),
    ]
    for row in rows:
        status = "success" if row[metric] == 1.0 else "failure"
        events.append(_outcome(round_id, f"tp_mc:{row['doc_id']}", 0, status))
    _send(reporter, events)


def _maths(reporter: Reporter, *, step: int, lost: Sequence[int]) -> None:
    """Ten of the 5,000 answers of a public run, none of which was right, in three chunks."""
    accuracy = lm_eval_results(f"eee_results_{MATHS}")["results"]["math_perturbed_full"]["exact_match,none"]
    rows = lm_eval_rows(f"eee_samples_math_perturbed_full_{MATHS}")
    chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
    summary = {"accuracy": accuracy, "dist": [{"reward": 0, "count": 5000}, {"reward": 1, "count": 0}]}
    for index, chunk in enumerate(chunks):
        if index not in lost:
            told: dict[str, Any] = summary if index == 0 else {}
            told = {**told, "chunk_index": index, "total_chunks": len(chunks), "total_samples": 5000}
            reporter.validation(step, [_sample(row) for row in chunk], **told)


def _sample(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "idx": row["doc_id"],
        "user": row["arguments"]["gen_args_0"]["arg_0"],
        "assistant": row["resps"][0][0],
        "env": f"target: {row['target']}",
        "reward": row["exact_match"],
        "extra": {
            "reward_components": {"exact_match": row["exact_match"]},
            "level": row["doc"]["level"],
            "type": row["doc"]["type"],
        },
    }


def _heartbeat(reporter: Reporter, **dropped: int) -> None:
    queue = {"stream_id": "evaluation", "queued_points": 0, "capacity_points": 100_000, "send_failures": 0}
    values = {**queue, **dropped, "last_success_unix": time.time()}
    reporter.observations(
        {"events": [{"id": "last", "kind": "health", "name": "transport", "ts": now_iso(), "values": values}]}
    )


def _protocol(round_id: str, *, verifier: str, checkpoint: str) -> dict[str, Any]:
    said = {
        "dataset_digest": f"tasks of {round_id}",
        "cohort_digest": f"planned trials of {round_id}",
        "verifier_digest": verifier,
        "settings_digest": "temperature 0, no retries of a verdict",
    }
    digests = {field: hashlib.sha256(text.encode()).hexdigest() for field, text in said.items()}
    return _event("validation.protocol", round_id, **digests, split="heldout-v1", checkpoint=checkpoint)


def _outcome(round_id: str, trial_id: str, attempt: int, status: str) -> dict[str, Any]:
    values = {"trial_id": trial_id, "trial_attempt": attempt, "status": status, "training_eligible": False}
    return _event("validation.outcome", round_id, identity=(trial_id, attempt), **values)


def _event(name: str, round_id: str, *, identity: Sequence[object] = (), **values: object) -> dict[str, Any]:
    event_id = validation_event_id(name, round_id, *identity)
    return {"id": event_id, "kind": "event", "name": name, "ts": now_iso(), "values": {"round_id": round_id, **values}}


def _send(reporter: Reporter, events: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(events), EVENTS_PER_CALL):
        reporter.observations({"events": list(events[start : start + EVENTS_PER_CALL])})


class Server:
    """A running server, with its administrator signed in."""

    def __init__(self, address: str, password: str) -> None:
        self._http = httpx.Client(base_url=address.rstrip("/"), timeout=30)
        answer = self._http.post("/login", data={"name": "admin", "password": password})
        found = re.search(r'name="csrf" value="([^"]*)"', self._http.get("/").text)
        if answer.status_code != httpx.codes.SEE_OTHER or found is None:
            raise SystemExit(f"{address} does not let admin in with this password.")
        self._http.headers["X-CSRF-Token"] = found[1]

    def open_job(self, name: str) -> Reporter:
        """A reporter of a new job."""
        run = self._write("/api/runs", name=name, tags=["evaluation"], framework="harbor 0.26.0")["run_id"]
        opened = self._write(f"/api/runs/{run}/executions")
        return Reporter(
            str(self._http.base_url).rstrip("/") + "/api/ingest", run, opened["token"], attempt=opened["attempt"]
        )

    def _write(self, path: str, **body: object) -> dict[str, Any]:
        answer = self._http.post(path, json=body)
        answer.raise_for_status()
        found: dict[str, Any] = json.loads(answer.content)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("password", help="of admin")
    given = parser.parse_args()
    server = Server(given.address, given.password)
    for name, report in (("evaluation of step 200", report_earlier), ("evaluation of step 400", report_later)):
        with server.open_job(name) as reporter:
            report(reporter)
            print(reporter.run_id)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
