"""The latest observations of a run."""

from __future__ import annotations

import msgspec

from application.ports.records import Where
from application.ports.views import Views
from application.projections.observation import NAME, OBSERVATION, ObservationRecord
from application.queries.asked_attempt import chosen_attempt, in_attempt
from application.queries.moment import moment
from application.queries.page import Page, page_size
from domain.events.observation import ObservationKind
from domain.ids import Attempt, RunId

LATEST = 100
"""At most so many are answered, whatever the limit."""
NAMES = 200
_NAMES_READ = 2_000
"""Of attempts that may repeat each other's; a run that used more made them up."""


class ObservationItem(msgspec.Struct, frozen=True, kw_only=True):
    """One observation, as it was reported."""

    id: str
    attempt: Attempt
    position: int
    kind: ObservationKind
    name: str
    ts: str
    """Reporter's clock, as sent."""
    recorded_at: str
    step: int | None
    policy_version: int | None
    values: dict[str, bool | int | float | str]
    bounds: list[int | float] | None
    """Histograms alone: upper bounds; `counts` has one entry more."""
    counts: list[int] | None


class ObservedName(msgspec.Struct, frozen=True, kw_only=True):
    """A name, and what was observed under it."""

    name: str
    kinds: list[ObservationKind]


class ObservedNames(msgspec.Struct, frozen=True, kw_only=True):
    """Names to choose from."""

    items: list[ObservedName]
    """At most 200."""
    more: bool
    """There are others."""


def observations(
    views: Views,
    run: RunId,
    *,
    name: str | None = None,
    kind: ObservationKind | None = None,
    attempt: int | None = None,
    limit: int | None = None,
) -> Page[ObservationItem]:
    """The latest 100, or fewer, of those that meet every filter: newest first, of all attempts unless one is asked for.

    Nothing follows them: what is older is in the history. Raises `UnknownRun`, `UnknownThing` for an unknown attempt.
    """
    chosen = chosen_attempt(views, run, attempt)
    size = min(page_size(limit, LATEST), LATEST)
    where = [Where("run", "=", run), *in_attempt(chosen)]
    where += [Where(field, "=", value) for field, value in (("name", name), ("kind", kind)) if value is not None]
    found = views.records.find(OBSERVATION, *where, descending=True, limit=size)
    return Page(items=[_item(one) for one in found])


def observed_names(views: Views, run: RunId, *, attempt: int | None = None) -> ObservedNames:
    """The names that were observed, in order; of all attempts unless one is asked for. Raises as `observations`."""
    chosen = chosen_attempt(views, run, attempt)
    found = views.records.find(NAME, Where("run", "=", run), *in_attempt(chosen), limit=_NAMES_READ)
    kinds: dict[str, list[ObservationKind]] = {}
    for one in found:
        kinds.setdefault(one.name, []).extend(one.kinds)
    named = [ObservedName(name=name, kinds=list(dict.fromkeys(kinds[name]))) for name in sorted(kinds)]
    return ObservedNames(items=named[:NAMES], more=len(named) > NAMES or len(found) == _NAMES_READ)


def _item(record: ObservationRecord) -> ObservationItem:
    said = record.observation
    return ObservationItem(
        id=said.id,
        attempt=record.attempt,
        position=record.position,
        kind=said.kind,
        name=said.name,
        ts=said.ts,
        recorded_at=moment(record.recorded_at),
        step=said.step,
        policy_version=said.policy_version,
        values=said.values,
        bounds=None if said.bounds is None else list(said.bounds),
        counts=None if said.counts is None else list(said.counts),
    )
