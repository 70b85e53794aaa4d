"""A small planned cohort, what an evaluator left of it, and a server's place taken by a list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from common.eval.plan import PLAN_SCHEMA, SOURCE_REVISIONS

SAMPLES = Path(__file__).parents[1] / "samples"


def a_trial(task_id: str = "task-a", trial_id: str = "repeat-0", *directories: str) -> dict[str, Any]:
    """Its attempts are in these directories, from retry 0 on."""
    attempts = [{"retry": at, "directory": one} for at, one in enumerate(directories)]
    return {"task_id": task_id, "trial_id": trial_id, "attempts": attempts}


def a_plan(*trials: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "schema": PLAN_SCHEMA,
        "source_revision": SOURCE_REVISIONS[0],
        "round_id": "heldout-1",
        "checkpoint": "model@revision",
        "dataset_digest": "d" * 64,
        "verifier_digest": "a" * 64,
        "runtime_digest": "b" * 64,
        "harness_digest": "c" * 64,
        "split": "eval",
        "settings": {"sampling": {"temperature": 0, "seed": 42}},
        "trials": list(trials) or [a_trial("task-a", "repeat-0", "session-a")],
        **changes,
    }


def a_result(reward: Any = 1.0, exception: str | None = None, message: str = "", **changes: Any) -> dict[str, Any]:
    """What Harbor 0.26 writes, as far as it matters. `reward` None: the verifier gave none."""
    told = {"exception_type": exception, "exception_message": message, "exception_traceback": "…"}
    return {
        "task_name": "task-a",
        "trial_name": "task-a__x",
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": told if exception else None,
        "finished_at": "2026-12-01T20:09:41.474562Z",
        **changes,
    }


def an_atif(*steps: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    given = steps or ({"source": "user", "message": "Say hello."}, {"source": "agent", "message": "Hello."})
    numbered = [{"step_id": at, **one} for at, one in enumerate(given, start=1)]
    return {"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}, "steps": numbered, **changes}


def left(root: Path, directory: str, result: Any = None, trajectory: Any = None) -> Path:
    """A directory with a result and a trajectory, as bytes or as JSON; None: it has none."""
    folder = root / directory
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in (("result.json", result), ("agent/trajectory.json", trajectory)):
        if content is not None:
            file = folder / path
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return folder


def same(text: str) -> str:
    """A redactor for texts that hold nothing sensitive."""
    return text


class Sent:
    """Takes what is uploaded, as a Reporter does."""

    def __init__(self) -> None:
        self.requests: list[list[Mapping[str, Any]]] = []
        self.trajectories: list[Mapping[str, Any]] = []

    def observations(self, payload: Mapping[str, Any]) -> bool:
        self.requests.append(list(payload["events"]))
        return True

    def trajectory(self, trace: Mapping[str, Any]) -> bool:
        self.trajectories.append(trace)
        return True

    def named(self, name: str) -> list[dict[str, Any]]:
        """The values of the events with this name, in order."""
        events: Iterable[Mapping[str, Any]] = (event for request in self.requests for event in request)
        return [event["values"] for event in events if event["name"] == name]
