"""Two runs side by side: their metrics, as far as they may be compared, and their benchmark scores.

Comparing runs or metrics establishes no equivalence of protocols; for that see `review_rounds`.
"""

from __future__ import annotations

import msgspec

from application.ports.records import Where
from application.ports.series_view import InvalidCounts, SeriesSummary
from application.ports.views import Views
from application.projections.benchmark import BENCHMARK, BenchmarkRecord
from application.queries.moment import moment
from application.queries.observation_contract import Descriptor, descriptors
from application.queries.page import MOST, Page, cursor_of, page_size, parts_of
from application.queries.run import RunItem, run_item
from domain.ids import Attempt, Micros, RunId
from domain.rules.metric_ranking import Ahead, ComparisonVerdict, MetricEvidence, ahead, comparison_verdict

_KIND = "review-metric"
LOOKED_AT = 250
"""Metrics that are looked at for one page of those that differ, a page at least: so it takes no longer than others."""


class ReviewedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A metric of one run: of the surviving lineage. None where there is no finite point."""

    last: float | None
    """At the greatest step."""
    last_step: int | None
    min: float | None
    max: float | None
    count: int
    invalid: InvalidCounts
    """NaN and infinities, which are in none of the numbers above."""
    comparison_id: str | None
    """The owner's assertion of what it may be compared with; None: nothing is asserted."""
    direction: str | None
    unit: str | None


class ReviewedMetric(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    left: ReviewedValue | None
    """None where this run never reported it."""
    right: ReviewedValue | None
    comparison: ComparisonVerdict
    ahead: Ahead | None
    """By the last values; None unless both assert one comparison identity and one direction."""


class ReviewedScore(msgspec.Struct, frozen=True, kw_only=True):
    attempt: Attempt
    model: str
    value: float
    scored_at: str


class ReviewedBenchmark(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of both runs by one runner on one benchmark; nothing is ranked, for nothing asserts one setting."""

    benchmark: str
    metric: str
    runner: str
    left: list[ReviewedScore]
    """The latest first; empty where there is none."""
    right: list[ReviewedScore]


class Review(msgspec.Struct, frozen=True, kw_only=True):
    left: RunItem
    right: RunItem
    metrics: Page[ReviewedMetric]
    benchmarks: list[ReviewedBenchmark]
    """Of the latest 1,000 scores of each run."""


def review(
    views: Views,
    left: RunId,
    right: RunId,
    *,
    now: Micros,
    q: str = "",
    differing: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> Review:
    """`right` beside `left`; metrics that either reported, by key, those that contain `q`. Raises `UnknownRun`.

    `differing`: those alone of which the two runs tell anything different. At most `LOOKED_AT` are looked at for a
    page, which may so hold fewer than `limit` items, or none, before the last.
    """
    return Review(
        left=run_item(views, left, now=now),
        right=run_item(views, right, now=now),
        metrics=_metrics(views, (left, right), q=q, differing=differing, size=page_size(limit), cursor=cursor),
        benchmarks=_benchmarks(views, left, right),
    )


def _metrics(
    views: Views, runs: tuple[RunId, RunId], *, q: str, differing: bool, size: int, cursor: str | None
) -> Page[ReviewedMetric]:
    after = parts_of(cursor, _KIND, tuple[str])[0] if cursor else None
    most = max(size, LOOKED_AT) if differing else size
    known = {key for run in runs for key in views.scalars.keys(run, q=q, after=after, limit=most + 1)}
    keys = sorted(known)[: most + 1]
    found = [one for one in _beside(views, runs, keys[:most]) if not differing or one.left != one.right]
    behind = found[size - 1].key if len(found) > size else keys[most - 1] if len(keys) > most else None
    return Page(items=found[:size], next_cursor=None if behind is None else cursor_of(_KIND, behind))


def _beside(views: Views, runs: tuple[RunId, RunId], keys: list[str]) -> list[ReviewedMetric]:
    left, right = (_values(views, run, keys) for run in runs)
    return [_metric(key, left.get(key), right.get(key)) for key in keys]


def _values(views: Views, run: RunId, keys: list[str]) -> dict[str, ReviewedValue]:
    said = descriptors(views, run, None)
    found = views.scalars.summaries(run, keys) if keys else []
    return {one.key: _value(one, said.get(one.key, {})) for one in found}


def _value(known: SeriesSummary, said: Descriptor) -> ReviewedValue:
    return ReviewedValue(
        last=known.last,
        last_step=known.last_step,
        min=known.min,
        max=known.max,
        count=known.count,
        invalid=known.invalid,
        comparison_id=_text(said.get("comparison_id")),
        direction=_text(said.get("direction")),
        unit=_text(said.get("unit")),
    )


def _metric(key: str, left: ReviewedValue | None, right: ReviewedValue | None) -> ReviewedMetric:
    one, other = _evidence(left), _evidence(right)
    return ReviewedMetric(
        key=key, left=left, right=right, comparison=comparison_verdict(one, other), ahead=ahead(one, other)
    )


def _evidence(known: ReviewedValue | None) -> MetricEvidence:
    if known is None:
        return MetricEvidence(value=None, comparison_id=None, direction=None)
    return MetricEvidence(value=known.last, comparison_id=known.comparison_id, direction=known.direction)


def _benchmarks(views: Views, left: RunId, right: RunId) -> list[ReviewedBenchmark]:
    sides = [_scores(views, run) for run in (left, right)]
    return [
        ReviewedBenchmark(
            benchmark=benchmark,
            metric=metric,
            runner=runner,
            left=sides[0].get((benchmark, metric, runner), []),
            right=sides[1].get((benchmark, metric, runner), []),
        )
        for benchmark, metric, runner in sorted(sides[0].keys() | sides[1].keys())
    ]


def _scores(views: Views, run: RunId) -> dict[tuple[str, str, str], list[ReviewedScore]]:
    result: dict[tuple[str, str, str], list[ReviewedScore]] = {}
    of_run = Where("run", "=", run)
    for one in views.records.find(BENCHMARK, of_run, order=("position",), descending=True, limit=MOST):
        result.setdefault((one.benchmark, one.metric, one.runner), []).append(_score(one))
    return result


def _score(record: BenchmarkRecord) -> ReviewedScore:
    return ReviewedScore(
        attempt=record.attempt, model=record.model, value=record.value, scored_at=moment(record.scored_at)
    )


def _text(said: object) -> str | None:
    return said if isinstance(said, str) else None
