"""What the parts of the charts page show of a job's observations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from application.ports.views import Views
from application.queries.histogram import LatestHistogram, latest_histograms
from application.queries.live import StreamName
from application.queries.observation import ObservedNames, observations, observed_names
from application.queries.observation_contract import ContractCoverage, RequirementCoverage, coverage
from application.queries.reporter import HealthAt, Reporter, reporters
from domain.events.observation import ObservationKind
from domain.ids import Attempt, RunId
from entrypoints.http.console.console import moment_of
from entrypoints.http.console.contexts.observations import (
    Bar,
    CapabilityView,
    CoverageView,
    EventsView,
    HealthView,
    HistogramsView,
    HistogramView,
    Observations,
    ReporterView,
)
from entrypoints.http.console.look import Look

OBSERVED_STREAMS: tuple[StreamName, ...] = ("metrics", "lifecycle", "validation", "observations")
"""What a page follows that shows curves or observations."""
KINDS: tuple[ObservationKind, ...] = get_args(ObservationKind)
_HISTOGRAMS = 12
_WIDTH, _HEIGHT = 100, 20


def observed(
    views: Views, look: Look, covered: ContractCoverage, *, name: str = "", kind: str = "", histogram: str = ""
) -> Observations:
    """All of it; `covered` is known from the head of the page."""
    names = names_of(views, look)
    return Observations(
        coverage=coverage_view(covered),
        histograms=histograms_view(views, look, names, histogram),
        events=events_view(views, look, names, name, kind),
        health=health_view(views, look),
    )


def names_of(views: Views, look: Look) -> ObservedNames:
    return observed_names(views, RunId(look.run_id), attempt=look.attempt)


def covered_by(views: Views, look: Look) -> CoverageView:
    return coverage_view(coverage(views, RunId(look.run_id), attempt=look.attempt))


def coverage_view(covered: ContractCoverage) -> CoverageView:
    """Requirements by capability."""
    by: dict[str | None, list[RequirementCoverage]] = {None: []}
    for one in covered.requirements:
        by.setdefault(one.capability, []).append(one)
    for capability in covered.capabilities:
        by.setdefault(capability, [])
    return CoverageView(
        coverage=covered,
        capabilities=[
            CapabilityView(
                capability=capability,
                enabled=capability is None or capability in covered.capabilities,
                requirements=requirements,
            )
            for capability, requirements in by.items()
            if capability is not None or requirements
        ],
    )


def histograms_view(views: Views, look: Look, names: ObservedNames, chosen: str) -> HistogramsView:
    """The latest of each name; `chosen`, else the first, is drawn over the steps."""
    attempt = None if look.attempt is None else Attempt(look.attempt)
    latest = latest_histograms(views, RunId(look.run_id), names.items, attempt=attempt, limit=_HISTOGRAMS)
    known = [one.name for one in names.items if "histogram" in one.kinds]
    shown = chosen or (known[0] if known else "")
    return HistogramsView(
        latest=[_histogram(one) for one in latest],
        names=known if not shown or shown in known else [shown, *known],
        chosen=shown,
        source=look.api("histograms", name=shown) if shown else "",
    )


def events_view(views: Views, look: Look, names: ObservedNames, name: str, kind: str) -> EventsView:
    """The latest 100; a kind that there is not shows all."""
    chosen = next((one for one in KINDS if one == kind), None)
    found = observations(views, RunId(look.run_id), name=name or None, kind=chosen, attempt=look.attempt)
    return EventsView(items=found.items, name=name, kind=chosen, kinds=KINDS, names=names)


def health_view(views: Views, look: Look) -> HealthView:
    """Each reporter by what it said last, and over time."""
    found = reporters(views, RunId(look.run_id), now=moment_of(views, look), attempt=look.attempt)
    return HealthView(reporters=[_reporter(one) for one in found.reporters], others=found.others, more=found.more)


def _reporter(one: Reporter) -> ReporterView:
    return ReporterView(
        reporter=one,
        queue=_line([then.queued_points for then in one.over_time], one.capacity_points),
        failures=_line([then.send_failures for then in one.over_time], _most(one.over_time)),
    )


def _most(over_time: Sequence[HealthAt]) -> int | None:
    return max((then.send_failures or 0 for then in over_time), default=None)


def _line(counts: Iterable[int | None], full: int | None) -> str:
    """Heartbeat by heartbeat; what one did not say is left out."""
    known = [count for count in counts if count is not None]
    if len(known) < 2 or full is None:  # noqa: PLR2004 - a line needs two points
        return ""
    room, top = _WIDTH / (len(known) - 1), max(full, 1)
    return " ".join(
        f"{at * room:.1f},{_HEIGHT - 1 - (_HEIGHT - 2) * min(count / top, 1):.1f}" for at, count in enumerate(known)
    )


def _histogram(said: LatestHistogram) -> HistogramView:
    report = said.report
    return HistogramView(
        name=said.name,
        step=report.step,
        policy_version=report.policy_version,
        recorded_at=report.recorded_at,
        total=report.total,
        bars=_bars(said.intervals, report.counts),
    )


def _bars(labels: Sequence[str], counts: Sequence[int]) -> list[Bar]:
    fullest = max(counts, default=0) or 1
    room = 100 / max(len(counts), 1)
    return [
        Bar(label=label, count=count, height=100 * count / fullest, x=at * room, width=room * 0.9)
        for at, (label, count) in enumerate(zip(labels, counts, strict=False))
    ]
