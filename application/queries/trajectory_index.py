"""The index of trajectories: filtered before it is paged, counted, and walked from one to the next."""

from __future__ import annotations

from typing import Literal

import msgspec
from tuneplane import contract

from application.ports.records import Where
from application.ports.views import Views
from application.projections.trajectory import TRAJECTORY, TrajectoryRecord
from application.queries.asked_attempt import chosen_attempt
from application.queries.page import Page, keyset, page_size
from application.queries.trajectory import Trajectory, described
from domain.ids import Micros, RunId

NO_DIAGNOSTIC = "none"
"""Asks for what its producer picked for no category."""
DIAGNOSTICS: tuple[str, ...] = (*contract.DIAGNOSTICS, NO_DIAGNOSTIC)
IndexState = Literal["retained", "expired", "deleted"]
"""What the index knows of a text; that one is missing is found when it is opened."""
_OTHERS_SHOWN = 100


class TrajectoryFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which trajectories are asked for; None is any. Applied before paging."""

    scope: str | None = None
    round_id: str | None = None
    diagnostic: str | None = None
    """`none`: no category."""
    step: int | None = None
    trial_id: str | None = None
    state: IndexState | None = None


ANY = TrajectoryFilter()
_BESIDE: tuple[Literal[">"], Literal["<"]] = (">", "<")


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Ids of the trajectories beside one in the index; None at its ends."""

    newer: str | None
    older: str | None


def trajectories(
    views: Views,
    run: RunId,
    wanted: TrajectoryFilter = ANY,
    *,
    now: Micros,
    attempt: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Page[Trajectory]:
    """The index of trajectories, the latest first; without an attempt, each as the highest attempt sent it.

    Raises `UnknownRun`, `UnknownThing` for an unknown attempt.
    """
    found, following = keyset(
        views.records,
        TRAJECTORY,
        *_conditions(views, run, wanted, now, attempt),
        order=("position",),
        descending=True,
        size=page_size(limit),
        cursor=cursor,
    )
    # Whether each body is really there would cost a look into the store for each; who opens one is told.
    return Page(items=[described(one, now) for one in found], next_cursor=following)


def diagnostic_counts(
    views: Views, run: RunId, wanted: TrajectoryFilter = ANY, *, now: Micros, attempt: int | None = None
) -> dict[str, int]:
    """How many entries of the index there are of each diagnostic, `none` included, under the other filters.

    Of what was sent: samples, which give no rate. Raises as `trajectories`.
    """
    others = _conditions(views, run, msgspec.structs.replace(wanted, diagnostic=None), now, attempt)
    counted = views.records.count_by(TRAJECTORY, "diagnostic", *others)
    return {one: counted.get(None if one == NO_DIAGNOSTIC else one, 0) for one in DIAGNOSTICS}


def neighbours(
    views: Views,
    known: TrajectoryRecord,
    wanted: TrajectoryFilter = ANY,
    *,
    now: Micros,
    attempt: int | None = None,
) -> Neighbours:
    """What stands beside a trajectory in the index under the same filters. Raises as `trajectories`."""
    where = _conditions(views, known.run, wanted, now, attempt)
    newer, older = (
        views.records.find(
            TRAJECTORY,
            *where,
            Where("position", op, known.position),
            order=("position",),
            descending=op == "<",
            limit=1,
        )
        for op in _BESIDE
    )
    return Neighbours(newer=newer[0].trajectory_id if newer else None, older=older[0].trajectory_id if older else None)


def other_attempts(
    views: Views, known: TrajectoryRecord, *, now: Micros, attempt: int | None = None
) -> list[Trajectory]:
    """The same trial's other trajectories, by trial attempt, the latest hundred. Raises as `trajectories`."""
    of_trial = TrajectoryFilter(scope=known.scope, round_id=known.round_id, trial_id=known.trial_id)
    found = trajectories(views, known.run, of_trial, now=now, attempt=attempt, limit=_OTHERS_SHOWN).items
    others = [one for one in found if one.trajectory_id != known.trajectory_id]
    return sorted(others, key=lambda one: one.trial_attempt)


def _conditions(views: Views, run: RunId, wanted: TrajectoryFilter, now: Micros, attempt: int | None) -> list[Where]:
    chosen = chosen_attempt(views, run, attempt)
    asked = {field: getattr(wanted, field) for field in ("scope", "round_id", "step", "trial_id")}
    return [
        Where("run", "=", run),
        Where("shown", "=", value=True) if chosen is None else Where("attempt", "=", chosen),
        *(Where(field, "=", value) for field, value in asked.items() if value is not None),
        *([] if wanted.diagnostic is None else [_picked_for(wanted.diagnostic)]),
        *([] if wanted.state is None else in_state(wanted.state, now)),
    ]


def _picked_for(diagnostic: str) -> Where:
    return Where("diagnostic", "=", None if diagnostic == NO_DIAGNOSTIC else diagnostic)


def in_state(state: IndexState, now: Micros) -> list[Where]:
    """`domain/rules/retention.py` as conditions of the index, for texts that are there."""
    if state == "deleted":
        return [Where("deleted_at", ">=", 0)]
    return [Where("deleted_at", "=", None), Where("expires_at", "<=" if state == "expired" else ">", now)]
