"""Where a trainer's hook leaves the text of its rollouts: this job's uploader."""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any, Callable, TypeVar

from tuneplane import report
from tuneplane.credentials import CredentialsUnusable, found_credentials
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.retention import CapUnusable
from tuneplane.rollouts.cap import rollout_cap
from tuneplane.rollouts.uploader import Batch, Uploader

_log = logging.getLogger("tuneplane")
Step = TypeVar("Step")


def rollout_uploader(
    read: Callable[[Step], Iterable[Batch]], wanted: Callable[[Mapping[str, str]], object] = rollout_cap
) -> Uploader[Step] | None:
    """Closed when the process ends. None where no text is sent: there is no job, or text is not `wanted`.

    A fault in the job's variables is logged, and then no text leaves.
    """
    try:
        found = found_credentials(os.environ)
        if found is None or not wanted(os.environ):
            return None
        reporter = Reporter(found.endpoint, found.run_id, found.token, attempt=found.attempt, max_attempts=1)
    except (CredentialsUnusable, CapUnusable, ReporterError) as problem:
        _log.warning("tuneplane: no rollout text is reported: %s", problem)
        return None
    made = Uploader(reporter, read, _tell)
    atexit.register(made.close)
    return made


def _tell(name: str, values: Mapping[str, Any]) -> None:
    report.observe(name, values=values)
