"""`demo`: a real training job; with `--once` everything it sent is read back, without it people watch until Ctrl-C."""

import json
import re
import signal
import subprocess

import psutil

from tests.end_to_end.installation import COMMAND, a_folder, environment, free_port, is_gone, tuneplane_server
from tests.end_to_end.waiting import PATIENCE_SECONDS, until

_JOBS = 2


def test_the_demonstration_reads_back_everything_its_job_sent():
    with a_folder() as folder:
        done = tuneplane_server("demo", "--once", "--port", free_port(), "--data", folder / "demo")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["ok"], said["exit_code"]) == (True, 0)
    compared = {one["what"]: one["found"] for one in said["compared"]}
    assert compared["points of train/loss"] == 360
    assert compared["log lines"] > 0
    assert compared["evaluation rounds with their counts"] > 0
    assert compared["trajectories"] > 0
    assert compared["validation samples"] == 4 * 12
    assert compared["artifacts"] == 4
    assert compared["benchmark scores"] == 1
    assert compared["receipts that reconcile"] == 1
    assert all(one["sent"] == one["found"] for one in said["compared"])


def training(demo: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Both jobs and the runners they were started by, once both are there: a runner that starts reports nothing yet."""
    assert demo.poll() is None
    started = psutil.Process(demo.pid).children(recursive=True)
    jobs = [one for one in started if words(one)[1:3] == ["-m", "entrypoints.demo.job"]]
    return [*jobs, *(parent for one in jobs for parent in one.parents()[:1])] if len(jobs) == _JOBS else []


def words(process: psutil.Process) -> list[str]:
    """Of its command line; none where it has just ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def test_who_ends_the_demonstration_ends_its_job_which_still_reports_that():
    with a_folder() as folder, (folder / "output").open("wb") as output:
        data = folder / "demo"
        demo = subprocess.Popen(
            [COMMAND, "demo", "--port", str(free_port()), "--data", data], env=environment(), stdout=output
        )
        try:
            processes = until(lambda: training(demo), "the start of both jobs")
            demo.send_signal(signal.SIGINT)
            assert demo.wait(PATIENCE_SECONDS) == 0
        finally:
            demo.kill()
            demo.wait()
        assert all(is_gone(one.pid) for one in processes)
        said = (folder / "output").read_text()
        run = re.search(r"/runs/(\S+)", said)
        assert run is not None
        history = tuneplane_server("events", "replay", run[1], "--data", data)
    assert "event='failed'" in history.stdout
    assert f"token create admin --data {data}" in said
