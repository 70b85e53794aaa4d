"""The black-box suite of the published contract, run against a real server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.installation import environment

ROOT = Path(__file__).parents[2]
CHECK = Path(os.environ.get("TUNEPLANE_CONFORMANCE", ROOT.parent / "shared" / "conformance" / "check.py"))


def test_the_server_keeps_the_whole_published_contract(server, api):
    if not CHECK.is_file():
        pytest.skip(f"NOT TESTED: the conformance suite is not at {CHECK}; TUNEPLANE_CONFORMANCE says where it is")
    command = [sys.executable, CHECK, "--url", server.url, "--token", api.token]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    failed = [line for line in done.stdout.splitlines() if not line.startswith("ok ")]
    assert failed[-1:] == [done.stdout.splitlines()[-1]], done.stderr
    assert failed[-1].endswith(" passed, 0 failed"), failed
    assert int(failed[-1].split()[0]) > 200
    assert done.returncode == 0, done.stderr
