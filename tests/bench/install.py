"""`make install` from nothing."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.table import Row, row
from tests.end_to_end.installation import a_folder

_ROOT = Path(__file__).resolve().parents[2]


def measure(bench: Bench) -> Iterator[Row]:
    """With the package index that pip is configured for, and pip's own cache off."""
    times, floors = [], []
    for _ in range(bench.repeats):
        with a_folder() as folder:
            floors.append(_timed("python3", "-m", "venv", folder / "floor"))
            copy = folder / "copy"
            subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{_ROOT}", copy], check=True)
            times.append(_timed("env", "PIP_NO_CACHE_DIR=1", "make", "-C", copy, "install"))
    yield row("make install from nothing", "<= 30 s", times, "s", floors, "floor: an empty venv with pip")


def _timed(*command: str | Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began
