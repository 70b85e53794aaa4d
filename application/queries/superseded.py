"""Points that a later attempt replaced: no longer of the curve, kept with the attempt that reported them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from application.ports.records import Where
from application.ports.series_view import Chart, SeriesReader
from application.ports.views import Views
from application.projections.run import ATTEMPT
from application.queries.asked_attempt import run_of
from application.queries.series import BUCKETS_USUAL, charted_keys
from application.series.shown import AS_REPORTED, Shown
from domain.ids import Attempt, RunId
from domain.rules.surviving_lineage import bounds

ATTEMPTS_READ = 9
"""The latest: what the one before these reported is read with its own attempt."""


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """Of one series and one attempt."""

    attempt: Attempt
    from_step: int
    """Where a later attempt began to report the series: this one's points at that step and after do not survive."""
    chart: Chart
    """Of those points."""


def superseded_points(
    views: Views,
    run: RunId,
    keys: Sequence[str],
    *,
    buckets: int = BUCKETS_USUAL,
    first_step: int | None = None,
    last_step: int | None = None,
    shown: Shown = AS_REPORTED,
) -> dict[str, list[Superseded]]:
    """For each of 1 to 32 keys the attempts that have such points in the range, oldest first; other keys are left out.

    The 9 latest attempts are looked at. Raises `UnknownRun`, and `Refused` for too many keys or buckets.
    """
    run_of(views, run)
    distinct = charted_keys(keys, buckets)
    latest = views.records.find(ATTEMPT, Where("run", "=", run), descending=True, limit=ATTEMPTS_READ)
    result: dict[str, list[Superseded]] = {}
    for key, first_steps in _first_steps(views.scalars, run, distinct, [one.attempt for one in latest]).items():
        for attempt, bound in sorted(bounds(first_steps).items()):
            if bound is None:
                continue
            low = max(bound, first_step or 0)
            chart = views.scalars.chart(run, key, attempt=attempt, buckets=buckets, first_step=low, last_step=last_step)
            if chart is not None and chart.step:
                result.setdefault(key, []).append(Superseded(attempt=attempt, from_step=bound, chart=shown.of(chart)))
    return result


def _first_steps(
    reader: SeriesReader, run: RunId, keys: Sequence[str], attempts: Sequence[Attempt]
) -> dict[str, dict[Attempt, int]]:
    """The smallest step that each attempt reported of each key, finite or not."""
    result: dict[str, dict[Attempt, int]] = {}
    for attempt in attempts:
        for one in reader.summaries(run, keys, attempt):
            steps = [step for step in (one.first_step, one.invalid.first_step) if step is not None]
            result.setdefault(one.key, {})[attempt] = min(steps)
    return result
