"""Who owns a run, from the log itself: a write right behind the run's creation must not wait for any view."""

from __future__ import annotations

from application.ports.event_log import EventLog
from domain.errors import UnknownRun
from domain.events import RunCreated, decode
from domain.run import named_run, run_stream


def owner_of(log: EventLog, run: str) -> str:
    """Name of the account that made the run. Raises `UnknownRun`, also for what cannot be a run's id."""
    recorded = log.stream(run_stream(named_run(run)))
    made = decode(recorded[0].tag, recorded[0].payload) if recorded and recorded[0].payload is not None else None
    if not isinstance(made, RunCreated):
        raise UnknownRun
    return made.owner
