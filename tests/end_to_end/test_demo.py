"""`demo --once`: a real training job, and everything it sent read back."""

import json

from tests.end_to_end.installation import a_folder, free_port, tuneplane_server


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
    assert all(one["sent"] == one["found"] for one in said["compared"])
