"""What a runner may say of an execution attempt, and when it counts."""

from __future__ import annotations

from collections.abc import Sequence

from domain.events import LifecycleReported
from domain.ids import Attempt, RunId, StreamId, stream_id
from domain.placement import Placement
from domain.rules import first_accepted_wins, one_writer_at_a_time
from domain.rules.lifecycle import answered_by, moves_forward


def lifecycle_stream(run: RunId, attempt: Attempt) -> StreamId:
    """The accepted lifecycle events of one attempt, in order."""
    return stream_id(run, attempt, "lifecycle")


def report_lifecycle(history: Sequence[LifecycleReported], reported: LifecycleReported) -> Placement:
    """The place of `reported` after the accepted `history` of its attempt, all of it, in order.

    What changes nothing is placed on the event that stands against it, where the log finds it a duplicate or sets
    it aside.
    """
    stream = lifecycle_stream(reported.run, reported.attempt)
    accepted = [one.event for one in history]
    if moves_forward(accepted, reported.event):
        return one_writer_at_a_time.place(reported, stream, len(history) + 1)
    return first_accepted_wins.place(reported, stream, answered_by(accepted, reported.event))
