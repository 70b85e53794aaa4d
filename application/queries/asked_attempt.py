"""Which run and which of its attempts a question is about."""

from __future__ import annotations

from application.ports.records import Where
from application.ports.views import Views
from application.projections.run import ATTEMPT, RUN, AttemptRecord, RunRecord
from domain.errors import UnknownRun, UnknownThing
from domain.ids import Attempt, RunId


def run_of(views: Views, run_id: RunId) -> RunRecord:
    """What is recorded of the run. Raises `UnknownRun`."""
    record = views.records.get(RUN, run_id)
    if record is None:
        raise UnknownRun
    return record


def attempt_of(views: Views, run_id: RunId, attempt: Attempt) -> AttemptRecord | None:
    """What is recorded of an attempt; None where it was never opened."""
    return views.records.get(ATTEMPT, run_id, attempt)


def chosen_attempt(views: Views, run_id: RunId, attempt: int | None) -> Attempt | None:
    """The attempt that was asked for, None where none was.

    Raises `UnknownRun`, and `UnknownThing` for an attempt that was never opened.
    """
    run_of(views, run_id)
    if attempt is None:
        return None
    if attempt < 0 or attempt_of(views, run_id, Attempt(attempt)) is None:
        raise UnknownThing(f"This run has no attempt {attempt}.")
    return Attempt(attempt)


def latest_attempt(views: Views, run_id: RunId, attempt: int | None) -> Attempt | None:
    """The attempt that was asked for, else the latest; None where none was opened. Raises as `chosen_attempt`."""
    chosen = chosen_attempt(views, run_id, attempt)
    return run_of(views, run_id).attempt if chosen is None else chosen


def in_attempt(attempt: Attempt | None) -> tuple[Where, ...]:
    """The condition on records of one attempt; none for all of them."""
    return () if attempt is None else (Where("attempt", "=", attempt),)
