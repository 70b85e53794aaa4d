"""Which files of a NeMo-RL log folder are complete, seen from outside the training.

A step's file is written in place. It is complete once a later step has a file, or where its size stays the same and its
last row ends (`StepRead.ended`). Source: FORMATS §5.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tuneplane.integrations.nemo_rollouts import StepFile, step_file


class Candidate(NamedTuple):
    """A file that may be read now."""

    file: StepFile
    over: bool
    """A later step has a file. If not, its last row has to end."""


def step_files(folder: Path) -> list[StepFile]:
    """In the order of steps, validation before training. Raises OSError."""
    found = [step_file(path) for path in folder.iterdir() if path.is_file()]
    return sorted((one for one in found if one is not None), key=lambda one: (one.step, one.training))


def candidates(files: Sequence[StepFile], settle: float) -> list[Candidate]:
    """Files that a later step follows, and those of the last step whose size does not change in `settle` seconds."""
    latest = max((one.step for one in files), default=0)
    sizes = {one.path: _size(one.path) for one in files if one.step == latest}
    if sizes:
        time.sleep(settle)
    return [
        Candidate(one, over=one.step < latest)
        for one in files
        if one.step < latest or sizes[one.path] == _size(one.path)
    ]


def _size(path: Path) -> tuple[int, int]:
    known = path.stat()
    return known.st_size, known.st_mtime_ns
