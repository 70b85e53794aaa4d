"""The interpreter that has the real Harbor, and whether sandboxes can be made here."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environments import environment
from tests.native_eval.cohort import Run, a_run

SANDBOX = ("unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "tmpfs", "/mnt")


@pytest.fixture(scope="session")
def harbor() -> Path:
    """Python 3.12 with Harbor; the test is skipped, saying why, where it cannot be made."""
    return environment("harbor", "harbor==0.26.0", python="python3.12")


@pytest.fixture(scope="session")
def sandboxes() -> None:
    """Skips the test where this process may not make mount namespaces."""
    needed = "the sandboxes of native evaluations need root and mount namespaces"
    if shutil.which(SANDBOX[0]) is None:
        pytest.skip(f"{needed}: there is no {SANDBOX[0]} here")
    tried = subprocess.run(SANDBOX, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"{needed}: {tried.stderr.strip()}")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Whatever a test does, nothing of its run is alive after it."""
    made = a_run(tmp_path)
    yield made
    made.end_all()
