"""One trajectory as the views know it, for the pages that show its text."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from application.clock import now
from application.ports.views import Views
from application.projections.trajectory import TrajectoryRecord
from application.queries.trajectory import Trajectory, as_it_is, described, trajectory_of
from application.queries.trajectory_index import other_attempts
from application.queries.trajectory_outcome import trajectory_outcome
from domain.ids import Micros, RunId
from domain.rules.retention import RetentionState
from entrypoints.http.console.console import Console, moment_of
from entrypoints.http.console.contexts.trajectories import Notice, Other, OutcomeView
from entrypoints.http.console.look import Look
from entrypoints.http.console.wording import plural


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What is recorded, without the text."""

    look: Look
    known: TrajectoryRecord
    """By the moment that is looked at."""
    moment: Micros
    """By which states are told."""
    others: list[Other]
    outcome: OutcomeView | None

    def item(self, *, missing: bool = False) -> Trajectory:
        """As it was by that moment; `missing`: its text should be there and is not."""
        return described(self.known, self.moment, present=not missing)


def subject_of(views: Views, look: Look, trajectory_id: str) -> Subject:
    """Raises `UnknownRun`, `UnknownThing`."""
    known = trajectory_of(views, RunId(look.run_id), trajectory_id, look.attempt)
    moment = moment_of(views, look)
    return Subject(
        look=look,
        known=known,
        moment=moment,
        others=[
            Other(
                trajectory=one,
                address=look.page(f"trajectories/{one.trajectory_id}"),
                beside=beside_address(look, trajectory_id, one.trajectory_id),
            )
            for one in other_attempts(views, known, now=moment, attempt=look.attempt)
        ],
        outcome=_outcome(views, look, known),
    )


def state_now(console: Console, subject: Subject) -> RetentionState:
    """Whether the text may be read: what was deleted or has expired since is gone from the past, too."""
    known = subject.known
    if subject.look.as_of is not None:
        with console.reading.now() as current:
            known = as_it_is(current, known)
    return described(known, now()).state


def notices_of(shown: Trajectory) -> Iterator[Notice]:
    """What is to be known of the text, each thing for itself."""
    if shown.capture_policy == "all":
        yield "capture", "Its producer says that it kept the text of every execution."
    else:
        yield (
            "capture",
            "Sampled: text of other executions may not have been kept, and what was kept says nothing of it.",
        )
    total, retained = shown.total_messages, shown.retained_messages
    if shown.complete:
        yield "complete", f"Complete: the whole execution is here, {plural(total, 'message')}, says its producer."
    elif retained < total:
        yield (
            "truncated",
            f"Truncated: {retained:,} of the {total:,} messages of the execution are here, says its producer.",
        )
    else:
        yield "truncated", f"Truncated: no message is left out of {total:,}, but text was cut, says its producer."
    if shown.roles_inferred:
        yield "roles", "Roles inferred: the source named none, and its producer filled them in."


def beside_address(look: Look, left: str, right: str) -> str:
    """Two trajectories of one job beside each other."""
    as_of = "" if look.as_of is None else f"&as_of={look.as_of}"
    return f"/review/trajectories?left={look.run_id}:{left}&right={look.run_id}:{right}{as_of}"


def _outcome(views: Views, look: Look, known: TrajectoryRecord) -> OutcomeView | None:
    found = trajectory_outcome(views, known)
    address = f"{look.page('validation', round_id=known.round_id, trial_id=known.trial_id)}#trials"
    return None if found is None else OutcomeView(outcome=found, address=address)
