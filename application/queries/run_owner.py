"""Who owns a run, from the log itself: a write right behind the run's creation must not wait for any view."""

from __future__ import annotations

import re

from tuneplane.contract import RUN_ID_PATTERN

from application.ports.event_log import EventLog
from domain.errors import UnknownRun
from domain.events import RunCreated, decode
from domain.ids import RunId
from domain.run import run_stream


def owner_of(log: EventLog, run: str) -> str:
    """Name of the account that made the run. Raises `UnknownRun`, also for what cannot be a run's id."""
    recorded = log.stream(run_stream(RunId(run))) if re.match(RUN_ID_PATTERN, run) else []
    made = decode(recorded[0].tag, recorded[0].payload) if recorded and recorded[0].payload is not None else None
    if not isinstance(made, RunCreated):
        raise UnknownRun
    return made.owner
