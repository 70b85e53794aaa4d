"""F5, for bodies: a full disk refuses trajectories and nothing else; with room again it needs no restart."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.end_to_end.api import Job

SIZE = "size=1500k"
"""Room for one body of about 1 MB, and not for two."""


@pytest.fixture
def full_disk(server) -> Iterator[None]:
    """The folder of bodies on a file system of its own that is nearly full."""
    folder = server.data / "bodies"
    folder.mkdir(mode=0o700, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", SIZE, "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"NOT TESTED: this account may not mount a small file system: {done.stderr.strip()}")
    yield
    subprocess.run(["umount", folder], check=True)


def trajectory(job: Job, trial: str, size: int):
    messages = [{"role": "assistant", "content": "x" * 16_000} for _ in range(size // 16_000)]
    trace = {
        "scope": "validation",
        "round_id": "r1",
        "trial_id": trial,
        "trial_attempt": 0,
        "messages": messages,
        "total_messages": len(messages),
        "complete": True,
        "capture_policy": "all",
    }
    return job.api.call("POST", "/api/ingest/trajectory", {"run_id": job.run_id, "trace": trace}, job.token)


def test_a_full_disk_refuses_bodies_keeps_everything_else_going_and_recovers_by_itself(full_disk, api):
    job = api.open_run("full disk")
    kept = trajectory(job, "kept", 900_000)
    assert kept.status == 200, kept
    refused = trajectory(job, "refused", 900_000)
    assert refused.status == 503, refused
    assert refused.headers["retry-after"]
    assert "tuneplane" not in refused.body["detail"].lower(), "no path is told"
    assert job.points("loss", 1.0)["accepted"] == 1
    assert job.post("logs", chunks=["still here\n"])["accepted"] == 1
    (shown,) = job.get("/trajectories")["items"]
    assert (shown["trial_id"], shown["state"]) == ("kept", "retained")
    path = f"/trajectories/{shown['trajectory_id']}"
    assert len(job.get(path)["messages"]) == 20
    gone = api.call("DELETE", f"/api/runs/{job.run_id}{path}")
    assert gone.status == 200, gone
    again = trajectory(job, "refused", 900_000)
    assert (again.status, again.body["accepted"]) == (200, 1), again
    job.position = again.body["position"]
    states = {one["trial_id"]: one["state"] for one in job.get("/trajectories")["items"]}
    assert states == {"kept": "deleted", "refused": "retained"}
