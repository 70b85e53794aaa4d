"""F12: the server is away when a run ends. The end is reported until it is accepted; the exit code is the command's."""

import subprocess
import sys
from contextlib import ExitStack

import psutil
import pytest

from tests.end_to_end.api import Job
from tests.end_to_end.installation import environment
from tests.end_to_end.waiting import until

WAITING = """
import os, sys, time
open(sys.argv[1] + ".begun", "w").close()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
print("the last line", flush=True)
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture
def away(server):
    """Whatever happens, the server is back for the next test."""
    yield server
    if server.is_away():
        server.start()


def test_the_end_of_a_run_is_reported_until_a_server_that_was_away_accepts_it(away, api, tmp_path):
    jobs = {0: api.open_run("will succeed"), 3: api.open_run("will fail")}
    processes = {}
    with ExitStack() as stack:
        for code, job in jobs.items():
            command = [sys.executable, "-m", "tuneplane.cli", "run", "--", sys.executable, "-c", WAITING]
            process = subprocess.Popen(
                [*command, str(tmp_path / str(code)), str(code)], env=environment(**job.env), stdout=subprocess.DEVNULL
            )
            processes[code] = stack.enter_context(process)
            stack.callback(process.kill)
        for code, job in jobs.items():
            until((tmp_path / f"{code}.begun").exists, "the command's start")
            await_status(job, "running")
        away.kill()
        for code in jobs:
            (tmp_path / str(code)).touch()
        # The children end now; nobody can be told, and both runners stay to tell it.
        for process in processes.values():
            await_end_of_command(process)
            assert process.poll() is None
        away.start()
        for code, process in processes.items():
            assert process.wait(60) == code
    position = api.get("/readyz")["position"]
    for code, status in ((0, "succeeded"), (3, "failed")):
        found = api.get(f"/api/runs/{jobs[code].run_id}", min_position=position)
        assert found["status"] == status
        assert [one["event"] for one in found["attempts"][0]["lifecycle"]] == ["starting", "running", status]
        log = api.get(f"/api/runs/{jobs[code].run_id}/logs")
        assert ([line["text"] for line in log["lines"]], log["eof"]) == (["the last line"], True)


def await_status(job: Job, status: str) -> None:
    until(lambda: job.get()["status"] == status, f"the status {status}")


def await_end_of_command(runner: "subprocess.Popen[bytes]") -> None:
    until(lambda: not _commands_of(runner.pid), "the command's end")


def _commands_of(pid: int) -> list[psutil.Process]:
    return [one for one in psutil.Process(pid).children() if one.status() != psutil.STATUS_ZOMBIE]
